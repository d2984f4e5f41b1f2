//! Retries over time as stacked bars, with the storms among them; dragging over it takes a part.

use egui::{Align2, Mesh, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, pos2, vec2};

use super::data::{self, Lead};
use super::marks::{Bars, Picked, mark_ui};
use crate::app::State;
use crate::app::command::{Command, StatsCommand};
use crate::app::view::{BINS, Bin, Mark, Storm, StormKind, Told, stats_words};
use crate::domain::attempt::Family;
use crate::present::count::{self, Font};
use crate::present::escape;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Pen;

/// What the chart keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct ChartMemory {
    /// Where dragging began.
    drag: Option<f32>,
    /// The bar that the keyboard is at, and where it began to extend.
    bin: usize,
    anchor: Option<usize>,
    has_focus: bool,
}

/// Lines across, besides the ground.
const LINES: u64 = 4;
/// From the bottom of a bar to its top.
const STACK: [Option<Family>; 7] = [
    Some(Family::Replayed),
    Some(Family::InProgress),
    Some(Family::Refused),
    Some(Family::Executed),
    Some(Family::Repeated),
    Some(Family::Store),
    None,
];

pub fn chart_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (state, told): (&State, &Told),
    memory: &mut ChartMemory,
    send: &Commands,
) {
    let plot = Rect::from_min_max(
        pos2(rect.min.x + 40.0, rect.min.y + 20.0),
        pos2(rect.max.x - 6.0, rect.max.y - 26.0),
    );
    let bins = &*told.report.bins;
    let most = bins.iter().map(Bin::all_retries).max().unwrap_or(0);
    let top = nice(most);
    let pen = Pen::new(ui.painter(), theme);
    for line in 0..=LINES {
        let y = plot.max.y - plot.height() * line as f32 / LINES as f32;
        pen.hline(plot.x_range(), y, pen.hair());
        let text = count::short(top * line / LINES, Font::Mono);
        let at = pos2(plot.min.x - 8.0, y);
        pen.text(
            at,
            Align2::RIGHT_CENTER,
            &text,
            Text::Diagram,
            Tone::Tertiary,
        );
    }
    let labels = storms_ui(&pen, plot, (state, told));
    bars_ui(&pen, plot, told, top);
    times_ui(&pen, plot, (state, told));
    pressed_ui(ui, theme, plot, (state, told), memory, send);
    for (storm, label) in labels {
        let words = storm_name(state, storm);
        let lead = Lead::Keys(Mark::Storm(Box::new(storm.clone())));
        let ground = label.expand2(vec2(4.0, 2.0));
        mark_ui(ui, theme, ground, (&words, &lead), send).on_hover_text(&words);
    }
}

fn storm_name(state: &State, storm: &Storm) -> String {
    let operation = storm.operation.as_deref().unwrap_or("–");
    say!(
        "stats-storm-name",
        from = data::second(state, storm.from),
        to = data::second(state, storm.to),
        operation = escape::shown(operation, 60),
        count = storm.retries
    )
}

/// The next round number that four lines part.
fn nice(most: u64) -> u64 {
    let steps = [4, 8, 20, 40, 80, 100, 200, 400, 800];
    let mut scale = 1_u64;
    loop {
        if let Some(top) = steps
            .iter()
            .map(|step| step * scale)
            .find(|top| *top >= most)
        {
            return top;
        }
        scale = scale.saturating_mul(100);
        if scale > u64::MAX / 1_000 {
            return most.max(4);
        }
    }
}

/// What of the window is past: the chart ends now.
fn past_ms(told: &Told) -> i64 {
    let span = told.report.span;
    told.now.min(span.to).saturating_sub(span.from).max(1)
}

fn x_of(plot: Rect, told: &Told, at: i64) -> f32 {
    let share = (at - told.report.span.from) as f64 / past_ms(told) as f64;
    plot.min.x + plot.width() * share.clamp(0.0, 1.0) as f32
}

fn time_of(plot: Rect, told: &Told, x: f32) -> i64 {
    let share = f64::from((x - plot.min.x) / plot.width()).clamp(0.0, 1.0);
    told.report.span.from + (past_ms(told) as f64 * share) as i64
}

/// The width of a bin.
fn step_of(plot: Rect, told: &Told) -> f32 {
    let bin = told.report.span.len_ms() as f64 / BINS as f64;
    plot.width() * (bin / past_ms(told) as f64) as f32
}

