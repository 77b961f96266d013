//! From an execution under construction to the candidate that a memory model judges.

use super::state::{Kind, State};
use crate::candidate::Candidate;
use crate::program::{Order, Program, Scope, Space, Strength};
use crate::relation::EventSet;

impl State {
    /// The execution so far, as a memory model sees it.
    pub(crate) fn candidate(&self, program: &Program) -> Candidate {
        let n = self.events.len();
        let mut x = Candidate::new(n);
        x.finished = self.finished;
        for (e, event) in self.events.iter().enumerate() {
            match event.kind {
                Kind::Read => x.reads.insert(e),
                Kind::Write => x.writes.insert(e),
                Kind::Fence => x.fences.insert(e),
                Kind::Barrier => x.barriers.insert(e),
            }
            if event.thread.is_none() {
                x.initial.insert(e);
            }
            if let Strength::Strong(order, _) = event.strength {
                x.strong.insert(e);
                let (acquire, release) = match event.kind {
                    Kind::Read => (order.acquires(), false),
                    Kind::Write => (false, order.releases()),
                    Kind::Fence | Kind::Barrier => (order.acquires(), order.releases()),
                };
                if acquire {
                    x.acquires.insert(e);
                }
                if release {
                    x.releases.insert(e);
                }
                if order == Order::SeqCst {
                    x.seq_cst.insert(e);
                }
            }
            if event.scope() == Scope::Thread {
                x.own_scope.insert(e);
            }
            let (global, local) =
                match event.location.map(|location| program.locations[location].space) {
                    Some(Space::Global) => (true, false),
                    Some(Space::Shared) => (false, true),
                    Some(Space::Generic) => (false, false),
                    None => (event.spaces.global, event.spaces.shared),
                };
            if global {
                x.global.insert(e);
            }
            if local {
                x.local.insert(e);
            }
            if event.location.is_some_and(|location| !program.locations[location].atomic) {
                x.nonatomic.insert(e);
            }
            for read in event.dependencies.iter() {
                x.dependency.add(read, e);
            }
            if let Some(write) = event.rf {
                x.rf.add(write, e);
            }
            if let Some(read) = event.rmw {
                x.rmw.add(read, e);
            }
        }
        for runner in &self.threads {
            let mut later = EventSet::EMPTY;
            for &event in runner.events.iter().rev() {
                x.po.add_all(event, later);
                later.insert(event);
            }
        }
        self.relate_pairs(program, &mut x);
        for group in 0..self.groups.len() {
            self.relate_group(program, group, &mut x.barrier);
        }
        for &(a, b) in &self.co {
            x.co.add(a, b);
        }
        for &(a, b) in &self.fence_order {
            x.fence_order.add(a, b);
        }
        x
    }

    /// Relations that hold both ways between events of one location, one thread, or threads in each other's scopes.
    fn relate_pairs(&self, program: &Program, x: &mut Candidate) {
        const SCOPES: usize = Scope::System as usize + 1;
        let threads = program.threads.len();
        let mut of_location = vec![EventSet::EMPTY; program.locations.len()];
        let mut of_thread = vec![EventSet::EMPTY; threads];
        let mut of_scope = [EventSet::EMPTY; SCOPES];
        let mut strong_of_scope = [EventSet::EMPTY; SCOPES];
        for (e, event) in self.events.iter().enumerate() {
            if let Some(location) = event.location {
                of_location[location].insert(e);
            }
            if let Some(thread) = event.thread {
                of_thread[thread].insert(e);
                of_scope[event.scope() as usize].insert(e);
                if let Strength::Strong(_, scope) = event.strength {
                    strong_of_scope[scope as usize].insert(e);
                }
            }
        }
        // By thread and scope: the events of all threads that the scope holds around it.
        let around = |thread: usize, scope: Scope| {
            let here = program.threads[thread].place;
            let held = |&other: &usize| {
                other == thread || here.shares(program.threads[other].place, scope)
            };
            (0..threads).filter(held).fold(EventSet::EMPTY, |all, other| all | of_thread[other])
        };
        let all_scopes = [
            Scope::Thread,
            Scope::Warp,
            Scope::Block,
            Scope::Cluster,
            Scope::Device,
            Scope::System,
        ];
        let around: Vec<[EventSet; SCOPES]> =
            (0..threads).map(|thread| all_scopes.map(|scope| around(thread, scope))).collect();
        // Strong events whose own scopes hold a thread.
        let reach: Vec<EventSet> = (0..threads)
            .map(|thread| {
                let reaching = |scope: usize| strong_of_scope[scope] & around[thread][scope];
                (0..SCOPES).fold(EventSet::EMPTY, |all, scope| all | reaching(scope))
            })
            .collect();
        for (e, event) in self.events.iter().enumerate() {
            if let Some(location) = event.location {
                x.same_location.add_all(e, of_location[location] - EventSet::one(e));
            }
            let Some(thread) = event.thread else { continue };
            x.same_thread.add_all(e, of_thread[thread]);
            let scope = event.scope() as usize;
            x.same_scope.add_all(e, of_scope[scope] & around[thread][scope]);
            x.same_block.add_all(e, around[thread][Scope::Block as usize]);
            if let Strength::Strong(_, scope) = event.strength {
                x.inclusive.add_all(e, around[thread][scope as usize] & reach[thread]);
            }
        }
    }
}
