//! The bar under a list in which something is selected: how much, and what can be done with it.

use egui::{Rect, Ui, vec2};

use crate::app::command::{Command, Meant, Named, RepairCommand};
use crate::app::state::{Place, State};
use crate::domain::change::Verb;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Weight};
use crate::ui::widgets::{Pen, Row};

pub const HEIGHT: f32 = 48.0;

/// The list above the bar, and the bar where there is something for it.
pub fn split(state: &State, rect: Rect) -> (Rect, Option<Rect>) {
    if state.selection.is_empty() || rect.height() < HEIGHT * 3.0 {
        return (rect, None);
    }
    let (list, bar) = rect.split_top_bottom_at_y(rect.max.y - HEIGHT);
    (list, Some(bar))
}

pub fn selected_bar_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let pen = Pen::new(ui.painter(), theme);
    pen.painter
        .rect_filled(rect, 0, theme.tokens().surface.raised.0);
    pen.hline(rect.x_range(), rect.min.y + 0.5, pen.hair());
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(12.0, 0.0)));
    let mut verbs = vec![
        (
            Verb::Release,
            Named::Release,
            say!("selected-release"),
            Weight::Primary,
        ),
        (
            Verb::Settle,
            Named::Settle,
            say!("selected-settle"),
            Weight::Plain,
        ),
    ];
    if state.view.place == Place::Keys {
        verbs.push((
            Verb::Purge,
            Named::Purge,
            say!("selected-purge"),
            Weight::Plain,
        ));
    }
    for (verb, named, label, weight) in verbs {
        let button = Button::new(label)
            .key(named.shortcut().text())
            .weight(weight);
        let width = button.width(row.ui, theme);
        if width > row.room() {
            break;
        }
        let place = row.take_right(width, theme.common().height.button);
        row.gap_right(8.0);
        if button.show(row.ui, theme, place).clicked() {
            let ask = RepairCommand::Ask(verb, Meant::Selected);
            send.send(Command::Repair(ask));
        }
    }
    let count = say!("status-selected", count = state.selection.len());
    row.text(&count, Text::Section, Tone::Primary);
    row.gap(8.0);
    row.text(&say!("selected-clear"), Text::Note, Tone::Tertiary);
}
