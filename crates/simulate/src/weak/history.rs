//! The values that words of memory had before, so that a load can be early.

use rustc_hash::FxHashMap;

use crate::weak::buffer::Party;

/// Bytes of a word.
pub(crate) const WORD: usize = 4;

/// Values of a word that are kept. Older ones cannot be read any more, which memory models allow.
const MOST_VALUES: usize = 8;

/// The value of a word from some time on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Past {
    pub time: u64,
    pub value: u32,
    /// Who wrote it; nobody wrote the first.
    pub by: Option<Party>,
    /// It came through the buffer of its block, where all threads of the block had seen it.
    pub known_to_block: bool,
}

/// Of the words that were written during the launch, the latest values, by the address of the word. Times ascend.
#[derive(Default)]
pub(crate) struct History(FxHashMap<usize, Vec<Past>>);

impl History {
    pub(crate) fn of(&self, word: usize) -> &[Past] {
        self.0.get(&word).map_or(&[], |values| values)
    }

    pub(crate) fn record(&mut self, word: usize, before: u32, now: Past) {
        let values = self.0.entry(word).or_insert_with(|| {
            // Most words are written once.
            let mut values = Vec::with_capacity(2);
            values.push(Past { time: 0, value: before, by: None, known_to_block: false });
            values
        });
        if values.len() == MOST_VALUES {
            values.remove(0);
        }
        values.push(now);
    }
}

/// The words that some bytes lie in.
pub(crate) fn words(at: usize, len: usize) -> impl Iterator<Item = usize> {
    (at / WORD..=(at + len.max(1) - 1) / WORD).map(|word| word * WORD)
}

/// The value that a word had at a time; none if that is not known any more.
pub(crate) fn value_at(values: &[Past], time: u64) -> Option<u32> {
    values.iter().rev().find(|past| past.time <= time).map(|past| past.value)
}
