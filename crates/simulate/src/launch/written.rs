//! Which bytes of an object have a value.

/// A bit per byte: written or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenBits {
    bits: Vec<u64>,
    unset: u64,
    size: u64,
}

impl WrittenBits {
    pub(crate) fn new(size: u64) -> WrittenBits {
        WrittenBits { bits: vec![0; size.div_ceil(64) as usize + 1], unset: size, size }
    }

    /// All of them are written.
    pub(crate) fn full(size: u64) -> WrittenBits {
        let mut bits = WrittenBits::new(size);
        bits.set(0, size);
        bits
    }

    pub(crate) fn clear(&mut self) {
        self.bits.fill(0);
        self.unset = self.size;
    }

    pub(crate) fn complete(&self) -> bool {
        self.unset == 0
    }

    /// Calls `f` with each word and the bits of it in `[at, at + len)`.
    fn words(&mut self, at: u64, len: u64, mut f: impl FnMut(&mut u64, u64)) {
        let (mut at, end) = (at, at + len);
        while at < end {
            let low = at & 63;
            let n = (64 - low).min(end - at);
            let mask = if n == 64 { u64::MAX } else { ((1 << n) - 1) << low };
            f(&mut self.bits[(at >> 6) as usize], mask);
            at += n;
        }
    }

    pub(crate) fn set(&mut self, at: u64, len: u64) {
        let mut new = 0;
        self.words(at, len, |w, mask| {
            new += u64::from((mask & !*w).count_ones());
            *w |= mask;
        });
        self.unset -= new;
    }

    pub(crate) fn unset(&mut self, at: u64, len: u64) {
        let mut gone = 0;
        self.words(at, len, |w, mask| {
            gone += u64::from((mask & *w).count_ones());
            *w &= !mask;
        });
        self.unset += gone;
    }

    /// Whether one of these bytes is written.
    pub(crate) fn any(&self, at: u64, len: u64) -> bool {
        let (mut at, end) = (at, at + len);
        while at < end {
            let low = at & 63;
            let n = (64 - low).min(end - at);
            let mask = if n == 64 { u64::MAX } else { ((1 << n) - 1) << low };
            if self.bits[(at >> 6) as usize] & mask != 0 {
                return true;
            }
            at += n;
        }
        false
    }

    /// Joins what several observers of one launch have seen, each of which began with `start`.
    pub(crate) fn join(&mut self, other: &WrittenBits, start: Option<&WrittenBits>) {
        let mut unset = 0;
        for (i, (mine, theirs)) in self.bits.iter_mut().zip(&other.bits).enumerate() {
            // All bits of an object that had a value everywhere.
            let before = start.map_or(u64::MAX, |s| s.bits[i]);
            let gone = before & !(*mine & theirs);
            *mine = (*mine | theirs | before) & !gone;
            unset += u64::from(mine.count_ones());
        }
        self.unset = self.size.saturating_sub(unset);
    }

    pub(crate) fn all(&mut self, at: u64, len: u64) -> bool {
        let mut all = true;
        self.words(at, len, |w, mask| all &= *w & mask == mask);
        all
    }
}
