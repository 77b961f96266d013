//! What a command is about: which files, read how, with which settings, and which of their findings count.
//!
//! Each file has the settings of the nearest `lockstep.toml` above it, or those of `--config`; files that have the
//! same are a [`Project`]. The command line beats `lockstep.toml`, which beats the source and the compilation database; `-D` and its like
//! come in the order database, file, command line, so that the last word is the user's.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lockstep_finding::InputError;
use lockstep_kernel::Kernel;
use lockstep_names as names;
use lockstep_project::baseline::Baseline;
use lockstep_project::changed::{Changes, Includes};
use lockstep_project::config::Config;
use lockstep_project::database::Database;
use lockstep_project::recorded::Recorded;
use lockstep_project::settings::Settings;
use lockstep_project::suppress;
use lockstep_project::tree::{self, Found};
use lockstep_simulate::bind;

use crate::cli::dims;
use crate::cli::options::{
    Analysis, FileProjectArgs, FilesArgs, InputArgs, Lang, LaunchArgs, ProjectArgs, SchedulingArg,
    parse_warp_size,
};
use crate::engines::task;
use crate::facts::load::error;
use crate::project::check::Unit;

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) units: Vec<Unit>,
    /// What of the input could not be used.
    pub(crate) errors: Vec<InputError>,
    /// What the command line says, of the whole run.
    pub(crate) analysis: Analysis,
    /// The settings that units have, by their numbers.
    pub(crate) projects: Vec<Project>,
    pub(crate) baselines: Vec<Baseline>,
    pub(crate) write_baseline: Option<PathBuf>,
    pub(crate) cache: bool,
    /// Units by the names of their files.
    by_name: HashMap<String, usize>,
}

/// The files that have the same settings.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) config: Config,
    /// What holds for every kernel of which the project says nothing else.
    pub(crate) analysis: Analysis,
    /// Of those of the run.
    pub(crate) baseline: Option<usize>,
}

impl Plan {
    pub(crate) fn new(args: &FilesArgs) -> Result<Plan, InputError> {
        let FilesArgs { files, project, analysis, .. } = args;
        let here = std::env::current_dir().unwrap_or_default();
        let mut settings = Settings::new(project.config.as_deref())?;
        let database = project.build.as_deref().map(Database::read).transpose()?;
        let named = files;
        let Found { files, unusable } =
            sources(files, project, database.as_ref(), &mut settings, &here);
        let mut errors: Vec<InputError> =
            unusable.into_iter().map(|(path, why)| error(&names::shown(&path), why)).collect();
        errors.extend(database.iter().flat_map(|d| d.errors.iter().cloned()));
        let mut units: Vec<Unit> = Vec::new();
        for path in files {
            // What is wrong with its settings is said once.
            let Some(project) = settings.of(&path) else { continue };
            let config = &settings.configs()[project];
            let input = input(&path, &analysis.input, config, database.as_ref());
            units.push(Unit { input, named: named.contains(&path), path, text: None, project });
        }
        errors.extend(settings.errors().iter().cloned());
        if units.is_empty() && errors.is_empty() {
            let what = names::shown(project.build.as_deref().unwrap_or(Path::new(".")));
            errors.push(error(&what, format!("{what}: there is no CUDA or OpenCL file in it")));
        }
        if let Some(revision) = &project.changed {
            let changes = Changes::since(revision, &here).map_err(|m| error("", m))?;
            keep_changed(&mut units, &changes, settings.configs());
        }
        Plan::of(units, errors, settings.configs(), project, analysis)
    }

    /// One document of an editor, with the settings of the project that it belongs to.
    pub(crate) fn of_document(
        unit: Unit,
        project: &ProjectArgs,
        analysis: &Analysis,
    ) -> Result<Plan, InputError> {
        let mut settings = Settings::new(project.config.as_deref())?;
        let database = project.build.as_deref().map(Database::read).transpose()?;
        let mut units = Vec::new();
        if let Some(index) = settings.of(&unit.path) {
            let config = &settings.configs()[index];
            let input = input(&unit.path, &unit.input, config, database.as_ref());
            units.push(Unit { input, project: index, ..unit });
        }
        let errors = settings.errors().to_vec();
        Plan::of(units, errors, settings.configs(), project, analysis)
    }

    fn of(
        units: Vec<Unit>,
        mut errors: Vec<InputError>,
        configs: &[Config],
        args: &ProjectArgs,
        analysis: &Analysis,
    ) -> Result<Plan, InputError> {
        let mut baselines: Vec<(PathBuf, Baseline)> = Vec::new();
        let mut recorded: Vec<(PathBuf, Arc<Recorded>)> = Vec::new();
        let mut projects = Vec::new();
        for (i, config) in configs.iter().enumerate() {
            // One that only a walk has met says nothing of any file.
            let is_used = units.iter().any(|u| u.project == i);
            let wanted = args.baseline.as_ref().or(config.baseline.as_ref());
            let wanted = wanted.filter(|_| args.write_baseline.is_none() && is_used);
            let baseline = wanted.map(|path| baseline(&mut baselines, path)).transpose()?;
            let mut said = with_config(analysis.clone(), config).unwrap_or_else(|m| {
                if is_used {
                    errors.push(error(&config.name(), format!("{}: {m}", config.name())));
                }
                analysis.clone()
            });
            let wanted = args.launches.as_ref().or(config.launches.as_ref());
            if let Some(dir) = wanted.filter(|_| is_used) {
                said.recorded = Some(launches(&mut recorded, dir)?);
            }
            projects.push(Project { config: config.clone(), analysis: said, baseline });
        }
        let refused = |u: &Unit| {
            let name = projects[u.project].config.name();
            !name.is_empty() && errors.iter().any(|e| e.file == name)
        };
        let units: Vec<Unit> = units.into_iter().filter(|u| !refused(u)).collect();
        let name = |(i, unit): (usize, &Unit)| (names::shown(&unit.path), i);
        Ok(Plan {
            by_name: units.iter().enumerate().map(name).collect(),
            units,
            errors,
            analysis: analysis.clone(),
            projects,
            baselines: baselines.into_iter().map(|(_, b)| b).collect(),
            write_baseline: args.write_baseline.clone(),
            cache: !args.no_cache,
        })
    }

