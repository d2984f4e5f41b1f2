//! The status line.

mod data;
mod lab;
mod stats;
#[cfg(test)]
mod tests;

pub use data::{StatusData, Work, status_data};

use egui::{Align2, Rect, Ui, vec2};

use crate::app::command::{Command, KeysCommand, RepairCommand};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::link;
use crate::ui::widgets::{Pen, Row};

pub fn status_line_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &StatusData, send: &Commands) {
    let pen = Pen::new(ui.painter(), theme);
    pen.painter
        .rect_filled(rect, 0, theme.tokens().surface.sunken.0);
    pen.hline(rect.x_range(), rect.min.y + 0.5, pen.hair());
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(12.0, 0.0)));
    keys_ui(&mut row, data);
    let (icon, tone) = match data.work {
        Work::Idle => (theme.icon("act", "info"), Tone::Tertiary),
        Work::Turning => (theme.icon("status", "live"), Tone::Secondary),
        Work::Done => (theme.icon("verdict", "pass"), Tone::Completed),
        Work::Lost => (theme.icon("mark", "disconnected"), Tone::Stuck),
        Work::Failed => (theme.icon("verdict", "fail"), Tone::Failed),
    };
    if data.work == Work::Turning && !data.is_calm {
        turning_ui(&mut row, &icon);
    } else {
        row.icon(&icon, 15.0, tone);
    }
    row.gap(6.0);
    row.text(&data.lead, Text::Note, Tone::Secondary);
    for part in &data.parts {
        row.gap(14.0);
        row.text(part, Text::Note, Tone::Tertiary);
    }
    if data.has_repair {
        row.gap(14.0);
        let at = egui::pos2(row.rect.min.x, row.rect.center().y);
        let show = link(row.ui, theme, at, Align2::LEFT_CENTER, &say!("status-show"));
        row.rect.min.x = show.rect.max.x;
        if show.clicked() {
            send.send(Command::Repair(RepairCommand::Show));
        }
    }
    if let Some(work) = &data.lab {
        row.gap(14.0);
        row.text(&work.words, Text::Note, Tone::Secondary);
        row.gap(8.0);
        let at = egui::pos2(row.rect.min.x, row.rect.center().y);
        let stop = link(row.ui, theme, at, Align2::LEFT_CENTER, &work.stop);
        row.rect.min.x = stop.rect.max.x;
        if stop.clicked() {
            send.send(work.command.command());
        }
    }
    if data.can_stop {
        row.gap(14.0);
        let at = egui::pos2(row.rect.min.x, row.rect.center().y);
        if link(row.ui, theme, at, Align2::LEFT_CENTER, &say!("status-stop")).clicked() {
            send.send(Command::Keys(KeysCommand::StopScan));
        }
    }
}

fn keys_ui(row: &mut Row<'_>, data: &StatusData) {
    for (key, word) in data.keys.iter().rev() {
        row.text_right(word, Text::Note, Tone::Tertiary);
        row.gap_right(5.0);
        row.text_right(key, Text::MonoSmall, Tone::Secondary);
        row.gap_right(14.0);
    }
}

/// Turns while something runs, and asks for frames only then.
fn turning_ui(row: &mut Row<'_>, icon: &crate::ui::theme::Icon) {
    let theme = row.theme;
    let place = row.take(15.0, 15.0);
    let ctx = row.ui.ctx().clone();
    let turn = ctx.input(|input| (input.time / 1.2).fract()) as f32;
    let font = theme.icon_font(icon, 14.0);
    let color = theme.tone(Tone::Secondary);
    let galley = ctx.fonts_mut(|fonts| fonts.layout_no_wrap(icon.text(), font, color));
    let corner = place.center() - galley.size() / 2.0;
    let shape = egui::epaint::TextShape::new(corner, galley, color)
        .with_angle_and_anchor(turn * std::f32::consts::TAU, Align2::CENTER_CENTER);
    row.ui.painter().add(shape);
    ctx.request_repaint_after(std::time::Duration::from_millis(66));
}
