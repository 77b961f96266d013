//! Host values that may be anything, and whether all conditions on the path to a launch are known.
//!
//! A number that a program reads from its command line, or a parameter of a function that is never called here, may be
//! any number, independently of all others. About a number that another function returns, or that is loaded from
//! memory, nothing is known: it may always be a multiple of 32.

use std::collections::HashSet;

use super::called;
use super::chosen;
use super::conditions::{self, Dominators, Parts, branch, parts};
use super::values::{Reader, width};
use crate::llvm::{self, Bb, Opcode, Val};

/// Functions that parse a number from a string.
pub(super) const NUMBERS: [&str; 11] = [
    "atoi",
    "atol",
    "atoll",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "__isoc23_strtol",
    "__isoc23_strtoll",
    "__isoc23_strtoul",
    "__isoc23_strtoull",
];
/// Functions that return a null pointer if an external resource is missing.
const MAY_FAIL: [&str; 6] = ["malloc", "calloc", "realloc", "fopen", "_Znwm", "_Znam"];

/// A branch after which a launch may not be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostBranch {
    /// The unknown values in its condition.
    pub unknowns: Vec<usize>,
    /// Whether its condition is completely represented by the launch's conditions.
    pub is_read: bool,
}

/// The functions that are never called, determined before any inlining.
#[derive(Default)]
pub(super) struct Uncalled(HashSet<String>);

impl Uncalled {
    pub(super) fn of(functions: &[Val]) -> Uncalled {
        let uncalled = functions.iter().filter(|&&f| llvm::users(f).is_empty());
        Uncalled(uncalled.map(|&f| llvm::name(f)).collect())
    }

    fn has(&self, argument: Val) -> bool {
        llvm::value_kind(argument) == llvm::ValueKind::LLVMArgumentValueKind
            && self.0.contains(&llvm::name(llvm::function_of_argument(argument)))
    }
}

/// The operand of conversions between widths, as long as 32 bits remain: `atoi` returns the lower bits of `strtol`.
fn number(mut v: Val) -> Val {
    let casts = [Opcode::LLVMZExt, Opcode::LLVMSExt, Opcode::LLVMTrunc];
    let is_wide = |v: Val| width(v).is_some_and(|bits| bits >= 32);
    while llvm::opcode_of(v).is_some_and(|o| casts.contains(&o))
        && is_wide(v)
        && is_wide(llvm::operand(v, 0))
    {
        v = llvm::operand(v, 0);
    }
    v
}

/// Whether a value may be anything.
pub(super) fn is_free(v: Val, uncalled: &Uncalled) -> bool {
    let v = number(v);
    match llvm::opcode_of(v) {
        None => uncalled.has(v),
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => called(v).is_some_and(|(_, name)| {
            // CUDA's runtime functions return a status.
            NUMBERS.contains(&name.as_str())
                || name.starts_with("cuda")
                || name.starts_with("__cuda")
        }),
        // A number that is read, or else a default.
        Some(Opcode::LLVMPHI | Opcode::LLVMSelect) => {
            let is_choice = llvm::opcode(v) == Opcode::LLVMSelect;
            let values = llvm::operands(v).into_iter().skip(usize::from(is_choice));
            let mut unknown = values.filter(|&v| llvm::const_int(v).is_none());
            let one = unknown.next();
            let is_call = |v: Val| llvm::opcode_of(v) == Some(Opcode::LLVMCall);
            let is_input = |v: Val| is_call(v) && is_free(v, uncalled);
            one.map(number).is_some_and(is_input) && unknown.next().is_none()
        }
        _ => false,
    }
}

/// The branches on the paths to an instruction after which it may not be reached, except those after it (a loop's test,
/// once it was reached); `None` if one of their conditions is not analysed.
pub(super) fn branches(
    inst: Val,
    tree: &Dominators,
    reader: &mut Reader,
) -> Option<Vec<HostBranch>> {
    let goal = llvm::block_of(inst);
    let mut leads: HashSet<Bb> = HashSet::from([goal]);
    let mut order = vec![goal];
    let mut at = 0;
    while let Some(&block) = order.get(at) {
        at += 1;
        order.extend(llvm::predecessors(block).into_iter().filter(|&b| leads.insert(b)));
    }
    let above = tree.above(goal);
    let mut out = Vec::new();
    for &block in order.iter().filter(|&&b| !tree.above(b).contains(&goal)) {
        let next = llvm::successors(block);
        if next.iter().all(|s| leads.contains(s)) {
            continue;
        }
        // Exceptions do not depend on the numbers.
        if llvm::instructions(block).last().is_some_and(|&i| llvm::opcode(i) == Opcode::LLVMInvoke)
        {
            continue;
        }
        if let Some(value) = next.iter().find_map(|&to| chosen::case(block, to)).map(|c| c.0) {
            let mut found = Vec::new();
            reader.integer(value)?.unknowns(&mut found);
            // A case of one value gives the value.
            let only = |b: Bb| llvm::predecessors(b).iter().all(|&p| p == block);
            let is_read = above
                .iter()
                .any(|&b| next.contains(&b) && only(b) && chosen::case(block, b).is_some());
            out.push(HostBranch { unknowns: found, is_read });
            continue;
        }
        let (condition, [on_true, on_false]) = branch(block)?;
        let leads_on = |b: Bb| above.contains(&b) && llvm::predecessors(b)[..] == [block];
        let is_read = on_true != on_false
            && (leads_on(on_true) && is_read(condition, true, conditions::DEPTH)
                || leads_on(on_false) && is_read(condition, false, conditions::DEPTH));
        let mut found = Vec::new();
        asked(condition, reader, &mut found)?;
        out.push(HostBranch { unknowns: found, is_read });
    }
    Some(out)
}

/// Whether the conditions of a launch represent a branch condition completely.
fn is_read(v: Val, truth: bool, depth: usize) -> bool {
    match parts(v, truth).filter(|_| depth > 0) {
        // Unsigned comparisons are only represented in part.
        Some(Parts::Comparison) => !conditions::is_unsigned(v),
        Some(Parts::Both(parts)) => parts.iter().all(|&part| is_read(part, truth, depth - 1)),
        Some(Parts::Opposite(part)) => is_read(part, !truth, depth - 1),
        None => false,
    }
}

/// Adds the unknown values in a condition; `None` if it tests anything other than numbers, and whether external
/// resources exist.
fn asked(v: Val, reader: &mut Reader, out: &mut Vec<usize>) -> Option<()> {
    if llvm::const_int(v).is_some() {
        return Some(());
    }
    match llvm::opcode_of(v)? {
        Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor | Opcode::LLVMSelect => {
            llvm::operands(v).into_iter().try_for_each(|v| asked(v, reader, out))
        }
        Opcode::LLVMICmp => {
            let sides = [0, 1].map(|i| llvm::operand(v, i));
            let may_fail = |v: Val| {
                let name = llvm::is_instruction(v).then(|| called(v)).flatten();
                name.is_some_and(|(_, name)| MAY_FAIL.contains(&name.as_str()))
            };
            let is_null =
                |v: Val| llvm::value_kind(v) == llvm::ValueKind::LLVMConstantPointerNullValueKind;
            if may_fail(sides[0]) && is_null(sides[1]) {
                return Some(());
            }
            for side in sides {
                reader.integer(side)?.unknowns(out);
            }
            Some(())
        }
        _ => None,
    }
}
