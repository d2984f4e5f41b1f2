//! What came of opening and testing, and the buttons that ask for it.

use egui::{Align2, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use super::data::{ConnectData, Found, Mood, TestData};
use crate::app::State;
use crate::app::command::{Command, ConnectCommand, FormCommand, Named};
use crate::present::escape::shown;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Weight};
use crate::ui::widgets::{Pen, Row, Span};

const LINE: f32 = 28.0;
const WORD: f32 = 132.0;
/// Room for a time, and for where a setting comes from.
const NOTE: f32 = 70.0;
const ORIGIN: f32 = 220.0;

/// What went wrong, and what now; or what was saved.
pub fn failure_ui(ui: &mut Ui, theme: &Theme, data: &ConnectData) {
    if let Some((text, hint)) = &data.failure {
        told_ui(ui, theme, (text, hint.as_deref()), true);
    } else if let Some(said) = &data.said {
        told_ui(ui, theme, (said, None), false);
    }
}

fn told_ui(ui: &mut Ui, theme: &Theme, (text, hint): (&str, Option<&str>), is_bad: bool) {
    let (icon, tone) = match is_bad {
        true => (theme.icon("verdict", "fail"), Tone::Failed),
        false => (theme.icon("verdict", "pass"), Tone::Completed),
    };
    let size = theme.common().icon_size.in_row;
    let parts = [(Some(text), Tone::Primary), (hint, Tone::Secondary)];
    for (at, (part, ink)) in parts.into_iter().enumerate() {
        let Some(part) = part else { continue };
        let part = shown(part, 600);
        let width = ui.available_width() - 24.0;
        let galley = Pen::new(ui.painter(), theme).wrapped(&[Span::body(&part, ink)], width, 4);
        let height = galley.size().y.max(20.0);
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &part));
        let pen = Pen::new(ui.painter(), theme);
        if at == 0 {
            let center = rect.min + vec2(size / 2.0, 10.0);
            pen.icon(center, &icon, size, tone);
        }
        let top = pos2(rect.min.x + 24.0, rect.min.y + (20.0 - 16.0) / 2.0);
        pen.put(galley, top, Align2::LEFT_TOP);
    }
    ui.add_space(8.0);
}

/// The card of what a test has found.
pub fn test_ui(ui: &mut Ui, theme: &Theme, data: &ConnectData) {
    match &data.test {
        TestData::Nothing => {}
        TestData::Running => {
            let mut row = Row::next(ui, theme, LINE);
            row.icon(&theme.icon("status", "live"), 15.0, Tone::Secondary);
            row.gap(9.0);
            let text = say!("connect-testing");
            row.text(&text, Text::Body, Tone::Secondary);
        }
        TestData::Failed(text, hint) => told_ui(ui, theme, (text, hint.as_deref()), true),
        TestData::Found(lines, settings) => {
            card_ui(ui, theme, lines);
            if !settings.is_empty() {
                ui.add_space(8.0);
                let title = say!("origin-title");
                Row::next(ui, theme, 30.0).text(&title, Text::Body, Tone::Secondary);
                card_ui(ui, theme, settings);
            }
        }
    }
}

fn card_ui(ui: &mut Ui, theme: &Theme, lines: &[Found]) {
    let heights: Vec<f32> = lines.iter().map(|found| height(ui, theme, found)).collect();
    let size = vec2(ui.available_width(), heights.iter().sum::<f32>() + 20.0);
    let (card, _) = ui.allocate_exact_size(size, Sense::hover());
    let tokens = theme.tokens();
    let radius = theme.common().radius.card;
    let painter = ui.painter();
    painter.rect_filled(card, radius, tokens.surface.raised.0);
    let stroke = Stroke::new(1.0, tokens.line.hair.0);
    painter.rect_stroke(card, radius, stroke, StrokeKind::Inside);
    let mut y = card.min.y + 10.0;
    for (found, height) in lines.iter().zip(heights) {
        let min = pos2(card.min.x + 16.0, y);
        let rect = Rect::from_min_size(min, vec2(card.width() - 32.0, height));
        line_ui(ui, theme, rect, found);
        y += height;
    }
}

/// Room for the words of a line, beside its note.
fn words_width(width: f32, mood: Mood) -> f32 {
    let note = match mood {
        Mood::Plain => ORIGIN,
        Mood::Good | Mood::Lacking => NOTE,
    };
    width - left_of(mood) - WORD - note
}

