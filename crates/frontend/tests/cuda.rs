//! CUDA sources to kernels: what each construct becomes, where, and through which variable.

mod common;

use common::{cuda, sites, unsupported};
use lockstep_frontend::{
    HostBound, HostLaunch, HostOp, HostPart, HostValue, Input, Options, host_side, load,
};
use lockstep_kernel::*;

#[test]
fn reduction_with_template_and_shared_memory() {
    let m = cuda(
        "template <class T, int N> __global__ void reduce(const T *in, T *__restrict__ out, int n) {
  __shared__ T s[N];
  int t = threadIdx.x;
  s[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int k = N / 2; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
template __global__ void reduce<float, 256>(const float *, float *, int);",
    );
    let k = &m.kernels[0];
    assert_eq!(k.name, "reduce<float, 256>");
    assert_eq!(k.language, Language::Cuda);
    let names: Vec<_> =
        k.params.iter().map(|p| (p.name.as_str(), p.source_type.as_str())).collect();
    assert_eq!(names, [("in", "float const*"), ("out", "float* restrict"), ("n", "int")]);
    let buffer = |readonly| ParamKind::Buffer {
        space: Space::Global,
        elem: Elem::Scalar(Ty::F32),
        readonly,
    };
    assert_eq!(k.params[0].kind, buffer(true));
    assert_eq!(k.params[1].kind, buffer(false));
    assert_eq!(k.params[2].kind, ParamKind::Scalar { ty: Ty::I32, count: 1 });
    assert_eq!(
        (k.objects[0].name.as_str(), k.objects[0].size, k.objects[0].space),
        ("s", 1024, Space::Shared)
    );
    assert_eq!(
        sites(k),
        [
            "B5 generic - 0",
            "B8 generic - 0",
            "R10 shared s 4",
            "R4 global in 4",
            "R7 shared s 4",
            "R7 shared s 4",
            "W10 global out 4",
            "W4 shared s 4",
            "W7 shared s 4"
        ]
    );
    assert!(k.reg_names.iter().any(|(_, n)| n == "k"), "{:?}", k.reg_names);
    assert!(k.unsupported.is_empty());
}

#[test]
fn vector_access_is_one_access_even_if_half_used() {
    let m = cuda(
        "__global__ void k(float4 *a, float *b) { float4 v = a[threadIdx.x]; b[0] = v.y; a[1] = v; a[2] = a[3]; }",
    );
    let k = &m.kernels[0];
    assert_eq!(
        sites(k),
        ["R1 global a 16", "R1 global a 16", "W1 global a 16", "W1 global a 16", "W1 global b 4"]
    );
    assert!(k.insts().any(|i| matches!(i.op, Op::Load { ty: Ty::F32, count: 4, .. })));
    assert_eq!(
        k.params[0].kind,
        ParamKind::Buffer { space: Space::Global, elem: Elem::Bytes(16), readonly: false }
    );
}

#[test]
fn a_read_nobody_uses_is_still_an_access() {
    let m =
        cuda("__global__ void k(int *a) { int x = a[threadIdx.x]; int y = a[1] + x; (void)y; }");
    assert_eq!(sites(&m.kernels[0]), ["R1 global a 4", "R1 global a 4"]);
}

#[test]
fn a_read_in_a_function_whose_result_nobody_uses_is_still_an_access() {
    let m = cuda(
        "__device__ int peek(int *p) { return *p; }
__device__ void touch(int *p) { int x = p[3]; }
struct S { int x; float y; };
__device__ S both(S *p) { return *p; }
__global__ void k(int *a, S *s) { peek(a); touch(a); int unused = both(s).x; }",
    );
    let all = sites(&m.kernels[0]);
    assert_eq!(all, ["R1 global a 4", "R2 global a 4", "R4 global s 4", "R4 global s 4"]);
}

#[test]
fn nothing_is_speculated_or_merged() {
    let m = cuda(
        "__global__ void k(int *a, int c) {
  __shared__ int s[4];
  int v = c ? s[1] : 0;
  if (c) a[0] = v;
  else a[0] = 2;
}",
    );
    let k = &m.kernels[0];
    let branches = k.blocks.iter().filter(|b| matches!(b.term, Terminator::Branch { .. })).count();
    assert_eq!(branches, 2);
    assert_eq!(sites(k), ["R3 shared s 4", "W4 global a 4", "W5 global a 4"]);
}

#[test]
fn lambdas_references_and_structs_leave_no_private_memory() {
    let m = cuda(
        "struct P { int a; float b; __device__ float get(int i) const { return a + b * i; } };
__device__ void bump(int &x) { x++; }
__global__ void k(float *out, P p) {
  int n = 0;
  auto f = [&](int d) { bump(n); return p.get(d); };
  out[threadIdx.x] = f(3) + n;
}",
    );
    let k = &m.kernels[0];
    assert!(k.objects.is_empty(), "{:?}", k.objects);
    assert_eq!(k.params[1].kind, ParamKind::Aggregate { size: 8, align: 4 });
    assert!(k.unsupported.is_empty());
    let write = k
        .insts()
        .find_map(|i| if let Op::Store { site, .. } = i.op { Some(site) } else { None })
        .unwrap();
    assert_eq!(k.loc(k.site(write).loc).line, 6);
}

/// A hash adds what it added before: looked at by each way through its sums, a register would never be done.
#[test]
fn sums_of_sums_in_inline_ptx_are_looked_at_once() {
    let round = "a += b; b += a; asm(\"shl.b32 %0, %1, %2;\" : \"=r\"(a) : \"r\"(a), \"r\"(b));";
    let source = format!(
        "__global__ void hash(unsigned *out) {{ unsigned a = out[0], b = out[1]; {} out[2] = a; }}",
        round.replace("asm", "b += a; a += b; asm").repeat(20)
            + &"a += b; b += a;".repeat(40)
            + round
    );
    let m = cuda(&source);
    assert_eq!(unsupported(&m), Vec::<String>::new());
}

