//! Sets of bytes of memory that outlives a launch, for who compares launches with each other.
//!
//! What is kept is a bit for each byte and kind of access, in chunks, so that a launch which uses a small part of a large
//! allocation costs little.

use std::ops::Range;

use crate::launch::resident::FIRST;

/// What a launch did to one object that outlives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TouchedObject {
    pub slot: usize,
    /// Ranges of bytes, in order and apart from each other.
    pub read: Vec<Range<u64>>,
    pub written: Vec<Range<u64>>,
    /// By atomics, and by volatile accesses.
    pub atomic: Vec<Range<u64>>,
}

/// Bytes of a chunk, as a power of two, and words of its bits.
const CHUNK: u32 = 12;
const WORDS: usize = (1 << CHUNK) / 64;

type Chunk = Box<[u64; WORDS]>;

/// A set of bytes.
#[derive(Clone, Default)]
pub(crate) struct Bytes {
    chunks: Vec<Option<Chunk>>,
}

impl Bytes {
    #[inline]
    pub(crate) fn add(&mut self, from: u64, len: u64) {
        let (mut at, end) = (from, from + len);
        while at < end {
            let chunk = (at >> CHUNK) as usize;
            if self.chunks.len() <= chunk {
                self.chunks.resize(chunk + 1, None);
            }
            let words = self.chunks[chunk].get_or_insert_with(|| Box::new([0; WORDS]));
            let low = at & 63;
            let n = (64 - low).min(end - at);
            let mask = if n == 64 { u64::MAX } else { ((1 << n) - 1) << low };
            words[(at >> 6) as usize % WORDS] |= mask;
            at += n;
        }
    }

    fn join(&mut self, other: Bytes) {
        if self.chunks.len() < other.chunks.len() {
            self.chunks.resize(other.chunks.len(), None);
        }
        for (own, theirs) in self.chunks.iter_mut().zip(other.chunks) {
            match (own, theirs) {
                (Some(own), Some(theirs)) => {
                    own.iter_mut().zip(theirs.iter()).for_each(|(a, b)| *a |= b);
                }
                (own @ None, theirs) => *own = theirs,
                (Some(_), None) => {}
            }
        }
    }

    fn ranges(&self) -> Vec<Range<u64>> {
        let mut out: Vec<Range<u64>> = Vec::new();
        let mut add = |range: Range<u64>| match out.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => out.push(range),
        };
        for (number, chunk) in self.chunks.iter().enumerate() {
            let Some(words) = chunk else { continue };
            for (i, word) in words.iter().enumerate() {
                let start = ((number as u64) << CHUNK) + 64 * i as u64;
                let (mut rest, mut at) = (*word, 0);
                while rest != 0 {
                    let skip = rest.trailing_zeros();
                    let ones = (rest >> skip).trailing_ones();
                    at += skip;
                    add(start + u64::from(at)..start + u64::from(at + ones));
                    at += ones;
                    rest = if skip + ones == 64 { 0 } else { rest >> (skip + ones) };
                }
            }
        }
        out
    }
}

/// The bytes of one object.
#[derive(Clone, Default)]
pub(crate) struct Uses {
    pub read: Bytes,
    pub written: Bytes,
    pub atomic: Bytes,
}

impl Uses {
    pub(crate) fn join(&mut self, other: Uses) {
        self.read.join(other.read);
        self.written.join(other.written);
        self.atomic.join(other.atomic);
    }

    /// As it is told, of an object by its number.
    pub(crate) fn told(&self, object: usize) -> Option<TouchedObject> {
        let slot = object.checked_sub(FIRST)?;
        let (read, written) = (self.read.ranges(), self.written.ranges());
        Some(TouchedObject { slot, read, written, atomic: self.atomic.ranges() })
    }
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    #[test]
    fn bytes_as_ranges() {
        let mut bytes = Bytes::default();
        let mut other = Bytes::default();
        for (at, len) in [(0, 4), (4, 4), (62, 4), (4090, 12), (128, 64)] {
            bytes.add(at, len);
        }
        for (at, len) in [(8, 1), (100_000, 64), (192, 64)] {
            other.add(at, len);
        }
        bytes.join(other);
        assert_eq!(bytes.ranges(), [0..9, 62..66, 128..256, 4090..4102, 100_000..100_064]);
    }
}
