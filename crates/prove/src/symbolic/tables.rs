//! Constant tables: the value of a load from an object that is never written.
//!
//! At a constant offset it is the value there. At a computed offset it is a selection among the elements of a small
//! table of integers or pointers; tables in which every element is a linear function of its index (all equal, or with a
//! constant step) need no selection. Floats stay unknown: they do not occur in indices. As everywhere, accesses are
//! assumed to stay in their objects.

use lockstep_kernel::{Object, Ty};

use crate::launch::context::Base;
use crate::symbolic::evaluate::Exec;
use crate::term::T;

/// Maximum number of elements of a table that becomes a selection.
const CHOICES: u64 = 64;

impl Exec<'_, '_> {
    /// The contents of a constant table, as far as known.
    pub(crate) fn initial(&mut self, base: Base, offset: T, ty: Ty) -> Option<T> {
        let Base::Object(id) = base else { return None };
        let object = &self.ctx.kernel.objects[id.0 as usize];
        if !object.fixed {
            return None;
        }
        if let Some(at) = self.ctx.pool.as_const(offset) {
            return self.element(object, at, ty);
        }
        let size = u64::from(ty.bytes());
        let count = object.size / size;
        let (c, parts) = self.ctx.pool.lin_parts(offset);
        let whole = c % size == 0 && parts.iter().all(|(_, k)| k % size == 0);
        if !whole || !object.size.is_multiple_of(size) || count > CHOICES || ty.is_float() {
            return None;
        }
        let values: Option<Vec<T>> =
            (0..count).map(|i| self.element(object, i * size, ty)).collect();
        let values = values?;
        let (&first, &last) = (values.first()?, values.last()?);
        let index = self.ctx.pool.constant(size, 64);
        let index = self.ctx.pool.udiv(offset, index);
        if values.iter().all(|v| *v == first) {
            return Some(first);
        }
        if let Some(v) = self.in_steps(&values, index, ty) {
            return Some(v);
        }
        let mut out = last;
        for (i, &v) in values.iter().enumerate().rev().skip(1) {
            let here = self.ctx.pool.constant(i as u64, 64);
            let here = self.ctx.pool.eq(index, here);
            out = self.ctx.pool.ite(here, v, out);
        }
        Some(out)
    }

    /// A table whose element `i` is `a + i * b`.
    fn in_steps(&mut self, values: &[T], index: T, ty: Ty) -> Option<T> {
        let numbers: Option<Vec<u64>> = values.iter().map(|v| self.ctx.pool.as_const(*v)).collect();
        let numbers = numbers?;
        let w = ty.bits();
        let step = numbers.get(1)?.wrapping_sub(numbers[0]) & crate::term::mask(w);
        let follows = |p: &[u64]| p[1].wrapping_sub(p[0]) & crate::term::mask(w) == step;
        if !numbers.windows(2).all(follows) {
            return None;
        }
        let index = self.ctx.pool.resize(index, w);
        let moved = self.ctx.pool.scale(index, step);
        Some(self.ctx.pool.add_const(moved, numbers[0]))
    }

    /// The element at a constant offset.
    fn element(&mut self, object: &Object, at: u64, ty: Ty) -> Option<T> {
        let size = u64::from(ty.bytes());
        let pointer = object.relocations.iter().find(|(o, ..)| *o < at + size && at < *o + 8);
        if let Some(&(o, target, addend)) = pointer {
            if o != at || size != 8 {
                return None;
            }
            let base = self.ctx.object_base(target);
            let address = self.ctx.address_of(base);
            return Some(self.ctx.pool.add_const(address, addend as u64));
        }
        let init = object.init.as_ref()?;
        let bytes = init.get(at as usize..(at + size) as usize)?;
        let v = bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
        Some(self.ctx.pool.constant(v, ty.bits()))
    }
}
