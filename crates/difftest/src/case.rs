//! A case: one OpenCL C kernel and its launch, read from the head comment of the source.
//!
//! ```text
//! // kernel: name                       (default: the first kernel in the file)
//! // launch: block=16,16 grid=4,2       (local size and number of groups)
//! // arg: in=f32[256]:random            (global or constant memory; contents as below)
//! // arg: tile=local f32[64]            (local memory of each group)
//! // arg: n=i32 256                     (a scalar)
//! // ulp: 4                             (tolerance for floating-point buffers; default: bit for bit)
//! ```
//!
//! One `arg` line for each parameter, in their order. Contents: `zeros`, `ones`, `iota`, `random`
//! (integers: any bits; floats: -8 to 8), `random(LO,HI)`, `edges` (values at the limits of the type,
//! in turn), `bits` (floats of any bits, NaN included). They depend only on the names of the case
//! and the argument.

use std::path::Path;

use crate::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    const ALL: [(&'static str, Scalar); 10] = [
        ("i8", Scalar::I8),
        ("u8", Scalar::U8),
        ("i16", Scalar::I16),
        ("u16", Scalar::U16),
        ("i32", Scalar::I32),
        ("u32", Scalar::U32),
        ("i64", Scalar::I64),
        ("u64", Scalar::U64),
        ("f32", Scalar::F32),
        ("f64", Scalar::F64),
    ];

    pub fn parse(name: &str) -> Option<Scalar> {
        Scalar::ALL.iter().find(|(n, _)| *n == name).map(|(_, s)| *s)
    }

    pub fn name(self) -> &'static str {
        Scalar::ALL.iter().find(|(_, s)| *s == self).map_or("?", |(n, _)| n)
    }

    pub fn bytes(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    fn signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    fn integer(self, value: i128, out: &mut Vec<u8>) {
        out.extend_from_slice(&value.to_le_bytes()[..self.bytes()]);
    }

    fn float(self, value: f64, out: &mut Vec<u8>) {
        match self {
            Scalar::F32 => out.extend_from_slice(&(value as f32).to_le_bytes()),
            Scalar::F64 => out.extend_from_slice(&value.to_le_bytes()),
            _ => self.integer(value as i128, out),
        }
    }

    /// The bytes of a literal, as in `n=i32 256`.
    fn literal(self, text: &str) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        if matches!(self, Scalar::F32 | Scalar::F64) {
            self.float(text.parse().map_err(|_| format!("`{text}` is not a number"))?, &mut out);
        } else {
            self.integer(
                text.parse().map_err(|_| format!("`{text}` is not an integer"))?,
                &mut out,
            );
        }
        Ok(out)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    Zeros,
    Ones,
    Iota,
    Random,
    Between(f64, f64),
    Edges,
    Bits,
}

impl Contents {
    fn parse(text: &str) -> Result<Contents, String> {
        Ok(match text {
            "zeros" => Contents::Zeros,
            "ones" => Contents::Ones,
            "iota" => Contents::Iota,
            "random" => Contents::Random,
            "edges" => Contents::Edges,
            "bits" => Contents::Bits,
            _ => {
                let range = text
                    .strip_prefix("random(")
                    .and_then(|t| t.strip_suffix(')'))
                    .and_then(|t| t.split_once(','))
                    .ok_or_else(|| format!("unknown contents `{text}`"))?;
                let number =
                    |t: &str| t.trim().parse::<f64>().map_err(|_| format!("`{t}` is not a number"));
                Contents::Between(number(range.0)?, number(range.1)?)
            }
        })
    }

    fn bytes(&self, ty: Scalar, len: usize, random: &mut Random) -> Vec<u8> {
        let mut out = Vec::with_capacity(len * ty.bytes());
        let float = matches!(ty, Scalar::F32 | Scalar::F64);
        let edges = edges(ty);
        for i in 0..len {
            match *self {
                Contents::Zeros => ty.integer(0, &mut out),
                Contents::Ones => ty.float(1.0, &mut out),
                Contents::Iota => ty.float(i as f64, &mut out),
                Contents::Random if float => ty.float(random.unit() * 16.0 - 8.0, &mut out),
                Contents::Random | Contents::Bits => ty.integer(random.bits() as i128, &mut out),
                Contents::Between(lo, hi) if float => {
                    ty.float(lo + random.unit() * (hi - lo), &mut out);
                }
                Contents::Between(lo, hi) => {
                    ty.integer(random.between(lo as i64, hi as i64) as i128, &mut out);
                }
                Contents::Edges => out.extend_from_slice(&edges[i % edges.len()]),
            }
        }
        out
    }
}

