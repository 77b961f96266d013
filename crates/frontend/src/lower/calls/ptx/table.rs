//! The instructions of PTX that are lowered, one row each: the single list of what inline PTX may contain.
//!
//! A row is found by the longest beginning of the opcode that it names. What it is lowered to is exact unless the
//! function of the row says otherwise in its comment; an instruction without a row, or with an operand or a suffix that
//! its function does not know, is unsupported as a whole text. `bra` and `exit` are control flow ([`super::flow`]).
//!
//! A row that only computes may stand under a predicate without a branch: its result is selected.

use super::text::{Names, Statement};
use crate::lower::Lower;

type LowerFn = fn(&mut Lower<'_>, &Statement<'_>, &mut Names) -> Option<()>;

pub(super) struct Row {
    /// The first parts of the opcode.
    pub(super) opcode: &'static [&'static str],
    /// Computes a result from its operands, and does nothing else.
    pub(super) computes: bool,
    pub(super) lower: LowerFn,
}

const fn computes(opcode: &'static [&'static str], lower: LowerFn) -> Row {
    Row { opcode, computes: true, lower }
}

const fn acts(opcode: &'static [&'static str], lower: LowerFn) -> Row {
    Row { opcode, computes: false, lower }
}

/// All of them.
pub(super) const ROWS: &[Row] = &[
    acts(&[".reg"], |_, s, names| names.declaration(s)),
    acts(&["", "reg"], |_, s, names| names.declaration(s)),
    // Barriers, fences, time.
    acts(&["bar"], |me, s, n| me.ptx_barrier(s, n)),
    acts(&["barrier"], |me, s, n| me.ptx_barrier(s, n)),
    acts(&["membar"], |me, s, n| me.ptx_membar(s, n)),
    acts(&["fence"], |me, s, n| me.ptx_fence(s, n)),
    acts(&["nanosleep"], |me, _, _| me.ptx_yield()),
    acts(&["trap"], |me, _, _| me.ptx_trap()),
    acts(&["brkpt"], |_, _, _| Some(())),
    acts(&["pmevent"], |_, _, _| Some(())),
    // Launches that depend on each other overlap only in other kernels' time.
    acts(&["griddepcontrol"], |_, _, _| Some(())),
    // How many registers a warp has is nothing that another thread sees.
    acts(&["setmaxnreg"], |_, _, _| Some(())),
    // Operations of a warp.
    acts(&["activemask"], |me, s, n| me.ptx_active_mask(s, n)),
    acts(&["shfl", "sync"], |me, s, n| me.ptx_shuffle(s, n)),
    acts(&["vote"], |me, s, n| me.ptx_vote(s, n)),
    acts(&["match"], |me, s, n| me.ptx_match(s, n)),
    acts(&["elect", "sync"], |me, s, n| me.ptx_elect(s, n)),
    acts(&["redux", "sync"], |me, s, n| me.ptx_redux(s, n)),
    acts(&["mma", "sync", "aligned"], |me, s, n| me.ptx_mma(s, n)),
    acts(&["mma", "sync", "aligned", "m8n8k4", "row", "col", "f64"], |me, s, n| me.ptx_mma(s, n)),
    acts(&["mma", "sync", "aligned", "m8n8k4"], |me, s, n| me.ptx_mma_of_quads(s, n)),
    acts(&["ldmatrix", "sync", "aligned"], |me, s, n| me.ptx_ldmatrix(s, n)),
    acts(&["stmatrix", "sync", "aligned"], |me, s, n| me.ptx_stmatrix(s, n)),
    acts(&["movmatrix", "sync", "aligned"], |me, s, n| me.ptx_movmatrix(s, n)),
    // Memory.
    acts(&["ld"], |me, s, n| me.ptx_access(s, n)),
    acts(&["st"], |me, s, n| me.ptx_access(s, n)),
    acts(&["atom"], |me, s, n| me.ptx_access(s, n)),
    acts(&["red"], |me, s, n| me.ptx_access(s, n)),
    acts(&["cp", "async"], |me, s, n| me.ptx_async_copy(s, n)),
    acts(&["cp", "async", "bulk"], |me, s, n| me.ptx_bulk_copy(s, n)),
    acts(&["mbarrier"], |me, s, n| me.ptx_phase(s, n)),
    acts(&["prefetch"], |_, _, _| Some(())),
    acts(&["prefetchu"], |_, _, _| Some(())),
    acts(&["applypriority"], |_, _, _| Some(())),
    acts(&["tex"], |me, s, names| me.ptx_texture(s.tail(), s.rest, names)),
    // Addresses: shared and global memory have their generic addresses everywhere here.
    computes(&["cvta"], |me, s, n| me.ptx_cvta(s, n)),
    computes(&["createpolicy"], |me, s, n| me.ptx_policy(s, n)),
    // Arithmetic.
    computes(&["mov"], |me, s, n| me.ptx_move(s, n)),
    computes(&["cvt"], |me, s, n| me.ptx_convert(s, n)),
    computes(&["setp"], |me, s, n| me.ptx_compare(s, n)),
    computes(&["set"], |me, s, n| me.ptx_compare(s, n)),
    computes(&["selp"], |me, s, n| me.ptx_select(s, n)),
    computes(&["slct"], |me, s, n| me.ptx_select_by_sign(s, n)),
    computes(&["shf"], |me, s, n| me.ptx_funnel(s, n)),
    computes(&["dp2a"], |me, s, n| me.ptx_dot_of_halves(s, n)),
    computes(&["abs"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["add"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["addc"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["and"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["bfe"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["bfi"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["bfind"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["bmsk"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["brev"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["clz"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["cnot"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["copysign"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["cos"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["div"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["dp4a"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["ex2"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["fma"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["lg2"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["lop3"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["mad"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["max"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["min"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["mul"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["neg"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["not"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["or"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["popc"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["prmt"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["rcp"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["rem"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["rsqrt"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["sad"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["shl"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["shr"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["sin"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["sqrt"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["sub"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["subc"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["szext"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["tanh"], |me, s, n| me.ptx_arithmetic(s, n)),
    computes(&["xor"], |me, s, n| me.ptx_arithmetic(s, n)),
    // Words of two or four integers.
    computes(&["vabsdiff2"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vabsdiff4"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vadd2"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vadd4"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vavrg2"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vavrg4"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vmax2"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vmax4"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vmin2"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vmin4"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vset2"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vset4"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vsub2"], |me, s, n| me.ptx_by_lane(s, n)),
    computes(&["vsub4"], |me, s, n| me.ptx_by_lane(s, n)),
];

/// The row of an opcode.
pub(super) fn row(opcode: &[&str]) -> Option<&'static Row> {
    ROWS.iter().filter(|r| opcode.starts_with(r.opcode)).max_by_key(|r| r.opcode.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_opcode_has_one_row() {
        for (i, row) in ROWS.iter().enumerate() {
            assert!(ROWS[..i].iter().all(|r| r.opcode != row.opcode), "{:?} twice", row.opcode);
        }
        let found = |text: &str| row(&text.split('.').collect::<Vec<_>>()).map(|r| r.opcode);
        assert_eq!(found("mma.sync.aligned.m16n8k16"), Some(&["mma", "sync", "aligned"][..]));
        assert_eq!(found("frobnicate.b32"), None);
    }
}
