//! Conditions on scalars that stand for every value: as terms for proofs, and on the inputs of executions.

use lockstep_finding::ElementType;
use lockstep_finding::launch::{Dimension, Expr, Number};
use lockstep_kernel::{ParamKind, Ty};
use lockstep_simulate::BoundArg;

use super::question::{Input, Program, Question};
use crate::execute::assumed;
use crate::solve::mix;
use crate::term::{Pool, T};

/// Scalars that are tried for one row of inputs.
const TRIES: u64 = 64;

fn is_signed(element: ElementType) -> bool {
    use ElementType::{I8, I16, I32, I64};
    matches!(element, I8 | I16 | I32 | I64)
}

/// An input that a condition can name.
fn is_number(input: &Input) -> bool {
    !input.is_array && input.elements == 1
}

/// A scalar that is no input, of either side; its type, value, and whether it is signed.
fn fixed(question: &Question, name: &str) -> Option<(Ty, u64, bool)> {
    question.sides.iter().rev().find_map(|side| {
        let Program::Launch(launched) = side else { return None };
        let at = launched.kernel.params.iter().position(|p| p.name == name)?;
        let param = &launched.kernel.params[at];
        match (param.kind, &launched.launch.args[at]) {
            (ParamKind::Scalar { ty, count: 1 }, BoundArg::Scalar(v)) => {
                Some((ty, v[0], param.signed))
            }
            _ => None,
        }
    })
}

/// A dimension of the launch, in CUDA's words or in OpenCL's.
fn dimension(question: &Question, name: &str) -> Option<u64> {
    let [grid, block] = question.sides[1].dims(0);
    let number = match Dimension::named(name) {
        Some(Dimension::Block(a)) => block[a],
        Some(Dimension::Grid(a)) => grid[a],
        None => {
            let (function, rest) = name.split_once('(')?;
            let axis: usize = rest.trim_end_matches(')').parse().ok().filter(|a| *a < 3)?;
            match function {
                "get_local_size" => block[axis],
                "get_num_groups" => grid[axis],
                "get_global_size" => return Some(u64::from(grid[axis]) * u64::from(block[axis])),
                _ => return None,
            }
        }
    };
    Some(u64::from(number))
}

/// All conditions as one term. What is not understood is left out, which only adds inputs to a proof.
pub(super) fn condition(question: &Question, pool: &mut Pool) -> Option<T> {
    let [grid, block] = question.sides[1].dims(0);
    let scalar = |pool: &mut Pool, name: &str| {
        let at = question.inputs.iter().position(|i| i.name == name && is_number(i));
        match at {
            Some(at) => {
                let input = &question.inputs[at];
                Some((pool.input(at as u32, 0, input.ty), is_signed(input.element)))
            }
            None => {
                let size = dimension(question, name).map(|n| (Ty::I64, n, true));
                let (ty, value, is_signed) = size.or_else(|| fixed(question, name))?;
                Some((pool.constant(ty, value), is_signed))
            }
        }
    };
    let mut all: Option<T> = None;
    for expr in &question.assumed {
        let Some(holds) = assumed::condition(pool, (grid, block), expr, &scalar) else { continue };
        all = Some(all.map_or(holds, |before| pool.and(before, holds)));
    }
    all
}

/// Whether all conditions hold for these inputs.
pub(super) fn hold(question: &Question, contents: &[Vec<u64>]) -> bool {
    let value = |name: &str| -> Result<Number, String> {
        if let Some(size) = dimension(question, name) {
            return Ok(Number::Int(size.into()));
        }
        let at = question.inputs.iter().position(|i| i.name == name && is_number(i));
        let text = match at {
            Some(at) => question.inputs[at].text(&contents[at]),
            None => {
                let (ty, v, is_signed) = fixed(question, name).ok_or_else(|| name.to_owned())?;
                match is_signed {
                    true => lockstep_kernel::semantics::bits::signed(ty, v).to_string(),
                    false => v.to_string(),
                }
            }
        };
        Number::parse(&text).ok_or(text)
    };
    question.assumed.iter().all(|e| e.evaluate(&value).is_ok_and(Number::is_true))
}

/// These inputs, with other numbers where the conditions do not hold for them, and in every other round: ordinary ones and those that
/// the conditions name, or else those of inputs that are known to count.
pub(super) fn fitting(
    question: &Question,
    mut contents: Vec<Vec<u64>>,
    known: Option<&Vec<Vec<u64>>>,
    round: u32,
) -> Option<Vec<Vec<u64>>> {
    if question.assumed.is_empty() {
        return Some(contents);
    }
    let mut named: Vec<i64> = Vec::new();
    question.assumed.iter().for_each(|e| numbers(e, &mut named));
    let is_limit = round % 2 == 1 && !named.is_empty();
    if !is_limit && hold(question, &contents) {
        return Some(contents);
    }
    let all = question.inputs.iter().enumerate();
    let places: Vec<usize> = all.filter(|(_, i)| is_number(i)).map(|(at, _)| at).collect();
    let own: Vec<u64> = places.iter().map(|at| contents[*at][0]).collect();
    for attempt in 0..TRIES {
        for &at in &places {
            let ty = question.inputs[at].ty;
            if ty.is_float() {
                continue;
            }
            let r = mix(question.seed ^ u64::from(round) << 40 ^ attempt << 20 ^ at as u64);
            let near = || {
                let number = named[mix(r) as usize % named.len()];
                number.wrapping_add((r >> 32) as i64 % 3 - 1)
            };
            let number = match r % 4 {
                _ if is_limit && attempt < TRIES / 2 => near(),
                0 => (mix(r) % 17) as i64,
                1 => (mix(r) % 300) as i64,
                _ if named.is_empty() => 1 << (mix(r) % 31),
                _ => near(),
            };
            contents[at][0] = number as u64 & ty.mask();
        }
        if hold(question, &contents) {
            return Some(contents);
        }
    }
    let known = known.map(|known| places.iter().map(|at| known[*at][0]).collect());
    for numbers in [Some(own), known].into_iter().flatten() {
        places.iter().zip(numbers).for_each(|(at, v): (&usize, u64)| contents[*at][0] = v);
        if hold(question, &contents) {
            return Some(contents);
        }
    }
    None
}

/// The whole numbers that a condition has.
fn numbers(expr: &Expr, out: &mut Vec<i64>) {
    match expr {
        Expr::Number(Number::Int(v)) => out.extend(i64::try_from(*v)),
        Expr::Number(Number::Float(_)) | Expr::Name(_) => {}
        Expr::Not(a) | Expr::Negate(a) | Expr::Complement(a) => numbers(a, out),
        Expr::Choice(a, b, c) => [a, b, c].into_iter().for_each(|e| numbers(e, out)),
        Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|e| numbers(e, out)),
    }
}
