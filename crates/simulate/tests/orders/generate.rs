//! Programs that are right by construction, and what is left of one without one of its orders.

use crate::program::{BLOCK, How, Program, Scope, Stmt, Verdict, Who};

pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Pairs of accesses that a program may get.
const MOST_PAIRS: usize = 6;
const TRIES: usize = 40;
/// How often an order is looked for that is needed.
const MOST_REMOVED: usize = 8;

const MASKS: [u32; 6] = [0xffff, 0xffff_0000, 0xff, 0x00ff_ff00, 0x5555_5555, 0x8000_0001];

/// Some threads that take part in something.
fn some(rng: &mut Rng, blocks: usize) -> Who {
    let block = (!rng.chance(3)).then(|| rng.below(blocks));
    match rng.below(5) {
        0 => Who { block, warp: None, lanes: u32::MAX },
        1 => Who { block, warp: Some(rng.below(2)), lanes: rng.pick(&MASKS) },
        2 => Who { block, warp: Some(rng.below(2)), lanes: 1 << rng.pick(&[0, 1, 8, 15, 16, 31]) },
        _ => Who { block, warp: Some(rng.below(2)), lanes: u32::MAX },
    }
}

fn one(rng: &mut Rng, blocks: usize) -> Who {
    let thread = rng.pick(&[0, 0, 3, 8, 31, 32, 32, 40, 63]);
    Who::one(rng.below(blocks), thread)
}

fn scope(rng: &mut Rng) -> Scope {
    rng.pick(&[Scope::Block, Scope::Device, Scope::Device, Scope::Device, Scope::System])
}

/// What orders threads, without accesses.
fn skeleton(rng: &mut Rng) -> Program {
    let blocks = 1 + rng.below(3);
    let mut body = Vec::new();
    let mut flags = 0;
    let mut flag = || {
        flags += 1;
        flags - 1
    };
    for _ in 0..2 + rng.below(4) {
        match rng.below(10) {
            0 => body.push(Stmt::Threads),
            9 => body.push(Stmt::Named { warp: rng.below(2) }),
            1 => body.push(Stmt::Warp { who: Who::ALL, tile: 0 }),
            2 => body.push(Stmt::Warp { who: Who::ALL, tile: rng.pick(&[4, 8, 16, 32]) }),
            3 => {
                let lanes = rng.pick(&MASKS);
                let warp = rng.chance(2).then(|| rng.below(2));
                body.push(Stmt::Warp { who: Who { warp, lanes, ..Who::ALL }, tile: 0 });
            }
            4 => body.push(Stmt::Shuffle),
            5 if blocks > 1 => {
                let parts = [true; 4];
                body.push(Stmt::Grid { counter: flag(), parts, volatile: rng.chance(2) });
            }
            _ => hand_on(rng, blocks, flag(), &mut body),
        }
    }
    if rng.chance(4) {
        let warp = rng.chance(2).then(|| rng.below(2));
        let lanes = if warp.is_some() { rng.pick(&MASKS) } else { 1 };
        let block = rng.chance(2).then(|| rng.below(blocks));
        let who = Who { block, warp, lanes };
        let volatile = rng.chance(2);
        body.push(Stmt::Lock { who, word: flag(), locked: true, fences: [true; 2], volatile });
    }
    Program { blocks, body }
}

/// A thread sets a flag, others wait for it: with fences and meetings around, in the orders that people use.
fn hand_on(rng: &mut Rng, blocks: usize, flag: usize, body: &mut Vec<Stmt>) {
    let from = one(rng, blocks);
    let mut to = if rng.chance(2) { one(rng, blocks) } else { some(rng, blocks) };
    let near = blocks == 1 || rng.chance(2);
    if near {
        to.block = from.block;
    }
    // The thread that sets it must not be among those that wait: it is not ordered behind anything.
    if to.block.is_none_or(|b| Some(b) == from.block)
        && to.warp.is_none_or(|w| Some(w) == from.warp)
    {
        to.lanes &= !from.lanes;
        if to.lanes == 0 {
            to.lanes = from.lanes.rotate_left(1);
        }
    }
    let within = to.block == from.block;
    let hows = [How::Atomic, How::Volatile, How::AtomicOfBlock];
    let hows = if within { &hows[..] } else { &hows[..2] };
    let warp = Who { lanes: u32::MAX, ..from };
    let scope = if within { scope(rng) } else { Scope::Device };
    match rng.below(4) {
        0 => body.push(Stmt::Fence { who: from, scope }),
        1 => {
            body.push(Stmt::Warp { who: warp, tile: 0 });
            body.push(Stmt::Fence { who: from, scope });
        }
        2 => {
            body.push(Stmt::Fence { who: warp, scope });
            body.push(Stmt::Warp { who: warp, tile: 0 });
        }
        _ => {
            body.push(Stmt::Threads);
            body.push(Stmt::Fence { who: from, scope });
        }
    }
    body.push(Stmt::Signal { who: from, flag, how: rng.pick(hows) });
    if rng.chance(4) {
        body.push(Stmt::Shuffle);
    }
    body.push(Stmt::Wait { who: to, flag, how: rng.pick(hows) });
    let warp = Who { lanes: u32::MAX, ..to };
    match rng.below(4) {
        0 => {
            body.push(Stmt::Fence { who: to, scope });
            body.push(Stmt::Warp { who: warp, tile: 0 });
        }
        1 => {
            body.push(Stmt::Warp { who: warp, tile: 0 });
            body.push(Stmt::Fence { who: warp, scope });
        }
        2 => body.push(Stmt::Threads),
        _ => body.push(Stmt::Fence { who: to, scope }),
    }
}

