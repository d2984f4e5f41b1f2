//! What the stats view says.
