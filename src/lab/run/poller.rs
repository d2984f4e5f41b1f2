//! One client that gives up early on a slow operation and asks again under the same key.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use super::storm::{key, request};
use super::{Figure, Scene, client};
use crate::lab::counters::{Seen, View};
use crate::lab::http::Line;
use crate::lab::scenario::{Patience, Poller};
use crate::lab::world::{Actor, Event, Happening};

const WAITS_AT_MOST: Duration = Duration::from_secs(10);
/// Nobody asks for ever.
const ASKS_MAX: u32 = 2_000;

pub async fn play(poller: Poller, shop: SocketAddr, scene: Scene) -> Result<Vec<Figure>, String> {
    let gives_up = Duration::from_millis(poller.gives_up_ms);
    let mut rhythm = tokio::time::interval(Duration::from_millis(poller.round_trip_ms.max(1)));
    rhythm.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut line = Line::to(shop);
    for attempt in 1..=ASKS_MAX {
        let patience = match attempt {
            1 => gives_up,
            _ => WAITS_AT_MOST,
        };
        let (seen, retry_after) = ask(attempt, patience, &mut line, &scene).await;
        let view = View::of(&seen);
        scene.seen.lock().await.push(seen);
        if view == View::Success {
            break;
        }
        match (poller.patience, retry_after) {
            (Patience::RetryAfter, Some(delay)) => tokio::time::sleep(delay).await,
            // The way there and back is all that it waits for.
            _ if attempt > 1 => {
                rhythm.tick().await;
            }
            _ => rhythm.reset(),
        }
    }
    Ok(Vec::new())
}

async fn ask(
    attempt: u32,
    patience: Duration,
    line: &mut Line,
    scene: &Scene,
) -> (Seen, Option<Duration>) {
    let tell = |from: Actor, to: Actor, what: Happening, text: &str| {
        scene.world.record(Event {
            at_ms: 0,
            from,
            to,
            what,
            intent: Some("i1".to_owned()),
            attempt: Some(attempt),
            text: text.to_owned(),
        });
    };
    let shop_1 = Actor::Shop(1);
    let sent = Happening::Sent {
        key: Some(key("i1", "poll")),
        brief: "1500".to_owned(),
    };
    tell(Actor::Client, shop_1.clone(), sent, "POST /payments");
    let mut seen = Seen {
        intent: "i1".to_owned(),
        attempt,
        user: "i1".to_owned(),
        method: "POST".to_owned(),
        ..Seen::default()
    };
    match line.send(request("i1", attempt, "poll"), patience).await {
        Ok(answer) => {
            let status = answer.status().as_u16();
            client::read(&mut seen, status, answer.body());
            tell(
                shop_1,
                Actor::Client,
                Happening::Received { status },
                &status.to_string(),
            );
            let delay = answer.headers().get("retry-after");
            let delay = delay.and_then(|value| value.to_str().ok()?.parse().ok());
            (seen, delay.map(Duration::from_secs))
        }
        Err(lost) => {
            tell(shop_1, Actor::Client, Happening::Lost, &lost.to_string());
            (seen, None)
        }
    }
}
