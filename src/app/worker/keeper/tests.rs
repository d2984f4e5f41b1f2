//! What is kept: the file and the keyring together.

use super::*;
use crate::sys::keyring::Keyring;

fn kept(folder: &tempfile::TempDir, keyring: Keyring) -> Kept {
    Kept {
        connections: Some(folder.path().join("connections.toml")),
        writing: Writing::On,
        keyring,
    }
}

fn connection(name: &str, url: &str) -> Connection {
    let mut connection = Connection::of_url(url);
    connection.name = Some(name.to_owned());
    connection
}

#[track_caller]
fn saved(kept: &Kept, old: Option<&Who>, new: Connection, password: Option<&str>) -> PasswordFate {
    match save(kept, old, new, password.map(Secret::new)) {
        ConnectionsEvent::Changed {
            answer: Ok(_),
            done: Done::Saved { password, .. },
        } => password,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_password_follows_its_connection_and_goes_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = kept(&folder, Keyring::memory());
    let new = connection("shop", "redis://app@a");
    let fate = saved(&kept, None, new, Some("hunter22"));
    assert_eq!(fate, PasswordFate::InKeyring);
    let own = Who::Named("shop".to_owned());
    let book = connections::load(kept.connections.as_deref()).expect("a book");
    let mut moved = book.named("shop").expect("it is there").clone();
    assert_eq!(moved.password, Password::Keyring);
    // Another address: the password goes along.
    moved.url = "redis://app@b".to_owned();
    saved(&kept, Some(&own), moved, None);
    assert_eq!(kept.keyring.get("redis://app@a"), Ok(None));
    assert_eq!(
        kept.keyring.get("redis://app@b"),
        Ok(Some(Secret::new("hunter22")))
    );
    remove(&kept, own);
    assert_eq!(kept.keyring.get("redis://app@b"), Ok(None));
}

#[test]
fn without_a_keyring_the_password_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = kept(&folder, Keyring::Nowhere);
    let new = connection("shop", "redis://app@a");
    let fate = saved(&kept, None, new, Some("hunter22"));
    assert_eq!(
        fate,
        PasswordFate::NotKept("no keyring runs here".to_owned())
    );
    let text = std::fs::read_to_string(folder.path().join("connections.toml")).expect("a file");
    assert!(
        !text.contains("hunter22") && !text.contains("keyring\""),
        "{text}"
    );
}

#[test]
fn where_nothing_is_written_what_is_kept_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut kept = kept(&folder, Keyring::memory());
    saved(&kept, None, connection("shop", "redis://a"), None);
    kept.writing = Writing::Off;
    saved(&kept, None, connection("other", "redis://b"), None);
    let book = connections::load(kept.connections.as_deref()).expect("a book");
    assert_eq!(book.saved().len(), 1);
}
