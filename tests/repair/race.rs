//! An operator and an application in the same records at the same time: what the application did
//! after it was seen stands, a lock with a sign of life stays, and every outcome is true.
//!
//! The application reads what was there in the same atomic step in which it writes, and each write
//! is unlike all others. So the steps of a record make a chain, and where two links do not fit the
//! operator has been between them: at most once, and only where it said so.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fastrand::Rng;
use idemscope::domain::change::{Change, Outcome, RowState};
use idemscope::domain::raw::RawAddress;
use idemscope::ops::Plan;
use tokio::sync::watch;

use crate::library::{Desk, outcome_of, target};
use crate::race_apps::{App, Deed, RedisApp, SqlApp, State, cell_text, piece_text};
use crate::support::cluster::Cluster;
use crate::support::process::{Folder, wait_for};
use crate::support::wire::{End, Plan as Wire, Proxy};
use crate::support::{long, postgres, redis, seed};

/// Records in a round, each an interleaving.
const RECORDS: usize = 20;

fn rounds() -> usize {
    if long() { 500 } else { 12 }
}

/// One atomic step of the application.
#[derive(Debug)]
struct Step {
    record: usize,
    deed: Deed,
    before: State,
    after: State,
}

/// What the application did in a round, and how far it is.
struct Shift<A> {
    app: A,
    random: Rng,
    steps: Vec<Step>,
    held: Option<(usize, State)>,
}

impl<A: App> Shift<A> {
    /// Something to a record, at random.
    fn act(&mut self) {
        let record = self.random.usize(0..RECORDS);
        if let Some((held, before)) = self.held.clone() {
            if self.random.u8(0..4) == 0 {
                self.let_go();
            } else if record == held {
                // The transaction is open: whoever holds a row does nothing else to it.
                assert_eq!(
                    self.app.held(record),
                    Some(before),
                    "a held row was touched"
                );
            }
            if record == held {
                return;
            }
        }
        let deed = match self.random.u8(0..9) {
            0..=2 => Deed::Complete,
            3 | 4 => Deed::Renew,
            5 => Deed::Claim,
            6 => Deed::Delete,
            7 => Deed::Look,
            _ => Deed::Hold,
        };
        if deed == Deed::Hold {
            if self.held.is_none()
                && let Some(state) = self.app.hold(record)
            {
                self.held = Some((record, state.clone()));
                self.steps.push(Step {
                    record,
                    deed,
                    before: state.clone(),
                    after: state,
                });
            }
            return;
        }
        let (before, after) = self.app.act(record, deed);
        self.steps.push(Step {
            record,
            deed,
            before,
            after,
        });
    }

    fn let_go(&mut self) {
        if let Some((record, before)) = self.held.take() {
            assert_eq!(
                self.app.held(record),
                Some(before),
                "a held row was touched"
            );
            self.app.let_go();
        }
    }
}

/// A store in which both work.
struct Field<A> {
    app: A,
    desk: Desk,
    proxy: Option<Proxy>,
    /// Bytes that a run sends and gets when nothing is in the way.
    usual: (u64, u64),
    /// What the release makes of a state.
    released: fn(&State) -> State,
}

#[derive(Default)]
struct Told {
    interleavings: usize,
    steps: usize,
    outcomes: BTreeMap<&'static str, usize>,
    cuts: usize,
}

impl Told {
    fn round(&mut self, steps: usize) {
        self.interleavings += RECORDS;
        self.steps += steps;
    }

    fn add(&mut self, word: &'static str) {
        *self.outcomes.entry(word).or_default() += 1;
    }
}

async fn race<A: App + Send + 'static>(name: &str, mut field: Field<A>) {
    let mut random = Rng::with_seed(seed());
    crate::tell(&format!("{name}: seed {}\n", seed()));
    let mut told = Told::default();
    for round in 0..rounds() {
        field = round_of(field, &mut random, &mut told, round).await;
    }
    let text = format!(
        "{name}: {} interleavings, {} steps of the application, {} cuts, {:?}, seed {}\n",
        told.interleavings,
        told.steps,
        told.cuts,
        told.outcomes,
        seed()
    );
    crate::tell(&text);
}

