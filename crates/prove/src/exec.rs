//! Symbolic evaluation of the kernel for one generic thread.
//!
//! The blocks are visited once, in weak topological order. Each register becomes a term; each block gets the condition
//! under which one iteration of its innermost loop comes to it (for blocks in no loop: under which the thread does).
//! Within an iteration that condition is exact, because the body of a loop without its back edges has no cycles.
//!
//! A loop's head values (φ) are opaque variables while its body is evaluated; then [`crate::loops`] solves the
//! recurrences, and at the end every term is rewritten over the loops' iteration counters, outermost loops first, so
//! that the intervals of outer variables are known when inner ones are bounded ([`Exec::assemble`]). What is read of a
//! loop after it has ended is its value in the last iteration, a number [`FnKind::Exit`] of its own.
//!
//! This is the paper's inference of protocols, on SSA instead of an abstract syntax: a *binder* is an application of
//! [`FnKind::Binder`] (or of a load) to the iteration counters. Deviations: loads are functions of their address and
//! not mere binders, which keeps two threads that read one place together; and a thread that reads back what it has
//! just written gets the value it wrote ([`Exec::forwarded`]). Both are sound for proving the absence of races: take
//! the first race of an execution; everything read before it was read without a race, and so had the value claimed
//! here. They say nothing about a kernel that does race, which is why other properties are only proved together
//! with it.
//!
//! Loops are taken to terminate. What cannot be followed at all (irreducible control flow, operations outside the
//! model) is recorded in [`Exec::gaps`], and nothing is proved then.

use lockstep_kernel::{
    AtomicOp, Barrier, BlockId, CastOp, IntUnOp, Kernel, Op, Operand, Reg, Scope, SiteId, Space,
    Special, Terminator, Ty,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::{Base, Ctx, FnKind, VarKind};
use crate::loops::LoopInfo;
use crate::provenance::{Written, written};
use crate::term::{T, VarId};
use crate::walk::Substitution;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Read,
    Write,
    /// Reads and perhaps writes, as one; `writes` is false for an atomic load.
    Atomic {
        scope: Scope,
        writes: bool,
    },
}

impl Mode {
    pub(crate) fn writes(self) -> bool {
        match self {
            Mode::Read => false,
            Mode::Write => true,
            Mode::Atomic { writes, .. } => writes,
        }
    }
}

/// One access of the generic thread, for one iteration of the loops around it.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) site: SiteId,
    pub(crate) mode: Mode,
    pub(crate) block: BlockId,
    /// Position of the operation in its block.
    pub(crate) at: usize,
    pub(crate) addr: T,
    /// Bytes, where they are known.
    pub(crate) size: u64,
    /// Bytes as a 64-bit term, for copies of variable length.
    pub(crate) length: Option<T>,
    /// What a store stores, one term an element.
    pub(crate) values: Vec<T>,
}

/// A barrier the thread comes to.
#[derive(Clone, Debug)]
pub(crate) struct BarrierAt {
    pub(crate) site: SiteId,
    pub(crate) block: BlockId,
    pub(crate) at: usize,
    pub(crate) barrier: Barrier,
}

/// An operation that names lanes of its warp which must take part.
#[derive(Clone, Debug)]
pub(crate) struct WarpOp {
    pub(crate) block: BlockId,
    pub(crate) loc: lockstep_kernel::LocId,
    pub(crate) mask: T,
}

/// A store that this block has made and nothing has disturbed since.
struct Recent {
    addr: T,
    ty: Ty,
    values: Vec<T>,
}

pub(crate) struct Exec<'c, 'k> {
    pub(crate) ctx: &'c mut Ctx<'k>,
    pub(crate) written: Written,
    values: Vec<Option<T>>,
    defined_in: Vec<BlockId>,
    /// Condition of a block within one iteration of its innermost loop.
    pub(crate) reach: Vec<T>,
    pub(crate) loops: Vec<LoopInfo>,
    pub(crate) accesses: Vec<Access>,
    pub(crate) barriers: Vec<BarrierAt>,
    pub(crate) warp_ops: Vec<WarpOp>,
    /// Preconditions: condition implies term.
    pub(crate) requires: Vec<(BlockId, T, String)>,
    pub(crate) asserts: Vec<(BlockId, T)>,
    pub(crate) branches: FxHashMap<BlockId, T>,
    /// What was not followed.
    pub(crate) gaps: Vec<String>,
    recent: Vec<Recent>,
    /// Some value was taken from a store of the thread's own: right in the absence of races.
    pub(crate) forwarding: bool,
    /// Loop variables over the final counters: loop, register, value.
    pub(crate) loop_values: Vec<(usize, Reg, T)>,
    /// Fields of structs that are pointers, as bases of their own.
    pub(crate) fields: FxHashSet<Base>,
    /// Calls of functions that are only declared.
    pub(crate) foreign: Vec<&'k str>,
    /// Textures that are read, where known which.
    pub(crate) fetched: FxHashSet<Base>,
    /// Registers that hold addresses of texels.
    pub(crate) texels: FxHashMap<Reg, &'k Op>,
    /// Images whose texels may be written.
    pub(crate) images: FxHashSet<Base>,
}

