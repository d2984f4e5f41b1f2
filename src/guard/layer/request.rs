//! One guarded request, from its key to its answer.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::request::Parts;
use axum::http::{Request, Response, StatusCode};
use tower::Service;

use super::{Attempt, Caller, Executed, Guard, Outcome, POLL, Step, Watch};
use crate::guard::fingerprint::fingerprint;
use crate::guard::key::{KeyError, read_key};
use crate::guard::policy::{
    Carrier, FingerprintMode, InProgress, Mismatch, Requirement, Scope, ServerError, Stale,
    Unavailable,
};
use crate::guard::problem::{problem, repeatable, retry_after};
use crate::guard::store::{After, Claim, Claimed, Fence, GuardStore, Saved, StoreTrouble, Ticket};
use crate::sys::clock::Stopwatch;

/// An answer and what it was.
pub(super) struct Answered {
    pub(super) response: Response<Body>,
    pub(super) outcome: Outcome,
    pub(super) owner: Option<String>,
}

impl Answered {
    pub(super) fn of(outcome: Outcome, response: Response<Body>) -> Answered {
        Answered {
            response,
            outcome,
            owner: None,
        }
    }
}

/// A request with its body read.
struct Asked {
    parts: Parts,
    body: Bytes,
    caller: Caller,
}

impl Asked {
    fn request(&self) -> Request<Body> {
        Request::from_parts(self.parts.clone(), Body::from(self.body.clone()))
    }
}

impl<S: GuardStore, W: Watch> Guard<S, W> {
    pub(super) async fn answer<I>(&self, inner: I, request: Request<Body>) -> Response<Body>
    where
        I: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Send + 'static,
        I::Future: Send + 'static,
    {
        let watch = Stopwatch::start();
        let (parts, body) = request.into_parts();
        let caller = parts
            .extensions
            .get::<Caller>()
            .cloned()
            .unwrap_or_default();
        let method = parts.method.to_string();
        let body = match self.body(body).await {
            Ok(body) => body,
            Err(refused) => {
                let attempt = Attempt {
                    outcome: Outcome::Rejected,
                    status: refused.status().as_u16(),
                    took: watch.elapsed(),
                    caller,
                    method,
                    ..Attempt::default()
                };
                self.watch.answered(attempt).await;
                return refused;
            }
        };
        let asked = Asked {
            parts,
            body,
            caller,
        };
        let mut attempt = Attempt {
            outcome: Outcome::Executed,
            status: 0,
            took: Duration::ZERO,
            caller: asked.caller.clone(),
            method,
            key: None,
            scope: None,
            fingerprint: None,
            owner: None,
            trouble: None,
        };
        let answered = self.decide(inner, asked, &mut attempt).await;
        attempt.outcome = answered.outcome;
        attempt.owner = answered.owner;
        attempt.status = answered.response.status().as_u16();
        attempt.took = watch.elapsed();
        let mut response = answered.response;
        if let Carrier::Repeatable(_) = self.policy.carrier {
            repeatable(&mut response, attempt.outcome);
        }
        self.watch.answered(attempt).await;
        response
    }

    /// A body of bounded size, sent in bounded time; else the refusal.
    async fn body(&self, body: Body) -> Result<Bytes, Response<Body>> {
        let read = to_bytes(body, self.policy.body_max);
        match tokio::time::timeout(self.policy.body_time, read).await {
            Ok(Ok(body)) => Ok(body),
            Ok(Err(_)) => {
                let detail = "The body is larger than this API reads, or ended too early";
                let status = StatusCode::PAYLOAD_TOO_LARGE;
                Err(problem(status, "Body not read", detail))
            }
            Err(_) => {
                let detail = "The body did not arrive in time; nothing was executed";
                Err(problem(
                    StatusCode::REQUEST_TIMEOUT,
                    "Body too slow",
                    detail,
                ))
            }
        }
    }

