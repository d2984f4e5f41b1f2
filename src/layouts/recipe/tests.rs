//! Recipes as typed, and what is wrong with them.
