//! What a column runs with: its variant, a preset, and every switch by itself.

use egui::{Id, Key, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, vec2};

use super::times_ui::time_ui;
use super::words::{position_word, switch_word};
use crate::app::State;
use crate::app::command::{AppCommand, Command, LabCommand, SwitchesCommand};
use crate::app::state::SwitchForm;
use crate::app::view::lab::{Switch, TIMES, all_switches, choices};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Chip, Weight, focus_ring};
use crate::ui::widgets::dialog::dialog_ui;
use crate::ui::widgets::{Pen, Row, Span};

const WIDTH: f32 = 920.0;
const LEFT: f32 = 268.0;
const LABEL: f32 = 194.0;
/// Of the short name of a switch.
const ID: f32 = 24.0;
/// Of what is said of a preset.
const ABOUT: f32 = 112.0;
const LINE: f32 = 26.0;
const ITEM: f32 = 26.0;

pub fn switches_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let Some(form) = &state.lab.form else {
        return;
    };
    let height = (ui.ctx().content_rect().height() - 240.0).clamp(240.0, 660.0);
    let left = dialog_ui(ui, theme, "switches", WIDTH, |ui| {
        head_ui(ui, theme, state, form);
        ui.add_space(10.0);
        let (body, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
        let (left, right) = body.split_left_right_at_x(body.min.x + LEFT);
        let right = Rect::from_min_max(right.min + vec2(20.0, 0.0), right.max);
        column(ui, "choices", left, |ui| {
            choices_ui(ui, theme, state, form, send)
        });
        column(ui, "switches", right, |ui| {
            for switch in all_switches() {
                switch_ui(ui, theme, state, form, &switch, send);
                for time in TIMES.iter().filter(|time| time.beside == switch.id) {
                    time_ui(ui, theme, (state, form), *time, (ID, LABEL, LINE), send);
                }
            }
        });
        ui.add_space(12.0);
        foot_ui(ui, theme, state, form, send);
    });
    if left {
        send.send(Command::App(AppCommand::StepBack));
    }
}

fn column(ui: &mut Ui, name: &str, rect: Rect, add: impl FnOnce(&mut Ui)) {
    let mut inside = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(name));
    inside.set_clip_rect(rect.intersect(ui.clip_rect()));
    inside.spacing_mut().item_spacing = vec2(0.0, 0.0);
    ScrollArea::vertical()
        .id_salt(name)
        .auto_shrink([false, false])
        .show(&mut inside, add);
}

fn ask(send: &Commands, command: SwitchesCommand) {
    send.send(Command::Lab(LabCommand::Switches(command)));
}

fn head_ui(ui: &mut Ui, theme: &Theme, state: &State, form: &SwitchForm) {
    let column = match (state.lab.sides.len(), form.side) {
        (1, _) => say!("lab-alone"),
        (_, 0) => say!("lab-without"),
        _ => say!("lab-with"),
    };
    let title = say!("lab-switches-of", column = column);
    Row::next(ui, theme, 28.0).text(&title, Text::View, Tone::Primary);
    let about = say!("lab-switches-about");
    Row::next(ui, theme, 22.0).text(&about, Text::Body, Tone::Secondary);
}

/// Variants of the scenario, and presets.
fn choices_ui(ui: &mut Ui, theme: &Theme, state: &State, form: &SwitchForm, send: &Commands) {
    title_ui(ui, theme, &say!("lab-variants"));
    for pick in choices(&state.lab.scenarios, state.lab.chosen) {
        let Some((scenario, variant)) = pick.of(&state.lab.scenarios) else {
            continue;
        };
        let chosen = pick == form.pick;
        let words = match pick.scenario == state.lab.chosen {
            true => variant.title.spoken().to_owned(),
            false => format!("{}: {}", scenario.id, variant.title.spoken()),
        };
        if item_ui(ui, theme, &words, chosen).clicked() {
            ask(send, SwitchesCommand::Pick(pick));
        }
    }
    ui.add_space(10.0);
    title_ui(ui, theme, &say!("lab-presets"));
    let mut about = "";
    for (at, preset) in state.lab.presets.iter().enumerate() {
        let chosen = form.switches == preset.switches;
        let response = item_ui(ui, theme, preset.title.spoken(), chosen);
        let is_meant = response.hovered() || response.has_focus();
        if is_meant || (chosen && about.is_empty()) {
            about = preset.about.spoken();
        }
        if response.clicked() {
            ask(send, SwitchesCommand::Preset(at));
        }
    }
    about_ui(ui, theme, about);
}

/// What is special about a preset; under the list, since over it it would hide the next ones.
fn about_ui(ui: &mut Ui, theme: &Theme, about: &str) {
    let size = vec2(ui.available_width() - 8.0, ABOUT);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let pen = Pen::new(ui.painter(), theme);
    let words = Span::new(about, Text::Note, Tone::Secondary);
    let galley = pen.wrapped(&[words], rect.width() - 16.0, 6);
    pen.put(galley, rect.min + vec2(8.0, 8.0), egui::Align2::LEFT_TOP);
}

