//! Control flow: an execution order, dominators, post-dominators, loops.
//!
//! The order is a weak topological order (Bourdoncle 1993): every loop is a
//! contiguous range that starts with its head, and what follows a loop comes
//! after it. A machine that always runs the group of lanes whose block comes
//! first in this order therefore brings lanes together again at the earliest
//! common point, at the latest at the immediate post-dominator, without a
//! reconvergence stack.

use crate::{BlockId, Kernel};

/// Control-flow facts of a kernel. All tables are indexed by block number.
#[derive(Clone, Debug)]
pub struct Cfg {
    pub successors: Vec<Vec<BlockId>>,
    pub predecessors: Vec<Vec<BlockId>>,
    /// Reachable blocks in weak topological order.
    pub order: Vec<BlockId>,
    /// Position of each block in `order`; `usize::MAX` where unreachable.
    pub position: Vec<usize>,
    /// Immediate dominator; the entry's is itself.
    pub idom: Vec<Option<BlockId>>,
    /// Immediate post-dominator; none where it is the exit itself, or where no
    /// exit can be reached.
    pub ipdom: Vec<Option<BlockId>>,
    pub loops: Vec<Loop>,
    /// The innermost loop of each block, as an index into `loops`.
    pub innermost: Vec<Option<usize>>,
}

/// A natural loop (or an irreducible one, entered elsewhere too).
#[derive(Clone, Debug)]
pub struct Loop {
    pub head: BlockId,
    pub parent: Option<usize>,
    pub blocks: Vec<BlockId>,
    /// Edges that leave the loop.
    pub exits: Vec<(BlockId, BlockId)>,
}

impl Cfg {
    pub fn new(kernel: &Kernel) -> Cfg {
        Cfg::of(kernel.blocks.iter().map(|b| b.term.successors().collect()).collect())
    }

    /// The same of any graph of blocks, the entry first.
    pub fn of(successors: Vec<Vec<BlockId>>) -> Cfg {
        let n = successors.len();
        let (order, nesting) = weak_topological_order(&successors);
        let mut position = vec![usize::MAX; n];
        for (i, b) in order.iter().enumerate() {
            position[b.0 as usize] = i;
        }
        let mut predecessors = vec![Vec::new(); n];
        for &b in &order {
            for &s in &successors[b.0 as usize] {
                predecessors[s.0 as usize].push(b);
            }
        }
        let post_order = post_order(&successors);
        let idom = immediate_dominators(n, BlockId(0), &post_order, &predecessors);
        let ipdom = immediate_post_dominators(&order, &successors, &predecessors);
        let (loops, innermost) = loops(n, &nesting, &successors);
        Cfg { successors, predecessors, order, position, idom, ipdom, loops, innermost }
    }

    /// Whether every path from the entry to `b` passes through `a`.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let mut at = b;
        loop {
            if at == a {
                return true;
            }
            match self.idom[at.0 as usize] {
                Some(up) if up != at => at = up,
                _ => return false,
            }
        }
    }
}

/// One component of the order: a block, or a loop with its head first.
enum Component {
    Block(BlockId),
    Loop(BlockId, Vec<Component>),
}

/// Bourdoncle's algorithm, with an explicit stack so that long chains of blocks
/// cannot exhaust the machine's.
fn weak_topological_order(successors: &[Vec<BlockId>]) -> (Vec<BlockId>, Vec<Component>) {
    let nesting = components(successors, &[BlockId(0)], &vec![true; successors.len()]);
    let mut order = Vec::new();
    fn flatten(list: &[Component], order: &mut Vec<BlockId>) {
        for c in list {
            match c {
                Component::Block(b) => order.push(*b),
                Component::Loop(h, body) => {
                    order.push(*h);
                    flatten(body, order);
                }
            }
        }
    }
    flatten(&nesting, &mut order);
    (order, nesting)
}

/// Strongly connected components of the blocks in `inside` reachable from
/// `entries`, in topological order, each cyclic one opened at its head.
fn components(successors: &[Vec<BlockId>], entries: &[BlockId], inside: &[bool]) -> Vec<Component> {
    let n = successors.len();
    let mut index = vec![0u32; n];
    let mut low = vec![0u32; n];
    let mut on_stack = vec![false; n];
    let mut stack = Vec::new();
    let mut counter = 0;
    let mut found: Vec<Vec<BlockId>> = Vec::new();
    for &entry in entries {
        if index[entry.0 as usize] != 0 {
            continue;
        }
        let mut work = vec![(entry, 0usize)];
        while let Some(&mut (b, ref mut next)) = work.last_mut() {
            let i = b.0 as usize;
            if *next == 0 {
                counter += 1;
                index[i] = counter;
                low[i] = counter;
                stack.push(b);
                on_stack[i] = true;
            }
            if let Some(&s) = successors[i].get(*next) {
                *next += 1;
                let j = s.0 as usize;
                if !inside[j] {
                    continue;
                }
                if index[j] == 0 {
                    work.push((s, 0));
                } else if on_stack[j] {
                    low[i] = low[i].min(index[j]);
                }
                continue;
            }
            work.pop();
            if let Some(&(p, _)) = work.last() {
                low[p.0 as usize] = low[p.0 as usize].min(low[i]);
            }
            if low[i] == index[i] {
                let mut members = Vec::new();
                loop {
                    let m = stack.pop().expect("the component's root is on the stack");
                    on_stack[m.0 as usize] = false;
                    members.push(m);
                    if m == b {
                        break;
                    }
                }
                // Members in order of discovery: the root, first seen, is the head.
                members.reverse();
                found.push(members);
            }
        }
    }
    found.reverse();
    found
        .into_iter()
        .map(|members| {
            let head = members[0];
            let cyclic = members.len() > 1 || successors[head.0 as usize].contains(&head);
            if !cyclic {
                return Component::Block(head);
            }
            let mut body_inside = vec![false; n];
            for m in &members[1..] {
                body_inside[m.0 as usize] = true;
            }
            let entries: Vec<BlockId> = successors[head.0 as usize]
                .iter()
                .chain(&members[1..])
                .copied()
                .filter(|s| body_inside[s.0 as usize])
                .collect();
            Component::Loop(head, components(successors, &entries, &body_inside))
        })
        .collect()
}

