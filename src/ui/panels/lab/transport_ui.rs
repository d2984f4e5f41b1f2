//! The bar that plays, stops, steps and scrubs.

use egui::{Align2, Id, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::data::seconds;
use crate::app::State;
use crate::app::command::{Command, LabCommand};
use crate::app::state::Speed;
use crate::app::view::lab::Kind;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Chip, Weight, focus_ring, icon_button};
use crate::ui::widgets::{Pen, Row};

/// More marks than this are drawn without their numbers.
const NUMBERS_MAX: usize = 14;
const MARKS_MAX: usize = 200;

pub fn transport_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    ui.painter()
        .rect_filled(rect, 0, theme.tokens().surface.raised.0);
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.min.y + 0.5, pen.hair());
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(16.0, 0.0)));
    buttons_ui(&mut row, theme, state, send);
    row.gap(24.0);
    for speed in Speed::ALL.into_iter().rev() {
        let chip = Chip {
            word: speed.word(),
            count: None,
            icon: None,
            is_chosen: state.lab.cursor.speed == speed,
        };
        let place = row.take_right(chip.width(row.ui, theme), 24.0);
        let name = say!("lab-speed", speed = speed.word());
        if chip.show_named(row.ui, theme, place, &name).clicked() {
            send.send(Command::Lab(LabCommand::Speed(speed)));
        }
        row.gap_right(2.0);
    }
    row.gap_right(14.0);
    let length = say!("lab-of-seconds", time = seconds(state.lab.length()));
    row.text_right(&length, Text::Mono, Tone::Tertiary);
    row.gap_right(6.0);
    let now = seconds(state.lab.cursor.at);
    row.text_right(&now, Text::Mono, Tone::Primary);
    row.gap_right(20.0);
    if row.room() > 60.0 {
        let track = row.rect;
        track_ui(ui, theme, track, state, send);
    }
}

fn buttons_ui(row: &mut Row<'_>, theme: &Theme, state: &State, send: &Commands) {
    let act = |name: &str| theme.icon("act", name);
    let place = row.take(28.0, 28.0);
    let back = say!("lab-step-back");
    if icon_button(row.ui, theme, place, &act("step_back"), &back).clicked() {
        send.send(Command::Lab(LabCommand::Step(-1)));
    }
    row.gap(8.0);
    let lab = &state.lab;
    let is_new = !lab.is_under_way() && !lab.has_ended();
    let (word, icon) = match (is_new, lab.cursor.is_playing) {
        (true, _) => (say!("lab-run"), "play"),
        (_, true) => (say!("lab-pause"), "pause"),
        _ => (say!("lab-play"), "play"),
    };
    let mut button = Button::new(word).key("Space").weight(Weight::Primary);
    button.icon = Some(act(icon));
    let place = row.take(button.width(row.ui, theme), 28.0);
    if button.show(row.ui, theme, place).clicked() {
        send.send(Command::Lab(LabCommand::PlayPause));
    }
    row.gap(8.0);
    let place = row.take(28.0, 28.0);
    let step = say!("lab-step");
    if icon_button(row.ui, theme, place, &act("step"), &step).clicked() {
        send.send(Command::Lab(LabCommand::Step(1)));
    }
    if lab.is_under_way() {
        row.gap(4.0);
        let place = row.take(28.0, 28.0);
        let stop = say!("lab-stop");
        if icon_button(row.ui, theme, place, &act("close"), &stop).clicked() {
            send.send(Command::Lab(LabCommand::StopRun));
        }
    }
    if lab.has_ended() {
        row.gap(4.0);
        let place = row.take(28.0, 28.0);
        let again = say!("lab-run-again");
        if icon_button(row.ui, theme, place, &act("again"), &again).clicked() {
            send.send(Command::Lab(LabCommand::Run));
        }
    }
}

fn track_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let lab = &state.lab;
    let length = lab.length().max(1.0);
    let id = Id::unique((ui.scope_id(), "track"));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    let name = say!(
        "lab-track",
        now = seconds(lab.cursor.at),
        length = seconds(length)
    );
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, &name));
    let tokens = theme.tokens();
    let y = rect.center().y + 4.0;
    let x = |at: f64| rect.min.x + rect.width() * (at / length).clamp(0.0, 1.0) as f32;
    let bar = Rect::from_min_max(pos2(rect.min.x, y - 1.5), pos2(rect.max.x, y + 1.5));
    ui.painter().rect_filled(bar, 2, tokens.line.strong.0);
    let gone = Rect::from_min_max(bar.min, pos2(x(lab.cursor.at), bar.max.y));
    ui.painter().rect_filled(gone, 2, tokens.accent.solid.0);
    marks_ui(ui, theme, state, y - 13.0, x);
    let knob = pos2(x(lab.cursor.at), y);
    ui.painter().circle_filled(knob, 7.0, tokens.accent.solid.0);
    focus_ring(ui, theme, &response);
    if let Some(at) = response.interact_pointer_pos()
        && (response.clicked() || response.dragged())
    {
        let share = f64::from((at.x - rect.min.x) / rect.width().max(1.0));
        send.send(Command::Lab(LabCommand::Seek(
            share.clamp(0.0, 1.0) * length,
        )));
    }
}

/// Attempts by their numbers, and what was lost.
fn marks_ui(ui: &Ui, theme: &Theme, state: &State, y: f32, x: impl Fn(f64) -> f32) {
    let lab = &state.lab;
    let Some(at) = lab.shown_sides().last().copied() else {
        return;
    };
    let (Some(side), Some(placed)) = (lab.sides.get(at), lab.axis.columns.get(at)) else {
        return;
    };
    let pen = Pen::new(ui.painter(), theme);
    let all = side.trace.messages.iter().zip(placed);
    let attempts: Vec<(u32, f64)> = all
        .clone()
        .filter_map(|(message, placed)| Some((message.attempt?, placed.at)))
        .take(MARKS_MAX)
        .collect();
    let has_numbers = attempts.len() <= NUMBERS_MAX;
    let mut last = f32::NEG_INFINITY;
    for (attempt, at) in attempts {
        let place = pos2(x(at), y);
        if !has_numbers {
            let color = theme.tokens().line.control.0;
            pen.vline(place.x, y - 2.0..=y + 4.0, color);
        } else if place.x - last > 14.0 {
            let number = attempt.to_string();
            let center = Align2::CENTER_CENTER;
            pen.text(place, center, &number, Text::MonoSmall, Tone::Secondary);
            last = place.x;
        }
    }
    let lost = all.filter(|(message, _)| message.kind == Kind::Lost);
    let icon = theme.icon("act", "close");
    for (_, placed) in lost.take(NUMBERS_MAX) {
        pen.icon(pos2(x(placed.until), y), &icon, 11.0, Tone::Failed);
    }
}
