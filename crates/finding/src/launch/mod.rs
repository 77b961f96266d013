//! A launch: dimensions, arguments, contents of arrays. What a witness replays.
//!
//! An argument has one textual form, the one of `--arg NAME=VALUE`; the same
//! text stands in JSON reports and in witness files.
//!
//! | text | meaning |
//! |---|---|
//! | `1024`, `-3`, `0x10`, `0.5`, `true` | a scalar; read by the parameter's type |
//! | `1,2,3,4` | a vector, or a struct passed in registers |
//! | `f32[1024]` | an array of its own, all zeros |
//! | `f32[1024]:ones`, `:iota`, `:random` | … of ones, of 0, 1, 2 …, of random values |
//! | `f32[1024]:2.5` | … with that value in every element |
//! | `f32[1024]:1,2,3` | … that begins so, and is zero from there on |
//! | `u8[1024]:struct(16; f32@0:random; i32@12:iota)` | … of structs of 16 bytes, with contents for each member |
//! | `f32[1024]:@FILE` | … read from a file, `.npy` or raw little-endian bytes |
//! | `&A`, `&A+16` | the array of parameter `A`, 16 bytes in |
//! | `null` | a null pointer |

mod array;
mod element;
mod evaluate;
mod expression;
mod members;
mod npy;
mod witness;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use array::{ArrayContents, ArraySpec, MAX_ARRAY_BYTES};
pub use element::{ElementType, f16_to_f32, f64_to_f16};
pub use expression::{Dimension, Expr, Number, Operator, Relation};
pub use members::{Member, Members};
pub use witness::Witness;

/// One launch of one kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "LaunchData", try_from = "LaunchData")]
pub struct Launch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// OpenCL: the global size, where it is no multiple of the block; the last blocks are then smaller.
    pub global: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Values by parameter name (or position), in the order given.
    pub args: Vec<(String, ArgValue)>,
    /// Where `:random` contents come from.
    pub seed: u64,
}

impl Default for Launch {
    fn default() -> Launch {
        Launch { grid: [1; 3], block: [1; 3], global: None, shared: 0, args: Vec::new(), seed: 0 }
    }
}

impl Launch {
    /// Threads of the whole launch.
    pub fn threads(&self) -> u128 {
        if let Some(global) = self.global {
            return global.iter().map(|&d| d as u128).product();
        }
        self.grid.iter().chain(&self.block).map(|&d| d as u128).product()
    }

    /// Whether anything in the launch depends on the seed.
    pub fn is_random(&self) -> bool {
        self.args.iter().any(|(_, v)| matches!(v, ArgValue::Array(a) if a.contents.is_random()))
    }
}

/// `4,2` for `[4, 2, 1]`: dimensions as the command line has them.
pub fn dims_text(dims: [u32; 3]) -> String {
    match dims {
        [x, 1, 1] => format!("{x}"),
        [x, y, 1] => format!("{x},{y}"),
        [x, y, z] => format!("{x},{y},{z}"),
    }
}

/// `4,2` for `[4, 2, 0]`: an index without the axes that are 0.
pub(crate) fn index_short(index: [u32; 3]) -> String {
    match index {
        [x, 0, 0] => format!("{x}"),
        [x, y, 0] => format!("{x},{y}"),
        [x, y, z] => format!("{x},{y},{z}"),
    }
}

/// The value of one argument. See the module documentation for its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgValue {
    /// As the user wrote it: its meaning depends on the parameter's type.
    Scalar(String),
    Array(ArraySpec),
    SameAs {
        param: String,
        offset: u64,
    },
    Null,
}

impl ArgValue {
    /// Reads the part after `NAME=`.
    pub fn parse(text: &str) -> Result<ArgValue, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("a value is missing".into());
        }
        if text == "null" || text == "NULL" || text == "nullptr" {
            return Ok(ArgValue::Null);
        }
        if let Some(target) = text.strip_prefix('&') {
            return parse_alias(target);
        }
        if text.contains('[') {
            return ArraySpec::parse(text).map(ArgValue::Array);
        }
        if let Some((head, _)) = text.split_once(':')
            && ElementType::parse(head).is_some()
        {
            return Err(format!("an array needs a length, as in {head}[1024]"));
        }
        parse_scalar_shape(text)
    }

    /// Reads `NAME=VALUE`. The message of an error is one line and names the text.
    pub fn parse_assignment(text: &str) -> Result<(String, ArgValue), String> {
        let fail = |why: String| format!("--arg '{}': {why}", one_line(text));
        let (name, value) =
            text.split_once('=').ok_or_else(|| fail("NAME=VALUE expected, as in n=1024".into()))?;
        let name = name.trim();
        if name.is_empty() {
            return Err(fail("the parameter's name is missing before '='".into()));
        }
        let value = ArgValue::parse(value).map_err(fail)?;
        Ok((name.to_owned(), value))
    }
}

