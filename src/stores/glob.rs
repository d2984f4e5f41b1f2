//! Globs as Redis matches them, as far as templates make use of them.
//!
//! Apart from `memory` because names that a server pushes are matched here as well.

/// The server's own matching, as far as templates make use of it: `*`, `?` and `\`.
pub fn matches(glob: &[u8], name: &[u8]) -> bool {
    let (mut g, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() || g < glob.len() {
        let literal = match glob.get(g) {
            Some(b'*') => {
                retry = Some((g + 1, n + 1));
                g += 1;
                continue;
            }
            Some(b'?') => name.get(n).copied(),
            Some(b'\\') => glob.get(g + 1).copied(),
            other => other.copied(),
        };
        if literal.is_some() && name.get(n).copied() == literal {
            g += if glob.get(g) == Some(&b'\\') { 2 } else { 1 };
            n += 1;
            continue;
        }
        match retry {
            Some((after, from)) if from <= name.len() => {
                (g, n) = (after, from);
                retry = Some((after, from + 1));
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn globs_match_as_the_server_does() {
        assert!(matches(b"idem:*", b"idem:a"));
        assert!(matches(b"idem:*:b", b"idem:a:x:b"));
        assert!(!matches(b"idem:*:b", b"idem:a:x:c"));
        assert!(matches(b"a\\*b", b"a*b"));
        assert!(!matches(b"a\\*b", b"axb"));
        assert!(matches(b"*", b""));
    }
}
