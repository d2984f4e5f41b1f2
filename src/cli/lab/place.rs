//! Where the lab keeps its records: a file of its own, or its own place in a store that is named.
//!
//! Invariant: never somebody's records, and never a store that is marked as production.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::error::{CliError, Code};
use crate::cli::open::resolve;
use crate::cli::options::CommonOptions;
use crate::cli::output::Output;
use crate::lab::run::Ground;
use crate::lab::shop::StoreChoice;
use crate::stores::EngineTarget;
use crate::stores::lane::Lane;
use crate::sys::{clock, env, files, folders};

/// A store of the lab, and what to call it.
pub struct Place {
    pub store: StoreChoice,
    /// The way to it, where it is not found by its URL alone.
    pub lane: Option<Arc<Lane>>,
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
pub async fn place(
    target: Option<&str>,
    common: &CommonOptions,
    output: &Output,
) -> Result<Place, CliError> {
    let scratch = scratch()?;
    let Some(target) = target else {
        let path = scratch.0.join("lab.sqlite");
        return Ok(Place {
            store: StoreChoice::Sqlite { path },
            lane: None,
            kind: "sqlite",
            scratch,
        });
    };
    let (ground, kind) = named(target, common, output).await?;
    Ok(Place {
        store: ground.store,
        lane: ground.lane,
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

async fn named(
    target: &str,
    common: &CommonOptions,
    output: &Output,
) -> Result<(Ground, &'static str), CliError> {
    let (connection, resolved) = resolve(Some(target), common, output).await?;
    for warning in &resolved.warnings {
        output.say(&format!("warning: {warning}"));
    }
    if connection.is_production {
        let name = connection.name.unwrap_or(connection.url);
        return Err(CliError::with_hint(
            Code::Wrong,
            format!("`{name}` is marked as production: the lab does not write there"),
            "without `--store` the lab has a file of its own",
        ));
    }
    let kind = match &resolved.target.engine {
        EngineTarget::Sqlite(sqlite) if !resolved.is_demo => {
            return Ok((own_file(&sqlite.path)?, "sqlite"));
        }
        EngineTarget::Sqlite(_) => {
            return Err(CliError::with_hint(
                Code::Wrong,
                format!("`{target}` is no store for the lab"),
                "for example redis://127.0.0.1:6379/9, postgres://localhost/lab or \
                 sqlite:lab.sqlite",
            ));
        }
        EngineTarget::Redis(_) => "redis",
        EngineTarget::Postgres(_) => "postgres",
    };
    let ground = Ground::at(&resolved.target).await;
    let ground = ground.map_err(|error| CliError::new(Code::Unreachable, error))?;
    Ok((ground, kind))
}

/// Errors: it is there already.
fn own_file(path: &Path) -> Result<Ground, CliError> {
    if files::exists(path) {
        return Err(CliError::with_hint(
            Code::Wrong,
            format!("{} is there already", path.display()),
            "the lab makes a file of its own and removes it afterwards",
        ));
    }
    let path = path.to_owned();
    Ok(Ground {
        store: StoreChoice::Sqlite { path },
        lane: None,
    })
}
