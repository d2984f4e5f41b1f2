//! The table of keys with its filter and its chips.

pub mod columns;
mod complete;
pub mod data;
pub mod faces;
mod filter_ui;
mod remarks;

use columns::ColumnPlace;
use complete::CompleteMemory;
use data::Wording;
use faces::{Body, ChipData};
use filter_ui::filter_ui;

use egui::{Rect, Ui, vec2};

use crate::app::command::{
    ColumnsCommand, Command, ConnectCommand, KeysCommand, RecordCommand, SelectCommand,
    SettingsCommand,
};
use crate::app::state::Density;
use crate::app::view::{self, ColumnName, Direction};
use crate::app::{Named, State};
use crate::present::count::{self, Font};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::panels::selected_bar;
use crate::ui::theme::{Text, Theme, Tone, glyph_tone};
use crate::ui::widgets::button::{Button, Chip, Weight, icon_button};
use crate::ui::widgets::quiet::{Quiet, quiet_ui};
use crate::ui::widgets::table::{
    Answer, Boxes, Cell, Column, Face, Side, Sorted, Table, TableState,
};
use crate::ui::widgets::{Row, Span};

/// What the panel keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct KeysMemory {
    pub table: TableState,
    pub focused: u64,
    complete: CompleteMemory,
}

pub const BANNER: f32 = 38.0;
/// Room for the glyph of the chips that do not fit.
const MORE: f32 = 30.0;

pub fn keys_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut KeysMemory,
    send: &Commands,
) {
    let tokens = theme.tokens();
    ui.painter().rect_filled(rect, 0, tokens.surface.base.0);
    let heights = &theme.common().height;
    let (filter, rest) = rect.split_top_bottom_at_y(rect.min.y + heights.filter_row);
    let (chips_row, mut rest) = rest.split_top_bottom_at_y(rest.min.y + heights.chip_row);
    filter_ui(ui, theme, filter, state, memory, send);
    chips_ui(ui, theme, chips_row, state, send);
    if let Some(banner) = faces::banner(state) {
        let (top, below) = rest.split_top_bottom_at_y(rest.min.y + BANNER);
        banner_ui(ui, theme, top, &banner, send);
        rest = below;
    }
    for remark in remarks::remarks(state) {
        let (top, below) = rest.split_top_bottom_at_y(rest.min.y + remarks::HEIGHT);
        remarks::remark_ui(ui, theme, top, &remark, send);
        rest = below;
    }
    let (rest, bar) = selected_bar::split(state, rest);
    if let Some(bar) = bar {
        selected_bar::selected_bar_ui(ui, theme, bar, state, send);
    }
    match faces::body(state) {
        Body::Rows => table_ui(ui, theme, rest, state, memory, send),
        face => {
            if face != Body::Waiting {
                face_ui(ui, theme, rest, face, send);
            } else {
                table_ui(ui, theme, rest, state, memory, send);
            }
        }
    }
}

fn chips_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let height = theme.common().height.chip + 2.0;
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(12.0, 0.0)));
    row.rect.max.y -= 4.0;
    let chips = faces::chips(state);
    let counted = state.keys.page.is_some();
    let chip_of = |data| chip_of(theme, data, counted);
    let widths: Vec<f32> = chips
        .iter()
        .map(|data| chip_of(data).width(row.ui, theme) + 2.0)
        .collect();
    let mut hidden = Vec::new();
    let all_fit = widths.iter().sum::<f32>() <= row.room();
    for (data, width) in chips.iter().zip(widths) {
        let keep = if all_fit { 0.0 } else { MORE };
        if !hidden.is_empty() || width + keep > row.room() {
            hidden.push(data);
            continue;
        }
        let place = row.take(width - 2.0, height);
        row.gap(2.0);
        if chip_of(data).show(row.ui, theme, place).clicked() {
            send.send(Command::Keys(KeysCommand::Chip(data.standing)));
        }
    }
    if hidden.is_empty() {
        return;
    }
    let place = row.take(MORE - 4.0, height);
    let icon = theme.icon("act", "more");
    let more = icon_button(row.ui, theme, place, &icon, &say!("keys-more-chips"));
    egui::Popup::menu(&more).show(|ui| {
        for data in hidden {
            let chip = chip_of(data);
            let size = vec2(chip.width(ui, theme).max(150.0), height);
            let (place, _) = ui.allocate_exact_size(size, egui::Sense::hover());
            if chip.show(ui, theme, place).clicked() {
                send.send(Command::Keys(KeysCommand::Chip(data.standing)));
                ui.close();
            }
        }
    });
}

