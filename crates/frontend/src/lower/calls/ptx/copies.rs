//! Asynchronous copies.

use lockstep_kernel::{IntOp, Op, Operand, Scope, SiteKind, Space, Ty};

use super::text::{Names, Statement};
use crate::lower::Lower;

impl Lower<'_> {
    /// `cp.async.ca.shared.global [dst], [src], size, from-source`, `cp.async.commit_group`, `cp.async.wait_group n`,
    /// `cp.async.wait_all`.
    pub(super) fn ptx_async_copy(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        match (&s.parts[2..], &s.operands[..]) {
            (["commit_group"], []) => self.push(Op::CommitCopies, None),
            (["wait_group"], &[left]) => {
                let left = self.ptx_value(left, Ty::I32, names)?;
                self.push(Op::AwaitCopies { left }, None);
            }
            (["wait_all"], []) => {
                self.push(Op::CommitCopies, None);
                self.push(Op::AwaitCopies { left: Operand::Imm(0) }, None);
            }
            (
                ["ca" | "cg", "shared", "global", ..] | ["ca" | "cg", "shared::cta", "global", ..],
                &[dst, src, size, ref rest @ ..],
            ) => {
                let (dst, src) = (self.ptx_address(dst, names)?, self.ptx_address(src, names)?);
                let t = Ty::I64;
                let size = self.ptx_value(size, t, names)?;
                // The bytes after those from the source are zeros.
                let given = match rest {
                    [] => size,
                    &[given] => self.ptx_value(given, t, names)?,
                    _ => return None,
                };
                if given != size {
                    let len = self.int(IntOp::Sub, t, size, given);
                    let dst = self.index(dst, given, 1, 0);
                    let site =
                        self.site(SiteKind::Write, 0, 1, Space::Shared, false, Scope::Thread);
                    self.push(Op::MemSet { site, dst, byte: Operand::Imm(0), len }, None);
                }
                self.async_copy(dst, src, given);
            }
            _ => return None,
        }
        Some(())
    }
}
