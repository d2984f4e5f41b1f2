//! What retries are to get after a settle: a status and a body.

use egui::{Id, Margin, ScrollArea, Stroke, StrokeKind, TextBuffer, TextEdit, Ui, vec2};

use super::{LABEL, RepairMemory};
use crate::app::State;
use crate::app::command::{Command, RepairCommand};
use crate::app::state::{Body, Job};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::form::{FormField, Shows};
use crate::ui::widgets::{Row, Span};

const BODY: f32 = 132.0;

pub fn answer_ui(
    ui: &mut Ui,
    theme: &Theme,
    _state: &State,
    job: &Job,
    memory: &mut RepairMemory,
    send: &Commands,
) {
    let height = theme.common().height.field;
    let mut row = Row::next(ui, theme, height);
    let label = row.take(LABEL, 18.0);
    let word = say!("repair-answer-status");
    Row::new(row.ui, theme, label).text(&word, Text::Body, Tone::Secondary);
    let place = row.take(88.0, height);
    let is_wrong = job.answer.status().is_none();
    let field = FormField {
        id: Id::unique("repair status"),
        name: &word,
        hint: "200",
        shows: Shows::Mono,
        is_wrong,
    };
    let mut text = job.answer.status.clone();
    let answer = field.show(row.ui, theme, place, &mut text);
    if answer.changed {
        send.send(Command::Repair(RepairCommand::StatusTyped(text)));
    }
    let stage = (u64::MAX, "answer");
    if memory.focused != Some(stage) {
        memory.focused = Some(stage);
        answer.response.request_focus();
    }
    row.gap(12.0);
    let (note, tone) = match is_wrong {
        true => (say!("repair-answer-status-wrong"), Tone::Danger),
        false => (say!("repair-answer-status-note"), Tone::Tertiary),
    };
    row.text(&note, Text::Note, tone);
    ui.add_space(8.0);
    body_ui(ui, theme, job, send);
    let (note, tone) = match job.answer.body() {
        Body::Empty => (say!("repair-body-empty"), Tone::Tertiary),
        Body::Json => (say!("repair-body-json"), Tone::Completed),
        Body::BrokenJson(line) => {
            let line = line.to_string();
            (say!("repair-body-broken", line = line), Tone::Danger)
        }
        Body::Text => (say!("repair-body-text"), Tone::Tertiary),
    };
    let mut row = Row::next(ui, theme, 24.0);
    row.gap(LABEL);
    row.text(&note, Text::Note, tone);
}

fn body_ui(ui: &mut Ui, theme: &Theme, job: &Job, send: &Commands) {
    let mut row = Row::next(ui, theme, BODY);
    let label = row.take(LABEL, BODY - 12.0);
    let word = say!("repair-answer-body");
    let top = label.with_max_y(label.min.y + 18.0);
    Row::new(row.ui, theme, top).text(&word, Text::Body, Tone::Secondary);
    let rect = row.take(row.room(), BODY);
    let ui = row.ui;
    let id = Id::unique("repair body text");
    let tokens = theme.tokens();
    let is_broken = matches!(job.answer.body(), Body::BrokenJson(_));
    let stroke = match (is_broken, ui.memory(|memory| memory.has_focus(id))) {
        (true, _) => Stroke::new(1.0, tokens.danger.text.0),
        (false, true) => Stroke::new(2.0, tokens.accent.focus.0),
        _ => Stroke::new(1.0, tokens.line.strong.0),
    };
    let radius = theme.common().radius.control;
    ui.painter().rect_filled(rect, radius, tokens.state.field.0);
    ui.painter()
        .rect_stroke(rect, radius, stroke, StrokeKind::Inside);
    let inner = rect.shrink2(vec2(10.0, 6.0));
    let mut inside = ui.new_child(egui::UiBuilder::new().max_rect(inner).id_salt("body"));
    inside.set_clip_rect(inner.expand(2.0).intersect(ui.clip_rect()));
    ScrollArea::vertical()
        .id_salt("body")
        .auto_shrink([false, false])
        .show(&mut inside, |ui| {
            let mut text = job.answer.body.clone();
            let mut layouter = |ui: &Ui, text: &dyn TextBuffer, width: f32| {
                let span = Span::new(text.as_str(), Text::Mono, Tone::Primary);
                let mut job = crate::ui::widgets::pen::job(theme, &[span]);
                job.break_on_newline = true;
                job.wrap.max_width = width;
                job.keep_trailing_whitespace = true;
                ui.fonts_mut(|fonts| fonts.layout_job(job))
            };
            let hint = egui::RichText::new("{\"status\": \"charged\"}")
                .font(theme.font(Text::Mono))
                .color(theme.tone(Tone::Tertiary));
            let edit = TextEdit::multiline(&mut text)
                .id(id)
                .font(theme.font(Text::Mono))
                .frame(egui::Frame::NONE)
                .margin(Margin::ZERO)
                .desired_width(f32::INFINITY)
                .desired_rows(6)
                .hint_text(hint)
                .char_limit(crate::app::state::BODY_MAX)
                .layouter(&mut layouter);
            let response = ui.add(edit);
            let name = word.clone();
            ui.ctx()
                .accesskit_node_builder(response.id, |node| node.set_label(name));
            if response.changed() {
                send.send(Command::Repair(RepairCommand::BodyTyped(text)));
            }
        });
}
