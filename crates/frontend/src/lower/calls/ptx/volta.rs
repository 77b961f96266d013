//! `mma.sync.m8n8k4` of halves: four products of 8x4 and 4x8 matrices, each by eight lanes.
//!
//! The lanes `4q` to `4q + 3` and `4q + 16` to `4q + 19` make a product. Its elements are fetched by shuffles; products
//! are exact in `f32`, and added one by one. `A` is stored by rows.
//!
//! | fragment | row | column |
//! |---|---|---|
//! | `A`, element `i` | `lane % 4 + h` | `i` |
//! | `B` by columns | `i` | `lane % 4 + h` |
//! | `B` by rows | `lane % 4` | `i + h` |
//! | `C`, `D` of `f16` | `lane % 4 + h` | `i` |
//! | `C`, `D` of `f32` | `lane % 2 + (i & 2) + h` | `(i & 4) + (lane & 2) + i % 2` |
//!
//! where `h` is 4 in the upper half of the warp.

use lockstep_kernel::{CastOp, CmpOp, IntOp, Operand, ShuffleMode, Special, Ty};

use super::text::{Names, Statement, vector};
use super::warp::{ALL_LANES, WHOLE_WARP};
use crate::lower::Lower;
use crate::lower::build::RNE;

const WORD: Ty = Ty::I32;

impl Lower<'_> {
    pub(super) fn ptx_mma_of_quads(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let (by_columns, sum) = match &s.parts[4..] {
            ["row", how @ ("row" | "col"), d, "f16", "f16", c] if d == c => (
                *how == "col",
                match *d {
                    "f16" => Ty::F16,
                    "f32" => Ty::F32,
                    _ => return None,
                },
            ),
            _ => return None,
        };
        let &[d, a, b, c] = &s.operands[..] else { return None };
        let read = |me: &mut Self, text, n: usize, ty| {
            let values: Option<Vec<Operand>> =
                vector(text)?.iter().map(|t| me.ptx_value(t, ty, names)).collect();
            values.filter(|v| v.len() == n)
        };
        let (registers, register) = if sum == Ty::F16 { (4, WORD) } else { (8, Ty::F32) };
        let a = read(self, a, 2, WORD)?;
        let b = read(self, b, 2, WORD)?;
        let c = read(self, c, registers, register)?;
        let lane = self.special(Special::LaneId);
        let of_lane = |me: &mut Self, mask| me.int(IntOp::And, WORD, lane, Operand::Imm(mask));
        let (quad, lowest, pair) = (of_lane(self, 0x0c), of_lane(self, 1), of_lane(self, 2));
        let upper = of_lane(self, 0x1c);
        let second = self.cmp(CmpOp::Ne, WORD, pair, Operand::Imm(0));
        let mut sums = Vec::new();
        for i in 0..8u64 {
            let other = Operand::Imm(if i & 4 != 0 { 16 } else { 0 });
            let there = self.int(IntOp::Add, WORD, quad, other);
            // The lane that holds the row of `A`, and the column within four.
            let (row, column) = match sum {
                Ty::F16 => (lane, Operand::Imm(i & 3)),
                _ => {
                    let row = self.int(IntOp::Add, WORD, upper, lowest);
                    let row = self.int(IntOp::Add, WORD, row, Operand::Imm(i & 2));
                    (row, self.int(IntOp::Add, WORD, pair, Operand::Imm(i & 1)))
                }
            };
            let mut total = match sum {
                Ty::F16 => self.half_of(c[i as usize / 2], i & 1),
                _ => c[i as usize],
            };
            for k in 0..4u64 {
                let x = self.value_of_lane(a[k as usize / 2], row);
                let x = self.half_of(x, k & 1);
                let y = if by_columns {
                    let from = self.int(IntOp::Add, WORD, there, column);
                    let y = self.value_of_lane(b[k as usize / 2], from);
                    self.half_of(y, k & 1)
                } else {
                    let from = self.int(IntOp::Add, WORD, there, Operand::Imm(k));
                    let [low, high] = [0, 1].map(|r| self.value_of_lane(b[r], from));
                    let y = match sum {
                        Ty::F16 if i & 2 == 0 => low,
                        Ty::F16 => high,
                        _ => self.select(WORD, second, high, low),
                    };
                    self.half_of(y, i & 1)
                };
                total = self.fma(Ty::F32, x, y, total);
            }
            sums.push(total);
        }
        let d = vector(d)?;
        if d.len() != registers {
            return None;
        }
        for (r, name) in d.iter().enumerate() {
            let value = match sum {
                Ty::F16 => {
                    let [low, high] = [0, 1].map(|i| {
                        let half = self.cast(CastOp::FToF(RNE), Ty::F32, Ty::F16, sums[2 * r + i]);
                        self.bits(Ty::F16, Ty::I16, half)
                    });
                    self.two_halves(low, high)
                }
                _ => sums[r],
            };
            names.insert((*name).to_string(), (value, register));
        }
        Some(())
    }

    fn value_of_lane(&mut self, value: Operand, lane: Operand) -> Operand {
        self.shuffle(ShuffleMode::Index, WORD, value, lane, WHOLE_WARP, Some(ALL_LANES))
    }

    /// One of two halves as an `f32`.
    fn half_of(&mut self, word: Operand, which: u64) -> Operand {
        let bits = self.int(IntOp::LShr, WORD, word, Operand::Imm(16 * which));
        let bits = self.zext(WORD, Ty::I16, bits);
        let half = self.bits(Ty::I16, Ty::F16, bits);
        self.cast(CastOp::FToF(RNE), Ty::F16, Ty::F32, half)
    }
}