/// Values at which operations tend to go wrong; never a signalling NaN.
fn edges(ty: Scalar) -> Vec<Vec<u8>> {
    let bits = 8 * ty.bytes() as u32;
    let mut all = Vec::new();
    match ty {
        Scalar::F32 | Scalar::F64 => {
            let tiny = if ty == Scalar::F32 { f32::MIN_POSITIVE as f64 } else { f64::MIN_POSITIVE };
            let huge = if ty == Scalar::F32 { f32::MAX as f64 } else { f64::MAX };
            let values = [0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 0.1, 1e10, 16777217.0, tiny, tiny / 4.0];
            for v in values.into_iter().chain([huge, f64::INFINITY]) {
                for signed in [v, -v] {
                    let mut out = Vec::new();
                    ty.float(signed, &mut out);
                    all.push(out);
                }
            }
            let mut out = Vec::new();
            ty.float(f64::NAN, &mut out);
            all.push(out);
        }
        _ => {
            let max: i128 = if ty.signed() { (1 << (bits - 1)) - 1 } else { (1 << bits) - 1 };
            let min: i128 = if ty.signed() { -(1 << (bits - 1)) } else { 0 };
            let mid = 1 << (bits / 2);
            for v in [0, 1, 2, 3, 7, 10, mid - 1, mid, mid + 1, max / 2, max - 1, max] {
                let mut out = Vec::new();
                ty.integer(v, &mut out);
                all.push(out);
            }
            for v in [min, min + 1, min / 2, -1, -2, -3, -10, -mid] {
                let mut out = Vec::new();
                ty.integer(v, &mut out);
                all.push(out);
            }
        }
    }
    all
}

#[derive(Clone, Debug, PartialEq)]
pub enum ArgKind {
    Buffer { ty: Scalar, len: usize, contents: Contents },
    Local { ty: Scalar, len: usize },
    Scalar { ty: Scalar, text: String },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    pub name: String,
    pub kind: ArgKind,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub source: String,
    pub kernel: String,
    pub block: [usize; 3],
    pub grid: [usize; 3],
    pub args: Vec<Arg>,
    pub ulp: u64,
}

impl Case {
    pub fn load(path: &Path) -> Result<Case, String> {
        let source =
            std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Case::parse(&name, source).map_err(|e| format!("{}: {e}", path.display()))
    }

    pub fn parse(name: &str, source: String) -> Result<Case, String> {
        let mut case = Case {
            name: name.to_string(),
            kernel: String::new(),
            block: [1; 3],
            grid: [0; 3],
            args: Vec::new(),
            ulp: 0,
            source: String::new(),
        };
        for line in source.lines() {
            let Some((key, rest)) = line.strip_prefix("// ").and_then(|l| l.split_once(": "))
            else {
                continue;
            };
            let rest = rest.trim();
            match key {
                "kernel" => case.kernel = rest.to_string(),
                "launch" => {
                    for part in rest.split_whitespace() {
                        match part.split_once('=') {
                            Some(("block", dims)) => case.block = parse_dims(dims)?,
                            Some(("grid", dims)) => case.grid = parse_dims(dims)?,
                            _ => return Err(format!("unknown launch part `{part}`")),
                        }
                    }
                }
                "arg" => case.args.push(parse_arg(rest)?),
                "ulp" => case.ulp = rest.parse().map_err(|_| format!("bad ulp `{rest}`"))?,
                _ => {}
            }
        }
        if case.grid[0] == 0 {
            return Err("no `// launch:` line".into());
        }
        if case.kernel.is_empty() {
            case.kernel = first_kernel(&source).ok_or("no kernel in the file")?;
        }
        case.source = source;
        Ok(case)
    }

