//! Where fences belong.
//!
//! A fence is tried before and after each access to memory through which threads communicate, and in place of each fence
//! that is there, of a wider scope; in OpenCL, barriers get the flags of all memory. Atomic operations whose scope does not
//! hold all threads get a wider one. What such changes at all places at once
//! do not cure, fences do not cure. Of the rest, remedies are taken away as long as the faults stay away, the less fitting
//! first: those in loops, and those far from the operation that synchronises. Then one alone is tried, and scopes are
//! narrowed.
//! What is left was explored, for all launches at once, and then again in the kernel with the fences put in.

use std::collections::BTreeSet;

use lockstep_kernel::cfg::Cfg;
use lockstep_kernel::edit::{self, Addition};
use lockstep_kernel::{Barrier, Kernel, Op, Order, Scope, SiteId};
use lockstep_weak::program::{
    Instr, Order as WeakOrder, Program, Scope as WeakScope, Spaces, Strength,
};

use crate::answer::{Remedy, Wrong};
use crate::explore::{Budget, Case};
use crate::specialise::{Communication, Role, Spot, kernel_scope, weak_scope};

/// The program of a launch with these remedies.
pub(crate) fn with(communication: &Communication, remedies: &[Remedy]) -> Program {
    let mut program = communication.program.clone();
    for (code, origins) in program.codes.iter_mut().zip(&communication.origins) {
        for (instr, origin) in code.instrs.iter_mut().zip(origins) {
            for remedy in remedies {
                apply(remedy, instr, origin.role, origin.site);
            }
        }
    }
    program
}

fn apply(remedy: &Remedy, instr: &mut Instr, role: Role, at: Option<SiteId>) {
    let fence = |scope: Scope, sequential: bool| {
        let order = if sequential { WeakOrder::SeqCst } else { WeakOrder::AcqRel };
        Instr::Fence { order, scope: weak_scope(scope), spaces: Spaces::ALL }
    };
    match *remedy {
        Remedy::Insert { spot, scope, sequential } if role == Role::Slot(spot) => {
            *instr = fence(scope, sequential);
        }
        Remedy::Widen { site, scope, sequential } if role == Role::Fence && at == Some(site) => {
            let was_sequential = matches!(instr, Instr::Fence { order: WeakOrder::SeqCst, .. });
            *instr = fence(scope, sequential || was_sequential);
        }
        Remedy::Flags { site } if role == Role::Barrier && at == Some(site) => {
            if let Instr::Barrier(barrier) = instr {
                barrier.spaces = Spaces::ALL;
            }
        }
        Remedy::Reach { site, scope } if role == Role::Access && at == Some(site) => {
            if let Some(own) = reach(instr) {
                *own = (*own).max(weak_scope(scope));
            }
        }
        _ => {}
    }
}

/// The scope of a strong access.
fn reach(instr: &mut Instr) -> Option<&mut WeakScope> {
    match instr {
        Instr::Load { strength: Strength::Strong(_, scope), .. }
        | Instr::Store { strength: Strength::Strong(_, scope), .. }
        | Instr::Atomic { scope, .. } => Some(scope),
        _ => None,
    }
}

/// The kernel with these remedies.
pub(crate) fn edited(kernel: &Kernel, remedies: &[Remedy]) -> Option<Kernel> {
    let mut kernel = kernel.clone();
    for remedy in remedies {
        match *remedy {
            Remedy::Insert { spot, scope, sequential } => {
                let spot = match spot {
                    Spot::Before(site) => edit::Spot::Before(site),
                    Spot::After(site) => edit::Spot::After(site),
                };
                let (mut edited, new) = edit::with(&kernel, spot, Addition::Fence(scope))?;
                if sequential {
                    set_fence(&mut edited, new, scope, Some(Order::SeqCst));
                }
                kernel = edited;
            }
            Remedy::Widen { site, scope, sequential } => {
                set_fence(&mut kernel, site, scope, sequential.then_some(Order::SeqCst));
            }
            Remedy::Flags { site } => {
                for inst in kernel.blocks.iter_mut().flat_map(|block| &mut block.insts) {
                    if let Op::Barrier { site: own, barrier } = &mut inst.op
                        && *own == site
                        && let Barrier::Block { orders_shared, orders_global, .. } = barrier
                    {
                        (*orders_shared, *orders_global) = (true, true);
                    }
                }
            }
            Remedy::Reach { site, scope: to } => {
                for inst in kernel.blocks.iter_mut().flat_map(|block| &mut block.insts) {
                    if let Op::Atomic { site: own, scope, .. } = &mut inst.op
                        && *own == site
                    {
                        *scope = (*scope).max(to);
                    }
                }
            }
        }
    }
    Some(kernel)
}

