//! Terms as SMT-LIB 2, for other solvers.
//!
//! One line for each variable, function and term, in the order of use, then one block for each query, from `(push 1)`
//! to `(pop 1)`. Terms of width 1 are booleans, all others bit-vectors. Division by zero and shifts beyond the width
//! have the same semantics in SMT-LIB as here, except for signed division by zero.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use crate::term::walk::children;
use crate::term::{Bin, FnId, Node, Pool, T, VarId, mask};

pub(crate) struct Script<'a> {
    pool: &'a Pool,
    variable: &'a dyn Fn(VarId) -> String,
    defined: FxHashSet<T>,
    functions: FxHashSet<(FnId, u32)>,
    definitions: String,
    questions: String,
}

impl<'a> Script<'a> {
    /// `variable` gives each variable a unique name.
    pub(crate) fn new(pool: &'a Pool, variable: &'a dyn Fn(VarId) -> String) -> Script<'a> {
        Script {
            pool,
            variable,
            defined: FxHashSet::default(),
            functions: FxHashSet::default(),
            definitions: "(set-logic QF_UFBV)\n".into(),
            questions: String::new(),
        }
    }

    /// Adds a query whether all members can hold together.
    pub(crate) fn question(&mut self, name: &str, members: &[T]) {
        self.begin(name);
        for &t in members {
            self.define(t);
            let member = self.name(t);
            let _ = writeln!(self.questions, "(assert {member})");
        }
        self.end();
    }

    /// Adds a query whether an operation can differ from a term, where all members hold.
    pub(crate) fn difference(&mut self, name: &str, from: &Node, width: u32, to: T, members: &[T]) {
        let mut operands = vec![to];
        children(from, |c| operands.push(c));
        for t in operands {
            self.define(t);
        }
        self.begin(name);
        for &t in members {
            self.define(t);
            let member = self.name(t);
            let _ = writeln!(self.questions, "(assert {member})");
        }
        let (left, right) = (self.operation(from, width), self.name(to));
        let _ = writeln!(self.questions, "(assert (not (= {left} {right})))");
        self.end();
    }

    pub(crate) fn finish(self) -> String {
        self.definitions + &self.questions
    }

    fn begin(&mut self, name: &str) {
        let _ = writeln!(self.questions, "(push 1)\n(echo \"{name}\")");
    }

    fn end(&mut self) {
        self.questions.push_str("(check-sat)\n(pop 1)\n");
    }

    fn define(&mut self, root: T) {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.defined.contains(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            children(self.pool.node(t), |c| {
                if !self.defined.contains(&c) {
                    stack.push(c);
                }
            });
            if stack.len() > before {
                continue;
            }
            self.line(t);
            self.defined.insert(t);
            stack.pop();
        }
    }

    fn line(&mut self, t: T) {
        let w = self.pool.width(t);
        match self.pool.node(t) {
            Node::Const(_) => {}
            Node::Var(v) => {
                let name = (self.variable)(*v);
                let _ = writeln!(self.definitions, "(declare-fun {name} () {})", sort(w));
            }
            node => {
                if let Node::App(f, args) = node
                    && self.functions.insert((*f, w))
                {
                    let sorts: Vec<String> =
                        args.iter().map(|&a| sort(self.pool.width(a))).collect();
                    let (name, sorts) = (function(*f, w), sorts.join(" "));
                    let _ =
                        writeln!(self.definitions, "(declare-fun {name} ({sorts}) {})", sort(w));
                }
                let body = self.operation(node, w);
                let name = format!("t{}", t.0);
                let _ = writeln!(self.definitions, "(define-fun {name} () {} {body})", sort(w));
            }
        }
    }

    fn name(&self, t: T) -> String {
        let w = self.pool.width(t);
        match self.pool.node(t) {
            Node::Const(c) if w == 1 => if *c == 1 { "true" } else { "false" }.into(),
            Node::Const(c) => number(*c, w),
            Node::Var(v) => (self.variable)(*v),
            _ => format!("t{}", t.0),
        }
    }

    /// A boolean as a bit-vector of one bit, or the bit-vector itself.
    fn vector(&self, t: T) -> String {
        match self.pool.width(t) {
            1 => format!("(ite {} #b1 #b0)", self.name(t)),
            _ => self.name(t),
        }
    }

    fn operation(&self, node: &Node, w: u32) -> String {
        let boolean = |text: String| if w == 1 { format!("(= {text} #b1)") } else { text };
        match node {
            Node::Const(c) if w == 1 => if *c == 1 { "true" } else { "false" }.into(),
            Node::Const(c) => number(*c, w),
            Node::Var(v) => (self.variable)(*v),
            Node::App(f, args) if args.is_empty() => function(*f, w),
            Node::App(f, args) => {
                let args: Vec<String> = args.iter().map(|&a| self.name(a)).collect();
                format!("({} {})", function(*f, w), args.join(" "))
            }
            Node::Lin(c, terms) => {
                let mut parts: Vec<String> = Vec::new();
                for &(t, k) in terms.iter() {
                    let atom = self.vector(t);
                    parts.push(match k {
                        1 => atom,
                        k if k == mask(w) => format!("(bvneg {atom})"),
                        k => format!("(bvmul {} {atom})", number(k, w)),
                    });
                }
                if *c != 0 || parts.is_empty() {
                    parts.push(number(*c, w));
                }
                let sum = match parts.as_slice() {
                    [one] => one.clone(),
                    _ => format!("(bvadd {})", parts.join(" ")),
                };
                boolean(sum)
            }
            Node::Bin(op, a, b) => self.binary(*op, *a, *b, w),
            Node::Ite(c, a, b) => {
                format!("(ite {} {} {})", self.name(*c), self.name(*a), self.name(*b))
            }
            Node::ZExt(a) => {
                format!("((_ zero_extend {}) {})", w - self.pool.width(*a), self.vector(*a))
            }
            Node::SExt(a) => {
                format!("((_ sign_extend {}) {})", w - self.pool.width(*a), self.vector(*a))
            }
            Node::Trunc(a) => boolean(format!("((_ extract {} 0) {})", w - 1, self.vector(*a))),
        }
    }

    fn binary(&self, op: Bin, a: T, b: T, w: u32) -> String {
        let own = self.pool.width(a);
        let (x, y) = (self.name(a), self.name(b));
        if own == 1 {
            match op {
                Bin::And | Bin::Mul => return format!("(and {x} {y})"),
                Bin::Or => return format!("(or {x} {y})"),
                Bin::Xor => return format!("(xor {x} {y})"),
                Bin::Eq => return format!("(= {x} {y})"),
                Bin::Ult => return format!("(and (not {x}) {y})"),
                Bin::Slt => return format!("(and {x} (not {y}))"),
                _ => {}
            }
        }
        let (x, y) = (self.vector(a), self.vector(b));
        let name = match op {
            Bin::Mul => "bvmul",
            Bin::UDiv => "bvudiv",
            Bin::URem => "bvurem",
            // SMT-LIB's signed division by zero is 1 for negative dividends; ours is all ones.
            Bin::SDiv => {
                let (zero, ones) = (number(0, own), number(mask(own), own));
                let quotient = format!("(ite (= {y} {zero}) {ones} (bvsdiv {x} {y}))");
                return if w == 1 { format!("(= {quotient} #b1)") } else { quotient };
            }
            Bin::SRem => "bvsrem",
            Bin::And => "bvand",
            Bin::Or => "bvor",
            Bin::Xor => "bvxor",
            Bin::Shl => "bvshl",
            Bin::LShr => "bvlshr",
            Bin::AShr => "bvashr",
            Bin::Eq => return format!("(= {x} {y})"),
            Bin::Ult => return format!("(bvult {x} {y})"),
            Bin::Slt => return format!("(bvslt {x} {y})"),
        };
        match w {
            1 => format!("(= ({name} {x} {y}) #b1)"),
            _ => format!("({name} {x} {y})"),
        }
    }
}

fn sort(width: u32) -> String {
    match width {
        1 => "Bool".into(),
        _ => format!("(_ BitVec {width})"),
    }
}

fn number(value: u64, width: u32) -> String {
    format!("(_ bv{} {width})", value & mask(width))
}

fn function(f: FnId, width: u32) -> String {
    format!("f{}.{width}", f.0)
}
