//! The lab for a room: title, diagrams, counters, sentence, and a line of progress.
//!
//! Apart from the view because nothing else of the window is there.

use egui::{Rect, Ui, pos2, vec2};

use super::data::{column_data, seconds};
use super::facts_ui::figure_ui;
use super::head_ui::caps_right;
use super::{LabMemory, diagram_area_ui, note_room, pen_hair};
use crate::app::State;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::{Pen, Row, Span};

const HEAD: f32 = 58.0;
const COLUMN_HEAD: f32 = 36.0;
const FOOT: f32 = 104.0;
const EDGE: f32 = 20.0;
const PROGRESS: f32 = 4.0;

pub fn projector_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut LabMemory,
    send: &Commands,
) {
    ui.painter()
        .rect_filled(rect, 0, theme.tokens().surface.base.0);
    note_room(state, rect.width(), send);
    let (head, rest) = rect.split_top_bottom_at_y(rect.min.y + HEAD);
    head_ui(ui, theme, head, state);
    let (body, line) = rest.split_top_bottom_at_y(rest.max.y - PROGRESS);
    let shown = state.lab.shown_sides();
    let width = (body.width() / shown.len().max(1) as f32).round();
    for (n, at) in shown.iter().enumerate() {
        let x = body.min.x + width * n as f32;
        let column = Rect::from_min_size(pos2(x, body.min.y), vec2(width, body.height()));
        ui.push_id(("column", at), |ui| {
            column_ui(ui, theme, column, (state, *at), memory, send);
        });
        if n > 0 {
            Pen::new(ui.painter(), theme).vline(x - 0.5, column.y_range(), pen_hair(theme));
        }
    }
    let tokens = theme.tokens();
    ui.painter().rect_filled(line, 0, tokens.line.strong.0);
    let share = (state.lab.cursor.at / state.lab.length().max(1.0)).clamp(0.0, 1.0) as f32;
    let gone = Rect::from_min_size(line.min, vec2(line.width() * share, PROGRESS));
    ui.painter().rect_filled(gone, 0, tokens.accent.solid.0);
}

fn head_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State) {
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.max.y - 0.5, pen.hair());
    let Some(scenario) = state.lab.scenario() else {
        return;
    };
    let play = match state.lab.cursor.is_playing {
        true => say!("lab-pause"),
        false => say!("lab-play"),
    };
    let caps = [("Space", play.to_lowercase()), ("P", say!("lab-back"))];
    let right = pos2(rect.max.x - EDGE, rect.center().y);
    let x = caps_right(ui, theme, right, &caps);
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(EDGE, 0.0)));
    row.rect.max.x = x;
    let now = say!("lab-seconds", time = seconds(state.lab.cursor.at));
    row.text_right(&now, Text::MonoLead, Tone::Secondary);
    row.gap_right(16.0);
    let (top, foot) = row.rect.split_top_bottom_at_y(rect.min.y + 32.0);
    Row::new(ui, theme, top.translate(vec2(0.0, 3.0))).text(
        scenario.title.spoken(),
        Text::Far,
        Tone::Primary,
    );
    Row::new(ui, theme, foot.translate(vec2(0.0, -2.0))).text(
        scenario.lesson.spoken(),
        Text::Body,
        Tone::Secondary,
    );
}

fn column_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (state, at): (&State, usize),
    memory: &mut LabMemory,
    send: &Commands,
) {
    let Some((side, data)) = state.lab.sides.get(at).zip(column_data(state, at)) else {
        return;
    };
    let (head, rest) = rect.split_top_bottom_at_y(rect.min.y + COLUMN_HEAD);
    let mut row = Row::new(ui, theme, head.shrink2(vec2(EDGE, 0.0)));
    row.text(&data.title, Text::FarStrong, Tone::Primary);
    row.gap(8.0);
    row.text(&data.about, Text::Body, Tone::Secondary);
    let (drawn, foot) = rest.split_top_bottom_at_y(rest.max.y - FOOT);
    diagram_area_ui(ui, theme, drawn, (state, side, at, &data), memory, send);
    ui.painter()
        .rect_filled(foot, 0, theme.tokens().surface.raised.0);
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(foot.x_range(), foot.min.y + 0.5, pen.hair());
    let width = ((foot.width() - 2.0 * EDGE) / data.counters.len().max(1) as f32).min(104.0);
    for (n, figure) in data.counters.iter().enumerate() {
        let corner = foot.min + vec2(EDGE + width * n as f32, 14.0);
        let place = Rect::from_min_size(corner, vec2(width, 44.0));
        figure_ui(ui, theme, place, figure, Text::Figure);
    }
    let sentence: Vec<Span> = data.sentence.into_iter().map(far).collect();
    let line = Rect::from_min_max(pos2(foot.min.x, foot.min.y + 64.0), foot.max);
    let mut row = Row::new(ui, theme, line.shrink2(vec2(EDGE, 0.0)));
    if let Some(verdict) = &data.verdict {
        let icon = theme.icon("verdict", verdict.icon);
        row.icon_right(&icon, 17.0, verdict.tone);
        row.gap_right(8.0);
    }
    row.spans(&sentence);
}

/// The same in the size that is read from afar.
fn far(span: Span) -> Span {
    let kind = match span.kind {
        Text::Section => Text::FarStrong,
        _ => Text::FarSentence,
    };
    Span { kind, ..span }
}
