//! What a product of matrices computes.
//!
//! Products of floats are exact, and each is added with one rounding, in the order of the columns of `A`. Tensor cores
//! add in an order and with a rounding of their own: sums of floats may differ in their last bits. Sums of integers are
//! exact. (PTX reads a `tf32` with the lower 13 bits unspecified: here they are dropped.)

use super::half;
use crate::{MatrixElem, MatrixTimes, Product, Ty};

/// Registers of a warp: 32 lanes each, bits zero-extended.
pub type Fragment = [u64; 32];

/// `D`, from the registers of `A`, `B` and `C`.
pub fn product(p: &Product, a: &[Fragment], b: &[Fragment], c: &[Fragment]) -> Vec<Fragment> {
    let (rows, depth) = (usize::from(p.rows), usize::from(p.depth));
    let mut whole_a = vec![0.0; rows * depth];
    let mut whole_b = vec![0.0; depth * 8];
    for lane in 0..32 {
        for i in 0..p.in_register() {
            for (r, register) in a.iter().enumerate() {
                let (row, k) = p.place_in_a(lane, r as u32, i);
                let x = element(p.a, register[lane as usize], i);
                whole_a[row as usize * depth + k as usize] = x;
            }
            for (r, register) in b.iter().enumerate() {
                let (k, column) = p.place_in_b(lane, r as u32, i);
                let x = element(p.b, register[lane as usize], i);
                whole_b[column as usize * depth + k as usize] = x;
            }
        }
    }
    let packed = if p.sum == Ty::F16 { 2 } else { 1 };
    let mut d = vec![[0; 32]; c.len()];
    for lane in 0..32usize {
        for e in 0..c.len() * packed {
            let (row, column) = Product::place_in_sum(lane as u32, e as u32);
            let (register, shift) = (e / packed, 16 * (e % packed) as u32);
            let from = |whole: &[f64], at: u32| {
                let begin = at as usize * depth;
                whole[begin..begin + depth].to_vec()
            };
            let (x, y) = (from(&whole_a, row), from(&whole_b, column));
            let sum = dot(p, c[register][lane] >> shift, &x, &y);
            d[register][lane] |= sum << shift;
        }
    }
    d
}

/// A row times a column, added to the bits of a sum.
fn dot(p: &Product, c: u64, x: &[f64], y: &[f64]) -> u64 {
    let pairs = x.iter().zip(y);
    match p.sum {
        Ty::F16 => {
            let start = half::to_f32(c as u16);
            let sum = pairs.fold(start, |s, (x, y)| x.mul_add(*y, f64::from(s)) as f32);
            u64::from(half::from_f64(f64::from(sum)))
        }
        Ty::F32 => {
            let start = f32::from_bits(c as u32);
            let sum = pairs.fold(start, |s, (x, y)| x.mul_add(*y, f64::from(s)) as f32);
            u64::from(sum.to_bits())
        }
        Ty::F64 => pairs.fold(f64::from_bits(c), |s, (x, y)| x.mul_add(*y, s)).to_bits(),
        _ => {
            let times = |(x, y): (&f64, &f64)| match p.times {
                MatrixTimes::Product => *x as i64 * *y as i64,
                MatrixTimes::And => *x as i64 & *y as i64,
                MatrixTimes::Xor => *x as i64 ^ *y as i64,
            };
            let sum = i64::from(c as u32 as i32) + pairs.map(times).sum::<i64>();
            let ends = (i64::from(i32::MIN), i64::from(i32::MAX));
            let sum = if p.saturates { sum.clamp(ends.0, ends.1) } else { sum };
            u64::from(sum as u32)
        }
    }
}

/// Element `i` of a register.
fn element(of: MatrixElem, register: u64, i: u32) -> f64 {
    let bits = of.bits();
    let x = register >> (bits * i) & if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    match of {
        MatrixElem::F16 => f64::from(half::to_f32(x as u16)),
        MatrixElem::BF16 => f64::from(f32::from_bits((x as u32) << 16)),
        MatrixElem::TF32 => f64::from(f32::from_bits(x as u32 & !0x1fff)),
        MatrixElem::F64 => f64::from_bits(x),
        MatrixElem::E4M3 => small_float(x, 3, 7),
        MatrixElem::E5M2 => small_float(x, 2, 15),
        MatrixElem::Int { signed: true, .. } => ((x << (64 - bits)) as i64 >> (64 - bits)) as f64,
        MatrixElem::Int { signed: false, .. } | MatrixElem::Bit => x as f64,
    }
}