fn parse_alias(target: &str) -> Result<ArgValue, String> {
    let (param, offset) = match target.split_once('+') {
        Some((p, o)) => {
            (p, o.trim().parse().map_err(|_| format!("'{o}' is not a number of bytes"))?)
        }
        None => (target, 0),
    };
    let param = param.trim();
    if param.is_empty() {
        return Err("a parameter's name is missing after '&'".into());
    }
    Ok(ArgValue::SameAs { param: param.to_owned(), offset })
}

/// Only the shape is checked here: words and numbers, with commas between.
fn parse_scalar_shape(text: &str) -> Result<ArgValue, String> {
    let is_value_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_');
    for part in text.split(',') {
        let part = part.trim();
        if part.is_empty() {
            return Err("a value is missing between commas".into());
        }
        if let Some(bad) = part.chars().find(|&c| !is_value_char(c)) {
            return Err(format!(
                "'{}' is not part of a number (a scalar is n=1024, an array A=f32[1024]:random)",
                bad.escape_default()
            ));
        }
    }
    Ok(ArgValue::Scalar(text.to_owned()))
}

/// The start of a text, fit to stand within one line.
fn one_line(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut line: String = text.chars().take(80).map(plain).collect();
    if text.chars().count() > 80 {
        line.push('…');
    }
    line
}

impl fmt::Display for ArgValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgValue::Scalar(text) => f.write_str(text),
            ArgValue::Array(spec) => spec.fmt(f),
            ArgValue::SameAs { param, offset: 0 } => write!(f, "&{param}"),
            ArgValue::SameAs { param, offset } => write!(f, "&{param}+{offset}"),
            ArgValue::Null => f.write_str("null"),
        }
    }
}

