//! Whether an access is misaligned only because Lockstep chose an odd size or dimension.
//!
//! Where one array starts after another (`extern __shared__` memory that is subdivided, rows of a pitch), its address
//! has the alignment of its type if the sizes before it are round, and callers know that. Sizes and dimensions that
//! Lockstep chose are rounded, each alone and then all, to the smallest power of two that helps. If the bug disappears,
//! and nothing else goes wrong, it needs a size that is not round: `n % 2 != 0`, `blockDim.x % 4 != 0`. A length that the
//! kernel gets by dividing one size by another (the width of one of several heads) is a size, too: `width / heads % 4 != 0`.
//!
//! What can go wrong: a bug may be called conditional although callers do use odd sizes. It is still reported, with the
//! condition.

use lockstep_finding::launch::{Dimension, Expr, Operator};
use lockstep_finding::{Access, Claim, Finding};
use lockstep_kernel::{IntOp, Op, Operand, ParamKind, Reg, Site};

use crate::blame::is_no_multiple;
use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::Space;
use crate::space::candidate::{Candidate, Gene};
use crate::space::places::is_at;
use crate::space::slots::Part;

/// Alignments of vectors, in elements, the smallest first.
const ROUND: [i64; 4] = [2, 4, 8, 16];
/// Further units of a block's dimension, where per-warp data comes first: the threads of some warps.
const OF_WARPS: [i64; 9] = [2, 4, 8, 16, 32, 64, 128, 256, 512];

/// A number that a launch has.
#[derive(Clone, Copy, PartialEq)]
enum Size {
    Slot(usize),
    /// The first divided by the second.
    Quotient(usize, usize),
    Dimension(Dimension),
}

impl Size {
    fn of(self, c: &Candidate) -> i64 {
        match self {
            Size::Slot(i) => c.int(i),
            Size::Quotient(i, by) => c.int(i).checked_div(c.int(by)).unwrap_or(0),
            Size::Dimension(Dimension::Block(a)) => c.block[a].into(),
            Size::Dimension(Dimension::Grid(a)) => c.grid[a].into(),
        }
    }

    fn units(self) -> &'static [i64] {
        match self {
            Size::Dimension(Dimension::Block(_)) => &OF_WARPS,
            Size::Slot(_) | Size::Quotient(..) | Size::Dimension(Dimension::Grid(_)) => &ROUND,
        }
    }

    fn is_uneven(self, c: &Candidate, unit: i64) -> bool {
        let v = self.of(c);
        v > 0 && v % unit != 0
    }

    /// Changes it to the next multiple of the unit that is not a multiple of twice the unit.
    fn make_round(self, c: &mut Candidate, unit: i64) {
        let v = self.of(c);
        let v = (v / unit + 1 + v / unit % 2) * unit;
        match self {
            Size::Slot(i) => c.genes[i] = Gene::Int(v),
            Size::Quotient(i, by) => c.genes[i] = Gene::Int(v.saturating_mul(c.int(by))),
            Size::Dimension(Dimension::Block(a)) => c.block[a] = v as u32,
            Size::Dimension(Dimension::Grid(a)) => c.grid[a] = v as u32,
        }
    }

    fn name(self, space: &Space) -> Expr {
        match self {
            Size::Slot(i) => Expr::name(&space.slots[i].name),
            Size::Quotient(i, by) => {
                let [whole, by] = [i, by].map(|i| Expr::name(&space.slots[i].name));
                Expr::binary(Operator::Div, whole, by)
            }
            Size::Dimension(d) => Expr::name(d),
        }
    }
}

/// The integer arguments that the kernel divides by each other.
fn quotients(space: &Space) -> Vec<Size> {
    let slot = |operand: Operand| {
        let Operand::Reg(r) = operand else { return None };
        space.slots.iter().position(|s| {
            let first = space.kernel.params[s.param].reg;
            matches!(s.part, Part::Lane(n) if Reg(first.0 + n as u32) == r)
        })
    };
    let mut out = Vec::new();
    for inst in space.kernel.insts() {
        if let Op::Int { op: IntOp::SDiv | IntOp::UDiv, a, b, .. } = inst.op
            && let (Some(whole), Some(by)) = (slot(a), slot(b))
            && !out.contains(&Size::Quotient(whole, by))
        {
            out.push(Size::Quotient(whole, by));
        }
    }
    out
}

