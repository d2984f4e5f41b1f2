//! Notes of saved answers in a table beside the records.
//!
//! Apart from the records because only who publishes events needs it.

use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Row, SqliteConnection};

use super::{SqliteStore, trouble};
use crate::guard::answer::Note;
use crate::guard::store::{Outbox, OutboxCount, StoreTrouble};

impl SqliteStore {
    pub(super) async fn write_notes(
        &self,
        connection: &mut SqliteConnection,
        notes: &[Note],
    ) -> Result<(), StoreTrouble> {
        let sql = format!(
            "INSERT INTO {} (id, topic, payload) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO NOTHING",
            self.outbox
        );
        for note in notes {
            sqlx::query(AssertSqlSafe(sql.clone()))
                .bind(note.id.clone())
                .bind(note.topic.clone())
                .bind(note.payload.clone())
                .execute(&mut *connection)
                .await
                .map_err(trouble)?;
        }
        Ok(())
    }
}

impl Outbox for SqliteStore {
    async fn prepare_outbox(&self) -> Result<(), StoreTrouble> {
        let sql = format!(
            "CREATE TABLE IF NOT EXISTS {0} (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                topic TEXT NOT NULL,
                payload TEXT NOT NULL,
                sent_at TIMESTAMP
             );
             CREATE INDEX IF NOT EXISTS outbox_unsent ON {0} (number) WHERE sent_at IS NULL",
            self.outbox
        );
        let made = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&self.pool).await;
        made.map(|_| ()).map_err(trouble)
    }

    async fn unsent(&self, max: usize) -> Result<Vec<Note>, StoreTrouble> {
        let sql = format!(
            "SELECT id, topic, payload FROM {} WHERE sent_at IS NULL ORDER BY number LIMIT ?1",
            self.outbox
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(i64::try_from(max).unwrap_or(i64::MAX))
            .fetch_all(&self.pool)
            .await
            .map_err(trouble)?;
        rows.iter().map(|row| note(row).map_err(trouble)).collect()
    }

    async fn mark_sent(&self, note: &Note) -> Result<(), StoreTrouble> {
        let sql = format!(
            "UPDATE {} SET sent_at = strftime('%Y-%m-%d %H:%M:%f', 'now') WHERE id = ?1",
            self.outbox
        );
        let done = sqlx::query(AssertSqlSafe(sql))
            .bind(note.id.clone())
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
            .fetch_one(&self.pool)
            .await
            .map_err(trouble)?;
        Ok(OutboxCount {
            pending: u64::try_from(pending).unwrap_or(0),
            sent: u64::try_from(sent).unwrap_or(0),
        })
    }
}

fn note(row: &SqliteRow) -> Result<Note, sqlx::Error> {
    Ok(Note {
        id: row.try_get(0)?,
        topic: row.try_get(1)?,
        payload: row.try_get(2)?,
    })
}
