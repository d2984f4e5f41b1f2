//! What can be done with the record in the panel, at its foot.

use egui::{Rect, Ui, vec2};

use crate::app::State;
use crate::app::command::{Command, Meant, Named, RepairCommand};
use crate::app::view::{RecordAction, record_actions};
use crate::domain::change::Verb;
use crate::present::escape;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::panels::repair::data::verb_word;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::Button;
use crate::ui::widgets::{Pen, Row};

/// A line for each verb that the layout does not do here.
const LINE: f32 = 22.0;

/// The room that the bar needs; nothing where there is nothing to do.
pub fn height(theme: &Theme, state: &State) -> f32 {
    let actions = record_actions(state);
    let refused = actions.iter().filter(|action| action.can.is_err()).count();
    let bar = match actions.len() - refused {
        0 => 0.0,
        _ => theme.common().height.action_bar,
    };
    match refused {
        0 => bar,
        count => bar + LINE * count as f32 + 10.0,
    }
}

pub fn actions_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let actions = record_actions(state);
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.min.y + 0.5, pen.hair());
    let mut top = rect.shrink2(vec2(16.0, 0.0));
    let (can, cannot): (Vec<RecordAction>, Vec<RecordAction>) =
        actions.into_iter().partition(|action| action.can.is_ok());
    if !cannot.is_empty() {
        top.min.y += 6.0;
    }
    for action in cannot {
        let (line, rest) = top.split_top_bottom_at_y(top.min.y + LINE);
        let why = escape::shown(&action.can.err().unwrap_or_default(), 300);
        let words = say!(
            "record-not-from-here",
            verb = verb_word(action.verb),
            why = why
        );
        Row::new(ui, theme, line)
            .text(&words, Text::Note, Tone::Secondary)
            .on_hover_text(&words);
        top = rest;
    }
    if can.is_empty() {
        return;
    }
    let mut row = Row::new(ui, theme, top);
    for action in can {
        let (label, named) = match action.verb {
            Verb::Release => (say!("record-release"), Named::Release),
            Verb::Settle => (say!("record-settle"), Named::Settle),
            Verb::Purge => (say!("record-purge"), Named::Purge),
            Verb::Undo => continue,
        };
        // The list below may have a button of the same label.
        let name = say!("record-act-name", act = &label);
        let button = Button::new(label).key(named.shortcut().text()).named(name);
        let place = row.take(button.width(row.ui, theme), theme.common().height.button);
        row.gap(8.0);
        if button.show(row.ui, theme, place).clicked() {
            let ask = RepairCommand::Ask(action.verb, Meant::Open);
            send.send(Command::Repair(ask));
        }
    }
    if !state.changes.is_on(state.clock.here) && row.room() > 90.0 {
        row.text_right(&say!("record-plans-only"), Text::Note, Tone::Tertiary);
        row.gap_right(6.0);
        row.icon_right(&theme.icon("mark", "read_only"), 14.0, Tone::Tertiary);
    }
}
