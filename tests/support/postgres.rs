//! A private PostgreSQL: one shared by a test file, or one for a test that breaks it.
//!
//! Apart from `process` because it knows PostgreSQL: its data folder, its users, its files.
//! Invariants: it never runs as root, which PostgreSQL refuses; the account `postgres` always gets
//! in over the socket without a password, whatever the host rules of a test say.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection};

use super::process::{
    Folder, Process, Signal, User, children, free_port, program, run, send, wait_for,
};
use super::tls;

/// What a server is started with.
#[derive(Default)]
pub struct Options {
    settings: Vec<(String, String)>,
    hba: Option<String>,
    programs: Option<PathBuf>,
    tls: Option<(tls::Identity, Option<PathBuf>)>,
}

/// A running server, ended and forgotten when this is dropped.
pub struct Server {
    // Before the folder: the process ends first.
    process: Mutex<Option<Process>>,
    port: Mutex<u16>,
    user: User,
    folder: Folder,
    programs: Option<PathBuf>,
}

const TRUST_LOOPBACK: &str = "host all all 127.0.0.1/32 trust\nhost all all ::1/128 trust\n";

impl Options {
    /// A line of the configuration, `name = 'value'`.
    pub fn setting(mut self, name: &str, value: &str) -> Options {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Programs of another version than the system's.
    pub fn programs(mut self, folder: &Path) -> Options {
        self.programs = Some(folder.to_owned());
        self
    }

    /// The lines of `pg_hba.conf` for TCP, instead of trusting everybody on loopback.
    pub fn hba(mut self, text: &str) -> Options {
        self.hba = Some(text.to_owned());
        self
    }

    /// Offers TLS.
    pub fn tls(mut self, identity: &tls::Identity) -> Options {
        self.tls = Some((identity.clone(), None));
        self
    }

    /// Offers TLS and checks client certificates against `ca` (ask for them with `hba`).
    pub fn mutual_tls(mut self, identity: &tls::Identity, ca: &Path) -> Options {
        self.tls = Some((identity.clone(), Some(ca.to_owned())));
        self
    }

    pub fn start(self) -> Server {
        let user = User::for_postgres();
        let folder = Folder::new();
        let data = folder.join("data");
        match &self.programs {
            None => {
                let template = template().display().to_string();
                run(
                    &User::Same,
                    &["cp", "-a", &template, &data.display().to_string()],
                );
            }
            Some(programs) => {
                user.own(folder.path());
                make(&user, &programs.join("initdb"), &data);
            }
        }
        let socket_folder = folder.join("s");
        std::fs::create_dir(&socket_folder).expect("folder for the socket");
        self.configure(&folder, &data);
        user.own(folder.path());
        let server = Server {
            process: Mutex::new(None),
            port: Mutex::new(0),
            user,
            folder,
            programs: self.programs.clone(),
        };
        for _ in 0..5 {
            *server.port.lock().expect("no panic while starting") = free_port();
            if server.launch() {
                return server;
            }
        }
        panic!("postgres did not start: {}", server.log());
    }

    fn configure(&self, folder: &Folder, data: &Path) {
        let rules = self.hba.as_deref().unwrap_or(TRUST_LOOPBACK);
        let hba = format!("local all all trust\n{}\n", rules.trim_end());
        std::fs::write(data.join("pg_hba.conf"), hba).expect("host rules");
        let mut lines = vec![
            "fsync = off".to_owned(),
            "full_page_writes = off".to_owned(),
            "autovacuum = off".to_owned(),
            "shared_buffers = 16MB".to_owned(),
            "timezone = 'UTC'".to_owned(),
            "listen_addresses = '127.0.0.1'".to_owned(),
            format!("unix_socket_directories = '{}'", folder.join("s").display()),
        ];
        if let Some((identity, client_ca)) = &self.tls {
            private_file(&data.join("server.pem"), &identity.cert_pem());
            private_file(&data.join("server.key"), &identity.key_pem());
            lines.push("ssl = on".to_owned());
            lines.push("ssl_cert_file = 'server.pem'".to_owned());
            lines.push("ssl_key_file = 'server.key'".to_owned());
            if let Some(ca) = client_ca {
                let pem = std::fs::read_to_string(ca).expect("CA of the test");
                private_file(&data.join("client-ca.pem"), &pem);
                lines.push("ssl_ca_file = 'client-ca.pem'".to_owned());
            }
        }
        for (name, value) in &self.settings {
            lines.push(format!("{name} = '{}'", value.replace('\'', "''")));
        }
        lines.push(String::new());
        std::fs::write(data.join("postgresql.auto.conf"), lines.join("\n")).expect("settings");
    }
}

impl Server {
    /// The server that the tests of one file share: give each its own database or schema.
    pub fn shared() -> &'static Server {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(Server::start)
    }

