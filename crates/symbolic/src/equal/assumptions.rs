//! Sets of assumptions about floating point.

use std::fmt;

use lockstep_finding::FloatAssumption;

/// A set of assumptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Assumptions(u8);

impl Assumptions {
    pub const NONE: Assumptions = Assumptions(0);
    /// The sign of a zero does not matter.
    pub const POSITIVE_ZERO: Assumptions = Assumptions::of(FloatAssumption::PositiveZero);
    /// No value is a NaN or infinite.
    pub const FINITE: Assumptions = Assumptions::of(FloatAssumption::Finite);
    /// Sums and products may be computed in any order.
    pub const ASSOCIATIVE: Assumptions = Assumptions::of(FloatAssumption::Associative);
    /// A product may be added without being rounded before.
    pub const CONTRACTION: Assumptions = Assumptions::of(FloatAssumption::Contraction);
    pub const ALL: Assumptions = Assumptions(15);

    pub const fn of(one: FloatAssumption) -> Assumptions {
        Assumptions(1 << one as u8)
    }

    #[must_use]
    pub const fn with(self, other: Assumptions) -> Assumptions {
        Assumptions(self.0 | other.0)
    }

    pub const fn has(self, all: Assumptions) -> bool {
        self.0 & all.0 == all.0
    }

    /// The single ones.
    pub fn each(self) -> impl Iterator<Item = FloatAssumption> {
        FloatAssumption::ALL.into_iter().filter(move |a| self.has(Assumptions::of(*a)))
    }

    /// All subsets, the smaller ones first.
    pub(crate) fn subsets(self) -> Vec<Assumptions> {
        let mut all: Vec<Assumptions> =
            (0..16u8).map(Assumptions).filter(|a| self.has(*a)).collect();
        all.sort_by_key(|a| (a.0.count_ones(), a.0));
        all
    }
}

impl fmt::Display for Assumptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.each().map(FloatAssumption::name).collect();
        f.write_str(&names.join(","))
    }
}
