//! Puts what has changed into the text of a file, and leaves the rest as a person wrote it:
//! comments, order, blank lines.
//!
//! Apart from `format` because it knows nothing of connections.

use toml_edit::{DocumentMut, Item, Table, Value};

/// The old text with the values of the new one. Where one of them is no TOML, the new one.
pub fn merge(old: &str, new: &str) -> String {
    let (Ok(mut merged), Ok(wanted)) = (old.parse::<DocumentMut>(), new.parse::<DocumentMut>())
    else {
        return new.to_owned();
    };
    merge_table(merged.as_table_mut(), wanted.as_table());
    merged.to_string()
}

fn merge_table(old: &mut Table, new: &Table) {
    let gone: Vec<String> = old
        .iter()
        .filter(|(name, _)| !new.contains_key(name))
        .map(|(name, _)| name.to_owned())
        .collect();
    for name in gone {
        old.remove(&name);
    }
    for (name, wanted) in new {
        match (old.get_mut(name), wanted) {
            (Some(Item::Table(old)), Item::Table(wanted)) => merge_table(old, wanted),
            // What is not known here is printed on one line, however it was written.
            (Some(Item::Table(old)), Item::Value(wanted)) => {
                if let Some(wanted) = wanted.as_inline_table() {
                    merge_table(old, &wanted.clone().into_table());
                } else {
                    old.insert(name, Item::Value(wanted.clone()));
                }
            }
            (Some(Item::Value(old)), Item::Value(wanted)) => {
                if !is_same(old, wanted) {
                    // A comment behind the old value stays.
                    let decor = old.decor().clone();
                    *old = wanted.clone();
                    *old.decor_mut() = decor;
                }
            }
            _ => {
                old.insert(name, wanted.clone());
            }
        }
    }
}

fn is_same(old: &Value, new: &Value) -> bool {
    match (old.as_str(), new.as_str()) {
        // However it is quoted.
        (Some(old), Some(new)) => old == new,
        _ => {
            let bare = |value: &Value| value.clone().decorated("", "").to_string();
            bare(old) == bare(new)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_order_stay() {
        let old = "# Mine.\n\n[connection.b]\nurl = \"redis://b\" # ask Ada\n\n# Old one.\n\
                   [connection.a]\nurl = 'redis://a'\nproduction = true\n";
        let new = "# Other.\n[connection.a]\nurl = \"redis://a\"\n\n[connection.b]\n\
                   url = \"redis://c\"\ncolour = \"teal\"\n\n[[recent]]\nurl = \"redis://d\"\n";
        let merged = merge(old, new);
        assert_eq!(
            merged,
            "# Mine.\n\n[connection.b]\nurl = \"redis://c\" # ask Ada\ncolour = \"teal\"\n\n\
             # Old one.\n[connection.a]\nurl = 'redis://a'\n\n[[recent]]\nurl = \"redis://d\"\n"
        );
        // Nothing to change is nothing changed.
        assert_eq!(merge(&merged, new), merged);
    }

    #[test]
    fn what_is_no_toml_is_not_kept() {
        assert_eq!(merge("[", "a = 1\n"), "a = 1\n");
    }
}
