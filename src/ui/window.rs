//! The whole frame: where each part stands, and what becomes of what a person did.
//!
//! Apart from `run` because it needs no window: tests and pictures draw it as well.

mod settled;

use std::collections::HashMap;

use egui::{CursorIcon, Rect, Role, Sense, Ui, UiBuilder, ViewportCommand, WidgetInfo, pos2, vec2};

use super::areas::{Area, Areas};
use super::commands::Commands;
use super::keyboard;
use super::over::over_ui;
use super::panels::connect::{ConnectMemory, connect_ui};
use super::panels::editor::{EditorMemory, editor_ui};
use super::panels::journal::{JournalMemory, journal_ui};
use super::panels::keys::{KeysMemory, keys_ui};
use super::panels::lab::{LabMemory, lab_ui, projector_ui};
use super::panels::layouts::{LayoutsMemory, layouts_ui};
use super::panels::locks::{LocksMemory, locks_ui};
use super::panels::notices::notices_ui;
use super::panels::record::{RecordMemory, record_ui};
use super::panels::repair::RepairMemory;
use super::panels::settings::settings_ui;
use super::panels::side_bar::{self, side_bar_data, side_bar_ui};
use super::panels::stats::{StatsMemory, stats_ui};
use super::panels::status_line::{status_data, status_line_ui};
use super::panels::top_bar::{top_bar_data, top_bar_ui};
use super::picture::PagePicture;
use super::pulse;
use super::theme::Theme;
use crate::app::command::{Command, SettingsCommand};
use crate::app::program::Wish;
use crate::app::state::{Place, SideBar, StoreId};
use crate::app::view::connection_name;
use crate::app::{Program, State};
use crate::config::settings::{PANEL_MIN, PANEL_USUAL};
use crate::present::say::say;

pub struct Window {
    program: Program,
    theme: Theme,
    memory: Memory,
    areas: Areas,
    connect: ConnectMemory,
    journal: JournalMemory,
    lab: LabMemory,
    repair: RepairMemory,
    picture: PagePicture,
    /// Of the stores that are not shown.
    parked: HashMap<StoreId, Memory>,
    title: String,
}

/// What the panels of a store keep between frames.
#[derive(Default)]
struct Memory {
    store: StoreId,
    keys: KeysMemory,
    locks: LocksMemory,
    layouts: LayoutsMemory,
    editor: EditorMemory,
    record: RecordMemory,
    stats: StatsMemory,
}

/// What the record panel leaves to the list.
const LIST_MIN: f32 = 480.0;
/// Under this the side bar folds.
const FOLD_UNDER: f32 = 1200.0;
/// Under this the record panel lies over the table.
const OVER_UNDER: f32 = 1000.0;

impl Window {
    pub fn new(program: Program, ctx: &egui::Context) -> Window {
        let theme = Theme::new(program.state().theme());
        theme.install(ctx);
        // Ours is remembered.
        ctx.options_mut(|options| options.zoom_with_keyboard = false);
        Window {
            program,
            theme,
            memory: Memory::default(),
            areas: Areas::default(),
            connect: ConnectMemory::default(),
            journal: JournalMemory::default(),
            lab: LabMemory::default(),
            repair: RepairMemory::default(),
            picture: PagePicture::default(),
            parked: HashMap::new(),
            title: String::new(),
        }
    }

    pub fn state(&self) -> &State {
        self.program.state()
    }

    pub fn send(&mut self, command: Command) {
        self.program.send(command);
    }

    /// Whether nothing is on its way: what is shown is all there is for now.
    pub fn is_settled(&self) -> bool {
        settled::is_settled(self.state())
    }

    /// Takes what has come since the last frame; also while the window is hidden.
    pub fn take_events(&mut self, ctx: &egui::Context) {
        if self.program.drain() {
            ctx.request_repaint();
        }
    }

    /// Draws everything and carries out what was asked for.
    pub fn frame_ui(&mut self, ui: &mut Ui) {
        let send = Commands::default();
        let ctx = ui.ctx().clone();
        self.follow_store();
        let rows_in_sight = match self.state().view.place {
            Place::Locks => self.memory.locks.rows_in_sight,
            Place::Journal => self.journal.rows_in_sight,
            _ => self.memory.keys.table.rows_in_sight,
        };
        let kind = self.state().theme();
        if self.theme.kind != kind {
            self.theme = Theme::new(kind);
            self.theme.apply(&ctx);
        }
        let zoom = self.zoom();
        if ctx.zoom_factor() != zoom {
            ctx.set_zoom_factor(zoom);
        }
        // What lies over the window keeps the focus.
        if self.state().view.over.is_none() {
            self.areas.read(&ctx);
        }
        keyboard::read(&ctx, self.state(), rows_in_sight, &send);
        self.parts_ui(ui, &send);
        let (state, theme) = (self.program.state(), &self.theme);
        self.picture.step(&ctx, state, theme, &send);
        self.finish(&ctx, &send);
    }

