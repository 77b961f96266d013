//! One launch through the simulator, and the report of it.

use std::time::Duration;

use lockstep_cancel::Moment;

use lockstep_finding::launch::dims_text;
use lockstep_finding::{
    Confidence, Finding, KernelReport, Kind, Launch, Output, Reason, Statement, Verdict,
};
use lockstep_frontend::Uninstantiated;
use lockstep_kernel::{Kernel, Language};
use lockstep_prove::Proof;
use lockstep_search::Searched;
use lockstep_simulate::{Config, Outcome, Stats, bind, simulate};

use crate::cli::options::Analysis;
use crate::engines::verdicts::{self, Evidence};

/// Warp instructions that stand for a second of budget.
const STEPS_PER_SECOND: f64 = 20_000_000.0;
/// Longest text of a kernel that is kept.
const MAX_PRINT: usize = 1 << 20;

/// How to simulate one launch, or several.
pub(crate) fn config(
    analysis: &Analysis,
    default_budget: f64,
    workers: usize,
    several: bool,
) -> Config {
    let budget = analysis.search.budget.unwrap_or(default_budget);
    Config {
        scheduling: analysis.launch.scheduling().scheduling(),
        warp_size: analysis.launch.warp_size(),
        jobs: (jobs(analysis) / workers.max(1)).max(1),
        max_steps: ((budget * STEPS_PER_SECOND) as u64).max(1),
        kinds: verdicts::kinds(&analysis.search, several),
        max_print: MAX_PRINT,
        deadline: Duration::try_from_secs_f64(budget)
            .ok()
            .filter(|_| !analysis.search.reproducible)
            .map(|b| Moment::now() + b),
        barrier_needs: false,
        outputs: true,
        only: None,
        store_buffers: None,
        cancel: analysis.input.cancel.clone(),
    }
}

pub(crate) fn jobs(analysis: &Analysis) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
    analysis.search.jobs.unwrap_or_else(cores)
}

pub(crate) fn execute(
    kernel: &Kernel,
    launch: &Launch,
    config: &Config,
) -> Result<Outcome, String> {
    let bound = bind::bind(kernel, launch)?;
    simulate(kernel, &bound, config).map_err(|e| e.to_string())
}

/// What is reported of a simulated launch.
pub(crate) struct Simulated<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) file: &'a str,
    pub(crate) launch: Launch,
    pub(crate) outcome: Outcome,
    pub(crate) outputs: Vec<Output>,
    pub(crate) started: Moment,
}

impl Simulated<'_> {
    pub(crate) fn report(self, config: &Config, strict: bool) -> KernelReport {
        let mut findings = self.outcome.findings;
        for finding in &mut findings {
            finding.launch = Some(self.launch.clone());
        }
        let stats = self.outcome.stats;
        let evidence = Evidence {
            findings: &findings,
            incomplete: self.outcome.incomplete.as_ref(),
            doubts: &[],
            notes: &[],
            covered: verdicts::covered(
                one_launch(&self.launch),
                stats.sites_reached as usize,
                stats.sites_total as usize,
            ),
            sites: None,
            several: false,
            strict,
        };
        let verdicts = evidence.verdicts(&config.kinds);
        KernelReport {
            verdicts,
            findings,
            printed: self.outcome.printed,
            outputs: self.outputs,
            launch: Some(self.launch),
            seconds: self.started.elapsed().as_secs_f64(),
            ..empty_report(self.kernel, self.file)
        }
    }
}

fn one_launch(launch: &Launch) -> String {
    let (size, dims) = match launch.global {
        Some(global) => ("global size", global),
        None => ("grid", launch.grid),
    };
    format!("1 launch ({size} {}, block {})", dims_text(dims), dims_text(launch.block))
}

/// The report of a search.
pub(crate) fn searched_report(
    kernel: &Kernel,
    file: &str,
    searched: Searched,
    kinds: &[Kind],
    strict: bool,
    started: Moment,
) -> KernelReport {
    let launches = match (searched.launches, &searched.launch) {
        (0 | 1, Some(launch)) => one_launch(launch),
        (n, _) => format!("{n} launches"),
    };
    let launches = match searched.sampled {
        Some((blocks, all)) => format!("{launches}, {blocks} of its {all} blocks"),
        None => launches,
    };
    let mut covered = verdicts::covered(launches, searched.sites.0, searched.sites.1);
    if let Some(because) = &searched.cut {
        covered = format!("{covered}; others were given up: {because}");
    }
    let evidence = Evidence {
        findings: &searched.findings,
        incomplete: searched.incomplete.as_ref(),
        doubts: &searched.doubts,
        notes: &searched.notes,
        covered,
        sites: searched.may_vary.then_some(searched.sites),
        several: true,
        strict,
    };
    KernelReport {
        verdicts: evidence.verdicts(kinds),
        launch: searched.launch.filter(|_| searched.launches <= 1),
        findings: searched.findings,
        seconds: started.elapsed().as_secs_f64(),
        ..empty_report(kernel, file)
    }
}

