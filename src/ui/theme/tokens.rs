//! The theme files as values.

use std::collections::HashMap;

use egui::Color32;
use serde::{Deserialize, Deserializer};

use crate::app::start::Theme;

const DARK: &str = include_str!("../../../assets/theme/dark.toml");
const LIGHT: &str = include_str!("../../../assets/theme/light.toml");
const COMMON: &str = include_str!("../../../assets/theme/common.toml");

pub fn tokens(kind: Theme) -> Result<Tokens, String> {
    let text = match kind {
        Theme::Dark => DARK,
        Theme::Light => LIGHT,
    };
    toml::from_str(text).map_err(|error| error.to_string())
}

pub fn common() -> Result<Common, String> {
    toml::from_str(COMMON).map_err(|error| error.to_string())
}

/// A colour as the files have it: `#RRGGBB` or `#RRGGBBAA`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colour(pub Color32);

impl<'de> Deserialize<'de> for Colour {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Colour, D::Error> {
        let text = String::deserialize(deserializer)?;
        Color32::from_hex(&text)
            .map(Colour)
            .map_err(|_| serde::de::Error::custom(format!("`{text}` is no colour")))
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Tokens {
    pub surface: Surface,
    pub state: StateColours,
    pub control: Control,
    pub line: Line,
    pub text: TextColours,
    pub accent: Accent,
    pub status: Status,
    pub status_wash: Status,
    pub outcome: Outcomes,
    pub danger: Danger,
    pub production: Production,
    pub mark: Marks,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Surface {
    pub sunken: Colour,
    pub base: Colour,
    pub raised: Colour,
    pub overlay: Colour,
    pub inset: Colour,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct StateColours {
    pub hover: Colour,
    pub pressed: Colour,
    pub selected: Colour,
    pub field: Colour,
    pub scrim: Colour,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Control {
    pub fill: Colour,
    pub hover: Colour,
    pub pressed: Colour,
    pub stroke: Colour,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Line {
    pub hair: Colour,
    pub strong: Colour,
    pub control: Colour,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct TextColours {
    pub primary: Colour,
    pub secondary: Colour,
    pub tertiary: Colour,
    pub disabled: Colour,
    pub on_accent: Colour,
    pub on_danger: Colour,
    pub on_production: Colour,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Accent {
    pub solid: Colour,
    pub hover: Colour,
    pub text: Colour,
    pub wash: Colour,
    pub focus: Colour,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Status {
    pub live: Colour,
    pub stuck: Colour,
    pub completed: Colour,
    pub failed: Colour,
    pub expired: Colour,
    pub unknown: Colour,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Danger {
    pub solid: Colour,
    pub hover: Colour,
    pub text: Colour,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Production {
    pub solid: Colour,
    pub text: Colour,
    pub wash: Colour,
}

/// The six families of outcomes, in charts.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Outcomes {
    pub executed: Colour,
    pub replayed: Colour,
    pub in_progress: Colour,
    pub refused: Colour,
    pub repeated: Colour,
    pub store: Colour,
}

/// Marks of connections.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Marks {
    pub slate: Colour,
    pub teal: Colour,
    pub olive: Colour,
    pub sand: Colour,
    pub violet: Colour,
}

/// What both themes share.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Common {
    #[serde(rename = "type")]
    pub kinds: Kinds,
    pub radius: Radius,
    pub height: Height,
    pub density: DensityHeights,
    pub width: Width,
    pub icon_size: IconSize,
    pub stroke: Strokes,
    pub projector: Projector,
    pub motion: MotionSecs,
    pub icon: HashMap<String, HashMap<String, Icon>>,
}

/// How long things last, in seconds.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct MotionSecs {
    pub changed_row: f32,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Kinds {
    pub page: Kind,
    pub view: Kind,
    pub section: Kind,
    pub body: Kind,
    pub note: Kind,
    pub source: Kind,
    pub mono: Kind,
    pub mono_lead: Kind,
    pub mono_small: Kind,
    pub tag: Kind,
    pub diagram: Kind,
    pub figure: Kind,
    pub mono_figure: Kind,
    pub far: Kind,
    pub far_sentence: Kind,
    pub far_strong: Kind,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Kind {
    pub size: f32,
    pub line: f32,
    pub font: String,
}

impl Default for Kind {
    fn default() -> Kind {
        Kind {
            size: 13.0,
            line: 18.0,
            font: String::new(),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Radius {
    pub mark: u8,
    pub chip: u8,
    pub control: u8,
    pub card: u8,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Height {
    pub production_line: f32,
    pub top_bar: f32,
    pub status_line: f32,
    pub filter_row: f32,
    pub chip_row: f32,
    pub table_header: f32,
    pub action_bar: f32,
    pub tab_row: f32,
    pub field: f32,
    pub field_large: f32,
    pub button: f32,
    pub button_small: f32,
    pub chip: f32,
    pub key_cap: f32,
    pub nav_item: f32,
    pub list_item_double: f32,
    pub menu_item: f32,
    pub field_line: f32,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct DensityHeights {
    pub compact: f32,
    pub normal: f32,
    pub roomy: f32,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Width {
    pub side_bar: f32,
    pub record_panel: f32,
    pub scroll_thumb: f32,
    pub accent_bar: f32,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct IconSize {
    pub in_row: f32,
    pub in_button: f32,
    pub nav: f32,
    pub verdict: f32,
    pub empty: f32,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Strokes {
    pub chart: f32,
    pub arrow: f32,
    pub arrow_effect: f32,
}

/// Of the lab on a projector.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Projector {
    pub zoom: f32,
}

/// A character of an icon font.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Icon {
    pub code: u32,
    #[serde(default)]
    pub fill: bool,
}

impl Icon {
    pub fn text(&self) -> String {
        char::from_u32(self.code).map_or_else(String::new, String::from)
    }

    pub fn filled(mut self) -> Icon {
        self.fill = true;
        self
    }
}
