//! Takes numbers and pieces off the front of bytes; the end of the bytes is an answer, not a panic.

use super::Fault;

pub struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { rest: bytes }
    }

    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn rest(&self) -> &'b [u8] {
        self.rest
    }

    pub fn peek(&self) -> Result<u8, Fault> {
        self.rest.first().copied().ok_or(Fault::Short)
    }

    pub fn byte(&mut self) -> Result<u8, Fault> {
        let (first, rest) = self.rest.split_first().ok_or(Fault::Short)?;
        self.rest = rest;
        Ok(*first)
    }

    pub fn take(&mut self, count: usize) -> Result<&'b [u8], Fault> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Fault::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        self.take(N)?.try_into().map_err(|_| Fault::Short)
    }

    /// A number of `N` bytes, the most significant first.
    pub fn big<const N: usize>(&mut self) -> Result<u64, Fault> {
        let bytes = self.array::<N>()?;
        Ok(bytes
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// A number of `N` bytes, the least significant first.
    pub fn little<const N: usize>(&mut self) -> Result<u64, Fault> {
        let bytes = self.array::<N>()?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// As many bytes as a number before them said.
    pub fn counted(&mut self, count: u64) -> Result<&'b [u8], Fault> {
        self.take(usize::try_from(count).map_err(|_| Fault::Short)?)
    }

    /// What stands before the next `end`, which is taken too.
    pub fn until(&mut self, end: u8) -> Result<&'b [u8], Fault> {
        let at = memchr::memchr(end, self.rest).ok_or(Fault::Short)?;
        let taken = self.take(at)?;
        self.byte()?;
        Ok(taken)
    }

    /// Exactly these bytes.
    pub fn literal(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        match self.rest.strip_prefix(bytes) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None if bytes.starts_with(self.rest) => Err(Fault::Short),
            None => Err(Fault::Not),
        }
    }
}
