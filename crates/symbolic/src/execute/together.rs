//! Threads, blocks and iterations executed as one: coordinates are variables, and arrays of the launch are layers of
//! families ([`crate::families`]).
//!
//! Where threads do not communicate, one thread stands for all: its coordinates are variables, and what it stores is a family with
//! them as parameters. Where those of a block do, its threads are executed one by one as ever, with shared memory, barriers and
//! access records, and one block stands for all. A loop that stores to arrays is executed once, with its number of iterations as a
//! variable (`loops.rs`).
//!
//! That is only right where threads (blocks, iterations) that stand for each other do not meet in memory. This is asked when
//! the thread (block, loop) ends ([`Machine::close`]): every element that it reads or writes, in an array that it writes at all, must
//! be one that only it writes. Each access is looked up in each family of the array: the parameters that are found must be those of
//! the thread itself. So what it read was not another's, no other reads what it wrote, and no two write the same element, in whatever
//! order.
//!
//! What it can miss: nothing; but it gives up ([`What::NotTogether`]) at whatever is not plainly so: atomics on arrays, accesses of
//! several sizes to one array, pointers that a condition picks from several arrays, indices without digits into an array that is
//! written, more than one thread of a block at an element of global memory.

use rustc_hash::{FxHashMap, FxHashSet};

use lockstep_kernel::{Inst, Op, ParamKind, Space, Special, Ty};

use super::thread::Thread;
use super::{Machine, Outcome, What, coordinates, product};
use crate::families::{Content, Found, Layer, Member, Place, content, locate};
use crate::linear::{Form, Linear};
use crate::solve::Answer;
use crate::term::walk::undefined_in;
use crate::term::{Node, Pool, T};

/// What an array holds before the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Elements of an input, of this type.
    Input(u32, Ty),
    Zeros,
}

/// Which of the threads are executed as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Thread,
    Block,
}

/// An access to an array that the kernel may write.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Read {
    guard: T,
    index: T,
    thread: u32,
}

pub(crate) struct Array {
    contents: Contents,
    length: u64,
    /// Bytes of an element.
    size: u64,
    is_written: bool,
    pub(crate) layers: Vec<Layer>,
    reads: Vec<Read>,
    seen: FxHashSet<Read>,
}

impl Array {
    /// How many layers and reads there are.
    pub(super) fn marks(&self) -> (usize, usize) {
        (self.layers.len(), self.reads.len())
    }

    /// The number of elements, where another array is as long, has elements of the same size and held the same before.
    pub(crate) fn agrees(&self, other: &Array, ty: Ty) -> Option<u64> {
        let size = u64::from(ty.bytes());
        let elements = |a: &Array| match a.size {
            // Of one that nobody has accessed, the bytes are counted.
            0 => Some(a.length / size),
            own if own == size => Some(a.length),
            _ => None,
        };
        let (own, others) = (elements(self)?, elements(other)?);
        (own == others && self.contents == other.contents).then_some(own)
    }

    /// Forgets what came after these.
    pub(super) fn undo(&mut self, (layers, reads): (usize, usize)) {
        self.layers.truncate(layers);
        self.reads.truncate(reads);
        self.seen = self.reads.iter().copied().collect();
    }

    /// What it held before the launch at an index.
    pub(crate) fn initial(&self, pool: &mut Pool, index: T, ty: Ty) -> T {
        match self.contents {
            Contents::Zeros => pool.constant(ty, 0),
            Contents::Input(input, own) => {
                let element = pool.element(input, index, own);
                pool.cast(lockstep_kernel::CastOp::Bit, element, ty)
            }
        }
    }
}

/// The state of an execution of many as one.
pub(super) struct Together {
    pub(super) unit: Unit,
    block: [T; 3],
    thread: Option<[T; 3]>,
    pub(super) arrays: FxHashMap<u32, Array>,
    pub(super) loops: super::loops::Loops,
    contexts: FxHashMap<T, Linear>,
}

/// A launch executed as one, and what it leaves.
pub(crate) struct Left {
    /// By parameter.
    pub(crate) arrays: Vec<Option<Array>>,
    pub(crate) steps: u64,
}

