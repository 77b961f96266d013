//! Non-overlapping arrays: what a proof assumes about the pointers of a launch.
//!
//! Unless told otherwise, the arrays of pointer parameters are assumed not to overlap with each other, nor with
//! variables whose address other code may know. The assumption is named wherever one of two such arrays is written.
//! Where a host computes one pointer from another ([`lockstep_kernel::Kernel::beside`]), they do point into one array:
//! then the assumption is that the accessed parts do not overlap.

use lockstep_finding::Statement;
use lockstep_kernel::{Array, Space};

use crate::launch::context::{Base, Ctx};
use crate::order::pair::Pairs;
use crate::symbolic::memory::Place;

/// An array and whether it is written.
type Touched = (Base, bool);

fn note(list: &mut Vec<Touched>, base: Base, writes: bool) {
    match list.iter_mut().find(|(b, _)| *b == base) {
        Some((_, written)) => *written |= writes,
        None => list.push((base, writes)),
    }
}

impl Pairs<'_, '_> {
    /// The conditions; there are none if pointers are allowed to overlap.
    pub(crate) fn lie_apart(&mut self) -> Vec<Statement> {
        let (mut pointers, mut variables): (Vec<Touched>, Vec<Touched>) = Default::default();
        for i in 0..self.exec.accesses.len() {
            let writes = self.exec.accesses[i].mode.writes();
            for c in self.cases_of(i) {
                let Place::At(base, _) = c.place else { continue };
                let ctx = &self.exec.ctx;
                match base {
                    Base::Param(_) | Base::Field(..)
                        if ctx.base_space(base) != Space::Shared && !ctx.is_struct(base) =>
                    {
                        note(&mut pointers, base, writes);
                    }
                    Base::Object(o) if ctx.kernel.objects[o.0 as usize].exported => {
                        note(&mut variables, base, writes);
                    }
                    _ => {}
                }
            }
        }
        let ctx = &self.exec.ctx;
        if ctx.assumptions.may_alias {
            return Vec::new();
        }
        // A texture may be bound to memory that is also accessible through a pointer; an image never is.
        if ctx.kernel.language != lockstep_kernel::Language::OpenCl {
            self.exec.fetched.iter().for_each(|b| note(&mut pointers, *b, false));
        }
        pointers.sort();
        variables.sort();
        let is_one_written = pointers.len() > 1 && pointers.iter().any(|(_, written)| *written);
        let from_variables = FromVariables::of(ctx, &pointers, &variables);
        let name = |(b, _): &Touched| ctx.base_name(*b);
        let names: Vec<String> = pointers.iter().map(name).collect();
        match from_variables {
            // All arrays from all others.
            Some(v) if is_one_written && v.pointers == names && !v.beside => {
                vec![apart(is_beside(ctx, &pointers, &pointers), names, v.names)]
            }
            from_variables => {
                let is_beside = is_beside(ctx, &pointers, &pointers);
                let own = is_one_written.then(|| apart(is_beside, names, Vec::new()));
                own.into_iter().chain(from_variables.map(FromVariables::statement)).collect()
            }
        }
    }
}

fn apart(is_beside: bool, pointers: Vec<String>, variables: Vec<String>) -> Statement {
    match is_beside {
        true => Statement::AccessesApart { pointers, variables },
        false => Statement::ParametersApart { pointers, variables },
    }
}

/// The assumption that pointers do not point into variables.
struct FromVariables {
    pointers: Vec<String>,
    names: Vec<String>,
    beside: bool,
}

impl FromVariables {
    fn of(ctx: &Ctx, pointers: &[Touched], variables: &[Touched]) -> Option<FromVariables> {
        let writes = |list: &[Touched]| list.iter().any(|(_, written)| *written);
        let relevant = |own: &[Touched], others: &[Touched]| -> Vec<Touched> {
            let all = writes(others);
            own.iter().copied().filter(|(_, written)| all || *written).collect()
        };
        let (from, to) = (relevant(pointers, variables), relevant(variables, pointers));
        let name = |(b, _): &Touched| ctx.base_name(*b);
        let mut names: Vec<String> = to.iter().map(name).collect();
        if writes(pointers) {
            // Variables that are parameters here are only read. The array that a pointer points to is not the pointer
            // variable itself.
            let params = ctx.kernel.params.iter().enumerate();
            let is_other = |i: usize| from.iter().any(|(b, _)| *b != Base::Param(i));
            let variables =
                params.filter(|(i, p)| p.variable == Some(Space::Global) && is_other(*i));
            names.extend(variables.map(|(_, p)| p.name.clone()));
        }
        if from.is_empty() || names.is_empty() {
            return None;
        }
        let pointers = from.iter().map(name).collect();
        Some(FromVariables { pointers, names, beside: is_beside(ctx, &from, &to) })
    }

    fn statement(self) -> Statement {
        let FromVariables { pointers, names: variables, beside } = self;
        match beside {
            true => Statement::AccessesApartFromVariables { pointers, variables },
            false => Statement::ApartFromVariables { pointers, variables },
        }
    }
}

/// Whether a host computes one of these pointers from another, or from a variable.
fn is_beside(ctx: &Ctx, pointers: &[Touched], others: &[Touched]) -> bool {
    let has = |list: &[Touched], base: Base| list.iter().any(|(b, _)| *b == base);
    ctx.kernel.beside.iter().any(|&(param, of)| {
        let of = match of {
            Array::Param(p) => Base::Param(p),
            Array::Object(o) => Base::Object(o),
        };
        has(pointers, Base::Param(param)) && has(others, of)
    })
}
