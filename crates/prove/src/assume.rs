//! `--assume`: C expressions over parameters and dimensions, as terms.
//!
//! Expressions are integers of 64 bits (a parameter is extended by its own signedness), so that
//! `n <= blockDim.x * gridDim.x` means what it says and does not wrap at 32 bits.

use lockstep_kernel::{Kernel, ParamKind};

use crate::context::{Ctx, VarKind};
use crate::term::T;

/// A precondition, with the text it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct AssumeExpr {
    pub text: String,
    pub tree: Tree,
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

/// C's binary operators, without assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Le,
    Ge,
    Lt,
    Gt,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// Operators by level, weakest first.
const LEVELS: [&[(&str, Operator)]; 10] = [
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[("|", Operator::BitOr)],
    &[("^", Operator::BitXor)],
    &[("&", Operator::BitAnd)],
    &[("==", Operator::Eq), ("!=", Operator::Ne)],
    &[("<=", Operator::Le), (">=", Operator::Ge), ("<", Operator::Lt), (">", Operator::Gt)],
    &[("<<", Operator::Shl), (">>", Operator::Shr)],
    &[("+", Operator::Add), ("-", Operator::Sub)],
    &[("*", Operator::Mul), ("/", Operator::Div), ("%", Operator::Rem)],
];

impl AssumeExpr {
    /// Reads a C expression. Names are scalar parameters of the kernel, `blockDim.x` and its kin, and OpenCL's
    /// `get_local_size(0)`, `get_num_groups(0)` and `get_global_size(0)`.
    pub fn parse(text: &str, kernel: &Kernel) -> Result<AssumeExpr, String> {
        let fail = |why: String| format!("--assume '{text}': {why}");
        let tokens = tokens(text).map_err(fail)?;
        let mut p = Parser { tokens, at: 0, kernel, depth: 0 };
        let tree = p.choice().map_err(fail)?;
        match p.peek() {
            Some(extra) => Err(fail(format!("'{extra}' is not expected there"))),
            None => Ok(AssumeExpr { text: text.trim().to_owned(), tree }),
        }
    }
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    const OPERATORS: [&str; 24] = [
        "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "!",
        "~", "&", "|", "^", "(", ")", "?", ":",
    ];
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let length = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            let operator = OPERATORS.iter().find(|o| rest.starts_with(**o));
            operator.ok_or_else(|| format!("'{first}' is not understood"))?.len()
        };
        out.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(out)
}

struct Parser<'a> {
    tokens: Vec<String>,
    at: usize,
    kernel: &'a Kernel,
    depth: u32,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) { Ok(()) } else { Err(format!("'{token}' is missing")) }
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > 100 { Err("nested too deeply".into()) } else { Ok(()) }
    }

    fn choice(&mut self) -> Result<Tree, String> {
        self.deeper()?;
        let mut tree = self.binary(0)?;
        if self.take("?") {
            let yes = self.choice()?;
            self.expect(":")?;
            let no = self.choice()?;
            tree = Tree::Choice(Box::new(tree), Box::new(yes), Box::new(no));
        }
        self.depth -= 1;
        Ok(tree)
    }

    fn binary(&mut self, level: usize) -> Result<Tree, String> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some((_, op)) = operators.iter().find(|(o, _)| self.peek() == Some(*o)) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Tree::Binary(*op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Tree, String> {
        self.deeper()?;
        let tree = if self.take("!") {
            Tree::Not(Box::new(self.unary()?))
        } else if self.take("-") {
            Tree::Negate(Box::new(self.unary()?))
        } else if self.take("~") {
            Tree::Complement(Box::new(self.unary()?))
        } else if self.take("+") {
            self.unary()?
        } else if self.take("(") {
            let tree = self.choice()?;
            self.expect(")")?;
            tree
        } else {
            self.name()?
        };
        self.depth -= 1;
        Ok(tree)
    }

    fn name(&mut self) -> Result<Tree, String> {
        let word = self.peek().ok_or("the expression ends too early")?.to_owned();
        let first = word.chars().next().unwrap_or(' ');
        if !(first.is_ascii_alphanumeric() || first == '_') {
            return Err(format!("a value is expected before '{word}'"));
        }
        self.at += 1;
        if first.is_ascii_digit() {
            return number(&word).map(Tree::Const);
        }
        match word.as_str() {
            "true" => return Ok(Tree::Const(1)),
            "false" => return Ok(Tree::Const(0)),
            _ => {}
        }
        if self.take("(") {
            let axis = self.peek().and_then(|a| a.parse::<u8>().ok()).filter(|a| *a < 3);
            let axis = axis.ok_or_else(|| format!("'{word}' needs an axis, 0 to 2"))?;
            self.at += 1;
            self.expect(")")?;
            return match word.as_str() {
                "get_local_size" => Ok(Tree::BlockDim(axis)),
                "get_num_groups" => Ok(Tree::GridDim(axis)),
                "get_global_size" => Ok(Tree::Binary(
                    Operator::Mul,
                    Box::new(Tree::BlockDim(axis)),
                    Box::new(Tree::GridDim(axis)),
                )),
                _ => Err(format!("'{word}' is not a function that may stand here")),
            };
        }
        if let Some((dims, axis)) = word.split_once('.')
            && let Some(axis) = ["x", "y", "z"].iter().position(|a| *a == axis)
        {
            match dims {
                "blockDim" => return Ok(Tree::BlockDim(axis as u8)),
                "gridDim" => return Ok(Tree::GridDim(axis as u8)),
                _ => {}
            }
        }
        let param = self.kernel.params.iter().position(|p| p.name == word);
        match param.map(|p| (p, self.kernel.params[p].kind)) {
            Some((p, ParamKind::Scalar { ty, count: 1 })) if ty.is_int() => Ok(Tree::Param(p)),
            Some(_) => Err(format!("'{word}' is not an integer parameter")),
            None => Err(format!("'{word}' is no parameter of the kernel")),
        }
    }
}

fn number(word: &str) -> Result<i64, String> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    let parsed = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    parsed.map(|v| v as i64).map_err(|_| format!("'{word}' is not an integer"))
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
