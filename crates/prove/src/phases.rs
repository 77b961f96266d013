//! Phases: which accesses of two threads of one block can be concurrent.
//!
//! All threads of a block pass the same barriers in the same order (that they do is proved separately, see
//! [`crate::divergence`]). So two accesses are concurrent iff both can be reached from one common barrier, or from
//! the kernel's entry, without passing another one. From each such start the control flow is explored up to the next
//! barriers, and for every loop that contains one it is noted how many times its back edge was passed on the way:
//! that gives the relation of the two threads' iteration counters. It is the paper's unrolling of a synchronised loop
//! into "the phases of one iteration and of its successor", with the relation as a constraint in place of a copy of
//! the body.
//!
//! The exploration follows all edges that are not constantly closed, whatever their conditions: it may find a path
//! around a barrier that no thread takes. That only adds pairs.

use std::collections::BTreeSet;

use lockstep_kernel::{BlockId, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::exec::Exec;

/// The state of a loop that contains a barrier, as seen on a path from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Rel {
    /// In the loop, this many iterations after the start's.
    Ahead(u8),
    /// Entered on the way, in its first iteration.
    Fresh,
    /// In the loop, in whatever iteration.
    Any,
    /// Left, in the iteration so many after the start's.
    LeftAhead(u8),
    /// Entered on the way and left in its first iteration.
    LeftFresh,
    LeftAny,
    /// Left, so many iterations after the start's, in the start's own iteration of the loops around, which have gone
    /// round since.
    Past(u8),
}

/// States of the loops that matter, in order of their numbers.
pub(crate) type Signature = Vec<(usize, Rel)>;

/// How the counters of two threads are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Link {
    /// The second thread's counter is the first's plus this.
    Counters(usize, i8),
    /// The second thread has left the loop: its last iteration is the first's counter plus this.
    SecondLeft(usize, i8),
    FirstLeft(usize, i8),
    /// First or second thread (0, 1) is in the loop's first iteration.
    First(u8, usize),
    /// … or has left it in its first iteration.
    LeftAtOnce(u8, usize),
}

/// One way of being concurrent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Relation {
    pub(crate) links: Vec<Link>,
    /// The links say all there is to say: neither thread has left, or gone round, a loop with a barrier on its way.
    pub(crate) exact: bool,
}

impl Relation {
    /// The relation that says nothing.
    pub(crate) fn none() -> Relation {
        Relation { links: Vec::new(), exact: false }
    }
}

/// More relations of one pair than this are joined into the one that says nothing.
const MAX_RELATIONS: usize = 24;

pub(crate) struct Phases {
    /// For each access (by number), the starts it is reached from and how.
    reached: Vec<Vec<(usize, Signature)>>,
}

impl Phases {
    /// `orders` says which barriers (by position in [`Exec::barriers`]) count.
    pub(crate) fn new(exec: &Exec, orders: &dyn Fn(usize) -> bool) -> Phases {
        let mut stops: FxHashSet<(BlockId, usize)> = FxHashSet::default();
        let mut starts: Vec<(BlockId, usize)> = vec![(BlockId(0), 0)];
        for (i, b) in exec.barriers.iter().enumerate() {
            if orders(i) {
                stops.insert((b.block, b.at));
                starts.push((b.block, b.at + 1));
            }
        }
        let tracked: Vec<bool> = (0..exec.loops.len())
            .map(|l| stops.iter().any(|(b, _)| exec.loops[l].contains(*b)))
            .collect();
        let mut at_block: FxHashMap<BlockId, Vec<(usize, usize)>> = FxHashMap::default();
        for (i, a) in exec.accesses.iter().enumerate() {
            at_block.entry(a.block).or_default().push((a.at, i));
        }
        let mut reached = vec![Vec::new(); exec.accesses.len()];
        for (s, &start) in starts.iter().enumerate() {
            explore(exec, s, start, &stops, &tracked, &at_block, &mut reached);
        }
        Phases { reached }
    }

    /// How the two accesses can be concurrent: one relation of counters for each way.
    pub(crate) fn relations(&self, a: usize, b: usize) -> BTreeSet<Relation> {
        let mut out = BTreeSet::new();
        for (s, left) in &self.reached[a] {
            for (t, right) in &self.reached[b] {
                if s == t
                    && let Some(r) = relate(left, right)
                {
                    out.insert(r);
                }
            }
        }
        if out.len() > MAX_RELATIONS {
            out.clear();
            out.insert(Relation::none());
        }
        out
    }
}