async fn round_of<A: App + Send + 'static>(
    mut field: Field<A>,
    random: &mut Rng,
    told: &mut Told,
    round: usize,
) -> Field<A> {
    let first: Vec<State> = (0..RECORDS)
        .map(|n| field.app.act(n, Deed::Claim).1)
        .collect();
    let wanted: Vec<_> = (0..RECORDS)
        .map(|n| (field.app.address(n), field.app.lives_until(n)))
        .collect();
    let many = random.usize(0..RECORDS * 3);
    let (planned_at, ran_at) = (random.usize(0..=many), random.usize(0..=many));
    let (did, mut done) = watch::channel(0);
    let mut shift = Shift {
        app: field.app,
        random: random.fork(),
        steps: Vec::new(),
        held: None,
    };
    let work = thread::Builder::new().name("application".to_owned());
    let work = work.spawn(move || {
        for _ in 0..many {
            for _ in 0..shift.random.u32(0..40_000) {
                std::hint::spin_loop();
            }
            shift.act();
            did.send_modify(|done| *done += 1);
        }
        shift
    });
    reached(&mut done, planned_at).await;
    let plan = field.desk.plan(wanted).await;
    reached(&mut done, planned_at.max(ran_at)).await;
    let (proxy, usual) = (field.proxy.as_ref(), &mut field.usual);
    let report = cut_run(&field.desk, proxy, usual, &plan, random, told).await;
    let mut shift = work.expect("a thread").join().expect("the application");
    shift.let_go();
    let last: Vec<State> = (0..RECORDS)
        .map(|n| shift.app.act(n, Deed::Look).0)
        .collect();
    let words = |address: &RawAddress| match &report {
        Some(report) => outcome_of(report, address),
        // It could not be opened: nothing was changed.
        None => (Outcome::NotReached, String::new()),
    };
    for record in 0..RECORDS {
        let address = shift.app.address(record);
        let (outcome, why) = words(&address);
        let of_it = |step: &&Step| step.record == record;
        let story = Story {
            first: &first[record],
            steps: shift.steps.iter().filter(of_it).collect(),
            last: &last[record],
            seen: seen(&plan, &address),
            released: field.released,
        };
        if let Err(wrong) = story.judge(outcome) {
            panic!("{wrong}; round {round}, record {record}: {outcome:?} ({why}), {story:#?}");
        }
        told.add(outcome.name(plan.verb()));
    }
    told.round(shift.steps.len());
    field.app = shift.app;
    field
}

/// Waits until the application has done so much.
async fn reached(done: &mut watch::Receiver<usize>, many: usize) {
    // An error says that it has ended.
    let _ = done.wait_for(|done| *done >= many).await;
}

/// Runs the plan, now and then over a line that is cut somewhere.
async fn cut_run(
    desk: &Desk,
    proxy: Option<&Proxy>,
    usual: &mut (u64, u64),
    plan: &Plan,
    random: &mut Rng,
    told: &mut Told,
) -> Option<idemscope::ops::Report> {
    let Some(proxy) = proxy else {
        return Some(desk.run_through(plan).await.expect("a run"));
    };
    if usual.0 == 0 || random.u8(0..4) > 0 {
        proxy.set(Wire::Pass);
        let report = desk.run_through(plan).await.expect("a run");
        *usual = (usual.0.max(proxy.seen().up), usual.1.max(proxy.seen().down));
        return Some(report);
    }
    let end = if random.bool() {
        End::Close
    } else {
        End::Reset
    };
    let (up, most) = if random.bool() {
        (true, usual.0)
    } else {
        (false, usual.1)
    };
    // Much of it is the opening; the changes come last.
    let first = if random.bool() { 0 } else { most - most / 4 };
    let after = random.u64(first..most.max(1));
    proxy.set(if up {
        Wire::CutUp { after, end }
    } else {
        Wire::CutDown { after, end }
    });
    told.cuts += 1;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let mend = || {
            wait_for("the cut", || {
                let seen = proxy.seen();
                let cut = if up { seen.up } else { seen.down } >= after;
                (cut || over.load(Ordering::SeqCst)).then_some(())
            });
            proxy.set(Wire::Pass);
        };
        let mender = thread::Builder::new().name("mender".to_owned());
        let mender = mender.spawn_scoped(scope, mend).expect("a thread");
        let run = tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(desk.run_through(plan))
        });
        over.store(true, Ordering::SeqCst);
        mender.join().expect("the line is whole");
        run.ok()
    })
}

/// What the plan saw of a record, in the application's words.
fn seen(plan: &Plan, address: &RawAddress) -> Option<State> {
    let item = plan.items().iter().find(|item| item.address == *address)?;
    Some(match &item.change {
        Change::Keys(pieces) => piece_text(&pieces[0].seen),
        Change::Row(row) => match &row.seen {
            RowState::Absent => None,
            RowState::Row { cells, .. } => {
                let text =
                    |name: &str| cell_text(&cells[row.shape.column(name).expect("a column")]);
                let names = ["payload_hash", "locked_at", "response_status"];
                Some(names.map(text).join("|"))
            }
        },
    })
}

/// A record's chain.
#[derive(Debug)]
struct Story<'s> {
    first: &'s State,
    steps: Vec<&'s Step>,
    last: &'s State,
    seen: Option<State>,
    released: fn(&State) -> State,
}

