//! The pairs under `tests/equiv`: a reference in C or C++, and kernels that should compute the same.
//!
//! A kernel file says in comments at the start of a line
//!
//! - what its kernels are compared with: `// reference: FILE:FUNCTION`, beside it; `// reference[KERNEL]: …` is for one kernel;
//! - how both are launched: `// launch: --block 16 --grid 4 --arg n=50 --arg x=f32[50]:symbolic`. Arguments of one side
//!   only are for that side. `// launch[KERNEL]: …` replaces dimensions and arguments for one kernel;
//! - what the answer is, one line or more for each kernel: `// expect[KERNEL]: equivalent`, `mismatch`, either with
//!   `under positive-zero,finite,associative`; `close 1e-5`, where they differ by rounding and other small errors; or
//!   a kind of finding. `equivalent or unknown` is a question that is too hard for the solver. `mismatch … by rounding` is one that only the last bits show,
//!   and `mismatch … rarely` one that few inputs show.

use std::fmt;
use std::path::{Path, PathBuf};

use lockstep_finding::Kind;

/// One kernel and one answer.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The kernel's file, relative to `tests/equiv`.
    pub(crate) file: String,
    pub(crate) kernel: String,
    /// The reference's file, relative to `tests/equiv`, and its function.
    pub(crate) reference: (String, String),
    pub(crate) launch: Launch,
    pub(crate) expected: Answer,
    pub(crate) under: Assumptions,
}

/// The words of a launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Launch {
    /// Options with one value each, such as `--block`.
    pub(crate) options: Vec<(String, String)>,
    /// Values by parameter.
    pub(crate) args: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answer {
    Equivalent,
    /// Equivalent, though it need not be proved.
    Open,
    Mismatch {
        by_rounding: bool,
        /// Only on inputs that are rare.
        is_rare: bool,
    },
    /// Equal up to this relative error.
    Close(f64),
    Finding(Kind),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Assumptions {
    pub(crate) positive_zero: bool,
    pub(crate) finite: bool,
    pub(crate) associative: bool,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.kernel)?;
        let under = self.under.names();
        if under.is_empty() { Ok(()) } else { write!(f, " under {}", under.join(",")) }
    }
}

impl Assumptions {
    fn parse(text: &str) -> Assumptions {
        let mut all = Assumptions::default();
        for word in text.split(',') {
            match word.trim() {
                "positive-zero" => all.positive_zero = true,
                "finite" => all.finite = true,
                "associative" => all.associative = true,
                other => panic!("'{other}' is no assumption"),
            }
        }
        all
    }

    pub(crate) fn names(self) -> Vec<&'static str> {
        let all = [
            (self.positive_zero, "positive-zero"),
            (self.finite, "finite"),
            (self.associative, "associative"),
        ];
        all.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect()
    }
}

impl Launch {
    fn parse(text: &str) -> Launch {
        let mut launch = Launch::default();
        let mut words = text.split_whitespace();
        while let Some(option) = words.next() {
            let value = words.next().unwrap_or_else(|| panic!("{option} has no value"));
            match option {
                "--arg" => {
                    let (name, value) = value.split_once('=').expect("NAME=VALUE");
                    launch.args.push((name.into(), value.into()));
                }
                _ => launch.options.push((option.into(), value.into())),
            }
        }
        launch
    }

    /// With what another says instead.
    fn replaced(&self, by: &Launch) -> Launch {
        let merged = |own: &[(String, String)], new: &[(String, String)]| {
            let kept = own.iter().filter(|(name, _)| new.iter().all(|(n, _)| n != name));
            kept.chain(new).cloned().collect()
        };
        Launch { options: merged(&self.options, &by.options), args: merged(&self.args, &by.args) }
    }

    /// `--block` and the like, in three dimensions.
    pub(crate) fn dims(&self, option: &str) -> [u32; 3] {
        let text = self.options.iter().find(|(name, _)| name == option);
        let mut dims = [1; 3];
        for (d, word) in dims.iter_mut().zip(text.map_or("1", |(_, v)| v).split(',')) {
            *d = word.parse().expect("a dimension");
        }
        dims
    }
}

