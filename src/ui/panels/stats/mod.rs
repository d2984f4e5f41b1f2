//! Retry statistics: the answer in a sentence, six figures, retries over time, and what stands out.

mod bars;
mod chart;
pub mod data;
mod lists;
mod marks;
mod save_ui;
mod tiles_ui;

pub use save_ui::save_ui;

use egui::{Align2, Rect, Ui, pos2, vec2};

use chart::ChartMemory;
use data::StatsBody;
use tiles_ui::tiles_ui;

use crate::app::State;
use crate::app::command::{Command, KeysCommand, Named, StatsCommand};
use crate::app::state::StatsWindow;
use crate::app::view::Told;
use crate::app::view::stats_told;
use crate::present::say::say;
use crate::present::{count, escape};
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Chip, Weight};
use crate::ui::widgets::quiet::{Quiet, quiet_ui};
use crate::ui::widgets::{Pen, Row, Span};

/// What the view keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct StatsMemory {
    chart: ChartMemory,
    /// The bars that the keyboard is at.
    per_key: usize,
    delays: usize,
}

const HEAD: f32 = 62.0;
const TILES: f32 = 90.0;
const MARGIN: f32 = 20.0;

pub fn stats_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut StatsMemory,
    send: &Commands,
) {
    ui.painter()
        .rect_filled(rect, 0, theme.tokens().surface.base.0);
    let (head, rest) = rect.split_top_bottom_at_y(rect.min.y + HEAD);
    let told = stats_told(state);
    head_ui(ui, theme, head, (state, told), send);
    match (data::body(state), told) {
        (StatsBody::Figures, Some(told)) => {
            figures_ui(ui, theme, rest, (state, told), memory, send);
        }
        (StatsBody::Waiting, _) => {}
        (face, _) => face_ui(ui, theme, rest, (state, told), face, send),
    }
}

fn head_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (state, told): (&State, Option<&Told>),
    send: &Commands,
) {
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.max.y - 0.5, pen.hair());
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(MARGIN, 0.0)));
    let height = theme.common().height.button;
    if told.is_some() {
        let mut button = Button::new(say!("stats-export"))
            .key(Named::StatsExport.shortcut().text())
            .weight(Weight::Ghost);
        button.icon = Some(theme.icon("act", "export"));
        let place = row.take_right(button.width(row.ui, theme), height);
        if button.show(row.ui, theme, place).clicked() {
            send.send(Named::StatsExport.command());
        }
        row.gap_right(12.0);
    }
    for window in StatsWindow::ALL.into_iter().rev() {
        let word = window.word();
        let chip = Chip {
            word: &word,
            count: None,
            icon: None,
            is_chosen: state.stats.picked.is_none() && state.stats.window == window,
        };
        let place = row.take_right(chip.width(row.ui, theme), height);
        row.gap_right(2.0);
        if chip.show(row.ui, theme, place).clicked() {
            send.send(Command::Stats(StatsCommand::Window(window)));
        }
    }
    row.gap_right(16.0);
    let room = row.rect;
    let head = match (told, data::body(state)) {
        (Some(told), StatsBody::Figures) => data::head(state, told),
        _ => data::Head {
            sentence: Named::Stats.info().label,
            detail: Named::Stats.info().hint,
        },
    };
    let line = |from: f32, to: f32| {
        Rect::from_min_max(
            pos2(room.min.x, rect.min.y + from),
            pos2(room.max.x, rect.min.y + to),
        )
    };
    Row::new(ui, theme, line(8.0, 34.0)).text(&head.sentence, Text::View, Tone::Primary);
    Row::new(ui, theme, line(34.0, 54.0))
        .text(&head.detail, Text::Note, Tone::Secondary)
        .on_hover_text(&head.detail);
}