#[test]
fn fields_of_structs_are_parameters() {
    let m = cuda(
        "template <class T> struct View { T *at; int sizes[2]; };
struct Base { const unsigned *keys; };
struct Params : Base { View<float> v; bool flag; union { int i; float f; }; double *unused; int table[8]; };
__global__ void k(int n, Params p) {
  int i = p.table[threadIdx.x] + p.i;
  if (p.flag && i < p.v.sizes[1]) p.v.at[i] = p.keys[i];
}",
    );
    let k = &m.kernels[0];
    let params: Vec<_> = (k.params.iter())
        .map(|p| (p.name.as_str(), p.source_type.as_str(), p.within.map(|w| w.offset)))
        .collect();
    assert_eq!(
        params,
        [
            ("n", "int", None),
            ("p", "Params", None),
            ("p.keys", "const unsigned int *", Some(0)),
            ("p.v.at", "float *", Some(8)),
            ("p.v.sizes[1]", "int", Some(20)),
            ("p.flag", "bool", Some(24)),
        ]
    );
    let keys =
        ParamKind::Buffer { space: Space::Global, elem: Elem::Scalar(Ty::I32), readonly: true };
    assert_eq!(k.params[2].kind, keys);
    assert_eq!(k.own_params(), 2);
    // The table and the union are read from the struct itself.
    assert_eq!(sites(k).iter().filter(|s| s.contains(" p ")).count(), 2, "{:?}", sites(k));
}

#[test]
fn inlined_calls_keep_their_chain() {
    let m = cuda(
        "__device__ void put(int *p) {
  *p = 1;
}
__global__ void k(int *a) {
  put(a + 2);
}",
    );
    let k = &m.kernels[0];
    let loc = k.loc(k.sites[0].loc);
    assert_eq!((loc.line, loc.function.as_str()), (2, "put"));
    let outer = k.loc(loc.inlined_at.unwrap());
    assert_eq!((outer.line, outer.function.as_str()), (5, "k"));
    assert_eq!(k.files[loc.file as usize], "test.cu");
}

#[test]
fn atomics_are_relaxed_with_their_scope() {
    let m = cuda(
        "__global__ void k(int *a, float *f, unsigned *u) {
  atomicAdd(a, 1);
  atomicAdd_block(a, 1);
  atomicAdd_system(a, 1);
  atomicAdd(f, 1.0f);
  atomicCAS(a, 3, 4);
  atomicInc(u, 7);
  atomicMin(a, 2);
  atomicMax(u, 2u);
}",
    );
    let k = &m.kernels[0];
    let all: Vec<_> = k
        .insts()
        .filter_map(|i| match i.op {
            Op::Atomic { op, order, scope, ty, site, .. } => {
                Some((k.loc(k.site(site).loc).line, op, ty, order, scope))
            }
            _ => None,
        })
        .collect();
    let relaxed = Order::Relaxed;
    assert_eq!(
        all,
        [
            (2, AtomicOp::Add, Ty::I32, relaxed, Scope::Device),
            (3, AtomicOp::Add, Ty::I32, relaxed, Scope::Block),
            (4, AtomicOp::Add, Ty::I32, relaxed, Scope::System),
            (5, AtomicOp::FAdd, Ty::F32, relaxed, Scope::Device),
            (6, AtomicOp::CompareExchange, Ty::I32, relaxed, Scope::Device),
            (7, AtomicOp::Inc, Ty::I32, relaxed, Scope::Device),
            (8, AtomicOp::SMin, Ty::I32, relaxed, Scope::Device),
            (9, AtomicOp::UMax, Ty::I32, relaxed, Scope::Device),
        ]
    );
    let cas = k.insts().find_map(|i| match i.op {
        Op::Atomic { op: AtomicOp::CompareExchange, value, expected, .. } => {
            Some((value, expected))
        }
        _ => None,
    });
    assert_eq!(cas, Some((Operand::Imm(4), Operand::Imm(3))));
}

#[test]
fn barriers_fences_and_warp_operations() {
    let m = cuda(
        "__global__ void k(int *a) {
  int i = threadIdx.x;
  a[0] = __syncthreads_count(i);
  __syncwarp(0xff);
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  a[1] = __shfl_xor_sync(~0u, i, 3);
  a[2] = __ballot_sync(~0u, i > 3);
  a[3] = __any_sync(~0u, i);
  a[4] = __activemask();
  a[5] = __match_any_sync(~0u, i);
  asm volatile(\"bar.sync 1, 64;\");
  asm volatile(\"bar.arrive 2, 64;\");
  asm volatile(\"membar.gl;\" ::: \"memory\");
  unsigned lane;
  asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));
  a[6] = lane;
}",
    );
    let k = &m.kernels[0];
    assert_eq!(unsupported(&m), Vec::<String>::new());
    let has = |f: &dyn Fn(&Op) -> bool| k.insts().any(|i| f(&i.op));
    let block = |o: &Op| match o {
        Op::Barrier { barrier, .. } => Some(*barrier),
        _ => None,
    };
    assert!(has(&|o| matches!(
        block(o),
        Some(Barrier::Block { reduce: Some((BarrierReduce::Count, _)), .. })
    )));
    assert!(has(&|o| matches!(block(o), Some(Barrier::Warp { mask: Operand::Imm(0xff) }))));
    assert!(has(&|o| matches!(
        block(o),
        Some(Barrier::Block { id: Operand::Imm(1), threads: Some(Operand::Imm(64)), .. })
    )));
    assert!(has(&|o| matches!(
        block(o),
        Some(Barrier::Arrive { id: Operand::Imm(2), threads: Operand::Imm(64) })
    )));
    let fences: Vec<Scope> = k
        .insts()
        .filter_map(|i| if let Op::Fence { scope, .. } = i.op { Some(scope) } else { None })
        .collect();
    assert_eq!(fences, [Scope::Block, Scope::Device, Scope::System, Scope::Device]);
    assert!(has(&|o| matches!(
        o,
        Op::Shuffle { mode: ShuffleMode::Butterfly, lane: Operand::Imm(3), .. }
    )));
    assert!(has(&|o| matches!(
        o,
        Op::Vote { kind: VoteKind::Ballot, mask: Some(Operand::Imm(0xffff_ffff)), .. }
    )));
    assert!(has(&|o| matches!(o, Op::Vote { kind: VoteKind::Any, .. })));
    assert!(has(&|o| matches!(o, Op::ActiveMask)));
    assert!(has(&|o| matches!(o, Op::Match { all: false, .. })));
    assert!(has(&|o| matches!(o, Op::Special(Special::LaneId))));
}

