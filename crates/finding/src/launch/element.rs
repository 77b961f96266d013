//! Element types of arrays: names, sizes, and the bytes of a value.

use std::fmt;

/// The type of an array's elements, as `--arg` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

use ElementType::*;

impl ElementType {
    pub const ALL: [ElementType; 11] = [I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64];

    pub fn name(self) -> &'static str {
        match self {
            I8 => "i8",
            U8 => "u8",
            I16 => "i16",
            U16 => "u16",
            I32 => "i32",
            U32 => "u32",
            I64 => "i64",
            U64 => "u64",
            F16 => "f16",
            F32 => "f32",
            F64 => "f64",
        }
    }

    pub fn size(self) -> usize {
        match self {
            I8 | U8 => 1,
            I16 | U16 | F16 => 2,
            I32 | U32 | F32 => 4,
            I64 | U64 | F64 => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }

    /// Reads `f32`, `f32x4`, and the names that C, CUDA and OpenCL have for
    /// them (`float`, `uint`, `float4` …): the type, and how many make one element.
    pub fn parse(name: &str) -> Option<(ElementType, u8)> {
        if let Some(plain) = ElementType::from_name(name) {
            return Some((plain, 1));
        }
        let split = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (base, lanes) = name.split_at(split);
        let lanes = lanes.parse().ok().filter(|n| matches!(n, 1 | 2 | 4 | 8 | 16))?;
        // `f32x4`, but not `f32` as `f` times 32.
        let base = base
            .strip_suffix('x')
            .filter(|b| b.ends_with(|c: char| c.is_ascii_digit()))
            .unwrap_or(base);
        Some((ElementType::from_name(base)?, lanes))
    }

    fn from_name(name: &str) -> Option<ElementType> {
        Some(match name {
            "i8" | "char" | "schar" | "int8_t" => I8,
            "u8" | "uchar" | "bool" | "byte" | "bytes" | "uint8_t" => U8,
            "i16" | "short" | "int16_t" => I16,
            "u16" | "ushort" | "uint16_t" => U16,
            "i32" | "int" | "int32_t" => I32,
            "u32" | "uint" | "unsigned" | "uint32_t" => U32,
            "i64" | "long" | "longlong" | "int64_t" => I64,
            "u64" | "ulong" | "ulonglong" | "size_t" | "uint64_t" => U64,
            "f16" | "half" => F16,
            "f32" | "float" => F32,
            "f64" | "double" => F64,
            _ => return None,
        })
    }

    /// The little-endian bytes of a value written in decimal or, for integers,
    /// hexadecimal; `None` where the text is no value of this type.
    pub fn value_bits(self, text: &str) -> Option<u64> {
        if self.is_float() {
            let v = parse_float(text)?;
            return Some(match self {
                F16 => f64_to_f16(v) as u64,
                // Parsed as f32 at once: two roundings can differ from one.
                F32 => text.parse::<f32>().unwrap_or(v as f32).to_bits() as u64,
                _ => v.to_bits(),
            });
        }
        let v = parse_int(text)?;
        let bits = self.size() as u32 * 8;
        let (low, high) = if self.is_signed() {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        };
        // A hexadecimal value of a signed type may give its bits.
        let high = if text.contains("0x") { (1i128 << bits) - 1 } else { high };
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        (low..=high).contains(&v).then_some(v as u64 & mask)
    }

    /// The bits of a whole number; wraps where the type is narrower.
    pub fn whole_bits(self, v: u64) -> u64 {
        match self {
            F16 => f64_to_f16(v as f64) as u64,
            F32 => (v as f32).to_bits() as u64,
            F64 => (v as f64).to_bits(),
            _ => v,
        }
    }

    /// One element as text, the way JSON writes numbers; not-a-number and
    /// infinities, which JSON has not, as `NaN`, `Infinity`, `-Infinity`.
    pub fn value_text(self, bytes: &[u8]) -> String {
        let mut raw = [0; 8];
        let size = self.size().min(bytes.len());
        raw[..size].copy_from_slice(&bytes[..size]);
        let bits = u64::from_le_bytes(raw);
        match self {
            I8 => (bits as i8).to_string(),
            I16 => (bits as i16).to_string(),
            I32 => (bits as i32).to_string(),
            I64 => (bits as i64).to_string(),
            U8 | U16 | U32 | U64 => bits.to_string(),
            F16 => f32_text(f16_to_f32(bits as u16)),
            F32 => f32_text(f32::from_bits(bits as u32)),
            F64 => float_text(f64::from_bits(bits), format!("{:?}", f64::from_bits(bits))),
        }
    }
}

