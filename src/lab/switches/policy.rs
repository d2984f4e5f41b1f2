//! The policy of the layer for the lab's switches.
//!
//! Apart from `switches`, which also holds the mistakes that no policy has.

use std::time::Duration;

use super::{
    ClientError, Fingerprint, InProgress, KeyCarrier, KeyRequired, KeySyntax, Lease, Marker,
    Mismatch, Replay, Retention, Scope, ServerError, Stale, Switches, Unavailable,
};
use crate::guard;

impl Switches {
    /// The policy of the layer for these switches.
    pub fn policy(&self) -> guard::Policy {
        guard::Policy {
            carrier: self.carrier(),
            requirement: requirement(self.k2),
            syntax: syntax(self.k3),
            scope: scope(self.s1),
            fingerprint: fingerprint(self.f1),
            in_progress: self.in_progress(),
            mismatch: mismatch(self.a2),
            server_error: server_error(self.e5),
            client_error: client_error(self.e4),
            lease: self.lease(),
            stale: stale(self.l2),
            retention: Duration::from_millis(self.retention_ms),
            is_extended_by_replay: self.t1 == Retention::Extended,
            replay: replay(self.r1),
            marker: match self.r2 {
                Marker::Replayed => Some("idempotent-replayed".to_owned()),
                Marker::OtherName => Some("x-idempotent-replay".to_owned()),
                Marker::None => None,
            },
            unavailable: unavailable(self.d2),
            ..guard::Policy::default()
        }
    }

    fn carrier(&self) -> guard::Carrier {
        match self.k1 {
            KeyCarrier::Header => guard::Carrier::Header("idempotency-key".to_owned()),
            KeyCarrier::OtherHeader => guard::Carrier::Header("x-request-key".to_owned()),
            KeyCarrier::BodyField => guard::Carrier::Member("idempotency_key".to_owned()),
            KeyCarrier::Repeatable => {
                guard::Carrier::Repeatable(Duration::from_millis(self.window_ms))
            }
        }
    }

    fn in_progress(&self) -> guard::InProgress {
        match self.a1 {
            InProgress::ConflictRetryAfter => guard::InProgress::ConflictWithDelay,
            InProgress::Conflict => guard::InProgress::Conflict,
            InProgress::Accepted => guard::InProgress::Accepted,
            InProgress::Unprocessable => guard::InProgress::Unprocessable,
            InProgress::Wait => guard::InProgress::Wait(Duration::from_millis(self.wait_ms)),
        }
    }

    fn lease(&self) -> guard::Lease {
        let lease = Duration::from_millis(self.lease_ms);
        match self.l1 {
            Lease::Own => guard::Lease::Own(lease),
            Lease::Retention => guard::Lease::Retention,
            Lease::Renewed => guard::Lease::Renewed(lease),
        }
    }
}

fn requirement(position: KeyRequired) -> guard::Requirement {
    match position {
        KeyRequired::Yes => guard::Requirement::Required,
        KeyRequired::No => guard::Requirement::Optional,
    }
}

fn syntax(position: KeySyntax) -> guard::Syntax {
    match position {
        KeySyntax::Either => guard::Syntax::Either,
        KeySyntax::Bare => guard::Syntax::Bare,
        KeySyntax::Quoted => guard::Syntax::Quoted,
        KeySyntax::Uuid => guard::Syntax::Uuid,
    }
}

fn scope(position: Scope) -> guard::Scope {
    match position {
        Scope::UserMethodRoute => guard::Scope::Operation,
        Scope::User => guard::Scope::User,
        Scope::Global => guard::Scope::Global,
        Scope::TenantUserMethodPath => guard::Scope::TenantPath,
    }
}

fn fingerprint(position: Fingerprint) -> guard::FingerprintMode {
    match position {
        Fingerprint::Canonical => guard::FingerprintMode::Canonical,
        Fingerprint::Sorted => guard::FingerprintMode::Sorted,
        Fingerprint::Raw => guard::FingerprintMode::Raw,
        Fingerprint::SelectedFields => guard::FingerprintMode::Members(vec!["amount".to_owned()]),
        Fingerprint::None => guard::FingerprintMode::Nothing,
    }
}

fn mismatch(position: Mismatch) -> guard::Mismatch {
    match position {
        Mismatch::Unprocessable => guard::Mismatch::Unprocessable,
        Mismatch::BadRequest => guard::Mismatch::BadRequest,
        Mismatch::Conflict => guard::Mismatch::Conflict,
        Mismatch::Replay => guard::Mismatch::Replay,
    }
}

fn server_error(position: ServerError) -> guard::ServerError {
    match position {
        // Released with what it had reached: the next one begins there.
        ServerError::Release | ServerError::Resume => guard::ServerError::Release,
        ServerError::Store => guard::ServerError::Store,
        ServerError::Unknown => guard::ServerError::Unknown,
        ServerError::Leave => guard::ServerError::Leave,
    }
}

fn client_error(position: ClientError) -> guard::ClientError {
    match position {
        ClientError::IfExecuted => guard::ClientError::StoreIfExecuted,
        ClientError::Always => guard::ClientError::Store,
        ClientError::Never => guard::ClientError::Never,
    }
}

fn stale(position: Stale) -> guard::Stale {
    match position {
        Stale::TakenOver => guard::Stale::TakenOver,
        Stale::Never => guard::Stale::Never,
        Stale::Fenced => guard::Stale::Fenced,
    }
}

fn replay(position: Replay) -> guard::Replay {
    match position {
        Replay::Whole => guard::Replay::Whole,
        Replay::StatusAndBody => guard::Replay::StatusAndBody,
        Replay::BodyWithOk => guard::Replay::BodyWithOk,
    }
}

fn unavailable(position: Unavailable) -> guard::Unavailable {
    match position {
        Unavailable::Refuse => guard::Unavailable::Refuse,
        Unavailable::Execute => guard::Unavailable::Execute,
    }
}