/// The JSON form of a launch: numbers where a scalar is one, text elsewhere.
#[derive(Serialize, Deserialize)]
struct LaunchData {
    grid: [u32; 3],
    block: [u32; 3],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    global: Option<[u32; 3]>,
    #[serde(default)]
    shared: u32,
    #[serde(default)]
    args: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

impl From<Launch> for LaunchData {
    fn from(launch: Launch) -> LaunchData {
        let seed = launch.is_random().then_some(launch.seed);
        let args = launch.args.iter().map(|(n, v)| (n.clone(), arg_to_json(v))).collect();
        let Launch { grid, block, global, shared, .. } = launch;
        LaunchData { grid, block, global, shared, args, seed }
    }
}

impl TryFrom<LaunchData> for Launch {
    type Error = String;
    fn try_from(data: LaunchData) -> Result<Launch, String> {
        let mut args = Vec::new();
        for (name, value) in data.args {
            let text = match value {
                Value::String(s) => s,
                Value::Number(n) => n.to_string(),
                Value::Bool(b) => b.to_string(),
                other => return Err(format!("argument '{name}': {other} is not a value")),
            };
            let value = ArgValue::parse(&text).map_err(|e| format!("argument '{name}': {e}"))?;
            args.push((name, value));
        }
        Ok(Launch {
            grid: data.grid,
            block: data.block,
            global: data.global,
            shared: data.shared,
            args,
            seed: data.seed.unwrap_or(0),
        })
    }
}

fn arg_to_json(value: &ArgValue) -> Value {
    match value {
        ArgValue::Scalar(text) => number_to_json(text),
        other => Value::String(other.to_string()),
    }
}

/// The number that `text` is, if JSON can hold it exactly as meant; else the text.
pub(crate) fn number_to_json(text: &str) -> Value {
    let as_text = || Value::String(text.to_owned());
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        // An integer beyond 64 bits would turn into a rounded float.
        let fits = text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
        if !fits {
            return as_text();
        }
    }
    match serde_json::from_str::<Value>(text) {
        Ok(v @ (Value::Number(_) | Value::Bool(_))) => v,
        _ => as_text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> ArgValue {
        ArgValue::parse(text).unwrap()
    }

    #[test]
    fn scalars_keep_their_text() {
        for text in ["1024", "-3", "0x10", "0.5", "1e-3", "nan", "true", "1,2,3,4"] {
            assert_eq!(parse(text), ArgValue::Scalar(text.into()));
            assert_eq!(parse(text).to_string(), text);
        }
    }

    #[test]
    fn text_round_trips() {
        for text in
            ["f32[1024]:random", "i32[256]:iota", "u8[4]:1,2,3", "&A", "&A+16", "null", "f32x4[8]"]
        {
            assert_eq!(parse(text).to_string(), text);
        }
        assert_eq!(parse("float[8]:zeros").to_string(), "f32[8]");
        assert_eq!(parse("float4[8]:@a b.npy").to_string(), "f32x4[8]:@a b.npy");
    }

    #[test]
    fn malformed_text_says_why() {
        let cases = [
            ("A", "--arg 'A': NAME=VALUE expected, as in n=1024"),
            ("=3", "--arg '=3': the parameter's name is missing before '='"),
            ("A=", "--arg 'A=': a value is missing"),
            ("A=f32[", "--arg 'A=f32[': ']' is missing after the length"),
            ("A=f32[]", "--arg 'A=f32[]': the length is missing between '[' and ']'"),
            ("A=f32[x]", "--arg 'A=f32[x]': 'x' is not a length"),
            ("A=f32[-1]", "--arg 'A=f32[-1]': '-1' is not a length"),
            (
                "A=f99[3]",
                "--arg 'A=f99[3]': 'f99' is no element type; one of i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64",
            ),
            ("A=f32[3]x", "--arg 'A=f32[3]x': ':' expected before the contents, not 'x'"),
            ("A=f32[3]:", "--arg 'A=f32[3]:': the contents are missing after ':'"),
            ("A=i32[3]:1,x", "--arg 'A=i32[3]:1,x': 'x' is not a value of type i32"),
            ("A=u8[3]:256", "--arg 'A=u8[3]:256': '256' is not a value of type u8"),
            ("A=u8[2]:1,2,3", "--arg 'A=u8[2]:1,2,3': 3 values for 2 elements"),
            ("A=f32[3]:@", "--arg 'A=f32[3]:@': the file's name is missing after '@'"),
            ("A=f32:random", "--arg 'A=f32:random': an array needs a length, as in f32[1024]"),
            ("A=1,,2", "--arg 'A=1,,2': a value is missing between commas"),
            ("A=&", "--arg 'A=&': a parameter's name is missing after '&'"),
            (
                "A=f32[99999999999999]",
                "--arg 'A=f32[99999999999999]': 399999999999996 bytes are more than the 4294967296 that an array may have",
            ),
            (
                "A=f64[18446744073709551615]",
                "--arg 'A=f64[18446744073709551615]': 147573952589676412920 bytes are more than the 4294967296 that an array may have",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(ArgValue::parse_assignment(text).unwrap_err(), message);
        }
        let odd = ArgValue::parse_assignment("n=1\n2").unwrap_err();
        assert_eq!(odd.lines().count(), 1, "{odd}");
    }

    #[test]
    fn json_round_trips_and_never_has_a_bare_nan() {
        let launch = Launch {
            grid: [4, 1, 1],
            block: [256, 1, 1],
            global: None,
            shared: 64,
            args: [
                ("n", "1024"),
                ("a", "0.5"),
                ("b", "nan"),
                ("c", "0x10"),
                ("big", "99999999999999999999"),
                ("in", "f32[8]:random"),
                ("out", "&in+4"),
                ("p", "null"),
            ]
            .map(|(n, v)| (n.to_owned(), parse(v)))
            .to_vec(),
            seed: 7,
        };
        let json = serde_json::to_string(&launch).unwrap();
        assert_eq!(
            json,
            r#"{"grid":[4,1,1],"block":[256,1,1],"shared":64,"args":{"n":1024,"a":0.5,"b":"nan","c":"0x10","big":"99999999999999999999","in":"f32[8]:random","out":"&in+4","p":"null"},"seed":7}"#
        );
        assert_eq!(serde_json::from_str::<Launch>(&json).unwrap(), launch);
    }
}
