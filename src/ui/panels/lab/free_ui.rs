//! The page of free play: knobs at the left, what comes of them at the right.

use egui::{
    Align2, Id, Mesh, Rect, Role, ScrollArea, Sense, Shape, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use super::data::{Figure, fleet};
use super::facts_ui::figure_ui;
use crate::app::State;
use crate::app::command::{Command, FreeCommand, LabCommand};
use crate::app::state::FreePhase;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Chip, Weight};
use crate::ui::widgets::{Pen, Row};

const HEAD: f32 = 62.0;
const KNOBS: f32 = 440.0;
const LABEL: f32 = 150.0;
const LINE: f32 = 28.0;
const PLOT: f32 = 120.0;
const EDGE: f32 = 16.0;

pub fn free_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let (head, body) = rect.split_top_bottom_at_y(rect.min.y + HEAD);
    head_ui(ui, theme, head, state, send);
    let width = KNOBS.min(rect.width() * 0.5);
    let (left, right) = body.split_left_right_at_x(body.min.x + width);
    knobs_ui(ui, theme, left, state, send);
    let pen = Pen::new(ui.painter(), theme);
    pen.vline(right.min.x - 0.5, right.y_range(), pen.hair());
    if let FreePhase::Failed(why) = &state.lab.free.phase {
        let words = crate::ui::widgets::Span::body(why, Tone::Danger);
        let galley = pen.wrapped(&[words], right.width() - 48.0, 4);
        pen.put(galley, right.center(), Align2::CENTER_CENTER);
        return;
    }
    figures_ui(ui, theme, right, state);
}

fn head_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.max.y - 0.5, pen.hair());
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(EDGE, 0.0)));
    let at_work = state.lab.free.is_at_work();
    let (word, icon) = match at_work {
        true => (say!("lab-free-stop"), "pause"),
        false => (say!("lab-free-start"), "play"),
    };
    let mut button = Button::new(word).key("Space").weight(Weight::Primary);
    button.icon = Some(theme.icon("act", icon));
    let place = row.take_right(button.width(row.ui, theme), theme.common().height.button);
    if button.show(row.ui, theme, place).clicked() {
        send.send(Command::Lab(LabCommand::Free(FreeCommand::Toggle)));
    }
    row.gap_right(16.0);
    let (top, foot) = row.rect.split_top_bottom_at_y(rect.min.y + 33.0);
    let top = top.translate(vec2(0.0, 4.0));
    Row::new(ui, theme, top).text(&say!("lab-free"), Text::View, Tone::Primary);
    let foot = foot.translate(vec2(0.0, -5.0));
    Row::new(ui, theme, foot).text(&say!("lab-free-about"), Text::Note, Tone::Secondary);
}

fn knobs_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let mut inside = ui.new_child(UiBuilder::new().max_rect(rect).id_salt("knobs"));
    inside.set_clip_rect(rect.intersect(ui.clip_rect()));
    inside.spacing_mut().item_spacing = vec2(0.0, 0.0);
    ScrollArea::vertical()
        .id_salt("knobs")
        .auto_shrink([false, false])
        .show(&mut inside, |ui| {
            ui.add_space(12.0);
            for knob in fleet::knobs(state) {
                knob_ui(ui, theme, &knob, send);
            }
            ui.add_space(12.0);
        });
}

fn knob_ui(ui: &mut Ui, theme: &Theme, knob: &fleet::Knob, send: &Commands) {
    ui.push_id(&knob.label, |ui| {
        let mut row = Row::next(ui, theme, LINE);
        row.gap(EDGE);
        row.gap_right(8.0);
        let place = row.take(LABEL, LINE);
        Row::new(row.ui, theme, place).text(&knob.label, Text::Body, Tone::Secondary);
        for choice in &knob.choices {
            let chip = Chip {
                word: &choice.word,
                count: None,
                icon: None,
                is_chosen: choice.is_chosen,
            };
            let width = chip.width(row.ui, theme);
            if width > row.room() {
                let ui = row.ui;
                row = Row::next(ui, theme, LINE);
                row.gap(EDGE + LABEL);
                row.gap_right(8.0);
            }
            let place = row.take(width, 24.0);
            row.gap(2.0);
            let name = format!("{}: {}", knob.label, choice.word);
            if chip.show_named(row.ui, theme, place, &name).clicked() {
                send.send(Command::Lab(LabCommand::Free(choice.command.clone())));
            }
        }
    });
}

