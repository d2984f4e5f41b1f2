//! What the view of statistics says, as text.
