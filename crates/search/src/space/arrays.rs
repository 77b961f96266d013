//! Arrays of a launch whose contents may vary.

use lockstep_finding::ElementType;
use lockstep_kernel::hints::ArrayHints;
use lockstep_kernel::{Elem, Kernel, SiteId, Ty};
use lockstep_simulate::bind;

use super::candidate::Contents;
use super::initial_contents::{plain_contents, unclaimed};
use super::structs::{self, Member};

/// An array whose contents may vary, or a member of the structs in one.
#[derive(Clone, Debug)]
pub(crate) struct FreeArray {
    pub(crate) param: usize,
    /// The member; `None` for the whole array.
    pub(crate) member: Option<Member>,
    /// Its name in a condition.
    pub(crate) name: String,
    pub(crate) element: ElementType,
    /// Whether its values are indices, or decide what is accessed, and may be anything.
    pub(crate) matters: bool,
    pub(crate) elem: Elem,
    /// Values the kernel compares its elements with, as bits.
    pub(crate) compared_with: Vec<(Ty, u64)>,
    /// Whether its elements are indices.
    pub(crate) reaches_address: bool,
    /// Whether they are indices of plain stores.
    pub(crate) written_through: bool,
    /// Whether its elements are indices of private arrays.
    pub(crate) reaches_private: bool,
    /// Whether its elements are loop bounds.
    pub(crate) bounds_loop: bool,
    /// Whether that is because they are compared with a loop counter.
    pub(crate) limits_loop: bool,
    /// Whether its elements are compared with each other, or with those of another array.
    pub(crate) compared: bool,
    pub(crate) written: bool,
    /// Whether threads synchronise through it.
    pub(crate) synchronises: bool,
    /// The contents that a caller would pass.
    pub(crate) plain: Contents,
}

impl FreeArray {
    /// The array of a parameter, or a part of it, with this name; threads synchronise through the sites.
    pub(crate) fn new(
        kernel: &Kernel,
        (param, name): (usize, String),
        elem: Elem,
        hints: &ArrayHints,
        flags: &[SiteId],
    ) -> FreeArray {
        let whole = name == kernel.params[param].name;
        let source = if whole { kernel.params[param].source_type.as_str() } else { "" };
        let a = hints;
        let matters = a.value_reaches_address || a.value_guards_access || a.value_bounds_loop;
        FreeArray {
            param,
            member: None,
            name,
            element: bind::element_type(elem, source, true),
            matters: matters && flags.is_empty(),
            elem,
            compared_with: a.compared_with.clone(),
            reaches_address: a.value_reaches_address,
            written_through: a.index_written_through,
            reaches_private: a.value_reaches_private,
            bounds_loop: a.value_bounds_loop,
            limits_loop: a.value_limits_loop,
            compared: a.compared_with_elements,
            written: a.written,
            synchronises: !flags.is_empty(),
            plain: match flags.is_empty() {
                false => unclaimed(kernel, flags, elem),
                // Values that are only copied differ in each struct.
                true if whole
                    && a.read
                    && !matters
                    && !a.value_reaches_private
                    && structs::is_struct(kernel, param) =>
                {
                    Contents::Words
                }
                true => plain_contents(elem, source),
            },
        }
    }

    pub(crate) fn is_of_ints(&self) -> bool {
        matches!(self.elem, Elem::Scalar(ty) if ty.is_int())
    }
}
