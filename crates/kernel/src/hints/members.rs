//! The members of structs that arrays hold, as the kernel reads them.
//!
//! A load whose address is the array's begin, and whole structs, and a constant behind it, is of a member. One more
//! index with a smaller distance goes through an array in the struct: it reaches as far as the next member, or the end.
//!
//! What it can miss: members that are only read of a copy, or through a pointer that a loop or a branch chose. Where what
//! is read so leads anywhere, nothing is said of the array's members (`strange`). What it can get wrong: how
//! many elements an array in a struct has, where a member behind it is never read.

use crate::flow::{Base, Bases, Def};
use crate::{AtomicOp, Elem, Inst, Kernel, Op, Operand, ParamKind, Ty};

/// A member of an array's structs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Member {
    pub(super) param: usize,
    /// Bytes from the start of the struct.
    pub(super) offset: u32,
    pub(super) ty: Ty,
    /// Bytes from one element to the next of a member that is an array; none where it is no array.
    pub(super) step: Option<u32>,
}

pub(super) struct Members {
    pub(super) list: Vec<Member>,
    /// By parameter: some read is of no member that is known.
    pub(super) strange: Vec<bool>,
    /// By member: the kernel writes it, or something that may be it.
    pub(super) written: Vec<bool>,
    /// By site: the array of structs, and the offset in one, that it accesses.
    pub(super) at: Vec<Option<(usize, u32)>>,
}

impl Members {
    pub(super) fn of(kernel: &Kernel, defs: &[Def], bases: &Bases) -> Members {
        let mut members = Members {
            list: Vec::new(),
            strange: vec![false; kernel.params.len()],
            written: Vec::new(),
            at: vec![None; kernel.sites.len()],
        };
        if !kernel.params.iter().any(|p| struct_size(p.kind).is_some()) {
            return members;
        }
        for inst in kernel.insts() {
            let (addr, ty, count) = match inst.op {
                Op::Load { addr, ty, count, .. } => (addr, ty, u32::from(count)),
                Op::Atomic { addr, ty, .. } => (addr, ty, 1),
                _ => continue,
            };
            match place(kernel, defs, bases, addr) {
                Some((param, offset, step)) => {
                    if let Some(site) = inst.op.site() {
                        members.at[site.0 as usize] = Some((param, offset));
                    }
                    // Several structs at once.
                    let end = offset + count * ty.bytes();
                    if struct_size(kernel.params[param].kind).is_none_or(|size| end > size) {
                        members.strange[param] = true;
                        continue;
                    }
                    let lanes = (0..count).map(|lane| offset + lane * ty.bytes());
                    members.list.extend(lanes.map(|offset| Member { param, offset, ty, step }));
                }
                None => {
                    for base in bases.targets(addr) {
                        if let Base::Param(p) = bases.list[base] {
                            members.strange[p] = true;
                        }
                    }
                }
            }
        }
        members.list.sort();
        members.list.dedup_by(|b, a| {
            let same = (a.param, a.offset, a.ty) == (b.param, b.offset, b.ty);
            a.step = if same { a.step.or(b.step) } else { a.step };
            same
        });
        for pair in members.list.windows(2) {
            // Two types in one place are none.
            let overlap = pair[0].offset + pair[0].ty.bytes() > pair[1].offset;
            if pair[0].param == pair[1].param && overlap {
                members.strange[pair[0].param] = true;
            }
        }
        members.find_written(kernel, defs, bases);
        members
    }

