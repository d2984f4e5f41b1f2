//! Traces as text, and the laws of their axis and their moments.

use super::testing::{Script, with, without};
use super::{About, Axis, Kind, Moment, Trace, build};
use crate::lab::counters::View;
use crate::lab::world::{Actor, Event, Happening};

const ONE: About = About {
    wanted: 1,
    behind: super::Behind::Hidden,
    also: super::Also::Nothing,
    kept: super::Kept::Fixed,
};

/// A line for each message.
fn lines(events: &[Event]) -> Vec<String> {
    let trace = build(ONE, events);
    let name = |actor: &Actor| match actor {
        Actor::Shop(_) => "shop".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    };
    let line = |message: &super::Message| {
        let (from, to) = (name(&message.from), name(&message.to));
        let many = match message.count {
            1 => String::new(),
            count => format!(" ×{count}"),
        };
        let words = message.says.words();
        let kind = format!("{:?}", message.kind).to_lowercase();
        format!("{from} > {to}: {words}{many} ({kind})")
    };
    trace.messages.iter().map(line).collect()
}

#[test]
fn a_key_makes_three_taps_one_operation() {
    let lines = lines(&with());
    assert_eq!(
        lines[..10],
        [
            "client > proxy: POST key k1 (request)",
            "proxy > shop: POST key k1 (request)",
            "shop > store: claim k1 (request)",
            "store > shop: claimed (answer)",
            "shop > bank: charge (effect)",
            "bank > shop: ch_1 (answer)",
            "shop > store: save 201 (request)",
            "shop > proxy: 201 (answer)",
            "proxy > client: lost (lost)",
            "client > proxy: POST key k1 (request)",
        ]
    );
    assert_eq!(
        lines[lines.len() - 4..],
        [
            "shop > store: claim k1 (request)",
            "store > shop: done, 201 (replay)",
            "shop > proxy: 201 replay (replay)",
            "proxy > client: 201 replay (replay)",
        ]
    );
}

#[test]
fn without_a_key_every_further_charge_is_one_too_many() {
    let lines = lines(&without());
    let charges: Vec<&String> = lines.iter().filter(|line| line.contains("bank:")).collect();
    assert_eq!(
        charges,
        [
            "shop > bank: charge (effect)",
            "shop > bank: charge again (unwanted)",
            "shop > bank: charge again (unwanted)",
        ]
    );
}

#[test]
fn the_bank_s_order_counts_not_that_of_the_telling() {
    let mut script = Script::default();
    script.sent(None);
    script.charged(2);
    script.charged(1);
    let trace = build(ONE, &script.events);
    let ledger: Vec<(&str, bool)> = trace
        .ledger
        .iter()
        .map(|entry| (entry.id.as_str(), entry.is_wanted))
        .collect();
    assert_eq!(ledger, [("ch_1", true), ("ch_2", false)]);
    let lines = lines(&script.events);
    let booked: Vec<&String> = lines.iter().filter(|line| line.contains("bank")).collect();
    assert_eq!(
        booked,
        [
            "shop > bank: charge (effect)",
            "bank > shop: ch_1 (answer)",
            "shop > bank: charge again (unwanted)",
            "bank > shop: ch_2 (answer)",
        ]
    );
}

#[test]
fn a_second_mail_and_a_second_refund_are_not_wanted() {
    let mut script = Script::default();
    script.sent(None);
    script.charged(1);
    for _ in 0..2 {
        let mail = Happening::Mailed;
        script.put(Actor::Consumer, Actor::Mailer, mail, "ch_9");
    }
    for number in 1..=2 {
        let what = Happening::Refunded {
            id: format!("re_{number}"),
            deduplicated: false,
            amount: 1_500,
            key: None,
        };
        script.put(Actor::Consumer, Actor::Bank, what, "");
    }
    let about = About {
        behind: super::Behind::Shown,
        ..ONE
    };
    let trace = build(about, &script.events);
    let drawn: Vec<(String, Kind)> = trace
        .messages
        .iter()
        .filter(|message| message.from == Actor::Consumer)
        .map(|message| (message.says.words(), message.kind))
        .collect();
    let drawn: Vec<(&str, Kind)> = drawn.iter().map(|(a, b)| (a.as_str(), *b)).collect();
    assert_eq!(
        drawn,
        [
            ("mail", Kind::Effect),
            ("mail again", Kind::Unwanted),
            ("refund", Kind::Effect),
            ("refund again", Kind::Unwanted),
        ]
    );
    let wanted: Vec<(&str, bool)> = trace
        .ledger
        .iter()
        .map(|entry| (entry.id.as_str(), entry.is_wanted))
        .collect();
    assert_eq!(wanted, [("ch_1", true), ("re_1", true), ("re_2", false)]);
    let mut end = Moment::default();
    end.go_to(&trace, |_| true);
    // The shop sent one for another payment.
    assert_eq!((end.mails, end.mails_too_many), (3, 1));
    assert_eq!((end.refunds, end.refunds_too_many), (2, 1));
}

