//! What hints and slices say about kernels that were compiled.

use crate::common::{cuda, opencl, sites};
use lockstep_kernel::hints::{Hints, ParamHints};
use lockstep_kernel::slice::address_slice;
use lockstep_kernel::validate::validate;
use lockstep_kernel::*;

fn hints(text: &str) -> Hints {
    Hints::of(&cuda(text).kernels[0])
}

/// Slices, checks that the slice is a kernel with the same accesses, and gives the number of operations before and
/// after.
fn slice(k: &Kernel) -> (Kernel, usize, usize) {
    let sliced = address_slice(k);
    validate(k).unwrap_or_else(|e| panic!("{}: {e}", k.name));
    validate(&sliced).unwrap_or_else(|e| panic!("{} sliced: {e}\n{}", k.name, dump::dump(&sliced)));
    assert_eq!(sites(k), sites(&sliced), "{}", k.name);
    let (before, after) = (k.insts().count(), sliced.insts().count());
    assert!(after <= before);
    (sliced, before, after)
}

const REDUCE: &str = "
__global__ void reduce(const float *in, float *out, int n, float scale) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float x = i < n ? in[i] : 0;
  for (int k = 0; k < 20; k++) x = sinf(x * scale) + cosf(x);
  s[t] = x;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0] * scale;
}";

#[test]
fn a_slice_has_no_maths_and_all_accesses() {
    let m = cuda(REDUCE);
    let (sliced, before, after) = slice(&m.kernels[0]);
    assert!(after + 8 <= before, "{before} {after}");
    let gone = |op: &Op| matches!(op, Op::Math { .. } | Op::Float { .. } | Op::Fma { .. });
    assert!(!sliced.insts().any(|i| gone(&i.op)));
    let mut stores = sliced.insts().filter_map(|i| match &i.op {
        Op::Store { values, .. } => Some(values),
        _ => None,
    });
    assert!(stores.all(|v| v[..] == [Operand::Imm(0)]));
    let loops = |k: &Kernel| cfg::Cfg::new(k).loops.len();
    assert_eq!((loops(&m.kernels[0]), loops(&sliced)), (2, 1));
}

#[test]
fn a_slice_keeps_what_is_stored_to_be_an_index() {
    let m = cuda(
        "__global__ void k(const int *keys, int *out, float *w, int n) {
  __shared__ int place[64];
  __shared__ float weight[64];
  int t = threadIdx.x;
  place[t] = keys[t] * 2 + 1;
  weight[t] = w[t] * 3.0f;
  __syncthreads();
  if (place[63 - t] < n) atomicAdd(&out[place[63 - t]], 1);
  w[t] = weight[63 - t];
}",
    );
    let (sliced, ..) = slice(&m.kernels[0]);
    let stored = |name: &str| {
        let through = |s: SiteId| sliced.site(s).through.as_deref() == Some(name);
        sliced.insts().any(|i| {
            matches!(&i.op, Op::Store { site, values, .. }
                if through(*site) && matches!(values[0], Operand::Reg(_)))
        })
    };
    assert!(stored("place"));
    assert!(!stored("weight") && !stored("w"));
}

#[test]
fn slices_of_the_examples_are_kernels() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/clean");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("tests/clean is there")
        .map(|e| e.expect("a readable folder").path())
        .filter(|p| p.extension().is_some_and(|e| e == "cu" || e == "cl"))
        .collect();
    files.sort();
    assert!(files.len() > 8);
    let (mut before, mut after) = (0, 0);
    let options = lockstep_frontend::Options {
        clang_args: vec!["--offload-arch=sm_90".into()],
        ..Default::default()
    };
    for file in files.iter().take(16) {
        let input = lockstep_frontend::Input::Path(file);
        let m = lockstep_frontend::load(input, &options).unwrap_or_else(|e| panic!("{e}"));
        for k in &m.kernels {
            let (sliced, b, a) = slice(k);
            (before, after) = (before + b, after + a);
            assert_eq!(address_slice(&sliced), sliced, "{}: slicing again changes it", k.name);
            assert_eq!(Hints::of(k).params.len(), k.params.len());
        }
    }
    assert!(after < before);
}

