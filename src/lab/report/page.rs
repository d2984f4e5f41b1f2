//! The page of a saved run: lesson, diagrams beside each other, what each came to.
//!
//! Apart from `report` because it is text for a browser, in English like all files.
//! Invariant: one file that loads nothing and runs nothing.

use std::fmt::Write as _;

use serde_json::Value;

use super::svg::{diagram, diagram_width, escaped};
use super::{RunReport, SideReport};
use crate::lab::run::missed_sentence;
use crate::lab::switches::Switches;
use crate::lab::trace::{Also, Axis, Moment};
use crate::present::count::{Font, grouped};

const STYLE: &str = include_str!("page.css");

pub fn page(report: &RunReport) -> String {
    // Two share their time; more stand below each other, each with its own.
    let all: Vec<&[_]> = report
        .sides
        .iter()
        .map(|side| side.trace.messages.as_slice())
        .collect();
    let shared = (all.len() <= 2).then(|| Axis::new(&all));
    let (id, title) = (escaped(&report.id), escaped(&report.title));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{id} {title}</title><style>{STYLE}</style></head><body>\
         <header><p class=\"id\">{id}</p><h1>{title}</h1><p>{}</p></header><main>",
        escaped(&report.lesson)
    );
    for (at, side) in report.sides.iter().enumerate() {
        match &shared {
            Some(axis) => side_html(&mut page, side, axis, at),
            None => side_html(&mut page, side, &Axis::new(&[&side.trace.messages]), 0),
        }
    }
    let _ = writeln!(
        page,
        "</main><footer>Records stood in {}. Messages of one moment are drawn apart so that they can \
         be read. Made by Idemscope.</footer></body></html>",
        escaped(&report.store)
    );
    page
}

fn side_html(page: &mut String, side: &SideReport, axis: &Axis, at: usize) {
    let mut end = Moment::default();
    end.go_to(&side.trace, |_| true);
    let changed = match side.is_changed {
        true => "<small>changed from the scenario</small>",
        false => "",
    };
    // A wide diagram takes a line of its own.
    let width = diagram_width(&side.trace);
    let _ = write!(
        page,
        "<section style=\"flex-basis:{:.0}px\"><h2>{}{changed}</h2>",
        width + 48.0,
        escaped(side.variant.title.english()),
    );
    switches_html(page, side);
    let _ = write!(
        page,
        "<div class=\"diagram\">{}</div>",
        diagram(&side.trace, axis, at)
    );
    sum_html(page, side, &end);
    figures_html(page, side, &end);
    ledger_html(page, side);
    counters_html(page, side);
    page.push_str("</section>");
}

/// Those that stand otherwise than the lab's usual ones.
fn switches_html(page: &mut String, side: &SideReport) {
    let switches = &side.variant.switches;
    let other = switches.differing(&Switches::default());
    let all = serde_json::to_value(switches).unwrap_or_default();
    let word = |id: &&str| {
        let stands = switches.position(id);
        let time = all.get(*id).map(ToString::to_string);
        format!("{id} {}", stands.or(time).unwrap_or_default())
    };
    let words: Vec<String> = other.iter().map(word).collect();
    let words = match words.is_empty() {
        true => "the lab’s usual switches".to_owned(),
        false => words.join(" · "),
    };
    let _ = write!(page, "<p class=\"switches mono\">{}</p>", escaped(&words));
}

/// The sentence, and whether it came out as expected.
fn sum_html(page: &mut String, side: &SideReport, end: &Moment) {
    let counters = &side.outcome.counters;
    let about = side.trace.about;
    let bold = |count: u64, is_bad: Badly| format!("<b{}>{count}</b>", is_bad.class());
    let too_many = Badly::over(counters.charges, about.wanted);
    let made = bold(counters.charges, too_many);
    let also = match about.also {
        Also::Nothing => format!("the bank made {made}"),
        Also::Mails => {
            // In the end each payment has its mail.
            let missing = end.charges.saturating_sub(end.mails);
            let is_bad = Badly::over(end.mails_too_many + missing, 0);
            format!("the bank made {made}, mails {}", bold(end.mails, is_bad))
        }
        Also::Refunds => {
            let is_bad = Badly::over(end.refunds_too_many, 0);
            let back = bold(end.refunds, is_bad);
            format!("the bank took {made} and gave back {back}")
        }
    };
    let verdict = match (side.is_changed, side.outcome.missed.is_empty()) {
        (true, _) => String::new(),
        (false, true) => "<span class=\"pass\">as expected</span>".to_owned(),
        (false, false) => {
            let missed = escaped(&missed_sentence(&side.outcome.missed));
            format!("<span class=\"fail\">missed: {missed}</span>")
        }
    };
    let _ = write!(
        page,
        "<div class=\"sum\"><span>Wanted <b>{}</b>, {also}, the customer knows of <b>{}</b></span>\
         {verdict}</div>",
        counters.intents,
        end.believed(),
    );
}

