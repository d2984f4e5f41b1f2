//! Notes of saved answers in a table beside the records.
//!
//! Apart from the records because only who publishes events needs it.

use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection, Row};

use super::{PostgresStore, trouble};
use crate::guard::answer::Note;
use crate::guard::store::{Outbox, OutboxCount, StoreTrouble};

impl PostgresStore {
    pub(super) async fn write_notes(
        &self,
        connection: &mut PgConnection,
        notes: &[Note],
    ) -> Result<(), StoreTrouble> {
        let sql = format!(
            "INSERT INTO {} (id, topic, payload) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
            self.outbox
        );
        for note in notes {
            sqlx::query(AssertSqlSafe(sql.clone()))
                .persistent(false)
                .bind(&note.id)
                .bind(&note.topic)
                .bind(&note.payload)
                .execute(&mut *connection)
                .await
                .map_err(trouble)?;
        }
        Ok(())
    }
}

impl Outbox for PostgresStore {
    async fn prepare_outbox(&self) -> Result<(), StoreTrouble> {
        let sql = format!(
            "CREATE TABLE IF NOT EXISTS {0} (
                number bigint GENERATED ALWAYS AS IDENTITY,
                id text PRIMARY KEY,
                topic text NOT NULL,
                payload text NOT NULL,
                sent_at timestamptz
             );
             CREATE INDEX IF NOT EXISTS outbox_unsent ON {0} (number) WHERE sent_at IS NULL",
            self.outbox
        );
        let made = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&self.pool).await;
        made.map(|_| ()).map_err(trouble)
    }

    async fn unsent(&self, max: usize) -> Result<Vec<Note>, StoreTrouble> {
        let sql = format!(
            "SELECT id, topic, payload FROM {} WHERE sent_at IS NULL ORDER BY number LIMIT $1",
            self.outbox
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .persistent(false)
            .bind(i64::try_from(max).unwrap_or(i64::MAX))
            .fetch_all(&self.pool)
            .await
            .map_err(trouble)?;
        rows.iter().map(|row| note(row).map_err(trouble)).collect()
    }

    async fn mark_sent(&self, note: &Note) -> Result<(), StoreTrouble> {
        let sql = format!(
            "UPDATE {} SET sent_at = clock_timestamp() WHERE id = $1",
            self.outbox
        );
        let done = sqlx::query(AssertSqlSafe(sql))
            .persistent(false)
            .bind(&note.id)
            .execute(&self.pool)
            .await;
        done.map(|_| ()).map_err(trouble)
    }

    async fn outbox_count(&self) -> Result<OutboxCount, StoreTrouble> {
        let sql = format!(
            "SELECT count(*) - count(sent_at), count(sent_at) FROM {}",
            self.outbox
        );
        let (pending, sent): (i64, i64) = sqlx::query_as(AssertSqlSafe(sql))
            .persistent(false)
            .fetch_one(&self.pool)
            .await
            .map_err(trouble)?;
        Ok(OutboxCount {
            pending: u64::try_from(pending).unwrap_or(0),
            sent: u64::try_from(sent).unwrap_or(0),
        })
    }
}

fn note(row: &PgRow) -> Result<Note, sqlx::Error> {
    Ok(Note {
        id: row.try_get(0)?,
        topic: row.try_get(1)?,
        payload: row.try_get(2)?,
    })
}
