//! Source locations of accesses.

use lockstep_finding::Access;
use lockstep_kernel::{Kernel, Site};

/// Line and column of a site.
pub(crate) fn place_of(kernel: &Kernel, site: &Site) -> (u32, u32) {
    let loc = kernel.loc(site.loc);
    (loc.line, loc.column)
}

/// Whether an access was made at this site, by its source location.
pub(crate) fn is_at(kernel: &Kernel, site: &Site, access: &Access) -> bool {
    place_of(kernel, site) == (access.place.line, access.place.column)
}
