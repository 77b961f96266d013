//! How parameters, fields and arrays are used, operation by operation.

use crate::flow::{Base, Control, Def, Field};
use crate::hints::graph::{
    ADDRESS, GUARD, Graph, LOOP, LOOP_EXIT, PRIVATE, STORE_ADDRESS, Subject, Use, base_of,
};
use crate::hints::moves::moves;
use crate::hints::{ArrayHints, FieldHints, MemberHints, ParamHints};
use crate::{
    AtomicOp, BlockId, CastOp, CmpOp, FloatUnOp, Inst, IntOp, Op, Operand, ParamKind, Reg, Ty,
};

/// A constant on its way from a comparison back to what is compared.
#[derive(Clone, Copy)]
enum Constant {
    Int(i128),
    Float(f64),
}

/// How far back a comparison is followed.
const DEPTH: u32 = 32;

pub(super) fn param_hints(graph: &Graph, control: &Control) -> Vec<ParamHints> {
    let mut hints = vec![ParamHints::default(); graph.subjects.len()];
    // Those of memory, then those of members of structs in it.
    let memory = graph.bases.list.len();
    let mut arrays = vec![ArrayHints::default(); memory + graph.members.list.len()];
    let mut factors = Factors::of(graph);
    for &b in &graph.cfg.order {
        for inst in &graph.kernel.block(b).insts {
            arithmetic(graph, &mut hints, inst);
            factors.multiply(inst);
            comparison(graph, &mut hints, &mut arrays, inst);
            elements(graph, control, &mut arrays, inst);
            accesses(graph, &mut arrays, &inst.op);
        }
    }
    factors.tell_rows(&mut hints);
    splitters(graph, &mut hints);
    for (i, &subject) in graph.subjects.iter().enumerate() {
        let h = &mut hints[i];
        h.reaches_address = graph.reaches(subject, ADDRESS);
        h.guards_access = graph.reaches(subject, GUARD);
        let registers = graph.registers(subject);
        h.unused = registers.iter().all(|r| graph.uses[r.0 as usize].is_empty());
        h.selects = !h.unused && registers.iter().all(|&r| only_selects(graph, r, DEPTH));
        tidy(&mut h.compared_with);
        tidy(&mut h.divided_by);
        let array = match subject {
            Subject::Contents(base) => Some(base),
            Subject::Member(member) => Some(memory + member),
            _ => None,
        };
        if let Some(array) = array {
            let a = &mut arrays[array];
            a.value_reaches_address = h.reaches_address;
            a.value_reaches_private = graph.reaches(subject, PRIVATE);
            a.value_guards_access = h.guards_access;
            a.value_bounds_loop = graph.reaches(subject, LOOP_EXIT);
            a.index_written_through = graph.reaches(subject, STORE_ADDRESS);
            tidy(&mut a.compared_with);
        }
    }
    for (i, member) in graph.members.list.iter().enumerate() {
        if graph.members.strange[member.param] {
            continue;
        }
        let base = graph.bases.number(Base::Param(member.param));
        let hints = MemberHints {
            offset: member.offset,
            ty: member.ty,
            count: graph.members.count(graph.kernel, member),
            step: member.step.unwrap_or(member.ty.bytes()),
            array: ArrayHints {
                read: true,
                written: graph.members.written[i],
                ..arrays[memory + i].clone()
            },
        };
        arrays[base].members.push(hints);
    }
    for (i, &subject) in graph.subjects.iter().enumerate() {
        let base = base_of(subject).filter(|b| graph.bases.list.contains(b));
        let is_struct =
            |p: usize| matches!(graph.kernel.params[p].kind, ParamKind::Aggregate { .. });
        match (subject, base) {
            (Subject::Param(p), _) if is_struct(p) => {}
            (_, Some(base)) => hints[i].array = Some(arrays[graph.bases.number(base)].clone()),
            _ => {}
        }
    }
    for (i, &subject) in graph.subjects.iter().enumerate() {
        if let Subject::Field(f) = subject {
            let field = FieldHints {
                offset: f.offset,
                ty: f.ty,
                is_pointer: f.ty == Ty::Ptr,
                hints: hints[i].clone(),
            };
            hints[f.param].fields.push(field);
        }
    }
    hints.truncate(graph.kernel.params.len());
    hints
}

