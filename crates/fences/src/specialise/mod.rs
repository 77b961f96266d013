//! From a kernel and a launch to a small concurrent program.
//!
//! Threads are specialised one by one ([`thread`]). Which memory they communicate through is not known at first: as long as
//! their accesses show more of it ([`pattern`]), all are specialised again. In the end no thread writes what another
//! touches outside of what is shared; so each may take the rest of memory for its own, or for what it was at first.

mod access;
mod arithmetic;
mod exchange;
mod liveness;
mod objects;
mod opaque;
mod pattern;
mod residual;
mod state;
mod thread;
mod value;

pub use residual::{Origin, Role, Spot};

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use lockstep_kernel::cfg::Cfg;
use lockstep_kernel::{Elem, Kernel, Language, Scheduling, SiteId, Space as KernelSpace};
use lockstep_weak::program::{
    Barrier, Code, Expr, Instr, Location, Order, Participants, Place, Program, Scope, Space,
    Strength, Thread as WeakThread,
};

use crate::launch::{Launch, ThreadAt};
use crate::limits::Limits;
use crate::outside::{Outside, Reason};
use liveness::Liveness;
use objects::Objects;
use pattern::Pattern;
use residual::Left;
use thread::{Stop, World};

pub(crate) fn weak_scope(scope: lockstep_kernel::Scope) -> Scope {
    match scope {
        lockstep_kernel::Scope::Thread => Scope::Thread,
        lockstep_kernel::Scope::Warp => Scope::Warp,
        lockstep_kernel::Scope::Block => Scope::Block,
        lockstep_kernel::Scope::Device => Scope::Device,
        lockstep_kernel::Scope::System => Scope::System,
    }
}

pub(crate) fn kernel_scope(scope: Scope) -> lockstep_kernel::Scope {
    match scope {
        Scope::Thread => lockstep_kernel::Scope::Thread,
        Scope::Warp => lockstep_kernel::Scope::Warp,
        Scope::Block => lockstep_kernel::Scope::Block,
        Scope::Cluster | Scope::Device => lockstep_kernel::Scope::Device,
        Scope::System => lockstep_kernel::Scope::System,
    }
}

pub(crate) fn weak_order(order: lockstep_kernel::Order) -> Order {
    match order {
        lockstep_kernel::Order::Relaxed => Order::Relaxed,
        lockstep_kernel::Order::Acquire => Order::Acquire,
        lockstep_kernel::Order::Release => Order::Release,
        lockstep_kernel::Order::AcqRel => Order::AcqRel,
        lockstep_kernel::Order::SeqCst => Order::SeqCst,
    }
}

/// A place of memory through which threads communicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedPlace {
    pub object: String,
    pub space: KernelSpace,
    /// Bytes from the beginning of the object.
    pub offset: u64,
    pub size: u32,
    pub elem: Elem,
    /// For shared memory, the number of the block that it belongs to.
    pub block: Option<u32>,
    /// Nobody has written there before the kernel.
    pub uninitialised: bool,
}

/// What threads of a launch do with the memory through which they communicate, and nothing else.
#[derive(Clone, Debug)]
pub struct Communication {
    pub program: Program,
    /// For each thread's code, where its instructions come from.
    pub origins: Vec<Vec<Origin>>,
    /// The threads of the program. Others have nothing to do with each other or with these.
    pub threads: Vec<ThreadAt>,
    /// How many others the launch has.
    pub left_out: usize,
    /// The locations of the program.
    pub places: Vec<SharedPlace>,
    /// Accesses, fences and barriers that threads which are left out come to.
    pub reached: BTreeSet<SiteId>,
    /// Why ways of threads end that hang on what other threads write: an execution in which a thread comes there is not
    /// followed.
    pub open: Option<Outside>,
    /// For each thread's code, those that a thread has passed that comes to an instruction.
    passed: Vec<BTreeMap<usize, BTreeSet<SiteId>>>,
}

impl Communication {
    pub fn origin(&self, thread: usize, pc: usize) -> Origin {
        self.origins[self.program.threads[thread].code][pc]
    }

    /// Pairs of accesses by different threads that may go to one place, of which one writes: the smaller number first.
    pub(crate) fn conflicts(&self) -> BTreeSet<(SiteId, SiteId)> {
        let mut at: Vec<BTreeSet<(usize, SiteId, bool)>> = vec![BTreeSet::new(); self.places.len()];
        for thread in 0..self.program.threads.len() {
            for (pc, instr) in self.program.code(thread).instrs.iter().enumerate() {
                let Some(address) = instr.address() else { continue };
                let Some(site) = self.origin(thread, pc).site else { continue };
                let places = match address.index {
                    Expr::Const(index) => {
                        let place = address.base.saturating_add_signed(index as isize);
                        place..place + 1
                    }
                    _ => address.base..address.base + address.len,
                };
                for accesses in at.iter_mut().take(places.end).skip(places.start) {
                    accesses.insert((thread, site, instr.writes()));
                }
            }
        }
        let mut out = BTreeSet::new();
        for accesses in &at {
            for &(one, a, writes) in accesses {
                for &(other, b, also_writes) in accesses {
                    if one != other && (writes || also_writes) {
                        out.insert((a.min(b), a.max(b)));
                    }
                }
            }
        }
        out
    }

