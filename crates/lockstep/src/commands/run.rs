//! `lockstep run`: one launch, exactly as given.

use lockstep_cancel::Moment;
use std::path::{Path, PathBuf};

use lockstep_finding::source::Sources;
use lockstep_finding::{
    ArgValue, ElementType, Fact, Finding, InputError, KernelReport, Launch, Origin, Output, Report,
    Warning,
};
use lockstep_kernel::{Kernel, ParamKind, Space};
use lockstep_names as names;
use lockstep_search::Advisor;
use lockstep_simulate::{Config, Outcome, bind};

use crate::cli::dims::{self, Dims};
use crate::cli::interrupt;
use crate::cli::options::{Analysis, RunArgs};
use crate::cli::output;
use crate::cli::progress::{Engine, Progress};
use crate::commands::repeat;
use crate::engines::simulation::{self, Simulated, execute};
use crate::engines::traces;
use crate::engines::verdicts;
use crate::facts::architecture;
use crate::facts::incomplete;
use crate::facts::launch_facts::{FileFacts, assumptions_hold};
use crate::facts::load::{self, Source, error};
use crate::facts::witness;
use crate::project::plan;

const DEFAULT_BUDGET: f64 = 60.0;
/// The part of the budget that is spent on what may help.
const ADVICE: u64 = 200;

/// A launch to be made, and of what.
pub(crate) struct Wanted {
    file: PathBuf,
    pub(crate) analysis: Analysis,
    /// As a witness has it.
    launch: Option<Launch>,
    warning: Option<Warning>,
}

impl Wanted {
    /// What the command line says, with the settings of the file's project, or a witness.
    pub(crate) fn new(args: &RunArgs) -> Result<Wanted, InputError> {
        if let Some(path) = &args.replay {
            return Wanted::of_witness(path, args);
        }
        let file = args.file.clone().unwrap_or_default();
        let analysis = plan::for_one_file(&file, &args.project, &args.analysis)?;
        Ok(Wanted { file, analysis, launch: None, warning: None })
    }

    /// A witness says all that a project would.
    fn of_witness(path: &Path, args: &RunArgs) -> Result<Wanted, InputError> {
        let witness = witness::read(path)?;
        let found = match &args.file {
            Some(file) => witness::named(&witness, file),
            None => witness::find(&witness, path)?,
        };
        let mut analysis = args.analysis.clone();
        witness::apply(&witness, &found, &mut analysis)
            .map_err(|m| error(&names::shown(path), m))?;
        let launch = Some(witness::launch(&witness, &found));
        Ok(Wanted { file: found.file, analysis, launch, warning: found.warning })
    }
}

pub(crate) fn run(
    args: &RunArgs,
    wanted: &Result<Wanted, InputError>,
    sources: &mut Sources,
) -> Report {
    let refused = |e: InputError| Report { errors: vec![e], ..Report::default() };
    let wanted = match wanted {
        Ok(wanted) => wanted,
        Err(e) => return refused(e.clone()),
    };
    let mut report = match run_one(args, wanted, sources) {
        Ok(kernel) => Report { kernels: vec![kernel], ..Report::default() },
        Err(e) => refused(e),
    };
    report.warnings.extend(wanted.warning.clone());
    match &args.replay {
        Some(witness) => repeat::add_replay(&mut report, witness),
        None => {
            let build = args.project.build.as_deref();
            let config = args.project.config.as_deref();
            let given = repeat::Given { analysis: &args.analysis, build, config, command: None };
            repeat::add(&mut report, &given, |_| Some(&wanted.file));
        }
    }
    report
}

