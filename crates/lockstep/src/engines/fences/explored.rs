//! What the exploration of executions adds to a report: missing and redundant fences, and what was seen to be in order.

use lockstep_fences::{Explored, Fault, FenceUse, Remedy, Step, Worth, Wrong};
use lockstep_finding::launch::dims_text;
use lockstep_finding::{
    Access, Action, Approximated, Approximation, Condition, Confidence, DecidedBy, Finding,
    KernelReport, Kind, Launch, Memory, MemorySpace, Origin, Place, Reason, Severity, Statement,
    Verdict,
};
use lockstep_kernel::{Barrier, Kernel, Language, Op, Scope, SiteId, Space};
use lockstep_simulate::{place, site_place};

use crate::engines::fences::explorer::Exploration;
use crate::engines::fences::{texts, timeline};
use crate::engines::verdicts::{is_found, with_conditions};

/// Adds the findings, and says of the kinds that the exploration decides what is known now.
pub(crate) fn join(
    kernel: &Kernel,
    exploration: &Exploration,
    report: &mut KernelReport,
    strict: bool,
) {
    let is_asked = |f: &Finding| report.verdicts.iter().any(|(kind, _)| *kind == f.kind);
    let fresh: Vec<Finding> =
        findings(kernel, exploration).into_iter().filter(|f| is_asked(f)).collect();
    for finding in fresh {
        match report.findings.iter_mut().find(|own| is_same(own, &finding)) {
            // What is shown by an execution says more than what may be.
            Some(own)
                if own.confidence == Confidence::Possible
                    && finding.confidence == Confidence::Confirmed
                    && finding.severity == Severity::Error =>
            {
                *own = finding;
            }
            Some(own) => {
                own.fix = own.fix.take().or(finding.fix);
                if own.help.is_empty() && own.kind == finding.kind {
                    own.help = finding.help;
                }
            }
            None => report.findings.push(finding),
        }
    }
    let ordered = Ordered::new(kernel, exploration);
    report.findings.retain(|f| !ordered.excuses(f));
    let by_weight = |f: &Finding| (f.holds_when.is_some(), f.confidence == Confidence::Possible);
    report.findings.sort_by_key(by_weight);
    let covered = covered(kernel, exploration);
    let too_wide = too_wide(kernel, exploration);
    let races_are_asked = report.verdicts.iter().any(|(kind, _)| *kind == Kind::DataRace);
    for (kind, verdict) in &mut report.verdicts {
        let of_kind = || report.findings.iter().filter(|f| f.kind == *kind);
        let stands = || of_kind().filter(|f| f.holds_when.is_none());
        // A race that was only possible for want of an order that is known now.
        let was_possible = *kind == Kind::DataRace
            && *verdict == Verdict::Unknown { because: Reason::NotConfirmed };
        let better = match (&*verdict, open(*kind, exploration, races_are_asked)) {
            _ if is_found(stands(), strict) => Verdict::Found,
            _ if stands().next().is_some() => Verdict::Unknown { because: Reason::NotConfirmed },
            _ if !kind.is_decided_by(DecidedBy::Exploration) && !was_possible => continue,
            (Verdict::Proved { .. }, _) => continue,
            (Verdict::Clean { covered: runs }, None) if !exploration.is_given => {
                Verdict::Clean { covered: format!("{runs}; {covered}") }
            }
            (_, None) if exploration.is_given && *kind != Kind::RedundantFence => {
                Verdict::Proved { assumes: vec![given_launch(exploration)] }
            }
            (_, None) if *kind == Kind::RedundantFence => {
                let parts = [vec![covered.clone()], too_wide.clone()].concat();
                Verdict::Clean { covered: parts.join("; ") }
            }
            (_, None) => Verdict::Clean { covered: with_conditions(&covered, of_kind()) },
            (Verdict::Unknown { .. }, Some(why)) => Verdict::Unknown { because: why },
            (_, Some(_)) => continue,
        };
        *verdict = better;
    }
}

