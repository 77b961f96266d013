//! Functions: blocks in reverse postorder, phis, terminators, and calls inlined as frames.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use llvm_sys::core::*;
use lockstep_kernel::{BlockId, CmpOp, Operand, Phi, Terminator, Ty};

use super::{Frame, Lower};
use crate::llvm::{self, Bb, Opcode, Val};

impl Lower<'_> {
    /// Lowers a function at the current position. With `ret_to`, control continues there and the returned values are
    /// the result; without, the function is the kernel.
    pub(super) fn call_function(
        &mut self,
        f: Val,
        args: Vec<Rc<[Operand]>>,
        ret_to: Option<BlockId>,
    ) -> Rc<[Operand]> {
        let values: HashMap<_, _> = llvm::arguments(f).into_iter().zip(args).collect();
        let inlined_at = ret_to.map(|_| self.loc);
        let mut frame = Frame {
            function: f,
            values,
            blocks: HashMap::new(),
            edges: Vec::new(),
            ret_to,
            rets: Vec::new(),
            inlined_at,
        };
        let order = reverse_postorder(f);
        for &bb in &order {
            let id = self.new_block(&llvm::block_name(bb));
            frame.blocks.insert(bb, id);
        }
        let entry = frame.blocks[&order[0]];
        self.terminate(Terminator::Jump(entry));
        self.frames.push(frame);
        self.bodies(&order);
        self.phis(&order);
        let Some(frame) = self.frames.pop() else {
            return Rc::new([]);
        };
        let Some(ret_to) = frame.ret_to else {
            return Rc::new([]);
        };
        self.cur = ret_to;
        self.join(ret_to, f, frame.rets)
    }

    /// Lowers the blocks that are reachable when branches on constants are folded.
    fn bodies(&mut self, order: &[Bb]) {
        let mut done = HashSet::new();
        loop {
            let mut progress = false;
            for (i, &bb) in order.iter().enumerate() {
                let reached = i == 0 || self.frame().edges.iter().any(|&(_, to, _)| to == bb);
                if !reached || !done.insert(bb) {
                    continue;
                }
                progress = true;
                self.cur = self.frame().blocks[&bb];
                self.block(bb);
            }
            if !progress {
                return;
            }
        }
    }

    fn block(&mut self, bb: Bb) {
        for inst in llvm::instructions(bb) {
            if self.count > self.options.size_limit {
                if !self.too_large {
                    self.too_large = true;
                    let limit = self.options.size_limit;
                    self.unsupported(format!(
                        "kernel of more than {limit} operations once its calls are inlined"
                    ));
                } else {
                    self.push(
                        lockstep_kernel::Op::Unsupported(self.k.unsupported.len() as u32 - 1),
                        None,
                    );
                }
                self.terminate(Terminator::Unreachable);
                return;
            }
            match llvm::opcode(inst) {
                Opcode::LLVMPHI => self.phi_registers(inst),
                Opcode::LLVMBr
                | Opcode::LLVMSwitch
                | Opcode::LLVMRet
                | Opcode::LLVMUnreachable
                | Opcode::LLVMInvoke
                | Opcode::LLVMIndirectBr
                | Opcode::LLVMCallBr
                | Opcode::LLVMResume
                | Opcode::LLVMCleanupRet
                | Opcode::LLVMCatchRet
                | Opcode::LLVMCatchSwitch => {
                    self.at(inst);
                    self.terminator(bb, inst);
                }
                _ => {
                    self.at(inst);
                    self.instruction(inst);
                }
            }
        }
    }

    fn phi_registers(&mut self, phi: Val) {
        let name = llvm::name(phi);
        let regs: Vec<Operand> = match self.leaves(llvm::type_of(phi)) {
            Ok(leaves) => leaves.iter().map(|l| Operand::Reg(self.new_reg(l.ty))).collect(),
            Err(what) => {
                self.unsupported(what);
                Vec::new()
            }
        };
        if let [Operand::Reg(r)] = regs[..] {
            self.name_register(r, &name);
        }
        let cur = self.cur;
        for &r in &regs {
            let Operand::Reg(dst) = r else { continue };
            let ty = self.k.regs[dst.0 as usize];
            self.k.blocks[cur.0 as usize].phis.push(Phi { dst, ty, incoming: Vec::new() });
        }
        self.set(phi, regs);
    }

    /// `i.0` is named after the source variable `i`; names that clang generates are dropped.
    pub(super) fn name_register(&mut self, r: lockstep_kernel::Reg, name: &str) {
        const MADE_UP: [&str; 8] =
            ["cond", "retval", "cleanup", "ref", "agg", "tmp", "coerce", "call"];
        let base = name.split('.').next().unwrap_or("");
        if base.is_empty()
            || base.starts_with(|c: char| c.is_ascii_digit())
            || MADE_UP.contains(&base)
        {
            return;
        }
        self.k.reg_names.push((r, base.to_string()));
    }

    /// Fills in the incoming values of each phi.
    fn phis(&mut self, order: &[Bb]) {
        for &bb in order {
            let target = self.frame().blocks[&bb];
            for phi in llvm::instructions(bb) {
                if llvm::opcode(phi) != Opcode::LLVMPHI {
                    break;
                }
                let Some(regs) = self.frame().values.get(&phi).cloned() else {
                    break;
                };
                // SAFETY: LLVM is given a phi, of a module that is alive.
                let n = unsafe { LLVMCountIncoming(phi) };
                let mut seen = HashSet::new();
                for i in 0..n {
                    let (from, value) =
                        // SAFETY: LLVM is given a phi, of a module that is alive.
                        unsafe { (LLVMGetIncomingBlock(phi, i), LLVMGetIncomingValue(phi, i)) };
                    if !seen.insert(from) {
                        continue;
                    }
                    let sources: Vec<BlockId> = (self.frame().edges.iter())
                        .filter(|&&(f, t, _)| f == from && t == bb)
                        .map(|&(_, _, b)| b)
                        .collect();
                    if sources.is_empty() {
                        continue;
                    }
                    // Constant expressions are computed in the predecessor.
                    self.cur = sources[0];
                    let operands = self.value(value);
                    for &source in &sources {
                        for (k, &reg) in regs.iter().enumerate() {
                            let Operand::Reg(reg) = reg else { continue };
                            let operand = operands.get(k).copied().unwrap_or(Operand::Undef);
                            let block = &mut self.k.blocks[target.0 as usize];
                            if let Some(p) = block.phis.iter_mut().find(|p| p.dst == reg) {
                                p.incoming.push((source, operand));
                            }
                        }
                    }
                }
            }
        }
    }

    fn terminator(&mut self, bb: Bb, inst: Val) {
        match llvm::opcode(inst) {
            Opcode::LLVMBr => {
                // SAFETY: LLVM is given a branch, of a module that is alive.
                let targets = unsafe {
                    (0..LLVMGetNumSuccessors(inst))
                        .map(|i| LLVMGetSuccessor(inst, i))
                        .collect::<Vec<_>>()
                };
                match targets[..] {
                    [to] => self.jump(bb, to),
                    [then, otherwise] => {
                        // SAFETY: LLVM is given a branch, of a module that is alive.
                        let cond = self.scalar(unsafe { LLVMGetCondition(inst) });
                        match cond {
                            Operand::Imm(c) => {
                                self.jump(bb, if c & 1 == 1 { then } else { otherwise })
                            }
                            _ if then == otherwise => self.jump(bb, then),
                            _ => {
                                self.edge(bb, then);
                                self.edge(bb, otherwise);
                                let (then, otherwise) =
                                    (self.frame().blocks[&then], self.frame().blocks[&otherwise]);
                                let loc = self.loc;
                                self.terminate(Terminator::Branch { cond, then, otherwise, loc });
                            }
                        }
                    }
                    _ => self.terminate(Terminator::Unreachable),
                }
            }
            Opcode::LLVMSwitch => self.switch(bb, inst),
            Opcode::LLVMRet => {
                let values: Rc<[Operand]> = if llvm::num_operands(inst) == 1 {
                    self.value(llvm::operand(inst, 0))
                } else {
                    Rc::new([])
                };
                match self.frame().ret_to {
                    None => self.terminate(Terminator::Return),
                    Some(to) => {
                        let cur = self.cur;
                        self.frame_mut().rets.push((cur, values));
                        self.terminate(Terminator::Jump(to));
                    }
                }
            }
            Opcode::LLVMUnreachable => self.terminate(Terminator::Unreachable),
            other => {
                self.unsupported(format!("{other:?}"));
                self.terminate(Terminator::Unreachable);
            }
        }
    }

    fn switch(&mut self, bb: Bb, inst: Val) {
        let ops = llvm::operands(inst);
        let ty = self.leaves(llvm::type_of(ops[0])).ok().and_then(|l| l.first().copied());
        let value = self.scalar(ops[0]);
        // SAFETY: LLVM is given a basic block, of a module that is alive.
        let default = unsafe { LLVMValueAsBasicBlock(ops[1]) };
        let Some(leaf) = ty else {
            self.terminate(Terminator::Unreachable);
            return;
        };
        let loc = self.loc;
        for case in ops[2..].chunks(2) {
            let [constant, target] = case else { continue };
            // SAFETY: LLVM is given a basic block, of a module that is alive.
            let target = unsafe { LLVMValueAsBasicBlock(*target) };
            if target == default {
                continue;
            }
            let constant = self.scalar(*constant);
            match self.cmp(CmpOp::Eq, leaf.ty, value, constant) {
                Operand::Imm(1) => return self.jump(bb, target),
                Operand::Imm(_) => {}
                cond => {
                    self.edge(bb, target);
                    let then = self.frame().blocks[&target];
                    let otherwise = self.new_block("switch.next");
                    self.terminate(Terminator::Branch { cond, then, otherwise, loc });
                    self.cur = otherwise;
                }
            }
        }
        self.jump(bb, default);
    }

    fn jump(&mut self, from: Bb, to: Bb) {
        self.edge(from, to);
        let to = self.frame().blocks[&to];
        self.terminate(Terminator::Jump(to));
    }

    fn edge(&mut self, from: Bb, to: Bb) {
        let cur = self.cur;
        self.frame_mut().edges.push((from, to, cur));
    }

    /// The values returned at several places, joined by phis.
    fn join(
        &mut self,
        block: BlockId,
        f: Val,
        rets: Vec<(BlockId, Rc<[Operand]>)>,
    ) -> Rc<[Operand]> {
        if let [(_, values)] = &rets[..] {
            return values.clone();
        }
        // SAFETY: LLVM is given a type of the kind that it asks for and a global, of a module that is alive.
        let ret = unsafe { LLVMGetReturnType(LLVMGlobalGetValueType(f)) };
        let Ok(leaves) = self.leaves(ret) else {
            return Rc::new([]);
        };
        let mut results = Vec::new();
        for (i, leaf) in leaves.iter().enumerate() {
            let dst = self.new_reg(leaf.ty);
            let incoming = rets
                .iter()
                .map(|(b, v)| (*b, v.get(i).copied().unwrap_or(Operand::Undef)))
                .collect();
            self.k.blocks[block.0 as usize].phis.push(Phi { dst, ty: leaf.ty, incoming });
            results.push(Operand::Reg(dst));
        }
        results.into()
    }

    /// A call of a function with a body: a new frame, unless the nesting is too deep.
    pub(super) fn inline(
        &mut self,
        f: Val,
        args: Vec<Rc<[Operand]>>,
    ) -> Result<Rc<[Operand]>, String> {
        let depth = self.frames.iter().filter(|frame| frame.function == f).count() as u32;
        let limit = self.options.recursion_limit;
        if depth > limit {
            let name = crate::llvm::demangle::function(&llvm::name(f));
            return Err(format!("recursion deeper than {limit} in {name}"));
        }
        if self.frames.len() > 256 {
            return Err("calls nested more than 256 deep".into());
        }
        let loc = self.loc;
        let next = self.new_block("call.next");
        let result = self.call_function(f, args, Some(next));
        self.loc = loc;
        Ok(result)
    }

    /// A call through a pointer: a chain of comparisons with the possible callees.
    pub(super) fn indirect(
        &mut self,
        callee: Val,
        call: Val,
        args: Vec<Rc<[Operand]>>,
    ) -> Result<Rc<[Operand]>, String> {
        // SAFETY: LLVM is given a call, of a module that is alive.
        let wanted = unsafe { LLVMGetCalledFunctionType(call) };
        let fits =
            // SAFETY: LLVM is given a global, of a module that is alive.
            |f: Val| unsafe { LLVMGlobalGetValueType(f) } == wanted && !llvm::is_declaration(f);
        let mut known = Vec::new();
        let exhaustive =
            sources(callee, &mut known, &mut HashSet::new()) && known.iter().all(|&f| fits(f));
        let candidates: Vec<Val> = if exhaustive {
            known
        } else {
            self.m.functions().into_iter().filter(|&f| fits(f) && is_address_taken(f)).collect()
        };
        if candidates.is_empty() || candidates.len() > 64 {
            return Err("call through a pointer to an unknown function".into());
        }
        let pointer = self.scalar(callee);
        let end = self.new_block("call.end");
        let loc = self.loc;
        let mut rets = Vec::new();
        for (i, &f) in candidates.iter().enumerate() {
            let address = self.function_address(f);
            let last = exhaustive && i + 1 == candidates.len();
            let cond =
                if last { Operand::Imm(1) } else { self.cmp(CmpOp::Eq, Ty::Ptr, pointer, address) };
            if cond == Operand::Imm(0) {
                continue;
            }
            let (then, otherwise) = (self.new_block("call.this"), self.new_block("call.other"));
            match cond {
                Operand::Imm(_) => self.terminate(Terminator::Jump(then)),
                _ => self.terminate(Terminator::Branch { cond, then, otherwise, loc }),
            }
            self.cur = then;
            match self.inline(f, args.clone()) {
                Ok(values) => {
                    rets.push((self.cur, values));
                    self.terminate(Terminator::Jump(end));
                }
                Err(what) => {
                    self.unsupported(what);
                    self.terminate(Terminator::Unreachable);
                }
            }
            self.cur = otherwise;
        }
        self.loc = loc;
        if !exhaustive {
            self.unsupported("call through a pointer to an unknown function");
        }
        self.terminate(Terminator::Unreachable);
        self.cur = end;
        Ok(self.join(end, candidates[0], rets))
    }

    pub(super) fn frame(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    pub(super) fn frame_mut(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }
}

