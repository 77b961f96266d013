//! `lockstep equiv`: does a kernel compute what its reference computes?

mod arguments;
mod report;
mod script;
mod sides;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lockstep_cancel::Moment;

use lockstep_finding::launch::Expr;
use lockstep_finding::source::Sources;
use lockstep_finding::{InputError, Launch, Report};
use lockstep_frontend as frontend;
use lockstep_kernel::{Kernel, ParamKind};
use lockstep_names as names;
use lockstep_simulate::bind;
use lockstep_symbolic::{
    Assumptions, Input, Launched, Limits, Output, Program, Question, Threads, Tolerance, equivalent,
};

use crate::cli::options::{Analysis, CompareArgs, EquivArgs};
use crate::cli::progress::{Engine, Progress};
use crate::commands::run::{given_launch, the_kernel};
use crate::engines::simulation;
use crate::facts::launch_facts::{FileFacts, assumptions_hold, number_of};
use crate::facts::load::{Source, error, frontend_options};
use crate::project::plan;
use arguments::Given;
use sides::{Side, Single, What};

const DEFAULT_BUDGET: f64 = 60.0;

pub(crate) fn equiv(args: &EquivArgs, sources: &mut Sources) -> Report {
    match compare(args, sources) {
        Ok(report) => report,
        Err(e) => Report { errors: vec![e], ..Report::default() },
    }
}

fn compare(args: &EquivArgs, sources: &mut Sources) -> Result<Report, InputError> {
    if let Some(script) = &args.script {
        return script::compare(args, script, sources);
    }
    let started = Moment::now();
    let Some(subject) = &args.subject else {
        return Err(error(
            "",
            "a kernel is missing: FILE:KERNEL, or a script (--script FILE)".into(),
        ));
    };
    if script::is_script(Path::new(&args.reference)) {
        return Err(error(
            "",
            "a script as the reference is compared with a script: --script FILE".into(),
        ));
    }
    let (file, function) = split(&args.reference)?;
    let (own_file, own_function) = split(subject)?;
    let analysis = plan::for_one_file(&own_file, &args.project, &args.analysis)?;
    let given: Vec<Given> = analysis
        .launch
        .args
        .iter()
        .map(|a| arguments::parse(a))
        .collect::<Result<_, _>>()
        .map_err(|m| error("", m))?;
    let subject = kernel_of(&own_file, &own_function, &analysis)?;
    let reference = reference_of(&file, &function, args)?;
    for side in [&subject.0, &reference.0] {
        if let Some((name, text)) = side.typed() {
            sources.insert(&name, &text);
        }
    }
    let kernels = [&reference.1, &subject.1.0];
    let pairs = arguments::pairs(kernels);
    let fail = |m: String| error(&names::shown(&own_file), m);
    let assigned = arguments::assign(kernels, &pairs, &given).map_err(fail)?;
    let launch = subject_launch(&subject, &analysis, &given, &assigned[1]).map_err(fail)?;
    let mut of_reference =
        Launch { args: side_args(kernels[0], &given, &assigned[0]), ..launch.clone() };
    match reference.2 {
        // One thread runs a function of the host.
        true => (of_reference.grid, of_reference.block, of_reference.shared) = ([1; 3], [1; 3], 0),
        false => {
            let CompareArgs { reference_block, reference_grid, .. } = args.compare;
            of_reference.block = reference_block.unwrap_or(launch.block);
            of_reference.grid = reference_grid.unwrap_or(launch.grid);
        }
    }
    let mut known = fixed(&given, &launch, &assigned[1], kernels[1]);
    known.extend(fixed(&given, &of_reference, &assigned[0], kernels[0]));
    let concrete = Launch { args: known, ..launch.clone() };
    let inputs = inputs(kernels, &given, &assigned).map_err(fail)?;
    let numbers = inputs.iter().map(|(_, input)| input);
    let assumed = assumed(&analysis.launch.assume, numbers, &concrete).map_err(fail)?;
    let outputs = outputs(kernels, &pairs, &given, &assigned, &args.compare.out).map_err(fail)?;
    let launches = [of_reference, launch];
    let program = |which: usize| -> Result<Program, InputError> {
        let kernel = kernels[which];
        let launch = bind::bind(kernel, &launches[which]).map_err(fail)?;
        let of = |n: &Option<usize>| n.and_then(|n| inputs.iter().position(|(at, _)| *at == n));
        let inputs = assigned[which].iter().map(of).collect();
        Ok(Program::Launch(Launched { kernel, launch, inputs }))
    };
    let programs = [program(0)?, program(1)?];
    let side = |which: usize, file: &Path| Side {
        file: file.to_path_buf(),
        name: kernels[which].name.clone(),
        what: What::Single(Single {
            kernel: kernels[which].clone(),
            launch: launches[which].clone(),
        }),
    };
    let sides = [side(0, &file), side(1, &own_file)];
    let inputs = inputs.iter().map(|(_, input)| input.clone()).collect();
    let asked = Asked { inputs, outputs, assumed };
    answer(args, &analysis, &sides, programs, asked, started)
}

