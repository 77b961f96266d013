//! From an execution under construction to the candidate that a memory model judges.

use super::state::{Kind, State};
use crate::candidate::Candidate;
use crate::program::{Order, Program, Scope, Space, Strength};

impl State {
    /// The execution so far, as a memory model sees it.
    pub(crate) fn candidate(&self, program: &Program) -> Candidate {
        let n = self.events.len();
        let mut x = Candidate::new(n);
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
            if let Strength::Strong(order, scope) = event.strength {
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
                if scope == Scope::Thread {
                    x.own_scope.insert(e);
                }
            }
            let (global, local) =
                match event.location.map(|location| program.locations[location].space) {
                    Some(Space::Global) => (true, false),
                    Some(Space::Shared) => (false, true),
                    None => (true, true),
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
            for (index, &a) in runner.events.iter().enumerate() {
                for &b in &runner.events[index + 1..] {
                    x.po.add(a, b);
                }
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

    fn relate_pairs(&self, program: &Program, x: &mut Candidate) {
        for (a, first) in self.events.iter().enumerate() {
            for (b, second) in self.events.iter().enumerate() {
                if a != b && first.location.is_some() && first.location == second.location {
                    x.same_location.add(a, b);
                }
                let (Some(s), Some(t)) = (first.thread, second.thread) else { continue };
                if s == t {
                    x.same_thread.add(a, b);
                }
                let (here, there) = (program.threads[s].place, program.threads[t].place);
                if s == t || here.shares(there, Scope::Block) {
                    x.same_block.add(a, b);
                }
                if let (Strength::Strong(_, p), Strength::Strong(_, q)) =
                    (first.strength, second.strength)
                    && (s == t || (here.shares(there, p) && here.shares(there, q)))
                {
                    x.inclusive.add(a, b);
                }
            }
        }
    }
}
