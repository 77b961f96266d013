//! OpenCL C sources to kernels.

use crate::common::{opencl, sites, unsupported};
use lockstep_kernel::*;

#[test]
fn work_items_barriers_and_local_memory() {
    let m = opencl(
        "__kernel void k(__global float *a, __global const int4 *b, __local int *l, int n, float4 q) {
  __local float tile[16];
  int i = get_global_id(0);
  tile[get_local_id(0)] = a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i] = tile[1] + b[i].x + q.y;
  l[0] = n;
}",
    );
    let k = &m.kernels[0];
    assert_eq!(k.language, Language::OpenCl);
    assert_eq!(k.name, "k");
    assert_eq!(
        k.params[0].kind,
        ParamKind::Buffer { space: Space::Global, elem: Elem::Scalar(Ty::F32), readonly: false }
    );
    assert_eq!(
        k.params[1].kind,
        ParamKind::Buffer { space: Space::Global, elem: Elem::Bytes(16), readonly: true }
    );
    assert_eq!(k.params[2].kind, ParamKind::Local { elem: Elem::Scalar(Ty::I32) });
    assert_eq!(k.params[4].kind, ParamKind::Scalar { ty: Ty::F32, count: 4 });
    assert_eq!(k.params[1].source_type, "int4*");
    assert_eq!(
        sites(k),
        [
            "B5 generic - 0",
            "R4 global a 4",
            "R6 global b 16",
            "R6 shared tile 4",
            "W4 shared tile 4",
            "W6 global a 4",
            "W7 shared l 4"
        ]
    );
    assert!(k.insts().any(|i| matches!(
        i.op,
        Op::Barrier {
            barrier: Barrier::Block { orders_shared: true, orders_global: false, .. },
            ..
        }
    )));
}

#[test]
fn atomics_of_both_generations() {
    let m = opencl(
        "__kernel void k(__global int *a, __global atomic_int *b, __global unsigned *u) {
  atomic_add(a, 2);
  atomic_inc(a);
  atomic_max(u, 3u);
  atomic_cmpxchg(a, 1, 2);
  atomic_fetch_add_explicit(b, 1, memory_order_release, memory_scope_work_group);
  atomic_store(b, 2);
  int e = 3;
  atomic_compare_exchange_strong(b, &e, 4);
  atomic_compare_exchange_strong_explicit(b, &e, 5, memory_order_acquire, memory_order_relaxed, memory_scope_device);
}",
    );
    let all: Vec<_> = m.kernels[0]
        .insts()
        .filter_map(|i| match i.op {
            Op::Atomic { op, order, scope, .. } => Some((op, order, scope)),
            _ => None,
        })
        .collect();
    assert_eq!(
        all,
        [
            (AtomicOp::Add, Order::Relaxed, Scope::Device),
            (AtomicOp::Add, Order::Relaxed, Scope::Device),
            (AtomicOp::UMax, Order::Relaxed, Scope::Device),
            (AtomicOp::CompareExchange, Order::Relaxed, Scope::Device),
            (AtomicOp::Add, Order::Release, Scope::Block),
            (AtomicOp::Store, Order::SeqCst, Scope::Device),
            (AtomicOp::CompareExchange, Order::SeqCst, Scope::Device),
            (AtomicOp::CompareExchange, Order::Acquire, Scope::Device),
        ]
    );
}

#[test]
fn vload_vstore_are_one_access() {
    let m = opencl(
        "__kernel void k(__global float *a) {
  float3 v = vload3(get_global_id(0), a);
  vstore3(v.zyx, 1, a);
  vload4(0, a);
}",
    );
    let k = &m.kernels[0];
    assert_eq!(sites(k), ["R2 global a 12", "R4 global a 16", "W3 global a 12"]);
    assert!(k.sites.iter().filter(|s| s.space == Space::Global).all(|s| s.align == 4));
}

#[test]
fn group_copies() {
    let m = opencl(
        "__kernel void k(__global float *a) {
  __local float t[8];
  event_t e = async_work_group_strided_copy(t, a, 8, 2, 0);
  wait_group_events(1, &e);
  a[0] = t[1];
}",
    );
    let k = &m.kernels[0];
    assert!(k.insts().any(|i| matches!(
        i.op,
        Op::GroupCopy {
            size: 4,
            src_stride: Operand::Imm(2),
            dst_stride: Operand::Imm(1),
            count: Operand::Imm(8),
            ..
        }
    )));
    assert!(k.insts().any(|i| matches!(
        i.op,
        Op::Barrier { barrier: Barrier::GroupCopies { all: true, count: Operand::Imm(1), .. }, .. }
    )));
}