/// Evaluates the whole kernel.
pub(crate) fn run<'c, 'k>(ctx: &'c mut Ctx<'k>) -> Exec<'c, 'k> {
    let kernel = ctx.kernel;
    let n = kernel.blocks.len();
    let truth = ctx.pool.truth(true);
    let no = ctx.pool.truth(false);
    let mut defined_in = vec![BlockId(0); kernel.regs.len()];
    for (b, block) in kernel.blocks.iter().enumerate() {
        let id = BlockId(b as u32);
        for phi in &block.phis {
            defined_in[phi.dst.0 as usize] = id;
        }
        for inst in &block.insts {
            if let Some(d) = inst.dst {
                for k in 0..inst.op.result_count() {
                    defined_in[(d.0 + k) as usize] = id;
                }
            }
        }
    }
    let loops: Vec<LoopInfo> =
        (0..ctx.cfg.loops.len()).map(|l| LoopInfo::new(ctx, l, no)).collect();
    let mut exec = Exec {
        written: written(kernel),
        ctx,
        values: vec![None; kernel.regs.len()],
        defined_in,
        reach: vec![no; n],
        loops,
        accesses: Vec::new(),
        barriers: Vec::new(),
        warp_ops: Vec::new(),
        requires: Vec::new(),
        asserts: Vec::new(),
        branches: FxHashMap::default(),
        gaps: Vec::new(),
        recent: Vec::new(),
        forwarding: false,
        loop_values: Vec::new(),
        fields: FxHashSet::default(),
        foreign: Vec::new(),
        fetched: FxHashSet::default(),
        texels: texels(kernel),
        images: FxHashSet::default(),
    };
    exec.parameters();
    exec.check_reducible();
    if !exec.gaps.is_empty() {
        return exec;
    }
    exec.reach[0] = truth;
    let order = exec.ctx.cfg.order.clone();
    let mut open: Vec<usize> = Vec::new();
    for (i, &b) in order.iter().enumerate() {
        if let Some(l) = exec.loop_of_head(b) {
            exec.open_loop(l);
            open.push(l);
        } else if i > 0 {
            exec.reach[b.0 as usize] = exec.reach_of(b);
        }
        exec.block(b);
        let next = order.get(i + 1).copied();
        while let Some(&l) = open.last() {
            if next.is_some_and(|n| exec.loops[l].contains(n)) {
                break;
            }
            exec.close_loop(l);
            open.pop();
        }
    }
    exec.assemble();
    exec
}

impl Exec<'_, '_> {
    fn parameters(&mut self) {
        use lockstep_kernel::ParamKind;
        for (i, p) in self.ctx.kernel.params.iter().enumerate() {
            match p.kind {
                ParamKind::Scalar { ty, count } => {
                    let given: Vec<u64> = self
                        .ctx
                        .assumptions
                        .scalars
                        .iter()
                        .find(|(q, _)| *q == i)
                        .map(|(_, v)| v.clone())
                        .unwrap_or_default();
                    for k in 0..u32::from(count) {
                        let t = match given.get(k as usize) {
                            Some(v) => self.ctx.pool.constant(*v, ty.bits()),
                            None => self.ctx.free(VarKind::Param(i, k), 0, ty.bits()),
                        };
                        self.values[(p.reg.0 + k) as usize] = Some(t);
                    }
                }
                _ => {
                    let t = self.ctx.address_of(Base::Param(i));
                    self.values[p.reg.0 as usize] = Some(t);
                }
            }
        }
    }

    fn check_reducible(&mut self) {
        for l in 0..self.loops.len() {
            let head = self.loops[l].head;
            for &b in &self.ctx.cfg.loops[l].blocks {
                if b == head {
                    continue;
                }
                let outside = self.ctx.cfg.predecessors[b.0 as usize]
                    .iter()
                    .any(|p| !self.loops[l].contains(*p));
                if outside {
                    self.gaps.push("a loop with several entries".into());
                    return;
                }
            }
        }
    }

    fn loop_of_head(&self, b: BlockId) -> Option<usize> {
        self.ctx.cfg.innermost[b.0 as usize].filter(|&l| self.loops[l].head == b)
    }

    /// The loops around a block, outermost first.
    pub(crate) fn nest(&self, b: BlockId) -> Vec<usize> {
        let mut out = Vec::new();
        let mut at = self.ctx.cfg.innermost[b.0 as usize];
        while let Some(l) = at {
            out.push(l);
            at = self.ctx.cfg.loops[l].parent;
        }
        out.reverse();
        out
    }

