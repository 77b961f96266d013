//! All questions about a kernel at some small launches, in their order.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_kernel::{Barrier, Kernel, Op, Space};

use crate::answer::{Answer, Explored, Fault, FenceUse, Missing, Remedy, Worth, Wrong};
use crate::explore::{Budget, Case};
use crate::launch::Launch;
use crate::limits::Limits;
use crate::remedy::{Search, edited, sets, with};
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
/// them together that could be explored to the end.
pub fn examine(kernel: &Kernel, launches: &[Launch], limits: &Limits) -> Answer {
    let budget = Budget::new(limits);
    let mut answer = Answer {
        launches: Vec::new(),
        faults: Vec::new(),
        open: Vec::new(),
        missing: None,
        fences: Vec::new(),
        judged: false,
    };
    let mut cases = Vec::new();
    // Of each case.
    let mut faults: Vec<BTreeMap<Wrong, Fault>> = Vec::new();
    let mut open = Faults::default();
    for (index, launch) in launches.iter().enumerate() {
        let communication = match specialise(kernel, launch, limits) {
            Ok(communication) => communication,
            Err(outside) => {
                answer.launches.push(Err(outside));
                continue;
            }
        };
        let case = Case::new(kernel, index, communication);
        let program = &case.communication.program;
        let found = case.faults(program, &budget, &BTreeSet::new(), false);
        if found.explored.cut.is_empty() {
            faults.push(found.faults);
            cases.push(case);
        } else {
            open.extend(found.faults);
        }
        answer.launches.push(Ok(found.explored));
    }
    open.0.retain(|wrong, _| !faults.iter().any(|of_case| of_case.contains_key(wrong)));
    judge_fences(kernel, &cases, &faults, &open, &budget, &mut answer);
    if faults.iter().all(BTreeMap::is_empty) {
        answer.open = open.0.into_values().collect();
        return answer;
    }
    // A fault that fences cure in one launch may be there in another whatever the fences: two threads of a block where the
    // kernel is made for one.
    match incurable(kernel, &cases, &budget) {
        None => faults.into_iter().for_each(|of_case| open.extend(of_case)),
        Some(Incurable { left, decided, remedies: all }) => {
            let (mut without, mut cured) = (Faults::default(), Faults::default());
            for (of_case, left) in faults.into_iter().zip(&left) {
                let (stay, go) = of_case.into_iter().partition(|(wrong, _)| left.contains(wrong));
                without.extend(stay);
                cured.extend(go);
            }
            let elsewhere = cured.0.keys().any(|wrong| without.0.contains_key(wrong));
            if decided {
                answer.faults = without.0.into_values().collect();
            } else {
                open.extend(without.0);
            }
            if !cured.0.is_empty() {
                let search = Search { cases: &cases, budget: &budget, incurable: left };
                let (remedies, fewest) = search.fewest(&all);
                let verified =
                    !elsewhere && verify(kernel, launches, limits, &budget, &search, &remedies);
                let faults = cured.0.into_values().collect();
                answer.missing = Some(Missing { faults, remedies, fewest, verified });
            }
        }
    }
    answer.open = open.0.into_values().collect();
    answer
}

/// Says what fences are good for, where nothing is wrong. Launches in which no execution comes to its end, since threads wait for
/// others that are not there, say nothing.
fn judge_fences(
    kernel: &Kernel,
    cases: &[Case],
    faults: &[BTreeMap<Wrong, Fault>],
    open: &Faults,
    budget: &Budget<'_>,
    answer: &mut Answer,
) {
    let explored = |case: &Case| answer.launches[case.launch].as_ref().ok();
    let only_waits = |case: &Case, faults: &BTreeMap<Wrong, Fault>| {
        faults.keys().all(|wrong| matches!(wrong, Wrong::Hang(_)))
            && explored(case).is_some_and(|explored| explored.executions == 0)
    };
    let of_cases = || cases.iter().zip(faults);
    let is_doubtful = |explored: &Explored| !explored.uninitialised.is_empty();
    let is_right = open.0.is_empty()
        && of_cases().all(|(case, faults)| faults.is_empty() || only_waits(case, faults))
        && of_cases().any(|(_, faults)| faults.is_empty())
        && !answer.launches.iter().flatten().any(is_doubtful);
    let nothing_explored = cases.is_empty() && open.0.is_empty();
    if !is_right {
        answer.judged = nothing_explored;
        return;
    }
    let right: Vec<&Case> =
        of_cases().filter(|(_, faults)| faults.is_empty()).map(|(case, _)| case).collect();
    let mut fences = worth::judge(kernel, &right, budget);
    if !answer.unreached().is_empty() {
        let unsure = |fence: &&mut FenceUse| fence.worth != Worth::Needed;
        fences.iter_mut().filter(unsure).for_each(|fence| {
            (fence.worth, fence.removed_together) = (Worth::Undecided, false);
        });
    }
    (answer.fences, answer.judged) = (fences, true);
}

/// Faults by what is wrong. Of two executions, the one that shows it better is kept.
#[derive(Default)]
struct Faults(BTreeMap<Wrong, Fault>);

impl Faults {
    fn extend(&mut self, faults: BTreeMap<Wrong, Fault>) {
        for (wrong, fault) in faults {
            if self.0.get(&wrong).is_none_or(|old| fault.rank() < old.rank()) {
                self.0.insert(wrong, fault);
            }
        }
    }
}

/// Judgements that are spent on each further set of remedies: few faults need one, and fences that are sequentially
/// consistent cost much to explore.
const FURTHER: u64 = 4_000;

/// The faults that are left with the remedies of a set at all places.
struct Incurable {
    /// Of each case.
    left: Vec<BTreeSet<Wrong>>,
    /// No other set was given up that might cure more.
    decided: bool,
    remedies: Vec<Remedy>,
}

/// What the most effective set leaves. None if nothing is known.
fn incurable(kernel: &Kernel, cases: &[Case], budget: &Budget<'_>) -> Option<Incurable> {
    let left = |everywhere: &[Remedy], budget: &Budget<'_>| {
        let of = |case: &Case| {
            let program = with(&case.communication, everywhere);
            let found = case.faults(&program, budget, &BTreeSet::new(), false);
            found.explored.cut.is_empty().then(|| found.faults.into_keys().collect())
        };
        cases.iter().map(of).collect::<Option<Vec<BTreeSet<Wrong>>>>()
    };
    let count = |left: &[BTreeSet<Wrong>]| -> usize { left.iter().map(BTreeSet::len).sum() };
    let mut sets = sets(kernel, cases).into_iter();
    let remedies = sets.next()?;
    let mut best = Incurable { left: left(&remedies, budget)?, decided: true, remedies };
    for remedies in sets {
        if count(&best.left) == 0 {
            break;
        }
        let part = budget.part(FURTHER);
        let now = left(&remedies, &part);
        budget.settle(&part, FURTHER);
        match now {
            Some(left) if count(&left) < count(&best.left) => {
                best = Incurable { left, remedies, ..best };
            }
            Some(_) => {}
            None => best.decided = false,
        }
    }
    Some(best)
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
    search.cases.iter().zip(&search.incurable).all(|(case, incurable)| {
        let Ok(communication) = specialise(&repaired, &launches[case.launch], limits) else {
            return false;
        };
        let case = Case::new(&repaired, case.launch, communication);
        let program = &case.communication.program;
        let found = case.faults(program, budget, incurable, true);
        found.faults.is_empty() && found.explored.cut.is_empty()
    })
}
