//! Accesses to memory: done at once where nobody else is concerned, else left as instructions.

use lockstep_kernel::{AtomicOp, CmpOp, Inst, LocId, Op, Reg, SiteId, Ty};
use lockstep_weak::program::{
    Address, Expr, Instr, Op as WeakOp, Order, Scope, Spaces, Strength, Update,
};

use crate::outside::{Decision, Outside, Reason};
use crate::specialise::arithmetic::Pure;
use crate::specialise::objects::Instance;
use crate::specialise::pattern::{Cell, MOST_ELEMENTS, Met, Touch, elements};
use crate::specialise::residual::{Role, Var};
use crate::specialise::state::State;
use crate::specialise::thread::{Done, Stop, Thread};
use crate::specialise::value::Value;
use crate::specialise::{weak_order, weak_scope};

/// The longest copy of memory to memory.
const MOST_COPIED: u64 = 4096;

/// Where an access goes.
enum Goes {
    /// To memory that only this thread uses, or that nobody writes.
    Own(Instance, u64),
    /// To these places, one after the other.
    Shared(Vec<(Address, u32)>),
}

/// An access that is about to be made.
struct Access {
    size: u32,
    write: bool,
    strong: bool,
    loc: LocId,
}

impl Thread<'_> {
    pub(crate) fn access(&mut self, inst: &Inst, number: u32, state: &mut State) -> Done<()> {
        let loc = inst.loc;
        match &inst.op {
            Op::Load { site, ty, count, addr } => {
                let address = self.operand(state, *addr);
                for i in 0..u32::from(*count) {
                    let dst = inst.dst.map(|dst| Reg(dst.0 + i));
                    let at = displaced(&address, u64::from(i * ty.bytes()));
                    let var = dst.map_or(Var::Part(number, i), |dst| Var::Reg(dst.0));
                    let value =
                        self.load(state, *site, loc, &at, ty.bytes(), var, (number, i * 8))?;
                    if let Some(dst) = dst {
                        state.regs.insert(dst, narrowed(value, *ty));
                    }
                }
            }
            Op::Store { site, ty, values, addr } => {
                let address = self.operand(state, *addr);
                for (i, &value) in values.iter().enumerate() {
                    let at = displaced(&address, i as u64 * u64::from(ty.bytes()));
                    let value = self.operand(state, value);
                    self.store(state, *site, loc, &at, ty.bytes(), value)?;
                }
            }
            Op::Atomic { .. } => self.atomic(inst, state)?,
            Op::MemCopy { read, write, dst, src, len, .. } => {
                let (to, from) = (self.operand(state, *dst), self.operand(state, *src));
                let len = self.number(state, *len, "the length of a copy", loc)?;
                let unit = self.unit(len, &[&to, &from], loc)?;
                for i in 0..len / u64::from(unit) {
                    let at = i * u64::from(unit);
                    let var = Var::Part(number, i as u32 * 16);
                    let value = self.load(
                        state,
                        *read,
                        loc,
                        &displaced(&from, at),
                        unit,
                        var,
                        (number, i as u32 * 16 + 1),
                    )?;
                    self.store(state, *write, loc, &displaced(&to, at), unit, value)?;
                }
            }
            Op::MemSet { site, dst, byte, len } => {
                let to = self.operand(state, *dst);
                let len = self.number(state, *len, "the length of a copy", loc)?;
                let byte = self.number(state, *byte, "a byte", loc)? & 0xff;
                let unit = self.unit(len, &[&to], loc)?;
                let value = (0..unit).fold(0, |value, i| value | byte << (8 * i));
                for i in 0..len / u64::from(unit) {
                    let at = displaced(&to, i * u64::from(unit));
                    self.store(state, *site, loc, &at, unit, Value::Known(value))?;
                }
            }
            _ => unreachable!("not an access"),
        }
        Ok(())
    }

    /// In steps of how many bytes so many are copied.
    fn unit(&self, len: u64, addresses: &[&Value], loc: LocId) -> Done<u32> {
        if len > MOST_COPIED {
            return Err(Outside::at(Reason::Operation("a long copy".into()), loc).into());
        }
        let aligned = |unit: u64| {
            let of = |address: &&Value| match address {
                Value::Known(address) => address.is_multiple_of(unit),
                _ => false,
            };
            len.is_multiple_of(unit) && addresses.iter().all(of)
        };
        Ok([8, 4, 2].into_iter().find(|&unit| aligned(unit)).unwrap_or(1) as u32)
    }

    fn name(&self, object: usize) -> String {
        self.world.objects.objects[object].name.clone()
    }

    fn touch(&mut self, instance: Instance, offset: Option<u64>, access: &Access) -> bool {
        let Access { size, write, strong, .. } = *access;
        let touch = Touch { instance, offset, size, thread: self.me as u32, write, strong };
        self.found.insert(touch);
        self.known.contains(&touch)
    }

    /// What an access that does not fit the pattern means: the pattern will change, or sizes are mixed.
    fn misfit(&self, object: usize, is_known: bool, loc: LocId) -> Stop {
        if is_known {
            Outside::at(Reason::MixedSizes { object: self.name(object) }, loc).into()
        } else {
            Stop::NewSharing
        }
    }

    fn goes(&mut self, address: &Value, access: &Access) -> Done<Goes> {
        let loc = access.loc;
        let bounds = |object: String| Outside::at(Reason::Bounds { object }, loc);
        match address {
            Value::Unknown(what) => {
                Err(Outside::at(Reason::Decides(*what, Decision::Address), loc).into())
            }
            Value::Computed(_) => Err(Outside::at(Reason::Address, loc).into()),
            Value::Known(address) => {
                let objects = &self.world.objects;
                let (object, offset) =
                    objects.resolve(*address).ok_or_else(|| bounds("null".into()))?;
                let end = offset.checked_add(i64::from(access.size));
                if offset < 0 || end.is_none_or(|end| end as u64 > objects.objects[object].size) {
                    return Err(bounds(self.name(object)).into());
                }
                let (instance, offset) = (self.instance(object), offset as u64);
                let is_known = self.touch(instance, Some(offset), access);
                match self.pattern.meet(instance, offset, access.size) {
                    Met::Own => Ok(Goes::Own(instance, offset)),
                    Met::Misfit => Err(self.misfit(object, is_known, loc)),
                    Met::Shared(cells) if !access.write && !cells.iter().any(|c| c.written) => {
                        Ok(Goes::Own(instance, offset))
                    }
                    Met::Shared(cells) if access.strong && cells.len() > 1 => {
                        Err(self.misfit(object, true, loc))
                    }
                    Met::Shared(cells) => {
                        let at = |cell: &Cell| (Address::location(cell.location), cell.size);
                        Ok(Goes::Shared(cells.iter().map(at).collect()))
                    }
                }
            }
            Value::Pointer { base, offset } => {
                let (object, start) =
                    self.world.objects.resolve(*base).ok_or_else(|| bounds("null".into()))?;
                let instance = self.instance(object);
                let count = elements(&self.world.objects, instance, access.size);
                if count > MOST_ELEMENTS {
                    let object = self.name(object);
                    let reason = Reason::LargeArray { object, elements: count };
                    return Err(Outside::at(reason, loc).into());
                }
                let is_known = self.touch(instance, None, access);
                match self.pattern.elements(instance, access.size, count) {
                    Met::Shared([]) => Err(bounds(self.name(object)).into()),
                    Met::Shared(cells) => {
                        let pure = Pure::Element { start, size: access.size, count };
                        let index = Expr::Call(pure.function(), vec![offset.clone()]);
                        let at = Address { base: cells[0].location, len: cells.len(), index };
                        Ok(Goes::Shared(vec![(at, access.size)]))
                    }
                    Met::Own | Met::Misfit => Err(self.misfit(object, is_known, loc)),
                }
            }
        }
    }

    /// How strong a plain access is.
    fn plain(&self, site: SiteId) -> Strength {
        match self.world.kernel.site(site).volatile && self.world.ptx {
            true => Strength::Strong(Order::Relaxed, Scope::System),
            false => Strength::Weak,
        }
    }

    fn load(
        &mut self,
        state: &State,
        site: SiteId,
        loc: LocId,
        address: &Value,
        size: u32,
        whole: Var,
        (number, first): (u32, u32),
    ) -> Done<Value> {
        let strength = self.plain(site);
        let strong = strength != Strength::Weak;
        let access = Access { size, write: false, strong, loc };
        let places = match self.goes(address, &access)? {
            Goes::Own(instance, offset) => {
                return Ok(state.load(&self.world.objects, instance, offset, size));
            }
            Goes::Shared(places) => places,
        };
        let parts = places.len();
        let mut value = Value::Known(0);
        let mut shift = 0;
        for (i, (at, size)) in places.into_iter().enumerate() {
            let var = if parts == 1 { whole } else { Var::Part(number, first + i as u32) };
            let dst = self.registers.of(var);
            self.emit(Instr::Load { dst, at, strength }, Role::Access, Some(site), loc);
            let part = Value::Computed(Expr::Reg(dst));
            value = match i {
                0 => part,
                _ => Value::apply(Pure::Beside { shift }, &[value, part]),
            };
            shift += 8 * size;
        }
        Ok(value)
    }

    fn store(
        &mut self,
        state: &mut State,
        site: SiteId,
        loc: LocId,
        address: &Value,
        size: u32,
        value: Value,
    ) -> Done<()> {
        let strength = self.plain(site);
        let strong = strength != Strength::Weak;
        let places = match self.goes(address, &Access { size, write: true, strong, loc })? {
            Goes::Own(instance, offset) => {
                state.store(instance, offset, size, value);
                return Ok(());
            }
            Goes::Shared(places) => places,
        };
        let parts = places.len();
        let mut shift = 0;
        for (at, part_size) in places {
            let part = match parts {
                1 => value.clone(),
                _ => {
                    let pure = Pure::Part { shift, bits: 8 * part_size };
                    Value::apply(pure, std::slice::from_ref(&value))
                }
            };
            shift += 8 * part_size;
            let value = self.stored(&part, part_size);
            self.emit(Instr::Store { at, value, strength }, Role::Access, Some(site), loc);
        }
        Ok(())
    }

    fn atomic(&mut self, inst: &Inst, state: &mut State) -> Done<()> {
        let Op::Atomic { site, op, ty, addr, value, expected, order, scope } = inst.op else {
            unreachable!("an atomic operation")
        };
        let loc = inst.loc;
        let address = self.operand(state, addr);
        let (value, expected) = (self.operand(state, value), self.operand(state, expected));
        let write = op != AtomicOp::Load;
        let access = Access { size: ty.bytes(), write, strong: true, loc };
        let goes = self.goes(&address, &access)?;
        let (mut order, scope) = (weak_order(order), weak_scope(scope));
        if self.world.ptx && order == Order::SeqCst {
            // PTX has no such operations: the fence in front makes it one, and orders other accesses, too.
            let fence = Instr::Fence { order, scope, spaces: Spaces::ALL };
            self.emit(fence, Role::PartOfAtomic, Some(site), loc);
            order = match op {
                AtomicOp::Load => Order::Acquire,
                AtomicOp::Store => Order::Release,
                _ => Order::AcqRel,
            };
        }
        let at = match goes {
            Goes::Own(instance, offset) => {
                let old =
                    narrowed(state.load(&self.world.objects, instance, offset, ty.bytes()), ty);
                let new = match op {
                    AtomicOp::CompareExchange => {
                        let same = Pure::Compare(CmpOp::Eq, integer(ty));
                        let same = Value::apply(same, &[old.clone(), expected]);
                        Value::apply(Pure::Select, &[same, value, old.clone()])
                    }
                    AtomicOp::Load => old.clone(),
                    _ => Value::apply(Pure::Atomic(op, ty), &[old.clone(), value]),
                };
                if write {
                    state.store(instance, offset, ty.bytes(), new);
                }
                if let Some(dst) = inst.dst {
                    state.regs.insert(dst, old);
                }
                return Ok(());
            }
            Goes::Shared(mut places) => places.remove(0).0,
        };
        let strength = Strength::Strong(order, scope);
        let dst = inst.dst.map(|dst| self.registers.of(Var::Reg(dst.0)));
        let instr = match op {
            AtomicOp::Load => {
                let dst = dst.unwrap_or_else(|| self.registers.of(Var::Swap(u32::MAX)));
                Instr::Load { dst, at, strength }
            }
            AtomicOp::Store => {
                Instr::Store { at, value: self.stored(&value, ty.bytes()), strength }
            }
            _ => {
                let update = self.update(op, ty, &value, &expected, loc)?;
                Instr::Atomic { dst, at, update, order, scope }
            }
        };
        self.emit(instr, Role::Access, Some(site), loc);
        if let (Some(reg), Some(dst)) = (inst.dst, dst) {
            state.regs.insert(reg, Value::Computed(Expr::Reg(dst)));
        }
        Ok(())
    }

    fn update(
        &mut self,
        op: AtomicOp,
        ty: Ty,
        value: &Value,
        expected: &Value,
        loc: LocId,
    ) -> Done<Update> {
        let value = self.stored(value, ty.bytes());
        Ok(match op {
            AtomicOp::Exchange => Update::Exchange(value),
            AtomicOp::CompareExchange => Update::CompareExchange {
                expected: self.shared(expected, loc)?,
                desired: value,
                writes_only_success: true,
            },
            _ => Update::Call(Pure::Atomic(op, ty).function(), value),
        })
    }
}

/// The integers that have as many bits.
fn integer(ty: Ty) -> Ty {
    match ty.bits() {
        1 => Ty::I1,
        8 => Ty::I8,
        16 => Ty::I16,
        32 => Ty::I32,
        _ => Ty::I64,
    }
}

/// What a register of this type has of a value that was loaded.
fn narrowed(value: Value, ty: Ty) -> Value {
    match ty {
        Ty::I1 => Value::apply(Pure::Part { shift: 0, bits: 1 }, &[value]),
        _ => value,
    }
}

/// So many bytes further.
fn displaced(address: &Value, by: u64) -> Value {
    match address {
        Value::Known(address) => Value::Known(address.wrapping_add(by)),
        Value::Pointer { base, offset } => {
            Value::Pointer { base: base.wrapping_add(by), offset: offset.clone() }
        }
        Value::Computed(expr) if by != 0 => {
            Value::Computed(Expr::apply(WeakOp::Add, expr.clone(), Expr::Const(by as i64)))
        }
        other => other.clone(),
    }
}
