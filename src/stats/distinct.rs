//! How many different hashes there were: exactly while they are few, then about.
//!
//! A list up to [`FEW`], then 256 registers of HyperLogLog (6.5 % standard error). Invariant: what it
//! holds depends on the set of hashes alone, never on their order.

/// So many are counted exactly.
pub const FEW: usize = 48;
const REGISTERS: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distinct {
    /// In order, each once.
    Few(Vec<u32>),
    Many(Box<[u8; REGISTERS]>),
}

impl Default for Distinct {
    fn default() -> Distinct {
        Distinct::Few(Vec::new())
    }
}

impl Distinct {
    pub fn add(&mut self, hash: u32) {
        match self {
            Distinct::Few(list) => {
                if let Err(at) = list.binary_search(&hash) {
                    list.insert(at, hash);
                    if list.len() > FEW {
                        let mut registers = Box::new([0; REGISTERS]);
                        list.iter().for_each(|hash| note(&mut registers, *hash));
                        *self = Distinct::Many(registers);
                    }
                }
            }
            Distinct::Many(registers) => note(registers, hash),
        }
    }

    pub fn merge(&mut self, other: &Distinct) {
        match other {
            Distinct::Few(list) => list.iter().for_each(|hash| self.add(*hash)),
            Distinct::Many(theirs) => {
                let mut registers = match self {
                    Distinct::Many(ours) => std::mem::replace(ours, Box::new([0; REGISTERS])),
                    Distinct::Few(list) => {
                        let mut registers = Box::new([0; REGISTERS]);
                        list.iter().for_each(|hash| note(&mut registers, *hash));
                        registers
                    }
                };
                for (ours, theirs) in registers.iter_mut().zip(theirs.iter()) {
                    *ours = (*ours).max(*theirs);
                }
                *self = Distinct::Many(registers);
            }
        }
    }

    pub fn is_exact(&self) -> bool {
        matches!(self, Distinct::Few(_))
    }

    pub fn count(&self) -> u64 {
        let registers = match self {
            Distinct::Few(list) => return list.len() as u64,
            Distinct::Many(registers) => registers,
        };
        let size = REGISTERS as f64;
        let sum: f64 = registers
            .iter()
            .map(|rank| (-f64::from(*rank)).exp2())
            .sum();
        let raw = 0.7213 / (1.0 + 1.079 / size) * size * size / sum;
        let empty = registers.iter().filter(|rank| **rank == 0).count();
        let count = match empty {
            0 => raw,
            _ if raw > 2.5 * size => raw,
            // Few registers are taken: those that are not tell more.
            empty => size * (size / empty as f64).ln(),
        };
        (count.round() as u64).max(FEW as u64 + 1)
    }
}

fn note(registers: &mut [u8; REGISTERS], hash: u32) {
    let rank = (hash >> 8 | 1 << 24).trailing_zeros() + 1;
    if let Some(register) = registers.get_mut((hash & 0xff) as usize) {
        *register = (*register).max(u8::try_from(rank).unwrap_or(u8::MAX));
    }
}
