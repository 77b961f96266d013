//! The variables of a thread that a trace shows, and their values as text.

use lockstep_kernel::semantics::bits::real_value;
use lockstep_kernel::{BlockId, Kernel, Op, Operand, Reg, SiteId, Terminator, Ty, cfg};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::describe::element;
use crate::code::program::Program;
use crate::code::registers::Slot;
use crate::launch::layout::NULL_OBJECT;

/// Maximum number of variables that are shown for a thread.
const VARIABLES: usize = 12;

/// A source variable.
pub(crate) struct Named {
    pub name: String,
    pub slot: Slot,
    pub ty: Ty,
    /// Whether the address of the access, or whether it is executed, depends on it.
    pub decides: bool,
}

/// Source variables that have a value at a site: for each name the latest definition among those on every path to it.
/// Arguments are left out.
pub(crate) fn named(program: &Program, cfg: &cfg::Cfg, site: SiteId) -> Vec<Named> {
    let kernel = program.kernel;
    let is_here = |op: &Op| match op {
        Op::MemCopy { read, write, .. } | Op::GroupCopy { read, write, .. } => {
            *read == site || *write == site
        }
        op => op.site() == Some(site),
    };
    let mut at = None;
    for (b, block) in kernel.blocks.iter().enumerate() {
        if let Some(i) = block.insts.iter().position(|inst| is_here(&inst.op)) {
            at = Some((b, i));
        }
    }
    let Some((mut b, end)) = at else { return Vec::new() };
    let mut out: Vec<Named> = Vec::new();
    let deciding = deciding(kernel, cfg, b, end);
    let mut end = Some(end);
    loop {
        let block = &kernel.blocks[b];
        let insts = &block.insts[..end.unwrap_or(block.insts.len())];
        let results = insts.iter().rev().filter_map(|i| i.dst);
        for reg in results.chain(block.phis.iter().map(|p| p.dst)) {
            add_named(program, reg, &deciding, &mut out);
        }
        end = None;
        match cfg.idom[b] {
            Some(up) if up.0 as usize != b => b = up.0 as usize,
            _ => break,
        }
    }
    out.truncate(VARIABLES);
    out
}

fn add_named(program: &Program, reg: Reg, deciding: &FxHashSet<Reg>, out: &mut Vec<Named>) {
    let kernel = program.kernel;
    let Some((_, name)) = kernel.reg_names.iter().find(|(r, _)| *r == reg) else { return };
    let Some(slot) = program.code.slots[reg.0 as usize] else { return };
    let is_argument = kernel.params.iter().any(|p| p.name == *name);
    if !is_argument && !out.iter().any(|n| n.name == *name) {
        let decides = deciding.contains(&reg);
        out.push(Named { name: name.clone(), slot, ty: kernel.reg_ty(reg), decides });
    }
}

/// The registers that the address of an access depends on, and those of the branches that decide whether it is
/// executed.
fn deciding(kernel: &Kernel, cfg: &cfg::Cfg, block: usize, inst: usize) -> FxHashSet<Reg> {
    let mut work: Vec<Operand> = Vec::new();
    match &kernel.blocks[block].insts[inst].op {
        Op::Load { addr, .. } | Op::Store { addr, .. } | Op::Atomic { addr, .. } => {
            work.push(*addr)
        }
        op => op.for_each_operand(|o| work.push(o)),
    }
    for b in branches_before(cfg, BlockId(block as u32)) {
        if let Terminator::Branch { cond, .. } = kernel.blocks[b.0 as usize].term {
            work.push(cond);
        }
    }
    let mut from: FxHashMap<Reg, Vec<Operand>> = FxHashMap::default();
    for block in &kernel.blocks {
        for phi in &block.phis {
            from.insert(phi.dst, phi.incoming.iter().map(|(_, o)| *o).collect());
        }
        for inst in &block.insts {
            let operands = inst.dst.map(|dst| from.entry(dst).or_default());
            operands.into_iter().for_each(|all| inst.op.for_each_operand(|o| all.push(o)));
        }
    }
    let mut out = FxHashSet::default();
    while let Some(operand) = work.pop() {
        if let Operand::Reg(reg) = operand
            && out.insert(reg)
        {
            work.extend(from.get(&reg).into_iter().flatten().copied());
        }
    }
    out
}

/// The blocks whose branches decide whether control reaches `block`: those that it is control-dependent on, and those
/// that these depend on.
fn branches_before(cfg: &cfg::Cfg, block: BlockId) -> Vec<BlockId> {
    let up = |b: BlockId| cfg.ipdom[b.0 as usize];
    let leads_to = |from: Option<BlockId>, to: BlockId| {
        std::iter::successors(from, |b| up(*b)).any(|b| b == to)
    };
    let mut out: Vec<BlockId> = Vec::new();
    let mut work = vec![block];
    while let Some(to) = work.pop() {
        for &from in &cfg.order {
            let next = &cfg.successors[from.0 as usize];
            if next.len() > 1
                && next.iter().any(|n| leads_to(Some(*n), to))
                && !leads_to(up(from), to)
                && !out.contains(&from)
            {
                out.push(from);
                work.push(from);
            }
        }
    }
    out
}

pub(crate) fn value_text(program: &Program, ty: Ty, bits: u64) -> String {
    match ty {
        Ty::I1 => (bits & 1 == 1).to_string(),
        Ty::I8 => (bits as i8).to_string(),
        Ty::I16 => (bits as i16).to_string(),
        Ty::I32 => (bits as i32).to_string(),
        Ty::I64 => (bits as i64).to_string(),
        // As many digits as needed to distinguish it from its neighbours.
        Ty::F16 | Ty::F32 => format!("{:?}", real_value(ty, bits) as f32),
        Ty::F64 => format!("{:?}", real_value(ty, bits)),
        Ty::Ptr if bits == 0 => "null".into(),
        Ty::Ptr => {
            let object = program.addresses.object_of(bits);
            match program.objects.get(object) {
                Some(info) if object != NULL_OBJECT => {
                    let offset = bits.wrapping_sub(program.addresses.origin(object));
                    format!("&{}", element(info, offset as i64))
                }
                _ => format!("{bits:#x}"),
            }
        }
    }
}
