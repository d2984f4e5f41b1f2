//! What the locks view says, as text: rows of one table judged by one lease.

use std::sync::Arc;

use super::data::{self, LockColumn, LocksBody};
use crate::app::state::{Grouping, LockList, State};
use crate::app::tests::{self as testing, Told};
use crate::app::view;
use crate::domain::{Duration, Timestamp};
use crate::ui::panels::keys::data::Wording;
use crate::ui::widgets::span::plain;

const NOW: Timestamp = Timestamp(3 * 3_600_000);

/// Locks with their operation and the minutes since they were taken.
const LOCKS: [(&str, i64); 4] = [
    ("POST /payments", 19),
    ("POST /orders", 180),
    ("POST /payments", 2),
    ("POST /payments", 7),
];

fn state(lease: Option<Duration>, grouping: Grouping) -> State {
    let told = LOCKS.map(|(operation, minutes)| Told {
        operation,
        locked_at: Some(NOW.minus(Duration::secs(minutes * 60))),
    });
    testing::locks(&told, lease, grouping, NOW)
}

fn text(state: &State) -> Vec<String> {
    let head = data::head(state);
    let mut lines = vec![format!("{} {} [{}]", head.lead, head.rest, head.lease)];
    let locks: Arc<LockList> = view::locks(state)
        .cloned()
        .map(Arc::new)
        .unwrap_or_default();
    let wording = Wording::of(state, 7.2);
    for group in &locks.groups {
        if let Some(head) = data::group_head(state, &locks, group) {
            let title = plain(&head.title);
            lines.push(format!(
                "# {title}, {}, {}, {}",
                head.note, head.layout, head.counts
            ));
        }
        for row in group.rows.clone() {
            let Some(row) = view::lock_row(state, row) else {
                continue;
            };
            let cells: Vec<String> = data::columns(1268.0)
                .into_iter()
                .filter(|column| column.0 != LockColumn::Mark)
                .map(|column| plain(&data::cell(&row, column, &wording)))
                .collect();
            lines.push(cells.join(" | "));
        }
    }
    lines
}

#[test]
fn the_answer_comes_first_and_groups_stand_by_their_oldest_lock() {
    let state = state(Some(Duration::secs(300)), Grouping::Operation);
    assert_eq!(
        text(&state),
        [
            "3 stuck of 4 locks, oldest 3 h [its own lease, else 5 min]",
            "# POST /orders, oldest 3 h, plain-article, 1 stuck of 1",
            "Stuck | key-1 | POST /orders | 3h | 2h 55m | – | past a lease of 5 min",
            "# POST /payments, oldest 19 min, plain-article, 2 stuck of 3",
            "Stuck | key-0 | POST /payments | 19m | 14m | – | past a lease of 5 min",
            "Stuck | key-3 | POST /payments | 7m | 2m | – | past a lease of 5 min",
            "Held | key-2 | POST /payments | 2m | in 3m | – | lease holds",
        ]
    );
    assert_eq!(data::body(&state), LocksBody::List);
}

#[test]
fn without_a_lease_it_says_what_to_set() {
    let state = state(None, Grouping::Flat);
    let lines = text(&state);
    assert_eq!(
        lines[..2],
        [
            "0 stuck of 4 locks, oldest 3 h, 4 cannot be told [its own lease]",
            "Cannot tell | key-1 | POST /orders | 3h | no deadline | – | \
             no deadline in this record, set a lease with L",
        ]
    );
    assert_eq!(data::body(&state), LocksBody::CannotBeTold);
    assert!(data::quiet_words(&state).starts_with("None of the 4 locks tells its deadline."));
}

#[test]
fn a_lease_that_holds_all_leaves_nothing_stuck() {
    let state = state(Some(Duration::secs(86_400)), Grouping::Source);
    assert_eq!(data::body(&state), LocksBody::NoneStuck);
    assert_eq!(
        data::quiet_words(&state),
        "4 requests are running, the oldest for 3 h."
    );
}

#[test]
fn columns_give_way_to_the_panel() {
    let names = |width| -> Vec<LockColumn> {
        data::columns(width)
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    };
    assert_eq!(names(1268.0).len(), 8);
    assert!(!names(876.0).contains(&LockColumn::Evidence));
    assert!(!names(584.0).contains(&LockColumn::ExpiresIn));
    let sum: f32 = data::columns(700.0).iter().map(|column| column.1).sum();
    assert_eq!(sum, 700.0);
}
