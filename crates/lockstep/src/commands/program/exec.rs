//! `lockstep exec`: a program is run, and what its kernels and its host code do wrong is reported.
//!
//! The program runs as it is: its input, output and exit status are its own. It tells what it finds in files
//! ([`lockstep_runtime::record`]), which are read when it has ended, however that was.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Instant;

use lockstep_finding::source::Sources;
use lockstep_finding::{ProgramEnd, Report};
use lockstep_names as names;
use lockstep_runtime::record;

use crate::cli::BAD_INPUT;
use crate::cli::interrupt;
use crate::cli::options::SchedulingArg;
use crate::cli::output;
use crate::cli::program_options::ExecArgs;
use crate::commands::program::compile::{Build, Scratch};
use crate::commands::program::{drivers, keep, library, report};

/// The exit status.
pub(crate) fn exec(args: &ExecArgs) -> Result<u8, String> {
    // Ctrl-C is the program's: what is known when it has ended is reported.
    let cancel = interrupt::token()?;
    let started = Instant::now();
    let scratch = Scratch::new("exec")?;
    let (program, rest) = args.program_and_arguments();
    let records = scratch.path().join("records");
    std::fs::create_dir(&records)
        .map_err(|e| format!("cannot make a folder for what is found: {e}"))?;
    let file = Path::new(program);
    let is_source = file.extension().is_some_and(|e| e == "cu");
    let path = if is_source { compile(args, file, &scratch)? } else { found(program)? };
    let mut command = Command::new(&path);
    command.args(rest);
    configure(&mut command, args, &records)?;
    let status =
        command.status().map_err(|e| format!("cannot start '{}': {e}", names::shown(&path)))?;
    let told = record::read(&records).map_err(|e| format!("cannot read what was found: {e}"))?;
    if let Some(dir) = &args.record {
        keep::keep(&told, dir)?;
    }
    let name = names::shown(file);
    let mut made = report::of(&told, &name, args);
    made.program = Some(end_of(status));
    let mut sources = Sources::new();
    let texts: Vec<(&str, &str)> = told.iter().flat_map(record::Told::sources).collect();
    texts.iter().for_each(|(name, text)| sources.insert(name, text));
    let mut in_short = made.clone();
    report::for_people(&mut in_short);
    output::write_program_report(
        &made,
        &in_short,
        &mut sources,
        &args.report,
        started.elapsed().as_secs_f64(),
    )?;
    if let Some(dir) = &args.report.witness_dir {
        report::write_witnesses(&told, &made, dir, args)?;
    }
    Ok(final_status(&made, args, cancel.is_cancelled()))
}

/// 1 where an error was found, else the program's own status if it is not 0, else as for every command.
fn final_status(made: &Report, args: &ExecArgs, is_interrupted: bool) -> u8 {
    let ours = made.exit_status(args.report.allow_unknown);
    let own = made.program.as_ref().map_or(0, |p| p.status);
    match ours {
        1 | BAD_INPUT if !args.report.exit_zero => ours,
        _ if own != 0 => u8::try_from(own).unwrap_or(1),
        _ if args.report.exit_zero => 0,
        0 if is_interrupted => interrupt::STATUS,
        _ => ours,
    }
}

fn end_of(status: ExitStatus) -> ProgramEnd {
    let signal = status.signal();
    let code = status.code().or(signal.map(|s| 128 + s)).unwrap_or(1);
    ProgramEnd { status: code, signal }
}

/// Compiles a source to a program.
fn compile(args: &ExecArgs, source: &Path, scratch: &Scratch) -> Result<PathBuf, String> {
    let mut both = args.compiler_options();
    if let Some(arch) = &args.arch {
        both.push(format!("--offload-arch={arch}").into());
    }
    let build = Build {
        both,
        host: vec![format!("-O{}", args.optimize).into()],
        link: args.linker_options(),
        cuda_path: args.cuda_path.clone(),
        verbose: args.verbose,
        ..Build::default()
    };
    let object = scratch.path().join("unit.o");
    build.compile(source, &object)?;
    let name = source.file_stem().map_or(OsString::from("program"), ToOwned::to_owned);
    let folder = scratch.path().join("bin");
    std::fs::create_dir(&folder).map_err(|e| format!("cannot make a folder: {e}"))?;
    let program = folder.join(name);
    build.link(&[object], &program)?;
    Ok(program)
}

/// A program by its path, or by its name where the shell would find it.
fn found(program: &OsString) -> Result<PathBuf, String> {
    let path = PathBuf::from(program);
    if path.components().count() > 1 || !path.exists() {
        return Ok(path);
    }
    let on_path = std::env::var_os("PATH")
        .is_some_and(|p| std::env::split_paths(&p).any(|d| d.join(&path).exists()));
    // A shell would not look here; whoever names a file that is here means it.
    Ok(if on_path { path } else { Path::new(".").join(path) })
}

fn configure(command: &mut Command, args: &ExecArgs, records: &Path) -> Result<(), String> {
    let folder = library::folder()?;
    let vendors = records.with_file_name("vendors");
    drivers::fill(&vendors, &folder.join(format!("lib{}.so", library::NAME)))
        .map_err(|e| format!("cannot make a folder of OpenCL's drivers: {e}"))?;
    command.env(drivers::VENDORS, vendors);
    let before = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let paths = [folder].into_iter().chain(std::env::split_paths(&before));
    let paths = paths.filter(|p| !p.as_os_str().is_empty());
    let joined = std::env::join_paths(paths).map_err(|e| e.to_string())?;
    command.env("LD_LIBRARY_PATH", joined);
    command.env(record::FOLDER, records);
    command.env(record::CHECK, args.check.name());
    let skips: Vec<&str> = report::skipped(args).iter().map(|k| k.name()).collect();
    command.env(record::SKIP, skips.join(","));
    // A program that is run by another one records where it is told to.
    command.env_remove(record::KEEP);
    if args.record.is_some() {
        command.env(record::KEEP, "1");
    }
    if let Some(most) = args.max_launch {
        command.env(record::MAX_LAUNCH, most.to_string());
    }
    if let Some(jobs) = args.jobs {
        command.env(record::JOBS, jobs.to_string());
    }
    let scheduling = args.scheduling.unwrap_or(SchedulingArg::Independent);
    command.env(record::SCHEDULING, scheduling.name());
    Ok(())
}