fn f32_text(v: f32) -> String {
    float_text(v as f64, format!("{v:?}"))
}

fn float_text(v: f64, digits: String) -> String {
    if v.is_nan() {
        "NaN".into()
    } else if v.is_infinite() {
        if v > 0.0 { "Infinity".into() } else { "-Infinity".into() }
    } else {
        digits
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Decimal or hexadecimal, with a sign and C's suffixes.
pub(crate) fn parse_int(text: &str) -> Option<i128> {
    let text = text.trim();
    match text {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => (16, hex),
        None => (10, digits),
    };
    let digits = digits.trim_end_matches(['u', 'U', 'l', 'L']);
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let v = i128::from_str_radix(digits, radix).ok()?;
    Some(if negative { -v } else { v })
}

/// A float as C writes it, suffix included, or any integer.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(v) = text.parse() {
        return Some(v);
    }
    if let Some(v) = text.strip_suffix(['f', 'F']).and_then(|t| t.parse().ok()) {
        return Some(v);
    }
    parse_int(text).map(|v| v as f64)
}

/// Rounds to half precision, to nearest even.
pub fn f64_to_f16(v: f64) -> u16 {
    let sign = ((v.to_bits() >> 48) & 0x8000) as u16;
    let magnitude = v.abs();
    if v.is_nan() {
        return sign | 0x7e00;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The spacing of halves around `magnitude`: a power of two, so that the
    // scaled value is exact and rounding it is the only rounding.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let scale = f64::from_bits(((10 - exponent + 1023) as u64) << 52);
    let scaled = (magnitude * scale).round_ties_even() as u32;
    if scaled < 1024 {
        return sign | scaled as u16;
    }
    // A carry out of the fraction moves on to the next exponent by itself.
    sign | (((exponent + 14) as u32 * 1024) + scaled) as u16
}

/// Widens half precision: exact.
pub fn f16_to_f32(bits: u16) -> f32 {
    let sign = if bits & 0x8000 != 0 { -1.0f32 } else { 1.0 };
    let exponent = (bits >> 10 & 0x1f) as i32;
    let fraction = (bits & 0x3ff) as f32;
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        e => sign * (1024.0 + fraction) * 2f32.powi(e - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_three_languages() {
        assert_eq!(ElementType::parse("f32"), Some((F32, 1)));
        assert_eq!(ElementType::parse("float4"), Some((F32, 4)));
        assert_eq!(ElementType::parse("uchar16"), Some((U8, 16)));
        assert_eq!(ElementType::parse("f32x2"), Some((F32, 2)));
        assert_eq!(ElementType::parse("i8"), Some((I8, 1)));
        assert_eq!(ElementType::parse("float3"), None);
        assert_eq!(ElementType::parse("f"), None);
        assert_eq!(ElementType::parse(""), None);
    }

    #[test]
    fn values_are_checked_against_the_type() {
        assert_eq!(I8.value_bits("-128"), Some(0x80));
        assert_eq!(I8.value_bits("128"), None);
        assert_eq!(I8.value_bits("0xff"), Some(0xff));
        assert_eq!(U32.value_bits("-1"), None);
        assert_eq!(U64.value_bits("18446744073709551615"), Some(u64::MAX));
        assert_eq!(I32.value_bits("1.5"), None);
        assert_eq!(F32.value_bits("1.5f"), Some(1.5f32.to_bits() as u64));
        assert_eq!(F64.value_bits("-2"), Some((-2f64).to_bits()));
    }

    #[test]
    fn halves_survive_the_round_trip() {
        for bits in 0..=u16::MAX {
            let wide = f16_to_f32(bits);
            if wide.is_nan() {
                assert!(f16_to_f32(f64_to_f16(wide as f64)).is_nan());
            } else {
                assert_eq!(f64_to_f16(wide as f64), bits, "{wide}");
            }
        }
        assert_eq!(f64_to_f16(65519.0), 0x7bff);
        assert_eq!(f64_to_f16(65520.0), 0x7c00);
    }

    #[test]
    fn text_is_what_json_allows() {
        assert_eq!(F32.value_text(&0.1f32.to_le_bytes()), "0.1");
        assert_eq!(F32.value_text(&1f32.to_le_bytes()), "1.0");
        assert_eq!(F32.value_text(&f32::NAN.to_le_bytes()), "NaN");
        assert_eq!(F64.value_text(&f64::NEG_INFINITY.to_le_bytes()), "-Infinity");
        assert_eq!(F64.value_text(&1e300f64.to_le_bytes()), "1e300");
        assert_eq!(I16.value_text(&(-3i16).to_le_bytes()), "-3");
    }
}
