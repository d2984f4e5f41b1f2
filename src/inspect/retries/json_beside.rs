//! Figures that rest on records, on the server and on what was seen, as JSON.
//!
//! Apart from `json` because none of them is of the log.

use serde_json::{Map, Value, json};

use super::Told;
use super::json::with;

impl Told {
    pub(super) fn beside(&self, all: &mut Map<String, Value>) {
        let beside = &self.beside;
        let oldest = beside.oldest_lock.clone().map(|lock| {
            let more = json!({"locked": lock.locked, "past_lease": lock.past_lease});
            with(lock.ms.into(), more)
        });
        all.insert("oldest_lock".to_owned(), self.with_more(oldest));
        for (name, figure) in [
            ("record_attempts", &beside.record_attempts),
            ("record_replays", &beside.record_replays),
        ] {
            all.insert(name.to_owned(), self.one(&figure.clone().map(Value::from)));
        }
        let evictions = beside.evictions.clone().map(|counts| {
            json!({
                "expired": counts.expired, "evicted": counts.evicted,
                "hits": counts.hits, "misses": counts.misses,
            })
        });
        all.insert("evictions".to_owned(), self.one(&evictions));
        let tables = beside.tables.clone().map(|tables| {
            let tables = tables.into_iter().map(|(name, counts)| {
                let counts = json!({
                    "inserted": counts.inserted, "updated": counts.updated,
                    "deleted": counts.deleted, "dead": counts.dead,
                });
                (name, counts)
            });
            Value::from(tables.collect::<Map<String, Value>>())
        });
        all.insert("table_activity".to_owned(), self.one(&tables));
        let claims = beside.claims.clone();
        let claims = claims.map(|(calls, rows)| json!({"calls": calls, "rows": rows}));
        all.insert("claim_statements".to_owned(), self.one(&claims));
        let touched = beside.touched.clone().map(|touched| {
            let more = json!({"of": touched.of, "not_told": touched.not_told});
            with(touched.touched.into(), more)
        });
        all.insert("touched_again".to_owned(), self.with_more(touched));
        self.observed(all);
    }

    /// What was seen of the store while it was looked at.
    fn observed(&self, all: &mut Map<String, Value>) {
        let beside = &self.beside;
        let lines = |lines: Vec<(String, u64)>| -> Map<String, Value> {
            let lines = lines.into_iter();
            lines.map(|(name, count)| (name, count.into())).collect()
        };
        let by = beside.breakdown.clone();
        let by = by.map(|by| json!({"layout": lines(by.layouts), "status": lines(by.statuses)}));
        all.insert("record_breakdown".to_owned(), self.one(&by));
        let looks = beside.looks.clone().map(|looks| {
            let value = json!({
                "appeared": looks.appeared, "finished": looks.finished,
                "expired": looks.expired, "gone": looks.gone,
                "claimed_again": looks.claimed_again, "attempted": looks.attempted,
                "attempts": looks.attempts, "replayed": looks.replayed,
                "replays": looks.replays,
            });
            let more = json!({
                "from_ms": looks.from, "to_ms": looks.to, "looks": looks.pairs + 1,
            });
            with(value, more)
        });
        all.insert("between_looks".to_owned(), self.with_more(looks));
        let heard = &beside.heard;
        let times = json!({"from_ms": heard.from, "to_ms": heard.to});
        let events = heard.events.clone().map(|heard| {
            let value = json!({
                "written": heard.written, "deleted": heard.deleted, "expired": heard.expired,
                "evicted": heard.evicted, "other": heard.other,
            });
            with(value, times.clone())
        });
        all.insert("events".to_owned(), self.with_more(events));
        let pushes = heard.pushes.clone();
        let pushes = pushes.map(|count| with(count.into(), times.clone()));
        all.insert("invalidations".to_owned(), self.with_more(pushes));
        let monitor = beside.monitor.clone().map(|seen| {
            let value = json!({
                "claims": seen.claims, "keys": seen.keys, "claimed_again": seen.claimed_again,
                "reads": seen.reads, "writes": seen.writes, "deletes": seen.deletes,
            });
            let more = json!({
                "span_ms": seen.span_ms, "commands": seen.commands, "one_key_stands_for": seen.factor,
            });
            with(value, more)
        });
        all.insert("monitor".to_owned(), self.with_more(monitor));
    }
}