/// Room for the glyph, where there is one.
fn left_of(mood: Mood) -> f32 {
    match mood {
        Mood::Plain => 4.0,
        Mood::Good | Mood::Lacking => 24.0,
    }
}

fn height(ui: &Ui, theme: &Theme, found: &Found) -> f32 {
    let width = words_width(ui.available_width() - 32.0, found.mood);
    let spans = [Span::body(&found.text, Tone::Secondary)];
    let galley = Pen::new(ui.painter(), theme).wrapped(&spans, width, 4);
    (galley.size().y + 10.0).max(LINE)
}

fn line_ui(ui: &mut Ui, theme: &Theme, rect: Rect, found: &Found) {
    let icon = match found.mood {
        Mood::Good => Some((theme.icon("verdict", "pass"), Tone::Completed)),
        Mood::Lacking => Some((theme.icon("act", "not_allowed"), Tone::Secondary)),
        Mood::Plain => None,
    };
    let pen = Pen::new(ui.painter(), theme);
    let middle = rect.min.y + LINE / 2.0;
    if let Some((icon, tone)) = icon {
        pen.icon(pos2(rect.min.x + 8.0, middle), &icon, 15.0, tone);
    }
    let left = Align2::LEFT_CENTER;
    let start = rect.min.x + left_of(found.mood);
    let at = pos2(start, middle);
    pen.text(at, left, &found.word, Text::Body, Tone::Primary);
    let at = pos2(rect.max.x, middle);
    let note = (Text::MonoSmall, Tone::Tertiary);
    pen.text(at, Align2::RIGHT_CENTER, &found.note, note.0, note.1);
    let spans = [Span::body(&found.text, Tone::Secondary)];
    let galley = pen.wrapped(&spans, words_width(rect.width(), found.mood), 4);
    let first = galley.rows.first().map_or(16.0, |row| row.height());
    let at = pos2(start + WORD, middle - first / 2.0);
    pen.put(galley, at, Align2::LEFT_TOP);
    let name = format!("{}: {}", found.word, found.text);
    let id = egui::Id::unique((ui.scope_id(), "found", &found.word));
    ui.interact(rect, id, Sense::hover())
        .widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
}

pub fn buttons_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    data: &ConnectData,
    send: &Commands,
) {
    let height = theme.common().height.button;
    let mut row = Row::new(ui, theme, rect);
    let press = |row: &mut Row<'_>, button: Button| {
        let width = button.width(row.ui, theme);
        let place = row.take_right(width, height);
        row.gap_right(8.0);
        button.show(row.ui, theme, place).clicked()
    };
    let cap = |named: Named| named.shortcut().text();
    let label = match data.is_connecting {
        true => say!("connect-opening"),
        false => say!("connect-open"),
    };
    let weight = match data.can_open {
        true => Weight::Primary,
        false => Weight::Plain,
    };
    let open = Button::new(&label).key("Enter").weight(weight);
    if press(&mut row, open) {
        send.send(Named::OpenConnection.command());
    }
    let (test, save) = (say!("connect-test"), say!("connect-save"));
    let button = Button::new(&test).key(cap(Named::TestConnection));
    if press(&mut row, button) {
        send.send(Named::TestConnection.command());
    }
    let button = Button::new(&save).key(cap(Named::SaveConnection));
    if press(&mut row, button) {
        send.send(Named::SaveConnection.command());
    }
    let clear = say!("connect-new");
    let is_blank = state.connect.form == Default::default();
    if !is_blank && press(&mut row, Button::new(&clear).weight(Weight::Ghost)) {
        let command = ConnectCommand::Form(FormCommand::New);
        send.send(Command::Connect(command));
    }
    row.gap_right(8.0);
    let promise = say!("connect-read-only");
    let pen = Pen::new(row.ui.painter(), theme);
    let width = pen.galley(&promise, Text::Note, Tone::Tertiary).size().x;
    // Half a sentence is worth less than none.
    if row.room() > width + 24.0 {
        row.icon(&theme.icon("mark", "read_only"), 15.0, Tone::Tertiary);
        row.gap(8.0);
        row.text(&promise, Text::Note, Tone::Tertiary);
    }
}
