//! Whether two targets are one store.
//!
//! Pure: texts in, a word out.

/// Whether two targets, as they are written down, lead to the same store: where any of many servers
/// tells the way, one in common is enough, since they are replaced one by one.
pub fn is_same_store(one: &str, other: &str) -> bool {
    let parts = |words: &'_ str| {
        let (words, way) = words.split_once(" through ").unwrap_or((words, ""));
        let (scheme, rest) = words.split_once("://")?;
        let (hosts, path) = rest.split_once('/').unwrap_or((rest, ""));
        let hosts: Vec<String> = hosts.split(',').map(str::to_owned).collect();
        Some((scheme.to_owned(), hosts, path.to_owned(), way.to_owned()))
    };
    let (Some(first), Some(second)) = (parts(one), parts(other)) else {
        return one == other;
    };
    let shared = |host: &String| !host.is_empty() && second.1.contains(host);
    one == other
        || (first.0, first.2, first.3) == (second.0, second.2, second.3)
            && first.1.iter().any(shared)
}

#[cfg(test)]
mod tests {
    use super::is_same_store;

    #[test]
    fn one_of_many_seeds_is_enough() {
        for (one, other, is_same) in [
            ("redis+cluster://a:1,b:2", "redis+cluster://b:2,c:3", true),
            ("redis+cluster://a:1", "redis+cluster://b:2", false),
            ("redis+cluster://a:1", "rediss+cluster://a:1", false),
            ("redis+sentinel://a:1,b:2/m", "redis+sentinel://b:2/m", true),
            (
                "redis+sentinel://a:1,b:2/m",
                "redis+sentinel://b:2/n",
                false,
            ),
            ("redis://a:1", "redis://a:1/3", false),
            ("redis+unix:///a", "redis+unix:///b", false),
            ("postgres://a:1,b:1/shop", "postgres://b:1/shop", true),
            ("sqlite:/a", "sqlite:/b", false),
            (
                "redis://a:1 through u@x:22",
                "redis://a:1 through u@x:22",
                true,
            ),
            ("redis://a:1 through u@x:22", "redis://a:1", false),
            (
                "redis://a:1 through u@x:22",
                "redis://a:1 through u@y:22",
                false,
            ),
            ("demo:", "demo:", true),
        ] {
            assert_eq!(is_same_store(one, other), is_same, "{one} {other}");
        }
    }
}
