//! Conditions that hold wherever the host makes a launch, from the branches and loops around it.
//!
//! `for (int k = 0; k < n; k++) step<<<…>>>(a, k, n);` launches only with `k` below `n`, and after `if (n > 1024)
//! return;` no `n` is larger. A branch that every path to a launch takes gives its condition; an induction variable
//! lies between its initial value and the bound of its loop. Loops are in the optimiser's form, with the test at the
//! end: it is assumed that they are only entered if it holds, as for a loop written with `for` or `while`. As
//! everywhere here, values are unbounded integers.
//!
//! What is not analysed: several paths to a launch with different conditions, loops with several tests, and conditions
//! in a function before it calls the one that launches, unless that was inlined.

use std::collections::{HashMap, HashSet};

use llvm_sys::LLVMIntPredicate as IntPred;
use llvm_sys::core::{
    LLVMCountIncoming, LLVMGetBasicBlockTerminator, LLVMGetICmpPredicate, LLVMGetIncomingBlock,
    LLVMGetIncomingValue,
};

use super::chosen::cases;
use super::values::{HostOp, HostValue, Reader, binary, known};
use crate::llvm::{self, Bb, Opcode, Val};

/// How the two sides of a condition compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCompare {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
}

/// A comparison that holds for a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCondition {
    pub left: HostValue,
    pub compare: HostCompare,
    pub right: HostValue,
}

/// Maximum number of conditions of a launch.
pub(super) const MOST: usize = 32;
/// Maximum nesting depth of conditions.
pub(super) const DEPTH: usize = 4;

/// The conditions that hold where an instruction is executed.
pub(super) fn around(inst: Val, tree: &Dominators, reader: &mut Reader) -> Vec<HostCondition> {
    let above = tree.above(llvm::block_of(inst));
    let mut out = Vec::new();
    for &block in &above {
        let before = llvm::predecessors(block);
        if let Some((value, [least, most])) = before.first().and_then(|&b| cases(b, block))
            && before.iter().all(|&b| b == before[0])
            && let Some(value) = reader.integer(value)
        {
            out.push(compare(Test::MoreOrEqual, value.clone(), known(least)));
            out.push(compare(Test::LessOrEqual, value, known(most)));
        }
        if let [one] = before[..]
            && let Some((condition, [on_true, on_false])) = branch(one)
            && on_true != on_false
        {
            hold(condition, block == on_true, reader, &mut out);
        }
        let (inside, outside): (Vec<Bb>, Vec<Bb>) =
            before.iter().partition(|&&b| tree.above(b).contains(&block));
        if let ([latch], [entry]) = (&inside[..], &outside[..]) {
            counted(block, *latch, *entry, reader, &mut out);
        }
        if out.len() >= MOST {
            break;
        }
    }
    out.dedup();
    // About the values that the path was chosen by, nothing is left to say.
    let is_known = |v: &HostValue| matches!(v, HostValue::Known(_));
    out.retain(|c| !(is_known(&c.left) && is_known(&c.right)));
    out
}

/// The condition of a block's branch, and its successors if it is true and if it is false.
pub(super) fn branch(block: Bb) -> Option<(Val, [Bb; 2])> {
    // SAFETY: every block of a function that was read has its last instruction.
    let last = unsafe { LLVMGetBasicBlockTerminator(block) };
    let [on_true, on_false] = llvm::successors(block)[..] else { return None };
    let is_branch = !last.is_null() && llvm::opcode(last) == Opcode::LLVMBr;
    is_branch.then(|| (llvm::operand(last, 0), [on_true, on_false]))
}

/// Adds what follows from a condition that is true, or false. That it chooses the value of `b % 32` says something of `b`.
fn hold(v: Val, truth: bool, reader: &mut Reader, out: &mut Vec<HostCondition>) {
    let before_choice = std::mem::replace(&mut reader.before_choice, true);
    comparisons(v, truth, DEPTH, &mut |v, truth| {
        let sides = [0, 1].map(|i| reader.integer(llvm::operand(v, i)));
        if let [Some(left), Some(right)] = sides {
            out.extend(read(test(v, truth), is_unsigned(v), left, right));
        }
    });
    reader.before_choice = before_choice;
}

/// Calls a function for the comparisons of integers that are true, or false, where a condition is.
pub(super) fn comparisons(v: Val, truth: bool, depth: usize, found: &mut dyn FnMut(Val, bool)) {
    match parts(v, truth).filter(|_| depth > 0) {
        Some(Parts::Comparison) => found(v, truth),
        Some(Parts::Both(parts)) => {
            parts.into_iter().for_each(|part| comparisons(part, truth, depth - 1, found));
        }
        Some(Parts::Opposite(part)) => comparisons(part, !truth, depth - 1, found),
        None => {}
    }
}

