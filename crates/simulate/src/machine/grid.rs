//! Runs the blocks of a launch, one after the other or several at the same time.
//!
//! The result of a launch is deterministic: blocks run one after the other in the order of their numbers; a block that
//! waits for others (it spins without any change, or is at a grid barrier) yields to the next ones and resumes when
//! something changed. The language allows that order.
//!
//! Most launches do not depend on the order, so they can be run in parallel on all workers first. If no block accessed
//! what another one wrote ([`crate::machine::claims`]) and no observer requested a stop, every order of the blocks
//! gives the same result, and the run counts. Otherwise it is discarded. So the result never depends on the number of
//! workers.
//!
//! For a very large launch, some of the blocks may be executed alone ([`Config::only`]). Blocks may start in any order,
//! and blocks that have not started do nothing: so this is a prefix of an execution of the launch, and its findings are
//! real. But other blocks could still run: if a block waits for others, the run ends there, and that is no deadlock.
//!
//! [`Config::only`]: crate::launch::request::Config::only

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use lockstep_kernel::{SiteKind, Space};
use rustc_hash::FxHashMap;

use crate::code::program::Program;
use crate::launch::outcome::{Coverage, Stats};
use crate::launch::store_buffers::BufferStats;
use crate::launch::touched::Uses;
use crate::launch::written::WrittenBits;
use crate::machine::block::{BlockRun, Turn};
use crate::machine::claims::{Claims, Undo};
use crate::machine::fault::Deadlock;
use crate::machine::heap::Heap;
use crate::machine::memory::{Globals, HostBytes};
use crate::machine::observe::Observer;
use crate::machine::world::{Budget, Executed, Stop, World};
use crate::weak::{Missed, WeakMemory};

/// A launch that was executed, completely or not.
pub(crate) struct Run {
    pub stop: Option<Stop>,
    /// Whether no block could continue.
    pub deadlock: bool,
    pub printed: String,
    /// Contents of the array arguments, by parameter, if requested.
    pub buffers: Vec<(usize, Vec<u8>)>,
    pub coverage: Coverage,
    pub stats: Stats,
    /// Of a launch that was executed with store buffers: counters, and loads that missed stores.
    pub weak: Option<(BufferStats, Vec<Missed>)>,
    /// Which bytes of objects that outlive the launch have a value now, as far as an observer has seen it.
    pub written: Vec<(usize, WrittenBits)>,
    /// Which bytes of such objects were accessed, by object, if an observer has looked.
    pub touched: Vec<(usize, Uses)>,
}

fn weak_memory(program: &Program) -> WeakMemory<HostBytes> {
    let settings = program.config.store_buffers.unwrap_or_default();
    WeakMemory::new(HostBytes::of_run(), settings, program.threads)
}

/// The number of blocks that are executed.
fn executed(program: &Program) -> u64 {
    program.config.only.as_ref().map_or(program.blocks, |only| only.len() as u64)
}

/// The number of a block, by its position among those that are executed.
fn nth(program: &Program, i: u32) -> u32 {
    program.config.only.as_ref().map_or(i, |only| only[i as usize])
}

/// Number of threads of a launch from which several workers execute it: starting a thread takes longer than executing a
/// small launch.
const WORTHWHILE: u64 = 1 << 12;

/// The number of workers that execute a launch, if its blocks may run at the same time.
pub(crate) fn workers(program: &Program) -> usize {
    let blocks = executed(program);
    let jobs = match blocks * u64::from(program.threads) {
        ..WORTHWHILE => 1,
        _ => program.config.jobs as u64,
    };
    jobs.clamp(1, blocks.max(1)) as usize
}

/// The results of one worker.
struct Worker {
    steps: u64,
    lane_steps: u64,
    shadow: u64,
    executed: Executed,
    stop: Option<Stop>,
    undo: Undo,
    written: Vec<(usize, WrittenBits)>,
    touched: Vec<(usize, Uses)>,
}

