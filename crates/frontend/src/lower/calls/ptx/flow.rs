//! Control flow within inline PTX: labels, branches, `exit`, and statements under a predicate that do more than compute.
//!
//! Each label is a block. A name that has different values on the ways to a block is a phi there; at a label that a
//! later statement branches to, every name is one. So that these have one type, what is written to a name is
//! converted to the type that it was declared with. A name that has no value on one of the ways is undefined on it.

use std::collections::HashMap;

use lockstep_kernel::{BlockId, Operand, Phi, Reg, Terminator, Ty};

use super::table;
use super::text::{Item, Names, Statement};
use crate::lower::Lower;

/// A block that several ways may lead to.
struct Target {
    block: BlockId,
    ways: Vec<(BlockId, Names)>,
    /// Phis of a block that was begun before all ways to it were known.
    open: Option<Vec<(String, Reg, Ty)>>,
}

impl Lower<'_> {
    /// The statements of a text, in their order.
    pub(super) fn ptx_items(&mut self, items: &[Item], names: &mut Names) -> Option<()> {
        let mut targets: HashMap<&str, Target> = HashMap::new();
        for item in items {
            if let Item::Label(name) = item {
                let block = self.new_block("ptx.label");
                targets.insert(name, Target { block, ways: Vec::new(), open: None });
            }
        }
        let in_place = targets.is_empty() && !items.iter().any(leaves_the_line);
        let mut live = true;
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::Label(name) => {
                    let later = items[at + 1..].iter().any(|i| branch_target(i) == Some(name));
                    let target = targets.get_mut(name.as_str())?;
                    if live {
                        self.terminate(Terminator::Jump(target.block));
                        target.ways.push((self.cur, names.clone()));
                    }
                    live = !target.ways.is_empty();
                    self.cur = target.block;
                    if live {
                        self.ptx_join(target, later, names)?;
                    }
                }
                Item::Statement { guard, text } => {
                    let statement = Statement::new(text);
                    let condition = match guard {
                        Some(guard) => Some(self.predicate(guard, names)?),
                        None => None,
                    };
                    match statement.parts[0] {
                        "bra" => {
                            let target = targets.get_mut(branch_target(item)?)?;
                            let next = self.ptx_leave(condition, target.block);
                            target.ways.push((self.cur, names.clone()));
                            live &= condition.is_some();
                            self.cur = next;
                        }
                        "exit" => {
                            let out = self.new_block("ptx.exit");
                            let next = self.ptx_leave(condition, out);
                            self.cur = out;
                            self.terminate(Terminator::Return);
                            live &= condition.is_some();
                            self.cur = next;
                        }
                        _ => self.ptx_conditional(&statement, condition, names, in_place)?,
                    }
                }
            }
        }
        // Ways that came back to a label.
        for target in targets.values() {
            self.ptx_close(target)?;
        }
        Some(())
    }

    /// Ends the block with a jump, under a condition if there is one, and gives the block after it.
    fn ptx_leave(&mut self, condition: Option<Operand>, to: BlockId) -> BlockId {
        let next = self.new_block("ptx.next");
        let loc = self.loc;
        self.terminate(match condition {
            Some(cond) => Terminator::Branch { cond, then: to, otherwise: next, loc },
            None => Terminator::Jump(to),
        });
        next
    }

    fn ptx_conditional(
        &mut self,
        statement: &Statement<'_>,
        condition: Option<Operand>,
        names: &mut Names,
        in_place: bool,
    ) -> Option<()> {
        let before = names.clone();
        let row = table::row(&statement.parts)?;
        let Some(condition) = condition else {
            (row.lower)(self, statement, names)?;
            if !in_place {
                self.ptx_as_declared(&before, names);
            }
            return Some(());
        };
        if row.computes {
            (row.lower)(self, statement, names)?;
            for name in names.changed_since(&before) {
                let Some(&(old, old_ty)) = before.get(&name) else { continue };
                let &(new, ty) = names.get(&name)?;
                let old = self.convert_bits(old_ty, ty, old);
                let chosen = self.select(ty, condition, new, old);
                names.insert(name, (chosen, ty));
            }
            self.ptx_as_declared(&before, names);
            return Some(());
        }
        let block = self.new_block("ptx.then");
        let next = self.new_block("ptx.after");
        let loc = self.loc;
        self.terminate(Terminator::Branch { cond: condition, then: block, otherwise: next, loc });
        let mut target = Target { block: next, ways: vec![(self.cur, before.clone())], open: None };
        self.cur = block;
        (row.lower)(self, statement, names)?;
        self.ptx_as_declared(&before, names);
        self.terminate(Terminator::Jump(next));
        target.ways.push((self.cur, names.clone()));
        self.cur = next;
        self.ptx_join(&mut target, false, names)
    }

    /// What a statement wrote, converted to the types that were declared.
    fn ptx_as_declared(&mut self, before: &Names, names: &mut Names) {
        for name in names.changed_since(before) {
            let Some(&(value, ty)) = names.get(&name) else { continue };
            let Some(wanted) = names.declared(&name).filter(|&w| w != ty) else { continue };
            let value = self.convert_bits(ty, wanted, value);
            names.insert(name, (value, wanted));
        }
    }

    /// The names at the beginning of a block, from those on the ways to it.
    fn ptx_join(&mut self, target: &mut Target, later: bool, names: &mut Names) -> Option<()> {
        let mut joined = target.ways.first()?.1.clone();
        for (_, way) in &target.ways {
            for name in way.all() {
                if joined.get(&name).is_none() {
                    joined.insert(name.clone(), *way.get(&name)?);
                }
            }
        }
        let mut open = Vec::new();
        for name in joined.all() {
            let &(_, ty) = joined.get(&name)?;
            let values = values_of(&target.ways, &name, ty)?;
            let one = values.windows(2).all(|w| w[0].1 == w[1].1);
            if one && !later {
                joined.insert(name, (values[0].1, ty));
                continue;
            }
            let dst = self.new_reg(ty);
            joined.insert(name.clone(), (Operand::Reg(dst), ty));
            if later {
                open.push((name, dst, ty));
            } else {
                let phi = Phi { dst, ty, incoming: values };
                self.k.blocks[target.block.0 as usize].phis.push(phi);
            }
        }
        target.open = later.then_some(open);
        *names = joined;
        Some(())
    }

    fn ptx_close(&mut self, target: &Target) -> Option<()> {
        for (name, dst, ty) in target.open.iter().flatten() {
            let incoming = values_of(&target.ways, name, *ty)?;
            let phi = Phi { dst: *dst, ty: *ty, incoming };
            self.k.blocks[target.block.0 as usize].phis.push(phi);
        }
        Some(())
    }
}

/// The value of a name on each of the ways; none if it has several types.
fn values_of(ways: &[(BlockId, Names)], name: &str, ty: Ty) -> Option<Vec<(BlockId, Operand)>> {
    let value = |names: &Names| match names.get(name) {
        Some(&(value, found)) => (found == ty).then_some(value),
        None => Some(Operand::Undef),
    };
    ways.iter().map(|(block, names)| Some((*block, value(names)?))).collect()
}

/// The label of a branch.
fn branch_target(item: &Item) -> Option<&str> {
    let Item::Statement { text, .. } = item else { return None };
    let (opcode, label) = text.split_once(char::is_whitespace)?;
    (opcode == "bra" || opcode.starts_with("bra.")).then_some(label.trim())
}

/// Whether a statement is more than a line of the block that the text is in.
fn leaves_the_line(item: &Item) -> bool {
    let Item::Statement { guard, text } = item else { return true };
    let statement = Statement::new(text);
    let computes = table::row(&statement.parts).is_some_and(|r| r.computes);
    matches!(statement.parts[0], "bra" | "exit") || guard.is_some() && !computes
}
