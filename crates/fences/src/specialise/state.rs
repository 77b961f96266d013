//! The state of a thread while it is specialised, and when two states are one.

use std::collections::BTreeMap;

use lockstep_kernel::{BlockId, Reg};
use lockstep_weak::program::{Expr, Instr};

use crate::outside::Unknown;
use crate::specialise::arithmetic::Pure;
use crate::specialise::objects::{Instance, Objects};
use crate::specialise::residual::{Registers, Var};
use crate::specialise::value::Value;

/// Registers, and the memory that only this thread writes.
#[derive(Clone, Default)]
pub(crate) struct State {
    pub(crate) regs: BTreeMap<Reg, Value>,
    /// What the thread has written where nobody else looks; no two overlap.
    cells: BTreeMap<(Instance, u64), (u32, Value)>,
}

/// What of a value is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Known(u64),
    Pointer(u64),
    Computed,
    Unknown(Unknown),
}

/// Threads that come to a block in states of one key do the same from there on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) block: BlockId,
    pub(crate) shapes: Vec<(Var, u32, Shape)>,
}

impl State {
    /// Bytes of memory that nobody else writes.
    pub(crate) fn load(
        &self,
        objects: &Objects,
        instance: Instance,
        offset: u64,
        size: u32,
    ) -> Value {
        if let Some((_, value)) =
            self.cells.get(&(instance, offset)).filter(|(cell, _)| *cell == size)
        {
            return value.clone();
        }
        let end = offset + u64::from(size);
        let mut whole = Value::Known(0);
        let mut at = offset;
        while at < end {
            let before = self.cells.range((instance, 0)..=(instance, at)).next_back();
            let covering = before
                .filter(|((_, begin), (cell, _))| begin + u64::from(*cell) > at)
                .map(|((_, begin), (cell, value))| (*begin, begin + u64::from(*cell), value));
            let (part, to) = match covering {
                Some((begin, cell_end, value)) => {
                    let to = cell_end.min(end);
                    let pure =
                        Pure::Part { shift: 8 * (at - begin) as u32, bits: 8 * (to - at) as u32 };
                    (Value::apply(pure, std::slice::from_ref(value)), to)
                }
                None => {
                    let next = self.cells.range((instance, at)..(instance, end)).next();
                    let to = next.map_or(end, |((_, begin), _)| *begin);
                    let bits = objects.first_bits(instance.object, at, (to - at) as u32);
                    (bits.map_or(Value::Unknown(Unknown::Uninitialised), Value::Known), to)
                }
            };
            whole = match at == offset {
                true => part,
                false => {
                    Value::apply(Pure::Beside { shift: 8 * (at - offset) as u32 }, &[whole, part])
                }
            };
            at = to;
        }
        whole
    }

    pub(crate) fn store(&mut self, instance: Instance, offset: u64, size: u32, value: Value) {
        let end = offset + u64::from(size);
        let overlapping: Vec<(u64, u32, Value)> = self
            .cells
            .range((instance, offset.saturating_sub(64))..(instance, end))
            .filter(|((_, begin), (cell, _))| begin + u64::from(*cell) > offset)
            .map(|((_, begin), (cell, value))| (*begin, *cell, value.clone()))
            .collect();
        for (begin, cell, old) in overlapping {
            self.cells.remove(&(instance, begin));
            let cell_end = begin + u64::from(cell);
            if begin < offset {
                let bits = 8 * (offset - begin) as u32;
                let part = Value::apply(Pure::Part { shift: 0, bits }, std::slice::from_ref(&old));
                self.cells.insert((instance, begin), ((offset - begin) as u32, part));
            }
            if cell_end > end {
                let (shift, bits) = (8 * (end - begin) as u32, 8 * (cell_end - end) as u32);
                let part = Value::apply(Pure::Part { shift, bits }, std::slice::from_ref(&old));
                self.cells.insert((instance, end), ((cell_end - end) as u32, part));
            }
        }
        self.cells.insert((instance, offset), (size, value));
    }

    fn variables(&mut self) -> impl Iterator<Item = (Var, u32, &mut Value)> {
        let regs = self.regs.iter_mut().map(|(reg, value)| (Var::Reg(reg.0), 0, value));
        let cells = self.cells.iter_mut().map(|(&(instance, offset), (size, value))| {
            (Var::Cell(instance, offset), *size, value)
        });
        regs.chain(cells)
    }

