//! The command line of Lockstep.
//!
//! **Architecture Invariant:** no analysis here. A command turns its options
//! into a launch, hands it to an engine, and hands what comes back to a renderer.

mod cli;
mod commands;
mod engines;
mod facts;
mod lsp;
mod project;

use std::ffi::OsString;
use std::io::Write;
use std::time::Instant;

use clap::Parser;
use lockstep_finding::explain::explain;
use lockstep_finding::source::Sources;
use lockstep_finding::{InputError, Kind, Report};
use lockstep_search::Alias;

use cli::device_options::{DeviceArgs, DeviceCommand};
use cli::options::{
    Analysis, Cli, Command, Evolve, FilesArgs, InputArgs, LspArgs, ProveCommandArgs,
    SearchCommandArgs,
};
use cli::paths::{CheckCommandArgs, FencesCommandArgs};
use cli::program_options::with_values_apart;
use cli::{BAD_INPUT, clang_style_args, colour, interrupt, output};
use commands::{device, dump, equiv, manual, program, recheck, repeat, run};
use engines::proof_log;
use engines::task::Engines;
use facts::witness;
use project::plan::{self, Plan};

/// The engines make and drop small lists and tables by the million: with the system's allocator that is a quarter of a small
/// check. Without huge pages, which take longer to clear than such a check.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Memory that LLVM and Z3 give back is kept for the next question: a context of Z3's alone takes 17 MB, and a page that
/// comes anew from the system costs more than what is done with it.
fn keep_memory() {
    // SAFETY: settings of the allocator, before there is another thread.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 128 << 20);
        libc::mallopt(libc::M_TOP_PAD, STEP);
    }
}

/// By how much the memory of the first thread grows.
const STEP: libc::c_int = 16 << 20;

/// Ends at once: LLVM has some thousand options to take down, and nobody waits for that.
fn end(status: u8) -> ! {
    let _ = std::io::stdout().flush();
    // SAFETY: what was written is out, and what had to be removed has been.
    unsafe { libc::_exit(i32::from(status)) }
}

fn main() {
    keep_memory();
    if lockstep_frontend::is_careful() || std::env::args_os().any(|a| a == "-") {
        // SAFETY: there is no other thread yet.
        unsafe { lockstep_frontend::set_reader_aside() };
    } else {
        lockstep_frontend::begin_again_after_crash();
    }
    let words: Vec<OsString> = std::env::args_os().collect();
    let status = if takes_words_as_they_are(&words) {
        let is_exec = words[1] == "exec";
        let words = if is_exec { with_values_apart(words) } else { words };
        dispatch(Cli::parse_from(words), Vec::new())
    } else {
        match clang_style_args::split(words) {
            Ok(split) => dispatch(Cli::parse_from(split.ours), split.clang),
            Err(message) => Err(message),
        }
    };
    if let Some(why) = lockstep_prove::solver_failure().or(lockstep_symbolic::solver_failure()) {
        let what = "what needs the solver is unknown, because Z3 could not be loaded";
        output::warn(&format!("{what}: {why}"));
    }
    end(status.unwrap_or_else(|message| {
        output::fail(&message);
        BAD_INPUT
    }))
}

/// What follows a program, or nvcc's name, is not clang's.
fn takes_words_as_they_are(words: &[OsString]) -> bool {
    words.get(1).is_some_and(|w| w == "exec" || w == "nvcc")
}

fn dispatch(cli: Cli, clang_args: Vec<OsString>) -> Result<u8, String> {
    match cli.command {
        Command::Check(CheckCommandArgs { of: mut args, paths }) => {
            colour::say(args.analysis.report.color);
            begin(&mut args.analysis.input, clang_args)?;
            args.analysis.launch.concrete()?;
            args.analysis.paths = paths.take(&mut args.analysis.launch.args)?;
            let alias = if args.may_alias { Alias::All } else { Alias::Never };
            let how = Engines::All(Evolve { alias, ..Evolve::default() });
            check(&args, &how)
        }
        Command::Prove(ProveCommandArgs { of: mut args, proof_log }) => {
            colour::say(args.analysis.report.color);
            begin(&mut args.analysis.input, clang_args)?;
            if let Some(dir) = &proof_log {
                proof_log::prepare(dir)?;
                // An answer of an earlier run has no log.
                args.project.no_cache = true;
            }
            let how = Engines::Prover { may_alias: args.may_alias, log: proof_log };
            check(&args, &how)
        }
        Command::Exec(args) => {
            colour::say(args.report.color);
            program::exec(&args)
        }
        Command::Nvcc(args) => program::nvcc(&args.words),
        Command::Device(DeviceArgs { command: DeviceCommand::Build(mut args) }) => {
            begin(&mut args.input, clang_args)?;
            match plan::read_one_file(&args.file, &args.project, &args.input) {
                Ok((_, input)) => args.input = input,
                Err(e) => return Ok(refuse(e)),
            }
            Ok(device::build(&args).map_or_else(refuse, |()| 0))
        }
        Command::Recheck(args) => recheck::recheck(&args),
        Command::Search(SearchCommandArgs { of: mut args, mut evolve }) => {
            colour::say(args.analysis.report.color);
            begin(&mut args.analysis.input, clang_args)?;
            args.analysis.launch.concrete()?;
            evolve.alias = if args.may_alias { Alias::All } else { Alias::Writable };
            let how = Engines::Search(evolve);
            check(&args, &how)
        }
        Command::Fences(FencesCommandArgs { of: mut args, weak }) => {
            colour::say(args.analysis.report.color);
            begin(&mut args.analysis.input, clang_args)?;
            args.analysis.launch.concrete()?;
            // What is printed, and what other files say, is not in an answer of an earlier run.
            args.project.no_cache |= weak.stats || weak.needs_files();
            args.analysis.weak = weak;
            check(&args, &Engines::Explorer)
        }
        Command::Equiv(mut args) => {
            colour::say(args.analysis.report.color);
            begin(&mut args.analysis.input, clang_args)?;
            args.analysis.launch.concrete()?;
            let analysis = args.analysis.clone();
            report(&analysis, |_| analysis.clone(), |sources| equiv::equiv(&args, sources))
        }
        Command::Run(mut args) => {
            colour::say(args.analysis.report.color);
            begin(&mut args.analysis.input, clang_args)?;
            args.analysis.launch.concrete()?;
            let wanted = run::Wanted::new(&args);
            let analysis = wanted.as_ref().map_or(&args.analysis, |w| &w.analysis);
            report(analysis, |_| analysis.clone(), |sources| run::run(&args, &wanted, sources))
        }
        Command::Dump(mut args) => {
            begin(&mut args.input, clang_args)?;
            match plan::read_one_file(&args.file, &args.project, &args.input) {
                Ok((_, input)) => args.input = input,
                Err(e) => return Ok(refuse(e)),
            }
            Ok(dump::dump(&args).map_or_else(refuse, |()| 0))
        }
        Command::Lsp(args) => lsp(args, clang_args),
        Command::Explain { kind } => {
            let text = kind.map_or_else(kinds_text, |kind| explain(kind).to_owned());
            output::write_text(&text, None).map(|()| 0)
        }
        Command::Completions { shell } => manual::completions(shell).map(|()| 0),
        Command::Man { dir } => manual::pages(&dir).map(|()| 0),
    }
}