fn run_one(
    args: &RunArgs,
    wanted: &Wanted,
    sources: &mut Sources,
) -> Result<KernelReport, InputError> {
    let started = Moment::now();
    let Wanted { file, analysis, launch: replayed, .. } = wanted;
    let source = Source::open(file)?;
    if let Some((name, text)) = source.typed() {
        sources.insert(&name, &text);
    }
    let times = &analysis.report.times;
    let module = times.measure(Engine::Compile, || source.load(&analysis.input))?;
    if analysis.input.verbose {
        module.warnings.iter().for_each(|w| eprintln!("{w}"));
    }
    if !analysis.report.quiet {
        incomplete::warnings(&module, &source.name)
            .iter()
            .for_each(|w| output::warn(&w.to_string()));
    }
    let kernel =
        the_kernel(&module.kernels, &analysis.input.kernel).map_err(|m| error(&source.name, m))?;
    let fail = |message: String| error(&source.name, format!("kernel {}: {message}", kernel.name));

    let facts = FileFacts::new(&source, &module, &analysis.input);
    let launch = match replayed {
        Some(launch) => launch.clone(),
        None => given_launch(kernel, &facts, analysis).map_err(fail)?,
    };
    let launch = bind::named(kernel, &launch).map_err(fail)?;
    assumptions_hold(&analysis.launch.assume, &launch).map_err(fail)?.map_err(fail)?;
    let dumps = dumps(kernel, &args.dump).map_err(fail)?;
    if let Some(because) = architecture::not_compiled(&module, kernel) {
        let kinds = verdicts::kinds(&analysis.search, false);
        let mut report = simulation::unknown_report(kernel, &source.name, &kinds, &because);
        architecture::name(&module, kernel, &mut report);
        return Ok(report);
    }

    let config = simulation::config(analysis, DEFAULT_BUDGET, 1, false);
    let progress = Progress::new(1, analysis);
    let budget = config.deadline.map(|d| d.saturating_duration_since(Moment::now()));
    let work = progress.begin(&kernel.name, Engine::Simulate, budget);
    if analysis.input.verbose {
        eprintln!("{}: kernel {}: {}", source.name, kernel.name, Engine::Simulate.name());
    }
    let outcome = execute(kernel, &launch, &config);
    drop(work);
    progress.finish();
    let outcome = outcome.map_err(fail)?;
    if let Some(text) = &outcome.violated {
        return Err(fail(format!("the launch does not satisfy {text}")));
    }
    if analysis.input.verbose {
        eprintln!(
            "{}: kernel {}: {}",
            source.name,
            kernel.name,
            simulation::stats_text(&outcome.stats)
        );
    }
    write_dumps(&outcome, &dumps).map_err(fail)?;
    let outputs = outputs(kernel, &launch, &outcome, &dumps);
    let simulated = Simulated { kernel, file: &source.name, launch, outcome, outputs, started };
    let mut report = simulated.report(&config, analysis.report.strict);
    architecture::name(&module, kernel, &mut report);
    incomplete::name(&module, &mut report);
    advise(kernel, &mut report, &config);
    traces::add(kernel, &mut report, analysis);
    if analysis.input.cancel.is_cancelled() {
        interrupt::mark(&mut report);
    }
    Ok(report)
}

/// Says which barrier or fence helps, in this launch, where the simulator leaves that to be tried.
fn advise(kernel: &Kernel, report: &mut KernelReport, config: &Config) {
    let bind = |kernel: &Kernel, launch: &Launch| bind::bind(kernel, launch).ok();
    let untold = |f: &&mut Finding| f.help.is_empty();
    let mut advisor = None;
    for finding in report.findings.iter_mut().filter(untold) {
        let steps = config.max_steps / ADVICE;
        let advisor = advisor.get_or_insert_with(|| Advisor::new(kernel, config, &bind, steps));
        advisor.advise(finding, &[]);
    }
}

pub(crate) fn the_kernel<'a>(
    kernels: &'a [Kernel],
    names: &[String],
) -> Result<&'a Kernel, String> {
    let all = || load::names(kernels).join(", ");
    match load::select(kernels, names)[..] {
        [one] => Ok(one),
        [] => Err(load::no_kernel(&names.join("', '"), &load::names(kernels))),
        _ if names.is_empty() => {
            Err(format!("there are several kernels; choose one with --kernel: {}", all()))
        }
        _ => Err(format!("'{}' names several kernels; choose one: {}", names.join("', '"), all())),
    }
}

