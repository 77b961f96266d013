//! Host values that depend on other values of a launch in a way that is not analysed.
//!
//! The number of times that a system is halved is a logarithm of its size: `int rounds = 0; while (n > 1) { n /= 2;
//! rounds++; }`. Not every number of rounds occurs with every size, and the behaviour of a kernel for a combination
//! that the host never passes is not a bug. Such a value is *bound*: a bug that shows only for some of its values is
//! not confirmed.
//!
//! A value is bound if some part of its computation is not analysed ([`super::values`]), and if it depends on another
//! value of the launch, or on what that is computed from. It may depend on it as an operand, as an argument of a
//! function, or through a branch condition that selects one of several values. So these are bound to `n`, if `n` or `n
//! / 2` or `(n + 255) / 256` is also passed:
//!
//! - `log2(n)`, `__builtin_clz(n)`, and the result of any function of `n` that was not inlined;
//! - the result of a loop that ended before the launch: its counter (`while (n >>= 1) ++rounds;`, `for (rounds = 0; (1
//!   << rounds) < n; ++rounds);`), or whatever it computes; also if the loop is in a function that was inlined, and if
//!   both the launch and that loop are in an outer loop, whatever is passed from that;
//! - `n > 1024 ? 10 : 20`, and values selected by branches on `n` ([`HostBound::OneOf`] if all alternatives are
//!   constants); arithmetic that is not analysed (`n | n >> 1`).
//!
//! The induction variable of a loop that *contains* the launch is not bound by it: it takes one value after the other,
//! and there is a launch with each of them. The same holds for arithmetic (`1 << i`) and comparisons (`i == n - 1`) on
//! it, unless `i` is also passed. Nor is a value bound that may be anything whatever the others are: a number read from
//! the command line or else a default, `stride > 0 ? stride : n`, or a loop's combination of memory contents, such as
//! the maximum of `n` elements.
//!
//! What it misses: contents of memory (a field that a function fills in, `rounds` of an object), unless both are loads
//! of one location; dimensions, which count as other values for the arguments but are not bound themselves; two values
//! that are both computed by loops from a third that is not passed itself, if neither loop's condition depends on the
//! other value.

use std::collections::{BTreeSet, HashMap, HashSet};

use llvm_sys::core::LLVMGetBasicBlockTerminator;

use super::conditions::Dominators;
use super::inputs::{self, Uncalled};
use super::values::width;
use super::{arrays, called, chosen, memory};
use crate::llvm::{self, Bb, Opcode, Val};

/// How a value depends on others of a launch in a way that is not analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostBound {
    /// It is not known to depend on any.
    Apart,
    /// It is computed from them.
    Made,
    /// They select one of these values.
    OneOf(Vec<i64>),
}

/// Maximum number of constant alternatives.
const MOST_CONSTANTS: usize = 8;
/// Maximum number of blocks before a phi; if there are more, all their conditions are assumed to select.
const MOST_BETWEEN: usize = 256;
/// Maximum number of values that another is computed from.
const MOST_SOURCES: usize = 64;

/// The loops of a function.
pub(super) struct Loops {
    all: Vec<Loop>,
    /// For each block, the loops that contain it.
    around: HashMap<Bb, Vec<usize>>,
}

struct Loop {
    head: Bb,
    blocks: HashSet<Bb>,
}

impl Loops {
    pub(super) fn of(function: Val, tree: &Dominators) -> Loops {
        let loop_at = |head: Bb| {
            let is_latch = |b: &Bb| tree.above(*b).contains(&head);
            let mut open: Vec<Bb> = llvm::predecessors(head).into_iter().filter(is_latch).collect();
            let is_one = !open.is_empty();
            let mut blocks = HashSet::from([head]);
            while let Some(block) = open.pop() {
                if blocks.insert(block) {
                    open.extend(llvm::predecessors(block));
                }
            }
            is_one.then_some(Loop { head, blocks })
        };
        let all: Vec<Loop> = llvm::blocks(function).into_iter().filter_map(loop_at).collect();
        let mut around: HashMap<Bb, Vec<usize>> = HashMap::new();
        for (i, l) in all.iter().enumerate() {
            l.blocks.iter().for_each(|&b| around.entry(b).or_default().push(i));
        }
        Loops { all, around }
    }

    /// Whether a block is in a loop.
    pub(super) fn is_in_one(&self, block: Bb) -> bool {
        self.around(block).next().is_some()
    }

