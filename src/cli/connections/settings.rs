//! `idemscope connections show`: what counts, and where each setting came from.
//!
//! Apart from the rest because nothing is saved or opened: no keyring, command or store is asked.
//! Invariant: of a secret only its origin is printed.

use serde_json::{Value, json};

use crate::cli::error::CliError;
use crate::cli::open;
use crate::cli::options::CommonOptions;
use crate::cli::output::{Format, Output, Shape, Table};
use crate::config::{self, Setting, Wanted};
use crate::domain::Secret;
use crate::present::origin;

pub fn show(name: &str, common: &CommonOptions, output: &mut Output) -> Result<(), CliError> {
    let wanted = Wanted {
        target: Some(Secret::new(name)),
        flags: common.target_options()?,
        ..Wanted::default()
    };
    let (connection, settings) = config::ready(&wanted, &open::book(output))?.settings()?;
    match Format::chosen(common.format, Shape::Single) {
        Format::Table => {
            let mut table = Table::new(&["setting", "value", "from"], &[]);
            settings
                .iter()
                .for_each(|setting| table.row(cells(setting)));
            output.table(&table);
        }
        Format::Csv => output.csv(&["setting", "value", "from"], settings.iter().map(cells)),
        _ => output.json(&json!({
            "name": connection.name,
            "target": connection.url,
            "production": connection.is_production,
            "settings": json(&settings),
        })),
    }
    Ok(())
}

fn cells(setting: &Setting) -> Vec<String> {
    vec![
        setting.name.to_owned(),
        setting
            .value
            .clone()
            .unwrap_or_else(|| "not shown".to_owned()),
        origin::words(setting.origin.code(), setting.origin.detail()),
    ]
}

/// A list of what counts; `value` is null for a secret.
pub fn json(settings: &[Setting]) -> Value {
    let all = settings.iter().map(|setting| {
        json!({
            "name": setting.name,
            "value": setting.value,
            "from": setting.origin.code(),
            "detail": setting.origin.detail(),
        })
    });
    Value::Array(all.collect())
}
