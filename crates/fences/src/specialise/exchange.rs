//! Barriers, and operations by which the threads of a warp or block hand each other values.

use lockstep_kernel::semantics::bits::shuffle_source;
use lockstep_kernel::{
    AtomicOp, Barrier as KernelBarrier, BarrierReduce, CastOp, Inst, LocId, Op, Operand, Reg,
    Rounding, SiteId, Ty, VoteKind,
};
use lockstep_weak::program::{
    Barrier, Expr, Function, Gather, Instr, Participants, Reg as WeakReg, Scope, Spaces,
};

use crate::outside::{Outside, Reason, Unknown};
use crate::specialise::arithmetic::Pure;
use crate::specialise::residual::{Role, Var};
use crate::specialise::state::State;
use crate::specialise::thread::{Done, Thread};
use crate::specialise::value::Value;

/// Numbers of barrier resources; exchanges have one each, behind these.
const BLOCK: u32 = 0;
const WARP: u32 = 1;
const GRID: u32 = 2;
const EXCHANGES: u32 = 16;

impl Thread<'_> {
    pub(crate) fn barrier(
        &mut self,
        inst: &Inst,
        site: SiteId,
        barrier: &KernelBarrier,
        number: u32,
        state: &mut State,
    ) -> Done<()> {
        let loc = inst.loc;
        let outside = |what: &str| Err(Outside::at(Reason::Operation(what.into()), loc).into());
        match *barrier {
            KernelBarrier::Block { id, threads, orders_shared, orders_global, reduce } => {
                let id = self.number(state, id, "the number of a barrier", loc)?;
                let participants = match threads {
                    None => Participants::All,
                    Some(threads) => self.counted(state, threads, loc)?,
                };
                let spaces = Spaces { global: orders_global, shared: orders_shared };
                let alone = self.world.launch.threads_per_block() == 1;
                let Some((reduce, operand)) = reduce else {
                    // A thread that is alone meets nobody; only in OpenCL is a barrier a fence besides.
                    if !(alone && self.world.ptx) {
                        let barrier = wait(BLOCK, id as i64, participants, Scope::Block, spaces);
                        self.emit(Instr::Barrier(barrier), Role::Barrier, Some(site), loc);
                    }
                    return Ok(());
                };
                if participants != Participants::All {
                    return outside("a barrier that reduces values of some threads");
                }
                let value = self.operand(state, operand);
                let block = self.place().block_number;
                let members: Vec<usize> = (0..self.world.threads.len())
                    .filter(|&thread| self.world.threads[thread].block_number == block)
                    .collect();
                let neutral = neutral(reduce);
                let meeting = Meeting {
                    number: BLOCK,
                    id: id as i64,
                    participants,
                    domain: Scope::Block,
                    spaces,
                    role: Role::Barrier,
                    site: Some(site),
                };
                let values = self.meet(meeting, &value, &members, neutral, (number, 0), loc)?;
                let mine = members.iter().position(|&thread| thread == self.me).unwrap_or(0);
                let function = reduction(reduce, mine);
                if let Some(dst) = inst.dst {
                    state.regs.insert(dst, call(&function, &values));
                }
                Ok(())
            }
            KernelBarrier::Arrive { id, threads } => {
                let id = self.number(state, id, "the number of a barrier", loc)?;
                let participants = self.counted(state, threads, loc)?;
                let barrier = Barrier {
                    arrive: true,
                    ..wait(BLOCK, id as i64, participants, Scope::Block, Spaces::ALL)
                };
                self.emit(Instr::Barrier(barrier), Role::Barrier, Some(site), loc);
                Ok(())
            }
            KernelBarrier::Warp { mask } => {
                let mask = self.number(state, mask, "a mask", loc)? as u32;
                let members = self.lanes(mask, loc)?;
                if members.len() == 1 && self.world.ptx {
                    return Ok(());
                }
                let participants = Participants::Among(members);
                let barrier = wait(WARP, i64::from(mask), participants, Scope::Warp, Spaces::ALL);
                self.emit(Instr::Barrier(barrier), Role::Barrier, Some(site), loc);
                Ok(())
            }
            KernelBarrier::Grid => {
                // It waits for threads that have ended, too, and so for ever.
                let threads = self.world.launch.thread_count() as i64;
                let participants = Participants::Count(Expr::Const(threads));
                let barrier = wait(GRID, 0, participants, Scope::Device, Spaces::ALL);
                self.emit(Instr::Barrier(barrier), Role::Barrier, Some(site), loc);
                Ok(())
            }
            KernelBarrier::Await { .. } => outside("the second half of a split barrier"),
            KernelBarrier::GroupCopies { .. } => outside("a wait for copies by a work-group"),
        }
    }

    /// A number of threads: hardware counts whole warps.
    fn counted(&self, state: &State, threads: Operand, loc: LocId) -> Done<Participants> {
        let threads = self.number(state, threads, "a number of threads", loc)?;
        let launch = self.world.launch;
        if threads == launch.threads_per_block() {
            return Ok(Participants::All);
        }
        if !launch.threads_per_block().is_multiple_of(u64::from(launch.warp_size)) {
            return Err(Outside::at(Reason::PartialWarps, loc).into());
        }
        Ok(Participants::Count(Expr::Const(threads as i64)))
    }

    /// The threads of this warp that a mask names.
    fn lanes(&self, mask: u32, loc: LocId) -> Done<Vec<usize>> {
        let at = self.place();
        let members: Vec<usize> = (0..self.world.threads.len())
            .filter(|&thread| {
                let other = self.world.threads[thread];
                (other.block_number, other.warp) == (at.block_number, at.warp)
                    && mask >> other.lane & 1 != 0
            })
            .collect();
        if !members.contains(&self.me) {
            let what = "a warp operation whose mask does not name the thread itself";
            return Err(Outside::at(Reason::Operation(what.into()), loc).into());
        }
        Ok(members)
    }

    /// Shuffles, votes and matches.
    pub(crate) fn exchange(&mut self, inst: &Inst, number: u32, state: &mut State) -> Done<()> {
        let loc = inst.loc;
        let (value, mask) = match inst.op {
            Op::Shuffle { value, mask, .. } => (Some(value), mask),
            Op::Vote { pred, mask, .. } => (Some(pred), mask),
            Op::Match { value, mask, .. } => (Some(value), Some(mask)),
            _ => (None, None),
        };
        let everybody = self.lanes(u32::MAX, loc)?;
        let members = match mask {
            Some(mask) => {
                let mask = self.number(state, mask, "a mask", loc)? as u32;
                self.lanes(mask, loc)?
            }
            None if everybody.len() == 1 => everybody,
            None => {
                let what = "a warp operation of those threads that happen to be active";
                return Err(Outside::at(Reason::Operation(what.into()), loc).into());
            }
        };
        let lanes: Vec<u32> = members.iter().map(|&t| self.world.threads[t].lane).collect();
        let me = self.place().lane;
        let mut results = Vec::new();
        match inst.op {
            Op::ActiveMask => results.push(Value::Known(1 << me)),
            Op::Shuffle { mode, lane, clamp, .. } => {
                let lane = self.number(state, lane, "the lane of a shuffle", loc)?;
                let clamp = self.number(state, clamp, "the width of a shuffle", loc)?;
                let values = self.gather(state, value, &members, number, loc)?;
                let (from, in_range) = shuffle_source(mode, me, lane as u32, clamp as u32);
                let from = if in_range { from & 31 } else { me };
                // What a lane gives that does not take part, nobody knows.
                let given = lanes.iter().position(|&l| l == from).map(|at| values[at].clone());
                results.push(given.unwrap_or(Value::Unknown(Unknown::Undefined)));
                results.push(Value::Known(u64::from(in_range)));
            }
            Op::Vote { kind, .. } => {
                let values = self.gather(state, value, &members, number, loc)?;
                let name = format!("vote {kind:?} of {lanes:?}");
                let function = Function::new(name, move |x| {
                    let all = lanes.len() as i64;
                    let count: i64 = x.iter().map(|p| p & 1).sum();
                    match kind {
                        VoteKind::Any => i64::from(count > 0),
                        VoteKind::All => i64::from(count == all),
                        VoteKind::Uniform => i64::from(count == 0 || count == all),
                        VoteKind::Ballot => {
                            lanes.iter().zip(x).fold(0, |set, (lane, p)| set | (p & 1) << lane)
                        }
                    }
                });
                results.push(call(&function, &values));
            }
            Op::Match { all, .. } => {
                let values = self.gather(state, value, &members, number, loc)?;
                let mine = members.iter().position(|&t| t == self.me).unwrap_or(0);
                let alike = move |lanes: &[u32], x: &[i64]| {
                    let same = lanes.iter().zip(x).filter(|(_, value)| **value == x[mine]);
                    same.fold(0i64, |set, (lane, _)| set | 1 << lane)
                };
                let every = lanes.iter().fold(0i64, |set, lane| set | 1 << lane);
                let of = lanes.clone();
                let name = format!("match {all} at {mine} of {lanes:?}");
                let unanimous = Function::new(format!("{name} unanimous"), {
                    move |x| i64::from(alike(&of, x) == every)
                });
                let unanimous = call(&unanimous, &values);
                let function = Function::new(name, move |x| {
                    let alike = alike(&lanes, x);
                    if !all || alike == every { alike } else { 0 }
                });
                results.extend([call(&function, &values), unanimous]);
            }
            _ => unreachable!("not an exchange"),
        }
        if let Some(dst) = inst.dst {
            for (i, result) in results.into_iter().take(inst.op.result_count() as usize).enumerate()
            {
                state.regs.insert(Reg(dst.0 + i as u32), result);
            }
        }
        Ok(())
    }

    /// What each of the members gives in a warp operation. Nothing is ordered by it.
    fn gather(
        &mut self,
        state: &State,
        value: Option<Operand>,
        members: &[usize],
        number: u32,
        loc: LocId,
    ) -> Done<Vec<Value>> {
        let value = value.map_or(Value::Known(0), |value| self.operand(state, value));
        let meeting = Meeting {
            number: EXCHANGES + number,
            id: members.iter().fold(0, |set, &t| set | 1 << self.world.threads[t].lane),
            participants: Participants::Among(members.to_vec()),
            domain: Scope::Warp,
            spaces: Spaces::NONE,
            role: Role::Exchange,
            site: None,
        };
        self.meet(meeting, &value, members, 0, (number, 0), loc)
    }

    /// Meets the members, gives them a value and gets theirs.
    fn meet(
        &mut self,
        meeting: Meeting,
        value: &Value,
        members: &[usize],
        absent: i64,
        (number, first): (u32, u32),
        loc: LocId,
    ) -> Done<Vec<Value>> {
        if members.len() == 1 && (self.world.ptx || meeting.spaces == Spaces::NONE) {
            return Ok(vec![value.clone()]);
        }
        let value = self.shared(value, loc)?;
        let registers: Vec<WeakReg> = (0..members.len())
            .map(|i| self.registers.of(Var::Part(number, first + i as u32)))
            .collect();
        let into =
            members.iter().zip(&registers).map(|(&thread, &reg)| (thread, reg, absent)).collect();
        let Meeting { number, id, participants, domain, spaces, role, site } = meeting;
        let barrier = Barrier {
            gather: Some(Gather { value, into }),
            ..wait(number, id, participants, domain, spaces)
        };
        self.emit(Instr::Barrier(barrier), role, site, loc);
        Ok(registers.into_iter().map(|reg| Value::Computed(Expr::Reg(reg))).collect())
    }
}

