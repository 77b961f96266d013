//! Which arrays decide what is accessed.

use crate::flow::{Base, Bases, definitions};
use crate::slice::{address_slice, is_read_for_use, used};
use crate::{Kernel, Op};

/// By parameter: whether an address, or a branch around an access, may depend on what its array holds. Contents of
/// the others change nothing about which bytes are accessed by which thread, and in which order. `None` where the kernel
/// asserts something, or has operations that are not modelled: then everything may matter.
pub fn deciding_contents(kernel: &Kernel) -> Option<Vec<bool>> {
    let asserts = |op: &Op| matches!(op, Op::Assert { .. } | Op::Requires { .. });
    let insts = || kernel.blocks.iter().flat_map(|b| &b.insts);
    if !kernel.unsupported.is_empty() || insts().any(|i| asserts(&i.op)) {
        return None;
    }
    let slice = address_slice(kernel);
    let used = used(&slice);
    let defs = definitions(&slice);
    let bases = Bases::new(&slice, &defs);
    let mut needed = vec![false; bases.list.len()];
    let insts = || slice.blocks.iter().flat_map(|b| &b.insts);
    for inst in insts().filter(|i| is_read_for_use(i, &used)) {
        let (Op::Load { addr, site, .. } | Op::Atomic { addr, site, .. }) = &inst.op else {
            continue;
        };
        bases.may_touch(*addr, *site).into_iter().for_each(|base| needed[base] = true);
    }
    // What is copied into such an array counts as well.
    loop {
        let before = needed.clone();
        for inst in insts() {
            let (to, from) = match &inst.op {
                Op::MemCopy { dst, src, read, write, .. } => {
                    (bases.may_touch(*dst, *write), bases.may_touch(*src, *read))
                }
                Op::GroupCopy { dst, src, read, write, .. } => {
                    (bases.may_touch(*dst, *write), bases.may_touch(*src, *read))
                }
                _ => continue,
            };
            if to.iter().any(|base| needed[*base]) {
                from.into_iter().for_each(|base| needed[base] = true);
            }
        }
        if needed == before {
            break;
        }
    }
    if needed[bases.unknown()] {
        return None;
    }
    let of = |param| bases.list.iter().position(|b| *b == Base::Param(param));
    Some((0..kernel.params.len()).map(|p| of(p).is_some_and(|b| needed[b])).collect())
}
