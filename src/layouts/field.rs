//! The fields of a record that a layout can fill, as a closed list.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    IdempotencyKey,
    KeyDigest,
    Operation,
    Method,
    Path,
    PayloadHash,
    ResponseStatus,
    Attempts,
    Replays,
    LockedAt,
    LockUntil,
    CreatedAt,
    CompletedAt,
    FailedAt,
    ExpiresAt,
    ResponseBody,
    ResponseHeaders,
    RequestBody,
    Error,
    Owner,
    RecoveryPoint,
}

impl Field {
    pub const ALL: [Field; 21] = [
        Field::IdempotencyKey,
        Field::KeyDigest,
        Field::Operation,
        Field::Method,
        Field::Path,
        Field::PayloadHash,
        Field::ResponseStatus,
        Field::Attempts,
        Field::Replays,
        Field::LockedAt,
        Field::LockUntil,
        Field::CreatedAt,
        Field::CompletedAt,
        Field::FailedAt,
        Field::ExpiresAt,
        Field::ResponseBody,
        Field::ResponseHeaders,
        Field::RequestBody,
        Field::Error,
        Field::Owner,
        Field::RecoveryPoint,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Field::IdempotencyKey => "idempotency_key",
            Field::KeyDigest => "key_digest",
            Field::Operation => "operation",
            Field::Method => "method",
            Field::Path => "path",
            Field::PayloadHash => "payload_hash",
            Field::ResponseStatus => "response_status",
            Field::Attempts => "attempts",
            Field::Replays => "replays",
            Field::LockedAt => "locked_at",
            Field::LockUntil => "lock_until",
            Field::CreatedAt => "created_at",
            Field::CompletedAt => "completed_at",
            Field::FailedAt => "failed_at",
            Field::ExpiresAt => "expires_at",
            Field::ResponseBody => "response_body",
            Field::ResponseHeaders => "response_headers",
            Field::RequestBody => "request_body",
            Field::Error => "error",
            Field::Owner => "owner",
            Field::RecoveryPoint => "recovery_point",
        }
    }

    pub fn named(name: &str) -> Option<Field> {
        Field::ALL.into_iter().find(|field| field.name() == name)
    }

    /// Whether a list shows it; the others are read when one record is opened.
    pub fn is_listed(self) -> bool {
        !matches!(
            self,
            Field::ResponseBody
                | Field::ResponseHeaders
                | Field::RequestBody
                | Field::Error
                | Field::Owner
                | Field::RecoveryPoint
        )
    }

    pub fn is_time(self) -> bool {
        matches!(
            self,
            Field::LockedAt
                | Field::LockUntil
                | Field::CreatedAt
                | Field::CompletedAt
                | Field::FailedAt
                | Field::ExpiresAt
        )
    }
}