    /// Opaque counters of the loops around a block: what a value there depends on besides its operands.
    fn counters(&mut self, b: BlockId) -> Vec<T> {
        self.nest(b).into_iter().map(|l| self.loops[l].counter).collect()
    }

    fn binder(&mut self, r: Reg, b: BlockId) -> T {
        let name = self.ctx.reg_name(r).unwrap_or("").to_owned();
        let f = self.ctx.function(FnKind::Binder(r), 0, &name);
        let args = self.counters(b);
        let w = self.ctx.kernel.reg_ty(r).bits();
        self.ctx.pool.app(f, &args, w)
    }

    // ---- control flow ----

    /// The condition of the branch edge `p -> b` alone, where `p` has been evaluated.
    pub(crate) fn branch(&mut self, p: BlockId, b: BlockId) -> T {
        match self.ctx.kernel.block(p).term {
            Terminator::Branch { then, otherwise, .. } if then != otherwise => {
                let c = self.branches[&p];
                if b == then { c } else { self.ctx.pool.not(c) }
            }
            _ => self.ctx.pool.truth(true),
        }
    }

    /// The condition of an edge, in terms of one iteration of the innermost loop around its target (of the loop
    /// around that one, where the target is a head entered from outside).
    fn edge(&mut self, p: BlockId, b: BlockId) -> T {
        let branch = self.branch(p, b);
        let mut cond = self.ctx.pool.and(self.reach[p.0 as usize], branch);
        let mut at = self.ctx.cfg.innermost[p.0 as usize];
        while let Some(l) = at {
            if self.loops[l].contains(b) {
                break;
            }
            cond = self.at_exit(l, cond);
            cond = self.ctx.pool.and(self.loops[l].enter, cond);
            at = self.ctx.cfg.loops[l].parent;
        }
        cond
    }

    /// A term of a loop's body, as it is in the last iteration.
    fn at_exit(&mut self, l: usize, t: T) -> T {
        let mut s = std::mem::take(&mut self.loops[l].exit);
        let out = s.apply(&mut self.ctx.pool, t);
        self.loops[l].exit = s;
        out
    }

    fn reach_of(&mut self, b: BlockId) -> T {
        let preds = self.ctx.cfg.predecessors[b.0 as usize].clone();
        let mut cond = self.ctx.pool.truth(false);
        let mut whole: Vec<usize> = Vec::new();
        for p in preds {
            if let Some(l) = self.outermost_left(p, b)
                && self.leaves_only_to(l, b)
            {
                if !whole.contains(&l) {
                    whole.push(l);
                    cond = self.ctx.pool.or(cond, self.loops[l].enter);
                }
                continue;
            }
            let e = self.edge(p, b);
            cond = self.ctx.pool.or(cond, e);
        }
        cond
    }

    /// The outermost loop around `p` that the edge to `b` leaves.
    fn outermost_left(&self, p: BlockId, b: BlockId) -> Option<usize> {
        let mut found = None;
        let mut at = self.ctx.cfg.innermost[p.0 as usize];
        while let Some(l) = at {
            if self.loops[l].contains(b) {
                break;
            }
            found = Some(l);
            at = self.ctx.cfg.loops[l].parent;
        }
        found
    }

    /// Whether a thread that enters the loop can only leave it to `b`.
    fn leaves_only_to(&self, l: usize, b: BlockId) -> bool {
        let cfg = &self.ctx.cfg;
        cfg.loops[l].exits.iter().all(|(_, to)| *to == b)
            && cfg.loops[l].blocks.iter().all(|p| !cfg.successors[p.0 as usize].is_empty())
    }

    // ---- values ----

    /// An operand as `at` sees it.
    pub(crate) fn operand(&mut self, o: Operand, width: u32, at: BlockId) -> T {
        match o {
            Operand::Imm(v) => self.ctx.pool.constant(v, width),
            Operand::Undef => self.ctx.pool.constant(0, width),
            Operand::Object(id, offset) => {
                let base = self.ctx.object_base(id);
                let a = self.ctx.address_of(base);
                self.ctx.pool.add_const(a, offset as u64)
            }
            Operand::Reg(r) => {
                let Some(mut t) = self.values[r.0 as usize] else {
                    // Defined on no path that was visited: the use is not reached either.
                    let b = self.defined_in[r.0 as usize];
                    return self.binder(r, b);
                };
                let mut l = self.ctx.cfg.innermost[self.defined_in[r.0 as usize].0 as usize];
                while let Some(inner) = l {
                    if self.loops[inner].contains(at) {
                        break;
                    }
                    t = self.at_exit(inner, t);
                    l = self.ctx.cfg.loops[inner].parent;
                }
                t
            }
        }
    }

