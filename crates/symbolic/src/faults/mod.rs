//! Which faults can a launch have, for all contents of its arrays, and all values of scalars that nobody gave?
//!
//! After section 5 of the KLEE-CL paper: the launch is executed symbolically, and each access is tested against the access
//! records. The execution goes on after trouble ([`crate::execute::watch`]), so that all of it is seen.
//!
//! **What follows from the answer.** A fault has values for which it should happen ([`Fault::values`]); whoever asks executes
//! the launch with them before anything is reported. That there is none of a kind follows ([`Faults::absence`]) only where everything was
//! followed to its end, nothing of that kind was possible, and nothing else was whose consequences are not followed: an
//! access out of bounds (but freedom from races is one of kernels without such accesses), a race, a barrier that some threads miss, an
//! address that is not aligned. A read of memory that nobody has written gives any
//! value, and a thread ends where its assertion fails, so that these two leave the other kinds decided.
//!
//! **Where it deviates from the paper.** Access records of symbolic places are terms, not symbolic arrays
//! ([`crate::memory::places`]). Races are asked for all pairs of threads at two places at once.
//!
//! **What it can miss.** Nothing in the launch that is asked about, where the absence follows: integer arithmetic, addresses and
//! conditions are exact. It is one launch: its dimensions, and the arguments that are given. Values that are not followed (what atomics return, floats that
//! atomics add up, elements picked from very many, what the host sets) may be anything: then faults are seen that no execution has. Orders
//! through flags and fences are not followed either: what they order seems to race. Division by zero has a value, as in the simulator, and is no fault.

use lockstep_cancel::{Cancel, Moment};
use lockstep_finding::launch::Expr;
use lockstep_finding::{Kind, Reason};
use lockstep_kernel::{Kernel, ParamKind, Ty};
use lockstep_simulate::BoundLaunch;

use crate::execute::assumed::condition;
use crate::execute::watch::{Element, Seen, Sizes, Watched, watch};
use crate::execute::{Limits, Side, Trouble, What, reasons};
use crate::solve::{Answer, Model, Solver};
use crate::term::evaluate::Evaluation;
use crate::term::{Pool, Variable};

/// The question.
pub struct Asked<'a> {
    pub kernel: &'a Kernel,
    pub launch: BoundLaunch,
    /// For each parameter that stands for every value, the type of its elements.
    pub symbolic: Vec<Option<Ty>>,
    /// For each parameter, whether nobody knows how large its array is.
    pub unsized_arrays: Vec<bool>,
    /// The same for dynamic shared memory.
    pub unsized_shared: bool,
    /// Conditions that hold for every launch that counts. One that is not understood is left out, which only adds launches.
    pub assumed: Vec<Expr>,
    pub limits: Limits,
    pub warp_size: u32,
    /// The solver's units of work for one question.
    pub work: u32,
    pub deadline: Option<Moment>,
    pub cancel: Cancel,
}

/// Something that may go wrong.
#[derive(Clone, Debug)]
pub struct Fault {
    pub kind: Kind,
    pub because: Reason,
    /// Values for which it should happen; none where the solver did not decide whether it can.
    pub values: Option<Vec<Value>>,
}

/// The value of an element of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    pub param: usize,
    /// By number: of an array, or of the registers of a scalar.
    pub element: u64,
    pub ty: Ty,
    pub bits: u64,
}

/// The answer.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    pub faults: Vec<Fault>,
    /// Why not all was followed.
    pub given_up: Vec<Reason>,
    /// By parameter: whether its array was read, and written.
    pub touched: Vec<(bool, bool)>,
    /// Operations of all threads, questions to the solver.
    pub operations: u64,
    pub questions: u64,
}

impl Faults {
    /// What may go wrong of a kind.
    pub fn possible(&self, kind: Kind) -> Option<&Fault> {
        self.faults.iter().find(|f| f.kind == kind)
    }

    /// Why it does not follow that there is no fault of a kind; nothing where it follows.
    pub fn absence(&self, kind: Kind) -> Result<(), Reason> {
        let spoils = |f: &&Fault| match f.kind {
            Kind::UninitialisedRead | Kind::Assertion => false,
            // That there is no race is said of kernels whose accesses stay within their objects.
            Kind::OutOfBounds => kind != Kind::DataRace,
            _ => true,
        };
        let because = self.possible(kind).map(|f| &f.because).or(self.given_up.first()).or(self
            .faults
            .iter()
            .find(spoils)
            .map(|f| &f.because));
        because.map_or(Ok(()), |because| Err(because.clone()))
    }
}

