//! A cluster that fails over, moves slots and loses lines in the middle of a bulk release and of a scan:
//! nothing is listed twice, nothing is touched that changed meanwhile, and every record has its word.

use crate::cluster::{crc, target, walked};
use crate::keys::{held, is_held, state};
use crate::laws::{self, Befell, Deed, State, Victim, size};
use crate::support::cluster::{Cluster, info};
use crate::support::process;
use crate::support::redis::Server;
use crate::support::{long, seed};
use crate::{Person, lock, locks};

/// What befalls the cluster while a run is under way.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    Kill,
    Freeze,
    FailOver,
    MoveSlots,
}

const TROUBLES: [Trouble; 4] = [
    Trouble::Kill,
    Trouble::Freeze,
    Trouble::FailOver,
    Trouble::MoveSlots,
];

fn happen(cluster: &Cluster, trouble: Trouble, random: &mut fastrand::Rng) {
    let slot = crc(&lock(random.usize(0..100)));
    let node = cluster.owner(slot);
    match trouble {
        Trouble::Kill => {
            cluster.nodes[node].kill();
            // Back before it was replaced it would come back empty, and its replica with it.
            cluster.owner(slot);
        }
        Trouble::Freeze => {
            cluster.nodes[node].stop();
            std::thread::sleep(std::time::Duration::from_millis(random.u64(50..1500)));
            cluster.nodes[node].cont();
        }
        Trouble::FailOver => {
            let replica = cluster.nodes.iter().find(|replica| {
                replica.is_running()
                    && info(replica, "replication")
                        .contains(&format!("master_port:{}", cluster.nodes[node].port()))
            });
            if let Some(replica) = replica {
                crate::support::cluster::query(replica, &["CLUSTER", "FAILOVER"]);
            }
        }
        Trouble::MoveSlots => {
            for _ in 0..5 {
                let slot = crc(&lock(random.usize(0..1000)));
                let from = cluster.owner(slot);
                let others = (0..cluster.nodes.len()).filter(|other| {
                    *other != from
                        && cluster.nodes[*other].is_running()
                        && info(&cluster.nodes[*other], "replication").contains("role:master")
                });
                if let Some(to) = others.into_iter().next() {
                    // Whoever is replaced meanwhile moves no more.
                    let _ = cluster.try_to_move_slot(slot, to);
                }
            }
        }
    }
}

/// Brings back what was killed, so that the next run has a whole cluster.
fn mend(cluster: &Cluster) {
    for node in &cluster.nodes {
        if !node.is_running() {
            node.restart();
        }
    }
    cluster.until_whole();
    process::wait_for("every primary to have a replica", || {
        let linked = cluster.nodes.iter().filter(|node| {
            let told = info(node, "replication");
            told.contains("role:slave") && told.contains("master_link_status:up")
        });
        (linked.count() >= 3).then_some(())
    });
}

/// A cluster whose locks say themselves how old they are and never expire: a key that moves to another node
/// keeps the rest of its life, so that its expiry is another one by a millisecond.
struct Nodes {
    cluster: Cluster,
}

fn held_since(ms: i64) -> String {
    format!(r#"{{"status":"processing","created_at":{ms}}}"#)
}

fn hour_ago() -> i64 {
    idemscope::sys::clock::now().millis() - 3_600_000
}

impl Nodes {
    fn primaries(&self) -> impl Iterator<Item = &Server> {
        let nodes = self.cluster.nodes.iter();
        nodes.filter(|node| node.is_running() && info(node, "replication").contains("role:master"))
    }

    /// Waits until the replicas have all that was written.
    fn until_replicated(&self) {
        for primary in self.primaries() {
            process::wait_for("a replica to have it all", || {
                let told = info(primary, "replication");
                let of = |name: &str| {
                    let line = told.lines().find_map(|line| line.strip_prefix(name))?;
                    let number = line.rsplit(['=', ':']).next()?;
                    number.split(',').next()?.trim().parse::<u64>().ok()
                };
                let replica = told.lines().find(|line| line.starts_with("slave0:"))?;
                let has = replica
                    .split(',')
                    .find_map(|part| part.strip_prefix("offset="))?;
                (has.trim().parse::<u64>().ok()? >= of("master_repl_offset:")?).then_some(())
            });
        }
    }

    fn set(&self, number: usize, text: &str) {
        let mut set = redis::cmd("SET");
        let set = set.arg(lock(number)).arg(text);
        set.exec(&mut self.cluster.client()).expect("written");
    }
}

impl Victim for Nodes {
    fn words(&self) -> Vec<String> {
        vec![self.cluster.url()]
    }

    fn fill(&self, count: usize) {
        self.mend();
        self.cluster.empty();
        let (mut client, text) = (self.cluster.client(), held_since(hour_ago()));
        for number in 0..count {
            let mut set = redis::cmd("SET");
            let set = set.arg(lock(number)).arg(&text);
            set.exec(&mut client).expect("written");
        }
        self.until_replicated();
    }

    fn live(&self, deeds: &[(usize, Deed)]) {
        for (number, deed) in deeds {
            match deed {
                Deed::Finish => self.set(*number, r#"{"status":"completed","code":201}"#),
                Deed::Renew => self.set(*number, &held_since(hour_ago() + 3_600_000)),
                Deed::Remove => redis::cmd("DEL")
                    .arg(lock(*number))
                    .exec(&mut self.cluster.client())
                    .expect("removed"),
            }
        }
        self.until_replicated();
    }

    fn state(&self) -> State {
        let all = self.primaries().map(|node| state(&mut node.connection()));
        all.flatten().collect()
    }

    fn held(&self) -> Option<usize> {
        let counts = self.primaries().map(|node| held(node.try_connection()));
        counts.sum()
    }

    fn is_held(&self, text: &str) -> bool {
        is_held(text)
    }

    fn happen(&self, random: &mut fastrand::Rng) -> Befell {
        let trouble = TROUBLES[random.usize(0..TROUBLES.len())];
        happen(&self.cluster, trouble, random);
        Befell {
            what: format!("{trouble:?}"),
            // A node that stood still may have been replaced; one that is told to hand over waits for it.
            loses: matches!(trouble, Trouble::Kill | Trouble::Freeze),
        }
    }

    fn mend(&self) {
        mend(&self.cluster);
    }
}

#[test]
fn a_bulk_release_survives_what_befalls_the_cluster() {
    let mut random = fastrand::Rng::with_seed(seed());
    let (runs, count) = size(4);
    let nodes = Nodes {
        cluster: Cluster::start(1),
    };
    let person = Person::new();
    for _ in 0..runs {
        laws::release(&person, &nodes, count, &mut random);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_survives_what_befalls_the_cluster() {
    let mut random = fastrand::Rng::with_seed(seed());
    let runs = if long() { 50 } else { 3 };
    let cluster = tokio::task::block_in_place(|| Cluster::start(1));
    let count = 1000;
    tokio::task::block_in_place(|| locks(&mut cluster.client(), count));
    for run in 0..runs {
        tokio::task::block_in_place(|| mend(&cluster));
        // Written before the trouble, and at the replicas too.
        let store = idemscope::stores::open(&target(&cluster.url(), ""))
            .await
            .expect("a cluster");
        let trouble = TROUBLES[(run + 1) % TROUBLES.len()];
        let at = random.usize(0..8);
        let names = walked(&store, |turn| {
            if turn == at {
                happen(&cluster, trouble, &mut random);
            }
        })
        .await;
        assert_eq!(
            names.len(),
            count,
            "run {run}, {trouble:?}, seed {}",
            seed()
        );
    }
}
