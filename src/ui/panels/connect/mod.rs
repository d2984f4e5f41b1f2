//! The page of connecting: the demo store, or a URL.

mod data;

pub use data::{ConnectData, connect_data};

use egui::{Id, Key, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::app::State;
use crate::app::command::{AppCommand, Command, ConnectCommand};
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Weight, focus_ring};
use crate::ui::widgets::field::{Field, plain_layouter};
use crate::ui::widgets::{Pen, Row, Span};

#[derive(Clone, Debug, Default)]
pub struct ConnectMemory {
    focused: u64,
}

const LIST: f32 = 300.0;
const FORM: f32 = 720.0;

const EXAMPLES: [(&str, &str); 4] = [
    ("Redis", "redis://127.0.0.1:6379/0"),
    ("Redis over TLS", "rediss://user@db.example:6379/0"),
    ("PostgreSQL", "postgres://user@db.example/orders"),
    ("SQLite", "sqlite:/path/to/file.sqlite"),
];

pub fn connect_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut ConnectMemory,
    send: &Commands,
) {
    let data = connect_data(state);
    let tokens = theme.tokens();
    ui.painter().rect_filled(rect, 0, tokens.surface.base.0);
    let mut main = rect;
    if rect.width() > 860.0 {
        let (list, rest) = rect.split_left_right_at_x(rect.min.x + LIST);
        main = rest;
        list_ui(ui, theme, list, &data, send);
    }
    let width = FORM.min(main.width() - 40.0);
    let left = main.center().x - width / 2.0;
    let mut y = main.min.y + 40.0;
    let line = |y: f32, height: f32| Rect::from_min_size(pos2(left, y), vec2(width, height));
    Row::new(ui, theme, line(y, 30.0)).text("Connect to a store", Text::Page, Tone::Primary);
    y += 32.0;
    let about = "Type a URL. Or look around in the demo store, it needs nothing.";
    Row::new(ui, theme, line(y, 20.0)).text(about, Text::Body, Tone::Secondary);
    y += 36.0;
    field_ui(
        ui,
        theme,
        line(y, theme.common().height.field_large),
        state,
        memory,
        send,
    );
    y += 52.0;
    if let Some((text, hint)) = &data.failure {
        y = failure_ui(ui, theme, line(y, 20.0), text, hint.as_deref());
    }
    for (name, example) in EXAMPLES {
        let mut row = Row::new(ui, theme, line(y, 22.0));
        row.text(name, Text::Note, Tone::Tertiary);
        row.rect.min.x = left + 116.0;
        row.text(example, Text::Mono, Tone::Secondary);
        y += 22.0;
    }
    y += 20.0;
    buttons_ui(
        ui,
        theme,
        line(y, theme.common().height.button),
        &data,
        send,
    );
}

fn field_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut ConnectMemory,
    send: &Commands,
) {
    let mut text = state.connection.typed.clone();
    let field = Field {
        id: Id::unique("connect"),
        name: "Address of the store",
        hint: "redis://… or postgres://…",
        icon: theme.icon("act", "link"),
        kind: Text::MonoLead,
        room_right: 0.0,
        is_wrong: false,
        keeps_tab: false,
    };
    let mut layouter = plain_layouter(theme, Text::MonoLead);
    let answer = field.show(ui, theme, rect, &mut text, &mut layouter);
    if answer.changed {
        send.send(Command::Connect(ConnectCommand::Typed(text)));
    }
    if memory.focused != state.view.focus_connect {
        memory.focused = state.view.focus_connect;
        answer.response.request_focus();
    }
    let entered = ui.input(|input| input.key_pressed(Key::Enter));
    if answer.response.lost_focus() && entered {
        send.send(Command::Connect(ConnectCommand::Open));
    }
}

/// What went wrong, and what now; gives where it ends.
fn failure_ui(ui: &mut Ui, theme: &Theme, rect: Rect, text: &str, hint: Option<&str>) -> f32 {
    let pen = Pen::new(ui.painter(), theme);
    let icon = theme.icon("verdict", "fail");
    let size = theme.common().icon_size.in_row;
    let at = rect.min + vec2(size / 2.0, 10.0);
    pen.icon(at, &icon, size, Tone::Failed);
    let mut y = rect.min.y;
    let parts = [(Some(text), Tone::Primary), (hint, Tone::Secondary)];
    for (part, tone) in parts {
        let Some(part) = part else { continue };
        let part = crate::present::escape::shown(part, 600);
        let pen = Pen::new(ui.painter(), theme);
        let spans = [Span::body(&part, tone)];
        let galley = pen.wrapped(&spans, rect.width() - 24.0, 4);
        let height = galley.size().y;
        let place = pen.put(galley, pos2(rect.min.x + 24.0, y), egui::Align2::LEFT_TOP);
        let id = Id::unique((ui.scope_id(), "failure", tone == Tone::Primary));
        ui.interact(place, id, Sense::hover())
            .widget_info(|| WidgetInfo::labeled(Role::Label, true, &part));
        y += height + 4.0;
    }
    y + 16.0
}

