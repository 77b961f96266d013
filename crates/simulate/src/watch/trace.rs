//! The events of the threads of a finding, and which threads accessed its memory.
//!
//! The launch is executed again, twice, in the fixed order of [`crate::machine::grid`] and without checks. The first
//! run records all moments at which the threads of the finding make its accesses. Of those, the pair is chosen that was
//! complete first with no barrier of the block between the two, which is the pair that the race check reports. The
//! second run records the events of each thread around its moment, and for each element near the finding's, which
//! threads read and wrote it in the same barrier interval (between barriers of the block; of the grid, if the threads
//! are in two blocks).
//!
//! What it can miss: barriers of a part of a block are not events; an OpenCL barrier that orders only one kind of
//! memory counts as any other, and the two moments may then be in different phases. Everything is bounded ([`BEFORE`],
//! [`AFTER`], [`WINDOW`], [`NAMED`], [`MOMENTS`]); a launch that exhausts its budget has the trace up to there.

use std::collections::{BTreeMap, VecDeque};

use lockstep_finding::{
    Access, AccessMap, Actor, Cell, Finding, Memory, Timeline, Touch, Trace, TraceEvent, Variable,
};
use lockstep_kernel::{Kernel, Scope, SiteId, cfg};
use rustc_hash::FxHashMap;

use crate::check::describe::{access, memory, site_place};
use crate::code::program::{Prepared, Program};
use crate::code::registers::{Regs, lanes_of};
use crate::launch::layout::{NULL_OBJECT, ObjectInfo};
use crate::launch::request::{BoundLaunch, Config, LaunchError};
use crate::machine::fault::Fault;
use crate::machine::grid::in_order;
use crate::machine::observe::{At, COPY_ENGINE, Event, Lanes, Observer, Opened};
use crate::watch::variables::{Named, named, value_text};

/// Number of events of a thread that are kept from before its moment, and from after it.
const BEFORE: usize = 48;
const AFTER: usize = 16;
/// Number of elements around the finding's that are recorded.
const WINDOW: i64 = 2048;
/// Maximum number of threads that are named for an element and kind of access.
const NAMED: usize = 8;
/// Maximum number of moments of one access that are considered.
const MOMENTS: usize = 1 << 14;

/// Executes the launch of a finding again and returns the events of its threads.
pub fn trace(
    kernel: &Kernel,
    launch: &BoundLaunch,
    config: &Config,
    finding: &Finding,
) -> Result<Trace, LaunchError> {
    let prepared = Prepared::new(kernel);
    let program = Program::new(&prepared, launch, config, None)?;
    let mut recorder = Recorder::new(&program, finding);
    in_order(&program, &mut recorder);
    recorder.choose(&program, &prepared.cfg);
    in_order(&program, &mut recorder);
    Ok(recorder.finish(&program, finding))
}

/// One execution of an access of the finding.
#[derive(Clone, Copy, Debug)]
struct Moment {
    step: u64,
    phase: Phase,
    site: SiteId,
    object: usize,
}

/// The number of preceding barriers: of the block (including grid barriers), and of the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Phase {
    block: u32,
    grid: u32,
}

/// An event of a thread.
#[derive(Clone, Copy)]
struct Noted {
    step: u64,
    phase: u32,
    site: SiteId,
    /// Object and offset of an access.
    at: Option<(usize, i64)>,
    /// Whether the next event is in the next phase.
    ends_phase: bool,
}

/// One side of the finding.
struct Side {
    block: u32,
    thread: u32,
    /// The sites at its source location.
    sites: Vec<bool>,
    moments: Vec<Moment>,
    moment: Option<Moment>,
    noted: VecDeque<Noted>,
    /// How many of them came after the moment.
    after: usize,
    omitted: [u64; 2],
    /// Variables that have a value at its moment, and their values.
    named: Vec<Named>,
    values: Vec<u64>,
}

