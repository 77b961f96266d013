//! The launches that a proof covers: what is assumed about them, and where each assumption comes from.
//!
//! Every fact has an [`Origin`]; nothing can be assumed without one. A verdict names all assumptions except those that
//! the user stated ([`Assumptions::unsaid`]).

use lockstep_finding::launch::{Dimension, Expr, Number, Operator};
use lockstep_finding::{Claim, Condition, Origin, Statement};
use lockstep_kernel::{Kernel, ParamKind, Scheduling, Ty};

use crate::launch::DimSpec;
use crate::launch::expressions::{AssumeExpr, Tree};
use crate::term::sign_extend;

/// The launches that a proof covers.
#[derive(Clone, Debug)]
pub struct Assumptions {
    pub(crate) grid: [DimSpec; 3],
    pub(crate) block: [DimSpec; 3],
    /// Upper bounds of blocks and threads along each axis, where a dimension may have any value.
    pub(crate) most_grid: [Option<u32>; 3],
    pub(crate) most_block: [Option<u32>; 3],
    /// Upper bound of the number of threads in a block.
    pub(crate) most_threads: Option<u32>,
    /// Values of scalar parameters, by position; one for each register of the parameter.
    pub(crate) scalars: Vec<(usize, Vec<u64>)>,
    /// Further preconditions.
    pub(crate) exprs: Vec<AssumeExpr>,
    /// Bytes of buffers, where given.
    pub(crate) lengths: Vec<(usize, u64)>,
    /// The assumptions in the fields above as conditions, unless the user stated them. Those in `exprs` are not
    /// repeated here.
    facts: Vec<Condition>,
    /// Pointer parameters may overlap.
    pub may_alias: bool,
    pub scheduling: Scheduling,
    pub warp_size: u32,
    /// Whether all blocks have the same size. Where that is not given, and the kernel's language allows other blocks,
    /// it is a condition.
    pub one_size: bool,
}

impl Default for Assumptions {
    fn default() -> Assumptions {
        Assumptions {
            grid: [DimSpec::Any; 3],
            block: [DimSpec::Any; 3],
            most_grid: [None; 3],
            most_block: [None; 3],
            most_threads: None,
            scalars: Vec::new(),
            exprs: Vec::new(),
            lengths: Vec::new(),
            facts: Vec::new(),
            may_alias: false,
            scheduling: Scheduling::Independent,
            warp_size: 32,
            one_size: false,
        }
    }
}

impl Assumptions {
    /// Launches with these dimensions.
    pub fn of_dims(grid: [DimSpec; 3], block: [DimSpec; 3], origin: Origin) -> Assumptions {
        let mut out = Assumptions::default();
        for axis in 0..3 {
            for (dimension, spec) in
                [(Dimension::Block(axis), block[axis]), (Dimension::Grid(axis), grid[axis])]
            {
                if let DimSpec::Exactly(n) = spec {
                    out.dimension(dimension, n, origin);
                }
            }
        }
        out
    }

    /// Assumes that the dimension has this value.
    pub fn dimension(&mut self, dimension: Dimension, n: u32, origin: Origin) {
        match dimension {
            Dimension::Block(axis) => self.block[axis] = DimSpec::Exactly(n),
            Dimension::Grid(axis) => self.grid[axis] = DimSpec::Exactly(n),
        }
        self.note(|| Claim::dimension(dimension, Operator::Eq, n), origin);
    }

    /// Assumes an upper bound of the dimension.
    pub fn dimension_at_most(&mut self, dimension: Dimension, n: u32, origin: Origin) {
        let most = match dimension {
            Dimension::Block(axis) => &mut self.most_block[axis],
            Dimension::Grid(axis) => &mut self.most_grid[axis],
        };
        *most = Some(most.map_or(n, |m| m.min(n)));
        self.note(|| Claim::dimension(dimension, Operator::Le, n), origin);
    }

    /// Assumes an upper bound of the threads in a block, whatever its shape.
    pub fn threads_at_most(&mut self, n: u32, origin: Origin) {
        self.most_threads = Some(self.most_threads.map_or(n, |m| m.min(n)));
        let free = (0..3).filter(|&a| self.block[a] != DimSpec::Exactly(1));
        let names = free.map(|a| Expr::name(Dimension::Block(a)));
        if let Some(threads) = names.reduce(|a, b| Expr::binary(Operator::Mul, a, b)) {
            self.note(|| Claim::compare(threads, Operator::Le, Expr::int(n)), origin);
        }
    }

