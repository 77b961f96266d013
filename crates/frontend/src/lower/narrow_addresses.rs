//! Addresses of 32 bits, in the window of shared memory: which pointers they were made of.
//!
//! PTX and code around it (`(uint32_t)__cvta_generic_to_shared(p)`) keep addresses of shared memory in 32 bits, add to
//! them, xor them, carry them through loops. Here a pointer names its array, and 32 bits of it do not. So, once the
//! kernel is complete, the pointer is followed beside the number: for a number `v` that was computed from the number `a`
//! of a pointer `p`, it is `p + (v - a)`; at a phi of such numbers, a phi of pointers. That is exact, as long as `v` is
//! meant as an address in the array of `p`.
//!
//! An address that was not made of a pointer in this way (one that was stored in memory, or a constant) is unsupported.

use std::collections::HashMap;

use lockstep_kernel::{
    BlockId, CastOp, Inst, IntOp, Kernel, Op, Operand, Phi, Reg, Ty, Unsupported,
};

use super::Lower;

impl Lower<'_> {
    /// A 32-bit address as a pointer; [`run`] says which.
    pub(super) fn narrow_address(&mut self, value: Operand) -> Operand {
        self.def(NARROW(value), Ty::Ptr)
    }
}

/// What stands for a pointer of 32 bits until [`run`].
const NARROW: fn(Operand) -> Op = |a| Op::Cast { op: CastOp::Bit, from: Ty::I32, to: Ty::Ptr, a };

pub(super) fn run(k: &mut Kernel) {
    let is_narrow = |op: &Op| matches!(*op, Op::Cast { from: Ty::I32, to: Ty::Ptr, .. });
    if !k.insts().any(|i| is_narrow(&i.op)) {
        return;
    }
    let mut pass = Pass::new(k);
    pass.decide();
    let uses: Vec<Operand> = (k.insts().filter(|i| is_narrow(&i.op)))
        .filter_map(|i| match i.op {
            Op::Cast { a, .. } => Some(a),
            _ => None,
        })
        .collect();
    for of in uses {
        if let Operand::Reg(r) = of
            && pass.made[r.0 as usize]
        {
            pass.pointer(r);
        }
    }
    let Pass { pointers, new_regs, mut after, phis, .. } = pass;
    k.regs.extend(new_regs);
    for b in 0..k.blocks.len() {
        let mut insts = Vec::new();
        let block = BlockId(b as u32);
        insts.extend(after.remove(&(block, None)).unwrap_or_default());
        for (at, inst) in std::mem::take(&mut k.blocks[b].insts).into_iter().enumerate() {
            let Op::Cast { from: Ty::I32, to: Ty::Ptr, a, .. } = inst.op else {
                insts.push(inst);
                insts.extend(after.remove(&(block, Some(at))).unwrap_or_default());
                continue;
            };
            let a = match a {
                Operand::Reg(r) => pointers.get(&r).copied(),
                _ => None,
            };
            if a.is_none() {
                let what = "a 32-bit address that was not made of a pointer".to_string();
                let op = Op::Unsupported(k.unsupported.len() as u32);
                k.unsupported.push(Unsupported { what, loc: inst.loc });
                insts.push(Inst { dst: None, op, loc: inst.loc });
            }
            let op = Op::Copy { ty: Ty::Ptr, a: a.unwrap_or(Operand::Undef) };
            insts.push(Inst { op, ..inst });
        }
        k.blocks[b].insts = insts;
    }
    for (block, phi) in phis {
        k.blocks[block.0 as usize].phis.push(phi);
    }
}

/// How a number was computed from numbers that may be addresses.
enum Step {
    /// From a pointer.
    Pointer(Operand),
    /// The same number.
    Same(Operand),
    /// One of two.
    Choice {
        cond: Operand,
        a: Operand,
        b: Operand,
    },
    /// An address, and something else. `a` is looked at first.
    Arithmetic {
        op: IntOp,
        ty: Ty,
        a: Operand,
        b: Operand,
    },
    /// What comes on each way to a block.
    Phi(Vec<(BlockId, Operand)>),
    Other,
}

struct Pass<'k> {
    k: &'k Kernel,
    /// By register: how and where.
    steps: Vec<(Step, BlockId, Option<usize>)>,
    /// By register: whether it was made of a pointer.
    made: Vec<bool>,
    pointers: HashMap<Reg, Operand>,
    new_regs: Vec<Ty>,
    /// What to insert behind an instruction, or at the beginning of a block.
    after: HashMap<(BlockId, Option<usize>), Vec<Inst>>,
    phis: Vec<(BlockId, Phi)>,
}

