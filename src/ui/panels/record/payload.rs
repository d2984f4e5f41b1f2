//! A stored payload: the lines in sight of what was laid out, with folding, forms and the mask.
//!
//! Bound: only lines in sight are drawn, however long the payload is.

use std::collections::BTreeSet;
use std::sync::Arc;

use egui::{Id, Role, ScrollArea, Sense, Ui, WidgetInfo, vec2};

pub use super::lines::Lines;
use crate::app::State;
use crate::app::command::{Command, RecordCommand};
use crate::app::state::{Form, PayloadSheet, Tab};
use crate::domain::raw::RawAddress;
use crate::present::count;
use crate::present::payload::{Line, Sheet};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Chip, Weight, icon_button};
use crate::ui::widgets::{Pen, Row, Span};

const LINE: f32 = 18.0;
/// Room for the carets of a tree.
const GUTTER: f32 = 14.0;
/// Deeper levels are indented no further.
const DEPTH_MAX: usize = 24;

/// What is folded of the payload in sight.
#[derive(Clone, Debug, Default)]
pub struct Folds {
    /// Which record, tab, form and how many lines they are of.
    of: Option<(RawAddress, Tab, Form, usize)>,
    folded: BTreeSet<usize>,
    /// Lines that are not inside a folded one.
    visible: Vec<u32>,
}

impl Folds {
    fn follow(&mut self, state: &State, sheet: &PayloadSheet) {
        let Some(open) = state.record.open.clone() else {
            return;
        };
        let of = (open, sheet.tab, sheet.form, sheet.sheet.lines());
        if self.of.as_ref() != Some(&of) {
            self.of = Some(of);
            self.folded.clear();
            self.visible.clear();
        }
    }

    fn toggle(&mut self, line: usize, sheet: &Sheet) {
        if !self.folded.remove(&line) {
            self.folded.insert(line);
        }
        self.visible.clear();
        if self.folded.is_empty() {
            return;
        }
        let mut at = 0;
        while at < sheet.lines() {
            self.visible.push(at as u32);
            at = match sheet.line(at).closes_at {
                Some(end) if self.folded.contains(&at) => end + 1,
                _ => at + 1,
            };
        }
    }

    fn len(&self, sheet: &Sheet) -> usize {
        match self.visible.len() {
            0 => sheet.lines(),
            visible => visible,
        }
    }

    fn line_at(&self, row: usize) -> usize {
        self.visible.get(row).map_or(row, |line| *line as usize)
    }
}

pub fn payload_ui(ui: &mut Ui, theme: &Theme, state: &State, folds: &mut Folds, send: &Commands) {
    let font = theme.font(Text::Mono);
    let advance = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    let chars = ((ui.available_width() - 10.0) / advance).max(8.0) as usize;
    if state.record.chars != chars {
        send.send(Command::Record(RecordCommand::Width(chars)));
    }
    let tab = state.record.tab;
    let sheet = state.record.sheet.as_ref().filter(|sheet| sheet.tab == tab);
    ui.add_space(6.0);
    bar_ui(ui, theme, state, sheet, send);
    let Some(sheet) = sheet else { return };
    mask_ui(ui, theme, state, sheet, send);
    ui.add_space(4.0);
    folds.follow(state, sheet);
    lines_ui(ui, theme, sheet, folds);
    if sheet.is_nothing {
        let words = match tab {
            Tab::Response => say!("record-no-answer"),
            _ => say!("record-nothing-stored"),
        };
        Row::next(ui, theme, 20.0).text(&words, Text::Body, Tone::Tertiary);
    }
}

fn bar_ui(
    ui: &mut Ui,
    theme: &Theme,
    state: &State,
    sheet: Option<&Arc<PayloadSheet>>,
    send: &Commands,
) {
    let mut row = Row::next(ui, theme, 26.0);
    let shown = sheet.map_or(state.record.form, |sheet| sheet.form);
    for form in Form::ALL {
        let word = match form {
            Form::Tree => say!("record-form-tree"),
            Form::Text => say!("record-form-text"),
            Form::Hex => say!("record-form-hex"),
        };
        let chip = Chip {
            word: &word,
            count: None,
            icon: None,
            is_chosen: shown == form,
        };
        let place = row.take(chip.width(row.ui, theme), 24.0);
        row.gap(2.0);
        if chip.show(row.ui, theme, place).clicked() {
            send.send(Command::Record(RecordCommand::Form(form)));
        }
    }
    let Some(sheet) = sheet.filter(|sheet| !sheet.is_nothing) else {
        return;
    };
    let place = row.take_right(24.0, 24.0).translate(vec2(5.0, 0.0));
    let icon = theme.icon("act", "copy");
    if icon_button(row.ui, theme, place, &icon, &say!("record-copy-payload")).clicked() {
        send.send(Command::Record(RecordCommand::CopyPayload));
    }
    row.gap_right(4.0);
    let size = count::bytes(sheet.bytes);
    row.text_right(&size, Text::MonoSmall, Tone::Tertiary);
}

