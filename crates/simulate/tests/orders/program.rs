//! A random program, its text, and what is ordered in it.
//!
//! A program is a list of statements that all threads go through; each is for some of them. What comes before what follows
//! from the list: a flag is set once, above those who wait for it. [`Program::verdict`] goes through it with a set of
//! accesses for each thread and each relation, which is slow and plain: nothing here is shared with the simulator.

use std::fmt::Write as _;
use std::ops::Range;

pub(crate) const BLOCK: usize = 64;
const WARP: usize = 32;

/// Some threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Who {
    /// All blocks, or one.
    pub(crate) block: Option<usize>,
    /// All warps of a block, or one.
    pub(crate) warp: Option<usize>,
    pub(crate) lanes: u32,
}

impl Who {
    pub(crate) const ALL: Who = Who { block: None, warp: None, lanes: u32::MAX };

    pub(crate) fn one(block: usize, thread: usize) -> Who {
        Who { block: Some(block), warp: Some(thread / WARP), lanes: 1 << (thread % WARP) }
    }

    fn has(self, thread: usize) -> bool {
        let (block, warp) = (thread / BLOCK, thread % BLOCK / WARP);
        self.block.is_none_or(|b| b == block)
            && self.warp.is_none_or(|w| w == warp)
            && self.lanes >> (thread % WARP) & 1 == 1
    }

    fn text(self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.block.map(|b| format!("blockIdx.x == {b}")));
        parts.extend(self.warp.map(|w| format!("threadIdx.x / 32 == {w}")));
        if self.lanes != u32::MAX {
            parts.push(format!("({:#x}u >> (threadIdx.x % 32) & 1)", self.lanes));
        }
        if parts.is_empty() { "true".into() } else { parts.join(" && ") }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Block,
    Device,
    System,
}

/// How a flag is set or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Atomic,
    AtomicOfBlock,
    Volatile,
}

#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    /// Each thread's element of an array: its own with some bits of its number flipped, of its own block or of another.
    Access {
        who: Who,
        array: usize,
        write: bool,
        block: Option<usize>,
        flip: usize,
    },
    Threads,
    /// The lanes of a set meet, in one warp or in all; `tile` of them at a time if that is not 0.
    Warp {
        who: Who,
        tile: usize,
    },
    /// A named barrier for the threads of a warp.
    Named {
        warp: usize,
    },
    Fence {
        who: Who,
        scope: Scope,
    },
    Signal {
        who: Who,
        flag: usize,
        how: How,
    },
    Wait {
        who: Who,
        flag: usize,
        how: How,
    },
    /// All blocks meet: barrier, fence, count, wait, fence, barrier.
    Grid {
        counter: usize,
        parts: [bool; 4],
        volatile: bool,
    },
    /// A lock around an update, with its fences; only at the end, because the order of the threads is not known.
    Lock {
        who: Who,
        word: usize,
        locked: bool,
        fences: [bool; 2],
        volatile: bool,
    },
    /// It orders nothing.
    Shuffle,
}

/// What there is to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) race: bool,
    pub(crate) missing_fence: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) blocks: usize,
    pub(crate) body: Vec<Stmt>,
}

type Set = Vec<u64>;

fn unite(a: &mut Set, b: &Set) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
}

/// What comes before the next step of a thread.
#[derive(Clone)]
struct Before {
    /// If every atomic and every flag synchronised; under the memory model.
    known: [Set; 2],
    /// What a fence for the block, or for the device, would add.
    pending: [Set; 2],
    /// What a flag that is set now tells of, in the block and beyond.
    fenced: [Set; 2],
}

impl Before {
    fn new(words: usize) -> Before {
        let sets = || [vec![0; words], vec![0; words]];
        Before { known: sets(), pending: sets(), fenced: sets() }
    }

    fn unite(&mut self, other: &Before) {
        let mine = [&mut self.known, &mut self.pending, &mut self.fenced];
        let others = [&other.known, &other.pending, &other.fenced];
        for (a, b) in mine.into_iter().flatten().zip(others.into_iter().flatten()) {
            unite(a, b);
        }
    }

    fn fence(&mut self, scope: Scope) {
        let reach = if scope == Scope::Block { 1 } else { 2 };
        for pending in &mut self.pending[..reach] {
            unite(&mut self.known[1], pending);
        }
        for fenced in &mut self.fenced[..reach] {
            unite(fenced, &self.known[1]);
        }
    }
}

/// A flag that is set: by whom, and what it tells of.
#[derive(Clone)]
struct Told {
    block: usize,
    how: How,
    before: Before,
}

impl Program {
    pub(crate) fn threads(&self) -> usize {
        self.blocks * BLOCK
    }

    fn those(&self, who: Who) -> Vec<usize> {
        (0..self.threads()).filter(|&t| who.has(t)).collect()
    }

