//! The pairs on concrete inputs, by the simulator: kernels that are called equivalent agree with their reference on
//! random and special values, the others differ on some of them.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lockstep_finding::{ArgValue, ArrayContents, ElementType, Kind, Launch, Severity};
use lockstep_frontend::{Input, Options, compile_reference, load};
use lockstep_kernel::{Kernel, ParamKind, Ty};
use lockstep_simulate::{Config, Outcome, bind, simulate};

use crate::pairs::{self, Answer, Case};
use crate::values::{Flavour, Random, difference};

/// Inputs that are tried for each case.
const ROUNDS: u64 = 24;
/// What sums in another order may differ by.
const ROUNDING: f64 = 1e-4;

#[test]
fn simulated_pairs_agree_and_differ_as_they_say() {
    let cases = pairs::all();
    assert!(!cases.is_empty());
    let files: Vec<&[Case]> = cases.chunk_by(|a, b| a.file == b.file).collect();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let kernels = kernels_of(&file[0]);
                    let mut references = BTreeMap::new();
                    for case in *file {
                        let reference =
                            references.entry(&case.reference).or_insert_with(|| reference_of(case));
                        if let Err(why) = check(case, reference, &kernels) {
                            wrong.lock().expect("no panic").push(format!("{case}: {why}"));
                        }
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no panic");
    wrong.sort();
    assert!(wrong.is_empty(), "{} of {} are wrong\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Every reference is used, and every kernel has an answer.
#[test]
fn nothing_is_forgotten() {
    let cases = pairs::all();
    let mut wrong = Vec::new();
    for folder in pairs::folders() {
        for path in pairs::entries(&folder) {
            let name = path.strip_prefix(pairs::root()).expect("below").to_string_lossy();
            let is_kernels = path.extension().is_some_and(|e| e == "cu" || e == "cl");
            let used = match is_kernels {
                true => cases.iter().any(|c| c.file == name),
                false => cases.iter().any(|c| c.reference.0 == name),
            };
            if !used {
                wrong.push(format!("{name}: no case uses it"));
            }
            if is_kernels {
                let module = load(Input::Path(&path), &Options::default());
                let module = module.unwrap_or_else(|e| panic!("{name}: {e}"));
                let answered =
                    |k: &&Kernel| cases.iter().any(|c| c.file == name && c.kernel == k.name);
                let open = module.kernels.iter().filter(|k| !answered(k));
                wrong.extend(open.map(|k| format!("{name}: no answer for {}", k.name)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The reference and the kernels of a file.
pub(crate) fn compiled(case: &Case) -> (Kernel, Vec<Kernel>) {
    (reference_of(case), kernels_of(case))
}

fn reference_of(case: &Case) -> Kernel {
    let path = pairs::root().join(&case.reference.0);
    let compiled = compile_reference(Input::Path(&path), &case.reference.1, &Options::default());
    compiled.unwrap_or_else(|e| panic!("{case}: {e}")).kernel
}

fn kernels_of(case: &Case) -> Vec<Kernel> {
    let path = pairs::root().join(&case.file);
    let module = load(Input::Path(&path), &Options::default());
    module.unwrap_or_else(|e| panic!("{case}: {e}")).kernels
}

fn check(case: &Case, reference: &Kernel, kernels: &[Kernel]) -> Result<(), String> {
    let kernel = kernels.iter().find(|k| k.name == case.kernel);
    let kernel = kernel.ok_or("there is no such kernel")?;
    if let Some((name, _)) =
        case.launch.args.iter().find(|(n, _)| param(reference, n).or(param(kernel, n)).is_none())
    {
        return Err(format!("neither side has a parameter '{name}'"));
    }
    let mut shown = None;
    let mut found: Vec<Kind> = Vec::new();
    for round in 0..ROUNDS {
        let is_rough = case.under.associative || matches!(case.expected, Answer::Close(_));
        let flavour = match round % 4 {
            1 if !is_rough => Flavour::Any,
            2 if !is_rough && !case.under.finite => Flavour::Special,
            3 => Flavour::Negative,
            _ => Flavour::Small,
        };
        let args = arguments(case, [reference, kernel], flavour, round)?;
        let one = Launch { args: args.clone(), ..Launch::default() };
        let many = Launch {
            args,
            block: case.launch.dims("--block"),
            grid: case.launch.dims("--grid"),
            ..Launch::default()
        };
        let expected = executed(reference, &one)?;
        if let Some(f) = expected.findings.first() {
            return Err(format!("the reference: {}: {}", f.kind, f.message));
        }
        let got = executed(kernel, &many)?;
        let errors = got.findings.iter().filter(|f| f.severity == Severity::Error);
        found.extend(errors.map(|f| f.kind));
        if let Answer::Finding(_) = case.expected {
            continue;
        }
        if let Some(f) = got.findings.first() {
            return Err(format!("{}: {}", f.kind, f.message));
        }
        let error = match case.expected {
            Answer::Close(error) => error,
            Answer::Mismatch { by_rounding: true, .. } => 0.0,
            _ if case.under.associative => ROUNDING,
            _ => 0.0,
        };
        let differs = compared(case, [reference, kernel], [&expected, &got], error)?;
        shown = shown.or(differs.map(|d| format!("{d} (round {round})")));
    }
    match (case.expected, shown) {
        (Answer::Finding(kind), _) if found.contains(&kind) => Ok(()),
        (Answer::Finding(kind), _) => Err(format!("no {kind} was found, only {found:?}")),
        (Answer::Mismatch { is_rare: false, .. }, None) => {
            Err("it computes the same on all inputs".into())
        }
        (Answer::Mismatch { .. }, Some(_)) | (_, None) => Ok(()),
        (_, Some(difference)) => Err(difference),
    }
}

fn param(kernel: &Kernel, name: &str) -> Option<usize> {
    kernel.params.iter().position(|p| p.name == name)
}

/// The arguments of a launch, with values for what is symbolic.
fn arguments(
    case: &Case,
    sides: [&Kernel; 2],
    flavour: Flavour,
    round: u64,
) -> Result<Vec<(String, ArgValue)>, String> {
    case.launch
        .args
        .iter()
        .map(|(name, value)| {
            let mut random = Random::new(name, round);
            if value == "symbolic" {
                let of = |k: &Kernel| param(k, name).map(|i| scalar_type(k, i));
                let ty = sides.iter().find_map(|k| of(k)).flatten();
                let ty = ty.ok_or_else(|| format!("'{name}' is no number"))?;
                return Ok((name.clone(), ArgValue::Scalar(random.value(ty, flavour))));
            }
            let fixed = value.replace(":symbolic", ":zeros");
            let mut parsed = ArgValue::parse(&fixed)?;
            if let (true, ArgValue::Array(spec)) = (value.ends_with(":symbolic"), &mut parsed) {
                let scalars = spec.length * u64::from(spec.lanes);
                let values = (0..scalars).map(|_| random.value(spec.element, flavour));
                spec.contents = ArrayContents::Literal(values.collect());
            }
            Ok((name.clone(), parsed))
        })
        .collect()
}

fn scalar_type(kernel: &Kernel, index: usize) -> Option<ElementType> {
    let param = &kernel.params[index];
    let ParamKind::Scalar { ty, .. } = param.kind else { return None };
    Some(match (ty, param.signed) {
        (Ty::F32, _) => ElementType::F32,
        (Ty::F64, _) => ElementType::F64,
        (Ty::I64, true) => ElementType::I64,
        (Ty::I64, false) => ElementType::U64,
        (_, true) => ElementType::I32,
        (_, false) => ElementType::U32,
    })
}

/// Executes a launch with the arguments that the kernel has.
fn executed(kernel: &Kernel, launch: &Launch) -> Result<Outcome, String> {
    let args = launch.args.iter().filter(|(n, _)| param(kernel, n).is_some()).cloned().collect();
    let launch = Launch { args, ..launch.clone() };
    let bound = bind::bind(kernel, &launch)?;
    let outcome = simulate(kernel, &bound, &Config::default()).map_err(|e| e.to_string())?;
    match &outcome.incomplete {
        Some(why) => Err(format!("{} was not executed: {why}", kernel.name)),
        None => Ok(outcome),
    }
}

/// The first difference in an array that both have and one writes.
fn compared(
    case: &Case,
    [reference, kernel]: [&Kernel; 2],
    [expected, got]: [&Outcome; 2],
    error: f64,
) -> Result<Option<String>, String> {
    let is_written = |k: &Kernel, i: usize| {
        matches!(k.params[i].kind, ParamKind::Buffer { readonly: false, .. })
    };
    let mut any = false;
    for (name, value) in &case.launch.args {
        let (Some(r), Some(k)) = (param(reference, name), param(kernel, name)) else { continue };
        if !is_written(reference, r) && !is_written(kernel, k) {
            continue;
        }
        any = true;
        let bytes = |o: &Outcome, i: usize| {
            o.buffers.iter().find(|(p, _)| *p == i).map(|(_, b)| b.clone()).unwrap_or_default()
        };
        let ty = value.split('[').next().and_then(ElementType::parse);
        let ty = ty.ok_or_else(|| format!("'{name}' is no array"))?.0;
        let (r, k) = (bytes(expected, r), bytes(got, k));
        if let Some(difference) = difference(ty, &r, &k, case.under, error) {
            return Ok(Some(format!("{name}: {difference}")));
        }
    }
    if any { Ok(None) } else { Err("no array is compared".into()) }
}