/// What the executions of a launch that was given prove it for.
fn given_launch(exploration: &Exploration) -> Condition {
    let Launch { grid, block, .. } = exploration.launches[0];
    Condition::new(Statement::GivenLaunch { grid, block }, Origin::Choice)
}

/// Leaves out of a report of all engines that it is not known whether fences could go, and those that perhaps could: that is no
/// reason to look again at a kernel that has no error.
pub(crate) fn leave_out_undecided(report: &mut KernelReport) {
    let is_open = |(kind, verdict): &(Kind, Verdict)| {
        *kind == Kind::RedundantFence && matches!(verdict, Verdict::Unknown { .. })
    };
    if report.verdicts.iter().any(is_open) {
        report.verdicts.retain(|verdict| !is_open(verdict));
        report.findings.retain(|f| f.kind != Kind::RedundantFence);
    }
}

/// Why the absence of findings says nothing; none if all executions of all launches are known. A race that no fence cures may
/// hide that one is missing: the race is reported where races are asked for.
fn open(kind: Kind, exploration: &Exploration, races_are_asked: bool) -> Option<Reason> {
    let answer = &exploration.answer;
    let outside = answer.launches.iter().find_map(|l| l.as_ref().err());
    if let Some(outside) = outside {
        return Some(Reason::NotExplored { why: outside.to_string() });
    }
    if let Some(why) = &exploration.narrow {
        return Some(Reason::NotExplored { why: why.clone() });
    }
    // Fences are judged only in a kernel without faults.
    let is_race = |fault: &Fault| matches!(fault.wrong, Wrong::Race(..));
    let is_hidden = match kind {
        Kind::RedundantFence => !answer.judged,
        _ => !races_are_asked && answer.faults.iter().any(is_race),
    };
    if is_hidden {
        return Some(Reason::NotProvedFreeOfRaces);
    }
    let is_undecided = |fence: &FenceUse| fence.worth == Worth::Undecided;
    if kind == Kind::RedundantFence && answer.fences.iter().any(is_undecided) {
        return Some(Reason::NotExplored { why: "what a fence is for stays open".into() });
    }
    let outside = answer.launches.iter().flatten().find_map(|explored| explored.outside.as_ref());
    let cut = || outside.map(|o| Reason::NotExplored { why: o.to_string() });
    (!answer.exhaustive()).then(|| cut().unwrap_or(Reason::ExplorationCut))
}

/// `all executions under the PTX memory model of 4 launches, the largest with grid 2 and block 2`.
fn covered(kernel: &Kernel, exploration: &Exploration) -> String {
    let model = match kernel.language {
        Language::OpenCl => "OpenCL",
        _ => "PTX",
    };
    let launches = &exploration.launches;
    let dims =
        launches.iter().max_by_key(|launch| launch.threads()).map_or(String::new(), |launch| {
            format!("grid {} and block {}", dims_text(launch.grid), dims_text(launch.block))
        });
    match launches.len() {
        1 => format!("all executions under the {model} memory model with {dims}"),
        n => format!(
            "all executions under the {model} memory model of {n} launches, the largest with {dims}"
        ),
    }
}

/// Whether another engine has found it, too.
fn is_same(own: &Finding, other: &Finding) -> bool {
    let is_order = |f: &Finding| matches!(f.kind, Kind::DataRace | Kind::MissingFence);
    (own.kind == other.kind || is_order(own) && is_order(other)) && lines(own) == lines(other)
}

/// Where the accesses of a finding stand, in a fixed order.
fn lines(finding: &Finding) -> Vec<(String, u32, u32)> {
    let place = |a: &Access| (a.place.file.clone(), a.place.line, a.place.column);
    let mut lines: Vec<_> = finding.accesses.iter().map(place).collect();
    lines.sort();
    lines
}

/// Pairs of accesses to the same memory that never race in launches that were explored, by their places.
struct Ordered {
    /// Those that may go to one place.
    conflicts: Vec<Vec<(String, u32, u32)>>,
    /// Those that did.
    met: Vec<Vec<(String, u32, u32)>>,
}

