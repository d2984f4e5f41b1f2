//! The form of one connection: its URL, and the same in fields.

use egui::{Event, Id, Rect, Ui, UiBuilder, pos2, vec2};

use super::data::{ConnectData, Shape, is_name};
use super::url_id;
use crate::app::State;
use crate::app::command::{Command, ConnectCommand, FormCommand, Part};
use crate::app::state::Asking;
use crate::config::Colour;
use crate::domain::Secret;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Row;
use crate::ui::widgets::button::{Chip, link};
use crate::ui::widgets::field::{Field, plain_layouter};
use crate::ui::widgets::form::{FormField, Shows, check_line, focus_anew, swatch};

const LABEL: f32 = 116.0;
const LINE: f32 = 38.0;

fn form(command: FormCommand) -> Command {
    Command::Connect(ConnectCommand::Form(command))
}

pub fn url_ui(
    ui: &mut Ui,
    theme: &Theme,
    state: &State,
    data: &ConnectData,
    wants_focus: bool,
    send: &Commands,
) {
    let height = theme.common().height.field_large;
    let mut row = Row::next(ui, theme, height);
    let rect = row.take(row.room(), height);
    let mut text = state.connect.form.url.reveal().to_owned();
    let origin = data.origin.as_str();
    let name = say!("connect-address");
    let hint = say!("connect-address-hint");
    let field = Field {
        id: url_id(),
        name: &name,
        hint: &hint,
        icon: theme.icon("act", "link"),
        kind: Text::MonoLead,
        room_right: if origin.is_empty() { 0.0 } else { 160.0 },
        is_wrong: false,
        keeps_tab: false,
    };
    let mut layouter = plain_layouter(theme, Text::MonoLead);
    // The line has its room already.
    let mut place = row.ui.new_child(UiBuilder::new().max_rect(rect));
    let answer = field.show(&mut place, theme, rect, &mut text, &mut layouter);
    let mut note = Row::new(row.ui, theme, rect.shrink2(vec2(12.0, 0.0)));
    note.text_right(origin, Text::Note, Tone::Tertiary);
    if answer.changed {
        let is_paste = |event: &Event| matches!(event, Event::Paste(_));
        let pasted = ui.input(|input| input.events.iter().any(is_paste));
        let text = Secret::new(text);
        send.send(form(match pasted {
            true => FormCommand::UrlPasted(text),
            false => FormCommand::UrlTyped(text),
        }));
    }
    if wants_focus && !data.asks_password {
        answer.response.request_focus();
    }
    if answer.response.lost_focus() {
        send.send(form(FormCommand::UrlLeft));
    }
}

/// A line of the form: its label, and the room beside it.
fn line<'a>(ui: &'a mut Ui, theme: &'a Theme, label: &str) -> Row<'a> {
    let mut row = Row::next(ui, theme, LINE);
    let room = row.rect;
    row.text(label, Text::Body, Tone::Secondary);
    row.rect = room;
    row.rect.min.x += LABEL;
    row
}

pub fn fields_ui(
    ui: &mut Ui,
    theme: &Theme,
    state: &State,
    data: &ConnectData,
    wants_focus: bool,
    send: &Commands,
) {
    match data.shape {
        _ if is_name(&state.connect.form) => {}
        Shape::UrlOnly => {
            if !data.kind.is_empty() {
                let mut row = line(ui, theme, &say!("connect-engine"));
                row.text(&data.kind, Text::Body, Tone::Primary);
            }
            password_ui(ui, theme, state, data, wants_focus, send);
        }
        Shape::File => {
            engine_ui(ui, theme, data, send);
            file_ui(ui, theme, state, send);
        }
        Shape::Server => {
            engine_ui(ui, theme, data, send);
            server_ui(ui, theme, state, data, wants_focus, send);
        }
    }
    name_ui(ui, theme, state, send);
    production_ui(ui, theme, state, send);
    more_ui(ui, theme, state, data, send);
}

fn engine_ui(ui: &mut Ui, theme: &Theme, data: &ConnectData, send: &Commands) {
    let mut row = line(ui, theme, &say!("connect-engine"));
    for (engine, name, is_chosen) in &data.engines {
        if chip(&mut row, name, *is_chosen) {
            send.send(form(FormCommand::Engine(*engine)));
        }
    }
}