fn loops(
    n: usize,
    nesting: &[Component],
    successors: &[Vec<BlockId>],
) -> (Vec<Loop>, Vec<Option<usize>>) {
    fn walk(
        list: &[Component],
        parent: Option<usize>,
        loops: &mut Vec<Loop>,
        innermost: &mut [Option<usize>],
    ) {
        for c in list {
            match c {
                Component::Block(b) => innermost[b.0 as usize] = parent,
                Component::Loop(head, body) => {
                    let me = loops.len();
                    loops.push(Loop { head: *head, parent, blocks: vec![], exits: vec![] });
                    innermost[head.0 as usize] = Some(me);
                    walk(body, Some(me), loops, innermost);
                }
            }
        }
    }
    let mut all = Vec::new();
    let mut innermost = vec![None; n];
    walk(nesting, None, &mut all, &mut innermost);
    for (b, inner) in innermost.iter().enumerate() {
        let mut at = *inner;
        while let Some(l) = at {
            all[l].blocks.push(BlockId(b as u32));
            at = all[l].parent;
        }
    }
    for l in &mut all {
        for &b in &l.blocks {
            for &s in &successors[b.0 as usize] {
                if !l.blocks.contains(&s) {
                    l.exits.push((b, s));
                }
            }
        }
    }
    (all, innermost)
}

fn post_order(successors: &[Vec<BlockId>]) -> Vec<BlockId> {
    let mut seen = vec![false; successors.len()];
    let mut out = Vec::new();
    let mut work = vec![(BlockId(0), 0usize)];
    seen[0] = true;
    while let Some(&mut (b, ref mut next)) = work.last_mut() {
        match successors[b.0 as usize].get(*next) {
            Some(&s) => {
                *next += 1;
                if !std::mem::replace(&mut seen[s.0 as usize], true) {
                    work.push((s, 0));
                }
            }
            None => {
                out.push(b);
                work.pop();
            }
        }
    }
    out
}

/// Cooper, Harvey and Kennedy's iteration.
fn immediate_dominators(
    n: usize,
    root: BlockId,
    post_order: &[BlockId],
    predecessors: &[Vec<BlockId>],
) -> Vec<Option<BlockId>> {
    let mut number = vec![usize::MAX; n];
    for (i, b) in post_order.iter().enumerate() {
        number[b.0 as usize] = i;
    }
    let mut idom: Vec<Option<BlockId>> = vec![None; n];
    idom[root.0 as usize] = Some(root);
    let intersect = |idom: &[Option<BlockId>], mut a: BlockId, mut b: BlockId| {
        while a != b {
            while number[a.0 as usize] < number[b.0 as usize] {
                a = idom[a.0 as usize].expect("processed");
            }
            while number[b.0 as usize] < number[a.0 as usize] {
                b = idom[b.0 as usize].expect("processed");
            }
        }
        a
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &b in post_order.iter().rev() {
            if b == root {
                continue;
            }
            let mut new = None;
            for &p in &predecessors[b.0 as usize] {
                if idom[p.0 as usize].is_some() {
                    new = Some(match new {
                        None => p,
                        Some(m) => intersect(&idom, p, m),
                    });
                }
            }
            if new.is_some() && idom[b.0 as usize] != new {
                idom[b.0 as usize] = new;
                changed = true;
            }
        }
    }
    idom
}

fn immediate_post_dominators(
    order: &[BlockId],
    successors: &[Vec<BlockId>],
    predecessors: &[Vec<BlockId>],
) -> Vec<Option<BlockId>> {
    // The reversed graph, with one exit that every leaf leads to.
    let n = successors.len();
    let exit = BlockId(n as u32);
    let mut forward = predecessors.to_vec();
    let mut backward = successors.to_vec();
    forward.push(Vec::new());
    backward.push(Vec::new());
    for &b in order {
        if successors[b.0 as usize].is_empty() {
            forward[n].push(b);
            backward[b.0 as usize].push(exit);
        }
    }
    let mut seen = vec![false; n + 1];
    let mut post = Vec::new();
    let mut work = vec![(exit, 0usize)];
    seen[n] = true;
    while let Some(&mut (b, ref mut next)) = work.last_mut() {
        match forward[b.0 as usize].get(*next) {
            Some(&s) => {
                *next += 1;
                if !std::mem::replace(&mut seen[s.0 as usize], true) {
                    work.push((s, 0));
                }
            }
            None => {
                post.push(b);
                work.pop();
            }
        }
    }
    let mut ipdom = immediate_dominators(n + 1, exit, &post, &backward);
    ipdom.truncate(n);
    ipdom.into_iter().map(|d| d.filter(|&d| d != exit)).collect()
}