/// What is asked of two sides.
struct Asked {
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    /// Conditions on numbers that stand for every value.
    assumed: Vec<Expr>,
}

/// The conditions of the command line that are about numbers which stand for every value; all others must hold for the launch.
fn assumed<'a>(
    exprs: &[String],
    inputs: impl Iterator<Item = &'a Input>,
    launch: &Launch,
) -> Result<Vec<Expr>, String> {
    let numbers: Vec<&Input> = inputs.filter(|i| !i.is_array && i.elements == 1).collect();
    let mut out = Vec::new();
    for text in exprs {
        let expr = Expr::parse(text).map_err(|e| format!("--assume '{text}': {e}"))?;
        let is_symbolic = |name: &str| numbers.iter().any(|i| i.name == name);
        let (mut symbolic, mut unknown) = (false, None);
        expr.for_each_name(&mut |name| match is_symbolic(name) {
            true => symbolic = true,
            false if number_of(launch, name).is_err() => unknown = Some(name.to_owned()),
            false => {}
        });
        match (symbolic, unknown) {
            (true, None) => out.push(expr),
            (true, Some(name)) => {
                return Err(format!("--assume '{text}': '{name}' is no number of this comparison"));
            }
            (false, _) => {
                assumptions_hold(std::slice::from_ref(text), launch)??;
            }
        }
    }
    Ok(out)
}

/// Asks the question, and reports the answer.
fn answer(
    args: &EquivArgs,
    analysis: &Analysis,
    sides: &[Side; 2],
    programs: [Program; 2],
    asked: Asked,
    started: Moment,
) -> Result<Report, InputError> {
    let Asked { inputs, outputs, assumed } = asked;
    let budget = analysis.search.budget.unwrap_or(DEFAULT_BUDGET);
    let deadline =
        Duration::try_from_secs_f64(budget).ok().filter(|_| !analysis.search.reproducible);
    let question = Question {
        sides: programs,
        inputs,
        outputs,
        allowed: args
            .compare
            .assume_fp
            .iter()
            .fold(Assumptions::NONE, |all, a| all.with(Assumptions::of(*a))),
        assumed,
        tolerance: tolerance(&args.compare),
        limits: Limits { unroll: args.compare.unroll, ..Limits::default() },
        threads: Threads::Any,
        warp_size: analysis.launch.warp_size(),
        rounds: args.compare.inputs,
        seed: analysis.launch.seed,
        jobs: simulation::jobs(analysis),
        deadline: deadline.map(|d| started + d),
        cancel: analysis.input.cancel.clone(),
    };
    let progress = Progress::new(1, analysis);
    let work = progress.begin(&sides[1].name, Engine::Symbolic, deadline);
    let answer = analysis.report.times.measure(Engine::Symbolic, || equivalent(&question));
    drop(work);
    progress.finish();
    if analysis.input.verbose {
        let s = answer.statistics;
        eprintln!(
            "{}: {} elements, {} of them compared, {} terms, {} operations, {} questions to the solver",
            sides[1].name, s.elements, s.compared, s.terms, s.operations, s.questions
        );
    }
    let given = &args.analysis.launch.args;
    let how = report::How { budget, started, reference: &args.reference, args: given };
    Ok(report::of(sides, &question, answer, &how))
}

