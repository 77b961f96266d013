//! The report of a comparison.

use lockstep_cancel::Moment;
use std::ffi::OsStr;

use lockstep_finding::launch::Expr;
use lockstep_finding::{
    Access, Action, ArgValue, Condition, Finding, KernelReport, Kind, Launch, Memory, MemorySpace,
    Origin, Reason, Repeat, Report, SourceLine, Statement, Verdict,
};
use lockstep_kernel::ParamKind;
use lockstep_names as names;
use lockstep_sequence::{Start, step_text};
use lockstep_symbolic::{self as symbolic, Answer, Mismatch, Question, Told};

use super::sides::{Script, Side, Single, What};

/// What a report also tells.
pub(super) struct How<'a> {
    pub(super) budget: f64,
    pub(super) started: Moment,
    /// As the command line has them: the reference, and arguments.
    pub(super) reference: &'a OsStr,
    pub(super) args: &'a [String],
}

pub(super) fn of(sides: &[Side; 2], question: &Question, answer: Answer, how: &How) -> Report {
    let How { budget, started, .. } = *how;
    let mut kernels = Vec::new();
    let faults = |which: usize| -> Vec<Finding> {
        let of = answer.findings.iter().filter(|(side, _)| *side == which);
        of.map(|(_, f)| bounded(question, f.clone()))
            .map(|f| told_again(sides, which, question, &answer.found_on, f, how))
            .collect()
    };
    let mut findings = faults(1);
    let verdict = match &answer.verdict {
        symbolic::Verdict::Equivalent { assumptions, divisions } => {
            let said = |a| Condition::new(Statement::FloatingPoint(a), Origin::CommandLine);
            let needed = |at: &SourceLine| {
                let statement = Statement::NotDividedByZero { at: at.clone() };
                Condition::new(statement, Origin::Choice)
            };
            let divisions = divisions.iter().map(needed);
            let asked = |e: &Expr| Condition::new(e.clone(), Origin::CommandLine);
            let asked = question.assumed.iter().map(asked);
            let assumes = asked.chain(assumptions.each().map(said)).chain(divisions).collect();
            Verdict::Proved { assumes }
        }
        symbolic::Verdict::Close { inputs } => {
            Verdict::Clean { covered: format!("{inputs} inputs, within the tolerance") }
        }
        symbolic::Verdict::Mismatch(found) => {
            let made = mismatch(sides, question, found);
            findings.push(told_again(sides, 1, question, &found.inputs, made, how));
            Verdict::Found
        }
        symbolic::Verdict::Unknown { because } => {
            let because = match because {
                Reason::TimeBudget { .. } if !question.cancel.is_cancelled() => {
                    Reason::TimeBudget { seconds: Some(budget) }
                }
                Reason::TimeBudget { .. } => Reason::Interrupted,
                other => other.clone(),
            };
            Verdict::Unknown { because }
        }
    };
    let ended_by_clock = matches!(&verdict, Verdict::Unknown { because } if because.is_time());
    let is_proved = matches!(verdict, Verdict::Proved { .. });
    let own = report_of(&sides[1], findings, vec![(Kind::Mismatch, verdict)], started);
    let whole = |i: &&symbolic::Input| !i.is_array && i.ty.is_int() && is_proved;
    let for_every = question.inputs.iter().filter(whole).map(|i| i.name.clone()).collect();
    kernels.push(KernelReport { ended_by_clock, for_every, ..own });
    // A bug of the reference is told of the reference.
    let of_reference = faults(0);
    if !of_reference.is_empty() {
        kernels.push(report_of(&sides[0], of_reference, Vec::new(), started));
    }
    Report { kernels, ..Report::default() }
}

/// An access that is out of bounds where a number may have every value: the number may be meant to have bounds, too.
fn bounded(question: &Question, mut finding: Finding) -> Finding {
    let is_free = |i: &&symbolic::Input| !i.is_array && i.ty.is_int();
    let free = question.inputs.iter().find(is_free);
    if let (Kind::OutOfBounds, Some(input)) = (finding.kind, free) {
        let of = |o: &symbolic::Input| o.is_array.then_some(o.elements);
        let size = question.inputs.iter().filter_map(of).min().unwrap_or(64);
        let name = &input.name;
        finding.help.push(format!(
            "'{name}' stands for every value; --assume says which ones count, as in \
             --assume '{name} >= 0 && {name} <= {size}'"
        ));
    }
    finding
}

fn report_of(
    side: &Side,
    findings: Vec<Finding>,
    verdicts: Vec<(Kind, Verdict)>,
    started: Moment,
) -> KernelReport {
    let found = |k: &Kind| findings.iter().any(|f| f.kind == *k);
    let mut all: Vec<(Kind, Verdict)> = Kind::ALL
        .into_iter()
        .filter(|k| found(k) && !verdicts.iter().any(|(own, _)| own == k))
        .map(|k| (k, Verdict::Found))
        .chain(verdicts.clone())
        .collect();
    all.sort_by_key(|(k, _)| *k);
    KernelReport {
        verdicts: all,
        findings,
        seconds: started.elapsed().as_secs_f64(),
        ..side.empty_report()
    }
}

