//! Whether a kernel is what engines take for granted: for the tests of what makes
//! and changes kernels.

use crate::cfg::Cfg;
use crate::{BlockId, Kernel, Operand, ParamKind, Reg, Terminator};

/// Where a register is defined: the block, and the place in it (0 for phis).
type Place = (BlockId, usize);

/// Checks that every register is defined once and before its uses, that phis name
/// the blocks that lead to theirs, and that numbers of blocks, registers, sites
/// and objects exist. The message names the first thing that is wrong.
pub fn validate(kernel: &Kernel) -> Result<(), String> {
    let n = kernel.blocks.len();
    for (b, block) in kernel.blocks.iter().enumerate() {
        if let Some(s) = block.term.successors().find(|s| s.0 as usize >= n) {
            return Err(format!("block {b} leads to block {}, which is not there", s.0));
        }
    }
    let cfg = Cfg::new(kernel);
    let places = places(kernel)?;
    for &b in &cfg.order {
        let block = kernel.block(b);
        let reads = |o: Operand, at: Place| read(kernel, &cfg, &places, o, at);
        for phi in &block.phis {
            let mut from: Vec<BlockId> = phi.incoming.iter().map(|(p, _)| *p).collect();
            let mut to = cfg.predecessors[b.0 as usize].clone();
            from.sort();
            from.dedup();
            to.sort();
            if from != to {
                return Err(format!(
                    "phi of %{} in block {} is for {from:?}, not {to:?}",
                    phi.dst.0, b.0
                ));
            }
            for &(p, o) in &phi.incoming {
                reads(o, (p, usize::MAX))?;
            }
        }
        for (i, inst) in block.insts.iter().enumerate() {
            let mut result = Ok(());
            inst.op.for_each_operand(|o| {
                if result.is_ok() {
                    result = reads(o, (b, i + 1));
                }
            });
            result?;
            if inst.op.site().is_some_and(|s| s.0 as usize >= kernel.sites.len()) {
                return Err(format!("block {} has an access without a site", b.0));
            }
        }
        if let Terminator::Branch { cond, .. } = block.term {
            reads(cond, (b, usize::MAX))?;
        }
    }
    Ok(())
}

fn places(kernel: &Kernel) -> Result<Vec<Option<Place>>, String> {
    let mut places: Vec<Option<Place>> = vec![None; kernel.regs.len()];
    let mut define = |r: u32, place: Place| match places.get_mut(r as usize) {
        None => Err(format!("register %{r} has no type")),
        Some(Some(_)) => Err(format!("register %{r} is defined twice")),
        Some(slot) => {
            *slot = Some(place);
            Ok(())
        }
    };
    for p in &kernel.params {
        let count = match p.kind {
            ParamKind::Scalar { count, .. } => u32::from(count),
            _ => 1,
        };
        for i in 0..count {
            define(p.reg.0 + i, (BlockId(0), 0))?;
        }
    }
    for (b, block) in kernel.blocks.iter().enumerate() {
        let b = BlockId(b as u32);
        for phi in &block.phis {
            define(phi.dst.0, (b, 0))?;
        }
        for (i, inst) in block.insts.iter().enumerate() {
            if let Some(Reg(d)) = inst.dst {
                for k in 0..inst.op.result_count() {
                    define(d + k, (b, i + 1))?;
                }
            }
        }
    }
    Ok(places)
}

fn read(
    kernel: &Kernel,
    cfg: &Cfg,
    places: &[Option<Place>],
    o: Operand,
    at: Place,
) -> Result<(), String> {
    match o {
        Operand::Reg(r) => match places.get(r.0 as usize) {
            Some(Some(place)) if place.0 == at.0 && place.1 < at.1 => Ok(()),
            Some(Some(place)) if place.0 != at.0 && cfg.dominates(place.0, at.0) => Ok(()),
            Some(Some(_)) => {
                Err(format!("%{} is read in block {} before it is defined", r.0, at.0.0))
            }
            _ => Err(format!("%{} is read in block {} and defined nowhere", r.0, at.0.0)),
        },
        Operand::Object(id, _) if id.0 as usize >= kernel.objects.len() => {
            Err(format!("object {} is not there", id.0))
        }
        _ => Ok(()),
    }
}
