//! Terms: what a register or a byte of memory holds, as an expression over the inputs of a launch.
//!
//! Terms are hash-consed: equal expressions are one number, so sharing costs nothing and equality of two terms is the
//! comparison of two numbers. A term has the type of a register. Every operation is one of the kernel's own, and what it
//! means is what [`lockstep_kernel::semantics`] says: constants are folded by these very functions (`evaluate.rs`), and the
//! solver is told their definitions (`crate::solve::script`).
//!
//! Constructors rewrite only what holds for every value, in every type: `simplify.rs` for integers, comparisons and
//! selections, `logic.rs` for conditions. What needs an assumption about floating point is not rewritten here but in
//! `crate::equal`.
//!
//! A value that nobody gave (uninitialised memory, the result of an atomic whose order is open) is a variable of its own
//! ([`Variable::Undefined`]): whatever is proved holds for all its values.

pub(crate) mod evaluate;
mod logic;
mod ranges;
pub(crate) mod show;
mod simplify;
pub(crate) mod walk;

use rustc_hash::FxHashMap;

use lockstep_kernel::{CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, IntUnOp, MathFn, Rounding, Ty};

/// A term of a [`Pool`]. What a term is made of has smaller numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct T(pub(crate) u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// Bits, zero-extended.
    Const(u64),
    /// By number in [`Pool::variables`].
    Var(u32),
    Int(IntOp, T, T),
    IntUn(IntUnOp, T),
    Funnel(bool, T, T, T),
    Float(FloatOp, Rounding, T, T),
    FloatUn(FloatUnOp, Rounding, T),
    Fma(Rounding, T, T, T),
    /// The second operand is a constant 0 for functions of one argument.
    Math(MathFn, T, T),
    Cmp(CmpOp, T, T),
    /// From the operand's type to the term's own.
    Cast(CastOp, T),
    /// Whether two floats are the same value: NaNs are alike, zeros of both signs are not.
    Same(T, T),
    Select(T, T, T),
    Not(T),
    /// A conjunction: sorted, at least two, none a conjunction itself.
    All(Box<[T]>),
    /// An address: of a memory object of the execution, an offset in bytes (an `I64`).
    Address(u32, T),
    /// What a floating-point atomic leaves in memory, the old value and the one that is added: several of them are done
    /// in an order that nobody knows, and that differs between executions: the number is that of the execution.
    AnyOrder(FloatOp, u32, T, T),
    /// An element of an input: the index, an `I64`, is a term.
    Element(u32, T),
}

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Variable {
    /// An element of an input; a scalar is its element 0.
    Input { input: u32, element: u64 },
    /// A number that counts threads, iterations or elements, with its name.
    Counter(std::sync::Arc<str>),
    /// A value that nobody gave.
    Undefined(Undefined),
}

/// Why a value is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Undefined {
    Uninitialised,
    /// The old value that an atomic returns depends on the order of threads.
    AtomicOrder,
    /// A shuffle read from a lane that does not take part.
    AbsentLane,
    /// A number made of an address.
    AddressBits,
    /// `clock()` and its like.
    Clock,
    /// A variable that the host sets.
    Variable,
    /// An element of an input, picked by an index from more elements than are told apart.
    Element,
    /// Of memory that was written at places which are not told apart.
    Unfollowed,
}

#[derive(Default)]
pub(crate) struct Pool {
    nodes: Vec<(Node, Ty)>,
    known: FxHashMap<(Node, Ty), T>,
    pub(crate) variables: Vec<Variable>,
    variable_types: Vec<Ty>,
    inputs: FxHashMap<(u32, u64), T>,
    ranges: FxHashMap<T, ranges::Range>,
    /// The least and the greatest value of variables that count.
    counters: FxHashMap<u32, (i64, i64)>,
    range_depth: u32,
    /// Names of inputs, for printing.
    pub(crate) input_names: Vec<InputName>,
}

/// How an input is printed.
#[derive(Clone, Debug)]
pub(crate) struct InputName {
    pub(crate) name: String,
    pub(crate) is_array: bool,
}

impl Pool {
    pub(crate) fn node(&self, t: T) -> &Node {
        &self.nodes[t.0 as usize].0
    }

