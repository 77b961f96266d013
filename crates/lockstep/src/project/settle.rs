//! After all kernels: which findings count, and each of them once.

use std::collections::HashMap;

use lockstep_finding::source::Sources;
use lockstep_finding::{Finding, KernelReport, Kind, Place, Report};
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

/// Leaves a finding that several kernels have at the same places with the first of them, which names the others.
fn share(report: &mut Report) {
    let mut first: HashMap<Identity, (usize, usize)> = HashMap::new();
    for i in 0..report.kernels.len() {
        let findings = std::mem::take(&mut report.kernels[i].findings);
        let mut own = Vec::new();
        for finding in findings {
            let identity = identity(&report.kernels[i], &finding);
            match first.get(&identity) {
                // Instances of one kernel: its own findings differ in more than places.
                Some(&(k, f)) if k != i && finding.suppressed.is_none() => {
                    let name = name_beside(&report.kernels[k], &report.kernels[i]);
                    let counted = report.kernels[i].counted(&finding);
                    report.kernels[i].elsewhere.push((finding.kind, counted));
                    let shown = &mut report.kernels[k].findings[f];
                    if !shown.also_in.contains(&name) {
                        shown.also_in.push(name);
                    }
                }
                known => {
                    if known.is_none() && finding.suppressed.is_none() {
                        first.insert(identity, (i, own.len()));
                    }
                    own.push(finding);
                }
            }
        }
        report.kernels[i].findings = own;
    }
}

/// The name of another kernel, with its file where that is another too.
fn name_beside(shown: &KernelReport, other: &KernelReport) -> String {
    match shown.file == other.file {
        true => other.name.clone(),
        false => format!("{} ({})", other.name, other.file),
    }
}
