//! Small pictures of the parts of the window, dark and light, compared with those that were looked
//! at once.
//!
//! `UPDATE_SNAPSHOTS=1` writes them anew; look at them before they are committed. What differs is
//! written beside them as `.new.png`.

mod lab;
mod repair;
mod stats;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::{Context, RawInput, Rect, Ui, pos2, vec2};

use super::raster::Raster;
use super::{View, encode, take};
use crate::app::Start;
use crate::app::state::{Grouping, Place, State};
use crate::app::tests::{Told, locks};
use crate::app::view;
use crate::domain::{Duration, Timestamp};
use crate::sys::files;
use crate::ui::commands::Commands;
use crate::ui::panels::keys::{KeysMemory, faces, keys_ui};
use crate::ui::panels::locks::{LocksMemory, locks_ui};
use crate::ui::panels::record::{RecordMemory, record_ui};
use crate::ui::panels::settings::settings_ui;
use crate::ui::panels::side_bar::{side_bar_data, side_bar_ui};
use crate::ui::panels::status_line::{status_data, status_line_ui};
use crate::ui::panels::top_bar::{top_bar_data, top_bar_ui};
use crate::ui::theme::{Theme, Tone};
use crate::ui::widgets::Span;
use crate::ui::widgets::button::{Button, Chip, Ink, Weight, badge};
use crate::ui::widgets::quiet::{Quiet, quiet_ui};

const NOW: Timestamp = Timestamp(1_795_953_600_000);
/// Pixels may differ by so much, and so many of a thousand by more.
const DIFFERENCE_MAX: u8 = 8;
const PER_MILLE_MAX: usize = 2;

#[track_caller]
fn check(name: &str, size: [u32; 2], mut draw: impl FnMut(&mut Ui, &Theme, Rect)) {
    for kind in [
        crate::app::start::Theme::Dark,
        crate::app::start::Theme::Light,
    ] {
        let word = format!("{kind:?}").to_lowercase();
        let pixels = drawn(kind, size, &mut draw);
        compare(&format!("{name}-{word}"), size, &pixels);
    }
}

fn drawn(
    kind: crate::app::start::Theme,
    size: [u32; 2],
    draw: &mut impl FnMut(&mut Ui, &Theme, Rect),
) -> Vec<[u8; 3]> {
    let ctx = Context::default();
    let theme = Theme::new(kind);
    theme.install(&ctx);
    let mut raster = Raster::new(size);
    let rect = Rect::from_min_size(pos2(0.0, 0.0), vec2(size[0] as f32, size[1] as f32));
    for frame in 0..4 {
        let input = RawInput {
            screen_rect: Some(rect),
            time: Some(f64::from(frame) / 60.0),
            ..RawInput::default()
        };
        let mut output = ctx.run_ui(input, |ui| {
            let ground = theme.tokens().surface.base.0;
            ui.painter().rect_filled(rect, 0, ground);
            draw(ui, &theme, rect);
        });
        raster.take_textures(std::mem::take(&mut output.textures_delta));
        if frame == 3 {
            raster.paint(&ctx.tessellate(output.shapes, 1.0), 1.0);
        }
    }
    raster.pixels
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots")
}

#[track_caller]
fn compare(name: &str, size: [u32; 2], pixels: &[[u8; 3]]) {
    let path = folder().join(format!("{name}.png"));
    let bytes = encode(size, pixels).expect("a picture");
    if crate::sys::env::var("UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(folder()).expect("a folder");
        std::fs::write(&path, bytes).expect("it is written");
        return;
    }
    let differs = match std::fs::read(&path).ok() {
        Some(known) => difference(&known, size, pixels),
        None => Err("there is no picture yet".to_owned()),
    };
    if let Err(why) = differs {
        let new = folder().join(format!("{name}.new.png"));
        std::fs::write(&new, bytes).expect("it is written");
        panic!("{name}: {why}; look at {}", new.display());
    }
}

