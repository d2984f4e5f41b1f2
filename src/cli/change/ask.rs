//! Asks whether a plan may run, and for the name of a production target.

use std::io::{BufRead, Write};

use super::super::error::{CliError, Code};
use super::super::output::Output;
use super::{ChangeOptions, Place, print};
use crate::ops::plan::{Plan, words};
use crate::present::words::plural;
use crate::sys::terminal;

pub enum Answer {
    Yes,
    No,
    /// Nobody is there to be asked, and `--yes` was not given.
    NotAsked,
}

/// Errors: the target is marked as production and its name was not given rightly.
pub fn permission(
    place: &Place<'_>,
    plan: &Plan,
    options: &ChangeOptions,
    output: &mut Output,
) -> Result<Answer, CliError> {
    let is_asked = terminal::stdin_is_terminal() && terminal::stderr_is_terminal();
    if !options.yes && !is_asked {
        return Ok(Answer::NotAsked);
    }
    if !options.yes {
        // Standard output may be a file that the report goes to.
        for line in print::plan_lines(plan) {
            output.ask(&line);
        }
        output.ask(words::consequence(plan.verb()));
    }
    if place.connection.is_production {
        return production(place, options, is_asked, output);
    }
    if options.yes {
        return Ok(Answer::Yes);
    }
    let records = plural(plan.items().len() as u64, "record", "records");
    let question = format!("{} {records} in {}? [y/N] ", capital(plan), place.name());
    Ok(match typed(&question, output).as_str() {
        "y" | "Y" | "yes" => Answer::Yes,
        _ => Answer::No,
    })
}

fn production(
    place: &Place<'_>,
    options: &ChangeOptions,
    is_asked: bool,
    output: &mut Output,
) -> Result<Answer, CliError> {
    let name = place.name();
    match &options.confirm {
        Some(given) if *given == name => return Ok(Answer::Yes),
        Some(given) => {
            return Err(CliError::new(
                Code::Wrong,
                format!("`{given}` is not the name of this target, which is marked as production"),
            ));
        }
        None if !is_asked || options.yes => {
            return Err(CliError::with_hint(
                Code::Wrong,
                format!("`{name}` is marked as production; nothing was changed"),
                format!("give its name as well: `--confirm {name}`"),
            ));
        }
        None => {}
    }
    let question = format!("`{name}` is marked as production. Type its name to go on: ");
    Ok(match typed(&question, output) == name {
        true => Answer::Yes,
        false => Answer::No,
    })
}

fn capital(plan: &Plan) -> String {
    let name = plan.verb().name();
    let mut chars = name.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

fn typed(question: &str, output: &mut Output) -> String {
    output.flush();
    let mut stderr = std::io::stderr();
    let _ = write!(stderr, "{question}");
    let _ = stderr.flush();
    let mut line = String::new();
    let _ = std::io::stdin().lock().read_line(&mut line);
    line.trim().to_owned()
}
