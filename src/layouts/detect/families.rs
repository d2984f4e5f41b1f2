//! Which keys of a sample are worth reading: some of each family of names.
//!
//! Apart from `keys` because a layout whose key is only the client's key fits nearly every name;
//! names of one shape are one family, so that a rare one is looked at as well as a common one.

use std::collections::{BTreeMap, HashMap};

use crate::layouts::redis::Role;

/// Values read of a family whose name says much, and of one whose name says little.
const OF_TELLING: usize = 60;
const OF_BARE: usize = 12;
/// Families looked at of one template.
const FAMILIES_MAX: usize = 150;
/// Values looked at in all.
const VALUES_MAX: usize = 4000;

/// A name with its template, as detection found it.
#[derive(Clone, Copy, Debug)]
pub struct Fitting {
    pub name: usize,
    pub layout: usize,
    pub role: Role,
    pub is_telling: bool,
}

/// The names to read, by their places.
pub fn choose(fittings: &[Fitting], names: &[Vec<u8>]) -> Vec<usize> {
    type Template = (usize, u8, usize);
    let mut groups: BTreeMap<Template, HashMap<Vec<u8>, Vec<usize>>> = BTreeMap::new();
    let mut telling: BTreeMap<Template, bool> = BTreeMap::new();
    for fitting in fittings {
        let template = match fitting.role {
            Role::Record(at) => (fitting.layout, 0, at),
            Role::Lock(at) => (fitting.layout, 1, at),
            Role::Side => continue,
        };
        let Some(name) = names.get(fitting.name) else {
            continue;
        };
        telling.insert(template, fitting.is_telling);
        let families = groups.entry(template).or_default();
        families.entry(shape(name)).or_default().push(fitting.name);
    }
    let mut wanted = Vec::new();
    for (template, families) in groups {
        let mut families: Vec<(Vec<u8>, Vec<usize>)> = families.into_iter().collect();
        families.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
        families.truncate(FAMILIES_MAX);
        let of_each = match telling.get(&template) {
            Some(true) => (OF_TELLING * 4 / families.len().max(4)).max(3),
            _ => OF_BARE,
        };
        for (_, all) in families {
            let step = all.len().div_ceil(of_each).max(1);
            wanted.extend(all.into_iter().step_by(step));
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    let step = wanted.len().div_ceil(VALUES_MAX).max(1);
    wanted.into_iter().step_by(step).collect()
}

/// The shape of a name: words stay, numbers and ids become one sign each.
pub fn shape(name: &[u8]) -> Vec<u8> {
    let mut shape = Vec::with_capacity(24);
    for token in name.chunk_by(|a, b| is_token(*a) == is_token(*b)) {
        let Some(first) = token.first() else { continue };
        if !is_token(*first) {
            shape.push(*first);
        } else if token.iter().all(u8::is_ascii_digit) {
            shape.push(b'9');
        } else if token.len() >= 8 && token.iter().all(u8::is_ascii_hexdigit) {
            shape.push(b'X');
        } else if token.len() > 20 || token.iter().any(u8::is_ascii_digit) {
            shape.push(b'T');
        } else {
            shape.extend(token.iter().map(u8::to_ascii_lowercase));
        }
        if shape.len() > 64 {
            break;
        }
    }
    shape
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_kind_have_one_shape() {
        let of = |name: &str| String::from_utf8_lossy(&shape(name.as_bytes())).into_owned();
        assert_eq!(of("charge:order-77"), of("charge:order-1234"));
        assert_eq!(of("user:42:profile"), "user:9:profile");
        assert_eq!(of("sess:Xy71kQ"), "sess:T");
        assert_ne!(of("order:117"), of("user:117"));
    }
}