/// Draws the storms; which of them have a label, and where.
fn storms_ui<'t>(
    pen: &Pen<'_>,
    plot: Rect,
    (state, told): (&State, &'t Told),
) -> Vec<(&'t Storm, Rect)> {
    let mut labels = Vec::new();
    let storms = told.report.storms.known().into_iter().flatten();
    let mut free_from = plot.min.x;
    for storm in storms.filter(|storm| storm.kind == StormKind::Operation) {
        let (from, to) = (x_of(plot, told, storm.from), x_of(plot, told, storm.to));
        let place = Rect::from_x_y_ranges(from..=to.max(from + 2.0), plot.y_range());
        let wash = pen.theme.tokens().status_wash.stuck.0;
        pen.painter.rect_filled(place, 0, wash);
        let stroke = Stroke::new(1.0, pen.theme.tone(Tone::Stuck));
        for x in [from, to] {
            let ends = [pos2(x, plot.min.y), pos2(x, plot.max.y)];
            pen.painter
                .extend(Shape::dashed_line(&ends, stroke, 2.0, 3.0));
        }
        let words = say!(
            "stats-storm-label",
            from = data::second(state, storm.from),
            to = data::second(state, storm.to)
        );
        let galley = pen.galley(&words, Text::Section, Tone::Stuck);
        let width = galley.size().x;
        let x = from.min(plot.max.x - width);
        if x >= free_from {
            let at = pos2(x, plot.min.y - 4.0);
            labels.push((storm, pen.put(galley, at, Align2::LEFT_BOTTOM)));
            free_from = x + width + 12.0;
        }
    }
    labels
}

fn bars_ui(pen: &Pen<'_>, plot: Rect, told: &Told, top: u64) {
    let mut mesh = Mesh::default();
    let step = step_of(plot, told);
    let gap = if step > 4.0 { 1.0 } else { 0.5 };
    for (at, bin) in told.report.bins.iter().enumerate() {
        let x = plot.min.x + step * at as f32;
        let mut y = plot.max.y;
        for family in STACK {
            let count = bin.retries.get(family.map_or(6, |family| family as usize));
            let height = count.copied().unwrap_or(0) as f32 / top.max(1) as f32 * plot.height();
            if height > 0.0 {
                let min = pos2(x + gap / 2.0, y - height);
                let end = (x + step - gap / 2.0).min(plot.max.x);
                let part = Rect::from_min_max(min, pos2(end, y));
                mesh.add_colored_rect(part, pen.theme.outcome(family));
                y -= height;
            }
        }
    }
    pen.painter.add(Shape::mesh(mesh));
}

fn times_ui(pen: &Pen<'_>, plot: Rect, (state, told): (&State, &Told)) {
    let span = told.report.span;
    let minutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440];
    let widest = plot.width() / 90.0;
    let wanted = span.len_ms() as f32 / widest / 60_000.0;
    let step = minutes
        .into_iter()
        .find(|step| *step as f32 >= wanted)
        .unwrap_or(2_880);
    let step = i64::from(step) * 60_000;
    let offset = i64::from(state.clock.offset.whole_minutes()) * 60_000;
    let mut at = (span.from + offset).div_euclid(step) * step + step - offset;
    while at < span.to {
        let x = x_of(plot, told, at);
        if x > plot.min.x + 16.0 && x < plot.max.x - 16.0 {
            let text = match step >= 1_440 * 60_000 {
                true => data::minute(state, at)
                    .rsplit_once(' ')
                    .map_or_else(|| data::minute(state, at), |(day, _)| day.to_owned()),
                false => {
                    let text = data::minute(state, at);
                    text.rsplit(' ').next().unwrap_or_default().to_owned()
                }
            };
            let place = pos2(x, plot.max.y + 10.0);
            pen.text(
                place,
                Align2::CENTER_TOP,
                &text,
                Text::Diagram,
                Tone::Tertiary,
            );
        }
        at += step;
    }
}

fn pressed_ui(
    ui: &mut Ui,
    theme: &Theme,
    plot: Rect,
    (state, told): (&State, &Told),
    memory: &mut ChartMemory,
    send: &Commands,
) {
    let step = step_of(plot, told).max(0.1);
    let past = ((plot.width() / step).ceil() as usize).clamp(1, BINS);
    let retries = told.report.bins.iter().map(Bin::all_retries).sum::<u64>();
    let mut name = say!("stats-chart-name", count = retries);
    if memory.has_focus {
        let words = bin_words(state, told, plot, memory.bin).join(", ");
        name = format!("{name}. {words}");
    }
    let bars = Bars {
        id: "chart",
        rect: plot,
        name: &name,
        count: past,
        sense: Sense::click_and_drag(),
    };
    let was = memory.bin;
    let picked = bars.show(ui, theme, &mut memory.bin);
    memory.has_focus = picked.cursor.is_some();
    if let Some(command) = cursor_ui(ui, theme, plot, (state, told), (&picked, was), memory) {
        send.send(Command::Stats(command));
        return;
    }
    let bar_at = |at: Pos2| Some((((at.x - plot.min.x).max(0.0) / step) as usize).min(past - 1));
    let has_retries = |bin: &usize| {
        let bin = told.report.bins.get(*bin);
        bin.is_some_and(|bin| bin.all_retries() > 0)
    };
    if let Some(bin) = picked.pressed(bar_at).filter(has_retries) {
        send.send(Command::Stats(StatsCommand::OpenKeys(Mark::Bin(bin))));
    }
    dragged_ui(
        ui,
        theme,
        (plot, picked.response),
        (state, told),
        memory,
        send,
    );
}