    /// The blocks of the loops that this edge leaves.
    pub(super) fn left(&self, block: Bb, to: Bb) -> HashSet<Bb> {
        let left = self.around(block).filter(|l| !l.blocks.contains(&to));
        left.flat_map(|l| l.blocks.iter().copied()).collect()
    }

    fn around(&self, block: Bb) -> impl Iterator<Item = &Loop> {
        self.around.get(&block).into_iter().flatten().map(|&i| &self.all[i])
    }
}

impl Loop {
    /// The conditions of its exits.
    fn asked(&self) -> impl Iterator<Item = Val> {
        let leaves = |b: &&Bb| llvm::successors(**b).iter().any(|s| !self.blocks.contains(s));
        self.blocks.iter().filter(leaves).filter_map(|&b| question(b))
    }
}

/// The position of a launch.
pub(super) struct Place<'a> {
    pub(super) block: Bb,
    pub(super) tree: &'a Dominators,
    pub(super) loops: &'a Loops,
    pub(super) uncalled: &'a Uncalled,
}

/// The inputs of a value.
#[derive(Default)]
struct Inputs {
    /// Other values of the launch, or what they are computed from.
    others: Vec<Val>,
    /// Whether a loop that has ended contributes.
    of_loop: bool,
    /// Whether the inputs include an unknown induction variable of a loop that contains the launch.
    of_round: bool,
}

