//! Chooses between the window and the command line, and ends the process.

use std::process::ExitCode;

use idemscope::app::Start;
use idemscope::app::start::{Kept, Reading, SIZE, TakenOnce, Theme, Writing};
use idemscope::cli::{self, CliError, Code, Todo, WindowOptions};
use idemscope::config::settings::Settings;
use idemscope::domain::Secret;
use idemscope::present::say::Language;
use idemscope::sys::folders;
use idemscope::sys::instance::{self, Instance};
use idemscope::sys::keyring::Keyring;
use idemscope::ui::picture::{self, View};
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
    let mut start = start(options)?;
    if let Some(path) = &options.screenshot {
        return take_picture(options, start, path);
    }
    // What is asked for besides a target is of this call only.
    if options.is_plain() {
        let target = options.target.as_deref().map(config::target::whole);
        match instance::claim(target.as_deref()) {
            Instance::First(calls) => start.calls = Some(TakenOnce::new(calls)),
            Instance::Second => return Ok(()),
            Instance::Alone => {}
        }
    }
    ui::run(start).map_err(|text| {
        CliError::with_hint(
            Code::Unreachable,
            text,
            "`idemscope keys` lists the records without a window; over `ssh -X`, \
             `LIBGL_ALWAYS_SOFTWARE=1` helps",
        )
    })
}

fn take_picture(
    options: &WindowOptions,
    mut start: Start,
    path: &std::path::Path,
) -> Result<(), CliError> {
    let size = start.size;
    let named = match options.target.as_deref().map(View::named) {
        Some(Ok(named)) => named,
        Some(Err(text)) => {
            let hint = "`idemscope lab list` names the scenarios; write `lab:s02` or `lab:s02@2.5`";
            return Err(CliError::with_hint(Code::Wrong, text, hint));
        }
        None => None,
    };
    if named.is_some() {
        start.target = options.target_after_view.clone().map(Secret::new);
    } else if options.target_after_view.is_some() {
        let text = "the first of two names is no view";
        return Err(CliError::with_hint(
            Code::Wrong,
            text,
            "write `keys`, `record`, `response`, `raw`, `locks`, `plan`, `journal`, `layouts`, `editor`, `settings`, \
             `columns`, `connect`, `stores`, `palette` or `lab` before the target",
        ));
    }
    let view = named.unwrap_or_default();
    picture::take(start, view, size, path).map_err(|text| CliError::new(Code::Unreachable, text))
}

fn start(options: &WindowOptions) -> Result<Start, CliError> {
    let common = &options.common;
    let (layouts, _) = config::layouts::load();
    // A picture looks the same whoever takes it.
    let settings = match options.screenshot {
        Some(_) => Ok(Settings::default()),
        None => config::settings::load(),
    };
    Ok(Start {
        target: options.target.clone().map(Secret::new),
        reading: Reading {
            target: common.target_options()?,
            sources: common.source_options(&layouts)?,
            layouts,
            own_layouts: config::layouts::folder(),
            pace: common.pace.into(),
            journal: idemscope::ops::journal::usual_folder(),
            program: None,
            settings_file: match options.screenshot {
                Some(_) => None,
                None => config::settings::path(),
            },
            demo: None,
            kept: Kept {
                connections: config::connections::usual_path(),
                writing: match options.screenshot {
                    Some(_) => Writing::Off,
                    None => Writing::On,
                },
                keyring: Keyring::system(),
            },
        },
        theme: options.theme.map(|theme| match theme {
            cli::ThemeChoice::Dark => Theme::Dark,
            cli::ThemeChoice::Light => Theme::Light,
        }),
        zoom: options.zoom,
        settings,
        language: options.language.unwrap_or(match options.screenshot {
            Some(_) => Language::English,
            None => config::settings::system_language(),
        }),
        follows_desktop: options.screenshot.is_none(),
        size: options.size.unwrap_or(SIZE),
        window_file: match (options.screenshot.is_some(), options.size) {
            (false, None) => folders::state().map(|folder| folder.join("window.ron")),
            _ => None,
        },
        calls: None,
        renderer: options.renderer.clone(),
        // What is wrong with a layout file stands in the view of layouts.
        warnings: Vec::new(),
    })
}