impl Ordered {
    fn new(kernel: &Kernel, exploration: &Exploration) -> Ordered {
        let answer = &exploration.answer;
        // Code that no thread comes to may lead to another order.
        if !answer.exhaustive() || !answer.unreached().is_empty() {
            return Ordered { conflicts: Vec::new(), met: Vec::new() };
        }
        let place = |site: SiteId| {
            let place = site_place(kernel, site);
            (place.file, place.line, place.column)
        };
        let places = |&(a, b): &(SiteId, SiteId)| {
            let mut places = vec![place(a), place(b)];
            places.sort();
            places
        };
        let raced = answer.all_faults().filter_map(|fault| match fault.wrong {
            Wrong::Race(a, b) => Some(places(&(a, b))),
            _ => None,
        });
        let raced: Vec<_> = raced.collect();
        let explored = || answer.launches.iter().flatten();
        let ordered = |pairs: &mut dyn Iterator<Item = &(SiteId, SiteId)>| {
            pairs.map(places).filter(|pair| !raced.contains(pair)).collect()
        };
        Ordered {
            conflicts: ordered(&mut explored().flat_map(|explored| &explored.conflicts)),
            met: ordered(&mut explored().flat_map(|explored| &explored.met)),
        }
    }

    /// Whether a race is possible only because the order through atomics, fences and flags was not known, and what threads read
    /// of them. Where that decides which elements are accessed, the two have to have met in one.
    fn excuses(&self, finding: &Finding) -> bool {
        let is_order = |a: &Approximated| a.variable == Approximation::OtherOrder;
        let may_be = finding.kind == Kind::DataRace && finding.confidence == Confidence::Possible;
        let elements_are_known =
            !finding.approximated.iter().any(|a| a.affects_index && !is_order(a));
        may_be
            && finding.approximated.iter().any(is_order)
            && match elements_are_known {
                true => self.conflicts.contains(&lines(finding)),
                false => self.met.contains(&lines(finding)),
            }
    }
}

fn findings(kernel: &Kernel, exploration: &Exploration) -> Vec<Finding> {
    let answer = &exploration.answer;
    let mut out = Vec::new();
    if let Some(missing) = &answer.missing {
        let seen =
            missing.verified.then_some("no execution of the launches explored has the fault");
        let help = texts::help(kernel, &missing.remedies, seen);
        let is_scope = |remedy: &Remedy| matches!(remedy, Remedy::Reach { .. });
        let because = if missing.remedies.iter().all(is_scope) {
            texts::NARROW_ATOMICS
        } else {
            texts::NO_FENCE
        };
        for fault in &missing.faults {
            let Some(mut finding) = unfenced(kernel, exploration, fault, because) else {
                continue;
            };
            if !missing.verified || fault.rests_on_uninitialised {
                finding.confidence = Confidence::Possible;
            }
            finding.help.clone_from(&help);
            finding.fix.clone_from(&exploration.fix);
            out.push(finding);
        }
    }
    let race = |kind: Kind, wrong: &'static str| {
        move |fault| race(kernel, exploration, fault, kind, wrong)
    };
    // Whether fences cure it is not known, or they do not: then one execution shows it, and the simulator confirms it.
    out.extend(
        answer.open.iter().filter_map(race(Kind::MissingFence, texts::NO_FENCE)).map(possible),
    );
    out.extend(answer.faults.iter().filter_map(race(Kind::DataRace, "race")).map(possible));
    out.extend(answer.faults.iter().filter_map(|fault| deadlock(kernel, exploration, fault)));
    let is_exact = exploration.all && answer.exhaustive() && !asks_for_warps(kernel);
    // What a fence is for may show between blocks only.
    let judged = answer.fences.iter().filter(|_| exploration.narrow.is_none());
    out.extend(judged.filter_map(|fence| redundant(kernel, exploration, fence, is_exact)));
    out
}

fn possible(finding: Finding) -> Finding {
    Finding { confidence: Confidence::Possible, ..finding }
}