/// What a condition that is true, or false, says.
pub(super) enum Parts {
    /// It is a comparison of integers.
    Comparison,
    /// Both of these are true, or false, as it is.
    Both([Val; 2]),
    Opposite(Val),
}

pub(super) fn parts(v: Val, truth: bool) -> Option<Parts> {
    let constant = |i: u32| llvm::const_int(llvm::operand(v, i));
    let both = |a: u32, b: u32| Parts::Both([a, b].map(|i| llvm::operand(v, i)));
    Some(match llvm::opcode_of(v)? {
        Opcode::LLVMAnd if truth => both(0, 1),
        Opcode::LLVMOr if !truth => both(0, 1),
        // The same, with short-circuit evaluation.
        Opcode::LLVMSelect if truth && constant(2) == Some(0) => both(0, 1),
        Opcode::LLVMSelect if !truth && constant(1).is_some_and(|c| c & 1 == 1) => both(0, 2),
        Opcode::LLVMXor if constant(1).is_some_and(|c| c & 1 == 1) => {
            Parts::Opposite(llvm::operand(v, 0))
        }
        Opcode::LLVMICmp => Parts::Comparison,
        _ => return None,
    })
}

/// The meaning of a comparison over unbounded integers. For an unsigned comparison of a possibly negative value, which
/// is how the optimiser tests a range, `n - 2 < 4095` also implies that the left side is not negative, and `n - 4097 >=
/// -4095` that it is.
fn read(test: Test, unsigned: bool, left: HostValue, right: HostValue) -> Vec<HostCondition> {
    if !unsigned || !(may_be_negative(&left) || may_be_negative(&right)) {
        return vec![compare(test, left, right)];
    }
    let HostValue::Known(limit) = right else { return Vec::new() };
    let other = match (test, limit >= 0) {
        (Test::Less | Test::LessOrEqual, true) => Test::MoreOrEqual,
        (Test::More | Test::MoreOrEqual, false) => Test::Less,
        // Above or below the range: it is not known which.
        _ => return Vec::new(),
    };
    vec![compare(test, left.clone(), right), compare(other, left, known(0))]
}

fn may_be_negative(value: &HostValue) -> bool {
    match value {
        HostValue::Known(v) => *v < 0,
        HostValue::Unknown(_) => false,
        HostValue::Binary(HostOp::Sub, ..) => true,
        HostValue::Binary(_, a, b) => may_be_negative(a) || may_be_negative(b),
    }
}

/// Whether a comparison is unsigned.
pub(super) fn is_unsigned(v: Val) -> bool {
    use IntPred::{LLVMIntUGE, LLVMIntUGT, LLVMIntULE, LLVMIntULT};
    // SAFETY: it is a comparison of integers.
    let how = unsafe { LLVMGetICmpPredicate(v) };
    matches!(how, LLVMIntUGE | LLVMIntUGT | LLVMIntULE | LLVMIntULT)
}

/// A comparison operator, before its sides are normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
}

/// The meaning of a comparison that is true, or false.
fn test(v: Val, truth: bool) -> Test {
    use IntPred::{
        LLVMIntEQ, LLVMIntNE, LLVMIntSGE, LLVMIntSGT, LLVMIntSLE, LLVMIntSLT, LLVMIntUGE,
        LLVMIntUGT, LLVMIntULE, LLVMIntULT,
    };
    // SAFETY: it is a comparison of integers.
    let test = match unsafe { LLVMGetICmpPredicate(v) } {
        LLVMIntEQ => Test::Equal,
        LLVMIntNE => Test::NotEqual,
        LLVMIntSLT | LLVMIntULT => Test::Less,
        LLVMIntSLE | LLVMIntULE => Test::LessOrEqual,
        LLVMIntSGT | LLVMIntUGT => Test::More,
        LLVMIntSGE | LLVMIntUGE => Test::MoreOrEqual,
    };
    match (truth, test) {
        (true, test) => test,
        (false, Test::Equal) => Test::NotEqual,
        (false, Test::NotEqual) => Test::Equal,
        (false, Test::Less) => Test::MoreOrEqual,
        (false, Test::LessOrEqual) => Test::More,
        (false, Test::More) => Test::LessOrEqual,
        (false, Test::MoreOrEqual) => Test::Less,
    }
}

