//! Prints: the only place that does.

use std::io::Write;

use clap::ValueEnum;
use serde_json::Value;

use super::error::CliError;
use super::options::CommonOptions;
use crate::present::escape;
use crate::present::sheet::neutral;
use crate::sys::{env, terminal};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Table,
    Json,
    Jsonl,
    Csv,
}

/// What can be asked for. Not every command has every form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatChoice {
    Table,
    Json,
    Jsonl,
    Csv,
    /// The text format that Prometheus scrapes
    Prometheus,
}

impl FormatChoice {
    /// Reads the forms that every command has.
    pub fn usual() -> impl clap::builder::TypedValueParser<Value = FormatChoice> {
        use clap::builder::{PossibleValuesParser, TypedValueParser};
        PossibleValuesParser::new(["table", "json", "jsonl", "csv"])
            .try_map(|name| FormatChoice::from_str(&name, false))
    }
}

/// Whether a command answers with a list or with one thing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    List,
    Single,
}

impl Format {
    /// What was asked for; a table on a terminal, else JSON.
    pub fn chosen(asked: Option<FormatChoice>, shape: Shape) -> Format {
        match asked {
            Some(FormatChoice::Table) => Format::Table,
            Some(FormatChoice::Json) => Format::Json,
            Some(FormatChoice::Jsonl) => Format::Jsonl,
            Some(FormatChoice::Csv) => Format::Csv,
            // Who has this form asks for it before.
            Some(FormatChoice::Prometheus) | None => match shape {
                _ if terminal::stdout_is_terminal() => Format::Table,
                Shape::List => Format::Jsonl,
                Shape::Single => Format::Json,
            },
        }
    }
}

/// A table on its way to the terminal.
#[derive(Default)]
pub struct Table {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// Columns whose text stands at the right.
    right: Vec<usize>,
}

impl Table {
    pub fn new(header: &[&'static str], right: &[usize]) -> Table {
        Table {
            header: header.to_vec(),
            rows: Vec::new(),
            right: right.to_vec(),
        }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(
            cells
                .into_iter()
                .map(|cell| escape::shown(&cell, 80))
                .collect(),
        );
    }

    /// What is printed, header first.
    pub fn lines(&self) -> Vec<String> {
        let width_of = |at: usize| {
            let header = self.header.get(at).map_or(0, |text| text.len());
            let cells = self
                .rows
                .iter()
                .filter_map(|row| row.get(at))
                .map(|cell| cell.chars().count());
            cells.max().unwrap_or(0).max(header)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width_of).collect();
        let header: Vec<String> = self.header.iter().map(|text| text.to_uppercase()).collect();
        std::iter::once(&header)
            .chain(&self.rows)
            .map(|row| {
                let cells = row
                    .iter()
                    .zip(&widths)
                    .enumerate()
                    .map(|(at, (cell, width))| {
                        if self.right.contains(&at) {
                            format!("{cell:>width$}")
                        } else {
                            format!("{cell:<width$}")
                        }
                    });
                cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
            })
            .collect()
    }
}

/// Standard output and standard error, as far as they still listen.
pub struct Output {
    out: std::io::BufWriter<std::io::Stdout>,
    pub quiet: Quiet,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Quiet {
    Speak,
    Silent,
}

impl Output {
    /// As the options of a command have it.
    pub fn of(common: &CommonOptions) -> Output {
        Output::new(match common.quiet {
            true => Quiet::Silent,
            false => Quiet::Speak,
        })
    }

    pub fn new(quiet: Quiet) -> Output {
        Output {
            out: std::io::BufWriter::new(std::io::stdout()),
            quiet,
        }
    }

    /// A line of the result. A reader that has gone away is no error.
    pub fn line(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes());
        let _ = self.out.write_all(b"\n");
    }

    pub fn json(&mut self, value: &Value) {
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        self.line(&text);
    }

    pub fn table(&mut self, table: &Table) {
        for line in table.lines() {
            self.line(&line);
        }
    }

    /// Rows of a CSV, formulas neutralised.
    pub fn csv(&mut self, header: &[&str], rows: impl Iterator<Item = Vec<String>>) {
        let mut writer = csv::Writer::from_writer(&mut self.out);
        let _ = writer.write_record(header);
        for row in rows {
            let _ = writer.write_record(row.iter().map(|cell| neutral(cell)));
        }
        let _ = writer.flush();
    }

    /// One line about the work, on standard error.
    pub fn say(&self, text: &str) {
        if self.quiet == Quiet::Speak {
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }

    /// A line that belongs to a question: said even where notes are not wanted.
    pub fn ask(&self, text: &str) {
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// Brings what was printed to whoever reads it.
    pub fn flush(&mut self) {
        let _ = self.out.flush();
    }

    /// Progress: overwritten by the next, and only where somebody looks.
    pub fn progress(&self, text: &str) {
        if self.quiet == Quiet::Speak && terminal::stderr_is_terminal() {
            let _ = write!(std::io::stderr(), "\r\x1b[2K{text}");
            let _ = std::io::stderr().flush();
        }
    }

    pub fn complain(error: &CliError) {
        let mut stderr = std::io::stderr();
        let color = terminal::stderr_is_terminal() && env::var("NO_COLOR").is_none();
        let (red, off) = if color {
            ("\x1b[31m", "\x1b[0m")
        } else {
            ("", "")
        };
        let _ = writeln!(
            stderr,
            "{red}error{off}: {}",
            escape::shown(&error.text, 2000)
        );
        if let Some(hint) = &error.hint {
            let _ = writeln!(stderr, "hint: {}", escape::shown(hint, 2000));
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        let _ = self.out.flush();
    }
}
