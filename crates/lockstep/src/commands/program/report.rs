//! What a program has told, as a report: its kernels with their verdicts, and its host code.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Parser;
use lockstep_finding::{
    ArgValue, ArrayContents, DecidedBy, Finding, HostSite, InputError, KernelReport, Kind,
    LaunchCount, Reason, Report, Verdict, Warning,
};
use lockstep_names as names;
use lockstep_runtime::record::{KernelRecord, LaunchesRecord, Leak, Record, Told};

use crate::cli::options::{Analysis, Cli, Command, Lang};
use crate::cli::program_options::ExecArgs;
use crate::facts::witness;

/// What the report calls the program's host code.
const HOST: &str = "host code";

/// Kinds that only some launches are checked for.
const SAMPLED: [Kind; 3] = [Kind::DataRace, Kind::MissingFence, Kind::UninitialisedRead];

/// The kinds that a run of a program looks for, and that were not asked for.
pub(crate) fn skipped(args: &ExecArgs) -> Vec<Kind> {
    let wanted = wanted(args);
    Kind::ALL.into_iter().filter(|k| !wanted.contains(k)).collect()
}

fn wanted(args: &ExecArgs) -> Vec<Kind> {
    let is_run =
        |k: &Kind| k.is_decided_by(DecidedBy::OneLaunch) || k.is_decided_by(DecidedBy::Program);
    let is_asked = |k: &Kind| args.only.is_empty() || args.only.contains(k);
    Kind::ALL.into_iter().filter(|k| is_run(k) && is_asked(k) && !args.skip.contains(k)).collect()
}

/// A kernel in all processes of the program.
#[derive(Default)]
struct OfKernel {
    about: KernelRecord,
    made: u64,
    checked: u64,
    seconds: f64,
    incomplete: Option<Reason>,
    reached: u32,
    accesses: u32,
    findings: Vec<Finding>,
}

pub(crate) fn of(told: &[Told], program: &str, args: &ExecArgs) -> Report {
    let mut kernels: BTreeMap<(String, u32, String), OfKernel> = BTreeMap::new();
    let mut host: Vec<Finding> = Vec::new();
    let mut leaks: Vec<Leak> = Vec::new();
    let mut failures: Vec<InputError> = Vec::new();
    for process in told {
        let mut names: BTreeMap<usize, (String, u32, String)> = BTreeMap::new();
        let mut counts: BTreeMap<usize, &LaunchesRecord> = BTreeMap::new();
        for record in &process.records {
            match record {
                Record::Kernel(k) => {
                    let key = (k.file.clone(), k.line, k.mangled.clone());
                    kernels.entry(key.clone()).or_default().about = k.clone();
                    names.insert(k.number, key);
                }
                Record::Launches(l) => {
                    counts.insert(l.kernel, l);
                }
                Record::Finding { kernel: None, finding, .. } => add(&mut host, finding),
                Record::Finding { kernel: Some(number), finding, .. } => {
                    if let Some(of) = names.get(number).and_then(|key| kernels.get_mut(key)) {
                        add(&mut of.findings, finding);
                    }
                }
                Record::Source { .. } | Record::Recorded { .. } => {}
                Record::Failed { message } => {
                    let failure = InputError { file: program.to_owned(), message: message.clone() };
                    if !failures.contains(&failure) {
                        failures.push(failure);
                    }
                }
                Record::End { leaks: own } => leaks.extend(own.iter().cloned()),
            }
        }
        for (number, count) in counts {
            let Some(of) = names.get(&number).and_then(|key| kernels.get_mut(key)) else {
                continue;
            };
            of.made += count.made;
            of.checked += count.checked;
            of.seconds += count.seconds;
            of.incomplete = of.incomplete.take().or_else(|| count.incomplete.clone());
            of.reached = of.reached.max(count.reached);
            of.accesses = of.accesses.max(count.accesses);
        }
    }
    let kinds = wanted(args);
    let mut reports: Vec<KernelReport> =
        kernels.into_values().map(|of| kernel_report(of, &kinds)).collect();
    let looks_at_host = kinds.contains(&Kind::ApiError);
    if !told.is_empty() && (looks_at_host || !host.is_empty()) {
        reports.push(host_report(host, program, &kinds));
    }
    let mut warnings = Vec::new();
    if told.is_empty() {
        let message = format!(
            "{program} has not used the runtime library: was it compiled with lockstep nvcc, or does it take the platform Lockstep of OpenCL?"
        );
        warnings.push(Warning { file: String::new(), line: 0, message });
    }
    warnings.extend(leak_note(&leaks));
    Report { kernels: reports, warnings, errors: failures, ..Report::default() }
}

/// For people: each message with its launch, and launches without the contents of their arrays.
pub(crate) fn for_people(report: &mut Report) {
    for finding in report.kernels.iter_mut().flat_map(|k| &mut k.findings) {
        if let Some(HostSite { file, line, launch: Some(number) }) = &finding.host {
            let at = match (file, line) {
                (Some(file), Some(line)) => format!(", made at {file}:{line}"),
                _ => String::new(),
            };
            finding.message += &format!(" (launch {number}{at})");
        }
        for (_, value) in finding.launch.iter_mut().flat_map(|l| &mut l.args) {
            if let ArgValue::Array(array) = value {
                array.contents = ArrayContents::Zeros;
            }
        }
    }
}

