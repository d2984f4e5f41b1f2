//! Parts that every panel is made of. They take plain values and know nothing of records.

pub mod button;
pub mod check;
pub mod dialog;
pub mod field;
pub mod form;
pub mod pen;
pub mod quiet;
pub mod row;
pub mod scroll;
pub mod span;
pub mod table;

pub use pen::Pen;
pub use row::Row;
pub use span::Span;
