//! All questions about a kernel at some small launches, in their order.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_kernel::{Barrier, Kernel, Op, Space};
use lockstep_weak::program::{Instr, Scope, Strength};

use crate::answer::{Answer, Explored, Fault, Missing, Remedy, Wrong};
use crate::explore::{Budget, Case};
use crate::launch::Launch;
use crate::limits::Limits;
use crate::outside::Outside;
use crate::remedy::{Search, candidates, edited, with};
use crate::specialise::specialise;
use crate::worth;

/// Whether a kernel has operations by which threads communicate through memory in other ways than by barriers of a block.
/// For others this engine has nothing to add to what is known of barriers.
pub fn communicates(kernel: &Kernel) -> bool {
    let is_memory = |space: Space| !matches!(space, Space::Private | Space::Constant);
    kernel.insts().any(|inst| match &inst.op {
        Op::Atomic { site, .. } => is_memory(kernel.site(*site).space),
        Op::Load { site, .. } | Op::Store { site, .. } => {
            kernel.site(*site).volatile && is_memory(kernel.site(*site).space)
        }
        Op::Fence { .. } => true,
        Op::Barrier { barrier, .. } => matches!(barrier, Barrier::Grid),
        _ => false,
    })
}

/// Explores all executions of a kernel at each of the launches. Remedies and the worth of fences are decided for all of
/// them together.
pub fn examine(kernel: &Kernel, launches: &[Launch], limits: &Limits) -> Answer {
    let budget = Budget::new(limits);
    let mut explored: Vec<Result<Explored, Outside>> = Vec::new();
    let mut cases = Vec::new();
    let mut faults: BTreeMap<Wrong, Fault> = BTreeMap::new();
    for (index, launch) in launches.iter().enumerate() {
        match specialise(kernel, launch, limits) {
            Err(outside) => explored.push(Err(outside)),
            Ok(communication) => {
                let case = Case::new(kernel, index, communication);
                let program = &case.communication.program;
                let found = case.faults(program, &budget, &BTreeSet::new(), false);
                for (wrong, fault) in found.faults {
                    let better =
                        |old: &Fault| old.rests_on_uninitialised && !fault.rests_on_uninitialised;
                    if faults.get(&wrong).is_none_or(better) {
                        faults.insert(wrong, fault);
                    }
                }
                explored.push(Ok(found.explored));
                cases.push(case);
            }
        }
    }
    let exhaustive = explored.iter().all(|l| l.as_ref().is_ok_and(Explored::exhaustive));
    let mut answer =
        Answer { launches: explored, faults: Vec::new(), missing: None, fences: Vec::new() };
    if faults.is_empty() {
        if exhaustive {
            answer.fences = worth::judge(&cases, &budget);
        }
        return answer;
    }
    let incurable = incurable(kernel, &cases, &budget);
    let mut cured = Vec::new();
    for (wrong, fault) in faults {
        match &incurable {
            Some((incurable, _)) if !incurable.contains(&wrong) => cured.push(fault),
            _ => answer.faults.push(fault),
        }
    }
    if let Some((incurable, sequential)) = incurable
        && !cured.is_empty()
    {
        let search = Search { cases: &cases, budget: &budget, incurable };
        let all = candidates(kernel, &cases, sequential);
        let (remedies, fewest) = search.fewest(&all);
        let verified = verify(kernel, launches, limits, &budget, &search, &remedies);
        answer.missing = Some(Missing { faults: cured, remedies, fewest, verified });
    }
    answer
}

/// The faults that are left with fences everywhere, and whether these have to be sequentially consistent to cure what they
/// cure. None if that is not known.
fn incurable(
    kernel: &Kernel,
    cases: &[Case],
    budget: &Budget<'_>,
) -> Option<(BTreeSet<Wrong>, bool)> {
    let left = |sequential: bool| {
        let everywhere = candidates(kernel, cases, sequential);
        let mut left = BTreeSet::new();
        for case in cases {
            let program = with(&case.communication, &everywhere);
            let found = case.faults(&program, budget, &BTreeSet::new(), false);
            if !found.explored.cut.is_empty() {
                return None;
            }
            left.extend(found.faults.into_keys());
        }
        Some(left)
    };
    let weaker = left(false)?;
    // Where operations do not reach all threads, their own scope is to blame.
    if weaker.is_empty() || cases.iter().any(has_narrow_accesses) {
        return Some((weaker, false));
    }
    match left(true) {
        Some(stronger) if stronger.len() < weaker.len() => Some((stronger, true)),
        _ => Some((weaker, false)),
    }
}

/// Whether a strong access has a scope that does not hold all threads.
fn has_narrow_accesses(case: &Case) -> bool {
    let threads = &case.communication.threads;
    let several = threads.iter().any(|thread| thread.block_number > 0);
    let mut instrs = case.communication.program.codes.iter().flat_map(|code| &code.instrs);
    instrs.any(|instr| {
        let scope = match instr {
            Instr::Load { strength: Strength::Strong(_, scope), .. }
            | Instr::Store { strength: Strength::Strong(_, scope), .. }
            | Instr::Atomic { scope, .. } => *scope,
            _ => return false,
        };
        scope < if several { Scope::Device } else { Scope::Block }
    })
}

/// Whether the kernel with these remedies put in has only those faults that no fence cures.
fn verify(
    kernel: &Kernel,
    launches: &[Launch],
    limits: &Limits,
    budget: &Budget<'_>,
    search: &Search<'_>,
    remedies: &[Remedy],
) -> bool {
    let Some(repaired) = edited(kernel, remedies) else { return false };
    search.cases.iter().all(|case| {
        let Ok(communication) = specialise(&repaired, &launches[case.launch], limits) else {
            return false;
        };
        let case = Case::new(&repaired, case.launch, communication);
        let program = &case.communication.program;
        let found = case.faults(program, budget, &search.incurable, true);
        found.faults.is_empty() && found.explored.cut.is_empty()
    })
}
