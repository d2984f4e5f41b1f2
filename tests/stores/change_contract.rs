//! What every store of keys has to do when records are changed: exactly what was planned to exactly
//! what was seen, and nothing to anything else.

use fastrand::Rng;
use idemscope::domain::Timestamp;
use idemscope::domain::change::{Change, Outcome, Piece, PieceChange, PiecePart, PieceState};
use idemscope::stores::{ExactMemory, WriteStore};

use crate::change_data::{LATER, bytes, kinds, part, string};
use crate::change_fixture::{App, Changing};
use crate::support::{long, seed};

fn change(pieces: &[(&Piece, &PieceState, &PieceState)]) -> Change {
    let pieces = pieces.iter().map(|(piece, seen, then)| PieceChange {
        piece: (*piece).clone(),
        seen: (*seen).clone(),
        then: (*then).clone(),
    });
    Change::Keys(pieces.collect())
}

async fn outcome(writer: &WriteStore, change: &Change) -> Outcome {
    let batch = writer.apply(&[change]).await;
    let [applied] = batch.outcomes.as_slice() else {
        panic!("{:?}", batch.outcomes);
    };
    assert_eq!(
        applied.why.is_some(),
        applied.outcome != Outcome::Done,
        "{applied:?}"
    );
    assert!(
        applied.why.iter().all(|why| !why.ends_with('.')),
        "{applied:?}"
    );
    applied.outcome
}

impl Changing {
    async fn read(&self, piece: &Piece) -> PieceState {
        let mut read = self
            .reader
            .exact_pieces(std::slice::from_ref(piece))
            .await
            .expect("a read");
        read.pop()
            .expect("one piece")
            .unwrap_or_else(|why| panic!("{piece:?}: {why:?}"))
    }

    #[track_caller]
    fn same(&self, piece: &Piece, seen: &PieceState, expected: &PieceState) {
        if let (
            PieceState::Value {
                value,
                expires_at: Some(a),
            },
            PieceState::Value {
                value: other,
                expires_at: Some(b),
            },
        ) = (seen, expected)
        {
            assert!(value == other, "{piece:?}");
            assert!(
                a.0.abs_diff(b.0) <= self.tolerance,
                "{piece:?}: {a:?} {b:?}"
            );
        } else {
            assert!(seen == expected, "{piece:?}: {seen:?} is not {expected:?}");
        }
    }
}

pub async fn pieces_are_read_exactly(fixture: &Changing) {
    let kinds = kinds();
    let mut pieces = Vec::new();
    for (piece, state, _) in &kinds {
        fixture.app.put(piece, state);
        pieces.push(piece.clone());
    }
    // Many more than go in one question, some of them not there.
    for number in 0..200 {
        let piece = Piece::whole(format!("many:{number}"));
        if number % 3 != 0 {
            fixture
                .app
                .put(&piece, &string(&number.to_string(), Some(LATER + number)));
        }
        pieces.push(piece);
    }
    let read = fixture.reader.exact_pieces(&pieces).await.expect("a read");
    assert_eq!(read.len(), pieces.len());
    for ((piece, state, _), read) in kinds.iter().zip(&read) {
        fixture.same(piece, read.as_ref().expect("read"), state);
    }
    for (number, (piece, read)) in pieces.iter().zip(&read).skip(kinds.len()).enumerate() {
        let expected = match number % 3 {
            0 => PieceState::Absent,
            _ => string(&number.to_string(), Some(LATER + number as i64)),
        };
        fixture.same(piece, read.as_ref().expect("read"), &expected);
    }
}