    pub(crate) fn ty(&self, t: T) -> Ty {
        self.nodes[t.0 as usize].1
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    fn intern(&mut self, node: Node, ty: Ty) -> T {
        if let Some(&t) = self.known.get(&(node.clone(), ty)) {
            return t;
        }
        let t = T(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.nodes.push((node.clone(), ty));
        self.known.insert((node, ty), t);
        t
    }

    pub(crate) fn constant(&mut self, ty: Ty, bits: u64) -> T {
        self.intern(Node::Const(bits & ty.mask()), ty)
    }

    pub(crate) fn truth(&mut self, b: bool) -> T {
        self.constant(Ty::I1, u64::from(b))
    }

    /// The bits of a constant.
    pub(crate) fn value(&self, t: T) -> Option<u64> {
        match self.node(t) {
            Node::Const(bits) => Some(*bits),
            _ => None,
        }
    }

    pub(crate) fn is_true(&self, t: T) -> bool {
        self.ty(t) == Ty::I1 && self.value(t) == Some(1)
    }

    pub(crate) fn is_false(&self, t: T) -> bool {
        self.ty(t) == Ty::I1 && self.value(t) == Some(0)
    }

    /// The same variable each time.
    pub(crate) fn input(&mut self, input: u32, element: u64, ty: Ty) -> T {
        if let Some(&t) = self.inputs.get(&(input, element)) {
            assert_eq!(self.ty(t), ty);
            return t;
        }
        let t = self.variable(Variable::Input { input, element }, ty);
        self.inputs.insert((input, element), t);
        t
    }

    /// The element of an input at an index.
    pub(crate) fn element(&mut self, input: u32, index: T, ty: Ty) -> T {
        match self.value(index) {
            Some(element) => self.input(input, element, ty),
            None => self.intern(Node::Element(input, index), ty),
        }
    }

    /// A new variable that is one of these numbers, read as signed. It is called by its name in expressions.
    pub(crate) fn counter(&mut self, name: &str, ty: Ty, low: i64, high: i64) -> T {
        if low == high {
            return self.constant(ty, low as u64);
        }
        let t = self.variable(Variable::Counter(name.into()), ty);
        self.counters.insert(self.variables.len() as u32 - 1, (low, high));
        self.ranges.insert(t, (low.into(), high.into()));
        t
    }

    /// The least and the greatest value of a variable that counts.
    pub(crate) fn counter_range(&self, v: u32) -> Option<(i64, i64)> {
        self.counters.get(&v).copied()
    }

    pub(crate) fn variable_type(&self, v: u32) -> Ty {
        self.variable_types[v as usize]
    }

    /// Another variable each time.
    pub(crate) fn undefined(&mut self, why: Undefined, ty: Ty) -> T {
        self.variable(Variable::Undefined(why), ty)
    }

    fn variable(&mut self, what: Variable, ty: Ty) -> T {
        self.variables.push(what);
        self.variable_types.push(ty);
        self.intern(Node::Var(self.variables.len() as u32 - 1), ty)
    }

    pub(crate) fn int_un(&mut self, op: IntUnOp, a: T) -> T {
        let ty = self.ty(a);
        if op == IntUnOp::PopCount
            && let Some(sum) = self.counted(a)
        {
            return sum;
        }
        self.folded(Node::IntUn(op, a), ty)
    }

    pub(crate) fn funnel(&mut self, left: bool, hi: T, lo: T, amount: T) -> T {
        let ty = self.ty(hi);
        self.folded(Node::Funnel(left, hi, lo, amount), ty)
    }

    pub(crate) fn float(&mut self, op: FloatOp, rounding: Rounding, a: T, b: T) -> T {
        let ty = self.ty(a);
        self.folded(Node::Float(op, rounding, a, b), ty)
    }

    pub(crate) fn float_un(&mut self, op: FloatUnOp, rounding: Rounding, a: T) -> T {
        let ty = self.ty(a);
        // Only a root is rounded.
        let rounding = if op == FloatUnOp::Sqrt { rounding } else { Rounding::NearestEven };
        if op == FloatUnOp::Neg
            && let Node::FloatUn(FloatUnOp::Neg, _, inner) = *self.node(a)
        {
            return inner;
        }
        // Which accuracy these have is the device's choice, for constants too.
        if matches!(op, FloatUnOp::Fast | FloatUnOp::Native | FloatUnOp::Half) {
            return self.intern(Node::FloatUn(op, rounding, a), ty);
        }
        self.folded(Node::FloatUn(op, rounding, a), ty)
    }

    pub(crate) fn fma(&mut self, rounding: Rounding, a: T, b: T, c: T) -> T {
        let ty = self.ty(a);
        self.folded(Node::Fma(rounding, a, b, c), ty)
    }

    pub(crate) fn math(&mut self, f: MathFn, a: T, b: T) -> T {
        let ty = match f {
            MathFn::ILogB | MathFn::FrexpExp => Ty::I32,
            _ => self.ty(a),
        };
        self.folded(Node::Math(f, a, b), ty)
    }

    /// The condition that two terms are the same value. Of a NaN, sign and payload do not count.
    pub(crate) fn same(&mut self, a: T, b: T) -> T {
        if a == b {
            return self.truth(true);
        }
        if !self.ty(a).is_float() {
            return self.cmp(CmpOp::Eq, a, b);
        }
        self.folded(Node::Same(a.min(b), a.max(b)), Ty::I1)
    }

    pub(crate) fn any_order(&mut self, op: FloatOp, execution: u32, a: T, b: T) -> T {
        let ty = self.ty(a);
        self.intern(Node::AnyOrder(op, execution, a, b), ty)
    }

    pub(crate) fn address(&mut self, object: u32, offset: T) -> T {
        self.intern(Node::Address(object, offset), Ty::Ptr)
    }

    /// The term, or its value where all it is made of is constant.
    fn folded(&mut self, node: Node, ty: Ty) -> T {
        let mut constant = true;
        walk::children(&node, |c| constant &= self.value(c).is_some());
        if constant
            && let Some(bits) = evaluate::apply(self, &node, ty, &|t| self.value(t).unwrap_or(0))
        {
            return self.constant(ty, bits);
        }
        self.intern(node, ty)
    }
}

/// Functions of two arguments.
pub(crate) fn is_binary(f: MathFn) -> bool {
    matches!(
        f,
        MathFn::Atan2
            | MathFn::Atan2Pi
            | MathFn::Pow
            | MathFn::Hypot
            | MathFn::Remainder
            | MathFn::FDim
            | MathFn::NextAfter
            | MathFn::LdExp
    )
}