    async fn decide<I>(&self, inner: I, asked: Asked, attempt: &mut Attempt) -> Answered
    where
        I: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Send + 'static,
        I::Future: Send + 'static,
    {
        let key = match read_key(&self.policy, &asked.parts.headers, &asked.body) {
            Ok(key) => key,
            Err(KeyError::Missing) if self.policy.requirement == Requirement::Optional => {
                return Answered::of(Outcome::Unprotected, run(inner, asked.request()).await);
            }
            Err(error) => {
                let outcome = match error {
                    KeyError::Missing => Outcome::MissingKey,
                    _ => Outcome::BadKey,
                };
                let title = "No usable idempotency key";
                return Answered::of(outcome, problem(error.status(), title, error.text()));
            }
        };
        let scope = self.scope(&asked);
        let fingerprint = fingerprint(&self.policy.fingerprint, &asked.body);
        let owner = format!("{}/{:016x}", self.instance, fastrand::u64(..));
        attempt.key = Some(key.clone());
        attempt.scope = Some(scope.clone());
        attempt.fingerprint = Some(fingerprint.clone());
        let claim = Claim {
            scope: scope.clone(),
            key: key.clone(),
            fingerprint,
            path: asked.parts.uri.path().to_owned(),
            owner: owner.clone(),
            lease: self.policy.lease_time(),
            retention: self.policy.retention,
            takes_over: self.policy.stale != Stale::Never,
            extends: self.policy.is_extended_by_replay,
        };
        let executed = Executed {
            scope,
            key,
            owner,
            tag: asked.caller.tag.clone(),
            point: None,
        };
        self.watch.at(Step::BeforeClaim, &executed).await;
        match self.claim(&claim).await {
            Ok((Claimed::Mine(ticket), _)) => self.execute(inner, asked, ticket, executed).await,
            Ok((standing, waited)) => self.refuse_or_replay(&claim, standing, waited),
            Err(StoreTrouble(trouble)) => {
                attempt.trouble = Some(trouble);
                match self.policy.unavailable {
                    Unavailable::Refuse => unavailable(),
                    Unavailable::Execute => {
                        Answered::of(Outcome::Unprotected, run(inner, asked.request()).await)
                    }
                }
            }
        }
    }

    /// The answer where a record is somebody else's, or finished.
    fn refuse_or_replay(&self, claim: &Claim, standing: Claimed, waited: Outcome) -> Answered {
        match standing {
            Claimed::Finished {
                fingerprint,
                answer,
            } if !self.differs(claim, &fingerprint) => {
                Answered::of(waited, answer.replay(&self.policy))
            }
            Claimed::InProgress { fingerprint, left } if !self.differs(claim, &fingerprint) => {
                self.in_progress(left)
            }
            Claimed::Finished { .. } | Claimed::InProgress { .. } => self.mismatch(),
            // Only a claim that is not ours comes here.
            Claimed::Mine(_) => self.in_progress(Duration::ZERO),
        }
    }

    fn scope(&self, asked: &Asked) -> String {
        let Caller {
            user,
            tenant,
            route,
            ..
        } = &asked.caller;
        let method = &asked.parts.method;
        match self.policy.scope {
            Scope::Operation => {
                let path = asked.parts.uri.path();
                let route = if route.is_empty() { path } else { route };
                format!("{user} {method} {route}")
            }
            Scope::User => user.clone(),
            Scope::Global => String::new(),
            Scope::TenantPath => {
                format!("{tenant} {user} {method} {}", asked.parts.uri.path())
            }
        }
    }

    /// Claims; where the policy waits for a request in progress, again and again until its time is
    /// over. The outcome is that of a replay that was found.
    async fn claim(&self, claim: &Claim) -> Result<(Claimed, Outcome), StoreTrouble> {
        let InProgress::Wait(patience) = self.policy.in_progress else {
            return Ok((self.store.claim(claim).await?, Outcome::Replayed));
        };
        let waiting = Stopwatch::start();
        let mut outcome = Outcome::Replayed;
        loop {
            let claimed = self.store.claim(claim).await?;
            let is_waited_for = match &claimed {
                Claimed::InProgress { fingerprint, .. } => !self.differs(claim, fingerprint),
                Claimed::Mine(_) | Claimed::Finished { .. } => false,
            };
            if !is_waited_for || waiting.elapsed() >= patience {
                return Ok((claimed, outcome));
            }
            outcome = Outcome::WaitedReplay;
            tokio::time::sleep(POLL.min(patience)).await;
        }
    }