/// Whether a figure is one that should not be.
#[derive(Clone, Copy)]
enum Badly {
    No,
    Yes,
}

impl Badly {
    /// More than there should be.
    fn over(count: u64, most: u64) -> Badly {
        match count > most {
            true => Badly::Yes,
            false => Badly::No,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Badly::No => "",
            Badly::Yes => " class=\"fail\"",
        }
    }
}

fn figures_html(page: &mut String, side: &SideReport, end: &Moment) {
    let too_many = Badly::over(end.charges, side.trace.about.wanted);
    let sum = u64::try_from(end.charged_sum).unwrap_or_default();
    let mut figures = vec![
        (end.attempts, "attempts", Badly::No),
        (end.executions, "executions", Badly::No),
        (end.charges, "charges", too_many),
        (sum, "RUB charged", too_many),
    ];
    figures.push(match side.trace.about.also {
        Also::Refunds => (end.refunds, "refunds", Badly::over(end.refunds_too_many, 0)),
        _ => (end.mails, "mails", Badly::over(end.mails_too_many, 0)),
    });
    page.push_str("<dl>");
    for (figure, word, is_bad) in figures {
        let _ = write!(
            page,
            "<div><dt>{word}</dt><dd{}>{}</dd></div>",
            is_bad.class(),
            grouped(figure, Font::Mono)
        );
    }
    page.push_str("</dl>");
}

fn ledger_html(page: &mut String, side: &SideReport) {
    let has_mails = side.trace.about.also == Also::Mails && !side.trace.mails.is_empty();
    let title = match has_mails {
        true => "Ledger of the bank, and mails",
        false => "Ledger of the bank",
    };
    let _ = write!(page, "<h3>{title}</h3>");
    if side.trace.ledger.is_empty() && !has_mails {
        page.push_str("<p class=\"switches\">Nothing</p>");
        return;
    }
    let of = |is_wanted| match is_wanted {
        true => ("pass", "wanted"),
        false => ("fail", "not wanted"),
    };
    page.push_str("<div class=\"lines\"><table>");
    for entry in &side.trace.ledger {
        let sign = if entry.is_refund { "−" } else { "" };
        let amount = grouped(entry.amount.unsigned_abs(), Font::Mono);
        let key = match &entry.key {
            Some(key) => format!("key {key}"),
            None => "no key".to_owned(),
        };
        let amount = format!("{sign}{amount} RUB");
        let cells = [&entry.id, &amount, &entry.who, &key];
        line_html(page, cells.map(String::as_str), of(entry.is_wanted));
    }
    let mails = side.trace.mails.iter().enumerate();
    for (at, mail) in mails.filter(|_| has_mails) {
        let id = format!("mail {}", at + 1);
        line_html(page, [&id, "", &mail.of, ""], of(mail.is_wanted));
    }
    page.push_str("</table></div>");
}

/// A class, and a word.
type Verdict = (&'static str, &'static str);

fn line_html(page: &mut String, [id, amount, who, key]: [&str; 4], (class, word): Verdict) {
    let _ = write!(
        page,
        "<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td><td>{}</td>\
         <td class=\"word {class}\">{word}</td></tr>",
        escaped(id),
        escaped(amount),
        escaped(who),
        escaped(key),
    );
}

/// Those that something was expected of, and behind them all.
fn counters_html(page: &mut String, side: &SideReport) {
    let members = side.outcome.counters.members();
    let expected = &side.variant.expected;
    let known = members
        .iter()
        .filter(|(name, _)| expected.contains_key(name));
    let known: Vec<&(String, Value)> = known.collect();
    if !known.is_empty() {
        page.push_str("<h3>Counters that the scenario expects</h3><div class=\"all\"><table>");
        known.iter().for_each(|member| counter_html(page, member));
        page.push_str("</table></div>");
    }
    page.push_str("<details><summary>All counters</summary><div class=\"all\"><table>");
    members.iter().for_each(|member| counter_html(page, member));
    page.push_str("</table></div></details>");
}

fn counter_html(page: &mut String, (name, value): &(String, Value)) {
    let class = match value.as_u64() {
        Some(0) => " class=\"zero\"",
        _ => "",
    };
    let value = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let _ = write!(
        page,
        "<tr{class}><td>{}</td><td class=\"n\">{}</td></tr>",
        escaped(name),
        escaped(&value)
    );
}