    fn open_loop(&mut self, l: usize) {
        let head = self.loops[l].head;
        let preds = self.ctx.cfg.predecessors[head.0 as usize].clone();
        let mut enter = self.ctx.pool.truth(false);
        let mut outside = Vec::new();
        for p in preds {
            if !self.loops[l].contains(p) {
                let e = self.edge(p, head);
                enter = self.ctx.pool.or(enter, e);
                outside.push((p, e));
            }
        }
        // A head that is also the entry block is entered unconditionally.
        if head.0 == 0 {
            enter = self.ctx.pool.truth(true);
        }
        self.loops[l].enter = enter;
        self.reach[head.0 as usize] = self.ctx.pool.truth(true);
        for phi in &self.ctx.kernel.block(head).phis {
            let w = phi.ty.bits();
            let mut init: Option<T> = None;
            for (p, cond) in outside.iter().rev() {
                let Some((_, o)) = phi.incoming.iter().find(|(q, _)| q == p) else { continue };
                let v = self.operand(*o, w, *p);
                let v = self.leave_to(v, *p, l);
                init = Some(match init {
                    None => v,
                    Some(other) => self.ctx.pool.ite(*cond, v, other),
                });
            }
            let init = init.unwrap_or_else(|| self.ctx.pool.constant(0, w));
            let opaque = self.ctx.free(VarKind::OpaquePhi(phi.dst), 0, w);
            self.values[phi.dst.0 as usize] = Some(opaque);
            self.loops[l].phis.push(crate::loops::HeadPhi {
                reg: phi.dst,
                opaque,
                init,
                next: opaque,
            });
        }
    }

    /// A value seen in `p`, as it is where the loop `l` begins.
    fn leave_to(&mut self, mut v: T, p: BlockId, l: usize) -> T {
        let head = self.loops[l].head;
        let mut at = self.ctx.cfg.innermost[p.0 as usize];
        while let Some(inner) = at {
            if self.loops[inner].contains(head) {
                break;
            }
            v = self.at_exit(inner, v);
            at = self.ctx.cfg.loops[inner].parent;
        }
        v
    }

    fn close_loop(&mut self, l: usize) {
        let head = self.loops[l].head;
        let latches: Vec<BlockId> = self.ctx.cfg.predecessors[head.0 as usize]
            .iter()
            .copied()
            .filter(|p| self.loops[l].contains(*p))
            .collect();
        let mut stay = self.ctx.pool.truth(false);
        let mut edges = Vec::new();
        for p in latches {
            let e = self.edge(p, head);
            stay = self.ctx.pool.or(stay, e);
            edges.push((p, e));
        }
        self.loops[l].stay = stay;
        for i in 0..self.loops[l].phis.len() {
            let reg = self.loops[l].phis[i].reg;
            let phi = self
                .ctx
                .kernel
                .block(head)
                .phis
                .iter()
                .find(|p| p.dst == reg)
                .expect("a head's own phi");
            let w = phi.ty.bits();
            let mut next: Option<T> = None;
            for (p, cond) in edges.iter().rev() {
                let Some((_, o)) = phi.incoming.iter().find(|(q, _)| q == p) else { continue };
                let v = self.operand(*o, w, *p);
                let v = self.leave_to(v, *p, l);
                next = Some(match next {
                    None => v,
                    Some(other) => self.ctx.pool.ite(*cond, v, other),
                });
            }
            if let Some(next) = next {
                self.loops[l].phis[i].next = next;
            }
        }
        self.solve(l);
    }

    fn phi_value(&mut self, phi: &lockstep_kernel::Phi, b: BlockId) -> T {
        let w = phi.ty.bits();
        let mut ways: Vec<(Vec<T>, T)> = Vec::new();
        for (p, o) in phi.incoming.iter().rev() {
            if self.ctx.cfg.position[p.0 as usize] == usize::MAX {
                continue;
            }
            let v = self.operand(*o, w, *p);
            // Values of loops that the edge leaves are those of the last iteration.
            let mut v = v;
            let mut at = self.ctx.cfg.innermost[p.0 as usize];
            while let Some(inner) = at {
                if self.loops[inner].contains(b) {
                    break;
                }
                v = self.at_exit(inner, v);
                at = self.ctx.cfg.loops[inner].parent;
            }
            let e = self.edge(*p, b);
            if self.ctx.pool.is_false(e) {
                continue;
            }
            let mut parts = Vec::new();
            crate::loops::conjuncts(&self.ctx.pool, e, &mut parts);
            ways.push((parts, v));
        }
        // What all ways have in common holds wherever the value is looked at, and chooses nothing.
        let common: Vec<T> = ways.first().map_or_else(Vec::new, |(first, _)| {
            let shared = |t: &T| ways.iter().all(|(parts, _)| parts.contains(t));
            first.iter().copied().filter(shared).collect()
        });
        let mut out: Option<T> = None;
        for (parts, v) in ways {
            let mut cond = self.ctx.pool.truth(true);
            for t in parts.into_iter().filter(|t| !common.contains(t)) {
                cond = self.ctx.pool.and(cond, t);
            }
            out = Some(match out {
                None => v,
                Some(other) => self.ctx.pool.ite(cond, v, other),
            });
        }
        out.unwrap_or_else(|| self.ctx.pool.constant(0, w))
    }