fn figures_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State) {
    let data = fleet::fleet_data(state);
    let (sentence, rest) = rect.split_top_bottom_at_y(rect.min.y + 40.0);
    let ground = theme.tokens().surface.raised.0;
    ui.painter().rect_filled(sentence, 0, ground);
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(sentence.x_range(), sentence.max.y - 0.5, pen.hair());
    Row::new(ui, theme, sentence.shrink2(vec2(EDGE, 0.0))).spans(&data.sentence);
    let mut y = rest.min.y + 14.0;
    y = tiles_ui(ui, theme, rest, y, &data.figures);
    for plot in &data.plots {
        let title = Rect::from_min_size(pos2(rest.min.x, y), vec2(rest.width(), 22.0));
        let mut row = Row::new(ui, theme, title.shrink2(vec2(EDGE, 0.0)));
        row.text_right(&plot.now, Text::Mono, Tone::Primary);
        row.text(&plot.title, Text::Note, Tone::Secondary);
        let place = Rect::from_min_size(
            pos2(rest.min.x + EDGE, y + 24.0),
            vec2(rest.width() - 2.0 * EDGE, PLOT),
        );
        plot_ui(ui, theme, place, plot);
        y = place.max.y + 16.0;
    }
    let statuses = Rect::from_min_size(pos2(rest.min.x, y), vec2(rest.width(), 24.0));
    let mut row = Row::new(ui, theme, statuses.shrink2(vec2(EDGE, 0.0)));
    row.text(&say!("lab-free-answers"), Text::Note, Tone::Secondary);
    row.gap(12.0);
    for (status, count) in &data.statuses {
        row.text(status, Text::Mono, Tone::Secondary);
        row.gap(6.0);
        row.text(count, Text::Mono, Tone::Primary);
        row.gap(16.0);
    }
}

/// Figures in as many lines as they need; gives where the next thing begins.
fn tiles_ui(ui: &mut Ui, theme: &Theme, rect: Rect, mut y: f32, figures: &[Figure]) -> f32 {
    let room = rect.width() - 2.0 * EDGE;
    let width = (room / figures.len().max(1) as f32).clamp(84.0, 104.0);
    let mut x = rect.min.x + EDGE;
    for figure in figures {
        if x + width > rect.max.x {
            x = rect.min.x + EDGE;
            y += 52.0;
        }
        let place = Rect::from_min_size(pos2(x, y), vec2(width, 44.0));
        figure_ui(ui, theme, place, figure, Text::Figure);
        x += width;
    }
    y + 60.0
}

/// Bars of the last seconds, two kinds on each other.
fn plot_ui(ui: &mut Ui, theme: &Theme, rect: Rect, plot: &fleet::Plot) {
    let id = Id::unique((ui.scope_id(), "plot", &plot.title));
    let response = ui.interact(rect, id, Sense::hover());
    let name = format!("{}: {}", plot.title, plot.now);
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    let pen = Pen::new(ui.painter(), theme);
    let most = plot.bars.iter().map(|(whole, _)| *whole).max().unwrap_or(0);
    for line in 0..=3 {
        let y = rect.min.y + rect.height() * line as f32 / 3.0;
        pen.hline(rect.x_range(), y, pen.hair());
    }
    let top = pos2(rect.min.x, rect.min.y + 7.0);
    let most_word = most.to_string();
    pen.text(
        top,
        Align2::LEFT_CENTER,
        &most_word,
        Text::Diagram,
        Tone::Tertiary,
    );
    let (whole_ink, part_ink) = (theme.tone(plot.tones.0), theme.tone(plot.tones.1));
    let step = rect.width() / fleet::SECONDS as f32;
    let mut mesh = Mesh::default();
    let first = fleet::SECONDS.saturating_sub(plot.bars.len());
    for (at, (whole, part)) in plot.bars.iter().enumerate() {
        let x = rect.min.x + step * (first + at) as f32;
        let height = |count: u32| rect.height() * 0.94 * count as f32 / most.max(1) as f32;
        let bar = |count: u32| {
            let corner = pos2(x, rect.max.y - height(count));
            Rect::from_min_max(corner, pos2(x + (step - 1.0).max(1.0), rect.max.y))
        };
        mesh.add_colored_rect(bar(*whole), whole_ink);
        mesh.add_colored_rect(bar(*part), part_ink);
    }
    ui.painter().add(Shape::mesh(mesh));
}
