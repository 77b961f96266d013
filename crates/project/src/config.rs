//! `lockstep.toml`: what a project says once instead of on every command line.
//!
//! Which file holds for which source is for [`crate::settings`] to say. Paths in it are relative to its folder. An
//! unknown key is an error that names its line: a misspelt one would otherwise be silently ignored.
//!
//! The command line beats the file, the file beats what the source says. Of several tables that match a kernel, one
//! with its exact name comes before one with a glob, and a longer glob before a shorter one; their assumptions all
//! hold.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use lockstep_finding::{InputError, Kind};
use lockstep_names as names;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::flags;
use crate::tree::{Exclude, below};

pub(crate) const NAME: &str = "lockstep.toml";

/// The file as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    #[serde(default)]
    include: Vec<PathBuf>,
    #[serde(default)]
    system_include: Vec<PathBuf>,
    #[serde(default)]
    defines: Vec<String>,
    std: Option<String>,
    arch: Option<String>,
    #[serde(default)]
    clang_args: Vec<String>,
    cuda_path: Option<PathBuf>,
    #[serde(default)]
    exclude: Vec<String>,
    baseline: Option<PathBuf>,
    launches: Option<PathBuf>,
    budget: Option<f64>,
    scheduling: Option<String>,
    warp_size: Option<u32>,
    #[serde(default)]
    only: Vec<KindName>,
    #[serde(default)]
    skip: Vec<KindName>,
    strict: Option<bool>,
    allow_unknown: Option<bool>,
    #[serde(default)]
    kernel: BTreeMap<String, WrittenKernel>,
    #[serde(default)]
    suppress: Vec<WrittenSuppression>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenKernel {
    file: Option<String>,
    block: Option<Dims>,
    grid: Option<Dims>,
    shared: Option<u32>,
    #[serde(default)]
    args: BTreeMap<String, Value>,
    #[serde(default)]
    assume: Vec<String>,
    budget: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenSuppression {
    kind: KindName,
    kernel: Option<String>,
    file: Option<String>,
    reason: String,
}

#[derive(Clone, Copy, Debug)]
struct KindName(Kind);

impl<'de> Deserialize<'de> for KindName {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<KindName, D::Error> {
        let name = String::deserialize(d)?;
        let unknown = || D::Error::custom(format!("no kind of finding is called '{name}'"));
        Kind::from_name(&name).map(KindName).ok_or_else(unknown)
    }
}

/// `256`, `[16, 16]` or `"16,16"`: as the command line has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "a number, a list of up to three, or a text such as \"16,16\"")]
enum Dims {
    One(u32),
    Several(Vec<u32>),
    Text(String),
}

impl Dims {
    fn text(&self) -> String {
        match self {
            Dims::One(n) => n.to_string(),
            Dims::Several(all) => all.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
            Dims::Text(text) => text.clone(),
        }
    }
}

/// The value of an argument: a number, or the text that `--arg` takes.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "a number, a truth value, or a text such as \"f32[1024]\"")]
enum Value {
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(String),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Value::Int(n) => n.to_string(),
            Value::Float(f) => f.to_string(),
            Value::Bool(b) => b.to_string(),
            Value::Text(text) => text.clone(),
        }
    }
}

/// A project's settings.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The file, where there is one.
    pub path: Option<PathBuf>,
    /// Include folders, macros, the standard, and what else goes to clang.
    pub clang_args: Vec<OsString>,
    pub cuda_path: Option<PathBuf>,
    pub baseline: Option<PathBuf>,
    /// A folder of recorded launches.
    pub launches: Option<PathBuf>,
    pub budget: Option<f64>,
    /// `independent` or `lockstep`; the reader of options knows the words.
    pub scheduling: Option<String>,
    pub warp_size: Option<u32>,
    pub only: Vec<Kind>,
    pub skip: Vec<Kind>,
    pub strict: bool,
    pub allow_unknown: bool,
    pub exclude: Exclude,
    pub suppressions: Vec<Suppression>,
    root: PathBuf,
    kernels: Vec<KernelTable>,
}

