//! Pairs of accesses: which conflict but do not race, and how a race is reported.

use lockstep_finding::{Access, Action, Finding, Kind};
use lockstep_kernel::{SiteId, Ty};

use crate::check::describe::{element, memory, site_place};
use crate::check::happens_before::Ordered;
use crate::check::race::Ctx;
use crate::check::report::Key;
use crate::code::program::Program;
use crate::code::registers::LANES;
use crate::code::sites::SiteFacts;
use crate::machine::observe::{AccessKind, COPY_ENGINE, Event};

/// Pairs that conflict but do not race: both atomic in each other's scope, a polled flag and the volatile or atomic
/// store that sets it, or a plain read whose value a compare-and-swap checks and an atomic.
pub(crate) fn tolerated(
    program: &Program,
    a: (u32, bool),
    b: (u32, bool),
    same_block: bool,
) -> bool {
    // A failed compare-and-swap has only read.
    let facts = |(site, wrote): (u32, bool)| {
        let s = program.sites[site as usize];
        SiteFacts { writes: s.writes && wrote, ..s }
    };
    let (a, b) = (facts(a), facts(b));
    let strong = |s: SiteFacts| s.atomic || s.polling || s.volatile && s.writes;
    let in_scope = |s: SiteFacts| same_block || !s.atomic || !s.block_scope;
    if !(in_scope(a) && in_scope(b)) {
        return false;
    }
    if !a.writes && !b.writes {
        return true;
    }
    // Atomics of different widths are not atomic with respect to each other.
    if a.atomic && b.atomic {
        return a.size == b.size;
    }
    if a.guesses && b.atomic || b.guesses && a.atomic {
        return a.size == b.size;
    }
    // Two volatile stores race like any other stores.
    strong(a) && strong(b) && (a.atomic || b.atomic || !a.writes || !b.writes)
}

/// The earlier access of a pair.
pub(crate) struct Side {
    pub block: u32,
    pub thread: u32,
    pub site: u32,
    pub silent: bool,
    /// Another value may have been stored since.
    pub overwritten: bool,
    /// An asynchronous copy that was not waited for.
    pub unfinished: bool,
    /// It is known not to be of the same instruction.
    pub before: bool,
}

const ASYNCHRONOUS: &str = "by a thread and an asynchronous copy that is under way";

/// Reports a conflicting pair that is unordered, or ordered only by atomics without fences.
pub(crate) fn report(
    ctx: &mut Ctx,
    e: &Event,
    lane: usize,
    offset: u64,
    t: u32,
    other: Side,
    order: Ordered,
) {
    let kind = match order {
        Ordered::OnlyWithFences => Kind::MissingFence,
        _ => Kind::DataRace,
    };
    let p = ctx.program;
    let k = p.kernel;
    let (a, b) = (other.site, e.site.0);
    let key = Key { kind, places: p.places(a, b), object: e.object as u32 };
    // Storing the same value again does not change what a reader or another writer sees.
    let len = bytes_in_conflict(p, e, lane, offset);
    let other_writes = p.sites[a as usize].writes;
    // After a store by another thread the location is initialised, whatever it held before.
    let fresh = ctx.fresh;
    let unwritten = !other_writes && fresh >> lane & 1 == 1;
    let current_silent =
        e.kind == AccessKind::Write && repeats(e, lane, offset, len as usize, unwritten, &other);
    let benign = match (other_writes, e.kind == AccessKind::Write) {
        _ if p.sites[a as usize].atomic || p.sites[b as usize].atomic => false,
        (true, true) => current_silent,
        (true, false) => other.silent,
        (false, _) => current_silent,
    };
    // The lane below has made the same access.
    if other.before && !ctx.reports.is_news(&key, benign) {
        return;
    }
    let block = ctx.block;
    ctx.reports.add(key, benign, || {
        let info = &p.objects[e.object];
        let place_text = element(info, offset as i64);
        let op = |site: u32| {
            let s = p.sites[site as usize];
            if s.atomic {
                Action::Atomic
            } else if s.writes {
                Action::Write
            } else {
                Action::Read
            }
        };
        let width = u64::from(e.ty.bytes());
        let start = offset - offset.wrapping_sub(e.offsets[lane]) % width;
        let text = |byte: &dyn Fn(u64) -> Option<u8>| {
            let bytes: Option<Vec<u8>> = (start..start + width).map(byte).collect();
            let bits = bytes?.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b));
            Some(show(e.ty, bits))
        };
        let in_memory = |at: u64| e.old_byte(lane, at);
        // The other access may be by a lane of the same store.
        let same_store = a == b && other.block == block && e.kind == AccessKind::Write;
        let peer = (0..LANES)
            .find(|l| same_store && e.mask >> l & 1 == 1 && e.first_thread + *l as u32 == other.thread);
        let first_value = match peer {
            _ if !other_writes || other.overwritten => None,
            Some(l) => text(&|at| e.new_byte(l, at)).or_else(|| text(&in_memory)),
            None => text(&in_memory),
        };
        let side = |site: u32, thread: u32, block: u32, value: Option<String>| Access {
            op: op(site),
            thread: (thread != COPY_ENGINE).then(|| p.thread_at(block, thread)),
            block: p.block_at(block),
            place: site_place(k, SiteId(site)),
            value,
            notes: Vec::new(),
        };
        let first = side(a, other.thread, other.block, first_value);
        let value = match e.kind {
            AccessKind::Write => text(&|at| e.new_byte(lane, at)),
            _ => text(&in_memory),
        };
        let second = side(b, t, block, value);
        let copy = t == COPY_ENGINE || other.thread == COPY_ENGINE;
        let where_ = if other.unfinished {
            ASYNCHRONOUS
        } else if copy {
            "by a thread and a group copy"
        } else if other.block != block {
            "by threads of different blocks"
        } else if t / p.config.warp_size == other.thread / p.config.warp_size
        {
            "by threads of one warp"
        } else {
            "by threads of different warps"
        };
        let message = match kind {
            Kind::MissingFence => format!(
                "{} and {} of {} memory `{place_text}` {where_} are ordered by atomics without a fence",
                first.op, second.op, info.space
            ),
            _ => format!(
                "data race on {} memory `{place_text}`: {} and {} {where_} without synchronisation",
                info.space, first.op, second.op
            ),
        };
        let mut f = Finding::new(kind, message, vec![first, second]);
        f.memory = Some(memory(info, offset as i64, len));
        f.help = help(p, e, kind, where_, a, b).map(str::to_owned).into_iter().collect();
        f
    });
}

