//! Expressions of a random kernel.

use super::{Base, Generator, INPUT, INT, Ty, Variable};

impl Generator {
    pub(super) fn literal(&mut self, ty: Ty) -> String {
        if ty.lanes > 1 {
            let lanes: Vec<String> = (0..ty.lanes).map(|_| self.literal(ty.scalar())).collect();
            return format!("({})({})", ty.name(), lanes.join(", "));
        }
        match ty.base {
            Base::F32 => format!("{:?}f", self.random.between(-64, 64) as f64 / 8.0),
            Base::F64 => format!("{:?}", self.random.between(-640, 640) as f64 / 16.0),
            Base::Int { .. } => {
                let value = match self.random.below(4) {
                    0 => self.random.between(-3, 3),
                    1 => self.random.between(-1_000_000_000, 1_000_000_000),
                    _ => self.random.between(-130, 130),
                };
                format!("({})({value})", ty.name())
            }
        }
    }

    pub(super) fn variable(&mut self, ty: Ty) -> Option<String> {
        let fitting: Vec<String> =
            self.scope.iter().filter(|v| v.ty == ty).map(|v| v.name.clone()).collect();
        if fitting.is_empty() { None } else { Some(self.random.pick(&fitting).clone()) }
    }

    /// A variable, a literal, a lane of a vector, an element of an array, or an input.
    pub(super) fn leaf(&mut self, ty: Ty) -> String {
        if self.random.chance(60)
            && let Some(name) = self.variable(ty)
        {
            return name;
        }
        if ty.lanes > 1 {
            let scalar = self.leaf(ty.scalar());
            return format!("({})({scalar})", ty.name());
        }
        let vectors: Vec<Variable> =
            self.scope.iter().filter(|v| v.ty.lanes > 1 && v.ty.scalar() == ty).cloned().collect();
        if !vectors.is_empty() && self.random.chance(30) {
            let vector = self.random.pick(&vectors).clone();
            return format!("{}.s{}", vector.name, self.random.below(vector.ty.lanes as u64));
        }
        let arrays: Vec<(String, Ty, u32)> =
            self.arrays.iter().filter(|a| a.1 == ty).cloned().collect();
        if !arrays.is_empty() && self.random.chance(30) {
            let (name, _, len) = self.random.pick(&arrays).clone();
            let index = self.leaf(INT);
            return format!("{name}[({index}) & {}]", len - 1);
        }
        if self.in_kernel && self.random.chance(40) {
            let index = self.leaf(INT);
            let index = format!("(uint)({index}) % {INPUT}u");
            return match ty.base {
                Base::F32 => format!("x[{index}]"),
                Base::F64 => format!("y[{index}]"),
                Base::Int { bits: 8, .. } => format!("({})b[{index}]", ty.name()),
                Base::Int { bits: 64, .. } => format!("({})c[{index}]", ty.name()),
                Base::Int { .. } => format!("({})a[{index}]", ty.name()),
            };
        }
        self.literal(ty)
    }

    pub(super) fn expr(&mut self, ty: Ty, depth: u32) -> String {
        if depth == 0 || self.random.chance(15) {
            return self.leaf(ty);
        }
        if self.random.chance(12) && ty.lanes == 1 {
            let condition = self.condition(depth - 1);
            let (a, b) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
            // Narrow integers are promoted by `?:`; the cast takes them back.
            return format!("(({})({condition} ? {a} : {b}))", ty.name());
        }
        if self.random.chance(10)
            && let Some(call) = self.call(ty, depth)
        {
            return call;
        }
        if self.random.chance(20) {
            return self.conversion(ty, depth);
        }
        if ty.lanes > 1 && self.random.chance(30) {
            return self.vector_expr(ty, depth);
        }
        if ty.is_int() { self.int_expr(ty, depth) } else { self.float_expr(ty, depth) }
    }

    pub(super) fn call(&mut self, ty: Ty, depth: u32) -> Option<String> {
        let fitting: Vec<usize> =
            (0..self.helpers.len()).filter(|&h| self.helpers[h].result == ty).collect();
        if fitting.is_empty() {
            return None;
        }
        let which = *self.random.pick(&fitting);
        let params = self.helpers[which].params.clone();
        let args: Vec<String> = params.iter().map(|&p| self.expr(p, depth - 1)).collect();
        Some(format!("{}({})", self.helpers[which].name, args.join(", ")))
    }

    /// A value of another type, converted in a way that is defined for all values.
    pub(super) fn conversion(&mut self, ty: Ty, depth: u32) -> String {
        let from = Ty { lanes: ty.lanes, ..self.scalar_ty() };
        let value = self.expr(from, depth - 1);
        let name = ty.name();
        match (from.is_int(), ty.is_int()) {
            (false, true) => format!("convert_{name}_sat({value})"),
            (true, true) if self.random.chance(30) => format!("convert_{name}_sat({value})"),
            _ if ty.lanes > 1 => format!("convert_{name}({value})"),
            _ => format!("({name})({value})"),
        }
    }

