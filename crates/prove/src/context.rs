//! What the terms of one kernel are about: the variables and functions, and the launch they stand in.
//!
//! A generic thread is described by terms over [`VarKind`] and [`FnKind`]. For a question about two threads, each
//! thread gets a copy of its own of what is its own (indices in the block, iteration counters, approximated values);
//! what is the same for both stays shared ([`Ctx::instance`]).

use lockstep_kernel::cfg::Cfg;
use lockstep_kernel::{Kernel, Language, ObjectId, ParamKind, Reg, SiteId, Space};
use rustc_hash::FxHashMap;

use crate::term::{Bin, FnId, Node, Pool, Range, T, VarId, mask};
use crate::{Assumptions, DimSpec};

/// An object that accesses are made to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Base {
    Param(usize),
    Object(ObjectId),
    /// All `extern __shared__` arrays: one place.
    DynamicShared,
    /// A pointer within a struct passed by value, at that offset.
    Field(usize, u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum VarKind {
    ThreadId(u8),
    BlockId(u8),
    BlockDim(u8),
    GridDim(u8),
    GlobalOffset(u8),
    WorkDim,
    DynamicSharedSize,
    Param(usize, u32),
    Address(Base),
    /// The iteration counter of a loop.
    Counter(usize),
    /// Stand-ins during evaluation, replaced before anybody asks.
    OpaqueCounter(usize),
    OpaquePhi(Reg),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FnKind {
    /// A pure function that is not modelled further: same operands, same value.
    Pure(String),
    /// Contents of memory that nobody in the kernel writes, by offset.
    ReadOnly(Base),
    /// A load of memory that the kernel does write, by address and iteration. The same for two threads that read one
    /// address in one phase, or else there is a race.
    LoadAt(SiteId, u8),
    /// A value that a thread has for itself, by iteration.
    Binder(Reg),
    /// A value that is the same for all threads of a block, by iteration.
    Uniform(Reg),
    /// How often the loop went round, by the iterations of the loops around it.
    Exit(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct FnInfo {
    pub(crate) kind: FnKind,
    /// The variable of the source that it stands for.
    pub(crate) name: String,
}

/// Which two threads a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Two threads of one block.
    Block,
    /// Two threads of different blocks.
    Grid,
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
    /// Loops in which there is a barrier of the whole block: their iterations are common to all threads.
    pub(crate) uniform_loops: Vec<bool>,
}

impl<'k> Ctx<'k> {
    pub(crate) fn new(kernel: &'k Kernel, assumptions: &'k Assumptions) -> Ctx<'k> {
        let cfg = Cfg::new(kernel);
        let uniform_loops = vec![false; cfg.loops.len()];
        Ctx {
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
        self.fns.push(FnInfo { kind: kind.clone(), name: name.to_owned() });
        self.fn_index.insert((kind, tag), id);
        id
    }

    /// A variable that is already there, or a new one with values up to `max`.
    pub(crate) fn variable(&mut self, kind: VarKind, tag: u8, min: u64, max: u64, width: u32) -> T {
        if let Some(&t) = self.var_terms.get(&(kind, tag)) {
            return t;
        }
        let t = if min == max {
            self.pool.constant(min, width)
        } else {
            let (id, t) = self.pool.var(max, width);
            debug_assert_eq!(id.0 as usize, self.vars.len());
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

    /// The variable's own bounds as conditions for the solver, which does not know our intervals.
    pub(crate) fn variable_bounds(&mut self, v: VarId, out: &mut Vec<T>) {
        let (kind, tag) = self.vars[v.0 as usize];
        let t = self.var_terms[&(kind, tag)];
        let raw = self.raw(t);
        self.bounds_of(raw, out);
    }

    /// The interval of a term as conditions that the simplifier leaves alone.
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

    fn block_limit(&self, axis: u8) -> u64 {
        match (self.kernel.language, axis) {
            (Language::OpenCl, _) => 8192,
            (_, 2) => 64,
            _ => 1024,
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
                let max = if axis == 0 { (1 << 31) - 1 } else { 65535 };
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
            DimSpec::Any if axis == 0 => (1 << 31) - 2,
            DimSpec::Any => 65534,
        };
        self.variable(VarKind::BlockId(axis), tag, 0, max, 32)
    }

    /// The thread's number in its block.
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

    fn total_limit(&self) -> u64 {
        if self.kernel.language == Language::OpenCl { 8192 } else { 1024 }
    }

    /// What every launch satisfies: no more threads in a block than there can be.
    pub(crate) fn launch_facts(&mut self) -> Vec<T> {
        let mut out = Vec::new();
        if self.assumptions.block.iter().any(|d| *d == DimSpec::Any) {
            let limit = self.total_limit();
            let dims = [self.block_dim(0), self.block_dim(1), self.block_dim(2)];
            let plane = self.pool.mul(dims[0], dims[1]);
            let all = self.pool.mul(plane, dims[2]);
            let top = self.pool.constant(limit, 32);
            out.push(self.pool.ule(plane, top));
            out.push(self.pool.ule(all, top));
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
            Base::Field(..) => Space::Global,
        }
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
        }
    }

    // ---- the two threads ----

    /// The copy of a function for thread `tag` (1 or 2).
    fn instance_fn(&mut self, f: FnId, tag: u8, level: Level) -> FnId {
        let info = self.fns[f.0 as usize].clone();
        let shared = match &info.kind {
            FnKind::Pure(_) => true,
            FnKind::ReadOnly(base) => {
                level == Level::Block || self.base_space(*base) != Space::Shared
            }
            FnKind::LoadAt(site, _) => {
                level == Level::Block || self.kernel.site(*site).space == Space::Global
            }
            FnKind::Binder(_) => false,
            FnKind::Uniform(_) => level == Level::Block,
            FnKind::Exit(l) => level == Level::Block && self.uniform_loops[*l],
        };
        if shared { f } else { self.function(info.kind, tag, &info.name) }
    }

    fn instance_var(&mut self, v: VarId, tag: u8, level: Level) -> Option<T> {
        let (kind, _) = self.vars[v.0 as usize];
        match kind {
            VarKind::ThreadId(_) | VarKind::Counter(_) => {}
            VarKind::BlockId(_) if level == Level::Grid => {}
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
    ) -> crate::walk::Substitution {
        let mut s = crate::walk::Substitution::renaming();
        for t in crate::walk::reachable(&self.pool, roots) {
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