    /// Puts each computed value into its variable's own register, and forgets what of `widened` variables is known. The
    /// instructions that do it.
    pub(crate) fn settle(
        &mut self,
        registers: &mut Registers,
        widened: &dyn Fn(Var) -> bool,
        is_pointer: &dyn Fn(Var) -> bool,
    ) -> Vec<Instr> {
        let mut moves = Vec::new();
        for (var, _, value) in self.variables() {
            if widened(var) {
                *value = widen(value, is_pointer(var));
            }
            let own = registers.of(var);
            let (Value::Computed(expr) | Value::Pointer { offset: expr, .. }) = value else {
                continue;
            };
            if *expr != Expr::Reg(own) {
                moves.push((own, std::mem::replace(expr, Expr::Reg(own))));
            }
        }
        // All at once: what a register held that an earlier move writes is saved first.
        let is_late = |index: usize| {
            let mut late = false;
            let is_written = |reg| moves[..index].iter().any(|(dst, _)| *dst == reg);
            moves[index].1.registers(&mut |reg| late |= is_written(reg));
            late
        };
        let late: Vec<bool> = (0..moves.len()).map(is_late).collect();
        let (mut saves, mut lets, mut restores) = (Vec::new(), Vec::new(), Vec::new());
        for ((dst, value), late) in moves.into_iter().zip(late) {
            if late {
                let swap = registers.of(Var::Swap(restores.len() as u32));
                saves.push(Instr::Let { dst: swap, value });
                restores.push(Instr::Let { dst, value: Expr::Reg(swap) });
            } else {
                lets.push(Instr::Let { dst, value });
            }
        }
        [saves, lets, restores].concat()
    }

    pub(crate) fn key(&mut self, block: BlockId) -> Key {
        let shape = |value: &Value| match value {
            Value::Known(value) => Shape::Known(*value),
            Value::Pointer { base, .. } => Shape::Pointer(*base),
            Value::Computed(_) => Shape::Computed,
            Value::Unknown(what) => Shape::Unknown(*what),
        };
        let shapes = self.variables().map(|(var, size, value)| (var, size, shape(value))).collect();
        Key { block, shapes }
    }
}

fn widen(value: &Value, is_pointer: bool) -> Value {
    let origin = |base: u64| Objects::address(Objects::object_of(base), 0);
    match value {
        Value::Known(address) if is_pointer && Objects::is_address(*address) => {
            let base = origin(*address);
            Value::Pointer { base, offset: Expr::Const(address.wrapping_sub(base) as i64) }
        }
        Value::Known(value) => Value::Computed(Expr::Const(*value as i64)),
        Value::Pointer { base, offset } => {
            let start = origin(*base);
            let distance = Expr::Const(base.wrapping_sub(start) as i64);
            let add = lockstep_weak::program::Op::Add;
            Value::Pointer { base: start, offset: Expr::apply(add, distance, offset.clone()) }
        }
        other => other.clone(),
    }
}

/// Variables of which the two keys know different things.
pub(crate) fn differing(a: &Key, b: &Key) -> Vec<Var> {
    let of = |key: &Key, var: Var| {
        key.shapes.iter().find(|(other, ..)| *other == var).map(|(_, _, shape)| *shape)
    };
    let known = |shape: &Shape| matches!(shape, Shape::Known(_) | Shape::Pointer(_));
    a.shapes
        .iter()
        .filter(|(var, _, shape)| {
            known(shape) && of(b, *var).is_some_and(|other| known(&other) && other != *shape)
        })
        .map(|(var, ..)| *var)
        .collect()
}

#[cfg(test)]
mod tests {
    use lockstep_kernel::{Elem, Space};

    use super::*;
    use crate::specialise::objects::Object;

    const PLACE: Instance = Instance { object: 1, owner: None };

    fn objects() -> Objects {
        let object = |init| Object {
            name: "a".into(),
            space: Space::Global,
            size: 16,
            elem: Elem::Bytes(1),
            init,
        };
        let objects = vec![object(None), object(Some((0..16).collect()))];
        Objects { objects, statics: Vec::new(), params: Vec::new() }
    }

    #[test]
    fn memory_is_bytes() {
        let objects = objects();
        let mut state = State::default();
        assert_eq!(state.load(&objects, PLACE, 0, 4), Value::Known(0x0302_0100));
        state.store(PLACE, 1, 2, Value::Known(0xbbaa));
        assert_eq!(state.load(&objects, PLACE, 0, 4), Value::Known(0x03bb_aa00));
        state.store(PLACE, 0, 8, Value::Known(0x8877_6655_4433_2211));
        state.store(PLACE, 2, 1, Value::Known(0xff));
        assert_eq!(state.load(&objects, PLACE, 0, 8), Value::Known(0x8877_6655_44ff_2211));
        assert_eq!(state.load(&objects, PLACE, 6, 4), Value::Known(0x0908_8877));
        let nobody = Instance { object: 0, owner: Some(1) };
        assert_eq!(state.load(&objects, nobody, 0, 4), Value::Unknown(Unknown::Uninitialised));
    }

    #[test]
    fn variables_change_places_at_once() {
        let mut registers = Registers::default();
        let (a, b) = (registers.of(Var::Reg(0)), registers.of(Var::Reg(1)));
        let mut state = State::default();
        state.regs.insert(Reg(0), Value::Computed(Expr::Reg(b)));
        state.regs.insert(Reg(1), Value::Computed(Expr::Reg(a)));
        let lets = state.settle(&mut registers, &|_| false, &|_| false);
        let mut values = [1i64, 2, 0];
        for instr in lets {
            let Instr::Let { dst, value: Expr::Reg(from) } = instr else { panic!("{instr:?}") };
            values[dst.0] = values[from.0];
        }
        assert_eq!(values[..2], [2, 1]);
        assert_eq!(state.regs[&Reg(0)], Value::Computed(Expr::Reg(a)));
    }
}
