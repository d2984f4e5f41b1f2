//! Which slot of a cluster a key belongs to.
//!
//! Source: the Redis Cluster specification, "Key distribution model" and "Hash tags": CRC16 (XMODEM)
//! of the key, or of what stands between the first `{` and the next `}` where that is not empty.

/// Slots of every cluster.
pub const SLOTS: u16 = 16_384;

pub fn slot(key: &[u8]) -> u16 {
    crc16(tag(key)) % SLOTS
}

fn tag(key: &[u8]) -> &[u8] {
    let inside = || {
        let open = key.iter().position(|byte| *byte == b'{')?;
        let rest = key.get(open + 1..)?;
        let close = rest.iter().position(|byte| *byte == b'}')?;
        rest.get(..close).filter(|inside| !inside.is_empty())
    };
    inside().unwrap_or(key)
}

/// What each first byte adds: millions of keys are placed in one scan.
const TABLE: [u16; 256] = table();

const fn table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut crc = (byte as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            crc = match crc & 0x8000 {
                0 => crc << 1,
                _ => (crc << 1) ^ 0x1021,
            };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}

fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc: u16, byte| {
        let first = usize::from((crc >> 8) ^ u16::from(*byte));
        (crc << 8) ^ TABLE.get(first).copied().unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(key: &str, expected: u16) {
        assert_eq!(slot(key.as_bytes()), expected, "{key}");
    }

    #[test]
    fn slots_are_those_of_the_specification() {
        assert_eq!(crc16(b"123456789"), 0x31c3);
        check("foo", 12_182);
        check("", 0);
    }

    #[test]
    fn what_stands_in_the_first_braces_decides() {
        check("{user1000}.following", slot(b"user1000"));
        check("foo{}{bar}", slot(b"foo{}{bar}"));
        check("foo{{bar}}zap", slot(b"{bar"));
        check("foo{bar}{zap}", slot(b"bar"));
        check("{open", slot(b"{open"));
    }
}
