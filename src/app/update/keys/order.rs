//! What a click on a header makes of the order of the table.

use crate::inspect::{Direction, Order, SortField};

/// A click sorts, the next turns it round, the third goes back to the usual order.
pub fn next(order: Order, field: SortField) -> Order {
    let at_first = match field {
        // The largest are what one looks for.
        SortField::Attempts | SortField::Age => Direction::Descending,
        _ => Direction::Ascending,
    };
    let turned = match at_first {
        Direction::Ascending => Direction::Descending,
        Direction::Descending => Direction::Ascending,
    };
    if order.field != field {
        return Order {
            field,
            direction: at_first,
        };
    }
    if order.direction == at_first {
        return Order {
            field,
            direction: turned,
        };
    }
    Order::default()
}
