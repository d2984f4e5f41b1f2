//! The incident view: only what holds a lock, the answer first.

pub mod data;
pub mod lease;
#[cfg(test)]
mod tests;

use data::{LockColumn, LocksBody};

use egui::{Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::app::State;
use crate::app::command::{Command, LocksCommand, RecordCommand};
use crate::app::state::{Grouping, LockList};
use crate::app::view;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::panels::keys::{self, data::Wording, faces};
use crate::ui::panels::selected_bar;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Chip};
use crate::ui::widgets::quiet::{Quiet, quiet_ui};
use crate::ui::widgets::table::{Answer, Boxes, Cell, Column, Face, Side, Sorted, Table};
use crate::ui::widgets::{Pen, Row, Span};

/// What the view keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct LocksMemory {
    revealed: u64,
    scroll_to: Option<f32>,
    pub rows_in_sight: f32,
}

const GROUP_HEAD: f32 = 36.0;

pub fn locks_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut LocksMemory,
    send: &Commands,
) {
    ui.painter()
        .rect_filled(rect, 0, theme.tokens().surface.base.0);
    let height = theme.common().height.filter_row;
    let (head, mut rest) = rect.split_top_bottom_at_y(rect.min.y + height);
    head_ui(ui, theme, head, state, send);
    if let Some(banner) = faces::banner(state) {
        let (top, below) = rest.split_top_bottom_at_y(rest.min.y + keys::BANNER);
        keys::banner_ui(ui, theme, top, &banner, send);
        rest = below;
    }
    let (rest, bar) = selected_bar::split(state, rest);
    if let Some(bar) = bar {
        selected_bar::selected_bar_ui(ui, theme, bar, state, send);
    }
    match data::body(state) {
        LocksBody::List | LocksBody::Waiting => list_ui(ui, theme, rest, state, memory, send),
        face => face_ui(ui, theme, rest, state, face, send),
    }
}

fn head_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let head = data::head(state);
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(12.0, 0.0)));
    let height = theme.common().height.button;
    for grouping in Grouping::ALL.into_iter().rev() {
        let chip = Chip {
            word: &grouping.word(),
            count: None,
            icon: None,
            is_chosen: state.locks.grouping == grouping,
        };
        let place = row.take_right(chip.width(row.ui, theme), height);
        row.gap_right(2.0);
        if chip.show(row.ui, theme, place).clicked() {
            send.send(Command::Locks(LocksCommand::GroupBy(grouping)));
        }
    }
    row.gap_right(14.0);
    let button = Button::new(&head.lease).key("L");
    let width = button.width(row.ui, theme);
    let words = say!("locks-counts-after");
    let about = Pen::new(row.ui.painter(), theme)
        .galley(&words, Text::Note, Tone::Tertiary)
        .size()
        .x;
    let answer = answer_width(&row, &head);
    if row.room() > width + 120.0 {
        let place = row.take_right(width, height);
        if button.show(row.ui, theme, place).clicked() {
            send.send(Command::Locks(LocksCommand::AskLease));
        }
        if row.room() > about + answer + 30.0 {
            row.gap_right(10.0);
            row.text_right(&words, Text::Note, Tone::Tertiary);
        }
        row.gap_right(16.0);
    }
    row.gap(2.0);
    row.text(&head.lead, Text::View, Tone::Primary);
    row.gap(10.0);
    row.text(&head.rest, Text::Body, Tone::Secondary);
}

fn answer_width(row: &Row<'_>, head: &data::LocksHead) -> f32 {
    let pen = Pen::new(row.ui.painter(), row.theme);
    let lead = pen.galley(&head.lead, Text::View, Tone::Primary).size().x;
    let rest = pen.galley(&head.rest, Text::Body, Tone::Primary).size().x;
    lead + rest + 26.0
}

/// Where a line of the list is: heads are higher than rows.
#[derive(Clone, Copy, Debug)]
enum Line {
    Head(usize),
    Row(u64),
}

