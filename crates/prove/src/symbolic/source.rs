//! Source locations of operations.

use lockstep_finding::{Place, SourceLine};
use lockstep_kernel::{Kernel, LocId, SiteId};

pub(crate) fn place(kernel: &Kernel, loc: LocId) -> Place {
    let chain: Vec<_> = kernel.loc_chain(loc).collect();
    let one = |l: &lockstep_kernel::Loc| Place {
        file: kernel.files.get(l.file as usize).cloned().unwrap_or_default(),
        line: l.line,
        column: l.column,
        function: l.function.clone(),
        inlined_at: Vec::new(),
    };
    let mut first = one(chain[0]);
    first.inlined_at = chain[1..].iter().map(|l| one(l)).collect();
    first
}

/// The line of an access or a barrier, for messages.
pub(crate) fn line_of(kernel: &Kernel, site: SiteId) -> SourceLine {
    spot_of(kernel, kernel.site(site).loc)
}

pub(crate) fn spot_of(kernel: &Kernel, loc: LocId) -> SourceLine {
    let loc = kernel.loc(loc);
    let file = kernel.files.get(loc.file as usize).cloned().unwrap_or_default();
    SourceLine { file, line: loc.line }
}
