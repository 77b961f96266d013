//! Blocks that run at the same time do not access each other's memory.
//!
//! While blocks run in parallel, each claims a word of global memory before it accesses it: for reading, for atomics,
//! or for any access. Claims of several blocks for reading, or for atomics, are compatible; any others are not, and the
//! later access is not executed: the run stops, and the launch is executed again with one block after the other. Claims
//! are never released. So no two threads of this program ever access a word that one of them writes, other than by
//! atomics, and the result of a parallel run does not depend on the order of its blocks.
//!
//! The bytes of memory that outlives the launch are written in place. So the first claim of a word for writing also notes
//! what the word holds ([`Undo`]), and a run that does not count is undone.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use lockstep_kernel::Space;

use crate::code::program::Program;
use crate::machine::memory::Target;
use crate::machine::observe::AccessKind;

/// What a worker has changed, or may have.
#[derive(Default)]
pub(crate) struct Undo {
    /// Whether changes are noted.
    is_on: bool,
    /// By word: its address, and what it held.
    words: Vec<(*mut u32, u32)>,
}

// SAFETY: the addresses are of memory that outlives the run, and are only used by the one who has the list.
unsafe impl Send for Undo {}

impl Undo {
    pub(crate) fn new(is_on: bool) -> Undo {
        Undo { is_on, words: Vec::new() }
    }

    fn note(&mut self, word: *mut u32, before: u32) {
        self.words.push((word, before));
    }

    /// Puts back what the words held.
    pub(crate) fn undo(&mut self) {
        for (word, before) in self.words.drain(..) {
            // SAFETY: the word is of an object that the run has claimed, and no block runs any more.
            unsafe { word.write(before) };
        }
    }
}

/// Which block has claimed which word of global memory, and for which accesses.
pub(crate) struct Claims {
    objects: Vec<Vec<AtomicU32>>,
    /// Set when a worker has ended the run.
    pub stop: AtomicBool,
}

const READ: u32 = 1;
const WRITTEN: u32 = 2;
const ATOMIC: u32 = 3;
/// Read by several blocks; updated atomically by several blocks.
const READ_BY_MANY: u32 = (u32::MAX - 3) | READ;
const ATOMIC_BY_MANY: u32 = (u32::MAX - 3) | ATOMIC;

/// The number of a block plus one has 30 bits, and differs from the value for many blocks.
const MOST_BLOCKS: u64 = (1 << 30) - 2;

impl Claims {
    /// `None` if there are more blocks than a claim can represent.
    pub(crate) fn new(program: &Program) -> Option<Claims> {
        let words = |o: &crate::launch::layout::ObjectInfo| {
            if o.space == Space::Global { o.size.div_ceil(4) as usize } else { 0 }
        };
        let objects = program.objects.iter().map(|o| zeroed(words(o))).collect();
        (program.blocks < MOST_BLOCKS).then_some(Claims { objects, stop: AtomicBool::new(false) })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.objects.iter().map(|o| o.len() as u64 * 4).sum()
    }

    /// Claims the words of an access to global memory; false if another block has an incompatible claim. `narrow`: an
    /// atomic whose scope does not include other blocks.
    #[inline(always)]
    pub(crate) fn claim(
        &self,
        t: &Target,
        kind: AccessKind,
        block: u32,
        narrow: bool,
        undo: &mut Undo,
    ) -> bool {
        let words = Words { claims: &self.objects[t.object], base: t.bytes().cast_mut().cast() };
        let state = match kind {
            AccessKind::Read => READ,
            AccessKind::Atomic if !narrow => ATOMIC,
            AccessKind::Write | AccessKind::Atomic => WRITTEN,
        };
        if t.uniform {
            let offset = t.offsets[t.mask.trailing_zeros() as usize];
            return claim_bytes(words, offset, t.size, block, state, undo);
        }
        let mut rest = t.mask;
        while rest != 0 {
            let l = rest.trailing_zeros() as usize;
            let n = 1 + ((t.adjacent & rest) >> l >> 1).trailing_ones();
            if !claim_bytes(words, t.offsets[l], t.size * u64::from(n), block, state, undo) {
                return false;
            }
            rest &= !(((1u64 << n) - 1) << l) as u32;
        }
        true
    }
}

