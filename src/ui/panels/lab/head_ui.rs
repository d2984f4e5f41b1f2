//! The heads: of the scenario with its lesson, and of each column with its switches.

use egui::{Align2, Rect, Ui, pos2, vec2};

use super::data::ColumnData;
use crate::app::State;
use crate::app::command::{Command, LabCommand, LabSaveCommand, SwitchesCommand};
use crate::app::state::LabStore;
use crate::app::view::lab::{OwnServers, own_servers, why_not_open_words};
use crate::app::view::lab_store_word;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Weight};
use crate::ui::widgets::{Pen, Row, Span};

pub fn head_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.max.y - 0.5, pen.hair());
    let Some(scenario) = state.lab.scenario() else {
        return;
    };
    // What is to be done stands beside the title; the lesson has the whole width under both.
    let inner = rect.shrink2(vec2(16.0, 0.0));
    let (top, lesson) = inner.split_top_bottom_at_y(rect.min.y + 37.0);
    let mut row = Row::new(ui, theme, top.translate(vec2(0.0, 3.0)));
    let height = theme.common().height.button;
    let mut button = Button::new(say!("lab-projector")).key("P");
    button.icon = Some(theme.icon("act", "projector"));
    let place = row.take_right(button.width(row.ui, theme), height);
    if button.show(row.ui, theme, place).clicked() {
        send.send(Command::Lab(LabCommand::Projector));
    }
    row.gap_right(8.0);
    if state.lab.has_outcome() {
        let mut button = Button::new(say!("lab-save")).key("E").weight(Weight::Ghost);
        button.icon = Some(theme.icon("act", "save"));
        let place = row.take_right(button.width(row.ui, theme), height);
        if button.show(row.ui, theme, place).clicked() {
            send.send(Command::Lab(LabCommand::Save(LabSaveCommand::Ask)));
        }
        row.gap_right(8.0);
    }
    store_ui(&mut row, theme, state, send);
    let seed = say!("lab-seed", seed = state.lab.seed());
    let button = Button::new(&seed).weight(Weight::Ghost);
    let place = row.take_right(button.width(row.ui, theme), height);
    let hint = say!("lab-seed-hint");
    let response = button.show(row.ui, theme, place).on_hover_text(hint);
    if response.clicked() {
        send.send(Command::Lab(LabCommand::NextSeed));
    }
    row.gap_right(16.0);
    row.text(scenario.title.spoken(), Text::View, Tone::Primary);
    let lesson = lesson.translate(vec2(0.0, -3.0));
    Row::new(ui, theme, lesson)
        .text(scenario.lesson.spoken(), Text::Note, Tone::Secondary)
        .on_hover_text(scenario.lesson.spoken());
}

/// Where records stand: the lab's own file, or the open store.
fn store_ui(row: &mut Row<'_>, theme: &Theme, state: &State, send: &Commands) {
    let own = match own_servers(state) {
        OwnServers::None => None,
        _ => Some(say!("lab-store-servers-hint")),
    };
    let off = why_not_open_words(state);
    let other = match state.lab.place {
        LabStore::Own => LabStore::Open,
        LabStore::Open => LabStore::Own,
    };
    let word = lab_store_word(state);
    let mut button = Button::new(&word)
        .named(say!("lab-store-name", store = &word))
        .weight(Weight::Ghost);
    button.icon = Some(theme.icon("mark", "store"));
    // One may always go back to the own file.
    let off = off.filter(|_| other == LabStore::Open);
    let hint = match (&own, &off) {
        (Some(why), _) | (None, Some(why)) => why.clone(),
        (None, None) => match other {
            LabStore::Open => say!("lab-store-to-open"),
            LabStore::Own => say!("lab-store-to-own"),
        },
    };
    // A long name gives way to the title.
    let most = row.room() * 0.4;
    let mut kept = word.chars().count();
    while button.width(row.ui, theme) > most && kept > 1 {
        kept -= 1;
        button.label = word.chars().take(kept).chain(['…']).collect();
    }
    let width = button.width(row.ui, theme).min(most);
    let place = row.take_right(width, theme.common().height.button);
    let response = button.show(row.ui, theme, place).on_hover_text(hint);
    if response.clicked() && off.is_none() {
        send.send(Command::Lab(LabCommand::Store(other)));
    }
}

pub fn column_head_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    at: usize,
    data: &ColumnData,
    send: &Commands,
) {
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.max.y - 0.5, pen.hair());
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(16.0, 0.0)));
    let word = say!("lab-switches");
    let button = Button::new(&word)
        .named(say!("lab-switches-of", column = &data.title))
        .key(if at == 0 { "S" } else { "Shift S" })
        .weight(Weight::Ghost);
    let width = button.width(row.ui, theme);
    row.gap_right(-8.0);
    let place = row.take_right(width, theme.common().height.button_small);
    if button.show(row.ui, theme, place).clicked() {
        let open = SwitchesCommand::Open(at);
        send.send(Command::Lab(LabCommand::Switches(open)));
    }
    row.gap_right(8.0);
    if let Some(changed) = &data.changed {
        row.text_right(changed, Text::Note, Tone::Accent);
        row.gap_right(8.0);
    }
    row.text(&data.title, Text::Section, Tone::Primary);
    row.gap(8.0);
    let about = [Span::new(&data.about, Text::Note, Tone::Secondary)];
    row.spans(&about).on_hover_text(&data.about);
}

/// Keys and their words, from the right.
pub fn caps_right(ui: &Ui, theme: &Theme, right: egui::Pos2, caps: &[(&str, String)]) -> f32 {
    let pen = Pen::new(ui.painter(), theme);
    let mut x = right.x;
    for (key, word) in caps.iter().rev() {
        let at = pos2(x, right.y);
        let drawn = pen.text(at, Align2::RIGHT_CENTER, word, Text::Body, Tone::Secondary);
        let width = crate::ui::widgets::button::key_cap_width(&pen, key);
        x = drawn.min.x - 6.0 - width;
        crate::ui::widgets::button::key_cap(&pen, pos2(x, right.y), key);
        x -= 14.0;
    }
    x
}
