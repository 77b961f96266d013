//! Barriers: who meets whom.
//!
//! The n-th time that a thread comes to a barrier, it meets those who come there for the n-th time. Who waits goes on
//! when all who are expected have come. Where a number of threads is given and more come, who came first is chosen:
//! these happen before all who go on.

use super::state::{State, Status};
use super::value::Value;
use crate::program::{Barrier, Expr, Instr, Participants, Program, Scope, Spaces};
use crate::relation::{EventSet, Relation};

/// Threads that meet at a barrier once.
#[derive(Clone, Debug)]
pub(super) struct Group {
    key: Key,
    round: usize,
    members: Vec<usize>,
    /// What each of them gives the others.
    given: Vec<Option<Value>>,
    needs: Option<usize>,
    who: Participants,
}

/// One barrier resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    domain: Scope,
    /// The first thread of the warp, block, cluster or device that shares it.
    first: usize,
    number: u32,
    id: i64,
}

impl State {
    /// Which barrier a thread has come to and how many have to come, if that is known.
    pub(super) fn barrier_at(
        &self,
        program: &Program,
        thread: usize,
        barrier: &Barrier,
    ) -> Option<(Key, Option<usize>)> {
        let registers = &self.threads[thread].registers;
        let id = self.eval(&Value::of(&barrier.id, registers))?;
        let count = match &barrier.participants {
            Participants::Count(count) => {
                Some(self.eval(&Value::of(count, registers))?.max(0) as usize)
            }
            Participants::All | Participants::Having | Participants::Among(_) => None,
        };
        let place = program.threads[thread].place;
        let first = (0..program.threads.len()).find(|&other| {
            other == thread || program.threads[other].place.shares(place, barrier.domain)
        })?;
        Some((Key { domain: barrier.domain, first, number: barrier.number, id }, count))
    }

    /// The group that an arrival belongs to.
    pub(super) fn join(
        &mut self,
        thread: usize,
        key: Key,
        (arrival, given): (usize, Option<Value>),
        needs: Option<usize>,
        barrier: &Barrier,
    ) -> usize {
        let mine = |event: usize| self.events[event].thread == Some(thread);
        let round = self
            .groups
            .iter()
            .filter(|group| group.key == key && group.members.iter().any(|&m| mine(m)))
            .count();
        let found = self.groups.iter().position(|group| group.key == key && group.round == round);
        let group = found.unwrap_or_else(|| {
            let who = barrier.participants.clone();
            let (members, given) = (Vec::new(), Vec::new());
            self.groups.push(Group { key, round, members, given, needs, who });
            self.groups.len() - 1
        });
        self.groups[group].members.push(arrival);
        self.groups[group].given.push(given);
        group
    }

    /// Threads that may come to this group's barrier: of its domain, with such a barrier in their code.
    fn expected(&self, program: &Program, group: &Group) -> impl Iterator<Item = usize> {
        let place = program.threads[group.key.first].place;
        let of_domain = move |thread: usize| {
            thread == group.key.first
                || program.threads[thread].place.shares(place, group.key.domain)
        };
        let has = move |thread: usize| match &group.who {
            Participants::All => true,
            Participants::Among(threads) => threads.contains(&thread),
            Participants::Having | Participants::Count(_) => {
                program.code(thread).instrs.iter().any(|instr| match instr {
                    Instr::Barrier(barrier) => {
                        barrier.number == group.key.number
                            && !matches!(barrier.id, Expr::Const(id) if id != group.key.id)
                    }
                    _ => false,
                })
            }
        };
        (0..program.threads.len()).filter(move |&thread| of_domain(thread) && has(thread))
    }

    fn complete(&self, program: &Program, group: &Group) -> bool {
        if let Some(needs) = group.needs {
            return group.members.len() >= needs;
        }
        self.expected(program, group).all(|thread| {
            group.members.iter().any(|&member| self.events[member].thread == Some(thread))
                || self.threads[thread].status == Status::Ended
                || (group.who == Participants::Having
                    && self.went_elsewhere(program, group, thread))
        })
    }

