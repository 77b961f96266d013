//! Simplifies a lowered kernel: unreachable blocks, chains of jumps, unused values.
//!
//! No access, barrier, fence, assertion or print is changed, added or moved; only blocks are merged along edges that
//! are the only way in and out, and unused pure operations are dropped.

use std::collections::HashMap;

use lockstep_kernel::edit::{drop_unreachable, reachable};
use lockstep_kernel::{BlockId, Kernel, Op, Operand, Reg, Terminator};

pub(crate) fn run(k: &mut Kernel) {
    drop_unreachable(k);
    single_phis(k);
    merge_chains(k);
    skip_empty(k);
    merge_chains(k);
    drop_unread(k);
    compact(k);
    share(k);
}

/// Replaces a phi with one distinct incoming value by that value.
fn single_phis(k: &mut Kernel) {
    loop {
        let mut replaced: HashMap<Reg, Operand> = HashMap::new();
        for block in &mut k.blocks {
            block.phis.retain(|phi| {
                let mut values =
                    phi.incoming.iter().map(|&(_, o)| o).filter(|&o| o != Operand::Reg(phi.dst));
                let Some(first) = values.next() else {
                    return true;
                };
                if phi.incoming.len() == 1 && first != Operand::Reg(phi.dst) {
                    replaced.insert(phi.dst, first);
                    return false;
                }
                true
            });
        }
        if replaced.is_empty() {
            return;
        }
        let resolve = |o: Operand| {
            let mut o = o;
            for _ in 0..replaced.len() + 1 {
                match o {
                    Operand::Reg(r) => match replaced.get(&r) {
                        Some(&next) => o = next,
                        None => break,
                    },
                    _ => break,
                }
            }
            o
        };
        rewrite(k, resolve);
    }
}

fn rewrite(k: &mut Kernel, f: impl Fn(Operand) -> Operand) {
    for block in &mut k.blocks {
        for phi in &mut block.phis {
            for (_, o) in &mut phi.incoming {
                *o = f(*o);
            }
        }
        for inst in &mut block.insts {
            map_operands(&mut inst.op, &f);
        }
        if let Terminator::Branch { cond, then, otherwise, .. } = &mut block.term {
            *cond = f(*cond);
            if let Operand::Imm(c) = *cond {
                let to = if c & 1 == 1 { *then } else { *otherwise };
                block.term = Terminator::Jump(to);
            }
        }
    }
    drop_unreachable(k);
}

/// Merges a block with its only successor, if it is that one's only predecessor.
fn merge_chains(k: &mut Kernel) {
    let mut preds = vec![0u32; k.blocks.len()];
    let live = reachable(k);
    for (b, block) in k.blocks.iter().enumerate() {
        if live[b] {
            block.term.successors().for_each(|s| preds[s.0 as usize] += 1);
        }
    }
    let mut moved: HashMap<u32, u32> = HashMap::new();
    for b in 0..k.blocks.len() {
        if !live[b] || moved.contains_key(&(b as u32)) {
            continue;
        }
        while let Terminator::Jump(next) = k.blocks[b].term {
            let n = next.0 as usize;
            if n == b || n == 0 || preds[n] != 1 || !k.blocks[n].phis.is_empty() {
                break;
            }
            let insts = std::mem::take(&mut k.blocks[n].insts);
            k.blocks[b].insts.extend(insts);
            k.blocks[b].term = k.blocks[n].term;
            k.blocks[n].term = Terminator::Unreachable;
            moved.insert(n as u32, b as u32);
        }
    }
    let root = |mut b: u32| {
        while let Some(&to) = moved.get(&b) {
            b = to;
        }
        b
    };
    for block in &mut k.blocks {
        for phi in &mut block.phis {
            for (p, _) in &mut phi.incoming {
                p.0 = root(p.0);
            }
        }
    }
}

