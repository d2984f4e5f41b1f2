//! Which characters cannot be seen, or pile up on another.
//!
//! Apart from `escape` because these are tables, and what is done about them is not.

/// Control, format, bidi, zero-width, variation-selector, tag, filler characters, line and
/// paragraph separators, and noncharacters: nothing of them shows.
const INVISIBLE: [(u32, u32); 40] = [
    (0x0000, 0x001f),
    (0x007f, 0x009f),
    (0x00ad, 0x00ad),
    (0x034f, 0x034f),
    (0x0600, 0x0605),
    (0x061c, 0x061c),
    (0x06dd, 0x06dd),
    (0x070f, 0x070f),
    (0x0890, 0x0891),
    (0x08e2, 0x08e2),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x2028, 0x202e),
    (0x2060, 0x206f),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xfdd0, 0xfdef),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0xfffe, 0xffff),
    (0x110bd, 0x110bd),
    (0x110cd, 0x110cd),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d159, 0x1d159),
    (0x1d173, 0x1d17a),
    (0x1fffe, 0x1ffff),
    (0x2fffe, 0x2ffff),
    (0x3fffe, 0x3ffff),
    (0x4fffe, 0x4ffff),
    (0x5fffe, 0x5ffff),
    (0x6fffe, 0x6ffff),
    (0x7fffe, 0x7ffff),
    (0xdfffe, 0xdffff),
    (0xe0000, 0xe0fff),
    (0xefffe, 0x10ffff),
];

/// Marks that go with any letter.
const GENERAL_MARKS: [(u32, u32); 6] = [
    (0x0300, 0x036f),
    (0x0483, 0x0489),
    (0x1ab0, 0x1aff),
    (0x1dc0, 0x1dff),
    (0x20d0, 0x20ff),
    (0xfe20, 0xfe2f),
];

/// Marks of one script, which its words need two of at times.
const SCRIPT_MARKS: [(u32, u32); 24] = [
    (0x0591, 0x05bd),
    (0x05bf, 0x05bf),
    (0x05c1, 0x05c2),
    (0x05c4, 0x05c5),
    (0x05c7, 0x05c7),
    (0x0610, 0x061a),
    (0x064b, 0x065f),
    (0x0670, 0x0670),
    (0x06d6, 0x06dc),
    (0x06df, 0x06e4),
    (0x06e7, 0x06e8),
    (0x06ea, 0x06ed),
    (0x0711, 0x0711),
    (0x0730, 0x074a),
    (0x08d3, 0x08ff),
    (0x093c, 0x093c),
    (0x0941, 0x0948),
    (0x0951, 0x0957),
    (0x0e31, 0x0e31),
    (0x0e34, 0x0e3a),
    (0x0e47, 0x0e4e),
    (0x0eb1, 0x0ecd),
    (0x302a, 0x302f),
    (0x3099, 0x309a),
];

/// How many marks one letter may carry before they are shown apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    General,
    Script,
}

pub(super) fn is_invisible(c: char) -> bool {
    let code = u32::from(c);
    // The common case first: printable ASCII.
    !(0x20..0x7f).contains(&code) && within(&INVISIBLE, code)
}

pub(super) fn mark(c: char) -> Option<Mark> {
    let code = u32::from(c);
    if code < 0x0300 {
        return None;
    }
    if within(&GENERAL_MARKS, code) {
        return Some(Mark::General);
    }
    within(&SCRIPT_MARKS, code).then_some(Mark::Script)
}

/// The ranges ascend, so the first that ends behind the code decides.
fn within(ranges: &[(u32, u32)], code: u32) -> bool {
    let at = ranges.partition_point(|(_, last)| *last < code);
    ranges.get(at).is_some_and(|(first, _)| *first <= code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_ascend() {
        for table in [&INVISIBLE[..], &GENERAL_MARKS[..], &SCRIPT_MARKS[..]] {
            assert!(
                table.windows(2).all(|pair| pair[0].1 < pair[1].0),
                "{table:x?}"
            );
            assert!(table.iter().all(|(first, last)| first <= last));
        }
    }

    #[test]
    fn what_cannot_be_seen_is_known() {
        for c in [
            '\0', '\u{1b}', '\u{85}', '\u{ad}', '\u{200b}', '\u{202e}', '\u{2066}',
        ] {
            assert!(is_invisible(c), "{c:?}");
        }
        for c in [
            '\u{feff}',
            '\u{fe0f}',
            '\u{e0041}',
            '\u{3164}',
            '\u{2028}',
            '\u{61c}',
        ] {
            assert!(is_invisible(c), "{c:?}");
        }
        for c in ['a', ' ', 'ä', 'ж', '你', '€', '\u{fffd}', '🔑'] {
            assert!(!is_invisible(c), "{c:?}");
        }
    }
}
