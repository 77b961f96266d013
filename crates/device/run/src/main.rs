//! `lockstep-device`: runs what `lockstep device build` has written.

#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
mod older_glibc;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand, ValueEnum};
use lockstep_device::archive::{Archive, Scheme};
use lockstep_device_run::{Failure, Ran, Request, run, witness};
use lockstep_finding::render::{self, HtmlOptions, HumanOptions, SarifOptions};
use lockstep_finding::source::Sources;
use lockstep_finding::{
    ArgValue, Confidence, KernelReport, Kind, Launch, Reason, Report, Verdict, Warning,
};
use lockstep_names as names;

/// The input, or an option, could not be used.
const BAD_INPUT: u8 = 2;

/// Runs kernels that 'lockstep device build' has written, on this machine's GPU.
#[derive(Debug, Parser)]
#[command(
    name = "lockstep-device",
    version,
    arg_required_else_help = true,
    after_help = "Exit status: 0 nothing was found, 1 at least one error was found, 2 the launch could not be made, 3 nothing \
                  was found but something is unknown."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Launch a kernel with the checker and without it; print what was found, and both times
    #[command(after_help = "Example:\n  \
        lockstep-device run reduce.lsd --block 256 --grid 264 --arg 'in=f32[67584]:random' --arg 'out=f32[264]' --arg n=67584")]
    Run(Box<RunArgs>),
    /// Print what is in an archive: which accesses are checked, and how much memory that takes
    #[command(after_help = "Example:\n  lockstep-device show reduce.lsd")]
    Show { file: PathBuf },
}

#[derive(Debug, Args)]
struct RunArgs {
    /// What lockstep device build has written
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Threads per block
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions)]
    block: [u32; 3],
    /// Blocks in the grid
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions, default_value = "1")]
    grid: [u32; 3],
    /// Bytes of dynamic shared memory
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    shared: u32,
    /// Value of a kernel parameter, as for 'lockstep run'; repeatable
    #[arg(long = "arg", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    args: Vec<String>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How long the kernel may take, with the checker and without
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    budget: f64,
    /// The number of the GPU
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: u32,
    /// How races are told: 'flag' names the access that came second; 'statement' launches once more, and names both
    #[arg(long, value_enum, default_value = "flag")]
    scheme: SchemeArg,
    /// Compare the arrays after the launch with those that the simulator computes
    #[arg(long)]
    compare: bool,
    /// Launch each kernel N times, on equal arrays; the first launch is not timed, and the median of the others is printed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,
    /// Launch the kernel only as it is, without the checker: for its time, or below another tool
    #[arg(long)]
    native: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Write the report to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the launch of each finding to a file in DIR, for 'lockstep run --replay'
    #[arg(long, value_name = "DIR", conflicts_with = "native")]
    witness_dir: Option<PathBuf>,
    /// Treat possible findings as errors
    #[arg(long)]
    strict: bool,
    /// Exit with 0, not 3, if something is unknown
    #[arg(long)]
    allow_unknown: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SchemeArg {
    Flag,
    Statement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Concise,
    Json,
    Sarif,
    Github,
    Html,
}

fn dimensions(text: &str) -> Result<[u32; 3], String> {
    let mut out = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err(format!("{} dimensions; there are at most 3", parts.len()));
    }
    for (slot, part) in out.iter_mut().zip(parts) {
        *slot = part.trim().parse().map_err(|_| format!("'{part}' is not a dimension"))?;
        if *slot == 0 {
            return Err("a dimension is zero".into());
        }
    }
    Ok(out)
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s < 1e9 => Ok(s),
        _ => Err("a number of seconds above 0 expected".into()),
    }
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(args) => launch(&args),
        Command::Show { file } => show(&file),
    };
    ExitCode::from(done.unwrap_or_else(|message| {
        eprintln!("error: {message}");
        BAD_INPUT
    }))
}

fn read(file: &Path) -> Result<Archive, String> {
    let shown = names::shown(file);
    let bytes = std::fs::read(file).map_err(|e| format!("cannot read '{shown}': {e}"))?;
    Archive::from_bytes(&bytes).map_err(|e| format!("'{shown}' cannot be used: {e}"))
}

fn show(file: &Path) -> Result<u8, String> {
    let archive = read(file)?;
    let plan = &archive.plan;
    println!("kernel {} of {} for {}", archive.kernel.name, archive.file, archive.architecture);
    let code = match archive.plain_cubin {
        Some(_) => format!("PTX, and a cubin for {}", archive.architecture),
        None => "PTX".into(),
    };
    println!("written by lockstep {}, -O{}: {code}", archive.version, archive.level);
    println!(
        "{} accesses checked, of them {} recorded once for others, {} left out; a cell for {} B of shared and {} B of global memory",
        plan.checked.len(),
        plan.recorded_once().count(),
        plan.pruned.len(),
        1 << plan.shared_shift,
        1 << plan.global_shift
    );
    for parameter in archive.kernel.params.iter() {
        println!("parameter {}", lockstep_simulate::bind::example(parameter));
    }
    Ok(0)
}

