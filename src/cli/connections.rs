//! `idemscope connections`: what is saved, without secrets.
//!
//! Apart from the page of connecting because scripts set machines up with it.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

mod export;
mod settings;

use super::error::{CliError, Code};
use super::open;
use super::options::CommonOptions;
use super::output::{Format, Output, Quiet, Shape, Table};
use super::secrets;
use crate::config::address::without_secret;
use crate::config::connections::{self, file};
use crate::config::{Book, BookError, Colour, Connection, Password, Who};
use crate::domain::Secret;
use crate::inspect::detect::detect;
use crate::present::clock::iso_utc;
use crate::present::suggest;
use crate::stores::Place;
use crate::stores::target::Look;
use crate::sys::keyring::Keyring;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// What is saved (the same as nothing)
    List(Common),
    /// Save a connection; a password in the URL goes to the keyring
    Add(Add),
    /// Forget a connection, and its password in the keyring
    Remove { name: String },
    /// Connect, and say what is there and what the login may do
    Test {
        name: String,
        #[command(flatten)]
        common: CommonOptions,
    },
    /// Show what counts for a connection and where each setting came from, without connecting
    Show {
        name: String,
        #[command(flatten)]
        common: CommonOptions,
    },
    /// Print what is saved as a file for another machine, without secrets
    Export(Common),
}

#[derive(Debug, Args)]
struct Common {
    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Debug, Args)]
struct Add {
    name: String,
    url: String,
    /// Mark it as production
    #[arg(long)]
    production: bool,
    /// The mark at its name: slate, teal, olive, sand or violet
    #[arg(long, value_name = "NAME")]
    colour: Option<String>,
    /// Take the place of a connection of this name
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    common: CommonOptions,
}

pub async fn run(arguments: Arguments) -> Result<Code, CliError> {
    let quiet = |common: &CommonOptions| match common.quiet {
        true => Quiet::Silent,
        false => Quiet::Speak,
    };
    match arguments.action {
        None => {
            let mut output = Output::new(quiet(&arguments.common));
            list(&load()?, &arguments.common, &mut output);
        }
        Some(Action::List(Common { common })) => {
            list(&load()?, &common, &mut Output::new(quiet(&common)));
        }
        Some(Action::Export(Common { common })) => {
            export::export(&load()?, &common, &mut Output::new(quiet(&common)));
        }
        Some(Action::Add(add)) => {
            let output = Output::new(quiet(&add.common));
            let ended = tokio::task::spawn_blocking(move || save(add, &output)).await;
            return ended.map_err(|_| CliError::new(Code::Partly, "it was not saved"))?;
        }
        Some(Action::Remove { name }) => {
            let quiet = quiet(&arguments.common);
            let ended = tokio::task::spawn_blocking(move || remove(&name, &Output::new(quiet)));
            return ended
                .await
                .map_err(|_| CliError::new(Code::Partly, "it was not removed"))?;
        }
        Some(Action::Show { name, common }) => {
            let mut output = Output::new(quiet(&common));
            settings::show(&name, &common, &mut output)?;
        }
        Some(Action::Test { name, common }) => {
            let mut output = Output::new(quiet(&common));
            return test(&name, &common, &mut output).await;
        }
    }
    Ok(Code::Done)
}

fn wrong(error: &BookError) -> CliError {
    match error.line {
        Some(_) => CliError::with_hint(
            Code::Wrong,
            format!("connections.toml cannot be read: {error}"),
            "mend the file; it is not changed until then",
        ),
        None => CliError::new(Code::Wrong, error.to_string()),
    }
}

fn load() -> Result<Book, CliError> {
    connections::load(connections::usual_path().as_deref()).map_err(|error| wrong(&error))
}

fn path() -> Result<std::path::PathBuf, CliError> {
    let nowhere = || {
        CliError::new(
            Code::Wrong,
            "there is no home folder to keep connections in",
        )
    };
    connections::usual_path().ok_or_else(nowhere)
}

