//! What the attempts came to, where they came from, and what is worth a look.

use egui::{Align2, Rect, Ui, pos2, vec2};

use super::data::{self, Lead, TableLine};
use super::marks::mark_ui;
use super::title_ui;
use crate::app::command::{Command, StatsCommand};
use crate::app::view::{Mark, Told};
use crate::app::{Named, State};
use crate::present::count::{self, Font};
use crate::present::escape;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::link;
use crate::ui::widgets::span::stored_end;
use crate::ui::widgets::{Pen, Row, Span};

const LINE: f32 = 27.0;
const PLACE: f32 = 26.0;

pub fn outcomes_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (state, told): (&State, &Told),
    send: &Commands,
) {
    let source = say!("stats-all-attempts", count = told.report.entries);
    title_ui(ui, theme, rect, (&say!("stats-came-to"), "", &source));
    let lines = data::outcomes(told);
    let room = rect.height() - 26.0;
    let height = (room / (lines.len().max(1) as f32 + 1.6)).clamp(18.0, LINE);
    let mut y = rect.min.y + 30.0;
    for line in &lines {
        let place = Rect::from_min_max(pos2(rect.min.x, y), pos2(rect.max.x, y + height));
        if line.count > 0 {
            let name = say!(
                "stats-mark-line",
                name = line.word.as_str(),
                count = line.count
            );
            let lead = Lead::Keys(Mark::Family(line.family));
            let ground = place.expand2(vec2(6.0, -1.0));
            mark_ui(ui, theme, ground, (&name, &lead), send);
        }
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
    let room = Rect::from_min_max(pos2(rect.min.x, y + 8.0), rect.max);
    seen_ui(ui, theme, room, state);
}

/// What was seen besides the log, as many lines as there is room for.
pub fn seen_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State) {
    let mut y = rect.min.y;
    for line in data::seen(state) {
        if y + 18.0 > rect.max.y + 8.0 {
            return;
        }
        let place = Rect::from_min_max(pos2(rect.min.x, y), pos2(rect.max.x, y + 18.0));
        let whole = format!("{}: {} {}", line.title, line.text, line.of);
        let mut row = Row::new(ui, theme, place);
        row.text(&line.title, Text::Source, Tone::Secondary);
        row.gap(8.0);
        let rest = format!("{}   {}", line.text, line.of);
        row.text(rest.trim(), Text::Source, Tone::Tertiary)
            .on_hover_text(whole.trim());
        y += 18.0;
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
    fn of(width: f32, has_client: bool) -> Columns {
        let rest = width - 4.0 * NUMBER;
        let has_client = has_client && rest > CLIENT + 150.0;
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
    let table = data::table(state, told);
    let title = say!("stats-where");
    title_ui(ui, theme, rect, (&title, "", &table.source));
    by_ui(ui, theme, rect, state, send);
    let columns = Columns::of(rect.width(), table.has_client);
    let head = Rect::from_min_max(
        pos2(rect.min.x, rect.min.y + 24.0),
        pos2(rect.max.x, rect.min.y + 44.0),
    );
    let numbers = table.columns.clone().map(|title| (title, Tone::Tertiary));
    let operation = [Span::new(&table.title, Text::Note, Tone::Tertiary)];
    let client = [Span::new(
        say!("stats-column-client"),
        Text::Note,
        Tone::Tertiary,
    )];
    let names = (operation.as_slice(), client.as_slice());
    line_ui(ui, theme, head, &columns, names, (&numbers, Text::Note));
    let worth = data::worth(state);
    let wanted = match worth.len() {
        0 => 0.0,
        lines => 44.0 + lines.min(4) as f32 * PLACE,
    };
    let room = (rect.max.y - head.max.y - wanted).max(PLACE * 2.0);
    let lines = (room / PLACE).floor() as usize;
    let mut y = head.max.y;
    if !table.empty.is_empty() {
        let place = Rect::from_min_max(pos2(rect.min.x, y), pos2(rect.max.x, y + PLACE));
        Row::new(ui, theme, place).text(&table.empty, Text::Note, Tone::Tertiary);
        y += PLACE;
    }
    for line in table.lines.iter().take(lines.min(8)) {
        let place = Rect::from_min_max(pos2(rect.min.x, y), pos2(rect.max.x, y + PLACE));
        place_ui(ui, theme, place, (&columns, line), send);
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

/// Beside the title: what the table tells apart by, and a way to the next.
fn by_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let word = say!("stats-by", by = state.stats.by.word());
    let pen = Pen::new(ui.painter(), theme);
    let title = pen.galley(&say!("stats-where"), Text::Section, Tone::Primary);
    let at = pos2(rect.min.x + title.size().x + 12.0, rect.min.y + 11.0);
    let pressed = link(ui, theme, at, Align2::LEFT_CENTER, &word);
    let hint = Named::StatsBy.info();
    let hint = format!("{} ({})", hint.hint, hint.shortcut.text());
    if pressed.on_hover_text(hint).clicked() {
        send.send(Command::Stats(StatsCommand::NextBy));
    }
}

fn place_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (columns, line): (&Columns, &TableLine),
    send: &Commands,
) {
    let name = line.name.as_deref().unwrap_or(&line.words);
    if let Some(lead) = &line.lead {
        let client = line.client.as_deref().unwrap_or_default();
        let shown = escape::shown(format!("{name} {client}").trim(), 100);
        let [(count, _), ..] = &line.numbers;
        let words = say!("stats-mark-place", name = shown, count = count.as_str());
        let ground = rect.expand2(vec2(6.0, -1.0));
        mark_ui(ui, theme, ground, (&words, lead), send);
    }
    let (method, path) = name.split_once(' ').unwrap_or(("", name));
    let operation = match (columns.has_client, &line.name) {
        (true, Some(_)) => {
            let mut spans = stored_end(method, 12, Text::Mono, Tone::Secondary);
            if !method.is_empty() {
                spans.push(Span::mono(" ", Tone::Secondary));
            }
            spans.extend(stored_end(path, 60, Text::Mono, Tone::Primary));
            spans
        }
        (_, Some(name)) => stored_end(name, 80, Text::Mono, Tone::Primary),
        (true, None) => vec![Span::new("–", Text::Note, Tone::Tertiary)],
        (false, None) => vec![Span::body(&line.words, Tone::Secondary)],
    };
    let client = match &line.client {
        Some(client) => stored_end(client, 40, Text::Note, Tone::Secondary),
        None => vec![Span::new("–", Text::Note, Tone::Tertiary)],
    };
    let names = (operation.as_slice(), client.as_slice());
    line_ui(ui, theme, rect, columns, names, (&line.numbers, Text::Mono));
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
        let words = data::worth_words(line);
        let name = say!(
            "stats-mark-worth",
            count = line.count,
            words = words.as_str()
        );
        let lead = Lead::Keys(line.mark.clone());
        let ground = place.expand2(vec2(6.0, -1.0));
        mark_ui(ui, theme, ground, (&name, &lead), send);
        let mut row = Row::new(ui, theme, place);
        let number = row.rect.with_max_x(rect.min.x + 36.0);
        row.gap(46.0);
        row.text_right(&say!("stats-show-keys"), Text::Body, Tone::Accent);
        row.gap_right(14.0);
        row.text(&words, Text::Body, Tone::Secondary);
        Row::new(ui, theme, number).text_right(
            &count::short(line.count, Font::Mono),
            Text::Mono,
            Tone::Primary,
        );
        y += PLACE;
    }
}