    /// Whether a stored payload is another than the one that was sent.
    fn differs(&self, claim: &Claim, stored: &str) -> bool {
        self.policy.fingerprint != FingerprintMode::Nothing
            && self.policy.mismatch != Mismatch::Replay
            && stored != claim.fingerprint
    }

    fn mismatch(&self) -> Answered {
        let status = match self.policy.mismatch {
            Mismatch::BadRequest => StatusCode::BAD_REQUEST,
            Mismatch::Conflict => StatusCode::CONFLICT,
            Mismatch::Unprocessable | Mismatch::Replay => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let detail = "This idempotency key was used with another payload; use a new key";
        Answered::of(
            Outcome::Mismatch,
            problem(status, "Another payload under the same key", detail),
        )
    }

    pub(super) fn in_progress(&self, left: Duration) -> Answered {
        let status = match self.policy.in_progress {
            InProgress::Accepted => StatusCode::ACCEPTED,
            InProgress::Unprocessable => StatusCode::UNPROCESSABLE_ENTITY,
            _ => StatusCode::CONFLICT,
        };
        let detail = "A request with this idempotency key is being processed; try again later";
        let mut response = problem(status, "Request in progress", detail);
        if self.policy.in_progress == InProgress::ConflictWithDelay {
            retry_after(&mut response, left.min(Duration::from_secs(1)));
        }
        Answered::of(Outcome::InProgress, response)
    }

    pub(super) fn fence(&self) -> Fence {
        match self.policy.stale {
            Stale::TakenOver => Fence::Open,
            Stale::Fenced | Stale::Never => Fence::Owner,
        }
    }

    /// Runs the handler in a task of its own, to its end whatever the client does.
    async fn execute<I>(
        &self,
        inner: I,
        asked: Asked,
        ticket: Ticket,
        executed: Executed,
    ) -> Answered
    where
        I: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Send + 'static,
        I::Future: Send + 'static,
    {
        let guard = self.clone();
        let owner = executed.owner.clone();
        let work = tokio::spawn(async move { guard.work(inner, asked, ticket, executed).await });
        let mut answered = match work.await {
            Ok(answered) => answered,
            // The handler panicked: what it did is not known, and the lock stays for its lease.
            Err(_) => Answered::of(
                Outcome::Executed,
                problem(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "Handler failed",
                    "Whether the request had an effect is not known",
                ),
            ),
        };
        answered.owner = Some(owner);
        answered
    }

    async fn work<I>(&self, inner: I, asked: Asked, ticket: Ticket, executed: Executed) -> Answered
    where
        I: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Send + 'static,
        I::Future: Send + 'static,
    {
        self.watch.at(Step::AfterClaim, &executed).await;
        let may_have_happened = matches!(ticket.after, After::StaleLock | After::Error);
        if self.policy.server_error == ServerError::Unknown
            && may_have_happened
            && let Some(answer) = self.watch.reconcile(&executed).await
        {
            let saved = self.store.save(&ticket, &answer, self.fence()).await;
            let outcome = match saved {
                Ok(Saved::NotOwner) => return self.in_progress(Duration::ZERO),
                Ok(Saved::Saved) => Outcome::Replayed,
                Err(_) => Outcome::StoreError,
            };
            return Answered::of(outcome, answer.replay(&self.policy));
        }
        let mut request = asked.request();
        let told = Executed {
            point: ticket.point.clone(),
            ..executed.clone()
        };
        request.extensions_mut().insert(told);
        request.extensions_mut().insert(self.checkpoint(&ticket));
        let response = {
            let _renewal = self.renewal(&ticket);
            run(inner, request).await
        };
        self.watch.at(Step::BeforeSave, &executed).await;
        let answered = self.keep(response, &ticket).await;
        self.watch.at(Step::AfterSave, &executed).await;
        answered
    }
}

fn unavailable() -> Answered {
    let detail = "Requests cannot be protected against repetition now; nothing was executed";
    let mut response = problem(
        StatusCode::SERVICE_UNAVAILABLE,
        "Idempotency store unavailable",
        detail,
    );
    retry_after(&mut response, Duration::from_secs(1));
    Answered::of(Outcome::StoreError, response)
}

async fn run<I>(mut inner: I, request: Request<Body>) -> Response<Body>
where
    I: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    match inner.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}
