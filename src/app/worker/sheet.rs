//! Lays a stored payload out as lines, masked where a person has not asked for private parts.
//!
//! Apart from the window since sixteen megabytes take longer than a frame.

use std::sync::Arc;

use crate::app::effect::LayOut;
use crate::app::state::{PayloadSheet, Tab};
use crate::app::view::{Shown, Whole};
use crate::present::mask::mask;
use crate::present::payload::{Form, Sheet, stored_text};

/// A payload as text, and what stands before it.
struct Payload {
    head: Vec<String>,
    /// Nothing where nothing is stored.
    text: Option<String>,
    /// What is stored is no text: these are its bytes.
    bytes: Option<Vec<u8>>,
}

pub fn lay_out(job: &LayOut) -> PayloadSheet {
    let mut payload = match job.tab {
        Tab::Response => response(&job.whole),
        _ => Payload {
            head: Vec::new(),
            text: stored_text(&job.whole.raw),
            bytes: None,
        },
    };
    let mut masked = 0;
    if !job.reveals {
        for line in &mut payload.head {
            masked += mask_in_place(line);
        }
        masked += payload.text.as_mut().map_or(0, mask_in_place);
    }
    let text = payload.text.unwrap_or_default();
    let bytes = payload.bytes.as_ref().map_or(text.len(), Vec::len) as u64;
    let is_nothing = text.is_empty() && bytes == 0;
    let (sheet, form) = match (job.form, payload.bytes) {
        (Form::Hex, Some(bytes)) => (Sheet::hex(bytes, job.chars), Form::Hex),
        (Form::Hex, None) => (Sheet::hex(text.clone().into_bytes(), job.chars), Form::Hex),
        (Form::Tree, None) => match Sheet::tree(&text) {
            Some(sheet) => (sheet, Form::Tree),
            None => (Sheet::text(&text, job.chars), Form::Text),
        },
        (_, Some(bytes)) => {
            let lossy = String::from_utf8_lossy(&bytes);
            (Sheet::text(&lossy, job.chars), Form::Text)
        }
        (Form::Text, None) => (Sheet::text(&text, job.chars), Form::Text),
    };
    PayloadSheet {
        number: job.number,
        tab: job.tab,
        sheet: Arc::new(sheet.headed(payload.head)),
        form,
        masked,
        bytes,
        is_nothing,
        text: Arc::from(text),
    }
}

fn mask_in_place(text: &mut String) -> usize {
    let (masked, count) = mask(text);
    if count > 0 {
        *text = masked.into_owned();
    }
    count
}

fn response(whole: &Whole) -> Payload {
    let mut head = Vec::new();
    if let Some(code) = whole.record.response_status {
        head.push(format!("HTTP {code}"));
    }
    if let Some(headers) = &whole.response_headers {
        let sheet = match Sheet::tree(&headers.text) {
            Some(sheet) => sheet,
            None => Sheet::text(&headers.text, 200),
        };
        // A header list is a page at most.
        head.extend((0..sheet.lines().min(200)).map(|at| {
            let line = sheet.line(at);
            format!("{}{}", "  ".repeat(line.depth.min(24)), line.text)
        }));
    }
    if !head.is_empty() {
        head.push(String::new());
    }
    let body = whole.response_body.as_ref();
    Payload {
        head,
        text: body.map(|body| body.text.clone()),
        bytes: body.and_then(binary),
    }
}

/// The bytes that a hex text stands for.
fn binary(shown: &Shown) -> Option<Vec<u8>> {
    if !shown.is_binary {
        return None;
    }
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
    shown
        .text
        .as_bytes()
        .chunks_exact(2)
        .map(|pair| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_of_their_hex() {
        let shown = Shown {
            text: "00ff7f".to_owned(),
            bytes: 3,
            is_binary: true,
        };
        assert_eq!(binary(&shown), Some(vec![0, 255, 127]));
    }
}
