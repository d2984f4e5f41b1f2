//! The page of connecting: what can be opened at the left, one connection as a form beside it.

mod answer_ui;
mod data;
mod form_ui;
mod list_ui;
mod said;
mod tested;

pub use data::{ConnectData, connect_data};

use data::TestData;

use egui::style::ScrollAnimation;
use egui::{
    Align2, Event, Id, Key, Modifiers, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo,
    pos2, vec2,
};

use crate::app::State;
use crate::app::command::{Command, ConnectCommand, FormCommand, Move};
use crate::domain::Secret;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::{Pen, Row, Span};

#[derive(Clone, Debug, Default)]
pub struct ConnectMemory {
    focused: u64,
    /// An answer of a test was there already.
    had_answer: bool,
}

const LIST: f32 = 300.0;
const FORM: f32 = 720.0;
const FOOT: f32 = 56.0;

pub fn connect_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut ConnectMemory,
    send: &Commands,
) {
    let data = connect_data(state);
    ui.painter()
        .rect_filled(rect, 0, theme.tokens().surface.base.0);
    let pressed = match state.view.over {
        None => keys(ui, send),
        Some(_) => None,
    };
    let (list, main) = rect.split_left_right_at_x(rect.min.x + LIST.min(rect.width() * 0.4));
    list_ui::list_ui(ui, theme, list, &data, send);
    let (body, foot) = main.split_top_bottom_at_y(main.max.y - FOOT);
    let width = FORM.min(main.width() - 40.0);
    let column = |rect: Rect| {
        let left = (rect.center().x - width / 2.0).round();
        Rect::from_min_max(pos2(left, rect.min.y), pos2(left + width, rect.max.y))
    };
    let builder = UiBuilder::new().max_rect(body).id_salt("form");
    ui.scope_builder(builder, |ui| {
        ScrollArea::vertical()
            .id_salt("connect form")
            .auto_shrink(false)
            .show(ui, |ui| {
                let inner = column(body);
                ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
                let left = inner.min.x - body.min.x;
                ui.horizontal_top(|ui| {
                    ui.add_space(left);
                    ui.vertical(|ui| {
                        ui.set_width(width);
                        column_ui(ui, theme, state, &data, memory, send);
                    });
                });
            });
    });
    let pen = Pen::new(ui.painter(), theme);
    pen.painter
        .rect_filled(foot, 0, theme.tokens().surface.base.0);
    pen.hline(foot.x_range(), foot.min.y + 0.5, pen.hair());
    answer_ui::buttons_ui(ui, theme, column(foot), state, &data, send);
    // After what was typed in the same frame.
    if let Some(command) = pressed {
        send.send(Command::Connect(command));
    }
}

fn column_ui(
    ui: &mut Ui,
    theme: &Theme,
    state: &State,
    data: &ConnectData,
    memory: &mut ConnectMemory,
    send: &Commands,
) {
    ui.add_space(20.0);
    let title = say!("connect-title");
    Row::next(ui, theme, 30.0).text(&title, Text::Page, Tone::Primary);
    ui.add_space(2.0);
    about_ui(ui, theme);
    ui.add_space(12.0);
    let wants_focus = memory.focused != state.view.focus_connect;
    memory.focused = state.view.focus_connect;
    form_ui::url_ui(ui, theme, state, data, wants_focus, send);
    ui.add_space(8.0);
    answer_ui::failure_ui(ui, theme, data);
    form_ui::fields_ui(ui, theme, state, data, wants_focus, send);
    ui.add_space(8.0);
    let has_answer = matches!(data.test, TestData::Found(..) | TestData::Failed(..));
    let response = ui.scope(|ui| answer_ui::test_ui(ui, theme, data)).response;
    if has_answer && !memory.had_answer {
        let at_once = ScrollAnimation::none();
        ui.scroll_to_rect_animation(response.rect, Some(egui::Align::Max), at_once);
    }
    memory.had_answer = has_answer;
    ui.add_space(12.0);
}

fn about_ui(ui: &mut Ui, theme: &Theme) {
    let about = say!("connect-about");
    let spans = [Span::body(&about, Tone::Secondary)];
    let galley = Pen::new(ui.painter(), theme).wrapped(&spans, ui.available_width(), 3);
    let size = vec2(ui.available_width(), galley.size().y + 2.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &about));
    Pen::new(ui.painter(), theme).put(galley, rect.min, Align2::LEFT_TOP);
}

/// Keys of the page, whatever field has the focus; what is to be done when the fields have been drawn.
fn keys(ui: &mut Ui, send: &Commands) -> Option<ConnectCommand> {
    let form = |command| send.send(Command::Connect(ConnectCommand::Form(command)));
    let ctx = ui.ctx().clone();
    let is_typing = ctx.text_edit_focused();
    let has_focus = ctx.memory(|memory| memory.focused().is_some());
    if is_typing || !has_focus {
        for (key, by) in [(Key::ArrowDown, 1), (Key::ArrowUp, -1)] {
            while ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
                form(FormCommand::Move(Move::By(by)));
            }
        }
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter)) {
            return Some(ConnectCommand::Open);
        }
    }
    if is_typing {
        return None;
    }
    let pasted = ui.input(|input| {
        let mut events = input.events.iter();
        events.find_map(|event| match event {
            Event::Paste(text) => Some(text.clone()),
            _ => None,
        })
    });
    if let Some(text) = pasted {
        form(FormCommand::UrlPasted(Secret::new(text)));
    }
    if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Delete)) {
        form(FormCommand::Remove);
    }
    None
}

/// The field of the address.
fn url_id() -> Id {
    Id::unique("connect")
}
