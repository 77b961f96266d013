//! The pairs with one thread, or one block, for all: only those that are equivalent are proved so, and many are.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lockstep_finding::{ArgValue, ElementType, FloatAssumption, Launch};
use lockstep_kernel::{Kernel, ParamKind, Ty};
use lockstep_simulate::bind;
use lockstep_symbolic::{
    Assumptions, Input, Launched, Limits, Output, Program, Question, Threads, Verdict, equivalent,
};

use crate::concrete::compiled;
use crate::pairs::{self, Answer, Case};

/// Every so many files are looked at in the ordinary test.
const SOME: usize = 4;

#[test]
fn only_equivalent_pairs_are_proved_together() {
    look_at(SOME, 8);
}

#[test]
#[ignore = "takes a minute; `make long-test` runs it"]
fn of_all_pairs_only_equivalent_ones_are_proved_together() {
    look_at(1, 60);
}

/// Every so many files; of their equivalent cases, so many are proved at least.
fn look_at(step: usize, least: usize) {
    let cases = pairs::all();
    let files = cases.chunk_by(|a, b| (&a.file, &a.reference) == (&b.file, &b.reference));
    let files: Vec<&[Case]> = files.step_by(step).collect();
    let next = AtomicUsize::new(0);
    let (wrong, proved) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (reference, kernels) = compiled(&file[0]);
                    for case in *file {
                        let kernel = kernels.iter().find(|k| k.name == case.kernel);
                        let Some(kernel) = kernel else { continue };
                        if !is_proved(case, [&reference, kernel]) {
                            continue;
                        }
                        let list = match case.expected {
                            Answer::Equivalent | Answer::Open => &proved,
                            _ => &wrong,
                        };
                        list.lock().expect("no panic").push(case.to_string());
                    }
                }
            });
        }
    });
    let (wrong, proved) =
        (wrong.into_inner().expect("no panic"), proved.into_inner().expect("no panic"));
    assert!(wrong.is_empty(), "proved though they are not equivalent:\n{}", wrong.join("\n"));
    println!("{} of {} are proved", proved.len(), cases.len());
    if std::env::var("LOCKSTEP_EQUIV").is_err() {
        assert!(proved.len() >= least, "{} are proved:\n{}", proved.len(), proved.join("\n"));
    }
}

fn is_proved(case: &Case, kernels: [&Kernel; 2]) -> bool {
    let mut inputs: Vec<Input> = Vec::new();
    let mut sides = VecDeque::new();
    for (which, kernel) in kernels.into_iter().enumerate() {
        let mut args = Vec::new();
        let mut of = vec![None; kernel.params.len()];
        for (name, text) in &case.launch.args {
            let Some(i) = kernel.params.iter().position(|p| p.name == *name) else { continue };
            let ParamKind::Scalar { ty, count } = kernel.params[i].kind else {
                let value = ArgValue::parse(text.trim_end_matches(":symbolic")).expect("an array");
                let ArgValue::Array(spec) = &value else { panic!("{text}: no array") };
                if text.ends_with("symbolic") {
                    let elements = spec.length * u64::from(spec.lanes);
                    of[i] = Some(input(&mut inputs, name, spec.element, elements, true));
                }
                args.push((name.clone(), value));
                continue;
            };
            let zeros = vec!["0"; count as usize].join(",");
            if text == "symbolic" {
                of[i] = Some(input(&mut inputs, name, element(ty), u64::from(count), false));
            }
            let text = if text == "symbolic" { &zeros } else { text };
            args.push((name.clone(), ArgValue::parse(text).expect("a number")));
        }
        let one = ([1; 3], [1; 3]);
        let (grid, block) = [one, (case.launch.dims("--grid"), case.launch.dims("--block"))][which];
        let launch = Launch { grid, block, args, ..Launch::default() };
        let Ok(bound) = bind::bind(kernel, &launch) else { return false };
        sides.push_back(Program::Launch(Launched { kernel, launch: bound, inputs: of }));
    }
    let mut outputs = Vec::new();
    for (name, text) in &case.launch.args {
        let of = |k: &Kernel| k.params.iter().position(|p| p.name == *name);
        let (Some(i), Some(j)) = (of(kernels[0]), of(kernels[1])) else { continue };
        let Ok(ArgValue::Array(spec)) = ArgValue::parse(text.trim_end_matches(":symbolic")) else {
            continue;
        };
        let ty = register(spec.element);
        outputs.push(Output { name: name.clone(), params: [i, j], ty, element: spec.element });
    }
    let [Some(first), Some(second)] = [0, 1].map(|_| sides.pop_front()) else {
        panic!("two sides")
    };
    let named = |n: &str| FloatAssumption::ALL.into_iter().find(|a| a.name() == n).expect(n);
    let question = Question {
        sides: [first, second],
        inputs,
        outputs,
        allowed: case
            .under
            .names()
            .into_iter()
            .fold(Assumptions::NONE, |all, n| all.with(Assumptions::of(named(n)))),
        assumed: Vec::new(),
        tolerance: None,
        limits: Limits::default(),
        threads: Threads::Together,
        warp_size: 32,
        rounds: 0,
        seed: 0,
        jobs: 1,
        deadline: None,
        cancel: Default::default(),
    };
    matches!(equivalent(&question).verdict, Verdict::Equivalent { .. })
}

fn input(
    inputs: &mut Vec<Input>,
    name: &str,
    element: ElementType,
    elements: u64,
    is_array: bool,
) -> usize {
    inputs.iter().position(|i| i.name == name).unwrap_or_else(|| {
        let (name, ty) = (name.to_owned(), register(element));
        inputs.push(Input { name, ty, element, elements, is_array });
        inputs.len() - 1
    })
}

/// What a number of this type is shown as.
fn element(ty: Ty) -> ElementType {
    match ty {
        Ty::I1 | Ty::I8 => ElementType::I8,
        Ty::I16 => ElementType::I16,
        Ty::I32 => ElementType::I32,
        Ty::F16 => ElementType::F16,
        Ty::F32 => ElementType::F32,
        Ty::F64 => ElementType::F64,
        Ty::I64 | Ty::Ptr => ElementType::I64,
    }
}

fn register(element: ElementType) -> Ty {
    use ElementType::*;
    match element {
        I8 | U8 => Ty::I8,
        I16 | U16 => Ty::I16,
        I32 | U32 => Ty::I32,
        I64 | U64 => Ty::I64,
        F16 => Ty::F16,
        F32 => Ty::F32,
        F64 => Ty::F64,
    }
}
