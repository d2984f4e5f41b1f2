//! Repair as the window calls it: a plan of records that are named, and its run.
//!
//! Apart from `shell` because time may pass between the plan and the run, and the line may be
//! another one.

use std::sync::Arc;
use std::time::Duration;

use idemscope::config::{TargetOptions, resolve};
use idemscope::domain::change::{Outcome, Verb};
use idemscope::domain::raw::RawAddress;
use idemscope::domain::{Timestamp, address};
use idemscope::inspect::Session;
use idemscope::inspect::detect::{SourceOptions, detect};
use idemscope::layouts::{Layouts, Source};
use idemscope::ops::plan::{Ask, Selection, Wanted, make};
use idemscope::ops::run::{RunError, RunProgress};
use idemscope::ops::{Plan, Report, RunOptions, Steering, control, run};
use idemscope::stores::Target;
use tokio_util::sync::CancellationToken;

use crate::support::process::Folder;

/// An open store with records of one layout.
pub struct Desk {
    /// Where the changes go, which may be another line to the same store.
    pub target: Target,
    pub session: Session,
    pub source: Arc<Source>,
    pub journal: Folder,
}

pub fn target(url: &str) -> Target {
    let resolved = resolve(Some(url), &TargetOptions::default());
    let mut target = resolved.expect("a target").target;
    target.timeout = Duration::from_secs(20);
    target
}

impl Desk {
    /// Reads by one line and changes by another. There must be a record already.
    pub async fn open(reads: &Target, changes: Target, layout: &str) -> Desk {
        let session = Session::open(reads).await.expect("an open store");
        let layouts = Layouts::built_in();
        let options = SourceOptions {
            layout: layouts.get(layout).cloned(),
            ..SourceOptions::default()
        };
        let found = detect(&session, &layouts, &options).await;
        let found = found.expect("a detection").found;
        let source = found.into_iter().next().expect("the layout").source;
        Desk {
            target: changes,
            session,
            source: Arc::new(source),
            journal: Folder::new(),
        }
    }

    /// Plans to release these, as a person names them who saw how long each is to live.
    pub async fn plan(&self, records: Vec<(RawAddress, Option<Timestamp>)>) -> Plan {
        let wanted: Vec<Wanted> = records
            .into_iter()
            .map(|(address, lives_until)| Wanted {
                source: self.source.clone(),
                address,
                longest_ttl: None,
                lives_until,
            })
            .collect();
        let (label, cancel) = (self.target.to_string(), CancellationToken::new());
        let ask = Ask::new(Verb::Release, Selection::Named);
        let made = make(&self.session.store, &label, &ask, &wanted, |_| (), &cancel);
        made.await.expect("a plan")
    }

    pub async fn run(
        &self,
        plan: &Plan,
        steering: Steering,
        progress: impl Fn(&RunProgress),
    ) -> Result<Report, RunError> {
        let options = RunOptions {
            folder: self.journal.path().to_owned(),
            ..RunOptions::default()
        };
        let store = &self.session.store;
        run(&self.target, store, plan, &options, steering, progress).await
    }

    /// Runs to the end, steered by nobody.
    pub async fn run_through(&self, plan: &Plan) -> Result<Report, RunError> {
        let (_control, steering) = control();
        self.run(plan, steering, |_| ()).await
    }
}

/// What the report says of a record.
pub fn outcome_of(report: &Report, record: &RawAddress) -> (Outcome, String) {
    let text = address::address_text(record);
    let key = report.keys.iter().find(|key| key.address == text);
    let key = key.unwrap_or_else(|| panic!("nothing is said of {text}"));
    (key.outcome, key.why.clone().unwrap_or_default())
}