#[test]
fn the_reduction_says_what_it_was_written_for() {
    let h = hints(REDUCE);
    assert_eq!(h.thread_axes, [true, false, false]);
    assert_eq!(h.block_axes, [true, false, false]);
    assert_eq!((h.reads_block_dim, h.reads_grid_dim), ([false; 3], [false; 3]));
    assert_eq!(h.implied_block, [Some(256), None, None]);
    assert_eq!(h.most_block, [Some(256), None, None]);
    assert_eq!(h.loops_with_barrier.len(), 1);
    let [input, out, n, scale] = &h.params[..] else { panic!("{h:?}") };
    assert_eq!(n.compared_with_index, [true, false, false]);
    assert!(n.guards_access && !n.reaches_address && !n.bounds_loop && !n.selects && !n.unused);
    assert!(!scale.guards_access && !scale.reaches_address && !scale.unused);
    let array = |p: &ParamHints| p.array.clone().expect("an array");
    assert_eq!((array(input).read, array(input).written), (true, false));
    assert_eq!((array(out).read, array(out).written), (false, true));
    assert_eq!(array(input).loads_ty, Some(Ty::F32));
    assert!(!array(input).value_reaches_address && !array(input).value_guards_access);
}

#[test]
fn tiles_imply_both_dimensions() {
    let h = hints(
        "__global__ void mm(const float *A, const float *B, float *C, int wA, int wB, int mode) {
  __shared__ float As[16][17];
  __shared__ float Bs[16][17];
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  for (int a = wA * 16 * by, b = 16 * bx; a <= wA * 16 * by + wA - 1; a += 16, b += 16 * wB) {
    As[ty][tx] = A[a + wA * ty + tx];
    Bs[ty][tx] = B[b + wB * ty + tx];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (mode == 3) sum = -sum;
  C[wB * 16 * by + 16 * bx + wB * ty + tx] = sum;
}",
    );
    assert_eq!(h.implied_block, [Some(16), Some(16), None]);
    assert_eq!(h.most_block, [Some(17), Some(16), None]);
    let (wa, wb, mode) = (&h.params[3], &h.params[4], &h.params[5]);
    assert!(wa.multiplies_index && wa.bounds_loop && wa.guards_access);
    assert!(wb.multiplies_index && !wb.bounds_loop);
    assert_eq!(wb.multiplies_index_of, [false, true, false]);
    assert!(mode.selects && !mode.guards_access);
    assert_eq!(mode.compared_with, [3]);
    assert_eq!(h.loops_with_barrier.len(), 2);
}

#[test]
fn numbers_of_threads_ask_for_no_axis() {
    let used = |index: &str| {
        let h = hints(&format!("__global__ void k(int *a, int h) {{ a[{index}] = 1; }}"));
        (h.thread_axes, h.reads_block_dim)
    };
    let rank = "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)";
    let row = [true, false, false];
    assert_eq!(used(rank), (row, row));
    assert_eq!(used(&format!("blockDim.x * blockDim.y * blockDim.z - 1 - ({rank})")), (row, row));
    // A part of it is a picture, or a block that has only two axes, and so is another use.
    let flat = [true, true, false];
    assert_eq!(used("threadIdx.x + blockDim.x * threadIdx.y").0, flat);
    assert_eq!(used(&format!("({rank}) + threadIdx.y")).0, [true; 3]);
    assert_eq!(used(&format!("({rank}) + blockDim.y")).1, flat);
    assert_eq!(used("threadIdx.x + blockDim.x * (threadIdx.y + h * threadIdx.z)").0, [true; 3]);
}

#[test]
fn elements_are_ranked_or_only_looked_for() {
    let compared = |body: &str| {
        let source = format!("__global__ void k(const int *a, const int *b, int *o) {{ {body} }}");
        let h = hints(&source);
        [0, 1].map(|p| h.params[p].array.as_ref().is_some_and(|a| a.compared_with_elements))
    };
    let t = "int t = threadIdx.x;";
    assert_eq!(compared(&format!("{t} if (a[t] < b[t]) o[t] = 1;")), [true, true]);
    assert_eq!(compared(&format!("{t} if (a[t] == b[t]) o[t] = 1;")), [false, false]);
    assert_eq!(compared(&format!("{t} if (a[t] != a[t + 1]) o[t] = b[t];")), [true, false]);
}