/// How many private parts are masked, and the way to see them.
fn mask_ui(ui: &mut Ui, theme: &Theme, state: &State, sheet: &PayloadSheet, send: &Commands) {
    let (words, act) = match (state.record.reveals, sheet.masked) {
        (true, _) => (say!("record-revealed"), say!("record-mask")),
        (false, 0) => return,
        (false, masked) => (say!("record-masked", count = masked), say!("record-reveal")),
    };
    let mut row = Row::next(ui, theme, 30.0);
    row.icon(&theme.icon("mark", "read_only"), 15.0, Tone::Tertiary);
    row.gap(8.0);
    let button = Button::new(&act).key("M").weight(Weight::Ghost);
    let place = row.take_right(button.width(row.ui, theme), 24.0);
    if button.show(row.ui, theme, place).clicked() {
        send.send(Command::Record(RecordCommand::Reveal));
    }
    row.text(&words, Text::Note, Tone::Secondary);
}

fn lines_ui(ui: &mut Ui, theme: &Theme, payload: &PayloadSheet, folds: &mut Folds) {
    let sheet = payload.sheet.clone();
    let is_tree = payload.form == Form::Tree;
    let mut toggled = None;
    ScrollArea::vertical()
        .id_salt(("payload", payload.tab))
        .auto_shrink([false, false])
        .show_rows(ui, LINE, folds.len(&sheet), |ui, range| {
            for row in range {
                let at = folds.line_at(row);
                let line = sheet.line(at);
                let mut place = Row::next(ui, theme, LINE);
                if is_tree {
                    let is_folded = folds.folded.contains(&at);
                    if caret_ui(&mut place, &line, at, is_folded) {
                        toggled = Some(at);
                    }
                    let mut spans = tree_spans(&line.text);
                    if let Some(end) = line.closes_at.filter(|_| is_folded) {
                        let close = sheet.line(end).text;
                        spans.push(Span::mono(format!(" … {close}"), Tone::Tertiary));
                    }
                    place.spans(&spans);
                } else {
                    place.text(&line.text, Text::Mono, Tone::Primary);
                }
            }
        });
    if let Some(at) = toggled {
        folds.toggle(at, &sheet);
    }
}

/// Opens and closes what a line holds; true where it was pressed.
fn caret_ui(row: &mut Row<'_>, line: &Line, at: usize, is_folded: bool) -> bool {
    row.gap(7.2 * 2.0 * line.depth.min(DEPTH_MAX) as f32);
    let place = row.take(GUTTER, LINE);
    if line.closes_at.is_none() {
        return false;
    }
    let theme = row.theme;
    let id = Id::unique((row.ui.scope_id(), "caret", at));
    let response = row.ui.interact(place, id, Sense::click());
    let name = match is_folded {
        true => say!("record-unfold", line = at + 1),
        false => say!("record-fold", line = at + 1),
    };
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, !is_folded, &name));
    let icon = match is_folded {
        true => theme.icon("act", "next"),
        false => theme.icon("act", "open_list"),
    };
    let tone = match response.hovered() || response.has_focus() {
        true => Tone::Primary,
        false => Tone::Tertiary,
    };
    let pen = Pen::new(row.ui.painter(), theme);
    pen.icon(place.center() - vec2(2.0, 0.0), &icon, 11.0, tone);
    response.clicked()
}

/// The name of a member in another tone than its value.
fn tree_spans(text: &str) -> Vec<Span> {
    let name = text
        .strip_prefix('"')
        .and_then(|rest| rest.find("\": "))
        .map(|end| end + 3);
    match name.and_then(|at| text.split_at_checked(at)) {
        Some((name, value)) => vec![
            Span::mono(name, Tone::Secondary),
            Span::mono(value, Tone::Primary),
        ],
        None => vec![Span::mono(text, Tone::Primary)],
    }
}