    /// The unit whose file has this name.
    pub(crate) fn unit_of(&self, file: &str) -> Option<&Unit> {
        self.by_name.get(file).map(|i| &self.units[*i])
    }

    pub(crate) fn project(&self, unit: &Unit) -> &Project {
        &self.projects[unit.project]
    }

    /// What holds for a file, and how it is read.
    pub(crate) fn analysis_of(&self, file: &str) -> Analysis {
        match self.unit_of(file) {
            Some(unit) => {
                Analysis { input: unit.input.clone(), ..self.project(unit).analysis.clone() }
            }
            None => self.analysis.clone(),
        }
    }

    /// What holds for one kernel of a file.
    pub(crate) fn for_kernel(&self, unit: &Unit, kernel: &Kernel) -> Result<Analysis, String> {
        let project = self.project(unit);
        let names = suppress::names(&kernel.name, &kernel.mangled);
        let said = project.config.kernel(&names, &unit.path);
        let mut analysis = Analysis { input: unit.input.clone(), ..project.analysis.clone() };
        analysis.search.budget = self.budget(project, said.budget);
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
                None => {
                    return Err(format!("{}: no parameter '{}'", project.config.name(), arg.name));
                }
            }
        }
        launch.assume.extend(said.assume);
        Ok(analysis)
    }

    /// The command line's budget, a kernel's own, or that of all kernels of its project.
    fn budget(&self, project: &Project, own: Option<f64>) -> Option<f64> {
        self.analysis.search.budget.or(own).or(project.config.budget)
    }

    /// The seconds that a kernel of a file has, known by its names.
    pub(crate) fn budget_of(&self, unit: &Unit, name: &str, mangled: &str) -> f64 {
        let project = self.project(unit);
        let said = project.config.kernel(&suppress::names(name, mangled), &unit.path);
        self.budget(project, said.budget).unwrap_or(task::DEFAULT_BUDGET)
    }
}

/// The number of a baseline, read once.
fn baseline(known: &mut Vec<(PathBuf, Baseline)>, path: &Path) -> Result<usize, InputError> {
    if let Some(at) = known.iter().position(|(p, _)| p == path) {
        return Ok(at);
    }
    known.push((path.to_path_buf(), Baseline::read(path)?));
    Ok(known.len() - 1)
}

/// The recorded launches of a folder, read once.
fn launches(
    known: &mut Vec<(PathBuf, Arc<Recorded>)>,
    dir: &Path,
) -> Result<Arc<Recorded>, InputError> {
    if let Some((_, recorded)) = known.iter().find(|(d, _)| d == dir) {
        return Ok(recorded.clone());
    }
    let recorded = Arc::new(Recorded::read(dir)?);
    known.push((dir.to_path_buf(), recorded.clone()));
    Ok(recorded)
}

/// A command about one file, with what its project says of all its files.
pub(crate) fn for_one_file(
    file: &Path,
    project: &FileProjectArgs,
    analysis: &Analysis,
) -> Result<Analysis, InputError> {
    let (config, input) = read_one_file(file, project, &analysis.input)?;
    let said = with_config(analysis.clone(), &config)
        .map_err(|m| error(&config.name(), format!("{}: {m}", config.name())))?;
    Ok(Analysis { input, ..said })
}

/// The settings of one file, and how it is read.
pub(crate) fn read_one_file(
    file: &Path,
    project: &FileProjectArgs,
    given: &InputArgs,
) -> Result<(Config, InputArgs), InputError> {
    let mut settings = Settings::new(project.config.as_deref())?;
    let database = project.build.as_deref().map(Database::read).transpose()?;
    let index = settings.of(file);
    if let Some(wrong) = settings.errors().first() {
        return Err(wrong.clone());
    }
    let config = index.map_or_else(Config::default, |i| settings.configs()[i].clone());
    let input = input(file, given, &config, database.as_ref());
    Ok((config, input))
}

/// The files that the arguments stand for: what is named, or else all that the build compiles.
fn sources(
    files: &[PathBuf],
    project: &ProjectArgs,
    database: Option<&Database>,
    settings: &mut Settings,
    here: &Path,
) -> Found {
    match database {
        Some(database) if files.is_empty() => {
            let entries = database.entries.iter().map(|e| &e.file);
            let shown = |f: &PathBuf| f.strip_prefix(here).unwrap_or(f).to_path_buf();
            let files = entries.filter(|f| !settings.exclude(here, f)).map(shown).collect();
            Found { files, unusable: Vec::new() }
        }
        _ if files.is_empty() && project.changed.is_some() => {
            tree::files(&[PathBuf::from(".")], |walked, file| settings.exclude(walked, file))
        }
        _ => tree::files(files, |walked, file| settings.exclude(walked, file)),
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

fn keep_changed(units: &mut Vec<Unit>, changes: &Changes, configs: &[Config]) {
    // Other settings may mean another answer for every file that has them.
    let resettled =
        |u: &Unit| configs[u.project].path.as_deref().is_some_and(|p| changes.contains(p));
    let mut includes = Includes::default();
    units.retain(|u| resettled(u) || includes.touched(&u.path, &u.input.clang_args, changes));
}
