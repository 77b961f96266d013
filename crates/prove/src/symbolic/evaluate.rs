//! Symbolic evaluation of the kernel for one generic thread.
//!
//! The basic blocks are visited once, in weak topological order. Each register becomes a term; each block gets the
//! condition under which one iteration of its innermost loop reaches it (for blocks outside loops: under which the
//! thread does). Within an iteration that condition is exact, because the body of a loop without its back edges has no
//! cycles.
//!
//! The φ values of a loop header are opaque variables while its body is evaluated. Then [`crate::symbolic::loops`]
//! solves the recurrences, and at the end every term is rewritten over the loops' iteration counters, outermost loops
//! first, so that the intervals of outer variables are known when inner ones are bounded ([`Exec::assemble`]). A value
//! used after its loop is that of the last iteration, whose number is a function [`FnKind::Exit`].
//!
//! This is the paper's inference of protocols, on SSA instead of an abstract syntax: a *binder* is an application of
//! [`FnKind::Binder`] (or of a load) to the iteration counters. Deviations: loads are functions of their address rather
//! than binders, so that two threads that read one address get equal values (and so do two loads of the same contents,
//! see [`crate::symbolic::versions`]); and a thread that reads back what it has just written gets the value it wrote
//! ([`Exec::forwarded`]). Both are sound for proving the absence of races: take the first race of an execution;
//! everything read before it was read without a race, and so had the value assumed here. They do not hold in a kernel
//! with races, which is why other properties are only proved together with the absence of races.
//!
//! Loops are assumed to terminate. Constructs that cannot be evaluated at all (irreducible control flow, or a kernel so
//! large that time runs out first) are recorded in [`Exec::gaps`], and then nothing is proved; nor is anything proved
//! for a kernel in which a thread can reach an operation that is not modelled ([`Exec::unmodelled`]).

