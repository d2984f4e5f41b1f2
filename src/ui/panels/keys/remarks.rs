//! Lines above the table: what is not shown, why, and what would show it.
//!
//! Apart from `faces` because rows are there as well: these only say that there are more.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, vec2};

use crate::app::State;
use crate::app::state::Opened;
use crate::present::escape;
use crate::present::say::say;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::{Pen, Row};

pub const HEIGHT: f32 = 30.0;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Of `mark` in the theme.
    pub icon: &'static str,
    pub text: String,
    pub note: String,
}

pub fn remarks(state: &State) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let Some(opened) = state.connection.store.value() else {
        return remarks;
    };
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
        });
    }
    let counted = state.keys.page.as_ref();
    let counted = counted.map_or(0, |page| page.all.counted_only);
    if counted > 0 {
        remarks.push(Remark {
            icon: "store",
            text: say!("remark-counted-only", count = counted),
            note: say!("remark-narrow"),
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
        });
    }
    remarks
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

pub fn remark_ui(ui: &mut Ui, theme: &Theme, rect: Rect, remark: &Remark) {
    let id = ui.scope_id().with(("remark", &remark.text));
    let response = ui.interact(rect, id, Sense::hover());
    let name = format!("{}. {}", remark.text, remark.note);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.min.y, pen.hair());
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(16.0, 0.0)));
    row.icon(&theme.icon("mark", remark.icon), 15.0, Tone::Secondary);
    row.gap(8.0);
    row.text(&remark.text, Text::Body, Tone::Primary);
    row.gap(10.0);
    row.text(&remark.note, Text::Note, Tone::Tertiary);
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