fn difference(known: &[u8], size: [u32; 2], pixels: &[[u8; 3]]) -> Result<(), String> {
    let known = image::load_from_memory(known).map_err(|error| error.to_string())?;
    let known = known.to_rgb8();
    if [known.width(), known.height()] != size {
        return Err("another size".to_owned());
    }
    let other = known.pixels().zip(pixels).filter(|(known, pixel)| {
        let parts = known.0.iter().zip(pixel.iter());
        parts
            .into_iter()
            .any(|(a, b)| a.abs_diff(*b) > DIFFERENCE_MAX)
    });
    let other = other.count() * 1000 / pixels.len().max(1);
    match other > PER_MILLE_MAX {
        true => Err(format!("{other} of 1000 pixels differ")),
        false => Ok(()),
    }
}

/// A few locks, one long past its lease.
fn state(place: Place) -> State {
    let told = [
        ("POST /payments", 190),
        ("POST /payments", 12),
        ("POST /refunds", 1),
    ];
    let told = told.map(|(operation, minutes)| Told {
        operation,
        locked_at: Some(NOW.minus(Duration::secs(minutes * 60))),
    });
    let lease = Some(Duration::secs(600));
    let mut state = locks(&told, lease, Grouping::Operation, NOW);
    state.view.place = place;
    state.keys.scan.read_at = Some(NOW);
    state.keys.scan.progress.done = true;
    state.record.open = view::cursor_address(&state);
    state
}

#[test]
fn the_table_of_keys() {
    let state = state(Place::Keys);
    let mut memory = KeysMemory::default();
    check("keys", [760, 200], |ui, theme, rect| {
        keys_ui(ui, theme, rect, &state, &mut memory, &Commands::default());
    });
}

#[test]
fn a_table_that_was_lost() {
    let mut state = state(Place::Keys);
    state.connection.lost = Some(crate::app::state::Lost {
        since: NOW.minus(Duration::secs(42)),
        attempt: 3,
        next_try: Some(NOW.plus(Duration::secs(8))),
        why: crate::app::Failure {
            text: "the connection was reset".to_owned(),
            hint: None,
            is_connection: true,
        },
    });
    assert!(faces::banner(&state).is_some());
    let mut memory = KeysMemory::default();
    check("lost", [760, 200], |ui, theme, rect| {
        keys_ui(ui, theme, rect, &state, &mut memory, &Commands::default());
    });
}

#[test]
fn the_locks() {
    let state = state(Place::Locks);
    let mut memory = LocksMemory::default();
    check("locks", [820, 230], |ui, theme, rect| {
        locks_ui(ui, theme, rect, &state, &mut memory, &Commands::default());
    });
}

#[test]
fn the_record() {
    let state = state(Place::Locks);
    let mut memory = RecordMemory::default();
    check("record", [392, 420], |ui, theme, rect| {
        record_ui(ui, theme, rect, &state, &mut memory, &Commands::default());
    });
}

#[test]
fn the_bars() {
    let state = state(Place::Locks);
    check("bars", [760, 380], |ui, theme, rect| {
        let send = Commands::default();
        let (top, rest) = rect.split_top_bottom_at_y(44.0);
        top_bar_ui(ui, theme, top, &top_bar_data(&state), &send);
        let (rest, foot) = rest.split_top_bottom_at_y(rest.max.y - 26.0);
        status_line_ui(ui, theme, foot, &status_data(&state), &send);
        let (side, _) = rest.split_left_right_at_x(172.0);
        side_bar_ui(ui, theme, side, &side_bar_data(&state), &send);
    });
}

#[test]
fn the_settings() {
    let state = State::default();
    check("settings", [620, 330], |ui, theme, rect| {
        settings_ui(ui, theme, rect, &state, &Commands::default());
    });
}

#[test]
fn the_settings_in_russian() {
    let state = State::default();
    crate::present::say::speak(crate::present::say::Language::Russian);
    check("settings-ru", [620, 330], |ui, theme, rect| {
        settings_ui(ui, theme, rect, &state, &Commands::default());
    });
    crate::present::say::speak(crate::present::say::Language::English);
}

