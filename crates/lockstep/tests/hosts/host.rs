//! How host code launches a kernel: by which call, with which pointers, once or in a loop.

use std::fmt::Write as _;

use crate::generate::{Case, Launch, OFFSETS, Overlap, Random, SIZES, Shape};

pub(crate) const HEAD: &str = "\
// Launches by every means.
#include <cuda_runtime.h>
template <class... P, class... A>
void launch_by_wrapper(void (*k)(P...), int grid, int block, A... args) { k<<<grid, block>>>(args...); }
void launch_elsewhere(void (*k)(int *, int *, int), int grid, int block, int *a, int *b, int n);
void tell(int *n);
struct Told { int *n; };
void tell_by(Told *told);
struct Two { int *a, *b; };
struct Three { int *a, *b; int n; };
";

/// The host code of an OpenCL program, which stands in another file.
pub(crate) const OPENCL_HEAD: &str = "\
#include <CL/cl.h>
extern cl_context context;
extern cl_command_queue queue;
";

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
    /// `clEnqueueNDRangeKernel`.
    Enqueue,
}

/// Which values a launch gets, and how often it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    Once,
    /// In three rounds; the second pointer goes on by so many elements, or the first.
    Along(i64),
    Behind(i64),
    /// In two rounds, of which the second has one array for both.
    ThenOne,
    /// In three rounds, with both arrays exchanged.
    Exchanged,
    /// In rounds of which each has twice the size, up to this.
    Doubled(i64),
    /// With an offset that the caller gives.
    Any,
    AnyBehind,
    /// The offset is the size, which the caller gives.
    Size,
    SizeBehind,
}

const ROUNDS: i64 = 3;

/// A launch of the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostLaunch {
    launch: Launch,
    means: Means,
    times: Times,
}

impl HostLaunch {
    pub(crate) fn random(r: &mut Random, case: &Case, launch: Launch) -> HostLaunch {
        if case.is_opencl() {
            return HostLaunch { launch, means: Means::Enqueue, times: Times::Once };
        }
        let mut means = match r.below(10) {
            0..=5 => Means::Chevrons,
            6 => Means::Wrapper,
            7 => r.of(&[Means::Runtime, Means::Cooperative]),
            8 => r.of(&[Means::Structure, Means::StructureOfAddresses, Means::Told]),
            _ => r.of(&[Means::Table, Means::Elsewhere, Means::Pointer]),
        };
        if case.shape != Shape::Apart && matches!(means, Means::Table | Means::Elsewhere) {
            means = Means::Chevrons;
        }
        let is_any = matches!(means, Means::Told | Means::Pointer);
        let times = match r.below(20) {
            _ if is_any || launch.overlap != Overlap::None => Times::Once,
            0 => Times::Along(r.of(&[1, 32, 64, 100, 300])),
            1 => Times::Behind(r.of(&[1, 32, 64, 100, 300])),
            2 => Times::ThenOne,
            3 => Times::Exchanged,
            4 => Times::Doubled(r.of(&[2, 4, 5, 64, 200])),
            5 => r.of(&[Times::Any, Times::AnyBehind]),
            6 => r.of(&[Times::Size, Times::SizeBehind]),
            _ => Times::Once,
        };
        let launch = match times {
            Times::Doubled(_) => Launch { n: r.of(&[1, 3]), ..launch },
            _ => launch,
        };
        HostLaunch { launch, means, times }
    }

    /// The launches that it may be.
    pub(crate) fn possible(&self) -> Vec<Launch> {
        let launch = self.launch;
        let pair = |offset: i64| Launch { overlap: Overlap::Pair(offset), ..launch };
        let ahead = || OFFSETS.into_iter().filter(|&o| o >= 0);
        match self.times {
            Times::Once if self.means == Means::Told => {
                SIZES.map(|n| Launch { n, ..launch }).to_vec()
            }
            Times::Once | Times::Exchanged => vec![launch],
            Times::Along(step) => (0..ROUNDS).map(|i| pair(i * step)).collect(),
            Times::Behind(step) => (0..ROUNDS).map(|i| pair(-i * step)).collect(),
            Times::ThenOne => vec![launch, pair(0)],
            Times::Doubled(most) => {
                let sizes = std::iter::successors(Some(launch.n), |n| Some(2 * n));
                sizes.take_while(|n| *n <= most).map(|n| Launch { n, ..launch }).collect()
            }
            Times::Any => ahead().map(pair).collect(),
            Times::AnyBehind => ahead().map(|o| pair(-o)).collect(),
            Times::Size => SIZES.map(|n| Launch { n, ..pair(n) }).to_vec(),
            Times::SizeBehind => SIZES.map(|n| Launch { n, ..pair(-n) }).to_vec(),
        }
    }