    // ---- operations ----

    fn block(&mut self, b: BlockId) {
        let kernel = self.ctx.kernel;
        self.recent.clear();
        if self.loop_of_head(b).is_none() {
            for phi in &kernel.block(b).phis {
                let v = self.phi_value(phi, b);
                self.values[phi.dst.0 as usize] = Some(v);
            }
        }
        for (at, inst) in kernel.block(b).insts.iter().enumerate() {
            self.inst(b, at, inst);
        }
        if let Terminator::Branch { cond, .. } = kernel.block(b).term {
            let c = self.operand(cond, 1, b);
            self.branches.insert(b, c);
        }
    }

    pub(crate) fn set(&mut self, r: Reg, k: u32, t: T) {
        self.values[(r.0 + k) as usize] = Some(t);
    }

    fn inst(&mut self, b: BlockId, at: usize, inst: &lockstep_kernel::Inst) {
        let live = !self.ctx.pool.is_false(self.reach[b.0 as usize]);
        if let Some(value) = self.pure(b, inst) {
            if let Some(dst) = inst.dst {
                self.set(dst, 0, value);
            }
            return;
        }
        match &inst.op {
            Op::Load { .. } if self.fetch(b, inst) => {}
            Op::Load { site, ty, count, addr } => {
                let a = self.operand(*addr, 64, b);
                if live {
                    let bytes = u64::from(ty.bytes()) * u64::from(*count);
                    let bytes = self.bytes_at(*addr, bytes);
                    self.access(*site, Mode::Read, b, at, a, bytes);
                }
                let dst = inst.dst.expect("a load has a result");
                for k in 0..*count {
                    let v = self.load(b, *site, *ty, a, k, Reg(dst.0 + u32::from(k)));
                    self.set(dst, u32::from(k), v);
                }
            }
            Op::Store { site, ty, values, addr } => {
                let a = self.operand(*addr, 64, b);
                let terms: Vec<T> = values.iter().map(|v| self.operand(*v, ty.bits(), b)).collect();
                let size = u64::from(ty.bytes()) * terms.len() as u64;
                if live {
                    self.access(*site, Mode::Write, b, at, a, self.bytes_at(*addr, size));
                    self.accesses.last_mut().expect("just pushed").values = terms.clone();
                }
                self.disturb(*site, a, size);
                self.recent.push(Recent { addr: a, ty: *ty, values: terms });
            }
            Op::Atomic { site, op, ty, addr, value, scope, .. } => {
                let a = self.operand(*addr, 64, b);
                let _ = value;
                if live {
                    let writes = *op != AtomicOp::Load;
                    let mode = Mode::Atomic { scope: *scope, writes };
                    self.access(*site, mode, b, at, a, u64::from(ty.bytes()));
                }
                self.recent.clear();
                self.bind_results(b, inst);
            }
            Op::MemCopy { read, write, dst, src, len } => {
                let (d, s) = (self.operand(*dst, 64, b), self.operand(*src, 64, b));
                let n = self.operand(*len, 64, b);
                if live {
                    self.access(*read, Mode::Read, b, at, s, 0);
                    self.set_length(n);
                    self.access(*write, Mode::Write, b, at, d, 0);
                    self.set_length(n);
                }
                self.recent.clear();
            }
            Op::MemSet { site, dst, len, byte } => {
                let d = self.operand(*dst, 64, b);
                let n = self.operand(*len, 64, b);
                if live {
                    self.access(*site, Mode::Write, b, at, d, 0);
                    self.set_length(n);
                    let v = self.operand(*byte, 8, b);
                    self.accesses.last_mut().expect("just pushed").values = vec![v];
                }
                self.recent.clear();
            }
            Op::Barrier { site, barrier } => {
                if live {
                    if let Barrier::Warp { mask } = barrier {
                        self.warp_op(b, inst.loc, *mask);
                    }
                    let barrier = *barrier;
                    self.barriers.push(BarrierAt { site: *site, block: b, at, barrier });
                }
                self.recent.clear();
                if !crate::race::is_block_barrier(barrier) {
                    self.bind_results(b, inst);
                } else if let Some(dst) = inst.dst {
                    let name = self.ctx.reg_name(dst).unwrap_or("").to_owned();
                    let f = self.ctx.function(FnKind::Uniform(dst), 0, &name);
                    let args = self.counters(b);
                    let w = self.ctx.kernel.reg_ty(dst).bits();
                    let v = self.ctx.pool.app(f, &args, w);
                    self.set(dst, 0, v);
                }
            }
            Op::Requires { cond, text } => {
                let c = self.operand(*cond, 1, b);
                self.requires.push((b, c, text.clone()));
            }
            Op::Assert { cond, .. } => {
                let c = self.operand(*cond, 1, b);
                self.asserts.push((b, c));
            }
            Op::Unsupported(i) if live => {
                let what = &self.ctx.kernel.unsupported[*i as usize];
                let line = self.ctx.kernel.loc(what.loc).line;
                self.gaps.push(format!("{} at line {line} is not modelled", what.what));
            }
            Op::Foreign { what, .. } => {
                let called = &self.ctx.kernel.unsupported[*what as usize].what;
                if live && !self.foreign.contains(&called.as_str()) {
                    self.foreign.push(called);
                }
                self.bind_results(b, inst);
            }
            Op::GroupCopy { .. } if live => {
                self.gaps.push("an asynchronous group copy is not modelled".into());
            }
            Op::Shuffle { mask: Some(mask), .. }
            | Op::Vote { mask: Some(mask), .. }
            | Op::Match { mask, .. } => {
                if live {
                    self.warp_op(b, inst.loc, *mask);
                }
                self.bind_results(b, inst);
            }
            _ => self.bind_results(b, inst),
        }
    }

