//! What the tests of the front end share: kernels from text, and short descriptions of what was lowered.

use lockstep_frontend::{Input, Module, Options, load};
use lockstep_kernel::{Kernel, SiteKind};

#[allow(dead_code)]
pub(crate) fn cuda(text: &str) -> Module {
    module("test.cu", text)
}

#[allow(dead_code)]
pub(crate) fn opencl(text: &str) -> Module {
    module("test.cl", text)
}

fn module(name: &str, text: &str) -> Module {
    load(Input::Text { name, bytes: text.as_bytes() }, &Options::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

/// `R3 global a`: kind, line, space and variable of each site that is not private, in order.
#[allow(dead_code)]
pub(crate) fn sites(k: &Kernel) -> Vec<String> {
    let ids = k.insts().filter_map(|i| i.op.site());
    let mut all: Vec<String> = ids
        .map(|id| k.site(id))
        .filter(|s| s.space != lockstep_kernel::Space::Private)
        .map(|s| {
            let kind = match s.kind {
                SiteKind::Read => "R",
                SiteKind::Write => "W",
                SiteKind::Atomic => "A",
                SiteKind::Barrier => "B",
                SiteKind::Fence => "F",
            };
            let through = s.through.as_deref().unwrap_or("-");
            format!("{kind}{} {} {through} {}", k.loc(s.loc).line, s.space, s.size)
        })
        .collect();
    all.sort();
    all
}

#[allow(dead_code)]
pub(crate) fn unsupported(m: &Module) -> Vec<String> {
    m.kernels.iter().flat_map(|k| &k.unsupported).map(|u| u.what.clone()).collect()
}