/// Several processes may tell of one defect.
fn add(findings: &mut Vec<Finding>, finding: &Finding) {
    let same = |f: &Finding| {
        f.kind == finding.kind && f.message == finding.message && f.accesses == finding.accesses
    };
    match findings.iter_mut().find(|f| same(f)) {
        Some(known) => known.occurrences += finding.occurrences,
        None => findings.push(finding.clone()),
    }
}

fn kernel_report(of: OfKernel, kinds: &[Kind]) -> KernelReport {
    let OfKernel { about, made, checked, seconds, incomplete, reached, accesses, findings } = of;
    let percent = if accesses == 0 { 100 } else { 100 * u64::from(reached) / u64::from(accesses) };
    let launches = |n: u64| format!("{n} launch{}", if n == 1 { "" } else { "es" });
    let coverage = format!("{percent}% of the accesses");
    let verdict = |kind: Kind| {
        if findings.iter().any(|f| f.kind == kind) {
            return Verdict::Found;
        }
        if let Some(because) = &incomplete {
            return Verdict::Unknown { because: because.clone() };
        }
        let covered = match SAMPLED.contains(&kind) && checked < made {
            true => format!("{checked} of {}, {coverage}", launches(made)),
            false => format!("{}, {coverage}", launches(made)),
        };
        Verdict::Clean { covered }
    };
    let verdicts = (kinds.iter())
        .filter(|k| !k.is_decided_by(DecidedBy::Program))
        .map(|k| (*k, verdict(*k)))
        .collect();
    KernelReport {
        name: about.name,
        mangled: about.mangled,
        file: if about.file.is_empty() { "-".into() } else { about.file },
        line: about.line.max(1),
        language: about.language,
        verdicts,
        findings,
        seconds,
        launches: Some(LaunchCount { made, checked }),
        ..KernelReport::default()
    }
}

fn host_report(findings: Vec<Finding>, program: &str, kinds: &[Kind]) -> KernelReport {
    let is_found = |kind: Kind| findings.iter().any(|f| f.kind == kind);
    let mut verdicts = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|k| kinds.contains(k)) {
        if is_found(kind) {
            verdicts.push((kind, Verdict::Found));
        } else if kind == Kind::ApiError {
            verdicts.push((kind, Verdict::Clean { covered: "the calls of this run".into() }));
        }
    }
    KernelReport {
        name: HOST.into(),
        mangled: HOST.into(),
        file: program.into(),
        line: 1,
        language: "cuda".into(),
        verdicts,
        findings,
        ..KernelReport::default()
    }
}

/// Memory that was not freed is worth a line.
fn leak_note(leaks: &[Leak]) -> Option<Warning> {
    const MOST: usize = 3;
    let bytes: u64 = leaks.iter().map(|l| l.bytes).sum();
    if leaks.is_empty() {
        return None;
    }
    let mut places: Vec<&str> = leaks.iter().take(MOST).map(|l| l.told.as_str()).collect();
    if leaks.len() > MOST {
        places.push("…");
    }
    let message =
        format!("{bytes} bytes of the device's memory were not freed: {}", places.join(", "));
    Some(Warning { file: String::new(), line: 0, message })
}

/// Writes a witness for each finding whose launch can be repeated alone.
pub(crate) fn write_witnesses(
    told: &[Told],
    report: &Report,
    dir: &Path,
    args: &ExecArgs,
) -> Result<(), String> {
    let records = || told.iter().flat_map(|t| &t.records);
    let is_whole = |f: &Finding| {
        records().any(|r| {
            matches!(r, Record::Finding { whole: true, finding, .. }
                if finding.message == f.message && finding.accesses == f.accesses)
        })
    };
    let mut some = report.clone();
    for kernel in &mut some.kernels {
        kernel.findings.retain(|f| is_whole(f));
    }
    let Some(mut analysis) = usual_analysis() else { return Ok(()) };
    analysis.input.clang_args = args.compiler_options();
    analysis.input.cuda_path.clone_from(&args.cuda_path);
    analysis.launch.scheduling = args.scheduling;
    // Programs of OpenCL say how they are compiled, each for itself.
    let mut compiled: BTreeMap<String, Analysis> = BTreeMap::new();
    for record in records() {
        let Record::Kernel(about) = record else { continue };
        if about.language == OPENCL {
            let mut own = analysis.clone();
            own.input.lang = Some(Lang::Opencl);
            own.input.clang_args = about.options.iter().map(Into::into).collect();
            compiled.insert(about.file.clone(), own);
        }
    }
    // A text that is in no file gets one beside the witnesses.
    for (name, text) in told.iter().flat_map(Told::sources) {
        let file = dir.join(name);
        let shown = names::shown(&file);
        let mut of_text = some.kernels.iter_mut().filter(|k| k.file == name).peekable();
        if of_text.peek().is_none() {
            continue;
        }
        of_text.for_each(|k| k.file.clone_from(&shown));
        std::fs::create_dir_all(dir)
            .and_then(|()| std::fs::write(&file, text))
            .map_err(|e| format!("cannot write '{shown}': {e}"))?;
        if let Some(own) = compiled.get(name).cloned() {
            compiled.insert(shown, own);
        }
    }
    witness::write_all(&some, dir, |file| compiled.get(file).unwrap_or(&analysis).clone())
}

/// What records call OpenCL C.
const OPENCL: &str = "opencl";

/// What `run` does without options.
fn usual_analysis() -> Option<Analysis> {
    match Cli::try_parse_from(["lockstep", "run", "-"]).ok()?.command {
        Command::Run(args) => Some(args.analysis),
        _ => None,
    }
}
