//! Models without the solver: a conjunction is evaluated for the launches and pairs of threads in which most races
//! show.
//!
//! Most alarms have an obvious model: two threads next to each other along some axis, in a block of a few threads, with
//! sizes that are large enough, or so large that an index overflows. A conjunction is evaluated under up to a few
//! thousand such assignments, many at a time, which takes less time than starting the solver. A model found this way is
//! a model like any other; if none is found, the query is undecided.

use crate::decide::program::{LANES, Lanes, Program};
use crate::launch::context::{Ctx, VarKind};
use crate::term::walk::Assignment;
use crate::term::{Node, VarId};

/// A launch to try: dimensions, and the value of scalars.
struct Launch {
    block: [u64; 3],
    grid: [u64; 3],
    scalar: u64,
}

impl Launch {
    fn value(&self, kind: VarKind) -> u64 {
        match kind {
            VarKind::BlockDim(a) => self.block[usize::from(a)],
            VarKind::GridDim(a) => self.grid[usize::from(a)],
            _ => self.scalar,
        }
    }
}

/// Small launches first, so that models are easy to follow; then launches in which indices overflow.
const LAUNCHES: [Launch; 8] = [
    Launch { block: [32, 1, 1], grid: [2, 1, 1], scalar: 64 },
    Launch { block: [8, 4, 1], grid: [2, 2, 1], scalar: 16 },
    Launch { block: [4, 4, 2], grid: [2, 2, 2], scalar: 3 },
    Launch { block: [32, 8, 1], grid: [8, 8, 2], scalar: 1024 },
    Launch { block: [64, 2, 2], grid: [4, 4, 2], scalar: 1 },
    Launch { block: [4, 4, 2], grid: [2, 2, 2], scalar: 0 },
    Launch { block: [1024, 1, 1], grid: [1 << 23, 1, 1], scalar: (1 << 31) - 1 },
    Launch { block: [32, 4, 1], grid: [65535, 65535, 2], scalar: 1 << 17 },
];

/// Launches that are seldom needed ([`guess_more`]).
const MORE_LAUNCHES: [Launch; 1] =
    [Launch { block: [64, 1, 1], grid: [(1 << 31) - 1, 1, 1], scalar: (1 << 31) - 1 }];

/// Distances between the two threads along one axis: within the block in threads, and between blocks in the grid.
const THREADS_APART: [u64; 5] = [1, 2, 4, 16, 32];
const BLOCKS_APART: [u64; 5] = [1, 2, 1 << 22, 1 << 13, 1 << 10];

/// Distances along the first axis that are seldom needed: with usual block sizes, the indices of blocks so far apart
/// overflow to the same value.
const THREADS_FAR_APART: [u64; 3] = [64, 128, 256];
const BLOCKS_FAR_APART: [u64; 4] = [1 << 24, 1 << 25, 1 << 26, 1 << 27];

/// Values of the two threads' iteration counters.
const COUNTERS: [[u64; 2]; 4] = [[0, 0], [0, 1], [1, 0], [1, 1]];
const MORE_COUNTERS: [[u64; 2]; 2] = [[0, 2], [2, 0]];

/// The longest conjunction that is tried, in operations.
const LONGEST: usize = 4000;

/// The first of the usual assignments that is a model of the conjunction.
pub(crate) fn guess(ctx: &Ctx, program: &Program) -> Option<Assignment> {
    among(ctx, program, &[[0, 0, 0]])
}

