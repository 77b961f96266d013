//! Witness files: each finding's launch, to be replayed.
//!
//! A witness holds all that is needed to find the file again, to compile it as it was compiled, and to see whether it is
//! still the same. Names of files below the folder where it was made are relative to that folder, and hold
//! wherever the file is found: there, where the replay is asked for, or in a folder above the witness.

use std::path::{Path, PathBuf};

use lockstep_finding::witnesses::{WitnessNames, witness};
use lockstep_finding::{
    ArgValue, ArrayContents, InputError, KernelReport, Launch, Report, Warning, Witness,
};
use lockstep_names as names;
use lockstep_project::{cache, flags, tree};

use crate::cli::options::{Analysis, InputArgs, Lang, SchedulingArg, parse_warp_size};
use crate::facts::load::error;

/// Writes one file for each finding; their names say kernel, kind and number.
pub(crate) fn write_all(
    report: &Report,
    dir: &Path,
    analysis_of: impl Fn(&str) -> Analysis,
) -> Result<(), String> {
    let fail =
        |path: &Path, e: std::io::Error| format!("cannot write '{}': {e}", names::shown(path));
    std::fs::create_dir_all(dir).map_err(|e| fail(dir, e))?;
    let mut used = WitnessNames::default();
    for kernel in report.kernels.iter().filter(|k| !k.findings.is_empty()) {
        for witness in witnesses(kernel, &analysis_of(&kernel.file)) {
            let path = dir.join(used.next(&kernel.name, &witness.kind));
            std::fs::write(&path, witness.to_json()).map_err(|e| fail(&path, e))?;
        }
    }
    Ok(())
}

fn witnesses(kernel: &KernelReport, analysis: &Analysis) -> Vec<Witness> {
    let folder = std::env::current_dir().unwrap_or_default();
    let is_there = |path: &Path| path.exists().then(|| below(&folder, path));
    let compiled = Witness {
        scheduling: analysis.launch.scheduling().name().to_owned(),
        warp_size: analysis.launch.warp_size(),
        ..compiled(&kernel.file, &kernel.mangled, &analysis.input)
    };
    let seen = kernel.findings.iter().filter_map(|f| Some((f, f.launch.as_ref()?)));
    seen.map(|(f, launch)| witness(&compiled, f, with_files(launch, is_there))).collect()
}

/// What lies elsewhere keeps its whole name.
fn below(folder: &Path, path: &Path) -> PathBuf {
    let whole = tree::absolute(path);
    whole.strip_prefix(folder).map_or_else(|_| whole.clone(), Path::to_path_buf)
}

/// How a kernel of a file is compiled: a witness that lacks a finding. Its launch is one of threads that may run apart.
pub(crate) fn compiled(file: &str, kernel: &str, input: &InputArgs) -> Witness {
    let folder = std::env::current_dir().unwrap_or_default();
    let is_there = |path: &Path| path.exists().then(|| below(&folder, path));
    let is_typed = file == "-";
    let text = if is_typed { None } else { std::fs::read(names::path(file)).ok() };
    Witness {
        schema: Witness::SCHEMA,
        file: match is_typed {
            true => file.to_owned(),
            false => names::shown(&below(&folder, &names::path(file))),
        },
        folder: Some(names::shown(&folder)),
        sha256: text.as_deref().map(cache::hash),
        language: input.lang.map(|l| l.language().to_string()),
        kernel: kernel.to_owned(),
        kind: String::new(),
        launch: Launch::default(),
        scheduling: SchedulingArg::Independent.name().to_owned(),
        warp_size: 32,
        clang_args: flags::with_places(&input.clang_args, is_there),
        cuda_path: input.cuda_path.as_deref().map(|p| names::shown(&below(&folder, p))),
        message: String::new(),
        accesses: Vec::new(),
    }
}

/// A launch with other names for the files that its arguments come from, where `rename` has one.
fn with_files(launch: &Launch, rename: impl Fn(&Path) -> Option<PathBuf>) -> Launch {
    let mut launch = launch.clone();
    for (_, value) in &mut launch.args {
        if let ArgValue::Array(array) = value
            && let ArrayContents::File(file) = &mut array.contents
            && let Some(new) = rename(Path::new(file))
        {
            *file = names::shown(&new);
        }
    }
    launch
}

pub(crate) fn read(path: &Path) -> Result<Witness, InputError> {
    let name = names::shown(path);
    let text = std::fs::read_to_string(path)
        .map_err(|e| error(&name, format!("cannot read '{name}': {e}")))?;
    Witness::from_json(&text).map_err(|m| error(&name, m))
}

