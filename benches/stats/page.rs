//! The page of statistics over a long log in a file: when the first figures are there, when all are,
//! and what a frame costs while attempts come.
//!
//! Apart from `stats` because it opens a window without a display.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use egui::{Context, RawInput, Rect, Vec2};
use idemscope::app::command::{Command, StatsCommand};
use idemscope::app::state::StatsWindow;
use idemscope::app::{Program, Start};
use idemscope::ui::Window;
use sqlx::SqlitePool;

/// Attempts that come each second, and for how long.
const A_SECOND: i64 = 10_000;
const SECONDS: i64 = 20;
const FRAME_MS: f64 = 8.0;

const MAKE: &str = "
    CREATE TABLE idempotency_attempts (
        id INTEGER PRIMARY KEY, at INTEGER NOT NULL, key_hash TEXT, scope TEXT, endpoint TEXT NOT NULL,
        client TEXT, attempt_no INTEGER, outcome TEXT NOT NULL, http_status INTEGER NOT NULL,
        duration_ms INTEGER, since_first_ms INTEGER, fingerprint TEXT, instance TEXT);
    CREATE INDEX attempts_at ON idempotency_attempts (at);
    CREATE TABLE idempotency_keys (
        scope TEXT NOT NULL, key TEXT NOT NULL, created_at TIMESTAMP NOT NULL,
        expires_at TIMESTAMP NOT NULL, request_path TEXT NOT NULL, payload_hash TEXT NOT NULL,
        response_status INTEGER, response_body TEXT, locked_at TIMESTAMP, lock_until TIMESTAMP,
        owner TEXT, PRIMARY KEY (scope, key));
    INSERT INTO idempotency_keys VALUES ('a', 'k', datetime('now'), datetime('now', '+1 day'),
        '/a', 'ab', 200, '{}', NULL, NULL, NULL)";
/// So many attempts, spread over so many milliseconds before a time.
const FILL: &str = "
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
    INSERT INTO idempotency_attempts (at, key_hash, scope, endpoint, client, attempt_no, outcome,
        http_status, duration_ms, since_first_ms, fingerprint, instance)
    SELECT ?2 - ?3 + i * ?3 / ?1, printf('%032x', ?4 + i / 2), 'user_' || (i % 5000),
        'POST /operation/' || (i / 2 % 20), 'client/' || (i % 6), 1 + i % 2,
        CASE WHEN i % 2 = 0 THEN 'executed' ELSE 'replayed' END, 201, 40, (i % 2) * (10 + i % 90000),
        printf('%016x', ?4 + i / 2), 'api-' || (i % 4) FROM n";

pub fn measure(attempts: u64) {
    let folder = std::env::temp_dir().join(format!("idemscope-stats-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("log.sqlite");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let pool = runtime.block_on(make(&path, attempts));
    let mut bare = Bare::open(&path);
    while bare.window.state().connection.store.value().is_none() {
        bare.frame();
        std::thread::sleep(Duration::from_millis(2));
    }
    first_figures(&mut bare, attempts);
    let stop = Arc::new(AtomicBool::new(false));
    let writing = runtime.spawn(write(pool.clone(), stop.clone()));
    frames(&mut bare);
    stop.store(true, Ordering::Relaxed);
    let written = runtime.block_on(writing).expect("a count");
    println!(
        "  {:.0} attempts a second were written",
        written as f64 / SECONDS as f64
    );
    runtime.block_on(pool.close());
    drop(bare);
    let _ = std::fs::remove_dir_all(&folder);
}

pub async fn make(path: &Path, attempts: u64) -> SqlitePool {
    let url = format!("sqlite://{}?mode=rwc", path.display());
    let pool = SqlitePool::connect(&url).await.expect("a file");
    for setting in ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = OFF"] {
        sqlx::query(setting)
            .execute(&pool)
            .await
            .expect("a setting");
    }
    sqlx::raw_sql(MAKE).execute(&pool).await.expect("tables");
    // All of them in the last hour but its last seconds.
    let begin = now_ms() - 10_000;
    add(&pool, attempts as i64, (begin, 3_400_000), 0).await;
    pool
}

async fn add(pool: &SqlitePool, attempts: i64, (end, span): (i64, i64), from: i64) {
    let fill = sqlx::query(FILL)
        .bind(attempts)
        .bind(end)
        .bind(span)
        .bind(from);
    fill.execute(pool).await.expect("rows");
}

/// Ten portions a second; gives how many were written.
async fn write(pool: SqlitePool, stop: Arc<AtomicBool>) -> i64 {
    let mut ticks = tokio::time::interval(Duration::from_millis(100));
    let mut written = 0;
    while !stop.load(Ordering::Relaxed) {
        ticks.tick().await;
        let from = (1 << 40) + written;
        add(&pool, A_SECOND / 10, (now_ms(), 100), from).await;
        written += A_SECOND / 10;
    }
    written
}

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(since.expect("a clock").as_millis()).expect("a time")
}

fn first_figures(bare: &mut Bare, attempts: u64) {
    let begun = Instant::now();
    bare.window.send(Command::Stats(StatsCommand::Show));
    bare.window
        .send(Command::Stats(StatsCommand::Window(StatsWindow::Hour)));
    let mut first = None;
    loop {
        bare.frame();
        let told = bare.window.state().stats.told.value();
        if told.is_some_and(|told| told.report.entries > 0) {
            first.get_or_insert_with(|| begun.elapsed());
        }
        if told.is_some_and(|told| told.complete) {
            break;
        }
        // A screen shows no more.
        std::thread::sleep(Duration::from_millis(16));
    }
    let (first, all) = (first.unwrap_or_default(), begun.elapsed());
    println!(
        "{attempts} attempts in a file: first figures after {first:.2?} ({:.2} of the limit of 1 s), \
         all after {all:.2?} ({:.2} of the limit of 30 s)",
        first.as_secs_f64(),
        all.as_secs_f64() / 30.0
    );
}

fn frames(bare: &mut Bare) {
    let mut costs = Vec::new();
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(SECONDS as u64) {
        costs.push(bare.frame());
        std::thread::sleep(Duration::from_millis(16));
    }
    costs.sort_by(f64::total_cmp);
    let of = |share: f64| costs[((costs.len() - 1) as f64 * share) as usize];
    println!(
        "the live page: median {:.2} ms, 99 % under {:.2} ms, most {:.2} ms a frame ({} frames, 99 % at \
         {:.2} of the limit of {FRAME_MS} ms)",
        of(0.5),
        of(0.99),
        of(1.0),
        costs.len(),
        of(0.99) / FRAME_MS
    );
}

/// Processor time of this thread so far: what others do on a busy machine does not count.
fn own_ms() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

struct Bare {
    ctx: Context,
    window: Window,
    frames: u32,
}

impl Bare {
    fn open(path: &Path) -> Bare {
        let ctx = Context::default();
        let mut start = Start::plain(Some(&format!("sqlite:{}", path.display())));
        if let Ok(settings) = &mut start.settings {
            settings.live_secs = 1;
        }
        let program = Program::start(start, Arc::new(|| {})).expect("a worker");
        let window = Window::new(program, &ctx);
        Bare {
            ctx,
            window,
            frames: 0,
        }
    }

    /// Draws a frame; gives how long that took in ms, taking what has come included.
    fn frame(&mut self) -> f64 {
        self.frames += 1;
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(
                egui::Pos2::ZERO,
                Vec2::new(1440.0, 900.0),
            )),
            time: Some(f64::from(self.frames) / 60.0),
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