/// Executes blocks on all workers at the same time, each with its own observer; `None` if the result may depend on the
/// order of the blocks, or an observer requested a stop.
pub(crate) fn in_parallel<O: Observer>(
    program: &Program,
    new_observer: &(impl Fn() -> O + Sync),
) -> Option<Run> {
    let mut globals = Globals::new(program);
    let claims = Claims::new(program)?;
    let next = AtomicU32::new(0);
    let spent = AtomicU64::new(0);
    let printed: Mutex<Vec<(u32, String)>> = Mutex::new(Vec::new());
    let blocks = executed(program);
    let workers = workers(program);
    let shared = &globals;
    let work = || {
        let mut observer = new_observer();
        let mut run = BlockRun::new(program, shared, true, &mut observer);
        let mut heap = Heap::default();
        let executed = Executed::new(program);
        let mut total = Worker {
            steps: 0,
            lane_steps: 0,
            shadow: 0,
            executed,
            stop: None,
            undo: Undo::new(program.resident.is_some()),
            written: Vec::new(),
            touched: Vec::new(),
        };
        while !claims.stop.load(Relaxed) {
            let i = next.fetch_add(1, Relaxed);
            if u64::from(i) >= blocks {
                break;
            }
            let block = nth(program, i);
            run.start(block, &mut observer);
            let budget = Budget {
                steps: program.config.max_steps.saturating_sub(spent.load(Relaxed)),
                ..Budget::of(program.config)
            };
            let mut world = World::new(&mut observer, budget, &mut heap, &mut total.executed);
            let alone = program.blocks == 1 && program.resident.is_none();
            world.claims = (!alone).then_some(&claims);
            world.undo = std::mem::take(&mut total.undo);
            let result = if budget.is_late() { Err(Stop::Late) } else { run.run(&mut world) };
            let (steps, is_over) = (world.steps, world.is_over());
            total.undo = std::mem::take(&mut world.undo);
            total.steps += steps;
            total.lane_steps += world.lane_steps;
            spent.fetch_add(steps, Relaxed);
            let stop = match result {
                Ok(Turn::Finished) if !is_over => {
                    if !run.printed.is_empty() {
                        let text = std::mem::take(&mut run.printed);
                        printed.lock().unwrap_or_else(|e| e.into_inner()).push((block, text));
                    }
                    continue;
                }
                Ok(_) => Stop::Dirty,
                Err(stop) => stop,
            };
            claims.stop.store(true, Relaxed);
            total.stop = Some(stop);
            break;
        }
        total.shadow = observer.shadow_bytes(&run.observed);
        total.written = observer.take_written();
        total.touched = observer.take_touched();
        total
    };
    let done: Vec<Worker> = std::thread::scope(|s| {
        let others: Vec<_> = (1..workers).map(|_| s.spawn(work)).collect();
        let own = work();
        others.into_iter().filter_map(|h| h.join().ok()).chain([own]).collect()
    });
    if done.len() != workers || done.iter().any(|w| w.stop.is_some()) {
        done.into_iter().for_each(|mut w| w.undo.undo());
        return None;
    }
    let mut covered = Coverage::default();
    let (mut steps, mut lane_steps, mut shadow) = (0, 0, claims.bytes());
    let mut written: Vec<(usize, WrittenBits)> = Vec::new();
    let mut touched: Vec<(usize, Uses)> = Vec::new();
    for w in done {
        for (object, uses) in w.touched {
            match touched.iter_mut().find(|(o, _)| *o == object) {
                Some((_, joined)) => joined.join(uses),
                None => touched.push((object, uses)),
            }
        }
        for (object, bits) in w.written {
            let start =
                program.objects[object].resident.as_ref().and_then(|r| r.written.as_deref());
            match written.iter_mut().find(|(o, _)| *o == object) {
                Some((_, joined)) => joined.join(&bits, start),
                None => written.push((object, bits)),
            }
        }
        steps += w.steps;
        lane_steps += w.lane_steps;
        shadow += w.shadow;
        covered.join(&coverage(program, w.executed));
    }
    let texts = printed.into_inner().unwrap_or_else(|e| e.into_inner());
    Some(Run {
        stop: None,
        deadlock: false,
        printed: joined(texts, program.config.max_print),
        buffers: buffers(program, &mut globals),
        stats: stats(program, steps, lane_steps, shadow, &covered.sites, true),
        coverage: covered,
        weak: None,
        written,
        touched,
    })
}

/// Executes the blocks one after the other in order, and resumes those that had to wait.
pub(crate) fn in_order<O: Observer>(program: &Program, observer: &mut O) -> Run {
    let mut globals = Globals::new(program);
    let mut heap = Heap::of(program.resident);
    let mut executed = Executed::new(program);
    let budget = Budget::of(program.config);
    let mut world = World::new(observer, budget, &mut heap, &mut executed);
    if O::WEAK {
        world.weak = Some(Box::new(weak_memory(program)));
    }
    let Driven { stop, deadlock, texts, shadow_bytes } = drive(program, &globals, &mut world);
    let (steps, lane_steps) = (world.steps, world.lane_steps);
    let weak = world.weak.take().map(|mut weak| {
        weak.launch_ends();
        (weak.stats(), weak.missed().copied().collect())
    });
    let written = world.observer.take_written();
    let touched = world.observer.take_touched();
    heap.leave_to(program.resident);
    let coverage = coverage(program, executed);
    Run {
        stop,
        deadlock,
        printed: joined(texts, program.config.max_print),
        buffers: buffers(program, &mut globals),
        stats: stats(program, steps, lane_steps, shadow_bytes, &coverage.sites, false),
        coverage,
        weak,
        written,
        touched,
    }
}

