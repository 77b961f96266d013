//! Loops that store to arrays of the launch, executed once: the number of the iteration is a variable.
//!
//! The loop must be one that is left at its head only, whose registers that are carried from one iteration to the next are all
//! counters (what they begin with, and a constant step), and whose condition compares such a counter with what does not change. Then
//! iteration `t` takes place exactly if the condition holds for it, since it has held for all before. Its body is executed for a
//! variable `t` in place of all numbers, and what it stores becomes families with `t` as a parameter; that iterations do not meet
//! in memory is asked at the end ([`Machine::close`]). Arrays of the thread's own may not hand anything from one iteration to the
//! next: those that the body writes are unknown before each iteration, and after the loop.
//!
//! Where any of this is not so, what was done is undone, and the loop is executed as others are, iteration by iteration.

use rustc_hash::{FxHashMap, FxHashSet};

use lockstep_kernel::{
    BlockId, CmpOp, Inst, IntOp, Kernel, Op, Operand, Reg, Space, Terminator, Ty,
};

use super::thread::{Group, Thread};
use super::together::Unit;
use super::{Machine, Outcome, What};
use crate::linear::{Form, Linear};
use crate::memory::{Init, Object};
use crate::term::{T, Undefined};

/// Iterations of a loop with stores that are executed one by one, at most.
const MOST_UNROLLED: i128 = 2048;

/// Loops that are executed as one.
#[derive(Default)]
pub(super) struct Loops {
    /// Those that are open, the innermost last: their numbers among the kernel's loops.
    open: Vec<usize>,
    /// Those that are not for this.
    refused: FxHashSet<usize>,
    /// Objects of the thread that were written.
    pub(super) touched: FxHashSet<u32>,
}

impl Loops {
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }
}

/// What an edge to a block means.
pub(super) enum Edge {
    Plain,
    /// The group has come to the end of what it is to do.
    Done,
    /// The loop was executed; the group goes on from its head to the block behind it.
    Left(Group, BlockId),
}

/// How often a loop is executed.
struct Trip {
    /// At most.
    most: i128,
    is_exact: bool,
    /// Where it goes to.
    out: BlockId,
    /// The condition compares these, which differ by `first + slope * t` in iteration `t`.
    compared: (Operand, Operand, Ty),
    first: Form,
    slope: i128,
}

/// A register that counts.
struct Counter {
    register: Reg,
    ty: Ty,
    first: T,
    step: i128,
}

