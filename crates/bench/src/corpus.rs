//! Oclgrind's own kernel tests: does Lockstep say what Oclgrind's authors expect?
//!
//! Reads `$LOCKSTEP_CORPORA/Oclgrind/tests/kernels/**/*.sim` (the launch) and `.ref` (the expected
//! messages), runs each launch in the simulator, and compares the sets of kinds: `data-race`,
//! `out-of-bounds`, `uninitialised-read`, `barrier-divergence`, `misaligned`, or none. Messages that
//! no kind of ours stands for (read-only buffers, events that are never waited for) and launches that
//! our interface cannot express are skipped by name. Agreement is with the file, not with the truth:
//! each disagreement is printed for a person to judge.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use lockstep_finding::{Kind, Severity};
use lockstep_frontend::Options;
use lockstep_kernel::{Kernel, ParamKind, Ty};
use lockstep_simulate::{BoundArg, BoundLaunch, Config};

use crate::Bench;
use crate::files::below;
use crate::launch::load_kernel;

pub(crate) fn run(_: &Bench) -> Result<(), String> {
    let Some(corpora) = std::env::var_os("LOCKSTEP_CORPORA") else {
        println!(
            "skipped: LOCKSTEP_CORPORA is not set (a directory with a checkout of jrprice/Oclgrind in Oclgrind/)"
        );
        return Ok(());
    };
    let root = Path::new(&corpora).join("Oclgrind/tests/kernels");
    let sims = below(&root, &["sim"]);
    if sims.is_empty() {
        println!("skipped: no .sim files under {}", root.display());
        return Ok(());
    }
    let (mut agree, mut differ, mut skipped) = (0, Vec::new(), Vec::new());
    for sim in &sims {
        let name = sim.strip_prefix(&root).unwrap_or(sim).with_extension("").display().to_string();
        match judge(sim) {
            Ok(Answer { expected, found }) if expected == found => agree += 1,
            Ok(Answer { expected, found }) => {
                let kinds = |set: &BTreeSet<Kind>| {
                    let names: Vec<&str> = set.iter().map(|k| k.name()).collect();
                    if names.is_empty() { "clean".to_string() } else { names.join(" + ") }
                };
                differ.push(format!(
                    "{name}: Oclgrind {}, lockstep {}",
                    kinds(&expected),
                    kinds(&found)
                ));
            }
            Err(why) => skipped.push(format!("{name}: {why}")),
        }
    }
    println!(
        "{} tests: {agree} agree, {} disagree, {} skipped",
        sims.len(),
        differ.len(),
        skipped.len()
    );
    for (title, lines) in [("disagree", differ), ("skipped", skipped)] {
        lines.iter().for_each(|line| println!("  {title}: {line}"));
    }
    Ok(())
}

struct Answer {
    expected: BTreeSet<Kind>,
    found: BTreeSet<Kind>,
}

fn judge(sim: &Path) -> Result<Answer, String> {
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| e.to_string());
    // A test without a `.ref` expects nothing but a run to the end.
    let expected = expected_kinds(&read(&sim.with_extension("ref")).unwrap_or_default())?;
    let text = read(sim)?;
    let mut reader = Reader::new(&text);
    let mut options = Options::default();
    if let Some(args) = text.lines().next().and_then(|l| l.strip_prefix("# ARGS: ")) {
        match args.strip_prefix("--build-options ") {
            Some(flags) => options.clang_args.extend(flags.split(' ').map(OsString::from)),
            None => return Err(format!("needs `{args}`")),
        }
    }
    let file = sim.with_file_name(reader.word()?);
    let name = reader.word()?;
    let mut triple = || -> Result<[u32; 3], String> {
        Ok([reader.number()?, reader.number()?, reader.number()?])
    };
    let (global, block) = (triple()?, triple()?);
    if (0..3).any(|d| block[d] == 0 || global[d] % block[d] != 0) {
        return Err("work-groups of unequal size".into());
    }
    let kernel = load_kernel(&file, &name, &options)?;
    let args: Result<Vec<BoundArg>, String> =
        (0..kernel.params.len()).map(|i| reader.argument(&kernel, i)).collect();
    let grid = [0, 1, 2].map(|d| global[d] / block[d]);
    let launch = BoundLaunch { grid, block, global: None, shared: 0, args: args? };
    let outcome = lockstep_simulate::simulate(&kernel, &launch, &Config::default())
        .map_err(|e| format!("cannot be launched: {e}"))?;
    if let Some(why) = outcome.incomplete
        && outcome.findings.is_empty()
    {
        return Err(format!("not executed to its end: {why}"));
    }
    // Oclgrind leaves races of equal values out, unless told otherwise; so do these tests. It has one
    // word for what we call a race and a missing fence.
    let errors = outcome.findings.iter().filter(|f| f.severity == Severity::Error);
    let found = errors.map(|f| match f.kind {
        Kind::MissingFence => Kind::DataRace,
        kind => kind,
    });
    Ok(Answer { expected, found: found.collect() })
}