    pub(super) fn vector_expr(&mut self, ty: Ty, depth: u32) -> String {
        let name = ty.name();
        match self.random.below(4) {
            0 => {
                let parts: Vec<String> = (0..ty.lanes)
                    .map(|_| self.expr(ty.scalar(), depth.saturating_sub(2)))
                    .collect();
                format!("({name})({})", parts.join(", "))
            }
            1 => {
                // A swizzle of a variable with as many lanes.
                let from = self.variable(ty).unwrap_or_else(|| self.literal(ty));
                let lanes: String = (0..ty.lanes)
                    .map(|_| format!("{:x}", self.random.below(ty.lanes as u64)))
                    .collect();
                format!("({from}).s{lanes}")
            }
            2 if matches!(ty.lanes, 4 | 8) => {
                let half = Ty { lanes: ty.lanes / 2, ..ty };
                let (a, b) = (self.expr(half, depth - 1), self.expr(half, depth - 1));
                format!("({name})({a}, {b})")
            }
            _ => {
                // A comparison of vectors has all bits of a lane set or none.
                let (a, b) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
                let (c, d) = (self.leaf(ty), self.leaf(ty));
                let compare = *self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
                let mask = ty.with_sign(true).name();
                format!("select({a}, {b}, convert_{mask}({c} {compare} {d}))")
            }
        }
    }

    pub(super) fn int_expr(&mut self, ty: Ty, depth: u32) -> String {
        let name = ty.name();
        let bits = ty.bits();
        // Arithmetic on the unsigned type of at least 32 bits (for vectors: of the same width).
        let width = if ty.lanes == 1 { bits.max(32) } else { bits };
        let wide = Ty { base: Base::Int { bits: width, signed: false }, lanes: ty.lanes };
        let via = |e: String| {
            if ty.lanes == 1 {
                format!("({})({e})", wide.name())
            } else {
                format!("as_{}({e})", wide.name())
            }
        };
        let back = |e: String| {
            if ty.lanes == 1 { format!("({name})({e})") } else { format!("as_{name}({e})") }
        };
        let a = self.expr(ty, depth - 1);
        let b = self.expr(ty, depth - 1);
        match self.random.below(14) {
            0 | 1 => back(format!("{} + {}", via(a), via(b))),
            2 => back(format!("{} - {}", via(a), via(b))),
            3 | 4 => back(format!("{} * {}", via(a), via(b))),
            5 => {
                let op = *self.random.pick(&["&", "|", "^"]);
                format!("({name})({a} {op} {b})")
            }
            6 => format!("({name})(~({a}))"),
            7 => {
                let op = *self.random.pick(&["<<", ">>"]);
                let count = format!("(({b}) & ({name})({}))", bits - 1);
                if op == "<<" {
                    let count = if ty.lanes == 1 { count } else { via(count) };
                    back(format!("{} << {count}", via(a)))
                } else {
                    format!("({name})(({a}) >> {count})")
                }
            }
            8 | 9 => {
                let op = *self.random.pick(&["/", "%"]);
                if !ty.signed() {
                    format!("({name})(({a}) {op} (({b}) | ({name})(1)))")
                } else if self.random.chance(50) {
                    format!("({name})(({a}) {op} ((({b}) & ({name})(15)) + ({name})(1)))")
                } else {
                    format!("({name})(({a}) {op} (({name})(-2) - (({b}) & ({name})(15))))")
                }
            }
            10 => {
                let f = *self.random.pick(&["min", "max", "add_sat", "sub_sat", "hadd", "rhadd"]);
                format!("{f}({a}, {b})")
            }
            11 => {
                let f = *self.random.pick(&["rotate", "mul_hi"]);
                format!("{f}({a}, {b})")
            }
            12 => {
                let f = *self.random.pick(&["clz", "popcount"]);
                format!("{f}({a})")
            }
            _ => {
                let f = *self.random.pick(&["abs_diff", "bitselect"]);
                if f == "abs_diff" {
                    let cast =
                        if ty.lanes == 1 { format!("({name})") } else { format!("as_{name}") };
                    format!("{cast}(abs_diff({a}, {b}))")
                } else {
                    let c = self.leaf(ty);
                    format!("bitselect({a}, {b}, {c})")
                }
            }
        }
    }

    pub(super) fn float_expr(&mut self, ty: Ty, depth: u32) -> String {
        let a = self.expr(ty, depth - 1);
        match self.random.below(10) {
            0..=2 => format!("({a} + {})", self.expr(ty, depth - 1)),
            3 => format!("({a} - {})", self.expr(ty, depth - 1)),
            4 | 5 => format!("({a} * {})", self.expr(ty, depth - 1)),
            6 => format!("({a} / {})", self.expr(ty, depth - 1)),
            7 => {
                let f = *self.random.pick(&["fabs", "floor", "ceil", "trunc", "rint", "round"]);
                format!("{f}({a})")
            }
            8 => format!("(-({a}))"),
            _ => {
                let (b, c) = (self.expr(ty, depth - 1), self.leaf(ty));
                format!("fma({a}, {b}, {c})")
            }
        }
    }

    pub(super) fn condition(&mut self, depth: u32) -> String {
        if depth > 0 && self.random.chance(20) {
            let op = *self.random.pick(&["&&", "||"]);
            return format!("({} {op} {})", self.condition(depth - 1), self.condition(depth - 1));
        }
        if self.random.chance(10) {
            return format!("!{}", self.condition(depth.saturating_sub(1)));
        }
        let ty = self.scalar_ty();
        let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
        let op = *self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
        format!("({a} {op} {b})")
    }
}
