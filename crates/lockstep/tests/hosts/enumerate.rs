//! Races by enumeration of all threads of a launch.

use std::collections::HashMap;

use crate::generate::{Array, Case, Cond, Index, Launch, Overlap, Stmt};

/// Who touched a cell: thread, block, barrier interval.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Toucher {
    thread: i64,
    block: i64,
    phase: usize,
    writes: bool,
}

/// Where the arrays of a launch begin.
const APART: i64 = 1 << 40;

/// Two accesses that race, if there are any.
pub(crate) fn race(case: &Case, launch: &Launch) -> Option<String> {
    let mut cells: HashMap<(bool, i64, i64), Vec<Toucher>> = HashMap::new();
    for block in 0..launch.grid {
        let is_last = block + 1 == launch.grid;
        let size = if is_last && launch.rest > 0 { launch.rest } else { launch.block };
        for thread in 0..size {
            let mut phase = 0;
            let mut touched = Vec::new();
            walk(&case.body, &Env { thread, block, size, launch }, &mut phase, &mut touched);
            for (array, index, phase, writes) in touched {
                let cell = match array {
                    Array::Shared => (true, block, index),
                    Array::A => (false, 0, index),
                    Array::B => (false, 0, begin_of_b(launch) + index),
                    Array::Table => (false, 0, begin_of_table(launch) + index),
                };
                let list = cells.entry(cell).or_default();
                let toucher = Toucher { thread, block, phase, writes };
                if !list.contains(&toucher) {
                    list.push(toucher);
                }
            }
        }
    }
    for (cell, list) in &cells {
        for (i, x) in list.iter().enumerate() {
            for y in &list[i + 1..] {
                let same = (x.thread, x.block) == (y.thread, y.block);
                let ordered = x.block == y.block && x.phase != y.phase;
                if !same && !ordered && (x.writes || y.writes) {
                    let who = |t: &Toucher| format!("thread {} of block {}", t.thread, t.block);
                    return Some(format!("a race of {} and {} at {cell:?}", who(x), who(y)));
                }
            }
        }
    }
    None
}

fn begin_of_b(launch: &Launch) -> i64 {
    match launch.overlap {
        Overlap::Pair(offset) => offset,
        _ => APART,
    }
}

fn begin_of_table(launch: &Launch) -> i64 {
    match launch.overlap {
        Overlap::Table => 0,
        _ => 2 * APART,
    }
}

struct Env<'a> {
    thread: i64,
    block: i64,
    /// Of the own block.
    size: i64,
    launch: &'a Launch,
}

fn walk(body: &[Stmt], env: &Env, phase: &mut usize, touched: &mut Vec<(Array, i64, usize, bool)>) {
    for stmt in body {
        match stmt {
            Stmt::Write(array, index) => touched.push((*array, value(index, env), *phase, true)),
            Stmt::Copy(to, at, from, index) => {
                touched.push((*from, value(index, env), *phase, false));
                touched.push((*to, value(at, env), *phase, true));
            }
            Stmt::Barrier => *phase += 1,
            Stmt::If(cond, inner) => {
                if holds(cond, env) {
                    walk(inner, env, phase, touched);
                }
            }
        }
    }
}

impl Env<'_> {
    /// The number of the thread among all.
    fn number(&self) -> i64 {
        self.launch.first + self.block * self.launch.block + self.thread
    }
}

fn value(index: &Index, env: &Env) -> i64 {
    let (t, b, d, i) = (env.thread, env.block, env.size, env.number());
    match *index {
        Index::Global => i,
        Index::Thread => t,
        Index::GlobalPlus(c) => i + c,
        Index::ThreadTimes(c) => t * c,
        Index::GlobalTimes(c) => i * c,
        Index::ThreadModulo(c) => t % c,
        Index::GlobalDivided(c) => i / c,
        Index::Spread(c) => b * d + t * c / d,
        Index::Block => b,
        Index::Fixed(c) => b * c + t,
        Index::PlusN => i + env.launch.n,
        Index::TimesN => i * env.launch.n,
        Index::Flipped => i ^ 1,
        Index::Reversed => b * d + (d - 1 - t),
        Index::Place => b * d + t,
    }
}

fn holds(cond: &Cond, env: &Env) -> bool {
    match *cond {
        Cond::ThreadBelow(c) => env.thread < c,
        Cond::GlobalBelowN => env.number() < env.launch.n,
        Cond::FirstBlock => env.block == 0,
        Cond::Even => env.thread % 2 == 0,
        Cond::WideBlock(c) => env.size > c,
        Cond::SmallN(c) => env.launch.n < c,
    }
}
