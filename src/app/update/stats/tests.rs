//! The stats area: windows, keys behind figures, what changed between looks, files.