/// How the execution of the blocks ended.
struct Driven {
    stop: Option<Stop>,
    deadlock: bool,
    /// The output of each block.
    texts: Vec<(u32, String)>,
    shadow_bytes: u64,
}

fn drive<O: Observer>(program: &Program, globals: &Globals, world: &mut World<O>) -> Driven {
    let mut texts: Vec<(u32, String)> = Vec::new();
    let mut waiting: Vec<(BlockRun<O>, Turn)> = Vec::new();
    let mut spare: Option<BlockRun<O>> = None;
    let mut next = 0u32;
    let mut finished = 0u64;
    let mut shadow_bytes = 0;
    let mut stop = None;
    let mut deadlock = false;
    let order = if O::WEAK { world.block_order(executed(program) as usize) } else { None };
    'launch: loop {
        // Waiting blocks come first, if something changed since they yielded.
        let mut before;
        loop {
            before = world.changes;
            let mut i = 0;
            while i < waiting.len() {
                let is_delayed = O::WEAK && world.is_delayed(waiting[i].0.block);
                if is_delayed || matches!(waiting[i].1, Turn::AtGridBarrier(_)) {
                    i += 1;
                    continue;
                }
                match waiting[i].0.run(world) {
                    Ok(Turn::Finished) => {
                        let (mut run, _) = waiting.remove(i);
                        finished += 1;
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
            // Others may begin while these could go on.
            if O::WEAK && u64::from(next) < executed(program) && world.begins_block() {
                break;
            }
        }
        if u64::from(next) < executed(program) {
            let mut run = spare
                .take()
                .unwrap_or_else(|| BlockRun::new(program, globals, false, world.observer));
            let chosen = order.as_ref().map_or(next, |order| order[next as usize]);
            run.start(nth(program, chosen), world.observer);
            next += 1;
            match run.run(world) {
                Ok(Turn::Finished) => {
                    finished += 1;
                    texts.push((run.block, std::mem::take(&mut run.printed)));
                    shadow_bytes = shadow_bytes.max(world.observer.shadow_bytes(&run.observed));
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
            world.observer.grid_barrier();
            if let Some(weak) = &mut world.weak {
                weak.grid_barrier();
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
        if O::WEAK && world.unblock() {
            continue;
        }
        tell_deadlock(program, &waiting, world.observer);
        deadlock = true;
        break;
    }
    for (run, _) in &mut waiting {
        texts.push((run.block, std::mem::take(&mut run.printed)));
        shadow_bytes += world.observer.shadow_bytes(&run.observed);
        if let Some(weak) = &mut world.weak {
            weak.block_ends(run.block);
        }
    }
    Driven { stop, deadlock, texts, shadow_bytes }
}

/// Reports that no block can continue.
fn tell_deadlock<O: Observer>(
    program: &Program,
    waiting: &[(BlockRun<O>, Turn)],
    observer: &mut O,
) {
    let places: Vec<_> = waiting
        .iter()
        .flat_map(|(run, _)| run.stuck_places().into_iter().map(|(l, t)| (run.block, l, t)))
        .collect();
    let Some(&first) = places.first() else {
        return;
    };
    let other = places.iter().find(|p| p.1 != first.1).copied();
    let at_grid_barrier = waiting.iter().any(|w| matches!(w.1, Turn::AtGridBarrier(_)));
    observer.deadlock(program, &Deadlock { first, other, at_grid_barrier });
}

/// The executed sites and branches, by the kernel's own numbers.
fn coverage(program: &Program, executed: Executed) -> Coverage {
    let mut branches = vec![[false; 2]; program.kernel.blocks.len()];
    for (b, ways) in program.code.order.iter().zip(&executed.branches) {
        branches[b.0 as usize] = *ways;
    }
    Coverage { sites: executed.sites, branches }
}

/// The output of the blocks, in order.
fn joined(mut texts: Vec<(u32, String)>, max: usize) -> String {
    texts.sort_by_key(|t| t.0);
    let mut text: String = texts.into_iter().map(|t| t.1).collect();
    truncate(&mut text, max);
    text
}

fn truncate(text: &mut String, max: usize) {
    if text.len() > max {
        let cut = (0..=max).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        text.truncate(cut);
        text.push_str("\n… (more was printed)\n");
    }
}

fn buffers(program: &Program, globals: &mut Globals) -> Vec<(usize, Vec<u8>)> {
    if !program.config.outputs {
        return Vec::new();
    }
    program
        .objects
        .iter()
        .enumerate()
        .filter(|(_, o)| !matches!(o.space, Space::Shared | Space::Private))
        .filter(|(_, o)| o.resident.is_none())
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
    // By source location: copies made by inlining count as one.
    let mut places = FxHashMap::default();
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
        memory_bytes: program.objects.iter().take(program.heap).map(|o| o.size).sum(),
        shadow_bytes: shadow,
        sites_reached: hit,
        sites_total: total,
        parallel,
    }
}
