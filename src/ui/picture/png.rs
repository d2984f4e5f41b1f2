//! A PNG without compression: large, and needs nothing.

const BLOCK: usize = 65_535;

/// RGB pixels, row by row.
pub fn encode([width, height]: [u32; 2], pixels: &[[u8; 3]]) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = Vec::new();
    head.extend(width.to_be_bytes());
    head.extend(height.to_be_bytes());
    // 8 bits, RGB, no interlacing.
    head.extend([8, 2, 0, 0, 0]);
    chunk(&mut out, *b"IHDR", &head);
    let mut lines = Vec::with_capacity(pixels.len() * 3 + height as usize);
    for line in pixels.chunks(width.max(1) as usize) {
        lines.push(0);
        lines.extend(line.iter().flatten());
    }
    chunk(&mut out, *b"IDAT", &stored(&lines));
    chunk(&mut out, *b"IEND", &[]);
    out
}

/// A zlib stream of stored blocks.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let blocks = bytes.len().div_ceil(BLOCK).max(1);
    for at in 0..blocks {
        let end = bytes.len().min((at + 1) * BLOCK);
        let block = bytes.get(at * BLOCK..end).unwrap_or_default();
        let length = block.len() as u16;
        out.push(u8::from(at + 1 == blocks));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    out.extend(adler(bytes).to_be_bytes());
    out
}

fn adler(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    b << 16 | a
}

fn chunk(out: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    out.extend(name);
    out.extend(data);
    let crc = crc(crc(u32::MAX, &name), data);
    out.extend((!crc).to_be_bytes());
}

fn crc(start: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(start, |crc, byte| {
        let mut crc = crc ^ u32::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ (0xedb8_8320 * (crc & 1));
        }
        crc
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_as_the_standards_have_them() {
        assert_eq!(adler(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(!crc(u32::MAX, b"123456789"), 0xcbf4_3926);
    }
}
