//! Pickles of all protocols, and hostile ones.

use super::super::Fault;
use super::super::tests::decoded;

#[track_caller]
fn check(bytes: &[u8], expected: Result<&str, Fault>) {
    assert_eq!(decoded("pickle", bytes), expected.map(str::to_owned));
}

#[test]
fn plain_values_of_all_protocols() {
    check(b"(dp0\nVstatus\np1\nI201\ns.", Ok(r#"{"status":201}"#));
    check(
        b"(lp0\nI01\naL123456789012345678901234567890L\na.",
        Ok("[true,123456789012345678901234567890]"),
    );
    check(b"\x80\x02}q\0X\x01\0\0\0aq\x01K\x05s.", Ok(r#"{"a":5}"#));
    check(
        b"\x80\x04\x95\x14\0\0\0\0\0\0\0}\x94\x8c\x06amount\x94M\xdc\x05s.",
        Ok(r#"{"amount":1500}"#),
    );
    check(b"\x80\x05\x89\x88\x86.", Ok("[false,true]"));
    check(b"\x80\x02\x8a\x02\x00\xff.", Ok("-256"));
}

#[test]
fn bytes_within_are_handed_on() {
    let inner = b"\x80\x04K\x07.";
    let outer = [b"\x80\x04C\x05".as_slice(), inner, b"."].concat();
    let step = super::super::Step::named("pickle").expect("a decoder");
    let slot = crate::layouts::slot::Slot::from_bytes(&outer);
    let once = step.decode(&slot, false).expect("bytes");
    let twice = step.decode(&once, false).expect("a number");
    assert_eq!(twice.text().as_deref(), Some("7"));
    // Protocol 2 has no bytes: it calls an encoder.
    check(
        b"\x80\x02c_codecs\nencode\nq\0X\x04\0\0\0\xc3\xbfokq\x01X\x06\0\0\0latin1q\x02\x86q\x03Rq\x04.",
        Ok("ff6f6b"),
    );
}

#[test]
fn an_instance_is_a_map_of_its_state() {
    check(
        b"\x80\x04\x8c\x01m\x8c\x01C\x93)\x81}\x8c\x01aK\x01sb.",
        Ok(r#"{"$class":"m.C","a":1}"#),
    );
}

#[test]
fn nothing_is_called() {
    check(
        b"cos\nsystem\n(S'rm -rf /'\ntR.",
        Ok(r#"{"$class":"os.system","$arguments":["rm -rf /"]}"#),
    );
}

#[test]
fn hostile_pickles_end() {
    // A list that holds itself.
    check(b"\x80\x02]q\0h\0a.", Err(Fault::Bound));
    // Every list holds the one before twice.
    let mut laughs = b"\x80\x02]q\0".to_vec();
    for level in 1..60u8 {
        laughs.extend([
            b']',
            b'q',
            level,
            b'h',
            level - 1,
            b'a',
            b'h',
            level - 1,
            b'a',
        ]);
    }
    laughs.extend(b"0".repeat(59));
    laughs.push(b'.');
    assert!(decoded("pickle", &laughs).is_ok());
    let mut bomb = b"\x80\x02]q\0".to_vec();
    for level in 1..60u8 {
        bomb.extend([
            b'0',
            b']',
            b'q',
            level,
            b'h',
            level - 1,
            b'a',
            b'h',
            level - 1,
            b'a',
        ]);
    }
    bomb.push(b'.');
    check(&bomb, Err(Fault::Bound));
    check(
        &[b"]".repeat(10_000), b"a".repeat(9_999), b".".to_vec()].concat(),
        Err(Fault::Bound),
    );
    check(b"\x80\x02X\xff\xff\xff\xffab.", Err(Fault::Short));
    check(b"\x80\x09N.", Err(Fault::Not));
    check(b"a.", Err(Fault::Not));
    check(b"hello", Err(Fault::Not));
}