/// A float of 8 bits. `e4m3` has no infinities, and one pattern for NaN.
fn small_float(x: u64, mantissa: u32, bias: i32) -> f64 {
    let most = (1u64 << (7 - mantissa)) - 1;
    let (exponent, fraction) = (x >> mantissa & most, x & ((1 << mantissa) - 1));
    let last = (1u64 << mantissa) - 1;
    let magnitude = if exponent == most && mantissa == 3 && fraction == last {
        f64::NAN
    } else if exponent == most && mantissa == 2 {
        if fraction == 0 { f64::INFINITY } else { f64::NAN }
    } else {
        let unit = 2f64.powi(-(mantissa as i32));
        match exponent {
            0 => fraction as f64 * unit * 2f64.powi(1 - bias),
            e => (1.0 + fraction as f64 * unit) * 2f64.powi(e as i32 - bias),
        }
    };
    if x >> 7 & 1 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(rows: u8, depth: u16, of: MatrixElem, sum: Ty) -> Product {
        let times = MatrixTimes::Product;
        Product { rows, depth, a: of, b: of, times, sum, saturates: false }
    }

    /// `A` is the unit matrix as far as it goes, so `D` is `B + C`.
    #[test]
    fn a_unit_matrix_gives_the_other_factor() {
        let p = shape(16, 16, MatrixElem::F16, Ty::F32);
        let [na, nb, nc] = p.registers();
        assert_eq!([na, nb, nc], [4, 2, 4]);
        let at = |place: &dyn Fn(u32, u32, u32) -> (u32, u32),
                  value: &dyn Fn(u32, u32) -> f64,
                  n: u32| {
            (0..n)
                .map(|r| {
                    std::array::from_fn(|lane| {
                        (0..2).fold(0, |bits, i| {
                            let (row, column) = place(lane as u32, r, i);
                            let half = u64::from(half::from_f64(value(row, column)));
                            bits | half << (16 * i)
                        })
                    })
                })
                .collect::<Vec<Fragment>>()
        };
        let a = at(&|l, r, i| p.place_in_a(l, r, i), &|x, y| f64::from(u8::from(x == y)), na);
        let b = at(&|l, r, i| p.place_in_b(l, r, i), &|x, y| f64::from(x * 8 + y), nb);
        let c = vec![[u64::from(0.5f32.to_bits()); 32]; nc as usize];
        let d = product(&p, &a, &b, &c);
        for lane in 0..32 {
            for e in 0..4 {
                let (row, column) = Product::place_in_sum(lane, e);
                let got = f32::from_bits(d[e as usize][lane as usize] as u32);
                assert_eq!(got, (row * 8 + column) as f32 + 0.5);
            }
        }
    }

    #[test]
    fn the_places_of_a_fragment_are_the_whole_matrix() {
        let int = |bits| MatrixElem::Int { bits, signed: true };
        let shapes = [
            shape(16, 16, MatrixElem::F16, Ty::F32),
            shape(16, 8, MatrixElem::TF32, Ty::F32),
            shape(16, 32, int(8), Ty::I32),
            shape(8, 16, int(8), Ty::I32),
            shape(16, 64, int(4), Ty::I32),
            shape(16, 256, MatrixElem::Bit, Ty::I32),
            shape(8, 4, MatrixElem::F64, Ty::F64),
        ];
        for p in shapes {
            let [na, nb, _] = p.registers();
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for lane in 0..32 {
                for i in 0..p.in_register() {
                    a.extend((0..na).map(|r| p.place_in_a(lane, r, i)));
                    b.extend((0..nb).map(|r| p.place_in_b(lane, r, i)));
                }
            }
            let whole = |rows: u32, columns: u32| {
                (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))).collect::<Vec<_>>()
            };
            a.sort();
            b.sort();
            assert_eq!(a, whole(p.rows.into(), p.depth.into()));
            assert_eq!(b, whole(p.depth.into(), 8));
        }
    }

    #[test]
    fn elements() {
        assert_eq!(element(MatrixElem::Int { bits: 8, signed: true }, 0x80ff, 0), -1.0);
        assert_eq!(element(MatrixElem::Int { bits: 4, signed: false }, 0xf0, 1), 15.0);
        assert_eq!(element(MatrixElem::E4M3, 0x38, 0), 1.0);
        assert_eq!(element(MatrixElem::E5M2, 0x3c, 0), 1.0);
        assert_eq!(element(MatrixElem::E4M3, 0x7e, 0), 448.0);
        assert_eq!(element(MatrixElem::BF16, 0x4000_0000, 1), 2.0);
    }
}
