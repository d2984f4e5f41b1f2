//! The lab: scenarios at the left, one or two runs beside each other, the time they share.

pub mod data;
mod diagram;
mod facts_ui;
mod free_ui;
mod head_ui;
mod list_ui;
mod projector;
mod save_ui;
mod switches_ui;
#[cfg(test)]
mod tests;
mod times_ui;
mod transport_ui;
mod words;

pub use projector::projector_ui;
pub use save_ui::save_ui;
pub use switches_ui::switches_ui;

use egui::{Align2, Id, Rect, Role, Sense, Ui, WidgetInfo};

use self::data::{ColumnData, column_data};
use self::diagram::{Diagram, diagram_ui};
use crate::app::State;
use crate::app::command::{Command, LabCommand};
use crate::app::state::{Room, Side};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::Theme;
use crate::ui::widgets::Pen;

/// What the view keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct LabMemory {
    revealed: u64,
    /// How far the diagrams are scrolled back, and where the cursor was then.
    back: f32,
    back_at: f64,
}

const LIST: f32 = 236.0;
const LIST_NARROW: f32 = 200.0;
const HEAD: f32 = 62.0;
const COLUMN_HEAD: f32 = 38.0;
const SENTENCE: f32 = 40.0;
const TRANSPORT: f32 = 54.0;
const DIAGRAM_MAX: f32 = 430.0;
const FACTS_MIN: f32 = 168.0;
/// Of ledger and rows beside a diagram that stands alone.
const FACTS_BESIDE: f32 = 452.0;
/// Under this there is room for one column.
const TWO_FROM: f32 = 900.0;

pub fn lab_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut LabMemory,
    send: &Commands,
) {
    ui.painter()
        .rect_filled(rect, 0, theme.tokens().surface.base.0);
    let list = if rect.width() < 900.0 {
        LIST_NARROW
    } else {
        LIST
    };
    let (left, main) = rect.split_left_right_at_x(rect.min.x + list);
    note_room(state, main.width(), send);
    Pen::new(ui.painter(), theme).vline(left.max.x - 0.5, left.y_range(), pen_hair(theme));
    list_ui::list_ui(ui, theme, left, state, &mut memory.revealed, send);
    if state.lab.free.is_shown {
        free_ui::free_ui(ui, theme, main, state, send);
        return;
    }
    let (head, rest) = main.split_top_bottom_at_y(main.min.y + HEAD);
    head_ui::head_ui(ui, theme, head, state, send);
    let (body, foot) = rest.split_top_bottom_at_y(rest.max.y - TRANSPORT);
    body_ui(ui, theme, body, state, memory, send);
    transport_ui::transport_ui(ui, theme, foot, state, send);
}

fn pen_hair(theme: &Theme) -> egui::Color32 {
    theme.tokens().line.hair.0
}

/// The state has to know what `V` changes over to.
fn note_room(state: &State, width: f32, send: &Commands) {
    let room = if width < TWO_FROM {
        Room::One
    } else {
        Room::Two
    };
    if room != state.lab.room {
        send.send(Command::Lab(LabCommand::Room(room)));
    }
}

fn body_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut LabMemory,
    send: &Commands,
) {
    let shown = state.lab.shown_sides();
    for (n, at) in shown.iter().enumerate() {
        let Some((side, data)) = state.lab.sides.get(*at).zip(column_data(state, *at)) else {
            continue;
        };
        let width = rect.width() / shown.len() as f32;
        let x = (rect.min.x + width * n as f32).round();
        let column = Rect::from_min_max(
            egui::pos2(x, rect.min.y),
            egui::pos2(x + width.round(), rect.max.y),
        );
        ui.push_id(("column", at), |ui| match shown.len() {
            1 => alone_ui(ui, theme, column, (state, side, *at, &data), memory, send),
            _ => column_ui(ui, theme, column, (state, side, *at, &data), memory, send),
        });
        if n > 0 {
            Pen::new(ui.painter(), theme).vline(x - 0.5, rect.y_range(), pen_hair(theme));
        }
    }
}

/// A side with its place and its words.
type Column<'a> = (&'a State, &'a Side, usize, &'a ColumnData);

