//! What stands under a diagram: the sentence, the counters, the ledger, the rows, what everybody
//! believes in the end.

use egui::{Align2, Rect, ScrollArea, Ui, UiBuilder, pos2, vec2};

use super::data::{ColumnData, Figure, LedgerLine, RowLine};
use crate::present::say::say;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::{Pen, Row, Span};

const EDGE: f32 = 16.0;
const LINE: f32 = 24.0;
const FIGURE: f32 = 100.0;
/// Of what one of them believes.
const BELIEF: f32 = 36.0;
const BELIEF_MAX: f32 = 200.0;

pub fn sentence_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &ColumnData) {
    ui.painter()
        .rect_filled(rect, 0, theme.tokens().surface.raised.0);
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.min.y + 0.5, pen.hair());
    pen.hline(rect.x_range(), rect.max.y - 0.5, pen.hair());
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(EDGE, 0.0)));
    if let Some(verdict) = &data.verdict {
        let galley =
            Pen::new(row.ui.painter(), theme).galley(&verdict.word, Text::Body, verdict.tone);
        // The sentence comes first.
        let sentence = Pen::new(row.ui.painter(), theme).spans(&data.sentence);
        let room = (row.room() - sentence.size().x - 48.0).max(0.0);
        if galley.size().x <= room {
            row.text_right(&verdict.word, Text::Body, verdict.tone)
                .on_hover_text(&verdict.whole);
            row.gap_right(6.0);
        }
        let icon = theme.icon("verdict", verdict.icon);
        row.icon_right(&icon, 15.0, verdict.tone);
        row.gap_right(12.0);
    }
    row.spans(&data.sentence);
}

pub fn facts_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &ColumnData) {
    let mut inside = ui.new_child(UiBuilder::new().max_rect(rect).id_salt("facts"));
    inside.set_clip_rect(rect.intersect(ui.clip_rect()));
    inside.spacing_mut().item_spacing = vec2(0.0, 0.0);
    ScrollArea::vertical()
        .id_salt("facts")
        .auto_shrink([false, false])
        .show(&mut inside, |ui| {
            ui.add_space(10.0);
            counters_ui(ui, theme, &data.counters);
            beliefs_ui(ui, theme, &data.beliefs);
            // What was missed may be longer than the sentence leaves room for.
            if let Some(verdict) = data.verdict.as_ref().filter(|v| v.tone == Tone::Failed) {
                for line in verdict.whole.lines() {
                    text_line(ui, theme, line, Tone::Failed);
                }
            }
            title_ui(ui, theme, &data.ledger_title);
            if data.ledger_more > 0 {
                let words = say!("lab-earlier", count = data.ledger_more);
                text_line(ui, theme, &words, Tone::Tertiary);
            }
            if data.ledger.is_empty() {
                text_line(ui, theme, &say!("lab-ledger-empty"), Tone::Secondary);
            }
            for line in &data.ledger {
                ledger_ui(ui, theme, line);
            }
            for line in &data.mails {
                ledger_ui(ui, theme, line);
            }
            title_ui(ui, theme, &data.rows_title);
            if data.rows.is_empty() {
                text_line(ui, theme, &data.no_rows, Tone::Secondary);
            }
            for line in &data.rows {
                row_ui(ui, theme, line);
            }
            if data.rows_more > 0 {
                let words = say!("lab-more", count = data.rows_more);
                text_line(ui, theme, &words, Tone::Tertiary);
            }
            ui.add_space(10.0);
        });
}

fn counters_ui(ui: &mut Ui, theme: &Theme, counters: &[Figure]) {
    let row = Row::next(ui, theme, 44.0);
    let (rect, ui) = (row.rect, row.ui);
    let room = rect.width() - 2.0 * EDGE;
    let count = counters.len().max(1) as f32;
    let pen = Pen::new(ui.painter(), theme);
    let wide = |text: &str, kind| pen.galley(text, kind, Tone::Primary).size().x;
    let widths: Vec<f32> = counters
        .iter()
        .map(|figure| wide(&figure.word, Text::Note).max(wide(&figure.value, Text::Figure)))
        .collect();
    // In equal columns where the words fit them, else as wide as they are.
    let equal = (room / count).min(FIGURE);
    let fits = widths.iter().all(|width| *width + 8.0 <= equal);
    let spare = (room - widths.iter().sum::<f32>()) / (count - 1.0).max(1.0);
    let mut x = rect.min.x + EDGE;
    for (figure, width) in counters.iter().zip(widths) {
        let step = if fits {
            equal
        } else {
            width + spare.clamp(8.0, 28.0)
        };
        let place = Rect::from_min_size(pos2(x, rect.min.y), vec2(step, 44.0));
        figure_ui(ui, theme, place, figure, Text::Figure);
        x += step;
    }
}

