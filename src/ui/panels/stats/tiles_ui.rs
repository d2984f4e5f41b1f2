//! The six tiles over the charts; each leads to what it was counted of.

use egui::{Rect, Ui, pos2, vec2};

use super::chart;
use super::data::Tile;
use super::marks::mark_ui;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::{Pen, Row, Span};

const MARGIN: f32 = 20.0;
/// Under this the tiles have no room for a trend.
const TREND_FROM: f32 = 188.0;

pub fn tiles_ui(ui: &mut Ui, theme: &Theme, rect: Rect, tiles: &[Tile], send: &Commands) {
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.max.y - 0.5, pen.hair());
    let width = rect.width() / tiles.len().max(1) as f32;
    for (at, tile) in tiles.iter().enumerate() {
        let x = (rect.min.x + width * at as f32).round();
        let place = Rect::from_min_max(pos2(x, rect.min.y), pos2(x + width, rect.max.y));
        if at > 0 {
            let pen = Pen::new(ui.painter(), theme);
            pen.vline(x, rect.y_range(), pen.hair());
        }
        if let Some(lead) = &tile.lead {
            let name = say!(
                "stats-mark-tile",
                name = tile.title.as_str(),
                value = format!("{} {}", tile.value, tile.unit).trim(),
                below = tile.below.as_str()
            );
            mark_ui(
                ui,
                theme,
                place.shrink2(vec2(4.0, 6.0)),
                (&name, lead),
                send,
            );
        }
        let margin = if width > TREND_FROM { MARGIN } else { 10.0 };
        tile_ui(ui, theme, place.shrink2(vec2(margin, 0.0)), tile);
    }
}

fn tile_ui(ui: &mut Ui, theme: &Theme, rect: Rect, tile: &Tile) {
    let line = |from: f32, to: f32| {
        Rect::from_min_max(
            pos2(rect.min.x, rect.min.y + from),
            pos2(rect.max.x, rect.min.y + to),
        )
    };
    let mut row = Row::new(ui, theme, line(10.0, 30.0));
    // Where there is little room the note has a line to itself.
    let is_narrow = rect.width() < TREND_FROM - 2.0 * MARGIN;
    if is_narrow {
        row.text_right(&tile.source, Text::Source, Tone::Tertiary);
        row.gap_right(3.0);
    }
    row.text(&tile.title, Text::Note, Tone::Secondary);
    let value = Span::new(&tile.value, Text::MonoFigure, Tone::Primary);
    let unit = Span::new(format!(" {}", tile.unit), Text::Mono, Tone::Tertiary);
    let both = [value, unit];
    // Half a word says nothing; the title names what is counted.
    let whole = Pen::new(ui.painter(), theme).elided(&both, f32::INFINITY);
    let fits = !tile.unit.is_empty() && whole.size().x <= rect.width();
    let mut row = Row::new(ui, theme, line(30.0, 60.0));
    match fits {
        true => row.spans(&both),
        false => row.spans(&both[..1]),
    }
    .on_hover_text(format!("{} {}", tile.value, tile.unit).trim());
    let room = row.rect.width() - 12.0;
    if room > 40.0 {
        let right = rect.max.x - 3.0;
        let trend = Rect::from_min_max(
            pos2(right - room.min(78.0), rect.min.y + 34.0),
            pos2(right, rect.min.y + 54.0),
        );
        let tone = if tile.is_news {
            Tone::Stuck
        } else {
            Tone::Primary
        };
        chart::trend_ui(ui, theme, trend, &tile.trend, tone);
    }
    let mut row = Row::new(ui, theme, line(62.0, 82.0));
    if !is_narrow {
        row.text_right(&tile.source, Text::Source, Tone::Tertiary);
        row.gap_right(6.0);
    }
    row.text(&tile.below, Text::Source, Tone::Secondary)
        .on_hover_text(&tile.below);
}