    fn warp_op(&mut self, block: BlockId, loc: lockstep_kernel::LocId, mask: Operand) {
        let mask = self.operand(mask, 32, block);
        self.warp_ops.push(WarpOp { block, loc, mask });
    }

    fn bind_results(&mut self, b: BlockId, inst: &lockstep_kernel::Inst) {
        if let Some(dst) = inst.dst {
            for k in 0..inst.op.result_count() {
                let r = Reg(dst.0 + k);
                let v = self.binder(r, b);
                self.set(dst, k, v);
            }
        }
    }

    fn access(&mut self, site: SiteId, mode: Mode, block: BlockId, at: usize, addr: T, size: u64) {
        let values = Vec::new();
        self.accesses.push(Access { site, mode, block, at, addr, size, length: None, values });
    }

    /// The length of the copy that was just recorded.
    fn set_length(&mut self, n: T) {
        let known = self.ctx.pool.as_const(n);
        let last = self.accesses.last_mut().expect("just pushed");
        match known {
            Some(c) => last.size = c,
            None => last.length = Some(n),
        }
    }

    /// A store of this thread: what it may have overwritten is forgotten.
    fn disturb(&mut self, _site: SiteId, addr: T, size: u64) {
        let pool = &mut self.ctx.pool;
        self.recent.retain(|r| {
            let own = u64::from(r.ty.bytes()) * r.values.len() as u64;
            let d = pool.sub(addr, r.addr);
            // A constant distance within one object tells that they are apart.
            pool.as_const(d).is_some_and(|d| {
                let d = d as i64;
                d >= own as i64 || d <= -(size as i64)
            })
        });
    }

    /// The value this thread itself has just stored there.
    fn forwarded(&self, ty: Ty, addr: T, k: u8) -> Option<T> {
        let r = self.recent.iter().rev().find(|r| r.addr == addr && r.ty == ty)?;
        r.values.get(k as usize).copied()
    }

    fn load(&mut self, b: BlockId, site: SiteId, ty: Ty, addr: T, k: u8, dst: Reg) -> T {
        let w = ty.bits();
        let info = self.ctx.kernel.site(site);
        let (space, volatile) = (info.space, info.volatile);
        let through = info.through.clone().unwrap_or_default();
        if volatile {
            return self.binder(dst, b);
        }
        // In lockstep another lane may have overwritten the place without a race.
        if self.ctx.assumptions.scheduling == crate::Scheduling::Independent
            && let Some(v) = self.forwarded(ty, addr, k)
        {
            self.forwarding = true;
            return v;
        }
        let element = self.ctx.pool.add_const(addr, u64::from(k) * u64::from(ty.bytes()));
        let name = self.ctx.reg_name(dst).map_or(through, str::to_owned);
        if let Some((base, offset)) = self.ctx.single_base(element) {
            let own = self.ctx.base_space(base);
            if own == Space::Private {
                return self.binder(dst, b);
            }
            let written = self.written.is_written(base, own, self.ctx.assumptions.may_alias);
            if !written {
                if let Some(v) = self.initial(base, offset, ty) {
                    return v;
                }
                if let (Base::Param(p), Some(o), Ty::Ptr) =
                    (base, self.ctx.pool.as_const(offset), ty)
                    && own == Space::Constant
                    && matches!(
                        self.ctx.kernel.params[p].kind,
                        lockstep_kernel::ParamKind::Aggregate { .. }
                    )
                {
                    self.fields.insert(Base::Field(p, o));
                    return self.ctx.address_of(Base::Field(p, o));
                }
                let f = self.ctx.function(FnKind::ReadOnly(base), 0, &name);
                return self.ctx.pool.app(f, &[offset], w);
            }
        } else if space == Space::Private {
            return self.binder(dst, b);
        }
        let f = self.ctx.function(FnKind::LoadAt(site, k), 0, &name);
        let mut args = vec![element];
        args.extend(self.counters(b));
        self.ctx.pool.app(f, &args, w)
    }