/// The kinds that a `.ref` file expects; an error where a message has no kind of ours.
fn expected_kinds(text: &str) -> Result<BTreeSet<Kind>, String> {
    let mut kinds = BTreeSet::new();
    for message in text.lines().filter_map(|l| l.strip_prefix("ERROR ")) {
        let has = |part: &str| message.contains(part);
        kinds.insert(if has("data race") {
            Kind::DataRace
        } else if has("Invalid read of size")
            || has("Invalid write of size")
            || has("static array size")
        {
            Kind::OutOfBounds
        } else if has("Uninitialized") {
            Kind::UninitialisedRead
        } else if has("divergence") {
            Kind::BarrierDivergence
        } else if has("not aligned") {
            Kind::Misaligned
        } else {
            return Err(format!("no kind of ours for `{message}`"));
        });
    }
    // Oclgrind also calls the value of an invalid read uninitialised: one defect, not two.
    if kinds.contains(&Kind::OutOfBounds) {
        kinds.remove(&Kind::UninitialisedRead);
    }
    Ok(kinds)
}

/// The words of a `.sim` file, comments removed.
struct Reader<'a> {
    words: std::vec::IntoIter<&'a str>,
}

#[derive(Clone, Copy, PartialEq)]
enum Format {
    Int { bytes: usize },
    Float { bytes: usize },
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        let lines = text.lines().map(|l| l.split('#').next().unwrap_or_default());
        let words: Vec<&str> = lines.flat_map(|l| l.split_whitespace()).collect();
        Reader { words: words.into_iter() }
    }

    fn word(&mut self) -> Result<String, String> {
        self.words.next().map(String::from).ok_or_else(|| "the .sim file ends early".into())
    }

    fn number(&mut self) -> Result<u32, String> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("`{word}` is not a number"))
    }

    /// One argument: `<size=16 int fill=0 dump>`, then its values where the header gives none.
    fn argument(&mut self, kernel: &Kernel, index: usize) -> Result<BoundArg, String> {
        let mut header = Vec::new();
        loop {
            let word = self.word()?;
            let done = word.ends_with('>');
            header.push(word.trim_matches(['<', '>']).to_string());
            if done {
                break;
            }
        }
        let param = &kernel.params[index];
        let mut format = default_format(&param.source_type, param.kind);
        let (mut size, mut fill, mut range, mut hex) = (None, None, None, false);
        for token in header.iter().flat_map(|w| w.split_whitespace()) {
            match token.split_once('=') {
                Some(("size", n)) => size = n.parse::<usize>().ok(),
                Some(("fill", v)) => fill = Some(v.to_string()),
                Some(("range", v)) => range = Some(v.to_string()),
                _ => match token {
                    "null" => return Ok(BoundArg::Null),
                    "noinit" => return Err("a buffer without contents".into()),
                    "ro" | "wo" => return Err("read-only and write-only buffers".into()),
                    "hex" => hex = true,
                    "dump" => {}
                    ty => format = named_format(ty).ok_or_else(|| format!("unknown `{ty}`"))?,
                },
            }
        }
        let size = size.ok_or("no size")?;
        if let ParamKind::Local { .. } = param.kind {
            return Ok(BoundArg::Local(size as u64));
        }
        let count = size / format.bytes();
        let mut bytes = Vec::with_capacity(size);
        let parse =
            |text: &str| format.parse(text, hex).ok_or_else(|| format!("bad value `{text}`"));
        if let Some(fill) = fill {
            let value = parse(&fill)?;
            (0..count).for_each(|_| bytes.extend_from_slice(&value));
        } else if let Some(range) = range {
            let ends: Vec<f64> = range.split(':').filter_map(|t| t.parse().ok()).collect();
            let [start, step, _] = ends[..] else {
                return Err(format!("bad range `{range}`"));
            };
            for i in 0..count {
                bytes.extend_from_slice(&format.bytes_of(start + step * i as f64));
            }
        } else {
            for _ in 0..count {
                bytes.extend_from_slice(&parse(&self.word()?)?);
            }
        }
        Ok(match param.kind {
            ParamKind::Buffer { .. } => BoundArg::Buffer(bytes.into()),
            ParamKind::Aggregate { size, .. } => {
                bytes.resize(size as usize, 0);
                BoundArg::Aggregate(bytes)
            }
            ParamKind::Local { .. } => BoundArg::Local(size as u64),
            ParamKind::Scalar { ty, count } => BoundArg::Scalar(registers(&bytes, ty, count)),
        })
    }
}