/// Finds what is divided by a subject, and what is multiplied by it again.
fn splitters(graph: &Graph, hints: &mut [ParamHints]) {
    let mut remainders = vec![false; hints.len()];
    let mut quotients = vec![false; hints.len()];
    let mut others = vec![false; hints.len()];
    for inst in graph.kernel.insts() {
        let Op::Int { op, a, b, .. } = inst.op else { continue };
        match op {
            IntOp::URem | IntOp::SRem if graph.axes(a).contains(&true) => {
                graph.subjects_of(b).into_iter().for_each(|s| remainders[s] = true);
            }
            IntOp::Mul => {
                for (this, other) in [(a, b), (b, a)] {
                    if !graph.is_uniform(this) || graph.is_uniform(other) {
                        continue;
                    }
                    for s in graph.subjects_of(this) {
                        let cut = is_quotient_by(graph, other, s, DEPTH);
                        *(if cut { &mut quotients[s] } else { &mut others[s] }) = true;
                    }
                }
            }
            _ => {}
        }
    }
    for (s, h) in hints.iter_mut().enumerate() {
        h.splits = remainders[s] && quotients[s] && !others[s];
    }
}

/// Whether a value is a quotient by a subject, or one times something that is the same for all threads.
fn is_quotient_by(graph: &Graph, value: Operand, subject: usize, depth: u32) -> bool {
    let Operand::Reg(r) = value else { return false };
    let Def::Inst(_, inst) = graph.defs[r.0 as usize] else { return false };
    let follow = |o: Operand| depth > 0 && is_quotient_by(graph, o, subject, depth - 1);
    match inst.op {
        Op::Int { op: IntOp::UDiv | IntOp::SDiv, b, .. } => graph.subjects_of(b).contains(&subject),
        Op::Int { op: IntOp::Mul, a, b, .. } if graph.is_uniform(b) => follow(a),
        Op::Int { op: IntOp::Mul, a, b, .. } if graph.is_uniform(a) => follow(b),
        Op::Copy { a, .. } | Op::Cast { a, .. } => follow(a),
        _ => false,
    }
}

fn tidy<T: Ord>(list: &mut Vec<T>) {
    list.sort();
    list.dedup();
}

/// What a sum, product, quotient or shift says about its operands.
fn arithmetic(graph: &Graph, hints: &mut [ParamHints], inst: &Inst) {
    let in_address = inst.dst.is_some_and(|d| graph.reg_reaches(d, ADDRESS));
    let varies = |o: Operand| graph.axes(o).contains(&true);
    if let Op::Index { base, index, .. } = inst.op
        && in_address
        && varies(base)
        && varies(index)
    {
        let both = [graph.subjects_of(base), graph.subjects_of(index)].concat();
        both.into_iter().for_each(|s| hints[s].beside_index = true);
    }
    match inst.op {
        Op::Index { base, index, .. } if in_address && graph.is_uniform(index) => {
            let alone = graph.is_uniform(base);
            let steps = inst.dst.is_some_and(|next| is_carried(graph, base, next));
            for s in graph.subjects_of(index) {
                hints[s].added_to_index = true;
                hints[s].names_element |= alone;
                hints[s].multiplies_index |= steps;
            }
        }
        Op::Int { op, a, b, .. } => {
            for (this, other) in [(a, b), (b, a)] {
                let constant = matches!(other, Operand::Imm(_));
                let carried = graph.has(this, LOOP) && graph.axes(this) == [false; 3];
                let adds = matches!(op, IntOp::Add | IntOp::Sub) && in_address;
                if adds && carried && graph.axes(other).contains(&true) {
                    graph
                        .subjects_of(this)
                        .into_iter()
                        .for_each(|s| hints[s].added_in_rounds = true);
                }
                if adds && varies(this) && varies(other) {
                    graph.subjects_of(this).into_iter().for_each(|s| hints[s].beside_index = true);
                }
                if !graph.is_uniform(this) {
                    continue;
                }
                for s in graph.subjects_of(this) {
                    match op {
                        IntOp::Mul if in_address && !constant => {
                            hints[s].multiplies_index = true;
                            let axes = graph.axes(other);
                            join(&mut hints[s].multiplies_index_of, axes);
                        }
                        IntOp::Add | IntOp::Sub if in_address && !graph.is_uniform(other) => {
                            hints[s].added_to_index = true;
                            let next = inst.dst.filter(|&next| is_carried(graph, other, next));
                            hints[s].multiplies_index |= next.is_some();
                        }
                        IntOp::Xor if in_address && graph.axes(other).contains(&true) => {
                            hints[s].flips = true;
                        }
                        _ => {}
                    }
                }
                if op == IntOp::And
                    && !graph.is_uniform(other)
                    && let Some(whole) = one_more(graph, this)
                {
                    graph.subjects_of(whole).into_iter().for_each(|s| hints[s].masks = true);
                }
            }
            let divides = matches!(op, IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem);
            let shifts = matches!(op, IntOp::Shl | IntOp::LShr | IntOp::AShr);
            for s in graph.subjects_of(b) {
                let modulus = matches!(op, IntOp::URem | IntOp::SRem);
                hints[s].wraps = divides && modulus && (hints[s].wraps || !hints[s].divides)
                    || !divides && hints[s].wraps;
                hints[s].divides |= divides;
                hints[s].cuts_index |= divides && !graph.is_uniform(a);
                hints[s].shifts |= shifts;
            }
            if let Operand::Imm(c) = b
                && graph.is_uniform(a)
            {
                let divisor = match op {
                    _ if divides => Some(c),
                    // The remainder of a power of two.
                    IntOp::And if c > 0 => c.checked_add(1).filter(|d| d.is_power_of_two()),
                    _ => None,
                };
                for s in graph.subjects_of(a) {
                    hints[s].divided_by.extend(divisor);
                }
            }
        }
        _ => {}
    }
}