/// A fence of this scope for all memory. One that only releases, or only acquires, does both.
fn set_fence(kernel: &mut Kernel, site: SiteId, to: Scope, sequential: Option<Order>) {
    for inst in kernel.blocks.iter_mut().flat_map(|block| &mut block.insts) {
        if let Op::Fence { site: own, scope, order, shared, global } = &mut inst.op
            && *own == site
        {
            let both = if *order == Order::SeqCst { Order::SeqCst } else { Order::AcqRel };
            (*scope, *shared, *global) = (to, true, true);
            *order = sequential.unwrap_or(both);
        }
    }
    kernel.sites[site.0 as usize].scope = to;
}

/// Sets of remedies to be tried, the least invasive first. Where atomic operations do not reach all threads, their own
/// scopes are to blame before any fence.
pub(crate) fn sets(kernel: &Kernel, cases: &[Case]) -> Vec<Vec<Remedy>> {
    let reach = narrow_accesses(cases);
    let weaker = fences(kernel, cases, false);
    if !reach.is_empty() {
        let both = [reach.clone(), weaker].concat();
        return vec![reach, both];
    }
    // An order of fences alone orders no accesses: that takes operations that tell one thread of the other.
    let mut instrs =
        cases.iter().flat_map(|case| &case.communication.program.codes).flat_map(|c| &c.instrs);
    match instrs.any(|instr| self::reach(&mut instr.clone()).is_some()) {
        true => vec![weaker, fences(kernel, cases, true)],
        false => vec![weaker],
    }
}

/// Atomic operations of a scope that does not hold all threads of a launch.
fn narrow_accesses(cases: &[Case]) -> Vec<Remedy> {
    let scope = widest(cases);
    let mut sites = BTreeSet::new();
    for case in cases {
        let codes = case.communication.program.codes.iter().zip(&case.communication.origins);
        for (instr, origin) in codes.flat_map(|(code, origins)| code.instrs.iter().zip(origins)) {
            let narrow = |own: &mut WeakScope| *own < weak_scope(scope);
            if reach(&mut instr.clone()).is_some_and(narrow) {
                sites.extend(origin.site);
            }
        }
    }
    sites.into_iter().map(|site| Remedy::Reach { site, scope }).collect()
}

/// All that could be done with fences and barriers, what fits best first.
fn fences(kernel: &Kernel, cases: &[Case], sequential: bool) -> Vec<Remedy> {
    let scope = widest(cases);
    let mut spots = BTreeSet::new();
    let mut fences = BTreeSet::new();
    let mut barriers = BTreeSet::new();
    for case in cases {
        let codes = case.communication.program.codes.iter().zip(&case.communication.origins);
        for (instr, origin) in codes.flat_map(|(code, origins)| code.instrs.iter().zip(origins)) {
            match (origin.role, origin.site, instr) {
                (Role::Slot(spot), ..) => {
                    spots.insert(spot);
                }
                (Role::Fence, Some(site), Instr::Fence { order, scope: own, spaces })
                    if weak_scope(scope) > *own
                        || *spaces != Spaces::ALL
                        || !matches!(order, WeakOrder::AcqRel | WeakOrder::SeqCst)
                        || (sequential && *order != WeakOrder::SeqCst) =>
                {
                    fences.insert(site);
                }
                (Role::Barrier, Some(site), Instr::Barrier(barrier))
                    if barrier.spaces != Spaces::ALL =>
                {
                    barriers.insert(site);
                }
                _ => {}
            }
        }
    }
    let cfg = Cfg::new(kernel);
    // Sequentially consistent fences are the more to explore the more there are: one between two accesses is enough.
    let of_use = |spot: &Spot| !sequential || matches!(spot, Spot::Before(_));
    let mut spots: Vec<Spot> = spots.into_iter().filter(of_use).collect();
    spots.sort_by_key(|&spot| (cost(kernel, &cfg, spot), spot));
    let flags = barriers.into_iter().map(|site| Remedy::Flags { site });
    let widen = fences.into_iter().map(|site| Remedy::Widen { site, scope, sequential });
    let insert = spots.into_iter().map(|spot| Remedy::Insert { spot, scope, sequential });
    flags.chain(widen).chain(insert).collect()
}

