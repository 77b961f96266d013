//! The arguments of a launch in a loop, for each iteration.
//!
//! `for (int step = 1; step < 64; step *= 2) k<<<…>>>(d, step);` makes six launches, and after `k<<<…>>>(d, e); e = d;`
//! the next iteration passes one array twice. To see that, a function is interpreted from its entry, with numbers and
//! pointers as far as they are known: those in variables whose address does not escape, and arrays identified by the
//! calls that allocate them. If a branch condition is not known, both successors are followed.
//!
//! Two correlated branches (`if (x) …; if (!x) …`) would give paths that no execution takes. So at most one unknown
//! branch is taken on the path to a launch, not counting those that end a loop (after which nothing that it computes is
//! known), and those of which only one successor leads to it. Anything beyond that, or beyond the limits below, makes
//! the result incomplete ([`Rounds::all`]): the launch as analysed without its iterations represents the rest.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use llvm_sys::LLVMIntPredicate as IntPred;
use llvm_sys::core::{
    LLVMCountIncoming, LLVMGetBasicBlockTerminator, LLVMGetEntryBasicBlock, LLVMGetICmpPredicate,
    LLVMGetIncomingBlock, LLVMGetIncomingValue,
};

use super::bound::Loops;
use super::values::width;
use super::{arrays, called, conditions, direct, is_configuration, memory, stub};
use crate::llvm::{self, Bb, Module, Opcode, Val};

/// Maximum number of blocks that are interpreted in one function.
const MOST_BLOCKS: usize = 4096;
/// Maximum number of pending paths.
const MOST_WAYS: usize = 64;
/// Maximum number of iterations of a loop whose trip count is not known.
const OPEN_ROUNDS: usize = 3;
/// Maximum number of recorded launches of one call.
const MOST_LAUNCHES: usize = 64;

/// A pointer into an array: the value that represents the array, which of those that a loop allocated, and the offset
/// in bytes, if it is constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Into {
    pub(super) array: (Val, usize),
    pub(super) offset: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Number(i64),
    Pointer(Into),
}

/// The known values at a launch.
#[derive(Clone, Default)]
pub(super) struct Known {
    held: HashMap<Val, Held>,
    /// Those that the path to the launch was chosen by ([`super::chosen`]).
    chosen: Vec<(Val, i64)>,
}

impl Known {
    /// The same, with values that the path to the launch was chosen by.
    pub(super) fn and(&self, chosen: &[(Val, i64)]) -> Known {
        Known { held: self.held.clone(), chosen: chosen.to_vec() }
    }

    pub(super) fn number(&self, v: Val) -> Option<i64> {
        match self.held.get(&v) {
            Some(Held::Number(n)) => Some(*n),
            _ => None,
        }
    }

    pub(super) fn chosen(&self, v: Val) -> Option<i64> {
        self.chosen.iter().find(|&&(u, _)| memory::are_one(u, v)).map(|&(_, n)| n)
    }

    pub(super) fn pointer(&self, v: Val) -> Option<Into> {
        match self.held.get(&v) {
            Some(Held::Pointer(p)) => Some(*p),
            _ => None,
        }
    }
}

/// The launches of one call.
#[derive(Clone, Default)]
pub(super) struct Rounds {
    pub(super) launches: Vec<Rc<Known>>,
    /// Whether these are all launches of the call.
    pub(super) all: bool,
}

/// One path through a function.
#[derive(Clone)]
struct Way {
    block: Bb,
    /// The predecessor that it comes from.
    from: Option<Bb>,
    known: HashMap<Val, Held>,
    /// The values of variables whose address does not escape.
    variables: HashMap<Val, Held>,
    /// How often each unknown branch was taken.
    open: HashMap<Bb, usize>,
    /// Their conditions, and the assumed outcomes.
    taken: Vec<(Question, bool)>,
    /// The number of those that do not end a loop.
    guards: usize,
}

