//! Scripts under `tests/equiv/sequences`: several launches against one reference, on concrete inputs.
//!
//! A script says in comments what it is compared with and what comes out: `# reference: FILE:FUNCTION`,
//! `# expect: equivalent`, `mismatch` or a kind of finding.

use std::path::{Path, PathBuf};

use lockstep_finding::{ArgValue, ArrayContents, ArraySpec, ElementType, Kind, Launch};
use lockstep_frontend::{Input, Options, compile_reference, load};
use lockstep_kernel::{Kernel, ParamKind};
use lockstep_sequence::{Buffer, Sequence, Start, execute};
use lockstep_simulate::{Config, bind, simulate};

use crate::pairs::{self, Answer, Assumptions};
use crate::values::{Flavour, Random, difference};

const ROUNDS: u64 = 12;

#[test]
fn simulated_sequences_agree_and_differ_as_they_say() {
    let scripts: Vec<PathBuf> = pairs::entries(&pairs::root().join("sequences"))
        .into_iter()
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    assert!(!scripts.is_empty());
    let wrong: Vec<String> = scripts
        .iter()
        .filter_map(|path| Some(format!("{}: {}", path.display(), check(path).err()?)))
        .collect();
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n"));
}

fn said<'a>(text: &'a str, name: &str) -> &'a str {
    let found = text.lines().find_map(|l| l.strip_prefix("# ")?.strip_prefix(name));
    found.and_then(|rest| rest.strip_prefix(':')).expect("a comment").trim()
}

fn check(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let sequence = Sequence::parse(&text)?;
    let (file, function) = said(&text, "reference").split_once(':').ok_or("FILE:FUNCTION")?;
    let options = Options::default();
    let reference = compile_reference(Input::Path(&folder.join(file)), function, &options)
        .map_err(|e| e.to_string())?
        .kernel;
    let kernels: Vec<Kernel> = sequence
        .launches()
        .map(|(_, launch)| {
            let module = load(Input::Path(&folder.join(&launch.file)), &options);
            let module = module.map_err(|e| e.to_string())?;
            let found = module.kernels.into_iter().find(|k| k.name == launch.kernel);
            found.ok_or_else(|| format!("there is no kernel {}", launch.kernel))
        })
        .collect::<Result<_, String>>()?;
    let kernels: Vec<&Kernel> = kernels.iter().collect();
    let (expected, _) = pairs::answer(said(&text, "expect"));
    let (mut shown, mut found): (Option<String>, Vec<Kind>) = (None, Vec::new());
    for round in 0..ROUNDS {
        let flavour = if round % 2 == 0 { Flavour::Small } else { Flavour::Any };
        let contents = |buffer: &Buffer| filled(buffer, flavour, round);
        let ended = execute(&sequence, &kernels, &contents, &|_| None, &Config::default())?;
        found.extend(ended.findings.iter().map(|f| f.finding.kind));
        let right = referred(&sequence, &reference, &contents)?;
        for name in &sequence.compare {
            let at = sequence.buffers.iter().position(|b| b.name == *name).ok_or("no buffer")?;
            let param = reference.params.iter().position(|p| p.name == *name).ok_or("no param")?;
            let element: ElementType = sequence.buffers[at].array.element;
            let bytes = right.iter().find(|(p, _)| *p == param).map(|(_, b)| b.as_slice());
            let bytes = bytes.unwrap_or_default();
            let differs =
                difference(element, bytes, &ended.buffers[at], Assumptions::default(), 0.0);
            shown = shown.or(differs.map(|d| format!("{name}: {d} (round {round})")));
        }
    }
    match (expected, shown, found.first()) {
        (Answer::Finding(kind), ..) if found.contains(&kind) => Ok(()),
        (Answer::Finding(kind), ..) => Err(format!("no {kind}, only {found:?}")),
        (_, _, Some(kind)) => Err(format!("{kind} was found")),
        (Answer::Mismatch { .. }, None, None) => Err("it computes the same".into()),
        (Answer::Mismatch { .. }, Some(_), None) | (_, None, None) => Ok(()),
        (_, Some(difference), None) => Err(difference),
    }
}

fn filled(buffer: &Buffer, flavour: Flavour, round: u64) -> Result<Vec<u8>, String> {
    let spec = &buffer.array;
    let mut random = Random::new(&buffer.name, round);
    let scalars = spec.length * u64::from(spec.lanes);
    let contents = match buffer.start {
        Start::Symbolic => ArrayContents::Literal(
            (0..scalars).map(|_| random.value(spec.element, flavour)).collect(),
        ),
        Start::Filled => spec.contents.clone(),
        Start::Unwritten => ArrayContents::Zeros,
    };
    ArraySpec { contents, ..spec.clone() }.to_bytes(&buffer.name, 0)
}

/// The reference, with the buffers and numbers of the script that it has parameters for.
fn referred(
    sequence: &Sequence,
    reference: &Kernel,
    contents: &dyn Fn(&Buffer) -> Result<Vec<u8>, String>,
) -> Result<Vec<(usize, Vec<u8>)>, String> {
    let args = reference.params.iter().filter_map(|p| match p.kind {
        ParamKind::Buffer { .. } => {
            Some((p.name.clone(), ArgValue::Array(sequence.buffer(&p.name)?.array.clone())))
        }
        _ => {
            let value = sequence.number(&p.name)?.value.clone()?;
            Some((p.name.clone(), ArgValue::Scalar(value)))
        }
    });
    let launch = Launch { args: args.collect(), ..Launch::default() };
    let bound = bind::bind_with(reference, &launch, &|name, _| {
        Ok(contents(sequence.buffer(name).ok_or("no such buffer")?)?.into())
    })?;
    let outcome = simulate(reference, &bound, &Config::default()).map_err(|e| e.to_string())?;
    Ok(outcome.buffers)
}
