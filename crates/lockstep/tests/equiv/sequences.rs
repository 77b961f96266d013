//! Scripts under `tests/equiv/sequences`: several launches against one reference, on concrete inputs.
//!
//! A script says in comments what it is compared with and what comes out: `# reference: FILE:FUNCTION`,
//! `# expect: equivalent`, `mismatch` or a kind of finding.

use std::path::{Path, PathBuf};

use lockstep_frontend::{Input, Options, compile_reference, load};
use lockstep_kernel::Kernel;
use lockstep_sequence::{Compared, Inputs, Sequence, compare};
use lockstep_simulate::Config;

use crate::pairs::{self, Answer};

const ROUNDS: u32 = 12;

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
    let inputs = Inputs { rounds: ROUNDS, seed: 1 };
    let compared = compare(&sequence, &kernels, &reference, inputs, &Config::default())?;
    let right = match (expected, &compared) {
        (Answer::Equivalent, Compared::Same { .. }) => true,
        (Answer::Mismatch { .. }, Compared::Differs(_)) => true,
        (Answer::Finding(kind), Compared::Faults(found)) => {
            found.iter().any(|f| f.finding.kind == kind)
        }
        _ => false,
    };
    if right { Ok(()) } else { Err(format!("{compared:?}")) }
}