    /// The bytes of every buffer before the launch, by position of the argument.
    pub fn inputs(&self) -> Vec<Option<Vec<u8>>> {
        let bytes = |arg: &Arg| match &arg.kind {
            ArgKind::Buffer { ty, len, contents } => {
                let mut random = Random::from_text(&format!("{}/{}", self.name, arg.name));
                Some(contents.bytes(*ty, *len, &mut random))
            }
            _ => None,
        };
        self.args.iter().map(bytes).collect()
    }
}

impl Arg {
    /// The bytes of a scalar argument.
    pub fn scalar_bytes(&self) -> Result<Option<Vec<u8>>, String> {
        match &self.kind {
            ArgKind::Scalar { ty, text } => ty.literal(text).map(Some),
            _ => Ok(None),
        }
    }
}

fn parse_dims(text: &str) -> Result<[usize; 3], String> {
    let mut dims = [1; 3];
    for (i, part) in text.split(',').enumerate() {
        let slot = dims.get_mut(i).ok_or("more than three dimensions")?;
        *slot = part.parse().map_err(|_| format!("bad dimension `{part}`"))?;
    }
    Ok(dims)
}

fn parse_arg(text: &str) -> Result<Arg, String> {
    let bad = || format!("cannot read the argument `{text}`");
    let (name, value) = text.split_once('=').ok_or_else(bad)?;
    let array = |t: &str| -> Option<(Scalar, usize)> {
        let (ty, len) = t.strip_suffix(']')?.split_once('[')?;
        Some((Scalar::parse(ty)?, len.parse().ok()?))
    };
    let kind = if let Some(local) = value.strip_prefix("local ") {
        let (ty, len) = array(local).ok_or_else(bad)?;
        ArgKind::Local { ty, len }
    } else if let Some((ty, number)) = value.split_once(' ') {
        let ty = Scalar::parse(ty).ok_or_else(bad)?;
        ArgKind::Scalar { ty, text: number.trim().to_string() }
    } else {
        let (shape, contents) = value.split_once(':').unwrap_or((value, "zeros"));
        let (ty, len) = array(shape).ok_or_else(bad)?;
        ArgKind::Buffer { ty, len, contents: Contents::parse(contents)? }
    };
    Ok(Arg { name: name.trim().to_string(), kind })
}

/// The name in the first `kernel void NAME(` of the source.
fn first_kernel(source: &str) -> Option<String> {
    let after = source.lines().filter(|l| !l.starts_with("//")).find_map(|line| {
        let line = line.trim_start().trim_start_matches("__");
        line.strip_prefix("kernel")
    })?;
    let after = after.split("void").nth(1)?;
    Some(after.split('(').next()?.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// launch: block=8,2 grid=4\n// arg: a=f32[8]:random\n// arg: t=local i32[4]\n\
                          // arg: n=i32 -7\n// ulp: 3\n__kernel void foo(global float *a) {}\n";

    #[test]
    fn head_comment() {
        let case = Case::parse("t", SOURCE.into()).unwrap();
        assert_eq!((case.kernel.as_str(), case.block, case.grid), ("foo", [8, 2, 1], [4, 1, 1]));
        assert_eq!((case.args.len(), case.ulp), (3, 3));
        assert_eq!(case.args[2].scalar_bytes().unwrap(), Some(vec![0xf9, 0xff, 0xff, 0xff]));
        assert_eq!(case.inputs()[0].as_ref().unwrap().len(), 32);
        assert_eq!(case.inputs(), case.inputs());
    }

    #[test]
    fn bad_head_comment() {
        assert!(Case::parse("t", "__kernel void k() {}".into()).is_err());
        assert!(Case::parse("t", "// launch: block=1 grid=1\n// arg: a=f99[3]\n".into()).is_err());
    }

    #[test]
    fn edge_values_have_the_width_of_their_type() {
        for (_, ty) in Scalar::ALL {
            assert!(edges(ty).iter().all(|bytes| bytes.len() == ty.bytes()));
        }
    }
}
