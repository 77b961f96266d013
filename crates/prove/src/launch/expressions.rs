//! `--assume`: C expressions over parameters and dimensions, as terms.
//!
//! Expressions are integers of 64 bits (a parameter is extended according to its signedness), so that `n <= blockDim.x
//! * gridDim.x` does not overflow at 32 bits.

use lockstep_finding::Origin;
pub use lockstep_finding::launch::Operator;
use lockstep_finding::launch::{Dimension, Expr, Number};
use lockstep_kernel::{Kernel, ParamKind};

use crate::launch::context::{Ctx, VarKind};
use crate::term::T;

/// A precondition.
#[derive(Clone, Debug, PartialEq)]
pub struct AssumeExpr {
    /// The expression as the user knows it; `None` where it follows from the kernel's own preconditions.
    pub told: Option<Expr>,
    pub tree: Tree,
    pub origin: Origin,
}

/// An integer expression; conditions are 0 and 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    Const(i64),
    /// A scalar parameter, by position.
    Param(usize),
    BlockDim(u8),
    GridDim(u8),
    Not(Box<Tree>),
    Negate(Box<Tree>),
    Complement(Box<Tree>),
    Binary(Operator, Box<Tree>, Box<Tree>),
    Choice(Box<Tree>, Box<Tree>, Box<Tree>),
}

impl Tree {
    pub(crate) fn binary(op: Operator, a: Tree, b: Tree) -> Tree {
        Tree::Binary(op, Box::new(a), Box::new(b))
    }

    /// The condition that this value is at most another.
    pub(crate) fn at_most(self, most: Tree) -> Tree {
        Tree::binary(Operator::Le, self, most)
    }

    pub(crate) fn at_least(self, least: Tree) -> Tree {
        Tree::binary(Operator::Ge, self, least)
    }

    pub(crate) fn times(self, by: Tree) -> Tree {
        Tree::binary(Operator::Mul, self, by)
    }

    /// The expression, with the names of the parameters.
    pub fn expression(&self, kernel: &Kernel) -> Expr {
        let of = |t: &Tree| Box::new(t.expression(kernel));
        match self {
            Tree::Const(c) => Expr::int(*c),
            Tree::Param(p) => Expr::name(&kernel.params[*p].name),
            Tree::BlockDim(a) => Expr::name(Dimension::Block(usize::from(*a))),
            Tree::GridDim(a) => Expr::name(Dimension::Grid(usize::from(*a))),
            Tree::Not(a) => Expr::Not(of(a)),
            Tree::Negate(a) => Expr::Negate(of(a)),
            Tree::Complement(a) => Expr::Complement(of(a)),
            Tree::Binary(op, a, b) => Expr::Binary(*op, of(a), of(b)),
            Tree::Choice(c, a, b) => Expr::Choice(of(c), of(a), of(b)),
        }
    }

    /// The conditions whose conjunction this is.
    pub(crate) fn conjuncts(&self) -> Vec<&Tree> {
        match self {
            Tree::Binary(Operator::And, a, b) => [a.conjuncts(), b.conjuncts()].concat(),
            _ => vec![self],
        }
    }
}

/// The condition that the product of several sizes is at most `limit`, and so is the product of the first two, the
/// first three and so on: none of them overflows.
pub(crate) fn product_at_most(sizes: impl IntoIterator<Item = Tree>, limit: i64) -> Option<Tree> {
    let mut sizes = sizes.into_iter();
    let mut product = sizes.next()?;
    let mut all: Option<Tree> = None;
    for size in sizes {
        product = product.times(size);
        let part = product.clone().at_most(Tree::Const(limit));
        all = Some(match all {
            Some(others) => Tree::binary(Operator::And, others, part),
            None => part,
        });
    }
    all
}

impl AssumeExpr {
    /// Parses a C expression. Names are scalar parameters of the kernel, `blockDim.x` and the like, and OpenCL's
    /// `get_local_size(0)`, `get_num_groups(0)` and `get_global_size(0)`.
    pub fn parse(text: &str, kernel: &Kernel, origin: Origin) -> Result<AssumeExpr, String> {
        let expr = Expr::parse(text).and_then(|e| AssumeExpr::new(e, kernel, origin));
        expr.map_err(|why| format!("--assume '{text}': {why}"))
    }

    /// A precondition whose names are those of the kernel.
    pub fn new(expr: Expr, kernel: &Kernel, origin: Origin) -> Result<AssumeExpr, String> {
        let tree = tree(&expr, kernel)?;
        Ok(AssumeExpr { told: Some(expr), tree, origin })
    }
}

/// The expression with its names resolved.
fn tree(expr: &Expr, kernel: &Kernel) -> Result<Tree, String> {
    let of = |e: &Expr| tree(e, kernel).map(Box::new);
    Ok(match expr {
        Expr::Number(Number::Int(v)) => {
            let bits = u64::try_from(*v).map_err(|_| format!("'{v}' is not an integer"))?;
            Tree::Const(bits as i64)
        }
        Expr::Number(Number::Float(v)) => return Err(format!("'{v}' is not an integer")),
        Expr::Name(name) => named(name, kernel)?,
        Expr::Not(a) => Tree::Not(of(a)?),
        Expr::Negate(a) => Tree::Negate(of(a)?),
        Expr::Complement(a) => Tree::Complement(of(a)?),
        Expr::Binary(op, a, b) => Tree::Binary(*op, of(a)?, of(b)?),
        Expr::Choice(c, a, b) => Tree::Choice(of(c)?, of(a)?, of(b)?),
    })
}

