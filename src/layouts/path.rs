//! Paths: how a layout names a value, and the way into it.

/// Cuts a path at dots; a part in double quotes is taken as it is.
pub fn segments(path: &str) -> Result<Vec<String>, String> {
    let mut parts = Vec::new();
    let mut rest = path;
    loop {
        let (part, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let end = quoted
                    .find('"')
                    .ok_or_else(|| format!("an open quote in `{path}`"))?;
                (
                    quoted.get(..end).unwrap_or_default(),
                    quoted.get(end + 1..).unwrap_or_default(),
                )
            }
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                (
                    rest.get(..end).unwrap_or_default(),
                    rest.get(end..).unwrap_or_default(),
                )
            }
        };
        if part.is_empty() {
            return Err(format!("an empty part in `{path}`"));
        }
        parts.push(part.to_owned());
        match after.strip_prefix('.') {
            Some(more) => rest = more,
            None if after.is_empty() => return Ok(parts),
            None => return Err(format!("`{path}` goes on after a quote without a dot")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::segments;

    #[track_caller]
    fn check(path: &str, expected: Option<&[&str]>) {
        let found = segments(path).ok();
        let found: Option<Vec<&str>> = found
            .as_ref()
            .map(|parts| parts.iter().map(String::as_str).collect());
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn dots_part_and_quotes_keep() {
        check("value.response.0", Some(&["value", "response", "0"]));
        check(
            "value.\"Request.Inflight\".x",
            Some(&["value", "Request.Inflight", "x"]),
        );
    }

    #[test]
    fn what_is_no_path_is_told() {
        check("", None);
        check("value..x", None);
        check("value.\"open", None);
        check("value.\"a\"b", None);
    }
}
