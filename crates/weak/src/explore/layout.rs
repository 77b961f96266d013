//! What is known of a code before it runs: where loops begin, which registers are still read, what may still be written.

use crate::program::{Code, Program, Strength};
use crate::program::{Instr, Scope};

pub(crate) struct Layout {
    pub(crate) codes: Vec<CodeLayout>,
    /// Every access of this location is strong and of a scope that holds all threads of the program.
    pub(crate) all_strong: Vec<bool>,
    /// Every strong access of this location is of such a scope; others may be weak.
    pub(crate) all_wide: Vec<bool>,
}

pub(crate) struct CodeLayout {
    /// Is this the target of a jump backwards?
    pub(crate) loop_head: Vec<bool>,
    /// Registers that are read from here on before they are written.
    pub(crate) live: Vec<Vec<bool>>,
    /// Locations that may be written from here on.
    pub(crate) writes: Vec<Vec<bool>>,
}

impl Layout {
    pub(crate) fn new(program: &Program) -> Layout {
        let codes = program
            .codes
            .iter()
            .map(|code| CodeLayout::new(code, program.locations.len()))
            .collect();
        let widest = |scope: Scope| {
            program.threads.iter().all(|a| {
                program.threads.iter().all(|b| std::ptr::eq(a, b) || a.place.shares(b.place, scope))
            })
        };
        let covers: Vec<bool> = [
            Scope::Thread,
            Scope::Warp,
            Scope::Block,
            Scope::Cluster,
            Scope::Device,
            Scope::System,
        ]
        .into_iter()
        .map(widest)
        .collect();
        let wide = |instr: &Instr| match instr {
            Instr::Load { strength, .. } | Instr::Store { strength, .. } => match strength {
                Strength::Weak => None,
                Strength::Strong(_, scope) => Some(covers[*scope as usize]),
            },
            Instr::Atomic { scope, .. } => Some(covers[*scope as usize]),
            _ => Some(true),
        };
        let none_is = |wrong: &dyn Fn(Option<bool>) -> bool| -> Vec<bool> {
            let instrs = program.codes.iter().flat_map(|code| &code.instrs);
            let wrong: Vec<_> = instrs.filter(|instr| wrong(wide(instr))).collect();
            let at = |location: usize| {
                wrong.iter().any(|i| i.address().is_some_and(|at| at.may_be(location)))
            };
            (0..program.locations.len()).map(|location| !at(location)).collect()
        };
        let all_strong = none_is(&|wide| wide != Some(true));
        let all_wide = none_is(&|wide| wide == Some(false));
        Layout { codes, all_strong, all_wide }
    }
}

impl CodeLayout {
    fn new(code: &Code, locations: usize) -> CodeLayout {
        let n = code.instrs.len();
        let mut loop_head = vec![false; n + 1];
        let mut live = vec![vec![false; code.registers.len()]; n + 1];
        let mut writes = vec![vec![false; locations]; n + 1];
        for reg in &code.observed {
            live[n][reg.0] = true;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (pc, instr) in code.instrs.iter().enumerate().rev() {
                if let Some(target) = instr.target().filter(|&target| target <= pc) {
                    loop_head[target] = true;
                }
                let next = if matches!(instr, Instr::Jump { .. }) { None } else { Some(pc + 1) };
                let mut live_here = vec![false; code.registers.len()];
                let mut writes_here = vec![false; locations];
                for next in next.into_iter().chain(instr.target()) {
                    merge(&mut live_here, &live[next]);
                    merge(&mut writes_here, &writes[next]);
                }
                instr.defines(&mut |reg| live_here[reg.0] = false);
                instr.uses(&mut |reg| live_here[reg.0] = true);
                if let Some(at) = instr.address().filter(|_| instr.writes()) {
                    for location in 0..locations {
                        writes_here[location] |= at.may_be(location);
                    }
                }
                if live_here != live[pc] || writes_here != writes[pc] {
                    live[pc] = live_here;
                    writes[pc] = writes_here;
                    changed = true;
                }
            }
        }
        CodeLayout { loop_head, live, writes }
    }
}

fn merge(into: &mut [bool], from: &[bool]) {
    for (into, from) in into.iter_mut().zip(from) {
        *into |= from;
    }
}
