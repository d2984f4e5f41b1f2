//! What cannot be taken back: charges, refunds and mails, wanted or not.
//!
//! Apart from `build` because these alone are drawn by whether they should have happened.

use super::Builder;
use crate::lab::trace::{Change, Kind, Says};
use crate::lab::world::{Actor, Event};

#[derive(Clone, Copy)]
pub enum Book {
    Charge,
    Refund,
}

impl Builder {
    pub(super) fn booked(&mut self, event: &Event, book: Book, id: &str, is_known: bool) {
        let shop = event.from.clone();
        let (first, again) = match book {
            Book::Charge => (Says::Charge, Says::ChargeAgain),
            Book::Refund => (Says::Refund, Says::RefundAgain),
        };
        let id = id.to_owned();
        if is_known {
            self.add(event, (shop.clone(), Actor::Bank), first, Kind::Request);
            self.add(event, (Actor::Bank, shop), Says::Known(id), Kind::Replay);
            return;
        }
        let is_refund = matches!(book, Book::Refund);
        let mut entries = self.ledger.iter().enumerate();
        let entry = entries.find(|(_, entry)| entry.id == id && entry.is_refund == is_refund);
        let place = entry.map(|(at, _)| at);
        let is_wanted = entry.is_none_or(|(_, entry)| entry.is_wanted);
        let (says, kind, answer) = match is_wanted {
            true => (first, Kind::Effect, Says::Booked(id)),
            false => (again, Kind::Unwanted, Says::BookedAgain(id)),
        };
        self.add(event, (shop.clone(), Actor::Bank), says, kind);
        if let Some(place) = place {
            self.fact(Change::Entry(place));
        }
        self.add(event, (Actor::Bank, shop), answer, Kind::Answer);
    }

    pub(super) fn mailed(&mut self, event: &Event) {
        let place = self.mails_told;
        self.mails_told += 1;
        let is_wanted = self.mails.get(place).is_none_or(|mail| mail.is_wanted);
        let (says, kind) = match is_wanted {
            true => (Says::Mail, Kind::Effect),
            false => (Says::MailAgain, Kind::Unwanted),
        };
        self.add(event, (event.from.clone(), event.to.clone()), says, kind);
        self.fact(Change::Mail(place));
    }
}
