//! Which accesses are checked, and as what.

use lockstep_finding::SourceLine;
use lockstep_kernel::guesses::guessing_reads;
use lockstep_kernel::{Barrier, CopyDone, Kernel, Language, Op, Operand, SiteId, SiteKind, Space};
use lockstep_simulate::place;
use serde::{Deserialize, Serialize};

use crate::abi::Class;
use crate::{once, roots, together};

/// What is known of the races of a kernel before it runs.
#[derive(Clone, Debug, Default)]
pub enum Known {
    #[default]
    Nothing,
    /// Nothing but that arrays do not overlap.
    ArraysAreApart,
    /// Only these pairs may race.
    MayRace(Vec<(SiteId, SiteId)>),
}

/// What is known of the barriers of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Barriers {
    #[default]
    MayBeMissed,
    /// All threads of a block reach each of them.
    Reached,
}

/// Which memory is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spaces {
    pub shared: bool,
    pub global: bool,
}

/// Why an access is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pruned {
    /// It is proved that it races with no other.
    Proved,
    /// Of memory that was not asked for.
    NotAskedFor,
}

/// As what an access is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum As {
    /// Only whether it is within its array: nobody writes there.
    Bounds,
    /// A read that goes together with another access of the same thread, which is checked.
    Together,
    ReadAtomically,
    Read,
    Update,
    Write,
}

/// Loops in which an access is recorded once, the first time that it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loops {
    /// So many from the innermost on, entered together once.
    pub once: u32,
    /// All that are around it.
    pub around: u32,
}

/// How often an access is recorded; each time, where nothing else is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Once for these loops: its address stays the same there.
    pub loops: Option<Loops>,
    /// By a few threads for all of the block, which make it together at one address.
    pub for_block: bool,
}

impl Recorded {
    pub fn is_each_time(self) -> bool {
        self == Recorded::default()
    }
}

/// A site that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    pub site: SiteId,
    pub how: As,
    pub recorded: Recorded,
}

/// What is checked of a kernel. The number of an access in the report is its position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub checked: Vec<Checked>,
    pub pruned: Vec<(SiteId, Pruned)>,
    /// Barriers of the block that not all threads may reach. Their rows come behind those of the accesses.
    pub barriers: Vec<SiteId>,
    /// There are barriers, and all threads are proved to reach them.
    pub reached: bool,
    /// A cell is for two to this power bytes.
    pub shared_shift: u32,
    pub global_shift: u32,
}

impl Plan {
    /// Whether something is left out for which a proof speaks.
    pub fn rests_on_proof(&self) -> bool {
        self.reached || self.pruned.iter().any(|(_, why)| *why == Pruned::Proved)
    }

    /// Whether what is left out rests on arrays that do not overlap.
    pub fn needs_arrays_apart(&self) -> bool {
        self.rests_on_proof() || self.checked.iter().any(|c| c.how == As::Bounds)
    }

    /// The rows of the report for accesses.
    pub fn access_rows(&self) -> usize {
        self.checked.len() * Class::ALL.len()
    }

    /// All rows of the report.
    pub fn rows(&self) -> usize {
        self.access_rows() + self.barriers.len()
    }

    /// By site, the row of a barrier.
    pub fn barriers_by_site(&self, kernel: &Kernel) -> Vec<Option<u32>> {
        let mut out = vec![None; kernel.sites.len()];
        for (i, site) in self.barriers.iter().enumerate() {
            out[site.0 as usize] = Some((self.access_rows() + i) as u32);
        }
        out
    }

    /// By site, its number and how it is checked.
    pub fn by_site(&self, kernel: &Kernel) -> Vec<Option<(u32, Checked)>> {
        let mut out = vec![None; kernel.sites.len()];
        for (number, checked) in self.checked.iter().enumerate() {
            out[checked.site.0 as usize] = Some((number as u32, *checked));
        }
        out
    }

    /// Accesses that are recorded for others, too.
    pub fn recorded_once(&self) -> impl Iterator<Item = &Checked> {
        self.checked.iter().filter(|c| !c.recorded.is_each_time())
    }
}