    /// Whether all of it stands at one place in the source, so that a tool may be expected to read it.
    pub(crate) fn is_plain(&self) -> bool {
        let is_any = [Times::Any, Times::AnyBehind, Times::Size, Times::SizeBehind];
        self.means == Means::Chevrons && !is_any.contains(&self.times)
    }

    /// The function that makes it.
    pub(crate) fn print(&self, case: &Case, number: usize, out: &mut String) {
        let is_any = [Times::Any, Times::AnyBehind, Times::Size, Times::SizeBehind];
        let parameter = if is_any.contains(&self.times) { "int c" } else { "" };
        let _ = writeln!(out, "void host{}_{number}({parameter}) {{", case.number);
        match self.means {
            Means::Enqueue => self.print_enqueue(case, out),
            _ => self.print_launch(case, out),
        }
        let _ = writeln!(out, "}}");
    }

    fn print_launch(&self, case: &Case, out: &mut String) {
        let n = self.launch.n;
        let (a, b) = match self.launch.overlap {
            Overlap::None => ("d".into(), "e".into()),
            Overlap::Pair(0) => ("d".into(), "d".into()),
            Overlap::Pair(offset) if offset < 0 => (format!("d + {}", -offset), "d".into()),
            Overlap::Pair(offset) => ("d".into(), format!("d + {offset}")),
            Overlap::Table => ("p".into(), "e".into()),
        };
        let _ = writeln!(
            out,
            "    int *d, *e;\n    cudaMalloc(&d, 1 << 18);\n    cudaMalloc(&e, 1 << 18);"
        );
        if self.launch.overlap == Overlap::Table {
            let table = case.table();
            let _ = writeln!(out, "    int *p;\n    cudaGetSymbolAddress((void **)&p, {table});");
        }
        let rounds = |count: i64| format!("    for (int i = 0; i < {count}; i++) {{\n");
        let (d, e) = (String::from("d"), String::from("e"));
        let (before, [a, b, n], after) = match self.times {
            Times::Once => (String::new(), [a, b, n.to_string()], ""),
            Times::Along(step) => {
                (rounds(ROUNDS), [d, format!("d + i * {step}"), n.to_string()], "    }\n")
            }
            Times::Behind(step) => {
                (rounds(ROUNDS), [format!("d + i * {step}"), d, n.to_string()], "    }\n")
            }
            Times::ThenOne => (rounds(2), [d, e, n.to_string()], "    e = d;\n    }\n"),
            Times::Exchanged => {
                let after = "    int *old = d;\n    d = e;\n    e = old;\n    }\n";
                (rounds(ROUNDS), [d, e, n.to_string()], after)
            }
            Times::Doubled(most) => {
                let before = format!("    for (int i = {n}; i <= {most}; i *= 2) {{\n");
                (before, [d, e, "i".into()], "    }\n")
            }
            Times::Any => (String::new(), [d, "d + c".into(), n.to_string()], ""),
            Times::AnyBehind => (String::new(), ["d + c".into(), d, n.to_string()], ""),
            Times::Size => (String::new(), [d, "d + c".into(), "c".into()], ""),
            Times::SizeBehind => (String::new(), ["d + c".into(), d, "c".into()], ""),
        };
        out.push_str(&before);
        self.print_call(case, &[a, b, n], out);
        out.push_str(after);
    }

