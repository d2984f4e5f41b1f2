//! Plays the steps of a scenario: requests at their times, through the proxy.

use std::sync::Arc;

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

/// One step: one request, or several released together.
pub async fn play(step: &Step, scene: &Scene) {
    let is_done = scene
        .seen
        .lock()
        .await
        .iter()
        .any(|seen| seen.intent == step.intent && View::of(seen) == View::Success);
    if step.unless_done && is_done {
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
