//! Pairs of kernels, right and subtly wrong: what the engine says of each.

mod floats;
mod integers;
mod limits;
mod scale;

use lockstep_cancel::Cancel;
use lockstep_finding::launch::Expr;
use lockstep_finding::{ArgValue, ElementType, Launch};
use lockstep_frontend as frontend;
use lockstep_kernel::{Kernel, Language, ParamKind, Ty};
use lockstep_simulate::bind;
use lockstep_symbolic::{
    Answer, Assumptions, Input, Launched, Limits, Output, Program, Question, Threads, Verdict,
    equivalent,
};

/// Kernels `a` and `b` of a source, as launched with these dimensions and arguments; those with `:symbolic` stand for every value.
struct Pair<'a> {
    source: &'a str,
    /// Blocks and threads of `a`, then of `b`.
    dims: [[[u32; 3]; 2]; 2],
    args: &'a [&'a str],
    allowed: Assumptions,
    /// Conditions on scalars.
    assumed: &'a [&'a str],
    limits: Limits,
    threads: Threads,
}

impl<'a> Pair<'a> {
    fn new(source: &'a str, a: [u32; 2], b: [u32; 2], args: &'a [&'a str]) -> Pair<'a> {
        let limits = Limits::default();
        let threads = Threads::Each;
        let dims = [a, b].map(|d| d.map(|x| [x, 1, 1]));
        Pair { source, dims, args, allowed: Assumptions::NONE, assumed: &[], limits, threads }
    }

    /// Only where these hold.
    fn where_(self, assumed: &'a [&'a str]) -> Pair<'a> {
        Pair { assumed, ..self }
    }

    fn with(self, allowed: Assumptions) -> Pair<'a> {
        Pair { allowed, ..self }
    }

    fn answer(&self) -> Answer {
        let input = frontend::Input::Text { name: "pair.cu", bytes: self.source.as_bytes() };
        let options =
            frontend::Options { language: Some(Language::Cuda), ..frontend::Options::default() };
        let module = frontend::load(input, &options).expect("the source compiles");
        let kernel =
            |name: &str| module.kernels.iter().find(|k| k.name.starts_with(name)).expect(name);
        self.ask([kernel("a"), kernel("b")])
    }

    fn ask(&self, kernels: [&Kernel; 2]) -> Answer {
        let mut inputs: Vec<Input> = Vec::new();
        let mut sides = Vec::new();
        for (kernel, dims) in kernels.into_iter().zip(self.dims) {
            let mut args = Vec::new();
            let mut symbolic = vec![None; kernel.params.len()];
            for arg in self.args {
                let (name, value) = arg.split_once('=').expect("NAME=VALUE");
                let Some(param) = kernel.params.iter().position(|p| p.name == name) else {
                    continue;
                };
                let value = match value.strip_suffix("symbolic") {
                    Some("") => "0",
                    Some(array) => array.trim_end_matches(':'),
                    None => value,
                };
                if arg.ends_with("symbolic") {
                    symbolic[param] = Some(name);
                }
                args.push((name.to_owned(), ArgValue::parse(value).expect("a value")));
            }
            let [grid, block] = dims;
            let launch = Launch { grid, block, args, ..Launch::default() };
            let bound = bind::bind(kernel, &launch).expect("the launch fits");
            let mut of = vec![None; kernel.params.len()];
            for (param, name) in symbolic.iter().enumerate() {
                let Some(name) = name else { continue };
                let at = inputs.iter().position(|i| i.name == *name).unwrap_or_else(|| {
                    let (ty, elements, is_array) = shape(kernel, &launch, param);
                    inputs.push(Input {
                        name: (*name).to_owned(),
                        ty,
                        element: if is_array { ElementType::U64 } else { ElementType::I32 },
                        elements,
                        is_array,
                    });
                    inputs.len() - 1
                });
                of[param] = Some(at);
            }
            sides.push((bound, of, launch));
        }
        let mut outputs = Vec::new();
        for (i, p) in kernels[0].params.iter().enumerate() {
            let other = kernels[1].params.iter().position(|q| q.name == p.name);
            if let (ParamKind::Buffer { readonly: false, .. }, Some(j)) = (p.kind, other) {
                let (ty, ..) = shape(kernels[0], &sides[0].2, i);
                let Some((_, ArgValue::Array(spec))) =
                    sides[0].2.args.iter().find(|(n, _)| *n == p.name)
                else {
                    continue;
                };
                outputs.push(Output {
                    name: p.name.clone(),
                    params: [i, j],
                    ty,
                    element: spec.element,
                });
            }
        }
        let mut launched = kernels
            .into_iter()
            .zip(sides)
            .map(|(kernel, (launch, inputs, _))| Launched { kernel, launch, inputs })
            .map(Program::Launch);
        let sides = [launched.next().expect("two"), launched.next().expect("two")];
        equivalent(&Question {
            sides,
            inputs,
            outputs,
            allowed: self.allowed,
            assumed: self.assumed.iter().map(|e| Expr::parse(e).expect("a condition")).collect(),
            tolerance: None,
            limits: self.limits,
            threads: self.threads,
            warp_size: 32,
            rounds: 24,
            seed: 1,
            jobs: 1,
            // The solver's work is limited, and no test depends on the clock.
            deadline: None,
            cancel: Cancel::default(),
        })
    }

    fn is_equivalent(&self, needed: Assumptions) {
        match self.answer() {
            Answer { verdict: Verdict::Equivalent { assumptions, .. }, .. } => {
                assert_eq!(assumptions, needed, "needed: {assumptions}");
            }
            other => panic!("{other:#?}"),
        }
    }

    /// A mismatch at this element; the assumptions that would make it none.
    fn differs(&self, element: u64) -> Option<Assumptions> {
        self.differs_within(element..element + 1)
    }

    /// A mismatch at one of these elements, where random inputs decide which is seen first.
    fn differs_within(&self, elements: std::ops::Range<u64>) -> Option<Assumptions> {
        match self.answer().verdict {
            Verdict::Mismatch(found) => {
                assert!(elements.contains(&found.element), "not within {elements:?}: {found:#?}");
                found.told.and_then(|t| t.would_need)
            }
            other => panic!("{other:#?}"),
        }
    }

    /// The reason why it is unknown.
    fn unknown(&self) -> String {
        match self.answer().verdict {
            Verdict::Unknown { because } => because.to_string(),
            other => panic!("{other:#?}"),
        }
    }
}

fn shape(kernel: &Kernel, launch: &Launch, param: usize) -> (Ty, u64, bool) {
    use lockstep_finding::ElementType::*;
    let p = &kernel.params[param];
    match (p.kind, launch.args.iter().find(|(n, _)| *n == p.name)) {
        (ParamKind::Scalar { ty, count }, _) => (ty, u64::from(count), false),
        (_, Some((_, ArgValue::Array(spec)))) => {
            let ty = match spec.element {
                I8 | U8 => Ty::I8,
                I16 | U16 => Ty::I16,
                I32 | U32 => Ty::I32,
                I64 | U64 => Ty::I64,
                F16 => Ty::F16,
                F32 => Ty::F32,
                F64 => Ty::F64,
            };
            (ty, spec.length * u64::from(spec.lanes), true)
        }
        _ => panic!("{} has no shape", p.name),
    }
}
