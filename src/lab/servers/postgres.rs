//! A private PostgreSQL for scenarios that need two stores.
//!
//! It refuses to run as root: then it runs under the account `postgres`, where there is one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use sqlx::Connection;

use super::held::{Folder, Held};
use super::{free_port, missing};
use crate::lab::run::NotRun;
use crate::sys::{env, files};

const PATIENCE: Duration = Duration::from_secs(20);
const EVERY: Duration = Duration::from_millis(30);

#[derive(Debug)]
pub struct PrivatePostgres {
    // Before the folder: the process ends first.
    _held: Held,
    port: u16,
    _folder: Folder,
}

/// Where distributions keep its programs, newest version first.
fn folders() -> Vec<PathBuf> {
    files::folders_in(Path::new("/usr/lib/postgresql"))
        .into_iter()
        .rev()
        .map(|version| version.join("bin"))
        .collect()
}

/// What stands before a command so that it does not run as root.
fn as_somebody() -> Result<Vec<String>, NotRun> {
    if !env::is_root() {
        return Ok(Vec::new());
    }
    let program = env::program_named("setpriv", &[]);
    let program = program.ok_or_else(|| {
        NotRun::Missing("PostgreSQL does not run as root, and `setpriv` is not here".to_owned())
    })?;
    let account = [
        "--reuid",
        "postgres",
        "--regid",
        "postgres",
        "--init-groups",
    ];
    let words = std::iter::once(program.display().to_string());
    Ok(words.chain(account.map(str::to_owned)).collect())
}

impl PrivatePostgres {
    pub async fn start() -> Result<PrivatePostgres, NotRun> {
        let initdb = env::program_named("initdb", &folders()).ok_or_else(|| missing("initdb"))?;
        let postgres = initdb.with_file_name("postgres");
        let folder = Folder::new()?;
        let data = folder.0.join("data");
        let prefix = as_somebody()?;
        let place = folder.0.clone();
        let made = tokio::task::spawn_blocking(move || make(&prefix, &initdb, &place));
        made.await
            .map_err(|error| NotRun::Failed(error.to_string()))??;
        for _ in 0..5 {
            let port = free_port().await?;
            let mut command = as_somebody()?;
            let words = [
                postgres.display().to_string(),
                "-D".to_owned(),
                data.display().to_string(),
                "-p".to_owned(),
                port.to_string(),
            ];
            command.extend(words);
            for setting in [
                "listen_addresses=127.0.0.1",
                "unix_socket_directories=",
                "fsync=off",
                "autovacuum=off",
                "shared_buffers=16MB",
                "max_connections=200",
            ] {
                command.extend(["-c".to_owned(), setting.to_owned()]);
            }
            let held = Held::start(&folder.0, "QUIT", &command)?;
            if answers(port).await {
                return Ok(PrivatePostgres {
                    _held: held,
                    port,
                    _folder: folder,
                });
            }
            held.end_keeping();
        }
        let text = "the lab's PostgreSQL does not answer";
        Err(NotRun::Failed(text.to_owned()))
    }

    pub fn url(&self) -> String {
        format!(
            "postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable",
            self.port
        )
    }
}

/// Makes the data folder.
fn make(prefix: &[String], initdb: &Path, folder: &Path) -> Result<(), NotRun> {
    let data = folder.join("data").display().to_string();
    if !prefix.is_empty() {
        run(&[
            "chown".to_owned(),
            "postgres:".to_owned(),
            folder.display().to_string(),
        ])?;
    }
    let mut command = prefix.to_vec();
    command.push(initdb.display().to_string());
    let options = [
        "-D",
        &data,
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--no-sync",
    ];
    command.extend(options.map(str::to_owned));
    command.push("--locale=C".to_owned());
    run(&command)
}

fn run(command: &[String]) -> Result<(), NotRun> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(());
    };
    let failed = |why: String| NotRun::Missing(format!("PostgreSQL cannot be prepared: {why}"));
    let done = Command::new(program)
        .args(arguments)
        .current_dir("/")
        .stdin(Stdio::null())
        .output();
    let done = done.map_err(|error| failed(error.to_string()))?;
    match done.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            let last = said.lines().rfind(|line| !line.trim().is_empty());
            Err(failed(last.unwrap_or("it said nothing").to_owned()))
        }
    }
}

async fn answers(port: u16) -> bool {
    let url = format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable");
    let is_there = async {
        loop {
            if let Ok(connection) = sqlx::PgConnection::connect(&url).await {
                let _ = connection.close().await;
                return;
            }
            tokio::time::sleep(EVERY).await;
        }
    };
    tokio::time::timeout(PATIENCE, is_there).await.is_ok()
}
