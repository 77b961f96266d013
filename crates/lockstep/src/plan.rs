//! What a command is about: which files, read how, with which settings, and which of their findings count.
//!
//! The command line beats `lockstep.toml`, which beats the source and the compilation database; `-D` and its like
//! come in the order database, file, command line, so that the last word is the user's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use lockstep_finding::InputError;
use lockstep_kernel::Kernel;
use lockstep_names as names;
use lockstep_project::baseline::Baseline;
use lockstep_project::changed::{Changes, Includes};
use lockstep_project::config::Config;
use lockstep_project::database::Database;
use lockstep_project::suppress;
use lockstep_project::tree::{self, Found};
use lockstep_simulate::bind;

use crate::check::Unit;
use crate::dims;
use crate::load::error;
use crate::options::{
    Analysis, FilesArgs, InputArgs, Lang, LaunchArgs, ProjectArgs, SchedulingArg, parse_warp_size,
};

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) units: Vec<Unit>,
    /// What of the input could not be used.
    pub(crate) errors: Vec<InputError>,
    /// What holds for every kernel of which the project says nothing else.
    pub(crate) analysis: Analysis,
    pub(crate) config: Config,
    pub(crate) baseline: Option<Baseline>,
    pub(crate) write_baseline: Option<PathBuf>,
    pub(crate) cache: bool,
}

impl Plan {
    pub(crate) fn new(args: &FilesArgs) -> Result<Plan, InputError> {
        let FilesArgs { files, project, analysis, .. } = args;
        let here = std::env::current_dir().unwrap_or_default();
        let config = Config::find_for(project.config.as_deref(), &here, files)?;
        let analysis = with_config(analysis.clone(), &config)
            .map_err(|m| error(&config.name(), format!("{}: {m}", config.name())))?;
        let database = project.build.as_deref().map(Database::read).transpose()?;
        let named = files;
        let Found { files, unusable } = sources(files, project, database.as_ref(), &config, &here);
        let mut errors: Vec<InputError> =
            unusable.into_iter().map(|(path, why)| error(&names::shown(&path), why)).collect();
        errors.extend(database.iter().flat_map(|d| d.errors.iter().cloned()));
        let mut units: Vec<Unit> = files
            .into_iter()
            .map(|path| Unit {
                input: input(&path, &args.analysis.input, &config, database.as_ref()),
                named: named.contains(&path),
                path,
                text: None,
            })
            .collect();
        if units.is_empty() && errors.is_empty() {
            let what = names::shown(project.build.as_deref().unwrap_or(Path::new(".")));
            errors.push(error(&what, format!("{what}: there is no CUDA or OpenCL file in it")));
        }
        if let Some(revision) = &project.changed {
            let changes = Changes::since(revision, &here).map_err(|m| error("", m))?;
            keep_changed(&mut units, &changes, &config);
        }
        let baseline = project.baseline.clone().or_else(|| config.baseline.clone());
        let baseline = baseline.filter(|_| project.write_baseline.is_none());
        Ok(Plan {
            units,
            errors,
            analysis,
            baseline: baseline.as_deref().map(Baseline::read).transpose()?,
            write_baseline: project.write_baseline.clone(),
            cache: !project.no_cache,
            config,
        })
    }

    /// One document of an editor, with the settings of the project that it belongs to.
    pub(crate) fn of_document(
        unit: Unit,
        project: &ProjectArgs,
        analysis: &Analysis,
    ) -> Result<Plan, InputError> {
        let folder = unit.path.parent().unwrap_or(Path::new("")).to_path_buf();
        let config = Config::find(project.config.as_deref(), &folder)?;
        let database = project.build.as_deref().map(Database::read).transpose()?;
        let analysis = with_config(analysis.clone(), &config)
            .map_err(|m| error(&config.name(), format!("{}: {m}", config.name())))?;
        let input = input(&unit.path, &unit.input, &config, database.as_ref());
        let baseline = project.baseline.as_deref().or(config.baseline.as_deref());
        Ok(Plan {
            units: vec![Unit { input, ..unit }],
            errors: Vec::new(),
            analysis,
            baseline: baseline.map(Baseline::read).transpose()?,
            write_baseline: None,
            cache: true,
            config,
        })
    }

    /// How a file is read.
    pub(crate) fn input_of(&self, file: &str) -> InputArgs {
        let unit = self.units.iter().find(|u| names::shown(&u.path) == file);
        unit.map_or_else(|| self.analysis.input.clone(), |u| u.input.clone())
    }

