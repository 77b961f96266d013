//! Products of matrices by the lanes of a warp (tensor cores): the shapes, and which lane holds which element.
//!
//! `D = A * B + C` with `rows` x `depth` elements in `A`, `depth` x 8 in `B`, `rows` x 8 in `C` and `D`. Each lane holds a
//! few registers of each. With `group = lane / 4`, `member = lane % 4`, and `n` elements in a register, element `i` of
//! register `r` is
//!
//! | fragment | row | column |
//! |---|---|---|
//! | `A` | `group + 8 * (r % (rows / 8))` | `member * n + i + 4 * n * (r / (rows / 8))` |
//! | `B` | `member * n + i + 4 * n * r` | `group` |
//! | `C`, `D`, element `e` of the lane | `group + 8 * (e / 2)` | `member * 2 + e % 2` |
//!
//! which are the layouts of PTX's `mma.sync.m16n8kK` and `m8n8kK` for all types. (Volta's `m8n8k4` of `f16` has another
//! layout, and is not one of these.)

use serde::{Deserialize, Serialize};

use crate::Ty;

/// The type of the elements of `A` or of `B`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MatrixElem {
    F16,
    BF16,
    TF32,
    F64,
    E4M3,
    E5M2,
    /// 8 or 4 bits.
    Int {
        bits: u8,
        signed: bool,
    },
    /// One bit.
    Bit,
}

impl MatrixElem {
    pub fn bits(self) -> u32 {
        match self {
            MatrixElem::F64 => 64,
            MatrixElem::TF32 => 32,
            MatrixElem::F16 | MatrixElem::BF16 => 16,
            MatrixElem::E4M3 | MatrixElem::E5M2 => 8,
            MatrixElem::Int { bits, .. } => u32::from(bits),
            MatrixElem::Bit => 1,
        }
    }
}

/// How two elements are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MatrixTimes {
    Product,
    And,
    Xor,
}

/// The shape and the types of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Product {
    /// 8 or 16.
    pub rows: u8,
    pub depth: u16,
    pub a: MatrixElem,
    pub b: MatrixElem,
    pub times: MatrixTimes,
    /// The type of `C` and `D`: `F16` (two in a register), `F32`, `F64`, `I32`.
    pub sum: Ty,
    /// Sums of integers stay at the ends of the range.
    pub saturates: bool,
}

impl Product {
    /// The type of the registers that hold `A` and `B`.
    pub fn factor_register(&self) -> Ty {
        if self.a == MatrixElem::F64 { Ty::F64 } else { Ty::I32 }
    }
    /// The type of the registers that hold `C` and `D`.
    pub fn sum_register(&self) -> Ty {
        if self.sum == Ty::F16 { Ty::I32 } else { self.sum }
    }
    /// Elements in a register of `A` or `B`.
    pub fn in_register(&self) -> u32 {
        self.factor_register().bits() / self.a.bits()
    }
    /// Registers of a lane for `A`, for `B`, and for `C` and for `D`.
    pub fn registers(&self) -> [u32; 3] {
        let halves = u32::from(self.rows) / 8;
        let steps = u32::from(self.depth) / (4 * self.in_register());
        let packed = if self.sum == Ty::F16 { 2 } else { 1 };
        [halves * steps, steps, 2 * halves / packed]
    }
    /// Row and column of element `i` of register `r` of `A`.
    pub fn place_in_a(&self, lane: u32, r: u32, i: u32) -> (u32, u32) {
        let (n, halves) = (self.in_register(), u32::from(self.rows) / 8);
        (lane / 4 + 8 * (r % halves), lane % 4 * n + i + 4 * n * (r / halves))
    }
    /// Row and column of element `i` of register `r` of `B`.
    pub fn place_in_b(&self, lane: u32, r: u32, i: u32) -> (u32, u32) {
        let n = self.in_register();
        (lane % 4 * n + i + 4 * n * r, lane / 4)
    }
    /// Row and column of element `e` of a lane in `C` and `D`.
    pub fn place_in_sum(lane: u32, e: u32) -> (u32, u32) {
        (lane / 4 + 8 * (e / 2), lane % 4 * 2 + e % 2)
    }
}
