//! Barriers without which the kernel is still proved free of races.
//!
//! If a kernel without the barrier has no data race and no barrier divergence, and threads have no other way to observe
//! each other's progress, every read sees the same write as before: only the execution time changes. So nothing is
//! claimed about a kernel with atomics, volatile accesses, fences, output, clocks or operations on the currently active
//! lanes: a barrier may order those with each other, and that is no data race.
//!
//! A barrier in the source that was inlined or unrolled several times counts as one: it is removed everywhere or
//! nowhere. A barrier that computes a value (`__syncthreads_count`) cannot be removed.

use lockstep_finding::{Condition, Kind, Question, Reason, Verdict};
use lockstep_kernel::{Barrier, CopyDone, Kernel, Op, Scheduling, SiteId, Special};

use crate::decide::limits::{Limits, Purpose};
use crate::symbolic::records::is_block_barrier;
use crate::symbolic::source::line_of;
use crate::verdict::analysis::{Analysis, analyse};

/// All barriers from one source location.
struct Place {
    sites: Vec<SiteId>,
    /// Whether one of them has a result.
    computes: bool,
}

/// Adds the findings, and sets the verdict.
pub(crate) fn find(kernel: &Kernel, first: &mut Analysis, limits: Limits) {
    let verdict = judge(kernel, first, limits);
    for (kind, v) in &mut first.verdicts {
        if *kind == Kind::RedundantBarrier {
            *v = verdict.clone();
        }
    }
}

fn judge(kernel: &Kernel, first: &mut Analysis, limits: Limits) -> Verdict {
    let unknown = |because: Reason| Verdict::Unknown { because };
    let Verdict::Proved { assumes } = first.race.clone() else {
        return unknown(Reason::NotProvedFreeOfRaces);
    };
    let places = places(kernel);
    if places.is_empty() {
        return Verdict::Proved { assumes };
    }
    if let Some(what) = other_order(kernel) {
        return unknown(Reason::BarrierOrders { what: what.to_owned() });
    }
    let (given, hints) = first.under.clone();
    // In lockstep a barrier may still keep the compiler from holding values in registers: it must be redundant for
    // independently scheduled threads.
    let mut apart = given.clone();
    apart.scheduling = Scheduling::Independent;
    let kinds = [Kind::DataRace, Kind::BarrierDivergence];
    let limits = Limits { purpose: Purpose::OneRace, ..limits };
    let mut found = false;
    let mut open = None;
    for place in places {
        if limits.cancel.is_cancelled() {
            open = Some(Reason::Interrupted);
            break;
        }
        let site = place.sites[0];
        let at = line_of(kernel, site);
        if place.computes {
            open.get_or_insert(Reason::BarrierComputes { at });
            continue;
        }
        let mut without = kernel.clone();
        for &s in &place.sites {
            without = lockstep_kernel::edit::without(&without, s).unwrap_or(without);
        }
        let again = analyse(&without, &apart, hints, &kinds, limits);
        first.stats.queries += again.stats.queries;
        first.stats.solver_seconds += again.stats.solver_seconds;
        let divergence = again.verdicts.iter().find(|(k, _)| *k == kinds[1]).map(|(_, v)| v);
        match (&again.race, divergence) {
            (Verdict::Proved { assumes: more }, Some(Verdict::Proved { assumes: still })) => {
                let mut all = assumes.clone();
                Condition::add(&mut all, more.iter().chain(still).cloned());
                let several = place.sites.len();
                first.alarms.push(crate::property::alarm::redundant(kernel, site, several, &all));
                found = true;
            }
            (Verdict::Found, _) if given.scheduling == Scheduling::Independent => {}
            (Verdict::Found, _) => {
                open.get_or_insert(Reason::NeededWithinWarps { at });
            }
            (Verdict::Proved { .. }, _) => {
                open.get_or_insert(Reason::OthersMayNotBeReached { without: at });
            }
            _ => {
                open.get_or_insert(Reason::MayHappen(Question::BarrierNeeded(at)));
            }
        }
    }
    match (found, open) {
        (true, _) => Verdict::Found,
        (false, Some(because)) => unknown(because),
        (false, None) => Verdict::Proved { assumes },
    }
}

/// An operation other than a plain access that a barrier of this kernel may order.
fn other_order(kernel: &Kernel) -> Option<&'static str> {
    kernel.insts().find_map(|i| match &i.op {
        Op::Atomic { .. } => Some("atomics"),
        Op::Fence { .. } => Some("fences"),
        Op::Load { site, .. } | Op::Store { site, .. } if kernel.site(*site).volatile => {
            Some("volatile accesses")
        }
        Op::MemCopy { read, write, .. }
            if kernel.site(*read).volatile || kernel.site(*write).volatile =>
        {
            Some("volatile accesses")
        }
        Op::MemSet { site, .. } if kernel.site(*site).volatile => Some("volatile accesses"),
        Op::Barrier { barrier, .. }
            if matches!(barrier, Barrier::Grid)
                || !is_block_barrier(barrier) && !matches!(barrier, Barrier::Warp { .. }) =>
        {
            Some("other barriers")
        }
        Op::GroupCopy { .. }
        | Op::MemCopy { done: CopyDone::Group { .. } | CopyDone::Signal(_), .. } => {
            Some("asynchronous copies")
        }
        Op::Alloc { .. } | Op::Free { .. } => Some("allocations"),
        Op::Print { .. } => Some("output"),
        Op::Special(Special::Clock) => Some("readings of the clock"),
        Op::Shuffle { mask: None, .. } | Op::Vote { mask: None, .. } | Op::ActiveMask => {
            Some("operations of the active lanes")
        }
        _ => None,
    })
}

/// The kernel's barriers of the whole block, by source location.
fn places(kernel: &Kernel) -> Vec<Place> {
    let mut out: Vec<((u32, u32, u32), Place)> = Vec::new();
    for inst in kernel.insts() {
        let Op::Barrier { site, barrier } = &inst.op else { continue };
        if !is_block_barrier(barrier) {
            continue;
        }
        let loc = kernel.loc(kernel.site(*site).loc);
        let key = (loc.file, loc.line, loc.column);
        let computes = inst.op.result_count() > 0;
        match out.iter_mut().find(|(k, _)| *k == key) {
            Some((_, p)) => {
                p.sites.push(*site);
                p.computes |= computes;
            }
            None => out.push((key, Place { sites: vec![*site], computes })),
        }
    }
    for (_, p) in &mut out {
        p.sites.sort();
        p.sites.dedup();
    }
    out.sort_by_key(|(_, p)| p.sites[0]);
    out.into_iter().map(|(_, p)| p).collect()
}