/// Skips blocks that only jump to a block without phis. A block that jumps to itself stays.
fn skip_empty(k: &mut Kernel) {
    let target: Vec<Option<u32>> = (k.blocks.iter().enumerate())
        .map(|(b, block)| match block.term {
            Terminator::Jump(to)
                if b != 0
                    && block.phis.is_empty()
                    && block.insts.is_empty()
                    && k.block(to).phis.is_empty() =>
            {
                Some(to.0)
            }
            _ => None,
        })
        .collect();
    let resolve = |b: BlockId| {
        let mut at = b.0;
        for _ in 0..target.len() {
            match target[at as usize] {
                Some(to) if to != at => at = to,
                _ => break,
            }
        }
        BlockId(at)
    };
    for block in &mut k.blocks {
        match &mut block.term {
            Terminator::Jump(to) => *to = resolve(*to),
            Terminator::Branch { then, otherwise, .. } => {
                (*then, *otherwise) = (resolve(*then), resolve(*otherwise));
                if then == otherwise {
                    block.term = Terminator::Jump(*then);
                }
            }
            _ => {}
        }
    }
}

/// Drops unused pure operations and phis.
fn drop_unread(k: &mut Kernel) {
    let mut definitions: HashMap<Reg, Vec<Operand>> = HashMap::new();
    let mut live = vec![false; k.regs.len()];
    let mut work = Vec::new();
    for block in &k.blocks {
        for phi in &block.phis {
            definitions.insert(phi.dst, phi.incoming.iter().map(|&(_, o)| o).collect());
        }
        for inst in &block.insts {
            match inst.dst {
                Some(dst) if inst.op.is_pure() => {
                    let mut operands = Vec::new();
                    inst.op.for_each_operand(|o| operands.push(o));
                    definitions.insert(dst, operands);
                }
                _ => inst.op.for_each_operand(|o| work.push(o)),
            }
        }
        if let Terminator::Branch { cond, .. } = block.term {
            work.push(cond);
        }
    }
    while let Some(o) = work.pop() {
        if let Operand::Reg(r) = o
            && !std::mem::replace(&mut live[r.0 as usize], true)
            && let Some(operands) = definitions.get(&r)
        {
            work.extend(operands);
        }
    }
    for block in &mut k.blocks {
        block.phis.retain(|p| live[p.dst.0 as usize]);
        block.insts.retain(|i| !i.op.is_pure() || i.dst.is_none_or(|d| live[d.0 as usize]));
    }
}

/// Computes equal pure operations once, if the first dominates the second. Clock reads are never equal.
fn share(k: &mut Kernel) {
    let cfg = lockstep_kernel::cfg::Cfg::new(k);
    let mut known: HashMap<String, Vec<(BlockId, Reg)>> = HashMap::new();
    let mut replaced: HashMap<Reg, Operand> = HashMap::new();
    for b in dominance_order(k) {
        let mut insts = std::mem::take(&mut k.blocks[b.0 as usize].insts);
        for inst in &mut insts {
            map_operands(&mut inst.op, &|o| match o {
                Operand::Reg(r) => replaced.get(&r).copied().unwrap_or(o),
                o => o,
            });
            let Some(dst) = inst.dst.filter(|_| inst.op.is_pure()) else {
                continue;
            };
            if matches!(inst.op, Op::Special(lockstep_kernel::Special::Clock))
                || undefined(&inst.op)
            {
                continue;
            }
            let (ty, size) = (k.regs[dst.0 as usize], k.work_size(dst));
            let same = known.entry(format!("{:?} {ty} {size:?}", inst.op)).or_default();
            match same.iter().find(|(at, _)| *at == b || cfg.dominates(*at, b)) {
                Some(&(_, first)) => {
                    replaced.insert(dst, Operand::Reg(first));
                }
                None => same.push((b, dst)),
            }
        }
        k.blocks[b.0 as usize].insts = insts;
    }
    if replaced.is_empty() {
        return;
    }
    let named: Vec<Reg> = replaced.keys().copied().collect();
    k.reg_names.retain(|(r, _)| !named.contains(r));
    // If two addresses are merged, both must be of elements of such an array.
    let flat = |to: Reg| {
        replaced
            .iter()
            .any(|(from, o)| *o == Operand::Reg(to) && k.extents.iter().all(|(r, _)| r != from))
    };
    let extents = k.extents.iter().filter(|(r, _)| !replaced.contains_key(r) && !flat(*r));
    k.extents = extents.copied().collect();
    k.work_sizes.retain(|(r, _)| !replaced.contains_key(r));
    rewrite(k, |o| match o {
        Operand::Reg(r) => replaced.get(&r).copied().unwrap_or(o),
        o => o,
    });
    drop_unread(k);
    compact(k);
}

