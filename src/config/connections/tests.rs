//! The file of connections: round trips, hostile files, and that no secret gets in.

use std::path::PathBuf;

use super::file::{change, load};
use super::format::{parse, print};
use super::*;
use crate::config::overrides::Override;
use crate::domain::{Duration, Secret};

fn full() -> Book {
    let mut sources = Overrides::default();
    let set = Override {
        lease: Some(Duration(1_500)),
        retention: Some(Duration::secs(86_400)),
        is_off: true,
    };
    sources.set("plain-article idem:{scope}:\"{key}\"\n\u{202e}", set);
    let connection = Connection {
        name: Some("payments prod".to_owned()),
        url: "rediss://idem_ro@db.payments.example:6379/0".to_owned(),
        colour: Colour::Teal,
        is_production: true,
        options: TargetOptions {
            timeout: Some(std::time::Duration::from_secs(20)),
            ca: Some(PathBuf::from("/etc/ssl/ca.pem")),
            password_command: Some("pass show \"x\"".to_owned()),
            // It must not get into the file.
            password: Some(Secret::new("hunter22")),
            ..TargetOptions::default()
        },
        password: Password::Keyring,
        sources: sources.clone(),
        ..Connection::default()
    };
    let mut book = Book::default();
    book.save(None, connection).expect("saved");
    let mut recent = Connection::of_url("sqlite:/tmp/shop.db");
    recent.sources = sources;
    book.opened(&recent, Timestamp(1_764_500_000_123));
    book
}

#[test]
fn what_is_written_is_read_again() {
    let book = full();
    let text = print(&book);
    assert!(!text.contains("hunter22"), "{text}");
    let mut expected = book.clone();
    for connection in expected.saved.iter_mut() {
        connection.options.password = None;
    }
    assert_eq!(parse(&text).as_ref(), Ok(&expected), "{text}");
}

