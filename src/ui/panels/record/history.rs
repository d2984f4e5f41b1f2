//! What the journal says of the record in the panel.

use egui::{ScrollArea, Ui, vec2};

use crate::app::State;
use crate::app::command::{Command, JournalCommand};
use crate::app::state::HistoryLine;
use crate::present::clock::time_of_day;
use crate::present::escape;
use crate::present::say::say;
use crate::present::words::outcome_word;
use crate::ui::commands::Commands;
use crate::ui::panels::repair::data::outcome_glyph;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Row;
use crate::ui::widgets::button::link;

pub fn history_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    ui.add_space(8.0);
    let Some(lines) = state.journal.history.lines.value() else {
        return;
    };
    if lines.is_empty() {
        let words = say!("record-no-history");
        Row::next(ui, theme, 24.0).text(&words, Text::Body, Tone::Secondary);
        return;
    }
    ScrollArea::vertical()
        .id_salt("history")
        .auto_shrink([false, false])
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
            for (at, line) in lines.iter().enumerate() {
                ui.push_id(at, |ui| line_ui(ui, theme, state, line, send));
            }
        });
}

fn line_ui(ui: &mut Ui, theme: &Theme, state: &State, line: &HistoryLine, send: &Commands) {
    let ((group, icon), tone) = outcome_glyph(line.outcome);
    let mut row = Row::next(ui, theme, 24.0);
    row.icon(&theme.icon(group, icon), 15.0, tone);
    row.gap(8.0);
    let at = time_of_day(line.at, state.clock.here, state.clock.offset);
    let response = link(
        row.ui,
        theme,
        egui::pos2(row.rect.max.x, row.rect.center().y),
        egui::Align2::RIGHT_CENTER,
        &at,
    );
    row.rect.max.x = response.rect.min.x - 8.0;
    if response.on_hover_text(&line.run).clicked() {
        let show = JournalCommand::ShowRun(line.run.clone());
        send.send(Command::Journal(show));
    }
    let word = outcome_word(line.outcome, line.verb);
    row.text(&word, Text::Body, Tone::Primary);
    let parts = [&line.by, &line.reason, &line.why];
    let parts: Vec<String> = parts
        .into_iter()
        .flatten()
        .map(|part| escape::shown(part, 200))
        .collect();
    if !parts.is_empty() {
        let words = parts.join(" · ");
        let mut row = Row::next(ui, theme, 20.0);
        row.gap(23.0);
        row.text(&words, Text::Note, Tone::Tertiary)
            .on_hover_text(&words);
    }
}
