//! Which node of a cluster has which slots, as a node tells it.
//!
//! Pure: text in, map out. Source: the documentation of `CLUSTER NODES`. What cannot be read of a
//! line is left out; the number of nodes is bounded.

use std::net::IpAddr;

use super::slots::SLOTS;
use crate::stores::target::{Endpoint, Look};

/// Lines that are read; the largest clusters that people run have a thousand nodes.
const NODES_MAX: usize = 2_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub id: String,
    pub endpoint: Endpoint,
    /// The other way to say it: nodes tell each other's address where a name is known, too.
    pub alias: Option<Endpoint>,
    /// The primary that it follows; `None` for a primary.
    pub follows: Option<String>,
    pub is_up: bool,
    /// From and to, both in it.
    pub ranges: Vec<(u16, u16)>,
}

/// The node that tells, and which slots are on their way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    pub id: String,
    /// Still its own.
    pub leaving: Vec<u16>,
    /// Not yet its own.
    pub coming: Vec<u16>,
}

/// A picture of the cluster, from one node's view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    pub nodes: Vec<Node>,
    /// What the node that was asked says of itself.
    pub own: Option<Own>,
    /// By slot, the place in `nodes` of its primary, or more than there are.
    owners: Vec<u16>,
    /// By place in `nodes`, which of the primaries it is; of others nothing that counts.
    lanes: Vec<u16>,
}

const NOBODY: u16 = u16::MAX;

impl Node {
    /// Whether it has slots of its own.
    fn is_primary(&self) -> bool {
        self.follows.is_none() && !self.ranges.is_empty()
    }
}

impl Map {
    /// Reads what `CLUSTER NODES` says. A node that does not know its own address is the one that was
    /// asked.
    pub fn read(text: &str, asked: &Endpoint, is_encrypted: bool) -> Map {
        let mut map = Map {
            owners: vec![NOBODY; usize::from(SLOTS)],
            ..Map::default()
        };
        let lines: Vec<&str> = text.lines().take(NODES_MAX).collect();
        let by_name = goes_by_name(&lines, asked, is_encrypted);
        for line in lines {
            let Some((node, own)) = node(line, asked, by_name) else {
                continue;
            };
            let at = u16::try_from(map.nodes.len()).unwrap_or(NOBODY);
            for (from, to) in &node.ranges {
                let range = usize::from(*from)..=usize::from(*to);
                if let Some(owners) = map.owners.get_mut(range) {
                    owners.fill(at);
                }
            }
            map.own = map.own.or(own);
            map.nodes.push(node);
        }
        let mut lanes = 0;
        for node in &map.nodes {
            map.lanes.push(lanes);
            lanes += u16::from(node.is_primary());
        }
        map
    }

    /// What a node tells of another in words that its certificate may not have.
    pub fn known_as(&self, told: Endpoint) -> Endpoint {
        let of = |node: &&Node| node.endpoint == told || node.alias.as_ref() == Some(&told);
        let known = self.nodes.iter().find(of);
        known.map_or(told, |node| node.endpoint.clone())
    }

    pub fn owner(&self, slot: u16) -> Option<&Node> {
        let at = self.owners.get(usize::from(slot))?;
        self.nodes.get(usize::from(*at))
    }

    /// Which of the primaries has the slot, by their order; 0 where none has.
    pub fn lane(&self, slot: u16) -> usize {
        let at = self.owners.get(usize::from(slot));
        let lane = at.and_then(|at| self.lanes.get(usize::from(*at)));
        usize::from(lane.copied().unwrap_or_default())
    }

    /// Primaries that have slots.
    pub fn primaries(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.is_primary())
    }

    /// Where the keys of a primary are looked at; `None` where a replica is wanted and none is there.
    pub fn serving<'m>(&'m self, primary: &'m Node, look: Look) -> Option<&'m Node> {
        match look {
            Look::Primary => Some(primary),
            Look::Replica => self
                .nodes
                .iter()
                .find(|node| node.is_up && node.follows.as_deref() == Some(&primary.id)),
        }
    }
}

/// `ID ADDRESS FLAGS PRIMARY PING PONG EPOCH LINK SLOT…`
fn node(line: &str, asked: &Endpoint, by_name: bool) -> Option<(Node, Option<Own>)> {
    let mut words = line.split_ascii_whitespace();
    let (id, address, flags) = (words.next()?, words.next()?, words.next()?);
    let primary = words.next()?;
    let flags: Vec<&str> = flags.split(',').collect();
    let mut words = words.skip(3);
    let link = words.next()?;
    let is_self = flags.contains(&"myself");
    if flags.contains(&"handshake") || flags.contains(&"noaddr") {
        return None;
    }
    let (endpoint, alias) = match places(address, by_name) {
        (Some(endpoint), alias) => (endpoint, alias),
        (None, _) => (is_self.then(|| asked.clone())?, None),
    };
    let (mut ranges, mut leaving, mut coming) = (Vec::new(), Vec::new(), Vec::new());
    for word in words {
        match word.strip_prefix('[') {
            // `[SLOT->-TO]` and `[SLOT-<-FROM]`
            Some(open) if open.contains("->-") => leaving.extend(number(open.split('-').next())),
            Some(open) => coming.extend(number(open.split('-').next())),
            None => ranges.extend(range(word)),
        }
    }
    let is_failed = flags.contains(&"fail") || flags.contains(&"fail?");
    let node = Node {
        id: id.to_owned(),
        endpoint,
        alias,
        follows: Some(primary.to_owned()).filter(|primary| primary != "-"),
        is_up: !is_failed && (is_self || link == "connected"),
        ranges,
    };
    let own = is_self.then(|| Own {
        id: id.to_owned(),
        leaving,
        coming,
    });
    Some((node, own))
}

