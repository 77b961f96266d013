//! The stores that one thread, or one block, has executed and that memory does not have yet.

use std::collections::{BTreeMap, VecDeque};

use lockstep_kernel::SiteId;
use smallvec::SmallVec;

/// Who made an access, and where in the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Party {
    pub block: u32,
    pub thread: u32,
    pub site: SiteId,
}

/// A store of at most eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Store {
    pub at: usize,
    pub len: usize,
    pub value: u64,
    pub by: Party,
}

/// Most bytes of a store.
const WIDEST: usize = 8;

/// Stores that do not overlap, so that they may leave in any order.
#[derive(Default)]
pub(crate) struct Buffer {
    /// By their first byte, with the number of the store.
    stores: BTreeMap<usize, (u64, Store)>,
    /// Numbers and first bytes, the oldest first; some may have left.
    order: VecDeque<(u64, usize)>,
    next: u64,
}

impl Buffer {
    pub(crate) fn len(&self) -> usize {
        self.stores.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.stores.is_empty()
    }

    /// The stores that overlap some bytes.
    fn overlapping(&self, at: usize, len: usize) -> impl Iterator<Item = &Store> {
        let first = at.saturating_sub(WIDEST - 1);
        let near = self.stores.range(first..at + len).map(|(_, (_, store))| store);
        near.filter(move |store| store.at + store.len > at)
    }

    pub(crate) fn take_overlapping(&mut self, at: usize, len: usize) -> SmallVec<[Store; 1]> {
        if self.is_empty() {
            return SmallVec::new();
        }
        let taken: SmallVec<[Store; 1]> = self.overlapping(at, len).copied().collect();
        for store in &taken {
            self.stores.remove(&store.at);
        }
        taken
    }

    /// Adds a store. What it overlaps must have left before.
    pub(crate) fn push(&mut self, store: Store) {
        relied_on!(self.overlapping(store.at, store.len).next().is_none());
        self.next += 1;
        self.stores.insert(store.at, (self.next, store));
        self.order.push_back((self.next, store.at));
        // Those that have left by another way are forgotten from time to time.
        if self.order.len() > 64 + 4 * self.stores.len() {
            let stores = &self.stores;
            self.order.retain(|(number, at)| stores.get(at).is_some_and(|(own, _)| own == number));
        }
    }

    pub(crate) fn take_oldest(&mut self) -> Option<Store> {
        while let Some((number, at)) = self.order.pop_front() {
            if self.stores.get(&at).is_some_and(|(own, _)| *own == number) {
                return self.stores.remove(&at).map(|(_, store)| store);
            }
        }
        None
    }

    /// All stores, the oldest first.
    pub(crate) fn take_all(&mut self) -> Vec<Store> {
        let taken = std::iter::from_fn(|| self.take_oldest()).collect();
        self.order.clear();
        taken
    }

    /// The store of this rank by age: addresses are not the same in each run of the program.
    pub(crate) fn take_nth(&mut self, n: usize) -> Option<Store> {
        let mut numbers: Vec<(u64, usize)> =
            self.stores.iter().map(|(at, (number, _))| (*number, *at)).collect();
        numbers.sort();
        let (_, at) = numbers.get(n)?;
        self.stores.remove(at).map(|(_, store)| store)
    }

    /// Puts the buffered bytes over those that a load of memory gave. Returns whether there are any.
    pub(crate) fn overlay(&self, at: usize, len: usize, value: &mut u64) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut any = false;
        for store in self.overlapping(at, len) {
            any = true;
            for byte in store.at.max(at)..(store.at + store.len).min(at + len) {
                let new = store.value >> (8 * (byte - store.at)) & 0xff;
                let shift = 8 * (byte - at);
                *value = *value & !(0xff << shift) | new << shift;
            }
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(at: usize, len: usize, value: u64) -> Store {
        Store { at, len, value, by: Party { block: 0, thread: 0, site: SiteId(0) } }
    }

    #[test]
    fn loads_see_stores_byte_by_byte() {
        let mut buffer = Buffer::default();
        buffer.push(store(100, 4, 0x4433_2211));
        buffer.push(store(104, 1, 0x55));
        let mut value = 0xaaaa_aaaa_aaaa_aaaa;
        assert!(buffer.overlay(98, 8, &mut value));
        assert_eq!(value, 0xaa55_4433_2211_aaaa);
        let mut byte = 0;
        assert!(buffer.overlay(102, 1, &mut byte));
        assert_eq!(byte, 0x33);
        assert!(!buffer.overlay(96, 4, &mut byte) && !buffer.overlay(105, 8, &mut byte));
    }

    #[test]
    fn the_oldest_leaves_first() {
        let mut buffer = Buffer::default();
        for at in [8, 0, 16] {
            buffer.push(store(at, 4, at as u64));
        }
        assert_eq!(buffer.take_overlapping(2, 4).len(), 1);
        buffer.push(store(0, 4, 7));
        let values: Vec<u64> = buffer.take_all().iter().map(|s| s.value).collect();
        assert_eq!(values, [8, 16, 7]);
        assert!(buffer.is_empty());
        for at in [8, 0, 16] {
            buffer.push(store(at, 4, at as u64));
        }
        assert_eq!(buffer.take_nth(1).map(|s| s.value), Some(0));
        assert_eq!(buffer.take_nth(2), None);
    }
}