#[test]
fn block_sizes_from_linear_indices() {
    let of = |body: &str| {
        hints(&format!("__global__ void k(int *a, int n) {{ __shared__ int s[512]; {body} }}"))
    };
    let flat = of("int t = threadIdx.y * 16 + threadIdx.x; a[blockIdx.x * 256 + t] = t;");
    assert_eq!(flat.implied_block, [Some(16), Some(16), None]);
    let rows = of("a[(blockIdx.y * 8 + threadIdx.y) * 1024 + blockIdx.x * 32 + threadIdx.x] = 1;");
    assert_eq!(rows.implied_block, [Some(32), Some(8), None]);
    let by_n = of("a[(blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] = 1;");
    assert_eq!(by_n.implied_block, [Some(32), Some(8), None]);
    let read = of("a[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * 64 + threadIdx.x;");
    assert_eq!((read.implied_block, read.reads_block_dim), ([None; 3], [true, false, false]));
    let turned = of("a[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = 1;");
    assert_eq!(turned.implied_block, [None; 3]);
    let grid = of("a[(blockIdx.y * blockDim.y + threadIdx.y) * n + threadIdx.x] = 1;");
    assert_eq!(grid.only_in_grid, [false, true, false]);
    let alone = of("int y = blockIdx.y * blockDim.y + threadIdx.y; if (threadIdx.y < 2) a[y] = 1;");
    assert_eq!(alone.only_in_grid, [false; 3]);
    let subscripts = of("s[threadIdx.x] = a[threadIdx.y * n];");
    let axes = |read: bool| {
        let shared = |by: &&[bool; 3]| (by[0], by[1]) == (!read, read);
        subscripts.addressed_by.iter().filter(shared).count()
    };
    assert_eq!((axes(true), axes(false)), (1, 1));
    let t = "int t = threadIdx.x;";
    let split = of(&format!("{t} a[t / n * 2 * n + t % n] = 1;"));
    let turned = of(&format!("{t} a[t % n * n + t / n] = 1;"));
    let row = of(&format!("{t} a[t * n] = t / n + t % n;"));
    assert_eq!([split, turned, row].map(|h| h.params[1].splits), [true, false, false]);
    let partner = of("int i = blockIdx.x * blockDim.x + threadIdx.x; a[i ^ n] = 1;");
    assert!(partner.params[1].flips && !of("a[threadIdx.x] = n ^ 3;").params[1].flips);
    let two = of("a[blockIdx.x * 64 + threadIdx.x] = 1; a[blockIdx.x * 32 + threadIdx.x] = 1;");
    assert_eq!(two.implied_block, [None; 3]);
    // Two elements a thread: the array has only room for half of them.
    let half = of("s[threadIdx.x + 256] = a[blockIdx.x * 512 + threadIdx.x];");
    assert_eq!((half.implied_block, half.most_block), ([None; 3], [Some(256), None, None]));
    // Blocks of 512 that overlap by two; without the question, the array is merely larger.
    let load = "int t = threadIdx.x, x = blockIdx.x * 510 + t; s[t] = a[x]; __syncthreads();";
    let overlap = of(&format!("{load} if (t > 0 && t < 511) a[x + n] = s[t - 1];"));
    assert_eq!((overlap.implied_block[0], overlap.most_block[0]), (None, Some(512)));
    let larger = of(&format!("{load} if (t > 0) a[x + n] = s[t - 1];"));
    assert_eq!((larger.implied_block[0], larger.most_block[0]), (Some(510), Some(512)));
    let rounds = of("int i = blockIdx.x * 512 + threadIdx.x; a[0] = a[i] + a[i + 256];");
    assert_eq!(rounds.implied_block, [Some(256), None, None]);
    let stencil = of("int i = blockIdx.x * 64 + threadIdx.x; a[i] = a[i + 1] + a[i + 2];");
    assert_eq!(stencil.implied_block, [Some(64), None, None]);
    let guarded = of("if (threadIdx.x < 32) s[threadIdx.x + 480] = 1;");
    assert_eq!(guarded.most_block, [None; 3]);
    let bounded = of("if (blockIdx.x * blockDim.x + threadIdx.x < n) s[threadIdx.x] = 1;");
    assert_eq!(bounded.most_block, [Some(512), None, None]);
    let neighbours =
        of("if (a[0]) { s[threadIdx.x] = 1; a[1] = s[threadIdx.x + 1] + s[threadIdx.x - 1]; }");
    assert_eq!(neighbours.most_block, [Some(511), None, None]);
    // Room that is too small for the blocks is not what they are for.
    let short = of("s[threadIdx.x + 1] = a[blockIdx.x * 512 + threadIdx.x];");
    assert_eq!((short.implied_block[0], short.most_block[0]), (Some(512), Some(511)));
    // The first threads of a block are not all.
    let first = of("if (threadIdx.x < 64) a[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];");
    assert_eq!(first.implied_block, [None; 3]);
    let all = "a[blockIdx.x * 64 + threadIdx.x] = 1; if (threadIdx.x < 64) a[n] = 1;";
    assert_eq!(of(all).implied_block, [Some(64), None, None]);
    let last = "if (threadIdx.x < 63) a[blockIdx.x * 64 + threadIdx.x] = 1;";
    assert_eq!(of(last).implied_block, [Some(64), None, None]);
    let rows = of("a[blockIdx.x * 1024 + threadIdx.y * blockDim.y + threadIdx.x] = 1;");
    assert_eq!(rows.implied_block, [None; 3]);
    let warps = of("if (threadIdx.x % 32 == 0) s[threadIdx.x / 32 + 504] = 1;");
    assert_eq!(warps.most_block, [Some(256), None, None]);
    let some = of("if (threadIdx.x < 64) s[threadIdx.x / 32 + 504] = 1; s[threadIdx.x / 8] = 1;");
    assert_eq!(some.most_block, [None; 3]);
    let byte = of("s[(unsigned char)threadIdx.x] = 1;");
    assert_eq!(byte.most_block, [None; 3]);
    let back = of("s[threadIdx.x] = a[n]; a[n + 1] = s[63 - threadIdx.x];");
    assert_eq!(back.most_block, [Some(64), None, None]);
    let some = of("a[n + 1] = s[n - threadIdx.x] + s[63 + n - threadIdx.x];");
    assert_eq!(some.most_block, [None; 3]);
    // Parts of an address that make up for each other.
    let parts = of("int *p = s + threadIdx.x; a[n] = *(p - threadIdx.x + 8 * threadIdx.x);");
    assert_ne!(parts.most_block[0], Some(1));
    let moved = of("int *p = s + 8 * threadIdx.x; if (n) p += 3; a[n] = p[7 - threadIdx.x];");
    assert_ne!(moved.most_block[0], Some(8));
    let single = of("s[511 + threadIdx.x] = 1;");
    assert_eq!(single.most_block, [None; 3]);
}