fn column_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    column: Column<'_>,
    memory: &mut LabMemory,
    send: &Commands,
) {
    let (_, _, at, data) = column;
    let (head, rest) = rect.split_top_bottom_at_y(rect.min.y + COLUMN_HEAD);
    head_ui::column_head_ui(ui, theme, head, at, data, send);
    let room = rest.height() - SENTENCE - FACTS_MIN;
    let height = room.clamp(120.0, DIAGRAM_MAX.max(rest.height() * 0.62));
    let (drawn, rest) = rest.split_top_bottom_at_y(rest.min.y + height);
    diagram_area_ui(ui, theme, drawn, column, memory, send);
    let (sentence, facts) = rest.split_top_bottom_at_y(rest.min.y + SENTENCE);
    facts_ui::sentence_ui(ui, theme, sentence, data);
    facts_ui::facts_ui(ui, theme, facts, data);
}

/// One column takes both widths, with ledger and rows at its right.
fn alone_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    column: Column<'_>,
    memory: &mut LabMemory,
    send: &Commands,
) {
    let (_, _, at, data) = column;
    let (head, rest) = rect.split_top_bottom_at_y(rect.min.y + COLUMN_HEAD);
    head_ui::column_head_ui(ui, theme, head, at, data, send);
    let (above, sentence) = rest.split_top_bottom_at_y(rest.max.y - SENTENCE);
    facts_ui::sentence_ui(ui, theme, sentence, data);
    if above.width() < FACTS_BESIDE + 480.0 {
        let height = (above.height() - FACTS_MIN).max(120.0);
        let (drawn, facts) = above.split_top_bottom_at_y(above.min.y + height);
        diagram_area_ui(ui, theme, drawn, column, memory, send);
        Pen::new(ui.painter(), theme).hline(facts.x_range(), facts.min.y, pen_hair(theme));
        facts_ui::facts_ui(ui, theme, facts, data);
        return;
    }
    let (drawn, facts) = above.split_left_right_at_x(above.max.x - FACTS_BESIDE);
    diagram_area_ui(ui, theme, drawn, column, memory, send);
    Pen::new(ui.painter(), theme).vline(facts.min.x, facts.y_range(), pen_hair(theme));
    facts_ui::facts_ui(ui, theme, facts, data);
}

fn diagram_area_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (state, side, at, data): Column<'_>,
    memory: &mut LabMemory,
    send: &Commands,
) {
    let now = state.lab.cursor.at;
    if memory.back_at != now {
        *memory = LabMemory {
            revealed: memory.revealed,
            back: 0.0,
            back_at: now,
        };
    }
    let diagram = Diagram {
        trace: &side.trace,
        axis: &state.lab.axis,
        column: at,
        now,
        back: memory.back,
    };
    let id = Id::unique((ui.scope_id(), "diagram", at));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    let name = spoken(&diagram, data);
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    if let Some((words, tone)) = &data.quiet
        && side.trace.messages.is_empty()
    {
        let pen = Pen::new(ui.painter(), theme);
        let words = crate::ui::widgets::Span::body(words, *tone);
        let galley = pen.wrapped(&[words], rect.width() - 48.0, 4);
        pen.put(galley, rect.center(), Align2::CENTER_CENTER);
        return;
    }
    let under = diagram_ui(ui, theme, rect, &diagram);
    if let Some(at) = response
        .interact_pointer_pos()
        .filter(|_| response.dragged())
    {
        let to = diagram.time_at(rect, at);
        send.send(Command::Lab(LabCommand::Seek(to)));
    }
    if response.hovered() {
        let wheel = ui.input(|input| input.smooth_scroll_delta().y);
        let most = state.lab.axis.y(now);
        memory.back = (memory.back + wheel).clamp(0.0, most);
    }
    if let Some(words) = under.filter(|_| !response.dragged()) {
        response.on_hover_text_at_pointer(words);
    }
}

/// The diagram for those who cannot see it.
fn spoken(diagram: &Diagram<'_>, data: &ColumnData) -> String {
    let placed = diagram.axis.columns.get(diagram.column);
    let come = placed.map_or(0, |placed| {
        placed.partition_point(|placed| placed.until <= diagram.now)
    });
    let last = come
        .checked_sub(1)
        .and_then(|at| diagram.trace.messages.get(at));
    let last = last.map(|message| diagram::whole(diagram.trace, message));
    let title = &data.title;
    match (last, &data.quiet) {
        (Some(last), _) => say!("lab-diagram-name", title = title, count = come, last = last),
        (None, Some((words, _))) => format!("{title}: {words}"),
        (None, None) => title.clone(),
    }
}
