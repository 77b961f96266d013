//! What is left of a thread when all that is known has been done: nodes of straight code, put in a row in the end.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_kernel::{LocId, SiteId};
use lockstep_weak::program::{Code, Expr, Instr, Reg};

use crate::outside::{Outside, Unknown};
use crate::specialise::objects::Instance;

/// A place in the kernel where a fence could stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot {
    Before(SiteId),
    After(SiteId),
}

impl Spot {
    pub fn site(self) -> SiteId {
        match self {
            Spot::Before(site) | Spot::After(site) => site,
        }
    }
}

/// What an instruction of the explored program is of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An access to memory through which threads communicate.
    Access,
    /// A fence of the source.
    Fence,
    /// The fence that is part of a sequentially consistent atomic operation.
    PartOfAtomic,
    Barrier,
    /// A shuffle, vote or match: threads meet, and nothing is ordered.
    Exchange,
    Assertion,
    /// An assertion that holds: whoever comes there has passed some operations of the kernel.
    Passed,
    /// Nothing, as long as no fence is put there.
    Slot(Spot),
    /// A step of the thread alone.
    Local,
}

/// Where an instruction of the explored program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub role: Role,
    pub site: Option<SiteId>,
    pub loc: LocId,
}

/// A variable of a thread that the explored program computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Var {
    /// A register of the kernel.
    Reg(u32),
    /// A place in memory that only this thread uses.
    Cell(Instance, u64),
    /// The n-th intermediate value of an operation.
    Part(u32, u32),
    /// For variables that exchange their values.
    Swap(u32),
}

#[derive(Default)]
pub(crate) struct Registers(BTreeMap<Var, usize>);

impl Registers {
    pub(crate) fn of(&mut self, var: Var) -> Reg {
        let next = self.0.len();
        Reg(*self.0.entry(var).or_insert(next))
    }

    fn names(&self) -> Vec<String> {
        let mut names = vec![String::new(); self.0.len()];
        for (var, &number) in &self.0 {
            names[number] = match var {
                Var::Reg(reg) => format!("r{reg}"),
                Var::Cell(instance, offset) => format!("m{}+{offset}", instance.object),
                Var::Part(inst, n) => format!("t{inst}.{n}"),
                Var::Swap(n) => format!("s{n}"),
            };
        }
        names
    }
}

pub(crate) enum Line {
    Instr(Box<Instr>),
    Slot,
}

#[derive(Clone, Debug)]
pub(crate) enum Exit {
    End,
    Jump(usize),
    Branch { condition: Expr, yes: usize, no: usize },
}

pub(crate) struct Node {
    pub(crate) lines: Vec<(Line, Origin)>,
    pub(crate) exit: Exit,
    pub(crate) loc: LocId,
    /// Accesses, fences and barriers that a thread has passed at the end of the node, be anything left of them or not.
    pub(crate) passed: BTreeSet<SiteId>,
}

impl Node {
    pub(crate) fn new(loc: LocId) -> Node {
        Node { lines: Vec::new(), exit: Exit::End, loc, passed: BTreeSet::new() }
    }

    fn successors(&self) -> Vec<usize> {
        match self.exit {
            Exit::End => Vec::new(),
            Exit::Jump(to) => vec![to],
            Exit::Branch { yes, no, .. } => vec![yes, no],
        }
    }
}

/// What is left of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Left {
    pub(crate) code: Code,
    pub(crate) origins: Vec<Origin>,
    /// What a thread has passed that comes to an instruction.
    pub(crate) passed: BTreeMap<usize, BTreeSet<SiteId>>,
    /// Why a way ends that hangs on what other threads write.
    pub(crate) open: Option<Outside>,
    /// The thread stores what nobody knows.
    pub(crate) opaque: Option<Unknown>,
}

