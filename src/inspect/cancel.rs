//! Stopping a pass over millions of rows whose answer nobody waits for any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Held by whoever waits; dropping it cancels the pass.
#[derive(Debug)]
pub struct CancelGuard(Arc<AtomicBool>);

/// Looked at by the pass.
#[derive(Clone, Debug)]
pub struct Cancel(Arc<AtomicBool>);

/// A guard and what it cancels.
pub fn cancel() -> (CancelGuard, Cancel) {
    let flag = Arc::new(AtomicBool::new(false));
    (CancelGuard(flag.clone()), Cancel(flag))
}

impl Cancel {
    /// For a pass that is always waited for.
    pub fn never() -> Cancel {
        Cancel(Arc::new(AtomicBool::new(false)))
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for CancelGuard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropping_the_guard_cancels() {
        let (guard, cancel) = cancel();
        assert!(!cancel.is_cancelled());
        drop(guard);
        assert!(cancel.is_cancelled());
    }
}
