//! The nearest known word to one that was mistyped.

/// The candidate that is most like the word, if one is near enough to be meant.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    if word.is_empty() || word.len() > 64 {
        return None;
    }
    let near = 1 + word.len() / 4;
    candidates
        .into_iter()
        .map(|candidate| (distance(word.as_bytes(), candidate.as_bytes()), candidate))
        .filter(|(distance, candidate)| {
            *distance <= near && *distance < candidate.len() || candidate.starts_with(&word)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters to put in, take out, change or swap with their neighbour.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let at = |line: &[usize], place: usize| line.get(place).copied().unwrap_or(usize::MAX);
            let changed = at(&last, j) + usize::from(x != y);
            let mut least = changed.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                least = least.min(at(&before, j - 1).saturating_add(1));
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expected: Option<&str>) {
        assert_eq!(
            closest(word, ["status", "scope", "response", "age"]),
            expected
        );
    }

    #[test]
    fn a_slip_of_the_finger_is_understood() {
        check("statsu", Some("status"));
        check("Scoep", Some("scope"));
        check("resp", Some("response"));
        check("xyzzy", None);
        check("", None);
    }
}