    /// A server of its own, for a test that stops or breaks it.
    pub fn start() -> Server {
        Options::default().start()
    }

    pub fn options() -> Options {
        Options::default()
    }

    pub fn port(&self) -> u16 {
        *self.port.lock().expect("no panic while starting")
    }

    pub fn url(&self) -> String {
        self.database_url("postgres")
    }

    pub fn database_url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port())
    }

    pub fn role_url(&self, role: &str, password: &str, database: &str) -> String {
        let mut url = url::Url::parse(&self.database_url(database)).expect("URL of the server");
        url.set_username(role).expect("name of a role");
        url.set_password(Some(password))
            .expect("password of a role");
        url.into()
    }

    pub fn socket_dir(&self) -> PathBuf {
        self.folder.join("s")
    }

    /// Makes an empty database and gives its name.
    pub fn create_database(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.execute("postgres", &format!("CREATE DATABASE {name}"));
        name
    }

    /// Runs SQL, of any number of statements, as the superuser.
    pub fn execute(&self, database: &str, sql: &str) {
        self.execute_all(database, &[sql]);
    }

    /// Runs scripts one after the other on one connection.
    pub fn execute_all(&self, database: &str, scripts: &[&str]) {
        let options = self.socket_options(database);
        let result = block_on(async {
            let mut connection = options.connect().await?;
            for script in scripts {
                let script = AssertSqlSafe((*script).to_owned());
                sqlx::raw_sql(script).execute(&mut connection).await?;
            }
            sqlx::Connection::close(connection).await
        });
        result.unwrap_or_else(|error: sqlx::Error| panic!("SQL of a test failed: {error}"));
    }

    /// Asks for one value as text.
    pub fn text(&self, database: &str, sql: &str) -> Option<String> {
        let options = self.socket_options(database);
        let sql = format!("SELECT ({sql})::text");
        let result = block_on(async {
            let mut connection: PgConnection = options.connect().await?;
            sqlx::query_scalar(AssertSqlSafe(sql))
                .fetch_one(&mut connection)
                .await
        });
        result.unwrap_or_else(|error: sqlx::Error| panic!("SQL of a test failed: {error}"))
    }

    /// Freezes the whole server: connections stay open and nothing answers.
    pub fn stop(&self) {
        self.signal_all(Signal::Stop);
    }

    pub fn cont(&self) {
        self.signal_all(Signal::Continue);
    }

    /// Ends the server at once, all of its processes.
    pub fn kill(&self) {
        let taken = self.process.lock().expect("no panic while ending").take();
        if let Some(mut process) = taken {
            let backends = children(process.pid());
            process.end_with(Signal::Kill);
            for pid in backends {
                send(pid, Signal::Kill);
            }
        }
    }

    /// Starts it again on the same port, with what was committed.
    pub fn restart(&self) {
        self.kill();
        // The old children may hold the memory for a second or two.
        wait_for("postgres to come back on its port", || {
            self.launch().then_some(())
        });
    }

    pub fn pid(&self) -> u32 {
        let process = self.process.lock().expect("no panic while asking");
        process.as_ref().expect("the server was ended").pid()
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    fn signal_all(&self, signal: Signal) {
        let postmaster = self.pid();
        send(postmaster, signal);
        for pid in children(postmaster) {
            send(pid, signal);
        }
    }

    /// Starts the process; false when it ended instead of answering.
    fn launch(&self) -> bool {
        let program = match &self.programs {
            Some(folder) => folder.join("postgres"),
            None => binary("postgres"),
        };
        let command = [
            program.display().to_string(),
            "-D".to_owned(),
            self.folder.join("data").display().to_string(),
            "-p".to_owned(),
            self.port().to_string(),
        ];
        let log = self.folder.join("log");
        let mut process = Process::start(&command, &self.user, Signal::Quit, &log);
        let ready = wait_for("postgres to answer", || {
            if process.ended() {
                return Some(false);
            }
            self.answers().then_some(true)
        });
        if ready {
            *self.process.lock().expect("no panic while starting") = Some(process);
        }
        ready
    }

    fn answers(&self) -> bool {
        let options = self.socket_options("postgres");
        block_on(async {
            let mut connection = options.connect().await?;
            sqlx::query("SELECT 1").execute(&mut connection).await
        })
        .is_ok()
    }

    pub(super) fn socket_options(&self, database: &str) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .socket(self.socket_dir())
            .port(self.port())
            .username("postgres")
            .database(database)
            .ssl_mode(PgSslMode::Disable)
    }
}

