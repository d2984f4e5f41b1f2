//! Lines above the table: what is not shown, why, and what would show it.
//!
//! Apart from `faces` because rows are there as well: these only say that there are more.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, vec2};

use crate::app::command::{Command, KeysCommand};
use crate::app::state::Opened;
use crate::app::{State, view};
use crate::present::escape;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::{Pen, Row};

pub const HEIGHT: f32 = 30.0;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Of `mark` in the theme.
    pub icon: &'static str,
    pub text: String,
    pub note: String,
    pub does: Does,
}

/// What a click on a line does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Does {
    #[default]
    Nothing,
    /// Sets the filter, which shows the records.
    Filter(String),
    /// Lists all that is wrong, or the first lines only.
    Toggle,
    /// Takes the list of keys away.
    DropList,
}

/// Findings that are listed without being asked for.
const FINDINGS_SHOWN: usize = 2;

pub fn remarks(state: &State) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let Some(opened) = state.connection.store.value() else {
        return remarks;
    };
    remarks.extend(listed(state));
    let refused = state.keys.scan.progress.refused;
    if refused > 0 {
        let note = match rule(opened) {
            Some(rule) => say!("remark-rule", rule = rule),
            None => String::new(),
        };
        remarks.push(Remark {
            icon: "no_access",
            text: say!("remark-no-access", count = refused),
            note,
            does: Does::Nothing,
        });
    }
    let counted = state.keys.page.as_ref();
    let counted = counted.map_or(0, |page| page.all.counted_only);
    if counted > 0 {
        remarks.push(Remark {
            icon: "store",
            text: say!("remark-counted-only", count = counted),
            note: say!("remark-narrow"),
            does: Does::Nothing,
        });
    }
    if !opened.missing_rights.is_empty() {
        remarks.push(Remark {
            icon: "no_access",
            text: say!(
                "remark-missing-rights",
                rights = opened.missing_rights.join(", ")
            ),
            note: say!("remark-works-without"),
            does: Does::Nothing,
        });
    }
    remarks.extend(findings(state));
    remarks
}

/// The keys that a figure was counted of: how many, how many of them have a record, what was cut.
fn listed(state: &State) -> Option<Remark> {
    let list = state.keys.list.as_ref()?;
    let page = state.keys.page.as_ref();
    let page = page.filter(|_| state.keys.answered == state.keys.question);
    let mut text = list.words.clone();
    if let Some(records) = page.and_then(|page| page.listed) {
        text = format!("{text}. {}", say!("remark-listed", count = records));
    }
    let mut note = say!("remark-drop-list");
    if list.is_cut() {
        let (shown, count) = (list.keys.len(), list.counted);
        let cut = say!("remark-list-cut", shown = shown, count = count);
        note = format!("{cut}. {note}");
    }
    if list.factor > 1 {
        let sample = say!("remark-list-sample", factor = list.factor);
        note = format!("{sample}. {note}");
    }
    Some(Remark {
        icon: "finding",
        text,
        note,
        does: Does::DropList,
    })
}

/// What is wrong with the store, each line with its filter; behind the first ones a line for the
/// rest. The filter that is set already needs no line.
fn findings(state: &State) -> Vec<Remark> {
    let found = view::findings(state);
    let is_open = state.keys.are_findings_open;
    let rest = found.len().saturating_sub(FINDINGS_SHOWN);
    let shown = match is_open || rest == 1 {
        true => found.len(),
        false => FINDINGS_SHOWN,
    };
    let line = |(text, query): (String, String)| Remark {
        icon: "finding",
        text,
        note: query.clone(),
        does: Does::Filter(query),
    };
    let mut lines: Vec<Remark> = found.into_iter().take(shown).map(line).collect();
    if rest > 1 {
        lines.push(Remark {
            icon: "finding",
            text: match is_open {
                true => say!("remark-fewer-findings"),
                false => say!("remark-more-findings", count = rest),
            },
            note: String::new(),
            does: Does::Toggle,
        });
    }
    lines
}