#[test]
fn it_reads_as_a_person_would_write_it() {
    let text = "
        [connection.shop]
        url = \"postgres://app@db.shop.example/shop\"
        production = true
        [connection.shop.source.\"uuid-key-locked-at public.idempotency_keys\"]
        lease = \"10m\"
    ";
    let book = parse(text).expect("a book");
    let shop = book.named("shop").expect("it is there");
    assert!(shop.is_production);
    let set = shop
        .sources
        .get("uuid-key-locked-at public.idempotency_keys");
    assert_eq!(set.lease, Some(Duration::secs(600)));
    assert_eq!(book.to_place(&shop.url), Some(shop));
}

#[test]
fn what_is_not_known_is_kept() {
    let text = "version = 3\n[connection.a]\nurl = \"redis://h\"\nvpn = { host = \"jump\" }\n";
    let mut book = parse(text).expect("a book");
    let mut changed = book.named("a").expect("it is there").clone();
    changed.colour = Colour::Olive;
    changed.unknown = toml::Table::new();
    let own = Who::Named("a".to_owned());
    book.save(Some(&own), changed).expect("saved");
    let text = print(&book);
    assert!(text.contains("version = 3"), "{text}");
    assert!(text.contains("vpn = { host = \"jump\" }"), "{text}");
    assert!(text.contains("colour = \"olive\""), "{text}");
}

#[track_caller]
fn check_broken(text: &str, line: usize, word: &str) {
    let error = parse(text).expect_err("broken");
    assert_eq!(error.line, Some(line), "{error}");
    assert!(error.text.contains(word), "{error}");
}

#[test]
fn what_is_broken_is_told_with_its_line() {
    check_broken("[connection.a\n", 1, "");
    check_broken("\n[connection.a]\nname = 1\n", 2, "`url` is missing");
    check_broken("[connection.a]\nurl = 7\n", 2, "must be a text");
    check_broken("[connection.a]\nurl = \"x\"\n", 2, "no URL");
    let start = "[connection.a]\nurl = \"redis://h\"\n";
    check_broken(
        &format!("{start}production = \"yes\"\n"),
        3,
        "true or false",
    );
    check_broken(&format!("{start}colour = \"magenta\"\n"), 3, "production");
    check_broken(&format!("{start}colour = \"red\"\n"), 3, "teal");
    check_broken(&format!("{start}timeout = \"soon\"\n"), 3, "span");
    check_broken(&format!("{start}opened = 7\n"), 3, "time");
    check_broken(
        &format!("{start}[connection.a.source.x]\nlease = 5\n"),
        4,
        "text",
    );
    check_broken(
        "[connection.\"redis://h\"]\nurl = \"redis://h\"\n",
        1,
        "address",
    );
    check_broken("connection = 1\n", 1, "connection.NAME");
}

#[test]
fn a_secret_in_the_file_is_told_and_not_repeated() {
    let url = "[connection.a]\nurl = \"redis://u:hunter22@h\"\n";
    let password = "[connection.a]\nurl = \"redis://h\"\npassword = \"hunter22\"\n";
    for (text, line) in [(url, 2), (password, 3)] {
        let error = parse(text).expect_err("refused");
        assert_eq!(error.line, Some(line));
        assert!(!error.to_string().contains("hunter22"), "{error}");
    }
}

#[test]
fn names_are_of_one_connection_each() {
    let mut book = full();
    let mut other = Connection::of_url("redis://other");
    other.name = Some("payments prod".to_owned());
    let taken = book.save(None, other.clone()).expect_err("taken");
    assert!(taken.text.contains("there already"), "{taken}");
    // A new name for a saved one takes its place.
    let old = Who::Named("payments prod".to_owned());
    let mut renamed = book.named("payments prod").expect("there").clone();
    renamed.name = Some("payments".to_owned());
    book.save(Some(&old), renamed).expect("renamed");
    let names: Vec<_> = book.saved().iter().map(|c| c.name.clone()).collect();
    assert_eq!(names, [Some("payments".to_owned())]);
    for name in [
        "",
        " a",
        "a\nb",
        "redis://h",
        "demo:",
        "sqlite:x",
        &"x".repeat(65),
    ] {
        other.name = Some(name.to_owned());
        assert!(book.save(None, other.clone()).is_err(), "{name:?}");
    }
    other.name = Some("ok".to_owned());
    other.url = "redis://u:hunter22@h".to_owned();
    let refused = book.save(None, other).expect_err("a secret");
    assert!(!refused.text.contains("hunter22"), "{refused}");
}

#[test]
fn recent_ones_are_few_and_the_newest_comes_first() {
    let mut book = Book::default();
    book.opened(&Connection::of_url(DEMO), Timestamp(0));
    for at in 0..40 {
        let url = format!("redis://h{}", at % 20);
        book.opened(&Connection::of_url(url), Timestamp(at));
    }
    let urls: Vec<&str> = book.recent().map(|known| known.url.as_str()).collect();
    assert_eq!((urls.len(), urls[0]), (RECENT_MAX, "redis://h19"));
    assert!(book.find(&Who::Url(DEMO.to_owned())).is_some());
    // Saving it takes it out of the recent ones.
    let mut saved = Connection::of_url("redis://h19");
    saved.name = Some("x".to_owned());
    book.save(None, saved.clone()).expect("saved");
    assert!(book.recent().all(|known| known.url != "redis://h19"));
    book.opened(&saved, Timestamp(99));
    assert_eq!(book.named("x").and_then(|x| x.opened), Some(Timestamp(99)));
    assert_eq!(book.recent().count(), RECENT_MAX - 1);
    // Behind another host it is another one.
    for ssh in ["one", "two", "one"] {
        let mut through = Connection::of_url("redis://h19");
        through.options.ssh = Some(ssh.to_owned());
        book.opened(&through, Timestamp(100));
    }
    let places: Vec<String> = book.recent().take(2).map(Connection::place).collect();
    assert_eq!(
        places,
        ["redis://h19 through one", "redis://h19 through two"]
    );
}

#[test]
fn a_url_is_production_where_any_of_its_names_is() {
    let mut book = Book::default();
    for (name, is_production) in [("a", false), ("b", true), ("c", false)] {
        let mut connection = Connection::of_url("redis://h");
        connection.name = Some(name.to_owned());
        connection.is_production = is_production;
        book.save(None, connection).expect("saved");
    }
    let found = book
        .to_place("redis://h")
        .and_then(|found| found.name.clone());
    assert_eq!(found.as_deref(), Some("b"));
    assert_eq!(book.to_place("redis://other"), None);
}

#[test]
fn a_broken_file_is_never_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("idemscope/connections.toml");
    let add = |book: &mut Book| {
        book.opened(&Connection::of_url("redis://h"), Timestamp(5));
        Ok(())
    };
    assert_eq!(load(&path), Ok(None));
    change(&path, add).expect("written");
    let book = load(&path).expect("a book").expect("a file");
    assert_eq!(book.recent().count(), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path)
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    std::fs::write(&path, "[connection.a]\nurl = 1\n").expect("written");
    assert_eq!(change(&path, add).expect_err("broken").line, Some(2));
    let text = std::fs::read_to_string(&path).expect("a file");
    assert_eq!(text, "[connection.a]\nurl = 1\n");
}

