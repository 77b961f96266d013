//! Asynchronous copies, and the barrier objects (`mbarrier`) that say when they are done.
//!
//! A barrier object is 64 bits that are updated atomically ([`lockstep_kernel::semantics::phase`]): arrivals release,
//! waits acquire, for the scope that is given. A bulk copy (`cp.async.bulk`) is a copy by the thread that starts it, which
//! is done when its group was waited for, or, followed by an arrival of its bytes, when the phase of its barrier
//! object was seen to be over.
//!
//! Unsupported: copies of tensors, reductions by copies, copies to other blocks of a cluster.

use lockstep_kernel::semantics::phase;
use lockstep_kernel::{
    AtomicOp, CmpOp, CopyDone, IntOp, Op, Operand, Order, Scope, SiteKind, Space, Ty,
};

use super::scope_of;
use super::text::{Names, Statement};
use crate::lower::Lower;

const WORD: Ty = Ty::I64;

impl Lower<'_> {
    /// `cp.async.ca.shared.global [dst], [src], size, from-source`, `cp.async.commit_group`, `cp.async.wait_group n`,
    /// `cp.async.wait_all`.
    pub(super) fn ptx_async_copy(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let bulk = false;
        match (&s.parts[2..], &s.operands[..]) {
            (["commit_group"], []) => self.push(Op::CommitCopies { bulk }, None),
            (["wait_group"], &[left]) => {
                let left = self.ptx_value(left, Ty::I32, names)?;
                self.push(Op::AwaitCopies { left, bulk, reads_only: false }, None);
            }
            (["wait_all"], []) => self.await_all_copies(),
            (
                ["ca" | "cg", "shared", "global", ..] | ["ca" | "cg", "shared::cta", "global", ..],
                &[dst, src, size, ref rest @ ..],
            ) => {
                let (dst, src) = (self.ptx_address(dst, names)?, self.ptx_address(src, names)?);
                // A policy for the cache may come last.
                let hinted = s.has("L2::cache_hint");
                let rest = if hinted { &rest[..rest.len().checked_sub(1)?] } else { rest };
                let size = self.ptx_value(size, WORD, names)?;
                let given = match *rest {
                    [] => size,
                    [given] => match names.get(given) {
                        // Under this predicate, nothing is read.
                        Some(&(ignored, Ty::I1)) => {
                            self.select(WORD, ignored, Operand::Imm(0), size)
                        }
                        _ => self.ptx_value(given, WORD, names)?,
                    },
                    _ => return None,
                };
                self.async_copy_filled(dst, src, size, given);
            }
            (["mbarrier", "arrive", tail @ ..], &[at]) => {
                let at = self.ptx_address(at, names)?;
                self.push(Op::SignalCopies { addr: at }, None);
                // Without `noinc`, the arrival is one more than those that the phase was made for: it changes nothing here,
                // where the copies are already made.
                let arrivals = u64::from(tail.contains(&"noinc"));
                self.arrive_at(at, s, Operand::Imm(arrivals));
            }
            _ => return None,
        }
        Some(())
    }

    pub(in crate::lower) fn await_all_copies(&mut self) {
        let bulk = false;
        self.push(Op::CommitCopies { bulk }, None);
        self.push(Op::AwaitCopies { left: Operand::Imm(0), bulk, reads_only: false }, None);
    }

    /// `cp.async`: so many bytes from the source, and zeros up to the size.
    pub(in crate::lower) fn async_copy_filled(
        &mut self,
        dst: Operand,
        src: Operand,
        size: Operand,
        given: Operand,
    ) {
        if given != size {
            let len = self.int(IntOp::Sub, WORD, size, given);
            let dst = self.index(dst, given, 1, 0);
            let site = self.site(SiteKind::Write, 0, 1, Space::Shared, false, Scope::Thread);
            self.push(Op::MemSet { site, dst, byte: Operand::Imm(0), len }, None);
        }
        self.async_copy(dst, src, given);
    }

    /// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dst], [src], size, [object]`,
    /// `cp.async.bulk.global.shared::cta.bulk_group [dst], [src], size`, `cp.async.bulk.commit_group`,
    /// `cp.async.bulk.wait_group.read n`, `cp.async.bulk.prefetch.L2.global [src], size`.
    pub(super) fn ptx_bulk_copy(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let bulk = true;
        let is_known = |p: &&&str| !matches!(**p, "L2::cache_hint" | "shared::cta");
        let what: Vec<&str> = s.parts[3..].iter().filter(is_known).copied().collect();
        match (&what[..], &s.operands[..]) {
            (["commit_group"], []) => self.push(Op::CommitCopies { bulk }, None),
            (["wait_group", tail @ ..], &[left]) => {
                let left = self.ptx_value(left, Ty::I32, names)?;
                let reads_only = tail == ["read"];
                self.push(Op::AwaitCopies { left, bulk, reads_only }, None);
            }
            (["prefetch", ..], _) => {}
            (
                ["shared::cluster", "global", "mbarrier::complete_tx::bytes"]
                | ["global", "mbarrier::complete_tx::bytes"],
                &[dst, src, size, object, ..],
            ) => {
                let (dst, src) = (self.ptx_address(dst, names)?, self.ptx_address(src, names)?);
                let size = self.ptx_value(size, Ty::I32, names)?;
                let len = self.zext(Ty::I32, WORD, size);
                let object = self.ptx_address(object, names)?;
                let spaces = [Space::Global, Space::Shared];
                self.copy_until(dst, src, len, spaces, CopyDone::Signal(object));
                let come = self.int(IntOp::Sub, WORD, Operand::Imm(0), len);
                let bytes = self.phase_update(Operand::Imm(0), Operand::Imm(0), come);
                self.update_phase(object, bytes, Order::Release, Scope::Block);
            }
            (["global", "bulk_group"], &[dst, src, size, ..]) => {
                let (dst, src) = (self.ptx_address(dst, names)?, self.ptx_address(src, names)?);
                let size = self.ptx_value(size, Ty::I32, names)?;
                let len = self.zext(Ty::I32, WORD, size);
                let spaces = [Space::Shared, Space::Global];
                self.copy_until(dst, src, len, spaces, CopyDone::Group { bulk });
            }
            _ => return None,
        }
        Some(())
    }

    /// `mbarrier.init.shared.b64 [at], n`, `mbarrier.arrive.expect_tx.shared.b64 state, [at], bytes`,
    /// `mbarrier.try_wait.parity.shared.b64 p, [at], parity`, and their like.
    pub(super) fn ptx_phase(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        if s.has("shared::cluster") {
            return None;
        }
        let kind = *s.parts.get(1)?;
        let wide = |me: &mut Self, text: &str, names: &Names| -> Option<Operand> {
            let n = me.ptx_value(text, Ty::I32, names)?;
            Some(me.zext(Ty::I32, WORD, n))
        };
        let none = Operand::Imm(0);
        match (kind, &s.operands[..]) {
            ("init", &[at, n]) => {
                let (at, n) = (self.ptx_address(at, names)?, wide(self, n, names)?);
                self.start_phase(at, n);
            }
            ("inval", &[at]) => {
                let at = self.ptx_address(at, names)?;
                self.store_phase(at, none);
            }
            ("arrive" | "arrive_drop", operands) => {
                // The result may be left out.
                let (state, rest) = match *operands {
                    [at, ref rest @ ..] if at.starts_with('[') => (None, [&[at], rest].concat()),
                    [state, ref rest @ ..] => (Some(state), rest.to_vec()),
                    [] => return None,
                };
                let (&at, rest) = rest.split_first()?;
                let at = self.ptx_address(at, names)?;
                let (n, bytes) = match (rest, s.has("expect_tx")) {
                    ([], false) => (Operand::Imm(1), none),
                    (&[n], false) => (wide(self, n, names)?, none),
                    (&[bytes], true) => (Operand::Imm(1), wide(self, bytes, names)?),
                    _ => return None,
                };
                let dropped = if kind == "arrive_drop" { n } else { none };
                let update = self.phase_update(n, dropped, bytes);
                let order = if s.has("relaxed") { Order::Relaxed } else { Order::Release };
                let old = self.update_phase(at, update, order, phase_scope(s));
                if let Some(state) = state {
                    names.insert(state.to_string(), (old, WORD));
                }
            }
            ("expect_tx" | "complete_tx", &[at, bytes]) => {
                let (at, bytes) = (self.ptx_address(at, names)?, wide(self, bytes, names)?);
                let bytes = match kind {
                    "expect_tx" => bytes,
                    _ => self.int(IntOp::Sub, WORD, none, bytes),
                };
                let update = self.phase_update(none, none, bytes);
                self.update_phase(at, update, Order::Relaxed, phase_scope(s));
            }
            ("test_wait" | "try_wait", &[p, at, token, ..]) => {
                let at = self.ptx_address(at, names)?;
                let parity = match s.has("parity") {
                    true => self.ptx_value(token, Ty::I32, names)?,
                    false => {
                        let token = self.ptx_value(token, WORD, names)?;
                        let parity = self.parity(token);
                        self.zext(WORD, Ty::I32, parity)
                    }
                };
                if kind == "try_wait" {
                    self.push(Op::Yield, None);
                }
                let order = if s.has("relaxed") { Order::Relaxed } else { Order::Acquire };
                let over = self.phase_is_over(at, parity, order, phase_scope(s));
                names.insert(p.to_string(), (over, Ty::I1));
            }
            ("pending_count", &[n, state]) => {
                let state = self.ptx_value(state, WORD, names)?;
                let low = (1 << phase::NEEDED) - 1;
                let left = self.int(IntOp::And, WORD, state, Operand::Imm(low));
                let left = self.zext(WORD, Ty::I32, left);
                names.insert(n.to_string(), (left, Ty::I32));
            }
            _ => return None,
        }
        Some(())
    }

    fn arrive_at(&mut self, at: Operand, s: &Statement<'_>, n: Operand) {
        let update = self.phase_update(n, Operand::Imm(0), Operand::Imm(0));
        self.update_phase(at, update, Order::Release, phase_scope(s));
    }

    /// A new barrier object for so many arrivals (an `I64`).
    pub(in crate::lower) fn start_phase(&mut self, at: Operand, n: Operand) {
        let needed = self.int(IntOp::Shl, WORD, n, Operand::Imm(phase::NEEDED.into()));
        let word = self.int(IntOp::Or, WORD, needed, n);
        self.store_phase(at, word);
    }

    fn store_phase(&mut self, addr: Operand, word: Operand) {
        let site = self.site(SiteKind::Write, 8, 8, Space::Shared, false, Scope::Thread);
        self.push(Op::Store { site, ty: WORD, values: vec![word], addr }, None);
    }

    /// An update: arrivals, arrivals that later phases do not need, and bytes that are expected.
    pub(in crate::lower) fn phase_update(
        &mut self,
        arrivals: Operand,
        dropped: Operand,
        bytes: Operand,
    ) -> Operand {
        let dropped = self.int(IntOp::Shl, WORD, dropped, Operand::Imm(phase::NEEDED.into()));
        let bytes = self.int(IntOp::And, WORD, bytes, Operand::Imm(phase::BYTES_MASK));
        let bytes = self.int(IntOp::Shl, WORD, bytes, Operand::Imm(phase::BYTES.into()));
        let word = self.int(IntOp::Or, WORD, arrivals, dropped);
        self.int(IntOp::Or, WORD, word, bytes)
    }

    /// Updates a barrier object; gives what it was before.
    pub(in crate::lower) fn update_phase(
        &mut self,
        at: Operand,
        update: Operand,
        order: Order,
        scope: Scope,
    ) -> Operand {
        let (op, none) = (AtomicOp::Arrive, Operand::Undef);
        self.atomic(op, WORD, Space::Shared, at, update, none, order, scope)
    }

    fn parity(&mut self, word: Operand) -> Operand {
        self.int(IntOp::LShr, WORD, word, Operand::Imm(phase::PARITY.into()))
    }

    /// Whether the phase with a parity (an `I32`) is over.
    pub(in crate::lower) fn phase_is_over(
        &mut self,
        at: Operand,
        parity: Operand,
        order: Order,
        scope: Scope,
    ) -> Operand {
        let (op, none) = (AtomicOp::Load, Operand::Undef);
        let word = self.atomic(op, WORD, Space::Shared, at, none, none, order, scope);
        let now = self.parity(word);
        let now = self.zext(WORD, Ty::I32, now);
        let parity = self.int(IntOp::And, Ty::I32, parity, Operand::Imm(1));
        self.cmp(CmpOp::Ne, Ty::I32, now, parity)
    }
}

/// The scope of an operation on a barrier object is the block unless it is said.
fn phase_scope(s: &Statement<'_>) -> Scope {
    match s.has("cluster") || s.has("gpu") || s.has("sys") {
        true => scope_of(s.tail()),
        false => Scope::Block,
    }
}