    /// In a litmus test, a thread whose barrier turned out to have another id is not waited for.
    fn went_elsewhere(&self, program: &Program, group: &Group, thread: usize) -> bool {
        let mut barriers =
            program.code(thread).instrs.iter().enumerate().filter_map(|(pc, instr)| match instr {
                Instr::Barrier(barrier) if barrier.number == group.key.number => Some(pc),
                _ => None,
            });
        let elsewhere = |pc: usize| {
            self.groups.iter().any(|other| {
                other.key != group.key
                    && other.key.number == group.key.number
                    && other
                        .members
                        .iter()
                        .any(|&m| self.events[m].thread == Some(thread) && self.events[m].pc == pc)
            })
        };
        barriers.all(elsewhere)
    }

    /// Lets those go on for whom all others have come.
    pub(super) fn release_waiting(&mut self, program: &Program) -> bool {
        let mut released = false;
        for thread in 0..self.threads.len() {
            if let Status::Waits(group) = self.threads[thread].status
                && self.complete(program, &self.groups[group])
            {
                self.threads[thread].status = Status::Runs;
                self.gather(program, thread, group);
                released = true;
            }
        }
        released
    }

    /// Gives a thread that goes on what the others have brought.
    fn gather(&mut self, program: &Program, thread: usize, group: usize) {
        let of = |other: usize| {
            let group = &self.groups[group];
            let mut members = group.members.iter();
            let at = members.position(|&member| self.events[member].thread == Some(other))?;
            Some((group.members[at], group.given[at].clone()))
        };
        let Some((arrival, _)) = of(thread) else { return };
        let Instr::Barrier(barrier) = &program.code(thread).instrs[self.events[arrival].pc] else {
            return;
        };
        let into = barrier.gather.iter().flat_map(|gather| &gather.into);
        let values: Vec<(usize, Value)> = into
            .map(|&(other, register, absent)| {
                let given = of(other).and_then(|(_, given)| given);
                (register.0, given.unwrap_or_else(|| Value::known(absent)))
            })
            .collect();
        for (register, value) in values {
            self.set(thread, register, value);
        }
    }

    /// The first barrier to which more came than it needs, with the number it needs, if it was not chosen yet who came first.
    pub(crate) fn crowded(&self) -> Option<(usize, &[usize], usize)> {
        self.groups.iter().enumerate().find_map(|(index, group)| {
            let needs = group.needs.filter(|&needs| group.members.len() > needs)?;
            let open = !self.chosen.iter().any(|&(chosen, _)| chosen == index);
            open.then_some((index, &group.members[..], needs))
        })
    }

    pub(crate) fn choose_first(&mut self, group: usize, members: EventSet) {
        self.chosen.push((group, members));
    }

    /// Those who came first, or all, happen before whoever goes on.
    pub(super) fn relate_group(&self, program: &Program, index: usize, barrier: &mut Relation) {
        let group = &self.groups[index];
        let orders = |&member: &usize| self.events[member].spaces != Spaces::NONE;
        if !group.members.iter().all(orders) {
            return;
        }
        let first: EventSet = match self.chosen.iter().find(|&&(chosen, _)| chosen == index) {
            Some(&(_, members)) => members,
            // To a counted barrier more may come; who came first is then chosen in the end.
            None if group.needs.is_some_and(|needs| {
                group.members.len() > needs
                    || (self.expected(program, group).count() > needs && !self.ended())
            }) =>
            {
                return;
            }
            None => group.members.iter().copied().collect(),
        };
        let goes_on = |event: usize| {
            let event = &self.events[event];
            let instr = event.thread.map(|thread| &program.code(thread).instrs[event.pc]);
            matches!(instr, Some(Instr::Barrier(barrier)) if !barrier.arrive)
        };
        for from in first.iter() {
            for &to in group.members.iter().filter(|&&to| to != from && goes_on(to)) {
                barrier.add(from, to);
            }
        }
    }
}