impl Story<'_> {
    fn judge(&self, outcome: Outcome) -> Result<(), String> {
        let mut links = Vec::new();
        let mut now = self.first;
        for step in &self.steps {
            if step.before != *now {
                links.push((now.clone(), step.before.clone()));
            }
            now = &step.after;
        }
        if self.last != now {
            links.push((now.clone(), self.last.clone()));
        }
        for (from, to) in &links {
            if self.seen.as_ref() != Some(from) {
                return Err(format!("{from:?} became {to:?}, and was not what was seen"));
            }
            if *to != (self.released)(from) {
                return Err(format!("{from:?} became {to:?}"));
            }
        }
        match (outcome, links.len()) {
            (Outcome::Done, 1) | (Outcome::Unknown, 0 | 1) => Ok(()),
            (Outcome::Done | Outcome::Unknown, many) => Err(format!("it was changed {many} times")),
            (_, 0) => self.is_true(outcome),
            _ => Err("it was changed and not said so".to_owned()),
        }
    }

    /// A word of what was not changed has its reason in the application's steps.
    fn is_true(&self, outcome: Outcome) -> Result<(), String> {
        let states = || {
            self.steps
                .iter()
                .flat_map(|step| [&step.before, &step.after])
        };
        let did = |deeds: &[Deed]| self.steps.iter().any(|step| deeds.contains(&step.deed));
        let fits = match outcome {
            Outcome::Gone => states().any(Option::is_none),
            Outcome::ChangedMeanwhile => states().any(|state| state != self.first),
            // A row is held for a moment by every transaction.
            Outcome::Alive => {
                did(&[Deed::Renew, Deed::Claim, Deed::Hold]) || !self.steps.is_empty()
            }
            Outcome::Refused => did(&[Deed::Complete, Deed::Renew]),
            _ => true,
        };
        match fits {
            true => Ok(()),
            false => Err("nothing that the application did is a reason for that".to_owned()),
        }
    }
}

/// Slots stay where they are: Redis moves a key with the rest of its life, so that its expiry is another
/// one by a millisecond, which is no step of the application.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_a_redis_cluster() {
    let cluster = tokio::task::block_in_place(|| Cluster::start(0));
    let mut app = RedisApp::new(cluster.client());
    app.act(0, Deed::Claim);
    let url = target(&cluster.url());
    let field = Field {
        app,
        desk: Desk::open(&url, url.clone(), LIBRARY).await,
        proxy: None,
        usual: (0, 0),
        released: |_| None,
    };
    race("a redis cluster", field).await;
}

const LIBRARY: &str = "node-idempotency";
const TABLE: &str = "uuid-key-locked-at";

async fn in_redis(name: &str, server: redis::Server, login: &str) {
    let mut app = RedisApp::new(server.connection());
    app.act(0, Deed::Claim);
    let proxy = Proxy::before(server.port());
    let changes = target(&format!("redis://{login}127.0.0.1:{}", proxy.port()));
    let field = Field {
        app,
        desk: Desk::open(&target(&server.url()), changes, LIBRARY).await,
        proxy: Some(proxy),
        usual: (0, 0),
        released: |_| None,
    };
    race(name, field).await;
}

fn unlocked(state: &State) -> State {
    let state = state.as_ref()?;
    let parts: Vec<&str> = state.split('|').collect();
    Some(format!("{}||{}", parts[0], parts[2]))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_redis_by_a_script() {
    in_redis("redis by a script", redis::Server::start(), "").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_redis_without_scripts() {
    let operator = "user operator on >secret ~* -@all +get +set +unlink +pexpireat +persist +watch \
        +unwatch +multi +exec +pexpiretime +time +type +strlen +getrange +ping +info";
    let acl = format!("user default on nopass ~* &* +@all\n{operator}");
    let server = redis::Server::options().acl(&acl).start();
    in_redis("redis by WATCH", server, "operator:secret@").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_postgres() {
    let server = postgres::Server::start();
    let database = server.create_database();
    let mut app = SqlApp::in_postgres(&server, &database);
    app.act(0, Deed::Claim);
    let proxy = Proxy::before(server.port());
    let changes = format!(
        "postgres://postgres@127.0.0.1:{}/{database}?sslmode=disable",
        proxy.port()
    );
    let reads = target(&server.database_url(&database));
    let field = Field {
        app,
        desk: Desk::open(&reads, target(&changes), TABLE).await,
        proxy: Some(proxy),
        usual: (0, 0),
        released: unlocked,
    };
    race("postgres", field).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_sqlite() {
    let folder = Folder::new();
    let file = folder.join("shop.db");
    let mut app = SqlApp::in_sqlite(&file);
    app.act(0, Deed::Claim);
    let url = format!("sqlite:{}", file.display());
    let field = Field {
        app,
        desk: Desk::open(&target(&url), target(&url), TABLE).await,
        proxy: None,
        usual: (0, 0),
        released: unlocked,
    };
    race("sqlite", field).await;
}
