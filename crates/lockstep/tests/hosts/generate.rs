//! Random kernels, and random host code that launches them.

use std::fmt::Write as _;

use serde_json::Value;

pub(crate) const HEAD: &str = "\
// Launches by every means.
#include <cuda_runtime.h>
template <class... P, class... A>
void launch_by_wrapper(void (*k)(P...), int grid, int block, A... args) { k<<<grid, block>>>(args...); }
void launch_elsewhere(void (*k)(int *, int *, int), int grid, int block, int *a, int *b, int n);
void tell(int *n);
struct Told { int *n; };
void tell_by(Told *told);
";

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x5851_f42d_4c95_7f2d))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Array {
    A,
    B,
    /// A `__device__` array.
    Table,
    Shared,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Index {
    Global,
    Thread,
    GlobalPlus(i64),
    ThreadTimes(i64),
    GlobalTimes(i64),
    ThreadModulo(i64),
    GlobalDivided(i64),
    /// Right for blocks of so many threads, and for those that it is a multiple of.
    Spread(i64),
    Block,
    /// Right for blocks of at most so many threads.
    Fixed(i64),
    PlusN,
    TimesN,
    Flipped,
    Reversed,
}

impl Index {
    fn random(r: &mut Random) -> Index {
        match r.below(24) {
            0..=6 => Index::Global,
            7 => Index::Thread,
            8 => Index::GlobalPlus(r.of(&[1, 2, 32])),
            9 => Index::ThreadTimes(r.of(&[2, 3])),
            10 => Index::GlobalTimes(r.of(&[2, 3])),
            11 => Index::ThreadModulo(r.of(&[8, 32, 64])),
            12 => Index::GlobalDivided(2),
            13..=14 => Index::Spread(r.of(&[32, 64, 256])),
            15 => Index::Block,
            16..=18 => Index::Fixed(r.of(&[32, 64, 128])),
            19 => Index::PlusN,
            20 => Index::TimesN,
            21 => Index::Flipped,
            _ => Index::Reversed,
        }
    }

    /// Within 1,024 elements of shared memory.
    fn random_shared(r: &mut Random) -> Index {
        match r.below(6) {
            0..=2 => Index::Thread,
            3 => Index::ThreadModulo(r.of(&[32, 64])),
            4 => Index::ThreadModulo(r.of(&[8, 1024])),
            _ => Index::ThreadModulo(256),
        }
    }

    fn text(self) -> String {
        match self {
            Index::Global => "i".into(),
            Index::Thread => "t".into(),
            Index::GlobalPlus(c) => format!("i + {c}"),
            Index::ThreadTimes(c) => format!("t * {c}"),
            Index::GlobalTimes(c) => format!("i * {c}"),
            Index::ThreadModulo(c) => format!("t % {c}"),
            Index::GlobalDivided(c) => format!("i / {c}"),
            Index::Spread(c) => {
                format!("(int)(blockIdx.x * blockDim.x) + t * {c} / (int)blockDim.x")
            }
            Index::Block => "blockIdx.x".into(),
            Index::Fixed(c) => format!("(int)blockIdx.x * {c} + t"),
            Index::PlusN => "i + n".into(),
            Index::TimesN => "i * n".into(),
            Index::Flipped => "i ^ 1".into(),
            Index::Reversed => "(int)(blockIdx.x * blockDim.x) + ((int)blockDim.x - 1 - t)".into(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Cond {
    ThreadBelow(i64),
    GlobalBelowN,
    FirstBlock,
    Even,
    WideBlock(i64),
    SmallN(i64),
}

impl Cond {
    fn random(r: &mut Random) -> Cond {
        match r.below(6) {
            0 => Cond::ThreadBelow(r.of(&[1, 32, 64])),
            1 => Cond::GlobalBelowN,
            2 => Cond::FirstBlock,
            3 => Cond::Even,
            4 => Cond::WideBlock(r.of(&[32, 64])),
            _ => Cond::SmallN(r.of(&[4, 64])),
        }
    }

    fn text(self) -> String {
        match self {
            Cond::ThreadBelow(c) => format!("t < {c}"),
            Cond::GlobalBelowN => "i < n".into(),
            Cond::FirstBlock => "blockIdx.x == 0".into(),
            Cond::Even => "t % 2 == 0".into(),
            Cond::WideBlock(c) => format!("blockDim.x > {c}"),
            Cond::SmallN(c) => format!("n < {c}"),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    Write(Array, Index),
    /// Of the second into the first.
    Copy(Array, Index, Array, Index),
    Barrier,
    If(Cond, Vec<Stmt>),
}

/// How arrays lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlap {
    None,
    /// `b` is `a`, so many elements in.
    Pair(i64),
    /// `a` is the `__device__` array.
    Table,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) grid: i64,
    pub(crate) block: i64,
    pub(crate) n: i64,
    pub(crate) overlap: Overlap,
}

impl Launch {
    /// As a finding has it.
    pub(crate) fn of_json(case: &Case, launch: &Value) -> Launch {
        let dim = |name: &str| launch[name][0].as_i64().unwrap_or(1);
        let argument = |name: &str| launch["args"][name].as_str().unwrap_or_default();
        // `&a+16`: so many bytes behind the beginning of another array.
        let behind = |text: &str, other: &str| -> Option<i64> {
            let bytes = text.strip_prefix('&')?.strip_prefix(other)?;
            Some(bytes.strip_prefix('+').map_or(0, |v| v.parse().expect("bytes")) / 4)
        };
        let table = case.table();
        let overlap = match (behind(argument("b"), "a"), behind(argument("a"), "b")) {
            (Some(offset), _) => Overlap::Pair(offset),
            (_, Some(offset)) => Overlap::Pair(-offset),
            _ if behind(argument("a"), &table).is_some() => Overlap::Table,
            _ => Overlap::None,
        };
        let n = launch["args"]["n"].as_i64().unwrap_or(0);
        Launch { grid: dim("grid"), block: dim("block"), n, overlap }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    Chevrons,
    Wrapper,
    Runtime,
    Cooperative,
    Structure,
    /// `cudaLaunchKernelExC`.
    StructureOfAddresses,
    Table,
    /// By a function of another file, which is given the kernel.
    Elsewhere,
    /// By a call of the runtime that is given a pointer of the file to the kernel.
    Pointer,
    /// By a call of the runtime, with an argument that another function is told of. It may be any number then.
    Told,
}

/// A launch of the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostLaunch {
    pub(crate) launch: Launch,
    means: Means,
}

impl HostLaunch {
    /// The launches that it may be.
    pub(crate) fn possible(&self) -> Vec<Launch> {
        match self.means {
            Means::Told => SIZES.map(|n| Launch { n, ..self.launch }).to_vec(),
            _ => vec![self.launch],
        }
    }

    /// Whether all of it stands at one place in the source, so that a tool may be expected to read it.
    pub(crate) fn is_plain(&self) -> bool {
        self.means == Means::Chevrons
    }
}

/// A kernel with its host code.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    number: usize,
    bounds: Option<i64>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) host: Vec<HostLaunch>,
}

const BLOCKS: [i64; 9] = [1, 2, 3, 32, 33, 64, 100, 128, 256];
const SIZES: [i64; 7] = [0, 1, 2, 5, 32, 64, 200];
const OFFSETS: [i64; 6] = [0, 1, 32, 64, -1, -32];

impl Case {
    pub(crate) fn random(r: &mut Random, number: usize) -> Case {
        let bounds = r.chance(20).then(|| r.of(&[32, 64, 256]));
        let mut body = Vec::new();
        for _ in 0..1 + r.below(3) {
            let inner = Stmt::random(r);
            let is_barrier = matches!(inner, Stmt::Barrier);
            body.push(match r.chance(25) && !is_barrier {
                true => Stmt::If(Cond::random(r), vec![inner]),
                false => inner,
            });
        }
        let mut case = Case { number, bounds, body, host: Vec::new() };
        for _ in 0..r.of(&[0, 1, 1, 1, 2, 2, 3]) {
            case.host.push(case.random_host(r));
        }
        case
    }

    fn random_host(&self, r: &mut Random) -> HostLaunch {
        let means = match r.below(10) {
            0..=5 => Means::Chevrons,
            6 => Means::Wrapper,
            7 => r.of(&[Means::Runtime, Means::Cooperative]),
            8 => r.of(&[Means::Structure, Means::StructureOfAddresses, Means::Told]),
            _ => r.of(&[Means::Table, Means::Elsewhere, Means::Pointer]),
        };
        let overlap = match r.below(10) {
            0 => Overlap::Pair(0),
            1 => Overlap::Pair(r.of(&OFFSETS)),
            2 if self.uses(Array::Table) => Overlap::Table,
            _ => Overlap::None,
        };
        let blocks: Vec<i64> =
            BLOCKS.into_iter().filter(|b| self.bounds.is_none_or(|most| *b <= most)).collect();
        let launch =
            Launch { grid: r.of(&[1, 2, 3]), block: r.of(&blocks), n: r.of(&SIZES), overlap };
        HostLaunch { launch, means }
    }

    pub(crate) fn name(&self) -> String {
        format!("k{}", self.number)
    }

    /// The name of the `__device__` array.
    pub(crate) fn table(&self) -> String {
        format!("table{}", self.number)
    }

    fn uses(&self, array: Array) -> bool {
        fn uses(body: &[Stmt], array: Array) -> bool {
            body.iter().any(|s| match s {
                Stmt::Write(a, _) => *a == array,
                Stmt::Copy(a, _, b, _) => *a == array || *b == array,
                Stmt::Barrier => false,
                Stmt::If(_, inner) => uses(inner, array),
            })
        }
        uses(&self.body, array)
    }

    /// Every small launch, those of the host among them.
    pub(crate) fn all_launches(&self) -> Vec<Launch> {
        let mut overlaps = vec![Overlap::None];
        overlaps.extend(OFFSETS.map(Overlap::Pair));
        overlaps.extend(self.uses(Array::Table).then_some(Overlap::Table));
        let mut out: Vec<Launch> = self.host.iter().map(|h| h.launch).collect();
        for block in BLOCKS {
            if self.bounds.is_some_and(|most| block > most) {
                continue;
            }
            for grid in 1..=3 {
                for n in SIZES {
                    out.extend(overlaps.iter().map(|&overlap| Launch { grid, block, n, overlap }));
                }
            }
        }
        out
    }

    pub(crate) fn print(&self, out: &mut String) {
        let (name, table) = (self.name(), self.table());
        let bounds = self.bounds.map_or(String::new(), |n| format!("__launch_bounds__({n}) "));
        let _ = writeln!(out, "__device__ int {table}[1 << 16];");
        let _ = writeln!(out, "__global__ void {bounds}{name}(int *a, int *b, int n) {{");
        if self.uses(Array::Shared) {
            let _ = writeln!(out, "    __shared__ int s[1024];");
        }
        let _ =
            writeln!(out, "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;");
        self.print_body(&self.body, 1, out);
        let _ = writeln!(out, "}}");
        for (i, host) in self.host.iter().enumerate() {
            let _ = writeln!(out, "void host{}_{i}() {{", self.number);
            self.print_launch(host, out);
            let _ = writeln!(out, "}}");
        }
    }

    fn print_body(&self, body: &[Stmt], depth: usize, out: &mut String) {
        let indent = "    ".repeat(depth);
        let array = |a: &Array| match a {
            Array::A => "a".into(),
            Array::B => "b".into(),
            Array::Table => self.table(),
            Array::Shared => "s".into(),
        };
        for stmt in body {
            let _ = match stmt {
                Stmt::Write(a, i) => writeln!(out, "{indent}{}[{}] = i + 1;", array(a), i.text()),
                Stmt::Copy(to, at, from, index) => {
                    let (to, from) = (array(to), array(from));
                    writeln!(out, "{indent}{to}[{}] = {from}[{}] + i;", at.text(), index.text())
                }
                Stmt::Barrier => writeln!(out, "{indent}__syncthreads();"),
                Stmt::If(cond, inner) => {
                    let _ = writeln!(out, "{indent}if ({}) {{", cond.text());
                    self.print_body(inner, depth + 1, out);
                    writeln!(out, "{indent}}}")
                }
            };
        }
    }

    fn print_launch(&self, host: &HostLaunch, out: &mut String) {
        let Launch { grid, block, n, overlap } = host.launch;
        let (name, table) = (self.name(), self.table());
        let _ = writeln!(
            out,
            "    int *d, *e;\n    cudaMalloc(&d, 1 << 18);\n    cudaMalloc(&e, 1 << 18);"
        );
        let [a, b] = match overlap {
            Overlap::None => ["d".into(), "e".into()],
            Overlap::Pair(0) => ["d".into(), "d".into()],
            Overlap::Pair(offset) if offset < 0 => [format!("d + {}", -offset), "d".into()],
            Overlap::Pair(offset) => ["d".into(), format!("d + {offset}")],
            Overlap::Table => {
                let _ =
                    writeln!(out, "    int *p;\n    cudaGetSymbolAddress((void **)&p, {table});");
                ["p".into(), "e".into()]
            }
        };
        let arguments = || {
            format!(
                "    int *x = {a}, *y = {b};\n    int m = {n};\n    void *all[] = {{&x, &y, &m}};\n"
            )
        };
        let _ = match host.means {
            Means::Chevrons => writeln!(out, "    {name}<<<{grid}, {block}>>>({a}, {b}, {n});"),
            Means::Wrapper => {
                writeln!(out, "    launch_by_wrapper({name}, {grid}, {block}, {a}, {b}, {n});")
            }
            Means::Runtime | Means::Cooperative => {
                let call = match host.means {
                    Means::Runtime => "cudaLaunchKernel",
                    _ => "cudaLaunchCooperativeKernel",
                };
                out.push_str(&arguments());
                let target = format!("(void *){name}");
                writeln!(out, "    {call}({target}, dim3({grid}), dim3({block}), all, 0, 0);")
            }
            Means::Told => {
                out.push_str(&arguments());
                let _ = writeln!(out, "    Told told = {{&m}};\n    tell_by(&told);");
                let target = format!("(void *){name}");
                writeln!(
                    out,
                    "    cudaLaunchKernel({target}, dim3({grid}), dim3({block}), all, 0, 0);"
                )
            }
            Means::Pointer => {
                out.push_str(&arguments());
                let _ = writeln!(out, "    extern void *pointer_to_{name};");
                let _ = writeln!(out, "    pointer_to_{name} = (void *){name};\n    tell(&m);");
                writeln!(
                    out,
                    "    cudaLaunchKernel(pointer_to_{name}, dim3({grid}), dim3({block}), all, 0, 0);"
                )
            }
            Means::Elsewhere => {
                writeln!(out, "    launch_elsewhere({name}, {grid}, {block}, {a}, {b}, {n});")
            }
            Means::StructureOfAddresses => {
                out.push_str(&arguments());
                let _ = writeln!(out, "    cudaLaunchConfig_t how = {{}};");
                let _ = writeln!(
                    out,
                    "    how.gridDim = dim3({grid});\n    how.blockDim = dim3({block});"
                );
                writeln!(out, "    cudaLaunchKernelExC(&how, (void *){name}, all);")
            }
            Means::Structure => {
                let _ = writeln!(out, "    cudaLaunchConfig_t how = {{}};");
                let _ = writeln!(
                    out,
                    "    how.gridDim = dim3({grid});\n    how.blockDim = dim3({block});"
                );
                writeln!(out, "    cudaLaunchKernelEx(&how, {name}, {a}, {b}, {n});")
            }
            Means::Table => {
                let _ = writeln!(
                    out,
                    "    static void (*volatile table[])(int *, int *, int) = {{{name}}};"
                );
                writeln!(out, "    table[0]<<<{grid}, {block}>>>({a}, {b}, {n});")
            }
        };
    }
}

impl Stmt {
    fn random(r: &mut Random) -> Stmt {
        let global = [Array::A, Array::A, Array::B, Array::Table];
        match r.below(10) {
            0..=3 => Stmt::Write(r.of(&global), Index::random(r)),
            4..=6 => {
                let (to, from) = (r.of(&global), r.of(&global));
                Stmt::Copy(to, Index::random(r), from, Index::random(r))
            }
            7 => Stmt::Write(Array::Shared, Index::random_shared(r)),
            8 => {
                Stmt::Copy(r.of(&global), Index::random(r), Array::Shared, Index::random_shared(r))
            }
            _ => Stmt::Barrier,
        }
    }
}
