//! What a launch does to arrays that outlive it: where it accesses each, which bytes it writes, and which it reads that
//! nobody has written.
//!
//! An array that a program has allocated and not filled has bytes without a value. A launch that reads one of them reads
//! what happens to be there, unless another of its threads writes it first; whether that one comes first is a question
//! of order, which the check for races answers. So a read counts if nobody has written the byte before, and no other
//! thread writes it in this launch. That the same thread writes it later is no help: `sum[i] += x` is such a read.
//!
//! The launch runs in the fixed order of [`crate::machine::grid`] without any check.

use lockstep_kernel::{AtomicOp, Kernel, Op, SiteId, Space};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::describe::access;
use crate::code::program::{Prepared, Program};
use crate::code::registers::lanes_of;
use crate::launch::outcome::BufferUse;
use crate::launch::request::{BoundLaunch, Config, LaunchError};
use crate::machine::grid::in_order;
use crate::machine::observe::{AccessKind, At, Event, Observer};

/// Executes one launch without checks. `written` has the bytes of each parameter's array that have a value before; all
/// have one where it is `None`.
pub fn buffer_uses(
    kernel: &Kernel,
    launch: &BoundLaunch,
    config: &Config,
    written: &[Option<Vec<bool>>],
) -> Result<Vec<BufferUse>, LaunchError> {
    let prepared = Prepared::new(kernel);
    let program = Program::new(&prepared, launch, config, None)?;
    let of = |object: usize| {
        let param = program.objects[object].param?;
        written.get(param)?.clone()
    };
    let known = (0..program.objects.len()).map(of).collect();
    let mut exchanges = vec![false; kernel.sites.len()];
    for inst in kernel.blocks.iter().flat_map(|b| &b.insts) {
        if let Op::Atomic { site, op: AtomicOp::Exchange | AtomicOp::Store, .. } = inst.op {
            exchanges[site.0 as usize] = true;
        }
    }
    let mut uses = Uses { known, objects: FxHashMap::default(), exchanges };
    in_order(&program, &mut uses);
    let mut out: Vec<BufferUse> = (uses.objects.into_iter())
        .filter_map(|(object, seen)| {
            let param = program.objects[object].param?;
            let described = |d: Deed| access(&program, d.block, d.site, d.thread);
            let mut bytes: Vec<u64> = seen.writers.keys().copied().collect();
            bytes.sort_unstable();
            Some(BufferUse {
                param,
                first: described(seen.first),
                unwritten: seen.unwritten().map(|(byte, deed)| (byte, described(deed))),
                written: bytes,
            })
        })
        .collect();
    out.sort_by_key(|u| u.param);
    Ok(out)
}

/// An access of a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Deed {
    site: SiteId,
    block: u32,
    thread: u32,
}

/// What was done to one array.
struct Seen {
    first: Deed,
    /// By byte: the first read of one without a value.
    early: FxHashMap<u64, Deed>,
    /// By byte: the thread that writes it, if it is one only.
    writers: FxHashMap<u64, Option<(u32, u32)>>,
    /// Bytes that a store sets, and not only atomics that read them first.
    stored: FxHashSet<u64>,
}

impl Seen {
    /// The first byte without a value that is read, and that no other thread writes before, in any order.
    fn unwritten(&self) -> Option<(u64, Deed)> {
        let is_own = |byte: &u64, deed: &Deed| match self.writers.get(byte) {
            None => true,
            Some(writer) => {
                *writer == Some((deed.block, deed.thread)) || !self.stored.contains(byte)
            }
        };
        let open = self.early.iter().filter(|(byte, deed)| is_own(byte, deed));
        open.min_by_key(|(byte, _)| **byte).map(|(byte, deed)| (*byte, *deed))
    }
}

struct Uses {
    /// By object: the bytes that have a value.
    known: Vec<Option<Vec<bool>>>,
    objects: FxHashMap<usize, Seen>,
    /// By site: an atomic that sets what it does not need to read.
    exchanges: Vec<bool>,
}

impl Observer for Uses {
    type Block = ();

    fn new_block(&mut self, _: &Program) {}

    fn access(&mut self, (): &mut (), at: &At, e: &Event) -> u64 {
        if e.space == Space::Shared || at.program.objects[e.object].param.is_none() {
            return 0;
        }
        for lane in lanes_of(e.mask) {
            let deed = Deed { site: e.site, block: at.block, thread: e.thread(lane) };
            let seen = self.objects.entry(e.object).or_insert_with(|| Seen {
                first: deed,
                early: FxHashMap::default(),
                writers: FxHashMap::default(),
                stored: FxHashSet::default(),
            });
            let reads = e.kind != AccessKind::Write && !self.exchanges[e.site.0 as usize];
            for byte in e.offsets[lane]..e.offsets[lane] + u64::from(e.size) {
                let known = self.known[e.object].as_mut();
                let has_value = known.as_ref().is_none_or(|k| k.get(byte as usize) == Some(&true));
                if reads && !has_value {
                    seen.early.entry(byte).or_insert(deed);
                }
                if e.kind != AccessKind::Read && !reads {
                    seen.stored.insert(byte);
                }
                if e.kind != AccessKind::Read {
                    let own = (deed.block, deed.thread);
                    let writer = seen.writers.entry(byte).or_insert(Some(own));
                    if *writer != Some(own) {
                        *writer = None;
                    }
                    if let Some(k) = known.and_then(|k| k.get_mut(byte as usize)) {
                        *k = true;
                    }
                }
            }
        }
        0
    }
}