    /// What holds for one kernel of a file.
    pub(crate) fn for_kernel(&self, unit: &Unit, kernel: &Kernel) -> Result<Analysis, String> {
        let names = suppress::names(&kernel.name, &kernel.mangled);
        let said = self.config.kernel(&names, &unit.path);
        let mut analysis = Analysis { input: unit.input.clone(), ..self.analysis.clone() };
        let launch = &mut analysis.launch;
        let dims = |text: Option<String>| text.map(|t| dims::parse_arg(&t)).transpose();
        launch.block = launch.block.or(dims(said.block)?);
        launch.grid = launch.grid.or(dims(said.grid)?);
        launch.shared = launch.shared.or(said.shared);
        let given = bind::resolve(kernel, &launch.parsed_args()?)?;
        for arg in said.args {
            let position = kernel.params.iter().position(|p| p.name == arg.name);
            let position = position.or_else(|| arg.name.parse().ok());
            match position.and_then(|i| given.get(i)) {
                Some(None) => launch.args.push(format!("{}={}", arg.name, arg.value)),
                Some(Some(_)) => {}
                // A table for many kernels may name what only some of them have.
                None if !arg.exact => {}
                None => return Err(format!("{}: no parameter '{}'", self.config.name(), arg.name)),
            }
        }
        launch.assume.extend(said.assume);
        // Of a kernel's own table even where the file has a budget for all.
        if self.config_budget_applies() {
            analysis.search.budget = said.budget.or(analysis.search.budget);
        }
        Ok(analysis)
    }

    /// Whether the budget came from the file, not from the command line.
    fn config_budget_applies(&self) -> bool {
        self.analysis.search.budget.is_none() || self.analysis.search.budget == self.config.budget
    }
}

/// A command about one file, with what the project says of all its files.
pub(crate) fn for_one_file(analysis: &Analysis) -> Result<Analysis, String> {
    let config = Config::find(None, &std::env::current_dir().unwrap_or_default());
    let config = config.map_err(|e| e.message)?;
    let analysis =
        with_config(analysis.clone(), &config).map_err(|m| format!("{}: {m}", config.name()))?;
    let input = input(Path::new(""), &analysis.input, &config, None);
    Ok(Analysis { input, ..analysis })
}

/// The files that the arguments stand for: what is named, or else all that the build compiles.
fn sources(
    files: &[PathBuf],
    project: &ProjectArgs,
    database: Option<&Database>,
    config: &Config,
    here: &Path,
) -> Found {
    let excluded = |path: &Path| config.exclude.is_match(path);
    match database {
        Some(database) if files.is_empty() => {
            let entries = database.entries.iter().map(|e| &e.file);
            let shown = |f: &PathBuf| f.strip_prefix(here).unwrap_or(f).to_path_buf();
            let files = entries.filter(|f| !excluded(f)).map(shown).collect();
            Found { files, unusable: Vec::new() }
        }
        _ if files.is_empty() && project.changed.is_some() => {
            tree::files(&[PathBuf::from(".")], excluded)
        }
        _ => tree::files(files, excluded),
    }
}

/// How one file is read.
fn input(
    path: &Path,
    given: &InputArgs,
    config: &Config,
    database: Option<&Database>,
) -> InputArgs {
    let entry = database.and_then(|d| d.find(path));
    let mut clang_args: Vec<OsString> =
        entry.map_or_else(Vec::new, |e| e.flags.clang.iter().map(OsString::from).collect());
    clang_args.extend(config.clang_args.iter().cloned());
    clang_args.extend(given.clang_args.iter().cloned());
    let is_cuda = entry.is_some_and(|e| e.is_cuda);
    InputArgs {
        clang_args,
        cuda_path: given
            .cuda_path
            .clone()
            .or_else(|| config.cuda_path.clone())
            .or_else(|| entry.and_then(|e| e.flags.cuda_path.clone())),
        lang: given.lang.or(is_cuda.then_some(Lang::Cuda)),
        ..given.clone()
    }
}

/// What the command line leaves open, from the project's file.
pub(crate) fn with_config(mut analysis: Analysis, config: &Config) -> Result<Analysis, String> {
    let LaunchArgs { scheduling, warp_size, .. } = &mut analysis.launch;
    if let (None, Some(name)) = (&scheduling, &config.scheduling) {
        let known = SchedulingArg::from_name(name);
        let bad = || format!("scheduling: '{name}' is neither independent nor lockstep");
        *scheduling = Some(known.ok_or_else(bad)?);
    }
    if let (None, Some(size)) = (&warp_size, config.warp_size) {
        *warp_size =
            Some(parse_warp_size(&size.to_string()).map_err(|m| format!("warp-size: {m}"))?);
    }
    let search = &mut analysis.search;
    search.budget = search.budget.or(config.budget);
    if search.only.is_empty() && search.skip.is_empty() {
        search.only.clone_from(&config.only);
        search.skip.clone_from(&config.skip);
    }
    analysis.report.strict |= config.strict;
    analysis.report.allow_unknown |= config.allow_unknown;
    Ok(analysis)
}

fn keep_changed(units: &mut Vec<Unit>, changes: &Changes, config: &Config) {
    // Other settings may mean another answer for every file.
    if config.path.as_deref().is_some_and(|p| changes.contains(p)) {
        return;
    }
    let mut includes = Includes::default();
    units.retain(|u| includes.touched(&u.path, &u.input.clang_args, changes));
}
