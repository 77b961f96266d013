//! Compares buffers after the launch: bit for bit, or within the case's ulp for floating point.
//!
//! All NaNs are one value: which payload an operation yields is not defined by the language.

use crate::case::{ArgKind, Case, Scalar};

/// The contents of each buffer argument, by position.
pub type Buffers = Vec<Option<Vec<u8>>>;

/// Ok if all buffers agree; else the first differing element of each that differs.
pub fn buffers(case: &Case, expected: &Buffers, actual: &Buffers) -> Result<(), String> {
    let mut report = Vec::new();
    for (i, arg) in case.args.iter().enumerate() {
        let ArgKind::Buffer { ty, .. } = arg.kind else {
            continue;
        };
        let (Some(want), Some(got)) = (&expected[i], &actual[i]) else {
            continue;
        };
        if want.len() != got.len() {
            report.push(format!("{}: {} bytes on PoCL, {} here", arg.name, want.len(), got.len()));
            continue;
        }
        let size = ty.bytes();
        let differing: Vec<usize> = (0..want.len() / size)
            .filter(|&e| {
                let range = e * size..(e + 1) * size;
                !same(ty, case.ulp, &want[range.clone()], &got[range])
            })
            .collect();
        if let Some(&first) = differing.first() {
            let range = first * size..(first + 1) * size;
            report.push(format!(
                "{}[{first}]: PoCL has {}, lockstep has {} ({} of {} elements differ)",
                arg.name,
                show(ty, &want[range.clone()]),
                show(ty, &got[range]),
                differing.len(),
                want.len() / size,
            ));
        }
    }
    if report.is_empty() { Ok(()) } else { Err(report.join("; ")) }
}

fn same(ty: Scalar, ulp: u64, a: &[u8], b: &[u8]) -> bool {
    if a == b {
        return true;
    }
    match ty {
        Scalar::F32 => {
            let (x, y) = (f32::from_le_bytes(word(a)), f32::from_le_bytes(word(b)));
            let order = |v: f32| ordered(v.to_bits() as u64, 31);
            (x.is_nan() && y.is_nan())
                || (ulp > 0 && !x.is_nan() && !y.is_nan() && order(x).abs_diff(order(y)) <= ulp)
        }
        Scalar::F64 => {
            let (x, y) = (f64::from_le_bytes(word(a)), f64::from_le_bytes(word(b)));
            let order = |v: f64| ordered(v.to_bits(), 63);
            (x.is_nan() && y.is_nan())
                || (ulp > 0 && !x.is_nan() && !y.is_nan() && order(x).abs_diff(order(y)) <= ulp)
        }
        _ => false,
    }
}

/// Floats in their order as integers; both zeros are 0.
fn ordered(bits: u64, sign: u32) -> i64 {
    let magnitude = (bits & ((1 << sign) - 1)) as i64;
    if bits >> sign == 1 { -magnitude } else { magnitude }
}

fn word<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(bytes);
    out
}

fn show(ty: Scalar, bytes: &[u8]) -> String {
    match ty {
        Scalar::F32 => {
            let v = f32::from_le_bytes(word(bytes));
            format!("{v:?} (0x{:08x})", v.to_bits())
        }
        Scalar::F64 => {
            let v = f64::from_le_bytes(word(bytes));
            format!("{v:?} (0x{:016x})", v.to_bits())
        }
        Scalar::I8 => i8::from_le_bytes(word(bytes)).to_string(),
        Scalar::U8 => bytes[0].to_string(),
        Scalar::I16 => i16::from_le_bytes(word(bytes)).to_string(),
        Scalar::U16 => u16::from_le_bytes(word(bytes)).to_string(),
        Scalar::I32 => i32::from_le_bytes(word(bytes)).to_string(),
        Scalar::U32 => u32::from_le_bytes(word(bytes)).to_string(),
        Scalar::I64 => i64::from_le_bytes(word(bytes)).to_string(),
        Scalar::U64 => u64::from_le_bytes(word(bytes)).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(ulp: u64, a: f32, b: f32) -> bool {
        same(Scalar::F32, ulp, &a.to_le_bytes(), &b.to_le_bytes())
    }

    #[test]
    fn ulp() {
        let next = f32::from_bits(1.0f32.to_bits() + 1);
        assert!(!close(0, 1.0, next) && close(1, 1.0, next));
        assert!(!close(0, 0.0, -0.0) && close(1, 0.0, -0.0));
        assert!(close(0, f32::NAN, -f32::NAN) && !close(9, f32::NAN, 1.0));
        assert!(close(2, f32::from_bits(1), -f32::from_bits(1)));
    }
}