use lockstep_finding::{NotFollowed, Reason};
use lockstep_kernel::{BlockId, Kernel, Op, Operand, Reg, SiteId, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::decide::limits::Limits;
use crate::launch::context::{Base, Ctx, FnKind, VarKind};
use crate::symbolic::loops::LoopInfo;
use crate::symbolic::provenance::{Written, written};
use crate::symbolic::records::Ticket;
use crate::symbolic::records::{Access, BarrierAt, Recent, Vote, WarpOp};
use crate::symbolic::versions::{History, Joined};
use crate::term::walk::Substitution;
use crate::term::{T, VarId};

pub(crate) struct Exec<'c, 'k> {
    pub(crate) ctx: &'c mut Ctx<'k>,
    pub(crate) written: Written,
    pub(crate) values: Vec<Option<T>>,
    defined_in: Vec<BlockId>,
    /// Condition of a block within one iteration of its innermost loop.
    pub(crate) reach: Vec<T>,
    pub(crate) loops: Vec<LoopInfo>,
    pub(crate) accesses: Vec<Access>,
    pub(crate) barriers: Vec<BarrierAt>,
    pub(crate) warp_ops: Vec<WarpOp>,
    /// Preconditions: the condition of the block implies the term.
    pub(crate) requires: Vec<(BlockId, T, String)>,
    pub(crate) asserts: Vec<crate::symbolic::records::AssertAt>,
    /// Numbers drawn from counters.
    pub(crate) tickets: Vec<Ticket>,
    /// Votes of threads at barriers.
    pub(crate) votes: Vec<Vote>,
    /// Whether some value was assumed to be uniform across a warp.
    pub(crate) warp_values: bool,
    /// Loop variables that all threads change in step, once asked for.
    pub(crate) in_step: Option<FxHashSet<Reg>>,
    /// Whether the global offset was read, and assumed to be zero.
    pub(crate) no_offset: bool,
    pub(crate) branches: FxHashMap<BlockId, T>,
    /// What was not evaluated.
    pub(crate) gaps: Vec<Reason>,
    /// Operations that are not modelled, which no thread may reach.
    pub(crate) unmodelled: Vec<(BlockId, Reason)>,
    pub(crate) recent: Vec<Recent>,
    /// The thread's recent stores at the end of each block.
    pub(crate) recent_after: FxHashMap<BlockId, Vec<Recent>>,
    /// Whether some value was forwarded from a store of the same thread: correct in the absence of races.
    pub(crate) forwarding: bool,
    /// The versions of objects that are read and written, as far as they were computed.
    pub(crate) histories: FxHashMap<Base, History>,
    /// The contents that each load of such an object reads; `None` where they are not unique.
    pub(crate) reads: FxHashMap<(SiteId, u8), Option<Joined>>,
    /// Loop variables over the final counters: loop, register, value.
    pub(crate) loop_values: Vec<(usize, Reg, T)>,
    /// Pointer fields of structs that are bases of their own.
    pub(crate) fields: FxHashSet<Base>,
    /// Calls of functions that are declared but not defined.
    pub(crate) foreign: Vec<&'k str>,
    /// Textures that are read, where it is known which.
    pub(crate) fetched: FxHashSet<Base>,
    /// Registers that hold addresses of texels.
    pub(crate) texels: FxHashMap<Reg, &'k Op>,
    /// Images whose texels may be written.
    pub(crate) images: FxHashSet<Base>,
}

/// Evaluates the whole kernel.
pub(crate) fn run<'c, 'k>(ctx: &'c mut Ctx<'k>, limits: Limits) -> Exec<'c, 'k> {
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
        tickets: Vec::new(),
        votes: Vec::new(),
        warp_values: false,
        in_step: None,
        no_offset: false,
        branches: FxHashMap::default(),
        gaps: Vec::new(),
        unmodelled: Vec::new(),
        recent: Vec::new(),
        recent_after: FxHashMap::default(),
        forwarding: false,
        histories: FxHashMap::default(),
        reads: FxHashMap::default(),
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
        if exec.is_late(limits) {
            return exec;
        }
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
    exec.assemble(limits);
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

    /// Whether time has run out; then the kernel was not evaluated to its end, which is a gap.
    fn is_late(&mut self, limits: Limits) -> bool {
        let late = limits.are_over();
        if late {
            self.gaps.push(limits.ran_out());
        }
        late
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
                    self.gaps.push(Reason::NotFollowed {
                        what: NotFollowed::LoopWithSeveralEntries,
                        at: None,
                    });
                    return;
                }
            }
        }
    }

    pub(crate) fn loop_of_head(&self, b: BlockId) -> Option<usize> {
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

    /// Opaque counters of the loops around a block: a value there depends on them besides its operands.
    pub(crate) fn counters(&mut self, b: BlockId) -> Vec<T> {
        self.nest(b).into_iter().map(|l| self.loops[l].counter).collect()
    }

    pub(crate) fn binder(&mut self, r: Reg, b: BlockId) -> T {
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

    /// The condition of an edge, relative to one iteration of the innermost loop around its target (of the enclosing
    /// loop, where the target is a header entered from outside).
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

    /// A term of a loop's body, with its value in the last iteration.
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

    /// An operand with its value at block `at`.
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
        // A header that is also the entry block is entered unconditionally.
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
            self.loops[l].phis.push(crate::symbolic::loops::HeadPhi {
                reg: phi.dst,
                opaque,
                init,
                next: opaque,
            });
        }
    }

    /// A value computed in `p`, with its value at the start of the loop `l`.
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

    pub(crate) fn phi_value(&mut self, phi: &lockstep_kernel::Phi, b: BlockId) -> T {
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
            crate::term::walk::conjuncts(&self.ctx.pool, e, &mut parts);
            ways.push((parts, v));
        }
        // Conditions common to all incoming edges hold wherever the φ is evaluated, so they select nothing.
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

    // ---- the end ----

    /// Rewrites everything over the loops' counters, outermost loops first.
    fn assemble(&mut self, limits: Limits) {
        let mut order: Vec<usize> = (0..self.loops.len()).collect();
        order.sort_by_key(|&l| (self.nest(self.loops[l].head).len(), l));
        let mut solved: Vec<(VarId, T)> = Vec::new();
        for l in order {
            if self.is_late(limits) {
                return;
            }
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
            a.within = a.within.map(|t| s.apply(pool, t));
            for v in &mut a.values {
                *v = s.apply(pool, *v);
            }
        }
        for t in &mut self.tickets {
            t.addr = s.apply(pool, t.addr);
            t.result = s.apply(pool, t.result);
            t.step = s.apply(pool, t.step);
            t.limit = t.limit.map(|n| s.apply(pool, n));
        }
        for v in &mut self.votes {
            v.result = s.apply(pool, v.result);
            v.given = s.apply(pool, v.given);
        }
        for a in &mut self.asserts {
            a.cond = s.apply(pool, a.cond);
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

    /// The whole condition under which the thread reaches a block, in the iterations given by its counters.
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
