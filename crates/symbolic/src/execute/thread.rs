//! One thread: its groups, and how it runs until it waits.

use lockstep_kernel::{BlockId, Operand, Phi, Terminator, Ty};

use super::loops::Edge;
use super::{Machine, Outcome, What};
use crate::solve::Answer;
use crate::term::{T, Undefined};

/// Where a thread is under a guard.
#[derive(Clone)]
pub(super) struct Group {
    pub(super) block: BlockId,
    /// The next operation of the block.
    pub(super) next: usize,
    pub(super) guard: T,
    pub(super) registers: Vec<Option<T>>,
    /// Of loops that are left on a symbolic condition, how often that was not so.
    iterations: Vec<(usize, u32)>,
}

pub(super) struct Thread {
    /// In the launch, and in its block.
    pub(super) number: u32,
    pub(super) local: u32,
    pub(super) block: u32,
    pub(super) groups: Vec<Group>,
    /// The group that waits at an operation of several threads.
    pub(super) waits: Option<usize>,
    /// Its own copy of each private object.
    pub(super) privates: Vec<(usize, u32)>,
}

/// What happens after an operation.
pub(super) enum Flow {
    Next,
    /// The operation needs other threads.
    Wait,
}

impl Machine<'_> {
    pub(super) fn begin(&mut self) -> Group {
        let guard = match self.side.assumed.filter(|_| self.together.is_some()) {
            Some(assumed) => assumed,
            None => self.pool.truth(true),
        };
        let registers = self.first.clone();
        Group { block: BlockId(0), next: 0, guard, registers, iterations: Vec::new() }
    }

    /// Runs a thread until it waits or is done.
    pub(super) fn run_thread(&mut self, thread: &mut Thread) -> Outcome<()> {
        while !thread.groups.is_empty() {
            let at = self.first_group(thread);
            let block = &self.kernel.blocks[thread.groups[at].block.0 as usize];
            while thread.groups[at].next < block.insts.len() {
                let inst = &block.insts[thread.groups[at].next];
                self.at = inst.loc;
                self.step()?;
                match self.operate(thread, at, inst)? {
                    Flow::Next => thread.groups[at].next += 1,
                    Flow::Wait => {
                        thread.waits = Some(at);
                        return Ok(());
                    }
                }
            }
            let group = thread.groups.swap_remove(at);
            self.leave(thread, group, &block.term)?;
        }
        Ok(())
    }

    /// The group that comes first; those that are at the same place become one.
    fn first_group(&mut self, thread: &mut Thread) -> usize {
        let position = |g: &Group| self.cfg.position[g.block.0 as usize];
        let places = thread.groups.iter().enumerate();
        let at = places.min_by_key(|(_, g)| (position(g), g.next == 0)).map_or(0, |(i, _)| i);
        if thread.groups[at].next != 0 {
            return at;
        }
        let block = thread.groups[at].block;
        let mut first = thread.groups.swap_remove(at);
        while let Some(other) = thread.groups.iter().position(|g| g.block == block && g.next == 0) {
            let other = thread.groups.swap_remove(other);
            first = self.join(first, other);
        }
        thread.groups.push(first);
        thread.groups.len() - 1
    }

    /// Two groups at the same place. Their guards exclude each other.
    fn join(&mut self, mut a: Group, b: Group) -> Group {
        let which = self.pool.beyond(a.guard, b.guard);
        for &r in &self.live[a.block.0 as usize] {
            let r = r as usize;
            a.registers[r] = match (a.registers[r], b.registers[r]) {
                (Some(x), Some(y)) => Some(self.pool.select(which, x, y)),
                (x, y) => x.or(y),
            };
        }
        a.guard = self.pool.or(a.guard, b.guard);
        for (which, count) in b.iterations {
            match a.iterations.iter_mut().find(|(own, _)| *own == which) {
                Some((_, own)) => *own = (*own).max(count),
                None => a.iterations.push((which, count)),
            }
        }
        a
    }

    fn leave(&mut self, thread: &mut Thread, group: Group, term: &Terminator) -> Outcome<()> {
        match *term {
            Terminator::Return => self.may_return(),
            Terminator::Unreachable => self.trouble_if(group.guard, What::Trap),
            Terminator::Jump(to) => self.enter(thread, group, to),
            Terminator::Branch { cond, then, otherwise, loc } => {
                self.at = loc;
                let cond = self.operand(&group.registers, cond, Ty::I1);
                match self.pool.follows(group.guard, cond) {
                    _ if then == otherwise => self.enter(thread, group, then),
                    Some(true) => self.enter(thread, group, then),
                    Some(false) => self.enter(thread, group, otherwise),
                    None => self.fork(thread, group, cond, then, otherwise),
                }
            }
        }
    }

    fn fork(
        &mut self,
        thread: &mut Thread,
        group: Group,
        cond: T,
        then: BlockId,
        otherwise: BlockId,
    ) -> Outcome<()> {
        let negation = self.pool.not(cond);
        let yes = self.pool.and(group.guard, cond);
        let no = self.pool.and(group.guard, negation);
        // The innermost loop that one side leaves and the other does not.
        let loops = &self.cfg.loops;
        let leaves = |l: usize, to: BlockId| !loops[l].blocks.contains(&to);
        let mut around = self.cfg.innermost[group.block.0 as usize];
        while let Some(l) = around
            && leaves(l, then) == leaves(l, otherwise)
        {
            around = loops[l].parent;
        }
        let stays = |to: BlockId| around.filter(|l| !leaves(*l, to));
        let mut sides = vec![(yes, then, stays(then)), (no, otherwise, stays(otherwise))];
        if around.is_some() {
            let mut possible = Vec::new();
            for side in sides {
                if !matches!(self.solver.can(self.pool, side.0), Answer::Never) {
                    possible.push(side);
                }
            }
            sides = possible;
        }
        let decided = sides.len() == 1;
        for (guard, to, stays) in sides {
            let mut side = Group { guard, ..group.clone() };
            if decided {
                // The guard implies the other side's negation already.
                side.guard = group.guard;
            }
            if let Some(l) = stays.filter(|_| !decided)
                && !self.count(&mut side, l)?
            {
                continue;
            }
            self.enter(thread, side, to)?;
        }
        Ok(())
    }

    /// One more iteration of a loop whose end is not known; whether it is followed.
    fn count(&mut self, group: &mut Group, l: usize) -> Outcome<bool> {
        let count = match group.iterations.iter_mut().find(|(own, _)| *own == l) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                group.iterations.push((l, 1));
                1
            }
        };
        if count > self.limits.unroll {
            self.give_up(What::Unroll { iterations: self.limits.unroll })?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Goes to a block: phis take their values.
    fn enter(&mut self, thread: &mut Thread, mut group: Group, to: BlockId) -> Outcome<()> {
        match self.edge(thread, &group, to)? {
            Edge::Plain => {}
            Edge::Done => return Ok(()),
            Edge::Left(after, out) => return self.enter(thread, after, out),
        }
        let from = group.block;
        let phis = &self.kernel.blocks[to.0 as usize].phis;
        let value = |p: &Phi| p.incoming.iter().find(|(b, _)| *b == from).map(|(_, v)| *v);
        let values: Vec<(usize, T)> = phis
            .iter()
            .map(|p| {
                let value = value(p).unwrap_or(Operand::Undef);
                (p.dst.0 as usize, self.operand(&group.registers, value, p.ty))
            })
            .collect();
        values.into_iter().for_each(|(r, v)| group.registers[r] = Some(v));
        let inside = |l: usize| self.cfg.loops[l].blocks.contains(&to);
        group.iterations.retain(|(l, _)| inside(*l));
        group.block = to;
        group.next = 0;
        thread.groups.push(group);
        Ok(())
    }

    pub(super) fn operand(&mut self, registers: &[Option<T>], o: Operand, ty: Ty) -> T {
        match o {
            Operand::Reg(r) => match registers[r.0 as usize] {
                Some(t) => t,
                None => self.pool.undefined(Undefined::Uninitialised, ty),
            },
            Operand::Imm(v) => self.pool.constant(ty, v),
            Operand::Object(id, offset) => match self.object_of(id.0 as usize) {
                Some(object) => self.origin(object, offset as u64),
                None => self.pool.undefined(Undefined::AddressBits, Ty::Ptr),
            },
            Operand::Undef => self.pool.undefined(Undefined::Uninitialised, ty),
        }
    }
}