/// The words of an object, and their claims.
#[derive(Clone, Copy)]
struct Words<'a> {
    claims: &'a [AtomicU32],
    base: *mut u32,
}

impl Words<'_> {
    /// The address of a word and what it holds, if changes are noted.
    #[inline(always)]
    fn before(self, index: usize, state: u32, undo: &Undo) -> Option<(*mut u32, u32)> {
        if !undo.is_on || state == READ {
            return None;
        }
        let word = self.base.wrapping_add(index);
        // SAFETY: a word of an object that outlives the launch, whose memory is made of whole words. Another block may
        // write it at the same time, if the claim that follows fails.
        Some((word, unsafe { AtomicU32::from_ptr(word) }.load(Relaxed)))
    }
}

#[inline(always)]
fn claim_bytes(
    words: Words,
    offset: u64,
    size: u64,
    block: u32,
    state: u32,
    undo: &mut Undo,
) -> bool {
    let first = (offset >> 2) as usize;
    let last = ((offset + size - 1) >> 2) as usize;
    let mine = (block + 1) << 2;
    let (same, wider, many) = match state {
        READ => (mine | READ, mine | WRITTEN, READ_BY_MANY),
        WRITTEN => (mine | WRITTEN, mine | WRITTEN, mine | WRITTEN),
        _ => (mine | ATOMIC, mine | ATOMIC, ATOMIC_BY_MANY),
    };
    for (i, word) in words.claims[first..=last].iter().enumerate() {
        let old = word.load(Relaxed);
        if (old == same) | (old == wider) | (old == many) {
            continue;
        }
        // Most words are accessed by one block, and once.
        if old == 0 {
            let before = words.before(first + i, state, undo);
            if word.compare_exchange(0, same, Relaxed, Relaxed).is_ok() {
                if let Some((word, before)) = before {
                    undo.note(word, before);
                }
                continue;
            }
        }
        if !change(words, first + i, mine, state, undo) {
            return false;
        }
    }
    true
}

/// Changes the state of a word; false if another block has claimed it.
#[cold]
fn change(words: Words, index: usize, mine: u32, state: u32, undo: &mut Undo) -> bool {
    let word = &words.claims[index];
    let mut old = word.load(Relaxed);
    loop {
        let own = old == 0 || old & !3 == mine;
        let new = match (old & 3, state) {
            _ if old == 0 => mine | state,
            (a, b) if own && a == b => return true,
            // A block that accesses a word in several ways claims it exclusively.
            _ if own => mine | WRITTEN,
            (READ, READ) => READ_BY_MANY,
            (ATOMIC, ATOMIC) => ATOMIC_BY_MANY,
            _ => return false,
        };
        if old == new {
            return true;
        }
        // The first claim for writing.
        let is_first = old == 0 || old & 3 == READ;
        let before = if is_first { words.before(index, state, undo) } else { None };
        match word.compare_exchange_weak(old, new, Relaxed, Relaxed) {
            Ok(_) => {
                if let Some((word, before)) = before {
                    undo.note(word, before);
                }
                return true;
            }
            Err(now) => old = now,
        }
    }
}

/// A large table of zeros whose pages are not touched until they are used.
fn zeroed(n: usize) -> Vec<AtomicU32> {
    let mut plain = std::mem::ManuallyDrop::new(vec![0u32; n]);
    // SAFETY: `AtomicU32` has the layout of `u32`, and the vector is handed over whole.
    unsafe { Vec::from_raw_parts(plain.as_mut_ptr().cast(), n, plain.capacity()) }
}