impl<'k> Pass<'k> {
    fn new(k: &'k Kernel) -> Pass<'k> {
        let mut steps: Vec<(Step, BlockId, Option<usize>)> =
            k.regs.iter().map(|_| (Step::Other, BlockId(0), None)).collect();
        for (b, block) in k.blocks.iter().enumerate() {
            let here = BlockId(b as u32);
            for phi in block.phis.iter().filter(|p| is_number(p.ty)) {
                steps[phi.dst.0 as usize] = (Step::Phi(phi.incoming.clone()), here, None);
            }
            for (at, inst) in block.insts.iter().enumerate() {
                let Some(dst) = inst.dst else { continue };
                let step = match inst.op {
                    Op::Cast { op: CastOp::Bit, from: Ty::Ptr, to: Ty::I64, a } => Step::Pointer(a),
                    Op::Cast {
                        op: CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::Bit,
                        from,
                        to,
                        a,
                    } if is_number(from) && is_number(to) => Step::Same(a),
                    Op::Copy { ty, a } if is_number(ty) => Step::Same(a),
                    Op::Select { ty, cond, a, b } if is_number(ty) => Step::Choice { cond, a, b },
                    Op::Int { op, ty, a, b } if is_number(ty) => match op {
                        IntOp::Add | IntOp::Sub | IntOp::And | IntOp::Or | IntOp::Xor => {
                            Step::Arithmetic { op, ty, a, b }
                        }
                        _ => Step::Other,
                    },
                    _ => Step::Other,
                };
                steps[dst.0 as usize] = (step, here, Some(at));
            }
        }
        let made = steps.iter().map(|(s, ..)| !matches!(s, Step::Other)).collect();
        Pass {
            k,
            steps,
            made,
            pointers: HashMap::new(),
            new_regs: Vec::new(),
            after: HashMap::new(),
            phis: Vec::new(),
        }
    }

    fn is_made(&self, o: Operand) -> bool {
        matches!(o, Operand::Reg(r) if self.made[r.0 as usize])
    }

    /// The greatest set of registers in which each is made of a pointer, if the others are.
    fn decide(&mut self) {
        loop {
            let mut changed = false;
            for r in 0..self.made.len() {
                let keeps = match &self.steps[r].0 {
                    Step::Pointer(_) => true,
                    Step::Same(a) => self.is_made(*a),
                    Step::Choice { a, b, .. } => self.is_made(*a) && self.is_made(*b),
                    Step::Arithmetic { op: IntOp::Sub, a, .. } => self.is_made(*a),
                    Step::Arithmetic { a, b, .. } => self.is_made(*a) || self.is_made(*b),
                    Step::Phi(incoming) => {
                        let own = |o: Operand| o == Operand::Reg(Reg(r as u32));
                        let mut others =
                            incoming.iter().filter(|(_, o)| !own(*o) && *o != Operand::Undef);
                        let all = others.clone().all(|(_, o)| self.is_made(*o));
                        all && others.next().is_some()
                    }
                    Step::Other => false,
                };
                changed |= self.made[r] && !keeps;
                self.made[r] &= keeps;
            }
            if !changed {
                return;
            }
        }
    }

    fn new_reg(&mut self, ty: Ty) -> Reg {
        self.new_regs.push(ty);
        Reg((self.k.regs.len() + self.new_regs.len() - 1) as u32)
    }

    /// The pointer beside a number that is made of one.
    fn pointer(&mut self, r: Reg) -> Operand {
        if let Some(&known) = self.pointers.get(&r) {
            return known;
        }
        let (_, block, at) = self.steps[r.0 as usize];
        let pointer = match &self.steps[r.0 as usize].0 {
            Step::Pointer(p) => *p,
            Step::Same(a) => {
                let a = *a;
                self.of(a)
            }
            &Step::Choice { cond, a, b } => {
                let (a, b) = (self.of(a), self.of(b));
                self.insert(block, at, Op::Select { ty: Ty::Ptr, cond, a, b }, Ty::Ptr)
            }
            &Step::Arithmetic { op, ty, a, b } => {
                let (from, other) = if self.is_made(a) { (a, b) } else { (b, a) };
                let base = self.of(from);
                let by = match op {
                    IntOp::Add => other,
                    _ => {
                        let difference =
                            Op::Int { op: IntOp::Sub, ty, a: Operand::Reg(r), b: from };
                        self.insert(block, at, difference, ty)
                    }
                };
                let index = match (ty, by) {
                    (Ty::I32, Operand::Imm(n)) => Operand::Imm(n as u32 as i32 as i64 as u64),
                    (Ty::I32, _) => {
                        let wide = Op::Cast { op: CastOp::SExt, from: ty, to: Ty::I64, a: by };
                        self.insert(block, at, wide, Ty::I64)
                    }
                    _ => by,
                };
                let sum = match index {
                    Operand::Imm(n) => {
                        Op::Index { base, index: Operand::Imm(0), scale: 0, offset: n as i64 }
                    }
                    _ => Op::Index { base, index, scale: 1, offset: 0 },
                };
                self.insert(block, at, sum, Ty::Ptr)
            }
            Step::Phi(incoming) => {
                let incoming = incoming.clone();
                let dst = self.new_reg(Ty::Ptr);
                self.pointers.insert(r, Operand::Reg(dst));
                let incoming = incoming.into_iter().map(|(b, o)| (b, self.of(o))).collect();
                self.phis.push((block, Phi { dst, ty: Ty::Ptr, incoming }));
                Operand::Reg(dst)
            }
            Step::Other => Operand::Undef,
        };
        self.pointers.insert(r, pointer);
        pointer
    }

    fn of(&mut self, o: Operand) -> Operand {
        match o {
            Operand::Reg(r) if self.made[r.0 as usize] => self.pointer(r),
            _ => Operand::Undef,
        }
    }

    fn insert(&mut self, block: BlockId, at: Option<usize>, op: Op, ty: Ty) -> Operand {
        let dst = self.new_reg(ty);
        let loc = match at {
            Some(at) => self.k.block(block).insts[at].loc,
            None => self.k.loc,
        };
        self.after.entry((block, at)).or_default().push(Inst { dst: Some(dst), op, loc });
        Operand::Reg(dst)
    }
}

/// Whether a register of this type may hold an address.
fn is_number(ty: Ty) -> bool {
    matches!(ty, Ty::I32 | Ty::I64)
}
