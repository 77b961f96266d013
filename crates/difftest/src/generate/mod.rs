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

mod expressions;
mod statements;

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
