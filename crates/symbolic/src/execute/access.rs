//! Loads and stores: which bytes an address means, and who touched them before.

use lockstep_kernel::{CmpOp, Inst, IntOp, Op, Space, Ty};

use super::thread::Thread;
use super::watch::Place;
use super::{Machine, Outcome, Trouble, What, Written};
use crate::memory::Writer;
use crate::memory::places::{Placed, is_multiple};
use crate::memory::records::{Asked, Conflict, Kind, Record};
use crate::solve::Answer;
use crate::term::{Node, T, Undefined};

/// A place that an address may mean, and when.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) object: u32,
    pub(super) offset: u64,
    /// The condition, beside the guard of the access.
    pub(super) when: T,
    /// It is one of the elements that an index may pick.
    pub(super) is_one_of_many: bool,
}

impl Machine<'_> {
    pub(super) fn element(&mut self, addr: T, i: u32, ty: Ty) -> T {
        if i == 0 {
            return addr;
        }
        let zero = self.pool.constant(Ty::I64, 0);
        self.pool.index(addr, zero, 1, i64::from(i * ty.bytes()))
    }

    pub(super) fn load(
        &mut self,
        thread: &Thread,
        guard: T,
        addr: T,
        ty: Ty,
        site: u32,
    ) -> Outcome<T> {
        if let Some(value) = self.load_together(thread, guard, addr, ty)? {
            return Ok(value);
        }
        let size = u64::from(ty.bytes());
        let targets = self.targets(thread, guard, addr, size)?;
        let mut value = None;
        for place in self.take_places() {
            self.objects[place.object as usize].is_read = true;
            self.note_place(thread, guard, place, size, Kind::Read, site)?;
            if !place.told_apart {
                let read = self.picked(place, ty);
                value = Some(match value {
                    None => read,
                    Some(others) => self.pool.select(place.when, read, others),
                });
            }
        }
        for target in targets.iter().rev() {
            self.note(thread, guard, *target, size, Kind::Read, site)?;
            let read = self.read(guard, *target, ty);
            value = Some(match value {
                None => read,
                Some(others) => self.pool.select(target.when, read, others),
            });
        }
        Ok(value.unwrap_or_else(|| self.pool.undefined(Undefined::Uninitialised, ty)))
    }

    pub(super) fn store(
        &mut self,
        thread: &Thread,
        guard: T,
        addr: T,
        value: T,
        site: u32,
    ) -> Outcome<()> {
        if self.store_together(thread, guard, addr, value, site)? {
            return Ok(());
        }
        let ty = self.pool.ty(value);
        let size = u64::from(ty.bytes());
        let writer = self.writer(thread, site);
        let targets = self.targets(thread, guard, addr, size)?;
        for place in self.take_places() {
            if self.objects[place.object as usize].space == Space::Constant {
                return self.not_followed("a store to constant memory");
            }
            self.note_place(thread, guard, place, size, Kind::Write, site)?;
            if !place.told_apart {
                self.objects[place.object as usize].smear();
            }
        }
        for target in targets {
            if self.objects[target.object as usize].space == Space::Constant {
                return self.not_followed("a store to constant memory");
            }
            self.touch(target.object)?;
            self.note(thread, guard, target, size, Kind::Write, site)?;
            self.write(guard, target, value, writer);
        }
        Ok(())
    }

    pub(super) fn writer(&mut self, thread: &Thread, site: u32) -> Writer {
        let Written { launch: l, site: s, thread: t, .. } = self.writers[self.writers.len() - 1];
        let launch = self.launch;
        if (l, s, t) != (launch, site, thread.number) || self.writers.len() == 1 {
            self.writers.push(Written { launch, site, thread: thread.number, block: thread.block });
        }
        self.writers.len() as u32 - 1
    }

    /// What a target holds, as seen by who is there under a guard.
    pub(super) fn read(&mut self, guard: T, target: Target, ty: Ty) -> T {
        let object = &mut self.objects[target.object as usize];
        object.is_read = true;
        if object.smeared {
            let why = object.unknown();
            return self.pool.undefined(why, ty);
        }
        let value = object.read(self.pool, target.offset, ty);
        let guard = self.pool.and(guard, target.when);
        self.pool.under(guard, value)
    }

    pub(super) fn write(&mut self, guard: T, target: Target, value: T, writer: Writer) {
        let when = self.pool.and(guard, target.when);
        let ty = self.pool.ty(value);
        let object = &mut self.objects[target.object as usize];
        if object.smeared {
            return;
        }
        let new = if self.pool.is_true(when) {
            value
        } else {
            let old = object.read(self.pool, target.offset, ty);
            let value = self.pool.under(when, value);
            self.pool.select(when, value, old)
        };
        object.write(self.pool, target.offset, new, writer);
    }

    /// Notes an access in the records of its bytes; trouble where it conflicts with an earlier one.
    pub(super) fn note(
        &mut self,
        thread: &Thread,
        guard: T,
        target: Target,
        size: u64,
        kind: Kind,
        site: u32,
    ) -> Outcome<()> {
        let space = self.objects[target.object as usize].space;
        // What depends on data has been noted as one.
        if self.threads == 1
            || target.is_one_of_many
            || !matches!(space, Space::Global | Space::Shared)
        {
            return Ok(());
        }
        let guard = self.pool.and(guard, target.when);
        let access = self.record(thread, guard, size, kind, site);
        let in_shared = space == Space::Shared;
        let asked = if self.is_watching() { Asked::Race } else { Asked::Order };
        let object = &mut self.objects[target.object as usize];
        let mut conflicts = object.records.note(
            self.pool,
            target.offset,
            size,
            access,
            &self.events,
            in_shared,
            asked,
        );
        if !object.places.is_empty() {
            conflicts.extend(object.places.meet(
                self.pool,
                access,
                target.offset,
                &self.events,
                in_shared,
            ));
        }
        self.tell_conflicts(target.object, kind, conflicts)
    }

    /// Notes an access at a place that depends on data.
    pub(super) fn note_place(
        &mut self,
        thread: &Thread,
        guard: T,
        place: Place,
        size: u64,
        kind: Kind,
        site: u32,
    ) -> Outcome<()> {
        let space = self.objects[place.object as usize].space;
        if self.threads == 1 || !matches!(space, Space::Global | Space::Shared) {
            return Ok(());
        }
        let guard = self.pool.and(guard, place.when);
        let record = self.record(thread, guard, size, kind, site);
        let placed = Placed::new(self.pool, record, place.offset);
        let in_shared = space == Space::Shared;
        let object = &mut self.objects[place.object as usize];
        let conflicts =
            object.places.note(self.pool, &object.records, placed, &self.events, in_shared);
        self.tell_conflicts(place.object, kind, conflicts)
    }

    fn record(&self, thread: &Thread, guard: T, size: u64, kind: Kind, site: u32) -> Record {
        let warp = thread.local / self.side.warp_size;
        Record {
            thread: thread.number,
            block: thread.block,
            warp,
            events: self.events.block.len() as u32,
            warp_events: self.events.warps[warp as usize].len() as u32,
            guard,
            kind,
            site,
            size: size as u8,
            scope: self.kernel.sites[site as usize].scope,
        }
    }

    fn tell_conflicts(&mut self, object: u32, kind: Kind, conflicts: Vec<Conflict>) -> Outcome<()> {
        for conflict in conflicts {
            let other = self.kernel.sites[conflict.earlier.site as usize].loc;
            let object = self.objects[object as usize].name.clone();
            let atomics =
                matches!(kind, Kind::Atomic(_)) && matches!(conflict.earlier.kind, Kind::Atomic(_));
            let what = match atomics && !self.is_watching() {
                true => What::AtomicOrder { other, object },
                false => What::Race { other, object },
            };
            self.trouble_if(conflict.condition, what)?;
        }
        Ok(())
    }

    /// An address that the access may not begin at.
    pub(super) fn align(&mut self, guard: T, addr: T, site: u32) -> Outcome<()> {
        let align = u64::from(self.kernel.sites[site as usize].align);
        let Node::Address(_, offset) = *self.pool.node(addr) else { return Ok(()) };
        if !self.is_watching() || !align.is_power_of_two() || is_multiple(self.pool, offset, align)
        {
            return Ok(());
        }
        let mask = self.pool.constant(Ty::I64, align - 1);
        let rest = self.pool.int(IntOp::And, offset, mask);
        let zero = self.pool.constant(Ty::I64, 0);
        let is_off = self.pool.cmp(CmpOp::Ne, rest, zero);
        let is_off = self.pool.and(guard, is_off);
        self.notice(is_off, What::Misaligned)
    }

    /// A value that is used: somebody must have written it.
    pub(super) fn written(&mut self, guard: T, value: T) -> Outcome<()> {
        if !self.is_watching() {
            return Ok(());
        }
        let nobody = self.undefined_when(value);
        let nobody = self.pool.and(guard, nobody);
        self.notice(nobody, What::Uninitialised)
    }

    /// All places that an address may mean. Where there are several, exactly one of their conditions holds.
    pub(super) fn targets(
        &mut self,
        thread: &Thread,
        guard: T,
        addr: T,
        size: u64,
    ) -> Outcome<Vec<Target>> {
        let mut out = Vec::new();
        let always = self.pool.truth(true);
        let mut open = vec![(addr, always)];
        while let Some((addr, when)) = open.pop() {
            match *self.pool.node(addr) {
                Node::Address(object, offset) => {
                    let under = self.pool.and(guard, when);
                    self.places(thread, under, when, object, offset, size, &mut out)?;
                }
                Node::Select(c, a, b) => {
                    let not = self.pool.not(c);
                    for (side, c) in [(b, not), (a, c)] {
                        let when = self.pool.and(when, c);
                        if self.pool.follows(guard, when) != Some(false) {
                            open.push((side, when));
                        }
                    }
                }
                _ => {
                    let under = self.pool.and(guard, when);
                    self.trouble_if(under, What::UnknownObject)?;
                }
            }
        }
        Ok(out)
    }

    fn places(
        &mut self,
        thread: &Thread,
        guard: T,
        when: T,
        object: u32,
        offset: T,
        size: u64,
        out: &mut Vec<Target>,
    ) -> Outcome<()> {
        if self.together.as_ref().is_some_and(|t| t.arrays.contains_key(&object)) {
            return self.trouble(What::NotTogether);
        }
        let whole = self.objects[object as usize].size;
        let name = || self.objects[object as usize].name.clone();
        let outside = What::OutOfBounds { object: name() };
        if self.objects[object as usize].owner.is_some_and(|o| o != thread.number) {
            return self.trouble_if(guard, What::UnknownObject);
        }
        if self.objects[object as usize].released {
            return self.trouble_if(guard, What::Released { object: name() });
        }
        if let Some(offset) = self.pool.value(offset) {
            if offset.checked_add(size).is_none_or(|end| end > whole) {
                return self.trouble_if(guard, outside);
            }
            out.push(Target { object, offset, when, is_one_of_many: false });
            return Ok(());
        }
        if whole < size {
            return self.trouble_if(guard, outside);
        }
        if self.is_watching() {
            return self.watched_places(guard, when, (object, offset, size), outside, out);
        }
        let (low, high) = self.bounds(guard, offset, whole - size, outside)?;
        let (mut index, mut scale, mut from) = self.decompose(offset);
        let mut step = scale;
        // One of several elements that conditions choose: which one, its offset says.
        if scale == 1 && size > 1 && is_multiple(self.pool, offset, size) {
            (index, scale, from, step) = (offset, 1, 0, i128::from(size));
        }
        if step <= 0 || step % i128::from(size) != 0 {
            return self.not_followed("an address whose alignment depends on data");
        }
        // The first place in the range that the index can give.
        let first = low + (from - low).rem_euclid(step);
        let count = if first > high { 0 } else { ((high - first) / step + 1) as u64 };
        if count > self.limits.targets {
            return self.trouble(What::TooManyTargets { elements: count });
        }
        self.each(guard, when, (object, index, scale, from), (first, count, step), false, out);
        Ok(())
    }

    /// The elements that an index may pick, each when it is this one.
    fn each(
        &mut self,
        guard: T,
        when: T,
        (object, index, scale, from): (u32, T, i128, i128),
        (first, count, step): (i128, u64, i128),
        is_one_of_many: bool,
        out: &mut Vec<Target>,
    ) {
        for i in 0..count {
            let offset = first + i128::from(i) * step;
            let number = self.pool.constant(Ty::I64, ((offset - from) / scale) as u64);
            let is_this = self.pool.cmp(CmpOp::Eq, index, number);
            let when = self.pool.and(when, is_this);
            if self.pool.follows(guard, when) != Some(false) {
                out.push(Target { object, offset: offset as u64, when, is_one_of_many });
            }
        }
    }

    /// A place that depends on data, where the execution goes on after trouble: one access that is noted as such, and
    /// the elements that it may be of where these are few.
    fn watched_places(
        &mut self,
        guard: T,
        when: T,
        (object, offset, size): (u32, T, u64),
        outside: What,
        out: &mut Vec<Target>,
    ) -> Outcome<()> {
        let mut when = when;
        let last = self.objects[object as usize].size - size;
        let (low, high) = self.pool.signed_range(offset);
        let is_inside = low >= 0 && high <= i128::from(last);
        if !is_inside && !self.objects[object as usize].unbounded {
            // Read as unsigned, a negative offset is beyond the end, too.
            let limit = self.pool.constant(Ty::I64, last);
            let beyond = self.pool.cmp(CmpOp::UGt, offset, limit);
            let inside = self.pool.not(beyond);
            let under = self.pool.and(guard, beyond);
            self.notice(under, outside)?;
            when = self.pool.and(when, inside);
        }
        let (low, high) = (low.max(0), high.min(i128::from(last)));
        let (index, scale, from) = self.decompose(offset);
        let is_aligned = scale > 0 && scale % i128::from(size) == 0;
        let first = low + if is_aligned { (from - low).rem_euclid(scale) } else { 0 };
        let count =
            if first > high || !is_aligned { 0 } else { ((high - first) / scale + 1) as u64 };
        let told_apart =
            is_aligned && count <= self.limits.targets && !self.objects[object as usize].smeared;
        self.add_place(Place { object, offset, when, told_apart });
        if told_apart {
            self.each(guard, when, (object, index, scale, from), (first, count, scale), true, out);
        }
        Ok(())
    }

    /// The least and greatest offset, which are within the object: what is outside can never be.
    fn bounds(&mut self, guard: T, offset: T, last: u64, outside: What) -> Outcome<(i128, i128)> {
        let (low, high) = self.pool.signed_range(offset);
        let last = i128::from(last);
        if low >= 0 && high <= last {
            return Ok((low, high));
        }
        // Read as unsigned, a negative offset is beyond the end, too.
        let limit = self.pool.constant(Ty::I64, last as u64);
        let beyond = self.pool.cmp(CmpOp::UGt, offset, limit);
        let beyond = self.pool.and(guard, beyond);
        match self.solver.can(self.pool, beyond) {
            Answer::Never => Ok((low.max(0), high.min(last))),
            Answer::Sometimes(model) => {
                Err(Trouble { what: outside, at: self.at, model: Some(model) })
            }
            Answer::Open => self.trouble(outside),
        }
    }

    /// An offset as `index * scale + from`, without overflow.
    fn decompose(&mut self, offset: T) -> (T, i128, i128) {
        let signed = |v: u64| i128::from(v as i64);
        let (mut rest, mut from) = (offset, 0);
        if let Node::Int(IntOp::Add, x, c) = *self.pool.node(rest)
            && let Some(c) = self.pool.value(c)
        {
            (rest, from) = (x, signed(c));
        }
        let (mut index, mut scale) = (rest, 1);
        if let Node::Int(IntOp::Mul, x, c) = *self.pool.node(rest)
            && let Some(c) = self.pool.value(c)
        {
            (index, scale) = (x, signed(c));
        }
        let (low, high) = self.pool.signed_range(index);
        let fits = |v: i128| {
            i64::try_from(v * scale).is_ok_and(|v| i64::try_from(i128::from(v) + from).is_ok())
        };
        match fits(low) && fits(high) {
            true => (index, scale, from),
            false => (offset, 1, 0),
        }
    }

    /// `memcpy` and `memset`, of a length that is known.
    pub(super) fn bulk(&mut self, thread: &Thread, at: usize, inst: &Inst) -> Outcome<()> {
        let guard = thread.groups[at].guard;
        let (dst, len) = match &inst.op {
            Op::MemCopy { dst, len, .. } | Op::MemSet { dst, len, .. } => (*dst, *len),
            _ => return self.not_followed("an operation"),
        };
        let len = self.of(thread, at, len, Ty::I64);
        let Some(len) = self.pool.value(len) else {
            return self.not_followed("a copy whose length depends on data");
        };
        let dst = self.of(thread, at, dst, Ty::Ptr);
        let mut from = None;
        if let Op::MemCopy { src, .. } = inst.op {
            from = Some(self.of(thread, at, src, Ty::Ptr));
        }
        let unit = self.unit(dst, from, len);
        let zero = self.pool.constant(Ty::I64, 0);
        // All is read before anything is written.
        let mut values = Vec::new();
        for i in 0..len / u64::from(unit.bytes()) {
            let offset = (i * u64::from(unit.bytes())) as i64;
            values.push(match (&inst.op, from) {
                (Op::MemCopy { read, .. }, Some(src)) => {
                    let place = self.pool.index(src, zero, 1, offset);
                    self.load(thread, guard, place, unit, read.0)?
                }
                (Op::MemSet { byte, .. }, _) => {
                    let byte = self.of(thread, at, *byte, Ty::I8);
                    match self.pool.value(byte) {
                        Some(b) => self.pool.constant(unit, b * 0x0101_0101_0101_0101),
                        None if unit == Ty::I8 => byte,
                        None => {
                            return self.not_followed("a fill with a value that depends on data");
                        }
                    }
                }
                _ => return self.not_followed("an operation"),
            });
        }
        let site = inst.op.site().map_or(0, |s| s.0);
        for (i, value) in values.into_iter().enumerate() {
            let offset = (i as u64 * u64::from(unit.bytes())) as i64;
            let place = self.pool.index(dst, zero, 1, offset);
            self.store(thread, guard, place, value, site)?;
        }
        Ok(())
    }

    /// The pieces in which bytes are copied: those of the objects, where all fits.
    fn unit(&self, dst: T, src: Option<T>, len: u64) -> Ty {
        let mut sizes = Vec::new();
        let mut fits = |size: u64, addr: T| match *self.pool.node(addr) {
            Node::Address(object, offset) => {
                sizes.extend(self.objects[object as usize].cell_size());
                self.pool.value(offset).is_some_and(|o| o.is_multiple_of(size))
            }
            _ => false,
        };
        let all_fit = |size: u64, fits: &mut dyn FnMut(u64, T) -> bool| {
            len.is_multiple_of(size) && fits(size, dst) && src.is_none_or(|s| fits(size, s))
        };
        let eight = all_fit(8, &mut fits);
        let four = all_fit(4, &mut fits);
        let two = all_fit(2, &mut fits);
        let wanted = sizes.iter().copied().min().unwrap_or(4);
        match wanted {
            8.. if eight => Ty::I64,
            4.. if four => Ty::I32,
            2.. if two => Ty::I16,
            _ => Ty::I8,
        }
    }
}
