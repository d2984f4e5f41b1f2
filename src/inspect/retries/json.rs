//! Figures as JSON, one member each: value, source, sample, complete, and why there is none.

use serde_json::{Map, Value, json};

use super::Told;
use super::words;
use crate::domain::attempt::{Family, Outcome};
use crate::stats::{
    Basis, Breakdown, Defect, DelayFacts, Figure, Findings, Place, Report, Row, Storm, Times, Why,
};

/// Lines of a breakdown in an answer.
const LINES_MAX: usize = 50;

impl Told {
    /// The whole answer, as the contract of the command line has it.
    pub fn json(&self) -> Value {
        let report = &self.report;
        let sampled = report.sampled.map(
            |(entries, stand_for)| json!({"entries": entries, "stand_for_attempts": stand_for}),
        );
        let defects = Defect::ALL.into_iter().zip(report.defects);
        let defects: Map<String, Value> = defects
            .filter(|(_, count)| *count > 0)
            .map(|(defect, count)| (defect.name().to_owned(), count.into()))
            .collect();
        let places = self.logs.places.iter().map(|place| place.name());
        let refused = self.logs.refused.iter();
        json!({
            "target": self.target,
            "window": {
                "from_ms": report.span.from,
                "to_ms": self.now.min(report.span.to),
                "first_ms": report.first_at,
                "last_ms": report.last_at,
                "attempts": report.entries,
                "complete": self.complete,
                "sampled": sampled,
            },
            "logs": places.collect::<Vec<_>>(),
            "logs_refused": refused.map(|(place, why)| json!({"where": place, "why": why})).collect::<Vec<_>>(),
            "logs_complete": self.logs.complete,
            "defects": defects,
            "figures": self.figures(),
        })
    }

    /// Every figure by its name.
    pub fn figures(&self) -> Map<String, Value> {
        let report = &self.report;
        let mut all = Map::new();
        self.rates(report, &mut all);
        self.times(report, &mut all);
        self.suspects(report, &mut all);
        self.beside(&mut all);
        let storms = report.storms.clone().map(|storms| {
            let storms: Vec<Value> = storms.iter().map(storm).collect();
            Value::from(storms)
        });
        let mut storms = self.one(&storms);
        if let (Some(members), Some(from)) = (storms.as_object_mut(), report.storms_from) {
            members.insert("seen_from_ms".to_owned(), from.into());
        }
        all.insert("storms".to_owned(), storms);
        let breakdown: Map<String, Value> = report.breakdowns.iter().map(breakdown).collect();
        let figure = match report.entries {
            0 => Figure::none(Why::NothingLogged, Basis::Log),
            entries => Figure::of(Value::from(breakdown), Basis::Log, entries),
        };
        let mut figure = self.one(&figure.but_only_if(report.breakdown_complete));
        if let Some(members) = figure.as_object_mut() {
            let places = report.places.iter().take(LINES_MAX).map(place);
            members.insert("by_operation_and_client".to_owned(), places.collect());
        }
        all.insert("breakdown".to_owned(), figure);
        all
    }

