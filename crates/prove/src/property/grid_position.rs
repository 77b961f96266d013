//! Queries about threads in terms of their position in the grid.
//!
//! Most kernels use a thread's position only as `blockIdx.x * blockDim.x + threadIdx.x`. With a free block size that is
//! a product of two unknowns, for which bit-vector queries are hard: whether `i / 32` or `n - 1 - i` of two threads are
//! equal, for instance. So such a query is first decided over the sums: one variable for each thread and axis, which is
//! smaller than the number of all threads, and two threads differ in at least one of them.
//!
//! `threadIdx` is replaced by that variable minus `blockIdx * blockDim` wherever it occurs, so that term arithmetic
//! reduces the sum to the variable; conditions that still mention blocks or dimensions are dropped. Dropping conditions
//! only adds models: a conjunction that is unsatisfiable without them is unsatisfiable. A query that is satisfiable
//! without them is decided again in its original form.
//!
//! Why two threads differ in one of the variables: nothing overflows, because there are at most 2^30 threads along an
//! axis (the condition under which this is used), `threadIdx < blockDim`, and the two threads differ in their block, or
//! in one block in their thread index.

use crate::decide::asked::{About, DecidedBy};
use crate::decide::limits::Limits;
use crate::decide::solve::{Outcome, Query, SHORT};
use crate::launch::context::{Ctx, Level, VarKind};
use crate::order::pair::{Candidate, Pairs};
use crate::term::walk::{Substitution, leaves};
use crate::term::{Node, T, VarId};

/// Upper bound of the threads along an axis.
const MOST: u64 = 1 << 30;

/// The substitution by positions.
struct Places {
    words: Substitution,
    /// Variables that must no longer occur.
    gone: Vec<VarId>,
    /// The facts that replace them.
    facts: Vec<T>,
}

impl Pairs<'_, '_> {
    /// The queries that are still satisfiable over positions alone.
    pub(crate) fn open_by_place(
        &mut self,
        candidates: Vec<Candidate>,
        limits: Limits,
    ) -> Vec<Candidate> {
        if !self.exec.ctx.hints.by_place {
            return candidates;
        }
        let mut levels = [Level::Block, Level::Grid].map(|level| (level, self.places(level)));
        // The queries of the proof have been recorded already.
        self.solver.begin(About::Other);
        let mut left: Vec<Candidate> = Vec::new();
        let mut queries: Vec<Query> = Vec::new();
        for c in candidates {
            let (_, places) = levels.iter_mut().find(|(l, _)| *l == c.level).expect("both");
            let list = places.put(self.exec.ctx, &c.query.asked);
            match self.solver.ask(self.exec.ctx, list) {
                Some(q) => {
                    queries.push(q);
                    left.push(c);
                }
                None => self.solver.note_unsat(c.query.number, DecidedBy::GridPosition),
            }
        }
        let limits = Limits { work: limits.work.min(SHORT), ..limits };
        let outcomes = self.solver.decide(self.exec.ctx, &queries, limits);
        self.solver.begin(About::Race);
        let mut open = Vec::new();
        for (c, outcome) in left.into_iter().zip(outcomes) {
            match outcome {
                Outcome::Unsat => {
                    self.solver.note_unsat(c.query.number, DecidedBy::GridPosition);
                }
                _ => open.push(c),
            }
        }
        open
    }

    fn places(&mut self, level: Level) -> Places {
        let ctx = &mut *self.exec.ctx;
        let mut out =
            Places { words: Substitution::default(), gone: Vec::new(), facts: Vec::new() };
        let mut differ = ctx.pool.truth(false);
        for axis in 0..3u8 {
            let own = [1, 2].map(|tag| out.place(ctx, axis, tag, level));
            let same = ctx.pool.eq(own[0], own[1]);
            let apart = ctx.pool.not(same);
            differ = ctx.pool.or(differ, apart);
        }
        out.facts.push(differ);
        out
    }
}

impl Places {
    /// The position of a thread along an axis.
    fn place(&mut self, ctx: &mut Ctx, axis: u8, tag: u8, level: Level) -> T {
        let block = if level == Level::Block { 0 } else { tag };
        let (b, t) = (ctx.block_id(axis, block), ctx.thread_id(axis, tag));
        let (g, d) = (ctx.grid_dim(axis), ctx.block_dim(axis));
        let first = ctx.pool.mul(b, d);
        let sum = ctx.pool.add(first, t);
        // Each block has one thread along the axis: the sum is the block's index.
        let Some(thread) = variable(ctx, t) else { return sum };
        let id = ctx.variable(VarKind::Place(axis), tag, 0, MOST - 1, 32);
        let all = ctx.variable(VarKind::Threads(axis), 0, 1, MOST, 32);
        let pool = &mut ctx.pool;
        let rest = pool.sub(id, first);
        self.words.vars.insert(thread, rest);
        self.words.terms.insert(t, rest);
        let [wide_t, wide_id, wide_first] = [t, id, first].map(|x| pool.zext(x, 64));
        let wide_rest = pool.sub(wide_id, wide_first);
        self.words.terms.insert(wide_t, wide_rest);
        let product = pool.mul(g, d);
        let [wide_g, wide_d, wide_all] = [g, d, all].map(|x| pool.zext(x, 64));
        let wide_product = pool.mul(wide_g, wide_d);
        for (from, to) in [(product, all), (wide_product, wide_all)] {
            if pool.as_const(from).is_none() {
                self.words.terms.insert(from, to);
            }
        }
        self.facts.push(pool.ult(id, all));
        self.gone.push(thread);
        self.gone.extend([b, d, g].into_iter().filter_map(|x| variable(ctx, x)));
        id
    }

    /// A conjunction after the substitution.
    fn put(&mut self, ctx: &mut Ctx, asked: &[T]) -> Vec<T> {
        let mut out = self.facts.clone();
        for &t in asked {
            let u = self.words.apply(&mut ctx.pool, t);
            let (vars, _) = leaves(&ctx.pool, u);
            if !vars.iter().any(|v| self.gone.contains(v)) {
                out.push(u);
            }
        }
        out
    }
}

/// The variable of a dimension or an index, possibly extended.
fn variable(ctx: &Ctx, t: T) -> Option<VarId> {
    let raw = match *ctx.pool.node(t) {
        Node::ZExt(raw) => raw,
        _ => t,
    };
    match *ctx.pool.node(raw) {
        Node::Var(v) => Some(v),
        _ => None,
    }
}