#[test]
fn builtins_are_known() {
    let m = opencl(
        "__kernel void k(__global float4 *f, __global int4 *i, __global uint4 *u, __global double *d, __global uchar4 *c) {
  float4 x = f[0]; int4 z = i[0]; uint4 w = u[0];
  f[1] = sin(x) + native_cos(x) + pow(x, x) + fma(x, x, x) + mad(x, x, x) + clamp(x, 0.0f, 1.0f) + fmin(x, 2.0f) + mix(x, x, 0.5f);
  f[2] = floor(x) + rint(x) + fabs(x) + half_sqrt(x) + native_recip(x) + exp2(x) + step(x, x) + smoothstep(x, x, x) + sign(x);
  f[3] = normalize(x) * dot(x, x) + cross(x, x) + length(x) + distance(x, x) + fast_length(x) + ldexp(x, z) + pown(x, z);
  i[1] = min(z, 3) + max(z, z) + convert_int4(abs_diff(z, z)) + mul_hi(z, z) + rotate(z, z) + add_sat(z, z) + mad24(z, z, z) + clz(z) + hadd(z, z);
  i[2] = isnan(x) + isequal(x, x) + select(z, z, z) + convert_int4_sat_rte(x) + as_int4(x) + popcount(z) + any(z);
  u[1] = bitselect(w, w, w) + convert_uint4(x) + upsample(convert_ushort4(w), convert_ushort4(w)) + shuffle(w, w);
  c[0] = convert_uchar4_sat(z) + convert_uchar4(x);
  d[0] = sin(d[1]) + convert_double(x.x) + fmod(d[2], 3.0) + atan2(d[3], 1.0);
  float4 o; f[4] = fract(x, &o) + o + sincos(x, &o) + modf(x, &o); int4 e; f[5] = frexp(x, &e);
  f[6] = (float4)(vload_half(0, (__global half *)f)); vstore_half(x.x, 3, (__global half *)f);
}",
    );
    assert_eq!(unsupported(&m), Vec::<String>::new());
}

#[test]
fn the_library_gives_what_no_table_has() {
    // `lgamma_r` and `nextafter` of a vector come from libclc, if it is installed.
    let m = opencl(
        "__kernel void k(__global float *f) { int s; f[0] = lgamma_r(f[1], &s); f[1] = s; }",
    );
    let left = unsupported(&m);
    assert!(left.is_empty() || left == ["call of lgamma_r"], "{left:?}");
}

#[test]
fn the_library_gives_nothing_that_a_table_has() {
    // libclc's barrier orders all memory, whatever its flags say.
    let m = opencl(
        "__kernel void k(__global float *f, __local int *l) {
  int s; f[0] = lgamma_r(f[1], &s);
  l[0] = s + get_global_id(0); barrier(CLK_GLOBAL_MEM_FENCE); f[1] = l[1];
}
__kernel void other(__global float *f, __local int *l, cl_mem_fence_flags flags) {
  l[0] = 1; barrier(CLK_LOCAL_MEM_FENCE); f[1] = l[1]; mem_fence(flags);
}",
    );
    let orders = |k: &Kernel| {
        let of = |i: &Inst| match i.op {
            Op::Barrier {
                barrier: Barrier::Block { orders_shared, orders_global, .. }, ..
            } => Some((orders_shared, orders_global)),
            _ => None,
        };
        k.insts().filter_map(of).collect::<Vec<_>>()
    };
    assert_eq!(orders(&m.kernels[0]), [(false, true)]);
    assert_eq!(orders(&m.kernels[1]), [(true, false)]);
    assert!(m.kernels[0].insts().any(|i| matches!(i.op, Op::Special(Special::GlobalOffset(0)))));
    let left = unsupported(&m);
    assert!(left.contains(&"a fence with variable flags".into()), "{left:?}");
}

#[test]
fn flags_and_fences() {
    let m = opencl(
        "__kernel void k(__global int *a) {
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}",
    );
    let fences: Vec<_> = m.kernels[0]
        .insts()
        .filter_map(|i| match i.op {
            Op::Fence { scope, order, shared, global, .. } => Some((scope, order, shared, global)),
            _ => None,
        })
        .collect();
    assert_eq!(
        fences,
        [(Scope::Device, Order::AcqRel, false, true), (Scope::Block, Order::Acquire, true, false)]
    );
}

#[test]
fn source_for_the_older_standard_compiles() {
    // `ctz` is a builtin since 2.0 only.
    let m = opencl(
        "uint ctz(uint x) { return 31 - clz(x & -x); }
__kernel void k(__global uint *a) { a[0] = ctz(a[1]); }",
    );
    assert_eq!(m.kernels.len(), 1);
}

#[test]
fn required_work_group_size_is_a_hint() {
    let m = opencl(
        "__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(__global int *a) { a[0] = 1; }",
    );
    assert_eq!(m.kernels[0].required_block, Some([8, 4, 1]));
}

#[test]
fn kernels_may_call_kernels() {
    let m = opencl(
        "__kernel void a(__global int *p) { p[0] = 1; }\n__kernel void b(__global int *p) { a(p + 1); }",
    );
    assert_eq!(m.kernels.len(), 2);
    assert_eq!(sites(&m.kernels[1]), ["W1 global p 4"]);
}

#[test]
fn print_with_vectors() {
    let m = opencl("__kernel void k(int4 v) { printf(\"%v4d %f\\n\", v, 1.5f); }");
    let args = m.kernels[0].insts().find_map(|i| match &i.op {
        Op::Print { args: PrintArgs::Values(v), .. } => Some(v.clone()),
        _ => None,
    });
    let args = args.unwrap();
    assert_eq!(args[0].lanes.len(), 4);
    assert_eq!(args[1].ty, Ty::F64);
}