    /// A projector is looked at from afar.
    fn zoom(&self) -> f32 {
        let far = match self.state().projector() {
            Some(_) => self.theme.common().projector.zoom,
            None => 1.0,
        };
        self.state().zoom() * far
    }

    fn parts_ui(&mut self, ui: &mut Ui, send: &Commands) {
        let (state, theme) = (self.program.state(), &self.theme);
        let all = below_production_line(ui, theme, state);
        if state.projector().is_some() {
            self.areas.clear();
            self.areas.mark_ui(ui, theme, Area::View, all);
            part(ui, "projector", all, |ui| {
                projector_ui(ui, theme, all, state, &mut self.lab, send);
            });
            return self.over_ui(ui, all.min, send);
        }
        let heights = &theme.common().height;
        let (top, rest) = all.split_top_bottom_at_y(all.min.y + heights.top_bar);
        let (rest, foot) = rest.split_top_bottom_at_y(rest.max.y - heights.status_line);
        let folded = match state.settings.side_bar {
            SideBar::ByRoom => all.width() < FOLD_UNDER,
            SideBar::Folded => true,
            SideBar::Open => false,
        };
        let width = if folded {
            side_bar::FOLDED
        } else {
            theme.common().width.side_bar
        };
        let (side, main) = rest.split_left_right_at_x(rest.min.x + width);
        let areas = &mut self.areas;
        areas.clear();
        part(ui, "top bar", top, |ui| {
            areas.mark_ui(ui, theme, Area::TopBar, top);
            top_bar_ui(ui, theme, top, &top_bar_data(state), send);
        });
        part(ui, "side bar", side, |ui| {
            areas.mark_ui(ui, theme, Area::SideBar, side);
            side_bar_ui(ui, theme, side, &side_bar_data(state), send);
        });
        self.main_ui(ui, main, send);
        let (state, theme) = (self.program.state(), &self.theme);
        let areas = &mut self.areas;
        part(ui, "status line", foot, |ui| {
            areas.mark_ui(ui, theme, Area::StatusLine, foot);
            status_line_ui(ui, theme, foot, &status_data(state), send);
        });
        self.over_ui(ui, pos2(all.min.x + 8.0, top.max.y - 4.0), send);
    }

    fn over_ui(&mut self, ui: &mut Ui, under_name: egui::Pos2, send: &Commands) {
        let (state, theme) = (self.program.state(), &self.theme);
        notices_ui(ui, theme, state, send);
        over_ui(ui, theme, under_name, state, &mut self.repair, send);
    }

    /// The view that is shown.
    fn main_ui(&mut self, ui: &mut Ui, main: Rect, send: &Commands) {
        let (state, theme) = (self.program.state(), &self.theme);
        let is_narrow = ui.max_rect().width() < OVER_UNDER;
        let memory = &mut self.memory;
        let areas = &mut self.areas;
        areas.mark_ui(ui, theme, Area::View, main);
        match state.view.place {
            Place::Connect => part(ui, "connect", main, |ui| {
                connect_ui(ui, theme, main, state, &mut self.connect, send);
            }),
            Place::Layouts => part(ui, "layouts", main, |ui| {
                layouts_ui(ui, theme, main, state, &mut memory.layouts, send);
            }),
            Place::Editor => part(ui, "editor", main, |ui| {
                editor_ui(ui, theme, main, state, &mut memory.editor, send);
            }),
            Place::Stats => part(ui, "stats", main, |ui| {
                stats_ui(ui, theme, main, state, &mut memory.stats, send);
            }),
            Place::Lab => part(ui, "lab", main, |ui| {
                lab_ui(ui, theme, main, state, &mut self.lab, send);
            }),
            Place::Journal => part(ui, "journal", main, |ui| {
                journal_ui(ui, theme, main, state, &mut self.journal, send);
            }),
            Place::Settings => part(ui, "settings", main, |ui| {
                settings_ui(ui, theme, main, state, send);
            }),
            Place::Keys | Place::Locks => {
                let has_panel = state.record.open.is_some();
                let lies_over = is_narrow;
                let most = main.width() - LIST_MIN;
                let record_width = state.settings.panel_width.min(most).max(PANEL_MIN);
                let (left, record) = main.split_left_right_at_x(main.max.x - record_width);
                let list = if has_panel && !lies_over { left } else { main };
                match state.view.place {
                    Place::Locks => part(ui, "locks", list, |ui| {
                        locks_ui(ui, theme, list, state, &mut memory.locks, send);
                    }),
                    _ => part(ui, "keys", list, |ui| {
                        keys_ui(ui, theme, list, state, &mut memory.keys, send);
                    }),
                }
                if has_panel {
                    part(ui, "record", record, |ui| {
                        areas.mark_ui(ui, theme, Area::Record, record);
                        // Nothing under it is meant by a click on it.
                        let id = ui.scope_id().with("ground");
                        ui.interact(record, id, Sense::CLICK);
                        record_ui(ui, theme, record, state, &mut memory.record, send);
                    });
                    panel_edge_ui(ui, theme, record, send);
                }
            }
        }
    }

