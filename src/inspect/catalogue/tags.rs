//! The small facts of a row in sixteen bits.

use crate::domain::Status;
use crate::domain::stuck::LockState;

/// Which time the shown age counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    None,
    Locked,
    Created,
    Completed,
    Failed,
}

/// Where a row's TTL is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TtlKind {
    Unknown,
    Never,
    /// The expiry is the time of reading plus the TTL.
    InExpiry,
    /// In the row's bytes.
    Kept,
}

/// What is known about a row's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiryKind {
    Unknown,
    Never,
    /// A time in the record.
    Stored,
    /// Worked out from the key's TTL.
    FromTtl,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tags(u16);

const PROBLEMS: u16 = 1 << 11;
const NEEDS_MORE: u16 = 1 << 12;
const RESPONSE: u16 = 1 << 13;

impl Tags {
    pub(super) fn new(
        status: Status,
        lock: LockState,
        basis: Basis,
        ttl: TtlKind,
        expiry: ExpiryKind,
    ) -> Tags {
        let status = match status {
            Status::Processing => 0,
            Status::Completed => 1,
            Status::Failed => 2,
            Status::Unknown => 3,
        };
        let lock = match lock {
            LockState::Held => 0,
            LockState::Waiting => 1,
            LockState::Orphaned => 2,
            LockState::Alive => 3,
        };
        Tags(status | lock << 2 | (basis as u16) << 4 | (ttl as u16) << 7 | (expiry as u16) << 9)
    }

    pub(super) fn with_problems(self) -> Tags {
        Tags(self.0 | PROBLEMS)
    }

    pub(super) fn with_needs_more(self) -> Tags {
        Tags(self.0 | NEEDS_MORE)
    }

    pub(super) fn with_response(self) -> Tags {
        Tags(self.0 | RESPONSE)
    }

    pub(super) fn has_problems(self) -> bool {
        self.0 & PROBLEMS != 0
    }

    pub(super) fn needs_more(self) -> bool {
        self.0 & NEEDS_MORE != 0
    }

    pub(super) fn has_response(self) -> bool {
        self.0 & RESPONSE != 0
    }

    pub(super) fn status(self) -> Status {
        match self.0 & 3 {
            0 => Status::Processing,
            1 => Status::Completed,
            2 => Status::Failed,
            _ => Status::Unknown,
        }
    }

    pub(super) fn lock(self) -> LockState {
        match self.0 >> 2 & 3 {
            0 => LockState::Held,
            1 => LockState::Waiting,
            2 => LockState::Orphaned,
            _ => LockState::Alive,
        }
    }

    pub(super) fn basis(self) -> Basis {
        match self.0 >> 4 & 7 {
            0 => Basis::None,
            1 => Basis::Locked,
            2 => Basis::Created,
            3 => Basis::Completed,
            _ => Basis::Failed,
        }
    }

    pub(super) fn ttl(self) -> TtlKind {
        match self.0 >> 7 & 3 {
            0 => TtlKind::Unknown,
            1 => TtlKind::Never,
            2 => TtlKind::InExpiry,
            _ => TtlKind::Kept,
        }
    }

    pub(super) fn expiry(self) -> ExpiryKind {
        match self.0 >> 9 & 3 {
            0 => ExpiryKind::Unknown,
            1 => ExpiryKind::Never,
            2 => ExpiryKind::Stored,
            _ => ExpiryKind::FromTtl,
        }
    }
}