pub(crate) fn answer(text: &str) -> (Answer, Assumptions) {
    let (text, is_rare) = match text.strip_suffix(" rarely") {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let (text, by_rounding) = match text.strip_suffix(" by rounding") {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let (word, under) = match text.split_once(" under ") {
        Some((word, under)) => (word, Assumptions::parse(under)),
        None => (text, Assumptions::default()),
    };
    let answer = match word {
        "equivalent" => Answer::Equivalent,
        "equivalent or unknown" => Answer::Open,
        "mismatch" => Answer::Mismatch { by_rounding, is_rare },
        _ => match word.strip_prefix("close ") {
            Some(error) => Answer::Close(error.parse().expect("a relative error")),
            None => {
                let kind = Kind::from_name(word);
                Answer::Finding(kind.unwrap_or_else(|| panic!("'{word}' is no answer")))
            }
        },
    };
    (answer, under)
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/equiv")
}

/// All cases, by file. `LOCKSTEP_EQUIV=TEXT` keeps only those whose name contains TEXT.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for folder in folders() {
        for path in entries(&folder) {
            if path.extension().is_some_and(|e| e == "cu" || e == "cl") {
                cases.extend(of_file(&path));
            }
        }
    }
    let filter = std::env::var("LOCKSTEP_EQUIV").unwrap_or_default();
    cases.retain(|case| case.to_string().contains(&filter));
    cases
}

/// The folders of pairs; scripts have one of their own.
pub(crate) fn folders() -> Vec<PathBuf> {
    let is_folder = |p: &PathBuf| p.is_dir() && !p.ends_with("sequences");
    entries(&root()).into_iter().filter(is_folder).collect()
}

pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    all.sort();
    all
}

fn of_file(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).expect("a kernel file is text");
    let file = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
    let said = |name: &str| -> Vec<(Option<String>, String)> {
        text.lines().filter_map(|line| directive(line, name)).collect()
    };
    let references = said("reference");
    let folder = Path::new(&file).parent().unwrap_or(Path::new(""));
    let reference = |kernel: &str| {
        let is_own = |of: &Option<String>| of.as_deref() == Some(kernel);
        let own = references.iter().find(|(of, _)| is_own(of));
        let said = own.or_else(|| references.iter().find(|(of, _)| of.is_none()));
        let (_, text) = said.unwrap_or_else(|| panic!("{file}: {kernel} has no reference"));
        let (source, function) = text.split_once(':').expect("FILE:FUNCTION");
        (folder.join(source).to_string_lossy().into_owned(), function.to_owned())
    };
    let launches = said("launch");
    let common = launches.iter().find(|(of, _)| of.is_none()).expect("a launch");
    let common = Launch::parse(&common.1);
    let cases: Vec<Case> = said("expect")
        .into_iter()
        .map(|(kernel, text)| {
            let kernel = kernel.expect("expect[KERNEL]");
            let own = launches.iter().find(|(of, _)| of.as_ref() == Some(&kernel));
            let (expected, under) = answer(&text);
            Case {
                file: file.clone(),
                launch: own.map_or(common.clone(), |(_, t)| common.replaced(&Launch::parse(t))),
                reference: reference(&kernel),
                kernel,
                expected,
                under,
            }
        })
        .collect();
    for (of, _) in launches {
        let known = of.as_ref().is_none_or(|of| cases.iter().any(|c| c.kernel == *of));
        assert!(known, "{file}: a launch of {of:?}, which has no answer");
    }
    cases
}

/// `// NAME: TEXT` or `// NAME[OF]: TEXT`.
fn directive(line: &str, name: &str) -> Option<(Option<String>, String)> {
    let rest = line.strip_prefix("// ")?.strip_prefix(name)?;
    let (of, rest) = match rest.strip_prefix('[') {
        Some(rest) => {
            let (of, rest) = rest.split_once(']')?;
            (Some(of.to_owned()), rest)
        }
        None => (None, rest),
    };
    Some((of, rest.strip_prefix(':')?.trim().to_owned()))
}