/// Executes the launch for all values at once.
pub fn faults(asked: &Asked) -> Faults {
    let mut pool = Pool::default();
    let mut solver = Solver::new(asked.deadline, asked.cancel.clone(), asked.work);
    let input = |(i, ty): (usize, &Option<Ty>)| ty.map(|ty| (i as u32, ty));
    let side = Side {
        kernel: asked.kernel,
        launch: &asked.launch,
        inputs: asked.symbolic.iter().enumerate().map(input).collect(),
        warp_size: asked.warp_size,
        is_reference: false,
        assumed: None,
    };
    let scalar = |pool: &mut Pool, name: &str| {
        let param = asked.kernel.params.iter().position(|p| p.name == name)?;
        let about = &asked.kernel.params[param];
        let ParamKind::Scalar { ty, count: 1 } = about.kind else { return None };
        let value = match asked.symbolic[param] {
            Some(ty) => pool.input(param as u32, 0, ty),
            None => match &asked.launch.args[param] {
                lockstep_simulate::BoundArg::Scalar(v) => pool.constant(ty, v[0]),
                _ => return None,
            },
        };
        Some((value, about.signed))
    };
    for expr in &asked.assumed {
        let launch = (asked.launch.grid, asked.launch.block);
        if let Some(holds) = condition(&mut pool, launch, expr, &scalar) {
            solver.assume(&mut pool, holds);
        }
    }
    let sizes =
        Sizes { unknown: asked.unsized_arrays.clone(), unknown_shared: asked.unsized_shared };
    let watched = watch(&mut pool, &mut solver, &side, asked.limits, sizes);
    let mut out = Faults {
        given_up: watched.given_up.iter().map(|t| reasons::of(asked.kernel, t)).collect(),
        touched: watched.touched.clone(),
        operations: watched.steps,
        questions: solver.questions,
        ..Faults::default()
    };
    // Of launches that there are not, everything holds.
    let truth = pool.truth(true);
    if !matches!(solver.can(&mut pool, truth), Answer::Sometimes(_)) {
        out.given_up.push(Reason::NoLaunchSatisfies);
    }
    for seen in &watched.seen {
        out.faults.extend(fault(asked, &pool, &watched, seen));
    }
    out.faults.sort_by_key(|f| f.kind);
    out
}

fn kind(what: &What) -> Option<Kind> {
    Some(match what {
        What::OutOfBounds { .. } | What::UnknownObject => Kind::OutOfBounds,
        What::Race { .. } => Kind::DataRace,
        What::Divergence => Kind::BarrierDivergence,
        What::Assertion => Kind::Assertion,
        What::Uninitialised => Kind::UninitialisedRead,
        What::Misaligned => Kind::Misaligned,
        _ => return None,
    })
}

fn fault(asked: &Asked, pool: &Pool, watched: &Watched, seen: &Seen) -> Option<Fault> {
    let trouble = Trouble { what: seen.what.clone(), at: seen.at, model: None };
    Some(Fault {
        kind: kind(&seen.what)?,
        because: reasons::of(asked.kernel, &trouble),
        values: seen.model.as_ref().map(|model| values(asked, pool, watched, model)),
    })
}

/// The values of the launch that a model is about. What was picked from very many elements is put where it was picked.
fn values(asked: &Asked, pool: &Pool, watched: &Watched, model: &Model) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    let mut numbers: Vec<(&u32, &u64)> = model.iter().collect();
    numbers.sort_unstable();
    for (v, bits) in numbers {
        if let Variable::Input { input, element } = pool.variables[*v as usize] {
            let ty = pool.variable_type(*v);
            out.push(Value { param: input as usize, element, ty, bits: *bits });
        }
    }
    let mut evaluation = Evaluation::new();
    let of = |v: u32| model.get(&v).copied().unwrap_or(0);
    for Element { object, offset, value } in &watched.elements {
        let Some(&param) = watched.param_of.get(object) else { continue };
        let Some(ty) = asked.symbolic[param] else { continue };
        if ty.bytes() != pool.ty(*value).bytes() {
            continue;
        }
        let size = u64::from(ty.bytes());
        let at = evaluation.value(pool, *offset, &of);
        let element = at / size;
        let bits = evaluation.value(pool, *value, &of);
        let is_known = |v: &Value| (v.param, v.element) == (param, element);
        if at.is_multiple_of(size) && !out.iter().any(is_known) {
            out.push(Value { param, element, ty, bits });
        }
    }
    out
}

/// The type in which the elements of a parameter are told apart.
pub fn element_type(kind: ParamKind) -> Option<Ty> {
    let words = |size: u32| match size {
        0 => None,
        s if s.is_multiple_of(4) => Some(Ty::I32),
        _ => Some(Ty::I8),
    };
    match kind {
        ParamKind::Scalar { ty, .. } => Some(ty),
        ParamKind::Buffer { elem: lockstep_kernel::Elem::Scalar(Ty::I1), .. } => Some(Ty::I8),
        ParamKind::Buffer { elem: lockstep_kernel::Elem::Scalar(ty), .. } => Some(ty),
        ParamKind::Buffer { elem, .. } => words(elem.size()),
        ParamKind::Aggregate { size, .. } => words(size),
        ParamKind::Local { .. } => None,
    }
}