impl Side {
    fn new(program: &Program, access: &Access) -> Side {
        let kernel = program.kernel;
        let here = |i: usize| site_place(kernel, SiteId(i as u32)) == access.place;
        let block = linear(access.block, program.grid);
        Side {
            block,
            thread: access.thread.map_or(COPY_ENGINE, |t| linear(t, program.dims_of(block))),
            sites: (0..kernel.sites.len()).map(here).collect(),
            moments: Vec::new(),
            moment: None,
            noted: VecDeque::new(),
            after: 0,
            omitted: [0; 2],
            named: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Its lane in a warp's event, if it takes part.
    fn lane(&self, block: u32, first_thread: u32, mask: u32) -> Option<usize> {
        if block != self.block {
            return None;
        }
        if first_thread == COPY_ENGINE || self.thread == COPY_ENGINE {
            return (first_thread == self.thread).then_some(0);
        }
        let lane = self.thread.checked_sub(first_thread)?;
        (lane < 32 && mask >> lane & 1 == 1).then_some(lane as usize)
    }

    fn note(&mut self, event: Noted) {
        if self.moment.is_none_or(|m| event.step <= m.step) {
            if self.noted.len() == BEFORE {
                self.noted.pop_front();
                self.omitted[0] += 1;
            }
            self.noted.push_back(event);
        } else if self.after < AFTER {
            self.after += 1;
            self.noted.push_back(event);
        } else {
            self.omitted[1] += 1;
        }
    }
}

/// Accessed elements of one object.
struct Map {
    object: usize,
    size: i64,
    range: [i64; 2],
    marked: i64,
    block: Option<u32>,
    phases: [u32; 2],
    cells: BTreeMap<i64, [Vec<(u32, u32)>; 3]>,
    /// Cells that more threads accessed than are named.
    more: BTreeMap<i64, [bool; 3]>,
}

pub(crate) struct Recorder {
    /// The bytes of the finding, and the name of their object.
    about: Option<(String, [i64; 2])>,
    sides: Vec<Side>,
    /// Whether moments are chosen, and events are recorded.
    keeps: bool,
    step: u64,
    phases: FxHashMap<u32, Phase>,
    map: Option<Map>,
}

impl Observer for Recorder {
    type Block = ();

    fn new_block(&mut self, _: &Program) {}

    fn access(&mut self, (): &mut (), at: &At, e: &Event) -> u64 {
        self.note_access(at.program, at.block, e, &at.regs);
        0
    }

    fn fence(&mut self, (): &mut (), at: &At, mask: u32, site: SiteId, _: Scope) {
        self.pass(at.block, at.first_thread, mask, site);
    }

    fn warp_barrier(&mut self, (): &mut (), at: &At, lanes: u32, _: u32, site: SiteId) {
        self.pass(at.block, at.first_thread, lanes, site);
    }

    fn block_barrier(&mut self, (): &mut (), p: &Program, block: u32, b: &Opened, who: Lanes) {
        let warp_size = p.config.warp_size;
        let who = who.iter().map(|(w, mask)| (*w as u32 * warp_size, *mask));
        self.note_barrier(block, b.site, who, false);
    }

    fn block_passes_grid_barrier(&mut self, (): &mut (), p: &Program, block: u32, site: SiteId) {
        let who = (0..p.warps).map(|w| (w * p.config.warp_size, u32::MAX));
        self.note_barrier(block, site, who, true);
    }

    fn fault(&mut self, (): &mut (), at: &At, fault: &Fault) {
        if let Fault::OutOfBounds { site, thread, address, size, .. } = *fault
            && thread != COPY_ENGINE
        {
            self.stray(at.program, at.block, thread, site, address, size, &at.regs);
        }
    }
}

impl Recorder {
    fn new(program: &Program, finding: &Finding) -> Recorder {
        let about = |m: &Memory| Some((m.object.clone()?, m.bytes?));
        Recorder {
            about: finding.memory.as_ref().and_then(about),
            sides: finding.accesses.iter().map(|a| Side::new(program, a)).collect(),
            keeps: false,
            step: 0,
            phases: FxHashMap::default(),
            map: None,
        }
    }

    fn phase(&self, block: u32) -> Phase {
        self.phases.get(&block).copied().unwrap_or_default()
    }

    /// Records a warp's access to one object.
    fn note_access(&mut self, program: &Program, block: u32, seen: &Event, regs: &Regs) {
        self.step += 1;
        for i in 0..self.sides.len() {
            if let Some(lane) = self.sides[i].lane(block, seen.first_thread, seen.mask) {
                let offset = seen.offsets[lane] as i64;
                self.touch(program, i, lane, seen.site, seen.object, offset, seen.size, regs);
            }
        }
        if self.map.as_ref().is_some_and(|m| m.object == seen.object) {
            for lane in lanes_of(seen.mask) {
                let offset = seen.offsets[lane] as i64;
                self.count(program, block, seen.thread(lane), seen.site, offset, seen.size);
            }
        }
    }

    /// Records a thread's access out of bounds.
    fn stray(
        &mut self,
        program: &Program,
        block: u32,
        thread: u32,
        site: SiteId,
        address: u64,
        size: u64,
        regs: &Regs,
    ) {
        self.step += 1;
        let object = program.addresses.object_of(address);
        if object == NULL_OBJECT || object >= program.objects.len() {
            return;
        }
        let offset = address.wrapping_sub(program.addresses.origin(object)) as i64;
        let lane = (thread % program.config.warp_size) as usize;
        for i in 0..self.sides.len() {
            if self.sides[i].block == block && self.sides[i].thread == thread {
                self.touch(program, i, lane, site, object, offset, size as u32, regs);
            }
        }
        if self.map.as_ref().is_some_and(|m| m.object == object) {
            self.count(program, block, thread, site, offset, size as u32);
        }
    }

    /// Records an access of a thread of the finding.
    fn touch(
        &mut self,
        program: &Program,
        side: usize,
        lane: usize,
        site: SiteId,
        object: usize,
        offset: i64,
        size: u32,
        regs: &Regs,
    ) {
        let (step, phase) = (self.step, self.phase(self.sides[side].block));
        let about = self.is_about(program, object, offset, size);
        let side = &mut self.sides[side];
        if self.keeps {
            let at = Some((object, offset));
            side.note(Noted { step, phase: phase.block, site, at, ends_phase: false });
            if side.moment.is_some_and(|m| m.step == step) {
                side.values = side.named.iter().map(|n| regs.lane(n.slot, n.ty, lane)).collect();
            }
        } else if about && side.sites[site.0 as usize] && side.moments.len() < MOMENTS {
            side.moments.push(Moment { step, phase, site, object });
        }
    }

    /// Whether bytes of an object overlap with those of the finding.
    fn is_about(&self, program: &Program, object: usize, offset: i64, size: u32) -> bool {
        self.about.as_ref().is_none_or(|(name, [from, to])| {
            *program.objects[object].name == **name
                && offset < *to
                && *from < offset + i64::from(size)
        })
    }

    /// Counts an access to the object of the map.
    fn count(
        &mut self,
        program: &Program,
        block: u32,
        thread: u32,
        site: SiteId,
        offset: i64,
        size: u32,
    ) {
        let phase = self.phase(block);
        let Some(map) = &mut self.map else { return };
        let now = if map.block.is_some() { phase.block } else { phase.grid };
        let [from, to] = map.phases;
        if map.block.is_some_and(|b| b != block) || now < from || now > to {
            return;
        }
        let facts = program.sites[site.0 as usize];
        let way = match () {
            () if facts.atomic => 2,
            () if facts.writes => 1,
            () => 0,
        };
        let last = (offset + i64::from(size.max(1)) - 1).div_euclid(map.size);
        for element in offset.div_euclid(map.size).max(map.range[0])..=last.min(map.range[1] - 1) {
            let actors = &mut map.cells.entry(element).or_default()[way];
            if actors.contains(&(block, thread)) {
                continue;
            }
            if actors.len() < NAMED {
                actors.push((block, thread));
            } else {
                map.more.entry(element).or_default()[way] = true;
            }
        }
    }

    /// Threads of one warp execute an operation that is not an access.
    fn pass(&mut self, block: u32, first_thread: u32, mask: u32, site: SiteId) {
        self.step += 1;
        self.note_pass(block, first_thread, mask, site, false);
    }

    fn note_pass(
        &mut self,
        block: u32,
        first_thread: u32,
        mask: u32,
        site: SiteId,
        ends_phase: bool,
    ) {
        let (step, phase) = (self.step, self.phase(block).block);
        for side in self.sides.iter_mut().filter(|_| self.keeps) {
            if side.lane(block, first_thread, mask).is_some() {
                side.note(Noted { step, phase, site, at: None, ends_phase });
            }
        }
    }

    /// A barrier of a whole block opens for these warps and lanes.
    fn note_barrier(
        &mut self,
        block: u32,
        site: SiteId,
        who: impl Iterator<Item = (u32, u32)>,
        grid: bool,
    ) {
        self.step += 1;
        for (first_thread, mask) in who {
            self.note_pass(block, first_thread, mask, site, true);
        }
        let phase = self.phases.entry(block).or_default();
        phase.block += 1;
        phase.grid += u32::from(grid);
    }

    /// After the first run: chooses the moments of the finding, and prepares the second run.
    fn choose(&mut self, program: &Program, cfg: &cfg::Cfg) {
        let of_one_block = self.sides.windows(2).all(|s| s[0].block == s[1].block);
        if let [a, b] = &mut self.sides[..] {
            (a.moment, b.moment) = first_pair(&a.moments, &b.moments, of_one_block);
        } else if let [only] = &mut self.sides[..] {
            only.moment = only.moments.first().copied();
        }
        for side in &mut self.sides {
            if let Some(moment) = side.moment {
                side.named = named(program, cfg, moment.site);
            }
        }
        self.map = self.new_map(program, of_one_block);
        self.keeps = true;
        self.step = 0;
        self.phases.clear();
    }

    fn new_map(&self, program: &Program, of_one_block: bool) -> Option<Map> {
        let (_, [from, _]) = self.about.as_ref()?;
        let moments: Vec<Moment> = self.sides.iter().filter_map(|s| s.moment).collect();
        let object = moments.first()?.object;
        let info = &program.objects[object];
        let size = i64::from(info.elem.size().max(1));
        let marked = from.div_euclid(size);
        let phase = |m: &Moment| if of_one_block { m.phase.block } else { m.phase.grid };
        Some(Map {
            object,
            size,
            range: window(marked, (info.size as i64).div_euclid(size)),
            marked,
            block: of_one_block.then(|| self.sides[0].block),
            phases: [
                moments.iter().map(phase).min().unwrap_or(0),
                moments.iter().map(phase).max().unwrap_or(0),
            ],
            cells: BTreeMap::new(),
            more: BTreeMap::new(),
        })
    }

    fn finish(self, program: &Program, finding: &Finding) -> Trace {
        let timelines = self.sides.into_iter().zip(&finding.accesses);
        Trace {
            timelines: timelines.map(|(s, a)| timeline(program, s, a)).collect(),
            map: self.map.map(|m| access_map(program, m)),
        }
    }
}

/// The pair that is complete first, if possible without a barrier between; if an access happens several times before,
/// the last time.
fn first_pair(a: &[Moment], b: &[Moment], of_one_block: bool) -> (Option<Moment>, Option<Moment>) {
    let phase = |m: &Moment| if of_one_block { m.phase.block } else { m.phase.grid };
    // Moments are in the order of their steps.
    let mut partners: FxHashMap<u32, Moment> = FxHashMap::default();
    for y in b {
        partners.entry(phase(y)).or_insert(*y);
    }
    let pairs = a.iter().filter_map(|x| Some((*x, *partners.get(&phase(x))?)));
    let Some((x, y)) = pairs.min_by_key(|(x, y)| x.step.max(y.step)) else {
        return (a.first().copied(), b.first().copied());
    };
    let done = x.step.max(y.step);
    let last =
        |of: &[Moment]| of.iter().rev().find(|m| m.step <= done && phase(m) == phase(&x)).copied();
    (last(a), last(b))
}

/// The elements to record: the whole object if it is small, otherwise those around one.
fn window(marked: i64, length: i64) -> [i64; 2] {
    let (from, to) = (marked.min(0), length.max(marked.saturating_add(1)));
    if to.saturating_sub(from) <= WINDOW {
        return [from, to];
    }
    // Whole rows of a picture.
    let start = (marked - WINDOW / 2).div_euclid(64) * 64;
    let start = start.clamp(from, (to - WINDOW).max(from));
    [start, start + WINDOW]
}

fn timeline(program: &Program, side: Side, access: &Access) -> Timeline {
    let actor = Actor { block: access.block, thread: access.thread };
    let mut events: Vec<TraceEvent> = side
        .noted
        .iter()
        .map(|n| event(program, n, side.moment.is_some_and(|m| m.step == n.step)))
        .collect();
    if side.moment.is_none() {
        // The thread is at an operation that never completed, or that is not an access.
        let last = side.noted.back();
        events.push(TraceEvent {
            step: last.map_or(0, |n| n.step + 1),
            phase: last.map_or(0, |n| n.phase + u32::from(n.ends_phase)),
            op: access.op,
            object: None,
            element: None,
            value: None,
            place: access.place.clone(),
            marked: true,
        });
    }
    let variables = side
        .named
        .iter()
        .zip(&side.values)
        .map(|(n, bits)| Variable {
            name: n.name.clone(),
            value: value_text(program, n.ty, *bits),
            approximated: false,
            decides: n.decides,
        })
        .collect();
    Timeline { actor, events, omitted: side.omitted, variables }
}

fn event(program: &Program, noted: &Noted, marked: bool) -> TraceEvent {
    // The thread is irrelevant: only the operation and the source location are used.
    let access = access(program, 0, noted.site, 0);
    let memory = noted.at.map(|(object, offset)| memory(&program.objects[object], offset, 1));
    TraceEvent {
        step: noted.step,
        phase: noted.phase,
        op: access.op,
        object: memory.as_ref().and_then(|m| m.object.clone()),
        element: memory.and_then(|m| m.element),
        value: None,
        place: access.place,
        marked,
    }
}

fn access_map(program: &Program, map: Map) -> AccessMap {
    let info: &ObjectInfo = &program.objects[map.object];
    let shape = memory(info, 0, 1);
    let actor = |(block, thread): &(u32, u32)| Actor {
        block: program.block_at(*block),
        thread: (*thread != COPY_ENGINE).then(|| program.thread_at(*block, *thread)),
    };
    let cells = map
        .cells
        .iter()
        .map(|(element, ways)| {
            let more = map.more.get(element).copied().unwrap_or_default();
            let touch = |way: usize| Touch {
                actors: ways[way].iter().map(actor).collect(),
                more: more[way],
            };
            Cell { element: *element, readers: touch(0), writers: touch(1), atomics: touch(2) }
        })
        .collect();
    AccessMap {
        object: info.name.to_string(),
        space: shape.space,
        element_type: shape.element_type,
        length: info.size / map.size as u64,
        range: map.range,
        marked: map.marked,
        block: map.block.map(|b| program.block_at(b)),
        phases: map.phases,
        cells,
    }
}

/// The linear index of a thread in its block, or of a block in its grid.
fn linear(at: [u32; 3], dims: [u32; 3]) -> u32 {
    (at[2].wrapping_mul(dims[1]).wrapping_add(at[1])).wrapping_mul(dims[0]).wrapping_add(at[0])
}