fn list(book: &Book, common: &CommonOptions, output: &mut Output) {
    let saved = book.saved();
    match Format::chosen(common.format, Shape::List) {
        Format::Json => output.json(&Value::Array(saved.iter().map(describe).collect())),
        Format::Jsonl => saved
            .iter()
            .for_each(|known| output.line(&describe(known).to_string())),
        Format::Csv => {
            let rows = saved.iter().map(cells);
            output.csv(&HEADER, rows);
        }
        Format::Table => {
            let mut table = Table::new(&HEADER, &[]);
            saved.iter().for_each(|known| table.row(cells(known)));
            output.table(&table);
        }
    }
    if saved.is_empty() {
        output.say("no connection is saved; `idemscope connections add NAME URL` saves one");
    }
}

const HEADER: [&str; 6] = [
    "name",
    "target",
    "production",
    "colour",
    "password",
    "opened",
];

fn cells(known: &Connection) -> Vec<String> {
    vec![
        known.name.clone().unwrap_or_default(),
        known.url.clone(),
        if known.is_production { "yes" } else { "" }.to_owned(),
        match known.colour {
            Colour::Plain => String::new(),
            colour => colour.name().to_owned(),
        },
        password_word(known).to_owned(),
        known.opened.map(iso_utc).unwrap_or_default(),
    ]
}

fn password_word(known: &Connection) -> &'static str {
    match (&known.options.password_command, known.password) {
        (Some(_), _) => "command",
        (None, Password::Keyring) => "keyring",
        (None, Password::Asked) => "ask",
    }
}

fn describe(known: &Connection) -> Value {
    let options = &known.options;
    let path = |path: &Option<std::path::PathBuf>| path.as_ref().map(|p| p.display().to_string());
    let sources: serde_json::Map<String, Value> = known
        .sources
        .iter()
        .map(|(name, set)| {
            let set = json!({
                "lease_ms": set.lease.map(|lease| lease.millis()),
                "retention_ms": set.retention.map(|span| span.millis()),
                "off": set.is_off,
            });
            (name.to_owned(), set)
        })
        .collect();
    json!({
        "name": known.name,
        "target": known.url,
        "production": known.is_production,
        "colour": known.colour.name(),
        "password": password_word(known),
        "password_command": options.password_command,
        "ca": path(&options.ca),
        "cert": path(&options.cert),
        "cert_key": path(&options.cert_key),
        "server_name": options.server_name,
        "ssh": options.ssh,
        "replica": options.look == Look::Replica,
        "timeout_ms": options.timeout.map(|timeout| timeout.as_millis() as u64),
        "opened_ms": known.opened.map(|at| at.millis()),
        "sources": sources,
    })
}

fn save(add: Add, output: &Output) -> Result<Code, CliError> {
    let path = path()?;
    let (url, password) =
        without_secret(&add.url).map_err(|text| CliError::new(Code::Wrong, text))?;
    let colour = match &add.colour {
        None => Colour::Plain,
        Some(name) => Colour::named(name)
            .ok_or_else(|| CliError::new(Code::Wrong, connections::no_colour(name)))?,
    };
    let mut connection = Connection::of_url(url);
    connection.name = Some(add.name.clone());
    connection.colour = colour;
    connection.is_production = add.production;
    connection.options = add.common.target_options()?;
    if let Some(password) = &password {
        keep_password(&mut connection, password, output);
    }
    // The password is looked at where a store is opened; here the address has to be one.
    crate::config::target::check(&connection.url, connection.is_production)?;
    let own = Who::Named(add.name);
    let old = add.replace.then_some(&own);
    file::change(&path, |book| book.save(old, connection)).map_err(|error| wrong(&error))?;
    Ok(Code::Done)
}

fn keep_password(connection: &mut Connection, password: &Secret, output: &Output) {
    match Keyring::system().set(&connection.account(), password) {
        Ok(()) => connection.password = Password::Keyring,
        Err(error) => output.say(&format!(
            "warning: the password was not kept, {error}; it is asked for when the window opens \
             it, and `--password-command` gives it to the command line"
        )),
    }
    output.say(
        "warning: the password in the URL can be seen by other users of this machine while this \
         runs",
    );
}