#[test]
fn recursion_is_followed_to_a_bound() {
    let source = "__device__ int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
__global__ void constant(int *a) { a[0] = fact(5); }
__global__ void open(int *a, int n) { a[0] = fact(n); }";
    let m = cuda(source);
    assert!(m.kernels[0].unsupported.is_empty());
    assert_eq!(m.kernels[1].unsupported.len(), 1);
    assert_eq!(m.kernels[1].unsupported[0].what, "recursion deeper than 32 in fact");
}

#[test]
fn function_pointers_that_resolve() {
    let m = cuda(
        "typedef float (*fn)(float);
__device__ float inc(float x) { return x + 1; }
__device__ float twice(float x) { return x * 2; }
__global__ void k(float *a, int n) {
  fn f = n > 3 ? inc : twice;
  a[0] = f(a[1]);
}",
    );
    let k = &m.kernels[0];
    assert!(k.unsupported.is_empty(), "{:?}", k.unsupported);
    assert!(k.insts().any(|i| matches!(i.op, Op::Float { op: FloatOp::Add, .. })));
    assert!(k.insts().any(|i| matches!(i.op, Op::Float { op: FloatOp::Mul, .. })));
}

#[test]
fn device_constant_and_dynamic_shared_data() {
    let m = cuda(
        "__device__ int counter = 5;
__constant__ float table[3] = {1, 2, 3};
__device__ int zeros[8];
extern __shared__ int first[];
extern __shared__ float second[];
__global__ void k() { first[0] = counter; second[1] = table[threadIdx.x]; zeros[2] = 1; }",
    );
    let k = &m.kernels[0];
    let find = |n: &str| k.objects.iter().find(|o| o.name == n).unwrap_or_else(|| panic!("{n}"));
    assert_eq!(find("counter").init.as_deref(), Some(&[5, 0, 0, 0][..]));
    assert_eq!(find("table").space, Space::Constant);
    assert_eq!(find("table").init.as_ref().map(Vec::len), Some(12));
    assert_eq!(find("zeros").size, 32);
    assert_eq!(k.objects.iter().filter(|o| o.dynamic).count(), 1);
}

#[test]
fn print_assert_and_trap() {
    let m = cuda(
        "#include <stdio.h>
#include <assert.h>
__global__ void k(int n) {
  printf(\"%d\\n\", n);
  assert(n > 3);
}",
    );
    let k = &m.kernels[0];
    assert!(k.insts().any(|i| matches!(&i.op, Op::Print { args: PrintArgs::Buffer(_), .. })));
    let message = k.insts().find_map(|i| {
        if let Op::Assert { message, .. } = &i.op { Some(message.clone()) } else { None }
    });
    assert_eq!(message.as_deref(), Some("n > 3"));
}

#[test]
fn annotations_about_ghost_state_are_dropped() {
    let m = cuda(
        "__global__ void k(int *a, int n) {
  __requires(n > 4);
  __assert(n < 9 || __read(a));
  __assert(n < 8);
}",
    );
    let k = &m.kernels[0];
    assert_eq!(k.insts().filter(|i| matches!(i.op, Op::Requires { .. })).count(), 1);
    assert_eq!(k.insts().filter(|i| matches!(i.op, Op::Assert { .. })).count(), 1);
}

#[test]
fn unsupported_is_named_and_placed() {
    let m = cuda(
        "__device__ int mystery(int);
__global__ void k(int *a) {
  a[0] = mystery(3);
  asm volatile(\"frobnicate.b32 %0, 1;\" : \"=r\"(a[1]));
}",
    );
    let k = &m.kernels[0];
    let all: Vec<_> = k.unsupported.iter().map(|u| (u.what.as_str(), k.loc(u.loc).line)).collect();
    assert_eq!(all, [("call of mystery", 3), ("inline PTX \"frobnicate.b32 $0, 1;\"", 4)]);
}

#[test]
fn maths_and_integer_intrinsics_are_known() {
    let m = cuda(
        "__global__ void k(float *f, double *d, int *i, unsigned u) {
  float x = f[0]; double y = d[0]; int z = i[0];
  f[1] = sinf(x) + cosf(x) + __expf(x) + powf(x, 2.f) + sqrtf(x) + rsqrtf(x) + fmaf(x, x, x) + fminf(x, 1.f) + fabsf(x);
  f[2] = __fadd_rz(x, x) + __fmul_ru(x, x) + __frcp_rn(x) + __fsqrt_rd(x) + erff(x) + atan2f(x, x) + roundf(x);
  d[1] = sin(y) + exp(y) + log1p(y) + fmod(y, 2.0) + floor(y) + __dadd_ru(y, y) + hypot(y, y) + tgamma(y);
  i[1] = __popc(z) + __clz(z) + __brev(z) + __ffs(z) + __mul24(z, z) + __mulhi(z, z) + __byte_perm(z, z, 0x3210);
  i[2] = __float_as_int(x) + __float2int_rn(x) + __double2int_rz(y) + max(z, 3) + min(u, 4u) + abs(z) + isnan(x);
  i[3] = __sad(z, z, u) + __hadd(z, z) + __umulhi(u, u) + __popcll(u) + __clzll(z);
  float s, c; sincosf(x, &s, &c); f[3] = s + c;
  double w; f[4] = modf(y, &w); int e; f[5] = frexp(y, &e);
}",
    );
    assert_eq!(unsupported(&m), Vec::<String>::new());
}

#[test]
fn host_launches_with_constant_dimensions() {
    let source = b"__global__ void k(int *a, int n) { a[0] = n; }
__global__ void other() {}
int main(int argc, char **) {
  dim3 block(16, 4);
  k<<<dim3(2, 3), block, 128>>>(nullptr, 7);
  other<<<argc, 32>>>();
  other<<<4, 32>>>();
}";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    assert_eq!(launches.len(), 3, "{launches:?}");
    assert_eq!(launches[0].kernel, "_Z1kPii");
    assert_eq!(
        (launches[0].grid, launches[0].block, launches[0].shared),
        (Some([2, 3, 1]), Some([16, 4, 1]), 128)
    );
    assert_eq!((launches[0].line, &launches[0].args[..]), (5, &[(1, 7)][..]));
    assert_eq!((launches[1].grid, launches[1].block), (None, Some([32, 1, 1])));
    assert_eq!((launches[2].grid, launches[2].block), (Some([4, 1, 1]), Some([32, 1, 1])));
}

