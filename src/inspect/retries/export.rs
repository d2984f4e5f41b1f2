//! Figures for other programs: lines of CSV, and the text format of Prometheus.
//!
//! Invariants: no series is labelled by key or scope, whose number has no bound; what is not known is
//! not there.

use std::fmt::Write;

use serde_json::Value;

use super::{Beside, Told};
use crate::domain::attempt::Outcome;
use crate::stats::{Breakdown, Dimension, Report, Times};

/// Values of one label.
const LABELS_MAX: usize = 50;

impl Told {
    /// One line a number: figure, part, value, source, sample, complete, why.
    pub fn lines(&self) -> Vec<Vec<String>> {
        let mut lines = Vec::new();
        for (name, figure) in self.figures() {
            let text = |member: &str| match figure.get(member) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
            };
            let mut line = |part: &str, value: String| {
                let cells = [&name, part, &value];
                let cells = cells.into_iter().map(str::to_owned);
                let rest = ["source", "sample", "complete", "why"].map(text);
                lines.push(cells.chain(rest).collect());
            };
            match figure.get("value") {
                None | Some(Value::Null) => line("", String::new()),
                Some(Value::Array(all)) => {
                    line("count", all.len().to_string());
                    each_part("", &Value::Array(all.clone()), &mut line);
                }
                Some(value) => each_part("", value, &mut line),
            }
        }
        lines
    }

    /// The text exposition format, version 0.0.4.
    pub fn prometheus(&self) -> String {
        let mut page = Page::default();
        let report = &self.report;
        let window = self
            .now
            .min(report.span.to)
            .saturating_sub(report.span.from);
        let help = "Length of the window that all figures are of.";
        page.gauge("window_seconds", help, window as f64 / 1_000.0);
        let help = "1 where the log was read to its end.";
        page.gauge("complete", help, f64::from(u8::from(self.complete)));
        page.rates(report);
        let delays = report.first_retry_delay.known().map(|delay| delay.times);
        let help = "From the first attempt to a retry.";
        page.times("first_retry_delay_seconds", help, delays);
        let times = report.execution_time.known().copied();
        page.times("execution_seconds", "How long executions took.", times);
        page.suspects(report);
        page.beside(&self.beside);
        for breakdown in &report.breakdowns {
            page.breakdown(breakdown);
        }
        page.text
    }
}