/// A branch condition: a comparison, or any other value.
#[derive(Clone, Copy, PartialEq)]
struct Question {
    compares: Option<IntPred>,
    values: [Val; 2],
}

impl Question {
    /// The condition, and whether it is negated.
    fn of(condition: Val) -> (Question, bool) {
        if llvm::opcode_of(condition) != Some(Opcode::LLVMICmp) {
            return (Question { compares: None, values: [condition; 2] }, false);
        }
        // SAFETY: LLVM is given a comparison, of a module that is alive.
        let asked = unsafe { LLVMGetICmpPredicate(condition) };
        let (compares, is_opposite) = match asked {
            IntPred::LLVMIntNE => (IntPred::LLVMIntEQ, true),
            IntPred::LLVMIntULE => (IntPred::LLVMIntUGT, true),
            IntPred::LLVMIntUGE => (IntPred::LLVMIntULT, true),
            IntPred::LLVMIntSLE => (IntPred::LLVMIntSGT, true),
            IntPred::LLVMIntSGE => (IntPred::LLVMIntSLT, true),
            same => (same, false),
        };
        let values = [llvm::operand(condition, 0), llvm::operand(condition, 1)];
        (Question { compares: Some(compares), values }, is_opposite)
    }
}

/// For each call, the launches of a function that are in loops.
pub(super) fn of(module: &Module, function: Val, loops: &Loops) -> HashMap<Val, Rounds> {
    let mut found: HashMap<Val, Rounds> = HashMap::new();
    let blocks = llvm::blocks(function);
    for inst in blocks.iter().flat_map(|&b| llvm::instructions(b)) {
        let is_launch = called(inst).is_some_and(|(callee, name)| {
            let given = llvm::call_args(inst).first().copied();
            let by_call = direct::is_direct(&name) || name.starts_with("cudaLaunch");
            let target = if by_call { given } else { Some(callee) };
            target.is_some_and(|t| stub(&llvm::name(t)).is_some())
        });
        if is_launch && loops.is_in_one(llvm::block_of(inst)) {
            found.insert(inst, Rounds::default());
        }
    }
    if found.is_empty() {
        return found;
    }
    let of: Vec<Bb> = found.keys().map(|&inst| llvm::block_of(inst)).collect();
    let before = reachable(&of, llvm::predecessors);
    // SAFETY: this function has a body.
    let entry = unsafe { LLVMGetEntryBasicBlock(function) };
    let mut follower = Follower {
        module,
        loops,
        found,
        made: 0,
        cut: Vec::new(),
        partial: HashSet::new(),
        private: HashMap::new(),
        before,
    };
    let mut open = vec![Way {
        block: entry,
        from: None,
        known: HashMap::new(),
        variables: HashMap::new(),
        open: HashMap::new(),
        taken: Vec::new(),
        guards: 0,
    }];
    for _ in 0..MOST_BLOCKS {
        let Some(way) = open.pop() else { break };
        follower.follow(way, &mut open);
        if open.len() > MOST_WAYS {
            break;
        }
    }
    follower.cut.extend(open.iter().map(|w| w.block));
    let mut beyond = reachable(&follower.cut, llvm::successors);
    beyond.extend(&follower.partial);
    for (inst, rounds) in &mut follower.found {
        let is_full = rounds.launches.len() >= MOST_LAUNCHES;
        rounds.all = !is_full && !beyond.contains(&llvm::block_of(*inst));
    }
    follower.found
}

/// The blocks that are reachable.
fn reachable(from: &[Bb], next: fn(Bb) -> Vec<Bb>) -> HashSet<Bb> {
    let mut seen: HashSet<Bb> = from.iter().copied().collect();
    let mut open = from.to_vec();
    while let Some(block) = open.pop() {
        open.extend(next(block).into_iter().filter(|&b| seen.insert(b)));
    }
    seen
}

