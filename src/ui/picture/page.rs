//! The page of statistics as a PNG: laid out beside the window, painted on a thread of its own.
//!
//! Apart from `picture` because it happens while the window is used. Invariants: the frame that asks
//! lays out and no more; one picture at a time.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread::Builder;

use egui::epaint::ClippedPrimitive;
use egui::epaint::textures::TexturesDelta;
use egui::{Context, RawInput, Rect, Ui, pos2, vec2};

use super::encode;
use super::raster::Raster;
use crate::app::State;
use crate::app::command::{Command, StatsCommand, StatsExportCommand};
use crate::app::view::connection_name;
use crate::ui::commands::Commands;
use crate::ui::panels::stats::{StatsMemory, stats_ui};
use crate::ui::panels::status_line::status_data;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Row;

/// In points; each is two pixels wide.
const SIZE: [f32; 2] = [1280.0, 880.0];
const SCALE: f32 = 2.0;
const FOOT: f32 = 30.0;
/// Fonts come and layout settles within so many frames.
const FRAMES: u32 = 4;

type Png = Result<Arc<[u8]>, String>;

/// Draws the page when the state wishes for it.
#[derive(Default)]
pub struct PagePicture {
    /// The wish that was seen last.
    seen: u64,
    coming: Option<Receiver<Png>>,
}

/// What is left to paint.
struct Laid {
    textures: Vec<TexturesDelta>,
    drawn: Vec<ClippedPrimitive>,
}

impl PagePicture {
    /// Looks for a wish, and for a picture that is ready.
    pub fn step(&mut self, ctx: &Context, state: &State, theme: &Theme, send: &Commands) {
        let done = self.coming.as_ref().map(Receiver::try_recv);
        match done {
            Some(Ok(picture)) => {
                self.coming = None;
                let drawn = StatsExportCommand::Drawn(picture);
                send.send(Command::Stats(StatsCommand::Export(drawn)));
            }
            Some(Err(TryRecvError::Disconnected)) => self.coming = None,
            Some(Err(TryRecvError::Empty)) => {}
            None => {}
        }
        if state.stats.draws == self.seen || self.coming.is_some() {
            return;
        }
        self.seen = state.stats.draws;
        let laid = lay_out(state, theme);
        let (tell, coming) = sync_channel(1);
        let woken = ctx.clone();
        let painting = Builder::new().name("picture".to_owned()).spawn(move || {
            // Nobody waits for it where the window has gone.
            let _ = tell.send(paint(laid));
            woken.request_repaint();
        });
        match painting {
            Ok(_) => self.coming = Some(coming),
            Err(error) => {
                let why = Err(format!("The picture cannot be drawn: {error}"));
                let drawn = StatsExportCommand::Drawn(why);
                send.send(Command::Stats(StatsCommand::Export(drawn)));
            }
        }
    }
}

fn lay_out(state: &State, theme: &Theme) -> Laid {
    let ctx = Context::default();
    theme.install(&ctx);
    ctx.set_zoom_factor(SCALE);
    let rect = Rect::from_min_size(pos2(0.0, 0.0), vec2(SIZE[0], SIZE[1]));
    let mut laid = Laid {
        textures: Vec::new(),
        drawn: Vec::new(),
    };
    // Nothing that is pressed there is meant.
    let (mut memory, nobody) = (StatsMemory::default(), Commands::default());
    for frame in 0..FRAMES {
        let input = RawInput {
            screen_rect: Some(rect),
            time: Some(f64::from(frame) / 60.0),
            ..RawInput::default()
        };
        let mut output = ctx.run_ui(input, |ui| {
            let (page, foot) = rect.split_top_bottom_at_y(rect.max.y - FOOT);
            stats_ui(ui, theme, page, state, &mut memory, &nobody);
            foot_ui(ui, theme, foot, state);
        });
        laid.textures
            .push(std::mem::take(&mut output.textures_delta));
        if frame + 1 == FRAMES {
            laid.drawn = ctx.tessellate(output.shapes, output.pixels_per_point);
        }
    }
    laid
}

/// Of which store, and of which time: the picture may be looked at far from here.
fn foot_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State) {
    let tokens = theme.tokens();
    ui.painter().rect_filled(rect, 0, tokens.surface.base.0);
    let status = status_data(state);
    let mut words = vec![connection_name(&state.connection), status.lead];
    words.extend(status.parts);
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(20.0, 0.0)));
    row.text(&words.join("  ·  "), Text::Note, Tone::Tertiary);
}

fn paint(laid: Laid) -> Png {
    let size = SIZE.map(|points| (points * SCALE) as u32);
    let mut raster = Raster::new(size);
    for textures in laid.textures {
        raster.take_textures(textures);
    }
    raster.paint(&laid.drawn, SCALE);
    encode(size, &raster.pixels).map(Arc::from)
}
