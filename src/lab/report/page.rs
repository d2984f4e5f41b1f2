//! The page of a saved run: lesson, diagrams beside each other, what each came to.
//!
//! Apart from `report` because it is text for a browser, in English like all files.
//! Invariant: one file that loads nothing and runs nothing.

use std::fmt::Write as _;

use super::svg::{diagram, escaped};
use super::{RunReport, SideReport};
use crate::lab::trace::{Axis, Moment};

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
         <meta name=\"viewport\" content=\"width=device-width\">\
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
    let changed = match side.is_changed {
        true => " <small>changed from the scenario</small>",
        false => "",
    };
    let counters = &side.outcome.counters;
    let mut end = Moment::default();
    end.go_to(&side.trace, |_| true);
    let verdict = match (side.is_changed, side.outcome.missed.is_empty()) {
        (true, _) => String::new(),
        (false, true) => "<p class=\"pass\">As expected</p>".to_owned(),
        (false, false) => {
            let missed = escaped(&side.outcome.missed.join("; "));
            format!("<p class=\"fail\">Missed: {missed}</p>")
        }
    };
    let _ = write!(
        page,
        "<section><h2>{}{changed}</h2>{}<p class=\"sum\">Wanted <b>{}</b>, the bank made <b>{}</b>, \
         the customer knows of <b>{}</b></p>{verdict}",
        escaped(&side.variant.title),
        diagram(&side.trace, axis, at),
        counters.intents,
        counters.charges,
        end.believed(),
    );
    page.push_str("<h3>Ledger of the bank</h3><table>");
    for entry in &side.trace.ledger {
        let (class, word) = match entry.is_wanted {
            true => ("pass", "wanted"),
            false => ("fail", "not wanted"),
        };
        let key = entry.key.as_deref().unwrap_or("no key");
        let _ = write!(
            page,
            "<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td><td>{}</td>\
             <td class=\"{class}\">{word}</td></tr>",
            escaped(&entry.id),
            entry.amount,
            escaped(&entry.who),
            escaped(key),
        );
    }
    page.push_str("</table><h3>Counters</h3><table>");
    for (name, value) in counters.members() {
        let value = escaped(&value.to_string());
        let name = escaped(&name);
        let _ = write!(page, "<tr><td>{name}</td><td class=\"n\">{value}</td></tr>");
    }
    page.push_str("</table></section>");
}