impl Place<'_> {
    /// How a value depends on `others` of the launch; for the result of a function, also on `all` values in conditions
    /// on the path.
    pub(super) fn bound(&self, v: Val, others: &[Val], all: &[Val]) -> HostBound {
        if !self.is_hidden(v) {
            return HostBound::Apart;
        }
        let sources = |of: &[Val]| -> HashSet<Val> {
            of.iter().filter(|&&o| o != v).flat_map(|&o| self.sources(o, v)).collect()
        };
        let near = sources(others);
        // Of the loops around the launch, only values that are passed themselves are unique for a launch.
        let is_one = |s: &Val| !self.is_variable_of_round(*s) || others.contains(s);
        let passed: HashSet<Val> = near.iter().copied().filter(is_one).collect();
        let inputs = self.inputs(&[v], &passed, false);
        let known = match is_call(v) {
            _ if inputs.of_loop => near,
            true => sources(all),
            false if inputs.of_round => return HostBound::Apart,
            false => passed,
        };
        let ties = |of: &[Val]| !self.inputs(of, &known, inputs.of_loop).others.is_empty();
        if !ties(&[v]) || inputs.of_loop && self.is_read_in_loop(v, &known) {
            return HostBound::Apart;
        }
        let (from, asked) = self.choices(v);
        let is_any = |&c: &Val| is_computed(c) && !known.contains(&c) && !ties(&[c]);
        if from.iter().any(is_any) && !ties(&asked) {
            return HostBound::Apart;
        }
        constants(v, &from).map_or(HostBound::Made, HostBound::OneOf)
    }

    /// The least and the largest value, where branches or an index of a table choose among constants.
    pub(super) fn range(&self, v: Val) -> [Option<i64>; 2] {
        let values = match llvm::opcode_of(v) {
            Some(Opcode::LLVMPHI | Opcode::LLVMSelect) => constants(v, &self.choices(v).0),
            _ => arrays::table(v),
        };
        let values = values.unwrap_or_default();
        [values.iter().min().copied(), values.iter().max().copied()]
    }

    /// Whether some part of the computation of a value is not analysed.
    fn is_hidden(&self, v: Val) -> bool {
        if inputs::is_free(v, self.uncalled) {
            return false;
        }
        match llvm::opcode_of(v) {
            None
            | Some(
                Opcode::LLVMLoad
                | Opcode::LLVMAlloca
                | Opcode::LLVMGetElementPtr
                | Opcode::LLVMPtrToInt,
            ) => false,
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => called(v).is_some() && !is_number(v),
            Some(_) => !self.is_variable_of_round(v),
        }
    }

    /// Whether a value is an induction variable of a loop that contains the launch.
    fn is_variable_of_round(&self, v: Val) -> bool {
        llvm::opcode_of(v) == Some(Opcode::LLVMPHI)
            && self.loops.around(self.block).any(|l| l.head == llvm::block_of(v))
    }

    /// The inputs of values, up to those that are `known`. With `through`, induction variables of loops around the
    /// launch are traced further.
    fn inputs(&self, of: &[Val], known: &HashSet<Val>, through: bool) -> Inputs {
        let mut found = Inputs::default();
        let mut seen: HashSet<Val> = HashSet::new();
        let mut ended: HashSet<Bb> = HashSet::new();
        let mut open: Vec<Val> = of.to_vec();
        while let Some(v) = open.pop() {
            if !is_computed(v) || !seen.insert(v) {
                continue;
            }
            if is_known(v, known) {
                found.others.push(v);
                continue;
            }
            let Some(opcode) = llvm::opcode_of(v) else { continue };
            // A value that leaves a loop depends on when the loop ended.
            let block = llvm::block_of(v);
            for l in self.loops.around(block) {
                let has_ended = !l.blocks.contains(&self.block);
                found.of_loop |= has_ended;
                if (has_ended || through) && ended.insert(l.head) {
                    open.extend(l.asked());
                }
            }
            match opcode {
                Opcode::LLVMLoad | Opcode::LLVMAlloca => {}
                _ if is_number(v) => {}
                Opcode::LLVMPHI if self.is_variable_of_round(v) && !through => {
                    found.of_round = true;
                }
                Opcode::LLVMPHI => {
                    open.extend(llvm::operands(v));
                    open.extend(self.deciding(v));
                }
                Opcode::LLVMCall | Opcode::LLVMInvoke => open.extend(llvm::call_args(v)),
                _ => open.extend(llvm::operands(v)),
            }
        }
        found
    }

    /// Whether a loop that has ended combines values read from memory or from an input: the sum of some elements, or
    /// the maximum, may be anything, however many there are.
    fn is_read_in_loop(&self, v: Val, known: &HashSet<Val>) -> bool {
        let mut seen: HashSet<Val> = HashSet::new();
        let mut open = vec![v];
        while let Some(v) = open.pop() {
            let Some(opcode) = llvm::opcode_of(v).filter(|_| seen.insert(v)) else { continue };
            let mut loops = self.loops.around(llvm::block_of(v));
            if is_known(v, known) || self.is_variable_of_round(v) {
                continue;
            }
            if opcode == Opcode::LLVMLoad || is_number(v) {
                if loops.any(|l| !l.blocks.contains(&self.block)) {
                    return true;
                }
                continue;
            }
            match opcode {
                Opcode::LLVMSelect => open.extend([1, 2].map(|i| llvm::operand(v, i))),
                Opcode::LLVMICmp | Opcode::LLVMFCmp | Opcode::LLVMAlloca => {}
                Opcode::LLVMCall | Opcode::LLVMInvoke => {
                    let is_intrinsic = called(v).is_some_and(|(_, name)| name.starts_with("llvm."));
                    open.extend(llvm::call_args(v).into_iter().filter(|_| is_intrinsic));
                }
                _ => open.extend(llvm::operands(v)),
            }
        }
        false
    }

    /// The conditions of the branches that decide from which predecessor the block of a phi is entered. These branches
    /// are between its immediate dominator and itself, and their successors lead to different predecessors, without
    /// passing the branch again.
    fn deciding(&self, phi: Val) -> Vec<Val> {
        let goal = llvm::block_of(phi);
        let above = self.tree.above(goal).get(1).copied();
        let mut between: HashSet<Bb> = HashSet::new();
        let mut open = llvm::predecessors(goal);
        while let Some(b) = open.pop() {
            if between.insert(b) && Some(b) != above {
                open.extend(llvm::predecessors(b));
            }
        }
        let entered = |from: Bb, side: Bb| {
            let mut seen = HashSet::from([from]);
            let mut last = BTreeSet::new();
            let mut open = vec![(from, side)];
            while let Some((b, next)) = open.pop() {
                if next == goal {
                    last.insert(b);
                } else if between.contains(&next) && seen.insert(next) {
                    open.extend(llvm::successors(next).into_iter().map(|s| (next, s)));
                }
            }
            last
        };
        let decides = |b: Bb| {
            if between.len() > MOST_BETWEEN {
                return true;
            }
            let sides = llvm::successors(b).into_iter().map(|side| entered(b, side));
            let sides: BTreeSet<BTreeSet<Bb>> = sides.filter(|last| !last.is_empty()).collect();
            sides.len() > 1
        };
        let asked = between.iter().filter_map(|&b| Some((b, question(b)?)));
        asked.filter(|(b, _)| decides(*b)).map(|(_, asked)| asked).collect()
    }

    /// The alternatives that a value is selected from, and the conditions.
    fn choices(&self, v: Val) -> (Vec<Val>, Vec<Val>) {
        let (mut from, mut asked) = (Vec::new(), Vec::new());
        let mut seen: HashSet<Val> = HashSet::new();
        let mut open = vec![v];
        while let Some(v) = open.pop() {
            if !seen.insert(v) {
                continue;
            }
            match llvm::opcode_of(v) {
                Some(Opcode::LLVMSelect) => {
                    asked.push(llvm::operand(v, 0));
                    open.extend([1, 2].map(|i| llvm::operand(v, i)));
                }
                Some(Opcode::LLVMPHI) if !self.is_variable_of_round(v) => {
                    asked.extend(self.deciding(v));
                    open.extend(llvm::operands(v));
                }
                _ => from.push(v),
            }
        }
        (from, asked)
    }

    /// A value, and what it is computed from: without the contents of memory, the sources of induction variables of
    /// loops around the launch, and anything that depends on the given value.
    fn sources(&self, v: Val, but: Val) -> Vec<Val> {
        let mut all = vec![v];
        let mut at = 0;
        while let Some(&v) = all.get(at) {
            at += 1;
            let Some(opcode) = llvm::opcode_of(v) else { continue };
            let stops = matches!(opcode, Opcode::LLVMLoad | Opcode::LLVMAlloca) || is_number(v);
            if stops || self.is_variable_of_round(v) {
                continue;
            }
            let is_call = matches!(opcode, Opcode::LLVMCall | Opcode::LLVMInvoke);
            let from = if is_call { llvm::call_args(v) } else { llvm::operands(v) };
            for v in from.into_iter().filter(|&v| v != but && is_computed(v)) {
                if !all.contains(&v) && all.len() < MOST_SOURCES {
                    all.push(v);
                }
            }
        }
        all
    }
}