    /// What is wrong with the program.
    pub(crate) fn verdict(&self) -> Verdict {
        let n = self.threads();
        let words = (self.body.len() * n).div_ceil(64);
        let mut state = vec![Before::new(words); n];
        let mut flags: Vec<Option<Told>> = vec![None; self.body.len() + 1];
        let mut out = Verdict::default();
        for (at, stmt) in self.body.iter().enumerate() {
            match *stmt {
                Stmt::Access { who, array, block, flip, write } => {
                    for t in self.those(who) {
                        let cell = cell(t, block, flip);
                        for (other, thread) in self.at_cell(at, array, cell, write) {
                            let event = other * n + thread;
                            let is_in = |s: &Set| s[event / 64] >> (event % 64) & 1 == 1;
                            let known = &state[t].known;
                            out.race |= thread != t && !is_in(&known[0]);
                            out.missing_fence |=
                                thread != t && is_in(&known[0]) && !is_in(&known[1]);
                        }
                        let event = at * n + t;
                        let known = &mut state[t].known;
                        known.iter_mut().for_each(|k| k[event / 64] |= 1 << (event % 64));
                    }
                }
                Stmt::Threads => self.barrier(&mut state, words),
                Stmt::Named { warp } => {
                    for b in 0..self.blocks {
                        let first = b * BLOCK + warp * WARP;
                        self.complete(&mut state, first..first + WARP, words);
                    }
                }
                Stmt::Warp { who, tile } => self.warps_meet(&mut state, who, tile, words),
                Stmt::Fence { who, scope } => {
                    self.those(who).iter().for_each(|&t| state[t].fence(scope));
                }
                Stmt::Signal { who, flag, how } => {
                    for t in self.those(who) {
                        let before = state[t].clone();
                        flags[flag] = Some(Told { block: t / BLOCK, how, before });
                    }
                }
                Stmt::Wait { who, flag, how } => {
                    let told = flags[flag].clone().expect("it is set above");
                    self.those(who).iter().for_each(|&t| hear(&mut state[t], t, &told, how));
                }
                Stmt::Grid { parts, .. } => {
                    if parts[0] {
                        self.barrier(&mut state, words);
                    }
                    let leaders: Vec<usize> = (0..self.blocks).map(|b| b * BLOCK).collect();
                    if parts[1] {
                        leaders.iter().for_each(|&t| state[t].fence(Scope::Device));
                    }
                    let tell = |&t: &usize| {
                        let before = state[t].clone();
                        Told { block: t / BLOCK, how: How::Atomic, before }
                    };
                    let told: Vec<Told> = leaders.iter().map(tell).collect();
                    for (&t, told) in leaders.iter().flat_map(|t| told.iter().map(move |o| (t, o)))
                    {
                        hear(&mut state[t], t, told, How::Atomic);
                    }
                    if parts[2] {
                        leaders.iter().for_each(|&t| state[t].fence(Scope::Device));
                    }
                    if parts[3] {
                        self.barrier(&mut state, words);
                    }
                }
                Stmt::Lock { locked, fences, .. } => {
                    out.race |= !locked;
                    out.missing_fence |= locked && fences.contains(&false);
                }
                Stmt::Shuffle => {}
            }
        }
        out
    }

