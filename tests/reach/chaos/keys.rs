//! Chaos in Redis: sentinels that fail over, a TLS line that is cut, an SSH host that goes away.

use redis::Connection;

use crate::laws::{self, Befell, Deed, State, Victim, size};
use crate::ssh::Way;
use crate::support::sentinel::Watched;
use crate::support::wire::Proxy;
use crate::support::{redis as server, seed, tls};
use crate::ways::Breaks;
use crate::{Person, lock, locks};
use idemscope::domain::raw::{KeyType, KeyValue};

fn fill(connection: &mut Connection, count: usize) {
    redis::cmd("FLUSHALL").exec(connection).expect("emptied");
    locks(connection, count);
}

fn live(connection: &mut Connection, deeds: &[(usize, Deed)]) {
    for (number, deed) in deeds {
        let key = lock(*number);
        let command = match deed {
            Deed::Finish => redis::Cmd::new()
                .arg("SET")
                .arg(key)
                .arg(r#"{"status":201}"#)
                .arg("KEEPTTL")
                .to_owned(),
            Deed::Renew => redis::Cmd::new()
                .arg("PEXPIRE")
                .arg(key)
                .arg(86_400_000)
                .to_owned(),
            Deed::Remove => redis::Cmd::new().arg("DEL").arg(key).to_owned(),
        };
        command.exec(connection).expect("a deed");
    }
}

pub fn state(connection: &mut Connection) -> State {
    let names: Vec<String> = redis::cmd("KEYS")
        .arg("*")
        .query(connection)
        .expect("names");
    let mut pipe = redis::pipe();
    for name in &names {
        pipe.cmd("GET").arg(name).cmd("PEXPIRETIME").arg(name);
    }
    let answers: Vec<redis::Value> = match names.is_empty() {
        true => Vec::new(),
        false => pipe.query(connection).expect("values"),
    };
    let text = |pair: &[redis::Value]| format!("{pair:?}");
    names.into_iter().zip(answers.chunks(2).map(text)).collect()
}

pub fn held(connection: redis::RedisResult<Connection>) -> Option<usize> {
    redis::cmd("DBSIZE").query(&mut connection.ok()?).ok()
}

pub fn is_held(text: &str) -> bool {
    // Bytes are told as text by the library.
    text.contains("processing")
}

/// A primary that sentinels watch.
struct Sentinels {
    watched: Watched,
}

impl Victim for Sentinels {
    fn words(&self) -> Vec<String> {
        vec![self.watched.url()]
    }

    fn fill(&self, count: usize) {
        let mut connection = self.watched.servers[self.watched.primary()].connection();
        fill(&mut connection, count);
        self.watched.until_replicated(&mut connection);
    }

    fn live(&self, deeds: &[(usize, Deed)]) {
        let mut connection = self.watched.servers[self.watched.primary()].connection();
        live(&mut connection, deeds);
        self.watched.until_replicated(&mut connection);
    }

    fn state(&self) -> State {
        state(&mut self.watched.servers[self.watched.primary()].connection())
    }

    fn held(&self) -> Option<usize> {
        held(self.watched.servers[self.watched.primary()].try_connection())
    }

    fn is_held(&self, text: &str) -> bool {
        is_held(text)
    }

    fn happen(&self, random: &mut fastrand::Rng) -> Befell {
        let primary = &self.watched.servers[self.watched.primary()];
        let (what, loses) = match random.u8(0..4) {
            0 => {
                primary.kill();
                ("the primary was killed", true)
            }
            1 => {
                primary.stop();
                self.watched.until_replaced(primary.port());
                primary.cont();
                ("the primary was frozen and replaced", true)
            }
            2 => {
                primary.stop();
                std::thread::sleep(std::time::Duration::from_millis(random.u64(50..1000)));
                primary.cont();
                ("the primary was frozen for a moment", true)
            }
            _ => {
                if self.watched.order_failover() {
                    self.watched.until_replaced(primary.port());
                }
                ("the sentinels were told to fail over", true)
            }
        };
        let what = what.to_owned();
        Befell { what, loses }
    }

    fn mend(&self) {
        self.watched.mend();
    }
}

#[test]
fn a_release_survives_what_befalls_a_primary_under_sentinels() {
    let mut random = fastrand::Rng::with_seed(seed());
    let (runs, count) = size(1);
    let watched = Watched::start_quick();
    let (person, victim) = (Person::new(), Sentinels { watched });
    for _ in 0..runs {
        laws::release(&person, &victim, count, &mut random);
    }
}

#[test]
fn a_scan_survives_what_befalls_a_primary_under_sentinels() {
    let mut random = fastrand::Rng::with_seed(seed() + 1);
    let (runs, count) = size(1);
    let watched = Watched::start_quick();
    let (person, victim) = (Person::new(), Sentinels { watched });
    victim.fill(count);
    for _ in 0..runs {
        laws::scan(&person, &victim, count, &mut random);
    }
}

/// The cursor of one server says nothing at another.
#[tokio::test(flavor = "multi_thread")]
async fn a_walk_that_another_primary_goes_on_with_misses_nothing() {
    let count = 1_500;
    let watched = tokio::task::block_in_place(Watched::start_quick);
    let victim = Sentinels { watched };
    tokio::task::block_in_place(|| victim.fill(count));
    let target = crate::cluster::target(&victim.watched.url(), "");
    let store = idemscope::stores::open(&target).await.expect("a primary");
    let names = crate::cluster::walked(&store, |turn| {
        if turn == 6 {
            victim.watched.fail_over();
        }
    })
    .await;
    assert_eq!(names.len(), count);
}

#[tokio::test(flavor = "multi_thread")]
async fn members_that_another_primary_goes_on_with_are_all_seen() {
    let count = 3_000;
    let watched = tokio::task::block_in_place(Watched::start_quick);
    let victim = Sentinels { watched };
    let kinds = [KeyType::Hash, KeyType::Set, KeyType::SortedSet];
    let target = crate::cluster::target(&victim.watched.url(), "");
    let store = idemscope::stores::open(&target).await.expect("a primary");
    for kind in kinds {
        tokio::task::block_in_place(|| {
            victim.mend();
            let primary = &victim.watched.servers[victim.watched.primary()];
            let mut connection = primary.connection();
            fill_collections(&mut connection, count);
            victim.watched.until_replicated(&mut connection);
        });
        let name = format!("all:{kind:?}");
        let mut seen = std::collections::BTreeSet::new();
        let mut cursor = Some(0);
        let mut turn = 0;
        while let Some(at) = cursor {
            if turn == 6 {
                tokio::task::block_in_place(|| victim.watched.fail_over());
            }
            turn += 1;
            let page = store.members(name.as_bytes(), kind, at, 50).await;
            let page = page.expect("a page");
            seen.extend(members_of(page.value));
            cursor = page.next;
        }
        assert_eq!(seen.len(), count, "{kind:?} in {turn} turns");
    }
}

/// A hash, a set and a sorted set, too large to be answered in one step.
fn fill_collections(connection: &mut Connection, count: usize) {
    let mut pipeline = redis::pipe();
    for at in 0..count {
        let member = format!("member-{at}-{}", "x".repeat(80));
        pipeline.hset("all:Hash", &member, at).ignore();
        pipeline.sadd("all:Set", &member).ignore();
        pipeline.zadd("all:SortedSet", &member, at).ignore();
    }
    pipeline.exec(connection).expect("members");
}

fn members_of(value: KeyValue) -> Vec<Vec<u8>> {
    match value {
        KeyValue::Hash { fields, .. } => fields.into_iter().map(|(name, _)| name).collect(),
        KeyValue::Set { members, .. } => members,
        KeyValue::SortedSet { members, .. } => members.into_iter().map(|(name, _)| name).collect(),
        other => panic!("{other:?}"),
    }
}

/// One server behind something that breaks.
struct Behind<W> {
    server: server::Server,
    way: W,
    words: Vec<String>,
}

impl<W: Breaks> Victim for Behind<W> {
    fn words(&self) -> Vec<String> {
        self.words.clone()
    }

    fn fill(&self, count: usize) {
        fill(&mut self.server.connection(), count);
    }

    fn live(&self, deeds: &[(usize, Deed)]) {
        live(&mut self.server.connection(), deeds);
    }

    fn state(&self) -> State {
        state(&mut self.server.connection())
    }

    fn held(&self) -> Option<usize> {
        held(self.server.try_connection())
    }

    fn is_held(&self, text: &str) -> bool {
        is_held(text)
    }

    fn happen(&self, random: &mut fastrand::Rng) -> Befell {
        self.way.happen(random)
    }

    fn mend(&self) {
        self.way.mend();
    }
}

#[test]
fn a_release_and_a_scan_survive_a_tls_line_that_is_cut() {
    let mut random = fastrand::Rng::with_seed(seed() + 2);
    let (runs, count) = size(1);
    let certificates = tls::Certificates::new();
    let ca = certificates.ca.display().to_string();
    let server = server::Server::options().tls(&certificates.server).start();
    let way = Proxy::before(server.port());
    let url = format!("rediss://127.0.0.1:{}", way.port());
    let words = [url, "--ca".to_owned(), ca].to_vec();
    let (person, victim) = (Person::new(), Behind { server, way, words });
    for _ in 0..runs {
        laws::release(&person, &victim, count, &mut random);
        laws::scan(&person, &victim, victim.state().len(), &mut random);
    }
}

#[test]
fn a_release_and_a_scan_survive_what_befalls_an_ssh_host() {
    let mut random = fastrand::Rng::with_seed(seed() + 3);
    let (runs, count) = size(1);
    let (server, way) = (server::Server::start(), Way::new());
    let words = [server.url(), "--ssh".to_owned(), "bastion".to_owned()].to_vec();
    let victim = Behind { server, way, words };
    for _ in 0..runs {
        laws::release(&victim.way.person, &victim, count, &mut random);
        laws::scan(
            &victim.way.person,
            &victim,
            victim.state().len(),
            &mut random,
        );
    }
}
