//! What is asked before a text or a file is lost.

use egui::{Key, Modifiers, Ui};

use crate::app::State;
use crate::app::command::{AppCommand, Command, EditorCommand};
use crate::present::escape;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Weight};
use crate::ui::widgets::dialog::dialog_ui;
use crate::ui::widgets::{Row, Span};

const WIDTH: f32 = 480.0;

/// A question with two answers.
struct Question {
    name: &'static str,
    title: String,
    text: String,
    yes: String,
    does: EditorCommand,
}

pub fn leave_ui(ui: &mut Ui, theme: &Theme, send: &Commands) {
    let question = Question {
        name: "leave editor",
        title: say!("editor-leave-title"),
        text: say!("editor-leave-text"),
        yes: say!("editor-leave"),
        does: EditorCommand::Discard,
    };
    question_ui(ui, theme, question, None, send);
}

pub fn overwrite_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let question = Question {
        name: "overwrite layout",
        title: say!("editor-over-title"),
        text: say!("editor-over-text"),
        yes: say!("editor-over"),
        does: EditorCommand::SaveOver,
    };
    let path = state
        .editor
        .differs
        .as_ref()
        .map(|path| path.display().to_string());
    question_ui(ui, theme, question, path, send);
}

fn question_ui(
    ui: &mut Ui,
    theme: &Theme,
    question: Question,
    path: Option<String>,
    send: &Commands,
) {
    let does = Command::Editor(question.does);
    let left = dialog_ui(ui, theme, question.name, WIDTH, |ui| {
        Row::next(ui, theme, 28.0).text(&question.title, Text::View, Tone::Primary);
        if let Some(path) = &path {
            let path = escape::shown(path, 200);
            Row::next(ui, theme, 24.0)
                .spans(&[Span::mono(&path, Tone::Secondary)])
                .on_hover_text(&path);
        }
        ui.add_space(4.0);
        let words = egui::RichText::new(&question.text)
            .font(theme.font(Text::Body))
            .color(theme.tone(Tone::Secondary));
        ui.label(words);
        ui.add_space(16.0);
        let mut row = Row::next(ui, theme, 30.0);
        let height = theme.common().height.button;
        let button = Button::new(&question.yes).key("Ctrl Enter");
        let place = row.take_right(button.width(row.ui, theme), height);
        if button.show(row.ui, theme, place).clicked() {
            send.send(does.clone());
        }
        row.gap_right(8.0);
        let stay = say!("editor-stay");
        let button = Button::new(&stay).weight(Weight::Primary).key("Esc");
        let place = row.take_right(button.width(row.ui, theme), height);
        let response = button.show(row.ui, theme, place);
        if response.clicked() {
            send.send(Command::App(AppCommand::StepBack));
        }
        if row.ui.memory(|memory| memory.focused().is_none()) {
            response.request_focus();
        }
        let entered = row
            .ui
            .input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
        if entered {
            send.send(does.clone());
        }
    });
    if left {
        send.send(Command::App(AppCommand::StepBack));
    }
}
