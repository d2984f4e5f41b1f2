//! The lab's scenarios, each with the counters that its table has: real shops in processes of their
//! own, real requests, real crashes.

mod support;

use std::process::Command;

use serde_json::Value as Json;
use support::process::Folder;
use support::{postgres, redis as server};

struct Trainer {
    home: Folder,
}

impl Trainer {
    fn new() -> Trainer {
        Trainer {
            home: Folder::new(),
        }
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idemscope"));
        command
            .arg("lab")
            .args(arguments)
            .args(["--format", "json"]);
        command.env_clear().env("PATH", "/usr/bin:/bin");
        for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
            command.env(name, self.home.path());
        }
        let output = command.output().expect("the binary runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output.status.code().unwrap_or(-1);
        (code, text(&output.stdout), text(&output.stderr))
    }

    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Json {
        let (_, out, err) = self.run(arguments);
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {err}"))
    }
}

/// Plays a scenario and wants every counter as expected; gives the counters of each variant.
#[track_caller]
fn check(trainer: &Trainer, scenario: &str, store: &[&str]) -> Vec<Json> {
    let played = trainer.json(&[&["run", scenario], store].concat());
    let variants = played["variants"].as_array().expect("variants").clone();
    for variant in &variants {
        assert_eq!(
            variant["passed"], true,
            "{scenario} {}: {}",
            variant["id"], variant["why"]
        );
    }
    assert_eq!(played["passed"], true);
    let counters = |variant: &Json| variant["counters"].clone();
    variants.iter().map(counters).collect()
}

macro_rules! scenarios {
    ($($name:ident: $id:literal),+ $(,)?) => { $(
        #[test]
        fn $name() {
            check(&Trainer::new(), $id, &[]);
        }
    )+ };
}

scenarios! {
    three_taps_three_charges: "S01",
    three_taps_one_charge: "S02",
    crash_between_execute_and_save: "S03",
    twenty_at_once: "S04",
    another_payload_under_the_same_key: "S05",
    the_key_expires: "S06",
    two_users_one_key: "S07",
    what_to_do_after_500: "S08",
    patch_absolute_and_relative: "S09",
    delete_twice: "S10",
    put_repeatable_but_not_orderable: "S11",
    lease_shorter_than_the_work: "S16",
    a_new_key_for_each_try: "S17",
}

/// Those whose point is the store.
const OF_THE_STORE: [&str; 4] = ["S02", "S04", "S06", "S07"];

#[test]
fn the_same_counters_over_redis() {
    let server = server::Server::start();
    for scenario in OF_THE_STORE {
        check(&Trainer::new(), scenario, &["--store", &server.url()]);
    }
}

#[test]
fn the_same_counters_over_postgres() {
    let server = postgres::Server::shared();
    let url = server.database_url(&server.create_database());
    for scenario in OF_THE_STORE {
        check(&Trainer::new(), scenario, &["--store", &url]);
    }
}

#[test]
fn the_list_tells_what_there_is() {
    let trainer = Trainer::new();
    let list = trainer.json(&["list"]);
    let list = list.as_array().expect("a list");
    assert!(list.len() >= 13);
    for scenario in list {
        for member in ["id", "title", "lesson", "stores", "variants"] {
            assert!(!scenario[member].is_null(), "{scenario}: {member}");
        }
    }
}

#[test]
fn a_wrong_call_says_what_is_wrong_and_leaves_nothing_behind() {
    let trainer = Trainer::new();
    let (code, _, err) = trainer.run(&["run", "S99"]);
    assert_eq!((code, err.contains("lab list")), (2, true), "{err}");
    let (code, _, err) = trainer.run(&["run", "S02", "--store", "https://example.org"]);
    assert_eq!(code, 2, "{err}");
    let (code, out, _) = trainer.run(&["run", "S02", "--store", "redis://127.0.0.1:1"]);
    assert_eq!(code, 1, "{out}");
    let played: Json = serde_json::from_str(&out).expect("JSON");
    assert!(played["variants"][0]["why"].is_string(), "{out}");
    check(&trainer, "S02", &[]);
    let files = std::fs::read_dir(trainer.home.join("idemscope")).expect("a folder");
    assert_eq!(files.count(), 0, "the lab's own files are gone");
}

#[test]
fn a_run_repeated_gives_the_same_counters() {
    let times = if support::long() { 20 } else { 2 };
    let trainer = Trainer::new();
    for scenario in ["S04", "S08"] {
        let first = check(&trainer, scenario, &[]);
        for _ in 1..times {
            assert_eq!(check(&trainer, scenario, &[]), first, "{scenario}");
        }
    }
}

#[test]
fn a_run_is_saved_as_a_page_and_as_json() {
    let trainer = Trainer::new();
    let (page, json) = (trainer.home.join("run.html"), trainer.home.join("run.json"));
    let (page_name, json_name) = (page.display().to_string(), json.display().to_string());
    let save = ["run", "S01", "--save", &page_name, "--save", &json_name];
    let (code, _, err) = trainer.run(&save);
    assert_eq!(code, 0, "{err}");
    let text = std::fs::read_to_string(&page).expect("a page");
    assert!(text.starts_with("<!doctype html>"));
    assert!(text.contains("<svg") && text.contains("charge again") && text.contains("Three taps"));
    // It loads nothing and runs nothing.
    assert!(!text.contains("<script") && !text.contains("http://") && !text.contains("https://"));
    let saved: Json =
        serde_json::from_str(&std::fs::read_to_string(&json).expect("a file")).expect("JSON");
    let variants = saved["variants"].as_array().expect("variants");
    assert!(
        variants
            .iter()
            .all(|one| one["passed"] == true && one["events"].is_array())
    );
    // What is there is not written over, and nothing is run for it.
    let (code, _, err) = trainer.run(&save);
    assert_eq!((code, err.contains("is there")), (2, true), "{err}");
    let (code, _, err) = trainer.run(&["run", "S01", "--save", "run.txt"]);
    assert_eq!((code, err.contains(".html")), (2, true), "{err}");
}
