//! Cells of a file that a spreadsheet will open.

/// A cell that a spreadsheet would take for a formula gets an apostrophe in front.
pub fn neutral(cell: &str) -> String {
    let plain_number = cell.parse::<f64>().is_ok();
    match cell.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r') if !plain_number => format!("'{cell}"),
        _ => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_neutral() {
        assert_eq!(neutral("=cmd()"), "'=cmd()");
        assert_eq!(neutral("@x"), "'@x");
        assert_eq!(neutral("-5"), "-5");
        assert_eq!(neutral("plain"), "plain");
    }
}
