//! What the attempts came to, where they came from, and what is worth a look.

use egui::{Align2, Rect, Ui, pos2, vec2};

use super::data;
use super::title_ui;
use crate::app::State;
use crate::app::command::{Command, StatsCommand};
use crate::app::view::StatsPlace;
use crate::app::view::Told;
use crate::domain::attempt::Family;
use crate::present::count::{self, Font};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::link;
use crate::ui::widgets::span::stored_end;
use crate::ui::widgets::{Pen, Row, Span};

const LINE: f32 = 27.0;
const PLACE: f32 = 26.0;

pub fn outcomes_ui(ui: &mut Ui, theme: &Theme, rect: Rect, told: &Told) {
    let source = say!("stats-all-attempts", count = told.report.entries);
    title_ui(ui, theme, rect, (&say!("stats-came-to"), "", &source));
    let lines = data::outcomes(told);
    let room = rect.height() - 26.0;
    let height = (room / (lines.len().max(1) as f32 + 1.6)).clamp(18.0, LINE);
    let mut y = rect.min.y + 30.0;
    for line in &lines {
        let place = Rect::from_min_max(pos2(rect.min.x, y), pos2(rect.max.x, y + height));
        let color = theme.outcome(line.family);
        let square =
            Rect::from_center_size(pos2(rect.min.x + 5.0, place.center().y), vec2(10.0, 10.0));
        ui.painter().rect_filled(square, 2, color);
        let bar_from = rect.min.x + 134.0;
        let bar_room = (rect.width() - 134.0 - 132.0).max(0.0);
        if line.count > 0 && bar_room > 20.0 {
            let width = (bar_room * line.part).max(2.0);
            let bar = Rect::from_min_size(pos2(bar_from, place.center().y - 3.0), vec2(width, 6.0));
            ui.painter().rect_filled(bar, 2, color);
        }
        let mut row = Row::new(ui, theme, place);
        row.gap(20.0);
        let word = row
            .rect
            .with_max_x((rect.min.x + 130.0).min(row.rect.max.x));
        row.text_right(&line.share, Text::Mono, Tone::Tertiary);
        row.rect.max.x = rect.max.x - 60.0;
        row.text_right(
            &count::grouped(line.count, Font::Mono),
            Text::Mono,
            Tone::Primary,
        );
        Row::new(ui, theme, word).text(&line.word, Text::Body, Tone::Primary);
        y += height;
    }
    y += 8.0;
    let pen = Pen::new(ui.painter(), theme);
    for words in [say!("stats-refused-is"), say!("stats-repeated-is")] {
        if y + 14.0 <= rect.max.y + 8.0 {
            let galley = pen.elided(
                &[Span::new(words, Text::Source, Tone::Tertiary)],
                rect.width(),
            );
            pen.put(galley, pos2(rect.min.x, y), Align2::LEFT_TOP);
            y += 16.0;
        }
    }
}

/// The columns of the table: their right ends, from the right.
struct Columns {
    has_client: bool,
    operation: f32,
}

const NUMBER: f32 = 56.0;
const CLIENT: f32 = 118.0;

impl Columns {
    fn of(width: f32) -> Columns {
        let rest = width - 4.0 * NUMBER;
        let has_client = rest > CLIENT + 150.0;
        Columns {
            has_client,
            operation: if has_client { rest - CLIENT } else { rest },
        }
    }
}

pub fn places_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (state, told): (&State, &Told),
    send: &Commands,
) {
    let source = crate::app::view::stats_words::basis(crate::app::view::Basis::Log);
    title_ui(ui, theme, rect, (&say!("stats-where"), "", &source));
    let columns = Columns::of(rect.width());
    let head = Rect::from_min_max(
        pos2(rect.min.x, rect.min.y + 24.0),
        pos2(rect.max.x, rect.min.y + 44.0),
    );
    let titles = [
        say!("stats-column-attempts"),
        say!("stats-column-per-key"),
        say!("stats-column-retries"),
        say!("stats-column-again"),
    ];
    let numbers = titles.map(|title| (title, Tone::Tertiary));
    let operation = [Span::new(
        say!("column-operation"),
        Text::Note,
        Tone::Tertiary,
    )];
    let client = [Span::new(
        say!("stats-column-client"),
        Text::Note,
        Tone::Tertiary,
    )];
    line_ui(
        ui,
        theme,
        head,
        &columns,
        (&operation, &client),
        (&numbers, Text::Note),
    );
    let worth = data::worth(state);
    let wanted = match worth.len() {
        0 => 0.0,
        lines => 44.0 + lines.min(4) as f32 * PLACE,
    };
    let room = (rect.max.y - head.max.y - wanted).max(PLACE * 2.0);
    let lines = (room / PLACE).floor() as usize;
    let mut y = head.max.y;
    for place in told.report.places.iter().take(lines.min(8)) {
        let line = Rect::from_min_max(pos2(rect.min.x, y), pos2(rect.max.x, y + PLACE));
        place_ui(ui, theme, line, &columns, place);
        y += PLACE;
    }
    worth_ui(
        ui,
        theme,
        Rect::from_min_max(pos2(rect.min.x, y + 14.0), rect.max),
        &worth,
        send,
    );
}