/// All kinds of finding, a line each.
fn kinds_text() -> String {
    let width = Kind::ALL.iter().map(|kind| kind.name().len()).max().unwrap_or(0);
    let line = |kind: &Kind| format!("{:width$}  {}\n", kind.name(), kind.about().summary);
    let lines: String = Kind::ALL.iter().map(line).collect();
    format!("{lines}\n'lockstep explain KIND' has an example of each, and how to fix it.\n")
}

/// The server checks a file as `check` does with the same options.
fn lsp(args: LspArgs, clang_args: Vec<OsString>) -> Result<u8, String> {
    let options = args.into_files(clang_args)?;
    let parse = |words: Vec<String>| {
        let words = ["lockstep".to_owned(), "lsp".to_owned()].into_iter().chain(words);
        let split = clang_style_args::split(words.map(OsString::from))?;
        match Cli::try_parse_from(split.ours).map_err(|e| e.to_string())?.command {
            Command::Lsp(args) => args.into_files(split.clang),
            _ => Err("only options of check are expected".into()),
        }
    };
    Ok(lsp::serve(options, parse))
}

/// What is the same for all commands that read a file.
fn begin(input: &mut InputArgs, clang_args: Vec<OsString>) -> Result<(), String> {
    input.set_clang_args(clang_args);
    input.cancel = interrupt::token()?;
    Ok(())
}

fn refuse(error: InputError) -> u8 {
    output::print_error(&error);
    BAD_INPUT
}

/// Every kernel of a project's files: the exit status.
fn check(args: &FilesArgs, how: &Engines) -> Result<u8, String> {
    let plan = match Plan::new(args) {
        Ok(plan) => plan,
        Err(e) => return Ok(refuse(e)),
    };
    if let (true, Some(revision)) = (plan.units.is_empty(), &args.project.changed) {
        output::complain(&format!("no CUDA or OpenCL file differs from {revision}"));
    }
    let given = repeat::Given {
        analysis: &plan.analysis,
        build: args.project.build.as_deref(),
        config: args.project.config.as_deref(),
        command: Some(how.command()),
    };
    let path_of = |file: &str| plan.unit_of(file).map(|u| u.path.as_path());
    report(
        &plan.analysis,
        |file| plan.analysis_of(file),
        |sources| {
            let mut report = project::check::check(&plan, how, sources);
            project::check::warn_without_kernels(&plan, &mut report);
            repeat::add(&mut report, &given, path_of);
            report
        },
    )
}

/// Runs an analysis and writes what it found: the exit status.
fn report(
    analysis: &Analysis,
    analysis_of: impl Fn(&str) -> Analysis,
    analyse: impl FnOnce(&mut Sources) -> Report,
) -> Result<u8, String> {
    let started = Instant::now();
    let mut sources = Sources::new();
    let report = analyse(&mut sources);
    output::write_report(&report, &mut sources, analysis, started.elapsed().as_secs_f64())?;
    if let Some(dir) = &analysis.report.witness_dir {
        witness::write_all(&report, dir, analysis_of)?;
    }
    let status = match report.exit_status(analysis.report.allow_unknown) {
        BAD_INPUT => BAD_INPUT,
        _ if analysis.report.exit_zero => 0,
        status => status,
    };
    // What was found stands; of what was not looked at nobody knows.
    let is_cut_short = analysis.input.cancel.is_cancelled();
    Ok(if is_cut_short && status == 0 { interrupt::STATUS } else { status })
}