#[test]
fn host_launches_say_how_their_values_hang_together() {
    let source = b"#include <math.h>
__global__ void k(int *a, int n, int half, unsigned rows, size_t total, int round, float x) { a[0] = n; }
void launch(int *a, int n, unsigned rows, size_t total, float x) {
  dim3 grid((n + 255) / 256, rows / 2, n < 8 ? n : 8), block(n, n);
  k<<<grid, block>>>(a, n, n / 2, rows, total, (n + 15) / 16 * 16, x);
  k<<<(int)ceil(n / 96.0f), 64>>>(a, n, n - 1, rows % 32, total * sizeof(int), (int)total, x);
}";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let [first, second] = &launches[..] else { panic!("{launches:?}") };
    assert_eq!(
        told(first),
        "Grid(0)=((u0 + 255) / 256) Grid(1)=(u1 / 2) Grid(2)=(u0 min 8) \
         Block(0)=u0 Block(1)=u0 Block(2)=1 Argument(1)=u0 Argument(2)=(u0 / 2) Argument(3)=u1 \
         Argument(4)=u2 Argument(5)=(((u0 + 15) / 16) * 16)"
    );
    assert_eq!(
        told(second),
        "Grid(0)=((u0 + 95) / 96) Grid(1)=1 Grid(2)=1 Block(0)=64 Block(1)=1 Block(2)=1 \
         Argument(1)=u0 Argument(2)=(u0 - 1) Argument(3)=(u1 % 32) Argument(4)=(u2 * 4) Argument(5)=u2"
    );
    assert_eq!((second.grid, second.block), (None, Some([64, 1, 1])));
}

/// Quotients that are rounded up by asking for a remainder.
#[test]
fn host_launches_round_up() {
    let source = b"__global__ void k(int *a, int n) { a[0] = n; }
void by_a_term(int *a, int n) { k<<<(n - 2) / 14 + ((n - 2) % 14 == 0 ? 0 : 1), 64>>>(a, n); }
void by_a_truth(int *a, int n) { k<<<n / 96 + (n % 96 != 0), 64>>>(a, n); }
void by_a_choice(int *a, int n, int m) { k<<<n % m == 0 ? n / m : n / m + 1, m>>>(a, n); }
void by_a_step(int *a, unsigned n) { unsigned b = n / 256; if (n % 256) b++; k<<<b, 256>>>(a, n); }
void of_another(int *a, int n, int m) { k<<<n / 96 + (m % 96 != 0), 64>>>(a, n); }
void if_none_is_left(int *a, int n) { k<<<n / 96 + (n % 96 == 0), 64>>>(a, n); }
void no_remainder(int *a, int n, int m) { k<<<n / 96 + (m != 0), 64>>>(a, n); }
void halves(int *a, int n) { k<<<(int)__builtin_ceil(n * 0.0078125), 64>>>(a, n); }
void hundredths(int *a, int n) { k<<<(int)__builtin_ceil(n * 0.01), 64>>>(a, n); }";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let grid = |line: u32| {
        let launch = launches.iter().find(|l| l.line == line);
        let told = told(launch.unwrap_or_else(|| panic!("no launch in line {line}: {launches:?}")));
        told.split(" Grid(1)").next().unwrap_or_default().to_owned()
    };
    assert_eq!(grid(2), "Grid(0)=(((u0 - 2) + 13) / 14)");
    assert_eq!(grid(3), "Grid(0)=((u0 + 95) / 96)");
    assert_eq!(grid(4), "Grid(0)=((u0 + (u1 - 1)) / u1)");
    assert_eq!(grid(5), "Grid(0)=((u0 + 255) / 256)");
    assert_eq!(grid(6), "Grid(0)=((u0 / 96) + ((u1 % 96) min 1))");
    assert_eq!(grid(7), "Grid(0)=((u0 / 96) + (1 - ((u0 % 96) min 1)))");
    // The remainder that is none has been looked at, too.
    assert_eq!(grid(8), "Grid(0)=((u0 / 96) + u2)");
    assert_eq!(grid(9), "Grid(0)=((u0 + 127) / 128)");
    // 700 * 0.01 is more than 7.
    assert_eq!(grid(10), "Grid(0)=u0");
}

