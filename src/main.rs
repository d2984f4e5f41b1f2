//! Chooses between the window and the command line, and ends the process.

use std::process::ExitCode;

use idemscope::app::Start;
use idemscope::app::start::{Reading, Theme};
use idemscope::cli::{self, CliError, Code, Todo, WindowOptions};
use idemscope::domain::Secret;
use idemscope::{config, ui};

fn main() -> ExitCode {
    // One TLS provider for all: whoever comes first decides, so it is decided here.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let code = match cli::run(std::env::args_os()) {
        Todo::Done(code) => code,
        Todo::Window(options) => match open_window(&options) {
            Ok(()) => Code::Done,
            Err(error) => {
                cli::complain(&error);
                error.code
            }
        },
    };
    ExitCode::from(code as u8)
}

fn open_window(options: &WindowOptions) -> Result<(), CliError> {
    ui::run(start(options)?).map_err(|text| {
        CliError::with_hint(
            Code::Unreachable,
            text,
            "`idemscope keys` lists the records without a window; over `ssh -X`, \
             `LIBGL_ALWAYS_SOFTWARE=1` helps",
        )
    })
}

fn start(options: &WindowOptions) -> Result<Start, CliError> {
    let common = &options.common;
    let (layouts, errors) = config::layouts::load();
    Ok(Start {
        target: options.target.clone().map(Secret::new),
        reading: Reading {
            target: common.target_options()?,
            sources: common.source_options(&layouts)?,
            layouts,
            pace: common.pace.into(),
            demo: None,
        },
        theme: match options.theme {
            Some(cli::ThemeChoice::Light) => Theme::Light,
            _ => Theme::Dark,
        },
        renderer: options.renderer.clone(),
        warnings: errors.iter().map(|error| error.to_string()).collect(),
    })
}
