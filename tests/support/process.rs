//! Child processes that die with the tests, and the private folders they live in.
//!
//! Apart from the servers because Redis and PostgreSQL need the same care.
//! Invariants: every child is started by one thread that lives as long as the test process, since
//! the death signal follows the thread that started it, not the process; folders of test processes
//! that are gone are removed by the next one.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, Once, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may take to answer, on a machine that is busy with other things.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A child process, ended when this is dropped.
pub struct Process {
    child: Child,
    end: Signal,
}

/// The signals that the tests send.
#[derive(Clone, Copy)]
pub enum Signal {
    Terminate,
    Quit,
    Interrupt,
    Kill,
    Stop,
    Continue,
}

impl Process {
    /// Starts `command`, which gets `end` when the test process dies or this value is dropped.
    pub fn start(command: &[String], user: &User, end: Signal, log: &Path) -> Process {
        let output = fs::File::create(log).expect("log file of a server");
        let errors = output.try_clone().expect("log file of a server");
        let mut whole = user.prefix(Some(end));
        whole.extend_from_slice(command);
        let (program, args) = whole.split_first().expect("a command has a program");
        let mut start = Command::new(program);
        start
            .args(args)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .env_clear();
        for name in ["PATH", "LANG"] {
            if let Some(value) = std::env::var_os(name) {
                start.env(name, value);
            }
        }
        let child = spawn(start).unwrap_or_else(|error| panic!("starting {program}: {error}"));
        Process { child, end }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: Signal) {
        send(self.pid(), signal);
    }

    /// True once the process has ended by itself.
    pub fn ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends the process and waits until it is gone.
    pub fn end_with(&mut self, signal: Signal) {
        if self.ended() {
            return;
        }
        self.signal(signal);
        // A stopped process handles no signal.
        self.signal(Signal::Continue);
        let until = Instant::now() + Duration::from_secs(5);
        while !self.ended() && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end_with(self.end);
    }
}

impl Signal {
    fn name(self) -> &'static str {
        match self {
            Signal::Terminate => "TERM",
            Signal::Quit => "QUIT",
            Signal::Interrupt => "INT",
            Signal::Kill => "KILL",
            Signal::Stop => "STOP",
            Signal::Continue => "CONT",
        }
    }
}

/// Sends a signal; a process that is gone is no error.
pub fn send(pid: u32, signal: Signal) {
    let _ = Command::new("sh")
        .args(["-c", "kill -\"$1\" \"$2\"", "sh", signal.name()])
        .arg(pid.to_string())
        .stderr(Stdio::null())
        .status();
}

/// The processes started by `pid`.
pub fn children(pid: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|candidate| parent(*candidate) == Some(pid))
        .collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // `pid (name) state parent …`; the name may hold spaces and brackets.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

type Job = (Command, Sender<io::Result<Child>>);

/// Starts a process from the one thread that stays until the test process ends.
pub fn spawn(command: Command) -> io::Result<Child> {
    static KEEPER: OnceLock<Mutex<Sender<Job>>> = OnceLock::new();
    let keeper = KEEPER.get_or_init(|| {
        let (sender, jobs) = channel::<Job>();
        thread::Builder::new()
            .name("server-keeper".to_owned())
            .spawn(move || {
                for (mut command, answer) in jobs {
                    let _ = answer.send(command.spawn());
                }
            })
            .expect("thread that starts servers");
        Mutex::new(sender)
    });
    let (answer, started) = channel();
    keeper
        .lock()
        .expect("no panic while starting a server")
        .send((command, answer))
        .expect("the keeper lives as long as the process");
    started
        .recv()
        .expect("the keeper lives as long as the process")
}

/// Whom a server runs as.
#[derive(Clone)]
pub enum User {
    /// Whoever runs the tests.
    Same,
    /// Another account, which only root can take.
    Other(&'static str),
}

impl User {
    /// The account for PostgreSQL, which refuses to run as root.
    pub fn for_postgres() -> User {
        if is_root() {
            User::Other("postgres")
        } else {
            User::Same
        }
    }

    /// What stands before a command to run it as this user and to end it with the tests.
    pub fn prefix(&self, end: Option<Signal>) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        if let User::Other(name) = self {
            for word in ["--reuid", name, "--regid", name, "--init-groups"] {
                words.push(word.to_owned());
            }
        }
        if let Some(signal) = end.filter(|_| setpriv().is_some()) {
            words.push("--pdeathsig".to_owned());
            words.push(signal.name().to_owned());
        }
        if words.is_empty() {
            return words;
        }
        let program = setpriv().expect("`setpriv` (package util-linux) is needed to run as root");
        words.insert(0, program.display().to_string());
        words
    }

    /// Gives a folder and all in it to this user.
    pub fn own(&self, folder: &Path) {
        if let User::Other(name) = self {
            run(
                &User::Same,
                &[
                    "chown",
                    "-R",
                    &format!("{name}:"),
                    &folder.display().to_string(),
                ],
            );
        }
    }
}

/// Runs a command to its end and panics with what it said when it fails.
pub fn run(user: &User, command: &[&str]) {
    let mut words = user.prefix(None);
    words.extend(command.iter().map(|word| (*word).to_owned()));
    let (program, args) = words.split_first().expect("a command has a program");
    let output = Command::new(program)
        .args(args)
        .current_dir("/")
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("running {program}: {error}"));
    assert!(
        output.status.success(),
        "{words:?} failed: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

fn setpriv() -> Option<PathBuf> {
    program("setpriv", &[])
}

/// Finds a program in `folders` first, then on the path.
pub fn program(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders
        .iter()
        .cloned()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// A private folder with a short path, removed when this is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static SWEEP: Once = Once::new();
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let base = base();
        SWEEP.call_once(|| sweep(&base));
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = base.join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::create_dir(&folder).unwrap_or_else(|error| panic!("making a test folder: {error}"));
        // Passable: servers may run as another user.
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("mode of a folder");
        Folder(folder)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file into the folder and gives its path.
    pub fn write(&self, name: &str, content: &str) -> PathBuf {
        let file = self.join(name);
        fs::write(&file, content).unwrap_or_else(|error| panic!("writing a test file: {error}"));
        file
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const PREFIX: &str = "idem-";

/// The folder for temporary files, unless a server under another account could not reach it or
/// the path of a socket in it would be too long (108 bytes).
fn base() -> PathBuf {
    let wanted = std::env::temp_dir();
    let passable = wanted
        .ancestors()
        .all(|folder| fs::metadata(folder).is_ok_and(|about| about.mode() & 0o001 != 0));
    if wanted.as_os_str().len() <= 60 && (passable || !is_root()) {
        wanted
    } else {
        PathBuf::from("/tmp")
    }
}

/// Removes what test processes left that could not clean up.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX))
            .and_then(|rest| rest.split('-').next())
            .and_then(|pid| pid.parse::<u32>().ok());
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A port that was free a moment ago. Another process may take it: try again then.
pub fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .expect("a free port on loopback")
        .port()
}

/// Asks until there is an answer; panics after `PATIENCE`, saying what did not come.
pub fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < until, "waited {PATIENCE:?} for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