/// The smallest rule for the keys of the sources; nothing for tables, which are refused whole.
fn rule(opened: &Opened) -> Option<String> {
    let mut patterns: Vec<String> = Vec::new();
    for source in &opened.sources {
        if source.place.contains('{') {
            let pattern = format!("~{}", glob(&source.place));
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
    }
    let shown = escape::shown(&patterns.join(" "), 120);
    (!patterns.is_empty()).then(|| format!("{shown} +get +getrange +strlen +hmget +pttl +type"))
}

/// A template with its captures as `*`.
fn glob(template: &str) -> String {
    let mut glob = String::new();
    let mut depth = 0_usize;
    for c in template.chars() {
        match c {
            '{' => {
                depth += 1;
                if depth == 1 && !glob.ends_with('*') {
                    glob.push('*');
                }
            }
            '}' => depth = depth.saturating_sub(1),
            c if depth == 0 => glob.push(c),
            _ => {}
        }
    }
    glob
}

pub fn remark_ui(ui: &mut Ui, theme: &Theme, rect: Rect, remark: &Remark, send: &Commands) {
    let id = ui.scope_id().with(("remark", &remark.text));
    let is_button = remark.does != Does::Nothing;
    let sense = match is_button {
        true => Sense::click(),
        false => Sense::hover(),
    };
    let response = ui.interact(rect, id, sense);
    let name = match remark.note.is_empty() {
        true => remark.text.clone(),
        false => format!("{}. {}", remark.text, remark.note),
    };
    let role = match is_button {
        true => Role::Button,
        false => Role::Label,
    };
    response.widget_info(|| WidgetInfo::labeled(role, true, &name));
    let pen = Pen::new(ui.painter(), theme);
    let tokens = theme.tokens();
    if is_button && (response.hovered() || response.has_focus()) {
        ui.painter().rect_filled(rect, 0, tokens.surface.raised.0);
    }
    pen.hline(rect.x_range(), rect.min.y, pen.hair());
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(16.0, 0.0)));
    row.icon(&theme.icon("mark", remark.icon), 15.0, Tone::Secondary);
    row.gap(8.0);
    row.text(&remark.text, Text::Body, Tone::Primary);
    row.gap(10.0);
    let note = match &remark.does {
        Does::Filter(_) => Text::Mono,
        Does::Nothing | Does::Toggle | Does::DropList => Text::Note,
    };
    row.text(&remark.note, note, Tone::Tertiary);
    match &remark.does {
        _ if !response.clicked() => {}
        Does::Nothing => {}
        Does::Filter(query) => {
            send.send(Command::Keys(KeysCommand::FilterTyped(query.clone())));
        }
        Does::Toggle => send.send(Command::Keys(KeysCommand::ToggleFindings)),
        Does::DropList => send.send(Command::Keys(KeysCommand::DropList)),
    }
    response.on_hover_text(name);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::app::state::SourceFace;
    use crate::domain::Timestamp;

    #[test]
    fn what_may_not_be_read_is_said_with_the_smallest_rule() {
        let mut state = State::default();
        assert!(remarks(&state).is_empty());
        let opened = Opened {
            sources: vec![SourceFace {
                place: "idem:{scope}:{key}:lock".to_owned(),
                ..SourceFace::default()
            }],
            missing_rights: vec!["`INFO`".to_owned()],
            ..Opened::default()
        };
        state.connection.store.ready(Arc::new(opened), Timestamp(0));
        state.keys.scan.progress.refused = 214;
        let lines = remarks(&state);
        assert_eq!(
            lines[0].text,
            "214 keys are outside what this login may read"
        );
        assert_eq!(
            lines[0].note,
            "This would do: ~idem:*:*:lock +get +getrange +strlen +hmget +pttl +type"
        );
        assert_eq!(lines[1].text, "This login may not do: `INFO`");
    }
}