/// A barrier at which threads wait, and hand each other nothing.
fn wait(
    number: u32,
    id: i64,
    participants: Participants,
    domain: Scope,
    spaces: Spaces,
) -> Barrier {
    let id = Expr::Const(id);
    Barrier { number, id, participants, domain, spaces, gather: None, arrive: false }
}

struct Meeting {
    number: u32,
    id: i64,
    participants: Participants,
    domain: Scope,
    spaces: Spaces,
    role: Role,
    site: Option<SiteId>,
}

fn call(function: &Function, operands: &[Value]) -> Value {
    let known: Option<Vec<i64>> = operands
        .iter()
        .map(|operand| match operand {
            Value::Known(value) => Some(*value as i64),
            _ => None,
        })
        .collect();
    if let Some(known) = known {
        return Value::Known(function.apply(&known) as u64);
    }
    let exprs: Result<Vec<Expr>, _> = operands.iter().map(Value::expr).collect();
    match exprs {
        Ok(exprs) => Value::Computed(Expr::Call(function.clone(), exprs)),
        Err(what) => Value::Unknown(what),
    }
}

/// What a thread that has returned adds to a reduction: nothing.
fn neutral(reduce: BarrierReduce) -> i64 {
    match reduce {
        BarrierReduce::And => 1,
        BarrierReduce::Count | BarrierReduce::Or => 0,
        BarrierReduce::Fold { op, ty } | BarrierReduce::Scan { op, ty, .. } => match op {
            AtomicOp::And | AtomicOp::UMin => ty.mask() as i64,
            AtomicOp::SMin => (ty.mask() >> 1) as i64,
            AtomicOp::SMax => ((ty.mask() >> 1) + 1) as i64,
            AtomicOp::FMin => infinity(ty, f64::INFINITY),
            AtomicOp::FMax => infinity(ty, f64::NEG_INFINITY),
            _ => 0,
        },
    }
}

