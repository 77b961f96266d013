//! Random kernels: `generate(seed)` is a correct OpenCL C kernel and its launch.
//!
//! A kernel declares a few variables of random types (all integer widths, `float`, `double`, vectors
//! of 2 to 8 lanes), computes with them through random statements (assignments, branches, loops of
//! every shape, `switch`, private arrays, helper functions, exchange through local memory with
//! barriers, local atomics), and writes every variable to its own place in the output.
//!
//! Correct by construction, so that any difference or finding is somebody's bug:
//! - signed arithmetic goes through the unsigned type, shifts are masked, divisors are never 0 or
//!   -1, indices are reduced modulo the array's length, everything is initialised;
//! - what leaves a choice to the implementation is left out: contraction (`FP_CONTRACT OFF`), the
//!   sign and payload of a NaN, `fmin` of two zeros, conversions out of range that do not saturate;
//! - barriers stand only where control flow is uniform, between writing a phase's local memory and
//!   reading it; atomics of one phase commute, and their results are read after a barrier.
//!
//! What it does not reach: pointers to pointers, structs, global atomics, 2.0 features, races.

use std::fmt::Write;

use crate::case::Case;
use crate::random::Random;

/// The random case of this seed.
pub fn generate(seed: u64) -> Case {
    let source = Generator::new(seed).kernel();
    Case::parse(&format!("random-{seed}"), source)
        .expect("the generator writes a valid head comment")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ty {
    base: Base,
    lanes: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Int { bits: u8, signed: bool },
    F32,
    F64,
}

const INT: Ty = Ty { base: Base::Int { bits: 32, signed: true }, lanes: 1 };

impl Ty {
    fn scalar(self) -> Ty {
        Ty { lanes: 1, ..self }
    }

    fn is_int(self) -> bool {
        matches!(self.base, Base::Int { .. })
    }

    fn bits(self) -> u8 {
        match self.base {
            Base::Int { bits, .. } => bits,
            Base::F32 => 32,
            Base::F64 => 64,
        }
    }

    fn signed(self) -> bool {
        !matches!(self.base, Base::Int { signed: false, .. })
    }

    fn with_sign(self, signed: bool) -> Ty {
        Ty { base: Base::Int { bits: self.bits(), signed }, lanes: self.lanes }
    }

    fn name(self) -> String {
        let base = match self.base {
            Base::F32 => "float",
            Base::F64 => "double",
            Base::Int { bits: 8, signed: true } => "char",
            Base::Int { bits: 8, .. } => "uchar",
            Base::Int { bits: 16, signed: true } => "short",
            Base::Int { bits: 16, .. } => "ushort",
            Base::Int { bits: 32, signed: true } => "int",
            Base::Int { bits: 32, .. } => "uint",
            Base::Int { signed: true, .. } => "long",
            Base::Int { .. } => "ulong",
        };
        if self.lanes == 1 { base.to_string() } else { format!("{base}{}", self.lanes) }
    }
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Ty,
    /// Loop counters may be read, not assigned.
    assignable: bool,
}

struct Helper {
    name: String,
    result: Ty,
    params: Vec<Ty>,
}

struct Generator {
    random: Random,
    seed: u64,
    scope: Vec<Variable>,
    helpers: Vec<Helper>,
    /// Private arrays: name, element type, length (a power of two).
    arrays: Vec<(String, Ty, u32)>,
    names: u32,
    /// Statements that may still be written, so that kernels stay small.
    fuel: u32,
    /// In the kernel's body, where the input arrays and local memory can be named.
    in_kernel: bool,
    body: String,
    indent: usize,
}

const INPUT: u64 = 64;

impl Generator {
    fn new(seed: u64) -> Generator {
        Generator {
            random: Random::new(seed ^ 0x6c6f_636b_7374_6570),
            seed,
            scope: Vec::new(),
            helpers: Vec::new(),
            arrays: Vec::new(),
            names: 0,
            fuel: 0,
            in_kernel: false,
            body: String::new(),
            indent: 0,
        }
    }

    fn kernel(mut self) -> String {
        let shapes: [[u64; 3]; 8] = [
            [64, 1, 1],
            [32, 1, 1],
            [37, 1, 1],
            [8, 8, 1],
            [16, 4, 1],
            [5, 3, 2],
            [1, 1, 1],
            [100, 1, 1],
        ];
        let block = *self.random.pick(&shapes);
        let grid = *self.random.pick(&[[1, 1, 1], [2, 1, 1], [3, 1, 1], [2, 2, 1]]);
        let size: u64 = block.iter().product();
        for _ in 0..self.random.below(3) {
            self.helper();
        }
        self.in_kernel = true;
        self.indent = 1;
        self.variables();
        self.fuel = 8 + self.random.below(14) as u32;
        let mut statements = 0;
        while self.fuel > 0 && statements < 24 {
            statements += 1;
            match self.random.below(10) {
                0 | 1 => self.exchange(size),
                2 => self.local_atomics(size),
                3 => self.uniform_loop(size),
                _ => self.statement(3),
            }
        }
        if self.random.chance(30) {
            self.early_return();
        }
        let (ints, floats) = self.outputs();
        let total = size * grid.iter().product::<u64>();
        let mut text = String::new();
        let dims = |d: [u64; 3]| format!("{},{},{}", d[0], d[1], d[2]);
        let _ = writeln!(text, "// A random kernel: seed {}.", self.seed);
        let _ = writeln!(text, "// launch: block={} grid={}", dims(block), dims(grid));
        let _ = writeln!(text, "// arg: a=i32[{INPUT}]:random");
        let _ = writeln!(text, "// arg: b=u8[{INPUT}]:random");
        let _ = writeln!(text, "// arg: c=i64[{INPUT}]:edges");
        let _ = writeln!(text, "// arg: x=f32[{INPUT}]:random");
        let _ = writeln!(text, "// arg: y=f64[{INPUT}]:random");
        let _ = writeln!(text, "// arg: out=i64[{}]:zeros", total * ints as u64);
        let _ = writeln!(text, "// arg: fout=f64[{}]:zeros", total * floats as u64);
        let _ = writeln!(text, "// arg: n=i32 {}", self.random.between(-1000, 1000));
        let _ = writeln!(text, "// arg: p=f32 {}", self.random.between(-40, 40) as f64 / 8.0);
        text.push_str("#pragma OPENCL FP_CONTRACT OFF\n");
        text.push_str("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n\n");
        text.push_str(&self.body);
        text
    }

    // Names, types, output.

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.body.push_str("    ");
        }
        self.body.push_str(text);
        self.body.push('\n');
    }

    fn open(&mut self, text: &str) {
        self.line(text);
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn scalar_ty(&mut self) -> Ty {
        let base = match self.random.below(10) {
            0 | 1 => Base::F32,
            2 => Base::F64,
            _ => Base::Int {
                bits: *self.random.pick(&[8, 16, 32, 32, 32, 64]),
                signed: self.random.chance(50),
            },
        };
        Ty { base, lanes: 1 }
    }

    fn any_ty(&mut self) -> Ty {
        let ty = self.scalar_ty();
        let lanes = if self.random.chance(30) { *self.random.pick(&[2, 3, 4, 8]) } else { 1 };
        Ty { lanes, ..ty }
    }

    // Expressions.

    fn literal(&mut self, ty: Ty) -> String {
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

    fn variable(&mut self, ty: Ty) -> Option<String> {
        let fitting: Vec<String> =
            self.scope.iter().filter(|v| v.ty == ty).map(|v| v.name.clone()).collect();
        if fitting.is_empty() { None } else { Some(self.random.pick(&fitting).clone()) }
    }

    /// A variable, a literal, a lane of a vector, an element of an array, or an input.
    fn leaf(&mut self, ty: Ty) -> String {
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

    fn expr(&mut self, ty: Ty, depth: u32) -> String {
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

    fn call(&mut self, ty: Ty, depth: u32) -> Option<String> {
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
    fn conversion(&mut self, ty: Ty, depth: u32) -> String {
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

    fn vector_expr(&mut self, ty: Ty, depth: u32) -> String {
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

    fn int_expr(&mut self, ty: Ty, depth: u32) -> String {
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

    fn float_expr(&mut self, ty: Ty, depth: u32) -> String {
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

    fn condition(&mut self, depth: u32) -> String {
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

    // Statements.

    fn statement(&mut self, depth: u32) {
        if self.fuel == 0 {
            return;
        }
        self.fuel -= 1;
        if depth == 0 {
            return self.assignment();
        }
        match self.random.below(14) {
            0 | 1 => {
                let condition = self.condition(1);
                self.open(&format!("if ({condition}) {{"));
                self.block(depth - 1);
                if self.random.chance(60) {
                    self.indent -= 1;
                    self.open("} else {");
                    self.block(depth - 1);
                }
                self.close();
            }
            2 => self.for_loop(depth),
            3 => self.while_loop(depth),
            4 => self.switch(depth),
            5 => self.array_store(),
            6 => self.declare(),
            _ => self.assignment(),
        }
    }

    /// A few statements whose declarations end with the block.
    fn block(&mut self, depth: u32) {
        let (scope, arrays) = (self.scope.len(), self.arrays.len());
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        self.scope.truncate(scope);
        self.arrays.truncate(arrays);
    }

    fn assignment(&mut self) {
        let targets: Vec<Variable> = self.scope.iter().filter(|v| v.assignable).cloned().collect();
        let target = self.random.pick(&targets).clone();
        if target.ty.lanes > 1 && self.random.chance(40) {
            let lane = self.random.below(target.ty.lanes as u64);
            let value = self.expr(target.ty.scalar(), 3);
            return self.line(&format!("{}.s{lane} = {value};", target.name));
        }
        let value = self.expr(target.ty, 3);
        self.line(&format!("{} = {value};", target.name));
    }

    fn declare(&mut self) {
        let ty = self.any_ty();
        let name = self.fresh("v");
        let value = self.expr(ty, 2);
        self.line(&format!("{} {name} = {value};", ty.name()));
        self.scope.push(Variable { name, ty, assignable: true });
    }

    fn array_store(&mut self) {
        if self.arrays.is_empty() {
            return self.assignment();
        }
        let (name, ty, len) = self.random.pick(&self.arrays.clone()).clone();
        let (index, value) = (self.expr(INT, 1), self.expr(ty, 2));
        self.line(&format!("{name}[({index}) & {}] = {value};", len - 1));
    }

    fn for_loop(&mut self, depth: u32) {
        let counter = self.fresh("i");
        let bound = match self.random.below(3) {
            0 => format!("{}", self.random.below(6)),
            _ => format!("(int)(({}) & 7)", self.expr(INT, 1)),
        };
        // The bound is taken once: the body may change what it was computed from.
        let limit = self.fresh("end");
        self.line(&format!("const int {limit} = {bound};"));
        if self.random.chance(70) {
            self.open(&format!("for (int {counter} = 0; {counter} < {limit}; {counter}++) {{"));
        } else {
            self.open(&format!("for (int {counter} = {limit}; {counter} > 0; {counter} -= 2) {{"));
        }
        self.loop_body(&counter, depth);
        self.close();
    }

    fn while_loop(&mut self, depth: u32) {
        let counter = self.fresh("i");
        let start = format!("(int)(({}) & 7)", self.expr(INT, 1));
        self.line(&format!("int {counter} = {start};"));
        let do_while = self.random.chance(40);
        if do_while {
            self.open("do {");
        } else {
            self.open(&format!("while ({counter} > 0) {{"));
        }
        self.line(&format!("{counter}--;"));
        self.loop_body(&counter, depth);
        if do_while {
            self.indent -= 1;
            self.line(&format!("}} while ({counter} > 0);"));
        } else {
            self.close();
        }
    }

    fn loop_body(&mut self, counter: &str, depth: u32) {
        let scope = self.scope.len();
        self.scope.push(Variable { name: counter.to_string(), ty: INT, assignable: false });
        self.block(depth - 1);
        if self.random.chance(40) {
            let leave = *self.random.pick(&["break", "continue"]);
            let condition = self.condition(1);
            self.line(&format!("if ({condition}) {leave};"));
            self.block(depth - 1);
        }
        self.scope.truncate(scope);
    }

    fn switch(&mut self, depth: u32) {
        let value = self.expr(INT, 2);
        self.open(&format!("switch (({value}) & 3) {{"));
        for case in 0..1 + self.random.below(4) {
            self.open(&format!("case {case}: {{"));
            self.block(depth - 1);
            if self.random.chance(70) {
                self.line("break;");
            }
            self.close();
        }
        if self.random.chance(60) {
            self.open("default: {");
            self.block(depth - 1);
            self.close();
        }
        self.close();
    }

    // Where control flow is uniform.

    /// Every thread publishes a value, and reads somebody else's after the barrier.
    fn exchange(&mut self, size: u64) {
        self.fuel = self.fuel.saturating_sub(1);
        let ty = self.any_ty();
        let name = self.fresh("tile");
        let value = self.expr(ty, 2);
        let at = match self.random.below(3) {
            0 => "lid".to_string(),
            1 => format!("(lid + {}u) % {size}u", self.random.below(size)),
            _ => format!("({size}u - 1u - lid)"),
        };
        self.line(&format!("{name}[{at}] = {value};"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        // Declared at the head of the kernel, as the language asks.
        let declaration = format!("    local {} {name}[{size}];\n", ty.name());
        self.insert_at_head(&declaration);
        let result = self.fresh("v");
        let index = match self.random.below(3) {
            0 => format!("(lid ^ {}u) % {size}u", self.random.below(size)),
            1 => format!(
                "(lid * {}u + {}u) % {size}u",
                1 + self.random.below(7),
                self.random.below(size)
            ),
            _ => format!("(uint)({}) % {size}u", self.expr(INT, 1)),
        };
        self.line(&format!("{} {result} = {name}[{index}];", ty.name()));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.scope.push(Variable { name: result, ty, assignable: true });
    }

    fn insert_at_head(&mut self, declaration: &str) {
        let at = self.body.find("    // locals\n").unwrap_or(0);
        self.body.insert_str(at, declaration);
    }

    /// A phase of one commutative atomic on a few counters.
    fn local_atomics(&mut self, size: u64) {
        self.fuel = self.fuel.saturating_sub(1);
        let name = self.fresh("count");
        let counters = *self.random.pick(&[1u64, 4, 8]);
        let signed = self.random.chance(50);
        let ty = INT.with_sign(signed);
        let declaration = format!("    local {} {name}[{counters}];\n", ty.name());
        self.insert_at_head(&declaration);
        let start = self.random.between(0, 100);
        self.line(&format!(
            "for (uint k = lid; k < {counters}u; k += {size}u) {name}[k] = {start};"
        ));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let op = *self.random.pick(&["add", "sub", "and", "or", "xor", "min", "max", "inc", "dec"]);
        let index = format!("(uint)({}) % {counters}u", self.expr(INT, 1));
        let guard = if self.random.chance(40) {
            format!("if ({}) ", self.condition(1))
        } else {
            String::new()
        };
        if matches!(op, "inc" | "dec") {
            self.line(&format!("{guard}atomic_{op}(&{name}[{index}]);"));
        } else {
            let value = self.expr(ty, 2);
            self.line(&format!("{guard}atomic_{op}(&{name}[{index}], {value});"));
        }
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let result = self.fresh("v");
        self.line(&format!("{} {result} = {name}[lid % {counters}u];", ty.name()));
        self.scope.push(Variable { name: result, ty, assignable: true });
    }

    /// A loop that all threads take equally often, with an exchange in it.
    fn uniform_loop(&mut self, size: u64) {
        let counter = self.fresh("u");
        let bound = if self.random.chance(50) {
            format!("{}", 1 + self.random.below(4))
        } else {
            "(n & 3) + 1".to_string()
        };
        self.open(&format!("for (int {counter} = 0; {counter} < {bound}; {counter}++) {{"));
        let (scope, arrays) = (self.scope.len(), self.arrays.len());
        self.scope.push(Variable { name: counter, ty: INT, assignable: false });
        self.exchange(size);
        self.block(1);
        self.scope.truncate(scope);
        self.arrays.truncate(arrays);
        self.close();
    }

    // The frame of a kernel.

    fn helper(&mut self) {
        let result = self.any_ty();
        let params: Vec<Ty> = (0..1 + self.random.below(3)).map(|_| self.any_ty()).collect();
        let name = self.fresh("f");
        self.scope.clear();
        for &ty in &params {
            let name = self.fresh("p");
            self.scope.push(Variable { name, ty, assignable: true });
        }
        let list: Vec<String> =
            self.scope.iter().map(|v| format!("{} {}", v.ty.name(), v.name)).collect();
        self.open(&format!("{} {name}({}) {{", result.name(), list.join(", ")));
        self.fuel = 3;
        self.declare();
        self.statement(2);
        self.statement(1);
        if self.random.chance(40) {
            let (condition, value) = (self.condition(1), self.expr(result, 1));
            self.line(&format!("if ({condition}) return {value};"));
        }
        let value = self.expr(result, 2);
        self.line(&format!("return {value};"));
        self.close();
        self.body.push('\n');
        self.scope.clear();
        self.helpers.push(Helper { name, result, params });
    }

    fn variables(&mut self) {
        let seed = self.seed;
        self.body.push_str(&format!(
            "kernel void random_{seed}(global const int *a, global const uchar *b, global const long *c,\n\
             \x20   global const float *x, global const double *y, global long *out, global double *fout,\n\
             \x20   int n, float p) {{\n\
             \x20   // locals\n"
        ));
        self.line(
            "const uint lid = (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) \
             + get_local_size(1) * get_local_id(2)));",
        );
        self.line(
            "const uint gid = (uint)(get_global_id(0) + get_global_size(0) * (get_global_id(1) \
             + get_global_size(1) * get_global_id(2)));",
        );
        self.line("int t = (int)lid;");
        self.scope.push(Variable { name: "t".into(), ty: INT, assignable: true });
        let constant = |name: &str, ty| Variable { name: name.into(), ty, assignable: false };
        self.scope.push(constant("n", INT));
        self.scope.push(constant("lid", INT.with_sign(false)));
        self.scope.push(constant("gid", INT.with_sign(false)));
        self.scope.push(constant("p", Ty { base: Base::F32, lanes: 1 }));
        for _ in 0..3 + self.random.below(4) {
            self.declare();
        }
        for _ in 0..self.random.below(3) {
            let ty = self.scalar_ty();
            let len = *self.random.pick(&[4u32, 8]);
            let name = self.fresh("arr");
            let values: Vec<String> = (0..len).map(|_| self.expr(ty, 1)).collect();
            self.line(&format!("{} {name}[{len}] = {{{}}};", ty.name(), values.join(", ")));
            self.arrays.push((name, ty, len));
        }
    }

    /// Some threads leave before the last statements; no barrier follows.
    fn early_return(&mut self) {
        let condition = self.condition(1);
        self.line(&format!("if ({condition}) return;"));
        self.fuel = 2;
        self.statement(1);
    }

    /// Writes every lane of every variable to a place of its own; how many of each kind there are.
    fn outputs(&mut self) -> (usize, usize) {
        let mut lanes = Vec::new();
        for v in self.scope.iter().filter(|v| v.assignable) {
            for lane in 0..v.ty.lanes {
                let value =
                    if v.ty.lanes == 1 { v.name.clone() } else { format!("{}.s{lane}", v.name) };
                lanes.push((value, v.ty.is_int()));
            }
        }
        for (name, ty, len) in &self.arrays {
            for i in 0..*len {
                lanes.push((format!("{name}[{i}]"), ty.is_int()));
            }
        }
        let ints = lanes.iter().filter(|(_, int)| *int).count().max(1);
        let floats = lanes.iter().filter(|(_, int)| !*int).count().max(1);
        let (mut i, mut f) = (0, 0);
        for (value, int) in lanes {
            if int {
                self.line(&format!("out[gid * {ints}u + {i}u] = (long)({value});"));
                i += 1;
            } else {
                self.line(&format!("fout[gid * {floats}u + {f}u] = (double)({value});"));
                f += 1;
            }
        }
        self.close();
        (ints, floats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_decides() {
        for seed in 0..200 {
            let case = generate(seed);
            assert_eq!(case.source, generate(seed).source);
            assert_eq!(case.kernel, format!("random_{seed}"));
            assert_eq!(case.source.matches('{').count(), case.source.matches('}').count());
        }
        assert_ne!(generate(1).source, generate(2).source);
    }
}