/// What is multiplied by what on the way to an address: of the factors of `k * n`, the one that also multiplies thread
/// indices or loop counters is the length of a row, and the other says which row.
struct Factors<'g, 'k> {
    graph: &'g Graph<'k>,
    /// By subject: multiplies something that differs between threads or rounds.
    varying: Vec<bool>,
    /// By subject: what it is multiplied by that does not.
    partners: Vec<Vec<usize>>,
}

impl<'g, 'k> Factors<'g, 'k> {
    fn of(graph: &'g Graph<'k>) -> Factors<'g, 'k> {
        let n = graph.subjects.len();
        Factors { graph, varying: vec![false; n], partners: vec![Vec::new(); n] }
    }

    fn multiply(&mut self, inst: &Inst) {
        let Op::Int { op: IntOp::Mul, a, b, .. } = inst.op else { return };
        if !inst.dst.is_some_and(|d| self.graph.reg_reaches(d, ADDRESS)) {
            return;
        }
        for (this, other) in [(a, b), (b, a)] {
            let constant = matches!(other, Operand::Imm(_));
            if constant || !self.graph.is_uniform(this) {
                continue;
            }
            let varies = !self.graph.is_uniform(other) || self.graph.has(other, LOOP);
            let partners = self.graph.subjects_of(other);
            for s in self.graph.subjects_of(this) {
                self.varying[s] |= varies;
                if !varies {
                    self.partners[s].extend(&partners);
                }
            }
        }
    }

    fn tell_rows(&self, hints: &mut [ParamHints]) {
        for (s, partners) in self.partners.iter().enumerate() {
            hints[s].multiplies_itself = partners.contains(&s);
            let h = &hints[s];
            let counts = h.compared_with_index.contains(&true) || h.bounds_loop || h.divides;
            let is_row_length = |&p: &usize| p != s && self.varying[p];
            if !self.varying[s]
                && !counts
                && !partners.is_empty()
                && partners.iter().all(is_row_length)
            {
                hints[s].picks_row = true;
                hints[s].multiplies_index = false;
            }
        }
    }
}

/// Whether a value is what a loop carries, and `next` what it carries on: what is added there is a distance, as often as
/// the loop goes round.
fn is_carried(graph: &Graph, value: Operand, next: Reg) -> bool {
    let phis = graph.kernel.blocks.iter().flat_map(|b| &b.phis);
    let goes_on = |(_, o): &(BlockId, Operand)| *o == Operand::Reg(next);
    phis.filter(|p| Operand::Reg(p.dst) == value).any(|p| p.incoming.iter().any(goes_on))
}

/// What a value is one less than.
fn one_more(graph: &Graph, value: Operand) -> Option<Operand> {
    let Operand::Reg(r) = value else { return None };
    let Def::Inst(_, inst) = graph.defs[r.0 as usize] else { return None };
    match inst.op {
        Op::Int { op: IntOp::Sub, a, b: Operand::Imm(1), .. } => Some(a),
        Op::Int { op: IntOp::Add, ty, a, b: Operand::Imm(c) } if c == ty.mask() => Some(a),
        _ => None,
    }
}

fn join(axes: &mut [bool; 3], more: [bool; 3]) {
    axes.iter_mut().zip(more).for_each(|(a, m)| *a |= m);
}