pub(crate) fn given_launch(
    kernel: &Kernel,
    facts: &FileFacts,
    analysis: &Analysis,
) -> Result<Launch, String> {
    let args = &analysis.launch;
    let mut known = facts.dims(kernel, args);
    let mut global = None;
    if let Some(size) = facts.global(args) {
        let (groups, rest) = dims::of_global(kernel, size, known.block.map(|b| b.value))?;
        (known.grid, global) = (Some(Fact::new(groups, Origin::CommandLine)), rest);
    }
    let missing = |what: &str| {
        format!(
            "--{what} is missing, and the source does not say it: give one, such as --{what} 64"
        )
    };
    let block = known.block.ok_or_else(|| missing("block"))?;
    let grid = known.grid.ok_or_else(|| missing("grid"))?;
    Dims { grid, block }.validate(kernel)?;
    Ok(Launch {
        grid: grid.value,
        block: block.value,
        global,
        shared: facts.shared(kernel, args, &known).map_or(0, |s| s.value),
        args: args.parsed_args()?,
        seed: args.seed,
    })
}

/// `--dump NAME[=FILE]`.
struct Dump {
    param: usize,
    file: Option<PathBuf>,
}

fn dumps(kernel: &Kernel, texts: &[String]) -> Result<Vec<Dump>, String> {
    texts.iter().map(|text| parse_dump(kernel, text)).collect()
}

fn parse_dump(kernel: &Kernel, text: &str) -> Result<Dump, String> {
    let (name, file) = match text.split_once('=') {
        Some((_, "")) => {
            return Err(format!("--dump '{text}': the file's name is missing after '='"));
        }
        Some((name, file)) => (name, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let is_array = |k: ParamKind| matches!(k, ParamKind::Buffer { .. });
    let param = kernel.params.iter().position(|p| p.name == name);
    let param = param.or_else(|| name.parse().ok().filter(|&i: &usize| i < kernel.params.len()));
    match param {
        Some(param) if is_array(kernel.params[param].kind) => Ok(Dump { param, file }),
        Some(_) => Err(format!("--dump '{text}': parameter '{name}' is no array")),
        None => {
            let arrays: Vec<_> = kernel
                .params
                .iter()
                .filter(|p| is_array(p.kind))
                .map(|p| p.name.as_str())
                .collect();
            let has = if arrays.is_empty() { "no arrays".into() } else { arrays.join(", ") };
            Err(format!("--dump '{text}': no parameter '{name}'; kernel {} has {has}", kernel.name))
        }
    }
}

fn write_dumps(outcome: &Outcome, dumps: &[Dump]) -> Result<(), String> {
    for dump in dumps {
        let Some(file) = &dump.file else { continue };
        let Some((_, bytes)) = outcome.buffers.iter().find(|(p, _)| *p == dump.param) else {
            continue;
        };
        std::fs::write(file, bytes)
            .map_err(|e| format!("cannot write '{}': {e}", names::shown(file)))?;
    }
    Ok(())
}

/// With `--dump`, those arrays in full; else every array that the kernel may
/// write, abbreviated.
fn outputs(kernel: &Kernel, launch: &Launch, outcome: &Outcome, dumps: &[Dump]) -> Vec<Output> {
    let mut out = Vec::new();
    for (param, bytes) in &outcome.buffers {
        let Some(p) = kernel.params.get(*param) else {
            continue;
        };
        let dump = dumps.iter().find(|d| d.param == *param);
        // Through this parameter, or through another that shares its array.
        let written = kernel.params.iter().any(|q| {
            let shares = matches!(launch.args.iter().find(|(n, _)| *n == q.name),
                Some((_, ArgValue::SameAs { param, .. })) if *param == p.name);
            (q.name == p.name || shares)
                && matches!(q.kind, ParamKind::Buffer { readonly: false, space, .. } if space != Space::Constant)
        });
        let shown = if dumps.is_empty() { written } else { dump.is_some_and(|d| d.file.is_none()) };
        if shown {
            let element = element_of(launch, &p.name);
            out.push(Output::from_bytes(&p.name, element, bytes, dump.is_some()));
        }
    }
    out
}

/// The type that the user gave the array.
fn element_of(launch: &Launch, name: &str) -> ElementType {
    let value = launch.args.iter().find(|(n, _)| n == name).map(|(_, v)| v);
    match value {
        Some(ArgValue::Array(spec)) => spec.element,
        _ => ElementType::U8,
    }
}