    /// Assumes the value of a parameter, one number for each register of the parameter.
    pub fn scalar(&mut self, kernel: &Kernel, param: usize, bits: Vec<u64>, origin: Origin) {
        let p = &kernel.params[param];
        let value = match p.kind {
            ParamKind::Scalar { ty, count: 1 } if ty.is_int() && p.signed => {
                Some(Number::Int(sign_extend(bits[0], ty.bits()).into()))
            }
            ParamKind::Scalar { ty, count: 1 } if ty.is_int() => Some(Number::Int(bits[0].into())),
            ParamKind::Scalar { ty: Ty::F32, count: 1 } => {
                // The shortest decimal number that denotes the same value.
                let text = format!("{:?}", f32::from_bits(bits[0] as u32));
                text.parse().ok().map(Number::Float)
            }
            ParamKind::Scalar { ty: Ty::F64, count: 1 } => {
                Some(Number::Float(f64::from_bits(bits[0])))
            }
            _ => None,
        };
        let claim = || match value {
            Some(value) => Claim::compare(Expr::name(&p.name), Operator::Eq, Expr::Number(value)),
            None => Statement::AsInThatLaunch { parameter: p.name.clone() }.into(),
        };
        self.note(claim, origin);
        self.scalars.push((param, bits));
    }

    /// Assumes the size of a buffer in bytes.
    pub fn length(&mut self, kernel: &Kernel, param: usize, bytes: u64, origin: Origin) {
        let array = || kernel.params[param].name.clone();
        self.note(|| Statement::Bytes { array: array(), bytes }.into(), origin);
        self.lengths.push((param, bytes));
    }

    /// Assumes a precondition.
    pub fn expression(&mut self, expr: AssumeExpr) {
        self.exprs.push(expr);
    }

    /// What is known about a dimension.
    pub fn known(&self, dimension: Dimension) -> DimSpec {
        match dimension {
            Dimension::Block(axis) => self.block[axis],
            Dimension::Grid(axis) => self.grid[axis],
        }
    }

    /// Whether a precondition is assumed already.
    pub fn has(&self, expr: &Expr) -> bool {
        self.exprs.iter().any(|e| e.told.as_ref() == Some(expr))
    }

    /// The preconditions, including those that the user stated.
    pub(crate) fn preconditions(&self) -> Vec<Condition> {
        let told = self.exprs.iter().filter_map(|e| Some((e.told.clone()?, e.origin)));
        told.map(|(expr, origin)| Condition::new(expr, origin)).collect()
    }

    fn note(&mut self, claim: impl FnOnce() -> Claim, origin: Origin) {
        if !origin.is_users() {
            Condition::add(&mut self.facts, [Condition::new(claim(), origin)]);
        }
    }

    /// All assumptions that the user did not state.
    pub fn unsaid(&self) -> Vec<Condition> {
        let unsaid = self.preconditions().into_iter().filter(|c| !c.origin.is_users());
        self.facts.iter().cloned().chain(unsaid).collect()
    }

    /// Whether a condition follows from the known dimensions and scalars: all names in it are known, and it is true.
    pub fn imply(&self, kernel: &Kernel, claim: &Claim) -> bool {
        self.decide(kernel, claim) == Some(true)
    }

    /// Whether all names in a condition are known, and it is false.
    pub fn contradict(&self, kernel: &Kernel, claim: &Claim) -> bool {
        self.decide(kernel, claim) == Some(false)
    }

    fn decide(&self, kernel: &Kernel, claim: &Claim) -> Option<bool> {
        claim.decide(&|name: &str| self.value_of(kernel, name).ok_or(String::new()))
    }

    fn value_of(&self, kernel: &Kernel, name: &str) -> Option<Number> {
        if let Some(dimension) = Dimension::named(name) {
            return match self.known(dimension) {
                DimSpec::Exactly(n) => Some(Number::Int(n.into())),
                DimSpec::Any => None,
            };
        }
        let (p, bits) = self.scalars.iter().find(|(p, _)| kernel.params[*p].name == name)?;
        let param = &kernel.params[*p];
        match param.kind {
            ParamKind::Scalar { ty, count: 1 } if ty.is_int() && param.signed => {
                Some(Number::Int(sign_extend(bits[0], ty.bits()).into()))
            }
            ParamKind::Scalar { ty, count: 1 } if ty.is_int() => Some(Number::Int(bits[0].into())),
            _ => None,
        }
    }

    /// The conjuncts of the further preconditions.
    pub(crate) fn conjuncts(&self) -> Vec<&Tree> {
        self.exprs.iter().flat_map(|e| e.tree.conjuncts()).collect()
    }
}