pub async fn what_is_released_is_restored_by_turning_it_around(fixture: &Changing) {
    for (piece, state, other) in &kinds() {
        for then in [&PieceState::Absent, other] {
            fixture.app.put(piece, state);
            let seen = fixture.read(piece).await;
            fixture.same(piece, &seen, state);
            let change = change(&[(piece, &seen, then)]);
            assert_eq!(
                outcome(&fixture.writer, &change).await,
                Outcome::Done,
                "{piece:?}"
            );
            fixture.same(piece, &fixture.read(piece).await, then);
            let undo = change.inverted();
            assert_eq!(
                outcome(&fixture.writer, &undo).await,
                Outcome::Done,
                "{piece:?}"
            );
            fixture.same(piece, &fixture.read(piece).await, state);
            fixture.app.put(piece, &PieceState::Absent);
        }
    }
}

pub async fn what_changed_meanwhile_is_left_alone(fixture: &Changing) {
    for (piece, state, other) in &kinds() {
        fixture.app.put(piece, state);
        let seen = fixture.read(piece).await;
        let change = change(&[(piece, &seen, &PieceState::Absent)]);
        let left = match other {
            PieceState::Absent => Outcome::Gone,
            _ => Outcome::ChangedMeanwhile,
        };
        fixture.app.put(piece, other);
        assert_eq!(outcome(&fixture.writer, &change).await, left, "{piece:?}");
        fixture.same(piece, &fixture.read(piece).await, other);
        // A lease that was renewed, and one that was taken away.
        if let PieceState::Value { value, expires_at } = state {
            for renewed in [expires_at.map_or(LATER, |at| at.0 + 1000), 0] {
                let expires_at = (renewed != 0).then_some(Timestamp(renewed));
                let state = PieceState::Value {
                    value: value.clone(),
                    expires_at,
                };
                if state == seen {
                    continue;
                }
                fixture.app.put(piece, &state);
                let left = outcome(&fixture.writer, &change).await;
                assert_eq!(left, Outcome::ChangedMeanwhile, "{piece:?}");
                fixture.same(piece, &fixture.read(piece).await, &state);
            }
        }
        fixture.app.put(piece, &PieceState::Absent);
        assert_eq!(
            outcome(&fixture.writer, &change).await,
            Outcome::Gone,
            "{piece:?}"
        );
        // Undo never goes over a newer record.
        fixture.app.put(piece, state);
        let undo = change.inverted();
        assert_eq!(
            outcome(&fixture.writer, &undo).await,
            Outcome::ChangedMeanwhile,
            "{piece:?}"
        );
        fixture.app.put(piece, &PieceState::Absent);
    }
}

pub async fn all_pieces_of_a_record_are_compared_together(fixture: &Changing) {
    let (lock, record) = (Piece::whole("{r}:lock"), Piece::whole("{r}"));
    let member = part("{r}:index", PiecePart::Member(bytes("r")));
    let held = string("worker-7", Some(LATER));
    let (absent, there) = (PieceState::Absent, PieceState::There(Vec::new()));
    let release = change(&[
        (&lock, &held, &absent),
        (&record, &absent, &absent),
        (&member, &there, &absent),
    ]);
    let put = |a: &PieceState, b: &PieceState, c: &PieceState| {
        for (piece, state) in [(&lock, a), (&record, b), (&member, c)] {
            fixture.app.put(piece, state);
        }
    };
    put(&held, &absent, &there);
    // The expiry as this login can read it.
    let expected = fixture.read(&lock).await;
    fixture.same(&lock, &expected, &held);
    for (a, b, c, expected) in [
        (
            &held,
            &string("answer", None),
            &there,
            Outcome::ChangedMeanwhile,
        ),
        (&held, &absent, &absent, Outcome::ChangedMeanwhile),
        (&absent, &absent, &there, Outcome::ChangedMeanwhile),
        (&absent, &absent, &absent, Outcome::Gone),
        (
            &absent,
            &string("answer", None),
            &absent,
            Outcome::ChangedMeanwhile,
        ),
        (&held, &absent, &there, Outcome::Done),
    ] {
        put(a, b, c);
        assert_eq!(
            outcome(&fixture.writer, &release).await,
            expected,
            "{a:?} {b:?} {c:?}"
        );
        if expected != Outcome::Done {
            for (piece, state) in [(&lock, a), (&record, b), (&member, c)] {
                fixture.same(piece, &fixture.read(piece).await, state);
            }
        }
    }
    for piece in [&lock, &record, &member] {
        assert_eq!(fixture.read(piece).await, PieceState::Absent);
    }
    let undone = outcome(&fixture.writer, &release.inverted()).await;
    assert_eq!(undone, Outcome::Done);
    fixture.same(&lock, &fixture.read(&lock).await, &held);
    fixture.same(&member, &fixture.read(&member).await, &there);
}

