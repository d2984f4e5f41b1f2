//! Hashes of 64 well-mixed bits, the same in every run, and maps that take them as they are.
//!
//! Apart from the standard library's because a sample of keys is chosen by the bits of the hash, so
//! that two tallies choose the same keys.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map whose keys are hashes.
pub type HashedMap<V> = HashMap<u64, V, BuildHasherDefault<Own>>;

/// Takes a hash for its own hash.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own(u64);

impl Hasher for Own {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes
            .iter()
            .fold(self.0, |all, byte| mix(all ^ u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The hash of a text.
pub fn of(text: &str) -> u64 {
    of_bytes(text.as_bytes())
}

pub fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(chunk) {
            *to = *from;
        }
        hash = mix(hash ^ u64::from_le_bytes(word));
    }
    hash
}

/// One hash of two.
pub fn both(one: u64, other: u64) -> u64 {
    mix(one.rotate_left(17) ^ mix(other))
}

/// The finaliser of SplitMix64: every bit of what goes in moves about half of what comes out.
pub fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Whether a hash is among one in two to the power of `level`. By bits from the middle: a map takes
/// those at both ends.
pub fn is_in(hash: u64, level: u32) -> bool {
    hash.rotate_right(32).trailing_zeros() >= level
}