/// A model among assignments that are seldom needed: a rare launch with all positions, a rare position with all
/// launches, or a rare counter. Such a model is larger than those of other methods, so this is tried only before the
/// solver is started.
pub(crate) fn guess_more(ctx: &Ctx, program: &Program) -> Option<Assignment> {
    among(ctx, program, &[[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
}

/// The first model among launches, positions and counters that are usual (0) or seldom needed (1).
fn among(ctx: &Ctx, program: &Program, kinds: &[[usize; 3]]) -> Option<Assignment> {
    if program.terms.len() > LONGEST {
        return None;
    }
    let mut vars: Vec<Variable> = Vec::new();
    let mut applied = false;
    for (at, node) in program.nodes.iter().enumerate() {
        match *node {
            Node::Var(id) => {
                let (kind, tag) = ctx.vars[id.0 as usize];
                let range = ctx.pool.range(program.terms[at]);
                vars.push(Variable { id, at, kind, tag, low: range.ulo, high: range.uhi });
            }
            Node::App(..) => applied = true,
            _ => {}
        }
    }
    let apps = if applied { &[0, 1][..] } else { &[0][..] };
    // Each variable belongs to one of three parts of an assignment. Where a kernel uses one axis only, many choices of
    // a part give the same values; each distinct choice is tried once.
    let launch = |l: &&Launch, v: &Variable| l.value(v.kind);
    let place = |a: &Apart, v: &Variable| a.value(v.kind, v.tag);
    let counter = |c: &&[u64; 2], v: &Variable| c[usize::from(v.tag == 2)];
    let launches = parts(&vars, Part::Launch, [&LAUNCHES[..], &MORE_LAUNCHES], launch);
    let places = parts(&vars, Part::Place, [Apart::all(), Apart::more()], place);
    let counters = parts(&vars, Part::Counter, [&COUNTERS[..], &MORE_COUNTERS], counter);
    let mut batch = Batch { program, vars: &vars, apps, values: program.room(), used: 0 };
    for v in &vars {
        if v.part() == Part::None {
            batch.values[v.at] = [0.clamp(v.low, v.high); LANES];
        }
    }
    for &[l, p, c] in kinds {
        for launch in &launches[l] {
            for place in &places[p] {
                for counter in &counters[c] {
                    if let Some(model) = batch.add([launch, place, counter]) {
                        return Some(model);
                    }
                }
            }
        }
    }
    batch.first_model()
}

/// Which part of an assignment determines the value of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Launch,
    Place,
    Counter,
    None,
}

/// Values of the variables of one part, by their positions in the program.
type Values = Vec<(usize, u64)>;

/// The distinct values to try for the variables of one part: the usual ones, and those that are seldom needed.
fn parts<I: IntoIterator>(
    vars: &[Variable],
    part: Part,
    choices: [I; 2],
    value: impl Fn(&I::Item, &Variable) -> u64,
) -> [Vec<Values>; 2] {
    let own: Vec<&Variable> = vars.iter().filter(|v| v.part() == part).collect();
    let mut out: Vec<Values> = Vec::new();
    let mut usual = 1;
    for (i, choices) in choices.into_iter().enumerate() {
        for choice in choices {
            let values =
                own.iter().map(|v| (v.at, value(&choice, v).clamp(v.low, v.high))).collect();
            if !out.contains(&values) {
                out.push(values);
            }
            if own.is_empty() {
                break;
            }
        }
        if i == 0 {
            usual = out.len();
        }
    }
    let more = out.split_off(usual);
    [out, more]
}

struct Variable {
    id: VarId,
    at: usize,
    kind: VarKind,
    tag: u8,
    low: u64,
    high: u64,
}

impl Variable {
    fn part(&self) -> Part {
        match self.kind {
            VarKind::ThreadId(_) | VarKind::BlockId(_) => Part::Place,
            VarKind::BlockDim(_)
            | VarKind::GridDim(_)
            | VarKind::Param(..)
            | VarKind::Positive(_) => Part::Launch,
            VarKind::Counter(_) => Part::Counter,
            _ => Part::None,
        }
    }
}

/// Assignments collected until there are enough to be evaluated together.
struct Batch<'a> {
    program: &'a Program<'a>,
    vars: &'a [Variable],
    /// The values that function applications have, the same for all of them; an assignment is tried with each.
    apps: &'a [u64],
    values: Vec<Lanes>,
    used: usize,
}

impl Batch<'_> {
    fn add(&mut self, parts: [&Values; 3]) -> Option<Assignment> {
        for &(at, value) in parts.into_iter().flatten() {
            self.values[at][self.used] = value;
        }
        self.used += 1;
        if self.used < LANES {
            return None;
        }
        let model = self.first_model();
        self.used = 0;
        model
    }

    fn first_model(&mut self) -> Option<Assignment> {
        let mut first: Option<(u32, u64)> = None;
        for &app in self.apps {
            let held = self.program.holds(&mut self.values, app, self.used);
            let lane = held.trailing_zeros();
            if held != 0 && first.is_none_or(|(l, _)| lane < l) {
                first = Some((lane, app));
            }
        }
        let (lane, app) = first?;
        self.program.holds(&mut self.values, app, self.used);
        let of = |at: usize| self.values[at][lane as usize];
        let mut model = Assignment::default();
        model.vars.extend(self.vars.iter().map(|v| (v.id, of(v.at))));
        for (at, node) in self.program.nodes.iter().enumerate() {
            if let Node::App(f, args) = node {
                let args = args.iter().map(|a| of(a.index())).collect();
                model.apps.insert((*f, args), of(at));
            }
        }
        Some(model)
    }
}

/// The position of the second thread relative to the first, which is at the origin; swapped where the second thread
/// comes first.
#[derive(Clone, Copy)]
struct Apart {
    thread: [u64; 3],
    block: [u64; 3],
    swapped: bool,
}

impl Apart {
    fn all() -> Vec<Apart> {
        let along = |axis: usize, n: u64| {
            let mut out = [0; 3];
            out[axis] = n;
            out
        };
        let threads =
            (0..3).flat_map(move |axis| THREADS_APART.map(move |n| (along(axis, n), [0; 3])));
        let blocks =
            (0..3).flat_map(move |axis| BLOCKS_APART.map(move |n| ([0; 3], along(axis, n))));
        let both = (0..3).map(move |axis| ([1, 0, 0], along(axis, 1)));
        either_way(threads.chain(blocks).chain(both))
    }

    fn more() -> Vec<Apart> {
        let threads = THREADS_FAR_APART.into_iter().map(|n| ([n, 0, 0], [0; 3]));
        let blocks = BLOCKS_FAR_APART.into_iter().map(|n| ([0; 3], [n, 0, 0]));
        either_way(threads.chain(blocks))
    }

    fn value(&self, kind: VarKind, tag: u8) -> u64 {
        let second = tag == if self.swapped { 1 } else { 2 };
        match kind {
            VarKind::ThreadId(a) if second => self.thread[usize::from(a)],
            VarKind::BlockId(a) if second => self.block[usize::from(a)],
            _ => 0,
        }
    }
}

/// Positions of the second thread relative to the first, and the reverse.
fn either_way(places: impl Iterator<Item = ([u64; 3], [u64; 3])>) -> Vec<Apart> {
    let both = |(thread, block)| [false, true].map(|swapped| Apart { thread, block, swapped });
    places.flat_map(both).collect()
}
