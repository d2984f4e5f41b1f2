//! Pieces of real records, released, settled and purged.