/// Whether a kernel's threads do nothing together, so that one may stand for all.
pub(crate) fn is_alone(kernel: &lockstep_kernel::Kernel) -> bool {
    let asks = |i: &Inst| {
        matches!(
            i.op,
            Op::Barrier { .. }
                | Op::Shuffle { .. }
                | Op::Vote { .. }
                | Op::Special(
                    Special::LaneId
                        | Special::WarpId
                        | Special::LaneMaskEq
                        | Special::LaneMaskLt
                        | Special::LaneMaskLe
                        | Special::LaneMaskGt
                        | Special::LaneMaskGe
                )
        )
    };
    !kernel.insts().any(asks)
        && !kernel.objects.iter().any(|o| o.space == Space::Shared)
        && !kernel.params.iter().any(|p| matches!(p.kind, ParamKind::Local { .. }))
}

impl Machine<'_> {
    /// Executes the launch with one thread, or one block, for all.
    pub(super) fn run_together(
        &mut self,
        params: &[Option<u32>],
        unit: Unit,
        contents: &[Option<Contents>],
    ) -> Outcome<Left> {
        let launch = self.side.launch;
        let counters = |pool: &mut Pool, name: &str, counts: [u32; 3]| {
            let axis = |a: usize| format!("{name}.{}", ["x", "y", "z"][a]);
            [0, 1, 2].map(|a| pool.counter(&axis(a), Ty::I32, 0, i64::from(counts[a]) - 1))
        };
        if launch.grid.iter().chain(&launch.block).any(|n| *n > 1 << 30) {
            return self.trouble(What::NotTogether);
        }
        let block = counters(self.pool, "blockIdx", launch.grid);
        let thread = match unit {
            Unit::Thread => Some(counters(self.pool, "threadIdx", launch.block)),
            Unit::Block => None,
        };
        let mut arrays = FxHashMap::default();
        for (i, object) in params.iter().enumerate() {
            let (Some(object), Some(contents)) = (object, contents[i]) else { continue };
            let ParamKind::Buffer { readonly, .. } = self.kernel.params[i].kind else { continue };
            let bytes = self.objects[*object as usize].size;
            let size = match contents {
                Contents::Input(_, ty) => u64::from(ty.bytes()),
                Contents::Zeros => 0,
            };
            let made = Array {
                contents,
                length: bytes.checked_div(size).unwrap_or(bytes),
                size,
                is_written: !readonly,
                layers: Vec::new(),
                reads: Vec::new(),
                seen: FxHashSet::default(),
            };
            if arrays.insert(*object, made).is_some() {
                return self.trouble(What::NotTogether);
            }
        }
        self.together = Some(Together {
            unit,
            block,
            thread,
            arrays,
            loops: Default::default(),
            contexts: FxHashMap::default(),
        });
        match unit {
            Unit::Thread => self.run_alone()?,
            Unit::Block => self.run_block(0)?,
        }
        let axes = block.into_iter().chain(thread.into_iter().flatten());
        let params_of_all: Vec<T> = axes.filter(|t| self.pool.value(*t).is_none()).collect();
        self.close(&params_of_all, &FxHashMap::default())?;
        let Some(mut together) = self.together.take() else {
            return self.trouble(What::NotTogether);
        };
        let arrays = params.iter().map(|o| o.and_then(|o| together.arrays.remove(&o))).collect();
        Ok(Left { arrays, steps: self.steps })
    }

    fn run_alone(&mut self) -> Outcome<()> {
        let groups = vec![self.begin()];
        let privates = Vec::new();
        let mut thread = Thread { number: 0, local: 0, block: 0, groups, waits: None, privates };
        self.place_private(&mut thread, true);
        self.run_thread(&mut thread)?;
        match thread.waits {
            Some(_) => self.trouble(What::NotTogether),
            None => Ok(()),
        }
    }

    /// A coordinate, where many are executed as one.
    pub(super) fn coordinate(&self, special: Special) -> Option<T> {
        let together = self.together.as_ref()?;
        match special {
            Special::BlockId(a) => Some(together.block[a as usize]),
            Special::ThreadId(a) => together.thread.map(|t| t[a as usize]),
            _ => None,
        }
    }

    /// An object that is no array of the launch is written.
    pub(super) fn touch(&mut self, object: u32) -> Outcome<()> {
        let space = self.objects[object as usize].space;
        let Some(together) = &mut self.together else { return Ok(()) };
        if !matches!(space, Space::Private | Space::Shared) {
            return self.trouble(What::NotTogether);
        }
        together.loops.touched.insert(object);
        Ok(())
    }

    /// The state; only where many are executed as one.
    pub(super) fn state(&mut self) -> Outcome<&mut Together> {
        let at = self.at;
        let error = super::Trouble { what: What::NotTogether, at, model: None };
        self.together.as_mut().ok_or(error)
    }

    /// Something done with the forms that hold under a guard.
    fn in_context<V>(
        &mut self,
        guard: T,
        act: impl FnOnce(&mut Self, &mut Linear) -> Outcome<V>,
    ) -> Outcome<V> {
        let known = self.state()?.contexts.remove(&guard);
        let mut lin = match known {
            Some(known) => known,
            None => Linear::under(self.pool, guard),
        };
        let out = act(self, &mut lin);
        self.state()?.contexts.insert(guard, lin);
        out
    }

    /// Where an address is one of an array, or several by conditions: their objects, offsets and conditions.
    fn arrays_of(&mut self, guard: T, addr: T) -> Outcome<Option<Vec<(u32, T, T)>>> {
        if self.together.is_none() {
            return Ok(None);
        }
        let mut out = Vec::new();
        let mut others = false;
        let mut open = vec![(guard, addr)];
        while let Some((when, addr)) = open.pop() {
            match *self.pool.node(addr) {
                Node::Address(object, offset) => match self.state()?.arrays.contains_key(&object) {
                    true => out.push((object, offset, when)),
                    false => others = true,
                },
                Node::Select(c, a, b) => {
                    let not = self.pool.not(c);
                    open.push((self.pool.and(when, not), b));
                    open.push((self.pool.and(when, c), a));
                }
                _ => others = true,
            }
        }
        match (out.is_empty(), others) {
            (true, _) => Ok(None),
            (false, false) => Ok(Some(out)),
            (false, true) => self.trouble(What::NotTogether),
        }
    }

    /// The number of an element that is within its array.
    fn element_index(
        &mut self,
        lin: &mut Linear,
        guard: T,
        object: u32,
        offset: T,
        ty: Ty,
    ) -> Outcome<(Form, T)> {
        let size = u64::from(ty.bytes());
        let name = self.objects[object as usize].name.clone();
        let array = self.state()?.arrays.get_mut(&object);
        let Some(array) = array else { return self.trouble(What::NotTogether) };
        if array.size == 0 {
            array.size = size;
            array.length /= size;
        }
        let length = array.length;
        if array.size != size || ty == Ty::I1 {
            return self.trouble(What::NotTogether);
        }
        let by = i128::from(size);
        let bytes = lin.form(self.pool, offset);
        if bytes.constant % by != 0 || bytes.divisor() % by != 0 {
            return self.trouble(What::NotTogether);
        }
        let index = bytes.divided(by);
        let (low, high) = lin.range(self.pool, &index);
        if low < 0 || high >= i128::from(length) {
            let limit = self.pool.constant(Ty::I64, length * size);
            let inside = self.pool.cmp(lockstep_kernel::CmpOp::ULt, offset, limit);
            let outside = self.pool.not(inside);
            let outside = self.pool.and(guard, outside);
            match self.solver.can(self.pool, outside) {
                Answer::Never => {}
                _ => return self.trouble(What::OutOfBounds { object: name }),
            }
        }
        match lin.term(self.pool, &index) {
            Some(term) => Ok((index, term)),
            None => self.trouble(What::NotTogether),
        }
    }

    /// A load from an array of the launch; nothing where it is from elsewhere.
    pub(super) fn load_together(
        &mut self,
        thread: &Thread,
        guard: T,
        addr: T,
        ty: Ty,
    ) -> Outcome<Option<T>> {
        let Some(places) = self.arrays_of(guard, addr)? else { return Ok(None) };
        let mut value: Option<T> = None;
        for (object, offset, when) in places {
            let read = self.in_context(when, |m, lin| {
                let (form, index) = m.element_index(lin, when, object, offset, ty)?;
                m.read_element(lin, thread.number, when, object, &form, index, ty)
            })?;
            value = Some(match value {
                Some(others) => self.pool.select(when, read, others),
                None => read,
            });
        }
        Ok(value)
    }

    fn read_element(
        &mut self,
        lin: &mut Linear,
        thread: u32,
        guard: T,
        object: u32,
        form: &Form,
        index: T,
        ty: Ty,
    ) -> Outcome<T> {
        let is_block = self.state()?.unit == Unit::Block;
        let Some(mut array) = self.state()?.arrays.remove(&object) else {
            return self.trouble(What::NotTogether);
        };
        let read = Read { guard, index, thread };
        if array.is_written && array.seen.insert(read) {
            array.reads.push(read);
        }
        let initial = array.initial(self.pool, index, ty);
        // One that this very thread wrote, and the only one that it can be.
        let last = array.layers.last().filter(|l| l.is_alike(form) && array.layers.len() == 1);
        let own = last.map(|l| l.at(index).map(|at| l.members[at]));
        let value = match own {
            Some(None) => Some(initial),
            Some(Some(m)) if is_block && m.thread != thread => None,
            Some(Some(m)) => match self.pool.follows(guard, m.guard) {
                Some(true) => Some(m.value),
                _ => Some(self.pool.select(m.guard, m.value, initial)),
            },
            None if is_block && !array.layers.is_empty() => None,
            None => {
                let found = content(self.pool, lin, &mut array.layers, form, initial);
                found.map(|Content { value, .. }| value)
            }
        };
        self.state()?.arrays.insert(object, array);
        let Some(value) = value else { return self.trouble(What::NotTogether) };
        let own = self.pool.ty(value);
        Ok(if own == ty { value } else { self.pool.cast(lockstep_kernel::CastOp::Bit, value, ty) })
    }

    /// A store to an array of the launch; whether it was one.
    pub(super) fn store_together(
        &mut self,
        thread: &Thread,
        guard: T,
        addr: T,
        value: T,
        site: u32,
    ) -> Outcome<bool> {
        let Some(places) = self.arrays_of(guard, addr)? else { return Ok(false) };
        let ty = self.pool.ty(value);
        let launch = self.side.launch;
        let of_thread = |pool: &mut Pool| {
            coordinates(thread.local, launch.block).map(|c| pool.constant(Ty::I32, u64::from(c)))
        };
        let coordinates = match self.state()?.thread {
            Some(thread) => thread,
            None => of_thread(self.pool),
        };
        for (object, offset, when) in places {
            let (form, index) =
                self.in_context(when, |m, lin| m.element_index(lin, when, object, offset, ty))?;
            let depth = self.state()?.loops.depth();
            let block = self.state()?.block;
            let is_block = self.state()?.unit == Unit::Block;
            let place = Place { site, thread: coordinates, block };
            let member = Member { guard: when, index, value, thread: thread.number, place };
            let Some(mut array) = self.state()?.arrays.remove(&object) else {
                return self.trouble(What::NotTogether);
            };
            let fits = array.is_written && self.add(&mut array, depth, &form, member, is_block);
            self.state()?.arrays.insert(object, array);
            if !fits {
                return self.trouble(What::NotTogether);
            }
        }
        Ok(true)
    }

    /// Puts a write on top of an array's layers; whether that is possible.
    fn add(
        &mut self,
        array: &mut Array,
        depth: usize,
        form: &Form,
        new: Member,
        is_block: bool,
    ) -> bool {
        let alike = array.layers.last().is_some_and(|l| l.depth == depth && l.is_alike(form));
        // Several threads of a block may write several forms of indices, but nobody knows what they have in common.
        if !alike && is_block && !array.layers.is_empty() {
            return false;
        }
        if !alike {
            array.layers.push(Layer::new(depth, form.terms.clone()));
        }
        let Some(layer) = array.layers.last_mut() else { return false };
        let Some(at) = layer.at(new.index) else {
            layer.add(new);
            return true;
        };
        let old = &mut layer.members[at];
        if is_block && old.thread != new.thread {
            return false;
        }
        let value = match self.pool.ty(old.value) == self.pool.ty(new.value) {
            true => old.value,
            false => {
                self.pool.cast(lockstep_kernel::CastOp::Bit, old.value, self.pool.ty(new.value))
            }
        };
        let guard = self.pool.or(old.guard, new.guard);
        let value = self.pool.select(new.guard, new.value, value);
        layer.change(at, Member { guard, value, ..new });
        true
    }

    /// What was done since these numbers of layers and reads was done for all values of these variables: no two of them meet.
    pub(super) fn close(
        &mut self,
        params: &[T],
        since: &FxHashMap<u32, (usize, usize)>,
    ) -> Outcome<()> {
        let mut arrays = std::mem::take(&mut self.state()?.arrays);
        let mut objects: Vec<u32> = arrays.keys().copied().collect();
        objects.sort_unstable();
        let mut is_right = true;
        for object in objects {
            let Some(array) = arrays.get_mut(&object) else { continue };
            let (layers, reads) = since.get(&object).copied().unwrap_or((0, 0));
            is_right = is_right && self.close_array(array, layers, reads, params);
        }
        self.state()?.arrays = arrays;
        match is_right {
            true => Ok(()),
            false => self.trouble(What::NotTogether),
        }
    }

    fn close_array(&mut self, array: &mut Array, from: usize, reads: usize, params: &[T]) -> bool {
        let is_block = self.together.as_ref().is_some_and(|t| t.unit == Unit::Block);
        if array.layers.len() == from {
            return true;
        }
        for layer in &mut array.layers[from..] {
            layer.close(params);
            for m in &layer.members {
                let parts = [m.value, m.guard, m.index];
                if parts.into_iter().any(|t| undefined_in(self.pool, t).is_some()) {
                    return false;
                }
            }
        }
        let mut contexts: FxHashMap<T, Linear> = FxHashMap::default();
        let mut accesses: Vec<(T, T, Option<usize>, u32)> = Vec::new();
        for (at, layer) in array.layers.iter().enumerate().skip(from) {
            accesses.extend(layer.members.iter().map(|m| (m.guard, m.index, Some(at), m.thread)));
        }
        accesses.extend(array.reads[reads..].iter().map(|r| (r.guard, r.index, None, r.thread)));
        for (guard, index, own, thread) in accesses {
            let pool = &mut *self.pool;
            let lin = contexts.entry(guard).or_insert_with(|| Linear::under(pool, guard));
            let form = lin.form(pool, index);
            for (at, layer) in array.layers.iter_mut().enumerate().skip(from) {
                // The digits of a layer tell its own members apart.
                if own == Some(at) {
                    if layer.radix(pool).is_none() {
                        return false;
                    }
                    continue;
                }
                match locate(pool, lin, layer, &form) {
                    None => return false,
                    Some(Found::Nobody) => {}
                    Some(Found::Somebody { .. }) if layer.is_renamed() => return false,
                    Some(Found::Somebody { params: found, member, .. }) => {
                        if is_block && layer.members[member].thread != thread {
                            return false;
                        }
                        for (var, value) in found {
                            if params.contains(&var) {
                                let value = lin.form(pool, value);
                                let is_own = value.less(&Form::atom(var));
                                let is_own = is_own.and_then(|d| lin.is_zero(pool, &d));
                                if is_own != Some(true) {
                                    return false;
                                }
                            }
                        }
                    }
                }
            }
        }
        true
    }
}

/// The number of threads of a launch.
pub(crate) fn threads(launch: &lockstep_simulate::BoundLaunch) -> u64 {
    u64::from(product(launch.grid)) * u64::from(product(launch.block))
}