    /// Accesses, fences and barriers that a thread has passed which comes to an instruction.
    pub fn passed(&self, thread: usize, pc: usize) -> impl Iterator<Item = SiteId> {
        self.passed[self.program.threads[thread].code].get(&pc).into_iter().flatten().copied()
    }
}

/// Rounds until it is known what is shared.
const MOST_ROUNDS: usize = 64;

/// The communicating part of a kernel at a launch.
pub fn specialise(
    kernel: &Kernel,
    launch: &Launch,
    limits: &Limits,
) -> Result<Communication, Outside> {
    let threads = launch.thread_count();
    if threads > limits.threads {
        return Err(Outside::of(Reason::Threads { threads, most: limits.threads }));
    }
    if !(1..=32).contains(&launch.warp_size) {
        return Err(Outside::of(Reason::Arguments));
    }
    if launch.scheduling == Scheduling::Lockstep
        && launch.warp_size > 1
        && launch.threads_per_block() > 1
    {
        return Err(Outside::of(Reason::Lockstep));
    }
    if launch.global.is_some() {
        return Err(Outside::of(Reason::SmallerBlocks));
    }
    if !kernel.beside.is_empty() {
        return Err(Outside::of(Reason::Aliases));
    }
    let world = World {
        kernel,
        cfg: Cfg::new(kernel),
        liveness: Liveness::new(kernel),
        launch,
        threads: launch.threads(),
        objects: Objects::new(kernel, launch)?,
        limits,
        all_steps: Cell::new(0),
        ptx: kernel.language != Language::OpenCl,
    };
    let mut known = BTreeSet::new();
    let mut pattern = Pattern::default();
    for _ in 0..MOST_ROUNDS {
        let mut found = known.clone();
        let results: Vec<_> = (0..world.threads.len())
            .map(|me| thread::specialise(&world, &pattern, &known, &mut found, me))
            .collect();
        let next = Pattern::of(&found, &world.objects);
        if next != pattern {
            (pattern, known) = (next, found);
            continue;
        }
        let mut codes = Vec::new();
        for result in results {
            match result {
                Ok(code) => codes.push(code),
                Err(Stop::Outside(outside)) => return Err(outside),
                // The pattern did not change, although a thread does not fit it: it will not fit later either.
                Err(Stop::NewSharing | Stop::Widened) => return Err(Outside::of(Reason::States)),
            }
        }
        return assemble(&world, &pattern, codes);
    }
    Err(Outside::of(Reason::States))
}

/// The threads that are explored: those that are not idle. Where one of them waits in another way than at the barrier 0 of
/// its block, it may wait for a thread that waits there: then these are explored, too.
fn explored(world: &World<'_>, codes: &[Left]) -> Vec<usize> {
    let barriers = |thread: usize| {
        codes[thread].code.instrs.iter().filter_map(|instr| match instr {
            Instr::Barrier(barrier) => Some(barrier),
            _ => None,
        })
    };
    let block = |thread: usize| world.threads[thread].block_number;
    let idle: Vec<bool> = codes.iter().map(is_idle).collect();
    let waits_elsewhere = |&thread: &usize| barriers(thread).any(|b| !is_of_whole_block(b));
    let mixed: BTreeSet<u32> = (0..codes.len()).filter(waits_elsewhere).map(block).collect();
    let is_explored = |&thread: &usize| {
        !idle[thread] || (mixed.contains(&block(thread)) && barriers(thread).next().is_some())
    };
    (0..codes.len()).filter(is_explored).collect()
}

/// The barrier 0, for all of the block.
fn is_of_whole_block(barrier: &Barrier) -> bool {
    (barrier.domain, &barrier.id) == (Scope::Block, &Expr::Const(0))
        && barrier.participants == Participants::All
        && barrier.gather.is_none()
}

/// Whether a thread has nothing to do with others but to meet all of its block at the barrier 0, whatever they do: then
/// nobody waits for it in vain, and who meets it there meets the others.
fn is_idle(left: &Left) -> bool {
    let code = &left.code;
    code.instrs.iter().zip(&left.origins).all(|(instr, origin)| match instr {
        Instr::Let { .. } | Instr::Jump { .. } | Instr::Fence { .. } => true,
        Instr::Barrier(barrier) => is_of_whole_block(barrier),
        Instr::Load { .. } | Instr::Store { .. } | Instr::Atomic { .. } | Instr::Branch { .. } => {
            false
        }
        Instr::Assert { .. } => origin.role == Role::Passed,
    }) && !code.instrs.iter().enumerate().any(|(pc, instr)| match instr {
        Instr::Jump { target } => *target <= pc,
        _ => false,
    })
}

