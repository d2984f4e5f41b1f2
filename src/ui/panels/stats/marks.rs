//! Marks: figures, lines and bars that lead to the records behind them, by pointer and by keyboard.
//!
//! Apart from what is drawn because each mark is the same thing to a keyboard and to a screen reader.
//! A histogram is one stop of `Tab`; arrows go from bar to bar in it.

use egui::{
    CursorIcon, EventFilter, Id, Key, Modifiers, Pos2, Rect, Response, Role, Sense, Stroke,
    StrokeKind, Ui, WidgetInfo,
};

use crate::app::command::{Command, StatsCommand};
use crate::ui::commands::Commands;
use crate::ui::theme::Theme;
use crate::ui::widgets::button::focus_ring;

use super::data::Lead;

/// A place that leads somewhere, behind what is drawn there afterwards.
pub fn mark_ui(
    ui: &Ui,
    theme: &Theme,
    rect: Rect,
    (name, lead): (&str, &Lead),
    send: &Commands,
) -> Response {
    let id = Id::unique((ui.scope_id(), "mark", name));
    let response = ui.interact(rect, id, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    if response.hovered() {
        let ground = theme.tokens().state.hover.0;
        ui.painter().rect_filled(rect, 3, ground);
    }
    focus_ring(ui, theme, &response);
    if response.clicked() {
        send.send(lead.command());
    }
    response.on_hover_cursor(CursorIcon::PointingHand)
}

/// A chart whose bars lead to records.
pub struct Bars<'b> {
    pub id: &'static str,
    pub rect: Rect,
    /// What a screen reader says of it.
    pub name: &'b str,
    pub count: usize,
    pub sense: Sense,
}

/// What was done to the bars.
pub struct Picked {
    pub response: Response,
    /// The bar that the keyboard is at.
    pub cursor: Option<usize>,
    /// The bar that was pressed by key.
    pub opened: Option<usize>,
    /// By how many bars the keyboard has extended, to the one side or the other.
    pub extended: i64,
}

impl Bars<'_> {
    /// Takes the keyboard while it has the focus; `at` is where the keyboard was.
    pub fn show(&self, ui: &Ui, theme: &Theme, at: &mut usize) -> Picked {
        let response = ui.interact(self.rect, ui.scope_id().with(self.id), self.sense);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, self.name));
        let mut picked = Picked {
            response,
            cursor: None,
            opened: None,
            extended: 0,
        };
        if !picked.response.has_focus() || self.count == 0 {
            return picked;
        }
        let filter = EventFilter {
            horizontal_arrows: true,
            ..EventFilter::default()
        };
        let id = picked.response.id;
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
        let pressed = |modifiers, key| {
            ui.input_mut(|input| input.count_and_consume_key(modifiers, key)) as i64
        };
        picked.extended =
            pressed(Modifiers::SHIFT, Key::ArrowRight) - pressed(Modifiers::SHIFT, Key::ArrowLeft);
        let by = pressed(Modifiers::NONE, Key::ArrowRight)
            - pressed(Modifiers::NONE, Key::ArrowLeft)
            + picked.extended;
        let last = self.count as i64 - 1;
        let mut to = (*at as i64 + by).clamp(0, last);
        if pressed(Modifiers::NONE, Key::Home) > 0 {
            to = 0;
        }
        if pressed(Modifiers::NONE, Key::End) > 0 {
            to = last;
        }
        *at = usize::try_from(to).unwrap_or(0);
        picked.cursor = Some(*at);
        let enters =
            ui.input(|input| input.key_pressed(Key::Enter) || input.key_pressed(Key::Space));
        picked.opened = enters.then_some(*at);
        let stroke = Stroke::new(1.5, theme.tokens().accent.focus.0);
        let ring = self.rect.expand(2.0);
        ui.painter()
            .rect_stroke(ring, 3, stroke, StrokeKind::Outside);
        picked
    }
}

impl Picked {
    /// The bar that was pressed, by key or by pointer.
    pub fn pressed(&self, bar_at: impl Fn(Pos2) -> Option<usize>) -> Option<usize> {
        if self.opened.is_some() {
            return self.opened;
        }
        match self.response.clicked() {
            true => bar_at(self.response.interact_pointer_pos()?),
            false => None,
        }
    }
}

/// Draws what the keyboard is at.
pub fn cursor_ui(ui: &Ui, theme: &Theme, bar: Rect) {
    let stroke = Stroke::new(1.0, theme.tokens().accent.focus.0);
    ui.painter()
        .rect_stroke(bar.expand(1.5), 1, stroke, StrokeKind::Outside);
}

impl Lead {
    pub fn command(&self) -> Command {
        match self {
            Lead::Keys(mark) => Command::Stats(StatsCommand::OpenKeys(mark.clone())),
            Lead::Filter(filter) => Command::Stats(StatsCommand::OpenFilter(filter.clone())),
            Lead::Locks => Command::Locks(crate::app::command::LocksCommand::Show),
        }
    }
}