fn list_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut LocksMemory,
    send: &Commands,
) {
    let places = data::columns(rect.width());
    let columns: Vec<Column> = places
        .iter()
        .map(|(name, width)| column(*name, *width))
        .collect();
    let table = Table {
        columns: &columns,
        rows: 0,
        row_height: keys::row_height(theme, state.settings.density),
        cursor: state.locks.cursor,
        chosen: state
            .locks
            .cursor
            .filter(|_| view::open_row(state).is_some()),
        reveal: state.locks.reveal,
        boxes: Boxes::UnderPointer,
        headers_sort: false,
        headers_move: false,
        opacity: opacity(state),
        has_focus: ui.memory(|memory| memory.focused().is_none()),
    };
    let mut answer = Answer::default();
    let header = theme.common().height.table_header;
    let (header, body) = rect.split_top_bottom_at_y(rect.min.y + header);
    table.header_ui(ui, theme, header, &mut answer);
    let Some(locks) = view::locks(state) else {
        return;
    };
    memory.rows_in_sight = (body.height() / table.row_height).max(1.0);
    let lines = Lines::of(locks, table.row_height);
    if memory.revealed != state.locks.reveal {
        memory.revealed = state.locks.reveal;
        memory.scroll_to = state.locks.cursor.map(|row| lines.top_of_row(locks, row));
    }
    let font = theme.font(Text::Mono);
    let advance = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    let wording = Wording::of(state, advance);
    let face = |row| face_of(state, theme, &places, &wording, row);
    rows_ui(
        ui,
        theme,
        body,
        (state, locks, &lines),
        memory,
        |ui, place, row| {
            if let Some(face) = face(row) {
                table.row_ui(ui, theme, place, row, &face, &mut answer);
            }
        },
    );
    keys::selected_ui(&answer, send);
    if let Some(row) = answer.clicked {
        send.send(Command::Locks(LocksCommand::PointAt(row)));
        if state.record.open.is_none() {
            send.send(Command::Record(RecordCommand::Open));
        }
    }
}

fn rows_ui(
    ui: &mut Ui,
    theme: &Theme,
    body: Rect,
    (state, locks, lines): (&State, &LockList, &Lines),
    memory: &mut LocksMemory,
    mut row_ui: impl FnMut(&mut Ui, Rect, u64),
) {
    let mut inside = ui.new_child(UiBuilder::new().max_rect(body).id_salt("locks"));
    inside.set_clip_rect(body.intersect(ui.clip_rect()));
    inside.multiply_opacity(opacity(state));
    ScrollArea::vertical()
        .id_salt("lock list")
        .auto_shrink([false, false])
        .show_viewport(&mut inside, |ui, viewport| {
            ui.set_height(lines.height);
            let origin = ui.max_rect().min;
            if let Some(top) = memory.scroll_to.take() {
                let size = vec2(body.width(), lines.row);
                let place = Rect::from_min_size(pos2(origin.x, origin.y + top), size);
                ui.scroll_to_rect(place, None);
            }
            lines.in_sight(locks, viewport, |line, top, height| {
                let at = pos2(origin.x, origin.y + top);
                let place = Rect::from_min_size(at, vec2(body.width(), height));
                match line {
                    Line::Head(at) => group_ui(ui, theme, place, state, locks, at),
                    Line::Row(row) => row_ui(ui, place, row),
                }
            });
        });
}

fn opacity(state: &State) -> f32 {
    if state.connection.lost.is_some() {
        0.62
    } else {
        1.0
    }
}

fn column(name: LockColumn, width: f32) -> Column {
    Column {
        title: name.title(),
        width,
        side: if name.is_number() {
            Side::Right
        } else {
            Side::Left
        },
        sorted: if name == LockColumn::LockedFor {
            Sorted::Down
        } else {
            Sorted::No
        },
    }
}

/// Heights of the list's lines.
struct Lines {
    head: f32,
    row: f32,
    height: f32,
}

impl Lines {
    fn of(locks: &LockList, row: f32) -> Lines {
        let head = match locks.grouping {
            Grouping::Flat => 0.0,
            _ => GROUP_HEAD,
        };
        let rows = locks.rows.len() as f32 * row;
        Lines {
            head,
            row,
            height: rows + head * locks.groups.len() as f32 + 12.0,
        }
    }

    fn top_of_row(&self, locks: &LockList, row: u64) -> f32 {
        let heads = locks
            .groups
            .partition_point(|group| group.rows.start <= row);
        row as f32 * self.row + heads as f32 * self.head
    }

