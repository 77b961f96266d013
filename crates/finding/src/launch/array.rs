//! Arrays: their textual form and the bytes it stands for.
//!
//! `:random` comes from the launch's seed and the argument's name alone, element
//! by element: floats are uniform in [0, 1), integers uniform in 0..=255 (0..=127
//! for `i8`). `:iota` counts 0, 1, 2 … and wraps in narrow types. A literal with
//! one value fills the array; with several, it gives the first elements and the
//! rest are zero. A file must have exactly the array's size. An array of structs is
//! one of bytes, with contents for each member ([`super::members`]).

use std::fmt;
use std::path::Path;

use super::element::ElementType;
use super::members::Members;
use super::npy;

/// The most one array may take: beyond it, shadow memory would not fit anywhere.
pub const MAX_ARRAY_BYTES: u64 = 1 << 32;

/// An array argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArraySpec {
    pub element: ElementType,
    /// Scalars per element: 1, or the width of a vector type.
    pub lanes: u8,
    /// Elements.
    pub length: u64,
    pub contents: ArrayContents,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrayContents {
    Zeros,
    Ones,
    Iota,
    Random,
    /// Values as text, checked against the element type.
    Literal(Vec<String>),
    /// Raw bytes or `.npy`.
    File(String),
    /// Structs, member by member; the elements are bytes.
    Structs(Members),
}

/// Elements that are written down one by one though there is a word for them.
const FEW_ELEMENTS: usize = 4096;

impl ArraySpec {
    pub fn new(element: ElementType, length: u64, contents: ArrayContents) -> ArraySpec {
        ArraySpec { element, lanes: 1, length, contents }
    }

