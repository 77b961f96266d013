//! Runs all blocks of a launch.
//!
//! The meaning of a launch is fixed: blocks run one after the other in the order
//! of their numbers; a block that waits for others (it spins with nothing
//! changing, or stands at a grid barrier) steps aside for the next ones and comes
//! back when something changed. That order is one the language allows, and what
//! is reported does not hang on it, but on what orders accesses.
//!
//! Most launches do not care, so they are first *probed*: blocks run in parallel
//! on all workers, with the cheap checks. If nothing at all was seen (no finding,
//! no word that one block wrote and another touched), every order of the blocks
//! gives the same result, and this one counts. Otherwise it is thrown away and
//! the launch runs again in the fixed order with the full checks. So the result
//! never depends on the number of workers.
//!
//! Of a very large launch, some of the blocks may be executed alone
//! ([`Config::only`]). Blocks may begin in any order, and those of a launch that
//! have not begun do nothing: so this is how some execution of the launch begins,
//! and what is seen of it is real. That nobody else will ever come is not: a
//! block that waits is the end of it, and no deadlock.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use lockstep_finding::{Access, Finding, Kind};
use lockstep_kernel::{Kernel, SiteKind, Space};

use crate::check::between_blocks::{GridShadow, Owners};
use crate::check::happens_before::Sync;
use crate::check::report::{Key, Reports, place};
use crate::code::program::{Prepared, Program};
use crate::launch::api::{BoundLaunch, Config, Coverage, LaunchError, Outcome, Stats};
use crate::machine::barrier::triple;
use crate::machine::block::{BlockRun, Budget, Globals, Stop, Turn, World};
use crate::machine::heap::Heap;
use crate::watch::barrier_needs::Survey;
use crate::watch::hooks::Watch;

/// Executes one launch and reports what the observers saw.
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
        let program = Program::new(self, launch, config)?;
        if !program.serial
            && !config.barrier_needs
            && let Some(outcome) = probe(&program)?
        {
            return Ok(outcome);
        }
        in_order(&program)
    }
}

/// How many blocks are executed.
fn executed(program: &Program) -> u64 {
    program.config.only.as_ref().map_or(program.blocks, |only| only.len() as u64)
}

/// The number of a block, by its place among those that are executed.
fn nth(program: &Program, i: u32) -> u32 {
    program.config.only.as_ref().map_or(i, |only| only[i as usize])
}

struct Probe {
    steps: u64,
    lane_steps: u64,
    shadow: u64,
    reached: Vec<bool>,
    branches: Vec<[bool; 2]>,
    stop: Option<Stop>,
}

/// Threads of a launch from which several workers execute it.
const WORTHWHILE: u64 = 1 << 12;