/// Whether nodes are called by their names, where they have some: over TLS certificates have names,
/// unless the address itself was good enough; and addresses may lead nowhere from outside, where whoever
/// asks went by the name that the node calls itself.
fn goes_by_name(lines: &[&str], asked: &Endpoint, is_encrypted: bool) -> bool {
    let Endpoint::Tcp { host, .. } = asked else {
        return is_encrypted;
    };
    let own = lines.iter().find_map(|line| {
        let mut words = line.split_ascii_whitespace().skip(1);
        let (address, flags) = (words.next()?, words.next()?);
        let is_own = flags.split(',').any(|flag| flag == "myself");
        is_own.then(|| address.split(',').nth(1))?
    });
    host.parse::<IpAddr>().is_err() && (is_encrypted || own == Some(host))
}

/// `HOST:PORT@BUSPORT,HOSTNAME`: the one that counts, and the other.
fn places(address: &str, by_name: bool) -> (Option<Endpoint>, Option<Endpoint>) {
    let mut parts = address.split(',');
    let place = parts.next().unwrap_or_default();
    let place = place.split('@').next().unwrap_or_default();
    let Some((host, port)) = place.rsplit_once(':') else {
        return (None, None);
    };
    let at = |host: &str| {
        let port = port.parse().ok().filter(|port| *port != 0)?;
        (!host.is_empty()).then(|| Endpoint::Tcp {
            host: host.to_owned(),
            port,
        })
    };
    let here = at(host.trim_start_matches('[').trim_end_matches(']'));
    let named = parts.next().and_then(at);
    match (named, here) {
        (Some(named), here) if by_name || here.is_none() => (Some(named), here),
        (named, here) => (here, named),
    }
}

fn number(word: Option<&str>) -> Option<u16> {
    word?.parse().ok().filter(|slot| *slot < SLOTS)
}

fn range(word: &str) -> Option<(u16, u16)> {
    let (from, to) = word.split_once('-').unwrap_or((word, word));
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (from <= to && to < SLOTS).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
a1 127.0.0.1:7001@17001,one.example myself,master - 0 0 1 connected 0-5460 [6000-<-b2] [77->-b2]
b2 127.0.0.1:7002@17002,two.example master - 0 0 2 connected 5461-16382
c3 127.0.0.1:7003@17003 slave a1 0 0 1 connected
d4 127.0.0.1:7004@17004 slave,fail b2 0 0 2 disconnected
e5 :0@0 handshake - 0 0 0 connected
nonsense
f6 127.0.0.1:7006@17006 master - 0 0 3 connected 99-12 70000 x";

    fn asked() -> Endpoint {
        Endpoint::Tcp {
            host: "seed".to_owned(),
            port: 1,
        }
    }

    #[test]
    fn slots_have_owners_and_owners_have_replicas() {
        let map = Map::read(TEXT, &asked(), false);
        let at = |slot| map.owner(slot).map(|node| node.endpoint.to_string());
        assert_eq!(at(0).as_deref(), Some("127.0.0.1:7001"));
        assert_eq!(at(16_382).as_deref(), Some("127.0.0.1:7002"));
        assert_eq!(at(16_383), None);
        assert_eq!([map.lane(0), map.lane(16_382), map.lane(16_383)], [0, 1, 0]);
        let own = map.own.as_ref().expect("one that tells");
        assert_eq!(
            (own.leaving.as_slice(), own.coming.as_slice()),
            (&[77][..], &[6000][..])
        );
        let primaries: Vec<&Node> = map.primaries().collect();
        assert_eq!(primaries.len(), 2);
        let replica = |at: usize| map.serving(primaries[at], Look::Replica);
        assert_eq!(replica(0).map(|node| node.id.as_str()), Some("c3"));
        assert_eq!(replica(1), None);
    }

    #[test]
    fn names_count_where_certificates_are_looked_at() {
        let at = |host: &str, port| Endpoint::Tcp {
            host: host.to_owned(),
            port,
        };
        let first = |asked: &Endpoint, is_encrypted| {
            let map = Map::read(TEXT, asked, is_encrypted);
            // Told either way it is the same node.
            let told = [at("127.0.0.1", 7001), at("one.example", 7001)];
            let [one, other] = told.map(|told| map.known_as(told));
            assert_eq!(one, other);
            assert_eq!(map.known_as(at("new", 1)), at("new", 1));
            one.to_string()
        };
        assert_eq!(first(&asked(), true), "one.example:7001");
        assert_eq!(first(&asked(), false), "127.0.0.1:7001");
        // The address was good enough for its certificate.
        assert_eq!(first(&at("127.0.0.1", 7001), true), "127.0.0.1:7001");
        // Whoever came by the name gets on by names.
        assert_eq!(first(&at("one.example", 7001), false), "one.example:7001");
    }

    #[test]
    fn a_node_that_does_not_know_its_address_is_the_one_that_was_asked() {
        let map = Map::read(
            "a :7001@17001 myself,master - 0 0 1 connected 0",
            &asked(),
            false,
        );
        assert_eq!(map.nodes[0].endpoint, asked());
        assert_eq!(Map::read("", &asked(), false).owner(0), None);
    }
}