fn figures_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    shown: (&State, &Told),
    memory: &mut StatsMemory,
    send: &Commands,
) {
    let (state, told) = shown;
    let (tiles, rest) = rect.split_top_bottom_at_y(rect.min.y + TILES);
    tiles_ui(ui, theme, tiles, &data::tiles(state, told), send);
    let (upper, lower) = rest.split_top_bottom_at_y(rest.min.y + (rest.height() * 0.45).round());
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rest.x_range(), upper.max.y, pen.hair());
    let chart_width = (upper.width() * 0.63).round();
    let (chart, outcomes) = upper.split_left_right_at_x(upper.min.x + chart_width);
    pen.vline(chart.max.x, upper.y_range(), pen.hair());
    chart_ui(ui, theme, chart, shown, memory, send);
    lists::outcomes_ui(ui, theme, outcomes.shrink2(vec2(MARGIN, 14.0)), shown, send);
    let first = lower.min.x + (lower.width() * 0.207).round();
    let second = first + (lower.width() * 0.333).round();
    let (per_key, rest) = lower.split_left_right_at_x(first);
    let (delays, places) = rest.split_left_right_at_x(second);
    let pen = Pen::new(ui.painter(), theme);
    pen.vline(first, lower.y_range(), pen.hair());
    pen.vline(second, lower.y_range(), pen.hair());
    let place = per_key.shrink2(vec2(MARGIN, 14.0));
    per_key_ui(ui, theme, place, (told, &mut memory.per_key), send);
    let place = delays.shrink2(vec2(MARGIN, 14.0));
    delays_ui(ui, theme, place, (told, &mut memory.delays), send);
    lists::places_ui(
        ui,
        theme,
        places.shrink2(vec2(MARGIN, 14.0)),
        (state, told),
        send,
    );
}

/// The title of a part, what is said beside it, and its source at the right.
fn title_ui(ui: &mut Ui, theme: &Theme, rect: Rect, (title, beside, source): (&str, &str, &str)) {
    let line = Rect::from_min_max(rect.min, pos2(rect.max.x, rect.min.y + 22.0));
    let mut row = Row::new(ui, theme, line);
    row.text(title, Text::Section, Tone::Primary);
    row.gap(4.0);
    let left = row.rect;
    row.text_right(source, Text::Source, Tone::Tertiary);
    row.gap_right(8.0);
    if left.width() > 100.0 {
        row.gap(6.0);
        row.text(beside, Text::Note, Tone::Tertiary);
    }
}

fn chart_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    shown: (&State, &Told),
    memory: &mut StatsMemory,
    send: &Commands,
) {
    let (state, told) = shown;
    let inner = rect.shrink2(vec2(MARGIN, 14.0));
    let bin = told.report.span.len_ms() as f64 / crate::app::view::BINS as f64;
    let beside = match state.stats.picked {
        Some(_) => say!("stats-picked"),
        None => say!("stats-per-bin", span = data::wide(bin.round() as u64)),
    };
    let source = data::source(told);
    title_ui(
        ui,
        theme,
        inner,
        (&say!("stats-over-time"), &beside, &source),
    );
    let plot = Rect::from_min_max(pos2(inner.min.x - 8.0, inner.min.y + 24.0), inner.max);
    chart::chart_ui(ui, theme, plot, shown, &mut memory.chart, send);
}

fn per_key_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (told, at): (&Told, &mut usize),
    send: &Commands,
) {
    let figure = &told.report.attempts_per_key;
    let (source, below, foot) = match figure.known() {
        Some(per_key) => {
            let [once, ..] = per_key.bins;
            let again = per_key.keys.saturating_sub(once);
            let share = count::share(again, per_key.keys).unwrap_or_default();
            let mean = format!("{:.2}", per_key.mean);
            (
                say!("stats-keys", count = per_key.keys),
                say!("stats-keys-retried", share = share),
                say!("stats-mean-highest", mean = mean, count = per_key.highest),
            )
        }
        None => (String::new(), why(told, figure), String::new()),
    };
    title_ui(ui, theme, rect, (&say!("stats-per-key"), "", &source));
    let plot = note_ui(ui, theme, rect, &below, &foot);
    bars::per_key_ui(ui, theme, plot, (told, at), send);
}

