//! Pausing, going on and stopping a run from outside.
//!
//! Dropping the control stops the run: nobody is left who could.

use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Go,
    Pause,
    Stop,
}

/// Held by whoever watches the run.
#[derive(Debug)]
pub struct Control(watch::Sender<Wish>);

/// Looked at by the run between two batches.
#[derive(Clone, Debug)]
pub struct Steering(watch::Receiver<Wish>);

/// A control and what it steers.
pub fn control() -> (Control, Steering) {
    let (sender, receiver) = watch::channel(Wish::Go);
    (Control(sender), Steering(receiver))
}

impl Control {
    pub fn pause(&self) {
        self.0.send_if_modified(|wish| {
            let goes = *wish == Wish::Go;
            if goes {
                *wish = Wish::Pause;
            }
            goes
        });
    }

    pub fn go_on(&self) {
        self.0.send_if_modified(|wish| {
            let pauses = *wish == Wish::Pause;
            if pauses {
                *wish = Wish::Go;
            }
            pauses
        });
    }

    /// Stops for good; what is on its way is waited for.
    pub fn stop(&self) {
        self.0.send_replace(Wish::Stop);
    }
}

impl Steering {
    pub(super) fn is_paused(&self) -> bool {
        *self.0.borrow() == Wish::Pause
    }

    pub(super) fn is_stopped(&self) -> bool {
        *self.0.borrow() == Wish::Stop || self.0.has_changed().is_err()
    }

    pub(super) async fn while_paused(&mut self) {
        // An error says that the control is gone, which stops the run.
        let _ = self.0.wait_for(|wish| *wish != Wish::Pause).await;
    }

    pub(super) async fn until_stopped(&mut self) {
        let _ = self.0.wait_for(|wish| *wish == Wish::Stop).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_for_good_and_so_is_a_lost_control() {
        let (control, steering) = control();
        control.pause();
        assert!(steering.is_paused());
        control.go_on();
        assert!(!steering.is_paused() && !steering.is_stopped());
        control.stop();
        control.go_on();
        assert!(steering.is_stopped());
        let (control, steering) = super::control();
        drop(control);
        assert!(steering.is_stopped());
    }
}