/// `FILE:NAME`; the name has no colon but those of a C++ scope.
fn split(text: &OsStr) -> Result<(PathBuf, String), InputError> {
    let shown = names::shown(Path::new(text));
    let wrong = || error("", format!("'{shown}': FILE:FUNCTION expected, as in saxpy.c:saxpy_ref"));
    let bytes = text.as_bytes();
    // The first single colon from the end; `a.cpp:ns::f` is `ns::f` of `a.cpp`.
    let is_single = |i: usize| {
        bytes[i] == b':' && bytes.get(i + 1) != Some(&b':') && (i == 0 || bytes[i - 1] != b':')
    };
    let at = (0..bytes.len()).rev().find(|i| is_single(*i)).ok_or_else(wrong)?;
    let (file, name) = (&bytes[..at], &bytes[at + 1..]);
    let name = std::str::from_utf8(name).map_err(|_| wrong())?;
    if file.is_empty() || name.is_empty() {
        return Err(wrong());
    }
    Ok((PathBuf::from(OsStr::from_bytes(file)), name.to_owned()))
}

/// A kernel of a file, with the module that it is from.
fn kernel_of(
    file: &Path,
    name: &str,
    analysis: &Analysis,
) -> Result<(Source, (Kernel, frontend::Module)), InputError> {
    let source = Source::open(file)?;
    let wanted = vec![name.to_owned()];
    let mut input = analysis.input.clone();
    input.kernel = wanted.clone();
    let module = source.load(&input)?;
    let kernel = the_kernel(&module.kernels, &wanted).map_err(|m| error(&source.name, m))?.clone();
    Ok((source, (kernel, module)))
}

/// The reference, and whether one thread runs it: a function of the host, or else a kernel.
fn reference_of(
    file: &Path,
    name: &str,
    args: &EquivArgs,
) -> Result<(Source, Kernel, bool), InputError> {
    let analysis = plan::for_one_file(file, &args.project, &args.analysis)?;
    let mut options = frontend_options(&analysis.input);
    options.entries = Vec::new();
    if frontend::is_reference(file) {
        let source = Source::open(file)?;
        match frontend::compile_reference(source.input(), name, &options) {
            Ok(reference) => return Ok((source, reference.kernel, true)),
            // A CUDA file may have a kernel of that name.
            Err(frontend::Error::NoFunction { .. })
                if file.extension() == Some(OsStr::new("cu")) => {}
            Err(e) => return Err(error(&source.name, e.to_string())),
        }
    }
    let (source, (kernel, _)) = kernel_of(file, name, &analysis)?;
    Ok((source, kernel, false))
}

fn side_args(
    kernel: &Kernel,
    given: &[Given],
    assigned: &[Option<usize>],
) -> Vec<(String, lockstep_finding::ArgValue)> {
    let value = |(p, n): (&lockstep_kernel::Param, &Option<usize>)| {
        n.map(|n| (p.name.clone(), given[n].value_for(p)))
    };
    kernel.params.iter().zip(assigned).filter_map(value).collect()
}

/// The arguments that are not symbolic.
fn fixed(
    given: &[Given],
    launch: &Launch,
    assigned: &[Option<usize>],
    kernel: &Kernel,
) -> Vec<(String, lockstep_finding::ArgValue)> {
    let is_fixed = |name: &str| {
        let at = kernel.params.iter().position(|p| p.name == name);
        at.and_then(|i| assigned[i]).is_some_and(|n| !given[n].is_symbolic)
    };
    launch.args.iter().filter(|(name, _)| is_fixed(name)).cloned().collect()
}

