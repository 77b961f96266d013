//! Shuffles, votes, matches and products of matrices.

use lockstep_kernel::semantics::bits::shuffle_source;
use lockstep_kernel::semantics::matrix::{Fragment, product};
use lockstep_kernel::{Ty, VoteKind};

use crate::code::registers::{LANES, Slot};
use crate::code::steps::Rare;
use crate::machine::block::BlockRun;
use crate::machine::observe::Observer;

impl<O: Observer> BlockRun<'_, '_, O> {
    /// Shuffles, votes, matches and products of matrices among the lanes of `mask`.
    pub(crate) fn warp_op(&mut self, w: usize, mask: u32, r: &Rare) {
        let regs = self.regs(w);
        let active = |l: usize| mask >> l & 1 == 1;
        match r {
            Rare::Shuffle { mode, ty, d, predicate, value, lane, clamp, .. } => {
                let mut out = [(0u64, false); LANES];
                for l in (0..LANES).filter(|l| active(*l)) {
                    let (b, c) = (regs.w32(*lane)[l], regs.w32(*clamp)[l]);
                    let (source, in_range) = shuffle_source(*mode, l as u32, b, c);
                    let source = if in_range { source as usize & 31 } else { l };
                    out[l] = (regs.lane(*value, *ty, source), in_range);
                }
                for l in (0..LANES).filter(|l| active(*l)) {
                    regs.set_lane(*d, *ty, l, out[l].0);
                    if let Some(p) = predicate {
                        regs.set_bits(*p, u32::from(out[l].1) << l, 1 << l);
                    }
                }
            }
            Rare::Vote { kind, d, pred, mask: named } => {
                let bits = regs.bits(*pred);
                let sets: [u32; LANES] =
                    std::array::from_fn(|l| named.map_or(mask, |n| regs.w32(n)[l] & mask));
                for l in (0..LANES).filter(|l| active(*l)) {
                    let (named, ballot) = (sets[l], bits & sets[l]);
                    let outcome = match kind {
                        VoteKind::Ballot => {
                            regs.w32_mut(*d)[l] = ballot;
                            continue;
                        }
                        VoteKind::Any => ballot != 0,
                        VoteKind::All => ballot == named,
                        VoteKind::Uniform => ballot == 0 || ballot == named,
                    };
                    regs.set_bits(*d, u32::from(outcome) << l, 1 << l);
                }
            }
            Rare::Match { all, ty, d, predicate, value, mask: named } => {
                let sets = *regs.w32(*named);
                let mut out = [(0, false); LANES];
                for l in (0..LANES).filter(|l| active(*l)) {
                    let named = sets[l] & mask;
                    let mine = regs.lane(*value, *ty, l);
                    let alike = (0..LANES)
                        .filter(|o| named >> o & 1 == 1 && regs.lane(*value, *ty, *o) == mine)
                        .fold(0u32, |m, o| m | 1 << o);
                    let every = alike == named;
                    out[l] = (if !*all || every { alike } else { 0 }, every);
                }
                for l in (0..LANES).filter(|l| active(*l)) {
                    regs.w32_mut(*d)[l] = out[l].0;
                    if let Some(p) = predicate {
                        regs.set_bits(*p, u32::from(out[l].1) << l, 1 << l);
                    }
                }
            }
            Rare::MatrixProduct { product: p, d, a, b, c, .. } => {
                let read = |list: &[Slot], ty: Ty| -> Vec<Fragment> {
                    let lanes = |s: &Slot| std::array::from_fn(|l| regs.lane(*s, ty, l));
                    list.iter().map(lanes).collect()
                };
                let (factor, sum) = (p.factor_register(), p.sum_register());
                let out = product(p, &read(a, factor), &read(b, factor), &read(c, sum));
                for (slot, values) in d.iter().zip(out) {
                    for l in (0..LANES).filter(|l| active(*l)) {
                        regs.set_lane(*slot, sum, l, values[l]);
                    }
                }
            }
            _ => {}
        }
    }
}