/// Blocks in parallel with the cheap checks; none if anything was seen.
fn probe(program: &Program) -> Result<Option<Outcome>, LaunchError> {
    let globals = Globals::new(program);
    let owners = Owners::new(program);
    let next = AtomicU32::new(0);
    let spent = AtomicU64::new(0);
    let printed: Mutex<Vec<(u32, String)>> = Mutex::new(Vec::new());
    // A thread takes longer to start than a small launch takes.
    let blocks = executed(program);
    let jobs = match blocks * u64::from(program.threads) {
        ..WORTHWHILE => 1,
        _ => program.config.jobs as u64,
    };
    let workers = jobs.clamp(1, blocks.max(1)) as usize;
    let work = || {
        let mut reports = Reports::new(true, &program.config.kinds);
        let mut run = BlockRun::new(program, &globals, true);
        let mut clock = 1;
        let mut heap = Heap::default();
        let mut reached = vec![false; program.kernel.sites.len()];
        let mut branches = vec![[false; 2]; program.code.blocks.len()];
        let mut total = Probe {
            steps: 0,
            lane_steps: 0,
            shadow: 0,
            reached: Vec::new(),
            branches: Vec::new(),
            stop: None,
        };
        while !owners.stop.load(Relaxed) {
            let i = next.fetch_add(1, Relaxed);
            if u64::from(i) >= blocks {
                break;
            }
            let block = nth(program, i);
            run.start(block, &mut clock);
            let budget = Budget {
                steps: program.config.max_steps.saturating_sub(spent.load(Relaxed)),
                ..Budget::of(program.config)
            };
            let mut world = World::new(
                &mut reports,
                &mut clock,
                budget,
                &mut heap,
                &mut reached,
                &mut branches,
            );
            world.owners = (program.blocks > 1).then_some(&owners);
            let result = if budget.is_late() { Err(Stop::Late) } else { run.run(&mut world) };
            let (steps, lane_steps) = (world.steps, world.lane_steps);
            total.steps += steps;
            total.lane_steps += lane_steps;
            spent.fetch_add(steps, Relaxed);
            let stop = match result {
                Ok(Turn::Finished) if !reports.dirty => {
                    if !run.printed.is_empty() {
                        let text = std::mem::take(&mut run.printed);
                        printed.lock().unwrap_or_else(|e| e.into_inner()).push((block, text));
                    }
                    continue;
                }
                Ok(_) => Stop::Dirty,
                Err(stop) => stop,
            };
            owners.stop.store(true, Relaxed);
            total.stop = Some(stop);
            break;
        }
        total.shadow = run.races.shadow_bytes();
        total.reached = reached;
        total.branches = branches;
        total
    };
    let mut probes: Vec<Probe> = std::thread::scope(|s| {
        let others: Vec<_> = (1..workers).map(|_| s.spawn(work)).collect();
        let own = work();
        others.into_iter().filter_map(|h| h.join().ok()).chain([own]).collect()
    });
    if probes.len() != workers || probes.iter().any(|p| p.stop.is_some()) {
        return Ok(None);
    }
    let mut covered = Coverage::default();
    for p in probes.iter_mut() {
        covered.join(&coverage(program, std::mem::take(&mut p.reached), &p.branches));
    }
    let mut texts = printed.into_inner().unwrap_or_else(|e| e.into_inner());
    texts.sort_by_key(|t| t.0);
    let mut text: String = texts.into_iter().map(|t| t.1).collect();
    truncate(&mut text, program.config.max_print);
    let steps = probes.iter().map(|p| p.steps).sum();
    let lane_steps = probes.iter().map(|p| p.lane_steps).sum();
    let shadow = probes.iter().map(|p| p.shadow).sum::<u64>() + owners.bytes();
    Ok(Some(Outcome {
        findings: Vec::new(),
        printed: text,
        buffers: buffers(program, &globals),
        incomplete: None,
        violated: None,
        stats: stats(program, steps, lane_steps, shadow, &covered.sites, true),
        coverage: covered,
        barriers: None,
    }))
}

/// Blocks in their order with the full checks.
fn in_order(program: &Program) -> Result<Outcome, LaunchError> {
    let globals = Globals::new(program);
    let mut reports = Reports::new(false, &program.config.kinds);
    let mut clock = 1;
    let mut heap = Heap::default();
    let mut sync = program.fine_order.then(|| Sync::new(program.config.warp_size.trailing_zeros()));
    let mut shadow = (program.blocks > 1).then(|| GridShadow::new(program));
    let mut reached = vec![false; program.kernel.sites.len()];
    let mut branches = vec![[false; 2]; program.code.blocks.len()];
    let budget = Budget::of(program.config);
    let mut survey = program.config.barrier_needs.then(|| Survey::new(program.kernel)).flatten();
    let mut world = World {
        sync: sync.as_mut(),
        shadow: shadow.as_mut(),
        watch: survey.as_mut().map_or(Watch::Nothing, Watch::Barriers),
        ..World::new(&mut reports, &mut clock, budget, &mut heap, &mut reached, &mut branches)
    };
    let Driven { stop, deadlock, mut texts, mut shadow_bytes } =
        drive(program, &globals, &mut world);
    let incomplete = stop.as_ref().map(|s| because(program, s));
    let violated = stop.and_then(|s| match s {
        Stop::Requires(text) => Some(text),
        _ => None,
    });
    texts.sort_by_key(|t| t.0);
    let mut text: String = texts.into_iter().map(|t| t.1).collect();
    truncate(&mut text, program.config.max_print);
    let (steps, lane_steps) = (world.steps, world.lane_steps);
    shadow_bytes += shadow.as_ref().map_or(0, GridShadow::bytes);
    // After a deadlock or a divergent barrier the rest was never executed.
    let incomplete =
        incomplete.or_else(|| deadlock.then(|| "the launch was stopped at a deadlock".to_string()));
    let ended = incomplete.is_none();
    Ok(Outcome {
        findings: if violated.is_some() { Vec::new() } else { reports.finish() },
        printed: text,
        buffers: buffers(program, &globals),
        incomplete,
        violated,
        stats: stats(program, steps, lane_steps, shadow_bytes, &reached, false),
        coverage: coverage(program, reached, &branches),
        barriers: survey.filter(|_| ended).and_then(Survey::finish),
    })
}

