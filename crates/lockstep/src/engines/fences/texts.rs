//! How missing fences are told: the same words, whichever engine has found them.

use lockstep_fences::{Remedy, Spot};
use lockstep_finding::{Access, MemorySpace, Place};
use lockstep_kernel::{Kernel, Language, Scope, SiteId};
use lockstep_simulate::site_place;

/// What two accesses do that nothing orders.
pub(super) const NO_FENCE: &str = "may be reordered: a fence is missing";
pub(super) const NARROW_ATOMICS: &str =
    "may be reordered: the scope of an atomic operation is too narrow";

/// ``write and read of global memory `a[3]` by threads of different blocks may be reordered: …``
pub(super) fn pair(
    accesses: [&Access; 2],
    space: MemorySpace,
    object: &str,
    element: i64,
    wrong: &str,
) -> String {
    let [first, second] = accesses;
    let who = match first.block == second.block {
        true => "one block",
        false => "different blocks",
    };
    format!(
        "{} and {} of {space} memory `{object}[{element}]` by threads of {who} {wrong}",
        first.op, second.op
    )
}

/// What cures a finding, one line for each remedy, and what was seen with all of them.
pub(super) fn help(kernel: &Kernel, remedies: &[Remedy], seen: Option<&str>) -> Vec<String> {
    let mut lines: Vec<String> =
        remedies.iter().map(|remedy| remedy_text(kernel, remedy)).collect();
    lines.sort();
    lines.dedup();
    if let Some(seen) = seen {
        let all = if lines.len() == 1 { "with it" } else { "with all of these" };
        lines.push(format!("{all}, {seen}"));
    }
    lines
}

fn remedy_text(kernel: &Kernel, remedy: &Remedy) -> String {
    let line = |site: SiteId| line(kernel, site);
    match *remedy {
        Remedy::Insert { spot, scope, .. } => {
            let side = if matches!(spot, Spot::Before(_)) { "before" } else { "after" };
            format!(
                "insert {} {side} the access at line {}",
                fence(kernel, scope),
                line(spot.site())
            )
        }
        Remedy::Widen { site, scope, .. } => {
            format!("the fence at line {} has to be {}", line(site), fence(kernel, scope))
        }
        Remedy::Flags { site } => format!(
            "the barrier at line {} needs both CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE",
            line(site)
        ),
        Remedy::Reach { site, scope } => {
            format!("the atomic operation at line {} needs {scope} scope", line(site))
        }
    }
}

/// The line of the kernel's file that a site belongs to: its own, or that of the call.
pub(super) fn line(kernel: &Kernel, site: SiteId) -> u32 {
    let own = kernel.files.get(kernel.loc(kernel.loc).file as usize);
    let found = own.and_then(|file| place_in(kernel, file, site));
    found.unwrap_or_else(|| site_place(kernel, site)).line
}

/// Where a site stands in a file: itself, or the call that it was inlined from.
pub(super) fn place_in(kernel: &Kernel, file: &str, site: SiteId) -> Option<Place> {
    let place = site_place(kernel, site);
    let mut chain = std::iter::once(&place).chain(&place.inlined_at);
    chain.find(|place| place.file == file && place.line > 0).cloned()
}

/// A fence as the language writes it.
pub(super) fn fence(kernel: &Kernel, scope: Scope) -> &'static str {
    match (kernel.language, scope) {
        (Language::OpenCl, Scope::Block) => "mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)",
        (Language::OpenCl, _) => {
            "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, \
             memory_order_acq_rel, memory_scope_device)"
        }
        (_, Scope::Block) => "__threadfence_block()",
        (_, Scope::System) => "__threadfence_system()",
        _ => "__threadfence()",
    }
}