fn buttons_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &ConnectData, send: &Commands) {
    let mut row = Row::new(ui, theme, rect);
    let label = if data.is_connecting {
        "Opening…"
    } else {
        "Open"
    };
    let weight = if data.can_open {
        Weight::Primary
    } else {
        Weight::Plain
    };
    let button = Button::new(label).key("Enter").weight(weight);
    let width = button.width(row.ui, theme);
    let place = row.take_right(width, rect.height());
    if button.show(row.ui, theme, place).clicked() {
        send.send(Command::Connect(ConnectCommand::Open));
    }
    row.gap_right(8.0);
    let button = Button::new("Open the demo store");
    let width = button.width(row.ui, theme);
    let place = row.take_right(width, rect.height());
    if button.show(row.ui, theme, place).clicked() {
        send.send(Command::Connect(ConnectCommand::OpenDemo));
    }
    row.gap_right(16.0);
    row.icon(&theme.icon("mark", "read_only"), 15.0, Tone::Tertiary);
    row.gap(8.0);
    row.text(
        "Opens read-only. Nothing is written, nothing is sent anywhere else.",
        Text::Note,
        Tone::Tertiary,
    );
}

fn list_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &ConnectData, send: &Commands) {
    let pen = Pen::new(ui.painter(), theme);
    pen.vline(rect.max.x - 0.5, rect.y_range(), pen.hair());
    let title = Rect::from_min_size(rect.min + vec2(16.0, 14.0), vec2(LIST - 32.0, 20.0));
    Row::new(ui, theme, title).text("Here already", Text::Section, Tone::Primary);
    let mut items = Vec::new();
    if let Some((name, line)) = &data.open {
        items.push((name.as_str(), line.as_str(), "open", "store"));
    }
    if data
        .open
        .as_ref()
        .is_none_or(|(name, _)| name != "Demo store")
    {
        let line = "made by the lab, needs nothing";
        items.push(("Demo store", line, "", "demo"));
    }
    let mut y = title.max.y + 10.0;
    for (name, line, mark, kind) in items {
        let place = Rect::from_min_size(pos2(rect.min.x + 6.0, y), vec2(LIST - 12.0, 46.0));
        let icon = match kind {
            "demo" => theme.icon("nav", "lab"),
            _ => theme.icon("mark", "store"),
        };
        if item_ui(ui, theme, place, &icon, (name, line, mark)) {
            send.send(match kind {
                "demo" => Command::Connect(ConnectCommand::OpenDemo),
                _ => Command::App(AppCommand::ShowKeys),
            });
        }
        y += 50.0;
    }
}

fn item_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    icon: &crate::ui::theme::Icon,
    (name, line, mark): (&str, &str, &str),
) -> bool {
    let response = ui.interact(
        rect,
        Id::unique((ui.scope_id(), "item", name)),
        Sense::click(),
    );
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    let radius = theme.common().radius.control;
    if response.hovered() {
        ui.painter()
            .rect_filled(rect, radius, theme.tokens().state.hover.0);
    }
    focus_ring(ui, theme, &response);
    let inner = rect.shrink2(vec2(10.0, 5.0));
    let (top, foot) = inner.split_top_bottom_at_y(inner.center().y);
    let center = pos2(inner.min.x + 8.0, rect.center().y);
    Pen::new(ui.painter(), theme).icon(center, icon, 15.0, Tone::Secondary);
    let mut row = Row::new(ui, theme, top);
    row.gap(24.0);
    row.text_right(mark, Text::Note, Tone::Tertiary);
    row.text(name, Text::Body, Tone::Primary);
    let mut row = Row::new(ui, theme, foot);
    row.gap(24.0);
    row.text(line, Text::MonoSmall, Tone::Tertiary);
    response.clicked()
}
