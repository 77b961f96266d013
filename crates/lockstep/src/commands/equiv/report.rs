//! The report of a comparison.

use std::time::Instant;

use lockstep_finding::{
    Access, Action, ArgValue, ArrayContents, ArraySpec, Condition, Finding, KernelReport, Kind,
    Launch, Memory, MemorySpace, Origin, Place, Reason, Report, Statement, Verdict,
};
use lockstep_kernel::ParamKind;
use lockstep_names as names;
use lockstep_symbolic::{self as symbolic, Answer, Mismatch, Question, Told};

use super::Side;
use crate::engines::simulation::empty_report;

pub(super) fn of(
    sides: &[Side; 2],
    question: &Question,
    answer: Answer,
    budget: f64,
    started: Instant,
) -> Report {
    let mut kernels = Vec::new();
    let faults = |which: usize| -> Vec<Finding> {
        let of = answer.findings.iter().filter(|(side, _)| *side == which);
        let made = launch(sides, which, question, &answer.found_on);
        of.map(|(_, f)| Finding { launch: Some(made.clone()), ..f.clone() }).collect()
    };
    let mut findings = faults(1);
    let verdict = match &answer.verdict {
        symbolic::Verdict::Equivalent { assumptions } => {
            let condition = |a| Condition::new(Statement::FloatingPoint(a), Origin::CommandLine);
            Verdict::Proved { assumes: assumptions.each().map(condition).collect() }
        }
        symbolic::Verdict::Close { inputs } => {
            Verdict::Clean { covered: format!("{inputs} inputs, within the tolerance") }
        }
        symbolic::Verdict::Mismatch(found) => {
            findings.push(mismatch(sides, question, found));
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
    let own = report_of(&sides[1], findings, vec![(Kind::Mismatch, verdict)], started);
    kernels.push(KernelReport { ended_by_clock, ..own });
    // A bug of the reference is told of the reference.
    let of_reference = faults(0);
    if !of_reference.is_empty() {
        kernels.push(report_of(&sides[0], of_reference, Vec::new(), started));
    }
    Report { kernels, ..Report::default() }
}

fn report_of(
    side: &Side,
    findings: Vec<Finding>,
    verdicts: Vec<(Kind, Verdict)>,
    started: Instant,
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
        ..empty_report(&side.kernel, &names::shown(&side.file))
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
        launch: Some(launch(sides, 1, question, &found.inputs)),
        help: found.told.as_ref().map(help).unwrap_or_default(),
        ..Finding::new(Kind::Mismatch, message, accesses)
    }
}

fn access(side: &Side, found: &Mismatch, which: usize) -> Access {
    let told = found.told.as_ref();
    let notes = told.map(|t| {
        let [whole, part] = [&t.expressions[which], &t.differing[which]];
        let mut notes = vec![format!("{} computes {whole}", side.name)];
        if part != whole {
            notes.push(format!("differs first in {part}"));
        }
        notes
    });
    let kernel = &side.kernel;
    let start = || Place {
        file: kernel.files.first().cloned().unwrap_or_default(),
        ..lockstep_simulate::place(kernel, kernel.loc)
    };
    let writer = found.writers[which].as_ref();
    Access {
        op: Action::Write,
        thread: Some(writer.map_or([0; 3], |w| w.thread)),
        block: writer.map_or([0; 3], |w| w.block),
        // What a side never writes is what the launch gave it.
        place: writer.map_or_else(start, |w| w.place.clone()),
        value: Some(found.values[which].clone()),
        notes: notes.unwrap_or_default(),
    }
}

fn help(told: &Told) -> Vec<String> {
    let would = told.would_need.filter(|a| *a != symbolic::Assumptions::NONE);
    would.map(|a| format!("with --assume-fp {a} both are equal")).into_iter().collect()
}

/// A side's launch with these values of the inputs.
fn launch(sides: &[Side; 2], which: usize, question: &Question, inputs: &[Vec<u64>]) -> Launch {
    let side = &sides[which];
    let mut launch = side.launch.clone();
    for (param, input) in question.sides[which].inputs.iter().enumerate() {
        let Some(input) = *input else { continue };
        let param = &side.kernel.params[param];
        let Some(bits) = inputs.get(input) else { continue };
        let Some((_, value)) = launch.args.iter_mut().find(|(name, _)| *name == param.name) else {
            continue;
        };
        match value {
            ArgValue::Array(spec) => {
                let text = |v: &u64| spec.element.value_text(&v.to_le_bytes());
                let used = bits.iter().rposition(|v| *v != 0).map_or(0, |last| last + 1);
                let values: Vec<String> = bits[..used].iter().map(text).collect();
                let contents = match values.len() {
                    0 => ArrayContents::Zeros,
                    // One value alone would fill the array.
                    1 if spec.length > 1 => {
                        let zero = text(&0);
                        ArrayContents::Literal(vec![values[0].clone(), zero])
                    }
                    _ => ArrayContents::Literal(values),
                };
                *spec = ArraySpec { contents, ..spec.clone() };
            }
            ArgValue::Scalar(words) => {
                if let ParamKind::Scalar { ty, .. } = param.kind {
                    let elem = lockstep_kernel::Elem::Scalar(ty);
                    let element = lockstep_simulate::bind::element_type(
                        elem,
                        &param.source_type,
                        param.signed,
                    );
                    let values: Vec<String> =
                        bits.iter().map(|v| element.value_text(&v.to_le_bytes())).collect();
                    *words = values.join(",");
                }
            }
            _ => {}
        }
    }
    launch
}
