//! Which of OpenCL's group copies a `wait_group_events` waits for.
//!
//! The event that a copy returns is followed to the list that a wait is given: through variables, other copies that it
//! is passed to, and selections. A wait is for all copies if no copy can reach it, without passing a wait that is for
//! that copy, whose event is never put into its list. What it can miss: an event that is no longer in the list.

use std::collections::HashSet;

use crate::llvm::{self, Opcode, Val};

fn is_call_of(inst: Val, name: &str) -> bool {
    llvm::opcode_of(inst) == Some(Opcode::LLVMCall)
        && llvm::callee(inst).is_some_and(|f| llvm::name(f).contains(name))
}

/// The variable that a pointer points into.
fn variable(mut pointer: Val) -> Val {
    loop {
        pointer = match llvm::opcode_of(pointer) {
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast) => {
                llvm::operand(pointer, 0)
            }
            _ => return pointer,
        };
    }
}

/// The variables that a copy's event is stored in.
fn lists(copy: Val) -> HashSet<Val> {
    let mut lists = HashSet::new();
    let mut seen = HashSet::from([copy]);
    let mut work = vec![copy];
    while let Some(event) = work.pop() {
        for user in llvm::users(event) {
            let next = match llvm::opcode_of(user) {
                Some(Opcode::LLVMStore) if llvm::operand(user, 0) == event => {
                    let list = variable(llvm::operand(user, 1));
                    if lists.insert(list) { loads(list) } else { Vec::new() }
                }
                Some(
                    Opcode::LLVMPHI
                    | Opcode::LLVMSelect
                    | Opcode::LLVMBitCast
                    | Opcode::LLVMAddrSpaceCast,
                ) => vec![user],
                Some(Opcode::LLVMCall) if is_call_of(user, "async_work_group_") => vec![user],
                _ => Vec::new(),
            };
            work.extend(next.into_iter().filter(|v| seen.insert(*v)));
        }
    }
    lists
}

/// The values loaded from a variable.
fn loads(list: Val) -> Vec<Val> {
    let mut out = Vec::new();
    let mut work = vec![list];
    while let Some(pointer) = work.pop() {
        for user in llvm::users(pointer) {
            match llvm::opcode_of(user) {
                Some(Opcode::LLVMLoad) => out.push(user),
                Some(
                    Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast,
                ) if llvm::operand(user, 0) == pointer => work.push(user),
                _ => {}
            }
        }
    }
    out
}

/// Whether a wait is for all copies that may be in flight when it is reached.
pub(in crate::lower) fn waits_for_all(wait: Val) -> bool {
    let function = llvm::function_of(wait);
    let blocks = llvm::blocks(function);
    let copies = blocks.iter().flat_map(|&b| llvm::instructions(b));
    let mut copies = copies.filter(|&i| is_call_of(i, "async_work_group_"));
    copies.all(|copy| !comes_to(copy, wait, &lists(copy)))
}

/// Whether a copy can reach a wait that is not for it, without passing one that is.
fn comes_to(copy: Val, wait: Val, lists: &HashSet<Val>) -> bool {
    let is_for_it = |i: Val| {
        is_call_of(i, "wait_group_events")
            && llvm::call_args(i).get(1).is_some_and(|&p| lists.contains(&variable(p)))
    };
    let home = llvm::block_of(copy);
    let behind = llvm::instructions(home).into_iter().skip_while(|&i| i != copy).skip(1);
    let mut work = vec![(home, behind.collect::<Vec<_>>())];
    let mut seen = HashSet::new();
    while let Some((block, insts)) = work.pop() {
        let end = insts.iter().position(|&i| i == wait || is_for_it(i));
        match end.map(|at| insts[at]) {
            Some(i) if is_for_it(i) => continue,
            Some(_) => return true,
            None => {}
        }
        for next in llvm::successors(block) {
            if seen.insert(next) {
                work.push((next, llvm::instructions(next)));
            }
        }
    }
    false
}
