//! The operator of a scenario: repairs one record with this program's own plan and run.
//!
//! What it may not do, it does not do here either: such a wrong choice is made by hand, past it.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::rows::{self, Opened};
use super::{Figure, Scene};
use crate::domain::change::{Answer, Outcome, Verb};
use crate::guard::{After, Fence, GuardStore, Leaves, Ticket};
use crate::inspect::show::find;
use crate::lab::engine::Engine;
use crate::lab::scenario::{OperatorAct, Repair};
use crate::lab::world::{Actor, Event, Happening};
use crate::ops::plan::{Ask, Selection, Wanted, make};
use crate::ops::run::KeyReport;
use crate::ops::{Plan, Report, RunOptions, control, run};

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Looks at a record, and does about it what the scenario says.
pub async fn act(act: OperatorAct, scene: Scene, scratch: PathBuf) -> Result<Vec<Figure>, String> {
    tokio::time::sleep(Duration::from_millis(act.at_ms)).await;
    let desk = Desk {
        opened: rows::open(&scene.store).await?,
        folder: scratch.join("journal"),
        scene,
        key: act.key.clone(),
    };
    match act.repair {
        Repair::Complete => {
            let plan = desk.plan(Verb::Settle).await?;
            desk.run(&plan, "settles").await
        }
        Repair::Release => {
            let plan = desk.plan(Verb::Release).await?;
            desk.run(&plan, "releases").await
        }
        Repair::ReleaseByHand => {
            let plan = desk.plan(Verb::Release).await?;
            let mut figures = desk.run(&plan, "releases").await?;
            desk.by_hand().await?;
            figures.push(("by_hand".to_owned(), Value::from(1)));
            Ok(figures)
        }
        Repair::ReleaseTooLate => {
            let late = desk.plan(Verb::Release).await?;
            let first = desk.plan(Verb::Settle).await?;
            let mut figures = desk.run(&first, "settles").await?;
            figures.extend(desk.run(&late, "releases").await?);
            Ok(figures)
        }
    }
}

struct Desk {
    opened: Opened,
    folder: PathBuf,
    scene: Scene,
    key: String,
}

impl Desk {
    async fn plan(&self, verb: Verb) -> Result<Plan, String> {
        let session = &self.opened.session;
        let found = find(session, &self.opened.sources, &self.key).await;
        let found = found.map_err(text)?;
        let wanted: Vec<Wanted> = found
            .into_iter()
            .map(|whole| Wanted {
                source: whole.source,
                longest_ttl: None,
                lives_until: whole.record.lock_until.or_else(|| whole.record.expiry()),
                address: whole.record.address,
            })
            .collect();
        let mut ask = Ask::new(verb, Selection::Named);
        if verb == Verb::Settle {
            ask.answer = Some(self.answer());
        }
        let target = self.opened.target.to_string();
        let token = CancellationToken::new();
        let plan = make(&session.store, &target, &ask, &wanted, |_| (), &token).await;
        plan.map_err(text)
    }

    /// What the ledger has for the key; where it has nothing, an answer that is made up.
    fn answer(&self) -> Answer {
        let ledger = self.scene.world.ledger();
        let of_key = |reference: &str| reference.rsplit(' ').next() == Some(self.key.as_str());
        let charge = ledger
            .charges
            .iter()
            .find(|charge| of_key(&charge.reference));
        let id = charge.map_or("ch_none", |charge| charge.id.as_str());
        Answer {
            status: 201,
            body: json!({"id": id}).to_string().into_bytes(),
        }
    }

    async fn run(&self, plan: &Plan, name: &str) -> Result<Vec<Figure>, String> {
        let refused = plan.refused().len();
        let mut figures = vec![("refused_by_tool".to_owned(), Value::from(refused))];
        if plan.is_empty() {
            self.tell("refused");
            return Ok(figures);
        }
        let options = RunOptions {
            folder: self.folder.clone(),
            ..RunOptions::default()
        };
        let (_control, steering) = control();
        let store = &self.opened.session.store;
        let report = run(&self.opened.target, store, plan, &options, steering, |_| ()).await;
        let report = report.map_err(text)?;
        figures.push((name.to_owned(), Value::from(of(&report, Outcome::Done))));
        let changed = of(&report, Outcome::ChangedMeanwhile);
        figures.push(("changed_meanwhile".to_owned(), Value::from(changed)));
        for key in &report.keys {
            self.tell(key.outcome.name(report.verb));
        }
        Ok(figures)
    }

    /// As somebody does who has a client of the store and no doubt.
    async fn by_hand(&self) -> Result<(), String> {
        let found = find(&self.opened.session, &self.opened.sources, &self.key).await;
        let found = found.map_err(text)?;
        let scope = found.first().and_then(|whole| {
            let parts = &whole.record.scope;
            parts.iter().map(|(_, value)| value.clone()).next()
        });
        let ticket = Ticket {
            scope: scope.unwrap_or_default(),
            key: self.key.clone(),
            owner: "by hand".to_owned(),
            after: After::Nothing,
            point: None,
        };
        let engine = Engine::attach(&self.scene.store).await.map_err(text)?;
        let released = engine
            .release(&ticket, Fence::Open, Leaves::Fingerprint)
            .await;
        self.tell("released by hand");
        released.map(|_| ()).map_err(text)
    }

    fn tell(&self, outcome: &str) {
        self.scene.world.record(Event {
            at_ms: 0,
            from: Actor::Operator,
            to: Actor::Store,
            what: Happening::Repaired {
                outcome: outcome.to_owned(),
            },
            intent: None,
            attempt: None,
            text: format!("{}: {outcome}", self.key),
        });
    }
}

fn of(report: &Report, outcome: Outcome) -> usize {
    let is = |key: &&KeyReport| key.outcome == outcome;
    report.keys.iter().filter(is).count()
}

/// Figures of one name are added up: each operator has his own.
pub fn summed(figures: Vec<Figure>) -> Vec<Figure> {
    let mut summed: Vec<Figure> = Vec::new();
    for (name, value) in figures {
        let known = summed.iter_mut().find(|(known, _)| *known == name);
        match (known, value.as_u64()) {
            (Some((_, sum)), Some(more)) => {
                *sum = Value::from(sum.as_u64().unwrap_or(0) + more);
            }
            _ => summed.push((name, value)),
        }
    }
    summed
}
