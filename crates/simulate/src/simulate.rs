//! One launch, executed and checked.
//!
//! The observers are chosen by the requested kinds of findings. The launch is first run with blocks in parallel, where
//! the checks only detect whether there is anything to report, without memory for reports. If there is nothing, that is
//! the result. Otherwise the launch is executed again, one block after the other, with the full checks.

use lockstep_finding::{Reason, SourceLine, Stopped};
use lockstep_kernel::Kernel;

use crate::check::describe::{access, memory, place};
use crate::check::faults::Faults;
use crate::check::memory::MemoryChecks;
use crate::check::written_only::WrittenOnly;
use crate::check::{Check, Mode};
use crate::code::program::{Prepared, Program};
use crate::launch::outcome::Outcome;
use crate::launch::request::{BoundLaunch, Config, LaunchError};
use crate::launch::resident::{Home, Resident};
use crate::launch::store_buffers::{MissedStore, WeakOutcome};
use crate::machine::grid::{Run, in_order, in_parallel, workers};
use crate::machine::observe::{Nobody, NobodyWeakly};
use crate::machine::world::Stop;
use crate::watch::barrier_needs::{BarrierNeeds, Survey};
use crate::watch::touched::Touched;
use crate::weak::Missed;
use crate::weak::buffer::Party;

/// Executes one launch and reports the observers' findings.
pub fn simulate(
    kernel: &Kernel,
    launch: &BoundLaunch,
    config: &Config,
) -> Result<Outcome, LaunchError> {
    Prepared::new(kernel).simulate(launch, config)
}

impl Prepared<'_> {
    /// As [`simulate()`], for many launches of one kernel.
    pub fn simulate(&self, launch: &BoundLaunch, config: &Config) -> Result<Outcome, LaunchError> {
        let program = Program::new(self, launch, config, None)?;
        let races = config.kinds.iter().any(|k| MemoryChecks::KINDS.contains(k));
        Ok(if config.store_buffers.is_some() {
            weakly(&program)
        } else if config.barrier_needs {
            surveyed(&program)
        } else if races {
            checked::<(Faults, MemoryChecks)>(&program, true)
        } else if !config.kinds.is_empty() {
            checked::<Faults>(&program, workers(&program) > 1)
        } else {
            checked::<Nobody>(&program, workers(&program) > 1)
        })
    }

    /// Executes a launch on memory that outlives it, in place. `variables`: by the kernel's objects, the slots of those
    /// that are such memory. `touched`: it is to be told which bytes of it are accessed.
    pub fn simulate_resident(
        &self,
        launch: &BoundLaunch,
        config: &Config,
        memory: &mut Resident,
        variables: &[Option<usize>],
        touched: bool,
    ) -> Result<Outcome, LaunchError> {
        let home = Home { memory, variables };
        let program = Program::new(self, launch, config, Some(&home))?;
        let races = config.kinds.iter().any(|k| MemoryChecks::KINDS.contains(k));
        let several = workers(&program) > 1;
        let mut outcome = match (races, touched) {
            (true, false) => checked::<(Faults, MemoryChecks)>(&program, true),
            (true, true) => checked::<(Faults, (MemoryChecks, Touched))>(&program, true),
            (false, false) => checked::<(Faults, WrittenOnly)>(&program, several),
            (false, true) => checked::<(Faults, (WrittenOnly, Touched))>(&program, several),
        };
        drop(program);
        memory.learn(std::mem::take(&mut outcome.written));
        Ok(outcome)
    }
}

/// Executes a launch under a check, first in parallel where that is worthwhile.
fn checked<C: Check>(program: &Program, parallel: bool) -> Outcome {
    if parallel
        && !program.serial
        && let Some(run) = in_parallel(program, &|| C::new(program, Mode::Probe))
    {
        return outcome(program, run, None::<C>);
    }
    let mut check = C::new(program, Mode::Full);
    let run = in_order(program, &mut check);
    check.launch_ends(program);
    outcome(program, run, Some(check))
}