#[test]
fn blocks_that_fetch_their_work_are_several() {
    let of = |fetch: &str| {
        let h = hints(&format!(
            "__global__ void k(int *next, float *out, int n) {{
  __shared__ int first; __shared__ int own;
  {fetch}
  out[first + threadIdx.x] = own;
}}"
        ));
        h.block_axes[0]
    };
    let guard = "if (threadIdx.x == 0)";
    assert!(of(&format!("do {{ {guard} first = atomicAdd(next, 32); }} while (first < n);")));
    assert!(of(&format!("{guard} first = atomicAdd(next, 32);")));
    assert!(!of(&format!("{guard} first = *next;")));
    assert!(!of(&format!("do {{ {guard} first = atomicAdd(&own, 32); }} while (first < n);")));
    assert!(!of(&format!("do {{ {guard} atomicAdd(next, 32); }} while (first < n);")));
}

#[test]
fn rows_and_members_bound_the_block() {
    let of = |body: &str| {
        hints(&format!(
            "struct S {{ int n; int x[128], y[1]; }};
__global__ void k(int *a, int n) {{
  __shared__ int r[4][64]; __shared__ S s; int t = threadIdx.x; {body}
}}"
        ))
        .most_block[0]
    };
    assert_eq!(of("r[0][t] = 1;"), Some(64));
    assert_eq!(of("r[3][t] = 1; a[n] = r[2][t + 1];"), Some(63));
    assert_eq!(of("r[n][t] = 1;"), Some(64));
    assert_eq!(of("r[1][63 - t] = 1;"), Some(64));
    assert_eq!(of("s.x[t] = 1;"), Some(128));
    // All rows as one, and an array that may be longer than it says.
    assert_eq!(of("int *f = r[0]; f[t] = 1;"), Some(256));
    assert_eq!(of("int *f = r[0]; r[0][t] = 1; a[n] = f[t];"), Some(256));
    assert_ne!(of("s.y[t] = 1;"), Some(1));
}

