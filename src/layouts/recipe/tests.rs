//! Recipes as typed: what is wrong with them, and what they say in words.

use crate::domain::change::Verb;
use crate::layouts::{Layouts, check};

const HEAD: &str = "id = \"x\"\ntitle = \"t\"\nclass = \"c\"\n\n[redis]\nkeys = [\"a:{key}\"]\n\n\
                    [redis.string]\ndecode = [{ name = \"value\", of = \"raw\", as = [\"json\"] }]\n\
                    fields.idempotency_key = \"key.key\"\n\n";

/// A recipe with one thing wrong, on which line after the head that is, and what is said of it.
#[track_caller]
fn wrong(recipe: &str, line: usize, says: &str) {
    let head = HEAD.lines().count();
    let mistake = check(&format!("{HEAD}{recipe}")).expect_err("a mistake");
    assert!(mistake.text.contains(says), "{mistake:?}");
    assert_eq!(mistake.line, Some(head + line), "{mistake:?}");
}

#[test]
fn a_mistake_in_a_recipe_is_told_in_the_words_of_the_file() {
    wrong(
        "[redis.release]\ndelete = \"all\"\n",
        2,
        "`all` is nothing to delete",
    );
    wrong(
        "[redis.release]\ndeletes = \"record\"\n",
        2,
        "unknown field `deletes`",
    );
    wrong(
        "[redis.settle]\nstring = \"$value.status\"\nparts = { expiry = 1 }\n",
        3,
        "no part is called `expiry`",
    );
    wrong(
        "[redis.settle]\nstring = { status = \"$now.years\" }\n",
        2,
        "`$now.years` is no form of a time",
    );
    wrong(
        "[redis.settle.string.set]\nbody = \"$body\"\n",
        2,
        "`$body` says no form",
    );
    wrong(
        "[redis.settle]\nexpires = \"long\"\nstring = \"done\"\n",
        2,
        "`long` is neither a parameter nor a period",
    );
    wrong(
        "[redis.settle.string.set]\nhash = \"$key.nokey\"\n",
        2,
        "captures `nokey`",
    );
}

#[test]
fn a_recipe_says_one_thing() {
    for recipe in [
        "[redis.release]\n",
        "[redis.release]\nnot = \"so\"\ndelete = \"record\"\n",
        "[redis.settle]\ndelete = \"record\"\n",
        "[redis.purge]\nnot = \"It is so.\"\n",
        "[redis.purge]\ncolumns = { a = \"b\" }\n",
        "[redis.release]\ndelete = \"record\"\nexpires = \"1h\"\n",
    ] {
        let mistake = check(&format!("{HEAD}{recipe}")).expect_err(recipe);
        assert!(mistake.text.starts_with("redis."), "{mistake:?}");
    }
}

#[track_caller]
fn words(id: &str, verb: Verb) -> String {
    let layouts = Layouts::built_in();
    layouts.get(id).expect("a layout").recipe_words(verb)
}

#[test]
fn recipes_are_said_in_words() {
    for (id, verb, expected) in [
        ("idempot-js", Verb::Release, "deletes the key"),
        ("idempo-ruby", Verb::Release, "deletes the lock"),
        ("idempo-ruby", Verb::Purge, "deletes the key and its lock"),
        (
            "asgi-idempotency-header",
            Verb::Release,
            "takes the member out of its key, with `body` and `code`",
        ),
        (
            "brandur-rocket-rides",
            Verb::Release,
            "sets `locked_at` to nothing",
        ),
        (
            "wolverine-incoming",
            Verb::Settle,
            "not from here, because a message keeps no answer",
        ),
        (
            "idempot-js",
            Verb::Settle,
            "sets `response` and `status` in its JSON",
        ),
        (
            "drf-idempotency",
            Verb::Release,
            "in Redis deletes the key; in a table deletes the row",
        ),
    ] {
        assert_eq!(words(id, verb), expected);
    }
}