fn comparison(graph: &Graph, hints: &mut [ParamHints], arrays: &mut [ArrayHints], inst: &Inst) {
    let (ty, a, b) = match inst.op {
        Op::Cmp { ty, a, b, .. }
        | Op::Int { op: IntOp::UMin | IntOp::UMax | IntOp::SMin | IntOp::SMax, ty, a, b } => {
            (ty, a, b)
        }
        _ => return,
    };
    let decides_loop = inst.dst.is_some_and(|d| graph.reg_reaches(d, LOOP_EXIT));
    let memory = graph.bases.list.len();
    let array = |s: usize| match graph.subjects[s] {
        Subject::Contents(base) => Some(base),
        Subject::Member(member) => Some(memory + member),
        _ => None,
    };
    for (this, other) in [(a, b), (b, a)] {
        let counted = if matches!(other, Operand::Imm(_)) { this } else { other };
        if decides_loop && graph.has(counted, LOOP) {
            let limits = graph.subjects_of(this).into_iter().filter_map(array);
            limits.for_each(|a| arrays[a].value_limits_loop = true);
        }
        if let Operand::Imm(c) = other {
            if let Some(constant) = constant(c, ty) {
                Undo { graph, hints, arrays, seen: Vec::new() }.follow(this, constant, DEPTH);
            }
            continue;
        }
        let axes = graph.axes(other);
        for s in graph.subjects_of(this) {
            match is_equality(&inst.op) {
                true => hints[s].equals_index |= axes.contains(&true),
                false => join(&mut hints[s].compared_with_index, axes),
            }
            hints[s].bounds_loop |= decides_loop && graph.has(other, LOOP);
        }
    }
}

fn elements(graph: &Graph, control: &Control, arrays: &mut [ArrayHints], inst: &Inst) {
    if !inst.dst.is_some_and(|d| graph.reg_reaches(d, GUARD)) {
        return;
    }
    let Some(params) = compares_elements(graph, inst) else { return };
    if let Op::Cmp { a, b, .. } = inst.op {
        let of = |o| arrays_of(graph, o, DEPTH).unwrap_or_default();
        if moves(graph, control, inst, &[of(a), of(b)].concat()) {
            return;
        }
    }
    for param in params {
        arrays[graph.bases.number(Base::Param(param))].compared_with_elements = true;
    }
    for member in compared_members(graph, inst) {
        arrays[graph.bases.list.len() + member].compared_with_elements = true;
    }
}

/// The parameters whose elements are compared, as they were read or some of their bits, with each other. That one is equal
/// to an element of another array says nothing of their order: it was looked for, not ranked.
pub(super) fn compares_elements(graph: &Graph, inst: &Inst) -> Option<Vec<usize>> {
    let Op::Cmp { a, b, .. } = inst.op else { return None };
    let of = |o: Operand| arrays_of(graph, o, DEPTH).filter(|_| !graph.leaders(o).is_empty());
    let (first, second) = (of(a)?, of(b)?);
    if a == b || is_equality(&inst.op) && !first.iter().any(|array| second.contains(array)) {
        return None;
    }
    Some([a, b].into_iter().flat_map(|o| graph.leaders(o)).collect())
}

/// The members of structs in arrays that a comparison is of.
pub(super) fn compared_members(graph: &Graph, inst: &Inst) -> Vec<usize> {
    let Op::Cmp { a, b, .. } = inst.op else { return Vec::new() };
    [a, b].into_iter().flat_map(|o| graph.leading_members(o)).collect()
}

/// The arrays that a value may be an element of, if it is one.
pub(super) fn arrays_of(graph: &Graph, value: Operand, depth: u32) -> Option<Vec<usize>> {
    let Operand::Reg(r) = value else { return None };
    let Def::Inst(_, inst) = graph.defs[r.0 as usize] else { return None };
    match inst.op {
        Op::Load { addr, .. } => Some(graph.bases.targets(addr)),
        Op::Copy { a, .. }
        | Op::Cast { a, .. }
        | Op::Int { op: IntOp::And | IntOp::LShr | IntOp::AShr, a, .. }
            if depth > 0 =>
        {
            arrays_of(graph, a, depth - 1)
        }
        _ => None,
    }
}

fn is_equality(op: &Op) -> bool {
    matches!(op, Op::Cmp { op: CmpOp::Eq | CmpOp::Ne, .. })
}

