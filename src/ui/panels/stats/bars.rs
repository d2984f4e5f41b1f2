//! Two histograms: attempts of a key, and from the first attempt to a retry.

use egui::{Align2, Pos2, Rect, Sense, Ui, pos2, vec2};

use super::data;
use super::marks::{Bars, Picked, cursor_ui};
use crate::app::command::{Command, StatsCommand};
use crate::app::view::{DelayBar, DelayFacts, Mark, Told, attempts_word, delay_place};
use crate::domain::attempt::Family;
use crate::present::count::{self, Font};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Pen;

const NAMES: [&str; 7] = ["1", "2", "3", "4–5", "6–10", "11–50", ">50"];
/// Where there is little room.
const SHORT: [&str; 7] = ["1", "2", "3", "4+", "6+", "11+", "51+"];
const NAMES_FROM: f32 = 30.0;

/// `23k`.
fn brief(count: u64) -> String {
    count::short(count, Font::Mono).replace(' ', "")
}

pub fn per_key_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (told, at): (&Told, &mut usize),
    send: &Commands,
) {
    let Some(per_key) = told.report.attempts_per_key.known() else {
        return;
    };
    let plot = Rect::from_min_max(
        pos2(rect.min.x, rect.min.y + 16.0),
        pos2(rect.max.x, rect.max.y - 20.0),
    );
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(plot.x_range(), plot.max.y, pen.hair());
    let most = per_key.bins.iter().copied().max().unwrap_or(0).max(1);
    let step = plot.width() / NAMES.len() as f32;
    let mut words = Vec::new();
    let names = if step < NAMES_FROM { SHORT } else { NAMES };
    for (at, (name, keys)) in names.iter().zip(per_key.bins).enumerate() {
        let x = plot.min.x + step * at as f32;
        let height = plot.height() * keys as f32 / most as f32;
        // Few are not none.
        let height = if keys > 0 { height.max(1.0) } else { 0.0 };
        let bar = Rect::from_min_max(
            pos2(x, plot.max.y - height),
            pos2(x + step - 2.0, plot.max.y),
        );
        pen.painter
            .rect_filled(bar, 1, theme.outcome(Some(Family::Executed)));
        let middle = x + step / 2.0 - 1.0;
        let below = pos2(middle, plot.max.y + 6.0);
        pen.text(
            below,
            Align2::CENTER_TOP,
            name,
            Text::Diagram,
            Tone::Tertiary,
        );
        if keys > 0 {
            let above = pos2(middle, bar.min.y - 3.0);
            pen.text(
                above,
                Align2::CENTER_BOTTOM,
                &brief(keys),
                Text::Diagram,
                Tone::Secondary,
            );
            words.push(format!("{name}: {keys}"));
        }
    }
    let name = say!("stats-per-key-name", bars = words.join(", "));
    press_per_key_ui(ui, theme, (rect, plot), (&per_key.bins, at), (&name, send));
}

/// Which bar was pressed, and where the keyboard is.
fn press_per_key_ui(
    ui: &Ui,
    theme: &Theme,
    (rect, plot): (Rect, Rect),
    (bins, at): (&[u64; 7], &mut usize),
    (name, send): (&str, &Commands),
) {
    let step = plot.width() / NAMES.len() as f32;
    let bars = Bars {
        id: "per key",
        rect,
        name,
        count: NAMES.len(),
        sense: Sense::click(),
    };
    let picked = bars.show(ui, theme, at);
    let column = |bar: usize| {
        let x = plot.min.x + step * bar as f32;
        Rect::from_x_y_ranges(x..=x + step - 2.0, plot.y_range())
    };
    let keys = |bar: usize| bins.get(bar).copied().unwrap_or(0);
    let told = |bar: usize| {
        let count = keys(bar);
        say!(
            "stats-per-key-bar",
            attempts = attempts_word(bar),
            count = count
        )
    };
    lead_ui(ui, theme, &picked, (column, told), (plot, step));
    let bar = picked.pressed(|at| bar_at(plot, step, NAMES.len(), at));
    if let Some(bar) = bar.filter(|bar| keys(*bar) > 0) {
        send.send(Command::Stats(StatsCommand::OpenKeys(Mark::Attempts(bar))));
    }
}

fn bar_at(plot: Rect, step: f32, count: usize, at: Pos2) -> Option<usize> {
    let inside = at.x >= plot.min.x && at.x <= plot.max.x;
    inside.then(|| (((at.x - plot.min.x) / step) as usize).min(count.saturating_sub(1)))
}

/// Marks the bar that the keyboard is at, and says what the one under the pointer holds.
fn lead_ui(
    ui: &Ui,
    theme: &Theme,
    picked: &Picked,
    (column, told): (impl Fn(usize) -> Rect, impl Fn(usize) -> String),
    (plot, step): (Rect, f32),
) {
    if let Some(bar) = picked.cursor {
        cursor_ui(ui, theme, column(bar));
        let at = pos2(plot.max.x, plot.min.y - 14.0);
        let pen = Pen::new(ui.painter(), theme);
        pen.text(
            at,
            Align2::RIGHT_TOP,
            &told(bar),
            Text::Diagram,
            Tone::Primary,
        );
    }
    if let Some(at) = picked.response.hover_pos()
        && let Some(bar) = bar_at(plot, step, usize::MAX, at)
    {
        picked.response.clone().on_hover_text(told(bar));
    }
}

