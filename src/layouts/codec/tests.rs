//! What holds for every decoder, and how their tests call them.

use super::*;

/// Decodes bytes by one named decoder; text for what came out.
pub fn decoded(name: &str, bytes: &[u8]) -> Result<String, Fault> {
    let step = Step::named(name).expect("a decoder");
    let slot = step.decode(&Slot::from_bytes(bytes), false)?;
    Ok(slot.text().expect("something that has a text").into_owned())
}

#[test]
fn a_decoder_is_named_with_what_it_needs() {
    assert!(Step::named("json").is_ok());
    assert!(Step::named("json(x)").is_err());
    assert!(Step::named("strip-suffix").is_err());
    assert!(Step::named("strip-suffix(:1)").is_ok());
    assert!(Step::named("strip-suffix(:1").is_err());
    assert!(
        Step::named("nothing")
            .expect_err("an unknown name")
            .contains("msgpack")
    );
}

#[test]
fn what_is_not_there_stays_so() {
    let step = Step::named("pickle").expect("a decoder");
    for slot in [Slot::Absent, Slot::Null, Slot::Cut, Slot::Unseen] {
        assert_eq!(step.decode(&slot, false), Ok(slot.clone()));
    }
}
