//! Makes cargo notice layouts, themes and fonts that were added or changed: they are compiled in.

fn main() {
    println!("cargo:rerun-if-changed=assets");
}