    fn print_call(&self, case: &Case, values: &[String; 3], out: &mut String) {
        let Launch { grid, block, .. } = self.launch;
        let name = case.name();
        let [a, b, n] = values;
        let (given, variables) = match case.shape {
            Shape::Apart => (
                format!("{a}, {b}, {n}"),
                format!(
                    "int *x = {a}, *y = {b};\n    int m = {n};\n    void *all[] = {{&x, &y, &m}};"
                ),
            ),
            Shape::Two => (
                format!("Two{{{a}, {b}}}, {n}"),
                format!("Two x = {{{a}, {b}}};\n    int m = {n};\n    void *all[] = {{&x, &m}};"),
            ),
            Shape::Three => (
                format!("Three{{{a}, {b}, {n}}}"),
                format!("int m = {n};\n    Three x = {{{a}, {b}, m}};\n    void *all[] = {{&x}};"),
            ),
        };
        let arguments = || format!("    {variables}\n");
        let _ = match self.means {
            Means::Chevrons => writeln!(out, "    {name}<<<{grid}, {block}>>>({given});"),
            Means::Wrapper => {
                writeln!(out, "    launch_by_wrapper({name}, {grid}, {block}, {given});")
            }
            Means::Runtime | Means::Cooperative => {
                let call = match self.means {
                    Means::Runtime => "cudaLaunchKernel",
                    _ => "cudaLaunchCooperativeKernel",
                };
                out.push_str(&arguments());
                let target = format!("(void *){name}");
                writeln!(out, "    {call}({target}, dim3({grid}), dim3({block}), all, 0, 0);")
            }
            Means::Told => {
                out.push_str(&arguments());
                let _ = writeln!(out, "    Told told = {{&{}}};", case.told());
                let _ = writeln!(out, "    tell_by(&told);");
                let target = format!("(void *){name}");
                writeln!(
                    out,
                    "    cudaLaunchKernel({target}, dim3({grid}), dim3({block}), all, 0, 0);"
                )
            }
            Means::Pointer => {
                out.push_str(&arguments());
                let _ = writeln!(out, "    extern void *pointer_to_{name};");
                let _ = writeln!(out, "    pointer_to_{name} = (void *){name};");
                let _ = writeln!(out, "    tell(&{});", case.told());
                writeln!(
                    out,
                    "    cudaLaunchKernel(pointer_to_{name}, dim3({grid}), dim3({block}), all, 0, 0);"
                )
            }
            Means::Elsewhere => {
                writeln!(out, "    launch_elsewhere({name}, {grid}, {block}, {given});")
            }
            Means::StructureOfAddresses | Means::Structure => {
                let _ = writeln!(out, "    cudaLaunchConfig_t how = {{}};");
                let _ = writeln!(
                    out,
                    "    how.gridDim = dim3({grid});\n    how.blockDim = dim3({block});"
                );
                if self.means == Means::Structure {
                    let _ = writeln!(out, "    cudaLaunchKernelEx(&how, {name}, {given});");
                } else {
                    out.push_str(&arguments());
                    let _ = writeln!(out, "    cudaLaunchKernelExC(&how, (void *){name}, all);");
                }
                Ok(())
            }
            Means::Table => {
                let _ = writeln!(
                    out,
                    "    static void (*volatile table[])(int *, int *, int) = {{{name}}};"
                );
                writeln!(out, "    table[0]<<<{grid}, {block}>>>({given});")
            }
            Means::Enqueue => unreachable!("launches of OpenCL have a function of their own"),
        };
    }

    fn print_enqueue(&self, case: &Case, out: &mut String) {
        let Launch { grid, block, n, overlap, first, rest } = self.launch;
        let name = case.name();
        let global = if rest == 0 { grid * block } else { (grid - 1) * block + rest };
        let part = |offset: i64| {
            format!(
                "clCreateSubBuffer(d, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){{{}, 1 << 17}}, 0)",
                4 * offset
            )
        };
        let (a, b) = match overlap {
            Overlap::Pair(0) => ("d".into(), "d".into()),
            Overlap::Pair(offset) if offset < 0 => (part(-offset), "d".into()),
            Overlap::Pair(offset) => ("d".into(), part(offset)),
            _ => (
                "d".into(),
                String::from("clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 18, 0, 0)"),
            ),
        };
        let _ = writeln!(
            out,
            "    extern cl_kernel {name};\n    cl_mem d = clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 18, 0, 0);\n    \
             cl_mem a = {a}, b = {b};\n    cl_int n = {n};\n    size_t first = {first}, global = {global}, local = {block};\n    \
             clSetKernelArg({name}, 0, sizeof a, &a);\n    clSetKernelArg({name}, 1, sizeof b, &b);\n    \
             clSetKernelArg({name}, 2, sizeof n, &n);\n    \
             clEnqueueNDRangeKernel(queue, {name}, 1, &first, &global, &local, 0, 0, 0);"
        );
    }
}