#[test]
fn what_a_person_wrote_into_the_file_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("connections.toml");
    let written = "# Ask Ada first.\n[connection.b]\nurl = 'redis://b'  # the old one\n\
                   [connection.b.vpn]\nhost = 'jump' # by night\n\n[connection.a]\n\
                   url = 'redis://a'\n";
    std::fs::write(&path, written).expect("written");
    let open = |book: &mut Book| {
        let known = book.named("b").expect("it is there").clone();
        book.opened(&known, Timestamp(1_764_500_000_000));
        Ok(())
    };
    change(&path, open).expect("changed");
    let text = std::fs::read_to_string(&path).expect("a file");
    assert!(
        text.starts_with("# Ask Ada first.\n[connection.b]\n"),
        "{text}"
    );
    for kept in [
        "'redis://b'  # the old one",
        "host = 'jump' # by night",
        "[connection.b.vpn]",
    ] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    assert!(text.contains("opened = 2025-11-30T10:53:20.000Z"), "{text}");
}

proptest::proptest! {
    #[test]
    fn no_text_breaks_it(text in "\\PC{0,200}") {
        let _ = parse(&text);
    }

    #[test]
    fn any_name_and_source_comes_back(name in "\\PC{1,30}", source in "(?s).{1,60}") {
        let mut book = Book::default();
        let mut connection = Connection::of_url("redis://h");
        connection.name = Some(name);
        let set = Override { is_off: true, ..Override::default() };
        connection.sources.set(&source, set);
        if book.save(None, connection).is_ok() {
            proptest::prop_assert_eq!(parse(&print(&book)), Ok(book));
        }
    }
}

#[test]
fn what_is_no_file_is_told_by_its_name_and_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("connections.toml");
    std::fs::create_dir(&path).expect("made");
    let error = load(&path).expect_err("a folder");
    assert_eq!(
        error.to_string(),
        "connections.toml cannot be read: it is no file"
    );
    std::fs::remove_dir(&path).expect("removed");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    if made.is_ok_and(|status| status.success()) {
        load(&path).expect_err("a pipe that nobody writes to");
    }
}

#[test]
fn an_export_names_what_it_leaves_out() {
    let text = "[connection.a]\nurl = \"postgres://h/d?sslmode=require&opt%69ons=-c%20app.token%3Dhunter22\"\n\
                password_command = \"echo hunter22\"\nca = \"/ca.pem\"\ntoken = \"hunter22\"\n\
                [connection.b]\nurl = \"postgres://h/d?options=-c%20x%3Dhunter22\"\n\
                [connection.c]\nurl = \"redis://h:1\"\npassword = \"keyring\"\n";
    let (book, left_out) = parse(text).expect("a book").portable();
    let text = print(&book);
    assert!(!text.contains("hunter22"), "{text}");
    assert!(text.contains("postgres://h/d?sslmode=require\""), "{text}");
    assert!(
        text.contains("postgres://h/d\"") && text.contains("/ca.pem"),
        "{text}"
    );
    let told: Vec<String> = left_out
        .iter()
        .map(|left| format!("{}: {}", left.connection, left.members.join(" ")))
        .collect();
    assert_eq!(told, ["a: password_command options token", "b: options"]);
}
