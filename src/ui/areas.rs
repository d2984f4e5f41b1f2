//! The areas of the window, which `F6` goes through: each has a mark that can hold the focus, and
//! from which `Tab` goes on into it.
//!
//! Apart from the panels because only the window knows which of them are there.
//! Invariant: the view itself has the focus where nothing else has it, since its list is moved in
//! by single keys.

use egui::{
    Context, Id, Key, Modifiers, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2,
};

use crate::present::say::say;
use crate::ui::theme::Theme;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    TopBar,
    SideBar,
    View,
    Record,
    StatusLine,
}

impl Area {
    fn id(self) -> Id {
        Id::unique(("area", self as u8))
    }

    fn name(self) -> String {
        match self {
            Area::TopBar => say!("area-top-bar"),
            Area::SideBar => say!("area-side-bar"),
            Area::View => say!("area-view"),
            Area::Record => say!("area-record"),
            Area::StatusLine => say!("area-status-line"),
        }
    }
}

/// The areas of the last frame, in the order of the focus.
#[derive(Clone, Debug, Default)]
pub struct Areas(Vec<(Area, Rect)>);

impl Areas {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Says that an area is there; its mark comes before what is in it.
    pub fn mark_ui(&mut self, ui: &mut Ui, theme: &Theme, area: Area, rect: Rect) {
        self.0.push((area, rect));
        if area == Area::View {
            return;
        }
        let place = Rect::from_min_size(rect.min, vec2(1.0, 1.0));
        let response = ui.interact(place, area.id(), Sense::FOCUSABLE);
        let name = area.name();
        response.widget_info(|| WidgetInfo::labeled(Role::Group, true, &name));
        if response.has_focus() {
            let stroke = Stroke::new(1.5, theme.tokens().accent.focus.0);
            let inside = rect.shrink(1.0);
            ui.painter()
                .rect_stroke(inside, 0, stroke, StrokeKind::Inside);
        }
    }

    /// Goes to the next area, or back, where that was asked for.
    pub fn read(&self, ctx: &Context) {
        let back = ctx.input_mut(|input| input.consume_key(Modifiers::SHIFT, Key::F6));
        let on = ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::F6));
        if !back && !on || self.0.is_empty() {
            return;
        }
        let count = self.0.len();
        let here = self.here(ctx);
        let next = if back { here + count - 1 } else { here + 1 } % count;
        let Some((area, _)) = self.0.get(next) else {
            return;
        };
        ctx.memory_mut(|memory| match area {
            Area::View => {
                if let Some(focused) = memory.focused() {
                    memory.surrender_focus(focused);
                }
            }
            area => memory.request_focus(area.id()),
        });
    }

    /// Where the focus is.
    fn here(&self, ctx: &Context) -> usize {
        let view = self.0.iter().position(|(area, _)| *area == Area::View);
        let focused = ctx.memory(|memory| memory.focused());
        let at = focused
            .and_then(|id| ctx.read_response(id))
            .map(|response| response.rect.min);
        let found = at.and_then(|at| self.0.iter().rposition(|(_, rect)| rect.contains(at)));
        found.or(view).unwrap_or_default()
    }
}