/// Whether a value is one of the known ones, or is loaded from the same location as one of them.
fn is_known(v: Val, known: &HashSet<Val>) -> bool {
    let is_load = llvm::opcode_of(v) == Some(Opcode::LLVMLoad);
    known.contains(&v) || is_load && known.iter().any(|&k| memory::are_of_one_place(k, v))
}

/// Whether a value is a number that was parsed from a string.
fn is_number(v: Val) -> bool {
    llvm::is_instruction(v)
        && called(v).is_some_and(|(_, name)| inputs::NUMBERS.contains(&name.as_str()))
}

/// The condition of a block's terminator.
fn question(block: Bb) -> Option<Val> {
    // SAFETY: every block of a function that was read has its last instruction.
    let last = unsafe { LLVMGetBasicBlockTerminator(block) };
    let asks = !last.is_null()
        && matches!(llvm::opcode(last), Opcode::LLVMBr | Opcode::LLVMSwitch)
        && llvm::successors(block).len() > 1;
    asks.then(|| llvm::operand(last, 0))
}

/// The constants that a value is one of.
fn constants(v: Val, from: &[Val]) -> Option<Vec<i64>> {
    let is_truth = |v: Val| width(v) == Some(1);
    let is_number = llvm::opcode_of(v) == Some(Opcode::LLVMZExt) && is_truth(llvm::operand(v, 0));
    if is_truth(v) || is_number {
        return Some(vec![0, 1]);
    }
    let mut all: Vec<i64> = from.iter().map(|&c| chosen::signed(c)).collect::<Option<_>>()?;
    all.sort_unstable();
    all.dedup();
    (all.len() <= MOST_CONSTANTS).then_some(all)
}

/// Whether a value is the result of a function: for floating-point numbers, nothing else is relevant.
fn is_call(v: Val) -> bool {
    let calls = [Opcode::LLVMCall, Opcode::LLVMInvoke, Opcode::LLVMFPToSI, Opcode::LLVMFPToUI];
    llvm::opcode_of(v).is_some_and(|o| calls.contains(&o))
}

/// Whether a value is not a constant.
fn is_computed(v: Val) -> bool {
    llvm::value_kind(v) == llvm::ValueKind::LLVMArgumentValueKind || llvm::is_instruction(v)
}