fn infinity(ty: Ty, value: f64) -> i64 {
    let narrow = Pure::Cast(CastOp::FToF(Rounding::NearestEven), Ty::F64, ty);
    narrow.evaluate(&[value.to_bits()]) as i64
}

/// The result of a reducing barrier for the member of this number, of the values of all.
fn reduction(reduce: BarrierReduce, mine: usize) -> Function {
    let fold = |op: AtomicOp, ty: Ty, x: &[i64]| {
        let pure = Pure::Atomic(op, ty);
        let whole = x.iter().copied().reduce(|a, b| pure.evaluate(&[a as u64, b as u64]) as i64);
        whole.unwrap_or(neutral(BarrierReduce::Fold { op, ty }))
    };
    match reduce {
        BarrierReduce::Count => Function::new("count", |x| x.iter().map(|p| p & 1).sum()),
        BarrierReduce::And => Function::new("all", |x| i64::from(x.iter().all(|p| p & 1 != 0))),
        BarrierReduce::Or => Function::new("any", |x| i64::from(x.iter().any(|p| p & 1 != 0))),
        BarrierReduce::Fold { op, ty } => {
            Function::new(format!("reduce {op:?} {ty}"), move |x| fold(op, ty, x))
        }
        BarrierReduce::Scan { op, ty, inclusive } => {
            let end = if inclusive { mine + 1 } else { mine };
            Function::new(format!("scan {op:?} {ty} {end}"), move |x| fold(op, ty, &x[..end]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions() {
        let (add, min) = (AtomicOp::Add, AtomicOp::SMin);
        let sum = reduction(BarrierReduce::Fold { op: add, ty: Ty::I32 }, 0);
        assert_eq!(sum.apply(&[1, 2, 4]), 7);
        let scan = |inclusive| BarrierReduce::Scan { op: add, ty: Ty::I32, inclusive };
        assert_eq!(reduction(scan(true), 1).apply(&[1, 2, 4]), 3);
        assert_eq!(reduction(scan(false), 0).apply(&[1, 2, 4]), 0);
        assert_eq!(neutral(BarrierReduce::Fold { op: min, ty: Ty::I32 }), 0x7fff_ffff);
        assert_eq!(reduction(BarrierReduce::Count, 0).apply(&[1, 0, 1]), 2);
    }
}
