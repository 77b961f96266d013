//! The memory model of OpenCL 2.0, as repaired and simplified by Batty, Donaldson and Wickerson ("Overhauling SC atomics
//! in C11 and OpenCL", POPL 2016) with scoped SC axioms, and as Dat3M writes it in `cat/opencl.cat`.
//!
//! - Atomic operations synchronise only if they have the same scope and it holds both. Weak accesses have the scope of
//!   their work-item.
//! - Global and local memory have happens-before relations of their own; a fence or barrier concerns those that its flags
//!   name.
//! - Locations are atomic or not. Those that are not have no modification order; a read must see a visible write.
//!
//! Release sequences and visible writes are defined by what is *not* there. Of an unfinished candidate, only that part is
//! used which stays true however it is finished.
//!
//! Deviation: values must come from somewhere. OpenCL's model has no axiom against thin air, but values that cause
//! themselves are not explored.

use super::{Judgement, Model, Undecided, unordered};
use crate::candidate::Candidate;
use crate::relation::{EventSet, Relation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenCl;

/// The relations that the model defines.
struct Defined {
    co: Relation,
    mo: Relation,
    ghb: Relation,
    lhb: Relation,
    undecided: Vec<(usize, usize)>,
}

impl OpenCl {
    fn define(x: &Candidate) -> Defined {
        let Candidate { po: sb, rf, same_thread: wi, same_scope: incl, .. } = x;
        let everything = EventSet::all(x.n);
        let fences = x.fences | x.barriers;
        let acq = (x.acquires & (x.reads | x.fences)) | x.barriers;
        let rel = (x.releases & (x.writes | x.fences)) | x.barriers;

        // Modification order: coherence at atomic locations.
        let first = &x.product(x.initial, x.writes - x.initial) & &x.same_location;
        let co = (&x.co | &first).closure();
        let mo = co.within(everything - x.nonatomic);
        let atomic_writes = x.writes - x.initial - x.nonatomic;
        let undecided = unordered(&x.same_location.within(atomic_writes), &co);

        // Release sequences. They are cut by writes of others, so of an unfinished order only their heads are sure.
        let rs = if x.finished && undecided.is_empty() {
            let updates = x.rmw.range() | x.rmw.inverse().range();
            let continues = &x.product(everything, updates) | wi;
            let cut = (&mo - &continues).then(&mo);
            &(&mo & &continues) - &cut
        } else {
            Relation::empty(x.n)
        };

        let fence_then = sb.starting_in(fences);
        let then_fence = sb.ending_in(fences);
        let release_acquire = |region: EventSet| {
            let released =
                fence_then.optional().starting_in(region & rel).ending_in(x.writes - x.own_scope);
            let carried = rs.optional().ending_in(region).then(rf).ending_in(x.reads - x.own_scope);
            let acquired = then_fence.optional().ending_in(region & acq);
            &(&released.then(&carried).then(&acquired) & incl) - wi
        };
        let at_barriers = |region: EventSet| &(&x.barrier & &x.same_block).within(region) - wi;

        // Both regions at once: sequentially consistent operations, and fences of both.
        let both = fences & x.global & x.local;
        let across = &x.product(x.seq_cst, x.seq_cst) | &x.product(both, both);
        let (global, local) = (release_acquire(x.global), release_acquire(x.local));
        let gsw = &(&global | &at_barriers(x.global)) | &(&across & &local);
        let lsw = &(&local | &at_barriers(x.local)) | &(&across & &global);

        let initially = x.product(x.initial, everything - x.initial);
        let happens_before = |region: EventSet, synchronizes: &Relation| {
            let steps = &(&sb.within(region) | &initially.within(region)) | synchronizes;
            &steps.closure() - &Relation::identity(x.n)
        };
        let ghb = happens_before(x.global, &gsw);
        let lhb = happens_before(x.local, &lsw);
        Defined { co, mo, ghb, lhb, undecided }
    }
}

impl Model for OpenCl {
    fn name(&self) -> &'static str {
        "OpenCL"
    }

    fn judge(&self, x: &Candidate) -> Result<Judgement, &'static str> {
        if !(&x.rf | &x.dependency).acyclic() {
            return Err("values from nowhere");
        }
        let Defined { co, mo, ghb, lhb, undecided } = OpenCl::define(x);
        if !co.irreflexive() {
            return Err("modification order");
        }
        let finished = x.finished && undecided.is_empty();
        let hb = &ghb | &lhb;
        let (rf, read_by) = (&x.rf, x.rf.inverse());

        // Coherence.
        for hb in [&ghb, &lhb] {
            if !read_by.optional().then(&mo).then(&rf.optional()).then(hb).irreflexive() {
                return Err("Coh");
            }
        }

        // A load reads no store that comes later, and one of a location that is not atomic a store that is visible.
        if !rf.then(&hb).irreflexive() {
            return Err("Rf");
        }
        for (region, hb) in [(x.global, &ghb), (x.local, &lhb)] {
            let plain = rf.ending_in(x.nonatomic & region);
            let hidden = (hb & &x.same_location).ending_in(x.writes).then(hb);
            let unseen = if finished { &plain - hb } else { Relation::empty(x.n) };
            if !(&(&plain & &hidden) | &unseen).is_empty() {
                return Err("NaRf");
            }
        }

        // Atomic operations are not interrupted.
        let other = |r: &Relation| r - &x.same_thread;
        let fr = read_by.then(&co);
        if !(&x.rmw & &other(&fr).then(&other(&co))).is_empty() {
            return Err("Rmw");
        }

        // Sequentially consistent operations of one scope have one order.
        let fences = x.fences | x.barriers;
        let fence_then = x.po.starting_in(fences).optional();
        let then_fence = x.po.ending_in(fences).optional();
        let reads_before = read_by.then(&mo);
        let order = fence_then.then(&(&(&reads_before | &mo) | &hb)).then(&then_fence);
        if !(&order.within(x.seq_cst) & &x.same_scope).acyclic() {
            return Err("Sscoped");
        }

        let undecided = undecided.into_iter().map(|(a, b)| Undecided::Coherence(a, b)).collect();
        Ok(Judgement { co, undecided, ordered: &hb.symmetric() | &x.same_scope, before: hb })
    }

    /// Conflicting accesses that are not ordered by happens-before and are not atomic with the same scope.
    fn races(&self, x: &Candidate, judgement: &Judgement) -> Relation {
        &x.conflicts() - &judgement.ordered
    }
}
