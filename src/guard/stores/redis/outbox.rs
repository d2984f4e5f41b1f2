//! Notes of saved answers in a list beside the records, written by the script that saves.
//!
//! Apart from the records because only who publishes events needs it. In a cluster both keys would
//! have to be in one slot: give the prefix a hash tag there.

use redis::{RedisError, Script};

use super::RedisStore;
use crate::guard::answer::Note;
use crate::guard::store::{Outbox, OutboxCount, StoreTrouble};

/// Moves a note from those that wait to those that were sent, if it waits.
const SENT: &str = "
if redis.call('LREM', KEYS[1], 1, ARGV[1]) == 1 then redis.call('RPUSH', KEYS[2], ARGV[2]) end
return 1";

/// A note as it stands in the list.
pub(super) fn text(note: &Note) -> String {
    serde_json::to_string(note).unwrap_or_default()
}

impl RedisStore {
    pub(super) fn outbox_name(&self) -> String {
        format!("{}-outbox", self.prefix)
    }

    async fn ask<T: redis::FromRedisValue>(
        &self,
        pipe: &redis::Pipeline,
    ) -> Result<T, StoreTrouble> {
        let mut connection = self.connection().await?;
        let answer: Result<T, RedisError> = pipe.query_async(&mut connection).await;
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.forget(error).await),
        }
    }
}

impl Outbox for RedisStore {
    async fn prepare_outbox(&self) -> Result<(), StoreTrouble> {
        Ok(())
    }

    async fn unsent(&self, max: usize) -> Result<Vec<Note>, StoreTrouble> {
        let last = isize::try_from(max).unwrap_or(isize::MAX) - 1;
        let mut pipe = redis::pipe();
        pipe.lrange(self.outbox_name(), 0, last);
        let (texts,): (Vec<String>,) = self.ask(&pipe).await?;
        let read = |text: &String| serde_json::from_str(text).ok();
        Ok(texts.iter().filter_map(read).collect())
    }

    async fn mark_sent(&self, note: &Note) -> Result<(), StoreTrouble> {
        let mut connection = self.connection().await?;
        let script = Script::new(SENT);
        let mut call = script.key(self.outbox_name());
        call.key(format!("{}-sent", self.outbox_name()))
            .arg(text(note))
            .arg(&note.id);
        let done: Result<(), RedisError> = call.invoke_async(&mut connection).await;
        match done {
            Ok(()) => Ok(()),
            Err(error) => Err(self.forget(error).await),
        }
    }

    async fn outbox_count(&self) -> Result<OutboxCount, StoreTrouble> {
        let mut pipe = redis::pipe();
        pipe.llen(self.outbox_name())
            .llen(format!("{}-sent", self.outbox_name()));
        let (pending, sent) = self.ask(&pipe).await?;
        Ok(OutboxCount { pending, sent })
    }
}
