//! Random kernels, in CUDA and in OpenCL.

use std::fmt::Write as _;

use serde_json::Value;

use crate::host::HostLaunch;

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

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn of<T: Copy>(&mut self, list: &[T]) -> T {
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
    /// By block and thread: without the global offset that OpenCL has.
    Place,
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
            22 => Index::Reversed,
            _ => Index::Place,
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

    fn text(self, words: &Words) -> String {
        let Words { block, size, .. } = words;
        match self {
            Index::Global => "i".into(),
            Index::Thread => "t".into(),
            Index::GlobalPlus(c) => format!("i + {c}"),
            Index::ThreadTimes(c) => format!("t * {c}"),
            Index::GlobalTimes(c) => format!("i * {c}"),
            Index::ThreadModulo(c) => format!("t % {c}"),
            Index::GlobalDivided(c) => format!("i / {c}"),
            Index::Spread(c) => format!("(int)({block} * {size}) + t * {c} / (int){size}"),
            Index::Block => (*block).into(),
            Index::Fixed(c) => format!("(int){block} * {c} + t"),
            Index::PlusN => "i + n".into(),
            Index::TimesN => "i * n".into(),
            Index::Flipped => "i ^ 1".into(),
            Index::Reversed => format!("(int)({block} * {size}) + ((int){size} - 1 - t)"),
            Index::Place => format!("(int)({block} * {size}) + t"),
        }
    }
}

/// What a language calls the same things.
struct Words {
    kernel: &'static str,
    global: &'static str,
    shared: &'static str,
    thread: &'static str,
    block: &'static str,
    size: &'static str,
    /// The number of a thread among all.
    number: &'static str,
    barrier: &'static str,
}

const CUDA: Words = Words {
    kernel: "__global__",
    global: "",
    shared: "__shared__",
    thread: "threadIdx.x",
    block: "blockIdx.x",
    size: "blockDim.x",
    number: "blockIdx.x * blockDim.x + threadIdx.x",
    barrier: "__syncthreads();",
};

const OPENCL: Words = Words {
    kernel: "__kernel",
    global: "__global ",
    shared: "__local",
    thread: "get_local_id(0)",
    block: "get_group_id(0)",
    size: "get_local_size(0)",
    number: "get_global_id(0)",
    barrier: "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
};

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

    fn text(self, words: &Words) -> String {
        match self {
            Cond::ThreadBelow(c) => format!("t < {c}"),
            Cond::GlobalBelowN => "i < n".into(),
            Cond::FirstBlock => format!("{} == 0", words.block),
            Cond::Even => "t % 2 == 0".into(),
            Cond::WideBlock(c) => format!("{} > {c}", words.size),
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
    /// OpenCL: the global offset.
    pub(crate) first: i64,
    /// OpenCL 2.0: the size of the last group, where that is smaller.
    pub(crate) rest: i64,
}

impl Launch {
    /// As a finding has it.
    pub(crate) fn of_json(case: &Case, launch: &Value) -> Launch {
        let dim = |name: &str| launch[name][0].as_i64().unwrap_or(1);
        let argument = |name: &str| launch["args"][case.named(name)].as_str().unwrap_or_default();
        // `&a+16`: so many bytes behind the beginning of another array.
        let behind = |text: &str, other: &str| -> Option<i64> {
            let bytes = text.strip_prefix('&')?.strip_prefix(other)?;
            Some(bytes.strip_prefix('+').map_or(0, |v| v.parse().expect("bytes")) / 4)
        };
        let table = case.table();
        let overlap = match (
            behind(argument("b"), &case.named("a")),
            behind(argument("a"), &case.named("b")),
        ) {
            (Some(offset), _) => Overlap::Pair(offset),
            (_, Some(offset)) => Overlap::Pair(-offset),
            _ if behind(argument("a"), &table).is_some() => Overlap::Table,
            _ => Overlap::None,
        };
        let n = launch["args"][case.named("n")].as_i64().unwrap_or(0);
        let (block, global) = (dim("block"), launch["global"][0].as_i64().unwrap_or(0));
        Launch { grid: dim("grid"), block, n, overlap, first: 0, rest: global % block }
    }
}

/// How a kernel gets its arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Each by itself.
    Apart,
    /// Both in a structure, and the size by itself.
    Two,
    /// With the size in a structure.
    Three,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Cuda,
    /// Whether groups may have different sizes, as in OpenCL 2.0.
    OpenCl {
        is_2: bool,
    },
}

/// A kernel with its host code.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) number: usize,
    language: Language,
    pub(crate) shape: Shape,
    bounds: Option<i64>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) host: Vec<HostLaunch>,
}

const BLOCKS: [i64; 9] = [1, 2, 3, 32, 33, 64, 100, 128, 256];
pub(crate) const SIZES: [i64; 7] = [0, 1, 2, 5, 32, 64, 200];
pub(crate) const OFFSETS: [i64; 6] = [0, 1, 32, 64, -1, -32];

impl Case {
    pub(crate) fn random(r: &mut Random, number: usize, language: Language) -> Case {
        let bounds = r.chance(20).then(|| r.of(&[32, 64, 256]));
        let shape = match language {
            Language::Cuda => r.of(&[Shape::Apart, Shape::Apart, Shape::Two, Shape::Three]),
            Language::OpenCl { .. } => Shape::Apart,
        };
        let mut body = Vec::new();
        for _ in 0..1 + r.below(3) {
            let inner = Stmt::random(r, language);
            let is_barrier = matches!(inner, Stmt::Barrier);
            body.push(match r.chance(25) && !is_barrier {
                true => Stmt::If(Cond::random(r), vec![inner]),
                false => inner,
            });
        }
        let mut case = Case { number, language, shape, bounds, body, host: Vec::new() };
        for _ in 0..r.of(&[0, 1, 1, 1, 2, 2, 3]) {
            let launch = case.random_launch(r);
            case.host.push(HostLaunch::random(r, &case, launch));
        }
        case
    }

