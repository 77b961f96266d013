//! After all kernels: which findings count, and each of them once.

use std::collections::HashMap;

use lockstep_finding::source::Sources;
use lockstep_finding::{Finding, KernelReport, Kind, Place, Report, Severity};
use lockstep_project::baseline::Baseline;
use lockstep_project::suppress::{self, Rules};

use crate::project::plan::Plan;

/// Applies suppressions and the baseline, and shows what several instances of a template share only once.
pub(crate) fn settle(
    plan: &Plan,
    report: &mut Report,
    sources: &mut Sources,
    whole: &[String],
    marked: &[String],
) {
    let projects: Vec<_> = plan.projects.iter().map(|p| (&p.config, p.baseline)).collect();
    let project_of = |file: &str| plan.unit_of(file).map_or(0, |u| u.project);
    let mut baselines = plan.baselines.clone();
    let baselines = &mut baselines;
    let rules = Rules { projects: &projects, baselines, project_of: &project_of, whole, marked };
    suppress::apply(report, sources, rules);
    for kernel in &mut report.kernels {
        let unit = plan.unit_of(&kernel.file);
        kernel.unknown_allowed =
            unit.is_some_and(|u| plan.project(u).analysis.report.allow_unknown);
    }
    if let Some(path) = &plan.write_baseline
        && let Err(message) = Baseline::write(path, report, sources)
    {
        report.errors.push(crate::facts::load::error("", message));
    }
    share(report);
}

/// What a finding is about, but for the instance of the template.
type Identity = (String, Kind, bool, Option<String>, Vec<(lockstep_finding::Action, Place)>);

fn identity(kernel: &KernelReport, finding: &Finding) -> Identity {
    let [_, _, plain, _] = suppress::names(&kernel.name, &kernel.mangled);
    let access = |a: &lockstep_finding::Access| {
        let nameless =
            |p: &Place| Place { function: String::new(), inlined_at: Vec::new(), ..p.clone() };
        let mut place = nameless(&a.place);
        place.inlined_at = a.place.inlined_at.iter().map(nameless).collect();
        (a.op, place)
    };
    let mut places: Vec<_> = finding.accesses.iter().map(access).collect();
    // Which of the two accesses comes first is chance.
    places.sort();
    let condition = finding.holds_when.as_ref().map(ToString::to_string);
    let confirmed = finding.confidence == lockstep_finding::Confidence::Confirmed;
    (plain.to_owned(), finding.kind, confirmed, condition, places)
}

/// Leaves a finding that several kernels have at the same places with one of them, which names the others: the first for
/// which it is of the highest severity.
fn share(report: &mut Report) {
    let mut best: HashMap<Identity, (Severity, usize)> = HashMap::new();
    for (i, kernel) in report.kernels.iter().enumerate() {
        for finding in kernel.findings.iter().filter(|f| f.suppressed.is_none()) {
            let known = best.entry(identity(kernel, finding)).or_insert((finding.severity, i));
            if finding.severity > known.0 {
                *known = (finding.severity, i);
            }
        }
    }
    let mut names: HashMap<Identity, Vec<usize>> = HashMap::new();
    for i in 0..report.kernels.len() {
        for finding in std::mem::take(&mut report.kernels[i].findings) {
            let identity = identity(&report.kernels[i], &finding);
            let shown_by =
                best.get(&identity).map(|b| b.1).filter(|_| finding.suppressed.is_none());
            match shown_by {
                // Instances of one kernel: its own findings differ in more than places.
                Some(k) if k != i => {
                    let counted = report.kernels[i].counted(&finding);
                    report.kernels[i].elsewhere.push((finding.kind, counted));
                    let others = names.entry(identity).or_default();
                    if !others.contains(&i) {
                        others.push(i);
                    }
                }
                _ => report.kernels[i].findings.push(finding),
            }
        }
    }
    for (identity_of, others) in names {
        let Some(&(severity, k)) = best.get(&identity_of) else { continue };
        let texts: Vec<String> =
            others.iter().map(|&i| name_beside(&report.kernels[k], &report.kernels[i])).collect();
        let kernel = &report.kernels[k];
        let is_it = |f: &Finding| {
            f.suppressed.is_none() && f.severity == severity && identity(kernel, f) == identity_of
        };
        let Some(at) = kernel.findings.iter().position(is_it) else { continue };
        let shown = &mut report.kernels[k].findings[at];
        for text in texts {
            if !shown.also_in.contains(&text) {
                shown.also_in.push(text);
            }
        }
    }
}

/// The name of another kernel, with its file where that is another too.
fn name_beside(shown: &KernelReport, other: &KernelReport) -> String {
    match shown.file == other.file {
        true => other.name.clone(),
        false => format!("{} ({})", other.name, other.file),
    }
}
