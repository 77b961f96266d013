//! The variables and functions that the terms of one kernel are built from, and the launch that they refer to.
//!
//! A generic thread is described by terms over [`VarKind`] and [`FnKind`]. For a query about two threads, each thread
//! gets its own copy of what is thread-dependent (indices in the block, iteration counters, approximated values); what
//! is uniform stays shared ([`Ctx::instance`]). A query about two blocks may mention further threads of these blocks,
//! on whose operations the two depend: the first thread of the block ([`LEADERS`]), or a thread that took part in a
//! vote ([`VOTERS`]).

use lockstep_finding::Approximation;
use lockstep_kernel::cfg::Cfg;
use lockstep_kernel::{Kernel, Language, ObjectId, ParamKind, Reg, SiteId, Space, Ty};
use rustc_hash::FxHashMap;

use crate::launch::DimSpec;
use crate::launch::assumptions::Assumptions;
use crate::launch::version::Version;
use crate::term::{Bin, FnId, Node, Pool, Range, T, VarId, mask};

/// A memory object that is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Base {
    Param(usize),
    Object(ObjectId),
    /// All `extern __shared__` arrays: they share one address.
    DynamicShared,
    /// A pointer within a struct passed by value, at that offset.
    Field(usize, u64),
    /// Memory that the thread itself got from `malloc`.
    Allocated(Reg),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum VarKind {
    ThreadId(u8),
    BlockId(u8),
    BlockDim(u8),
    GridDim(u8),
    WorkDim,
    DynamicSharedSize,
    Param(usize, u32),
    Address(Base),
    /// The iteration counter of a loop.
    Counter(usize),
    /// Some earlier iteration, for phases.
    Earlier(usize),
    /// The index of an element in a group copy, by the site of its write.
    CopyElement(SiteId),
    /// Placeholders during evaluation, replaced before any query.
    OpaqueCounter(usize),
    OpaquePhi(Reg),
    /// A variable that a query shows to be positive.
    Positive(VarId),
    /// The position of a thread along an axis of the grid, and the number of threads along it
    /// ([`crate::property::grid_position`]).
    Place(u8),
    Threads(u8),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FnKind {
    /// A pure function that is not interpreted: equal operands give equal values.
    Pure(String, Approximation),
    /// Contents of memory that the kernel does not write, by offset.
    ReadOnly(Base),
    /// The value of a texture fetch, by the handle and the coordinates: component and type of the value, bytes of a
    /// texel, and the number of arguments.
    Texture(Ty, u8, u32, usize),
    /// A load of memory that the kernel writes, by address and iteration. Two threads that read one address in one
    /// phase get the same value, or else there is a race.
    LoadAt(SiteId, u8),
    /// Contents of an object that the kernel writes, in one of its versions and for loads of one width, by offset and
    /// the iterations around the beginning of the version. It replaces loads in queries about two threads
    /// ([`crate::symbolic::versions`]).
    Memory(Base, Version, u8),
    /// A value that may differ for each thread, by iteration.
    Binder(Reg),
    /// A value that is uniform across a block, by iteration.
    Uniform(Reg),
    /// A value that is uniform across a warp, by warp and iteration.
    Warp(Reg, u8),
    /// The number of iterations that the loop has executed, by the iterations of the loops around it.
    Exit(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct FnInfo {
    pub(crate) kind: FnKind,
    /// The thread that it belongs to; 0 if it is shared.
    pub(crate) tag: u8,
    /// The source variable that it stands for.
    pub(crate) name: String,
}

/// Which two threads a query is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Two threads of one block.
    Block,
    /// Two threads of different blocks.
    Grid,
}

/// Further facts about the launch, from a hidden assumption.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    /// There are at most 2^30 threads along an axis.
    pub(crate) small_grid: bool,
    /// With `small_grid`, queries are first decided over positions in the grid ([`crate::property::grid_position`]).
    pub(crate) by_place: bool,
    /// The lanes of a warp may not execute warp operations together, so no order follows from these.
    pub(crate) lanes_apart: bool,
    /// Numbers drawn from counters are less than 2^30 ([`crate::order::tickets`]).
    pub(crate) small_tickets: bool,
    /// Counters that numbers are drawn from are 0 at first ([`crate::order::last_block`]).
    pub(crate) from_zero: bool,
}

/// Tags of threads other than the two that a query is about: odd tags belong to the first thread's block, even tags to
/// the second thread's.
pub(crate) const LEADERS: [u8; 2] = [3, 4];
pub(crate) const VOTERS: [u8; 2] = [5, 6];

/// Which of the two threads is in the same block as a thread.
pub(crate) fn beside(tag: u8) -> u8 {
    if tag > 2 { 2 - tag % 2 } else { tag }
}

pub(crate) struct Ctx<'k> {
    pub(crate) kernel: &'k Kernel,
    pub(crate) cfg: Cfg,
    pub(crate) assumptions: &'k Assumptions,
    pub(crate) pool: Pool,
    pub(crate) vars: Vec<(VarKind, u8)>,
    var_terms: FxHashMap<(VarKind, u8), T>,
    pub(crate) fns: Vec<FnInfo>,
    fn_index: FxHashMap<(FnKind, u8), FnId>,
    reg_names: FxHashMap<Reg, String>,
    pub(crate) hints: Hints,
    /// Loops that contain a barrier of the whole block: their iterations are the same for all threads.
    pub(crate) uniform_loops: Vec<bool>,
    /// Loops that contain a barrier of the whole grid: their iterations are the same for all blocks as well.
    pub(crate) grid_loops: Vec<bool>,
}