/// A comparison, with the constants on one side if the other is a value of the launch.
fn compare(test: Test, left: HostValue, right: HostValue) -> HostCondition {
    let (left, right) = match (left, right) {
        (HostValue::Binary(op, x, by), HostValue::Known(limit))
            if matches!((op, &*by), (HostOp::Add | HostOp::Sub, HostValue::Known(_))) =>
        {
            let back = if op == HostOp::Add { HostOp::Sub } else { HostOp::Add };
            (*x, binary(back, known(limit), *by))
        }
        sides => sides,
    };
    let (compare, turned) = match test {
        Test::Equal => (HostCompare::Equal, false),
        Test::NotEqual => (HostCompare::NotEqual, false),
        Test::Less => (HostCompare::Less, false),
        Test::LessOrEqual => (HostCompare::LessOrEqual, false),
        Test::More => (HostCompare::Less, true),
        Test::MoreOrEqual => (HostCompare::LessOrEqual, true),
    };
    let (left, right) = if turned { (right, left) } else { (left, right) };
    HostCondition { left, compare, right }
}

/// How an iteration changes an induction variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Add(i64),
    /// Multiplied by more than one.
    Grow,
    /// Divided by this.
    Shrink(i64),
}

/// Adds the bounds of a loop's induction variables.
fn counted(head: Bb, latch: Bb, entry: Bb, reader: &mut Reader, out: &mut Vec<HostCondition>) {
    let phis = llvm::instructions(head).into_iter();
    for phi in phis.take_while(|&i| llvm::opcode(i) == Opcode::LLVMPHI) {
        let (Some(start), Some(next)) = (incoming(phi, entry), incoming(phi, latch)) else {
            continue;
        };
        let (Some(step), Some(value)) = (step(phi, next), reader.integer(phi)) else { continue };
        let Some(start) = reader.integer(start) else { continue };
        let up = matches!(step, Step::Grow | Step::Add(1..));
        let first = if up { Test::MoreOrEqual } else { Test::LessOrEqual };
        out.push(compare(first, value.clone(), start));
        out.extend(last(head, latch, phi, next, step, value, reader));
    }
}

/// The condition on a variable from the test at the end of a loop: launches are made with the first value, and with
/// those for which the loop continued.
fn last(
    head: Bb,
    latch: Bb,
    phi: Val,
    next: Val,
    step: Step,
    value: HostValue,
    reader: &mut Reader,
) -> Option<HostCondition> {
    let (condition, [on_true, on_false]) = branch(latch)?;
    let goes_on = on_true == head;
    if llvm::opcode_of(condition) != Some(Opcode::LLVMICmp) || goes_on == (on_false == head) {
        return None;
    }
    let test = test(condition, goes_on);
    // The variable is on the left.
    let asked = uncast(llvm::operand(condition, 0));
    let limit = reader.integer(llvm::operand(condition, 1))?;
    let up = matches!(step, Step::Grow | Step::Add(1..));
    // A variable with step one cannot skip its final value.
    let test = match (test, step) {
        (Test::NotEqual, Step::Add(1)) => Test::Less,
        (Test::NotEqual, Step::Add(-1)) => Test::More,
        (Test::NotEqual, Step::Shrink(_)) if limit == known(0) => Test::More,
        (test, _) => test,
    };
    let bounds = match test {
        Test::Less | Test::LessOrEqual => up,
        Test::More | Test::MoreOrEqual => !up,
        _ => false,
    };
    if !bounds {
        return None;
    }
    if asked == next {
        return Some(compare(test, value, limit));
    }
    if asked != phi {
        return None;
    }
    // The condition held for the previous value.
    match (step, &limit) {
        (Step::Add(by), _) => Some(compare(test, value, binary(HostOp::Add, limit, known(by)))),
        (Step::Shrink(by), HostValue::Known(m)) => {
            let least = if test == Test::More { m.checked_add(1)? } else { *m };
            Some(compare(Test::MoreOrEqual, value, known(least.div_euclid(by))))
        }
        _ => None,
    }
}

/// The value of a phi for an incoming block.
fn incoming(phi: Val, from: Bb) -> Option<Val> {
    // SAFETY: it is a phi, and the numbers are below the count.
    unsafe {
        (0..LLVMCountIncoming(phi))
            .find(|&i| LLVMGetIncomingBlock(phi, i) == from)
            .map(|i| LLVMGetIncomingValue(phi, i))
    }
}

