//! Initial contents of arrays.

use lockstep_finding::ElementType;
use lockstep_kernel::{AtomicOp, Elem, Kernel, Op, Operand, Site, SiteId, Ty};
use lockstep_simulate::bind;

use crate::space::candidate::Contents;

/// The sites at which threads synchronise through an array: a counter, a lock or a flag. It starts at zero, and other
/// contents would only violate that. A minimum or maximum that only decreases or increases is data, even if it is read
/// atomically.
pub(crate) fn synchronising(kernel: &Kernel, name: &str) -> Vec<SiteId> {
    use AtomicOp::{Add, FMax, FMin, Load, Or, SMax, SMin, Sub, UMax, UMin, Xor};
    let through = |s: &Site| s.through.as_deref() == Some(name);
    let all = (0..kernel.sites.len()).map(|s| SiteId(s as u32));
    let mut out: Vec<SiteId> =
        all.filter(|&s| through(kernel.site(s)) && kernel.site(s).volatile).collect();
    let (mut reads, mut is_bound) = (Vec::new(), false);
    for inst in kernel.insts() {
        let Op::Atomic { op, site, value, .. } = inst.op else { continue };
        if !through(kernel.site(site)) {
            continue;
        }
        match op {
            FMax | FMin | SMax | SMin | UMax | UMin => is_bound = true,
            Load => reads.push(site),
            Add | Sub | Or | Xor if value == Operand::Imm(0) => reads.push(site),
            _ => out.push(site),
        }
    }
    if !is_bound || !out.is_empty() {
        out.append(&mut reads);
    }
    out
}

/// The initial contents of such an array: zeros, or the value that all compare-and-swaps expect, as in a table whose
/// empty entries are -1. In a struct all bytes have that value, if the bytes of the value are equal.
pub(crate) fn unclaimed(kernel: &Kernel, flags: &[SiteId], elem: Elem) -> Contents {
    let mut expected = Vec::new();
    for inst in kernel.insts() {
        // One that stores the value it expects only reads.
        if let Op::Atomic { op: AtomicOp::CompareExchange, site, ty, expected: e, value, .. } =
            inst.op
            && flags.contains(&site)
            && value != e
        {
            expected.push(match e {
                Operand::Imm(bits) => Some((ty, bits & ty.mask())),
                _ => None,
            });
        }
    }
    let Some(&Some((ty, bits))) = expected.first() else { return Contents::Zeros };
    let bytes = bits.to_le_bytes();
    let all_alike = bytes.iter().take(ty.bits() as usize / 8).all(|b| *b == bytes[0]);
    match elem {
        _ if bits == 0 || !expected.iter().all(|e| *e == expected[0]) => Contents::Zeros,
        Elem::Scalar(t) if t == ty => Contents::Value(bits),
        Elem::Bytes(_) if all_alike => Contents::Value(u64::from(bytes[0])),
        _ => Contents::Zeros,
    }
}

/// Floats are random, integers count up (so that as indices they are distinct).
pub(crate) fn plain_contents(elem: Elem, source_type: &str) -> Contents {
    let element = bind::element_type(elem, source_type, true);
    match elem {
        Elem::Bytes(_) if element == ElementType::U8 => Contents::Zeros,
        Elem::Scalar(Ty::Ptr) => Contents::Zeros,
        _ if element.is_float() => Contents::Random,
        _ => Contents::Iota,
    }
}
