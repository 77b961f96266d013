//! Versions of an object's contents: which loads read the same value, where the kernel also writes.
//!
//! A *version* begins at the kernel's entry, after an operation that may change the object, at a join of paths with
//! different versions, and at the header of a loop in which one begins (as in memory SSA, separately for each object).
//! What may change the object: a write that may alias it, by the thread itself ([`Written`]), and whatever orders
//! threads (barriers of any kind, group copies), after which writes of other threads become visible. A load is then a
//! function of version, offset, width, and the iterations of the loops around the beginning of its version; loops in
//! which no version begins do not affect it.
//!
//! Why equal offsets give equal values, for two loads of any two threads: take the first race of an execution, and what
//! was read before it. Let `L` (of thread A) and `M` (of thread B) be two loads of one element in one version `v` of
//! the same iterations, and suppose that a write `W` of thread C happens between them. It does not race with `L` or
//! `M`, so if C is not A, A has passed an ordering operation `s` between `L` and `W`; and if C is not B, C has passed
//! such an operation `s'` after `W`, and B before `M`. Between `v` and its loads there is no such operation, so B has
//! passed `s'` before it reached `v`, and A has passed `s` after `v`.
//!
//! * C is neither A nor B, or only A: then A has passed `s`, or `s'`, after `v`, and B before it. But threads that
//!   reach one place in the same iterations have passed the same barriers before ([`crate::order::phases`]; this is
//!   proved separately).
//! * C is B, not A: B writes after it has passed `s`; if that is before `v`, the case is as above, and if after, the
//!   write is on a path from `v` to `M`, where there is none.
//! * C is A and B: `W` is on a path from `v` to `M` again.
//! * A is B, not C: A has passed `s` between its own two loads of one version.
//!
//! Two threads of different blocks are ordered by barriers of the grid, for which the same holds, or else by the last
//! number drawn ([`crate::order::last_block`]). If `x` happens before `y` by a draw `D`, there are paths from `x` to
//! `D` and from `D` to `y`, there is none from `D` to `x`, and `D` is in no loop. Let one or both of the orders of `L`,
//! `W` and `M` be such. In any case there are paths from `L` to `W` and from `W` to `M`; each of the latter passes the
//! beginning of `v` (`M` would not see `v` otherwise), and a path leads from there to `L`.
//!
//! * `L` before `W` by `D`: a path leads from `D` to `W`, to `v`, and to `L`, which was excluded.
//! * `W` before `M` by `D`: if `v` begins on a path from `D` to `M`, a path leads from `D` to `v`, to `L` and to `W`,
//!   which was excluded. If it begins on a path from `W` to `D`, then it is in a loop (from `v` to `L`, to `W` and
//!   back) that has been left at `D`, and after a loop its versions have other names.
//!
//! The same argument holds for a single load as a function of its own, in the same iterations, if the load is taken as
//! the beginning of `v`.
//!
//! A version from which no write of the object is reachable is *final*: barriers do not end it. Whatever orders `L`
//! before `W` (also a draw) is reachable from `v`, and `W` is reachable from it; so there is no such `W`.
//!
//! With warps in lockstep, lanes are ordered by every instruction, and only final versions are used: the argument for
//! them only needs that later operations are reachable. Volatile and atomic loads are never functions of anything. The
//! argument does not hold for a kernel with races, so loads are joined in queries about races only ([`Joining`]);
//! everywhere else each load is a function of its own ([`FnKind::LoadAt`]).
//!
//! What is missed: [`Exec::load`] forwards a stored value only where the address is the same term; a write through a
//! pointer of unknown origin ends the versions of all objects.

use lockstep_kernel::{BlockId, Kernel, Op, Scheduling, SiteId, Space};

use crate::launch::context::{Base, FnKind};
use crate::launch::version::Version;
use crate::symbolic::evaluate::Exec;
use crate::symbolic::provenance::Written;
use crate::term::walk::{Call, Substitution};
use crate::term::{FnId, T};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Write,
    /// Orders threads.
    Order,
}

