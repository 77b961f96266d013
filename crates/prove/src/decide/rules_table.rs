//! The rules that simplify a conjunction, in the order in which they are tried.
//!
//! **Contract.** A rule is given a conjunction: all members hold, and so do the intervals of the variables and of every
//! term whose known interval is tighter than its structure shows. Its answer is a [`Step`], and the conjunction after
//! the step is satisfiable exactly if the one before was:
//!
//! - [`Step::Replace`]: for all values of the variables, the new members hold exactly where the old ones do, given the rest.
//! - [`Step::Substitute`]: the conjunction implies that the variable has the value. The known bounds of the variable
//!   are kept as conditions on the value.
//!
//! A wrong rule makes a wrong proof. So each row names the lemma that justifies it; the tests try every row on
//! conjunctions of small widths against all values (`tests/rules.rs`), and check every step that it makes in real
//! kernels with the solver ([`crate::decide::audit`]).

use crate::decide::presolve;
use crate::decide::rules::{digits, division, factor, nested, radix, strides};
use crate::launch::context::Ctx;
use crate::term::{T, VarId};

/// The effect of a rule on a conjunction.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// The members at these positions are replaced by others.
    Replace { gone: Vec<usize>, by: Vec<T> },
    /// A variable is replaced by a value wherever it occurs; the member that states their equality is dropped.
    Substitute { var: VarId, value: T, gone: Option<usize> },
}

pub(crate) struct Rule {
    pub(crate) name: &'static str,
    /// Why it is correct.
    pub(crate) lemma: &'static str,
    /// Known literals may enable it: it is tried once more after they have been substituted.
    pub(crate) waits_for_literals: bool,
    pub(crate) apply: fn(&mut Ctx, &[T]) -> Option<Step>,
}

/// A rule that replaces one equation.
macro_rules! splits {
    ($name:literal, $lemma:literal, $apply:path) => {
        Rule {
            name: $name,
            lemma: $lemma,
            waits_for_literals: true,
            apply: |ctx, list| {
                let (at, by) = $apply(ctx, list)?;
                Some(Step::Replace { gone: vec![at], by })
            },
        }
    };
}

pub(crate) static RULES: [Rule; 9] = [
    Rule {
        name: "equation",
        lemma: "x == e, e without x: x is e",
        waits_for_literals: false,
        apply: |ctx, list| {
            let (var, value, at) = presolve::find_equation(ctx, list)?;
            Some(Step::Substitute { var, value, gone: Some(at) })
        },
    },
    splits!(
        "symbolic-radix",
        "x*d + u == y*d + v over the integers, 0 <= u, v < d: x == y and u == v",
        radix::split
    ),
    splits!("rows", "a*d + b == 0 over the integers, -d < b < d: a == 0 and b == 0", radix::rows),
    splits!(
        "digits",
        "c*x + y == 0 over the integers, -c < y < c: x == 0 and y == 0",
        digits::by_digits
    ),
    splits!(
        "stride",
        "w*y + x == 0 over the integers, -w < x < w: y == 0 and x == 0",
        strides::by_stride
    ),
    splits!(
        "dimensions",
        "positions in one mixed radix are equal where all their digits are",
        nested::split
    ),
    splits!("factor", "x*d == y*d over the integers, d > 0: x == y", factor::divided),
    Rule {
        name: "positive",
        lemma: "0 <= a < x: x is a variable that is at least 1",
        waits_for_literals: false,
        apply: |ctx, list| {
            let (var, value) = presolve::positive(ctx, list)?;
            Some(Step::Substitute { var, value, gone: None })
        },
    },
    Rule {
        name: "quotient-and-remainder",
        lemma: "x/m == y/m and x%m == y%m: x == y",
        waits_for_literals: false,
        apply: |ctx, list| {
            let (gone, same) = division::joined(ctx, list)?;
            Some(Step::Replace { gone, by: vec![same] })
        },
    },
];