#[test]
fn contents_that_are_indices_or_conditions() {
    let h = hints(
        "__global__ void k(const int *row, const int *col, const float *val, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = row[i]; j < row[i + 1]; j++)
    if (val[j] > 0.5f) sum += val[j];
  if (col[i] == 7) out[col[i]] = sum;
}",
    );
    let array = |i: usize| h.params[i].array.clone().expect("an array");
    let (row, col, val) = (array(0), array(1), array(2));
    assert!(row.value_reaches_address && row.value_bounds_loop && row.value_guards_access);
    assert!(!row.index_written_through);
    assert!(col.value_reaches_address && col.value_guards_access && col.index_written_through);
    assert_eq!(col.compared_with, [(Ty::I32, 7)]);
    assert!(val.value_guards_access && !val.value_reaches_address);
    assert_eq!(val.compared_with, [(Ty::F32, u64::from(0.5f32.to_bits()))]);
    assert!(h.params[4].guards_access);
    assert_eq!(h.params[4].compared_with_index, [true, false, false]);
}

#[test]
fn scalars_by_what_is_done_with_them() {
    let h = hints(
        "__global__ void k(int *a, int n, int mode, bool flag, int shift, int div, int off, unsigned m, int unused) {
  int t = threadIdx.x;
  if (n - 1 > 5 && n % 4 == 0 && m * 2 < 64) a[t << shift] = 1;
  switch (mode) { case 2: a[0] = 1; break; case 9: a[1] = 1; break; }
  if (flag) a[2] = t % div;
  a[t + off] = 3;
  for (int i = 0; i < n; i++) a[i] = min(m, 100u);
}",
    );
    let [_, n, mode, flag, shift, div, off, m, unused] = &h.params[..] else { panic!() };
    assert!(n.compared_with.contains(&6) && n.compared_with.contains(&0), "{:?}", n.compared_with);
    assert_eq!(n.divided_by, [4]);
    assert!(n.bounds_loop && n.guards_access && !n.selects);
    assert_eq!(mode.compared_with, [2, 9]);
    assert!(mode.selects && mode.guards_access);
    assert!(flag.selects && flag.guards_access);
    assert!(shift.shifts && shift.reaches_address && !shift.divides);
    assert!(div.divides && !div.reaches_address);
    assert!(off.added_to_index && off.reaches_address && !off.multiplies_index);
    assert!(m.compared_with.contains(&32), "{:?}", m.compared_with);
    assert!(unused.unused && !n.unused);
}

#[test]
fn fields_of_structs_have_hints_of_their_own() {
    let text = "struct P { int *data; int n; float f; int pitch; };
__global__ void k(P p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) p.data[i * p.pitch] = p.data[i] == 3 ? 1 : 2;
}
__global__ void written(P p) {
  int i = threadIdx.x;
  P *q = &p;
  if (i == 77) { q->n = 5; q = nullptr; }
  if (q && i < q->n) q->data[i] = 1;
}";
    let m = cuda(text);
    let h = Hints::of(&m.kernels[0]);
    let names: Vec<_> = m.kernels[0].params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["p", "p.data", "p.n", "p.pitch"]);
    let [p, data, n, pitch] = &h.params[..] else { panic!() };
    assert!(p.unused && p.fields.is_empty());
    let data = data.array.clone().expect("an array");
    assert!(data.read && data.written);
    assert_eq!(data.compared_with, [(Ty::I32, 3)]);
    assert!(n.guards_access && n.compared_with_index[0]);
    assert!(pitch.multiplies_index && !pitch.guards_access);
    assert!(!h.pairs.sites().is_empty());
    let (sliced, ..) = slice(&m.kernels[1]);
    assert!(sliced.insts().count() > 0);
    assert!(!Hints::of(&m.kernels[1]).params[0].unused);
}