pub fn delays_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (told, at): (&Told, &mut usize),
    send: &Commands,
) {
    let Some(delays) = told.report.first_retry_delay.known() else {
        return;
    };
    let plot = Rect::from_min_max(
        pos2(rect.min.x, rect.min.y + 16.0),
        pos2(rect.max.x, rect.max.y - 20.0),
    );
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(plot.x_range(), plot.max.y, pen.hair());
    let most = delays
        .bars
        .iter()
        .map(|bar| bar.count)
        .max()
        .unwrap_or(0)
        .max(1);
    let step = plot.width() / delays.bars.len().max(1) as f32;
    let mut places = Vec::new();
    let mut words = Vec::new();
    for (at, bar) in delays.bars.iter().enumerate() {
        let height = plot.height() * bar.count as f32 / most as f32;
        let height = if bar.count > 0 { height.max(1.0) } else { 0.0 };
        let x = plot.min.x + step * at as f32;
        let place = Rect::from_min_max(
            pos2(x, plot.max.y - height),
            pos2(x + step - 2.0, plot.max.y),
        );
        let family = if bar.spike_ms.is_some() {
            Family::Executed
        } else {
            Family::Replayed
        };
        let color = theme.outcome(Some(family));
        let color = if bar.spike_ms.is_some() {
            color
        } else {
            color.gamma_multiply(0.75)
        };
        pen.painter.rect_filled(place, 1, color);
        places.push((place, bar));
        words.extend(bar.spike_ms.map(data::wide));
    }
    // Over all bars: a label may be wider than its own.
    let bars: Vec<Rect> = places.iter().map(|(place, _)| *place).collect();
    let mut labels = Vec::new();
    for (place, bar) in places {
        label_ui(&pen, (place, &bars), bar, &mut labels);
    }
    axis_ui(&pen, plot, step);
    let name = say!("stats-delays-name", spikes = words.join(", "));
    press_delays_ui(ui, theme, (rect, plot), (delays, at), (&name, send));
}

/// Which bar was pressed, and where the keyboard is.
fn press_delays_ui(
    ui: &Ui,
    theme: &Theme,
    (rect, plot): (Rect, Rect),
    (delays, at): (&DelayFacts, &mut usize),
    (name, send): (&str, &Commands),
) {
    let count = delays.bars.len();
    let step = plot.width() / count.max(1) as f32;
    let bars = Bars {
        id: "delays",
        rect,
        name,
        count,
        sense: Sense::click(),
    };
    let picked = bars.show(ui, theme, at);
    let column = |bar: usize| {
        let x = plot.min.x + step * bar as f32;
        Rect::from_x_y_ranges(x..=x + step - 2.0, plot.y_range())
    };
    let retries = |bar: usize| delays.bars.get(bar).map_or(0, |bar| bar.count);
    let told = |bar: usize| {
        let from = delays.bars.get(bar).map_or(0, |bar| bar.from_ms);
        let count = retries(bar);
        say!("stats-delays-bar", from = data::wide(from), count = count)
    };
    lead_ui(ui, theme, &picked, (column, told), (plot, step));
    let bar = picked.pressed(|at| bar_at(plot, step, count, at));
    if let Some(bar) = bar.filter(|bar| retries(*bar) > 0) {
        send.send(Command::Stats(StatsCommand::OpenKeys(Mark::Delay(bar))));
    }
}

/// Spans under the bars, as many as there is room for.
fn axis_ui(pen: &Pen<'_>, plot: Rect, step: f32) {
    let mut labels_to = f32::NEG_INFINITY;
    for ms in [
        10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 86_400_000,
    ] {
        let x = plot.min.x + plot.width() * delay_place(ms) as f32;
        let (x, anchor) = match ms {
            10 => (x, Align2::LEFT_TOP),
            _ => (x + step / 2.0, Align2::CENTER_TOP),
        };
        let at = pos2(x, plot.max.y + 6.0);
        let galley = pen.galley(&data::narrow(ms), Text::Diagram, Tone::Tertiary);
        let label = anchor.anchor_size(at, galley.size());
        if label.min.x > labels_to && label.max.x <= plot.max.x + 2.0 {
            pen.put(galley, at, anchor);
            labels_to = label.max.x + 4.0;
        }
    }
}

/// The span over a spike, where there is room: in its middle, or away from a higher bar beside it.
/// Bars beside each other may mean the same span, which is said once.
fn label_ui(
    pen: &Pen<'_>,
    (place, bars): (Rect, &[Rect]),
    bar: &DelayBar,
    labels: &mut Vec<(Rect, String)>,
) {
    let Some(ms) = bar.spike_ms else { return };
    let word = data::narrow(ms);
    if labels.last().is_some_and(|(_, last)| *last == word) {
        return;
    }
    let galley = pen.galley(&word, Text::Diagram, Tone::Primary);
    let above = place.min.y - 3.0;
    let ways = [
        (place.center().x, Align2::CENTER_BOTTOM),
        (place.max.x, Align2::RIGHT_BOTTOM),
        (place.min.x, Align2::LEFT_BOTTOM),
    ];
    let free = ways.into_iter().find_map(|(x, anchor)| {
        let label = anchor.anchor_size(pos2(x, above), galley.size());
        let wide = label.expand2(vec2(2.0, 0.0));
        let is_free = bars.iter().all(|bar| !bar.intersects(label))
            && labels.iter().all(|(other, _)| !other.intersects(wide));
        is_free.then_some((label, x, anchor))
    });
    if let Some((label, x, anchor)) = free {
        pen.put(galley, pos2(x, above), anchor);
        labels.push((label, word));
    }
}
