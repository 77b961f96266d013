//! Formats the output of a kernel: C's `printf` over a thread's values.
//!
//! Covers the conversions of CUDA and OpenCL C (including `%v4f` vectors). A conversion without an argument is printed
//! verbatim.

use lockstep_kernel::Ty;
use lockstep_kernel::semantics::bits::real_value;

/// Where the arguments come from.
pub(crate) trait Arguments {
    /// The next argument, promoted: its bits and type. `wide` asks for eight
    /// bytes where the source is untyped.
    fn next(&mut self, wide: bool, real: bool) -> Option<(u64, Ty)>;
    /// The next argument as a vector.
    fn next_vector(&mut self) -> Option<Vec<(u64, Ty)>>;
    /// The string at an address.
    fn string(&mut self, address: u64) -> String;
}

/// Formats `format` with `args`.
pub(crate) fn format(format: &str, args: &mut dyn Arguments) -> String {
    let mut out = String::new();
    let mut chars = format.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = Spec::default();
        let mut conversion = None;
        while let Some((_, c)) = chars.next() {
            match c {
                '-' => spec.left = true,
                '+' => spec.plus = true,
                ' ' => spec.space = true,
                '#' => spec.alternate = true,
                '0' if spec.width.is_none() && spec.precision.is_none() => spec.zero = true,
                '0'..='9' => {
                    let digit = c as usize - '0' as usize;
                    let field = if spec.precision.is_some() {
                        &mut spec.precision
                    } else {
                        &mut spec.width
                    };
                    *field = Some((field.unwrap_or(0) * 10 + digit).min(512));
                }
                '.' => spec.precision = Some(0),
                'v' => {
                    let mut n = 0;
                    while let Some(&(_, d)) = chars.peek() {
                        let Some(d) = d.to_digit(10) else { break };
                        n = n * 10 + d;
                        chars.next();
                    }
                    spec.vector = n > 0;
                }
                'l' | 'h' | 'j' | 'z' | 't' | 'L' | 'q' => {
                    spec.long |= c != 'h';
                    spec.short += u32::from(c == 'h');
                }
                _ => {
                    conversion = Some(c);
                    break;
                }
            }
        }
        let end = chars.peek().map_or(format.len(), |(i, _)| *i);
        match conversion {
            Some('%') => out.push('%'),
            Some(c) => match one(&spec, c, args) {
                Some(text) => out.push_str(&text),
                None => out.push_str(&format[start..end]),
            },
            None => out.push_str(&format[start..end]),
        }
    }
    out
}

#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
    long: bool,
    short: u32,
    vector: bool,
}

fn one(spec: &Spec, conversion: char, args: &mut dyn Arguments) -> Option<String> {
    if spec.vector {
        let lanes = args.next_vector()?;
        let texts: Option<Vec<String>> =
            lanes.into_iter().map(|(bits, ty)| scalar(spec, conversion, bits, ty)).collect();
        return Some(texts?.join(","));
    }
    if conversion == 's' {
        let (address, _) = args.next(true, false)?;
        let text = args.string(address);
        let text = match spec.precision {
            Some(n) => text.chars().take(n).collect(),
            None => text,
        };
        return Some(pad(spec, String::new(), text, false));
    }
    let real = matches!(conversion, 'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A');
    let (bits, ty) = args.next(spec.long || conversion == 'p', real)?;
    scalar(spec, conversion, bits, ty)
}

fn scalar(spec: &Spec, conversion: char, bits: u64, ty: Ty) -> Option<String> {
    let bits = match spec.short {
        1 if !ty.is_float() => bits & 0xffff,
        2 if !ty.is_float() => bits & 0xff,
        _ => bits,
    };
    let width = match spec.short {
        1 => 16,
        2 => 8,
        _ => ty.bits().max(8),
    };
    let digits = |text: String| match spec.precision {
        Some(n) if text.len() < n => format!("{}{text}", "0".repeat(n - text.len())),
        _ => text,
    };
    let number = spec.precision.is_none();
    Some(match conversion {
        'd' | 'i' => {
            let v = ((bits << (64 - width)) as i64) >> (64 - width);
            pad(spec, sign(spec, v < 0), digits(v.unsigned_abs().to_string()), number)
        }
        'u' => pad(spec, String::new(), digits(bits.to_string()), number),
        'x' => pad(spec, prefix(spec, "0x", bits), digits(format!("{bits:x}")), number),
        'X' => pad(spec, prefix(spec, "0X", bits), digits(format!("{bits:X}")), number),
        'o' => pad(spec, prefix(spec, "0", bits), digits(format!("{bits:o}")), number),
        'p' => pad(spec, String::new(), format!("{bits:#x}"), false),
        'c' => pad(spec, String::new(), char::from(bits as u8).to_string(), false),
        'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => {
            let v = if ty.is_float() { real_value(ty, bits) } else { f64::from_bits(bits) };
            let finite = v.is_finite();
            let text = real(spec, conversion, v.abs());
            let text = if conversion.is_ascii_uppercase() { text.to_uppercase() } else { text };
            pad(spec, sign(spec, v.is_sign_negative() && !v.is_nan()), text, finite)
        }
        _ => return None,
    })
}