/// The versions of one object.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// At the beginning of each basic block; `None` where it is not reached.
    begin: Vec<Option<Version>>,
    /// Positions in each block after which a new version begins, in order.
    changes: Vec<Vec<usize>>,
    /// Blocks from whose end a write is reachable.
    followed: Vec<bool>,
    /// All operations that may change the object, in each block.
    all: Vec<Vec<(usize, Change)>>,
}

/// The contents that a load reads: a version of an object, and how many of the loops around the load also contain the
/// beginning of the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Joined {
    base: Base,
    version: Version,
    width: u8,
    around: usize,
}

/// How each operation may change an object, block by block.
fn changes(
    kernel: &Kernel,
    written: &Written,
    may_write: &dyn Fn(&Written, (BlockId, usize)) -> bool,
) -> Vec<Vec<(usize, Change)>> {
    let of = |b: usize, at: usize, op: &Op| match op {
        Op::Barrier { .. } => Some(Change::Order),
        _ if may_write(written, (BlockId(b as u32), at)) => Some(Change::Write),
        Op::GroupCopy { .. } => Some(Change::Order),
        _ => None,
    };
    let blocks = kernel.blocks.iter().enumerate();
    blocks
        .map(|(b, block)| {
            let insts = block.insts.iter().enumerate();
            insts.filter_map(|(at, i)| Some((at, of(b, at, &i.op)?))).collect()
        })
        .collect()
}

impl History {
    /// The version that an instruction sees.
    fn at(&self, b: BlockId, at: usize) -> Option<Version> {
        let list = &self.changes[b.0 as usize];
        match list.partition_point(|&p| p < at) {
            0 => self.begin[b.0 as usize],
            n => Some(Version::After(b, list[n - 1])),
        }
    }

    fn has_write(&self, b: BlockId, from: usize) -> bool {
        self.all[b.0 as usize].iter().any(|&(p, c)| p >= from && c == Change::Write)
    }

    /// Whether no write is reachable from the beginning of a version.
    fn is_final(&self, v: Version) -> bool {
        let (b, from) = match v {
            Version::Entry => (BlockId(0), 0),
            Version::Join(b) => (b, 0),
            Version::After(b, at) => (b, at + 1),
        };
        !self.followed[b.0 as usize] && !self.has_write(b, from)
    }

    /// Computes the versions in one block whose first version is known.
    fn fill(&mut self, b: BlockId, begin: Version) {
        let mut now = begin;
        let mut changes = Vec::new();
        for &(at, change) in &self.all[b.0 as usize] {
            if change == Change::Write || !self.is_final(now) {
                now = Version::After(b, at);
                changes.push(at);
            }
        }
        self.begin[b.0 as usize] = Some(begin);
        self.changes[b.0 as usize] = changes;
    }
}

impl Exec<'_, '_> {
    /// All versions of an object.
    fn history(&self, base: Base) -> History {
        let space = self.ctx.base_space(base);
        let may_alias = self.ctx.assumptions.may_alias;
        let may_write = |w: &Written, at| w.may_write(self.ctx.kernel, at, base, space, may_alias);
        let n = self.ctx.kernel.blocks.len();
        let mut h = History {
            begin: vec![None; n],
            changes: vec![Vec::new(); n],
            followed: vec![false; n],
            all: changes(self.ctx.kernel, &self.written, &may_write),
        };
        let mut work: Vec<BlockId> =
            (0..n as u32).map(BlockId).filter(|&b| h.has_write(b, 0)).collect();
        while let Some(b) = work.pop() {
            for &p in &self.ctx.cfg.predecessors[b.0 as usize] {
                if !std::mem::replace(&mut h.followed[p.0 as usize], true) {
                    work.push(p);
                }
            }
        }
        for (i, &b) in self.ctx.cfg.order.iter().enumerate() {
            let mut begin = if i == 0 { Version::Entry } else { self.joined(&h, b) };
            if let Some(l) = self.loop_of_head(b)
                && self.begins_in(&h, l, begin)
            {
                begin = Version::Join(b);
            }
            h.fill(b, begin);
        }
        h
    }

