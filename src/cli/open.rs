//! Opens a target and finds its sources, saying what is to be said on the way.

use std::sync::Arc;

use super::error::CliError;
use super::options::CommonOptions;
use super::output::Output;
use crate::config;
use crate::inspect::Session;
use crate::inspect::detect::detect;
use crate::layouts::detect::Detection;
use crate::layouts::{Layouts, Source};
use crate::stores::Family;

pub struct Opened {
    pub session: Arc<Session>,
    pub detection: Detection,
}

impl Opened {
    pub fn sources(&self) -> Vec<Source> {
        self.detection
            .found
            .iter()
            .map(|found| found.source.clone())
            .collect()
    }

    /// What is said where nothing was recognised.
    pub fn nothing_here(&self) -> String {
        let what = match self.session.family() {
            Family::Keys => "keys",
            Family::Tables => "tables",
        };
        let seen = self.detection.sampled;
        format!(
            "no idempotency records recognised in {} ({seen} {what} looked at)",
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

pub async fn open(
    target: Option<&str>,
    common: &CommonOptions,
    output: &Output,
) -> Result<Opened, CliError> {
    let layouts = layouts(output);
    let options = common.source_options(&layouts)?;
    let resolved = config::resolve(target, &common.target_options()?)?;
    for warning in &resolved.warnings {
        output.say(&format!("warning: {warning}"));
    }
    if resolved.is_demo {
        crate::lab::demo::prepare(&resolved.target).await?;
    }
    let session = Session::open(&resolved.target).await?;
    if common.verbose > 0 {
        let encryption = session.facts.encryption.clone().unwrap_or_default();
        output.say(&format!(
            "{}: {} {encryption}",
            session.label, session.facts.product
        ));
    }
    for right in &session.facts.missing_rights {
        output.say(&format!("note: this login lacks {right}"));
    }
    let detection = detect(&session, &layouts, &options).await?;
    Ok(Opened {
        session: Arc::new(session),
        detection,
    })
}
