CREATE TABLE IF NOT EXISTS idempotency_attempts (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    key_hash TEXT,
    scope TEXT,
    endpoint TEXT NOT NULL,
    client TEXT,
    attempt_no INTEGER,
    outcome TEXT NOT NULL,
    http_status INTEGER NOT NULL,
    duration_ms INTEGER,
    since_first_ms INTEGER,
    fingerprint TEXT,
    fp_version INTEGER,
    instance TEXT,
    owner TEXT,
    trace_id TEXT,
    key_raw TEXT,
    sample_rate REAL
);
CREATE INDEX IF NOT EXISTS idempotency_attempts_at ON idempotency_attempts (at);
CREATE INDEX IF NOT EXISTS idempotency_attempts_key ON idempotency_attempts (key_hash, at);
CREATE INDEX IF NOT EXISTS idempotency_attempts_op ON idempotency_attempts (endpoint, outcome, at);