#[test]
fn pairs_are_of_one_object_and_not_both_atomic() {
    let m = cuda(
        "__global__ void k(int *a, int *b, int **c) {
  __shared__ int s[32];
  s[threadIdx.x] = a[0];
  b[1] = s[0];
  atomicAdd(&b[2], 1);
  **c = 1;
}",
    );
    let k = &m.kernels[0];
    let name = |s: SiteId| {
        let site = k.site(s);
        format!("{:?} {}", site.kind, site.through.as_deref().unwrap_or("?"))
    };
    let h = Hints::of(k);
    let mut found = Vec::new();
    h.pairs.all(
        |site| site,
        |a, b| {
            found.push(format!("{} - {}", name(a), name(b)));
            true
        },
    );
    found.sort();
    assert_eq!(
        found,
        [
            "Atomic b - Write ?",
            "Read a - Write ?",
            "Read c - Write ?",
            "Write ? - Write ?",
            "Write b - Atomic b",
            "Write b - Write ?",
            "Write b - Write b",
            "Write s - Read s",
            "Write s - Write s",
        ]
    );
}

#[test]
fn branches_around_accesses() {
    let m = cuda(
        "__global__ void k(int *a, int n, int dead) {
  bool in = threadIdx.x < n && threadIdx.y < 4;
  int x = 0;
  if (dead > 3) x = 4;
  if (in) a[threadIdx.x] = x;
}",
    );
    let k = &m.kernels[0];
    let h = Hints::of(k);
    let branches = k.blocks.iter().filter(|b| matches!(b.term, Terminator::Branch { .. })).count();
    assert_eq!((branches, h.access_branches.len()), (3, 1));
    assert!(h.params[1].guards_access, "through the value of &&");
    assert!(!h.params[2].guards_access);
    assert_eq!(h.thread_axes, [true, true, false]);
    let (sliced, ..) = slice(k);
    let left = sliced.blocks.iter().filter(|b| matches!(b.term, Terminator::Branch { .. })).count();
    assert_eq!(left, 2);
}

#[test]
fn opencl_kernels_have_hints_too() {
    let m = opencl(
        "__kernel void k(__global int *a, __local int *t, int n) {
  int i = get_global_id(0);
  t[get_local_id(0)] = a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) a[t[get_local_id(0)]] = 1;
}",
    );
    let h = Hints::of(&m.kernels[0]);
    assert!(h.params[1].array.as_ref().is_some_and(|t| t.value_reaches_address && t.written));
    assert!(h.params[0].array.as_ref().is_some_and(|a| a.value_reaches_address));
    assert_eq!(h.params[2].compared_with_index, [true, false, false]);
    let (sliced, ..) = slice(&m.kernels[0]);
    assert_eq!(sliced.insts().count(), m.kernels[0].insts().count());
}

#[test]
fn rows_that_are_picked_and_filled_in_steps() {
    let h = hints(
        "__global__ void k(float *m, const float *in, int n, int row) {
  __shared__ float tile[32][33];
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[j];
  __syncthreads();
  int y = blockIdx.y * 32 + threadIdx.y, x = blockIdx.x * 32 + threadIdx.x;
  m[y * n + x] = m[row * n + x] + tile[threadIdx.x][threadIdx.y];
}",
    );
    assert_eq!(h.implied_block, [Some(32), Some(8), None]);
    let (n, row) = (&h.params[2], &h.params[3]);
    assert!(n.multiplies_index && !n.picks_row);
    assert!(row.picks_row && !row.multiplies_index);
}

#[test]
fn squares_of_sizes() {
    let of = |index: &str| {
        let h = hints(&format!("__global__ void k(int *a, int n, int m) {{ a[{index}] = 1; }}"));
        [1, 2].map(|p: usize| h.params[p].multiplies_itself)
    };
    assert_eq!(of("blockIdx.x * (n * n) + threadIdx.x * m"), [true, false]);
    assert_eq!(of("blockIdx.x * (n * m) + threadIdx.x * n"), [false, false]);
    assert_eq!(of("blockIdx.x + n * n / m"), [true, false]);
}