fn chip(row: &mut Row<'_>, word: &str, is_chosen: bool) -> bool {
    let theme = row.theme;
    let chip = Chip {
        word,
        count: None,
        icon: None,
        is_chosen,
    };
    let width = chip.width(row.ui, theme);
    let rect = row.take(width, 26.0);
    row.gap(4.0);
    chip.show(row.ui, theme, rect).clicked()
}

/// A plain field in some room of a line.
fn part(
    row: &mut Row<'_>,
    width: f32,
    part: Part,
    (name, hint, text): (&str, &str, &str),
    shows: Shows,
    send: &Commands,
) {
    let theme = row.theme;
    let rect = row.take(width, theme.common().height.field);
    let field = FormField {
        id: Id::unique(("connect", part)),
        name,
        hint,
        shows,
        is_wrong: part == Part::Port && !is_port(text),
    };
    let mut typed = text.to_owned();
    if field.show(row.ui, theme, rect, &mut typed).changed {
        send.send(form(FormCommand::Part(part, typed)));
    }
}

fn is_port(text: &str) -> bool {
    text.is_empty() || text.parse::<u16>().is_ok()
}

fn file_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let mut row = line(ui, theme, &say!("connect-file"));
    let path = &state.connect.form.address.database;
    let (name, hint) = (say!("connect-file"), say!("connect-file-hint"));
    let width = row.room();
    let texts = (name.as_str(), hint.as_str(), path.as_str());
    part(&mut row, width, Part::Database, texts, Shows::Mono, send);
}

fn server_ui(
    ui: &mut Ui,
    theme: &Theme,
    state: &State,
    data: &ConnectData,
    wants_focus: bool,
    send: &Commands,
) {
    let address = &state.connect.form.address;
    let mut row = line(ui, theme, &say!("connect-host"));
    let port = 84.0;
    let width = row.room() - port - 8.0;
    let name = say!("connect-host");
    let texts = (name.as_str(), "localhost", address.host.as_str());
    part(&mut row, width, Part::Host, texts, Shows::Mono, send);
    row.gap(8.0);
    let name = say!("connect-port");
    let texts = (name.as_str(), address.usual_port(), address.port.as_str());
    part(&mut row, port, Part::Port, texts, Shows::Mono, send);

    let mut row = line(ui, theme, &say!("connect-user"));
    let half = ((row.room() - 96.0) / 2.0).floor();
    let name = say!("connect-user");
    let texts = (name.as_str(), "", address.user.as_str());
    part(&mut row, half, Part::User, texts, Shows::Mono, send);
    row.gap(16.0);
    let label = say!("connect-database");
    row.text(&label, Text::Body, Tone::Secondary);
    row.rect.min.x = row.rect.max.x - half;
    let texts = (label.as_str(), "", address.database.as_str());
    part(&mut row, half, Part::Database, texts, Shows::Mono, send);

    password_ui(ui, theme, state, data, wants_focus, send);
    let mut row = line(ui, theme, &say!("connect-encryption"));
    for (security, word, is_chosen) in &data.securities {
        if chip(&mut row, word, *is_chosen) {
            send.send(form(FormCommand::Security(security.clone())));
        }
    }
    row.gap(8.0);
    row.text(&data.security_note, Text::Note, Tone::Tertiary);
}

fn password_ui(
    ui: &mut Ui,
    theme: &Theme,
    state: &State,
    data: &ConnectData,
    wants_focus: bool,
    send: &Commands,
) {
    let (label, typed) = match state.connect.asking {
        Asking::Passphrase => (say!("connect-passphrase"), &state.connect.form.passphrase),
        Asking::Nothing | Asking::Password => {
            (say!("connect-password"), &state.connect.form.password)
        }
    };
    let mut row = line(ui, theme, &label);
    let half = ((row.room() - 96.0) / 2.0).floor();
    let rect = row.take(half, theme.common().height.field);
    let field = FormField {
        id: Id::unique(("connect", "password")),
        name: &data.password_name,
        hint: "",
        shows: Shows::Points,
        is_wrong: false,
    };
    let mut text = typed.reveal().to_owned();
    let answer = field.show(row.ui, theme, rect, &mut text);
    if wants_focus && data.asks_password {
        focus_anew(row.ui, &answer.response, &text);
    }
    if answer.changed {
        send.send(form(FormCommand::PasswordTyped(Secret::new(text))));
    }
    row.gap(12.0);
    row.text(&data.password_note, Text::Note, Tone::Tertiary);
}