/// What to look at. `None` where a barrier or a fence may be missing: the caller gives that advice, after trying it.
fn help(p: &Program, e: &Event, kind: Kind, where_: &str, a: u32, b: u32) -> Option<&'static str> {
    let (sa, sb) = (p.sites[a as usize], p.sites[b as usize]);
    if kind == Kind::MissingFence {
        return None;
    }
    if sa.atomic && sb.atomic {
        return Some(if sa.size != sb.size {
            "atomics of different widths are not atomic with respect to each other: use one width"
        } else {
            "an atomic of block scope is atomic for its own block only: use the device-wide form"
        });
    }
    if where_ == ASYNCHRONOUS {
        return Some(
            "look at whether the copy was waited for (__pipeline_wait_prior, cp.async.wait_group), and a barrier let the \
             other threads know, before its memory is touched",
        );
    }
    if where_ == "by a thread and a group copy" {
        return Some(if e.first_thread == COPY_ENGINE {
            "look at whether a barrier for that memory is missing before the group copy"
        } else {
            "wait for the copy with wait_group_events before touching its memory"
        });
    }
    if sa.atomic == sb.atomic && where_ == "by threads of different blocks" {
        return Some(
            "blocks run in no particular order: give each block its own elements, use atomics, or split the kernel",
        );
    }
    if where_ == "by threads of different blocks" {
        return Some(
            "look at whether both accesses should be atomic: no barrier of a block keeps them apart",
        );
    }
    (a == b && sa.writes && !sa.atomic).then_some(
        "several threads store to one element: give each its own, guard the store, or use an atomic",
    )
}

/// Whether the lane stores at `offset` the value that is there already, or the value that another lane of the same
/// store has stored.
fn repeats(e: &Event, lane: usize, offset: u64, len: usize, unwritten: bool, other: &Side) -> bool {
    let lower = if other.before { 0 } else { lane };
    (0..len as u64).all(|i| {
        let at = offset + i;
        let mine = e.new_byte(lane, at);
        let earlier =
            (0..lower).rev().filter(|l| e.mask >> l & 1 == 1).find_map(|l| e.new_byte(l, at));
        match earlier {
            Some(b) => mine == Some(b),
            None => !unwritten && mine == e.old_byte(lane, at),
        }
    })
}

/// How many bytes starting at `offset` the finding names: to the end of the element or of the lane's access, whichever
/// comes first.
fn bytes_in_conflict(p: &Program, e: &Event, lane: usize, offset: u64) -> i64 {
    let element = u64::from(p.objects[e.object].elem.size().max(1));
    let end = (e.offsets[lane] + u64::from(e.size)).min((offset / element + 1) * element);
    (end - offset) as i64
}

/// A value as text.
pub(crate) fn show(ty: Ty, bits: u64) -> String {
    match ty {
        Ty::F32 => format!("{}", f32::from_bits(bits as u32)),
        Ty::F64 => format!("{}", f64::from_bits(bits)),
        Ty::F16 => format!("{}", lockstep_kernel::semantics::half::to_f32(bits as u16)),
        Ty::Ptr => format!("{bits:#x}"),
        Ty::I1 => format!("{}", bits & 1),
        _ => format!("{}", ((bits << (64 - ty.bits())) as i64) >> (64 - ty.bits())),
    }
}