fn undefined(op: &Op) -> bool {
    let mut found = false;
    if !matches!(op, Op::Math { .. }) {
        op.for_each_operand(|o| found |= o == Operand::Undef);
    }
    found
}

/// Reverse postorder: a block comes after all its dominators.
fn dominance_order(k: &Kernel) -> Vec<BlockId> {
    let mut seen = vec![false; k.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(BlockId(0), 0usize)];
    seen[0] = true;
    while let Some((b, next)) = stack.last_mut() {
        let succ = k.block(*b).term.successors().nth(*next);
        *next += 1;
        match succ {
            Some(s) if !seen[s.0 as usize] => {
                seen[s.0 as usize] = true;
                stack.push((s, 0));
            }
            Some(_) => {}
            None => {
                order.push(*b);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Renumbers blocks and registers without gaps.
fn compact(k: &mut Kernel) {
    let live = reachable(k);
    let mut number = vec![0u32; k.blocks.len()];
    let mut next = 0;
    for (b, &l) in live.iter().enumerate() {
        number[b] = next;
        next += l as u32;
    }
    let mut b = 0;
    k.blocks.retain(|_| {
        b += 1;
        live[b - 1]
    });
    for block in &mut k.blocks {
        for phi in &mut block.phis {
            phi.incoming.retain(|(p, _)| live[p.0 as usize]);
            phi.incoming.iter_mut().for_each(|(p, _)| p.0 = number[p.0 as usize]);
        }
        match &mut block.term {
            Terminator::Jump(to) => to.0 = number[to.0 as usize],
            Terminator::Branch { then, otherwise, .. } => {
                then.0 = number[then.0 as usize];
                otherwise.0 = number[otherwise.0 as usize];
            }
            _ => {}
        }
    }
    compact_registers(k);
}

fn compact_registers(k: &mut Kernel) {
    let mut used = vec![false; k.regs.len()];
    let mut defined = |r: Reg, n: u32| (r.0..r.0 + n).for_each(|i| used[i as usize] = true);
    for param in &k.params {
        let n = match param.kind {
            lockstep_kernel::ParamKind::Scalar { count, .. } => count as u32,
            _ => 1,
        };
        defined(param.reg, n);
    }
    for block in &k.blocks {
        block.phis.iter().for_each(|p| defined(p.dst, 1));
        for inst in &block.insts {
            if let Some(dst) = inst.dst {
                defined(dst, inst.op.result_count().max(1));
            }
        }
    }
    let mut number = vec![None; used.len()];
    let mut regs = Vec::new();
    for (i, &u) in used.iter().enumerate() {
        if u {
            number[i] = Some(regs.len() as u32);
            regs.push(k.regs[i]);
        }
    }
    k.regs = regs;
    let to = |r: Reg| number[r.0 as usize].map(Reg);
    let operand = |o: Operand| match o {
        Operand::Reg(r) => to(r).map_or(Operand::Undef, Operand::Reg),
        o => o,
    };
    k.params.iter_mut().for_each(|p| p.reg = to(p.reg).unwrap_or(p.reg));
    k.reg_names = k.reg_names.iter().filter_map(|(r, n)| to(*r).map(|r| (r, n.clone()))).collect();
    k.extents = k.extents.iter().filter_map(|&(r, n)| Some((to(r)?, n))).collect();
    k.work_sizes = k.work_sizes.iter().filter_map(|&(r, s)| Some((to(r)?, s))).collect();
    for block in &mut k.blocks {
        for phi in &mut block.phis {
            phi.dst = to(phi.dst).unwrap_or(phi.dst);
            phi.incoming.iter_mut().for_each(|(_, o)| *o = operand(*o));
        }
        for inst in &mut block.insts {
            inst.dst = inst.dst.and_then(to);
            map_operands(&mut inst.op, &operand);
        }
        if let Terminator::Branch { cond, .. } = &mut block.term {
            *cond = operand(*cond);
        }
    }
}

/// Replaces every operand of an operation.
fn map_operands(op: &mut Op, f: &impl Fn(Operand) -> Operand) {
    use lockstep_kernel::{Barrier, CopyDone, PrintArgs};
    let each = |list: &mut [&mut Operand]| list.iter_mut().for_each(|o| **o = f(**o));
    match op {
        Op::Int { a, b, .. }
        | Op::Float { a, b, .. }
        | Op::Math { a, b, .. }
        | Op::Cmp { a, b, .. } => each(&mut [a, b]),
        Op::IntUn { a, .. } | Op::FloatUn { a, .. } | Op::Cast { a, .. } | Op::Copy { a, .. } => {
            each(&mut [a])
        }
        Op::Funnel { hi: a, lo: b, amount: c, .. }
        | Op::Fma { a, b, c, .. }
        | Op::Select { cond: a, a: b, b: c, .. }
        | Op::MemSet { dst: a, byte: b, len: c, .. }
        | Op::Atomic { addr: a, value: b, expected: c, .. } => each(&mut [a, b, c]),
        Op::MemCopy { dst, src, len, done, .. } => {
            each(&mut [dst, src, len]);
            if let CopyDone::Signal(at) = done {
                each(&mut [at]);
            }
        }
        Op::Index { base, index, .. } => each(&mut [base, index]),
        Op::Texel { image, coords, .. } => {
            each(&mut [image]);
            coords.iter_mut().for_each(|(_, o)| *o = f(*o));
        }
        Op::Load { addr: a, .. }
        | Op::Alloc { size: a }
        | Op::AwaitCopies { left: a, .. }
        | Op::SignalCopies { addr: a }
        | Op::Free { ptr: a }
        | Op::ImageSize { image: a, .. } => each(&mut [a]),
        Op::Store { values, addr, .. } => {
            each(&mut [addr]);
            values.iter_mut().for_each(|o| *o = f(*o));
        }
        Op::GroupCopy { dst, src, count, dst_stride, src_stride, event, .. } => {
            each(&mut [dst, src, count, dst_stride, src_stride, event]);
        }
        Op::Barrier { barrier, .. } => match barrier {
            Barrier::Block { id, threads, reduce, .. } => {
                each(&mut [id]);
                threads.iter_mut().for_each(|o| *o = f(*o));
                reduce.iter_mut().for_each(|(_, o)| *o = f(*o));
            }
            Barrier::Arrive { id, threads } => each(&mut [id, threads]),
            Barrier::Await { id: a } | Barrier::Warp { mask: a } => each(&mut [a]),
            Barrier::GroupCopies { count, list, .. } => each(&mut [count, list]),
            Barrier::Grid => {}
        },
        Op::Shuffle { value, lane, clamp, mask, .. } => {
            each(&mut [value, lane, clamp]);
            mask.iter_mut().for_each(|o| *o = f(*o));
        }
        Op::Vote { pred, mask, .. } => {
            each(&mut [pred]);
            mask.iter_mut().for_each(|o| *o = f(*o));
        }
        Op::Match { value, mask, .. } => each(&mut [value, mask]),
        Op::MatrixProduct { a, b, c, .. } => {
            a.iter_mut().chain(b).chain(c).for_each(|o| *o = f(*o));
        }
        Op::Print { format, args } => {
            each(&mut [format]);
            match args {
                PrintArgs::Buffer(b) => each(&mut [b]),
                PrintArgs::Values(vs) => {
                    vs.iter_mut().flat_map(|v| &mut v.lanes).for_each(|o| *o = f(*o))
                }
            }
        }
        Op::Assert { cond, .. } | Op::Requires { cond, .. } => each(&mut [cond]),
        Op::Special(_)
        | Op::Fence { .. }
        | Op::CommitCopies { .. }
        | Op::ProxyFence
        | Op::ActiveMask
        | Op::Yield
        | Op::Foreign { .. }
        | Op::Unsupported(_) => {}
    }
}