/// The launch of the kernel: dimensions from the command line or the source.
fn subject_launch(
    subject: &(Source, (Kernel, frontend::Module)),
    analysis: &Analysis,
    given: &[Given],
    assigned: &[Option<usize>],
) -> Result<Launch, String> {
    let (source, (kernel, module)) = subject;
    let mut plain = analysis.clone();
    plain.launch.args = Vec::new();
    let facts = FileFacts::new(source, module, &plain.input);
    let launch = given_launch(kernel, &facts, &plain)?;
    Ok(Launch { args: side_args(kernel, given, assigned), ..launch })
}

/// The symbolic arguments, each with its number among those given.
fn inputs(
    sides: [&Kernel; 2],
    given: &[Given],
    assigned: &[Vec<Option<usize>>; 2],
) -> Result<Vec<(usize, Input)>, String> {
    let mut out: Vec<(usize, Input)> = Vec::new();
    for (side, assigned) in sides.into_iter().zip(assigned) {
        for (param, number) in side.params.iter().zip(assigned) {
            let Some(number) = number.filter(|n| given[*n].is_symbolic) else { continue };
            let (ty, elements) = given[number].shape(param)?;
            let known = out.iter().find(|(n, _)| *n == number);
            match known {
                Some((_, input)) if (input.ty, input.elements) != (ty, elements) => {
                    return Err(format!(
                        "parameter '{}' of {} is of another type than the one it is compared with",
                        param.name, side.name
                    ));
                }
                Some(_) => {}
                None => {
                    let is_array = !matches!(param.kind, ParamKind::Scalar { .. });
                    let element = given[number].element_for(param);
                    let name = param.name.clone();
                    out.push((number, Input { name, ty, element, elements, is_array }));
                }
            }
        }
    }
    Ok(out)
}

/// The arrays that are compared.
fn outputs(
    sides: [&Kernel; 2],
    pairs: &[[usize; 2]],
    given: &[Given],
    assigned: &[Vec<Option<usize>>; 2],
    chosen: &[String],
) -> Result<Vec<Output>, String> {
    let is_output = |side: usize, i: usize| {
        matches!(sides[side].params[i].kind, ParamKind::Buffer { readonly: false, .. })
    };
    let is_array =
        |side: usize, i: usize| matches!(sides[side].params[i].kind, ParamKind::Buffer { .. });
    let mut out = Vec::new();
    for &[i, j] in pairs {
        let name = &sides[1].params[j].name;
        let is_chosen = match chosen.is_empty() {
            true => is_output(0, i) || is_output(1, j),
            false => chosen.iter().any(|c| c == name || *c == sides[0].params[i].name),
        };
        if !is_chosen || !is_array(0, i) || !is_array(1, j) {
            continue;
        }
        let Some(number) = assigned[1][j] else { continue };
        if given[number].is_shared() {
            return Err(format!(
                "array '{name}' is part of another one: it is compared if that is named with --out"
            ));
        }
        let Some(element) = given[number].element() else { continue };
        let ty = arguments::register_type(element);
        out.push(Output { name: name.clone(), params: [i, j], ty, element });
    }
    for name in chosen {
        if !out.iter().any(|o| o.name == *name || sides[0].params[o.params[0]].name == *name) {
            return Err(format!("--out {name}: no array of both sides has that name"));
        }
    }
    if chosen.is_empty() {
        for (which, side) in sides.iter().enumerate() {
            for (i, param) in side.params.iter().enumerate() {
                if is_output(which, i) && !pairs.iter().any(|p| p[which] == i) {
                    return Err(format!(
                        "array '{}' of {} has no counterpart in {}: name what is compared with --out",
                        param.name,
                        side.name,
                        sides[1 - which].name
                    ));
                }
            }
        }
    }
    if out.is_empty() {
        return Err(
            "there is no array to compare: neither side writes one that the other has".into()
        );
    }
    Ok(out)
}

fn tolerance(args: &CompareArgs) -> Option<Tolerance> {
    let CompareArgs { ulp, rtol, atol, .. } = *args;
    let is_given = ulp.is_some() || rtol.is_some() || atol.is_some();
    is_given.then(|| Tolerance {
        ulp: ulp.unwrap_or(0),
        relative: rtol.unwrap_or(0.0),
        absolute: atol.unwrap_or(0.0),
    })
}
