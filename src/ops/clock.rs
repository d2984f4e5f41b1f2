//! The store's clock, as far as it is told.

use crate::domain::{Duration, Timestamp};
use crate::stores::{ReadStore, StoreError};
use crate::sys::clock;

/// Now by the store's clock, from this machine's and the difference between both.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreClock {
    skew: Duration,
}

impl StoreClock {
    /// Asks the store what time it has; one that does not tell counts as agreeing with us.
    pub async fn ask(store: &ReadStore) -> Result<StoreClock, StoreError> {
        let before = clock::now();
        let told = store.clock().await?;
        let here = before.plus(Duration(before.until(clock::now()).millis() / 2));
        let skew = told.map(|told| here.until(told)).unwrap_or_default();
        Ok(StoreClock { skew })
    }

    pub fn now(self) -> Timestamp {
        clock::now().plus(self.skew)
    }
}