#[test]
fn buttons_and_chips() {
    check("buttons", [480, 96], |ui, theme, rect| {
        let mut x = rect.min.x + 12.0;
        for weight in [Weight::Plain, Weight::Primary, Weight::Ghost] {
            let button = Button::new(format!("{weight:?}"))
                .key("Enter")
                .weight(weight);
            let size = vec2(button.width(ui, theme), 28.0);
            let place = Rect::from_min_size(pos2(x, 10.0), size);
            button.show(ui, theme, place);
            x += size.x + 8.0;
        }
        let mut x = rect.min.x + 12.0;
        for (word, tone, icon) in [
            ("Stuck", Tone::Stuck, "stuck"),
            ("Processing", Tone::Live, "live"),
            ("Failed", Tone::Failed, "failed"),
        ] {
            let chip = Chip {
                word,
                count: Some("312".to_owned()),
                icon: Some((theme.icon("status", icon), tone)),
                is_chosen: word == "Stuck",
            };
            let size = vec2(chip.width(ui, theme), 26.0);
            let place = Rect::from_min_size(pos2(x, 50.0), size);
            chip.show(ui, theme, place);
            x += size.x + 2.0;
        }
        let eye = theme.icon("mark", "read_only");
        badge(
            ui,
            theme,
            pos2(x + 8.0, 63.0),
            &eye,
            ("Read-only", Ink::Plain),
        );
    });
}

#[test]
fn a_quiet_face() {
    check("quiet", [420, 210], |ui, theme, rect| {
        let face = Quiet {
            icon: theme.icon("act", "empty"),
            icon_tone: Tone::Secondary,
            title: "No idempotency records here".to_owned(),
            text: vec![Span::body(
                "214 keys looked at, none reads as a record.",
                Tone::Secondary,
            )],
            buttons: vec![Button::new("Look again").key("F5"), Button::new("Connect…")],
        };
        quiet_ui(ui, theme, rect, face);
    });
}

#[test]
fn hostile_text_is_shown_escaped() {
    let mut state = state(Place::Keys);
    let page = state.keys.page.take().expect("a page");
    state.keys.page = Some(Arc::clone(&page));
    state.keys.filter = "key:\u{202e}gpj age>10x".to_owned();
    let mut memory = KeysMemory::default();
    check("filter", [760, 60], |ui, theme, rect| {
        keys_ui(ui, theme, rect, &state, &mut memory, &Commands::default());
    });
}

#[test]
fn a_picture_of_the_page_is_drawn_without_a_display() {
    let folder = std::env::temp_dir().join(format!("idem-picture-{}", std::process::id()));
    files::private_folder(&folder).expect("a folder");
    let path = folder.join("connect.png");
    // Nobody listens there: the page says so.
    let start = Start::plain(Some("redis://127.0.0.1:1"));
    take(start, View::Connect, [960, 600], &path).expect("a picture");
    let bytes = std::fs::read(&path).expect("the file");
    assert_eq!(bytes.get(..8), Some(&b"\x89PNG\r\n\x1a\n"[..]));
    let picture = image::load_from_memory(&bytes).expect("a picture");
    assert_eq!([picture.width(), picture.height()], [960, 600]);
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn every_view_stands_any_size() {
    let mut state = state(Place::Keys);
    state.keys.filter = "age>10x".to_owned();
    for size in [[1, 1], [90, 60], [320, 200], [480, 90], [2000, 160]] {
        let (mut keys, mut locks) = (KeysMemory::default(), LocksMemory::default());
        let mut record = RecordMemory::default();
        let mut draw = |ui: &mut Ui, theme: &Theme, rect: Rect| {
            let send = Commands::default();
            keys_ui(ui, theme, rect, &state, &mut keys, &send);
            locks_ui(ui, theme, rect, &state, &mut locks, &send);
            record_ui(ui, theme, rect, &state, &mut record, &send);
            settings_ui(ui, theme, rect, &state, &send);
            side_bar_ui(ui, theme, rect, &side_bar_data(&state), &send);
            top_bar_ui(ui, theme, rect, &top_bar_data(&state), &send);
            status_line_ui(ui, theme, rect, &status_data(&state), &send);
        };
        let pixels = drawn(crate::app::start::Theme::Dark, size, &mut draw);
        assert_eq!(pixels.len() as u32, size[0] * size[1]);
    }
}