/// The values that Lockstep chose: integer arguments, and dimensions.
fn chosen(space: &Space) -> Vec<Size> {
    let slots = (0..space.slots.len()).filter(|&i| !space.slots[i].ty.is_float()).map(Size::Slot);
    let (block, grid) = (space.free_block(), space.free_grid());
    let blocks = (0..3).filter(|&a| block[a]).map(Dimension::Block);
    let grids = (0..3).filter(|&a| grid[a]).map(Dimension::Grid);
    let sizes = slots.chain(blocks.chain(grids).map(Size::Dimension));
    sizes.chain(quotients(space)).collect()
}

impl Inquiry<'_, '_> {
    /// Whether Lockstep chose an integer argument or a dimension.
    pub(in crate::blame) fn chose_sizes(&self) -> bool {
        !chosen(self.driver.lab.space).is_empty()
    }

    /// A vector whose address depends on the sizes is aligned if they are round; they are made no rounder than
    /// necessary.
    pub(in crate::blame) fn odd_multiples(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let mut uneven = chosen(space);
        uneven.retain(|s| s.units().last().is_some_and(|&unit| s.is_uneven(c, unit)));
        let rounded = |sizes: &[Size], unit: i64| {
            let mut out = c.clone();
            let sizes = sizes.iter().filter(|s| s.is_uneven(c, unit));
            sizes.for_each(|s| s.make_round(&mut out, unit));
            out
        };
        // One of them, or all together.
        let each = uneven.iter().map(|&s| (vec![s], s.units()));
        let mut alone = uneven.clone();
        alone.retain(|s| !matches!(s, Size::Quotient(..)));
        let several = (alone.len() > 1).then(|| (alone, &ROUND[..]));
        let choices = each
            .chain(several)
            .flat_map(|(sizes, units)| units.iter().map(move |&unit| (sizes.clone(), unit)));
        let before = shown.wrong;
        let (sizes, unit) = choices
            .filter(|(sizes, unit)| sizes.iter().any(|s| s.is_uneven(c, *unit)))
            .find(|(sizes, unit)| {
                let round = rounded(sizes, *unit);
                self.is_aligned(&round, before) && !self.is_by_divisor(sizes, &round)
            })?;
        let odd = |s: Size| is_no_multiple(s.name(space), unit);
        if let [Size::Quotient(whole, by)] = sizes[..] {
            // With heads of round width, is a row that is no whole number of heads round enough?
            let mut other = rounded(&sizes, unit);
            other.genes[whole] = Gene::Int(other.int(whole) + 1);
            let is_alone = c.int(by) < 2 || self.is_aligned(&other, before);
            let both = [Size::Slot(whole), sizes[0]].map(odd);
            return Some(if is_alone { odd(sizes[0]) } else { Claim::any(both) });
        }
        let sizes = sizes.iter().filter(|s| s.is_uneven(c, unit));
        Some(Claim::all(sizes.map(|&s| odd(s))))
    }

    /// Whether a size is only round enough because of what the kernel divides it by: with another divisor, the bug shows.
    fn is_by_divisor(&mut self, sizes: &[Size], round: &Candidate) -> bool {
        let [Size::Slot(i)] = *sizes else { return false };
        let of_it = |s: &Size| matches!(s, Size::Quotient(whole, _) if *whole == i);
        let divided: Vec<Size> =
            quotients(self.driver.lab.space).into_iter().filter(of_it).collect();
        divided.into_iter().any(|s| {
            let Size::Quotient(_, by) = s else { return false };
            [1, 2].into_iter().any(|more| {
                let mut other = round.clone();
                other.genes[by] = Gene::Int(round.int(by).saturating_mul(2) + more);
                other.genes[i] = Gene::Int(round.int(i).saturating_mul(8));
                self.shows(&other)
            })
        })
    }

    /// Whether the access is made in another launch, and aligned, and no more goes wrong than before.
    fn is_aligned(&mut self, c: &Candidate, before: usize) -> bool {
        self.without_bug(c, before).is_some_and(|trial| self.reaches(&trial))
    }

    /// Whether one of the accesses is wider than an element of its array.
    pub(in crate::blame) fn is_of_vectors(&self, finding: &Finding) -> bool {
        let kernel = self.driver.lab.space.kernel;
        let is_vector = |site: &Site| {
            let param = kernel.params.iter().find(|p| site.through.as_ref() == Some(&p.name));
            let elem = param.and_then(|p| match p.kind {
                ParamKind::Buffer { elem, .. } => Some(elem.size()),
                _ => None,
            });
            elem.is_some_and(|size| site.size > size)
        };
        let of_vector =
            |a: &Access| kernel.sites.iter().filter(|s| is_at(kernel, s, a)).any(is_vector);
        finding.accesses.iter().any(of_vector)
    }
}