fn chip_of<'a>(theme: &Theme, data: &'a ChipData, counted: bool) -> Chip<'a> {
    let icon = |standing| (theme.standing_icon(standing), glyph_tone(standing));
    Chip {
        word: &data.word,
        count: counted.then(|| count::grouped(data.count, Font::Mono)),
        icon: data.standing.map(icon),
        is_chosen: data.is_chosen,
    }
}

fn table_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut KeysMemory,
    send: &Commands,
) {
    let settings = &state.settings;
    let places = columns::columns(rect.width(), settings);
    let columns = headers(state, &places);
    let table = Table {
        columns: &columns,
        rows: state.keys.rows(),
        row_height: row_height(theme, settings.density),
        cursor: state.keys.cursor,
        chosen: state
            .keys
            .cursor
            .filter(|_| view::open_row(state).is_some()),
        boxes: Boxes::UnderPointer,
        headers_sort: true,
        headers_move: true,
        reveal: state.keys.reveal,
        opacity: if state.connection.lost.is_some() {
            0.62
        } else {
            1.0
        },
        has_focus: ui.memory(|memory| memory.focused().is_none()),
    };
    let font = theme.font(Text::Mono);
    let advance = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    let wording = Wording::of(state, advance);
    let face = |row| face_of(state, theme, &places, &wording, row);
    let hint = |row, column: usize| {
        let row = view::keys_row(state, row)?;
        data::hint(&row, *places.get(column)?, &wording)
    };
    let answer = table.show(ui, theme, rect, &mut memory.table, (face, hint));
    let field = answer
        .header
        .and_then(|at| places.get(at)?.name.sort_field());
    if let Some(field) = field {
        send.send(Command::Keys(KeysCommand::SortBy(field)));
    }
    dragged_ui(&answer, &places, send);
    selected_ui(&answer, send);
    if let Some(row) = answer.clicked {
        send.send(Command::Keys(KeysCommand::PointAt(row)));
        // An open panel follows the cursor by itself.
        if state.record.open.is_none() {
            send.send(Command::Record(RecordCommand::Open));
        }
    }
}

fn headers(state: &State, places: &[ColumnPlace]) -> Vec<Column> {
    let header = |place: &ColumnPlace| Column {
        title: place.name.title(),
        width: place.width,
        side: if place.name.is_number() {
            Side::Right
        } else {
            Side::Left
        },
        sorted: match columns::sorted(state, place.name) {
            None => Sorted::No,
            Some(Direction::Ascending) => Sorted::Up,
            Some(Direction::Descending) => Sorted::Down,
        },
    };
    places.iter().map(header).collect()
}

/// What became of headers that were dragged.
fn dragged_ui(answer: &Answer, places: &[ColumnPlace], send: &Commands) {
    let name = |at: usize| places.get(at).map(|place| place.name);
    let columns = |command| send.send(Command::Settings(SettingsCommand::Columns(command)));
    if let Some((at, width)) = answer.resized
        && let Some(name) = name(at)
    {
        columns(ColumnsCommand::Width(name, width));
    }
    if let Some((at, other)) = answer.moved
        && let Some(column) = name(at)
    {
        columns(ColumnsCommand::Before {
            name: column,
            other: other.and_then(name),
        });
    }
}

/// What was selected by the pointer.
pub fn selected_ui(answer: &Answer, send: &Commands) {
    if let Some(place) = answer.toggled {
        send.send(Command::Select(SelectCommand::Toggle(place)));
    }
    if let Some(place) = answer.extended {
        send.send(Command::Select(SelectCommand::ExtendTo(place)));
    }
}

pub fn row_height(theme: &Theme, density: Density) -> f32 {
    let heights = &theme.common().density;
    match density {
        Density::Compact => heights.compact,
        Density::Normal => heights.normal,
        Density::Roomy => heights.roomy,
    }
}