/// The nodes in a row, those before a loop's head before it: only ways round a loop lead back.
pub(crate) fn in_a_row(nodes: Vec<Node>, registers: &Registers) -> Left {
    let order = reverse_postorder(&nodes);
    let position: BTreeMap<usize, usize> =
        order.iter().enumerate().map(|(position, &node)| (node, position)).collect();
    // Two instructions at most end a node: a branch and a jump.
    let exits = |position_of: usize| -> usize {
        let next = order.get(position_of + 1).copied();
        match nodes[order[position_of]].exit {
            Exit::End => usize::from(next.is_some()),
            Exit::Jump(to) => usize::from(next != Some(to)),
            Exit::Branch { no, .. } => 1 + usize::from(next != Some(no)),
        }
    };
    let mut begins = Vec::new();
    let mut at = 0;
    for (index, &node) in order.iter().enumerate() {
        begins.push(at);
        let marker = usize::from(!nodes[node].passed.is_empty());
        at += nodes[node].lines.len() + marker + exits(index);
    }
    let end = at;
    let begin = |node: usize| begins[position[&node]];

    let mut code = Code { registers: registers.names(), ..Code::default() };
    let mut origins = Vec::new();
    let mut passed = BTreeMap::new();
    for (index, &node) in order.iter().enumerate() {
        let next = order.get(index + 1).copied();
        let local = Origin { role: Role::Local, site: None, loc: nodes[node].loc };
        for (line, origin) in &nodes[node].lines {
            let instr = match line {
                Line::Instr(instr) => (**instr).clone(),
                Line::Slot => Instr::Jump { target: code.instrs.len() + 1 },
            };
            code.instrs.push(instr);
            origins.push(*origin);
        }
        if !nodes[node].passed.is_empty() {
            passed.insert(code.instrs.len(), nodes[node].passed.clone());
            code.instrs.push(Instr::Assert { condition: Expr::Const(1) });
            origins.push(Origin { role: Role::Passed, ..local });
        }
        let mut push = |instr: Instr| {
            code.instrs.push(instr);
            origins.push(local);
        };
        match &nodes[node].exit {
            Exit::End if next.is_some() => push(Instr::Jump { target: end }),
            Exit::End => {}
            Exit::Jump(to) if next == Some(*to) => {}
            Exit::Jump(to) => push(Instr::Jump { target: begin(*to) }),
            Exit::Branch { condition, yes, no } => {
                push(Instr::Branch { condition: condition.clone(), target: begin(*yes) });
                if next != Some(*no) {
                    push(Instr::Jump { target: begin(*no) });
                }
            }
        }
    }
    Left { code, origins, passed, open: None, opaque: None }
}

fn reverse_postorder(nodes: &[Node]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; nodes.len()];
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((node, next)) = stack.pop() {
        match nodes[node].successors().get(next) {
            None => order.push(node),
            Some(&to) => {
                stack.push((node, next + 1));
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop between a beginning and an end: 0 to 1, 1 to 2 or 3, 2 back to 1.
    #[test]
    fn only_ways_round_a_loop_lead_back() {
        let local = Origin { role: Role::Local, site: None, loc: LocId(0) };
        let mut nodes: Vec<Node> = (0..4).map(|_| Node::new(LocId(0))).collect();
        let mut registers = Registers::default();
        for (index, node) in nodes.iter_mut().enumerate() {
            let dst = registers.of(Var::Reg(index as u32));
            node.lines
                .push((Line::Instr(Box::new(Instr::Let { dst, value: Expr::Const(0) })), local));
            node.lines.push((Line::Slot, local));
        }
        nodes[0].exit = Exit::Jump(1);
        nodes[1].exit = Exit::Branch { condition: Expr::Const(1), yes: 2, no: 3 };
        nodes[2].exit = Exit::Jump(1);
        nodes[3].passed.insert(SiteId(5));
        let Left { code, origins, passed, .. } = in_a_row(nodes, &registers);
        let (marker, sites) = passed.first_key_value().expect("there is one");
        assert_eq!((origins[*marker].role, sites.len()), (Role::Passed, 1));
        assert_eq!(code.instrs.len(), origins.len());
        let lets: Vec<usize> = code
            .instrs
            .iter()
            .filter_map(|instr| match instr {
                Instr::Let { dst, .. } => Some(dst.0),
                _ => None,
            })
            .collect();
        assert_eq!(lets, [0, 1, 3, 2]);
        let back = code.instrs.iter().enumerate().filter_map(|(pc, instr)| match instr {
            Instr::Jump { target } | Instr::Branch { target, .. } => {
                (*target <= pc).then_some(*target)
            }
            _ => None,
        });
        assert_eq!(back.collect::<Vec<_>>(), [2]);
        for instr in &code.instrs {
            if let Instr::Jump { target } | Instr::Branch { target, .. } = instr {
                assert!(*target <= code.instrs.len());
            }
        }
    }
}
