//! The file that `lockstep device build` writes and `lockstep-device` reads: one line that names the format, then JSON.
//!
//! It holds the kernel in the words of all engines, its PTX with and without the checker (and cubins, where there was an
//! assembler), what is checked, and how memory is laid out. So findings name source lines, and the same launch can be simulated where the file is.

use lockstep_finding::{Condition, Witness};
use lockstep_kernel::Kernel;
use serde::{Deserialize, Serialize};

use crate::plan::Plan;

/// The first line. A number behind it that is not ours is another format.
const MAGIC: &str = "lockstep device archive ";
const FORMAT: u32 = 3;

/// How conflicts are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// A cell for each piece of memory.
    Flag,
    /// Behind a launch with cells: every access of the pieces that threads race for is written down.
    Statement,
}

impl Scheme {
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Flag => "flag",
            Scheme::Statement => "statement",
        }
    }
}

/// An array that the kernel can reach, in the order of the checker's table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Array {
    /// That of a pointer parameter, by its number.
    Parameter(u32),
    /// That of a pointer in a struct parameter.
    Field { parameter: u32, offset: u32 },
    /// A variable of the file, by the name that the linker knows.
    Variable { symbol: String, name: String, bytes: u64 },
}

/// A variable in shared memory. Without a size, the launch says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedVariable {
    pub name: String,
    pub start: u64,
    pub size: Option<u64>,
}

/// The code of a module for one architecture. Text of hexadecimal digits in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Cubin(pub Vec<u8>);

impl From<Cubin> for String {
    fn from(cubin: Cubin) -> String {
        let digit = |n: u8| char::from_digit(n.into(), 16).unwrap_or('0');
        cubin.0.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
    }
}

impl TryFrom<String> for Cubin {
    type Error = String;

    fn try_from(text: String) -> Result<Cubin, String> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let digit = |c: u8| (c as char).to_digit(16).map(|d| d as u8);
        let byte = |pair: &[u8; 2]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
        let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
        bytes.filter(|_| rest.is_empty()).map(Cubin).ok_or_else(|| "a cubin is broken".into())
    }
}

/// Registers that a thread can have where so many threads are a block, on all devices since `sm_70`: a thread gets a multiple
/// of eight.
pub fn registers(threads: u32) -> u32 {
    const OF_BLOCK: u32 = 65_536;
    (OF_BLOCK / threads.max(1).next_multiple_of(32) / 8 * 8).clamp(32, 255)
}

/// PTX of a kernel that checks itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Code {
    pub scheme: Scheme,
    /// Where shared memory is checked, the checker's words have to lie there, too.
    pub inside: bool,
    pub ptx: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cubin: Option<Cubin>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Archive {
    /// The version of Lockstep that has written it.
    pub version: String,
    /// The file that was built, as the user named it.
    pub file: String,
    pub architecture: String,
    /// The level of optimisation, 0 to 3.
    pub level: u8,
    pub kernel: Kernel,
    /// Without the checker.
    pub plain: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain_cubin: Option<Cubin>,
    pub codes: Vec<Code>,
    pub plan: Plan,
    /// What has to hold for the accesses that are left out to be free of races.
    pub assumes: Vec<Condition>,
    /// The dimensions for which that is proved; none: all.
    pub block: [Option<u32>; 3],
    pub grid: [Option<u32>; 3],
    /// The arguments for which it is: number of the parameter, and the bits of its registers.
    pub arguments: Vec<(usize, Vec<u64>)>,
    pub arrays: Vec<Array>,
    pub shared: Vec<SharedVariable>,
    /// Bytes of shared memory that the kernel has by itself.
    pub own_shared: u64,
    /// The checker keeps words in shared memory.
    pub uses_shared: bool,
    /// What it takes to compile the kernel again as it was; the kind of a finding, its launch and its message are not there yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
}

impl Archive {
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let mut out = format!("{MAGIC}{FORMAT}\n").into_bytes();
        serde_json::to_writer(&mut out, self).map_err(|e| e.to_string())?;
        Ok(out)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Archive, String> {
        let end = bytes.iter().take(64).position(|b| *b == b'\n');
        let line = end.and_then(|end| std::str::from_utf8(&bytes[..end]).ok());
        let format = line.and_then(|l| l.strip_prefix(MAGIC));
        match format.map(str::parse::<u32>) {
            Some(Ok(FORMAT)) => {}
            Some(Ok(other)) => {
                return Err(format!(
                    "it has format {other}, and this lockstep-device reads format {FORMAT}: build it again"
                ));
            }
            _ => return Err("it was not written by lockstep device build".into()),
        }
        let json = &bytes[end.unwrap_or(0) + 1..];
        serde_json::from_slice(json).map_err(|e| format!("it is damaged: {e}"))
    }

    /// The code for a launch in which the checker's words fit into shared memory, or do not.
    pub fn code(&self, scheme: Scheme, fits: bool) -> Option<&Code> {
        let mut all = self.codes.iter().filter(|c| c.scheme == scheme && (fits || !c.inside));
        let first = all.next()?;
        Some(all.find(|c| c.inside).unwrap_or(first))
    }

    /// Whether cubins of this archive are for a device of a capability such as 90: those of its generation that are not older
    /// than what was built for, and where that is `sm_90a`, the very one.
    pub fn fits(&self, capability: u32) -> bool {
        let digits: String = self.architecture.chars().filter(char::is_ascii_digit).collect();
        let Ok(own) = digits.parse::<u32>() else { return false };
        let is_plain = self.architecture.ends_with(|c: char| c.is_ascii_digit());
        own == capability || is_plain && own / 10 == capability / 10 && own < capability
    }

    /// The archive's own parameter that an array is.
    pub fn parameter(&self, array: &Array) -> Option<usize> {
        match *array {
            Array::Parameter(p) => Some(p as usize),
            Array::Field { parameter, offset } => {
                self.kernel.field_at(parameter as usize, offset).map(|(i, _)| i)
            }
            Array::Variable { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubin_is_text_in_the_file() {
        let cubin = Cubin(vec![0x7f, b'E', 0, 0xff]);
        let text = serde_json::to_string(&cubin).unwrap();
        assert_eq!(text, "\"7f4500ff\"");
        assert_eq!(serde_json::from_str::<Cubin>(&text).unwrap(), cubin);
        assert!(serde_json::from_str::<Cubin>("\"7f4\"").is_err());
        assert!(serde_json::from_str::<Cubin>("\"7g\"").is_err());
    }

    #[test]
    fn registers_of_a_block_are_shared_by_its_threads() {
        assert_eq!([1, 256, 257, 512, 1024].map(registers), [255, 255, 224, 128, 64]);
    }
}
