//! CUDA sources to kernels: what each construct becomes, where, and through which variable.

use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::*;

use crate::common::{cuda, sites, unsupported};

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
    let text = b"#include <no_such/header.cuh>\n__global__ void k(such::type t) {}";
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
