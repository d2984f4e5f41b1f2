//! The fonts that come with the program, and what stands in where they lack a character.

use std::sync::Arc;

use egui::{FontData, FontDefinitions, FontFamily};

const FONTS: [(&str, &[u8]); 5] = [
    (
        "Inter",
        include_bytes!("../../../assets/fonts/Inter-Regular.otf"),
    ),
    (
        "Inter-SemiBold",
        include_bytes!("../../../assets/fonts/Inter-SemiBold.otf"),
    ),
    (
        "JetBrainsMono",
        include_bytes!("../../../assets/fonts/JetBrainsMono-Regular.ttf"),
    ),
    (
        "Phosphor",
        include_bytes!("../../../assets/fonts/Phosphor.ttf"),
    ),
    (
        "Phosphor-Fill",
        include_bytes!("../../../assets/fonts/Phosphor-Fill.ttf"),
    ),
];
const FALLBACK: [&str; 3] = ["Inter", "JetBrainsMono", "Hack"];

pub fn definitions() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    // The fonts that egui brings come last: they have what ours lack.
    let mut last: Vec<String> = Vec::new();
    for family in [FontFamily::Monospace, FontFamily::Proportional] {
        for name in fonts.families.get(&family).into_iter().flatten() {
            if !last.contains(name) {
                last.push(name.clone());
            }
        }
    }
    for (name, bytes) in FONTS {
        let data = FontData::from_static(bytes);
        fonts.font_data.insert(name.to_owned(), Arc::new(data));
    }
    let families = [
        (FontFamily::Proportional, "Inter"),
        (FontFamily::Monospace, "JetBrainsMono"),
        (FontFamily::Name("strong".into()), "Inter-SemiBold"),
        (FontFamily::Name("icon".into()), "Phosphor"),
        (FontFamily::Name("icon-fill".into()), "Phosphor-Fill"),
    ];
    for (family, first) in families {
        let mut names = vec![first.to_owned()];
        names.extend(FALLBACK.iter().map(|name| (*name).to_owned()));
        names.extend(last.iter().cloned());
        let mut seen = Vec::new();
        names.retain(|name| {
            let new = !seen.contains(name);
            seen.push(name.clone());
            new && fonts.font_data.contains_key(name)
        });
        fonts.families.insert(family, names);
    }
    fonts
}
