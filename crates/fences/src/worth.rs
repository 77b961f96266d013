//! What the fences of a kernel without faults are good for.
//!
//! Each fence of the source is taken away, in all places where threads execute it and in all launches; if nothing new
//! happens, neither a fault nor a value that a thread reads nor one that is left in memory, it is redundant. If a narrower
//! scope adds nothing new, its own is too wide.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_kernel::{Kernel, LocId, Op, Scope, SiteId};
use lockstep_weak::program::{Instr, Program, Scope as WeakScope};

use crate::answer::{FenceUse, Worth};
use crate::explore::{Budget, Case};
use crate::specialise::{Communication, Role, kernel_scope, weak_scope};

/// The program with a fence of the source changed: gone, or of another scope.
fn changed(
    program: &Program,
    communication: &Communication,
    site: SiteId,
    to: Option<WeakScope>,
) -> Program {
    let mut program = program.clone();
    for (code, origins) in program.codes.iter_mut().zip(&communication.origins) {
        for (pc, (instr, origin)) in code.instrs.iter_mut().zip(origins).enumerate() {
            if origin.role == Role::Fence && origin.site == Some(site) {
                match (to, &mut *instr) {
                    (Some(to), Instr::Fence { scope, .. }) => *scope = to,
                    _ => *instr = Instr::Jump { target: pc + 1 },
                }
            }
        }
    }
    program
}

/// The fences that threads of a launch may execute, with their scopes.
fn fences(communication: &Communication) -> BTreeMap<SiteId, WeakScope> {
    let mut fences = BTreeMap::new();
    for (code, origins) in communication.program.codes.iter().zip(&communication.origins) {
        for (instr, origin) in code.instrs.iter().zip(origins) {
            if let (Role::Fence, Some(site), Instr::Fence { scope, .. }) =
                (origin.role, origin.site, instr)
            {
                fences.insert(site, *scope);
            }
        }
    }
    fences
}

pub(crate) fn judge(kernel: &Kernel, cases: &[&Case], budget: &Budget<'_>) -> Vec<FenceUse> {
    let own: Vec<BTreeMap<SiteId, WeakScope>> =
        cases.iter().map(|case| fences(&case.communication)).collect();
    // Threads that do not communicate execute fences, too: those serve nobody.
    let is_reached = |site: &SiteId| {
        own.iter().any(|fences| fences.contains_key(site))
            || cases.iter().any(|case| case.communication.reached.contains(site))
    };
    // The fences of a barrier of wide scope are part of it.
    let barriers: BTreeSet<LocId> = kernel
        .insts()
        .filter(|inst| matches!(inst.op, Op::Barrier { .. }))
        .map(|inst| inst.loc)
        .collect();
    let all: BTreeMap<SiteId, WeakScope> = kernel
        .insts()
        .filter(|inst| !barriers.contains(&inst.loc))
        .filter_map(|inst| match inst.op {
            Op::Fence { site, scope, .. } => Some((site, weak_scope(scope))),
            _ => None,
        })
        .filter(|(site, _)| is_reached(site))
        .collect();
    if all.is_empty() {
        return Vec::new();
    }
    let outcomes: Vec<Option<BTreeSet<Vec<i64>>>> =
        cases.iter().map(|case| case.outcomes(budget)).collect();
    let mut without: Vec<Program> =
        cases.iter().map(|case| case.communication.program.clone()).collect();
    // Whether a change adds nothing new in any launch.
    let adds_nothing = |programs: &dyn Fn(usize) -> Option<Program>| -> Option<bool> {
        let mut sure = true;
        for (index, case) in cases.iter().enumerate() {
            let Some(program) = programs(index) else { continue };
            match outcomes[index].as_ref().and_then(|all| case.adds_nothing(&program, budget, all))
            {
                Some(true) => {}
                Some(false) => return Some(false),
                None => sure = false,
            }
        }
        sure.then_some(true)
    };
    let mut uses = Vec::new();
    for (&site, &scope) in &all {
        let change = |to: Option<WeakScope>| {
            adds_nothing(&|index: usize| {
                let communication = &cases[index].communication;
                own[index]
                    .contains_key(&site)
                    .then(|| changed(&communication.program, communication, site, to))
            })
        };
        let narrower = || {
            [WeakScope::Block, WeakScope::Device]
                .into_iter()
                .filter(|&to| to < scope)
                .find(|&to| change(Some(to)) == Some(true))
        };
        let worth = match change(None) {
            Some(true) => Worth::Redundant,
            None => Worth::Undecided,
            Some(false) => narrower().map_or(Worth::Needed, |to| Worth::TooWide(kernel_scope(to))),
        };
        let mut removed_together = false;
        if worth == Worth::Redundant {
            let fewer: Vec<Program> = without
                .iter()
                .zip(cases)
                .map(|(program, case)| changed(program, &case.communication, site, None))
                .collect();
            removed_together =
                adds_nothing(&|index: usize| Some(fewer[index].clone())) == Some(true);
            if removed_together {
                without = fewer;
            }
        }
        let scope: Scope = kernel_scope(scope);
        uses.push(FenceUse { site, scope, worth, removed_together });
    }
    uses
}