fn delays_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (told, at): (&Told, &mut usize),
    send: &Commands,
) {
    let figure = &told.report.first_retry_delay;
    let (source, below, foot) = match figure.known() {
        Some(delays) => {
            let has_spikes = delays.bars.iter().any(|bar| bar.spike_ms.is_some());
            let below = match has_spikes {
                true => say!("stats-peaks"),
                false => say!("stats-no-peaks"),
            };
            let (half, most) = (data::wide(delays.times.p50), data::wide(delays.times.p99));
            (
                say!("stats-retries", count = figure.sample),
                below,
                say!("stats-delays-foot", half = half, most = most),
            )
        }
        None => (String::new(), why(told, figure), String::new()),
    };
    title_ui(ui, theme, rect, (&say!("stats-delays"), "", &source));
    let plot = note_ui(ui, theme, rect, &below, &foot);
    bars::delays_ui(ui, theme, plot, (told, at), send);
}

/// A line under the title and one at the foot; what is left between them.
fn note_ui(ui: &mut Ui, theme: &Theme, rect: Rect, below: &str, foot: &str) -> Rect {
    let top = Rect::from_min_max(
        pos2(rect.min.x, rect.min.y + 24.0),
        pos2(rect.max.x, rect.min.y + 42.0),
    );
    Row::new(ui, theme, top)
        .text(below, Text::Note, Tone::Tertiary)
        .on_hover_text(below);
    // Bars that are too high say no more.
    let end = (rect.min.y + 270.0).min(rect.max.y - 22.0);
    let pen = Pen::new(ui.painter(), theme);
    let galley = pen.elided(
        &[Span::new(foot, Text::Source, Tone::Tertiary)],
        rect.width(),
    );
    pen.put(galley, pos2(rect.min.x, end + 6.0), Align2::LEFT_TOP);
    Rect::from_min_max(pos2(rect.min.x, rect.min.y + 44.0), pos2(rect.max.x, end))
}

fn why<T>(told: &Told, figure: &crate::app::view::Figure<T>) -> String {
    let because = figure.value.as_ref().err();
    because.map_or(String::new(), |because| told.why(*because))
}

/// Why there is none: what looks like one comes before how one is written.
fn no_log(told: Option<&Told>) -> String {
    let refused = told.and_then(|told| told.logs.refused.first());
    match refused {
        Some((place, why)) => say!(
            "stats-log-refused",
            place = escape::shown(place, 100),
            why = escape::shown(why, 200)
        ),
        None => say!("stats-no-log-text"),
    }
}

fn face_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (state, told): (&State, Option<&Told>),
    face: StatsBody,
    send: &Commands,
) {
    let (title, text) = match face {
        StatsBody::NoLog => (say!("stats-no-log"), no_log(told)),
        StatsBody::Nothing => {
            let place = told.map_or(String::new(), data::source);
            (
                say!("stats-nothing"),
                say!("stats-nothing-text", place = place),
            )
        }
        StatsBody::Failed(why) => (say!("stats-failed"), why),
        StatsBody::Waiting | StatsBody::Figures => return,
    };
    let quiet = Quiet {
        icon: theme.icon("view", "stats"),
        icon_tone: Tone::Tertiary,
        title,
        text: vec![Span::body(text, Tone::Secondary)],
        buttons: match state.stats.window {
            StatsWindow::Week => vec![Button::new(say!("stats-look-again")).key("F5")],
            window => vec![
                Button::new(say!("stats-look-again")).key("F5"),
                Button::new(say!("stats-look-further", span = window.by(1).word())).key("→"),
            ],
        },
    };
    // Without a log it is the records that tell something.
    if told.is_some() {
        let width = 760.0_f32.min(rect.width() - 2.0 * MARGIN);
        let top = pos2(rect.center().x - width / 2.0, rect.max.y - 84.0);
        lists::seen_ui(
            ui,
            theme,
            Rect::from_min_size(top, vec2(width, 64.0)),
            state,
        );
    }
    match quiet_ui(ui, theme, rect, quiet) {
        Some(0) => send.send(Command::Keys(KeysCommand::ReadAgain)),
        Some(_) => send.send(Command::Stats(StatsCommand::WindowBy(1))),
        None => {}
    }
}