    /// Visits the lines in a part of the list.
    fn in_sight(&self, locks: &LockList, part: Rect, mut visit: impl FnMut(Line, f32, f32)) {
        for (at, group) in locks.groups.iter().enumerate() {
            let top = at as f32 * self.head + group.rows.start as f32 * self.row;
            let rows = (group.rows.end - group.rows.start) as f32;
            if top + self.head + rows * self.row < part.min.y {
                continue;
            }
            if top > part.max.y {
                break;
            }
            if self.head > 0.0 {
                visit(Line::Head(at), top, self.head);
            }
            let first = ((part.min.y - top - self.head) / self.row).floor().max(0.0) as u64;
            for row in group.rows.start + first..group.rows.end {
                let inside = (row - group.rows.start) as f32 * self.row;
                let at = top + self.head + inside;
                if at > part.max.y {
                    break;
                }
                visit(Line::Row(row), at, self.row);
            }
        }
    }
}

fn group_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, locks: &LockList, at: usize) {
    let Some(group) = locks.groups.get(at) else {
        return;
    };
    let Some(head) = data::group_head(state, locks, group) else {
        return;
    };
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.max.y - 0.5, pen.hair());
    // The words stand low, near their rows.
    let place = Rect::from_min_max(pos2(rect.min.x + 16.0, rect.min.y + 8.0), rect.max);
    let id = egui::Id::unique((ui.scope_id(), "group", at));
    let name = format!(
        "{}, {}, {}",
        crate::ui::widgets::span::plain(&head.title),
        head.note,
        head.counts
    );
    ui.interact(rect, id, Sense::hover())
        .widget_info(|| WidgetInfo::labeled(Role::RowHeader, true, &name));
    let mut row = Row::new(ui, theme, place.with_max_x(place.max.x - 20.0));
    row.text_right(&head.counts, Text::Note, Tone::Secondary);
    row.gap_right(28.0);
    if !head.layout.is_empty() && row.room() > 420.0 {
        row.text_right(&head.layout, Text::Note, Tone::Tertiary);
        row.gap_right(20.0);
    }
    row.spans(&head.title);
    row.gap(10.0);
    row.text(&head.note, Text::Note, Tone::Secondary);
}

fn face_of(
    state: &State,
    theme: &Theme,
    places: &[(LockColumn, f32)],
    wording: &Wording,
    row: u64,
) -> Option<Face> {
    let is_selected = view::is_selected(state, row);
    let lasts_ms = theme.common().motion.changed_row * 1000.0;
    let mark = view::mark_left(state, row, lasts_ms);
    let row = view::lock_row(state, row)?;
    let (_, _, (icon, tone)) = data::verdict(row.stuck);
    let cells = places.iter().map(|place| Cell {
        icon: (place.0 == LockColumn::Verdict).then(|| (theme.icon("status", icon), tone)),
        spans: data::cell(&row, *place, wording),
    });
    Some(Face {
        cells: cells.collect(),
        name: data::row_name(&row, wording),
        is_selected,
        mark,
    })
}

fn face_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    face: LocksBody,
    send: &Commands,
) {
    let text = vec![Span::body(data::quiet_words(state), Tone::Secondary)];
    let total = view::locks(state).map_or(0, |locks| locks.counts.total);
    let mut buttons = Vec::new();
    let mut commands = Vec::new();
    let (icon, icon_tone, title) = if face == LocksBody::NoneStuck {
        let icon = theme.icon("status", "completed");
        (icon, Tone::Completed, say!("locks-none-stuck"))
    } else {
        buttons.push(Button::new(say!("locks-set-lease")).key("L"));
        commands.push(LocksCommand::AskLease);
        let icon = theme.icon("status", "unknown");
        (icon, Tone::Secondary, say!("locks-cannot-tell"))
    };
    if total > 0 {
        buttons.push(Button::new(say!("locks-show-running")));
        commands.push(LocksCommand::ShowHeld);
    }
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.min.y, pen.hair());
    let quiet = Quiet {
        icon,
        icon_tone,
        title,
        text,
        buttons,
    };
    let pressed = quiet_ui(ui, theme, rect, quiet);
    if let Some(command) = pressed.and_then(|at| commands.into_iter().nth(at)) {
        send.send(Command::Locks(command));
    }
}