/// Where a witness's file is.
pub(crate) struct Found {
    pub(crate) file: PathBuf,
    /// The folder that names in the witness are relative to.
    base: PathBuf,
    /// It is not the file that it was.
    pub(crate) warning: Option<Warning>,
}

/// Looks for the file where the witness was made, here, and in the folders above the witness; the first that is still the
/// same, or else the first.
pub(crate) fn find(witness: &Witness, path: &Path) -> Result<Found, InputError> {
    let here = std::env::current_dir().unwrap_or_default();
    let made = witness.folder.as_deref().map(names::path);
    if witness.file == "-" {
        return Ok(Found { file: "-".into(), base: made.unwrap_or(here), warning: None });
    }
    let source = names::path(&witness.file);
    let at = tree::absolute(path);
    let above = at.ancestors().skip(1).map(Path::to_path_buf);
    let bases: Vec<PathBuf> = made.into_iter().chain([here.clone()]).chain(above).collect();
    let shown = |file: PathBuf| file.strip_prefix(&here).map_or(file.clone(), Path::to_path_buf);
    let is_same = |file: &Path| {
        let text = std::fs::read(file).ok();
        let hash = text.as_deref().map(cache::hash);
        witness.sha256.is_none() || hash == witness.sha256
    };
    let there: Vec<&PathBuf> = bases.iter().filter(|b| b.join(&source).is_file()).collect();
    if let Some(base) = there.iter().find(|b| is_same(&b.join(&source))) {
        let file = shown(base.join(&source));
        return Ok(Found { file, base: base.to_path_buf(), warning: None });
    }
    let Some(base) = there.first() else {
        let name = names::shown(path);
        let made = witness.folder.as_deref().map_or(String::new(), |f| format!("in {f}, "));
        let message = format!(
            "{name}: its file {} is not {made}here, or above the witness; name it: lockstep run FILE --replay {name}",
            witness.file
        );
        return Err(error(&name, message));
    };
    let file = shown(base.join(&source));
    let message = "is not the same file as when the witness was made".into();
    let warning = Warning { file: names::shown(&file), line: 0, message };
    Ok(Found { file, base: base.to_path_buf(), warning: Some(warning) })
}

/// The same where the user names the file.
pub(crate) fn named(witness: &Witness, file: &Path) -> Found {
    let made = witness.folder.as_deref().map(names::path).filter(|f| f.is_dir());
    let base = made.unwrap_or_else(|| std::env::current_dir().unwrap_or_default());
    Found { file: file.to_path_buf(), base, warning: None }
}

/// The launch of a witness whose file was found.
pub(crate) fn launch(witness: &Witness, found: &Found) -> Launch {
    with_files(&witness.launch, |p| found.place(p))
}

impl Found {
    /// What a name in the witness means, if there is such a file.
    fn place(&self, path: &Path) -> Option<PathBuf> {
        let whole = self.base.join(path);
        (path.is_relative() && whole.exists()).then_some(whole)
    }
}

/// Lets the witness say what the command line would.
pub(crate) fn apply(
    witness: &Witness,
    found: &Found,
    analysis: &mut Analysis,
) -> Result<(), String> {
    let bad = |what: &str, value: &str| {
        format!("the witness has the {what} '{value}', which this version does not know")
    };
    let launch = &mut analysis.launch;
    let scheduling = SchedulingArg::from_name(&witness.scheduling);
    launch.scheduling = Some(scheduling.ok_or_else(|| bad("scheduling", &witness.scheduling))?);
    let warp_size = witness.warp_size.to_string();
    launch.warp_size = Some(parse_warp_size(&warp_size).map_err(|_| bad("warp size", &warp_size))?);
    let input = &mut analysis.input;
    input.kernel = vec![witness.kernel.clone()];
    if let Some(name) = &witness.language {
        input.lang = Some(Lang::from_name(name).ok_or_else(|| bad("language", name))?);
    }
    let own = std::mem::take(&mut input.clang_args);
    let clang_args = flags::with_places(&witness.clang_args, |p| found.place(p));
    input.clang_args = clang_args.into_iter().chain(own).collect();
    let sdk = witness.cuda_path.as_ref().map(|p| found.base.join(names::path(p)));
    input.cuda_path = input.cuda_path.take().or(sdk);
    Ok(())
}