fn step(phi: Val, next: Val) -> Option<Step> {
    let opcode = llvm::opcode_of(next)?;
    if llvm::num_operands(next) != 2 || uncast(llvm::operand(next, 0)) != phi {
        return None;
    }
    let HostValue::Known(by) = Reader::default().integer(llvm::operand(next, 1))? else {
        return None;
    };
    let shift = || u32::try_from(by).ok().filter(|b| (1..31).contains(b)).map(|b| 1i64 << b);
    match opcode {
        Opcode::LLVMAdd if by != 0 => Some(Step::Add(by)),
        Opcode::LLVMSub if by != 0 => Some(Step::Add(by.checked_neg()?)),
        Opcode::LLVMMul if by > 1 => Some(Step::Grow),
        Opcode::LLVMShl => shift().map(|_| Step::Grow),
        Opcode::LLVMLShr | Opcode::LLVMAShr => shift().map(Step::Shrink),
        Opcode::LLVMSDiv | Opcode::LLVMUDiv if by > 1 => Some(Step::Shrink(by)),
        _ => None,
    }
}

/// The operand of conversions between widths.
pub(super) fn uncast(mut v: Val) -> Val {
    let casts = [Opcode::LLVMZExt, Opcode::LLVMSExt, Opcode::LLVMTrunc, Opcode::LLVMFreeze];
    while llvm::opcode_of(v).is_some_and(|o| casts.contains(&o)) {
        v = llvm::operand(v, 0);
    }
    v
}

/// The immediate dominator of each reachable block.
pub(super) struct Dominators {
    order: Vec<Bb>,
    number: HashMap<Bb, usize>,
    /// By number in reverse postorder.
    above: Vec<usize>,
}

impl Dominators {
    pub(super) fn of(function: Val) -> Dominators {
        let mut order = Vec::new();
        let mut seen: HashSet<Bb> = HashSet::new();
        let entry = llvm::blocks(function).into_iter().next();
        let mut open: Vec<(Bb, Vec<Bb>)> = Vec::new();
        if let Some(entry) = entry {
            seen.insert(entry);
            open.push((entry, llvm::successors(entry)));
        }
        while let Some((block, left)) = open.last_mut() {
            match left.pop() {
                Some(next) if !seen.insert(next) => {}
                Some(next) => {
                    open.push((next, llvm::successors(next)));
                }
                None => {
                    order.push(*block);
                    open.pop();
                }
            }
        }
        order.reverse();
        let number: HashMap<Bb, usize> = order.iter().copied().zip(0..).collect();
        let before: Vec<Vec<usize>> = order
            .iter()
            .map(|&b| llvm::predecessors(b).iter().filter_map(|p| number.get(p).copied()).collect())
            .collect();
        const NONE: usize = usize::MAX;
        let mut above = vec![NONE; order.len()];
        if let Some(first) = above.first_mut() {
            *first = 0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for b in 1..order.len() {
                let known = before[b].iter().copied().filter(|&p| above[p] != NONE);
                let common = known.reduce(|mut x, mut y| {
                    while x != y {
                        match x > y {
                            true => x = above[x],
                            false => y = above[y],
                        }
                    }
                    x
                });
                if let Some(common) = common.filter(|&c| above[b] != c) {
                    above[b] = common;
                    changed = true;
                }
            }
        }
        Dominators { order, number, above }
    }

    /// A block and its dominators, the nearest first.
    pub(super) fn above(&self, block: Bb) -> Vec<Bb> {
        let Some(&at) = self.number.get(&block) else { return Vec::new() };
        let mut out = vec![block];
        let mut at = at;
        while at != 0 {
            at = self.above[at];
            out.push(self.order[at]);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_asked_for_without_a_sign() {
        let n = HostValue::Unknown(0);
        let less = |by: i64| binary(HostOp::Sub, n.clone(), known(by));
        let holds = |left: &HostValue, compare, right: &HostValue| HostCondition {
            left: left.clone(),
            compare,
            right: right.clone(),
        };
        let range = [
            holds(&n, HostCompare::Less, &known(4097)),
            holds(&known(2), HostCompare::LessOrEqual, &n),
        ];
        assert_eq!(read(Test::Less, true, less(2), known(4095)), range);
        let turned = [range[1].clone(), range[0].clone()];
        assert_eq!(read(Test::MoreOrEqual, true, less(4097), known(-4095)), turned);
        // n < 2 or n > 4096.
        assert_eq!(read(Test::More, true, less(2), known(4094)), []);
        assert_eq!(read(Test::Less, true, less(4097), known(-4095)), []);
        // A value that is unsigned anyway.
        let plain = holds(&n, HostCompare::Less, &known(8));
        assert_eq!(read(Test::Less, true, n.clone(), known(8)), [plain]);
    }
}
