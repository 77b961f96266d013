//! Functions of C and C++, run by the simulator as one thread and natively: both must leave the same bytes.
//!
//! The native side is the very same source, compiled by the same clang to machine code. Every function has the
//! parameters `a`, `b`, `c` and `n`: three arrays and a number. Their contents are random; a quarter of the floats are
//! special values. NaNs are equal to each other: which bits a NaN has is up to the machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use lockstep_frontend::{Input, Options, compile_reference};
use lockstep_kernel::{Elem, Kernel, ParamKind, Ty};
use lockstep_simulate::{BoundArg, BoundLaunch, Config, simulate};

/// Elements of each array, and the number that the functions are given.
const ELEMENTS: usize = 64;
const N: i32 = 16;
const ROUNDS: u64 = 20;

#[rustfmt::skip]
const OF_C: &[&str] = &[
    "add", "multiply_add", "fused", "fused_double", "divide", "mixed_precision", "roots", "roundings", "extremes",
    "signs", "classes", "remainders", "parts", "to_integers", "to_floats", "integers", "unsigned_integers",
    "wide_integers", "narrow_integers", "bits", "unions", "convolve", "table_of_tables", "local_matrix",
    "insertion_sort", "histogram", "fill", "structs", "structs_by_value", "large_structs", "pointers_in_structs",
    "function_pointers", "switches", "jumps", "booleans", "prefix_sum", "binary_search", "heap", "variables",
    "approximate_exponentials", "approximate_logarithms", "approximate_powers", "approximate_angles",
    "approximate_activations",
];

#[rustfmt::skip]
const OF_CPP: &[&str] = &[
    "vectors", "clamps", "reductions", "lambdas", "arrays", "references", "roots_of_std", "approximate_std", "objects",
    "growing",
];

const BY_VALUE: &[&str] =
    &["one", "two", "three", "five", "mixed", "small", "pair", "moved", "returned"];

type Function = unsafe extern "C" fn(*mut u8, *mut u8, *mut u8, i32);

#[test]
fn functions_of_c() {
    compare("functions.c", OF_C, "");
}

#[test]
fn functions_of_cpp() {
    compare("functions.cpp", OF_CPP, "");
}

#[test]
fn structs_by_value() {
    compare("by_value.cpp", BY_VALUE, "call_");
}

