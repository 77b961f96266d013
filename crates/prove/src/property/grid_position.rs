//! Questions about threads by their place in the grid alone.
//!
//! Most kernels use `blockIdx.x * blockDim.x + threadIdx.x` and nothing else of where a thread is. With a free block size
//! that is a product of two unknowns, which bit-vectors cannot be asked much about: whether `i / 32` or `n - 1 - i` of
//! two threads are equal, for instance. So such a question is first asked of the sums: a number for each thread and axis,
//! of which it is known that it is smaller than the number of all threads, and that two threads differ in one of them.
//!
//! `threadIdx` is put as that number less `blockIdx * blockDim` wherever it stands, so that the sum becomes the number by
//! the arithmetic of terms; conditions that then still speak of blocks or dimensions are left out. Leaving out conditions
//! only adds models: what has none without them has none. A question that has one is asked again as it was.
//!
//! Why two threads differ in one of the numbers: nothing wraps, because there are at most 2^30 threads along an axis (the
//! condition under which this is used), `threadIdx < blockDim`, and the two differ in a block, or in one block in a
//! thread.

use crate::decide::asked::{About, DecidedBy};
use crate::decide::limits::Limits;
use crate::decide::solve::{Outcome, Query, SHORT};
use crate::launch::context::{Ctx, Level, VarKind};
use crate::order::pair::{Candidate, Pairs};
use crate::term::walk::{Substitution, leaves};
use crate::term::{Node, T, VarId};

/// Threads along an axis.
const MOST: u64 = 1 << 30;

/// How places are put into words.
struct Places {
    words: Substitution,
    /// What must not occur any more.
    gone: Vec<VarId>,
    /// What is known instead.
    facts: Vec<T>,
}

impl Pairs<'_, '_> {
    /// Those questions that have a model when asked of places alone.
    pub(crate) fn open_by_place(
        &mut self,
        candidates: Vec<Candidate>,
        limits: Limits,
    ) -> Vec<Candidate> {
        if !self.exec.ctx.hints.by_place {
            return candidates;
        }
        let mut levels = [Level::Block, Level::Grid].map(|level| (level, self.places(level)));
        // The questions of the proof are those that have been asked already.
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
    /// Where a thread is along an axis.
    fn place(&mut self, ctx: &mut Ctx, axis: u8, tag: u8, level: Level) -> T {
        let block = if level == Level::Block { 0 } else { tag };
        let (b, t) = (ctx.block_id(axis, block), ctx.thread_id(axis, tag));
        let (g, d) = (ctx.grid_dim(axis), ctx.block_dim(axis));
        let first = ctx.pool.mul(b, d);
        let sum = ctx.pool.add(first, t);
        // One thread along the axis in each block: the sum is the block's own number.
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

    /// A conjunction in these words.
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

/// The variable that a dimension or an index is, perhaps extended.
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