/// What the tables that match a kernel say of its launch, as options would.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelSettings {
    pub block: Option<String>,
    pub grid: Option<String>,
    pub shared: Option<u32>,
    pub args: Vec<Arg>,
    pub assume: Vec<String>,
    pub budget: Option<f64>,
}

/// `NAME=VALUE`, as `--arg` takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    pub name: String,
    pub value: String,
    /// The table is for this one kernel, which ought to have the parameter.
    pub exact: bool,
}

#[derive(Clone, Debug)]
struct KernelTable {
    name: GlobMatcher,
    file: Option<GlobMatcher>,
    settings: KernelSettings,
}

/// Findings that a project knows about.
#[derive(Clone, Debug)]
pub struct Suppression {
    pub kind: Kind,
    pub reason: String,
    /// Where it stands.
    pub line: u32,
    kernel: Option<GlobMatcher>,
    file: Option<GlobMatcher>,
}

impl Suppression {
    /// Whether it covers findings of its kind in a kernel by one of these names, at one of these places.
    pub fn covers(&self, names: &[&str], mut files: impl Iterator<Item = PathBuf>) -> bool {
        self.kernel.as_ref().is_none_or(|g| names.iter().any(|n| g.is_match(n)))
            && self.file.as_ref().is_none_or(|g| files.any(|f| g.is_match(f)))
    }
}

impl Config {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Config, InputError> {
        let name = shown(path);
        let text = std::fs::read_to_string(path).map_err(|e| InputError {
            file: name.clone(),
            message: format!("cannot read {name}: {e}"),
        })?;
        let at = |line: usize, message: &str| InputError {
            file: name.clone(),
            message: format!("{name}:{line}: {message}"),
        };
        let written: Written = toml::from_str(&text)
            .map_err(|e| at(e.span().map_or(1, |s| line_of(&text, s.start)), e.message()))?;
        Config::new(&written, path, &text).map_err(|(needle, message)| {
            let line = text.find(&needle).map_or(1, |i| line_of(&text, i));
            at(line, &message)
        })
    }

    /// An error comes with a piece of text that shows where in the file it is.
    fn new(written: &Written, path: &Path, text: &str) -> Result<Config, (String, String)> {
        let root = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let budget = |b: Option<f64>| match b {
            Some(s) if !(s > 0.0 && s.is_finite()) => Err((
                "budget".to_owned(),
                "budget: a number of seconds above 0 expected".to_owned(),
            )),
            other => Ok(other),
        };
        let mut clang_args = Vec::new();
        for folder in &written.include {
            let mut option = OsString::from("-I");
            option.push(root.join(folder));
            clang_args.push(option);
        }
        for folder in &written.system_include {
            clang_args.extend(["-isystem".into(), root.join(folder).into_os_string()]);
        }
        clang_args.extend(written.defines.iter().map(|d| format!("-D{d}").into()));
        clang_args.extend(written.std.iter().map(|s| {
            let option = if s.starts_with("CL") { "-cl-std" } else { "-std" };
            format!("{option}={s}").into()
        }));
        clang_args.extend(flags::with_one_architecture(
            written.clang_args.iter().map(OsString::from).collect(),
        ));
        clang_args.extend(written.arch.iter().map(|arch| format!("--offload-arch={arch}").into()));
        let mut kernels = Vec::new();
        for (name, table) in &written.kernel {
            kernels.push((name, kernel_table(name, table, budget(table.budget)?)?));
        }
        // The most exact first.
        kernels.sort_by_key(|(name, _)| (is_glob(name), std::cmp::Reverse(name.len())));
        let mut suppressions = Vec::new();
        let mut headers = text.match_indices("[[suppress]]");
        for s in &written.suppress {
            let line = headers.next().map_or(1, |(i, _)| line_of(text, i)) as u32;
            suppressions.push(suppression(s, line)?);
        }
        Ok(Config {
            path: Some(path.to_path_buf()),
            clang_args,
            cuda_path: written.cuda_path.as_ref().map(|p| root.join(p)),
            baseline: written.baseline.as_ref().map(|p| root.join(p)),
            launches: written.launches.as_ref().map(|p| root.join(p)),
            budget: budget(written.budget)?,
            scheduling: written.scheduling.clone(),
            warp_size: written.warp_size,
            only: written.only.iter().map(|k| k.0).collect(),
            skip: written.skip.iter().map(|k| k.0).collect(),
            strict: written.strict.unwrap_or(false),
            allow_unknown: written.allow_unknown.unwrap_or(false),
            exclude: Exclude { root: root.clone(), globs: exclude_globs(&written.exclude)? },
            suppressions,
            root,
            kernels: kernels.into_iter().map(|(_, t)| t).collect(),
        })
    }

