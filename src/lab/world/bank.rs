//! The ledger: every charge and refund that ever happened, whatever the shop believes.
//!
//! It tells repeats apart only by the key it is handed, as a payment processor does.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// A request to take money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChargeRequest {
    pub amount: i64,
    pub currency: String,
    pub recipient: String,
    /// The business reference.
    pub reference: String,
    pub key: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    pub id: String,
    pub amount: i64,
    pub currency: String,
    pub recipient: String,
    pub reference: String,
    pub key: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundRequest {
    pub amount: i64,
    pub reference: String,
    pub key: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refund {
    pub id: String,
    pub amount: i64,
    pub reference: String,
    pub key: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    pub charges: Vec<Charge>,
    pub refunds: Vec<Refund>,
    /// Requests that a key showed to be repeats.
    pub dedup_hits: u64,
    /// Business references that were charged before.
    #[serde(skip)]
    references: HashSet<String>,
    #[serde(skip)]
    excess: u64,
}

/// What the bank did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub charges: u64,
    /// Charges of a business reference beyond its first.
    pub excess: u64,
}

impl Ledger {
    pub fn sums(&self) -> Sums {
        Sums {
            charges: self.charges.len() as u64,
            excess: self.excess,
        }
    }

    /// Takes the money, unless the key was seen. True beside the charge where it was.
    pub fn charge(&mut self, request: ChargeRequest) -> (Charge, bool) {
        if let Some(key) = &request.key
            && let Some(known) = self.charges.iter().find(|c| c.key.as_ref() == Some(key))
        {
            self.dedup_hits += 1;
            return (known.clone(), true);
        }
        let charge = Charge {
            id: format!("ch_{}", self.charges.len() + 1),
            amount: request.amount,
            currency: request.currency,
            recipient: request.recipient,
            reference: request.reference,
            key: request.key,
        };
        if !self.references.insert(charge.reference.clone()) {
            self.excess += 1;
        }
        self.charges.push(charge.clone());
        (charge, false)
    }

    /// Gives money back, unless the key was seen. Refunds are not checked against charges.
    pub fn refund(&mut self, request: RefundRequest) -> (Refund, bool) {
        if let Some(key) = &request.key
            && let Some(known) = self.refunds.iter().find(|r| r.key.as_ref() == Some(key))
        {
            self.dedup_hits += 1;
            return (known.clone(), true);
        }
        let refund = Refund {
            id: format!("re_{}", self.refunds.len() + 1),
            amount: request.amount,
            reference: request.reference,
            key: request.key,
        };
        self.refunds.push(refund.clone());
        (refund, false)
    }

    /// The first charge of a business reference.
    pub fn by_reference(&self, reference: &str) -> Option<&Charge> {
        self.charges
            .iter()
            .find(|charge| charge.reference == reference)
    }

    pub fn charged_sum(&self) -> i64 {
        let sums = self.charges.iter().map(|charge| charge.amount);
        sums.fold(0, i64::saturating_add)
    }

    pub fn refunded_sum(&self) -> i64 {
        let sums = self.refunds.iter().map(|refund| refund.amount);
        sums.fold(0, i64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_key_tells_repeats_apart() {
        let mut ledger = Ledger::default();
        let request = |key: Option<&str>| ChargeRequest {
            amount: 1500,
            currency: "RUB".to_owned(),
            recipient: "user_42".to_owned(),
            reference: "order-1".to_owned(),
            key: key.map(str::to_owned),
        };
        let (first, _) = ledger.charge(request(None));
        let (second, _) = ledger.charge(request(None));
        assert_ne!(first.id, second.id);
        let (third, _) = ledger.charge(request(Some("k")));
        let (fourth, repeated) = ledger.charge(request(Some("k")));
        assert_eq!((third.id, repeated), (fourth.id, true));
        assert_eq!((ledger.charged_sum(), ledger.dedup_hits), (4500, 1));
        assert_eq!(
            ledger.by_reference("order-1").map(|c| c.id.as_str()),
            Some("ch_1")
        );
    }
}
