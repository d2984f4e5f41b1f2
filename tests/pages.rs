//! Holds the pages of the documentation against the program.
//!
//! A generated page is rewritten and the test fails when it was stale, so that the next run passes
//! and the change can be looked at.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use idemscope::domain::change::Verb;
use idemscope::layouts::{Layouts, parse, samples};

fn page(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The table of the layouts that are known.
fn table() -> String {
    let mut text = String::from(
        "# The layouts that are known\n\n\
         Made by `cargo test --test pages` from the files in `assets/layouts`; do not edit.\n\n\
         | layout | what it is | stands in |\n| --- | --- | --- |\n",
    );
    for layout in Layouts::built_in().iter() {
        let mut places = Vec::new();
        if let Some(redis) = &layout.redis {
            places.extend(
                redis
                    .keys
                    .iter()
                    .map(|template| format!("`{}`", template.text())),
            );
        }
        if let Some(sql) = &layout.sql {
            let names: Vec<String> = sql.tables.iter().map(|name| format!("`{name}`")).collect();
            let names = if names.is_empty() {
                "any name".to_owned()
            } else {
                names.join(", ")
            };
            places.push(format!("a table ({names})"));
        }
        let places = places.join("; ").replace('|', "\\|");
        let _ = writeln!(
            text,
            "| {} | {} | {places} |",
            layout.id,
            layout.title.replace('|', "\\|")
        );
    }
    text.push_str(
        "\n## What a repair does\n\n\
         A release takes a lock away, a settle writes the answer that retries replay, a purge removes a\n\
         finished record.\n\n| layout | release | settle | purge |\n| --- | --- | --- | --- |\n",
    );
    for layout in Layouts::built_in().iter() {
        let of = |verb| layout.recipe_words(verb).replace('|', "\\|");
        let (release, settle, purge) = (of(Verb::Release), of(Verb::Settle), of(Verb::Purge));
        let _ = writeln!(text, "| {} | {release} | {settle} | {purge} |", layout.id);
    }
    text
}

#[test]
fn the_table_of_layouts_is_fresh() {
    let path = page("docs/layouts.md");
    let fresh = table();
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if found != fresh {
        std::fs::write(&path, fresh).expect("a page that can be written");
        panic!("docs/layouts.md was stale and has been rewritten");
    }
}

#[test]
fn the_worked_examples_are_right() {
    let text = std::fs::read_to_string(page("docs/describe-your-own-store.md")).expect("a page");
    let examples: Vec<&str> = text
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        let layout = parse("the page", example).unwrap_or_else(|error| panic!("{error}"));
        let faults = samples::run(&Arc::new(layout));
        assert!(faults.is_empty(), "{faults:#?}");
    }
}

#[test]
fn the_file_of_connections_on_its_page_can_be_read() {
    let text = std::fs::read_to_string(page("docs/connections.md")).expect("a page");
    let example = text.split("```toml\n").nth(1).expect("an example");
    let example = example.split("```").next().expect("its end");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("connections.toml");
    std::fs::write(&path, example).expect("a file");
    let book = idemscope::config::connections::load(Some(&path)).expect("a book");
    assert_eq!(book.saved().len(), 2);
    let orders = book.named("orders").expect("it is there");
    assert_eq!(orders.sources.iter().count(), 1);
}

#[test]
fn the_readme_names_what_there_is() {
    let text = std::fs::read_to_string(page("README.md")).expect("a page");
    for (at, _) in text.match_indices("](") {
        let link = text[at + 2..].split(')').next().expect("a link");
        assert!(link.starts_with("http") || page(link).exists(), "{link}");
    }
}