impl<'k> Ctx<'k> {
    pub(crate) fn new(kernel: &'k Kernel, assumptions: &'k Assumptions, hints: Hints) -> Ctx<'k> {
        let cfg = Cfg::new(kernel);
        let uniform_loops = vec![false; cfg.loops.len()];
        let grid_loops = uniform_loops.clone();
        let mut ctx = Ctx {
            kernel,
            cfg,
            assumptions,
            pool: Pool::default(),
            vars: Vec::new(),
            var_terms: FxHashMap::default(),
            fns: Vec::new(),
            fn_index: FxHashMap::default(),
            reg_names: kernel.reg_names.iter().cloned().collect(),
            uniform_loops,
            grid_loops,
            hints,
        };
        if hints.small_grid {
            ctx.bound_products();
        }
        ctx.bound_parameters();
        ctx.bound_areas();
        ctx
    }

    /// Assumptions of the form `parameter <= constant` become intervals as well.
    fn bound_parameters(&mut self) {
        use crate::launch::expressions::Operator;
        use crate::launch::expressions::Tree;
        use lockstep_kernel::ParamKind;
        let assumptions = self.assumptions;
        for tree in assumptions.conjuncts() {
            let Tree::Binary(op, a, b) = tree else { continue };
            let (&Tree::Param(p), &Tree::Const(c)) = (&**a, &**b) else { continue };
            let param = &self.kernel.params[p];
            let ParamKind::Scalar { ty, count: 1 } = param.kind else { continue };
            if self.assumptions.scalars.iter().any(|(q, _)| *q == p) {
                continue;
            }
            let w = ty.bits();
            let (lo, hi) = match op {
                Operator::Le => (i64::MIN, c),
                Operator::Lt => (i64::MIN, c.saturating_sub(1)),
                Operator::Ge => (c, i64::MAX),
                Operator::Gt => (c.saturating_add(1), i64::MAX),
                Operator::Eq => (c, c),
                _ => continue,
            };
            let range = if param.signed {
                if lo > crate::term::smax(w) || hi < crate::term::smin(w) || lo > hi {
                    continue;
                }
                Range::signed(lo, hi, w)
            } else {
                if hi < 0 || lo > 0 && w < 64 && lo as u64 > mask(w) {
                    continue;
                }
                Range::unsigned(lo.max(0) as u64, hi as u64, w)
            };
            let t = self.free(VarKind::Param(p, 0), 0, w);
            self.pool.refine(t, range);
        }
    }

    /// Assumptions that a product of sizes fits an `int` are recorded for the product as kernels compute it.
    fn bound_areas(&mut self) {
        use crate::launch::expressions::Operator;
        use crate::launch::expressions::Tree;
        let assumptions = self.assumptions;
        let area = |tree| match tree {
            &Tree::Binary(Operator::Le, ref a, ref b) => match (&**a, &**b) {
                (product @ Tree::Binary(Operator::Mul, ..), Tree::Const(c @ 0..)) => {
                    Some((product, *c as u64))
                }
                _ => None,
            },
            _ => None,
        };
        let mut areas: Vec<(&Tree, u64)> =
            assumptions.conjuncts().into_iter().filter_map(area).collect();
        // The bound of a part shows that the whole does not overflow where it is compared.
        areas.sort_by_key(|(product, _)| depth(product));
        for (product, most) in areas.into_iter().filter(|a| a.1 <= crate::term::smax(32) as u64) {
            if let Some(t) = self.area(product) {
                self.pool.refine(t, Range::unsigned(0, most, 32));
            }
        }
    }

    /// A product of non-negative parameters, in 32 bits, where it is exact in 63 bits.
    fn area(&mut self, tree: &crate::launch::expressions::Tree) -> Option<T> {
        use crate::launch::expressions::Operator;
        use crate::launch::expressions::Tree;
        match tree {
            &Tree::Param(p) => {
                let lockstep_kernel::ParamKind::Scalar { ty, count: 1 } =
                    self.kernel.params[p].kind
                else {
                    return None;
                };
                let given = self.assumptions.scalars.iter().any(|(q, _)| *q == p);
                let t = (ty.bits() == 32 && !given).then(|| self.free(VarKind::Param(p, 0), 0, 32));
                t.filter(|t| self.pool.range(*t).nonneg())
            }
            Tree::Binary(Operator::Mul, a, b) => {
                let (x, y) = (self.area(a)?, self.area(b)?);
                let is_part = |t: &Tree| matches!(t, Tree::Binary(..));
                let known = |ctx: &Ctx, t: T, tree: &Tree| !is_part(tree) || ctx.pool.is_refined(t);
                let high = |ctx: &Ctx, t: T| u128::from(ctx.pool.range(t).uhi);
                let exact = high(self, x) * high(self, y) < 1 << 63;
                (exact && known(self, x, a) && known(self, y, b)).then(|| self.pool.mul(x, y))
            }
            _ => None,
        }
    }

    /// With few enough threads, `blockIdx * blockDim` and `blockIdx * blockDim + threadIdx` do not overflow. The
    /// intervals are attached to the terms themselves, which are the same wherever they occur.
    fn bound_products(&mut self) {
        let top = 1u64 << 30;
        for axis in 0..3 {
            for thread in 0..3 {
                for block in 0..3 {
                    let (b, d) = (self.block_id(axis, block), self.block_dim(axis));
                    let t = self.thread_id(axis, thread);
                    let first = self.pool.mul(b, d);
                    self.pool.refine(first, Range::unsigned(0, top - 1, 32));
                    let own = self.pool.add(first, t);
                    self.pool.refine(own, Range::unsigned(0, top - 1, 32));
                }
            }
            let (g, d) = (self.grid_dim(axis), self.block_dim(axis));
            let all = self.pool.mul(g, d);
            self.pool.refine(all, Range::unsigned(1, top, 32));
            // In 64-bit arithmetic, the product is another term.
            let (g, d) = (self.pool.zext(g, 64), self.pool.zext(d, 64));
            let all = self.pool.mul(g, d);
            self.pool.refine(all, Range::unsigned(1, top, 64));
        }
    }

    pub(crate) fn reg_name(&self, r: Reg) -> Option<&str> {
        self.reg_names.get(&r).map(String::as_str)
    }

    pub(crate) fn function(&mut self, kind: FnKind, tag: u8, name: &str) -> FnId {
        if let Some(&f) = self.fn_index.get(&(kind.clone(), tag)) {
            return f;
        }
        let id = FnId(self.fns.len() as u32);
        self.fns.push(FnInfo { kind: kind.clone(), tag, name: name.to_owned() });
        self.fn_index.insert((kind, tag), id);
        id
    }

    /// The existing variable of this kind, or a new one with values up to `max`.
    pub(crate) fn variable(&mut self, kind: VarKind, tag: u8, min: u64, max: u64, width: u32) -> T {
        if let Some(&t) = self.var_terms.get(&(kind, tag)) {
            return t;
        }
        let t = if min == max {
            self.pool.constant(min, width)
        } else {
            let (id, t) = self.pool.var(max, width);
            assert_eq!(id.0 as usize, self.vars.len());
            self.vars.push((kind, tag));
            if min > 0 {
                let raw = self.raw(t);
                let own = self.pool.width(raw);
                self.pool.refine(raw, Range::unsigned(min, max, own));
                self.pool.refine(t, Range::unsigned(min, max, width));
            }
            t
        };
        self.var_terms.insert((kind, tag), t);
        t
    }

    fn raw(&self, t: T) -> T {
        match self.pool.node(t) {
            Node::ZExt(raw) => *raw,
            _ => t,
        }
    }

    pub(crate) fn existing(&self, kind: VarKind, tag: u8) -> Option<T> {
        self.var_terms.get(&(kind, tag)).copied()
    }

    pub(crate) fn free(&mut self, kind: VarKind, tag: u8, width: u32) -> T {
        self.variable(kind, tag, 0, mask(width), width)
    }

    /// The term that is the variable itself, in its own width.
    pub(crate) fn term_of(&self, v: VarId) -> T {
        let (kind, tag) = self.vars[v.0 as usize];
        self.raw(self.var_terms[&(kind, tag)])
    }

    /// Whether the term is a variable that replaced another.
    pub(crate) fn stands_for(&self, t: T, v: VarId) -> bool {
        let Node::Var(own) = *self.pool.node(self.raw(t)) else { return false };
        self.vars[own.0 as usize].0 == VarKind::Positive(v)
    }

    /// The variable's bounds as conditions for the solver, which does not know our intervals.
    pub(crate) fn variable_bounds(&mut self, v: VarId, out: &mut Vec<T>) {
        let (kind, tag) = self.vars[v.0 as usize];
        let t = self.var_terms[&(kind, tag)];
        let raw = self.raw(t);
        self.bounds_of(raw, out);
    }

    /// The interval of a term as conditions that the simplifier does not rewrite.
    pub(crate) fn bounds_of(&mut self, raw: T, out: &mut Vec<T>) {
        let (r, w) = (self.pool.range(raw), self.pool.width(raw));
        if r.uhi < mask(w) {
            let top = self.pool.constant(r.uhi + 1, w);
            out.push(self.pool.intern(Node::Bin(Bin::Ult, raw, top), 1));
        }
        if r.ulo > 0 {
            let low = self.pool.constant(r.ulo - 1, w);
            out.push(self.pool.intern(Node::Bin(Bin::Ult, low, raw), 1));
        }
    }

    // ---- the launch ----

    /// A lower bound of the number of dimensions: the last axis that certainly has more than one thread counts.
    pub(crate) fn least_work_dim(&self) -> u64 {
        let wide = |d: &DimSpec| matches!(d, DimSpec::Exactly(n) if *n > 1);
        let Assumptions { block, grid, .. } = self.assumptions;
        (0..3).rfind(|&a| wide(&block[a]) || wide(&grid[a])).map_or(1, |a| a as u64 + 1)
    }

    fn block_limit(&self, axis: u8) -> u64 {
        let most = match (self.kernel.language, axis) {
            (Language::OpenCl, _) => 8192,
            (_, 2) => 64,
            _ => 1024,
        };
        let most = limited(most, self.assumptions.most_block[axis as usize]);
        limited(most, self.assumptions.most_threads)
    }

    /// Upper bound of the number of blocks along an axis.
    fn grid_limit(&self, axis: u8) -> u64 {
        let most = if axis == 0 { (1 << 31) - 1 } else { 65535 };
        let most = limited(most, self.assumptions.most_grid[axis as usize]);
        match self.assumptions.block[axis as usize] {
            _ if !self.hints.small_grid => most,
            DimSpec::Exactly(n) => most.min(((1 << 30) / u64::from(n).max(1)).max(1)),
            DimSpec::Any => most.min(1 << 30),
        }
    }

    /// Which of two threads a variable belongs to; 0 if it is shared.
    pub(crate) fn owner(&self, v: VarId) -> u8 {
        match self.vars[v.0 as usize] {
            (VarKind::Positive(of), _) => self.owner(of),
            (_, tag) => tag,
        }
    }

    pub(crate) fn block_dim(&mut self, axis: u8) -> T {
        match self.assumptions.block[axis as usize] {
            DimSpec::Exactly(n) => self.pool.constant(u64::from(n), 32),
            DimSpec::Any => {
                let max = self.block_limit(axis);
                self.variable(VarKind::BlockDim(axis), 0, 1, max, 32)
            }
        }
    }

    pub(crate) fn grid_dim(&mut self, axis: u8) -> T {
        match self.assumptions.grid[axis as usize] {
            DimSpec::Exactly(n) => self.pool.constant(u64::from(n), 32),
            DimSpec::Any => {
                let max = self.grid_limit(axis);
                self.variable(VarKind::GridDim(axis), 0, 1, max, 32)
            }
        }
    }

    pub(crate) fn thread_id(&mut self, axis: u8, tag: u8) -> T {
        let max = match self.assumptions.block[axis as usize] {
            DimSpec::Exactly(n) => u64::from(n).saturating_sub(1),
            DimSpec::Any => self.block_limit(axis) - 1,
        };
        self.variable(VarKind::ThreadId(axis), tag, 0, max, 32)
    }

    pub(crate) fn block_id(&mut self, axis: u8, tag: u8) -> T {
        let max = match self.assumptions.grid[axis as usize] {
            DimSpec::Exactly(n) => u64::from(n).saturating_sub(1),
            DimSpec::Any => self.grid_limit(axis) - 1,
        };
        self.variable(VarKind::BlockId(axis), tag, 0, max, 32)
    }

    /// The thread's linear index in its block.
    pub(crate) fn linear_thread(&mut self, tag: u8) -> T {
        let (bx, by) = (self.block_dim(0), self.block_dim(1));
        let (x, y, z) = (self.thread_id(0, tag), self.thread_id(1, tag), self.thread_id(2, tag));
        let plane = self.pool.mul(z, by);
        let rows = self.pool.add(plane, y);
        let before = self.pool.mul(rows, bx);
        let linear = self.pool.add(before, x);
        let max = match self.assumptions.block {
            [DimSpec::Exactly(a), DimSpec::Exactly(b), DimSpec::Exactly(c)] => {
                u64::from(a) * u64::from(b) * u64::from(c)
            }
            _ => self.total_limit(),
        };
        self.pool.refine(linear, Range::unsigned(0, max.saturating_sub(1), 32));
        linear
    }

    /// The number of threads in a block.
    pub(crate) fn block_threads(&mut self) -> T {
        let dims = [self.block_dim(0), self.block_dim(1), self.block_dim(2)];
        let plane = self.pool.mul(dims[0], dims[1]);
        self.pool.mul(plane, dims[2])
    }

    fn total_limit(&self) -> u64 {
        let most = if self.kernel.language == Language::OpenCl { 8192 } else { 1024 };
        limited(most, self.assumptions.most_threads)
    }

    /// A fact of every launch: the upper bound of the number of threads in a block.
    pub(crate) fn launch_facts(&mut self) -> Vec<T> {
        let mut out = Vec::new();
        if self.assumptions.block.contains(&DimSpec::Any) {
            let limit = self.total_limit();
            let (x, y) = (self.block_dim(0), self.block_dim(1));
            let plane = self.pool.mul(x, y);
            let all = self.block_threads();
            let top = self.pool.constant(limit, 32);
            out.push(self.pool.ule(plane, top));
            out.push(self.pool.ule(all, top));
        }
        if self.hints.small_grid {
            for axis in 0..3 {
                let (g, d) = (self.grid_dim(axis), self.block_dim(axis));
                let (g, d) = (self.pool.zext(g, 64), self.pool.zext(d, 64));
                let all = self.pool.mul(g, d);
                let top = self.pool.constant(1 << 30, 64);
                out.push(self.pool.ule(all, top));
            }
        }
        out
    }

    /// `threadIdx < blockDim` and `blockIdx < gridDim` for one thread.
    pub(crate) fn index_facts(&mut self, thread: u8, block: u8) -> Vec<T> {
        let mut out = Vec::new();
        for axis in 0..3 {
            let (t, d) = (self.thread_id(axis, thread), self.block_dim(axis));
            out.push(self.pool.ult(t, d));
            let (b, g) = (self.block_id(axis, block), self.grid_dim(axis));
            out.push(self.pool.ult(b, g));
        }
        out
    }

    // ---- objects ----

    pub(crate) fn address_of(&mut self, base: Base) -> T {
        self.free(VarKind::Address(base), 0, 64)
    }

    pub(crate) fn object_base(&self, id: ObjectId) -> Base {
        if self.kernel.objects[id.0 as usize].dynamic {
            Base::DynamicShared
        } else {
            Base::Object(id)
        }
    }

    /// Whether it is a struct passed by value.
    pub(crate) fn is_struct(&self, b: Base) -> bool {
        let kind = |p: usize| self.kernel.params[p].kind;
        matches!(b, Base::Param(p) if matches!(kind(p), ParamKind::Aggregate { .. }))
    }

    pub(crate) fn base_space(&self, base: Base) -> Space {
        match base {
            Base::Param(p) => match self.kernel.params[p].kind {
                ParamKind::Buffer { space, .. } => space,
                ParamKind::Local { .. } => Space::Shared,
                ParamKind::Aggregate { .. } => Space::Constant,
                ParamKind::Scalar { .. } => Space::Global,
            },
            Base::Object(o) => self.kernel.objects[o.0 as usize].space,
            Base::DynamicShared => Space::Shared,
            Base::Field(..) | Base::Allocated(_) => Space::Global,
        }
    }

    /// Whether an object belongs to one thread, distinct from those of other threads.
    pub(crate) fn is_own(&self, base: Base) -> bool {
        matches!(base, Base::Allocated(_))
    }

    pub(crate) fn base_name(&self, base: Base) -> String {
        match base {
            Base::Param(p) => self.kernel.params[p].name.clone(),
            Base::Object(o) => self.kernel.objects[o.0 as usize].name.clone(),
            Base::DynamicShared => self
                .kernel
                .objects
                .iter()
                .find(|o| o.dynamic)
                .map_or_else(|| "dynamic shared memory".into(), |o| o.name.clone()),
            Base::Field(p, offset) => format!("{}+{offset}", self.kernel.params[p].name),
            Base::Allocated(r) => self.reg_name(r).unwrap_or("allocated memory").to_owned(),
        }
    }

    // ---- the two threads ----

    /// The copy of a function for thread `tag`: one of the two, or another thread of their blocks.
    fn instance_fn(&mut self, f: FnId, tag: u8, level: Level) -> FnId {
        let info = self.fns[f.0 as usize].clone();
        let shared = match &info.kind {
            FnKind::Pure(..) | FnKind::Texture(..) => true,
            FnKind::ReadOnly(base) => {
                level == Level::Block || self.base_space(*base) != Space::Shared
            }
            FnKind::LoadAt(site, _) => {
                level == Level::Block || self.kernel.site(*site).space == Space::Global
            }
            // Created for the two threads, never for the generic one.
            FnKind::Memory(..) => true,
            FnKind::Binder(_) => false,
            FnKind::Uniform(_) | FnKind::Warp(..) => level == Level::Block,
            FnKind::Exit(l) => match level {
                Level::Block => self.uniform_loops[*l],
                Level::Grid => self.grid_loops[*l],
            },
        };
        let alone = match &info.kind {
            FnKind::Binder(_) => true,
            FnKind::Exit(l) => !self.uniform_loops[*l],
            _ => false,
        };
        let tag = if alone { tag } else { beside(tag) };
        if shared { f } else { self.function(info.kind, tag, &info.name) }
    }

    fn instance_var(&mut self, v: VarId, tag: u8, level: Level) -> Option<T> {
        let (kind, _) = self.vars[v.0 as usize];
        let mut tag = tag;
        match kind {
            // The first thread of its block.
            VarKind::ThreadId(_) if LEADERS.contains(&tag) => {
                return Some(self.pool.constant(0, 32));
            }
            VarKind::ThreadId(_)
            | VarKind::Counter(_)
            | VarKind::Earlier(_)
            | VarKind::CopyElement(_) => {}
            VarKind::BlockId(_) if level == Level::Grid => tag = beside(tag),
            VarKind::Address(base) if self.is_own(base) => {}
            _ => return None,
        }
        let generic = self.var_terms[&(kind, 0)];
        let (range, width) = (self.pool.range(generic), self.pool.width(generic));
        Some(self.variable(kind, tag, range.ulo, range.uhi, width))
    }

    /// The substitution that turns terms of the generic thread into those of thread `tag`.
    pub(crate) fn instance(
        &mut self,
        tag: u8,
        level: Level,
        roots: &[T],
    ) -> crate::term::walk::Substitution {
        let mut s = crate::term::walk::Substitution::renaming();
        for t in crate::term::walk::reachable(&self.pool, roots) {
            match self.pool.node(t) {
                Node::Var(v) => {
                    let v = *v;
                    if let Some(to) = self.instance_var(v, tag, level) {
                        s.vars.insert(v, to);
                    }
                }
                Node::App(f, _) => {
                    let f = *f;
                    let to = self.instance_fn(f, tag, level);
                    if to != f {
                        s.fns.insert(f, to);
                    }
                }
                _ => {}
            }
        }
        s
    }
}

fn limited(most: u64, by: Option<u32>) -> u64 {
    by.map_or(most, |n| most.min(u64::from(n.max(1))))
}

/// The number of factors of a product along its longest path, minus one.
fn depth(tree: &crate::launch::expressions::Tree) -> usize {
    match tree {
        crate::launch::expressions::Tree::Binary(_, a, b) => 1 + depth(a).max(depth(b)),
        _ => 0,
    }
}