fn told(launch: &HostLaunch) -> String {
    let text = |(part, value): &(HostPart, HostValue)| format!("{part:?}={}", shown(value));
    launch.values.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// What a file, an object, or a variable that others know of holds is one value as long as nothing may write it.
#[test]
fn host_launches_read_one_value_of_memory() {
    let source = b"#include <stdio.h>
int blocks, threads;
void other();
__global__ void k(int *a, int n) { a[0] = n; }
void of_the_file(int *a) { k<<<blocks, threads>>>(a, blocks); }
struct Plan {
  int *a, n;
  void of_an_object() {
    dim3 grid((n + 255) / 256);
    cudaMemset(a, 0, n);
    k<<<grid, 256>>>(a, n);
  }
};
void use(Plan &p) { p.of_an_object(); }
void of_a_variable(int *a) { int n; scanf(\"%d\", &n); k<<<n, 64>>>(a, n / 2); }
void written(int *a) { int b = blocks; blocks = b + 1; other(); k<<<b, threads>>>(a, blocks); }
void of_a_number(int *a, long n) { k<<<(int)n, (int)(n < 64 ? n : 64)>>>(a, n); }
void given(int *a) { int b = blocks; cudaMemcpy(&blocks, a, 4, cudaMemcpyDeviceToHost); k<<<b, 1>>>(a, blocks); }
void by_another(int *a, int *p) { int b = blocks; *p = 3; k<<<b, 1>>>(a, blocks); }";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let of = |line: u32| {
        let mut at = launches.iter().filter(|l| l.line == line).map(told);
        at.next().unwrap_or_else(|| panic!("no launch in line {line}: {launches:?}"))
    };
    let rest = |y: &str| format!("Grid(1)=1 Grid(2)=1 Block(0)={y} Block(1)=1 Block(2)=1");
    assert_eq!(of(5), format!("Grid(0)=u0 {} Argument(1)=u0", rest("u1")));
    assert_eq!(of(14), format!("Grid(0)=((u0 + 255) / 256) {} Argument(1)=u0", rest("256")));
    assert_eq!(of(15), format!("Grid(0)=u0 {} Argument(1)=(u0 / 2)", rest("64")));
    assert_eq!(of(16), format!("Grid(0)=u0 {} Argument(1)=u2", rest("u1")));
    assert_eq!(of(17), format!("Grid(0)=u0 {} Argument(1)=u0", rest("(u0 min 64)")));
    assert_eq!(of(18), format!("Grid(0)=u0 {} Argument(1)=u1", rest("1")));
    assert_eq!(of(19), format!("Grid(0)=u0 {} Argument(1)=u1", rest("1")));
}

/// How large arrays are, where one call on every way to the launch has made them.
#[test]
fn host_launches_say_how_large_arrays_are() {
    let source = b"#include <stdlib.h>
__global__ void k(int *a, int *b, int n) { a[0] = n; }
int *all; void other(int *); void change(int **);
void both(int n) { int *a, *b; cudaMalloc(&a, n * sizeof(int)); cudaMallocManaged((void **)&b, 80); k<<<1, n>>>(a, b, n); }
void behind(int n) { int *a; cudaMalloc(&a, n * sizeof(int)); k<<<1, 1>>>(a + 1, a, n); }
void of_the_file(int n) { cudaMalloc(&all, n); cudaMemset(all, 0, n); k<<<1, 1>>>(all, all, n); }
void written(int n) { cudaMalloc(&all, n); other(all); k<<<1, 1>>>(all, all, n); }
void handed(int n) { int *a; cudaMalloc(&a, n); other(a); k<<<1, 1>>>(a, 0, n); }
void changed(int n) { int *a; cudaMalloc(&a, n); change(&a); k<<<1, 1>>>(a, 0, n); }
void chosen(int n, int m) { int *a; if (m) cudaMalloc(&a, n); else cudaMalloc(&a, m); k<<<1, 1>>>(a, 0, n); }
void sometimes(int n, int m) { int *a = 0; if (m) cudaMalloc(&a, n); k<<<1, 1>>>(a, 0, n); }
void anew(int n) { int *a; cudaMalloc(&a, n); cudaFree(a); cudaMalloc(&a, 2 * n); k<<<1, 1>>>(a, 0, n); }
void round(int n) { int *a; for (int i = 1; i < n; i++) { cudaMalloc(&a, i); k<<<1, 1>>>(a, 0, i); cudaFree(a); } }
void later(int n) { int *a; cudaMalloc(&a, 4); for (int i = 1; i < n; i++) { k<<<1, 1>>>(a, 0, i); cudaMalloc(&a, i); } }
void pitched(int n) { int *a; size_t p; cudaMallocPitch(&a, &p, n, n); k<<<1, 1>>>(a, 0, n); }
";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let of = |line: u32| {
        let launch = launches.iter().find(|l| l.line == line);
        let launch = launch.unwrap_or_else(|| panic!("no launch in line {line}: {launches:?}"));
        let told = |(i, v): &(usize, HostValue)| format!("{i}:{}", shown(v));
        launch.sizes.iter().map(told).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of(4), "0:(u0 * 4) 1:80");
    assert_eq!(of(5), "1:(u0 * 4)");
    assert_eq!(of(6), "0:u0 1:u0");
    assert_eq!(of(7), "");
    assert_eq!(of(8), "0:u0");
    // The optimiser makes one call of the two.
    assert_eq!(of(10), "0:u1");
    for line in [9, 11, 14, 15] {
        assert_eq!(of(line), "", "line {line}");
    }
    assert_eq!(of(12), "0:(u0 * 2)");
    assert_eq!(of(13), "0:u0");
}

/// What may be anything, and what may lead past a launch.
#[test]
fn host_launches_say_what_may_be_anything() {
    let source = b"#include <stdlib.h>
__global__ void k(int *a, int n) { a[0] = n; }
int given(int); int *made(int);
void argument(int n) { int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
void called(int n) { int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
int main(int argc, char **argv) { int n = argc > 1 ? atoi(argv[1]) : 64; int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); called(argc * 32); }
void result(int m) { int n = given(m), *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
void asks(int n) { if (n < 8) return; int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
void hidden(int n) { if (given(n)) return; int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
void is_there(int n) { if (!made(n)) return; int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
void either(int n) { if (n % 64 != 0 && n != 32) return; int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
void worked(int n) { int *a; if (cudaMalloc(&a, n)) exit(1); for (int i = 0; i < 9; i++) k<<<1, 1>>>(a, n); }
";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    // Whether the argument may be anything; of each branch whether it asks about it, whether that is all, and is read.
    let of = |line: u32| {
        let launch = launches.iter().find(|l| l.line == line);
        let launch = launch.unwrap_or_else(|| panic!("no launch in line {line}: {launches:?}"));
        let value = launch.values.iter().find(|(part, _)| *part == HostPart::Argument(1));
        let Some((_, HostValue::Unknown(n))) = value else { panic!("{launch:?}") };
        let branches = launch.branches.as_ref().map(|branches| {
            let mut told: Vec<_> = (branches.iter())
                .map(|b| match b.unknowns.contains(n) {
                    true => (b.unknowns.len() == 1, b.is_read),
                    false => (b.unknowns.iter().all(|u| launch.free[*u]), false),
                })
                .collect();
            told.sort_unstable();
            told
        });
        (launch.free[*n], branches)
    };
    let nothing = || Some(Vec::new());
    assert_eq!(of(4), (true, nothing()));
    assert_eq!(of(5), (false, nothing()));
    assert_eq!(of(6), (true, nothing()));
    assert_eq!(of(7), (false, nothing()));
    assert_eq!(of(8), (true, Some(vec![(true, true)])));
    assert_eq!(of(9), (true, Some(vec![(false, false)])));
    assert_eq!(of(10), (true, None));
    assert_eq!(of(11), (true, Some(vec![(true, false)])));
    assert_eq!(of(12), (true, Some(vec![(true, false)])));
}

/// How the two integers of each launch of `k` hang together with others, by the line of the launch: `made`, one of some
/// numbers, or nothing.
fn bound(source: &[u8]) -> impl Fn(u32) -> [String; 2] {
    let input = Input::Text { name: "t.cu", bytes: source };
    let launches = host_side(input, &[], &Options::default()).launches;
    move |line: u32| {
        let launch = launches.iter().find(|l| l.line == line);
        let launch = launch.unwrap_or_else(|| panic!("no launch in line {line}: {launches:?}"));
        [1, 2].map(|i| {
            let mut values = launch.values.iter();
            let mut unknown = Vec::new();
            let value = values.find(|(part, _)| *part == HostPart::Argument(i));
            value.inspect(|v| v.1.unknowns(&mut unknown));
            let how = unknown.iter().map(|u| match &launch.bound[*u] {
                HostBound::Apart => String::new(),
                HostBound::Made => "made".into(),
                HostBound::OneOf(values) => format!("{values:?}"),
            });
            how.collect()
        })
    }
}

/// Arguments that hang together in a way that is not read.
#[test]
fn host_launches_say_what_is_bound() {
    let of = bound(
        b"#include <math.h>
#include <stdlib.h>
__global__ void k(int *a, int n, int m) { a[0] = n + m; }
int f(int); struct Plan { int n, m; };
void logarithm(int *a, int n) { k<<<1, 1>>>(a, n, (int)log2((double)(n / 2))); }
void result(int *a, int n) { k<<<1, 1>>>(a, n, f(n)); }
void both(int *a, int v) { k<<<1, 1>>>(a, f(v), f(v + 1)); }
void bits(int *a, int n) { k<<<1, 1>>>(a, n, 31 - __builtin_clz(n)); }
void power(int *a, int n) { k<<<1, 1>>>(a, n, n | n >> 1); }
void dimension(int *a, int n, int v) { k<<<n / 2, 1>>>(a, v, f(n) + 1); }
void field(int *a, Plan *p) { int m = f(p->n); k<<<1, 1>>>(a, p->n, m); }
void alone(int *a, int n, int v) { k<<<1, 1>>>(a, n, f(v)); }
void fields(int *a, Plan *p) { k<<<1, 1>>>(a, p->n, p->m); }
int main(int, char **argv) { k<<<1, 1>>>(0, atoi(argv[1]), atoi(argv[2])); }
void of_result(int *a, int v) { int n = f(v); k<<<1, 1>>>(a, n, f(n)); }
",
    );
    for line in [5, 6, 8, 9, 10, 11, 15] {
        assert_eq!(of(line), ["", "made"], "line {line}");
    }
    assert_eq!(of(7), ["made", "made"]);
    for line in 12..=14 {
        assert_eq!(of(line), ["", ""], "line {line}");
    }
}

/// What a loop leaves that ended before the launch is made of what it asks about; not so what goes from round to round of one
/// that the launch is in.
#[test]
fn host_launches_say_what_loops_make() {
    let of = bound(
        b"__global__ void k(int *a, int n, int m) { a[0] = n + m; }
int f(int); bool g(int);
static int rounds(int n) { int r = 0; while (n > 1) { n >>= 1; r++; } return r; }
__attribute__((noinline)) static int called(int n) { int r = 0; while (n > 1) { n /= 3; r++; } return r; }
void inlined(int *a, int n) { k<<<1, 1>>>(a, n, rounds(n)); }
void behind(int *a, int n) { k<<<1, 1>>>(a, n, called(n)); }
void halved(int *a, int n) { int r = 0, v = n; while (v >>= 1) ++r; k<<<1, 1>>>(a, n, r); }
void shifted(int *a, int n) { int r = 0; for (; (1 << r) < n; ++r); k<<<1, 1>>>(a, n, r + 1); }
void next(int *a, int n) { int p = 1; while (p < n) p *= 2; k<<<1, 1>>>(a, n, p); }
void grid(int *a, int n, int v) { int p = 1; while (p < n) p *= 2; k<<<n / 4, 1>>>(a, v, p); }
void asked(int *a, int n) { int r = 1; while (g(r)) r += n; k<<<1, 1>>>(a, n, r); }
void drawn(int *a, int n) { int r; do r = f(0); while (r > n); k<<<1, 1>>>(a, n, r); }
void outer(int *a, int n) { for (int i = 2; i < n; i++) k<<<1, 1>>>(a, n, rounds(i)); }
void both(int *a, int n) { for (int i = 2; i < n; i++) k<<<1, 1>>>(a, i, rounds(i)); }
void tile(int *a, int n) { for (int t = 64; t; t /= 2) if (n % t == 0) { k<<<1, 1>>>(a, n, t); break; } }
void last(int *a, int n) { int s = n; for (; s > f(s); s /= 2) k<<<1, 1>>>(a, n, s);
    k<<<1, 1>>>(a, n, s); }
void rest(int *a, int n) { for (int i = n; i > 0; i /= 2) k<<<1, 1>>>(a, n, i); }
void two(int *a, int n) { for (int i = 2; i <= n; i *= 2) for (int j = i; j; j /= 2) k<<<1, 1>>>(a, i, j); }
void power(int *a, int n) { for (int i = 0; i < f(n); i++) k<<<1, 1>>>(a, n, 1 << i); }
void other(int *a, int n, int v) { k<<<1, 1>>>(a, n, rounds(v)); }
void alone(int *a, int n) { k<<<1, 1>>>(a, 3, rounds(n)); }
void read(int *a, const int *v) { int n = 0, top = 0; while (g(n)) { if (v[n] > top) { top = v[n]; f(top); } n++; }
    k<<<1, 1>>>(a, n, top); }
void sum(int *a, const int *v, int n) { int s = 0; for (int i = 0; i < n; i++) s += v[i]; k<<<1, 1>>>(a, n, s); }
void most(int *a, const int *v, int n) { int s = 0; for (int i = 0; i < n; i++) s = v[i] > s ? v[i] : s; k<<<1, 1>>>(a, n, s); }
void twice(int *a, int n) { int p = 1, r = 0; while (p < n) { p *= 2; r++; f(r); } k<<<1, 1>>>(a, p, r); }
void added(int *a, int n, int v) { int p = 0; while (p < n) p = 3 * p + v; k<<<1, 1>>>(a, n, p); }
void global(int *a) { extern int g_n; int r = 0; for (int v = g_n; v; v /= 2) { f(0); r++; } k<<<1, 1>>>(a, g_n, r); }
void shift(int *a, int n) { for (int i = 0; i < f(n); i++) k<<<1, 1>>>(a, i + 1, 1 << i); }
void shifts(int *a, int n) { for (int i = 0; i < n; i++) for (int j = i; j >= 0; j--) k<<<1, 1>>>(a, 1 << j, 1 << (i - j)); }
void mixed(int *a, int n) { for (int i = 0; i < n; i++) for (int j = i; j >= 0; j--) k<<<1, 1>>>(a, i, 1 << (i - j)); }
",
    );
    for line in (5..=15).chain([17, 27, 28, 29, 30]) {
        assert_eq!(of(line), ["", "made"], "line {line}");
    }
    for line in [16, 18, 19, 20, 21, 22, 24, 25, 26, 31, 32] {
        assert_eq!(of(line), ["", ""], "line {line}");
    }
}

/// What branches choose from is what they ask about that decides; not so where any number is among it anyway.
#[test]
fn host_launches_say_what_branches_choose() {
    let of = bound(
        b"#include <stdlib.h>
#include <unistd.h>
__global__ void k(int *a, int n, int m) { a[0] = n + m; }
int f(int); void g(); bool h(int);
void chosen(int *a, int n) { k<<<1, 1>>>(a, n, n > 1024 ? 10 : 20); }
void branch(int *a, int n) { int m = 5; if (n > 64) { g(); m = 6; if (n > 128) { g(); m = 7; } } k<<<1, 1>>>(a, n, m); }
void cases(int *a, int n) { int m = 0; switch (n) { case 3: g(); m = 4; break; case 4: g(); m = 9; } k<<<1, 1>>>(a, n, m); }
void truth(int *a, int n) { k<<<1, 1>>>(a, n, n > 64); }
void value(int *a, int n) { int m = n; if (h(n)) { g(); m = f(3); } k<<<1, 1>>>(a, n, m); }
void usual(int *a, int n, int v) { k<<<1, 1>>>(a, n, v > 0 ? v : n); }
void defaults(int *a, int n, int v) { int m = n; if (h(0)) { g(); m = f(v); } k<<<1, 1>>>(a, n, m); }
void other(int *a, int n, int v) { k<<<1, 1>>>(a, n, v > 1024 ? 10 : 20); }
void last(int *a, int n) { for (int i = 0; i < n; i++) k<<<1, 1>>>(a, n, i == n - 1); }
void with_it(int *a, int n) { for (int i = 0; i < n; i++) k<<<1, 1>>>(a, i, i == n - 1); }
int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = argc > 1 ? atoi(argv[1]) : 64, m = argc > 2 ? atoi(argv[2]) : 32, c;
    k<<<1, 1>>>(0, n, m);
    while ((c = getopt(argc, argv, \"n:m:\")) != -1)
        switch (c) { case 'n': n = atoi(optarg); break; case 'm': m = atoi(optarg); break; case 'q': m = 7; n++; }
    k<<<1, 1>>>(0, n, m);
}
",
    );
    assert_eq!(of(5), ["", "[10, 20]"]);
    assert_eq!(of(6), ["", "[5, 6, 7]"]);
    assert_eq!(of(7), ["", "[0, 4, 9]"]);
    assert_eq!(of(8), ["", "[0, 1]"]);
    assert_eq!(of(9), ["", "made"]);
    for line in [10, 11, 12, 13, 18, 21] {
        assert_eq!(of(line), ["", ""], "line {line}");
    }
    assert_eq!(of(14), ["", "[0, 1]"]);
}

fn shown(value: &HostValue) -> String {
    match value {
        HostValue::Known(v) => v.to_string(),
        HostValue::Unknown(u) => format!("u{u}"),
        HostValue::Binary(op, a, b) => {
            let op = match op {
                HostOp::Add => "+",
                HostOp::Sub => "-",
                HostOp::Mul => "*",
                HostOp::Div => "/",
                HostOp::Rem => "%",
                HostOp::Min => "min",
                HostOp::Max => "max",
            };
            format!("({} {op} {})", shown(a), shown(b))
        }
    }
}

#[test]
fn host_launches_keep_their_own_configuration() {
    // The optimiser moves the loop behind what follows it.
    let source = b"__global__ void first(int *a) { a[0] = 1; }
__global__ void last(int *a) { a[0] = 2; }
int main(int argc, char **argv) {
  for (int i = 0; i < argc; i++) first<<<1, 1>>>((int *)argv[i]);
  last<<<1, 32>>>((int *)argv);
}";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let blocks: Vec<_> = launches.iter().map(|l| (l.kernel.as_str(), l.block)).collect();
    assert_eq!(blocks, [("_Z5firstPi", Some([1, 1, 1])), ("_Z4lastPi", Some([32, 1, 1]))]);
}

#[test]
fn host_launches_that_pass_structures() {
    let source = b"struct Pair { long a; double b; };
struct Big { int a[40]; };
struct Small { int a; };
__global__ void k(Pair p, int flag, Big b, Small s, float *out, float x) {
  if (flag) out[0] = p.a + b.a[2] + s.a + x;
}
int main() {
  k<<<4, 64>>>(Pair{1, 2}, 0, Big{}, Small{3}, nullptr, 1.5f);
}";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let [launch] = &launches[..] else { panic!("{launches:?}") };
    assert_eq!(launch.arg_count, 6);
    let scalars: Vec<_> = launch.args.iter().filter(|(i, _)| [1, 5].contains(i)).collect();
    assert_eq!(scalars, [&(1, 0), &(5, 1.5f32.to_bits() as u64)]);
    assert!(launch.args.iter().all(|(i, _)| *i != 0 && *i != 2), "{launches:?}");
}

#[test]
fn launch_bounds_say_nothing_of_a_shape() {
    let flat = cuda("__global__ void __launch_bounds__(256) k(int *a) { a[threadIdx.x] = 1; }");
    let square = cuda("__global__ void __launch_bounds__(256) k(int *a) { a[threadIdx.y] = 1; }");
    for kernel in [&flat.kernels[0], &square.kernels[0]] {
        assert_eq!((kernel.required_block, kernel.most_threads), (None, Some(256)));
    }
}

#[test]
fn variables_are_called_as_in_the_source() {
    let m = cuda(
        "__global__ void k(int *a, int n, int x1) {
           for (int i = 0; i < n; ++i) a[i] = 1;
           for (int i = 0; i < n; ++i) a[n - i] = i > 3 ? a[0] : a[1];
           for (int i = 0; i < n; ++i) a[n + i] = i > x1 ? a[2] : a[3];
         }",
    );
    let k = &m.kernels[0];
    let named = |name: &str| k.reg_names.iter().filter(|(_, n)| n == name).count();
    assert_eq!((named("i"), named("x1")), (3, 1), "{:?}", k.reg_names);
    let others: Vec<_> =
        k.reg_names.iter().filter(|(_, n)| !["a", "n", "i", "x1"].contains(&n.as_str())).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn no_kernel_is_no_error() {
    assert!(cuda("int x;").kernels.is_empty());
}

#[test]
fn a_template_that_nobody_instantiates_gets_an_instance() {
    let m = cuda("template <class T> __global__ void k(T *a) { a[0] = 1; }");
    assert_eq!(m.kernels.len(), 1);
}

#[test]
fn missing_header_is_named() {
    let text = b"#include <no_such/header.cuh>\n__global__ void k() {}";
    let e = load(Input::Text { name: "t.cu", bytes: text }, &Options::default())
        .unwrap_err()
        .to_string();
    assert!(e.starts_with("header `no_such/header.cuh` not found"), "{e}");
    assert!(e.contains("t.cu:1:10: fatal error:"), "{e}");
}

#[test]
fn syntax_errors_are_clangs() {
    let e = load(
        Input::Text { name: "t.cu", bytes: b"__global__ void k() { int x = ; }" },
        &Options::default(),
    )
    .unwrap_err();
    assert!(e.to_string().starts_with("t.cu:1:31: error:"), "{e}");
}

#[test]
fn files_are_called_what_the_user_called_them() {
    let folder = std::env::temp_dir().join(format!("lockstep-frontend-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (main, header) = (folder.join("main.cu"), folder.join("part.h"));
    std::fs::write(&header, "__device__ void put(int *p) { *p = 1; }\n").unwrap();
    std::fs::write(&main, "#include \"part.h\"\n__global__ void k(int *a) { put(a); a[1] = 2; }\n")
        .unwrap();
    let m = load(Input::Path(&main), &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let k = &m.kernels[0];
    let files: Vec<&str> =
        k.sites.iter().map(|s| k.files[k.loc(s.loc).file as usize].as_str()).collect();
    assert_eq!(files, [header.to_str().unwrap(), main.to_str().unwrap()]);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What is constant of structures, however they travel: in pieces, in memory, copied from a constant, or changed afterwards.
#[test]
fn members_of_structures_are_constants_of_a_launch() {
    let source = br"
        struct P { int n, m; float x; };
        struct Q { int n, m; float x; int *o; int k; };
        __global__ void pieces(int *a, P p) {}
        __global__ void memory(int *a, Q q) {}
        void host(int any) {
            int *d;
            cudaMalloc(&d, 1024);
            P p = {3, 300, 1.0f};
            pieces<<<1, 64>>>(d, p);
            p.m = any;
            pieces<<<1, 64>>>(d, p);
            Q q = {3, 300, 1.0f, 0, 5};
            memory<<<1, 64>>>(d, q);
            q.m = any;
            memory<<<1, 64>>>(d, q);
        }";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let members = |i: usize| -> Vec<(u64, u32, u64)> {
        let of: &HostLaunch = &launches[i];
        of.members.iter().map(|(p, bytes, bits)| (p.within.unwrap(), *bytes, *bits)).collect()
    };
    let one = u64::from(1f32.to_bits());
    assert_eq!(members(0), [(0, 8, 300 << 32 | 3), (8, 4, one)]);
    // Two members in one piece, of which one is not known.
    assert_eq!(members(1), [(8, 4, one)]);
    assert_eq!(members(2), [(0, 4, 3), (4, 4, 300), (8, 4, one), (24, 4, 5)]);
    assert!(!members(3).iter().any(|m| m.0 == 4), "{:?}", members(3));
}

/// A launch in a loop is one for each round: numbers that grow, pointers that move, arrays that become one or are exchanged.
#[test]
fn rounds_of_a_loop_are_launches() {
    let source = br"
        __global__ void doubled(int *a, int *b, int n) {}
        __global__ void moved(int *a, int *b, int n) {}
        __global__ void joined(int *a, int *b, int n) {}
        __global__ void exchanged(int *a, int *b, int n) {}
        __global__ void many(int *a, int *b, int n) {}
        __global__ void some(int *a, int *b, int n) {}
        void host(int rounds, int *x, int *y) {
            int *d, *e;
            cudaMalloc(&d, 1024);
            cudaMalloc(&e, 1024);
            for (int i = 1; i < 10; i *= 2) doubled<<<1, 64>>>(d, e, i);
            for (int i = 0; i < 3; i++) moved<<<1, 64>>>(d, d + i * 8, 7);
            for (int i = 0; i < 20; i++) many<<<1, 64>>>(d, e, i);
            for (int i = 0; i < rounds; i++) { exchanged<<<1, 64>>>(x, y, 7); int *t = x; x = y; y = t; }
            for (int i = 0; i < rounds; i++) { some<<<1, 64>>>(d, e, i); }
            for (int i = 0; i < rounds; i++) { joined<<<1, 64>>>(d, e, 7); e = d; }
        }";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let of = |name: &str| -> Vec<&HostLaunch> {
        launches.iter().filter(|l| l.kernel.contains(name)).collect()
    };
    let numbers = |name: &str| -> Vec<Option<u64>> {
        of(name).iter().map(|l| l.args.iter().find(|a| a.0 == 2).map(|a| a.1)).collect()
    };
    let offsets = |name: &str| -> Vec<Vec<Option<i64>>> {
        of(name).iter().map(|l| l.aliases.iter().map(|a| a.offset).collect()).collect()
    };
    assert_eq!(numbers("doubled"), [1, 2, 4, 8].map(Some));
    assert_eq!(offsets("moved"), [0, 32, 64].map(|bytes| vec![Some(bytes)]));
    assert_eq!(offsets("joined"), [vec![], vec![Some(0)]]);
    assert_eq!(offsets("exchanged"), [vec![]]);
    // The launch that stands for all comes with the first, the second and the last.
    assert_eq!(numbers("many"), [None, Some(0), Some(1), Some(19)]);
    assert_eq!(numbers("some")[0], None);
    assert_eq!(numbers("some")[1..3], [Some(0), Some(1)]);
}