    fn rates(&self, report: &Report, all: &mut Map<String, Value>) {
        let share = report
            .keyed_share
            .clone()
            .map(|(keyed, of)| with(ratio(keyed, of), json!({"keyed": keyed, "of": of})));
        all.insert("keyed_share".to_owned(), self.with_more(share));
        let rate = report.retry_rate.clone().map(|rate| {
            let more = json!({"retries": rate.retries, "of": rate.of, "usual": rate.usual});
            with(rate.rate().into(), more)
        });
        all.insert("retry_rate".to_owned(), self.with_more(rate));
        let names = ["1", "2", "3", "4-5", "6-10", "11-50", ">50"];
        let per_key = report.attempts_per_key.clone().map(|per_key| {
            let bins: Map<String, Value> = names
                .iter()
                .zip(per_key.bins)
                .map(|(name, count)| ((*name).to_owned(), count.into()))
                .collect();
            let more =
                json!({"keys": per_key.keys, "mean": per_key.mean, "highest": per_key.highest});
            with(bins.into(), more)
        });
        all.insert("attempts_per_key".to_owned(), self.with_more(per_key));
        let outcomes = report.outcomes.clone().map(|mix| {
            let known = Outcome::ALL
                .into_iter()
                .map(|outcome| (outcome.name(), mix.of(outcome)));
            let value: Map<String, Value> = known
                .map(|(name, count)| (name.to_owned(), count.into()))
                .collect();
            let families: Map<String, Value> = Family::ALL
                .into_iter()
                .map(|family| (family.name().to_owned(), mix.of_family(family).into()))
                .collect();
            let words: Map<String, Value> = mix
                .words
                .iter()
                .map(|(word, count)| (word.clone(), (*count).into()))
                .collect();
            let more = json!({
                "families": families, "unknown": mix.unknown(), "unknown_words": words,
            });
            with(value.into(), more)
        });
        all.insert("outcomes".to_owned(), self.with_more(outcomes));
    }

    fn times(&self, report: &Report, all: &mut Map<String, Value>) {
        let delay = |figure: &Figure<DelayFacts>| {
            figure.clone().map(|delay| {
                let bars = delay.bars.iter().filter(|bar| bar.count > 0).map(|bar| {
                    json!({"from_ms": bar.from_ms, "count": bar.count, "spike_ms": bar.spike_ms})
                });
                with(
                    times(delay.times),
                    json!({"histogram": bars.collect::<Vec<_>>()}),
                )
            })
        };
        let first = delay(&report.first_retry_delay);
        all.insert("first_retry_delay".to_owned(), self.with_more(first));
        all.insert(
            "retry_gap".to_owned(),
            self.with_more(delay(&report.retry_gap)),
        );
        let retention = report.terms.retention_ms;
        let late = report.late_share.clone().map(|share| {
            let late = share.late;
            let value = json!({
                "past_half": ratio(late.half, late.told),
                "past_nine_tenths": ratio(late.nine_tenths, late.told),
                "after_expiry": ratio(late.after, late.told),
            });
            let more = json!({
                "retention_ms": retention, "past_half": late.half,
                "past_nine_tenths": late.nine_tenths, "after_expiry": late.after,
                "executed_after_expiry": share.executed,
            });
            with(value, json!({"counts": more}))
        });
        all.insert("late_share".to_owned(), self.with_more(late));
        let lease = report.terms.lease_ms;
        let execution = report.execution_time.clone();
        let execution = execution.map(|facts| with(times(facts), json!({"lease_ms": lease})));
        all.insert("execution_time".to_owned(), self.with_more(execution));
        let suspects = report.lease.clone().map(|facts| {
            let value = facts.over + facts.taken_over + facts.stale_owners;
            let more = json!({
                "over_lease": facts.over, "past_four_fifths": facts.near,
                "taken_over": facts.taken_over, "stale_owner": facts.stale_owners,
            });
            with(value.into(), more)
        });
        all.insert("lease_suspects".to_owned(), self.with_more(suspects));
        // The layer's own times are in no log and no record.
        let save: Figure<Value> = Figure::none(Why::NotLogged, Basis::Log);
        all.insert("save_latency".to_owned(), self.one(&save));
    }

    fn suspects(&self, report: &Report, all: &mut Map<String, Value>) {
        let found = |count: fn(&Findings) -> u64| {
            report
                .findings
                .clone()
                .map(|found| Value::from(count(&found)))
        };
        for (name, figure) in [
            ("abandoned", found(|found| found.abandoned)),
            (
                "several_operations",
                found(|found| found.several_operations),
            ),
            ("keys_executed_again", found(|found| found.executed_again)),
            (
                "false_mismatch_suspects",
                report.false_mismatches.clone().map(Value::from),
            ),
            (
                "new_key_suspects",
                report.new_key_suspects.clone().map(Value::from),
            ),
            ("effect_suspects", Figure::none(Why::NoLedger, Basis::Log)),
        ] {
            all.insert(name.to_owned(), self.one(&figure));
        }
    }

