//! Where the lab keeps its records: a file of its own, or its own place in a store that is named.
//!
//! Invariant: never somebody's records, and never a store that is marked as production.

use std::path::{Path, PathBuf};

use crate::cli::error::{CliError, Code};
use crate::cli::open::book;
use crate::cli::output::Output;
use crate::config::{self, Wanted};
use crate::lab::shop::StoreChoice;
use crate::sys::{clock, env, files, folders};

/// A store of the lab, and what to call it.
pub struct Place {
    pub store: StoreChoice,
    pub kind: &'static str,
    /// A folder of this run only.
    pub scratch: Scratch,
}

/// Removed when this is dropped.
pub struct Scratch(pub PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // It may never have been made.
        let _ = files::remove_folder(&self.0);
    }
}

/// Errors: the target is none for the lab, or is not to be written to.
pub fn place(target: Option<&str>, output: &Output) -> Result<Place, CliError> {
    let scratch = scratch()?;
    let Some(target) = target else {
        let path = scratch.0.join("lab.sqlite");
        return Ok(Place {
            store: StoreChoice::Sqlite { path },
            kind: "sqlite",
            scratch,
        });
    };
    let (store, kind) = named(target, output)?;
    Ok(Place {
        store,
        kind,
        scratch,
    })
}

fn scratch() -> Result<Scratch, CliError> {
    let folder = folders::data()
        .ok_or_else(|| CliError::new(Code::Wrong, "there is no home folder for the lab"))?;
    sweep(&folder);
    let name = format!("lab-{}-{}", std::process::id(), clock::now().millis());
    let path = folder.join(name);
    files::private_folder(&path)
        .map_err(|error| CliError::new(Code::Wrong, format!("{}: {error}", path.display())))?;
    Ok(Scratch(path))
}

/// Removes what labs left that were killed.
fn sweep(folder: &Path) {
    for folder in files::folders_in(folder) {
        let name = folder.file_name().and_then(|name| name.to_str());
        let of = name.and_then(|name| name.strip_prefix("lab-")?.split('-').next());
        if of.is_some_and(|pid| !env::is_running(pid)) {
            let _ = files::remove_folder(&folder);
        }
    }
}

fn named(target: &str, output: &Output) -> Result<(StoreChoice, &'static str), CliError> {
    let url = url(target, output)?;
    if let Some(path) = url.strip_prefix("sqlite:") {
        let path = PathBuf::from(path);
        if files::exists(&path) {
            return Err(CliError::with_hint(
                Code::Wrong,
                format!("{} is there already", path.display()),
                "the lab makes a file of its own and removes it afterwards",
            ));
        }
        return Ok((StoreChoice::Sqlite { path }, "sqlite"));
    }
    if url.starts_with("redis://") || url.starts_with("rediss://") {
        let prefix = "lab-shop".to_owned();
        return Ok((StoreChoice::Redis { url, prefix }, "redis"));
    }
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        let schema = "idemscope_lab".to_owned();
        return Ok((StoreChoice::Postgres { url, schema }, "postgres"));
    }
    Err(CliError::with_hint(
        Code::Wrong,
        format!("`{target}` is no store for the lab"),
        "for example redis://127.0.0.1:6379/9, postgres://localhost/lab or sqlite:lab.sqlite",
    ))
}

/// The URL of a target that may be a saved connection.
fn url(target: &str, output: &Output) -> Result<String, CliError> {
    let ready = config::ready(&Wanted::text(target), &book(output))?;
    let connection = ready.connection;
    if connection.is_production {
        let name = connection.name.unwrap_or(connection.url);
        return Err(CliError::with_hint(
            Code::Wrong,
            format!("`{name}` is marked as production: the lab does not write there"),
            "without `--store` the lab has a file of its own",
        ));
    }
    let typed = url::Url::parse(target.trim());
    if typed.is_ok_and(|url| url.password().is_some()) {
        output.say(
            "warning: the password in the URL can be seen by other users of this machine while \
             this runs",
        );
    }
    // A password that was typed is in the text, and nowhere else.
    let is_name = connection.name.as_deref() == Some(target.trim());
    Ok(if is_name {
        connection.url
    } else {
        target.trim().to_owned()
    })
}
