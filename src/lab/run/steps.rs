//! Plays the steps of a scenario: requests at their times, through the proxy.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::{Scene, client};
use crate::lab::counters::View;
use crate::lab::proxy::Way;
use crate::lab::scenario::Step;

/// What the proxy does with the requests of these steps.
pub fn ways(steps: &[Step]) -> Vec<Way> {
    let way = |step: &Step| Way {
        intent: step.intent.clone(),
        attempt: step.attempt,
        delay_ms: step.delay_ms,
        instance: step.instance,
        loses_request: step.loses_request,
        loses_answer: step.loses_answer,
        again_after_ms: step.again_after_ms,
    };
    steps.iter().map(way).collect()
}

/// How often it is looked whether a step is still needed.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Waits for the time of a step. One that is only for an intent without success is not waited for
/// once there is one: nothing comes of it.
pub async fn wait(step: &Step, scene: &Scene) {
    let due = tokio::time::sleep(Duration::from_millis(step.at_ms));
    tokio::pin!(due);
    let mut looks = tokio::time::interval(LOOK_EVERY);
    loop {
        tokio::select! {
            () = &mut due => return,
            _ = looks.tick(), if step.unless_done => {
                if is_done(step, scene).await {
                    return;
                }
            }
        }
    }
}

async fn is_done(step: &Step, scene: &Scene) -> bool {
    let seen = scene.seen.lock().await;
    let mut of_intent = seen.iter().filter(|seen| seen.intent == step.intent);
    of_intent.any(|seen| View::of(seen) == View::Success)
}

/// One step: one request, or several released together.
pub async fn play(step: &Step, scene: &Scene) {
    if step.unless_done && is_done(step, scene).await {
        return;
    }
    let count = usize::try_from(step.at_once.max(1)).unwrap_or(1);
    let barrier = Arc::new(Barrier::new(count));
    let mut sent = JoinSet::new();
    for _ in 0..count {
        let (step, scene, barrier) = (step.clone(), scene.clone(), barrier.clone());
        sent.spawn(async move {
            barrier.wait().await;
            let answer = client::attempt(&step, scene.proxy.address, &scene.world).await;
            if !step.is_setup {
                scene.seen.lock().await.push(answer);
            }
        });
    }
    while sent.join_next().await.is_some() {}
}