    /// Known contents of a constant table at a known place.
    fn initial(&mut self, base: Base, offset: T, ty: Ty) -> Option<T> {
        let Base::Object(id) = base else { return None };
        let object = &self.ctx.kernel.objects[id.0 as usize];
        let at = self.ctx.pool.as_const(offset)?;
        let size = u64::from(ty.bytes());
        if object.space != Space::Constant
            || object.relocations.iter().any(|(o, ..)| *o < at + size && at < *o + 8)
        {
            return None;
        }
        let init = object.init.as_ref()?;
        let bytes = init.get(at as usize..(at + size) as usize)?;
        let v = bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
        Some(self.ctx.pool.constant(v, ty.bits()))
    }

    /// Operations that only compute.
    fn pure(&mut self, b: BlockId, inst: &lockstep_kernel::Inst) -> Option<T> {
        match &inst.op {
            Op::Int { op, ty, a, b: o } => {
                let (x, y) = (self.operand(*a, ty.bits(), b), self.operand(*o, ty.bits(), b));
                Some(self.ctx.int(*op, x, y))
            }
            Op::IntUn { op, ty, a } => {
                let x = self.operand(*a, ty.bits(), b);
                Some(match op {
                    IntUnOp::Abs => {
                        let p = &mut self.ctx.pool;
                        let zero = p.constant(0, ty.bits());
                        let negative = p.slt(x, zero);
                        let minus = p.sub(zero, x);
                        p.ite(negative, minus, x)
                    }
                    _ => self.ctx.pure(&format!("{op:?}.{ty}"), &[x], ty.bits()),
                })
            }
            Op::Funnel { left, ty, hi, lo, amount } => {
                let args = [
                    self.operand(*hi, ty.bits(), b),
                    self.operand(*lo, ty.bits(), b),
                    self.operand(*amount, ty.bits(), b),
                ];
                Some(self.ctx.pure(&format!("funnel.{left}.{ty}"), &args, ty.bits()))
            }
            Op::Float { op, ty, rounding, a, b: o } => {
                let args = [self.operand(*a, ty.bits(), b), self.operand(*o, ty.bits(), b)];
                Some(self.ctx.pure(&format!("{op:?}.{ty}.{rounding:?}"), &args, ty.bits()))
            }
            Op::FloatUn { op, ty, rounding, a } => {
                let args = [self.operand(*a, ty.bits(), b)];
                Some(self.ctx.pure(&format!("{op:?}.{ty}.{rounding:?}.un"), &args, ty.bits()))
            }
            Op::Fma { ty, rounding, a, b: o, c } => {
                let w = ty.bits();
                let args = [self.operand(*a, w, b), self.operand(*o, w, b), self.operand(*c, w, b)];
                Some(self.ctx.pure(&format!("fma.{ty}.{rounding:?}"), &args, w))
            }
            Op::Math { f, ty, a, b: o } => {
                let dst = inst.dst?;
                let w = self.ctx.kernel.reg_ty(dst).bits();
                let width = |o: &Operand| match o {
                    Operand::Reg(r) => self.ctx.kernel.reg_ty(*r).bits(),
                    _ => ty.bits(),
                };
                let (wa, wb) = (width(a), width(o));
                let args = [self.operand(*a, wa, b), self.operand(*o, wb, b)];
                Some(self.ctx.pure(&format!("{f:?}.{ty}.{wa}.{wb}"), &args, w))
            }
            Op::Cmp { op, ty, a, b: o } => {
                let (x, y) = (self.operand(*a, ty.bits(), b), self.operand(*o, ty.bits(), b));
                Some(self.ctx.compare(*op, *ty, x, y))
            }
            Op::Cast { op, from, to, a } => {
                let x = self.operand(*a, from.bits(), b);
                let p = &mut self.ctx.pool;
                Some(match op {
                    CastOp::Trunc => p.resize(x, to.bits()),
                    CastOp::ZExt => p.resize(x, to.bits()),
                    CastOp::SExt => p.sext(x, to.bits()),
                    CastOp::Bit => x,
                    _ => self.ctx.pure(&format!("{op:?}.{from}.{to}"), &[x], to.bits()),
                })
            }
            Op::Select { ty, cond, a, b: o } => {
                let c = self.operand(*cond, 1, b);
                let (x, y) = (self.operand(*a, ty.bits(), b), self.operand(*o, ty.bits(), b));
                Some(self.ctx.pool.ite(c, x, y))
            }
            Op::Copy { ty, a } => Some(self.operand(*a, ty.bits(), b)),
            Op::Index { base, index, scale, offset } => {
                let (x, i) = (self.operand(*base, 64, b), self.operand(*index, 64, b));
                Some(self.ctx.pool.sum(*offset as u64, &[(x, 1), (i, *scale as u64)], 64))
            }
            Op::Special(s) => self.special(*s, inst.dst?),
            Op::Texel { .. } => self.texel(b, &inst.op),
            Op::ImageSize { image, rank, axis, .. } => {
                Some(self.image_size(b, *image, *rank, *axis))
            }
            _ => None,
        }
    }

