//! Whether an access is misaligned only because Lockstep chose a size or a dimension that is odd.
//!
//! Where one array begins behind another (`extern __shared__` memory that is carved up, rows of a pitch), its address is a
//! multiple of what its type asks for where the sizes before it are round, and callers know that. Sizes and dimensions that
//! Lockstep chose are made round, each alone and then all, by the smallest power of two that helps. Where the bug is gone
//! then, and nothing else goes wrong, it needs what is not round: `n % 2 != 0`, `blockDim.x % 4 != 0`.
//!
//! What it can do wrong: call a bug conditional where callers do have odd sizes. It is still reported, with the condition.

use lockstep_finding::launch::{Dimension, Expr};
use lockstep_finding::{Access, Claim, Finding};
use lockstep_kernel::{ParamKind, Site};

use crate::blame::is_no_multiple;
use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::Space;
use crate::space::candidate::{Candidate, Gene};
use crate::space::places::is_at;

/// What vectors are aligned to, in elements, the smallest first.
const ROUND: [i64; 4] = [2, 4, 8, 16];
/// What a block's dimension may be a multiple of besides, where something of each warp comes first: the threads of some warps.
const OF_WARPS: [i64; 9] = [2, 4, 8, 16, 32, 64, 128, 256, 512];

/// Something of a launch that has a number.
#[derive(Clone, Copy, PartialEq)]
enum Size {
    Slot(usize),
    Dimension(Dimension),
}

impl Size {
    fn of(self, c: &Candidate) -> i64 {
        match self {
            Size::Slot(i) => c.int(i),
            Size::Dimension(Dimension::Block(a)) => c.block[a].into(),
            Size::Dimension(Dimension::Grid(a)) => c.grid[a].into(),
        }
    }

    fn units(self) -> &'static [i64] {
        match self {
            Size::Dimension(Dimension::Block(_)) => &OF_WARPS,
            Size::Slot(_) | Size::Dimension(Dimension::Grid(_)) => &ROUND,
        }
    }

    fn is_uneven(self, c: &Candidate, unit: i64) -> bool {
        let v = self.of(c);
        v > 0 && v % unit != 0
    }

    /// Makes it the next multiple of the unit that is none of twice as much.
    fn make_round(self, c: &mut Candidate, unit: i64) {
        let v = self.of(c);
        let v = (v / unit + 1 + v / unit % 2) * unit;
        match self {
            Size::Slot(i) => c.genes[i] = Gene::Int(v),
            Size::Dimension(Dimension::Block(a)) => c.block[a] = v as u32,
            Size::Dimension(Dimension::Grid(a)) => c.grid[a] = v as u32,
        }
    }

    fn name(self, space: &Space) -> Expr {
        match self {
            Size::Slot(i) => Expr::name(&space.slots[i].name),
            Size::Dimension(d) => Expr::name(d),
        }
    }
}

/// What Lockstep chose: arguments that are integers, and dimensions.
fn chosen(space: &Space) -> Vec<Size> {
    let slots = (0..space.slots.len()).filter(|&i| !space.slots[i].ty.is_float()).map(Size::Slot);
    let (block, grid) = (space.free_block(), space.free_grid());
    let blocks = (0..3).filter(|&a| block[a]).map(Dimension::Block);
    let grids = (0..3).filter(|&a| grid[a]).map(Dimension::Grid);
    slots.chain(blocks.chain(grids).map(Size::Dimension)).collect()
}

impl Inquiry<'_, '_> {
    /// Whether Lockstep chose an integer argument or a dimension.
    pub(in crate::blame) fn chose_sizes(&self) -> bool {
        !chosen(self.driver.lab.space).is_empty()
    }

    /// A vector that begins where the sizes say is aligned where they are round, and no rounder than they have to be.
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
        let several = (uneven.len() > 1).then(|| (uneven.clone(), &ROUND[..]));
        let choices = each
            .chain(several)
            .flat_map(|(sizes, units)| units.iter().map(move |&unit| (sizes.clone(), unit)));
        let before = shown.wrong;
        let (sizes, unit) = choices
            .filter(|(sizes, unit)| sizes.iter().any(|s| s.is_uneven(c, *unit)))
            .find(|(sizes, unit)| self.is_no_worse(&rounded(sizes, *unit), before))?;
        let sizes = sizes.iter().filter(|s| s.is_uneven(c, unit));
        Some(Claim::all(sizes.map(|s| is_no_multiple(s.name(space), unit))))
    }

    /// Whether one of the accesses is of more than an element of its array.
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