/// A large figure with what it counts.
pub fn figure_ui(ui: &mut Ui, theme: &Theme, place: Rect, figure: &Figure, kind: Text) {
    let name = format!("{} {}", figure.value.replace('\u{a0}', " "), figure.word);
    let id = egui::Id::unique((ui.scope_id(), "figure", place.min.x as i32));
    ui.interact(place, id, egui::Sense::hover())
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &name));
    let pen = Pen::new(ui.painter(), theme);
    let top = pos2(place.min.x, place.min.y);
    let drawn = pen.text(top, Align2::LEFT_TOP, &figure.value, kind, figure.tone);
    let below = pos2(place.min.x, drawn.max.y + 1.0);
    pen.text(
        below,
        Align2::LEFT_TOP,
        &figure.word,
        Text::Note,
        Tone::Tertiary,
    );
}

fn title_ui(ui: &mut Ui, theme: &Theme, words: &str) {
    ui.add_space(4.0);
    let mut row = Row::next(ui, theme, LINE);
    row.gap(EDGE);
    row.text(words, Text::Note, Tone::Secondary);
}

fn text_line(ui: &mut Ui, theme: &Theme, words: &str, tone: Tone) {
    let mut row = Row::next(ui, theme, LINE);
    row.gap(EDGE);
    row.gap_right(EDGE);
    row.text(words, Text::Note, tone).on_hover_text(words);
}

fn ledger_ui(ui: &mut Ui, theme: &Theme, line: &LedgerLine) {
    let mut row = Row::next(ui, theme, LINE);
    row.gap(EDGE);
    row.gap_right(EDGE);
    let (icon, tone, word) = match line.is_wanted {
        true => ("pass", Tone::Completed, Tone::Secondary),
        false => ("fail", Tone::Failed, Tone::Failed),
    };
    row.text_right(&line.word, Text::Body, word);
    row.gap_right(6.0);
    row.icon_right(&theme.icon("verdict", icon), 15.0, tone);
    row.gap_right(12.0);
    cell(&mut row, 64.0, &line.id, Tone::Primary);
    right_cell(&mut row, 76.0, &line.amount, Tone::Primary);
    row.gap(16.0);
    cell(&mut row, 92.0, &line.who, Tone::Secondary);
    cell(&mut row, f32::INFINITY, &line.key, Tone::Tertiary);
}

fn row_ui(ui: &mut Ui, theme: &Theme, line: &RowLine) {
    let mut row = Row::next(ui, theme, LINE);
    row.gap(EDGE);
    row.gap_right(EDGE);
    if row.room() > 440.0 {
        row.text_right(&line.stands_for, Text::Note, Tone::Tertiary);
        row.gap_right(10.0);
    }
    row.text_right(&line.ttl, Text::Mono, Tone::Secondary)
        .on_hover_text(&line.stands_for);
    row.gap_right(6.0);
    row.text_right(&say!("lab-ttl"), Text::Note, Tone::Tertiary);
    row.gap_right(10.0);
    row.icon(&theme.icon("status", line.icon), 15.0, line.tone);
    row.gap(6.0);
    row.text(&line.word, Text::Body, line.word_tone);
    row.gap(10.0);
    row.spans(&[Span::mono(&line.key, Tone::Primary)]);
    row.gap(10.0);
    row.spans(&[Span::mono(&line.hash, Tone::Tertiary)]);
    row.gap(10.0);
    row.spans(&[Span::mono(&line.answer, Tone::Secondary)]);
}

fn cell(row: &mut Row<'_>, width: f32, text: &str, tone: Tone) {
    let place = row.take(width.min(row.room()), LINE);
    Row::new(row.ui, row.theme, place).spans(&[Span::mono(text, tone)]);
}

fn right_cell(row: &mut Row<'_>, width: f32, text: &str, tone: Tone) {
    let place = row.take(width.min(row.room()), LINE);
    Row::new(row.ui, row.theme, place).spans_right(&[Span::mono(text, tone)]);
}

/// Who, and under it what they take for true, in columns of equal width.
fn beliefs_ui(ui: &mut Ui, theme: &Theme, beliefs: &[(String, String)]) {
    ui.add_space(6.0);
    let row = Row::next(ui, theme, BELIEF);
    let (rect, ui) = (row.rect, row.ui);
    let count = beliefs.len().max(1) as f32;
    let width = ((rect.width() - 2.0 * EDGE) / count).min(BELIEF_MAX);
    for (at, (who, what)) in beliefs.iter().enumerate() {
        let x = rect.min.x + EDGE + width * at as f32;
        let place = Rect::from_min_size(pos2(x, rect.min.y), vec2(width - 8.0, BELIEF));
        let id = egui::Id::unique((ui.scope_id(), "belief", at));
        let name = say!("lab-believes", who = who, what = what);
        let response = ui.interact(place, id, egui::Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &name));
        let pen = Pen::new(ui.painter(), theme);
        let top = place.min;
        let drawn = pen.text(top, Align2::LEFT_TOP, who, Text::Note, Tone::Tertiary);
        let galley = pen.elided(&[Span::body(what, Tone::Primary)], place.width());
        let is_cut = galley.rows.iter().any(|row| row.row.text().contains('…'));
        let below = pos2(place.min.x, drawn.max.y + 1.0);
        pen.put(galley, below, Align2::LEFT_TOP);
        if is_cut {
            response.on_hover_text(name);
        }
    }
}