/// The depth of loops around a spot, and whether what stands there is far from synchronising.
pub(crate) fn cost(kernel: &Kernel, cfg: &Cfg, spot: Spot) -> (usize, bool) {
    let site = kernel.site(spot.site());
    let Some((block, _)) = edit::position(kernel, spot.site()) else { return (usize::MAX, true) };
    let mut depth = 0;
    let mut around = cfg.innermost[block.0 as usize];
    while let Some(index) = around {
        depth += 1;
        around = cfg.loops[index].parent;
    }
    let synchronises = site.volatile || site.kind == lockstep_kernel::SiteKind::Atomic;
    (depth, !synchronises)
}

/// The narrowest scope that holds all threads of each launch.
fn widest(cases: &[Case]) -> Scope {
    let several = |case: &Case| {
        let threads = &case.communication.threads;
        threads.iter().any(|thread| thread.block_number != threads[0].block_number)
    };
    if cases.iter().any(several) { Scope::Device } else { Scope::Block }
}

pub(crate) struct Search<'a> {
    pub(crate) cases: &'a [Case],
    pub(crate) budget: &'a Budget<'a>,
    /// Of each case, the faults that no fence cures.
    pub(crate) incurable: Vec<BTreeSet<Wrong>>,
}

impl Search<'_> {
    fn works(&self, remedies: &[Remedy]) -> bool {
        self.cases.iter().zip(&self.incurable).all(|(case, incurable)| {
            let program = with(&case.communication, remedies);
            let found = case.faults(&program, self.budget, incurable, true);
            found.faults.is_empty() && found.explored.cut.is_empty()
        })
    }

    /// Remedies of which none can be left out, and whether fewer would not do. `all` works.
    pub(crate) fn fewest(&self, all: &[Remedy]) -> (Vec<Remedy>, bool) {
        // As few as do of those that fit best; with more, nothing gets worse.
        let (mut too_few, mut enough) = (0, all.len());
        while enough - too_few > 1 {
            let middle = (too_few + enough) / 2;
            if self.works(&all[..middle]) {
                enough = middle;
            } else {
                too_few = middle;
            }
        }
        let mut kept = all[..enough].to_vec();
        // The last of them is needed. Of the others, the less fitting go first.
        for index in (0..enough.saturating_sub(1)).rev() {
            let mut fewer = kept.clone();
            fewer.remove(index);
            if self.works(&fewer) {
                kept = fewer;
            }
        }
        let mut fewest = kept.len() <= 1;
        if kept.len() > 1 {
            match all.iter().find(|one| self.works(&[**one])) {
                Some(one) => (kept, fewest) = (vec![*one], true),
                None => fewest = kept.len() == 2,
            }
        }
        self.narrow(&mut kept);
        (kept, fewest)
    }

    /// Narrows scopes and weakens orders, one remedy after the other.
    fn narrow(&self, remedies: &mut [Remedy]) {
        for index in 0..remedies.len() {
            let (scope, sequential) = match remedies[index] {
                Remedy::Insert { scope, sequential, .. }
                | Remedy::Widen { scope, sequential, .. } => (scope, sequential),
                Remedy::Flags { .. } | Remedy::Reach { .. } => continue,
            };
            let strong = remedies[index];
            let with = |to: Scope, order: bool| match strong {
                Remedy::Insert { spot, .. } => {
                    Remedy::Insert { spot, scope: to, sequential: order }
                }
                Remedy::Widen { site, .. } => Remedy::Widen { site, scope: to, sequential: order },
                other => other,
            };
            let orders: &[bool] = if sequential { &[false, true] } else { &[false] };
            let weaker = orders.iter().flat_map(|&order| {
                [WeakScope::Block, WeakScope::Device].map(|scope| (kernel_scope(scope), order))
            });
            let weaker: Vec<(Scope, bool)> = weaker
                .filter(|&(to, order)| to <= scope && (to, order) != (scope, sequential))
                .collect();
            let enough = weaker.into_iter().find(|&(to, order)| {
                remedies[index] = with(to, order);
                self.works(remedies)
            });
            let (to, order) = enough.unwrap_or((scope, sequential));
            remedies[index] = with(to, order);
        }
    }
}
