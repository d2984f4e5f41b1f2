//! Chaos in PostgreSQL: restarts, ended sessions, a standby that is promoted, a pooler and an SSH host
//! that go away, a TLS line that is cut.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Person;
use crate::laws::{self, Befell, Deed, State, Victim, size};
use crate::ssh::Way;
use crate::support::hold::Hold;
use crate::support::pooler::Pooler;
use crate::support::postgres::{Server, text_at};
use crate::support::process::wait_for;
use crate::support::replica::Replica;
use crate::support::wire::Proxy;
use crate::support::{seed, tls};
use crate::ways::{Breaks, pause};

const TABLE: &str = "DROP TABLE IF EXISTS idempotency_keys; CREATE TABLE idempotency_keys \
     (key text PRIMARY KEY, created_at timestamptz, locked_at timestamptz, request_path text, \
     response_status int, response_body text); \
     INSERT INTO idempotency_keys SELECT 'k' || n, now(), now() - interval '1 hour', '/p' \
     FROM generate_series(0, $last) n";
const STATE: &str = "SELECT string_agg(concat('public.idempotency_keys/', key, ' ', \
     CASE WHEN locked_at IS NULL THEN 'free ' ELSE 'held ' END, t::text), E'\\n') \
     FROM idempotency_keys t";
const HELD: &str = "SELECT count(*) FROM idempotency_keys WHERE locked_at IS NOT NULL";

fn table(count: usize) -> String {
    TABLE.replace("$last", &(count - 1).to_string())
}

fn sql(deed: Deed, number: usize) -> String {
    match deed {
        Deed::Finish => format!(
            "UPDATE idempotency_keys SET locked_at = NULL, response_status = 201, \
             response_body = 'made' WHERE key = 'k{number}'"
        ),
        Deed::Renew => {
            format!("UPDATE idempotency_keys SET locked_at = now() WHERE key = 'k{number}'")
        }
        Deed::Remove => format!("DELETE FROM idempotency_keys WHERE key = 'k{number}'"),
    }
}

fn state(text: Option<String>) -> State {
    let text = text.unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    pairs
        .map(|(at, text)| (at.to_owned(), text.to_owned()))
        .collect()
}

fn is_held(text: &str) -> bool {
    text.starts_with("held")
}

/// One server, and what breaks between it and us.
struct Behind<W> {
    server: Arc<Server>,
    way: W,
    words: Vec<String>,
    hold: Mutex<Option<Hold>>,
    /// Rows that somebody works on, where nothing ends their transactions.
    worked_on: Vec<String>,
}

impl<W: Breaks> Behind<W> {
    fn new(server: Arc<Server>, way: W, words: &[&str]) -> Behind<W> {
        Behind {
            server,
            way,
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            hold: Mutex::new(None),
            worked_on: Vec::new(),
        }
    }

    /// The same with rows that a running transaction holds.
    fn with_work(self) -> Behind<W> {
        Behind {
            worked_on: ["k3", "k70", "k199"].map(str::to_owned).to_vec(),
            ..self
        }
    }

    fn let_go(&self) {
        let mut hold = self.hold.lock().unwrap_or_else(PoisonError::into_inner);
        *hold = None;
    }
}

impl<W: Breaks> Victim for Behind<W> {
    fn words(&self) -> Vec<String> {
        self.words.clone()
    }

    fn fill(&self, count: usize) {
        self.server.execute("postgres", &table(count));
    }

    fn live(&self, deeds: &[(usize, Deed)]) {
        let is_free = |number: usize| !self.worked_on.contains(&format!("k{number}"));
        let deeds = deeds.iter().filter(|(number, _)| is_free(*number));
        let all: Vec<String> = deeds.map(|(number, deed)| sql(*deed, *number)).collect();
        self.server.execute("postgres", &all.join(";"));
        if !self.worked_on.is_empty() {
            let keys = self.worked_on.join("','");
            let work =
                format!("UPDATE idempotency_keys SET locked_at = now() WHERE key IN ('{keys}')");
            let mut hold = self.hold.lock().unwrap_or_else(PoisonError::into_inner);
            *hold = Some(self.server.hold("postgres", &work));
        }
    }