    /// All that it says of kernels, for a key.
    pub fn kernel_tables(&self) -> impl std::fmt::Debug + '_ {
        let table = |t: &'_ KernelTable| {
            let file = t.file.as_ref().map(|g| g.glob().glob().to_owned());
            (t.name.glob().glob().to_owned(), file, t.settings.clone())
        };
        (self.root.clone(), self.kernels.iter().map(table).collect::<Vec<_>>())
    }

    /// What it says of a kernel, by any of its names, in a file.
    pub fn kernel(&self, names: &[&str], file: &Path) -> KernelSettings {
        let mut out = KernelSettings::default();
        if self.kernels.is_empty() {
            return out;
        }
        let file = self.relative(file);
        for table in &self.kernels {
            let matches = names.iter().any(|n| table.name.is_match(n))
                && table.file.as_ref().is_none_or(|g| g.is_match(&file));
            if matches {
                out.add(&table.settings);
            }
        }
        out
    }

    /// A path as the globs of the file see it.
    pub fn relative(&self, file: &Path) -> PathBuf {
        below(&self.root, file)
    }

    /// For messages.
    pub fn name(&self) -> String {
        self.path.as_deref().map_or_else(String::new, shown)
    }
}

impl KernelSettings {
    /// Adds what a less exact table says.
    fn add(&mut self, other: &KernelSettings) {
        self.block = self.block.take().or_else(|| other.block.clone());
        self.grid = self.grid.take().or_else(|| other.grid.clone());
        self.shared = self.shared.or(other.shared);
        self.budget = self.budget.or(other.budget);
        for arg in &other.args {
            if !self.args.iter().any(|a| a.name == arg.name) {
                self.args.push(arg.clone());
            }
        }
        self.assume.extend(other.assume.iter().cloned());
    }
}

fn kernel_table(
    name: &str,
    table: &WrittenKernel,
    budget: Option<f64>,
) -> Result<KernelTable, (String, String)> {
    Ok(KernelTable {
        name: glob(name)?,
        file: table.file.as_deref().map(glob).transpose()?,
        settings: KernelSettings {
            block: table.block.as_ref().map(Dims::text),
            grid: table.grid.as_ref().map(Dims::text),
            shared: table.shared,
            args: (table.args.iter())
                .map(|(n, v)| Arg { name: n.clone(), value: v.text(), exact: !is_glob(name) })
                .collect(),
            assume: table.assume.clone(),
            budget,
        },
    })
}

fn suppression(written: &WrittenSuppression, line: u32) -> Result<Suppression, (String, String)> {
    if written.reason.trim().is_empty() {
        return Err(("reason".into(), "a suppression needs a reason".into()));
    }
    Ok(Suppression {
        kind: written.kind.0,
        reason: written.reason.clone(),
        line,
        kernel: written.kernel.as_deref().map(glob).transpose()?,
        file: written.file.as_deref().map(glob).transpose()?,
    })
}

fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

fn glob(text: &str) -> Result<GlobMatcher, (String, String)> {
    build(text).map(|g| g.compile_matcher())
}

fn build(text: &str) -> Result<Glob, (String, String)> {
    GlobBuilder::new(text)
        .build()
        .map_err(|e| (text.to_owned(), format!("'{text}' is no glob: {}", e.kind())))
}

/// A folder's name also means all that is in it.
fn exclude_globs(globs: &[String]) -> Result<GlobSet, (String, String)> {
    let mut set = GlobSetBuilder::new();
    for text in globs {
        let text = text.trim_end_matches('/');
        set.add(build(text)?);
        set.add(build(&format!("{text}/**"))?);
    }
    set.build().map_err(|e| ("exclude".into(), format!("exclude: {}", e.kind())))
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
}

