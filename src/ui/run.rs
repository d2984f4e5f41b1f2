//! Opens the window: with OpenGL first, with wgpu where that does not work.

use std::sync::Arc;

use eframe::{NativeOptions, Renderer};
use egui::ViewportBuilder;

use super::window::Window;
use crate::app::{Program, Start};
use crate::sys::terminal;

const NAME: &str = "Idemscope";
const APP_ID: &str = "idemscope";
const SIZE_MIN: [f32; 2] = [960.0, 600.0];

/// Opens the window and stays until it is closed.
///
/// Errors: there is no display, or nothing here can draw; one sentence.
pub fn run(start: Start) -> Result<(), String> {
    if !terminal::has_display() {
        return Err("there is no display to open a window on".to_owned());
    }
    let renderers = match &start.renderer {
        None => vec![Renderer::Glow, Renderer::Wgpu],
        Some(name) => vec![name.parse::<Renderer>()?],
    };
    let mut errors = Vec::new();
    for renderer in renderers {
        match open(start.clone(), renderer) {
            Ok(()) => return Ok(()),
            Err(error) => errors.push(format!("{renderer}: {error}")),
        }
    }
    Err(format!(
        "the window cannot be opened ({})",
        errors.join("; ")
    ))
}

fn icon() -> egui::IconData {
    let png = include_bytes!("../../assets/desktop/idemscope.png");
    // A picture that cannot be read is one less, not an end.
    eframe::icon_data::from_png_bytes(png).unwrap_or_default()
}

fn open(start: Start, renderer: Renderer) -> eframe::Result {
    let options = NativeOptions {
        viewport: ViewportBuilder::default()
            .with_app_id(APP_ID)
            .with_title(NAME)
            .with_inner_size(start.size.map(|side| side as f32))
            .with_min_inner_size(SIZE_MIN)
            .with_icon(icon()),
        renderer,
        centered: true,
        persist_window: start.window_file.is_some(),
        persistence_path: start.window_file.clone(),
        ..NativeOptions::default()
    };
    eframe::run_native(
        APP_ID,
        options,
        Box::new(move |creation| {
            let ctx = creation.egui_ctx.clone();
            let wake = Arc::new(move || ctx.request_repaint());
            let program = Program::start(start, wake)?;
            Ok(Box::new(Window::new(program, &creation.egui_ctx)))
        }),
    )
}
