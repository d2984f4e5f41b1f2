//! Asks for the lease that counts, one field for each source.

use egui::{Id, Key, Ui};

use crate::app::State;
use crate::app::command::{AppCommand, Command, LocksCommand};
use crate::app::state::LeaseField;
use crate::present::say::say;
use crate::present::{escape, span};
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Row;
use crate::ui::widgets::button::{Button, Weight};
use crate::ui::widgets::dialog::dialog_ui;
use crate::ui::widgets::field::{Field, plain_layouter};

const WIDTH: f32 = 480.0;
const FIELD: f32 = 120.0;

pub fn lease_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let Some(form) = &state.locks.form else {
        return;
    };
    let left = dialog_ui(ui, theme, "lease", WIDTH, |ui| {
        Row::next(ui, theme, 28.0).text(&say!("lease-title"), Text::View, Tone::Primary);
        let about = say!("lease-about");
        Row::next(ui, theme, 22.0).text(&about, Text::Body, Tone::Secondary);
        ui.add_space(12.0);
        for (at, field) in form.fields.iter().enumerate() {
            field_ui(ui, theme, at, field, send);
        }
        ui.add_space(12.0);
        let all_good = form.fields.iter().all(|field| !field.lease().is_wrong());
        let mut row = Row::next(ui, theme, 32.0);
        let height = theme.common().height.button;
        let button = Button::new(say!("lease-set"))
            .key("Enter")
            .weight(Weight::Primary);
        let place = row.take_right(button.width(row.ui, theme), height);
        let pressed = button.show(row.ui, theme, place).clicked();
        let entered = row.ui.input(|input| input.key_pressed(Key::Enter));
        if (pressed || entered) && all_good {
            send.send(Command::Locks(LocksCommand::SetLease));
        }
        row.gap_right(8.0);
        let button = Button::new(say!("common-cancel")).weight(Weight::Ghost);
        let place = row.take_right(button.width(row.ui, theme), height);
        if button.show(row.ui, theme, place).clicked() {
            send.send(Command::App(AppCommand::StepBack));
        }
        if !all_good {
            row.text(&say!("lease-write-spans"), Text::Note, Tone::Danger);
        }
    });
    if left {
        send.send(Command::App(AppCommand::StepBack));
    }
}

fn field_ui(ui: &mut Ui, theme: &Theme, at: usize, field: &LeaseField, send: &Commands) {
    let mut row = Row::next(ui, theme, 44.0);
    let place = row.take_right(FIELD, theme.common().height.field);
    let told = match field.told {
        Some(told) => say!("lease-told", lease = span::sentence(told)),
        None => say!("lease-not-told"),
    };
    let hint = field.told.map(span::typed).unwrap_or_default();
    let name = say!("lease-of", place = escape::shown(&field.place, 80));
    let widget = Field {
        id: Id::unique(("lease", at)),
        name: &name,
        hint: &hint,
        icon: theme.icon("act", "clock"),
        kind: Text::Mono,
        room_right: 0.0,
        is_wrong: field.lease().is_wrong(),
        keeps_tab: false,
    };
    let mut text = field.typed.clone();
    let mut layouter = plain_layouter(theme, Text::Mono);
    let answer = widget.show(row.ui, theme, place, &mut text, &mut layouter);
    if answer.changed {
        send.send(Command::Locks(LocksCommand::LeaseTyped { at, text }));
    }
    let nothing_has_it = row.ui.memory(|memory| memory.focused().is_none());
    if at == 0 && nothing_has_it {
        answer.response.request_focus();
    }
    row.gap_right(12.0);
    let (top, foot) = row.rect.split_top_bottom_at_fraction(0.5);
    let layout = escape::shown(&field.layout, 60);
    let mut line = Row::new(row.ui, theme, top);
    line.text(&layout, Text::Body, Tone::Primary);
    line.gap(8.0);
    line.text(&told, Text::Note, Tone::Tertiary);
    let place = escape::shown(&field.place, 70);
    Row::new(row.ui, theme, foot).text(&place, Text::MonoSmall, Tone::Secondary);
}
