//! Values that are one constant wherever a launch is made, because a branch on the path to it asked for that constant.
//!
//! `switch (rows) { case 4: k<4><<<grid, dim3(32, rows)>>>(…); }` launches `k<4>` with four rows only, and so does
//! `if (rows == 4)`. The optimiser computes the dimensions before the branch and does not put the constant in.
//!
//! What is not seen: a case that several values share, and values that the branch only bounds ([`super::conditions`]).

use llvm_sys::LLVMIntPredicate as IntPred;
use llvm_sys::core::{LLVMGetBasicBlockTerminator, LLVMGetICmpPredicate};

use super::conditions::{DEPTH, Dominators, branch, comparisons, uncast};
use super::values::width;
use crate::llvm::{self, Bb, Opcode, Val};

/// The values that are known where an instruction is executed.
pub(super) fn at(inst: Val, tree: &Dominators) -> Vec<(Val, i64)> {
    let mut out = Vec::new();
    for block in tree.above(llvm::block_of(inst)) {
        let before = llvm::predecessors(block);
        let Some(&one) = before.first().filter(|&first| before.iter().all(|b| b == first)) else {
            continue;
        };
        if let Some((value, case)) = case(one, block) {
            undone(value, case, &mut out);
        } else if let Some((condition, [on_true, on_false])) = branch(one)
            && on_true != on_false
        {
            equal(condition, block == on_true, &mut out);
        }
    }
    out
}

/// The operand of the `switch` that ends a block, and its value on the way to one of the successors, if it is one.
pub(super) fn case(block: Bb, to: Bb) -> Option<(Val, i64)> {
    let (value, ways) = switch(block)?;
    let mut leads = ways.iter().filter(|way| way.0 == to);
    let (Some((_, Some(case))), None) = (leads.next(), leads.next()) else { return None };
    Some((value, *case))
}

/// The operand of the `switch` that ends a block, and the least and the largest of its values on the way to one of the successors, if
/// that is not the way of all others.
pub(super) fn cases(block: Bb, to: Bb) -> Option<(Val, [i64; 2])> {
    let (value, ways) = switch(block)?;
    let cases = ways.iter().filter(|way| way.0 == to).map(|way| way.1);
    let cases: Vec<i64> = cases.collect::<Option<_>>()?;
    Some((value, [*cases.iter().min()?, *cases.iter().max()?]))
}

/// The operand of the `switch` that ends a block, and its successors: first that of all other values, then one for each case.
fn switch(block: Bb) -> Option<(Val, Vec<(Bb, Option<i64>)>)> {
    // SAFETY: every block of a function that was read has its last instruction.
    let last = unsafe { LLVMGetBasicBlockTerminator(block) };
    if last.is_null() || llvm::opcode(last) != Opcode::LLVMSwitch {
        return None;
    }
    // Behind the operand come pairs of a value and a successor; the first pair has no value.
    let value = |way: usize| (way > 0).then(|| signed(llvm::operand(last, 2 * way as u32)))?;
    let ways = llvm::successors(block).into_iter().enumerate();
    Some((llvm::operand(last, 0), ways.map(|(i, to)| (to, value(i))).collect()))
}

/// Adds the equations with constants that follow from a condition that is true, or false.
fn equal(v: Val, truth: bool, out: &mut Vec<(Val, i64)>) {
    comparisons(v, truth, DEPTH, &mut |v, truth| {
        let asks = match truth {
            true => IntPred::LLVMIntEQ,
            false => IntPred::LLVMIntNE,
        };
        // SAFETY: it is a comparison of integers.
        let is_equation = unsafe { LLVMGetICmpPredicate(v) } == asks;
        if let Some(bits) = signed(llvm::operand(v, 1)).filter(|_| is_equation) {
            undone(llvm::operand(v, 0), bits, out);
        }
    });
}

/// Adds the value of an expression, and of what it is computed from: the optimiser asks `rotate(rows - 32, 5)` where
/// the source has cases of 32, 64, 96 and 128.
fn undone(mut v: Val, mut is: i64, out: &mut Vec<(Val, i64)>) {
    for _ in 0..DEPTH {
        out.push((v, is));
        let inner = uncast(v);
        if inner != v {
            v = inner;
            out.push((v, is));
        }
        let Some(opcode) = llvm::opcode_of(v) else { return };
        let Some(bits) = width(v).filter(|&w| (1..=64).contains(&w)) else { return };
        let constant = |i: u32| signed(llvm::operand(v, i));
        let narrow = |x: i64| (x << (64 - bits)) >> (64 - bits);
        let before = match opcode {
            Opcode::LLVMAdd => constant(1).map(|c| is.wrapping_sub(c)),
            Opcode::LLVMSub => constant(1).map(|c| is.wrapping_add(c)),
            Opcode::LLVMXor => constant(1).map(|c| is ^ c),
            Opcode::LLVMCall => rotated_back(v, is, bits),
            _ => None,
        };
        let Some(before) = before else { return };
        v = llvm::operand(v, 0);
        is = narrow(before);
    }
}

/// The number whose rotation by a constant is another.
fn rotated_back(call: Val, is: i64, bits: u32) -> Option<i64> {
    if !llvm::name(llvm::callee(call)?).starts_with("llvm.fshl.")
        || llvm::operand(call, 0) != llvm::operand(call, 1)
    {
        return None;
    }
    let by = llvm::const_int(llvm::operand(call, 2))? as u32 % bits;
    let all = u64::MAX >> (64 - bits);
    let is = is as u64 & all;
    Some(match by {
        0 => is as i64,
        by => ((is >> by | is << (bits - by)) & all) as i64,
    })
}

/// A constant as a signed number.
pub(super) fn signed(v: Val) -> Option<i64> {
    let (value, bits) = (llvm::const_int(v)?, width(v)?);
    let unused = 64 - bits.clamp(1, 64);
    Some(((value << unused) as i64) >> unused)
}
