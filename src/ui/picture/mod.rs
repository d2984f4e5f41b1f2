//! The window as a picture, where there is no display to open it on.
//!
//! The same frame as in the window, drawn by the processor.
//! Bound: what does not come in time is not waited for; the picture shows how far it got.

mod page;
mod raster;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use egui::{Context, RawInput, Rect, pos2, vec2};

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};

pub use self::page::PagePicture;
use self::raster::Raster;
use super::window::Window;
use crate::app::command::{
    ColumnsCommand, Command, ConnectCommand, EditorCommand, FormCommand, FreeCommand,
    JournalCommand, LabCommand, LabSaveCommand, LayoutsCommand, LocksCommand, Meant,
    PaletteCommand, RecordCommand, RepairCommand, SelectCommand, SettingsCommand, StatsCommand,
    StoresCommand, SwitchesCommand,
};
use crate::app::state::{Item, StatsWindow, Tab};
use crate::app::view::lab::has_scenario;
use crate::app::{Program, Start};
use crate::domain::change::Verb;
use crate::present::escape;
use crate::sys::clock::Stopwatch;
use crate::sys::files;

/// What the picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    #[default]
    Keys,
    /// Keys with the first record open.
    Record,
    /// The same with its stored answer, or with what is stored.
    Response,
    Raw,
    Connect,
    Locks,
    Stats(StatsWindow),
    Palette,
    Layouts,
    /// The menu of stores.
    Stores,
    /// The editor with what is proposed for the first source, else for the first thing there is.
    Editor,
    Settings,
    Columns,
    Journal,
    /// The plan that releases what is stuck.
    Plan,
    /// The lab after a run.
    Lab(LabShot),
}

/// Which run of the lab, and where its time cursor stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LabShot {
    /// 2 for S02.
    number: u8,
    /// In milliseconds; the end without it.
    at_ms: Option<u32>,
    is_far: bool,
    dialog: Option<LabDialog>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabDialog {
    Switches,
    Save,
    Free,
}

impl View {
    /// The view of a name; nothing where it is none.
    ///
    /// Errors: it is one of the lab's views, and what it asks for is not there; a sentence.
    pub fn named(name: &str) -> Result<Option<View>, String> {
        Ok(match name {
            "keys" => Some(View::Keys),
            "record" => Some(View::Record),
            "response" => Some(View::Response),
            "raw" => Some(View::Raw),
            "connect" => Some(View::Connect),
            "settings" => Some(View::Settings),
            "columns" => Some(View::Columns),
            "layouts" => Some(View::Layouts),
            "stores" => Some(View::Stores),
            "editor" => Some(View::Editor),
            "palette" => Some(View::Palette),
            "locks" => Some(View::Locks),
            "stats" | "stats:1h" => Some(View::Stats(StatsWindow::Hour)),
            "stats:15m" => Some(View::Stats(StatsWindow::Quarter)),
            "stats:24h" => Some(View::Stats(StatsWindow::Day)),
            "stats:7d" => Some(View::Stats(StatsWindow::Week)),
            "journal" => Some(View::Journal),
            "plan" => Some(View::Plan),
            _ => LabShot::named(name)?.map(View::Lab),
        })
    }
}

impl LabShot {
    /// `lab`, `lab:s04`, `lab:s02@2.33`, `projector:s02@2.33`, `switches:s03`, `lab-save:s02`.
    ///
    /// Errors: there is no such scenario, or the time is none; a sentence.
    fn named(name: &str) -> Result<Option<LabShot>, String> {
        let (start, at) = match name.split_once('@') {
            Some((start, at)) => (start, Some(at)),
            None => (name, None),
        };
        let (view, scenario) = start.split_once(':').unwrap_or((start, "s02"));
        let (is_far, dialog) = match view {
            "lab" => (false, None),
            "projector" => (true, None),
            "switches" => (false, Some(LabDialog::Switches)),
            "lab-free" => (false, Some(LabDialog::Free)),
            "lab-save" => (false, Some(LabDialog::Save)),
            _ => return Ok(None),
        };
        let number = scenario.trim_start_matches(['s', 'S']).parse();
        let number = number
            .ok()
            .filter(|number| has_scenario(&scenario_id(*number)))
            .ok_or_else(|| format!("no scenario is called `{}`", escape::shown(scenario, 40)))?;
        let seconds = at.map(|at| {
            let seconds = at.parse::<f32>().ok().filter(|at| at.is_finite());
            let wrong = || format!("`{}` is no time in seconds", escape::shown(at, 40));
            seconds.ok_or_else(wrong)
        });
        Ok(Some(LabShot {
            number,
            at_ms: seconds
                .transpose()?
                .map(|seconds| (seconds.max(0.0) * 1000.0) as u32),
            is_far,
            dialog,
        }))
    }

    fn commands(self) -> Vec<Command> {
        if self.dialog == Some(LabDialog::Free) {
            let free = [FreeCommand::Show, FreeCommand::Toggle];
            let asked = free.into_iter().map(LabCommand::Free);
            return [LabCommand::Show]
                .into_iter()
                .chain(asked)
                .map(Command::Lab)
                .collect();
        }
        let mut asked = vec![
            LabCommand::ShowId(scenario_id(self.number)),
            LabCommand::Run,
            LabCommand::Seek(self.at_ms.map_or(f64::INFINITY, f64::from)),
        ];
        if self.is_far {
            asked.push(LabCommand::Projector);
        }
        match self.dialog {
            Some(LabDialog::Switches) => {
                asked.push(LabCommand::Switches(SwitchesCommand::Open(0)));
            }
            Some(LabDialog::Free) => {}
            Some(LabDialog::Save) => asked.push(LabCommand::Save(LabSaveCommand::Ask)),
            None => {}
        }
        asked.into_iter().map(Command::Lab).collect()
    }
}

