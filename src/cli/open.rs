//! Opens a target and finds its sources, saying what is to be said on the way.

use std::sync::Arc;

use super::error::{CliError, Code};
use super::options::CommonOptions;
use super::output::Output;
use crate::config::overrides::Overrides;
use crate::config::{self, Book, Connection, Resolved, TargetError, Wanted, connections};
use crate::domain::Secret;
use crate::inspect::Session;
use crate::inspect::detect::detect;
use crate::layouts::detect::Detection;
use crate::layouts::{Layout, Layouts, Source};
use crate::present::count::{Font, grouped};
use crate::stores::{Family, Target};
use crate::sys::keyring::Keyring;

pub struct Opened {
    /// What was connected to, for whoever changes something there.
    pub target: Target,
    /// What is kept of it, where it is a saved one.
    pub connection: Connection,
    pub session: Arc<Session>,
    pub detection: Detection,
    /// Those of the user among them.
    pub layouts: Layouts,
    /// What is kept with a saved connection for its sources.
    overrides: Overrides,
}

impl Opened {
    pub fn sources(&self) -> Vec<Source> {
        let found = self.detection.found.iter();
        let sources: Vec<Source> = found.map(|found| found.source.clone()).collect();
        self.overrides.read_of(&sources)
    }

    /// What is said where nothing was recognised.
    pub fn nothing_here(&self) -> String {
        let what = match self.session.family() {
            Family::Keys => "keys",
            Family::Tables => "tables",
        };
        let seen = grouped(self.detection.sampled, Font::Text);
        let unreadable = match self.detection.unreadable {
            0 => String::new(),
            unreadable => format!(
                "; this login may not read {} of them",
                grouped(unreadable, Font::Text)
            ),
        };
        format!(
            "no idempotency records recognised in {} ({seen} {what} looked at{unreadable})",
            self.session.label
        )
    }
}

/// The layouts that are known; broken files of the user are named and left out.
pub fn layouts(output: &Output) -> Layouts {
    let (layouts, errors) = config::layouts::load();
    for error in errors {
        output.say(&format!("warning: {error}"));
    }
    layouts
}

/// Errors: the layout that was named stands in the other kind of store.
fn fits_store(layout: &Layout, family: Family) -> Result<(), CliError> {
    let (is_there, kind) = match family {
        Family::Keys => (layout.redis.is_some(), "keys"),
        Family::Tables => (layout.sql.is_some(), "tables"),
    };
    if is_there {
        return Ok(());
    }
    Err(CliError::with_hint(
        Code::Wrong,
        format!("layout `{}` says nothing of {kind}", layout.id),
        format!(
            "`idemscope layouts show {}` says where it stands",
            layout.id
        ),
    ))
}

pub async fn open(
    target: Option<&str>,
    common: &CommonOptions,
    output: &Output,
) -> Result<Opened, CliError> {
    unless_interrupted(look(target, common, output)).await
}

/// Ends work that has no result before its end when it is interrupted.
pub async fn unless_interrupted<T>(
    work: impl Future<Output = Result<T, CliError>>,
) -> Result<T, CliError> {
    let interrupted = || CliError::new(Code::Partly, "interrupted before a record was read");
    // The signal is listened for before anything is asked of the store.
    tokio::select! {
        biased;
        _ = tokio::signal::ctrl_c() => Err(interrupted()),
        done = work => done,
    }
}

/// The connections that are kept; a broken file is named and left alone.
pub fn book(output: &Output) -> Book {
    match connections::load(connections::usual_path().as_deref()) {
        Ok(book) => book,
        Err(error) => {
            output.say(&format!("warning: connections.toml is not used: {error}"));
            Book::default()
        }
    }
}

/// Finds what a target means. This may wait for a command or the keyring.
pub async fn resolve(
    target: Option<&str>,
    common: &CommonOptions,
    output: &Output,
) -> Result<(Connection, Resolved), CliError> {
    let wanted = Wanted {
        target: target.map(Secret::new),
        flags: common.target_options()?,
        ..Wanted::default()
    };
    let ready = config::ready(&wanted, &book(output))?;
    let resolved = tokio::task::spawn_blocking(move || ready.resolve(&Keyring::system()));
    let ended = |_| TargetError::new("the password could not be asked for");
    Ok(resolved.await.map_err(ended)??)
}

/// A store that is open, without a look at what is in it.
pub struct OpenStore {
    pub target: Target,
    pub connection: Connection,
    pub session: Arc<Session>,
}

/// Connects, and looks for no records.
pub async fn open_store(
    target: &str,
    common: &CommonOptions,
    output: &Output,
) -> Result<OpenStore, CliError> {
    unless_interrupted(connect(Some(target), common, output)).await
}

async fn look(
    target: Option<&str>,
    common: &CommonOptions,
    output: &Output,
) -> Result<Opened, CliError> {
    let layouts = layouts(output);
    let options = common.source_options(&layouts)?;
    let OpenStore {
        target,
        connection,
        session,
    } = connect(target, common, output).await?;
    if let Some(layout) = &options.layout {
        fits_store(layout, session.family())?;
    }
    let detection = detect(&session, &layouts, &options).await?;
    // What is said here goes before what is kept.
    let is_said = options.lease.is_some() || !options.set.is_empty() || options.layout.is_some();
    let is_kept = connection.name.is_some() && !is_said;
    Ok(Opened {
        session,
        detection,
        layouts,
        overrides: if is_kept {
            connection.sources.clone()
        } else {
            Overrides::default()
        },
        target,
        connection,
    })
}

async fn connect(
    target: Option<&str>,
    common: &CommonOptions,
    output: &Output,
) -> Result<OpenStore, CliError> {
    let (connection, mut resolved) = resolve(target, common, output).await?;
    for warning in &resolved.warnings {
        output.say(&format!("warning: {warning}"));
    }
    if resolved.is_demo {
        crate::lab::demo::prepare(&resolved.target).await?;
    }
    let session = super::secrets::open(&mut resolved.target, common).await?;
    if common.verbose > 0 {
        let encryption = session.facts.encryption.clone().unwrap_or_default();
        output.say(&format!(
            "{}: {} {encryption}",
            session.label, session.facts.product
        ));
    }
    let place = &session.facts.place;
    if place.is_replica || common.verbose > 0 && !place.words().is_empty() {
        output.say(&format!("looking at a {}", place.words().join(", ")));
    }
    if place.is_part {
        output.say(
            "note: this is one node of a cluster: what is at the others is not seen, \
             `redis+cluster://` sees all",
        );
    }
    for right in &session.facts.missing_rights {
        output.say(&format!("note: this login lacks {right}"));
    }
    Ok(OpenStore {
        target: resolved.target,
        connection,
        session: Arc::new(session),
    })
}