impl Format {
    fn bytes(self) -> usize {
        match self {
            Format::Int { bytes } | Format::Float { bytes } => bytes,
        }
    }

    fn parse(self, text: &str, hex: bool) -> Option<Vec<u8>> {
        match self {
            Format::Float { .. } => Some(self.bytes_of(text.parse().ok()?)),
            Format::Int { bytes } => {
                let digits = text.strip_prefix("0x");
                let value = if hex || digits.is_some() {
                    i128::from_str_radix(digits.unwrap_or(text), 16).ok()?
                } else {
                    text.parse().ok()?
                };
                Some(value.to_le_bytes()[..bytes].to_vec())
            }
        }
    }

    fn bytes_of(self, value: f64) -> Vec<u8> {
        match self {
            Format::Float { bytes: 4 } => (value as f32).to_le_bytes().to_vec(),
            Format::Float { .. } => value.to_le_bytes().to_vec(),
            Format::Int { bytes } => (value as i128).to_le_bytes()[..bytes].to_vec(),
        }
    }
}

fn named_format(name: &str) -> Option<Format> {
    Some(match name {
        "char" | "uchar" => Format::Int { bytes: 1 },
        "short" | "ushort" => Format::Int { bytes: 2 },
        "int" | "uint" => Format::Int { bytes: 4 },
        "long" | "ulong" => Format::Int { bytes: 8 },
        "float" => Format::Float { bytes: 4 },
        "double" => Format::Float { bytes: 8 },
        _ => return None,
    })
}

/// The element type that the kernel declares, as Oclgrind takes it by default.
fn default_format(source_type: &str, kind: ParamKind) -> Format {
    let words = source_type.split(|c: char| !c.is_ascii_alphabetic());
    if let Some(format) = words.filter_map(named_format).next() {
        return format;
    }
    match kind {
        ParamKind::Scalar { ty, .. } if ty.is_float() => {
            Format::Float { bytes: ty.bytes() as usize }
        }
        ParamKind::Scalar { ty, .. } => Format::Int { bytes: ty.bytes() as usize },
        _ => Format::Int { bytes: 1 },
    }
}

/// The registers of a scalar or vector parameter, zero-extended.
fn registers(bytes: &[u8], ty: Ty, count: u8) -> Vec<u64> {
    let width = ty.bytes() as usize;
    let word = |i: usize| {
        let mut out = [0; 8];
        let part = bytes.get(i * width..(i + 1) * width).unwrap_or_default();
        out[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(out)
    };
    (0..count as usize).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_become_kinds() {
        let text = "ERROR Write-write data race at local memory\n\nEXACT  a[0] = 1\nERROR Invalid read of size 4";
        let kinds = expected_kinds(text).unwrap();
        assert_eq!(kinds, BTreeSet::from([Kind::DataRace, Kind::OutOfBounds]));
        assert!(expected_kinds("EXACT a[0] = 1").unwrap().is_empty());
        assert!(expected_kinds("ERROR Work-item finished without waiting for events").is_err());
    }

    #[test]
    fn values_of_a_sim_file() {
        let int = Format::Int { bytes: 4 };
        assert_eq!(int.parse("-1", false), Some(vec![255; 4]));
        assert_eq!(int.parse("0x10", false), Some(vec![16, 0, 0, 0]));
        assert_eq!(
            Format::Float { bytes: 4 }.parse("1.5", false),
            Some(1.5f32.to_le_bytes().to_vec())
        );
        assert!(
            default_format(
                "__global uint*",
                ParamKind::Local { elem: lockstep_kernel::Elem::Bytes(4) }
            ) == int
        );
    }
}
