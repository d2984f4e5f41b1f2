//! How everything looks: colours, measures, fonts and icons, named by role.
//!
//! The only place that makes colours. Invariant: the files are part of the program; one that
//! cannot be read is found by a test, and a theme is made of it all the same.

mod fonts;
mod style;
mod tokens;

use std::sync::Arc;

use egui::{Color32, FontFamily, FontId};

pub use tokens::{Common, Icon, Tokens};

use crate::app::start;
use crate::config::Colour as Mark;
use crate::domain::attempt::Family;
use crate::present::words::Standing;

/// The theme that is drawn with.
#[derive(Clone, Debug)]
pub struct Theme {
    tokens: Arc<Tokens>,
    common: Arc<Common>,
    pub kind: start::Theme,
}

/// What a text is, which decides its font and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    Page,
    View,
    Section,
    Body,
    Note,
    Source,
    Mono,
    MonoLead,
    MonoSmall,
    Tag,
    /// Labels on arrows.
    Diagram,
    /// Large figures.
    Figure,
    /// The figures of tiles.
    MonoFigure,
    /// For a projector: title, and sentence.
    Far,
    FarSentence,
    FarStrong,
}

/// What a text says, which decides its colour. Without egui, so that panel data can name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    #[default]
    Primary,
    Secondary,
    Tertiary,
    Disabled,
    Accent,
    Danger,
    Live,
    Stuck,
    Completed,
    Failed,
    Expired,
    Unknown,
    OnAccent,
    OnDanger,
    OnProduction,
    /// Changes that are on for a while.
    Production,
}

impl Theme {
    pub fn new(kind: start::Theme) -> Theme {
        let (tokens, common) = (tokens::tokens(kind), tokens::common());
        Theme {
            tokens: Arc::new(tokens.unwrap_or_default()),
            common: Arc::new(common.unwrap_or_default()),
            kind,
        }
    }

    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    pub fn common(&self) -> &Common {
        &self.common
    }

    /// Sets fonts, sizes and colours of a window that is being opened.
    pub fn install(&self, ctx: &egui::Context) {
        ctx.set_fonts(fonts::definitions());
        self.apply(ctx);
    }

    /// Sets sizes and colours.
    pub fn apply(&self, ctx: &egui::Context) {
        style::apply(self, ctx);
    }

    pub fn font(&self, text: Text) -> FontId {
        let kinds = &self.common.kinds;
        let kind = match text {
            Text::Page => &kinds.page,
            Text::View => &kinds.view,
            Text::Section => &kinds.section,
            Text::Body => &kinds.body,
            Text::Note => &kinds.note,
            Text::Source => &kinds.source,
            Text::Mono => &kinds.mono,
            Text::MonoLead => &kinds.mono_lead,
            Text::MonoSmall => &kinds.mono_small,
            Text::Tag => &kinds.tag,
            Text::Diagram => &kinds.diagram,
            Text::Figure => &kinds.figure,
            Text::MonoFigure => &kinds.mono_figure,
            Text::Far => &kinds.far,
            Text::FarSentence => &kinds.far_sentence,
            Text::FarStrong => &kinds.far_strong,
        };
        let family = match kind.font.as_str() {
            "mono" => FontFamily::Monospace,
            "strong" => FontFamily::Name("strong".into()),
            _ => FontFamily::Proportional,
        };
        FontId::new(kind.size, family)
    }

    pub fn icon_font(&self, icon: &Icon, size: f32) -> FontId {
        let family = if icon.fill { "icon-fill" } else { "icon" };
        FontId::new(size, FontFamily::Name(family.into()))
    }

    pub fn tone(&self, tone: Tone) -> Color32 {
        let tokens = &*self.tokens;
        match tone {
            Tone::Primary => tokens.text.primary,
            Tone::Secondary => tokens.text.secondary,
            Tone::Tertiary => tokens.text.tertiary,
            Tone::Disabled => tokens.text.disabled,
            Tone::Accent => tokens.accent.text,
            Tone::Danger => tokens.danger.text,
            Tone::Live => tokens.status.live,
            Tone::Stuck => tokens.status.stuck,
            Tone::Completed => tokens.status.completed,
            Tone::Failed => tokens.status.failed,
            Tone::Expired => tokens.status.expired,
            Tone::Unknown => tokens.status.unknown,
            Tone::OnAccent => tokens.text.on_accent,
            Tone::OnDanger => tokens.text.on_danger,
            Tone::OnProduction => tokens.text.on_production,
            Tone::Production => tokens.production.text,
        }
        .0
    }

    /// The colour of a family of outcomes; of words that are none where there is none.
    pub fn outcome(&self, family: Option<Family>) -> Color32 {
        let outcome = &self.tokens.outcome;
        match family {
            Some(Family::Executed) => outcome.executed,
            Some(Family::Replayed) => outcome.replayed,
            Some(Family::InProgress) => outcome.in_progress,
            Some(Family::Refused) => outcome.refused,
            Some(Family::Repeated) => outcome.repeated,
            Some(Family::Store) => outcome.store,
            None => self.tokens.status.unknown,
        }
        .0
    }

    /// The mark of a connection, where it has one.
    pub fn mark(&self, mark: Mark) -> Option<Color32> {
        let marks = &self.tokens.mark;
        let colour = match mark {
            Mark::Plain => return None,
            Mark::Slate => marks.slate,
            Mark::Teal => marks.teal,
            Mark::Olive => marks.olive,
            Mark::Sand => marks.sand,
            Mark::Violet => marks.violet,
        };
        Some(colour.0)
    }

    pub fn icon(&self, group: &str, name: &str) -> Icon {
        let icons = self.common.icon.get(group);
        icons
            .and_then(|icons| icons.get(name))
            .cloned()
            .unwrap_or_default()
    }

    pub fn standing_icon(&self, standing: Standing) -> Icon {
        self.icon("status", standing_name(standing))
    }
}

pub fn standing_name(standing: Standing) -> &'static str {
    match standing {
        Standing::Stuck => "stuck",
        Standing::Processing => "live",
        Standing::Failed => "failed",
        Standing::Unknown => "unknown",
        Standing::Completed => "completed",
        Standing::Expired => "expired",
    }
}

/// The colour of a state's glyph.
pub fn glyph_tone(standing: Standing) -> Tone {
    match standing {
        Standing::Stuck => Tone::Stuck,
        Standing::Processing => Tone::Live,
        Standing::Failed => Tone::Failed,
        Standing::Unknown => Tone::Unknown,
        Standing::Completed => Tone::Completed,
        Standing::Expired => Tone::Expired,
    }
}

/// The colour of a state's word: only what matters has one.
pub fn word_tone(standing: Standing) -> Tone {
    match standing {
        Standing::Stuck => Tone::Stuck,
        Standing::Processing => Tone::Live,
        Standing::Failed => Tone::Failed,
        Standing::Unknown | Standing::Completed | Standing::Expired => Tone::Secondary,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_themes_can_be_read() {
        for kind in [start::Theme::Dark, start::Theme::Light] {
            assert!(tokens::tokens(kind).is_ok(), "{:?}", tokens::tokens(kind));
        }
        let common = tokens::common();
        assert!(common.is_ok(), "{common:?}");
        assert_eq!(
            Theme::new(start::Theme::Dark).icon("act", "close").code,
            0xE4F6
        );
    }
}
