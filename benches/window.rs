//! What a frame costs: at rest, scrolling, while rows stream in, with payloads of megabytes.
//!
//! `IDEMSCOPE_BENCH_ROWS` sets the number of rows (1 000 000; the limits are meant for 10 000 000).
//! Counted is our own time of the processor: laying out and cutting into triangles, at 1440×900.
//! Limits: 1 ms at rest, 3 ms scrolling, no frame over 16 ms.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark measures and prints"
)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{Context, Event, Key, Modifiers, MouseWheelUnit, RawInput, Rect, Vec2};
use idemscope::app::command::{Command, LocksCommand, RecordCommand};
use idemscope::app::state::{Form, Tab};
use idemscope::app::{Program, Start};
use idemscope::ui::Window;

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
const PUT: &str = "
    INSERT INTO idempotency_keys VALUES ('user_1', ?, datetime('now'), datetime('now', '+1 day'),
        '/payments', 'ab', 200, ?, NULL, NULL, NULL)";

fn main() {
    let rows: i64 = std::env::var("IDEMSCOPE_BENCH_ROWS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_000_000);
    let folder = std::env::temp_dir().join(format!("idemscope-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    many_rows(&folder, rows);
    large_payloads(&folder);
    let _ = std::fs::remove_dir_all(&folder);
}

fn many_rows(folder: &Path, rows: i64) {
    let path = folder.join("many.sqlite");
    fill(&path, |pool| {
        Box::pin(async move {
            sqlx::query(FILL)
                .bind(rows)
                .execute(&pool)
                .await
                .expect("rows");
        })
    });
    let mut bare = Bare::open(&path);
    let started = Instant::now();
    let mut first = None;
    let mut streaming = Costs::default();
    loop {
        streaming.add(bare.frame(Vec::new()));
        let shown = bare.window.state().keys.rows();
        if shown > 0 && first.is_none() {
            first = Some(started.elapsed());
        }
        if shown == rows as u64 {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    println!(
        "{rows} rows: first after {:.0?}, all after {:.0?}",
        first.unwrap_or_default(),
        started.elapsed()
    );
    streaming.print("while they stream in", 16.0);
    bare.of(120, |_| Vec::new()).print("at rest", 1.0);
    bare.of(120, |_| vec![press(Key::PageDown)])
        .print("paging", 3.0);
    bare.of(240, |_| vec![wheel(-37.0)]).print("scrolling", 3.0);
    bare.send(Command::Record(RecordCommand::Open));
    bare.settle();
    bare.of(120, |_| Vec::new())
        .print("at rest with a record open", 1.0);
    bare.send(Command::Locks(LocksCommand::Show));
    bare.settle();
    bare.of(120, |_| Vec::new()).print("the view of locks", 1.0);
}

fn large_payloads(folder: &Path) {
    let path = folder.join("large.sqlite");
    let item = r#"{"sku":"A-1","amount":4900.10,"note":"some words of a usual length"},"#;
    let tree = format!("[{}{{}}]", item.repeat((50 << 20) / item.len()));
    let smaller = format!("[{}{{}}]", item.repeat((15 << 20) / item.len()));
    let line = "x".repeat(1 << 20);
    let bodies = [
        ("a-tree-50", tree),
        ("b-tree-15", smaller),
        ("c-line-1", line),
    ];
    fill(&path, |pool| {
        Box::pin(async move {
            for (key, body) in &bodies {
                let put = sqlx::query(PUT).bind(key).bind(body);
                put.execute(&pool).await.expect("a row");
            }
        })
    });
    let mut bare = Bare::open(&path);
    bare.settle();
    for _ in 0..3 {
        bare.send(Command::Record(RecordCommand::Open));
        let key = idemscope::app::view::open_record(bare.window.state());
        let name = key.and_then(|(record, _)| record.idempotency_key);
        println!("payload {}", name.unwrap_or_default());
        for tab in [Tab::Response, Tab::Raw] {
            for form in Form::ALL {
                let started = own_ms();
                bare.send(Command::Record(RecordCommand::Tab(tab)));
                bare.send(Command::Record(RecordCommand::Form(form)));
                let mut costs = Costs::default();
                // A command is taken between two frames: it counts as one of them.
                costs.add(own_ms() - started);
                costs.merge(bare.settle());
                costs.merge(bare.of(20, |_| vec![wheel(-900.0)]));
                costs.print(&format!("{tab:?} as {form:?}"), 16.0);
            }
        }
        let mut costs = Costs::default();
        costs.add(bare.frame(vec![press(Key::ArrowDown)]));
        costs.merge(bare.settle());
        costs.print("to the next record", 16.0);
    }
}

fn press(key: Key) -> Event {
    Event::Key {
        key,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::NONE,
    }
}

fn wheel(points: f32) -> Event {
    Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: Vec2::new(0.0, points),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    }
}

type Filling = std::pin::Pin<Box<dyn Future<Output = ()>>>;

fn fill(path: &Path, rows: impl FnOnce(sqlx::SqlitePool) -> Filling) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let url = format!("sqlite://{}?mode=rwc", path.display());
        let pool = sqlx::SqlitePool::connect(&url).await.expect("a file");
        sqlx::query("PRAGMA synchronous = OFF")
            .execute(&pool)
            .await
            .expect("a setting");
        sqlx::query(MAKE).execute(&pool).await.expect("a table");
        rows(pool.clone()).await;
        pool.close().await;
    });
}

/// Processor time of this thread so far: what others do on a busy machine does not count.
fn own_ms() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Times of frames in ms.
#[derive(Default)]
struct Costs(Vec<f64>);

impl Costs {
    fn add(&mut self, ms: f64) {
        self.0.push(ms);
    }

    fn merge(&mut self, other: Costs) {
        self.0.extend(other.0);
    }

    fn print(&mut self, what: &str, limit: f64) {
        self.0.sort_by(f64::total_cmp);
        let of = |share: f64| self.0[((self.0.len() - 1) as f64 * share) as usize];
        println!(
            "  {what}: median {:.2} ms, 99 % under {:.2} ms, most {:.2} ms (limit {limit} ms, \
             {} frames, median at {:.2} of it)",
            of(0.5),
            of(0.99),
            of(1.0),
            self.0.len(),
            of(0.5) / limit,
        );
    }
}

struct Bare {
    ctx: Context,
    window: Window,
    frames: u32,
}

impl Bare {
    fn open(path: &Path) -> Bare {
        let ctx = Context::default();
        let target = format!("sqlite:{}", path.display());
        let mut start = Start::plain(Some(&target));
        // Reading again would be measured as well.
        if let Ok(settings) = &mut start.settings {
            settings.live_secs = 0;
        }
        let program = Program::start(start, Arc::new(|| {})).expect("a worker");
        let window = Window::new(program, &ctx);
        Bare {
            ctx,
            window,
            frames: 0,
        }
    }

    fn send(&mut self, command: Command) {
        self.window.send(command);
    }

    /// Draws until nothing is on its way.
    fn settle(&mut self) -> Costs {
        let mut costs = Costs::default();
        for _ in 0..4 {
            costs.add(self.frame(Vec::new()));
        }
        while !self.window.is_settled() {
            costs.add(self.frame(Vec::new()));
            std::thread::sleep(Duration::from_millis(2));
        }
        costs
    }

    fn of(&mut self, frames: usize, events: impl Fn(usize) -> Vec<Event>) -> Costs {
        let mut costs = Costs::default();
        for at in 0..frames {
            costs.add(self.frame(events(at)));
        }
        costs
    }

    /// Draws a frame; gives how long that took in ms, taking what has come included.
    fn frame(&mut self, mut events: Vec<Event>) -> f64 {
        self.frames += 1;
        events.insert(0, Event::PointerMoved(egui::pos2(700.0, 500.0)));
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(
                egui::Pos2::ZERO,
                Vec2::new(1440.0, 900.0),
            )),
            time: Some(f64::from(self.frames) / 60.0),
            events,
            ..RawInput::default()
        };
        let start = own_ms();
        self.window.take_events(&self.ctx);
        let mut output = self.ctx.run_ui(input, |ui| self.window.frame_ui(ui));
        let shapes = std::mem::take(&mut output.shapes);
        let drawn = self.ctx.tessellate(shapes, output.pixels_per_point);
        let took = own_ms() - start;
        assert!(!drawn.is_empty());
        output.drop_without_applying_deltas();
        took
    }
}