/// A launch that was executed without checks.
pub(crate) struct Unchecked {
    pub end: Driven,
    pub coverage: Coverage,
    pub steps: u64,
}

/// Blocks in their order without any check, for who watches.
pub(crate) fn unchecked(program: &Program, watch: Watch) -> Unchecked {
    let globals = Globals::new(program);
    let mut reports = Reports::new(false, &[]);
    let mut clock = 1;
    let mut heap = Heap::default();
    let mut reached = vec![false; program.kernel.sites.len()];
    let mut branches = vec![[false; 2]; program.code.blocks.len()];
    let budget = Budget::of(program.config);
    let mut world = World {
        watch,
        ..World::new(&mut reports, &mut clock, budget, &mut heap, &mut reached, &mut branches)
    };
    let end = drive(program, &globals, &mut world);
    let steps = world.steps;
    Unchecked { end, coverage: coverage(program, reached, &branches), steps }
}

/// How the blocks of a launch came to their end.
pub(crate) struct Driven {
    pub stop: Option<Stop>,
    /// Nobody could go on.
    pub deadlock: bool,
    /// What each block printed.
    texts: Vec<(u32, String)>,
    shadow_bytes: u64,
}

/// Runs the blocks one after the other in their order, and again those that had
/// to wait.
pub(crate) fn drive(program: &Program, globals: &Globals, world: &mut World) -> Driven {
    let mut texts: Vec<(u32, String)> = Vec::new();
    let mut waiting: Vec<(BlockRun, Turn)> = Vec::new();
    let mut spare: Option<BlockRun> = None;
    let mut next = 0u32;
    let mut finished = 0u64;
    let mut shadow_bytes = 0;
    let mut stop = None;
    let mut deadlock = false;
    'launch: loop {
        // Those that wait come first, if something changed since they looked.
        let mut before;
        loop {
            before = world.changes;
            let mut i = 0;
            while i < waiting.len() {
                if matches!(waiting[i].1, Turn::AtGridBarrier(_)) {
                    i += 1;
                    continue;
                }
                match waiting[i].0.run(world) {
                    Ok(Turn::Finished) => {
                        let (mut run, _) = waiting.remove(i);
                        finished += 1;
                        world.watch.finished(run.block);
                        texts.push((run.block, std::mem::take(&mut run.printed)));
                    }
                    Ok(turn) => {
                        waiting[i].1 = turn;
                        i += 1;
                    }
                    Err(s) => {
                        stop = Some(s);
                        break 'launch;
                    }
                }
            }
            if world.changes == before || waiting.is_empty() {
                break;
            }
        }
        if u64::from(next) < executed(program) {
            let mut run = spare.take().unwrap_or_else(|| {
                let mut run = BlockRun::new(program, globals, false);
                run.prepare(&world.watch);
                run
            });
            run.start(nth(program, next), world.clock);
            next += 1;
            match run.run(world) {
                Ok(Turn::Finished) => {
                    finished += 1;
                    world.watch.finished(run.block);
                    texts.push((run.block, std::mem::take(&mut run.printed)));
                    shadow_bytes = shadow_bytes.max(run.races.shadow_bytes());
                    spare = Some(run);
                }
                Ok(turn) => waiting.push((run, turn)),
                Err(s) => {
                    stop = Some(s);
                    break;
                }
            }
            continue;
        }
        if waiting.is_empty() {
            break;
        }
        if program.config.only.is_some() {
            stop = Some(Stop::Alone);
            break;
        }
        let at_barrier = waiting.iter().all(|w| matches!(w.1, Turn::AtGridBarrier(_)));
        if at_barrier && finished == 0 {
            *world.clock += 1;
            if let Some(s) = &mut world.shadow {
                s.base = *world.clock;
            }
            for (run, turn) in &mut waiting {
                if let Turn::AtGridBarrier(site) = *turn {
                    run.release_grid(site, world);
                }
                *turn = Turn::Paused;
            }
            world.changes += 1;
            continue;
        }
        report_deadlock(program, &waiting, world);
        deadlock = true;
        break;
    }
    for (run, _) in &mut waiting {
        texts.push((run.block, std::mem::take(&mut run.printed)));
        shadow_bytes += run.races.shadow_bytes();
    }
    Driven { stop, deadlock, texts, shadow_bytes }
}