pub async fn many_records_have_an_outcome_each(fixture: &Changing) {
    let pieces: Vec<Piece> = (0..250).map(|n| Piece::whole(format!("b:{n}"))).collect();
    let held = string("processing", Some(LATER));
    for piece in &pieces {
        fixture.app.put(piece, &held);
    }
    let changes: Vec<Change> = pieces
        .iter()
        .map(|piece| change(&[(piece, &held, &PieceState::Absent)]))
        .collect();
    for (number, piece) in pieces.iter().enumerate() {
        match number % 10 {
            3 => fixture.app.put(piece, &string("completed", Some(LATER))),
            7 => fixture.app.put(piece, &PieceState::Absent),
            _ => {}
        }
    }
    let all: Vec<&Change> = changes.iter().collect();
    let batch = fixture.writer.apply(&all).await;
    assert_eq!(batch.trouble, None);
    assert_eq!(batch.outcomes.len(), changes.len());
    for (number, applied) in batch.outcomes.iter().enumerate() {
        let expected = match number % 10 {
            3 => Outcome::ChangedMeanwhile,
            7 => Outcome::Gone,
            _ => Outcome::Done,
        };
        // Reckoned from a TTL, a deadline moves where the server is held up: then nothing is touched.
        let is_late = fixture.tolerance > 0
            && expected == Outcome::Done
            && applied.outcome == Outcome::ChangedMeanwhile;
        assert!(
            is_late || applied.outcome == expected,
            "{number}: {applied:?}"
        );
    }
}

/// An application and an operator in turns, the same in the store and in memory.
pub async fn random_turns_end_as_in_memory(fixture: &Changing) {
    let mut random = Rng::with_seed(seed());
    let kinds = kinds();
    let small = |(_, state, _): &&(Piece, PieceState, PieceState)| state.bytes() < 100;
    let kinds: Vec<_> = kinds.iter().filter(small).collect();
    let memory = ExactMemory::default();
    let oracle = WriteStore::memory(memory.clone());
    let turns = if long() { 2000 } else { 150 };
    for turn in 0..turns {
        let count = random.usize(1..=fixture.keys_max);
        let chosen: Vec<_> = random.choose_multiple(kinds.iter(), count);
        let mut pick = |kind: &&&(Piece, PieceState, PieceState)| match random.u8(0..4) {
            0 => PieceState::Absent,
            1 => kind.2.clone(),
            _ => kind.1.clone(),
        };
        let pieces: Vec<PieceChange> = chosen
            .iter()
            .map(|kind| PieceChange {
                piece: kind.0.clone(),
                seen: pick(kind),
                then: pick(kind),
            })
            .collect();
        for piece in &pieces {
            let stands = match random.u8(0..6) {
                0 => PieceState::Absent,
                _ => piece.seen.clone(),
            };
            fixture.app.put(&piece.piece, &stands);
            App::put(&memory, &piece.piece, &stands);
        }
        let change = Change::Keys(pieces.clone());
        let seen = outcome(&fixture.writer, &change).await;
        let expected = outcome(&oracle, &change).await;
        assert_eq!(seen, expected, "turn {turn}, seed {}: {change:?}", seed());
        for piece in &pieces {
            let expected = memory.pieces(std::slice::from_ref(&piece.piece)).remove(0);
            let expected = expected.expect("memory refuses nothing");
            fixture.same(&piece.piece, &fixture.read(&piece.piece).await, &expected);
        }
    }
}