    /// The version at the beginning of a block, from the predecessors already processed.
    fn joined(&self, h: &History, b: BlockId) -> Version {
        let own = self.loop_of_head(b);
        let mut found: Option<Version> = None;
        for &p in &self.ctx.cfg.predecessors[b.0 as usize] {
            let back = own.is_some_and(|l| self.loops[l].contains(p));
            if back || self.ctx.cfg.position[p.0 as usize] == usize::MAX {
                continue;
            }
            // A version that began in a loop that has been left is that of the last iteration, and gets a new name
            // here.
            let end = h.at(p, usize::MAX).filter(|&v| {
                let mut around = self.around(v).into_iter();
                around.all(|l| self.loops[l].contains(b))
            });
            match (end, found) {
                (Some(v), None) => found = Some(v),
                (Some(v), Some(other)) if v == other => {}
                _ => return Version::Join(b),
            }
        }
        found.unwrap_or(Version::Join(b))
    }

    /// Whether a version begins in a loop that is entered with this one.
    fn begins_in(&self, h: &History, l: usize, entered: Version) -> bool {
        let lasts = h.is_final(entered);
        let blocks = &self.ctx.cfg.loops[l].blocks;
        blocks.iter().any(|b| {
            let all = &h.all[b.0 as usize];
            all.iter().any(|&(_, c)| c == Change::Write || !lasts)
        })
    }

    /// The loops around the beginning of a version, outermost first.
    fn around(&self, v: Version) -> Vec<usize> {
        match v {
            Version::Entry => Vec::new(),
            Version::Join(b) | Version::After(b, _) => self.nest(b),
        }
    }

    /// Records the contents that a load reads from an object that the kernel writes.
    pub(crate) fn note_read(
        &mut self,
        base: Base,
        (b, at): (BlockId, usize),
        load: (SiteId, u8),
        width: u32,
    ) {
        // Memory that was freed and allocated again is another object at the same address, and the address of a texel
        // is our own choice.
        if self.ctx.is_own(base) || self.images.contains(&base) {
            return;
        }
        if !self.histories.contains_key(&base) {
            let h = self.history(base);
            self.histories.insert(base, h);
        }
        let h = &self.histories[&base];
        let lockstep = self.ctx.assumptions.scheduling == Scheduling::Lockstep;
        let version = h.at(b, at).filter(|&v| !lockstep || h.is_final(v));
        let read = version.map(|version| {
            let around = self.around(version).len();
            Joined { base, version, width: width as u8, around }
        });
        self.reads.entry(load).and_modify(|r| *r = r.filter(|_| *r == read)).or_insert(read);
    }

    /// The function of memory contents that replaces that of a load.
    fn read_as(&mut self, load: usize, read: Joined) -> Call {
        let Joined { base, version, width, around } = read;
        let tag = match self.ctx.base_space(base) {
            Space::Global => 0,
            _ => self.ctx.fns[load].tag,
        };
        let name = self.ctx.fns[load].name.clone();
        let to = self.ctx.function(FnKind::Memory(base, version, width), tag, &name);
        Call { to, start: self.ctx.address_of(base), keep: around }
    }
}

/// Replaces loads by the contents that they read, in terms of two threads.
#[derive(Default)]
pub(crate) struct Joining {
    /// How many functions have been processed.
    known: usize,
    becomes: Substitution,
}

impl Joining {
    /// Two loads of one element become the same term.
    pub(crate) fn apply(&mut self, exec: &mut Exec, terms: &mut [T]) {
        if exec.reads.is_empty() {
            return;
        }
        for f in self.known..exec.ctx.fns.len() {
            let FnKind::LoadAt(site, k) = exec.ctx.fns[f].kind else { continue };
            if let Some(&Some(read)) = exec.reads.get(&(site, k)) {
                let call = exec.read_as(f, read);
                self.becomes.calls.insert(FnId(f as u32), call);
            }
        }
        self.known = exec.ctx.fns.len();
        for t in terms {
            *t = self.becomes.apply(&mut exec.ctx.pool, *t);
        }
    }
}