/// The finding of a difference that two executions have shown.
fn mismatch(sides: &[Side; 2], question: &Question, found: &Mismatch) -> Finding {
    let output = &question.outputs[found.output];
    let element = format!("{}[{}]", output.name, found.element);
    let [expected, own] = &found.values;
    let [reference, kernel] = [&sides[0].name, &sides[1].name];
    let message = format!(
        "`{element}` is {own} after {kernel}, and {expected} after the reference {reference}"
    );
    // The kernel's place first: that is what is to be mended.
    let accesses = [1, 0].map(|which| access(&sides[which], found, which)).to_vec();
    let size = i64::from(output.ty.bytes());
    let at = found.element as i64 * size;
    let memory = Memory {
        space: MemorySpace::Global,
        object: Some(output.name.clone()),
        element: Some(found.element as i64),
        bytes: Some([at, at + size]),
        object_size: None,
        element_type: Some(output.element.name().to_owned()),
    };
    Finding {
        memory: Some(memory),
        occurrences: found.different,
        help: found.told.as_ref().map(help).unwrap_or_default(),
        ..Finding::new(Kind::Mismatch, message, accesses)
    }
}

fn access(side: &Side, found: &Mismatch, which: usize) -> Access {
    let told = found.told.as_ref();
    let notes = told.map(|t| vec![format!("computes {}", t.expressions[which])]);
    let writer = found.writers[which].as_ref();
    let mut notes = notes.unwrap_or_default();
    if let (Some(step), What::Script(script)) = (writer.and_then(|w| w.step), &side.what) {
        notes.push(step_text(&script.sequence, step));
    }
    Access {
        op: Action::Write,
        thread: Some(writer.map_or([0; 3], |w| w.thread)),
        block: writer.map_or([0; 3], |w| w.block),
        // What a side never writes is what the launch gave it.
        place: writer.map_or_else(|| side.start(), |w| w.place.clone()),
        value: Some(found.values[which].clone()),
        notes,
    }
}

fn help(told: &Told) -> Vec<String> {
    let would = told.would_need.filter(|a| *a != symbolic::Assumptions::NONE);
    would.map(|a| format!("with --assume-fp {a} both are equal")).into_iter().collect()
}

/// A finding with the launch or the command by which it shows again.
fn told_again(
    sides: &[Side; 2],
    which: usize,
    question: &Question,
    inputs: &[Vec<u64>],
    finding: Finding,
    how: &How,
) -> Finding {
    match (&sides[1].what, &sides[which].what) {
        (What::Single(_), What::Single(single)) => {
            let launch = launch(single, which, question, inputs);
            Finding { launch: Some(launch), ..finding }
        }
        // A launch of a script has what its buffers held.
        (What::Script(script), _) if finding.launch.is_none() => {
            let is_known = |a: &&String| !a.ends_with("symbolic");
            let given = how.args.iter().filter(is_known);
            let given = given.map(|a| format!("--arg {}", names::shell_quoted(a.as_ref())));
            let values = Some(values(script, question, inputs)).filter(|v| !v.is_empty());
            let options = given.chain(values).collect::<Vec<_>>().join(" ");
            let words = [how.reference, script.file.as_os_str()].map(names::shell_quoted);
            let what = format!("lockstep equiv {} --script {}", words[0], words[1]);
            let here = std::env::current_dir().unwrap_or_default();
            let folder = names::shell_quoted(here.as_os_str());
            Finding { repeat: Some(Repeat { folder, what, options }), ..finding }
        }
        _ => finding,
    }
}

/// The values of the inputs as a script is given them.
fn values(script: &Script, question: &Question, inputs: &[Vec<u64>]) -> String {
    let sequence = &script.sequence;
    let mut words = Vec::new();
    for (input, bits) in question.inputs.iter().zip(inputs) {
        let value = match sequence.buffer(&input.name) {
            Some(buffer) if input.is_array => match buffer.start {
                Start::Symbolic => {
                    ArgValue::Array(buffer.array.with_bytes(&input.bytes(bits))).to_string()
                }
                Start::Filled | Start::Unwritten => continue,
            },
            _ => input.text(bits),
        };
        let word = format!("{}={value}", input.name);
        words.push(format!("--arg {}", names::shell_quoted(word.as_ref())));
    }
    words.join(" ")
}

/// A side's launch with these values of the inputs.
fn launch(side: &Single, which: usize, question: &Question, inputs: &[Vec<u64>]) -> Launch {
    let mut launch = side.launch.clone();
    let symbolic::Program::Launch(launched) = &question.sides[which] else { return launch };
    for (param, input) in launched.inputs.iter().enumerate() {
        let Some(input) = *input else { continue };
        let param = &side.kernel.params[param];
        let Some(bits) = inputs.get(input) else { continue };
        let Some((_, value)) = launch.args.iter_mut().find(|(name, _)| *name == param.name) else {
            continue;
        };
        let input = &question.inputs[input];
        match value {
            ArgValue::Array(spec) => *spec = spec.with_bytes(&input.bytes(bits)),
            ArgValue::Scalar(words) if matches!(param.kind, ParamKind::Scalar { .. }) => {
                *words = input.text(bits);
            }
            _ => {}
        }
    }
    launch
}
