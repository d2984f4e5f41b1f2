//! Options that every command has.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::error::{CliError, Code};
use super::output::FormatChoice;
use crate::config::TargetOptions;
use crate::config::settings::{ZOOM_MAX, ZOOM_MIN};
use crate::domain;
use crate::inspect::detect::SourceOptions;
use crate::layouts::{Layout, Layouts};
use crate::present::say::Language;
use crate::stores::Pace;
use crate::stores::target::Look;

#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct CommonOptions {
    /// How results are printed (a table on a terminal, else JSON)
    #[arg(long, value_parser = FormatChoice::usual())]
    pub format: Option<FormatChoice>,
    /// Take this layout instead of detecting
    #[arg(long, value_name = "ID")]
    pub layout: Option<String>,
    /// A parameter of the layout: retention, lease, table, …
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Past this a lock counts as stuck where the record holds no deadline
    #[arg(long, value_name = "DURATION")]
    pub lease: Option<String>,
    /// How hard a scan may work the server
    #[arg(long, value_enum, default_value_t = PaceChoice::Gentle)]
    pub pace: PaceChoice,
    /// How long to wait for a connection, and for one answer
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<String>,
    /// CA that the server's certificate must be signed by (PEM)
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Certificate to show to the server (PEM)
    #[arg(long, value_name = "FILE")]
    pub cert: Option<PathBuf>,
    /// Key of that certificate (PEM)
    #[arg(long, value_name = "FILE")]
    pub cert_key: Option<PathBuf>,
    /// Name that the server's certificate must have, where it is not the host's
    #[arg(long, value_name = "NAME")]
    pub server_name: Option<String>,
    /// Host that the way to the store leads through; names, keys and jumps are those of ~/.ssh/config
    #[arg(long, value_name = "[USER@]HOST[:PORT]")]
    pub ssh: Option<String>,
    /// Look on a replica, which may be behind; changes go to the primary all the same
    #[arg(long)]
    pub replica: bool,
    /// A shell command that prints the password
    #[arg(long, value_name = "CMD")]
    pub password_command: Option<String>,
    /// Say nothing that is no result
    #[arg(short, long)]
    pub quiet: bool,
    /// No colours
    #[arg(long)]
    pub no_color: bool,
    /// Say more
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PaceChoice {
    #[default]
    Gentle,
    Full,
}

impl From<PaceChoice> for Pace {
    fn from(choice: PaceChoice) -> Pace {
        match choice {
            PaceChoice::Gentle => Pace::Gentle,
            PaceChoice::Full => Pace::Full,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorChoice {
    Plain,
    Colored,
}

/// What the window is opened with.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct WindowOptions {
    /// The store to open: a URL, or nothing for `IDEMSCOPE_URL` or the demo store
    pub target: Option<String>,
    /// Draw the window into this PNG file, and end; before TARGET may stand what is shown:
    /// keys, record or connect
    #[arg(long, value_name = "FILE")]
    pub screenshot: Option<PathBuf>,
    #[arg(hide = true, requires = "screenshot")]
    pub target_after_view: Option<String>,
    /// How large the picture is, or the window
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    pub size: Option<[u32; 2]>,
    /// Draw with this first: glow or wgpu
    #[arg(long, value_name = "NAME")]
    pub renderer: Option<String>,
    /// Dark or light, whatever the system says
    #[arg(long, value_enum)]
    pub theme: Option<ThemeChoice>,
    /// How much larger everything is, from 0.5 to 3; of this run only
    #[arg(long, value_name = "FACTOR", value_parser = zoom)]
    pub zoom: Option<f32>,
    /// Language of the window: en or ru, whatever the system says
    #[arg(long, value_name = "CODE", value_parser = language)]
    pub language: Option<Language>,
    #[command(flatten)]
    pub common: CommonOptions,
}

fn language(code: &str) -> Result<Language, String> {
    Language::of_code(code).ok_or_else(|| {
        let codes = Language::ALL.map(Language::code).join(" or ");
        format!("not a language of the window: {codes}")
    })
}

impl WindowOptions {
    /// Nothing but a target is asked for.
    pub fn is_plain(&self) -> bool {
        let asked = WindowOptions {
            target: None,
            ..self.clone()
        };
        asked == WindowOptions::default()
    }
}

fn zoom(text: &str) -> Result<f32, String> {
    let zoom: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    let range = ZOOM_MIN..=ZOOM_MAX;
    match range.contains(&zoom) {
        true => Ok(zoom),
        false => Err(format!("not between {ZOOM_MIN} and {ZOOM_MAX}")),
    }
}

/// `1440x900`.
fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x').and_then(|(width, height)| {
        let side = |text: &str| text.parse().ok().filter(|side| (200..=8192).contains(side));
        Some([side(width)?, side(height)?])
    });
    sides.ok_or_else(|| "write it like `1440x900`, each side from 200 to 8192".to_owned())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThemeChoice {
    Dark,
    Light,
}

