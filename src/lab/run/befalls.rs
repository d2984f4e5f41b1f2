//! What befalls the store while clients act: it restarts, forgets, is full, fails over, or is away.

use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;

use super::stage::{Own, Stage};
use super::{Figure, NotRun, Scene};
use crate::lab::scenario::{Act, Befalls};
use crate::lab::world::{Actor, Event, Happening};
use crate::sys::clock::Stopwatch;

/// How far a replica is behind when its primary dies.
const LAG: Duration = Duration::from_secs(2);

/// Plays it, each at its time.
///
/// Errors: a server did not do what it was to do.
pub async fn play(
    befalls: &[Befalls],
    stage: &mut Stage,
    scene: &Scene,
    befalling: &watch::Sender<usize>,
) -> Result<Vec<Figure>, NotRun> {
    let Some(own) = &mut stage.own else {
        return Ok(Vec::new());
    };
    let began = Stopwatch::start();
    let mut figures = Vec::new();
    // What is written from now on comes to the replica late.
    if let Some(replica) = &own.replica {
        replica.way.delay(LAG);
    }
    for befallen in befalls {
        let at = Duration::from_millis(befallen.at_ms);
        tokio::time::sleep(at.saturating_sub(began.elapsed())).await;
        tell(scene, befallen.what);
        figures.extend(befall(own, befallen.what).await?);
        befalling.send_modify(|done| *done += 1);
    }
    Ok(figures)
}

async fn befall(own: &mut Own, what: Act) -> Result<Option<Figure>, NotRun> {
    match what {
        Act::Restart => own.redis.restart().await?,
        Act::Evict => {
            let evicted = own.redis.evict("lab-shop:").await?;
            return Ok(Some(("records_evicted".to_owned(), Value::from(evicted))));
        }
        Act::Fill => own.redis.fill().await?,
        Act::Failover => fail_over(own).await?,
        Act::Down => own.deciding().shut(),
        Act::Up => own.deciding().open(),
    }
    Ok(None)
}

async fn fail_over(own: &mut Own) -> Result<(), NotRun> {
    let Some(replica) = &own.replica else {
        return Err(NotRun::Failed(
            "there is no replica to take over".to_owned(),
        ));
    };
    replica.way.shut();
    own.redis.stop();
    replica.redis.take_over().await?;
    own.gate.lead(replica.redis.address());
    Ok(())
}

fn tell(scene: &Scene, what: Act) {
    let text = match what {
        Act::Restart => "the store restarts",
        Act::Evict => "others fill the store until the record is gone",
        Act::Fill => "others fill the store",
        Act::Failover => "the primary dies and the replica takes over",
        Act::Down => "the store is down",
        Act::Up => "the store is back",
    };
    scene.world.record(Event {
        at_ms: 0,
        from: Actor::Store,
        to: Actor::Store,
        what: Happening::StoreEvent,
        intent: None,
        attempt: None,
        text: text.to_owned(),
    });
}