/// As short as it can be said from here.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    names::shown(path.strip_prefix(here).unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Result<Config, InputError> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(NAME), text).unwrap();
        Config::read(&dir.path().join(NAME))
    }

    #[test]
    fn everything_it_can_say() {
        let text = r#"
include = ["inc"]
defines = ["TILE=16"]
std = "c++20"
arch = "sm_80"
budget = 2
scheduling = "lockstep"
warp-size = 16
exclude = ["third_party"]
launches = "tests/launches"
only = ["data-race"]

[kernel."sc*"]
block = 64
args = { n = 1024, a = 0.5 }
assume = ["n > 0"]

[kernel.scan]
block = [16, 16]
file = "src/*.cu"
args = { n = "2048" }

[[suppress]]
kind = "data-race"
kernel = "old_*"
reason = "known since 2019"
"#;
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(NAME), text).unwrap();
        let config = Config::read(&dir.path().join(NAME)).unwrap();
        let inc = format!("-I{}", dir.path().join("inc").display());
        assert_eq!(
            config.clang_args,
            [inc.as_str(), "-DTILE=16", "-std=c++20", "--offload-arch=sm_80"]
        );
        assert_eq!(config.launches, Some(dir.path().join("tests/launches")));
        let scan = config.kernel(&["scan"], &dir.path().join("src/a.cu"));
        assert_eq!(scan.block.as_deref(), Some("16,16"));
        let args = |s: &KernelSettings| {
            s.args.iter().map(|a| format!("{}={}", a.name, a.value)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(args(&scan), "n=2048 a=0.5");
        assert_eq!(scan.assume, ["n > 0"]);
        let other = config.kernel(&["scan"], &dir.path().join("b.cu"));
        assert_eq!(other.block.as_deref(), Some("64"));
        assert!(config.exclude.is_match(&dir.path().join("third_party/x/y.cu")));
        assert!(!config.exclude.is_match(&dir.path().join("src/y.cu")));
        let [s] = &config.suppressions[..] else { panic!("one suppression") };
        assert!(s.covers(&["old_scan"], std::iter::empty()));
        assert!(!s.covers(&["scan"], std::iter::empty()));
        assert_eq!(s.line, 23);
    }

    #[test]
    fn the_book_shows_a_file_that_can_be_read() {
        let page = include_str!("../../../docs/src/projects.md");
        let shown = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
        let config = config(shown.expect("the page shows a file")).unwrap();
        let reduce = config.kernel(&["reduce"], &config.root.join("src/a.cu"));
        assert_eq!((reduce.block.as_deref(), reduce.budget), (Some("256"), Some(20.0)));
        assert_eq!(config.suppressions.len(), 1);
    }

    #[test]
    fn mistakes_name_their_line() {
        let fields = "`include`, `system-include`, `defines`, `std`, `arch`, `clang-args`, `cuda-path`, \
                      `exclude`, `baseline`, `launches`, `budget`, `scheduling`, `warp-size`, `only`, `skip`, \
                      `strict`, `allow-unknown`, `kernel`, `suppress`";
        let of_kernels = "`file`, `block`, `grid`, `shared`, `args`, `assume`, `budget`";
        let wrong = [
            (
                "budget = 1\n\nblok = 3\n",
                format!("3: unknown field `blok`, expected one of {fields}"),
            ),
            (
                "[kernel.k]\nblock = 4\ngird = 3\n",
                format!("3: unknown field `gird`, expected one of {of_kernels}"),
            ),
            ("only = [\"dta-race\"]", "1: no kind of finding is called 'dta-race'".into()),
            ("budget = -1", "1: budget: a number of seconds above 0 expected".into()),
            ("budget = [", "1: unclosed array, expected `]`".into()),
            (
                "[kernel.\"a[\"]\n",
                "1: 'a[' is no glob: unclosed character class; missing ']'".into(),
            ),
            ("[[suppress]]\nkind = \"data-race\"\n", "1: missing field `reason`".into()),
        ];
        for (text, message) in wrong {
            let got = config(text).unwrap_err().message;
            let (_, told) = got.split_once("lockstep.toml:").expect("the file is named");
            assert_eq!(told, message, "{text}");
        }
    }
}
