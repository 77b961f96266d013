//! Quantities that conditions speak of, and that may vary: integer arguments and dimensions.

use lockstep_finding::launch::{Dimension, Expr};

use crate::space::Space;
use crate::space::candidate::{Candidate, Gene};

/// Values that are tried for a scalar, and for a dimension.
const VALUES: [i64; 15] = [0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 100, 128, 256];
const THREADS: [i64; 17] = [1, 2, 3, 4, 7, 8, 16, 17, 32, 33, 48, 64, 96, 128, 256, 512, 1024];
const BLOCKS: [i64; 7] = [1, 2, 3, 4, 5, 8, 16];

/// A quantity in a condition that may vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    Slot(usize),
    Block(usize),
    Grid(usize),
}

impl Quantity {
    pub(crate) fn named(space: &Space, name: &str) -> Option<Quantity> {
        match Dimension::named(name) {
            Some(d @ Dimension::Block(a)) => {
                (space.chosen_block()[a] || space.related.gives(d)).then_some(Quantity::Block(a))
            }
            Some(d @ Dimension::Grid(a)) => {
                (space.free_grid()[a] || space.related.gives(d)).then_some(Quantity::Grid(a))
            }
            None => {
                let slot = space.slots.iter().position(|s| s.name == name)?;
                let varies = space.slots[slot].ty.is_int() && !space.related.gives_slot(slot);
                varies.then_some(Quantity::Slot(slot))
            }
        }
    }

    pub(crate) fn name(self, space: &Space) -> Expr {
        match self {
            Quantity::Slot(i) => Expr::name(&space.slots[i].name),
            Quantity::Block(a) => Expr::name(Dimension::Block(a)),
            Quantity::Grid(a) => Expr::name(Dimension::Grid(a)),
        }
    }

    pub(crate) fn of(self, space: &Space, c: &Candidate) -> i64 {
        match self {
            Quantity::Slot(i) => space.clamp(i, c.int(i)),
            Quantity::Block(a) => i64::from(c.block[a]),
            Quantity::Grid(a) => i64::from(c.grid[a]),
        }
    }

    /// The launch with another value of the quantity, if possible. A dimension that the host computes is set through an
    /// argument.
    pub(crate) fn with(self, space: &Space, c: &Candidate, v: i64) -> Option<Candidate> {
        let is_hosts = match self {
            Quantity::Slot(_) => false,
            Quantity::Block(a) => space.related.gives(Dimension::Block(a)),
            Quantity::Grid(a) => space.related.gives(Dimension::Grid(a)),
        };
        if is_hosts {
            let arguments = space.integers().into_iter();
            let mut others = arguments.flat_map(|i| [v, 2 * v, 32 * v].map(|n| (i, n)));
            return others.find_map(|(i, n)| {
                let with = Quantity::Slot(i).with(space, c, n)?;
                let with = space.agreeing(&with);
                (self.of(space, &with) == v).then_some(with)
            });
        }
        let mut c = c.clone();
        match self {
            Quantity::Slot(i) if space.clamp(i, v) == v => c.genes[i] = Gene::Int(v),
            Quantity::Slot(_) => return None,
            Quantity::Block(a) => c.block[a] = u32::try_from(v).ok()?,
            Quantity::Grid(a) => c.grid[a] = u32::try_from(v).ok()?,
        }
        Some(c)
    }

    pub(crate) fn values(self) -> &'static [i64] {
        match self {
            Quantity::Slot(_) => &VALUES,
            Quantity::Block(_) => &THREADS,
            Quantity::Grid(_) => &BLOCKS,
        }
    }
}