/// Executes a launch with store buffers. Only faults are looked for.
fn weakly(program: &Program) -> Outcome {
    let mut observer = (NobodyWeakly, Faults::new(program, Mode::Full));
    let mut run = in_order(program, &mut observer);
    let weak = run.weak.take().map(|(stats, missed)| {
        let missed = missed.iter().map(|missed| described(program, missed)).collect();
        WeakOutcome { stats, missed }
    });
    Outcome { weak, ..outcome(program, run, Some(observer.1)) }
}

/// A load that missed a store, in the terms of findings.
fn described(program: &Program, missed: &Missed) -> MissedStore {
    let Missed { store, load, object, offset, len } = *missed;
    let access = |party: Party| access(program, party.block, party.site, party.thread);
    MissedStore {
        store: store.site,
        load: load.site,
        accesses: [access(store), access(load)],
        memory: memory(&program.objects[object], offset as i64, len as i64),
    }
}

/// Executes a launch under all checks, and determines which barriers it needs.
fn surveyed(program: &Program) -> Outcome {
    let checks = <(Faults, MemoryChecks)>::new(program, Mode::Full);
    let Some(survey) = Survey::new(program.kernel) else {
        let mut checks = checks;
        let run = in_order(program, &mut checks);
        return outcome(program, run, Some(checks));
    };
    let mut needs = BarrierNeeds { checks, survey };
    let run = in_order(program, &mut needs);
    let mut outcome = outcome(program, run, Some(needs.checks));
    if outcome.incomplete.is_none() {
        outcome.barriers = needs.survey.finish();
    }
    outcome
}

/// The outcome of a run; without a check if nothing was detected.
fn outcome<C: Check>(program: &Program, run: Run, check: Option<C>) -> Outcome {
    let incomplete = run.stop.as_ref().map(|s| because(program, s));
    // After a deadlock or barrier divergence the rest was never executed.
    let incomplete =
        incomplete.or_else(|| run.deadlock.then_some(Reason::Stopped(Stopped::Deadlock)));
    let violated = match run.stop {
        Some(Stop::Requires(text)) => Some(text),
        _ => None,
    };
    let mut stats = run.stats;
    stats.shadow_bytes += check.as_ref().map_or(0, Check::launch_bytes);
    let findings = check.filter(|_| violated.is_none()).map(|c| c.reports().finish());
    Outcome {
        findings: findings.unwrap_or_default(),
        printed: run.printed,
        buffers: run.buffers,
        incomplete,
        violated,
        stats,
        coverage: run.coverage,
        barriers: None,
        weak: None,
        written: run.written,
        touched: run.touched.iter().filter_map(|(object, uses)| uses.told(*object)).collect(),
    }
}

fn because(program: &Program, stop: &Stop) -> Reason {
    match stop {
        Stop::Limit => Reason::StepBudget { warp_instructions: program.config.max_steps },
        Stop::Late => Reason::TimeBudget { seconds: None },
        Stop::Diverged => Reason::Stopped(Stopped::DivergentBarrier),
        Stop::Unsupported(id) => {
            let u = &program.kernel.unsupported[*id as usize];
            let at = SourceLine::from(&place(program.kernel, u.loc));
            Reason::NotSupported { what: u.what.clone(), at }
        }
        Stop::Dirty => Reason::Stopped(Stopped::GivenUp),
        Stop::Heap => Reason::Stopped(Stopped::Heap),
        Stop::Handle => Reason::Stopped(Stopped::TextureHandle),
        Stop::Shape => Reason::Stopped(Stopped::ImageShape),
        Stop::Alone => Reason::Stopped(Stopped::WaitsForOtherBlocks),
        Stop::Requires(text) => Reason::Stopped(Stopped::Precondition(text.clone())),
    }
}