fn face_of(
    state: &State,
    theme: &Theme,
    places: &[ColumnPlace],
    wording: &Wording,
    row: u64,
) -> Option<Face> {
    let is_selected = view::is_selected(state, row);
    let lasts_ms = theme.common().motion.changed_row * 1000.0;
    let mark = view::mark_left(state, row, lasts_ms);
    let row = view::keys_row(state, row)?;
    let cells = places.iter().map(|place| Cell {
        icon: match place.name {
            ColumnName::Status => {
                Some((theme.standing_icon(row.standing), glyph_tone(row.standing)))
            }
            _ => None,
        },
        spans: data::cell(&row, *place, wording),
    });
    Some(Face {
        cells: cells.collect(),
        name: data::row_name(&row, wording),
        is_selected,
        mark,
    })
}

pub fn banner_ui(ui: &mut Ui, theme: &Theme, rect: Rect, banner: &faces::Banner, send: &Commands) {
    let tokens = theme.tokens();
    ui.painter().rect_filled(rect, 0, tokens.state.hover.0);
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(16.0, 0.0)));
    let button = Button::new(say!("keys-try-now"))
        .key("F5")
        .weight(Weight::Ghost);
    let width = button.width(row.ui, theme);
    let place = row.take_right(width, theme.common().height.button);
    if button.show(row.ui, theme, place).clicked() {
        send.send(Command::Connect(ConnectCommand::TryNow));
    }
    row.gap_right(8.0);
    row.icon(&theme.icon("mark", "disconnected"), 15.0, Tone::Stuck);
    row.gap(8.0);
    row.text(&banner.lead, Text::Section, Tone::Primary);
    row.gap(8.0);
    row.text(&banner.rest, Text::Body, Tone::Secondary);
}

fn face_ui(ui: &mut Ui, theme: &Theme, rect: Rect, face: Body, send: &Commands) {
    let body = |text: String| vec![Span::body(text, Tone::Secondary)];
    let describe = match &face {
        Body::NoRecords { describe, .. } => describe.clone(),
        _ => None,
    };
    let (icon, tone, title, text, buttons, commands) = match face {
        Body::Rows | Body::Waiting => return,
        Body::NoRecords { text, .. } => {
            let mut buttons = vec![
                Button::new(say!("keys-look-again")).key("F5"),
                Button::new(say!("keys-connect")).key("Ctrl O"),
            ];
            let mut commands = vec![
                Command::Connect(ConnectCommand::LookAgain),
                Command::Connect(ConnectCommand::ShowPage),
            ];
            if let Some(label) = describe {
                buttons.insert(0, Button::new(label).key("N"));
                commands.insert(0, Named::NewLayout.command());
            }
            let icon = theme.icon("act", "empty");
            let title = say!("keys-no-records");
            (icon, Tone::Secondary, title, body(text), buttons, commands)
        }
        Body::NothingMatches {
            text,
            last_term,
            clears,
        } => {
            let mut buttons = Vec::new();
            let mut commands = Vec::new();
            if last_term.is_some() {
                buttons.push(Button::new(say!("keys-drop-term")));
                commands.push(Command::Keys(KeysCommand::DropLastTerm));
            }
            buttons.push(Button::new(say!("keys-clear")).key("Esc"));
            commands.push(Command::Keys(clears.command()));
            let icon = theme.icon("act", "filter");
            (
                icon,
                Tone::Secondary,
                say!("keys-nothing-matches"),
                text,
                buttons,
                commands,
            )
        }
        Body::Failed { text, hint } => (
            theme.icon("status", "failed"),
            Tone::Failed,
            say!("keys-not-read"),
            body(format!("{text}. {hint}")),
            vec![Button::new(say!("keys-read-again")).key("F5")],
            vec![Command::Keys(KeysCommand::ReadAgain)],
        ),
    };
    let face = Quiet {
        icon,
        icon_tone: tone,
        title,
        text,
        buttons,
    };
    let pressed = quiet_ui(ui, theme, rect, face);
    if let Some(command) = pressed.and_then(|at| commands.into_iter().nth(at)) {
        send.send(command);
    }
}