    fn state(&self) -> State {
        state(self.server.text("postgres", STATE))
    }

    fn held(&self) -> Option<usize> {
        text_at(self.server.port(), HELD)?.parse().ok()
    }

    fn is_held(&self, text: &str) -> bool {
        is_held(text)
    }

    fn alive(&self) -> Vec<String> {
        let address = |key: &String| format!("public.idempotency_keys/{key}");
        self.worked_on.iter().map(address).collect()
    }

    fn happen(&self, random: &mut fastrand::Rng) -> Befell {
        self.way.happen(random)
    }

    fn mend(&self) {
        self.way.mend();
        self.let_go();
    }
}

fn url(port: u16, more: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{port}/postgres?{more}")
}

fn both<W: Breaks>(person: &Person, victim: &Behind<W>, runs: usize, add: u64, count: usize) {
    let mut random = fastrand::Rng::with_seed(seed() + add);
    for _ in 0..runs {
        laws::release(person, victim, count, &mut random);
        laws::scan(person, victim, victim.state().len(), &mut random);
    }
}

/// The server itself.
struct Itself(Arc<Server>);

impl Breaks for Itself {
    fn happen(&self, random: &mut fastrand::Rng) -> Befell {
        match random.u8(0..3) {
            0 => {
                self.0.restart();
                Befell::only("the server was started anew")
            }
            1 => {
                let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                           WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
                let _ = text_at(self.0.port(), end);
                Befell::only("the sessions were ended")
            }
            _ => {
                self.0.stop();
                pause(random, 1_500);
                self.0.cont();
                Befell::only("the server stood still")
            }
        }
    }

    fn mend(&self) {
        wait_for("the server to answer", || {
            text_at(self.0.port(), "SELECT 1")
        });
    }
}

#[test]
fn a_release_and_a_scan_survive_what_befalls_the_server_of_the_rows() {
    let (runs, count) = size(1);
    let server = Arc::new(Server::start());
    let url = url(server.port(), "sslmode=disable");
    let victim = Behind::new(server.clone(), Itself(server), &[&url]);
    both(&Person::new(), &victim, runs, 4, count);
}

#[test]
fn a_release_and_a_scan_of_rows_survive_a_tls_line_that_is_cut() {
    let (runs, count) = size(1);
    let certificates = tls::Certificates::new();
    let ca = certificates.ca.display().to_string();
    let server = Server::options().tls(&certificates.server).start();
    let way = Proxy::before(server.port());
    let url = url(way.port(), &format!("sslmode=verify-full&sslrootcert={ca}"));
    let victim = Behind::new(Arc::new(server), way, &[&url]).with_work();
    both(&Person::new(), &victim, runs, 5, count);
}

#[test]
fn a_release_and_a_scan_of_rows_survive_what_befalls_an_ssh_host() {
    let (runs, count) = size(1);
    let (server, way) = (Server::start(), Way::new());
    let url = url(server.port(), "sslmode=disable");
    let victim = Behind::new(Arc::new(server), way, &[&url, "--ssh", "bastion"]).with_work();
    both(&victim.way.person, &victim, runs, 6, count);
}

impl Breaks for Pooler {
    fn happen(&self, random: &mut fastrand::Rng) -> Befell {
        match random.u8(0..2) {
            0 => {
                self.kill();
                pause(random, 1_500);
                self.restart();
                Befell::only("the pooler was started anew")
            }
            _ => {
                self.freeze();
                pause(random, 1_500);
                self.go_on();
                Befell::only("the pooler stood still")
            }
        }
    }

    fn mend(&self) {
        if !self.is_running() {
            self.restart();
        }
    }
}