/// Every number and text of a value, with the way to it: `operation/POST /payments/attempts`.
fn each_part(way: &str, value: &Value, line: &mut impl FnMut(&str, String)) {
    let further = |part: &str| match way.is_empty() {
        true => part.to_owned(),
        false => format!("{way}/{part}"),
    };
    match value {
        Value::Object(parts) => {
            for (part, value) in parts.iter().filter(|(part, _)| *part != "name") {
                each_part(&further(part), value, line);
            }
        }
        Value::Array(all) => {
            for (at, value) in all.iter().enumerate() {
                let named = value.get("name").and_then(Value::as_str);
                let name = match named {
                    Some(name) => name.to_owned(),
                    None if value.get("others").is_some() => "others".to_owned(),
                    None => at.to_string(),
                };
                each_part(&further(&name), value, line);
            }
        }
        Value::Null => {}
        Value::String(text) => line(way, text.clone()),
        value => line(way, value.to_string()),
    }
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn head(&mut self, name: &str, help: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "# HELP idemscope_{name} {help}");
        let _ = writeln!(self.text, "# TYPE idemscope_{name} gauge");
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.head(name, help);
        self.sample(name, &[], value);
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> = labels
            .iter()
            .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
            .collect();
        let labels = match labels.len() {
            0 => String::new(),
            _ => format!("{{{}}}", labels.join(",")),
        };
        let _ = writeln!(self.text, "idemscope_{name}{labels} {value}");
    }

    fn rates(&mut self, report: &Report) {
        if let Some((keyed, of)) = report.keyed_share.known() {
            let share = *keyed as f64 / (*of).max(1) as f64;
            self.gauge("keyed_ratio", "Attempts with a key, of all.", share);
        }
        if let Some(rate) = report.retry_rate.known() {
            let help = "Retries, of attempts with a key.";
            self.gauge("retry_ratio", help, rate.rate());
        }
        if let Some(mix) = report.outcomes.known() {
            self.head("attempts", "Attempts in the window, by outcome.");
            for outcome in Outcome::ALL {
                let label = [("outcome", outcome.name())];
                self.sample("attempts", &label, mix.of(outcome) as f64);
            }
            self.sample("attempts", &[("outcome", "unknown")], mix.unknown() as f64);
        }
        if let Some(per_key) = report.attempts_per_key.known() {
            self.gauge("keys", "Keys in the window.", per_key.keys as f64);
            let help = "Attempts of a key, on average.";
            self.gauge("attempts_per_key_mean", help, per_key.mean);
            let help = "Attempts of the key with the most.";
            self.gauge("attempts_per_key_max", help, per_key.highest as f64);
        }
    }

    fn suspects(&mut self, report: &Report) {
        let abandoned = report.findings.known().map(|found| found.abandoned);
        let storms = report.storms.known().map(|storms| storms.len() as u64);
        for (name, help, count) in [
            (
                "abandoned_keys",
                "Keys left without a final answer.",
                abandoned,
            ),
            (
                "new_key_suspects",
                "Payloads under two or more keys within ten minutes.",
                report.new_key_suspects.known().copied(),
            ),
            (
                "false_mismatch_suspects",
                "Mismatches under an equal payload.",
                report.false_mismatches.known().copied(),
            ),
            ("storms", "Storms in the window.", storms),
        ] {
            if let Some(count) = count {
                self.gauge(name, help, count as f64);
            }
        }
    }

    fn beside(&mut self, beside: &Beside) {
        if let Some(lock) = beside.oldest_lock.known() {
            let age = lock.ms as f64 / 1_000.0;
            self.gauge("oldest_lock_seconds", "Age of the oldest lock.", age);
            let past = lock.past_lease as f64;
            self.gauge("locks_past_lease", "Locks past their lease.", past);
        }
        self.heard(beside);
        let Some(counts) = beside.evictions.known() else {
            return;
        };
        for (name, help, count) in [
            (
                "server_expired_keys",
                "Keys the server expired since it started.",
                counts.expired,
            ),
            (
                "server_evicted_keys",
                "Keys the server evicted since it started.",
                counts.evicted,
            ),
        ] {
            if let Some(count) = count {
                self.gauge(name, help, count as f64);
            }
        }
    }

    /// Each with its own beginning: how long it was looked and listened stands beside it.
    fn heard(&mut self, beside: &Beside) {
        if let Some(looks) = beside.looks.known() {
            let secs = looks.to.saturating_sub(looks.from) as f64 / 1_000.0;
            self.gauge("looks_seconds", "From the first look to the last.", secs);
            self.head("looks_keys", "Keys that changed between looks, by how.");
            for (change, count) in [
                ("appeared", looks.appeared),
                ("finished", looks.finished),
                ("expired", looks.expired),
                ("gone", looks.gone),
                ("claimed_again", looks.claimed_again),
                ("attempted", looks.attempted),
                ("replayed", looks.replayed),
            ] {
                self.sample("looks_keys", &[("change", change)], count as f64);
            }
        }
        let heard = &beside.heard;
        if let Some(events) = heard.events.known() {
            let secs = heard.to.saturating_sub(heard.from) as f64 / 1_000.0;
            self.gauge("events_seconds", "How long events were heard.", secs);
            self.head("events", "Keyspace events on keys of records.");
            for (event, count) in [
                ("written", events.written),
                ("deleted", events.deleted),
                ("expired", events.expired),
                ("evicted", events.evicted),
            ] {
                self.sample("events", &[("event", event)], count as f64);
            }
        }
        if let Some(count) = heard.pushes.known() {
            let help = "Times that the name of a changed key was pushed.";
            self.gauge("invalidations", help, *count as f64);
        }
    }

    fn times(&mut self, name: &str, help: &str, times: Option<Times>) {
        let Some(times) = times else { return };
        self.head(name, help);
        for (quantile, ms) in [("0.5", times.p50), ("0.95", times.p95), ("0.99", times.p99)] {
            self.sample(name, &[("quantile", quantile)], ms as f64 / 1_000.0);
        }
    }

    fn breakdown(&mut self, breakdown: &Breakdown) {
        let label = match breakdown.dimension {
            Dimension::Operation => "endpoint",
            Dimension::Client => "client",
            Dimension::Instance => "instance",
            Dimension::StatusClass => "status_class",
            Dimension::Scope => return,
        };
        if breakdown.places.is_empty() {
            return;
        }
        let mut others = breakdown.others;
        for (what, help) in [
            ("attempts", "Attempts in the window"),
            ("retries", "Retries in the window"),
        ] {
            let name = format!("{label}_{what}");
            self.head(&name, &format!("{help}, by {label}."));
            for (at, place) in breakdown.places.iter().enumerate() {
                if at >= LABELS_MAX || place.name.is_none() {
                    if what == "attempts" {
                        others.merge(&place.row);
                    }
                    continue;
                }
                let count = if what == "attempts" {
                    place.row.attempts
                } else {
                    place.row.retries
                };
                self.sample(
                    &name,
                    &[(label, place.name.as_deref().unwrap_or(""))],
                    count as f64,
                );
            }
            if others.attempts > 0 {
                let count = if what == "attempts" {
                    others.attempts
                } else {
                    others.retries
                };
                self.sample(&name, &[(label, "")], count as f64);
            }
        }
    }
}

/// A label's value, as the format has it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