/// Whether something of the kernel depends on who is in one warp: small blocks have one warp only.
fn asks_for_warps(kernel: &Kernel) -> bool {
    kernel.insts().any(|i| {
        matches!(
            i.op,
            Op::Shuffle { .. }
                | Op::Vote { .. }
                | Op::Match { .. }
                | Op::MatrixProduct { .. }
                | Op::Barrier { barrier: lockstep_kernel::Barrier::Warp { .. }, .. }
        )
    })
}

/// What goes wrong for want of a fence.
fn unfenced(
    kernel: &Kernel,
    exploration: &Exploration,
    fault: &Fault,
    because: &str,
) -> Option<Finding> {
    let explored = exploration.answer.launches[fault.launch].as_ref().ok()?;
    let (message, accesses) = match fault.wrong {
        Wrong::Race(..) => {
            return race(kernel, exploration, fault, Kind::MissingFence, because);
        }
        Wrong::Hang(_) => {
            let steps = fault.marked.iter().map(|&i| &fault.timeline[i]);
            let accesses = steps.filter_map(|step| access(kernel, explored, step)).collect();
            ("threads may wait for ever: a fence is missing".to_owned(), accesses)
        }
        Wrong::Assertion(loc) => {
            let access = no_thread(Action::Assert, place(kernel, loc));
            ("the assertion may fail: a fence is missing".to_owned(), vec![access])
        }
    };
    let finding = Finding::new(Kind::MissingFence, message, accesses);
    Some(shown(finding, kernel, exploration, fault))
}

/// Threads that wait for each other in one execution, although others of the same launch end: two locks that are taken in two
/// orders. Where no execution ends, the launch may lack what a caller provides, and the search judges it. With arguments of
/// ours, it is only possible.
fn deadlock(kernel: &Kernel, exploration: &Exploration, fault: &Fault) -> Option<Finding> {
    let Wrong::Hang(_) = fault.wrong else { return None };
    let explored = exploration.answer.launches[fault.launch].as_ref().ok()?;
    let steps = fault.marked.iter().map(|&i| &fault.timeline[i]);
    let accesses: Vec<Access> = steps.filter_map(|step| access(kernel, explored, step)).collect();
    if explored.executions == 0 || accesses.len() < 2 {
        return None;
    }
    let message = "deadlock: in some executions threads wait for each other for ever";
    let mut finding = Finding::new(Kind::Deadlock, message.to_owned(), accesses);
    if !exploration.is_given || fault.rests_on_uninitialised {
        finding.confidence = Confidence::Possible;
    }
    Some(shown(finding, kernel, exploration, fault))
}

/// With the execution that shows a fault, and its launch.
fn shown(
    mut finding: Finding,
    kernel: &Kernel,
    exploration: &Exploration,
    fault: &Fault,
) -> Finding {
    let explored = exploration.answer.launches[fault.launch].as_ref().ok();
    let trace = explored.map(|explored| timeline::trace(kernel, explored, fault));
    finding.trace = trace.filter(|trace| !trace.timelines.is_empty());
    finding.explored = true;
    finding.launch = exploration.launches.get(fault.launch).cloned();
    finding
}

/// Two accesses that no execution orders; none for what is not a race.
fn race(
    kernel: &Kernel,
    exploration: &Exploration,
    fault: &Fault,
    kind: Kind,
    wrong: &str,
) -> Option<Finding> {
    let Wrong::Race(..) = fault.wrong else { return None };
    let explored = exploration.answer.launches[fault.launch].as_ref().ok()?;
    let steps: Vec<&Step> = fault.marked.iter().map(|&i| &fault.timeline[i]).collect();
    let accesses: Vec<Access> =
        steps.iter().filter_map(|step| access(kernel, explored, step)).collect();
    let [first, second] = &accesses[..] else { return None };
    let place = &explored.places[steps[0].place?];
    let element = timeline::element(place);
    let space = match place.space {
        Space::Shared => MemorySpace::Shared,
        _ => MemorySpace::Global,
    };
    let message = texts::pair([first, second], space, &place.object, element, wrong);
    let bytes = [place.offset as i64, place.offset as i64 + i64::from(place.size)];
    let memory = Memory {
        space,
        object: Some(place.object.clone()),
        element: Some(element),
        bytes: Some(bytes),
        object_size: None,
        element_type: None,
    };
    let mut finding = Finding::new(kind, message, accesses);
    finding.memory = Some(memory);
    finding.trace = Some(timeline::trace(kernel, explored, fault));
    finding.explored = true;
    finding.launch = exploration.launches.get(fault.launch).cloned();
    Some(finding)
}

