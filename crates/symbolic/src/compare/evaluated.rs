//! One launch, executed symbolically, and its result evaluated: what a test compares with the simulator.

use lockstep_finding::Reason;

use super::question::{Input, Launched};
use crate::execute::reasons;
use crate::execute::{Limits, Side, execute};
use crate::solve::Solver;
use crate::term::evaluate::Evaluation;
use crate::term::{Pool, Variable};
use lockstep_cancel::Cancel;
use lockstep_kernel::Ty;

/// The work of one question to the solver: what it leaves open is not followed.
const WORK: u32 = 100_000;

/// What each array parameter holds after the launch, for each of these contents of the inputs; none for other parameters.
pub fn evaluated(
    launched: &Launched,
    inputs: &[Input],
    contents: &[Vec<Vec<u64>>],
    limits: Limits,
) -> Result<Vec<Vec<Option<Vec<u8>>>>, Reason> {
    let mut pool = Pool::default();
    let mut solver = Solver::new(None, Cancel::default(), WORK);
    let of = |i: &Option<usize>| i.map(|i| (i as u32, inputs[i].ty));
    let side = Side {
        kernel: launched.kernel,
        launch: &launched.launch,
        inputs: launched.inputs.iter().map(of).collect(),
        warp_size: 32,
        is_reference: true,
        assumed: None,
    };
    let mut executed = execute(&mut pool, &mut solver, &side, limits, 0)
        .map_err(|trouble| reasons::of(launched.kernel, &trouble))?;
    // All terms first: reading makes new ones.
    let mut terms = Vec::new();
    for param in &executed.params {
        terms.push(param.map(|object| {
            let object = &mut executed.objects[object as usize];
            let bytes = 0..object.size;
            bytes.map(|at| object.read(&mut pool, at, Ty::I8)).collect::<Vec<_>>()
        }));
    }
    let mut out = Vec::new();
    for contents in contents {
        let mut evaluation = Evaluation::new();
        let of = |v: u32| match pool.variables[v as usize] {
            Variable::Input { input, element } => contents[input as usize][element as usize],
            Variable::Undefined(_) | Variable::Counter(_) => 0,
        };
        let bytes = |list: &Vec<_>, evaluation: &mut Evaluation| {
            list.iter().map(|t| evaluation.value(&pool, *t, &of) as u8).collect()
        };
        let values = terms.iter().map(|list| list.as_ref().map(|l| bytes(l, &mut evaluation)));
        out.push(values.collect());
    }
    Ok(out)
}