#[test]
fn a_release_and_a_scan_survive_what_befalls_a_pooler() {
    let (runs, count) = size(1);
    let server = Server::start();
    let way = Pooler::before(&server);
    let url = url(way.port(), "sslmode=disable");
    let victim = Behind::new(Arc::new(server), way, &[&url]).with_work();
    both(&Person::new(), &victim, runs, 7, count);
}

/// A primary with a standby that takes its place.
struct Pair {
    now: Mutex<(Server, Replica)>,
    /// Whether the primary waits for its standby, so that nothing acknowledged is lost.
    waits: bool,
}

impl Pair {
    fn start(waits: bool) -> Pair {
        let primary = Server::options()
            .hba(
                "host replication all 127.0.0.1/32 trust\nlocal replication all trust\n\
                 host all all 127.0.0.1/32 trust",
            )
            .start();
        let replica = Replica::of(&primary);
        if waits {
            let settings = [
                "ALTER SYSTEM SET synchronous_standby_names = '*'",
                "SELECT pg_reload_conf()",
            ];
            primary.execute_all("postgres", &settings);
        }
        let now = Mutex::new((primary, replica));
        Pair { now, waits }
    }

    /// The port of whoever takes changes.
    fn port(&self) -> u16 {
        let now = self.now.lock().expect("no panic");
        [now.0.port(), now.1.port()]
            .into_iter()
            .find(|port| text_at(*port, "SELECT pg_is_in_recovery()").as_deref() == Some("false"))
            .expect("a primary")
    }

    fn until_replicated(&self) {
        let port = self.port();
        wait_for("the standby to have it all", || {
            let behind = "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= \
                          pg_current_wal_lsn()";
            (text_at(port, behind)? == "1").then_some(())
        });
    }
}

impl Victim for Pair {
    fn words(&self) -> Vec<String> {
        let now = self.now.lock().expect("no panic");
        let (first, second) = (now.0.port(), now.1.port());
        let url = format!(
            "postgres://postgres@127.0.0.1:{first},127.0.0.1:{second}/postgres?sslmode=disable\
             &target_session_attrs=read-write"
        );
        vec![url]
    }

    fn fill(&self, count: usize) {
        self.now
            .lock()
            .expect("no panic")
            .0
            .execute("postgres", &table(count));
        self.until_replicated();
    }

    fn live(&self, deeds: &[(usize, Deed)]) {
        let all: Vec<String> = deeds.iter().map(|(n, deed)| sql(*deed, *n)).collect();
        let now = self.now.lock().expect("no panic");
        now.0.execute("postgres", &all.join(";"));
        drop(now);
        self.until_replicated();
    }

    fn state(&self) -> State {
        state(text_at(self.port(), STATE))
    }

    fn held(&self) -> Option<usize> {
        let port = self.now.lock().expect("no panic").0.port();
        text_at(port, HELD)?.parse().ok()
    }

    fn is_held(&self, text: &str) -> bool {
        is_held(text)
    }

    fn happen(&self, random: &mut fastrand::Rng) -> Befell {
        let now = self.now.lock().expect("no panic");
        now.0.kill();
        pause(random, 800);
        let promoted = text_at(now.1.port(), "SELECT pg_promote()");
        assert_eq!(promoted.as_deref(), Some("true"));
        let (what, loses) = ("the standby was promoted".to_owned(), !self.waits);
        Befell { what, loses }
    }

    fn mend(&self) {}
}

#[test]
fn a_release_and_a_scan_survive_a_standby_that_is_promoted() {
    let mut random = fastrand::Rng::with_seed(seed() + 8);
    let (runs, count) = size(1);
    let person = Person::new();
    for run in 0..runs {
        let pair = Pair::start(run % 2 == 0);
        laws::release(&person, &pair, count, &mut random);
        let pair = Pair::start(true);
        pair.fill(count);
        laws::scan(&person, &pair, count, &mut random);
    }
}