fn launch(args: &RunArgs) -> Result<u8, String> {
    let archive = read(&args.file)?;
    let started = Instant::now();
    let threads: u64 = args.block.iter().map(|&d| u64::from(d)).product();
    if threads > 1024 {
        return Err(format!("{threads} threads in a block are more than the 1024 of every GPU"));
    }
    let values = args.args.iter().map(|a| ArgValue::parse_assignment(a));
    let launch = Launch {
        grid: args.grid,
        block: args.block,
        global: None,
        shared: args.shared,
        args: values.collect::<Result<_, _>>()?,
        seed: args.seed,
    };
    let launch = lockstep_simulate::bind::named(&archive.kernel, &launch)?;
    let request = Request {
        launch: launch.clone(),
        scheme: match args.scheme {
            SchemeArg::Flag => Scheme::Flag,
            SchemeArg::Statement => Scheme::Statement,
        },
        limit: Duration::from_secs_f64(args.budget),
        device: args.device,
        compare: args.compare,
        repeat: args.repeat,
        native: args.native,
    };
    let ran = run(&archive, &request).map_err(|e| e.to_string())?;
    let seconds = started.elapsed().as_secs_f64();
    let differs = ran.differences.as_ref().is_some_and(|d| !d.is_empty());
    let code = if ran.assembled { "cubin" } else { "PTX" };
    let on = format!("{} (driver for CUDA {}, {code})", ran.device, ran.driver);
    if args.native {
        ran.differences.iter().flatten().for_each(|d| eprintln!("warning: {d}"));
        eprintln!("{on}: {}", ms_of(ran.plain));
        return Ok(differs.into());
    }
    let report = reported(&archive, &ran, launch, seconds, args.strict);
    let text = rendered(&report, args, seconds);
    match &args.output {
        Some(file) => std::fs::write(file, text)
            .map_err(|e| format!("cannot write '{}': {e}", names::shown(file)))?,
        None => print!("{text}"),
    }
    if let Some(dir) = &args.witness_dir {
        witness::write_all(&archive, &ran.findings, dir)?;
    }
    report.warnings.iter().for_each(|w| eprintln!("warning: {w}"));
    eprintln!(
        "{on}: {}, with the checker {}; cells: {} B of global memory, {} B of shared memory for each block",
        ms_of(ran.plain),
        ms_of(ran.checked),
        ran.global_cells,
        ran.shared_cells
    );
    if let (Some(counted), Some(ms)) = (&ran.counted, ran.recorded) {
        let short = if counted.is_short { "; there were more accesses than room" } else { "" };
        eprintln!(
            "with records {ms:.4} ms: {} statements in {} pairs race, for {} pieces of memory{short}",
            counted.statements, counted.pairs, counted.pieces
        );
    }
    Ok(match report.exit_status(args.allow_unknown) {
        0 | 3 if differs => 1,
        status => status,
    })
}

fn ms_of(time: Option<f64>) -> String {
    time.map_or("not ended".into(), |ms| format!("{ms:.4} ms"))
}

fn rendered(report: &Report, args: &RunArgs, seconds: f64) -> String {
    let mut sources = Sources::new();
    match args.format {
        Format::Concise => render::concise(report, &mut sources, false),
        Format::Json => render::json(report, &mut sources),
        Format::Sarif => {
            let exit_status = report.exit_status(args.allow_unknown);
            render::sarif(report, &mut sources, &SarifOptions { exit_status, book: None })
        }
        Format::Github => render::github(report, &mut sources),
        Format::Html => render::html(report, &mut sources, &HtmlOptions { seconds: Some(seconds) }),
        Format::Human => {
            let options = HumanOptions { seconds: Some(seconds), ..HumanOptions::default() };
            render::human(report, &mut sources, &options)
        }
    }
}

fn reported(archive: &Archive, ran: &Ran, launch: Launch, seconds: f64, strict: bool) -> Report {
    let kernel = &archive.kernel;
    let mut findings = ran.findings.clone();
    if strict {
        findings.iter_mut().for_each(|f| f.confidence = Confidence::Confirmed);
    }
    let is_whole = ran.gaps.is_empty() && ran.stopped.is_none();
    let covered = || Verdict::Clean { covered: format!("this launch on {}", ran.device) };
    let verdict = |kind: Kind, all: bool| {
        let mut of = findings.iter().filter(|f| f.kind == kind);
        if of.clone().any(|f| f.confidence == Confidence::Confirmed) {
            return Some(Verdict::Found);
        }
        if of.next().is_some() {
            return Some(Verdict::Unknown { because: Reason::NotConfirmed });
        }
        match is_whole {
            true => all.then(covered),
            false => Some(Verdict::Unknown { because: Reason::NotLookedFor { kind } }),
        }
    };
    // Accesses that cannot race are not checked for anything.
    let all_checked = archive.plan.pruned.is_empty();
    let verdicts =
        [(Kind::DataRace, true), (Kind::OutOfBounds, all_checked), (Kind::BarrierDivergence, true)];
    let verdicts =
        verdicts.into_iter().filter_map(|(kind, all)| Some((kind, verdict(kind, all)?))).collect();
    let place = lockstep_simulate::place(kernel, kernel.loc);
    let warning = |message: String| Warning { file: archive.file.clone(), line: 0, message };
    let mut warnings: Vec<Warning> =
        ran.gaps.iter().map(|g| warning(g.text().to_owned())).collect();
    warnings.extend(ran.stopped.iter().map(|f: &Failure| warning(f.to_string())));
    let differences = ran.differences.iter().flatten();
    warnings.extend(differences.map(|d| warning(d.to_string())));
    let report = KernelReport {
        name: kernel.name.clone(),
        mangled: kernel.mangled.clone(),
        file: archive.file.clone(),
        line: place.line,
        language: kernel.language.to_string(),
        arch: Some(archive.architecture.clone()),
        verdicts,
        findings,
        launch: Some(launch),
        seconds,
        ..KernelReport::default()
    };
    Report { kernels: vec![report], warnings, ..Report::default() }
}