fn assemble(
    world: &World<'_>,
    pattern: &Pattern,
    mut codes: Vec<Left>,
) -> Result<Communication, Outside> {
    let kept = explored(world, &codes);
    let threads = kept.len() as u64;
    let most = world.limits.communicating;
    if threads > most {
        return Err(Outside::of(Reason::Communicating { threads, most }));
    }
    let left_out = codes.len() - kept.len();
    let idle = (0..codes.len()).filter(|thread| !kept.contains(thread));
    let reached = idle.flat_map(|thread| codes[thread].passed.values().flatten().copied());
    let reached: BTreeSet<SiteId> = reached.collect();
    codes = kept.iter().map(|&thread| std::mem::take(&mut codes[thread])).collect();
    for left in &mut codes {
        renumber(&mut left.code, &kept);
    }
    let mut program = Program { name: world.kernel.name.clone(), ..Program::default() };
    let mut places = Vec::new();
    for (instance, cell) in pattern.cells() {
        let object = &world.objects.objects[instance.object];
        let first = world.objects.first_bits(instance.object, cell.offset, cell.size);
        let element = cell.offset / u64::from(object.elem.size().max(1));
        let owner = match (object.space, instance.owner) {
            (KernelSpace::Shared, Some(block)) => format!(" of block {block}"),
            (KernelSpace::Private, Some(thread)) => format!(" of thread {thread}"),
            _ => String::new(),
        };
        program.locations.push(Location {
            name: format!("{}[{element}]{owner}", object.name),
            initial: first.unwrap_or(0) as i64,
            space: match object.space {
                KernelSpace::Shared => Space::Shared,
                _ => Space::Global,
            },
            atomic: world.ptx,
        });
        places.push(SharedPlace {
            object: object.name.clone(),
            space: object.space,
            offset: cell.offset,
            size: cell.size,
            elem: object.elem,
            block: instance.owner.filter(|_| object.space == KernelSpace::Shared),
            uninitialised: first.is_none(),
        });
    }
    let (mut origins, mut passed): (Vec<Vec<Origin>>, Vec<_>) = (Vec::new(), Vec::new());
    let open = codes.iter().find_map(|left| left.open.clone());
    let opaque = codes.iter().find_map(|left| left.opaque);
    for (index, left) in codes.into_iter().enumerate() {
        let at = world.threads[kept[index]];
        program.threads.push(WeakThread {
            name: format!("thread {:?} of block {:?}", at.thread, at.block),
            place: Place {
                device: 0,
                cluster: at.block_number,
                block: at.block_number,
                warp: at.warp,
            },
            code: index,
            start: Vec::new(),
        });
        program.codes.push(left.code);
        origins.push(left.origins);
        passed.push(left.passed);
    }
    if !world.ptx {
        mark_atomic(&mut program);
    }
    if let Some(what) = opaque
        && let Some((code, pc, decision)) = opaque::decided(&program)
    {
        let origin = &origins[code][pc];
        return Err(Outside::at(Reason::Decides(what, decision), origin.loc));
    }
    let threads = kept.iter().map(|&thread| world.threads[thread]).collect();
    Ok(Communication { program, origins, threads, left_out, places, reached, open, passed })
}

/// Lets barriers name threads by their numbers among those that are kept.
fn renumber(code: &mut Code, kept: &[usize]) {
    let number = |thread: usize| kept.iter().position(|&other| other == thread);
    for instr in &mut code.instrs {
        let Instr::Barrier(barrier) = instr else { continue };
        if let Participants::Among(threads) = &mut barrier.participants {
            *threads = threads.iter().filter_map(|&thread| number(thread)).collect();
        }
        for (thread, _, _) in barrier.gather.iter_mut().flat_map(|gather| &mut gather.into) {
            *thread = number(*thread).unwrap_or(usize::MAX);
        }
    }
}

/// In OpenCL, memory that atomic operations may touch is atomic.
fn mark_atomic(program: &mut Program) {
    let is_atomic = |instr: &&Instr| match instr {
        Instr::Load { strength, .. } | Instr::Store { strength, .. } => *strength != Strength::Weak,
        Instr::Atomic { .. } => true,
        _ => false,
    };
    let touched: Vec<bool> = (0..program.locations.len())
        .map(|location| {
            let mut atomics = program.codes.iter().flat_map(|code| &code.instrs).filter(is_atomic);
            atomics.any(|instr| instr.address().is_some_and(|at| at.may_be(location)))
        })
        .collect();
    for (location, atomic) in program.locations.iter_mut().zip(touched) {
        location.atomic = atomic;
    }
}