fn name_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let connect = &state.connect.form;
    let mut row = line(ui, theme, &say!("connect-name"));
    let half = ((row.room() - 96.0) / 2.0).floor();
    let (name, hint) = (say!("connect-name"), say!("connect-name-empty"));
    let texts = (name.as_str(), hint.as_str(), connect.name.as_str());
    part(&mut row, half, Part::Name, texts, Shows::Words, send);
    row.gap(12.0);
    for colour in Colour::ALL {
        let place = row.take(26.0, 26.0);
        let name = colour_name(colour);
        let chosen = (name.as_str(), connect.colour == colour);
        if swatch(row.ui, theme, place, theme.mark(colour), chosen).clicked() {
            send.send(form(FormCommand::Colour(colour)));
        }
    }
}

fn colour_name(colour: Colour) -> String {
    match colour {
        Colour::Plain => say!("connect-colour-plain"),
        Colour::Slate => say!("connect-colour-slate"),
        Colour::Teal => say!("connect-colour-teal"),
        Colour::Olive => say!("connect-colour-olive"),
        Colour::Sand => say!("connect-colour-sand"),
        Colour::Violet => say!("connect-colour-violet"),
    }
}

fn production_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let mut row = line(ui, theme, &say!("connect-production"));
    let is_on = state.connect.form.is_production;
    let words = say!("connect-this-is-production");
    let response = check_line(row.ui, theme, row.rect, is_on, &words);
    if is_on {
        // Production has a colour of its own.
        let square = Rect::from_center_size(
            pos2(response.rect.min.x + 7.0, response.rect.center().y).round(),
            vec2(14.0, 14.0),
        );
        let radius = theme.common().radius.mark;
        let painter = row.ui.painter();
        painter.rect_filled(square, radius, theme.tokens().production.solid.0);
        let icon = theme.icon("act", "check");
        let pen = crate::ui::widgets::Pen::new(painter, theme);
        pen.icon(square.center(), &icon, 11.0, Tone::OnProduction);
    }
    if response.clicked() {
        send.send(form(FormCommand::ToggleProduction));
    }
    row.rect.min.x = response.rect.max.x + 12.0;
    let about = say!("connect-production-about");
    row.text(&about, Text::Note, Tone::Tertiary);
}

fn more_ui(ui: &mut Ui, theme: &Theme, state: &State, data: &ConnectData, send: &Commands) {
    if data.shape == Shape::File {
        return;
    }
    let shows = state.connect.form.shows_more;
    let row = line(ui, theme, "");
    let label = match shows {
        true => say!("connect-less"),
        false => say!("connect-more"),
    };
    let at = pos2(row.rect.min.x, row.rect.center().y);
    if link(row.ui, theme, at, egui::Align2::LEFT_CENTER, &label).clicked() {
        send.send(form(FormCommand::ShowMore));
    }
    if !shows {
        return;
    }
    let connect = &state.connect.form;
    let all = [
        (Part::Ca, say!("connect-ca"), "/etc/ssl/ca.pem", &connect.ca),
        (Part::Cert, say!("connect-cert"), "", &connect.cert),
        (
            Part::CertKey,
            say!("connect-cert-key"),
            "",
            &connect.cert_key,
        ),
        (
            Part::ServerName,
            say!("connect-server-name"),
            "",
            &connect.server_name,
        ),
        (
            Part::Ssh,
            say!("connect-ssh"),
            "bastion.example",
            &connect.ssh,
        ),
        (
            Part::Command,
            say!("connect-command"),
            "pass show …",
            &connect.command,
        ),
    ];
    for (which, name, hint, text) in all {
        let mut row = line(ui, theme, &name);
        let width = row.room();
        let texts = (name.as_str(), hint, text.as_str());
        part(&mut row, width, which, texts, Shows::Mono, send);
    }
    let mut row = line(ui, theme, &say!("connect-replica"));
    let words = say!("connect-on-replica");
    let response = check_line(row.ui, theme, row.rect, connect.on_replica, &words);
    if response.clicked() {
        send.send(form(FormCommand::ToggleReplica));
    }
    row.rect.min.x = response.rect.max.x + 12.0;
    row.text(&say!("connect-replica-about"), Text::Note, Tone::Tertiary);
}
