//! The editor of layouts: at the left what to describe, in the middle the text, at the right what
//! the text makes of an example.

pub mod data;
mod dialogs;
mod example_ui;
mod list_ui;
mod text_ui;
mod toml;

use data::{EditorData, Mood, editor_data};
pub use dialogs::{leave_ui, overwrite_ui};

use egui::{Key, Rect, Ui, UiBuilder, vec2};

use crate::app::command::{Command, EditorCommand};
use crate::app::{Named, State};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::panels::record::payload::Lines;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Weight};
use crate::ui::widgets::{Pen, Row};

/// What the view keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct EditorMemory {
    lines: Lines,
    /// The newest wish to type into the text that was carried out.
    focused: u64,
}

const HEAD: f32 = 58.0;
const FOOT: f32 = 40.0;
const EDGE: f32 = 16.0;

pub fn editor_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut EditorMemory,
    send: &Commands,
) {
    let data = editor_data(state);
    ui.painter()
        .rect_filled(rect, 0, theme.tokens().surface.base.0);
    let narrow = rect.width() < 1100.0;
    let (list_width, example_width) = if narrow {
        (200.0, 300.0)
    } else {
        (280.0, 400.0)
    };
    let (list, rest) = rect.split_left_right_at_x(rect.min.x + list_width);
    let (main, example) = rest.split_left_right_at_x(rest.max.x - example_width);
    list_ui::list_ui(ui, theme, list, &data, state, send);
    let (head, body) = main.split_top_bottom_at_y(main.min.y + HEAD);
    let (body, foot) = body.split_top_bottom_at_y(body.max.y - FOOT);
    head_ui(ui, theme, head, &data, send);
    text_ui::text_ui(ui, theme, body, state, &data, memory, send);
    foot_ui(ui, theme, foot, &data);
    example_ui::example_ui(ui, theme, example, state, &data, memory, send);
    // Enter goes into the text, as Esc goes out of it.
    let is_free = ui.memory(|memory| memory.focused().is_none()) && state.view.over.is_none();
    if is_free && ui.input(|input| input.key_pressed(Key::Enter)) {
        send.send(Command::Editor(EditorCommand::FocusText));
    }
}

fn head_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &EditorData, send: &Commands) {
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.max.y, pen.hair());
    let inner = rect.shrink2(vec2(EDGE, 9.0));
    let (top, _) = inner.split_top_bottom_at_y(inner.min.y + 24.0);
    let mut row = Row::new(ui, theme, inner);
    let height = theme.common().height.button;
    let save = say!("editor-save");
    let button = Button::new(&save)
        .key(Named::SaveLayout.info().shortcut.text())
        .weight(Weight::Primary);
    let place = row.take_right(button.width(row.ui, theme), height);
    if button.show(row.ui, theme, place).clicked() {
        send.send(Command::Editor(EditorCommand::Save));
    }
    row.gap_right(8.0);
    if data.can_propose {
        let propose = say!("editor-propose");
        let button = Button::new(&propose);
        let place = row.take_right(button.width(row.ui, theme), height);
        if button.show(row.ui, theme, place).clicked() {
            send.send(Command::Editor(EditorCommand::Propose));
        }
        row.gap_right(8.0);
    }
    let right = row.rect.max.x;
    let mut row = Row::new(ui, theme, top.with_max_x(right));
    row.text(&data.title, Text::View, Tone::Primary);
    if data.is_unsaved {
        row.gap(10.0);
        row.text(&say!("editor-edited"), Text::Note, Tone::Accent);
    }
    let below = Rect::from_min_max(top.left_bottom(), inner.max);
    let mut row = Row::new(ui, theme, below.with_max_x(right));
    row.text(&data.file, Text::Note, Tone::Tertiary)
        .on_hover_text(&data.file);
}

fn foot_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &EditorData) {
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.min.y, pen.hair());
    let (group, name, tone) = match data.verdict.mood {
        Mood::Quiet => ("act", "info", Tone::Tertiary),
        Mood::Good => ("verdict", "pass", Tone::Completed),
        Mood::Doubtful => ("verdict", "warn", Tone::Stuck),
        Mood::Wrong => ("verdict", "fail", Tone::Danger),
    };
    if data.verdict.text.is_empty() {
        return;
    }
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(EDGE, 0.0)));
    row.icon(&theme.icon(group, name), 15.0, tone);
    row.gap(8.0);
    let ink = match data.verdict.mood {
        Mood::Wrong => Tone::Danger,
        _ => Tone::Secondary,
    };
    row.text(&data.verdict.text, Text::Body, ink)
        .on_hover_text(&data.verdict.text);
}

/// A column inside of a part, without gaps of its own.
fn column(ui: &mut Ui, rect: Rect, name: &str, edge: f32) -> Ui {
    let builder = UiBuilder::new().max_rect(rect.shrink2(vec2(edge, 0.0)));
    let mut inside = ui.new_child(builder.id_salt(name));
    inside.set_clip_rect(rect.intersect(ui.clip_rect()));
    inside.spacing_mut().item_spacing = vec2(0.0, 0.0);
    inside
}