fn real(spec: &Spec, conversion: char, v: f64) -> String {
    if v.is_nan() {
        return "nan".into();
    }
    if v.is_infinite() {
        return "inf".into();
    }
    let precision = spec.precision.unwrap_or(6);
    match conversion {
        'f' | 'F' => format!("{v:.precision$}"),
        'e' | 'E' => exponent(v, precision),
        'a' | 'A' => format!("{v:e}"),
        _ => {
            let precision = precision.max(1);
            let scientific = exponent(v, precision - 1);
            let x: i32 = scientific.split('e').nth(1).and_then(|e| e.parse().ok()).unwrap_or(0);
            let text = if x < -4 || x >= precision as i32 {
                scientific
            } else {
                format!("{v:.*}", (precision as i32 - 1 - x).max(0) as usize)
            };
            if spec.alternate || !text.contains('.') {
                return text;
            }
            let (mantissa, rest) = match text.find('e') {
                Some(i) => text.split_at(i),
                None => (text.as_str(), ""),
            };
            format!("{}{rest}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
    }
}

fn exponent(v: f64, precision: usize) -> String {
    let text = format!("{v:.precision$e}");
    let (mantissa, x) = text.split_once('e').unwrap_or((&text, "0"));
    let x: i32 = x.parse().unwrap_or(0);
    format!("{mantissa}e{}{:02}", if x < 0 { '-' } else { '+' }, x.abs())
}

fn sign(spec: &Spec, negative: bool) -> String {
    match () {
        () if negative => "-".into(),
        () if spec.plus => "+".into(),
        () if spec.space => " ".into(),
        () => String::new(),
    }
}

fn prefix(spec: &Spec, text: &str, bits: u64) -> String {
    if spec.alternate && bits != 0 { text.into() } else { String::new() }
}

fn pad(spec: &Spec, lead: String, body: String, zeros: bool) -> String {
    let len = lead.chars().count() + body.chars().count();
    let fill = spec.width.unwrap_or(0).saturating_sub(len);
    match () {
        () if spec.left => format!("{lead}{body}{}", " ".repeat(fill)),
        () if spec.zero && zeros => format!("{lead}{}{body}", "0".repeat(fill)),
        () => format!("{}{lead}{body}", " ".repeat(fill)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(Vec<(u64, Ty)>);
    impl Arguments for Fixed {
        fn next(&mut self, _: bool, _: bool) -> Option<(u64, Ty)> {
            (!self.0.is_empty()).then(|| self.0.remove(0))
        }
        fn next_vector(&mut self) -> Option<Vec<(u64, Ty)>> {
            Some(std::mem::take(&mut self.0))
        }
        fn string(&mut self, _: u64) -> String {
            "text".into()
        }
    }

    fn f(fmt: &str, args: &[(u64, Ty)]) -> String {
        format(fmt, &mut Fixed(args.to_vec()))
    }

    #[test]
    fn as_c_prints() {
        let d = |x: f64| (x.to_bits(), Ty::F64);
        let i = |x: i32| (u64::from(x as u32), Ty::I32);
        assert_eq!(
            f("%d|%5d|%-5d|%05d|%+d", &[i(-3), i(42), i(42), i(-42), i(7)]),
            "-3|   42|42   |-0042|+7"
        );
        assert_eq!(f("%u %x %#X %c", &[i(-1), i(255), i(255), i(65)]), "4294967295 ff 0XFF A");
        assert_eq!(
            f("%f %.2f %e %g %g", &[d(1.5), d(2.345), d(12345.678), d(0.0001), d(1e10)]),
            "1.500000 2.35 1.234568e+04 0.0001 1e+10"
        );
        assert_eq!(f("%8.3f|%s|%%|%d", &[d(3.1459), (0, Ty::Ptr)]), "   3.146|text|%|%d");
        assert_eq!(f("%v2d", &[i(1), i(2)]), "1,2");
    }
}