struct Follower<'a> {
    module: &'a Module,
    loops: &'a Loops,
    found: HashMap<Val, Rounds>,
    /// Number of arrays allocated so far.
    made: usize,
    /// Blocks where paths were not followed to their ends.
    cut: Vec<Bb>,
    /// The blocks of loops of which some iterations were not followed.
    partial: HashSet<Bb>,
    /// The blocks from which a launch is reachable.
    before: HashSet<Bb>,
    /// Cache: whether the address of a variable does not escape.
    private: HashMap<Val, bool>,
}

impl Follower<'_> {
    /// Interprets the block of a path, and adds its continuations.
    fn follow(&mut self, mut way: Way, open: &mut Vec<Way>) {
        let insts = llvm::instructions(way.block);
        let is_phi = |i: &Val| llvm::opcode(*i) == Opcode::LLVMPHI;
        let phis: Vec<Val> = insts.iter().copied().take_while(is_phi).collect();
        let values: Vec<Option<Held>> =
            phis.iter().map(|&p| incoming(p, way.from).and_then(|v| held(&way, v))).collect();
        for (&phi, value) in phis.iter().zip(values) {
            set(&mut way, phi, value);
        }
        for &inst in &insts[phis.len()..] {
            self.step(inst, &mut way);
        }
        let next = llvm::successors(way.block);
        // Paths that no longer reach a launch are dropped.
        let leads = |b: &Bb| self.before.contains(b);
        let go = |mut way: Way, to: Bb| {
            (way.from, way.block) = (Some(way.block), to);
            way
        };
        let Some((condition, [on_true, on_false])) = conditions::branch(way.block) else {
            // SAFETY: every block of a function that was read has its last instruction.
            let last = unsafe { LLVMGetBasicBlockTerminator(way.block) };
            match (llvm::opcode(last), &next[..]) {
                (_, []) => {}
                // The exceptional successor does not launch.
                (Opcode::LLVMInvoke, &[to, ..]) | (_, &[to]) => {
                    open.extend(leads(&to).then(|| go(way, to)));
                }
                _ => self.cut.push(way.block),
            }
            return;
        };
        let (question, is_opposite) = Question::of(condition);
        let known = match held(&way, condition) {
            Some(Held::Number(n)) => Some(n != 0),
            _ => way.taken.iter().find(|t| t.0 == question).map(|t| t.1 != is_opposite),
        };
        if let Some(truth) = known {
            let to = if truth { on_true } else { on_false };
            open.extend(leads(&to).then(|| go(way, to)));
            return;
        }
        let times = way.open.entry(way.block).or_default();
        *times += 1;
        let is_last_round = *times > OPEN_ROUNDS;
        let left = next.iter().map(|&to| self.loops.left(way.block, to)).find(|l| !l.is_empty());
        way.guards += usize::from(left.is_none() && leads(&on_true) && leads(&on_false));
        if way.guards > 1 {
            self.cut.push(way.block);
            return;
        }
        let both = [(true, on_true), (false, on_false)];
        for (truth, to) in both.into_iter().filter(|(_, to)| leads(to)) {
            let mut other = way.clone();
            other.taken.push((question, truth != is_opposite));
            match &left {
                Some(left) if is_last_round && left.contains(&to) => {
                    self.partial.extend(left);
                    continue;
                }
                // After an unknown number of iterations, the values computed in the loop are not known.
                Some(left) if is_last_round => forget(left, &mut other),
                _ => {}
            }
            open.push(go(other, to));
        }
    }

    fn step(&mut self, inst: Val, way: &mut Way) {
        let value = match llvm::opcode(inst) {
            Opcode::LLVMStore => {
                let (value, to) = (llvm::operand(inst, 0), llvm::operand(inst, 1));
                if self.is_private(to) {
                    match held(way, value) {
                        Some(value) => way.variables.insert(to, value),
                        None => way.variables.remove(&to),
                    };
                }
                return;
            }
            Opcode::LLVMLoad => {
                let from = llvm::operand(inst, 0);
                way.variables.get(&from).copied().filter(|_| self.is_private(from))
            }
            Opcode::LLVMCall | Opcode::LLVMInvoke => self.call(inst, way),
            Opcode::LLVMGetElementPtr => self.element(inst, way).map(Held::Pointer),
            Opcode::LLVMSelect => match held(way, llvm::operand(inst, 0)) {
                Some(Held::Number(n)) => held(way, llvm::operand(inst, if n != 0 { 1 } else { 2 })),
                _ => None,
            },
            _ => number(inst, way).map(Held::Number),
        };
        set(way, inst, value);
    }

    /// A pointer plus an offset.
    fn element(&self, inst: Val, way: &Way) -> Option<Into> {
        let Held::Pointer(from) = held(way, llvm::operand(inst, 0))? else { return None };
        let index = |v: Val| match held(way, v) {
            Some(Held::Number(n)) => Some(n),
            _ => None,
        };
        let step = arrays::step(self.module, inst, &index);
        Some(Into { offset: from.offset.zip(step).map(|(a, b)| a.wrapping_add(b)), ..from })
    }

    fn call(&mut self, inst: Val, way: &mut Way) -> Option<Held> {
        if let Some(rounds) = self.found.get_mut(&inst)
            && rounds.launches.len() < MOST_LAUNCHES
        {
            rounds.launches.push(Rc::new(Known { held: way.known.clone(), chosen: Vec::new() }));
        }
        let (_, name) = called(inst)?;
        let given = llvm::call_args(inst);
        let is_allocation = arrays::allocates(&name);
        for (i, &v) in given.iter().enumerate().filter(|_| !name.starts_with("llvm.lifetime")) {
            if way.variables.contains_key(&v) || self.is_private(v) {
                way.variables.remove(&v);
                if i == 0 && is_allocation {
                    self.made += 1;
                    let array = (inst, self.made);
                    way.variables.insert(v, Held::Pointer(Into { array, offset: Some(0) }));
                }
            }
        }
        let number = |way: &Way, i: usize| match held(way, *given.get(i)?)? {
            Held::Number(n) => Some(n),
            Held::Pointer(_) => None,
        };
        // The host is assumed to continue after success of runtime calls.
        let is_status = name.starts_with("cuda") && width(inst) == Some(32);
        if is_configuration(inst) || is_status {
            return Some(Held::Number(0));
        }
        let of = |f: fn(i64, i64) -> i64| Some(Held::Number(f(number(way, 0)?, number(way, 1)?)));
        match name.split('.').take(2).collect::<Vec<_>>()[..] {
            ["llvm", "smin"] => of(i64::min),
            ["llvm", "smax"] => of(i64::max),
            _ => None,
        }
    }

    fn is_private(&mut self, v: Val) -> bool {
        *self.private.entry(v).or_insert_with(|| arrays::is_private(v))
    }
}