fn scenario_id(number: u8) -> String {
    format!("S{number:02}")
}

const WAIT: Duration = Duration::from_secs(30);
/// Layout settles and fonts come within so many frames.
const LAST_FRAMES: u32 = 4;

/// Draws the window once everything is there, and writes it as PNG.
///
/// Errors: the program cannot be started, the file cannot be written; one sentence.
pub fn take(start: Start, view: View, size: [u32; 2], path: &Path) -> Result<(), String> {
    let (wake, woken) = sync_channel::<()>(1);
    let wake = Arc::new(move || {
        // One wake that nobody has taken yet is enough.
        let _ = wake.try_send(());
    });
    let program = Program::start(start, wake).map_err(|error| format!("cannot start: {error}"))?;
    let ctx = Context::default();
    let window = Window::new(program, &ctx);
    let mut camera = Camera {
        ctx,
        window,
        raster: Raster::new(size),
        frames: 0,
    };
    let watch = Stopwatch::start();
    let mut asked = commands(view).into_iter();
    let mut is_new = true;
    while watch.elapsed() < WAIT {
        camera.frame();
        if camera.window.is_settled() {
            // One after the other: each may wait for the store, and what is drawn may ask as well.
            match asked.next() {
                Some(command) => camera.window.send(command),
                None if std::mem::take(&mut is_new) => {
                    if view == View::Connect {
                        camera.test_connection();
                    }
                }
                None => break,
            }
            continue;
        }
        let _ = woken.recv_timeout(Duration::from_millis(100));
    }
    for _ in 0..LAST_FRAMES {
        camera.frame();
    }
    camera.paint();
    let bytes = encode(size, &camera.raster.pixels)?;
    files::write_whole(path, &bytes)
        .map_err(|error| format!("the picture cannot be written: {error}: {}", path.display()))
}

/// A PNG of RGB pixels, row by row.
fn encode([width, height]: [u32; 2], pixels: &[[u8; 3]]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    // These are flat areas: what lies beside a pixel tells it well.
    let best = (CompressionType::Best, FilterType::Sub);
    let encoder = PngEncoder::new_with_quality(&mut bytes, best.0, best.1);
    encoder
        .write_image(
            pixels.as_flattened(),
            width,
            height,
            ExtendedColorType::Rgb8,
        )
        .map_err(|error| format!("the picture cannot be made: {error}"))?;
    Ok(bytes)
}

/// What leads to a view.
fn commands(view: View) -> Vec<Command> {
    let record = |tab| {
        let open = Command::Record(RecordCommand::Open);
        vec![open, Command::Record(RecordCommand::Tab(tab))]
    };
    match view {
        View::Keys => Vec::new(),
        View::Record => record(Tab::Fields),
        View::Response => record(Tab::Response),
        View::Raw => record(Tab::Raw),
        View::Connect => vec![Command::Connect(ConnectCommand::ShowPage)],
        View::Stores => vec![Command::Stores(StoresCommand::ShowMenu)],
        View::Layouts => vec![Command::Layouts(LayoutsCommand::Show)],
        View::Editor => vec![Command::Editor(EditorCommand::New)],
        View::Settings => vec![Command::Settings(SettingsCommand::Show)],
        View::Columns => {
            let ask = SettingsCommand::Columns(ColumnsCommand::Ask);
            vec![Command::Settings(ask)]
        }
        View::Palette => vec![Command::Palette(PaletteCommand::Show)],
        View::Locks => vec![Command::Locks(LocksCommand::Show)],
        View::Stats(window) => vec![
            Command::Stats(StatsCommand::Show),
            Command::Stats(StatsCommand::Window(window)),
        ],
        View::Journal => vec![Command::Journal(JournalCommand::Show)],
        View::Lab(shot) => shot.commands(),
        View::Plan => vec![
            Command::Locks(LocksCommand::Show),
            Command::Select(SelectCommand::AllStuck),
            Command::Repair(RepairCommand::Ask(Verb::Release, Meant::Selected)),
        ],
    }
}

struct Camera {
    ctx: Context,
    window: Window,
    raster: Raster,
    frames: u32,
}

impl Camera {
    /// The page shows the store that is open, filled in and tested; the demo store needs neither.
    fn test_connection(&mut self) {
        let stores = self.window.state().open_stores();
        let real = stores.iter().find(|(_, connection)| {
            let opened = connection.store.value();
            opened.is_some_and(|opened| !opened.is_demo)
        });
        let Some((id, _)) = real else { return };
        let id = *id;
        for command in [FormCommand::Choose(Item::Open(id)), FormCommand::Test] {
            let command = ConnectCommand::Form(command);
            self.window.send(Command::Connect(command));
        }
    }

    fn frame(&mut self) -> egui::FullOutput {
        self.window.take_events(&self.ctx);
        self.frames += 1;
        let [width, height] = self.raster.size;
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(
                pos2(0.0, 0.0),
                vec2(width as f32, height as f32) / self.ctx.zoom_factor(),
            )),
            time: Some(f64::from(self.frames) / 60.0),
            ..RawInput::default()
        };
        let window = &mut self.window;
        let mut output = self.ctx.run_ui(input, |ui| window.frame_ui(ui));
        let textures = std::mem::take(&mut output.textures_delta);
        self.raster.take_textures(textures);
        output
    }

    fn paint(&mut self) {
        let output = self.frame();
        let scale = self.ctx.pixels_per_point();
        let drawn = self.ctx.tessellate(output.shapes, scale);
        self.raster.paint(&drawn, scale);
    }
}