fn constant(bits: u64, ty: Ty) -> Option<Constant> {
    match ty {
        Ty::F32 => Some(Constant::Float(f64::from(f32::from_bits(bits as u32)))),
        Ty::F64 => Some(Constant::Float(f64::from_bits(bits))),
        Ty::F16 => None,
        _ => {
            let shift = 64 - ty.bits();
            Some(Constant::Int(i128::from(((bits << shift) as i64) >> shift)))
        }
    }
}

/// The bits of a constant as a value of `ty`.
fn bits(constant: Constant, ty: Ty) -> Option<u64> {
    match (constant, ty) {
        (Constant::Float(f), Ty::F32) => Some(u64::from((f as f32).to_bits())),
        (Constant::Float(f), Ty::F64) => Some(f.to_bits()),
        (Constant::Int(i), ty) if !ty.is_float() => Some(i as u64 & ty.mask()),
        _ => None,
    }
}

/// Follows a comparison with a constant back to what was compared, undoing on the
/// constant what the kernel did to the value.
struct Undo<'g, 'k> {
    graph: &'g Graph<'k>,
    hints: &'g mut [ParamHints],
    arrays: &'g mut [ArrayHints],
    seen: Vec<Reg>,
}

impl Undo<'_, '_> {
    fn follow(&mut self, value: Operand, c: Constant, depth: u32) {
        let Operand::Reg(r) = value else { return };
        if depth == 0 {
            return;
        }
        match self.graph.defs[r.0 as usize] {
            Def::Nowhere => {}
            Def::Param(p) => {
                let found = bits(c, self.graph.kernel.reg_ty(r));
                self.hints[p].compared_with.extend(found);
            }
            Def::Phi(_, phi) => {
                if !self.seen.contains(&r) {
                    self.seen.push(r);
                    for &(_, o) in &phi.incoming {
                        self.follow(o, c, depth - 1);
                    }
                }
            }
            Def::Inst(_, inst) => self.through(r, inst, c, depth - 1),
        }
    }

    fn through(&mut self, r: Reg, inst: &Inst, c: Constant, depth: u32) {
        match (&inst.op, c) {
            (Op::Copy { a, .. }, _) => self.follow(*a, c, depth),
            (Op::Cast { op, a, .. }, _) => {
                let before = match (op, c) {
                    (CastOp::UToF(_) | CastOp::SToF(_), Constant::Float(f)) => {
                        Constant::Int(f as i128)
                    }
                    (CastOp::FToU(_) | CastOp::FToS(_), Constant::Int(i)) => {
                        Constant::Float(i as f64)
                    }
                    (CastOp::Bit, _) => return,
                    _ => c,
                };
                self.follow(*a, before, depth);
            }
            (Op::Select { a, b, .. }, _) => {
                self.follow(*a, c, depth);
                self.follow(*b, c, depth);
            }
            (Op::Shuffle { value, .. }, _) => self.follow(*value, c, depth),
            (Op::FloatUn { op: FloatUnOp::Abs, a, .. }, _) => self.follow(*a, c, depth),
            (Op::FloatUn { op: FloatUnOp::Neg, a, .. }, Constant::Float(f)) => {
                self.follow(*a, Constant::Float(-f), depth);
            }
            (Op::Load { addr, .. } | Op::Atomic { addr, .. }, _) => {
                let ty = self.graph.kernel.reg_ty(r);
                let Some(found) = bits(c, ty) else { return };
                if let Some((param, start)) = self.graph.bases.field_at(self.graph.defs, *addr)
                    && let Some(first) = inst.dst
                {
                    let offset = start + (r.0 - first.0) * ty.bytes();
                    let field = Subject::Field(Field { param, offset, ty });
                    if let Some(s) = self.graph.subjects.iter().position(|&s| s == field) {
                        self.hints[s].compared_with.push(found);
                    }
                }
                for base in self.graph.bases.targets(*addr) {
                    self.arrays[base].compared_with.push((ty, found));
                }
                let lane = inst.dst.map_or(0, |first| r.0 - first.0);
                let graph = self.graph;
                let (kernel, defs, bases) = (graph.kernel, graph.defs, graph.bases);
                if let Some(m) = graph.members.number(kernel, defs, bases, (*addr, ty, lane)) {
                    self.arrays[bases.list.len() + m].compared_with.push((ty, found));
                }
            }
            (Op::Int { op, ty, a, b }, Constant::Int(i)) => {
                self.integer(*op, *ty, *a, *b, i, depth)
            }
            _ => {}
        }
    }