fn place_ui(ui: &mut Ui, theme: &Theme, rect: Rect, columns: &Columns, place: &StatsPlace) {
    let row = &place.row;
    let none = || "–".to_owned();
    let per_key = place.keys.filter(|keys| *keys > 0);
    let per_key = per_key.map(|keys| format!("{:.2}", row.attempts as f64 / keys as f64));
    let retries = match row.told {
        0 => none(),
        told => format!("{:.0} %", row.retries as f64 * 100.0 / told as f64),
    };
    let again = row.of_family(Family::Repeated);
    let is_much = again * 50 > row.attempts;
    let numbers = [
        (count::grouped(row.attempts, Font::Mono), Tone::Primary),
        (per_key.unwrap_or_else(none), Tone::Primary),
        (retries, Tone::Secondary),
        (
            count::grouped(again, Font::Mono),
            if is_much {
                Tone::Stuck
            } else {
                Tone::Secondary
            },
        ),
    ];
    let name = place.name.as_deref().unwrap_or("–");
    let (method, path) = name.split_once(' ').unwrap_or(("", name));
    let mut operation = stored_end(method, 12, Text::Mono, Tone::Secondary);
    if !method.is_empty() {
        operation.push(Span::mono(" ", Tone::Secondary));
    }
    operation.extend(stored_end(path, 60, Text::Mono, Tone::Primary));
    let client = match &place.client {
        Some(client) => stored_end(client, 40, Text::Note, Tone::Secondary),
        None => vec![Span::new("–", Text::Note, Tone::Tertiary)],
    };
    line_ui(
        ui,
        theme,
        rect,
        columns,
        (&operation, &client),
        (&numbers, Text::Mono),
    );
}

/// A line of the table: names from the left, numbers at their right ends.
fn line_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    columns: &Columns,
    (operation, client): (&[Span], &[Span]),
    (numbers, kind): (&[(String, Tone); 4], Text),
) {
    let y = rect.y_range();
    let place = Rect::from_x_y_ranges(rect.min.x..=rect.min.x + columns.operation - 8.0, y);
    Row::new(ui, theme, place).spans(operation);
    if columns.has_client {
        let from = rect.min.x + columns.operation;
        let place = Rect::from_x_y_ranges(from..=from + CLIENT - 6.0, y);
        Row::new(ui, theme, place).spans(client);
    }
    let from = rect.max.x - 4.0 * NUMBER;
    for (at, (text, tone)) in numbers.iter().enumerate() {
        let end = from + NUMBER * (at + 1) as f32;
        let place = Rect::from_x_y_ranges(end - NUMBER..=end, y);
        Row::new(ui, theme, place).text_right(text, kind, *tone);
    }
}

fn worth_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    worth: &[crate::app::view::Worth],
    send: &Commands,
) {
    if worth.is_empty() || rect.height() < 22.0 {
        return;
    }
    title_ui(ui, theme, rect, (&say!("stats-worth"), "", ""));
    let mut y = rect.min.y + 26.0;
    for line in worth {
        if y + PLACE > rect.max.y + 12.0 {
            break;
        }
        let place = Rect::from_min_max(pos2(rect.min.x, y), pos2(rect.max.x, y + PLACE));
        let mut row = Row::new(ui, theme, place);
        let number = row.rect.with_max_x(rect.min.x + 36.0);
        row.gap(46.0);
        if let Some(filter) = &line.filter {
            let words = say!("stats-show-keys");
            let at = pos2(row.rect.max.x, place.center().y);
            let pressed = link(row.ui, theme, at, Align2::RIGHT_CENTER, &words);
            if pressed.on_hover_text(filter).clicked() {
                send.send(Command::Stats(StatsCommand::OpenKeys(filter.clone())));
            }
            let pen = Pen::new(row.ui.painter(), theme);
            let width = pen.galley(&words, Text::Body, Tone::Accent).size().x;
            row.gap_right(width + 14.0);
        }
        row.text(&data::worth_words(line), Text::Body, Tone::Secondary);
        Row::new(ui, theme, number).text_right(
            &count::short(line.count, Font::Mono),
            Text::Mono,
            Tone::Primary,
        );
        y += PLACE;
    }
}
