//! What a frame costs however many rows there are; `tests/run --long` asks a million.
//!
//! Apart from `window` because it draws by hand and prints what it measured.

mod support;

use std::path::Path;
use std::sync::Arc;

use egui::{Context, Event, Key, Modifiers, RawInput, Rect, Vec2};
use idemscope::app::{Program, Start};
use idemscope::sys::clock::Stopwatch;
use idemscope::ui::Window;
use support::process::{Folder, wait_for};

/// Far above what it takes in any build; a cost that grows with the rows breaks it.
const FRAME_MS_MAX: f64 = 250.0;

const MAKE: &str = "
    CREATE TABLE idempotency_keys (
        scope TEXT NOT NULL, key TEXT NOT NULL, created_at TIMESTAMP NOT NULL,
        expires_at TIMESTAMP NOT NULL, request_path TEXT NOT NULL, payload_hash TEXT NOT NULL,
        response_status INTEGER, response_body TEXT, locked_at TIMESTAMP, lock_until TIMESTAMP,
        owner TEXT, PRIMARY KEY (scope, key))";
const FILL: &str = "
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    INSERT INTO idempotency_keys
    SELECT 'user_' || (i % 5000), lower(hex(randomblob(16))),
        datetime('now', '-' || (i % 80000) || ' seconds'), datetime('now', '+1 day'),
        '/payments', lower(hex(randomblob(32))), 200, '{}', NULL, NULL, NULL FROM n";

fn fill(path: &Path, rows: i64) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let url = format!("sqlite://{}?mode=rwc", path.display());
        let pool = sqlx::SqlitePool::connect(&url).await.expect("a file");
        sqlx::query(MAKE).execute(&pool).await.expect("a table");
        let filled = sqlx::query(FILL).bind(rows).execute(&pool).await;
        filled.expect("rows");
        pool.close().await;
    });
}

struct Bare {
    ctx: Context,
    window: Window,
    frames: u32,
}

impl Bare {
    fn open(target: &str) -> Bare {
        let ctx = Context::default();
        let program = Program::start(Start::plain(Some(target)), Arc::new(|| {}));
        let window = Window::new(program.expect("a worker"), &ctx);
        Bare {
            ctx,
            window,
            frames: 0,
        }
    }

    /// Draws a frame; gives how long that took in ms.
    fn frame(&mut self, events: Vec<Event>) -> f64 {
        self.frames += 1;
        self.window.take_events(&self.ctx);
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(
                egui::Pos2::ZERO,
                Vec2::new(1440.0, 900.0),
            )),
            time: Some(f64::from(self.frames) / 60.0),
            events,
            ..RawInput::default()
        };
        let watch = Stopwatch::start();
        let mut output = self.ctx.run_ui(input, |ui| self.window.frame_ui(ui));
        let shapes = std::mem::take(&mut output.shapes);
        let ratio = output.pixels_per_point;
        let drawn = self.ctx.tessellate(shapes, ratio);
        let took = watch.elapsed().as_secs_f64() * 1000.0;
        assert!(!drawn.is_empty());
        output.drop_without_applying_deltas();
        took
    }

    fn mean(&mut self, frames: u32, key: Option<Key>) -> f64 {
        let press = |key| Event::Key {
            key,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        let total: f64 = (0..frames)
            .map(|_| self.frame(key.map(press).into_iter().collect()))
            .sum();
        total / f64::from(frames)
    }
}

#[test]
fn a_frame_costs_the_same_however_many_rows_there_are() {
    let rows: i64 = match (support::long(), cfg!(debug_assertions)) {
        (false, _) => 20_000,
        (true, true) => 200_000,
        (true, false) => 1_000_000,
    };
    let folder = Folder::new();
    let path = folder.join("many.sqlite");
    fill(&path, rows);
    let mut bare = Bare::open(&format!("sqlite:{}", path.display()));
    let opened = Stopwatch::start();
    wait_for("the first rows", || {
        bare.frame(Vec::new());
        (bare.window.state().keys.rows() > 0).then_some(())
    });
    let first = opened.elapsed();
    wait_for("all rows", || {
        bare.frame(Vec::new());
        (bare.window.state().keys.rows() == rows as u64).then_some(())
    });
    let all = opened.elapsed();
    let still = bare.mean(60, None);
    let paging = bare.mean(60, Some(Key::PageDown));
    bare.frame(Vec::new());
    bare.mean(1, Some(Key::End));
    bare.frame(Vec::new());
    assert_eq!(bare.window.state().keys.cursor, Some(rows as u64 - 1));
    println!(
        "{rows} rows: first after {first:.0?}, all after {all:.0?}; \
         a frame {still:.2} ms at rest, {paging:.2} ms paging"
    );
    assert!(still < FRAME_MS_MAX && paging < FRAME_MS_MAX);
}