    fn integer(&mut self, op: IntOp, ty: Ty, a: Operand, b: Operand, c: i128, depth: u32) {
        let known = |o: Operand| match o {
            Operand::Imm(k) => match constant(k, ty) {
                Some(Constant::Int(k)) => Some(k),
                _ => None,
            },
            _ => None,
        };
        if let Some(k) = known(b) {
            let before = match op {
                IntOp::Add => c.saturating_sub(k),
                IntOp::Sub => c.saturating_add(k),
                IntOp::Mul if k != 0 => c.wrapping_div_euclid(k),
                IntOp::Shl if (0..64).contains(&k) => c >> k,
                IntOp::UDiv | IntOp::SDiv => c.saturating_mul(k),
                IntOp::LShr | IntOp::AShr if (0..64).contains(&k) => c << k,
                IntOp::URem
                | IntOp::SRem
                | IntOp::And
                | IntOp::UMin
                | IntOp::UMax
                | IntOp::SMin
                | IntOp::SMax => c,
                _ => return,
            };
            self.follow(a, Constant::Int(before), depth);
        } else if let Some(k) = known(a) {
            let before = match op {
                IntOp::Add => c.saturating_sub(k),
                IntOp::Sub => k.saturating_sub(c),
                IntOp::Mul if k != 0 => c.wrapping_div_euclid(k),
                IntOp::And | IntOp::UMin | IntOp::UMax | IntOp::SMin | IntOp::SMax => c,
                _ => return,
            };
            self.follow(b, Constant::Int(before), depth);
        } else if matches!(op, IntOp::UMin | IntOp::UMax | IntOp::SMin | IntOp::SMax) {
            self.follow(a, Constant::Int(c), depth);
            self.follow(b, Constant::Int(c), depth);
        }
    }
}

/// Whether all that happens to a value is a comparison with a constant, or a branch on it.
fn only_selects(graph: &Graph, r: Reg, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    let uses = &graph.uses[r.0 as usize];
    let mut counts = 0;
    let all = uses.iter().all(|u| match u {
        Use::Phi => false,
        Use::Branch => {
            counts += 1;
            true
        }
        Use::Inst(inst) => {
            counts += usize::from(!matches!(inst.op, Op::Requires { .. } | Op::Assert { .. }));
            match inst.op {
                Op::Requires { .. } | Op::Assert { .. } => true,
                Op::Cmp { a, b, .. } => {
                    matches!(a, Operand::Imm(_)) || matches!(b, Operand::Imm(_))
                }
                Op::Select { cond, a, b, .. } => {
                    let me = Operand::Reg(r);
                    cond == me && a != me && b != me
                }
                Op::Cast { .. }
                | Op::Copy { .. }
                | Op::Int {
                    op: IntOp::And | IntOp::Or | IntOp::Xor | IntOp::URem | IntOp::SRem,
                    b: Operand::Imm(_),
                    ..
                } => inst.dst.is_none_or(|d| only_selects(graph, d, depth - 1)),
                _ => false,
            }
        }
    });
    all && counts > 0
}

/// Which arrays are read and written, and as what.
fn accesses(graph: &Graph, arrays: &mut [ArrayHints], op: &Op) {
    let mut read = |addr: Operand, ty: Option<Ty>| {
        for base in graph.bases.targets(addr) {
            let a = &mut arrays[base];
            // Two types are none.
            a.loads_ty = match (a.read, a.loads_ty) {
                (false, _) => ty,
                (true, old) => old.filter(|_| old == ty),
            };
            a.read = true;
        }
    };
    match *op {
        Op::Load { addr, ty, .. } => read(addr, Some(ty)),
        Op::Atomic { op, addr, ty, .. } if op != AtomicOp::Store => read(addr, Some(ty)),
        Op::MemCopy { src, .. } | Op::GroupCopy { src, .. } => {
            read(src, None);
            graph.bases.targets(src).into_iter().for_each(|base| arrays[base].copied = true);
        }
        _ => {}
    }
    let written = match *op {
        Op::Store { addr, .. } => addr,
        Op::Atomic { op, addr, .. } if op != AtomicOp::Load => addr,
        Op::MemSet { dst, .. } | Op::MemCopy { dst, .. } | Op::GroupCopy { dst, .. } => dst,
        _ => return,
    };
    for base in graph.bases.targets(written) {
        if graph.bases.list[base] != Base::Unknown {
            arrays[base].written = true;
        }
    }
}