/// A place in the source, and no thread in particular.
fn no_thread(op: Action, place: Place) -> Access {
    Access { op, thread: None, block: [0; 3], place, value: None, notes: Vec::new() }
}

fn access(kernel: &Kernel, explored: &Explored, step: &Step) -> Option<Access> {
    let (site, thread) = (step.site?, &explored.threads[step.thread?]);
    let place = step.place.map(|at| &explored.places[at]);
    Some(Access {
        op: timeline::action(kernel, step),
        thread: Some(thread.thread),
        block: thread.block,
        place: site_place(kernel, site),
        value: place.zip(step.value).and_then(|(place, bits)| timeline::value(place, bits)),
        notes: Vec::new(),
    })
}

/// Fences that could have a narrower scope: `__threadfence_block() would do at line 12`.
fn too_wide(kernel: &Kernel, exploration: &Exploration) -> Vec<String> {
    let is_exact = exploration.all && exploration.answer.exhaustive() && !asks_for_warps(kernel);
    let is_exact = is_exact && exploration.narrow.is_none();
    let text = |used: &FenceUse| match used.worth {
        Worth::TooWide(scope) if is_exact => {
            let line = texts::line(kernel, used.site);
            let would_do = format!("{} would do at line {line}", texts::fence(kernel, scope));
            // The executions are those of one device.
            Some(match used.scope {
                Scope::System => {
                    format!("{would_do} if neither the host nor another device reads meanwhile")
                }
                _ => would_do,
            })
        }
        _ => None,
    };
    exploration.answer.fences.iter().filter_map(text).collect()
}

/// Whether a kernel has operations that could make the order of a fence known to another thread: accesses that are atomic or
/// volatile, or something that is not modelled. Barriers order by themselves.
fn tells_others(kernel: &Kernel) -> bool {
    let is_shared =
        |site: SiteId| !matches!(kernel.site(site).space, Space::Private | Space::Constant);
    kernel.insts().any(|inst| match &inst.op {
        Op::Atomic { site, .. } => is_shared(*site),
        Op::Foreign { .. } | Op::Unsupported(_) => true,
        Op::Barrier { barrier, .. } => matches!(barrier, Barrier::Grid | Barrier::Await { .. }),
        op => op.site().is_some_and(|site| kernel.site(site).volatile && is_shared(site)),
    })
}

fn redundant(
    kernel: &Kernel,
    exploration: &Exploration,
    fence: &FenceUse,
    is_exact: bool,
) -> Option<Finding> {
    if fence.worth != Worth::Redundant {
        return None;
    }
    let message = "redundant fence: without it, no execution of the launches explored changes";
    let access = no_thread(Action::Fence, site_place(kernel, fence.site));
    let mut finding = Finding::new(Kind::RedundantFence, message.to_owned(), vec![access]);
    finding.severity = Severity::Warning;
    // The host or another device may read what a fence of system scope orders.
    let is_certain = (is_exact || !tells_others(kernel))
        && fence.removed_together
        && fence.scope != Scope::System;
    if !is_certain {
        finding.confidence = Confidence::Possible;
    }
    finding.help = vec![match fence.removed_together {
        true => "the fence can be removed".to_owned(),
        false => "the fence can be removed as long as the others stay".to_owned(),
    }];
    finding.explored = true;
    finding.launch = exploration.launches.last().cloned();
    Some(finding)
}