    /// The same array with these bytes, written out as far as they are not zero.
    #[must_use]
    pub fn with_bytes(&self, bytes: &[u8]) -> ArraySpec {
        if let Some(contents) = self.in_one_word(bytes) {
            return ArraySpec { contents, ..self.clone() };
        }
        let size = self.element.size();
        let used = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last / size + 1);
        let text = |b: &[u8]| self.element.value_text(b);
        let mut values: Vec<String> = bytes.chunks_exact(size).take(used).map(text).collect();
        // One value alone would fill the array.
        if values.len() == 1 && self.length * u64::from(self.lanes) > 1 {
            values.push(text(&[0; 8][..size]));
        }
        let contents = match values.is_empty() {
            true => ArrayContents::Zeros,
            false => ArrayContents::Literal(values),
        };
        ArraySpec { contents, ..self.clone() }
    }

    /// The word for contents that are too long to be written down.
    fn in_one_word(&self, bytes: &[u8]) -> Option<ArrayContents> {
        if bytes.len() <= FEW_ELEMENTS * self.element.size() {
            return None;
        }
        let is = |contents: &ArrayContents| {
            // What is made of these words depends on neither name nor seed.
            let made = ArraySpec { contents: contents.clone(), ..self.clone() }.to_bytes("", 0);
            made.is_ok_and(|made| made == bytes)
        };
        [ArrayContents::Iota, ArrayContents::Ones].into_iter().find(is)
    }

    pub(super) fn parse(text: &str) -> Result<ArraySpec, String> {
        let (type_name, rest) = text.split_once('[').ok_or("'[' expected")?;
        let type_name = type_name.trim();
        let (length, rest) = rest.split_once(']').ok_or("']' is missing after the length")?;
        let (element, lanes) = ElementType::parse(type_name).ok_or_else(|| {
            let names: Vec<_> = ElementType::ALL.iter().map(|t| t.name()).collect();
            format!("'{type_name}' is no element type; one of {}", names.join(" "))
        })?;
        let length = length.trim();
        if length.is_empty() {
            return Err("the length is missing between '[' and ']'".into());
        }
        let length: u64 = length.parse().map_err(|_| format!("'{length}' is not a length"))?;
        let bytes = length as u128 * element.size() as u128 * lanes as u128;
        if bytes > MAX_ARRAY_BYTES as u128 {
            return Err(format!(
                "{bytes} bytes are more than the {MAX_ARRAY_BYTES} that an array may have"
            ));
        }
        let mut spec = ArraySpec { element, lanes, length, contents: ArrayContents::Zeros };
        spec.contents = match rest.strip_prefix(':') {
            None if rest.is_empty() => ArrayContents::Zeros,
            None => return Err(format!("':' expected before the contents, not '{rest}'")),
            Some(contents) => spec.parse_contents(contents)?,
        };
        Ok(spec)
    }

    pub(super) fn parse_contents(&self, text: &str) -> Result<ArrayContents, String> {
        if let Some(file) = text.strip_prefix('@') {
            if file.is_empty() {
                return Err("the file's name is missing after '@'".into());
            }
            return Ok(ArrayContents::File(file.to_owned()));
        }
        if let Some(members) = text.trim().strip_prefix("struct(") {
            if (self.element.size(), self.lanes) != (1, 1) {
                return Err(format!("structs are made of u8, not of {}", self.type_name()));
            }
            let members = members.strip_suffix(')').ok_or("')' is missing after the members")?;
            return Ok(ArrayContents::Structs(Members::parse(members)?));
        }
        match text.trim() {
            "" => Err("the contents are missing after ':'".into()),
            "zeros" => Ok(ArrayContents::Zeros),
            "ones" => Ok(ArrayContents::Ones),
            "iota" => Ok(ArrayContents::Iota),
            "random" => Ok(ArrayContents::Random),
            "symbolic" => Err("symbolic contents are for 'lockstep equiv'".into()),
            literal => self.parse_literal(literal),
        }
    }

    fn parse_literal(&self, text: &str) -> Result<ArrayContents, String> {
        let values: Vec<String> = text.split(',').map(|v| v.trim().to_owned()).collect();
        for v in &values {
            if self.element.value_bits(v).is_none() {
                return Err(format!("'{v}' is not a value of type {}", self.element));
            }
        }
        if values.len() > 1 && values.len() as u64 > self.scalars() {
            return Err(format!("{} values for {} elements", values.len(), self.scalars()));
        }
        Ok(ArrayContents::Literal(values))
    }

    fn scalars(&self) -> u64 {
        self.length * self.lanes as u64
    }

    /// Size of the whole array.
    pub fn bytes(&self) -> u64 {
        self.scalars().saturating_mul(self.element.size() as u64)
    }

    /// The contents, before the launch. `name` is the parameter's name.
    pub fn to_bytes(&self, name: &str, seed: u64) -> Result<Vec<u8>, String> {
        if self.bytes() > MAX_ARRAY_BYTES {
            return Err(format!(
                "{} bytes are more than the {MAX_ARRAY_BYTES} that an array may have",
                self.bytes()
            ));
        }
        match &self.contents {
            ArrayContents::Zeros => self.zeros(),
            ArrayContents::Ones => self.fill(|_| self.element.whole_bits(1)),
            ArrayContents::Iota => {
                let lanes = self.lanes as u64;
                self.fill(|i| self.element.whole_bits(i / lanes))
            }
            ArrayContents::Random => {
                let stream = mix(fnv(name) ^ mix(seed));
                self.fill(|i| {
                    random_bits(self.element, mix(stream.wrapping_add(i.wrapping_mul(GOLDEN))))
                })
            }
            ArrayContents::Literal(values) => {
                let bits: Vec<u64> =
                    values.iter().map(|v| self.element.value_bits(v).unwrap_or(0)).collect();
                match bits[..] {
                    [all] => self.fill(|_| all),
                    _ => self.fill_first(bits.len(), |i| bits[i as usize]),
                }
            }
            ArrayContents::File(path) => self.read_file(path),
            ArrayContents::Structs(members) => {
                let mut out = self.zeros()?;
                members.put(&mut out, name, seed)?;
                Ok(out)
            }
        }
    }

    fn zeros(&self) -> Result<Vec<u8>, String> {
        let size = self.bytes() as usize;
        // Asked for first without zeroing, because only this form can fail.
        Vec::<u8>::new()
            .try_reserve_exact(size)
            .map_err(|_| format!("{size} bytes do not fit into memory"))?;
        Ok(vec![0; size])
    }

    fn fill(&self, bits: impl Fn(u64) -> u64) -> Result<Vec<u8>, String> {
        self.fill_first(usize::MAX, bits)
    }

    /// So many elements; the rest is zero.
    fn fill_first(&self, most: usize, bits: impl Fn(u64) -> u64) -> Result<Vec<u8>, String> {
        let mut out = self.zeros()?;
        let size = self.element.size();
        for (i, slot) in out.chunks_exact_mut(size).take(most).enumerate() {
            slot.copy_from_slice(&bits(i as u64).to_le_bytes()[..size]);
        }
        Ok(out)
    }

    fn read_file(&self, path: &str) -> Result<Vec<u8>, String> {
        let bytes =
            std::fs::read(Path::new(path)).map_err(|e| format!("cannot read '{path}': {e}"))?;
        let data = if npy::is_npy(&bytes) {
            npy::data(&bytes, self.element).map_err(|e| format!("'{path}': {e}"))?
        } else {
            &bytes[..]
        };
        if data.len() as u64 != self.bytes() {
            return Err(format!(
                "'{path}' holds {} bytes, {}[{}] needs {}",
                data.len(),
                self.type_name(),
                self.length,
                self.bytes()
            ));
        }
        let start = bytes.len() - data.len();
        let mut bytes = bytes;
        bytes.drain(..start);
        Ok(bytes)
    }

    /// `f32`, or `f32x4` for a vector.
    pub fn type_name(&self) -> String {
        match self.lanes {
            1 => self.element.name().to_owned(),
            n => format!("{}x{n}", self.element),
        }
    }
}

