//! The memory consistency model of PTX.
//!
//! Follows NVIDIA's documentation of the PTX ISA, "Memory Consistency Model", and the models of Dat3M in the language of
//! Cat (versions 6.0 and 7.5), without proxies, mixed sizes and vectors: accesses of one location overlap completely.
//!
//! Where the sources differ, [`Version`] says which is meant:
//! - Base causality order holds program order in the documentation and in 7.5, not in 6.0.
//! - From 7.5 on, causality order relates accesses of the same address only (what proxies leave of it).
//! - Observation goes through chains of atomic operations; in the 7.5 of Cat, causality takes one step of it.
//! - `Documented` has the axiom SC-per-Location, which the 7.5 of Cat leaves out, and lets the order of `fence.sc` agree
//!   with base causality order, since causality order relates no fences there.
//! - In `Documented`, a `fence.sc` is also a `fence.acq_rel`: "a slower fence" that does at least as much. Cat's models
//!   give it its own order only.

use super::{Judgement, Model, Undecided, unordered};
use crate::candidate::Candidate;
use crate::relation::Relation;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// As Cat's `ptx-v6.0`.
    V6_0,
    /// As Cat's `ptx-v7.5`.
    V7_5,
    /// As NVIDIA's documentation since 7.5.
    Documented,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ptx {
    pub version: Version,
}

impl Ptx {
    pub const DOCUMENTED: Ptx = Ptx { version: Version::Documented };
}

/// The relations that the model defines.
struct Defined {
    morally_strong: Relation,
    fence_order: Relation,
    cause_base: Relation,
    cause: Relation,
}

impl Ptx {
    fn define(&self, x: &Candidate) -> Defined {
        let Candidate { po, rf, rmw, .. } = x;
        let memory = x.memory();
        let po_loc = x.po_loc();
        let strong_writes = x.writes & x.strong;
        let strong_reads = x.reads & x.strong;

        // Related in program order, or both strong with scopes that include each other; accesses overlap completely.
        let near = &po.symmetric() | &x.inclusive.within(x.strong);
        let apart = &x.product(memory, memory) - &x.same_location;
        let morally_strong = &(&near - &apart) - &Relation::identity(x.n);

        // A write is observed by a read, or by a chain of atomic operations.
        let observed = &morally_strong & rf;
        let observation = observed.then(&rmw.then(&observed).closure().optional());

        let releasing_fences = match self.version {
            Version::Documented => x.fences & x.releases,
            Version::V6_0 | Version::V7_5 => (x.fences & x.releases) - x.seq_cst,
        };
        let acquiring_fences = match self.version {
            Version::Documented => x.fences & x.acquires,
            Version::V6_0 | Version::V7_5 => (x.fences & x.acquires) - x.seq_cst,
        };
        let release_pattern =
            &po_loc.optional().starting_in(x.writes & x.releases).ending_in(strong_writes)
                | &po.starting_in(releasing_fences).ending_in(strong_writes);
        let acquire_pattern =
            &po_loc.optional().starting_in(strong_reads).ending_in(x.reads & x.acquires)
                | &po.starting_in(strong_reads).ending_in(acquiring_fences);

        // `observation` with chains that begin or end inside an atomic operation, as 7.5 writes it.
        let chained = (&observed | rmw).closure();
        let seen = if self.version == Version::V7_5 { &chained } else { &observation };
        let synchronizes = &morally_strong & &release_pattern.then(seen).then(&acquire_pattern);

        // Fence-SC order: as chosen, and in agreement with causality; what causality adds is added until all is said.
        let sc_fences = x.fences & x.seq_cst;
        let sc_pairs = morally_strong.within(sc_fences);
        let mut fence_order = &x.fence_order | &po.within(sc_fences);
        loop {
            let steps = &(&synchronizes | &fence_order) | &x.barrier;
            let cause_base = po.optional().then(&steps.then(&po.optional()).closure());
            let (cause_base, cause) = match self.version {
                Version::V6_0 => {
                    let cause = &cause_base | &observation.then(&(&cause_base | &po_loc));
                    (cause_base, cause)
                }
                Version::V7_5 | Version::Documented => {
                    let cause_base = &cause_base | po;
                    let preserved = &cause_base & &x.same_location;
                    let first = if self.version == Version::V7_5 {
                        &observed | rmw
                    } else {
                        observation.clone()
                    };
                    let cause = first.optional().then(&preserved);
                    (cause_base, cause)
                }
            };
            let causal = if self.version == Version::V6_0 { &cause } else { &cause_base };
            let grown = &fence_order | &(&sc_pairs & causal);
            if grown == fence_order {
                return Defined { morally_strong, fence_order, cause_base, cause };
            }
            fence_order = grown;
        }
    }
}

impl Model for Ptx {
    fn name(&self) -> &'static str {
        match self.version {
            Version::V6_0 => "PTX 6.0",
            Version::V7_5 => "PTX 7.5",
            Version::Documented => "PTX",
        }
    }

    fn judge(&self, x: &Candidate) -> Result<Judgement, &'static str> {
        // No thin air: values do not cause themselves.
        if !(&x.rf | &x.dependency).acyclic() {
            return Err("No-Thin-Air");
        }
        let Defined { morally_strong, fence_order, cause_base, cause } = self.define(x);

        // Fence-SC order does not contradict causality order.
        let causal = if self.version == Version::V6_0 { &cause } else { &cause_base };
        if !fence_order.then(causal).irreflexive() {
            return Err("Fence-SC");
        }

        // Coherence order holds causality order between overlapping writes, is transitive, and is an order.
        let first = &x.product(x.initial, x.writes - x.initial) & &x.same_location;
        let causal_writes = &cause.within(x.writes) & &x.same_location;
        let co = (&(&x.co | &first) | &causal_writes).closure();
        if !co.irreflexive() {
            return Err("Coherence");
        }
        let fr = x.rf.inverse().then(&co);

        // No write between the read and the write of an atomic operation, as far as both are morally strong with it.
        let between = (&morally_strong & &fr).then(&(&morally_strong & &co));
        if !(&between & &x.rmw).is_empty() {
            return Err("Atomicity");
        }

        // Morally strong communication agrees with program order at each location.
        if self.version != Version::V7_5 {
            let communication = &(&x.rf | &co) | &fr;
            if !(&(&morally_strong & &communication) | &x.po_loc()).acyclic() {
                return Err("SC-per-Location");
            }
        }

        // Communication does not contradict causality order.
        if !(&x.rf | &fr).then(&cause).irreflexive() {
            return Err("Causality");
        }

        // Morally strong writes of one location are ordered, and so are morally strong fences.
        let overlapping = &morally_strong.within(x.writes - x.initial) & &x.same_location;
        let sc_pairs = morally_strong.within(x.fences & x.seq_cst);
        let writes =
            unordered(&overlapping, &co).into_iter().map(|(a, b)| Undecided::Coherence(a, b));
        let fences = unordered(&sc_pairs, &fence_order)
            .into_iter()
            .map(|(a, b)| Undecided::FenceOrder(a, b));
        Ok(Judgement {
            undecided: fences.chain(writes).collect(),
            co,
            ordered: &morally_strong | &cause.symmetric(),
            before: &cause_base | &cause,
        })
    }

    /// Conflicting accesses that are neither morally strong nor related in causality order. An atomic operation is one
    /// operation that reads and writes: where its write is ordered, it is.
    fn races(&self, x: &Candidate, judgement: &Judgement) -> Relation {
        let updates = x.rmw.then(&judgement.ordered);
        let ordered = &judgement.ordered | &(&updates | &updates.inverse());
        &x.conflicts() - &ordered
    }
}
