//! What the shop does at the layer's steps: crashes where that is planned, reconciles with the bank,
//! and writes outcomes down.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;

use crate::guard::log::AttemptLog;
use crate::guard::{Attempt, Executed, Step, StoredAnswer, Watch};
use crate::lab::shop::config::FaultPoint;
use crate::lab::shop::report::{Origin, Outside};
use crate::lab::shop::store::ShopStore;
use crate::lab::shop::told::Origins;
use crate::lab::world::{Actor, Happening};

/// Crashes at the named points, reconciles with the bank, and writes outcomes down.
#[derive(Clone, Debug)]
pub(super) struct Watcher {
    pub(super) outside: Outside,
    pub(super) log: Option<Arc<AttemptLog>>,
    pub(super) origins: Origins,
    pub(super) store: Arc<ShopStore>,
    /// Mails that go out behind the save.
    pub(super) unsent: Arc<Mutex<HashMap<String, String>>>,
}

impl Watcher {
    /// The store is away for this request from a planned moment on.
    async fn cut_off_if_planned(&self, step: Step, origin: &Origin, owner: &str) {
        let point = match step {
            Step::BeforeClaim => FaultPoint::StoreDown,
            Step::BeforeSave => FaultPoint::SaveTimesOut,
            Step::AfterClaim | Step::AfterSave => return,
        };
        if self.outside.fault(point, origin).is_some() {
            self.store.cut_off(owner).await;
        }
    }

    async fn mail_if_unsent(&self, origin: &Origin, owner: &str) {
        let unsent = self
            .unsent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(owner);
        if let Some(payment) = unsent {
            self.outside.mail(&payment, origin).await;
        }
    }
}

type Told<'w, T> = Pin<Box<dyn Future<Output = T> + Send + 'w>>;

impl Watch for Watcher {
    fn at<'w>(&'w self, step: Step, request: &'w Executed) -> Told<'w, ()> {
        Box::pin(async move {
            let origin = Origin::of_tag(&request.tag);
            if step == Step::BeforeClaim {
                self.origins.note(&request.owner, &origin);
            }
            let point = match step {
                Step::BeforeClaim => FaultPoint::BeforeClaim,
                Step::AfterClaim => FaultPoint::AfterClaim,
                Step::BeforeSave => FaultPoint::AfterExecuteBeforeSave,
                Step::AfterSave => FaultPoint::AfterSaveBeforeResponse,
            };
            self.outside.crash_if_planned(point, &origin).await;
            self.cut_off_if_planned(step, &origin, &request.owner).await;
            if step == Step::AfterSave {
                self.mail_if_unsent(&origin, &request.owner).await;
            }
        })
    }

    fn reconcile<'w>(&'w self, request: &'w Executed) -> Told<'w, Option<StoredAnswer>> {
        Box::pin(async move {
            let origin = Origin::of_tag(&request.tag);
            let reference = format!("{} {}", request.scope, request.key);
            let id = self.outside.look_up(&reference, &origin).await?;
            Some(StoredAnswer {
                status: 201,
                headers: vec![("content-type".to_owned(), "application/json".to_owned())],
                body: json!({"id": id}).to_string().into_bytes(),
                notes: Vec::new(),
            })
        })
    }

    fn answered<'w>(&'w self, attempt: Attempt) -> Told<'w, ()> {
        Box::pin(async move {
            let origin = Origin::of_tag(&attempt.caller.tag);
            if let Some(trouble) = &attempt.trouble {
                self.outside
                    .tell(Actor::Store, Happening::StoreFailed, &origin, trouble)
                    .await;
            }
            if let Some(log) = &self.log {
                // Best effort: a log that cannot be written is no reason to refuse the client.
                let _ = log.write(&attempt).await;
            }
            let what = Happening::Answered {
                outcome: attempt.outcome.name().to_owned(),
                status: attempt.status,
            };
            self.outside
                .tell(Actor::Client, what, &origin, attempt.outcome.name())
                .await;
        })
    }
}