/// Two accesses that may conflict, somewhere.
fn add_pair(rng: &mut Rng, p: &Program, array: usize) -> Option<Program> {
    let mut out = p.clone();
    let locks = matches!(p.body.last(), Some(Stmt::Lock { .. }));
    let room = p.body.len() + usize::from(!locks);
    let (mut i, mut j) = (rng.below(room), rng.below(room));
    if i > j {
        std::mem::swap(&mut i, &mut j);
    }
    let (first, mut second) = (some(rng, p.blocks), some(rng, p.blocks));
    let flip = rng.pick(&[1, 1, 2, 5, 7, 16, 31, 32, 32, 33, 63]);
    // Each element is one thread's at first, and then one other's.
    let block = match (first.block, second.block) {
        (Some(a), Some(_)) if rng.chance(2) => Some(a),
        _ => {
            second.block = first.block;
            None
        }
    };
    let (a, b) = rng.pick(&[(true, false), (true, false), (false, true), (true, true)]);
    let second = Stmt::Access { who: second, array, write: b, block, flip };
    out.body.insert(j, second);
    out.body.insert(i, Stmt::Access { who: first, array, write: a, block: None, flip: 0 });
    Some(out)
}

/// A program in which everything is in order.
pub(crate) fn right(rng: &mut Rng) -> Program {
    loop {
        let mut p = skeleton(rng);
        let mut pairs = 0;
        for _ in 0..TRIES {
            if pairs == MOST_PAIRS {
                break;
            }
            let Some(more) = add_pair(rng, &p, pairs) else { continue };
            // Pairs that need an order, and have one.
            if more.verdict() == Verdict::default() && bare(&more).verdict().race {
                p = more;
                pairs += 1;
            }
        }
        if pairs > 0 {
            return p;
        }
    }
}

/// The last pair of a program without anything that orders it.
fn bare(p: &Program) -> Program {
    let mut last = 0;
    for s in &p.body {
        if let Stmt::Access { array, .. } = s {
            last = last.max(*array);
        }
    }
    let of_it = |s: &&Stmt| matches!(s, Stmt::Access { array, .. } if *array == last);
    Program { blocks: p.blocks, body: p.body.iter().filter(of_it).cloned().collect() }
}

/// The program without one of its orders: one that is needed, for the most part.
pub(crate) fn without_one(rng: &mut Rng, p: &Program) -> Program {
    let orders = |s: &Stmt| !matches!(s, Stmt::Access { .. } | Stmt::Shuffle | Stmt::Wait { .. });
    let fences = |s: &Stmt| matches!(s, Stmt::Fence { .. } | Stmt::Grid { .. } | Stmt::Lock { .. });
    let that = |f: &dyn Fn(&Stmt) -> bool| -> Vec<usize> {
        (0..p.body.len()).filter(|&i| f(&p.body[i])).collect()
    };
    let (all, fences) = (that(&orders), that(&fences));
    let mut out = p.clone();
    for _ in 0..1 + rng.below(MOST_REMOVED) {
        let of_fences = !fences.is_empty() && rng.chance(2);
        let at = rng.pick(if of_fences { &fences } else { &all });
        out = without(rng, p, at);
        if out.verdict() != Verdict::default() {
            break;
        }
    }
    out
}

/// The program without what is at a place of it, or with less of it.
fn without(rng: &mut Rng, p: &Program, at: usize) -> Program {
    let mut out = p.clone();
    let smaller = rng.chance(3);
    match &mut out.body[at] {
        Stmt::Grid { parts, .. } => parts[rng.below(4)] = false,
        Stmt::Lock { locked, fences, .. } => match rng.below(3) {
            0 => *locked = false,
            i => fences[i - 1] = false,
        },
        Stmt::Fence { scope, .. } if smaller && *scope != Scope::Block => *scope = Scope::Block,
        Stmt::Warp { who, tile: 0 } if smaller && who.lanes.count_ones() > 2 => {
            let lanes: Vec<u32> = (0..32).filter(|l| who.lanes >> l & 1 == 1).collect();
            who.lanes &= !(1 << rng.pick(&lanes));
        }
        Stmt::Signal { flag, .. } => {
            let flag = *flag;
            let is_its = |s: &Stmt| match s {
                Stmt::Signal { flag: f, .. } | Stmt::Wait { flag: f, .. } => *f == flag,
                _ => false,
            };
            out.body.retain(|s| !is_its(s));
        }
        _ => {
            out.body.remove(at);
        }
    }
    out
}

/// Whether lanes of one warp wait for each other, which they cannot in lock step.
pub(crate) fn waits_within_a_warp(p: &Program) -> bool {
    let warp = |w: &Who| (w.block, w.warp);
    p.body.iter().any(|s| match s {
        Stmt::Wait { who, flag, .. } => p.body.iter().any(|o| match o {
            Stmt::Signal { who: from, flag: f, .. } if f == flag => {
                let ((b, w), (c, v)) = (warp(who), warp(from));
                (b.is_none() || c.is_none() || b == c) && (w.is_none() || v.is_none() || w == v)
            }
            _ => false,
        }),
        Stmt::Lock { who, .. } => who.lanes.count_ones() > 1,
        _ => false,
    })
}

/// The threads of a program.
pub(crate) fn launch(p: &Program) -> ([u32; 3], [u32; 3]) {
    ([p.blocks as u32, 1, 1], [BLOCK as u32, 1, 1])
}