    pub(super) fn one(&self, figure: &Figure<Value>) -> Value {
        let mut all = Map::new();
        let (value, because) = match &figure.value {
            Ok(value) => (value.clone(), None),
            Err(because) => (Value::Null, Some(self.why(*because))),
        };
        all.insert("value".to_owned(), value);
        all.insert("source".to_owned(), figure.basis.name().into());
        if figure.basis.is_estimate() {
            all.insert("estimate".to_owned(), words::basis(figure.basis).into());
        }
        all.insert("sample".to_owned(), figure.sample.into());
        // A log that was not read to its end makes no figure of it whole.
        let of_log = figure.basis.is_of_log();
        let complete = figure.complete && (self.complete || !of_log);
        all.insert("complete".to_owned(), complete.into());
        if let Some(because) = because {
            all.insert("why".to_owned(), because.into());
        }
        all.into()
    }

    /// A figure whose value comes with further members.
    pub(super) fn with_more(&self, figure: Figure<(Value, Map<String, Value>)>) -> Value {
        let more = figure.known().map(|(_, more)| more.clone());
        let mut one = self.one(&figure.map(|(value, _)| value));
        if let (Some(members), Some(more)) = (one.as_object_mut(), more) {
            members.extend(more);
        }
        one
    }
}

pub(super) fn with(value: Value, more: Value) -> (Value, Map<String, Value>) {
    match more {
        Value::Object(more) => (value, more),
        _ => (value, Map::new()),
    }
}

fn ratio(part: u64, of: u64) -> Value {
    match of {
        0 => Value::Null,
        _ => (part as f64 / of as f64).into(),
    }
}

fn times(times: Times) -> Value {
    json!({
        "p50_ms": times.p50, "p95_ms": times.p95, "p99_ms": times.p99, "max_ms": times.most,
    })
}

fn storm(storm: &Storm) -> Value {
    json!({
        "kind": storm.kind.name(),
        "endpoint": storm.operation.as_deref(),
        "client": storm.client.as_deref(),
        "from_ms": storm.from,
        "to_ms": storm.to,
        "peak_at_ms": storm.peak_at,
        "peak": storm.peak,
        "retries": storm.retries,
        "keys": storm.keys,
        "keys_exact": storm.keys_exact,
        "clients": storm.clients,
        "ended": storm.ending.name(),
        "synchrony": storm.synchrony,
    })
}

fn row(row: &Row) -> Map<String, Value> {
    let mut all = Map::new();
    all.insert("attempts".to_owned(), row.attempts.into());
    all.insert("retries".to_owned(), row.retries.into());
    for family in Family::ALL {
        all.insert(family.name().to_owned(), row.of_family(family).into());
    }
    all
}

fn place(place: &Place) -> Value {
    let mut all = Map::new();
    all.insert("endpoint".to_owned(), place.name.as_deref().into());
    all.insert("client".to_owned(), place.client.as_deref().into());
    all.insert("keys".to_owned(), place.keys.into());
    all.extend(row(&place.row));
    all.into()
}

fn breakdown(breakdown: &Breakdown) -> (String, Value) {
    let mut others = breakdown.others;
    for place in breakdown.places.iter().skip(LINES_MAX) {
        others.merge(&place.row);
    }
    let lines = breakdown.places.iter().take(LINES_MAX).map(|place| {
        let mut line = Map::new();
        line.insert("name".to_owned(), place.name.as_deref().into());
        line.extend(row(&place.row));
        Value::from(line)
    });
    let mut lines: Vec<Value> = lines.collect();
    if others.attempts > 0 {
        let mut line = Map::new();
        line.insert("name".to_owned(), Value::Null);
        line.insert("others".to_owned(), true.into());
        line.extend(row(&others));
        lines.push(line.into());
    }
    (breakdown.dimension.name().to_owned(), lines.into())
}