    /// Accesses above `at` to a cell that conflict with one: statement and thread.
    fn at_cell(&self, at: usize, array: usize, cell: usize, write: bool) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        for (i, stmt) in self.body[..at].iter().enumerate() {
            if let Stmt::Access { who, array: a, block, flip, write: w } = *stmt
                && a == array
                && (w || write)
            {
                let there = self.those(who).into_iter();
                out.extend(there.filter(|&t| self::cell(t, block, flip) == cell).map(|t| (i, t)));
            }
        }
        out
    }

    fn meet(&self, state: &mut [Before], threads: &[usize], words: usize) {
        let mut all = Before::new(words);
        threads.iter().for_each(|&t| all.unite(&state[t]));
        threads.iter().for_each(|&t| state[t].unite(&all));
    }

    /// A barrier of each block, which completes what its threads have read.
    fn barrier(&self, state: &mut [Before], words: usize) {
        (0..self.blocks).for_each(|b| self.complete(state, b * BLOCK..(b + 1) * BLOCK, words));
    }

    fn complete(&self, state: &mut [Before], threads: Range<usize>, words: usize) {
        let threads: Vec<usize> = threads.collect();
        self.meet(state, &threads, words);
        for &t in &threads {
            let Before { known, pending, .. } = &mut state[t];
            pending.iter().for_each(|p| unite(&mut known[1], p));
        }
    }

    fn warps_meet(&self, state: &mut [Before], who: Who, tile: usize, words: usize) {
        let size = if tile == 0 { WARP } else { tile };
        for first in (0..self.threads()).step_by(size) {
            let threads: Vec<usize> = (first..first + size).filter(|&t| who.has(t)).collect();
            self.meet(state, &threads, words);
        }
    }

    /// The kernel, named by a number.
    pub(crate) fn text(&self, number: usize) -> String {
        let mut out = format!(
            "__global__ void k{number}(int *data, int *flag) {{\n    int r = 0;\n    auto block = cooperative_groups::this_thread_block();\n"
        );
        let n = self.threads();
        for (at, stmt) in self.body.iter().enumerate() {
            let _ = match *stmt {
                Stmt::Access { who, array, write, block, flip } => {
                    let of = block.map_or("blockIdx.x".into(), |b| b.to_string());
                    let cell =
                        format!("data[{} + {of} * {BLOCK} + (threadIdx.x ^ {flip})]", array * n);
                    let what = match write {
                        true => format!("{cell} = {} + threadIdx.x + blockIdx.x * {BLOCK}", at * n),
                        false => format!("r += {cell}"),
                    };
                    writeln!(out, "    if ({}) {what};", who.text())
                }
                Stmt::Threads => writeln!(out, "    __syncthreads();"),
                Stmt::Named { warp } => writeln!(
                    out,
                    "    if (threadIdx.x / 32 == {warp}) asm volatile(\"bar.sync 1, 32;\" ::: \"memory\");"
                ),
                Stmt::Warp { who, tile: 0 } => {
                    writeln!(out, "    if ({}) __syncwarp({:#x}u);", who.text(), who.lanes)
                }
                Stmt::Warp { tile, .. } => {
                    writeln!(out, "    cooperative_groups::tiled_partition<{tile}>(block).sync();")
                }
                Stmt::Fence { who, scope } => {
                    let name = match scope {
                        Scope::Block => "__threadfence_block",
                        Scope::Device => "__threadfence",
                        Scope::System => "__threadfence_system",
                    };
                    writeln!(out, "    if ({}) {name}();", who.text())
                }
                Stmt::Signal { who, flag, how } => {
                    let what = match how {
                        How::Atomic => format!("atomicExch(&flag[{flag}], 1)"),
                        How::AtomicOfBlock => format!("atomicExch_block(&flag[{flag}], 1)"),
                        How::Volatile => format!("*(volatile int *)&flag[{flag}] = 1"),
                    };
                    writeln!(out, "    if ({}) {what};", who.text())
                }
                Stmt::Wait { who, flag, how } => {
                    // One that adds nothing would store, and tell the next one who waits, but only in some schedules.
                    let read = match how {
                        How::Atomic => format!("atomicCAS(&flag[{flag}], 7, 7)"),
                        How::AtomicOfBlock => format!("atomicCAS_block(&flag[{flag}], 7, 7)"),
                        How::Volatile => format!("*(volatile int *)&flag[{flag}]"),
                    };
                    writeln!(out, "    if ({}) while ({read} == 0);", who.text())
                }
                Stmt::Grid { counter, parts, volatile } => {
                    let when = |part: usize, text: &str| {
                        if parts[part] { format!(" {text}") } else { String::new() }
                    };
                    let read = match volatile {
                        true => format!("*(volatile int *)&flag[{counter}]"),
                        false => format!("atomicAdd(&flag[{counter}], 0)"),
                    };
                    writeln!(
                        out,
                        "   {} if (threadIdx.x == 0) {{{} atomicAdd(&flag[{counter}], 1); while ({read} < {});{} }}{}",
                        when(0, "__syncthreads();"),
                        when(1, "__threadfence();"),
                        self.blocks,
                        when(2, "__threadfence();"),
                        when(3, "__syncthreads();"),
                    )
                }
                Stmt::Lock { who, word, locked, fences, volatile } => {
                    let fence = |i: usize| if fences[i] { " __threadfence();" } else { "" };
                    let (take, give) = match (locked, volatile) {
                        (false, _) => (String::new(), String::new()),
                        (true, true) => (
                            format!(" while (atomicCAS(&flag[{word}], 0, 1) != 0);"),
                            format!(" *(volatile int *)&flag[{word}] = 0;"),
                        ),
                        (true, false) => (
                            format!(" while (atomicCAS(&flag[{word}], 0, 1) != 0);"),
                            format!(" atomicExch(&flag[{word}], 0);"),
                        ),
                    };
                    let cell = format!("data[{}]", at * n);
                    writeln!(
                        out,
                        "    if ({}) {{{take}{} {cell} += threadIdx.x + 1;{}{give} }}",
                        who.text(),
                        fence(0),
                        fence(1)
                    )
                }
                Stmt::Shuffle => writeln!(out, "    r += __shfl_sync(~0u, r, 5);"),
            };
        }
        let last = (self.body.len() + 1) * n;
        let _ = writeln!(out, "    data[{last} + blockIdx.x * {BLOCK} + threadIdx.x] = r;\n}}");
        out
    }

    /// Elements of the array that it needs.
    pub(crate) fn elements(&self) -> usize {
        (self.body.len() + 2) * self.threads()
    }
}

fn cell(thread: usize, block: Option<usize>, flip: usize) -> usize {
    block.unwrap_or(thread / BLOCK) * BLOCK + ((thread % BLOCK) ^ flip)
}

/// A thread reads a flag that was set.
fn hear(state: &mut Before, thread: usize, told: &Told, how: How) {
    let near = thread / BLOCK == told.block;
    let far = told.how != How::AtomicOfBlock && how != How::AtomicOfBlock;
    if near || far {
        unite(&mut state.known[0], &told.before.known[0]);
    }
    for (reach, heard) in [near, far].into_iter().enumerate() {
        if heard {
            unite(&mut state.pending[reach], &told.before.fenced[reach]);
        }
    }
}