    fn find_written(&mut self, kernel: &Kernel, defs: &[Def], bases: &Bases) {
        self.written = vec![false; self.list.len()];
        for inst in kernel.insts() {
            let (addr, bytes) = match inst.op {
                Op::Store { addr, ty, ref values, .. } => {
                    (addr, Some(ty.bytes() * values.len() as u32))
                }
                Op::Atomic { op, addr, ty, .. } if op != AtomicOp::Load => (addr, Some(ty.bytes())),
                Op::MemSet { dst, .. } | Op::MemCopy { dst, .. } | Op::GroupCopy { dst, .. } => {
                    (dst, None)
                }
                _ => continue,
            };
            let place = place(kernel, defs, bases, addr).zip(bytes);
            let targets: Vec<Base> =
                bases.targets(addr).into_iter().map(|base| bases.list[base]).collect();
            for (member, written) in self.list.iter().zip(&mut self.written) {
                *written |= match place {
                    Some(((param, from, step), bytes)) => {
                        let ends = step.is_none() && from + bytes <= member.offset;
                        let begins =
                            member.step.is_none() && member.offset + member.ty.bytes() <= from;
                        param == member.param && !ends && !begins
                    }
                    None => targets.contains(&Base::Param(member.param)),
                };
            }
        }
    }

    /// How many elements a member has: as many as there is room for, where it is an array.
    pub(super) fn count(&self, kernel: &Kernel, member: &Member) -> u32 {
        let Some(step) = member.step else { return 1 };
        let behind = |m: &&Member| m.param == member.param && m.offset > member.offset;
        let next = self.list.iter().find(behind).map(|m| m.offset);
        let end = next.or(struct_size(kernel.params[member.param].kind)).unwrap_or(0);
        let room = end.saturating_sub(member.offset + member.ty.bytes());
        room / step.max(1) + 1
    }

    /// The member that an operation reads into its register of this number.
    pub(super) fn number(
        &self,
        kernel: &Kernel,
        defs: &[Def],
        bases: &Bases,
        (addr, ty, lane): (Operand, Ty, u32),
    ) -> Option<usize> {
        if self.list.is_empty() {
            return None;
        }
        let (param, offset, _) = place(kernel, defs, bases, addr)?;
        let read = (param, offset + lane * ty.bytes(), ty);
        self.list.iter().position(|m| (m.param, m.offset, m.ty) == read)
    }
}

/// The size of the structs that a parameter points to.
fn struct_size(kind: ParamKind) -> Option<u32> {
    match kind {
        ParamKind::Buffer { elem: Elem::Bytes(n), .. } if n > 1 => Some(n),
        _ => None,
    }
}

/// The array of structs, the offset in one, and the distance of elements of an array there, that an address certainly is.
fn place(
    kernel: &Kernel,
    defs: &[Def],
    bases: &Bases,
    addr: Operand,
) -> Option<(usize, u32, Option<u32>)> {
    let target = match bases.targets(addr)[..] {
        [one] => bases.list[one],
        _ => return None,
    };
    let Base::Param(param) = target else { return None };
    let size = i64::from(struct_size(kernel.params[param].kind)?);
    let (mut at, mut total, mut step) = (addr, 0i64, None);
    // A chain longer than that is not one.
    for _ in 0..64 {
        let Operand::Reg(r) = at else { return None };
        match defs[r.0 as usize] {
            Def::Param(p) if p == param => {
                let offset = u32::try_from(total.rem_euclid(size)).ok()?;
                return Some((param, offset, step));
            }
            Def::Inst(_, Inst { op: Op::Index { base, index, scale, offset }, .. }) => {
                total = total.checked_add(*offset)?;
                match *index {
                    Operand::Imm(i) => {
                        total = total.checked_add((i as i64).checked_mul(*scale)?)?
                    }
                    _ if scale % size == 0 => {}
                    _ if *scale > 0 && *scale < size && step.is_none() => {
                        step = Some(*scale as u32);
                    }
                    _ => return None,
                }
                at = *base;
            }
            Def::Inst(_, Inst { op: Op::Copy { a, .. }, .. }) => at = *a,
            // A pointer in a struct parameter is a parameter of its own.
            Def::Inst(_, Inst { op: Op::Load { addr, .. }, .. })
                if bases.field_at(defs, *addr).is_some() =>
            {
                let offset = u32::try_from(total.rem_euclid(size)).ok()?;
                return Some((param, offset, step));
            }
            _ => return None,
        }
    }
    None
}