impl fmt::Display for ArraySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]{}", self.type_name(), self.length, self.contents)
    }
}

impl ArrayContents {
    /// Whether they depend on the seed.
    pub(super) fn is_random(&self) -> bool {
        match self {
            ArrayContents::Structs(all) => all.members.iter().any(|m| m.contents.is_random()),
            other => *other == ArrayContents::Random,
        }
    }
}

/// What follows the length.
impl fmt::Display for ArrayContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArrayContents::Zeros => Ok(()),
            ArrayContents::Ones => f.write_str(":ones"),
            ArrayContents::Iota => f.write_str(":iota"),
            ArrayContents::Random => f.write_str(":random"),
            ArrayContents::Literal(values) => write!(f, ":{}", values.join(",")),
            ArrayContents::File(path) => write!(f, ":@{path}"),
            ArrayContents::Structs(members) => write!(f, ":struct({members})"),
        }
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a good hash of a counter.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(GOLDEN);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ b as u64).wrapping_mul(0x100_0000_01b3))
}

fn random_bits(element: ElementType, x: u64) -> u64 {
    match element {
        ElementType::F16 => super::f64_to_f16((x >> 53) as f64 * 2f64.powi(-11)) as u64,
        ElementType::F32 => ((x >> 40) as f32 * 2f32.powi(-24)).to_bits() as u64,
        ElementType::F64 => ((x >> 11) as f64 * 2f64.powi(-53)).to_bits(),
        ElementType::I8 => x >> 57,
        _ => x >> 56,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Result<Vec<u8>, String> {
        ArraySpec::parse(text)?.to_bytes("A", 1)
    }

    #[test]
    fn contents() {
        assert_eq!(bytes("u8[3]").unwrap(), [0, 0, 0]);
        assert_eq!(bytes("u16[2]:ones").unwrap(), [1, 0, 1, 0]);
        assert_eq!(bytes("u8[4]:iota").unwrap(), [0, 1, 2, 3]);
        assert_eq!(bytes("uchar2[2]:iota").unwrap(), [0, 0, 1, 1]);
        assert_eq!(bytes("i8[2]:-1").unwrap(), [255, 255]);
        assert_eq!(bytes("u8[4]:7,8").unwrap(), [7, 8, 0, 0]);
        assert_eq!(bytes("f32[1]:1.5").unwrap(), 1.5f32.to_le_bytes());
        assert!(bytes("f32[0]").unwrap().is_empty());
    }

    #[test]
    fn random_depends_on_name_and_seed_only() {
        let spec = ArraySpec::parse("f32[64]:random").unwrap();
        let a = spec.to_bytes("A", 1).unwrap();
        assert_eq!(a, spec.to_bytes("A", 1).unwrap());
        assert_ne!(a, spec.to_bytes("B", 1).unwrap());
        assert_ne!(a, spec.to_bytes("A", 2).unwrap());
        for v in a.chunks_exact(4) {
            let v = f32::from_le_bytes(v.try_into().unwrap());
            assert!((0.0..1.0).contains(&v));
        }
        let ints = ArraySpec::parse("i8[64]:random").unwrap().to_bytes("A", 1).unwrap();
        assert!(ints.iter().all(|&b| b < 128));
    }

    #[test]
    fn a_hundred_megabytes_are_fine() {
        assert_eq!(bytes("f32[25000000]:iota").unwrap().len(), 100_000_000);
    }

    #[test]
    fn files_must_fit() {
        let dir = std::env::temp_dir().join(format!("lockstep-array-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let raw = dir.join("raw.bin");
        std::fs::write(&raw, [1, 2, 3, 4]).unwrap();
        let raw = raw.display();
        assert_eq!(bytes(&format!("u8[4]:@{raw}")).unwrap(), [1, 2, 3, 4]);
        let error = bytes(&format!("f32[4]:@{raw}")).unwrap_err();
        assert!(error.ends_with("holds 4 bytes, f32[4] needs 16"), "{error}");
        assert!(
            bytes("u8[4]:@/no/such/file").unwrap_err().starts_with("cannot read '/no/such/file'")
        );

        let npy = dir.join("a.npy");
        std::fs::write(
            &npy,
            npy::tests::file(
                "'descr': '<i2', 'fortran_order': False, 'shape': (2,)",
                &[1, 0, 2, 0],
            ),
        )
        .unwrap();
        let npy = npy.display();
        assert_eq!(bytes(&format!("i16[2]:@{npy}")).unwrap(), [1, 0, 2, 0]);
        let error = bytes(&format!("f32[1]:@{npy}")).unwrap_err();
        assert!(error.ends_with("its elements are i16, not f32"), "{error}");
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