/// Shows where the keyboard is in the chart; the part of time that it takes, where it takes one.
fn cursor_ui(
    ui: &Ui,
    theme: &Theme,
    plot: Rect,
    (state, told): (&State, &Told),
    (picked, was): (&Picked, usize),
    memory: &mut ChartMemory,
) -> Option<StatsCommand> {
    let Some(bin) = picked.cursor else {
        memory.anchor = None;
        return None;
    };
    if picked.extended != 0 {
        memory.anchor.get_or_insert(was);
    } else if bin != was {
        memory.anchor = None;
    }
    let step = step_of(plot, told).max(0.1);
    let x = |bin: usize| plot.min.x + step * bin as f32;
    let anchor = memory.anchor.unwrap_or(bin);
    let (from, to) = (anchor.min(bin), anchor.max(bin) + 1);
    let chosen = Rect::from_x_y_ranges(x(from)..=x(to).min(plot.max.x), plot.y_range());
    chosen_ui(ui, theme, chosen);
    let words = bin_words(state, told, plot, bin).join("  ");
    let pen = Pen::new(ui.painter(), theme);
    let at = pos2(plot.max.x, plot.min.y - 18.0);
    pen.text(
        at,
        Align2::RIGHT_BOTTOM,
        &words,
        Text::Diagram,
        Tone::Primary,
    );
    let is_taken = picked.opened.is_some() && memory.anchor.take().is_some();
    let time = |bin: usize| time_of(plot, told, x(bin));
    is_taken.then(|| StatsCommand::Pick(time(from), time(to)))
}

fn chosen_ui(ui: &Ui, theme: &Theme, chosen: Rect) {
    let tokens = theme.tokens();
    ui.painter()
        .rect_filled(chosen, 0, tokens.accent.wash.0.gamma_multiply(0.6));
    for x in [chosen.min.x, chosen.max.x] {
        ui.painter()
            .vline(x, chosen.y_range(), Stroke::new(1.0, tokens.accent.focus.0));
    }
}

fn dragged_ui(
    ui: &Ui,
    theme: &Theme,
    (plot, response): (Rect, Response),
    (state, told): (&State, &Told),
    memory: &mut ChartMemory,
    send: &Commands,
) {
    let pointer = response.interact_pointer_pos().or(response.hover_pos());
    if response.drag_started() {
        // Where the button went down: it is told a few points later.
        let origin = ui.input(|input| input.pointer.press_origin());
        memory.drag = origin.or(pointer).map(|at| at.x);
    }
    if let (Some(from), Some(at)) = (memory.drag, pointer) {
        let chosen = Rect::from_x_y_ranges(from.min(at.x)..=from.max(at.x), plot.y_range());
        chosen_ui(ui, theme, chosen);
        if response.drag_stopped() {
            let times = [chosen.min.x, chosen.max.x].map(|x| time_of(plot, told, x));
            send.send(Command::Stats(StatsCommand::Pick(times[0], times[1])));
            memory.drag = None;
        }
    }
    if let (None, Some(at)) = (memory.drag, response.hover_pos()) {
        let step = step_of(plot, told).max(0.1);
        let bin = ((at.x - plot.min.x) / step) as usize;
        let words = bin_words(state, told, plot, bin.min(BINS - 1));
        response.on_hover_text(words.join("\n"));
    }
}

/// What a bar holds, the time first.
fn bin_words(state: &State, told: &Told, plot: Rect, place: usize) -> Vec<String> {
    let Some(bin) = told.report.bins.get(place) else {
        return Vec::new();
    };
    let from = time_of(plot, told, plot.min.x + step_of(plot, told) * place as f32);
    let mut lines = vec![data::second(state, from)];
    for family in STACK.into_iter().rev() {
        let count = bin.retries.get(family.map_or(6, |family| family as usize));
        if let Some(count) = count.filter(|count| **count > 0) {
            let count = count::grouped(*count, Font::Text);
            lines.push(format!("{} {count}", stats_words::family(family)));
        }
    }
    lines.push(say!("stats-tip-attempts", count = bin.all()));
    lines
}

/// A trend: a line, and a dot where it is now.
pub fn trend_ui(ui: &Ui, theme: &Theme, rect: Rect, points: &[f32], tone: Tone) {
    if points.len() < 2 {
        return;
    }
    let last = (points.len() - 1) as f32;
    let at = |(place, point): (usize, &f32)| {
        let x = rect.min.x + rect.width() * place as f32 / last;
        pos2(x, rect.max.y - rect.height() * point.clamp(0.0, 1.0))
    };
    let line: Vec<Pos2> = points.iter().enumerate().map(at).collect();
    let end = line.last().copied().unwrap_or(rect.max);
    let stroke = Stroke::new(theme.common().stroke.chart, theme.tone(Tone::Tertiary));
    ui.painter().add(Shape::line(line, stroke));
    let dot = Rect::from_center_size(end, vec2(5.0, 5.0));
    ui.painter().rect_filled(dot, 2, theme.tone(tone));
}
