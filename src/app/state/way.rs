//! The views that were shown, for going back and on.
//!
//! Apart from the view that is shown because it outlives each of them. Bound: so many steps.

use super::Place;

/// The views that were shown, for going back and on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    back: Vec<Place>,
    forward: Vec<Place>,
}

/// So many steps are remembered.
const WAY_MAX: usize = 50;

impl Way {
    /// Another view is shown than this one.
    pub fn went(&mut self, from: Place) {
        self.forward.clear();
        if self.back.len() >= WAY_MAX {
            self.back.remove(0);
        }
        self.back.push(from);
    }

    /// The view before; this one is the way on.
    pub fn back(&mut self, from: Place) -> Option<Place> {
        let place = self.back.pop()?;
        self.forward.push(from);
        Some(place)
    }

    pub fn forward(&mut self, from: Place) -> Option<Place> {
        let place = self.forward.pop()?;
        self.back.push(from);
        Some(place)
    }
}
