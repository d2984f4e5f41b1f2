//! Whether a server is a replica, whether it hears its primary, and how far behind it is.
//!
//! Apart from the other facts because each question may be refused by itself: by a server that speaks
//! the protocol only, or by rights that were taken. Invariant: each has a transaction of its own, so
//! that what is refused spoils nothing but itself.

use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Row};

use super::PostgresStore;
use super::session::Statement;
use crate::stores::{Lag, Place};

const IS_REPLICA: &str = "SELECT pg_catalog.pg_is_in_recovery()";

/// What it has and has not done yet, and how old the last change is that it has done.
const DONE: &str = "SELECT \
    (pg_catalog.pg_last_wal_receive_lsn() - pg_catalog.pg_last_wal_replay_lsn())::bigint, \
    (extract(epoch FROM pg_catalog.clock_timestamp() \
        - pg_catalog.pg_last_xact_replay_timestamp()) * 1000)::bigint";

/// One row while it is connected to its primary. What is in it is shown to some logins only.
const RECEIVER: &str = "SELECT status, (extract(epoch FROM pg_catalog.clock_timestamp() \
        - last_msg_receipt_time) * 1000)::bigint \
    FROM pg_catalog.pg_stat_wal_receiver";

/// What `pg_stat_wal_receiver` tells.
struct Receiver {
    status: Option<String>,
    heard_ms: Option<i64>,
}

impl PostgresStore {
    pub(super) async fn place(&self) -> Place {
        let told = self.told(IS_REPLICA).await;
        let is_replica = first(&told).is_some_and(|row| row.try_get(0).unwrap_or(false));
        if !is_replica {
            return Place::default();
        }
        let done = self.told(DONE).await;
        let (behind, age) = first(&done).map_or((None, None), |row| {
            (
                row.try_get(0).unwrap_or_default(),
                row.try_get(1).unwrap_or_default(),
            )
        });
        let receiver = self.told(RECEIVER).await.map(|rows| {
            rows.first().map(|row| Receiver {
                status: row.try_get(0).unwrap_or_default(),
                heard_ms: row.try_get(1).unwrap_or_default(),
            })
        });
        Place {
            is_replica,
            lag: lag(behind, age, receiver),
            ..Place::default()
        }
    }

    /// `None` where it is not told.
    async fn told(&self, sql: &'static str) -> Option<Vec<PgRow>> {
        let mut session = self.sessions.begin(Statement::Short).await.ok()?;
        let asked = sqlx::query(AssertSqlSafe(sql)).persistent(false);
        let told = asked.fetch_all(&mut session.connection);
        let told = self.sessions.within(told).await;
        session.end().await;
        told.ok()
    }
}

fn first(rows: &Option<Vec<PgRow>>) -> Option<&PgRow> {
    rows.as_ref()?.first()
}

/// `receiver` is nothing where it is not told, and holds nothing where there is none.
fn lag(
    behind: Option<i64>,
    age_ms: Option<i64>,
    receiver: Option<Option<Receiver>>,
) -> Option<Lag> {
    let positive = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
    let (is_linked, heard) = match &receiver {
        // Where nobody may look, what is not done yet is all that tells how far it is behind.
        None if behind.is_none_or(|behind| behind == 0) => return None,
        None => (true, None),
        // It may live from archived files, and has never heard anybody.
        Some(None) if behind.is_none() => return None,
        Some(None) => (false, None),
        Some(Some(receiver)) => {
            let status = receiver.status.as_deref();
            (
                status.is_none_or(|status| status == "streaming"),
                receiver.heard_ms,
            )
        }
    };
    let is_level = is_linked && behind == Some(0);
    Some(Lag {
        is_linked,
        // The last change of a primary at rest may be old, and the replica has it.
        heard_ms: match is_level {
            true => positive(heard),
            false => positive(age_ms),
        },
        behind_bytes: positive(behind),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receiver(status: Option<&str>, heard_ms: Option<i64>) -> Option<Option<Receiver>> {
        let status = status.map(str::to_owned);
        Some(Some(Receiver { status, heard_ms }))
    }

    #[track_caller]
    fn check(
        (behind, age): (Option<i64>, Option<i64>),
        receiver: Option<Option<Receiver>>,
        expected: Option<(bool, Option<u64>, Option<u64>)>,
    ) {
        let lag = lag(behind, age, receiver);
        let lag = lag.map(|lag| (lag.is_linked, lag.heard_ms, lag.behind_bytes));
        assert_eq!(lag, expected);
    }

    const OLD: Option<i64> = Some(9_999_000);

    #[test]
    fn a_primary_at_rest_leaves_nobody_behind() {
        let level = (Some(0), OLD);
        let expected = Some((true, Some(12), Some(0)));
        check(level, receiver(Some("streaming"), Some(12)), expected);
        check(level, receiver(None, None), Some((true, None, Some(0))));
    }

    #[test]
    fn what_is_not_done_yet_is_as_old_as_the_last_that_is() {
        let expected = Some((true, Some(9_999_000), Some(7)));
        check(
            (Some(7), OLD),
            receiver(Some("streaming"), Some(1)),
            expected,
        );
    }

    #[test]
    fn without_a_receiver_it_is_cut_off_if_it_ever_had_one() {
        let expected = Some((false, Some(9_999_000), Some(0)));
        check((Some(0), OLD), Some(None), expected);
        check((None, OLD), Some(None), None);
    }

    #[test]
    fn without_a_look_at_the_link_the_age_of_the_last_change_says_nothing() {
        check((Some(0), OLD), None, None);
        check((Some(7), OLD), None, Some((true, Some(9_999_000), Some(7))));
    }
}