/// One value as text, from a server of the tests at this port; `None` where it does not answer.
pub fn text_at(port: u16, sql: &str) -> Option<String> {
    let options = PgConnectOptions::new_without_pgpass()
        .host("127.0.0.1")
        .port(port)
        .username("postgres")
        .database("postgres")
        .ssl_mode(PgSslMode::Disable);
    let sql = format!("SELECT ({sql})::text");
    let asked = block_on(async {
        let asking = async {
            let mut connection: PgConnection = options.connect().await?;
            sqlx::query_scalar(AssertSqlSafe(sql))
                .fetch_one(&mut connection)
                .await
        };
        tokio::time::timeout(std::time::Duration::from_secs(10), asking).await
    });
    asked.ok()?.ok()?
}

/// A fresh data folder, made once per test process and copied for each server.
fn template() -> PathBuf {
    static TEMPLATE: OnceLock<Folder> = OnceLock::new();
    let folder = TEMPLATE.get_or_init(|| {
        let folder = Folder::new();
        let user = User::for_postgres();
        user.own(folder.path());
        make(&user, &binary("initdb"), &folder.join("data"));
        folder
    });
    folder.join("data")
}

fn make(user: &User, initdb: &Path, data: &Path) {
    let (initdb, data) = (initdb.display().to_string(), data.display().to_string());
    let words = [
        &initdb, "-D", &data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
    ];
    run(user, &[&words[..], &["--locale=C", "-N"]].concat());
}

/// The newest PostgreSQL that Debian installed, else the one on the path.
fn binary(name: &str) -> PathBuf {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .collect();
    versions.sort();
    let folders: Vec<PathBuf> = versions
        .into_iter()
        .rev()
        .map(|(_, folder)| folder.join("bin"))
        .collect();
    program(name, &folders).unwrap_or_else(|| panic!("`{name}` is needed: see tests/run"))
}

fn private_file(path: &Path, content: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, content).expect("file of the server");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("its mode");
}

/// Runs a future to its end, also from inside an async test.
fn block_on<T: Send>(future: impl Future<Output = T> + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("test-sql".to_owned())
            .spawn_scoped(scope, || {
                tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .expect("runtime for SQL")
                    .block_on(future)
            })
            .expect("thread for SQL")
            .join()
            .expect("SQL of a test")
    })
}