fn because(program: &Program, stop: &Stop) -> String {
    match stop {
        Stop::Limit => format!(
            "the launch did not end within its budget of {} warp instructions",
            program.config.max_steps
        ),
        Stop::Late => "the time budget ran out".into(),
        Stop::Diverged => "the launch was stopped at a divergent barrier".into(),
        Stop::Unsupported(id) => {
            let u = &program.kernel.unsupported[*id as usize];
            let at = place(program.kernel, u.loc);
            format!("{} at {}:{} is not supported", u.what, at.file, at.line)
        }
        Stop::Dirty => "the launch was stopped".into(),
        Stop::Heap => "it uses more of the device's heap than is modelled".into(),
        Stop::Handle => "it reads a texture whose handle is no argument of the launch".into(),
        Stop::Shape => "it leaves the square or cube that Lockstep takes an image for".into(),
        Stop::Alone => "a block waits for others, which were not executed".into(),
        Stop::Requires(text) => format!("the launch does not satisfy {text}"),
    }
}

/// Nobody can go on.
fn report_deadlock(program: &Program, waiting: &[(BlockRun, Turn)], world: &mut World) {
    let places: Vec<(u32, lockstep_kernel::LocId, u32)> = waiting
        .iter()
        .flat_map(|(run, _)| run.stuck_places().into_iter().map(|(l, t)| (run.block, l, t)))
        .collect();
    let Some(&(block, loc, thread)) = places.first() else {
        return;
    };
    let other = places.iter().find(|p| p.1 != loc).copied();
    let key =
        Key { kind: Kind::Deadlock, places: [loc.0, other.map_or(loc.0, |o| o.1.0)], object: 0 };
    let grid = waiting.iter().any(|w| matches!(w.1, Turn::AtGridBarrier(_)));
    world.reports.add(key, false, || {
        let access = |(block, loc, thread): (u32, lockstep_kernel::LocId, u32)| Access {
            op: "wait".into(),
            thread: Some(program.thread_at(block, thread)),
            block: program.block_at(block),
            place: place(program.kernel, loc),
            value: None,
            notes: Vec::new(),
        };
        let mut accesses = vec![access((block, loc, thread))];
        accesses.extend(other.map(access));
        let message = format!(
            "deadlock: thread {} of block {} waits for something that no thread will do",
            triple(program.thread_at(block, thread)),
            triple(program.block_at(block))
        );
        let mut f = Finding::new(Kind::Deadlock, message, accesses);
        f.help = vec![if grid {
            "every block must reach the grid barrier the same number of times".into()
        } else if program.lockstep {
            "under lock-step scheduling a lane cannot run while others of its warp spin".into()
        } else {
            "the value that the loop waits for is never stored: check who sets it, and when".into()
        }];
        f
    });
}

/// What was executed, by the kernel's own numbers.
pub(crate) fn coverage(program: &Program, sites: Vec<bool>, ways: &[[bool; 2]]) -> Coverage {
    let mut branches = vec![[false; 2]; program.kernel.blocks.len()];
    for (b, ways) in program.code.order.iter().zip(ways) {
        branches[b.0 as usize] = *ways;
    }
    Coverage { sites, branches }
}

fn truncate(text: &mut String, max: usize) {
    if text.len() > max {
        let cut = (0..=max).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        text.truncate(cut);
        text.push_str("\n… (more was printed)\n");
    }
}

fn buffers(program: &Program, globals: &Globals) -> Vec<(usize, Vec<u8>)> {
    if !program.config.outputs {
        return Vec::new();
    }
    program
        .objects
        .iter()
        .enumerate()
        .filter(|(_, o)| !matches!(o.space, Space::Shared | Space::Private))
        .filter_map(|(i, o)| Some((o.param?, globals.bytes(i, o.size))))
        .collect()
}

fn stats(
    program: &Program,
    steps: u64,
    lane_steps: u64,
    shadow: u64,
    reached: &[bool],
    parallel: bool,
) -> Stats {
    let accesses = program
        .kernel
        .sites
        .iter()
        .enumerate()
        .filter(|(_, s)| matches!(s.kind, SiteKind::Read | SiteKind::Write | SiteKind::Atomic));
    // By place: a copy that inlining made counts with the others.
    let mut places = rustc_hash::FxHashMap::default();
    for (i, s) in accesses {
        if s.space != Space::Private {
            *places.entry(program.sites[i].place).or_insert(false) |= reached[i];
        }
    }
    let total = places.len() as u32;
    let hit = places.values().filter(|r| **r).count() as u32;
    Stats {
        warp_steps: steps,
        lane_steps,
        memory_bytes: program.objects[..program.heap].iter().map(|o| o.size).sum(),
        shadow_bytes: shadow,
        sites_reached: hit,
        sites_total: total,
        parallel,
    }
}
