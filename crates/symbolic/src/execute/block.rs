//! One block: its threads, and the barriers at which they meet.

use lockstep_kernel::{
    Barrier, BarrierReduce, Inst, IntOp, Language, Op, Operand, ParamKind, Space, Ty,
};
use lockstep_simulate::BoundArg;

use super::thread::Thread;
use super::{Machine, Outcome, What, product};
use crate::memory::records::{Event, Events};
use crate::memory::{Init, Object};
use crate::term::T;

impl Machine<'_> {
    pub(super) fn run_block(&mut self, block: u32) -> Outcome<()> {
        let size = product(self.side.launch.block);
        let warps = size.div_ceil(self.side.warp_size);
        self.events = Events { block: Vec::new(), warps: (0..warps).map(|_| Vec::new()).collect() };
        let made = self.make_shared();
        let has_privates = self.kernel.objects.iter().any(|o| o.space == Space::Private);
        let mut threads: Vec<Thread> = Vec::new();
        for local in 0..size {
            let groups = vec![self.begin()];
            let number = block * size + local;
            let mut thread =
                Thread { number, local, block, groups, waits: None, privates: Vec::new() };
            self.place_private(&mut thread, has_privates);
            self.run_thread(&mut thread)?;
            if thread.waits.is_some() {
                threads.push(thread);
            } else {
                self.end_thread(&thread);
            }
        }
        let mut done = size - threads.len() as u32;
        while !threads.is_empty() {
            if !self.exchange_in_warps(&mut threads, size)? {
                self.meet(&mut threads, done)?;
            }
            let mut still = Vec::new();
            for mut thread in threads {
                self.current_private(&thread);
                if thread.waits.is_none() {
                    self.run_thread(&mut thread)?;
                }
                if thread.groups.is_empty() {
                    self.end_thread(&thread);
                    done += 1;
                } else {
                    still.push(thread);
                }
            }
            threads = still;
        }
        made.into_iter().for_each(|o| self.objects[o as usize].end());
        Ok(())
    }

    /// Shared memory of the block.
    fn make_shared(&mut self) -> Vec<u32> {
        let mut made = Vec::new();
        for (i, object) in self.kernel.objects.iter().enumerate() {
            if object.space == Space::Shared {
                let size =
                    if object.dynamic { u64::from(self.side.launch.shared) } else { object.size };
                let mut new = Object::new(&object.name, Space::Shared, size, Init::Undefined);
                if object.dynamic && self.is_shared_unbounded() {
                    new.unbound();
                }
                let id = self.add_object(new);
                self.statics[i] = Some(id);
                made.push(id);
            }
        }
        for (i, param) in self.kernel.params.iter().enumerate() {
            if let (ParamKind::Local { .. }, BoundArg::Local(size)) =
                (param.kind, &self.side.launch.args[i])
            {
                let mut new = Object::new(&param.name, Space::Shared, *size, Init::Undefined);
                if self.is_unbounded(i) {
                    new.unbound();
                }
                let id = self.add_object(new);
                self.first[param.reg.0 as usize] = Some(self.origin(id, 0));
                made.push(id);
            }
        }
        made
    }

    pub(super) fn place_private(&mut self, thread: &mut Thread, has_any: bool) {
        if !has_any {
            return;
        }
        for (i, object) in self.kernel.objects.iter().enumerate() {
            if object.space == Space::Private {
                let init = match &object.init {
                    Some(bytes) => Init::Bytes(std::sync::Arc::new(bytes.clone())),
                    // What a thread has not written itself may be anything, and is not looked for.
                    None if self.is_watching() => Init::Unknown,
                    None => Init::Undefined,
                };
                let mut new = Object::new(&object.name, Space::Private, object.size, init);
                new.owner = Some(thread.number);
                let id = self.add_object(new);
                thread.privates.push((i, id));
            }
        }
        self.current_private(thread);
    }

    /// Names of private objects mean those of this thread.
    fn current_private(&mut self, thread: &Thread) {
        for &(i, id) in &thread.privates {
            self.statics[i] = Some(id);
        }
    }

    fn end_thread(&mut self, thread: &Thread) {
        thread.privates.iter().for_each(|(_, id)| self.objects[*id as usize].end());
    }

    pub(super) fn object_of(&self, object: usize) -> Option<u32> {
        self.statics.get(object).copied().flatten()
    }

    /// The operation at which a thread waits, and its guard.
    pub(super) fn waiting(&self, thread: &Thread) -> Option<(&Inst, T)> {
        let group = thread.groups.get(thread.waits?)?;
        let block = self.kernel.block(group.block);
        Some((&block.insts[group.next], group.guard))
    }

    /// Whether all of these threads wait at one operation, under one guard: that guard.
    pub(super) fn together(&mut self, threads: &[&Thread]) -> Outcome<T> {
        let place = |t: &Thread| {
            t.waits.and_then(|at| t.groups.get(at)).map(|g| (g.block, g.next, g.guard))
        };
        let Some((block, next, guard)) = threads.first().and_then(|t| place(t)) else {
            return self.trouble(What::Divergence);
        };
        self.at = self.kernel.block(block).insts[next].loc;
        let mut all = guard;
        for thread in threads {
            match place(thread) {
                Some((b, n, g)) if (b, n) == (block, next) => {
                    if g != guard {
                        all = self.pool.and(all, g);
                        let (not_g, not_guard) = (self.pool.not(g), self.pool.not(guard));
                        for differs in [self.pool.and(g, not_guard), self.pool.and(guard, not_g)] {
                            self.trouble_if(differs, What::Divergence)?;
                        }
                    }
                }
                other => {
                    if self.is_watching() {
                        let both = other.map_or(guard, |(.., g)| self.pool.and(guard, g));
                        self.notice(both, What::Divergence)?;
                    }
                    return self.trouble(What::Divergence);
                }
            }
        }
        // Where they do not all come, nothing is ordered.
        Ok(if self.is_watching() { all } else { guard })
    }

    /// All threads of the block are at a barrier.
    fn meet(&mut self, threads: &mut [Thread], done: u32) -> Outcome<()> {
        let all: Vec<&Thread> = threads.iter().collect();
        let guard = self.together(&all)?;
        let Some(Op::Barrier { barrier, .. }) =
            self.waiting(&threads[0]).map(|(i, _)| i.op.clone())
        else {
            return self.trouble(What::Divergence);
        };
        // Threads that have returned count as arrived in CUDA, and nowhere else.
        if done > 0 && self.is_watching() {
            self.notice(guard, What::Divergence)?;
        } else if done > 0 && self.kernel.language == Language::OpenCl {
            return self.trouble(What::Divergence);
        }
        match barrier {
            Barrier::Block { id, threads: None, orders_shared, orders_global, reduce } => {
                if !matches!(id, Operand::Imm(0)) {
                    return self.not_followed("a named barrier");
                }
                self.events.block.push(Event {
                    guard,
                    shared: orders_shared,
                    global: orders_global,
                });
                if let Some((what, value)) = reduce {
                    self.reduce(threads, what, value)?;
                }
            }
            Barrier::Grid if product(self.side.launch.grid) == 1 => {
                self.events.block.push(Event { guard, shared: true, global: true });
            }
            Barrier::Grid => return self.not_followed("a barrier of the grid"),
            _ => return self.not_followed("a barrier of some threads"),
        }
        for thread in threads {
            go_on(thread);
        }
        Ok(())
    }

    /// `__syncthreads_count` and its like.
    fn reduce(
        &mut self,
        threads: &mut [Thread],
        what: BarrierReduce,
        value: Operand,
    ) -> Outcome<()> {
        let (from, to) = what.types();
        let values: Vec<T> = threads
            .iter()
            .map(|t| match t.waits.and_then(|at| t.groups.get(at)) {
                Some(group) => self.operand(&group.registers, value, from),
                None => self.pool.constant(from, 0),
            })
            .collect();
        let result = match what {
            BarrierReduce::Count => {
                let mut sum = self.pool.constant(Ty::I32, 0);
                for v in values {
                    let one = self.pool.cast(lockstep_kernel::CastOp::ZExt, v, Ty::I32);
                    sum = self.pool.int(IntOp::Add, sum, one);
                }
                sum
            }
            BarrierReduce::And | BarrierReduce::Or => {
                let is_and = what == BarrierReduce::And;
                let mut all = self.pool.truth(is_and);
                for v in values {
                    all = if is_and { self.pool.and(all, v) } else { self.pool.or(all, v) };
                }
                self.pool.cast(lockstep_kernel::CastOp::ZExt, all, to)
            }
            _ => return self.not_followed("a reduction of the work-group"),
        };
        for thread in threads {
            self.give(thread, 0, result);
        }
        Ok(())
    }

    /// A result of the operation at which a thread waits.
    pub(super) fn give(&mut self, thread: &mut Thread, which: u32, value: T) {
        let Some(dst) = self.waiting(thread).and_then(|(inst, _)| inst.dst) else { return };
        if let Some(group) = thread.waits.and_then(|at| thread.groups.get_mut(at)) {
            group.registers[(dst.0 + which) as usize] = Some(value);
        }
    }
}

/// The operation is done.
pub(super) fn go_on(thread: &mut Thread) {
    if let Some(group) = thread.waits.take().and_then(|at| thread.groups.get_mut(at)) {
        group.next += 1;
    }
}