/// Forgets the values computed in some blocks.
fn forget(blocks: &HashSet<Bb>, way: &mut Way) {
    for inst in blocks.iter().flat_map(|&b| llvm::instructions(b)) {
        set(way, inst, None);
        let is_load = llvm::opcode(inst) == Opcode::LLVMLoad;
        for v in llvm::operands(inst).into_iter().filter(|_| !is_load) {
            way.variables.remove(&v);
        }
    }
}

fn set(way: &mut Way, v: Val, value: Option<Held>) {
    way.taken.retain(|t| !t.0.values.contains(&v));
    match value {
        Some(value) => way.known.insert(v, value),
        None => way.known.remove(&v),
    };
}

fn held(way: &Way, v: Val) -> Option<Held> {
    if let Some(bits) = llvm::const_int(v) {
        return Some(Held::Number(signed(bits, width(v)?)));
    }
    let is_pointer = || llvm::type_kind(llvm::type_of(v)) == llvm::TypeKind::LLVMPointerTypeKind;
    match llvm::value_kind(v) {
        llvm::ValueKind::LLVMArgumentValueKind if is_pointer() => {
            Some(Held::Pointer(Into { array: (v, 0), offset: Some(0) }))
        }
        _ => way.known.get(&v).copied(),
    }
}

/// The value of a phi for the predecessor of a path.
fn incoming(phi: Val, from: Option<Bb>) -> Option<Val> {
    // SAFETY: this is a phi, of a module that is alive, and has so many values.
    unsafe {
        let of = (0..LLVMCountIncoming(phi)).find(|&i| Some(LLVMGetIncomingBlock(phi, i)) == from);
        of.map(|i| LLVMGetIncomingValue(phi, i))
    }
}

fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    match width {
        // A boolean is 0 or 1.
        1 => (bits & 1) as i64,
        _ => ((bits << unused) as i64) >> unused,
    }
}

fn unsigned(n: i64, width: u32) -> u64 {
    n as u64 & (u64::MAX >> (64 - width.clamp(1, 64)))
}

/// The result of an integer instruction.
fn number(inst: Val, way: &Way) -> Option<i64> {
    let own = width(inst)?;
    let operand = |i: u32| match held(way, llvm::operand(inst, i))? {
        Held::Number(n) => Some(n),
        Held::Pointer(_) => None,
    };
    let from = width(llvm::operand(inst, 0))?;
    let cut = |n: i64| signed(n as u64, own);
    let shift = || operand(1).and_then(|n| u32::try_from(n).ok()).filter(|&n| n < own);
    let (x, y) = (operand(0)?, || operand(1));
    let of_unsigned = |n: i64| unsigned(n, from);
    Some(match llvm::opcode(inst) {
        Opcode::LLVMTrunc | Opcode::LLVMFreeze => cut(x),
        Opcode::LLVMSExt if from == 1 => -x,
        Opcode::LLVMSExt => x,
        Opcode::LLVMZExt => cut(of_unsigned(x) as i64),
        Opcode::LLVMAdd => cut(x.wrapping_add(y()?)),
        Opcode::LLVMSub => cut(x.wrapping_sub(y()?)),
        Opcode::LLVMMul => cut(x.wrapping_mul(y()?)),
        Opcode::LLVMAnd => cut(x & y()?),
        Opcode::LLVMOr => cut(x | y()?),
        Opcode::LLVMXor => cut(x ^ y()?),
        Opcode::LLVMShl => cut(x.wrapping_shl(shift()?)),
        Opcode::LLVMAShr => x >> shift()?,
        Opcode::LLVMLShr => cut((of_unsigned(x) >> shift()?) as i64),
        Opcode::LLVMSDiv => cut(x.checked_div(y()?)?),
        Opcode::LLVMSRem => cut(x.checked_rem(y()?)?),
        Opcode::LLVMUDiv => cut(of_unsigned(x).checked_div(of_unsigned(y()?))? as i64),
        Opcode::LLVMURem => cut(of_unsigned(x).checked_rem(of_unsigned(y()?))? as i64),
        Opcode::LLVMICmp => i64::from(compared(inst, x, y()?, from)),
        _ => return None,
    })
}

fn compared(inst: Val, x: i64, y: i64, width: u32) -> bool {
    let (a, b) = (unsigned(x, width), unsigned(y, width));
    // SAFETY: LLVM is given a comparison, of a module that is alive.
    match unsafe { LLVMGetICmpPredicate(inst) } {
        IntPred::LLVMIntEQ => a == b,
        IntPred::LLVMIntNE => a != b,
        IntPred::LLVMIntUGT => a > b,
        IntPred::LLVMIntUGE => a >= b,
        IntPred::LLVMIntULT => a < b,
        IntPred::LLVMIntULE => a <= b,
        IntPred::LLVMIntSGT => x > y,
        IntPred::LLVMIntSGE => x >= y,
        IntPred::LLVMIntSLT => x < y,
        IntPred::LLVMIntSLE => x <= y,
    }
}
