//! The types and literals of PTX.

use lockstep_kernel::Ty;

/// A type, as named by an instruction's suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int {
        ty: Ty,
        signed: bool,
    },
    Float(Ty),
    /// The upper half of an `f32`.
    BFloat,
    /// Two `f16` or two `bf16` in 32 bits, the lower first.
    Pair {
        bfloat: bool,
    },
    Predicate,
}

impl Kind {
    pub(super) fn of(suffix: &str) -> Option<Kind> {
        let int = |ty, signed| Some(Kind::Int { ty, signed });
        match suffix {
            "u8" | "b8" => int(Ty::I8, false),
            "s8" => int(Ty::I8, true),
            "u16" | "b16" => int(Ty::I16, false),
            "s16" => int(Ty::I16, true),
            "u32" | "b32" => int(Ty::I32, false),
            "s32" => int(Ty::I32, true),
            "u64" | "b64" => int(Ty::I64, false),
            "s64" => int(Ty::I64, true),
            "f16" => Some(Kind::Float(Ty::F16)),
            "f32" => Some(Kind::Float(Ty::F32)),
            "f64" => Some(Kind::Float(Ty::F64)),
            "bf16" => Some(Kind::BFloat),
            "f16x2" => Some(Kind::Pair { bfloat: false }),
            "bf16x2" => Some(Kind::Pair { bfloat: true }),
            "pred" => Some(Kind::Predicate),
            _ => None,
        }
    }

    /// The register type that holds a value of it.
    pub(super) fn storage(self) -> Ty {
        match self {
            Kind::Int { ty, .. } | Kind::Float(ty) => ty,
            Kind::BFloat => Ty::I16,
            Kind::Pair { .. } => Ty::I32,
            Kind::Predicate => Ty::I1,
        }
    }

    /// The type of each of its parts, if it is a float.
    pub(super) fn part(self) -> Option<Kind> {
        match self {
            Kind::Float(_) | Kind::BFloat => Some(self),
            Kind::Pair { bfloat: true } => Some(Kind::BFloat),
            Kind::Pair { bfloat: false } => Some(Kind::Float(Ty::F16)),
            _ => None,
        }
    }
}

/// An integer literal: `-3`, `0x1fU`, `31`.
pub(super) fn integer(text: &str) -> Option<u64> {
    let (digits, negative) = match text.strip_prefix('-') {
        Some(rest) => (rest.trim(), true),
        None => (text, false),
    };
    let digits = digits.trim_end_matches('U');
    let value = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse::<u64>().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

/// The bits of a float literal: `0f3F800000`, `0d3FF0000000000000`, `1.5`.
pub(super) fn float(text: &str, ty: Ty) -> Option<u64> {
    let hex = |p: &str, q: &str| {
        let digits = text.strip_prefix(p).or(text.strip_prefix(q))?;
        u64::from_str_radix(digits, 16).ok()
    };
    if let Some(bits) = hex("0f", "0F").filter(|_| ty == Ty::F32) {
        return Some(bits);
    }
    let value = match (hex("0f", "0F"), hex("0d", "0D")) {
        (Some(bits), _) => f64::from(f32::from_bits(bits as u32)),
        (_, Some(bits)) => f64::from_bits(bits),
        _ => text.parse::<f64>().ok()?,
    };
    Some(match ty {
        Ty::F64 => value.to_bits(),
        Ty::F32 => u64::from((value as f32).to_bits()),
        _ => u64::from(lockstep_kernel::semantics::half::from_f64(value)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        assert_eq!(integer("31"), Some(31));
        assert_eq!(integer("0xffU"), Some(255));
        assert_eq!(integer("-1"), Some(u64::MAX));
        assert_eq!(integer("x"), None);
        assert_eq!(float("0f3F800000", Ty::F32), Some(0x3f80_0000));
        assert_eq!(float("0f3F800000", Ty::F64), Some(1.0f64.to_bits()));
        assert_eq!(float("0d3FF0000000000000", Ty::F16), Some(0x3c00));
        assert_eq!(float("0.5", Ty::F32), Some(u64::from(0.5f32.to_bits())));
    }
}