    fn random_launch(&self, r: &mut Random) -> Launch {
        let overlap = match r.below(10) {
            0 => Overlap::Pair(0),
            1 => Overlap::Pair(r.of(&OFFSETS)),
            2 if self.uses(Array::Table) => Overlap::Table,
            _ => Overlap::None,
        };
        let mut all = self.all_dimensions();
        all.retain(|l| l.grid <= 3);
        Launch { n: r.of(&SIZES), overlap, ..r.of(&all) }
    }

    /// Grids and blocks of small launches, with offsets and last groups that are smaller, where there are any.
    fn all_dimensions(&self) -> Vec<Launch> {
        let mut out = Vec::new();
        let fits = |block: i64| match (self.bounds, self.language) {
            (None, _) => true,
            (Some(most), Language::Cuda) => block <= most,
            (Some(exactly), _) => block == exactly,
        };
        for block in BLOCKS.into_iter().filter(|b| fits(*b)) {
            let (firsts, rests): (&[i64], Vec<i64>) = match self.language {
                Language::Cuda => (&[0], vec![0]),
                Language::OpenCl { is_2: true } if self.bounds.is_none() => {
                    (&[0, 1, 64], vec![0, block / 2, block - 1])
                }
                Language::OpenCl { .. } => (&[0, 1, 64], vec![0]),
            };
            for grid in 1..=3 {
                for &first in firsts {
                    for &rest in &rests {
                        let overlap = Overlap::None;
                        out.push(Launch { grid, block, n: 0, overlap, first, rest });
                    }
                }
            }
        }
        out
    }

    pub(crate) fn is_opencl(&self) -> bool {
        self.language != Language::Cuda
    }

    /// The name that a parameter has in reports.
    pub(crate) fn named(&self, name: &str) -> String {
        match (self.shape, name) {
            (Shape::Apart, _) | (Shape::Two, "n") => name.into(),
            _ => format!("p.{name}"),
        }
    }

    /// The variable of the host that holds the size and may be told to others.
    pub(crate) fn told(&self) -> &'static str {
        match self.shape {
            Shape::Three => "x.n",
            _ => "m",
        }
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
        let mut out: Vec<Launch> = self.host.iter().flat_map(HostLaunch::possible).collect();
        for dimensions in self.all_dimensions() {
            for n in SIZES {
                out.extend(overlaps.iter().map(|&overlap| Launch { n, overlap, ..dimensions }));
            }
        }
        out
    }

    fn words(&self) -> &'static Words {
        if self.is_opencl() { &OPENCL } else { &CUDA }
    }

    /// Adds the kernel, and its host code to another text, which for CUDA is the same in the end.
    pub(crate) fn print(&self, out: &mut String, host: &mut String) {
        let (name, table, words) = (self.name(), self.table(), self.words());
        let Words { kernel, global, shared, thread, number, .. } = words;
        let bounds = match (self.bounds, self.language) {
            (None, _) => String::new(),
            (Some(n), Language::Cuda) => format!("__launch_bounds__({n}) "),
            (Some(n), _) => format!("__attribute__((reqd_work_group_size({n}, 1, 1))) "),
        };
        if !self.is_opencl() {
            let _ = writeln!(out, "__device__ int {table}[1 << 16];");
        }
        let parameters = match self.shape {
            Shape::Apart => format!("{global}int *a, {global}int *b, int n"),
            Shape::Two => "Two p, int n".into(),
            Shape::Three => "Three p".into(),
        };
        let _ = writeln!(out, "{kernel} void {bounds}{name}({parameters}) {{");
        if self.uses(Array::Shared) {
            let _ = writeln!(out, "    {shared} int s[1024];");
        }
        if self.shape == Shape::Three {
            let _ = writeln!(out, "    int n = p.n;");
        }
        let _ = writeln!(out, "    int t = {thread}, i = {number};");
        self.print_body(&self.body, 1, out);
        let _ = writeln!(out, "}}");
        for (i, launch) in self.host.iter().enumerate() {
            launch.print(self, i, host);
        }
    }

    fn print_body(&self, body: &[Stmt], depth: usize, out: &mut String) {
        let (indent, words) = ("    ".repeat(depth), self.words());
        let array = |a: &Array| match a {
            Array::A => self.named("a"),
            Array::B => self.named("b"),
            Array::Table => self.table(),
            Array::Shared => "s".into(),
        };
        for stmt in body {
            let _ = match stmt {
                Stmt::Write(a, i) => {
                    writeln!(out, "{indent}{}[{}] = i + 1;", array(a), i.text(words))
                }
                Stmt::Copy(to, at, from, index) => {
                    let (to, from) = (array(to), array(from));
                    writeln!(
                        out,
                        "{indent}{to}[{}] = {from}[{}] + i;",
                        at.text(words),
                        index.text(words)
                    )
                }
                Stmt::Barrier => writeln!(out, "{indent}{}", words.barrier),
                Stmt::If(cond, inner) => {
                    let _ = writeln!(out, "{indent}if ({}) {{", cond.text(words));
                    self.print_body(inner, depth + 1, out);
                    writeln!(out, "{indent}}}")
                }
            };
        }
    }
}

impl Stmt {
    fn random(r: &mut Random, language: Language) -> Stmt {
        let global = match language {
            Language::Cuda => [Array::A, Array::A, Array::B, Array::Table],
            Language::OpenCl { .. } => [Array::A, Array::A, Array::B, Array::B],
        };
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
