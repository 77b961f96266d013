//! Barriers, fences, and waiting.

use lockstep_kernel::{BarrierReduce, CmpOp, Op, Operand, Order, Scope, Ty};

use super::scope_of;
use super::text::{Names, Statement};
use crate::lower::Lower;

impl Lower<'_> {
    /// `bar.sync 0`, `bar.sync 1, 64`, `bar.arrive 1, 64`, `bar.red.popc.u32 d, 0, p`, `bar.warp.sync mask`.
    pub(super) fn ptx_barrier(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let tail: Vec<&str> =
            s.tail().iter().copied().filter(|t| !matches!(*t, "cta" | "aligned")).collect();
        let read = |me: &mut Self, text| me.ptx_value(text, Ty::I32, names);
        match (&tail[..], &s.operands[..]) {
            (["sync"], &[id]) => {
                let id = read(self, id)?;
                self.block_barrier(id, None, None);
            }
            (["sync"], &[id, n]) => {
                let (id, n) = (read(self, id)?, read(self, n)?);
                self.block_barrier(id, Some(n), None);
            }
            (["arrive"], &[id, n]) => {
                let (id, n) = (read(self, id)?, read(self, n)?);
                self.arrive(id, n);
            }
            (["warp", "sync"], &[mask]) => {
                let mask = read(self, mask)?;
                self.warp_barrier(mask);
            }
            (["red", kind, ..], &[dst, id, ref rest @ ..]) => {
                let kind = match *kind {
                    "popc" => BarrierReduce::Count,
                    "and" => BarrierReduce::And,
                    "or" => BarrierReduce::Or,
                    _ => return None,
                };
                let id = read(self, id)?;
                let (n, p) = match *rest {
                    [p] => (None, p),
                    [n, p] => (Some(read(self, n)?), p),
                    _ => return None,
                };
                let p = self.predicate(p, names)?;
                let r = self.block_barrier(id, n, Some((kind, p)))?;
                let r = match kind {
                    BarrierReduce::Count => (r, Ty::I32),
                    _ => (self.cmp(CmpOp::Ne, Ty::I32, r, Operand::Imm(0)), Ty::I1),
                };
                names.insert(dst.to_string(), r);
            }
            _ => return None,
        }
        Some(())
    }

    pub(super) fn ptx_membar(&mut self, s: &Statement<'_>, _: &mut Names) -> Option<()> {
        let scope = match s.tail() {
            ["cta"] => Scope::Block,
            ["gl"] => Scope::Device,
            ["sys"] => Scope::System,
            _ => return None,
        };
        self.fence(scope, Order::SeqCst, true, true);
        Some(())
    }

    /// `fence.acq_rel.gpu`, `fence.sc.cta`, `fence.proxy.async.shared::cta`.
    pub(super) fn ptx_fence(&mut self, s: &Statement<'_>, _: &mut Names) -> Option<()> {
        match s.tail() {
            ["proxy", "async", ..] => {
                self.push(Op::ProxyFence, None);
                return Some(());
            }
            ["proxy", ..] => return None,
            // Initialised barrier objects are seen by copies.
            ["mbarrier_init", ..] => return Some(()),
            _ => {}
        }
        let order = if s.has("sc") { Order::SeqCst } else { Order::AcqRel };
        self.fence(scope_of(s.tail()), order, true, true);
        Some(())
    }

    pub(super) fn ptx_yield(&mut self) -> Option<()> {
        self.push(Op::Yield, None);
        Some(())
    }

    pub(super) fn ptx_trap(&mut self) -> Option<()> {
        self.push(Op::Assert { cond: Operand::Imm(0), message: "trap".into() }, None);
        Some(())
    }
}