    fn special(&mut self, s: Special, dst: Reg) -> Option<T> {
        let w = self.ctx.kernel.reg_ty(dst).bits();
        let t = match s {
            Special::ThreadId(a) => self.ctx.thread_id(a, 0),
            Special::BlockId(a) => self.ctx.block_id(a, 0),
            Special::BlockDim(a) => self.ctx.block_dim(a),
            Special::GridDim(a) => self.ctx.grid_dim(a),
            Special::LaneId => {
                let linear = self.ctx.linear_thread(0);
                let size = self.ctx.pool.constant(u64::from(self.ctx.assumptions.warp_size), 32);
                self.ctx.pool.urem(linear, size)
            }
            Special::WarpId => {
                let linear = self.ctx.linear_thread(0);
                let size = self.ctx.pool.constant(u64::from(self.ctx.assumptions.warp_size), 32);
                self.ctx.pool.udiv(linear, size)
            }
            Special::WarpSize => {
                self.ctx.pool.constant(u64::from(self.ctx.assumptions.warp_size), 32)
            }
            Special::GlobalOffset(a) => self.ctx.free(VarKind::GlobalOffset(a), 0, w),
            Special::WorkDim => self.ctx.variable(VarKind::WorkDim, 0, 1, 3, w),
            Special::DynamicSharedSize => self.ctx.free(VarKind::DynamicSharedSize, 0, w),
            _ => return None,
        };
        Some(self.ctx.pool.resize(t, w))
    }

    // ---- the end ----

    /// Rewrites everything over the loops' counters, outermost loops first.
    fn assemble(&mut self) {
        let mut order: Vec<usize> = (0..self.loops.len()).collect();
        order.sort_by_key(|&l| (self.nest(self.loops[l].head).len(), l));
        let mut solved: Vec<(VarId, T)> = Vec::new();
        for l in order {
            let mut s = substitution(&solved);
            self.bound(l, &mut s);
            let closed = self.closed_forms(l, &mut s);
            for (phi, value) in self.loops[l].phis.iter().zip(&closed[1..]) {
                self.loop_values.push((l, phi.reg, value.1));
            }
            solved.extend(closed);
        }
        let mut s = substitution(&solved);
        let pool = &mut self.ctx.pool;
        for r in &mut self.reach {
            *r = s.apply(pool, *r);
        }
        for a in &mut self.accesses {
            a.addr = s.apply(pool, a.addr);
            a.length = a.length.map(|n| s.apply(pool, n));
            for v in &mut a.values {
                *v = s.apply(pool, *v);
            }
        }
        for (_, c, _) in &mut self.requires {
            *c = s.apply(pool, *c);
        }
        for c in self.branches.values_mut() {
            *c = s.apply(pool, *c);
        }
        for l in &mut self.loops {
            l.enter = s.apply(pool, l.enter);
            l.stay = s.apply(pool, l.stay);
            for f in l.facts.iter_mut().chain(l.exit_facts.iter_mut()) {
                *f = s.apply(pool, *f);
            }
            l.last = s.apply(pool, l.last);
        }
        self.accesses.retain(|a| !pool.is_false(self.reach[a.block.0 as usize]));
    }

    /// The whole condition under which the thread comes to a block, in the iterations that its counters say.
    pub(crate) fn condition(&self, b: BlockId, out: &mut Vec<T>) {
        out.push(self.reach[b.0 as usize]);
        for l in self.nest(b) {
            out.push(self.loops[l].enter);
            out.extend(&self.loops[l].facts);
        }
    }
}

fn texels(kernel: &Kernel) -> FxHashMap<Reg, &Op> {
    let texels = kernel.insts().filter(|i| matches!(i.op, Op::Texel { .. }));
    texels.filter_map(|i| Some((i.dst?, &i.op))).collect()
}

pub(crate) fn substitution(pairs: &[(VarId, T)]) -> Substitution {
    let mut s = Substitution::default();
    s.vars.extend(pairs.iter().copied());
    s
}