fn title_ui(ui: &mut Ui, theme: &Theme, words: &str) {
    Row::next(ui, theme, 24.0).text(words, Text::Note, Tone::Secondary);
}

fn item_ui(ui: &mut Ui, theme: &Theme, words: &str, chosen: bool) -> egui::Response {
    let tone = if chosen {
        Tone::Primary
    } else {
        Tone::Secondary
    };
    let width = ui.available_width() - 8.0;
    let pen = Pen::new(ui.painter(), theme);
    let galley = pen.wrapped(&[Span::body(words, tone)], width - 16.0, 2);
    let is_cut = galley.elided;
    let height = (galley.size().y + 8.0).max(ITEM);
    let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let id = Id::unique((ui.scope_id(), "choice", words));
    let response = ui.interact(rect, id, Sense::CLICK);
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, chosen, words));
    let tokens = theme.tokens();
    let radius = theme.common().radius.control;
    if chosen {
        ui.painter()
            .rect_filled(rect, radius, tokens.state.selected.0);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, radius, tokens.state.hover.0);
    }
    focus_ring(ui, theme, &response);
    let left = rect.left_center() + vec2(8.0, 0.0);
    Pen::new(ui.painter(), theme).put(galley, left, egui::Align2::LEFT_CENTER);
    follow(&response);
    match is_cut {
        true => response.on_hover_text(words),
        false => response,
    }
}

/// What the keyboard comes to is in sight.
fn follow(response: &egui::Response) {
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
}

/// A switch with its positions, in as many lines as they need.
fn switch_ui(
    ui: &mut Ui,
    theme: &Theme,
    state: &State,
    form: &SwitchForm,
    switch: &Switch,
    send: &Commands,
) {
    let known = form.pick.of(&state.lab.scenarios);
    let usual = known.and_then(|(_, variant)| variant.switches.position(switch.id));
    let stands = form.switches.position(switch.id);
    let is_changed = usual != stands;
    ui.push_id(switch.id, |ui| {
        let mut row = Row::next(ui, theme, LINE);
        let place = row.take(LABEL, LINE);
        let mut label = Row::new(row.ui, theme, place);
        // As the specifications of such layers name it.
        let id = label.take(ID, LINE);
        if switch.id.len() <= 2 {
            let name = switch.id.to_uppercase();
            Row::new(label.ui, theme, id).text(&name, Text::MonoSmall, Tone::Tertiary);
        }
        let tone = if is_changed {
            Tone::Accent
        } else {
            Tone::Secondary
        };
        let word = switch_word(switch.id);
        label.text(&word, Text::Body, tone);
        for position in &switch.positions {
            let words = position_word(switch.id, position);
            let chip = Chip {
                word: &words,
                count: None,
                icon: None,
                is_chosen: stands.as_ref() == Some(position),
            };
            let width = chip.width(row.ui, theme);
            if width > row.room() {
                let ui = row.ui;
                row = Row::next(ui, theme, LINE);
                row.gap(LABEL);
            }
            let place = row.take(width, 22.0);
            row.gap(2.0);
            let name = format!("{word}: {words}");
            let response = chip.show_named(row.ui, theme, place, &name);
            follow(&response);
            if response.clicked() {
                let (switch, position) = (switch.id, position.clone());
                ask(send, SwitchesCommand::Set { switch, position });
            }
        }
    });
}

fn foot_ui(ui: &mut Ui, theme: &Theme, state: &State, form: &SwitchForm, send: &Commands) {
    let mut row = Row::next(ui, theme, 32.0);
    let height = theme.common().height.button;
    let button = Button::new(say!("lab-switches-run"))
        .key("Ctrl Enter")
        .weight(Weight::Primary)
        .off((!form.is_good()).then(|| say!("lab-switches-wrong")));
    let place = row.take_right(button.width(row.ui, theme), height);
    let pressed = button.show(row.ui, theme, place).clicked();
    let entered = row
        .ui
        .input_mut(|input| input.consume_key(egui::Modifiers::COMMAND, Key::Enter));
    if pressed || entered {
        ask(send, SwitchesCommand::Run);
    }
    row.gap_right(8.0);
    let button = Button::new(say!("common-cancel")).weight(Weight::Ghost);
    let place = row.take_right(button.width(row.ui, theme), height);
    if button.show(row.ui, theme, place).clicked() {
        send.send(Command::App(AppCommand::StepBack));
    }
    let known = form.pick.of(&state.lab.scenarios);
    let differing = known.map_or(0, |(_, variant)| {
        form.switches.differing(&variant.switches).len()
    });
    if differing > 0 {
        let button = Button::new(say!("lab-switches-reset")).weight(Weight::Ghost);
        let place = row.take(button.width(row.ui, theme), height);
        if button.show(row.ui, theme, place).clicked() {
            ask(send, SwitchesCommand::Reset);
        }
        row.gap(10.0);
        let words = say!("lab-switches-changed", count = differing);
        row.text(&words, Text::Note, Tone::Accent);
    }
}