/// Runs each function both ways; the native one has a prefix.
fn compare(file: &str, functions: &[&str], prefix: &str) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/references").join(file);
    let library = Native::compile(&source);
    let wrong: Vec<String> = functions
        .iter()
        .filter_map(|name| {
            let native = library.function(&format!("{prefix}{name}"));
            compare_one(&source, name, native).err().map(|why| format!("{name}: {why}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn compare_one(source: &Path, name: &str, native: Function) -> Result<(), String> {
    let options = Options::default();
    let reference =
        compile_reference(Input::Path(source), name, &options).map_err(|e| e.to_string())?;
    let kernel = &reference.kernel;
    for round in 0..ROUNDS {
        let mut random = Random::new(name, round);
        let before: Vec<(usize, Vec<u8>)> = (kernel.params.iter().enumerate())
            .filter(|(_, p)| !matches!(p.kind, ParamKind::Scalar { .. }) && p.within.is_none())
            .map(|(i, _)| (i, contents(kernel, i, &mut random)))
            .collect();
        let simulated = simulated(kernel, &before)?;
        let mut after = before.clone();
        let [a, b, c] = &mut after[..] else {
            return Err(format!("{} arrays instead of three", after.len()));
        };
        // SAFETY: the function takes three arrays of this many bytes or less, and a number.
        unsafe { native(a.1.as_mut_ptr(), b.1.as_mut_ptr(), c.1.as_mut_ptr(), N) };
        let may_differ = name.starts_with("approximate_");
        for (param, native) in &after {
            if let Some((_, bytes)) = simulated.iter().find(|(p, _)| p == param) {
                let elem = element(kernel, *param);
                same(elem, bytes, native, may_differ)
                    .map_err(|e| format!("round {round}, {}{e}", kernel.params[*param].name))?;
            }
        }
    }
    Ok(())
}

fn simulated(
    kernel: &Kernel,
    arrays: &[(usize, Vec<u8>)],
) -> Result<Vec<(usize, Vec<u8>)>, String> {
    let of = |i: usize| arrays.iter().find(|(p, _)| *p == i).map(|(_, bytes)| bytes.clone());
    let args = kernel.params.iter().enumerate().map(|(i, p)| match (p.kind, p.within) {
        (ParamKind::Buffer { .. }, None) => BoundArg::Buffer(of(i).unwrap_or_default().into()),
        (ParamKind::Aggregate { size, .. }, None) => {
            let mut bytes = of(i).unwrap_or_default();
            bytes.truncate(size as usize);
            BoundArg::Aggregate(bytes)
        }
        // A field takes its value from the bytes of its struct.
        (ParamKind::Scalar { ty, .. }, Some(within)) => {
            let bytes = of(within.param).unwrap_or_default();
            let mut word = [0; 8];
            let size = ty.bytes() as usize;
            word[..size].copy_from_slice(&bytes[within.offset as usize..][..size]);
            BoundArg::Scalar(vec![u64::from_le_bytes(word)])
        }
        _ => BoundArg::Scalar(vec![N as u64]),
    });
    let launch =
        BoundLaunch { grid: [1; 3], block: [1; 3], global: None, shared: 0, args: args.collect() };
    let outcome = simulate(kernel, &launch, &Config::default()).map_err(|e| e.to_string())?;
    if let Some(f) = outcome.findings.first() {
        return Err(format!("{}: {}", f.kind, f.message));
    }
    match outcome.incomplete {
        Some(why) => Err(why.to_string()),
        None => Ok(outcome.buffers),
    }
}

/// The type of an array's elements: words of structs are floats.
fn element(kernel: &Kernel, param: usize) -> Ty {
    match kernel.params[param].kind {
        ParamKind::Buffer { elem: Elem::Scalar(ty), .. } => ty,
        _ => Ty::F32,
    }
}

fn contents(kernel: &Kernel, param: usize, random: &mut Random) -> Vec<u8> {
    let ty = element(kernel, param);
    let is_struct = matches!(kernel.params[param].kind, ParamKind::Aggregate { .. });
    let mut bytes = Vec::new();
    for _ in 0..ELEMENTS {
        match ty {
            Ty::F32 if is_struct => bytes.extend((random.unit() as f32 * 9.0).to_le_bytes()),
            Ty::F32 => bytes.extend((random.float() as f32).to_le_bytes()),
            Ty::F64 => bytes.extend(random.float().to_le_bytes()),
            _ => bytes.extend(&random.bits().to_le_bytes()[..ty.bytes() as usize]),
        }
    }
    bytes
}

/// Compares two arrays.
fn same(ty: Ty, simulated: &[u8], native: &[u8], may_differ: bool) -> Result<(), String> {
    let size = ty.bytes() as usize;
    for (i, (s, n)) in simulated.chunks(size).zip(native.chunks(size)).enumerate() {
        let (x, y) = (value(ty, s), value(ty, n));
        let both_nan = x.is_nan() && y.is_nan();
        let close = may_differ && ((x - y).abs() <= 4e-7 * x.abs().max(y.abs()).max(1e-3));
        if s != n && !both_nan && !close {
            return Err(format!("[{i}]: {x:?} ({s:02x?}) is {y:?} ({n:02x?}) natively"));
        }
    }
    Ok(())
}

fn value(ty: Ty, bytes: &[u8]) -> f64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    match ty {
        Ty::F32 => f64::from(f32::from_bits(u64::from_le_bytes(word) as u32)),
        Ty::F64 => f64::from_le_bytes(word),
        _ => u64::from_le_bytes(word) as f64,
    }
}

/// A source as machine code.
struct Native {
    library: libloading::Library,
    _folder: tempfile::TempDir,
}

impl Native {
    fn compile(source: &Path) -> Native {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out: PathBuf = folder.path().join("native.so");
        let compiler = match source.extension().is_some_and(|e| e == "c") {
            true => "clang-19",
            false => "clang++-19",
        };
        let mut command = Command::new(compiler);
        command.args(["-shared", "-fPIC", "-O0", "-w", "-ffp-contract=off", "-o"]).arg(&out);
        let status = command.arg(source).arg("-lm").status().expect("clang starts");
        assert!(status.success(), "{} does not compile", source.display());
        // SAFETY: the library has no initialisers but those of the C++ library.
        let library = unsafe { libloading::Library::new(&out) }.expect("the library loads");
        Native { library, _folder: folder }
    }

    fn function(&self, name: &str) -> Function {
        // SAFETY: all functions of the sources have this type, as seen by a caller.
        let found = unsafe { self.library.get::<Function>(name.as_bytes()) };
        *found.unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn new(name: &str, round: u64) -> Random {
        let start = 0xcbf2_9ce4_8422_2325 ^ round;
        Random(name.bytes().fold(start, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between -1 and 1.
    fn unit(&mut self) -> f64 {
        (self.bits() as i64) as f64 / i64::MAX as f64
    }

    fn float(&mut self) -> f64 {
        const SPECIAL: [f64; 6] = [0.0, -0.0, 1.0, -0.5, 2.5, 1e-39];
        match self.bits() % 4 {
            0 => SPECIAL[self.bits() as usize % SPECIAL.len()],
            _ => self.unit() * 12.0,
        }
    }
}