/// The report of a proof: verdicts for what the prover looks for.
pub(crate) fn proved_report(
    kernel: &Kernel,
    file: &str,
    proof: Option<Proof>,
    kinds: &[Kind],
    strict: bool,
    started: Moment,
) -> KernelReport {
    let (mut verdicts, alarms) = proof.map_or((Vec::new(), Vec::new()), |p| (p.verdicts, p.alarms));
    let mut findings: Vec<Finding> = alarms.into_iter().map(|a| a.finding).collect();
    findings.sort_by_key(|f| (f.holds_when.is_some(), f.confidence == Confidence::Possible));
    for (kind, verdict) in &mut verdicts {
        let stands = |f: &Finding| f.kind == *kind && f.holds_when.is_none();
        if strict && findings.iter().any(stands) {
            *verdict = Verdict::Found;
        }
    }
    for kind in kinds {
        if !verdicts.iter().any(|(k, _)| k == kind) {
            let because = Reason::NotLookedForByProver { kind: *kind };
            verdicts.push((*kind, Verdict::Unknown { because }));
        }
    }
    verdicts.sort_by_key(|(k, _)| *k);
    KernelReport {
        verdicts,
        findings,
        seconds: started.elapsed().as_secs_f64(),
        ..empty_report(kernel, file)
    }
}

/// The report of a kernel that could not be launched, for one reason.
pub(crate) fn unknown_report(
    kernel: &Kernel,
    file: &str,
    kinds: &[Kind],
    because: &Reason,
) -> KernelReport {
    let evidence = Evidence {
        findings: &[] as &[Finding],
        incomplete: Some(because),
        doubts: &[],
        notes: &[],
        covered: String::new(),
        sites: None,
        several: true,
        strict: false,
    };
    KernelReport { verdicts: evidence.verdicts(kinds), ..empty_report(kernel, file) }
}

/// The report of a template that has no instance.
pub(crate) fn template_report(
    template: &Uninstantiated,
    file: &str,
    kinds: &[Kind],
) -> KernelReport {
    let why = template.because.clone();
    let unknown = || Verdict::Unknown { because: Reason::NotInstantiated { why: why.clone() } };
    KernelReport {
        name: template.template.clone(),
        mangled: template.template.clone(),
        file: file.to_owned(),
        line: template.line,
        language: Language::Cuda.to_string(),
        verdicts: kinds.iter().map(|k| (*k, unknown())).collect(),
        ..KernelReport::default()
    }
}

/// Says of a report that it is about one choice of a template's arguments.
pub(crate) fn name_choice(report: &mut KernelReport, arguments: &str) {
    report.chosen = Some(arguments.to_owned());
    for (_, verdict) in &mut report.verdicts {
        if let Verdict::Proved { assumes } = verdict {
            let arguments = arguments.to_owned();
            assumes.push(Statement::TemplateArguments { arguments }.into());
        }
    }
}

pub(crate) fn empty_report(kernel: &Kernel, file: &str) -> KernelReport {
    let line = kernel.locs.get(kernel.loc.0 as usize).map_or(0, |l| l.line);
    KernelReport {
        name: kernel.name.clone(),
        mangled: kernel.mangled.clone(),
        file: file.to_owned(),
        header: header(kernel, file),
        line,
        language: kernel.language.to_string(),
        verdicts: Vec::new(),
        findings: Vec::new(),
        for_every: Vec::new(),
        printed: String::new(),
        outputs: Vec::new(),
        launches: None,
        launch: None,
        seconds: 0.0,
        instances: Vec::new(),
        arch: None,
        chosen: None,
        explanation: None,
        operations: Vec::new(),
        elsewhere: Vec::new(),
        ended_by_clock: false,
        budget: None,
        go_on: None,
        unknown_allowed: false,
    }
}

/// The file that a kernel stands in, where it is another than the one that was checked.
pub(crate) fn header(kernel: &Kernel, file: &str) -> Option<String> {
    let loc = kernel.locs.get(kernel.loc.0 as usize).filter(|l| l.line > 0)?;
    kernel.files.get(loc.file as usize).filter(|f| *f != file).cloned()
}

/// Counters of a simulation, for `--verbose`.
pub(crate) fn stats_text(stats: &Stats) -> String {
    format!(
        "{} warp steps, {} lane steps, {} of {} sites reached, {} bytes of memory, {} bytes of shadow",
        stats.warp_steps,
        stats.lane_steps,
        stats.sites_reached,
        stats.sites_total,
        stats.memory_bytes,
        stats.shadow_bytes
    )
}