    /// Each store is shown as it was left.
    fn follow_store(&mut self) {
        let current = self.state().stores.current;
        if self.memory.store == current {
            return;
        }
        let mut memory = self.parked.remove(&current).unwrap_or_default();
        memory.store = current;
        let left = std::mem::replace(&mut self.memory, memory);
        self.parked.insert(left.store, left);
        let open = self.program.state().open_stores();
        self.parked
            .retain(|store, _| open.iter().any(|(id, _)| id == store));
    }

    fn finish(&mut self, ctx: &egui::Context, send: &Commands) {
        let commands = send.take();
        if !commands.is_empty() {
            ctx.request_repaint();
        }
        for command in commands {
            self.program.send(command);
        }
        for wish in self.program.take_wishes() {
            match wish {
                Wish::Copy(text) => ctx.copy_text(text),
                Wish::Raise => {
                    ctx.send_viewport_cmd(ViewportCommand::Minimized(false));
                    ctx.send_viewport_cmd(ViewportCommand::Focus);
                }
                Wish::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
            }
        }
        let title = title(self.state());
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
        let top = self.memory.keys.table.scroll.top_row;
        let rows = self.memory.keys.table.rows_in_sight.ceil() as u64 + 1;
        if let Some(after) = pulse::next_change(self.state(), top..top + rows) {
            ctx.request_repaint_after(after);
        }
    }
}

/// The line over the whole window where the store is production; gives the room below it.
fn below_production_line(ui: &Ui, theme: &Theme, state: &State) -> Rect {
    let mut all = ui.max_rect();
    if state.connection.kept.is_production {
        let height = theme.common().height.production_line;
        let line = Rect::from_min_max(all.min, pos2(all.max.x, all.min.y + height));
        let solid = theme.tokens().production.solid.0;
        ui.painter().rect_filled(line, 0, solid);
        all.min.y += height;
    }
    all
}

/// The left edge of the record panel, to be dragged.
fn panel_edge_ui(ui: &mut Ui, theme: &Theme, panel: Rect, send: &Commands) {
    let edge = Rect::from_center_size(panel.left_center(), vec2(8.0, panel.height()));
    let id = ui.scope_id().with("panel edge");
    let response = ui
        .interact(edge, id, Sense::DRAG | Sense::CLICK)
        .on_hover_cursor(CursorIcon::ResizeHorizontal);
    let name = say!("record-edge");
    response.widget_info(|| WidgetInfo::labeled(Role::Splitter, true, &name));
    let width = |width| send.send(Command::Settings(SettingsCommand::PanelWidth(width)));
    if response.double_clicked() {
        width(PANEL_USUAL);
    } else if let Some(pointer) = response.interact_pointer_pos()
        && response.dragged()
    {
        width(panel.max.x - pointer.x);
    }
    if response.hovered() || response.dragged() {
        let line = Rect::from_center_size(edge.center(), vec2(2.0, edge.height()));
        ui.painter()
            .rect_filled(line, 0, theme.tokens().accent.solid.0);
    }
}

fn part(ui: &mut Ui, name: &str, rect: Rect, add: impl FnOnce(&mut Ui)) {
    let builder = UiBuilder::new().max_rect(rect).id_salt(name);
    ui.scope_builder(builder, |ui| {
        ui.set_clip_rect(rect.intersect(ui.clip_rect()));
        add(ui);
    });
}

fn title(state: &State) -> String {
    match state.connection.store.value() {
        Some(_) => format!("{} — Idemscope", connection_name(&state.connection)),
        None => "Idemscope".to_owned(),
    }
}

impl eframe::App for Window {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        self.take_events(ctx);
        // The window's own button asks as `Ctrl Q` does.
        let is_closing = ctx.input(|input| input.viewport().close_requested());
        if is_closing && crate::app::view::asks_before_closing(self.state()) {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.program.send(crate::app::Named::Quit.command());
            ctx.request_repaint();
        }
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        self.frame_ui(ui);
    }

    fn clear_color(&self, _visuals: &egui::Visuals) -> [f32; 4] {
        self.theme.tokens().surface.base.0.to_normalized_gamma_f32()
    }

    fn persist_egui_memory(&self) -> bool {
        false
    }
}