fn remove(name: &str, output: &Output) -> Result<Code, CliError> {
    let mut removed = None;
    let changed = file::change(&path()?, |book| {
        removed = book.remove(&Who::Named(name.to_owned()));
        Ok(())
    });
    let book = changed.map_err(|error| wrong(&error))?;
    let Some(removed) = removed else {
        return Err(unknown(name, &book));
    };
    let is_needed = book.uses(&removed.account());
    if removed.password == Password::Keyring
        && !is_needed
        && let Err(error) = Keyring::system().remove(&removed.account())
    {
        output.say(&format!("warning: its password is still kept, {error}"));
    }
    Ok(Code::Done)
}

fn unknown(name: &str, book: &Book) -> CliError {
    let text = format!("no connection is named `{name}`");
    let names = book
        .saved()
        .iter()
        .filter_map(|known| known.name.as_deref());
    match suggest::closest(name, names) {
        Some(near) => CliError::with_hint(Code::Wrong, text, format!("did you mean `{near}`?")),
        None => CliError::with_hint(Code::Wrong, text, "`idemscope connections` lists them"),
    }
}

async fn test(name: &str, common: &CommonOptions, output: &mut Output) -> Result<Code, CliError> {
    let layouts = open::layouts(output);
    let options = common.source_options(&layouts)?;
    let (connection, mut resolved) = open::resolve(Some(name), common, output).await?;
    for warning in &resolved.warnings {
        output.say(&format!("warning: {warning}"));
    }
    if resolved.is_demo {
        crate::lab::demo::prepare(&resolved.target).await?;
    }
    let session = secrets::open(&mut resolved.target, common).await?;
    let detection = detect(&session, &layouts, &options).await?;
    let facts = &session.facts;
    let sources = detection.found.iter().map(
        |found| json!({"layout": &*found.source.layout.id, "where": found.source.place_text()}),
    );
    let answer = json!({
        "name": connection.name,
        "target": session.label,
        "production": connection.is_production,
        "product": facts.product,
        "encryption": facts.encryption,
        "place": place(&facts.place),
        "user": resolved.target.user(),
        "clock_skew_ms": session.skew().map(|skew| skew.millis()),
        "missing_rights": facts.missing_rights,
        "sources": sources.collect::<Vec<_>>(),
        "settings": settings::json(&resolved.settings),
    });
    match Format::chosen(common.format, Shape::Single) {
        Format::Table => words(&answer, output),
        _ => output.json(&answer),
    }
    Ok(Code::Done)
}

/// Which of several servers is looked at; null where there is one.
fn place(place: &Place) -> Value {
    if *place == Place::default() {
        return Value::Null;
    }
    json!({
        "primaries": place.primaries,
        "part": place.is_part,
        "server": place.server,
        "replica": place.is_replica,
        "lag": place.lag.map(|lag| json!({
            "linked": lag.is_linked,
            "heard_ms": lag.heard_ms,
            "behind_bytes": lag.behind_bytes,
        })),
        "words": place.words().join(", "),
    })
}

/// One line for each member that says something.
fn words(answer: &Value, output: &mut Output) {
    for (name, value) in answer.as_object().into_iter().flatten() {
        let text = match value {
            // `connections show` has them.
            _ if name == "settings" => continue,
            Value::Null => continue,
            Value::String(text) => text.clone(),
            Value::Array(list) => {
                let list = list.iter().map(|value| match value {
                    Value::String(text) => text.clone(),
                    value => {
                        let member = |name: &str| value[name].as_str().unwrap_or_default();
                        format!("{} at {}", member("layout"), member("where"))
                    }
                });
                match list.collect::<Vec<_>>().join(", ") {
                    none if none.is_empty() => "none".to_owned(),
                    list => list,
                }
            }
            other => other.to_string(),
        };
        output.line(&format!("{:<15} {text}", name.replace('_', " ")));
    }
}
