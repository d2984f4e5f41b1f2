//! What is masked, and what is left as it is.

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let (masked, count) = mask(text);
    assert_eq!(masked.replace(MARK, "*"), expected);
    assert_eq!(count, expected.matches('*').count());
}

#[test]
fn credentials_in_json_are_masked_by_their_names() {
    check(
        r#"{"id": 12345678901234567890.10, "Authorization": "Bearer abc", "name": "x"}"#,
        r#"{"id": 12345678901234567890.10, "Authorization": "*", "name": "x"}"#,
    );
    check(
        r#"{"cvc": 123, "amount": 4900}"#,
        r#"{"cvc": *, "amount": 4900}"#,
    );
    check(
        r#"{"set-cookie": ["a=1", "b=2"], "token": null, "client_secret": ""}"#,
        r#"{"set-cookie": ["*", "*"], "token": null, "client_secret": ""}"#,
    );
    check(
        r#"{"token": {"id": "7"}, "n": "8"}"#,
        r#"{"token": {"id": "7"}, "n": "8"}"#,
    );
}

#[test]
fn headers_stand_in_many_forms() {
    check(
        r#"[["content-type", "text/plain"], ["Set-Cookie", "sid=1"]]"#,
        r#"[["content-type", "text/plain"], ["Set-Cookie", "*"]]"#,
    );
    check(
        r#"[{"name": "Cookie", "value": "sid=1"}, {"name": "Date", "value": "x"}]"#,
        r#"[{"name": "Cookie", "value": "*"}, {"name": "Date", "value": "x"}]"#,
    );
    check(
        "POST /pay\r\nAuthorization: Basic dXNlcjpwYXNz\nHost: a\n",
        "POST /pay\r\nAuthorization: *\nHost: a\n",
    );
    check("a=1&password=x+y&b=2", "a=1&password=*&b=2");
    check("it said bearer eyJhbGciOi.J9", "it said bearer *");
}

#[test]
fn json_in_json_is_looked_into() {
    check(
        r#"{"body": "{\"card\": {\"password\": \"p\\\"q\", \"n\": 1}}"}"#,
        r#"{"body": "{\"card\": {\"password\": \"*\", \"n\": 1}}"}"#,
    );
}

#[test]
fn card_numbers_are_told_from_other_numbers() {
    check("4242 4242 4242 4242 paid", "* paid");
    check(r#"{"n": "4242424242424242"}"#, r#"{"n": "*"}"#);
    // Times, ids, a wrong check digit.
    check(
        "1795953600000 4242424242424241",
        "1795953600000 4242424242424241",
    );
    check("ch_4242424242424242x", "ch_4242424242424242x");
}

#[test]
fn values_are_masked_in_place() {
    let mut value = serde_json::json!({
        "password": "x", "list": [{"authorization": "y"}], "n": 1, "plain": "z",
    });
    assert_eq!(mask_value(&mut value), 2);
    assert_eq!(value["password"], MARK);
    assert_eq!(value["list"][0]["authorization"], MARK);
    assert_eq!(value["plain"], "z");
}

#[test]
fn every_pattern_is_one() {
    for source in plain::SOURCES {
        plain::built(source).expect("a pattern");
    }
}

#[test]
fn broken_and_hostile_texts_do_no_harm() {
    for text in [
        "{\"token\": \"",
        "{\"token\": \"\\",
        "[[[[[[",
        "\"",
        "{\"a\\\"",
        "é\\\"{",
    ] {
        let _ = mask(text);
    }
    let deep = format!("{{\"token\":{}", "[".repeat(100_000));
    let (masked, _) = mask(&deep);
    assert_eq!(masked.len(), deep.len());
}

#[test]
fn what_is_private_altogether_is_masked_whole() {
    check(
        r#"{"cookies": {"sid": "a", "n": [1, {"x": "b"}]}, "id": "7"}"#,
        r#"{"cookies": {"sid": "*", "n": [*, {"x": "*"}]}, "id": "7"}"#,
    );
    check(
        r#"{"number": 4242424242424242, "at": 1795953600000, "n": 4242424242424242.5}"#,
        r#"{"number": *, "at": 1795953600000, "n": 4242424242424242.5}"#,
    );
    check(
        r#"{"webhook_secret": "a", "sessionId": "b", "access_key": "c", "access_key_id": "d"}"#,
        r#"{"webhook_secret": "*", "sessionId": "*", "access_key": "*", "access_key_id": "d"}"#,
    );
}

#[test]
fn forms_tags_and_dumps_of_other_languages_are_looked_into() {
    check(
        "card[number]=x&card[cvc]=1&card%5Bcvc%5D=2&card.cvc=3&password=p",
        "card[number]=*&card[cvc]=*&card%5Bcvc%5D=*&card.cvc=*&password=*",
    );
    check(
        "<pay><wsse:Password Type=\"t\">p</wsse:Password><sum>4</sum></pay>",
        "<pay><wsse:Password Type=\"t\">*</wsse:Password><sum>4</sum></pay>",
    );
    check(
        r"{'id': '7', 'password': 'x', 'token' => 'y'}",
        r"{'id': '7', 'password': '*', 'token' => '*'}",
    );
    check(
        r#"a:1:{s:8:"password";s:1:"x";s:2:"id";s:1:"7";}"#,
        r#"a:1:{s:8:"password";s:1:"*";s:2:"id";s:1:"7";}"#,
    );
}

#[test]
fn what_says_that_it_is_a_secret_is_one() {
    check("postgres://shop:pw@db/x", "postgres://shop:*@db/x");
    check("redis://:pw@[::1]:6379", "redis://:*@[::1]:6379");
    check("https://a.example:8080/x@y", "https://a.example:8080/x@y");
    check("key sk_live_12345678abc.", "key *.");
    check("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "*");
    check(
        "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----*-----END PRIVATE KEY-----",
    );
    check("12:48:02 at 10.0.0.7: paid", "12:48:02 at 10.0.0.7: paid");
}

#[test]
fn lines_in_a_string_are_lines() {
    check(
        r#"{"raw": "POST /\r\nCookie: sid=1\r\nHost: a\r\n\r\n{}"}"#,
        r#"{"raw": "POST /\r\nCookie: *\r\nHost: a\r\n\r\n{}"}"#,
    );
}

#[test]
fn what_was_cut_in_the_middle_stays_masked() {
    check(r#"{"token": "abc"#, r#"{"token": "*"#);
    check(r#"{"token": "abé"#, r#"{"token": "*"#);
}

#[test]
fn values_are_masked_as_texts_are() {
    let mut value = serde_json::json!({
        "cvc": 123, "cookies": {"sid": "a"}, "set-cookie": ["a", "b"],
        "headers": [["Cookie", "c"], {"name": "Authorization", "value": "d"}],
        "number": 4_242_424_242_424_242_u64, "at": 1_795_953_600_000_u64, "token": {"id": "7"},
    });
    assert_eq!(mask_value(&mut value), 7);
    assert_eq!(value["token"]["id"], "7");
    assert_eq!(value["at"], 1_795_953_600_000_u64);
    assert_eq!(value["headers"][1]["name"], "Authorization");
}
