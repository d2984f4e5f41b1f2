//! Runs over all rows of a snapshot, on a few threads, a segment at a time.
//!
//! Apart from filter, sort and summary because all three go over the rows in this way.
//! Bound: at most four threads; a cancelled pass ends after the segment in hand.

use std::thread::{Builder, available_parallelism, scope};

use super::cancel::Cancel;

const THREADS_MAX: usize = 4;

/// What `work` makes of each piece, in the order of the pieces; `None` where it was cancelled.
pub(in crate::inspect) fn pass<T: Send>(
    pieces: usize,
    cancel: &Cancel,
    work: impl Fn(usize) -> T + Sync,
) -> Option<Vec<T>> {
    let threads = available_parallelism()
        .map_or(1, |n| n.get())
        .clamp(1, THREADS_MAX);
    let share = pieces.div_ceil(threads).max(1);
    let run = |first: usize| -> Vec<T> {
        (first..pieces.min(first + share))
            .map_while(|piece| (!cancel.is_cancelled()).then(|| work(piece)))
            .collect()
    };
    let run = &run;
    let parts = scope(|scope| {
        let handles: Vec<_> = (0..pieces)
            .step_by(share)
            .skip(1)
            .map(|first| {
                let spawned = Builder::new()
                    .name("rows".to_owned())
                    .spawn_scoped(scope, move || run(first));
                (first, spawned)
            })
            .collect();
        let mut parts = vec![run(0)];
        for (first, handle) in handles {
            // Without another thread this one does the work; a panic leaves a part short.
            parts.push(match handle {
                Ok(handle) => handle.join().unwrap_or_default(),
                Err(_) => run(first),
            });
        }
        parts
    });
    let done: Vec<T> = parts.into_iter().flatten().collect();
    (done.len() == pieces && !cancel.is_cancelled()).then_some(done)
}

#[cfg(test)]
mod tests {
    use super::super::cancel::cancel;
    use super::*;

    #[test]
    fn the_parts_come_back_in_order() {
        let squares = pass(100, &Cancel::never(), |n| n * n).expect("not cancelled");
        assert_eq!(squares, (0..100).map(|n| n * n).collect::<Vec<_>>());
        assert_eq!(pass(0, &Cancel::never(), |n| n), Some(Vec::new()));
    }

    #[test]
    fn a_cancelled_pass_has_no_answer() {
        let (guard, cancel) = cancel();
        drop(guard);
        assert_eq!(pass(3, &cancel, |n| n), None);
    }
}
