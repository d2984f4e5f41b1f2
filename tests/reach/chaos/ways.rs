//! Ways that break: a line that is cut, stalled or refused, and an SSH host that goes away.
//!
//! Apart from the stores because several of them stand behind the same way.

use std::time::Duration;

use crate::laws::Befell;
use crate::ssh::Way;
use crate::support::wire::{End, Plan, Proxy};

/// Something that leads to a store, or the store itself.
pub trait Breaks {
    fn happen(&self, random: &mut fastrand::Rng) -> Befell;
    fn mend(&self);
}

pub fn pause(random: &mut fastrand::Rng, ms_max: u64) {
    std::thread::sleep(Duration::from_millis(random.u64(0..ms_max)));
}

impl Breaks for Proxy {
    fn happen(&self, random: &mut fastrand::Rng) -> Befell {
        let after = random.u64(1..20_000);
        let end = match random.bool() {
            true => End::Close,
            false => End::Reset,
        };
        let plan = match random.u8(0..4) {
            0 => Plan::CutUp { after, end },
            1 => Plan::CutDown { after, end },
            2 => Plan::Stall,
            _ => Plan::Refuse,
        };
        self.set(plan);
        pause(random, 1_500);
        self.set(Plan::Pass);
        Befell::only(format!("{plan:?}"))
    }

    fn mend(&self) {
        self.set(Plan::Pass);
    }
}

impl Breaks for Way {
    fn happen(&self, random: &mut fastrand::Rng) -> Befell {
        match random.u8(0..3) {
            0 => {
                self.host.cut();
                Befell::only("the SSH sessions were ended")
            }
            1 => {
                self.host.kill();
                pause(random, 1_500);
                self.host.restart();
                Befell::only("the SSH host was started anew")
            }
            _ => {
                self.host.freeze();
                pause(random, 1_500);
                self.host.go_on();
                Befell::only("the SSH host stood still")
            }
        }
    }

    fn mend(&self) {
        if !self.host.is_running() {
            self.host.restart();
        }
    }
}