fn named(name: &str, kernel: &Kernel) -> Result<Tree, String> {
    if let Some((function, axis)) = name.split_once('(') {
        let axis = axis.trim_end_matches(')').parse::<u8>().ok().filter(|a| *a < 3);
        let axis = axis.ok_or_else(|| format!("'{function}' needs an axis, 0 to 2"))?;
        let (block, grid) = (Tree::BlockDim(axis), Tree::GridDim(axis));
        return match function {
            "get_local_size" => Ok(block),
            "get_num_groups" => Ok(grid),
            "get_global_size" => Ok(Tree::binary(Operator::Mul, block, grid)),
            _ => Err(format!("'{function}' is not a function that may stand here")),
        };
    }
    match Dimension::named(name) {
        Some(Dimension::Block(axis)) => return Ok(Tree::BlockDim(axis as u8)),
        Some(Dimension::Grid(axis)) => return Ok(Tree::GridDim(axis as u8)),
        None => {}
    }
    let param = kernel.params.iter().position(|p| p.name == name);
    match param.map(|p| (p, kernel.params[p].kind)) {
        Some((p, ParamKind::Scalar { ty, count: 1 })) if ty.is_int() => Ok(Tree::Param(p)),
        Some(_) => Err(format!("'{name}' is not an integer parameter")),
        None => Err(format!("'{name}' is no parameter of the kernel")),
    }
}

impl Ctx<'_> {
    /// The expression as a condition.
    pub(crate) fn assume(&mut self, tree: &Tree) -> T {
        let v = self.assume_value(tree);
        self.truth_of(v)
    }

    fn truth_of(&mut self, v: T) -> T {
        let zero = self.pool.constant(0, 64);
        let e = self.pool.eq(v, zero);
        self.pool.not(e)
    }

    fn number_of(&mut self, cond: T) -> T {
        self.pool.zext(cond, 64)
    }

    fn assume_value(&mut self, tree: &Tree) -> T {
        match tree {
            Tree::Const(c) => self.pool.constant(*c as u64, 64),
            Tree::Param(p) => {
                let param = &self.kernel.params[*p];
                let ParamKind::Scalar { ty, .. } = param.kind else {
                    return self.pool.constant(0, 64);
                };
                let given = self.assumptions.scalars.iter().find(|(q, _)| q == p);
                let t = match given.and_then(|(_, v)| v.first()) {
                    Some(v) => self.pool.constant(*v, ty.bits()),
                    None => self.free(VarKind::Param(*p, 0), 0, ty.bits()),
                };
                if param.signed { self.pool.sext(t, 64) } else { self.pool.zext(t, 64) }
            }
            Tree::BlockDim(a) => {
                let d = self.block_dim(*a);
                self.pool.zext(d, 64)
            }
            Tree::GridDim(a) => {
                let d = self.grid_dim(*a);
                self.pool.zext(d, 64)
            }
            Tree::Not(a) => {
                let c = self.assume(a);
                let n = self.pool.not(c);
                self.number_of(n)
            }
            Tree::Negate(a) => {
                let v = self.assume_value(a);
                self.pool.scale(v, u64::MAX)
            }
            Tree::Complement(a) => {
                let v = self.assume_value(a);
                self.pool.sum(u64::MAX, &[(v, u64::MAX)], 64)
            }
            Tree::Choice(c, a, b) => {
                let c = self.assume(c);
                let (a, b) = (self.assume_value(a), self.assume_value(b));
                self.pool.ite(c, a, b)
            }
            Tree::Binary(op, a, b) => self.assume_binary(*op, a, b),
        }
    }

    fn assume_binary(&mut self, op: Operator, a: &Tree, b: &Tree) -> T {
        if matches!(op, Operator::And | Operator::Or) {
            let (x, y) = (self.assume(a), self.assume(b));
            let c = if op == Operator::And { self.pool.and(x, y) } else { self.pool.or(x, y) };
            return self.number_of(c);
        }
        let (x, y) = (self.assume_value(a), self.assume_value(b));
        let p = &mut self.pool;
        let cond = match op {
            Operator::Eq => p.eq(x, y),
            Operator::Ne => {
                let e = p.eq(x, y);
                p.not(e)
            }
            Operator::Lt => p.slt(x, y),
            Operator::Gt => p.slt(y, x),
            Operator::Le => p.sle(x, y),
            Operator::Ge => p.sle(y, x),
            Operator::BitOr => return p.or(x, y),
            Operator::BitXor => return p.xor(x, y),
            Operator::BitAnd => return p.and(x, y),
            Operator::Shl => return p.shl(x, y),
            Operator::Shr => return p.ashr(x, y),
            Operator::Add => return p.add(x, y),
            Operator::Sub => return p.sub(x, y),
            Operator::Mul => return p.mul(x, y),
            Operator::Div => return p.sdiv(x, y),
            Operator::Rem => return p.srem(x, y),
            Operator::And | Operator::Or => unreachable!("handled above"),
        };
        self.number_of(cond)
    }
}