fn relate(left: &Signature, right: &Signature) -> Option<Relation> {
    let of = |s: &Signature, l: usize| {
        s.iter().find(|(m, r)| *m == l && !matches!(r, Rel::Past(_))).map(|(_, r)| *r)
    };
    let past = |s: &Signature, l: usize| {
        s.iter().find_map(|(m, r)| match r {
            Rel::Past(d) if *m == l => Some(*d),
            _ => None,
        })
    };
    let mut loops: Vec<usize> = left.iter().chain(right).map(|(l, _)| *l).collect();
    loops.sort_unstable();
    loops.dedup();
    let mut out = Vec::new();
    for l in loops {
        match (of(left, l), of(right, l)) {
            (Some(Rel::Ahead(a)), Some(Rel::Ahead(b))) => {
                out.push(Link::Counters(l, b as i8 - a as i8));
            }
            (Some(Rel::Ahead(a)), Some(Rel::LeftAhead(b))) => {
                out.push(Link::SecondLeft(l, b as i8 - a as i8));
            }
            (Some(Rel::LeftAhead(a)), Some(Rel::Ahead(b))) => {
                out.push(Link::FirstLeft(l, a as i8 - b as i8));
            }
            // Both leave after the same number of iterations.
            (Some(Rel::LeftAhead(a)), Some(Rel::LeftAhead(b))) if a != b => return None,
            _ => {}
        }
        if let (Some(Rel::Ahead(a)), Some(b)) = (of(left, l), past(right, l)) {
            out.push(Link::SecondLeft(l, b as i8 - a as i8));
        }
        if let (Some(a), Some(Rel::Ahead(b))) = (past(left, l), of(right, l)) {
            out.push(Link::FirstLeft(l, a as i8 - b as i8));
        }
        for (who, s) in [(0u8, left), (1, right)] {
            match of(s, l) {
                Some(Rel::Fresh) => out.push(Link::First(who, l)),
                Some(Rel::LeftFresh) => out.push(Link::LeftAtOnce(who, l)),
                _ => {}
            }
        }
    }
    let plain = |s: &Signature| s.iter().all(|(_, r)| matches!(r, Rel::Ahead(_) | Rel::Fresh));
    Some(Relation { links: out, exact: plain(left) && plain(right) })
}

fn explore(
    exec: &Exec,
    number: usize,
    start: (BlockId, usize),
    stops: &FxHashSet<(BlockId, usize)>,
    tracked: &[bool],
    at_block: &FxHashMap<BlockId, Vec<(usize, usize)>>,
    reached: &mut [Vec<(usize, Signature)>],
) {
    let first: Signature = exec
        .nest(start.0)
        .into_iter()
        .filter(|&l| tracked[l])
        .map(|l| (l, Rel::Ahead(0)))
        .collect();
    // The entry is in no iteration yet, even where the first block heads a loop.
    let first =
        if number == 0 { first.into_iter().map(|(l, _)| (l, Rel::Fresh)).collect() } else { first };
    let mut seen: FxHashSet<(BlockId, usize, Signature)> = FxHashSet::default();
    let mut work = vec![(start.0, start.1, first)];
    while let Some((b, from, signature)) = work.pop() {
        if !seen.insert((b, from, signature.clone())) {
            continue;
        }
        if exec.ctx.pool.is_false(exec.reach[b.0 as usize]) {
            continue;
        }
        let block = exec.ctx.kernel.block(b);
        let end = (from..block.insts.len())
            .find(|&i| matches!(block.insts[i].op, Op::Barrier { .. }) && stops.contains(&(b, i)));
        let limit = end.unwrap_or(usize::MAX);
        for &(at, access) in at_block.get(&b).into_iter().flatten() {
            if at >= from && at < limit {
                reached[access].push((number, signature.clone()));
            }
        }
        if end.is_some() {
            continue;
        }
        for &to in &exec.ctx.cfg.successors[b.0 as usize] {
            if let Some(&c) = exec.branches.get(&b)
                && let lockstep_kernel::Terminator::Branch { then, otherwise, .. } = block.term
                && then != otherwise
                && (to == then && exec.ctx.pool.is_false(c)
                    || to == otherwise && exec.ctx.pool.is_true(c))
            {
                continue;
            }
            work.push((to, 0, step(exec, b, to, &signature, tracked)));
        }
    }
    for list in reached.iter_mut() {
        list.sort();
        list.dedup();
    }
}

/// The signature after an edge.
fn step(
    exec: &Exec,
    b: BlockId,
    to: BlockId,
    signature: &Signature,
    tracked: &[bool],
) -> Signature {
    let mut out = signature.clone();
    // Loops left.
    for (l, rel) in &mut out {
        if exec.loops[*l].contains(b) && !exec.loops[*l].contains(to) {
            *rel = match *rel {
                Rel::Ahead(d) => Rel::LeftAhead(d),
                Rel::Fresh => Rel::LeftFresh,
                Rel::Any => Rel::LeftAny,
                other => other,
            };
        }
    }
    for l in exec.nest(to) {
        let info = &exec.loops[l];
        if info.head != to {
            continue;
        }
        if info.contains(b) {
            // A back edge: a new iteration, in which inner loops have not happened yet.
            let inner = |m: usize| m != l && exec.loops[l].contains(exec.loops[m].head);
            for (m, rel) in &mut out {
                if let Rel::LeftAhead(d) = *rel
                    && inner(*m)
                {
                    *rel = Rel::Past(d);
                }
            }
            out.retain(|(m, rel)| !inner(*m) || matches!(rel, Rel::Past(_)));
            if tracked[l] {
                set(&mut out, l, |rel| match rel {
                    Some(Rel::Ahead(0)) => Rel::Ahead(1),
                    _ => Rel::Any,
                });
            }
        } else if tracked[l] {
            set(&mut out, l, |_| Rel::Fresh);
        }
    }
    out
}

fn set(signature: &mut Signature, l: usize, f: impl Fn(Option<Rel>) -> Rel) {
    match signature.iter_mut().find(|(m, r)| *m == l && !matches!(r, Rel::Past(_))) {
        Some((_, rel)) => *rel = f(Some(*rel)),
        None => {
            signature.push((l, f(None)));
            signature.sort();
        }
    }
}