#[test]
fn many_alike_at_one_time_are_one() {
    let mut script = Script::default();
    for _ in 0..20 {
        script.attempt = 0;
        script.sent(Some("k1"));
    }
    let found = lines(&script.events);
    assert_eq!(
        found,
        [
            "client > proxy: POST k1 ×20 (request)",
            "proxy > shop: POST k1 ×20 (request)",
        ]
    );
    let mut other = Script::default();
    for n in 0..6 {
        other.sent(Some(&format!("k{n}")));
    }
    assert_eq!(lines(&other.events)[0], "client > proxy: POST ×6 (request)");
    let mut few = Script::default();
    (0..4).for_each(|_| few.sent(None));
    assert_eq!(lines(&few.events).len(), 8);
}

#[test]
fn what_is_handed_on_stands_behind_what_it_was_handed() {
    let mut script = Script::default();
    script.sent(Some("k1"));
    // Both shops answer five clients; the second one later, and all within a moment.
    for shop in 1..=2 {
        for _ in 0..5 {
            let what = Happening::Answered {
                outcome: "replayed".to_owned(),
                status: 201,
            };
            script.put(Actor::Shop(shop), Actor::Proxy, what, "");
            script.received();
        }
    }
    let lines = lines(&script.events);
    assert_eq!(
        lines[2..],
        [
            "shop > proxy: 201 replay ×5 (replay)",
            "proxy > client: 201 replay ×5 (replay)",
            "shop > proxy: 201 replay ×5 (replay)",
            "proxy > client: 201 replay ×5 (replay)",
        ]
    );
}

#[test]
fn what_is_handed_out_was_put_in_before() {
    let mut script = Script::default();
    let (published, delivered) = ("published", "delivered");
    for what in [delivered, published, delivered] {
        let id = "ch_1".to_owned();
        let (from, what) = match what {
            "published" => (Actor::Relay, Happening::Published { id }),
            _ => (Actor::Consumer, Happening::Delivered { id }),
        };
        script.put(from, Actor::Queue, what, "paid");
    }
    let about = About {
        behind: super::Behind::Shown,
        ..ONE
    };
    let trace = build(about, &script.events);
    let to: Vec<&Actor> = trace.messages.iter().map(|message| &message.to).collect();
    // Handed out again without being put in again.
    assert_eq!(to, [&Actor::Queue, &Actor::Consumer, &Actor::Consumer]);
}

#[test]
fn a_crash_ends_the_work_of_a_shop() {
    let mut script = Script::default();
    script.sent(None);
    let shop = Actor::Shop(1);
    script.put(shop.clone(), shop, Happening::Crashed, "crashed");
    script.lost();
    let trace = build(ONE, &script.events);
    assert_eq!(trace.bars.len(), 1);
    assert_eq!(trace.bars[0].to, Some(2));
    assert_eq!(trace.messages[2].kind, Kind::Mark);
    // Nothing was answered: the line was cut off.
    assert_eq!(trace.messages[3].says.words(), "cut off");
}

fn axis(traces: &[&Trace]) -> Axis {
    let columns: Vec<&[_]> = traces
        .iter()
        .map(|trace| trace.messages.as_slice())
        .collect();
    Axis::new(&columns)
}

#[test]
fn times_and_heights_never_run_back_and_both_columns_share_them() {
    let (a, b) = (build(ONE, &without()), build(ONE, &with()));
    let axis = axis(&[&a, &b]);
    for column in &axis.columns {
        for pair in column.windows(2) {
            assert!(pair[0].at <= pair[1].at && pair[0].top < pair[1].top);
        }
        for placed in column {
            // The one axis says the same of each of them.
            assert!((axis.y(placed.at) - placed.top).abs() < 0.6, "{placed:?}");
            assert!(placed.until > placed.at && placed.until <= axis.end() + 1.0);
        }
    }
    let seconds: Vec<u64> = axis
        .seconds()
        .into_iter()
        .map(|(second, _)| second)
        .collect();
    assert_eq!(seconds, [0, 1, 2]);
    let mut last = f32::MIN;
    for ms in 0..300 {
        let y = axis.y(f64::from(ms) * 10.0);
        assert!(y >= last);
        if f64::from(ms) * 10.0 < axis.end() {
            assert!((axis.y(axis.at(y)) - y).abs() < 0.6, "{ms}");
        }
        last = y;
    }
}

#[test]
fn a_moment_reached_from_either_side_is_the_same() {
    let trace = build(ONE, &with());
    let axis = axis(&[&trace]);
    let known = |now: f64| {
        let placed = axis.columns[0].clone();
        move |fact: &super::Fact| placed[fact.message].until <= now
    };
    let mut moving = Moment::default();
    for step in [3, 9, 27, 12, 0, 30, 18] {
        let now = f64::from(step) * 100.0;
        moving.go_to(&trace, known(now));
        let mut anew = Moment::default();
        anew.go_to(&trace, known(now));
        assert_eq!(moving, anew, "at {now}");
    }
    moving.go_to(&trace, |_| true);
    assert_eq!(
        (moving.attempts, moving.executions, moving.charges),
        (3, 1, 1)
    );
    assert_eq!(
        (moving.charged_sum, moving.mails, moving.rows.len()),
        (1_500, 1, 1)
    );
    assert_eq!(moving.views.get("i1"), Some(&View::Success));
}
