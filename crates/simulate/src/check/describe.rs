//! Source locations, accesses and memory in the terms of findings.

use lockstep_finding::{Access, Action, Memory, MemorySpace, Place};
use lockstep_kernel::{Elem, Kernel, LocId, SiteId, SiteKind, Space};

use crate::code::program::Program;
use crate::launch::layout::ObjectInfo;
use crate::machine::observe::COPY_ENGINE;

/// The source place of a location, with its inlining chain.
pub fn place(kernel: &Kernel, loc: LocId) -> Place {
    let mut chain = kernel.loc_chain(loc).map(|l| Place {
        file: kernel.files.get(l.file as usize).cloned().unwrap_or_default(),
        line: l.line,
        column: l.column,
        function: l.function.clone(),
        inlined_at: Vec::new(),
    });
    let mut first = chain.next().unwrap_or_default();
    first.inlined_at = chain.collect();
    first
}

/// The source place of a site.
pub fn site_place(kernel: &Kernel, site: SiteId) -> Place {
    place(kernel, kernel.site(site).loc)
}

/// The access of thread `thread` of a block at a site.
pub(crate) fn access(program: &Program, block: u32, site: SiteId, thread: u32) -> Access {
    let facts = program.sites[site.0 as usize];
    let op = match program.kernel.site(site).kind {
        SiteKind::Barrier => Action::Barrier,
        SiteKind::Fence => Action::Fence,
        _ if facts.atomic => Action::Atomic,
        _ if facts.writes => Action::Write,
        _ => Action::Read,
    };
    Access {
        op,
        thread: (thread != COPY_ENGINE).then(|| program.thread_at(block, thread)),
        block: program.block_at(block),
        place: site_place(program.kernel, site),
        value: None,
        notes: Vec::new(),
    }
}

/// The memory space, in the terms of findings.
pub(crate) fn space_of(space: Space) -> MemorySpace {
    match space {
        Space::Global => MemorySpace::Global,
        Space::Shared => MemorySpace::Shared,
        Space::Constant => MemorySpace::Constant,
        Space::Private => MemorySpace::Private,
        Space::Generic => MemorySpace::Generic,
    }
}

/// Describes bytes of an object.
pub(crate) fn memory(info: &ObjectInfo, offset: i64, len: i64) -> Memory {
    let size = i64::from(info.elem.size().max(1));
    Memory {
        space: space_of(info.space),
        object: Some(info.name.to_string()),
        element: Some(offset.div_euclid(size)),
        bytes: Some([offset, offset + len]),
        object_size: Some(info.size),
        element_type: match info.elem {
            Elem::Scalar(t) => Some(t.to_string()),
            Elem::Bytes(_) => None,
        },
    }
}

/// An element as a user would write it: `s[16]`.
pub(crate) fn element(info: &ObjectInfo, offset: i64) -> String {
    let size = i64::from(info.elem.size().max(1));
    let index = offset.div_euclid(size);
    let rest = offset.rem_euclid(size);
    if info.size <= size as u64 && index == 0 && rest == 0 {
        return info.name.to_string();
    }
    match rest {
        0 => format!("{}[{index}]", info.name),
        _ => format!("{}[{index}] (byte {rest})", info.name),
    }
}

/// Coordinates as text.
pub(crate) fn triple(t: [u32; 3]) -> String {
    format!("({},{},{})", t[0], t[1], t[2])
}