/// What is to be checked, or why the kernel cannot be.
pub fn plan(
    kernel: &Kernel,
    known: &Known,
    barriers: Barriers,
    spaces: Spaces,
) -> Result<Plan, String> {
    refuse(kernel)?;
    let guesses = guessing_reads(kernel);
    let only_read = match known {
        Known::Nothing => Default::default(),
        _ => roots::reads_of_unwritten(kernel),
    };
    let together = match known {
        Known::Nothing => Default::default(),
        _ => together::reads_with_another(kernel),
    };
    let recorded = match known {
        Known::Nothing => Default::default(),
        _ => once::recorded(kernel),
    };
    let polls = kernel.sites.iter().any(|s| s.polling);
    let mut out = Plan { shared_shift: MOST_SHIFT, global_shift: MOST_SHIFT, ..Plan::default() };
    for inst in kernel.insts() {
        if let Op::Barrier { site, barrier: Barrier::Block { .. } } = inst.op
            && !out.barriers.contains(&site)
        {
            match barriers {
                Barriers::MayBeMissed => out.barriers.push(site),
                Barriers::Reached => out.reached = true,
            }
        }
        for id in sites(&inst.op) {
            let site = kernel.site(id);
            let wanted = match site.space {
                Space::Shared => spaces.shared,
                Space::Global => spaces.global,
                Space::Generic => spaces.shared || spaces.global,
                Space::Constant | Space::Private => continue,
            };
            if out.checked.iter().any(|c| c.site == id) || out.pruned.iter().any(|p| p.0 == id) {
                continue;
            }
            if !wanted {
                out.pruned.push((id, Pruned::NotAskedFor));
                continue;
            }
            if let Known::MayRace(pairs) = known
                && pairs.iter().all(|&(a, b)| a != id && b != id)
            {
                out.pruned.push((id, Pruned::Proved));
                continue;
            }
            let how = match site.kind {
                _ if only_read.contains(&id) => As::Bounds,
                SiteKind::Read if site.polling || guesses.contains(&id) => As::ReadAtomically,
                SiteKind::Read if together.contains(&id) => As::Together,
                SiteKind::Read => As::Read,
                // The store that a polled flag is set by.
                SiteKind::Write if site.volatile && polls => As::Update,
                SiteKind::Write => As::Write,
                _ if is_atomic_load(&inst.op) => As::ReadAtomically,
                _ => As::Update,
            };
            let recorded = recorded.get(&id).copied().unwrap_or_default().limited_to(how);
            out.checked.push(Checked { site: id, how, recorded });
            if how == As::Bounds {
                continue;
            }
            let size = if site.size == 0 { 1 } else { site.size };
            let shift = size.trailing_zeros().min(site.align.max(1).trailing_zeros());
            if site.space != Space::Global {
                out.shared_shift = out.shared_shift.min(shift);
            }
            if site.space != Space::Shared {
                out.global_shift = out.global_shift.min(shift);
            }
        }
    }
    Ok(out)
}

/// No access is wider than sixteen bytes.
const MOST_SHIFT: u32 = 4;

fn sites(op: &Op) -> Vec<SiteId> {
    match *op {
        Op::Load { site, .. }
        | Op::Store { site, .. }
        | Op::Atomic { site, .. }
        | Op::MemSet { site, .. } => vec![site],
        Op::MemCopy { read, write, .. } => vec![read, write],
        _ => Vec::new(),
    }
}

fn is_atomic_load(op: &Op) -> bool {
    matches!(op, Op::Atomic { op: lockstep_kernel::AtomicOp::Load, .. })
}

/// What a cell cannot say the order of.
fn refuse(kernel: &Kernel) -> Result<(), String> {
    if kernel.language != Language::Cuda {
        return Err("only CUDA kernels can be built for a GPU".into());
    }
    let at = |loc| SourceLine::from(&place(kernel, loc));
    if let Some(unsupported) = kernel.unsupported.first() {
        return Err(format!("{} ({}) has no model", unsupported.what, at(unsupported.loc)));
    }
    for inst in kernel.insts() {
        let what = match &inst.op {
            Op::Barrier { barrier, .. } => match barrier {
                Barrier::Block { id: Operand::Imm(0), threads: None, .. }
                | Barrier::Warp { .. } => continue,
                Barrier::Grid => "a barrier of the grid",
                _ => "a barrier of some warps",
            },
            Op::MemCopy { done: CopyDone::Group { .. } | CopyDone::Signal(_), .. }
            | Op::GroupCopy { .. } => "an asynchronous copy",
            Op::Texel { .. } | Op::ImageSize { .. } => "a texture",
            _ => continue,
        };
        return Err(format!("{what} ({}) is not checked on a GPU", at(inst.loc)));
    }
    Ok(())
}