impl Machine<'_> {
    /// A group goes along an edge.
    pub(super) fn edge(
        &mut self,
        thread: &mut Thread,
        group: &Group,
        to: BlockId,
    ) -> Outcome<Edge> {
        let Some(together) = &self.together else { return Ok(Edge::Plain) };
        if let Some(&open) = together.loops.open.last() {
            let about = &self.cfg.loops[open];
            let inside = |b: BlockId| about.blocks.contains(&b);
            if to == about.head && inside(group.block) {
                return Ok(Edge::Done);
            }
            if !inside(to) {
                return match group.block == about.head {
                    true => Ok(Edge::Done),
                    false => self.trouble(What::NotTogether),
                };
            }
        }
        let loops = &self.cfg.loops;
        let entered = loops.iter().position(|l| l.head == to && !l.blocks.contains(&group.block));
        let Some(which) = entered else { return Ok(Edge::Plain) };
        if together.unit == Unit::Block
            || together.loops.refused.contains(&which)
            || !self.stores(which)
        {
            return Ok(Edge::Plain);
        }
        match self.whole_loop(thread, group, which)? {
            Some((group, out)) => Ok(Edge::Left(group, out)),
            None => {
                self.state()?.loops.refused.insert(which);
                Ok(Edge::Plain)
            }
        }
    }

    /// A thread returns.
    pub(super) fn may_return(&self) -> Outcome<()> {
        match &self.together {
            Some(t) if t.loops.depth() > 0 => self.trouble(What::NotTogether),
            _ => Ok(()),
        }
    }

    /// Whether a loop stores to memory that is not the thread's own.
    fn stores(&self, which: usize) -> bool {
        let kernel = self.kernel;
        self.cfg.loops[which].blocks.iter().any(|b| {
            kernel.block(*b).insts.iter().any(|i| match &i.op {
                Op::Store { site, .. } | Op::MemSet { site, .. } => {
                    !matches!(kernel.site(*site).space, Space::Private | Space::Shared)
                }
                Op::MemCopy { write, .. } => {
                    !matches!(kernel.site(*write).space, Space::Private | Space::Shared)
                }
                _ => false,
            })
        })
    }

    /// The loop as one iteration; nothing where that is not possible.
    fn whole_loop(
        &mut self,
        thread: &mut Thread,
        group: &Group,
        which: usize,
    ) -> Outcome<Option<(Group, BlockId)>> {
        let Some((at_head, counters)) = self.counters(thread, group, which) else {
            return Ok(None);
        };
        let Some(trip) = self.iterations(thread, &at_head, &counters, which) else {
            return Ok(None);
        };
        let Trip { most, is_exact, out, .. } = trip;
        if most <= 0 {
            return Ok(None);
        }
        // Before anything is executed one by one that is too much for that.
        let done = self.generic_iteration(thread, &at_head, &counters, which, &trip);
        match done {
            Ok(true) => {}
            Ok(false) if most > MOST_UNROLLED => return self.trouble(What::NotTogether),
            Ok(false) => return Ok(None),
            Err(e) => return Err(e),
        }
        // What the loop leaves in registers.
        let mut after = at_head;
        for r in defined(self.kernel, &self.cfg.loops[which].blocks) {
            let ty = self.kernel.regs[r];
            after.registers[r] = Some(self.pool.undefined(Undefined::Uninitialised, ty));
        }
        if is_exact {
            for counter in &counters {
                if let Some(value) = self.counted(counter, None, most) {
                    after.registers[counter.register.0 as usize] = Some(value);
                }
            }
        }
        Ok(Some((after, out)))
    }

    /// The counters of a loop, and the group at its head.
    fn counters(
        &mut self,
        thread: &mut Thread,
        group: &Group,
        which: usize,
    ) -> Option<(Group, Vec<Counter>)> {
        let kernel = self.kernel;
        let blocks = self.cfg.loops[which].blocks.clone();
        let head = self.cfg.loops[which].head;
        let mut counters = Vec::new();
        for phi in &kernel.block(head).phis {
            let mut first = None;
            let mut next: Option<Operand> = None;
            for (from, value) in &phi.incoming {
                if *from == group.block {
                    first = Some(*value);
                } else if blocks.contains(from) {
                    if next.is_some_and(|n| n != *value) {
                        return None;
                    }
                    next = Some(*value);
                }
            }
            let first = self.operand(&group.registers, first?, phi.ty);
            let Operand::Reg(next) = next? else { return None };
            let step = self.step_of(thread, group, &blocks, phi.dst, next)?;
            counters.push(Counter { register: phi.dst, ty: phi.ty, first, step });
        }
        let mut at_head = group.clone();
        at_head.block = head;
        at_head.next = 0;
        Some((at_head, counters))
    }

    /// By how much a register grows with each iteration.
    fn step_of(
        &mut self,
        thread: &mut Thread,
        group: &Group,
        blocks: &[BlockId],
        phi: Reg,
        next: Reg,
    ) -> Option<i128> {
        let inst = definition(self.kernel, blocks, next)?;
        let is_phi = |o: Operand| o == Operand::Reg(phi);
        let signed = |ty: Ty, v: u64| i128::from(lockstep_kernel::semantics::bits::signed(ty, v));
        let mut value = |m: &mut Self, o: Operand, ty: Ty| {
            let t = m.unchanged(thread, group, blocks, o, ty, 0)?;
            m.pool.value(t).map(|v| signed(ty, v))
        };
        match inst.op {
            Op::Int { op: IntOp::Add, ty, a, b } if is_phi(a) => value(self, b, ty),
            Op::Int { op: IntOp::Add, ty, a, b } if is_phi(b) => value(self, a, ty),
            Op::Int { op: IntOp::Sub, ty, a, b } if is_phi(a) => Some(-value(self, b, ty)?),
            Op::Index { base, index, scale, offset } if is_phi(base) => {
                let index = value(self, index, Ty::I64)?;
                Some(index * i128::from(scale) + i128::from(offset))
            }
            _ => None,
        }
    }

    /// The value of an operand that is the same in all iterations.
    fn unchanged(
        &mut self,
        thread: &mut Thread,
        group: &Group,
        blocks: &[BlockId],
        o: Operand,
        ty: Ty,
        depth: u32,
    ) -> Option<T> {
        let Operand::Reg(r) = o else { return Some(self.operand(&group.registers, o, ty)) };
        let Some(inst) = definition(self.kernel, blocks, r) else {
            let is_phi =
                blocks.iter().any(|b| self.kernel.block(*b).phis.iter().any(|p| p.dst == r));
            return (!is_phi).then(|| self.operand(&group.registers, o, ty));
        };
        if depth > 8 || !inst.op.is_pure() || inst.op.result_count() != 1 {
            return None;
        }
        let mut operands = Vec::new();
        inst.op.for_each_operand(|o| operands.push(o));
        let mut scratch = group.clone();
        for operand in operands {
            let Operand::Reg(r) = operand else { continue };
            let ty = self.kernel.reg_ty(r);
            let value = self.unchanged(thread, group, blocks, operand, ty, depth + 1)?;
            scratch.registers[r.0 as usize] = Some(value);
        }
        self.computed(thread, scratch, inst)
    }

    /// The result of a pure operation on a group's registers.
    fn computed(&mut self, thread: &mut Thread, group: Group, inst: &Inst) -> Option<T> {
        let own = std::mem::replace(&mut thread.groups, vec![group]);
        let value = self.pure(thread, 0, inst);
        thread.groups = own;
        value
    }

    /// The value of a counter in an iteration that is a variable, or a number.
    fn counted(&mut self, counter: &Counter, t: Option<T>, number: i128) -> Option<T> {
        let ty = counter.ty;
        let pool = &mut *self.pool;
        let wide = if ty == Ty::Ptr { Ty::I64 } else { ty };
        let step = pool.constant(wide, i64::try_from(counter.step).ok()? as u64);
        let t = match t {
            Some(t) => {
                let op = lockstep_kernel::CastOp::SExt;
                let own = pool.ty(t);
                match own.bits() > wide.bits() {
                    true => pool.cast(lockstep_kernel::CastOp::Trunc, t, wide),
                    false => pool.cast(op, t, wide),
                }
            }
            None => pool.constant(wide, i64::try_from(number).ok()? as u64),
        };
        let by = pool.int(IntOp::Mul, t, step);
        Some(match ty {
            Ty::Ptr => pool.index(counter.first, by, 1, 0),
            _ => pool.int(IntOp::Add, counter.first, by),
        })
    }

    /// The greatest number of iterations, whether it is exact, and where the loop goes to.
    fn iterations(
        &mut self,
        thread: &mut Thread,
        at_head: &Group,
        counters: &[Counter],
        which: usize,
    ) -> Option<Trip> {
        let about = &self.cfg.loops[which];
        let (blocks, head) = (about.blocks.clone(), about.head);
        let [(from, out)] = about.exits[..] else { return None };
        let Terminator::Branch { cond: Operand::Reg(cond), then, otherwise, .. } =
            self.kernel.block(head).term
        else {
            return None;
        };
        // The head is executed once more than the body: it must do nothing.
        let is_idle = self.kernel.block(head).insts.iter().all(|i| i.op.is_pure());
        if from != head || then == otherwise || !is_idle {
            return None;
        }
        let goes_on = otherwise == out;
        let inst = definition(self.kernel, &[head], cond)?;
        let Op::Cmp { op, ty, a, b } = inst.op else { return None };
        if !ty.is_int() || ty == Ty::I1 {
            return None;
        }
        // Both sides in the first iteration, and in the second.
        let mut sides = Vec::new();
        for number in [0, 1] {
            let mut group = at_head.clone();
            for counter in counters {
                let value = self.counted(counter, None, number)?;
                group.registers[counter.register.0 as usize] = Some(value);
            }
            for o in [a, b] {
                sides.push(self.at_the_head(thread, &group, &blocks, o, ty, 0)?);
            }
        }
        let pool = &mut *self.pool;
        let mut lin = Linear::under(pool, at_head.guard);
        let forms: Vec<Form> = sides.iter().map(|t| lin.form(pool, *t)).collect();
        if matches!(op, CmpOp::ULt | CmpOp::ULe | CmpOp::UGt | CmpOp::UGe)
            && forms.iter().any(|f| lin.range(pool, f).0 < 0)
        {
            return None;
        }
        let (x, y) = (forms[0].less(&forms[1])?, forms[2].less(&forms[3])?);
        let slope = y.less(&x)?.as_number()?;
        let made = |most: i128, is_exact: bool, x: &Form| Trip {
            most,
            is_exact,
            out,
            compared: (a, b, ty),
            first: x.clone(),
            slope,
        };
        let start = x.clone();
        use CmpOp::*;
        // The loop goes on while `left - down * t > 0`.
        let (left, down) = match (op, goes_on) {
            (SLt | ULt, true) | (SGe | UGe, false) => (x.times(-1)?, slope),
            (SLe | ULe, true) | (SGt | UGt, false) => {
                (x.times(-1)?.plus(&Form::number(1), 1)?, slope)
            }
            (SGt | UGt, true) | (SLe | ULe, false) => (x, -slope),
            (SGe | UGe, true) | (SLt | ULt, false) => (x.plus(&Form::number(1), 1)?, -slope),
            (Ne, true) | (Eq, false) => {
                let distance = x.as_number()?;
                if slope == 0 || distance % slope != 0 {
                    return None;
                }
                let count = -distance / slope;
                return (count >= 0).then(|| made(count, true, &start));
            }
            _ => return None,
        };
        if down <= 0 {
            return None;
        }
        let (low, high) = lin.range(pool, &left);
        let count = |left: i128| if left <= 0 { 0 } else { (left + down - 1) / down };
        (count(high) < 1 << 40).then(|| made(count(high), count(low) == count(high), &start))
    }

    /// An operand of the head's condition, which is made of counters and of what does not change.
    fn at_the_head(
        &mut self,
        thread: &mut Thread,
        group: &Group,
        blocks: &[BlockId],
        o: Operand,
        ty: Ty,
        depth: u32,
    ) -> Option<T> {
        let Operand::Reg(r) = o else { return Some(self.operand(&group.registers, o, ty)) };
        let head = self.kernel.block(group.block);
        if head.phis.iter().any(|p| p.dst == r) {
            return group.registers[r.0 as usize];
        }
        let Some(inst) = definition(self.kernel, blocks, r) else {
            return Some(self.operand(&group.registers, o, ty));
        };
        if depth > 8 || !inst.op.is_pure() || inst.op.result_count() != 1 {
            return None;
        }
        let mut operands = Vec::new();
        inst.op.for_each_operand(|o| operands.push(o));
        let mut scratch = group.clone();
        for operand in operands {
            let Operand::Reg(r) = operand else { continue };
            let ty = self.kernel.reg_ty(r);
            let value = self.at_the_head(thread, group, blocks, operand, ty, depth + 1)?;
            scratch.registers[r.0 as usize] = Some(value);
        }
        self.computed(thread, scratch, inst)
    }

    /// Executes the body for an iteration that is a variable; whether that is what all iterations do.
    fn generic_iteration(
        &mut self,
        thread: &Thread,
        at_head: &Group,
        counters: &[Counter],
        which: usize,
        trip: &Trip,
    ) -> Outcome<bool> {
        let most = trip.most;
        let ty = if most < 1 << 31 { Ty::I32 } else { Ty::I64 };
        let name = counters.first().and_then(|c| {
            self.kernel.reg_names.iter().find(|(r, _)| *r == c.register).map(|(_, n)| n.clone())
        });
        let last = i64::try_from(most - 1).unwrap_or(i64::MAX);
        let t = self.pool.counter(name.as_deref().unwrap_or("iteration"), ty, 0, last);
        let mut group = at_head.clone();
        let mut lin = Linear::under(self.pool, at_head.guard);
        for counter in counters {
            let Some(value) = self.counted(counter, Some(t), 0) else { return Ok(false) };
            // Nothing wraps.
            if counter.ty != Ty::Ptr {
                let first = lin.form(self.pool, counter.first);
                let count = lin.form(self.pool, t);
                let expected = first.plus(&count, counter.step);
                if expected != Some(lin.form(self.pool, value)) {
                    return Ok(false);
                }
                // Nor in the iteration that does not take place.
                let (low, high) = lin.range(self.pool, &first);
                let half = 1i128 << (counter.ty.bits() - 1);
                let last = counter.step * most;
                if low.min(low + last) < -half || high.max(high + last) >= half {
                    return Ok(false);
                }
            }
            group.registers[counter.register.0 as usize] = Some(value);
        }
        // What the condition compares grows with each iteration as it does from the first to the second: once it fails, it
        // would go on to fail.
        let (a, b, ty) = trip.compared;
        let blocks = self.cfg.loops[which].blocks.clone();
        let mut scratch = Thread {
            number: thread.number,
            local: thread.local,
            block: thread.block,
            groups: Vec::new(),
            waits: None,
            privates: thread.privates.clone(),
        };
        let sides = [a, b].map(|o| self.at_the_head(&mut scratch, &group, &blocks, o, ty, 0));
        let [Some(x), Some(y)] = sides else { return Ok(false) };
        let difference = lin.form(self.pool, x).less(&lin.form(self.pool, y));
        let count = lin.form(self.pool, t);
        if difference.is_none() || difference != trip.first.plus(&count, trip.slope) {
            return Ok(false);
        }
        let since: FxHashMap<u32, (usize, usize)> =
            self.state()?.arrays.iter().map(|(o, a)| (*o, a.marks())).collect();
        let privates: Vec<(u32, Object)> =
            thread.privates.iter().map(|(_, o)| (*o, self.objects[*o as usize].clone())).collect();
        let touched = std::mem::take(&mut self.state()?.loops.touched);
        let mut unknown: FxHashSet<u32> = FxHashSet::default();
        let mut done = Ok(false);
        // Again where the body wrote arrays of the thread's own.
        for _ in 0..3 {
            for (o, object) in &privates {
                self.objects[*o as usize] = match unknown.contains(o) {
                    true => unwritten(object),
                    false => object.clone(),
                };
            }
            done = self.body(thread, group.clone(), which);
            if done.is_err() {
                break;
            }
            let written = std::mem::take(&mut self.state()?.loops.touched);
            if written.is_subset(&unknown) {
                break;
            }
            unknown.extend(written);
            self.undo(&since)?;
            done = Ok(false);
        }
        self.state()?.loops.touched = touched;
        self.state()?.loops.touched.extend(&unknown);
        if matches!(done, Ok(true)) {
            let params: Vec<T> = self.pool.value(t).is_none().then_some(t).into_iter().collect();
            done = self.close(&params, &since).map(|()| true);
        }
        for (o, object) in privates {
            self.objects[o as usize] = match (&done, unknown.contains(&o)) {
                (Ok(true), true) => unwritten(&object),
                _ => object,
            };
        }
        match done {
            Ok(true) => Ok(true),
            Err(e) if matches!(e.what, What::Late | What::Steps) => Err(e),
            _ => {
                self.undo(&since)?;
                Ok(false)
            }
        }
    }

    fn body(&mut self, thread: &Thread, group: Group, which: usize) -> Outcome<bool> {
        let mut inner = Thread {
            number: thread.number,
            local: thread.local,
            block: thread.block,
            groups: vec![group],
            waits: None,
            privates: thread.privates.clone(),
        };
        self.state()?.loops.open.push(which);
        let done = self.run_thread(&mut inner);
        self.state()?.loops.open.pop();
        done?;
        Ok(inner.waits.is_none())
    }

    fn undo(&mut self, since: &FxHashMap<u32, (usize, usize)>) -> Outcome<()> {
        for (object, array) in &mut self.state()?.arrays {
            array.undo(since.get(object).copied().unwrap_or((0, 0)));
        }
        Ok(())
    }
}

/// The object as nobody has written it.
fn unwritten(of: &Object) -> Object {
    let mut new = Object::new(&of.name, of.space, of.size, Init::Undefined);
    new.owner = of.owner;
    new
}

/// The operation of some blocks that gives a register.
fn definition<'k>(kernel: &'k Kernel, blocks: &[BlockId], r: Reg) -> Option<&'k Inst> {
    let gives =
        |i: &&Inst| i.dst.is_some_and(|d| (d.0..d.0 + i.op.result_count().max(1)).contains(&r.0));
    blocks.iter().find_map(|b| kernel.block(*b).insts.iter().find(gives))
}

/// Registers that some blocks give.
fn defined(kernel: &Kernel, blocks: &[BlockId]) -> Vec<usize> {
    let mut out = Vec::new();
    for b in blocks {
        let block = kernel.block(*b);
        out.extend(block.phis.iter().map(|p| p.dst.0 as usize));
        for inst in &block.insts {
            if let Some(dst) = inst.dst {
                out.extend((dst.0..dst.0 + inst.op.result_count()).map(|r| r as usize));
            }
        }
    }
    out
}
