//! Models without the solver: a conjunction is evaluated for launches and pairs of threads that show most races.
//!
//! Most alarms have a model that anybody would think of: two threads next to each other along some axis, in a block of
//! a few threads, with sizes that are large enough, or so large that an index wraps. A conjunction is compiled once into
//! a list of operations and evaluated under a few thousand such assignments, which takes less than starting the solver.
//! What is found is a model like any other; that none is found says nothing.

use rustc_hash::FxHashMap;

use crate::context::{Ctx, VarKind};
use crate::term::{Bin, Node, Pool, T, VarId, mask, sign_extend};
use crate::walk::{Assignment, eval_bin, reachable};

/// A launch to try: dimensions, the value of scalars, and how far apart the two threads are.
struct Launch {
    block: [u64; 3],
    grid: [u64; 3],
    scalar: u64,
}

/// Small launches first, so that a model is one that people can follow; then such in which indices wrap.
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

/// How far apart the two are along one axis: threads in their block, and blocks in the grid.
const THREADS_APART: [u64; 5] = [1, 2, 4, 16, 32];
const BLOCKS_APART: [u64; 5] = [1, 2, 1 << 22, 1 << 13, 1 << 10];

/// Values of the two threads' iteration counters.
const COUNTERS: [[u64; 2]; 4] = [[0, 0], [0, 1], [1, 0], [1, 1]];

/// The longest conjunction that is tried, in operations.
const LONGEST: usize = 4000;

/// One operation; operands are positions in the list.
enum Step {
    Const(u64),
    Var(VarId),
    App,
    Lin(u64, Vec<(usize, u64)>),
    /// With the operands' width.
    Bin(Bin, usize, usize, u32),
    Ite(usize, usize, usize),
    Same(usize),
    /// With the operand's width.
    Signed(usize, u32),
}

/// A conjunction as a list of operations, operands first.
pub(crate) struct Program<'a> {
    pool: &'a Pool,
    terms: Vec<T>,
    steps: Vec<(Step, u64)>,
    at: FxHashMap<T, usize>,
    roots: Vec<usize>,
}

impl<'a> Program<'a> {
    pub(crate) fn new(pool: &'a Pool, list: &[T]) -> Program<'a> {
        // A term is always made after its operands, so that the order of numbers is one of evaluation.
        let terms = reachable(pool, list);
        let at: FxHashMap<T, usize> = terms.iter().enumerate().map(|(i, &t)| (t, i)).collect();
        let step = |t: T| match pool.node(t) {
            Node::Const(c) => Step::Const(*c),
            Node::Var(v) => Step::Var(*v),
            Node::App(..) => Step::App,
            Node::Lin(c, terms) => Step::Lin(*c, terms.iter().map(|(a, k)| (at[a], *k)).collect()),
            Node::Bin(op, a, b) => Step::Bin(*op, at[a], at[b], pool.width(*a)),
            Node::Ite(c, a, b) => Step::Ite(at[c], at[a], at[b]),
            Node::ZExt(a) | Node::Trunc(a) => Step::Same(at[a]),
            Node::SExt(a) => Step::Signed(at[a], pool.width(*a)),
        };
        let steps = terms.iter().map(|&t| (step(t), mask(pool.width(t)))).collect();
        let roots = list.iter().map(|t| at[t]).collect();
        Program { pool, terms, steps, at, roots }
    }

    /// Whether all hold where variables have these values, and functions the value `app` everywhere.
    pub(crate) fn holds(
        &self,
        vars: &FxHashMap<VarId, u64>,
        app: u64,
        values: &mut Vec<u64>,
    ) -> bool {
        values.clear();
        for (step, bits) in &self.steps {
            let v = match step {
                Step::Const(c) => *c,
                Step::Var(v) => vars.get(v).copied().unwrap_or(0),
                Step::App => app,
                Step::Lin(c, terms) => {
                    terms.iter().fold(*c, |s, &(a, k)| s.wrapping_add(values[a].wrapping_mul(k)))
                }
                &Step::Bin(op, a, b, w) => eval_bin(op, values[a], values[b], w),
                &Step::Ite(c, a, b) => values[if values[c] == 1 { a } else { b }],
                &Step::Same(a) => values[a],
                &Step::Signed(a, w) => sign_extend(values[a], w) as u64,
            };
            values.push(v & bits);
        }
        self.roots.iter().all(|&r| values[r] == 1)
    }

    /// The values of all functions, as they were assumed.
    fn apps(&self, values: &[u64], out: &mut Assignment) {
        for (i, &t) in self.terms.iter().enumerate() {
            if let Node::App(f, args) = self.pool.node(t) {
                let args = args.iter().map(|a| values[self.at[a]]).collect();
                out.apps.insert((*f, args), values[i]);
            }
        }
    }
}

/// A model of the conjunction among the assignments that are tried.
pub(crate) fn guess(ctx: &Ctx, list: &[T]) -> Option<Assignment> {
    let program = Program::new(&ctx.pool, list);
    if program.terms.len() > LONGEST {
        return None;
    }
    let mut vars: Vec<(VarId, VarKind, u8, u64, u64)> = Vec::new();
    let (mut counted, mut applied) = (false, false);
    for &t in &program.terms {
        match *ctx.pool.node(t) {
            Node::Var(v) => {
                let (kind, tag) = ctx.vars[v.0 as usize];
                let range = ctx.pool.range(t);
                counted |= matches!(kind, VarKind::Counter(_));
                vars.push((v, kind, tag, range.ulo, range.uhi));
            }
            Node::App(..) => applied = true,
            _ => {}
        }
    }
    let counters = if counted { &COUNTERS[..] } else { &COUNTERS[..1] };
    let apps = if applied { &[0, 1][..] } else { &[0][..] };
    let mut assignment: FxHashMap<VarId, u64> = FxHashMap::default();
    let mut values = Vec::with_capacity(program.terms.len());
    for launch in &LAUNCHES {
        for apart in Apart::all() {
            for &counter in counters {
                for &(v, kind, tag, low, high) in &vars {
                    let value = apart.value(launch, kind, tag, counter).clamp(low, high);
                    assignment.insert(v, value);
                }
                for &app in apps {
                    if program.holds(&assignment, app, &mut values) {
                        let mut model = Assignment { vars: assignment, ..Assignment::default() };
                        program.apps(&values, &mut model);
                        return Some(model);
                    }
                }
            }
        }
    }
    None
}

/// The place of the second thread relative to the first, which is the first of all but where the second is before it.
#[derive(Clone, Copy)]
struct Apart {
    thread: [u64; 3],
    block: [u64; 3],
    swapped: bool,
}

impl Apart {
    fn all() -> impl Iterator<Item = Apart> {
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
        threads.chain(blocks).chain(both).flat_map(|(thread, block)| {
            [false, true].map(|swapped| Apart { thread, block, swapped })
        })
    }

    fn value(&self, launch: &Launch, kind: VarKind, tag: u8, counter: [u64; 2]) -> u64 {
        let second = tag == if self.swapped { 1 } else { 2 };
        let of = |place: [u64; 3], a: u8| if second { place[usize::from(a)] } else { 0 };
        match kind {
            VarKind::ThreadId(a) => of(self.thread, a),
            VarKind::BlockId(a) => of(self.block, a),
            VarKind::BlockDim(a) => launch.block[usize::from(a)],
            VarKind::GridDim(a) => launch.grid[usize::from(a)],
            VarKind::Counter(_) => counter[usize::from(tag == 2)],
            VarKind::Param(..) | VarKind::Positive(_) => launch.scalar,
            _ => 0,
        }
    }
}
