//! A foreground client: asks at a fixed rate and tells how long it waits.
//!
//! Apart from the benchmark because it runs in a process of its own, before ours: such a client does
//! not share a processor with an inspector.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Connection, PgConnection};

/// Questions in a window, and how many a second.
const ASKED: u32 = 2000;
const RATE: u32 = 2000;
/// Values that it asks for.
const VALUES: usize = 10_000;

/// p90 and p99 of a window.
pub fn foreign_probe(what: &[&str]) -> (Duration, Duration) {
    let output = Command::new("nice")
        .args(["-n", "-18", "taskset", "-c", "1"])
        .arg(std::env::current_exe().expect("a program"))
        .arg("--probe")
        .args(what)
        .output()
        .expect("a probe");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut nanos = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .map(Duration::from_nanos);
    (nanos.next().expect("p90"), nanos.next().expect("p99"))
}

/// Waits until the question of this number is due.
fn due(start: Instant, number: u32, rate: u32) {
    let due = Duration::from_secs(1) * number / rate;
    if let Some(wait) = due.checked_sub(start.elapsed()) {
        std::thread::sleep(wait);
    }
}

fn shares(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() * 90 / 100], times[times.len() * 99 / 100])
}

pub fn probe_redis(port: u16) -> (Duration, Duration) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a server");
    stream.set_nodelay(true).expect("a socket");
    let mut times = Vec::new();
    let mut buffer = vec![0; 1 << 12];
    let start = Instant::now();
    for number in 0..ASKED {
        due(start, number, RATE);
        let key = format!("cache:{}", number as usize * 7919 % VALUES);
        let command = format!("*2\r\n$3\r\nGET\r\n${}\r\n{key}\r\n", key.len());
        let sent = Instant::now();
        stream.write_all(command.as_bytes()).expect("room");
        let mut seen = 0;
        // `$300`, the value, and two ends of lines.
        while seen < 308 {
            let read = stream.read(&mut buffer[seen..]).expect("an answer");
            assert!(read > 0 && buffer.starts_with(b"$300"), "a value");
            seen += read;
        }
        times.push(sent.elapsed());
    }
    shares(times)
}

pub async fn probe_postgres(url: &str) -> (Duration, Duration) {
    let mut connection = PgConnection::connect(url).await.expect("a server");
    let sql = "SELECT key::text FROM idempotency_keys WHERE response_status IS NOT NULL LIMIT 2000";
    let keys: Vec<String> = sqlx::query_scalar(AssertSqlSafe(sql.to_owned()))
        .fetch_all(&mut connection)
        .await
        .expect("keys");
    let sql = "SELECT request_path FROM idempotency_keys WHERE key = $1::text::uuid";
    let mut times = Vec::new();
    let start = Instant::now();
    for number in 0..ASKED / 2 {
        due(start, number, RATE / 2);
        let sent = Instant::now();
        let key = &keys[number as usize * 7919 % keys.len()];
        let path: String = sqlx::query_scalar(sql)
            .bind(key)
            .fetch_one(&mut connection)
            .await
            .expect("a row");
        assert!(!path.is_empty());
        times.push(sent.elapsed());
    }
    shares(times)
}
