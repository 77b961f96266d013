//! A sequence against a reference, on many inputs.
//!
//! Both get the same contents of buffers and the same numbers, by name: a parameter of the reference is the buffer or the
//! number of its name. Then the buffers that are compared must have the same elements. A NaN is equal to a NaN. The answer is
//! for the inputs that were tried: nothing is proved.

use lockstep_finding::{ArgValue, ArrayContents, ArraySpec, ElementType, Launch};
use lockstep_kernel::{Kernel, ParamKind, Ty};
use lockstep_simulate::{Bytes, Config, bind, simulate};

use crate::execute::{Found, execute};
use crate::model::{Buffer, Sequence, Start};

/// How many values of inputs are tried, and where they come from.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    pub rounds: u32,
    pub seed: u64,
}

#[derive(Clone, Debug)]
pub enum Compared {
    /// The same on all inputs that were tried.
    Same {
        inputs: u32,
    },
    Differs(Box<Difference>),
    /// The sequence has bugs: there is nothing to compare.
    Faults(Vec<Found>),
}

#[derive(Clone, Debug)]
pub struct Difference {
    pub buffer: String,
    pub element: u64,
    /// What the reference leaves there, and what the sequence leaves.
    pub reference: String,
    pub sequence: String,
    /// The values of what was open.
    pub inputs: Vec<(String, String)>,
}

/// Compares a sequence with a reference that one thread runs.
pub fn compare(
    sequence: &Sequence,
    kernels: &[&Kernel],
    reference: &Kernel,
    inputs: Inputs,
    config: &Config,
) -> Result<Compared, String> {
    let compared = compared(sequence, reference)?;
    for round in 0..inputs.rounds.max(1) {
        let values = Values { sequence, reference, kernels, seed: inputs.seed, round };
        let contents = |b: &Buffer| values.array(b).to_bytes(&b.name, 0);
        let number = |name: &str| values.number(name);
        let ended = execute(sequence, kernels, &contents, &number, config)?;
        if !ended.findings.is_empty() {
            return Ok(Compared::Faults(ended.findings));
        }
        let right = referred(sequence, reference, &values, config)?;
        for &(at, param) in &compared {
            let array = &sequence.buffers[at].array;
            let expected = right.iter().find(|(p, _)| *p == param).map(|(_, bytes)| &bytes[..]);
            let expected = expected.unwrap_or_default();
            if let Some(element) = differs(array.element, expected, &ended.buffers[at]) {
                let size = array.element.size();
                let text =
                    |bytes: &[u8]| array.element.value_text(&bytes[element * size..][..size]);
                return Ok(Compared::Differs(Box::new(Difference {
                    buffer: sequence.buffers[at].name.clone(),
                    element: element as u64,
                    reference: text(expected),
                    sequence: text(&ended.buffers[at]),
                    inputs: values.shown(),
                })));
            }
        }
    }
    Ok(Compared::Same { inputs: inputs.rounds.max(1) })
}

/// The buffers that are compared, and the reference's parameters.
fn compared(sequence: &Sequence, reference: &Kernel) -> Result<Vec<(usize, usize)>, String> {
    let param = |name: &str| reference.params.iter().position(|p| p.name == name);
    let is_written =
        |i: usize| matches!(reference.params[i].kind, ParamKind::Buffer { readonly: false, .. });
    let mut out = Vec::new();
    for (at, buffer) in sequence.buffers.iter().enumerate() {
        let is_named = sequence.compare.contains(&buffer.name);
        match param(&buffer.name) {
            Some(i) if is_named || sequence.compare.is_empty() && is_written(i) => {
                out.push((at, i))
            }
            None if is_named => {
                return Err(format!("compare: {} has no array '{}'", reference.name, buffer.name));
            }
            _ => {}
        }
    }
    match out.is_empty() {
        true => Err(format!("there is no buffer that {} writes", reference.name)),
        false => Ok(out),
    }
}

fn differs(ty: ElementType, expected: &[u8], got: &[u8]) -> Option<usize> {
    let is_nan = |bytes: &[u8]| ty.value_text(bytes).to_ascii_lowercase().contains("nan");
    let size = ty.size();
    let pairs = expected.chunks(size).zip(got.chunks(size));
    pairs
        .enumerate()
        .find(|(_, (e, g))| e != g && !(ty.is_float() && is_nan(e) && is_nan(g)))
        .map(|(i, _)| i)
}

