//! Scalars of a launch that may vary: parameters, lanes of vectors, fields of structs.

use lockstep_kernel::Ty;
use lockstep_kernel::hints::ParamHints;

/// Where a scalar is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// One register of the parameter.
    Lane(usize),
    /// A field of a struct, at this byte offset.
    Field(u32),
}

/// A scalar that may vary.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) param: usize,
    pub(crate) part: Part,
    pub(crate) ty: Ty,
    /// Its name in a condition.
    pub(crate) name: String,
    pub(crate) hints: ParamHints,
    /// The axis that it most likely counts.
    pub(crate) axis: usize,
}

impl Slot {
    /// Whether it limits how far threads or loops go.
    pub(crate) fn is_size(&self) -> bool {
        self.hints.compared_with_index.contains(&true) || self.hints.bounds_loop
    }

    /// Whether threads with an index beyond it do nothing.
    pub(crate) fn is_guarded(&self) -> bool {
        self.hints.compared_with_index.contains(&true)
    }

    /// Whether it is the distance between rows, and nothing gives the length of a row.
    pub(crate) fn is_row_length(&self) -> bool {
        let h = &self.hints;
        let multiplies = h.multiplies_index && !h.splits;
        multiplies && !self.is_size() && !h.selects && !self.ty.is_float()
    }

    /// Whether it is only added to indices, directly or scaled by a loop.
    pub(crate) fn is_offset(&self) -> bool {
        let h = &self.hints;
        let other = self.is_size() || h.multiplies_index || h.divides || h.selects || h.shifts;
        let added = h.added_to_index || h.added_in_rounds;
        added && !other && !h.picks_row && self.ty.is_int() && self.ty.bits() > 1
    }

    /// Whether it is the logarithm of a loop bound, or of the length of a row.
    pub(crate) fn is_logarithm(&self) -> bool {
        let h = &self.hints;
        let of_size = h.bounds_loop || h.multiplies_index;
        h.shifts && of_size && !self.is_guarded() && !h.divides && self.ty.is_int()
    }

    /// The largest value of its type that is not negative as a signed integer.
    pub(super) fn most(&self) -> i64 {
        if self.ty.bits() == 1 { 1 } else { (self.ty.mask() >> 1) as i64 }
    }
}

/// Which axis an integer most likely counts: the one whose index it is compared with, otherwise the one that its name
/// suggests.
pub(super) fn axis(hints: &ParamHints, name: &str) -> usize {
    match hints.compared_with_index {
        [true, false, false] => return 0,
        [false, true, false] => return 1,
        [false, false, true] => return 2,
        _ => {}
    }
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "h" | "ny" | "dimy" | "sizey" => 1,
        "nz" | "dimz" | "sizez" => 2,
        n if n.contains("height") || n.contains("rows") => 1,
        n if n.contains("depth") => 2,
        _ => 0,
    }
}
