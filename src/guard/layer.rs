//! The layer itself: what happens to one request, step by step.
//!
//! Invariants: the handler runs in a task of its own, so that a client that gives up does not end it;
//! between claim and save nothing is forgotten silently: whatever came of a request, the [`Watch`]
//! is told one outcome.

mod keep;
mod request;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use tower::{Layer, Service};

use super::answer::StoredAnswer;
use super::policy::Policy;
use super::store::{GuardStore, Saved, StoreTrouble, Ticket};
pub use crate::domain::attempt::Outcome;

/// How often a waiting request looks whether the first one has finished.
const POLL: Duration = Duration::from_millis(50);

/// A handler says by this extension of its answer that it refused before it did anything.
#[derive(Clone, Copy, Debug)]
pub struct NotExecuted;

/// Told to a handler, as an extension of its request, which execution it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    pub scope: String,
    pub key: String,
    pub owner: String,
    pub tag: String,
    /// How far an execution before this one came, where it said so by a [`Checkpoint`].
    pub point: Option<String>,
}

/// Given to a handler as an extension of its request: where it says how far it has come, so that the
/// next execution, after a crash or an error, need not do again what was done.
///
/// A point narrows the gap between an effect and its record; it does not close it.
#[derive(Clone)]
pub struct Checkpoint(Arc<Reach>);

type Reach = dyn Fn(String) -> Reaching + Send + Sync;
type Reaching = Pin<Box<dyn Future<Output = Result<Saved, StoreTrouble>> + Send>>;

impl std::fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Checkpoint")
    }
}

impl Checkpoint {
    /// Writes that this point was reached.
    ///
    /// Errors: the store did not take it.
    pub async fn reach(&self, point: &str) -> Result<Saved, StoreTrouble> {
        (self.0)(point.to_owned()).await
    }
}

/// Who asks: put into a request's extensions by whatever authenticates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    pub user: String,
    pub tenant: String,
    /// The route's template, such as `/users/{id}`.
    pub route: String,
    /// The calling application and its version, as it says.
    pub client: String,
    /// Anything that a [`Watch`] wants to know the request by.
    pub tag: String,
}

/// Where a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    BeforeClaim,
    AfterClaim,
    BeforeSave,
    AfterSave,
}

/// One request that was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempt {
    pub outcome: Outcome,
    pub status: u16,
    pub took: Duration,
    pub caller: Caller,
    pub method: String,
    pub key: Option<String>,
    pub scope: Option<String>,
    pub fingerprint: Option<String>,
    pub owner: Option<String>,
    /// Why the store did not do what it was asked, where that decided the answer.
    pub trouble: Option<String>,
}

/// What is told and asked on the way. Everything has a default that does nothing.
pub trait Watch: Send + Sync + 'static {
    /// A request is at this step; the answer is waited for.
    fn at<'w>(
        &'w self,
        step: Step,
        request: &'w Executed,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'w>> {
        let _ = (step, request);
        Box::pin(std::future::ready(()))
    }

    /// Whether an earlier execution had its effect: the answer to give, where it had. Asked only
    /// under [`ServerError::Unknown`], before a request executes again.
    fn reconcile<'w>(
        &'w self,
        request: &'w Executed,
    ) -> Pin<Box<dyn Future<Output = Option<StoredAnswer>> + Send + 'w>> {
        let _ = request;
        Box::pin(std::future::ready(None))
    }

    /// A request was answered.
    fn answered<'w>(&'w self, attempt: Attempt) -> Pin<Box<dyn Future<Output = ()> + Send + 'w>> {
        let _ = attempt;
        Box::pin(std::future::ready(()))
    }
}

/// Nobody watches.
impl Watch for () {}

/// The layer: a store, a policy, and who watches.
#[derive(Debug)]
pub struct Guard<S, W = ()> {
    store: Arc<S>,
    policy: Arc<Policy>,
    watch: Arc<W>,
    /// In front of every owner's number, so that instances never share one.
    instance: Arc<str>,
}

impl<S, W> Clone for Guard<S, W> {
    fn clone(&self) -> Self {
        Guard {
            store: self.store.clone(),
            policy: self.policy.clone(),
            watch: self.watch.clone(),
            instance: self.instance.clone(),
        }
    }
}

impl<S: GuardStore> Guard<S> {
    /// A guard that nobody watches. `instance` names this process among others.
    pub fn new(store: S, policy: Policy, instance: &str) -> Guard<S> {
        Guard::watched(store, policy, instance, ())
    }
}

impl<S: GuardStore, W: Watch> Guard<S, W> {
    pub fn watched(store: S, policy: Policy, instance: &str, watch: W) -> Guard<S, W> {
        Guard {
            store: Arc::new(store),
            policy: Arc::new(policy),
            watch: Arc::new(watch),
            instance: Arc::from(instance),
        }
    }
}

impl<S: GuardStore, W: Watch> Guard<S, W> {
    fn checkpoint(&self, ticket: &Ticket) -> Checkpoint {
        let (store, ticket, fence) = (self.store.clone(), ticket.clone(), self.fence());
        Checkpoint(Arc::new(move |point| {
            let (store, ticket) = (store.clone(), ticket.clone());
            Box::pin(async move { store.reach(&ticket, &point, fence).await })
        }))
    }
}

impl<S: GuardStore, W: Watch, I> Layer<I> for Guard<S, W> {
    type Service = GuardService<S, W, I>;

    fn layer(&self, inner: I) -> Self::Service {
        GuardService {
            guard: self.clone(),
            inner,
        }
    }
}

/// A service behind the layer.
#[derive(Debug)]
pub struct GuardService<S, W, I> {
    guard: Guard<S, W>,
    inner: I,
}

impl<S, W, I: Clone> Clone for GuardService<S, W, I> {
    fn clone(&self) -> Self {
        GuardService {
            guard: self.guard.clone(),
            inner: self.inner.clone(),
        }
    }
}

type Answering = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

impl<S, W, I> Service<Request<Body>> for GuardService<S, W, I>
where
    S: GuardStore,
    W: Watch,
    I: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    I::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Answering {
        // The one that is ready answers; a clone may not be.
        let fresh = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, fresh);
        let guard = self.guard.clone();
        Box::pin(async move {
            if !guard.policy.is_guarded(request.method().as_str()) {
                return inner.call(request).await;
            }
            Ok(guard.answer(inner, request).await)
        })
    }
}