fn referred(
    sequence: &Sequence,
    reference: &Kernel,
    values: &Values,
    config: &Config,
) -> Result<Vec<(usize, Vec<u8>)>, String> {
    let mut args = Vec::new();
    for param in &reference.params {
        let value = match (sequence.buffer(&param.name), sequence.number(&param.name)) {
            (Some(buffer), _) => ArgValue::Array(values.array(buffer)),
            (None, Some(number)) => {
                let text = number.value.clone().or_else(|| values.number(&param.name));
                ArgValue::Scalar(text.unwrap_or_default())
            }
            (None, None) => continue,
        };
        args.push((param.name.clone(), value));
    }
    let launch = Launch { args, ..Launch::default() };
    let bound = bind::bind_with(reference, &launch, &|name, spec| {
        Ok(Bytes::from(spec.to_bytes(name, 0)?))
    })?;
    let outcome = simulate(reference, &bound, config).map_err(|e| e.to_string())?;
    match (&outcome.incomplete, outcome.findings.first()) {
        (Some(why), _) => Err(format!("the reference was not executed: {why}")),
        (None, Some(f)) => Err(format!("the reference has a bug: {}: {}", f.kind, f.message)),
        (None, None) => Ok(outcome.buffers),
    }
}

/// The values of what is open, in one round.
struct Values<'a> {
    sequence: &'a Sequence,
    reference: &'a Kernel,
    kernels: &'a [&'a Kernel],
    seed: u64,
    round: u32,
}

/// A way to choose a value: of a type, from a place in the array and random bits.
type Choice = fn(ElementType, u64, u64) -> String;

/// Small numbers meet often, large ones wrap, and special floats are where algebra ends.
const CHOICES: [Choice; 6] = [
    |_, i, _| (i % 13 + 1).to_string(),
    |ty, _, r| match (ty.is_float(), ty.is_signed()) {
        (true, _) => format!("{:?}", unit(r) * 4.0 - 2.0),
        (false, true) => ((r % 7) as i64 - 3).to_string(),
        (false, false) => (r % 7).to_string(),
    },
    whole,
    |ty, _, r| match (ty.is_float(), ty.is_signed()) {
        (true, _) => format!("{:?}", -unit(r) * 100.0),
        (false, true) => (-((r % 100) as i64)).to_string(),
        (false, false) => (r % 100).to_string(),
    },
    |ty, i, r| match ty.is_float() {
        true => {
            ["0", "-0.0", "1", "inf", "nan", "1e-40", "-1", "3e38"][(r % 8) as usize].to_owned()
        }
        false => whole(ty, i, r),
    },
    |ty, _, r| match ty.is_float() {
        true => format!("{:?}", (unit(r) - 0.5) * 1000.0),
        false => (r & 1).to_string(),
    },
];

fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1u64 << 53) as f64
}

/// Any bits of an integer; any ordinary float.
fn whole(ty: ElementType, _: u64, random: u64) -> String {
    let unused = 64 - 8 * ty.size() as u32;
    match (ty.is_float(), ty.is_signed()) {
        (true, _) => format!("{:?}", (unit(random) - 0.5) * 20.0),
        (false, true) => ((random as i64) >> unused).to_string(),
        (false, false) => (random >> unused).to_string(),
    }
}

impl Values<'_> {
    fn choose(&self, name: &str, ty: ElementType, i: u64) -> String {
        let choice = CHOICES[self.round as usize % CHOICES.len()];
        let start = self.seed ^ u64::from(self.round) << 32 ^ i;
        let mixed = name.bytes().fold(start, |h, b| mix(h ^ u64::from(b)));
        choice(ty, i, mix(mixed))
    }

    fn array(&self, buffer: &Buffer) -> ArraySpec {
        let spec = &buffer.array;
        let scalars = spec.length * u64::from(spec.lanes);
        let contents = match buffer.start {
            Start::Symbolic => {
                let values = (0..scalars).map(|i| self.choose(&buffer.name, spec.element, i));
                ArrayContents::Literal(values.collect())
            }
            Start::Filled => spec.contents.clone(),
            Start::Unwritten => ArrayContents::Zeros,
        };
        ArraySpec { contents, ..spec.clone() }
    }

    /// The value of a number that is open: its type is that of the first parameter of its name.
    fn number(&self, name: &str) -> Option<String> {
        let mut all = [self.reference].into_iter().chain(self.kernels.iter().copied());
        let param = all.find_map(|k| k.params.iter().find(|p| p.name == name))?;
        let ParamKind::Scalar { ty, .. } = param.kind else { return None };
        let ty = match (ty, param.signed) {
            (Ty::F32, _) => ElementType::F32,
            (Ty::F64, _) => ElementType::F64,
            (Ty::I64, true) => ElementType::I64,
            (Ty::I64, false) => ElementType::U64,
            (_, true) => ElementType::I32,
            (_, false) => ElementType::U32,
        };
        Some(self.choose(name, ty, 0))
    }

    fn shown(&self) -> Vec<(String, String)> {
        let is_open = |b: &&Buffer| b.start == Start::Symbolic;
        let arrays = self.sequence.buffers.iter().filter(is_open).map(|b| {
            let array = self.array(b);
            (b.name.clone(), ArgValue::Array(array).to_string())
        });
        let numbers = self.sequence.numbers.iter().filter(|n| n.value.is_none());
        let numbers = numbers.map(|n| (n.name.clone(), self.number(&n.name).unwrap_or_default()));
        arrays.chain(numbers).collect()
    }
}

fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
