//! The layouts area: what was found, and one record of it before and after reading.

use std::sync::Arc;

use super::TypedSpan;
use crate::app::remote::Remote;
use crate::inspect::show::Whole;

#[derive(Debug, Default)]
pub struct Layouts {
    /// A place among the sources.
    pub chosen: usize,
    /// A place among its examples.
    pub sample: usize,
    pub generation: u64,
    /// None inside: the example is gone.
    pub whole: Remote<Option<Arc<Whole>>>,
    /// The layout whose source is shown once the store has been looked at again.
    pub wanted: Option<String>,
    pub lease: String,
    pub retention: String,
}

impl Layouts {
    /// What is typed is not understood.
    pub fn is_wrong(&self) -> bool {
        TypedSpan::of(&self.lease).is_wrong() || TypedSpan::of(&self.retention).is_wrong()
    }
}