/// Collects the functions that a pointer may select; false if it may be something else.
fn sources(v: Val, out: &mut Vec<Val>, seen: &mut HashSet<Val>) -> bool {
    if !seen.insert(v) {
        return true;
    }
    if llvm::value_kind(v) == llvm::ValueKind::LLVMFunctionValueKind {
        out.push(v);
        return true;
    }
    if !llvm::is_instruction(v) {
        return false;
    }
    match llvm::opcode(v) {
        // SAFETY: LLVM is given a phi, of a module that is alive.
        Opcode::LLVMPHI => unsafe {
            (0..LLVMCountIncoming(v)).all(|i| sources(LLVMGetIncomingValue(v, i), out, seen))
        },
        Opcode::LLVMSelect => {
            sources(llvm::operand(v, 1), out, seen) && sources(llvm::operand(v, 2), out, seen)
        }
        Opcode::LLVMFreeze => sources(llvm::operand(v, 0), out, seen),
        _ => false,
    }
}

fn is_address_taken(f: Val) -> bool {
    llvm::users(f).into_iter().any(|u| {
        !llvm::is_instruction(u)
            || llvm::opcode(u) != Opcode::LLVMCall
            // SAFETY: LLVM is given a call, of a module that is alive.
            || unsafe { LLVMGetCalledValue(u) } != f
            || llvm::call_args(u).contains(&f)
    })
}

fn reverse_postorder(f: Val) -> Vec<Bb> {
    // SAFETY: LLVM is given a basic block, of a module that is alive.
    let entry = unsafe { LLVMGetEntryBasicBlock(f) };
    let mut seen = HashSet::from([entry]);
    let mut order = Vec::new();
    let mut stack = vec![(entry, llvm::successors(entry), 0usize)];
    while let Some((block, succ, next)) = stack.last_mut() {
        // Later successors first, so that the first one comes first in reverse postorder.
        if *next < succ.len() {
            let to = succ[succ.len() - 1 - *next];
            *next += 1;
            if seen.insert(to) {
                stack.push((to, llvm::successors(to), 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order.reverse();
    order
}