impl CommonOptions {
    pub fn target_options(&self) -> Result<TargetOptions, CliError> {
        Ok(TargetOptions {
            timeout: self.timeout()?,
            ca: self.ca.clone(),
            cert: self.cert.clone(),
            cert_key: self.cert_key.clone(),
            password_command: self.password_command.clone(),
            server_name: self.server_name.clone(),
            ssh: self.ssh.clone(),
            look: Look::on_replica(self.replica),
            ..TargetOptions::default()
        })
    }

    fn timeout(&self) -> Result<Option<Duration>, CliError> {
        let Some(text) = &self.timeout else {
            return Ok(None);
        };
        let millis = period("--timeout", text)?.millis();
        Ok(Some(Duration::from_millis(
            u64::try_from(millis).unwrap_or(0).max(1),
        )))
    }

    /// The operator's word about sources.
    ///
    /// Errors: an unknown layout or parameter, a span that is none.
    pub fn source_options(&self, layouts: &Layouts) -> Result<SourceOptions, CliError> {
        let layout = match &self.layout {
            None => None,
            Some(id) => Some(
                layouts
                    .get(id)
                    .cloned()
                    .ok_or_else(|| no_layout(id, layouts))?,
            ),
        };
        let mut set = Vec::new();
        for pair in &self.set {
            let parts = pair.split_once('=');
            let Some((name, value)) = parts.filter(|(name, value)| ![*name, *value].contains(&""))
            else {
                return Err(CliError::with_hint(
                    Code::Wrong,
                    format!("`{pair}` is no NAME=VALUE"),
                    "for example `--set retention=48h`",
                ));
            };
            known_parameter(name, layout.as_ref(), layouts)?;
            if name != "table" {
                period("--set", value)?;
            }
            set.push((name.to_owned(), value.to_owned()));
        }
        let lease = self
            .lease
            .as_deref()
            .map(|text| period("--lease", text))
            .transpose()?;
        Ok(SourceOptions { layout, set, lease })
    }
}

/// Errors: no layout that may be taken has a parameter of this name.
fn known_parameter(
    name: &str,
    chosen: Option<&Arc<Layout>>,
    layouts: &Layouts,
) -> Result<(), CliError> {
    let mut names = vec!["table", "lease", "lifetime", "retention"];
    for layout in layouts.iter() {
        if chosen.is_none_or(|chosen| chosen.id == layout.id) {
            names.extend(layout.param_names.iter().map(String::as_str));
        }
    }
    names.sort_unstable();
    names.dedup();
    if names.contains(&name) {
        return Ok(());
    }
    Err(CliError::with_hint(
        Code::Wrong,
        format!("no parameter is called `{name}` (--set)"),
        format!("there are `{}`", names.join("`, `")),
    ))
}

pub fn no_layout(id: &str, layouts: &Layouts) -> CliError {
    let text = format!("no layout named `{id}`");
    let ids = layouts.ids();
    match crate::present::suggest::closest(id, ids.iter().map(String::as_str)) {
        Some(near) => CliError::with_hint(Code::Wrong, text, format!("did you mean `{near}`?")),
        None => CliError::with_hint(Code::Wrong, text, "`idemscope layouts` lists them"),
    }
}

pub fn period(option: &str, text: &str) -> Result<domain::Duration, CliError> {
    domain::Duration::parse(text).ok_or_else(|| {
        CliError::with_hint(
            Code::Wrong,
            format!("`{text}` is no span of time ({option})"),
            "for example `90s`, `10m`, `24h`",
        )
    })
}
