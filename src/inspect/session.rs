//! An open store with its clock: what every look at it goes through.
//!
//! Invariant: it holds the read half of a store and so cannot change anything.

use std::sync::{PoisonError, RwLock};

use crate::domain::{Duration, Timestamp};
use crate::stores::{self, Family, ReadStore, StoreError, StoreFacts, Target};
use crate::sys::clock;

#[derive(Debug)]
pub struct Session {
    pub store: ReadStore,
    /// As it was opened.
    pub facts: StoreFacts,
    skew: RwLock<Option<Duration>>,
    /// What to call it, without secrets.
    pub label: String,
}

impl Session {
    /// Connects and asks the store who it is and what time it has.
    pub async fn open(target: &Target) -> Result<Session, StoreError> {
        let store = stores::open(target).await?;
        Session::over(store, target.to_string()).await
    }

    /// A session over a store that is open already.
    pub async fn over(store: ReadStore, label: String) -> Result<Session, StoreError> {
        let facts = store.facts().await?;
        let skew = RwLock::new(skew(&store).await?);
        Ok(Session {
            store,
            facts,
            skew,
            label,
        })
    }

    /// Asks again who answers, which may be another server by now, and what time it has there.
    ///
    /// Errors: nobody answers; what was known stays.
    pub async fn ask_again(&self) -> Result<StoreFacts, StoreError> {
        let facts = self.store.facts().await?;
        let skew = skew(&self.store).await?;
        *self.skew.write().unwrap_or_else(PoisonError::into_inner) = skew;
        Ok(facts)
    }

    /// How far the store's clock is ahead of this machine's; `None` where it does not tell.
    pub fn skew(&self) -> Option<Duration> {
        *self.skew.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn family(&self) -> Family {
        self.store.family()
    }

    /// Now, by the store's clock.
    pub fn now(&self) -> Timestamp {
        clock::now().plus(self.skew().unwrap_or_default())
    }
}

async fn skew(store: &ReadStore) -> Result<Option<Duration>, StoreError> {
    let before = clock::now();
    let told = store.clock().await?;
    let after = clock::now();
    let here = before.plus(Duration(before.until(after).millis() / 2));
    Ok(told.map(|told| here.until(told)))
}
