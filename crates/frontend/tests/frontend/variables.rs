//! Variables of a file as arguments of its kernels, and which arguments of the host point into them or into each other.

use crate::common::cuda;
use lockstep_frontend::{HostAlias, HostArray, Input, Options, host_side};
use lockstep_kernel::Space;

#[test]
fn variables_that_somebody_else_sets_are_parameters() {
    let m = cuda(
        "struct P { int n; float *p; };
__device__ int width;
static __device__ int unset;
static __device__ int set_by_host, set_by_kernel;
__constant__ P par;
__device__ int known = 7, counted, table[64];
__device__ volatile int polled;
extern __device__ int elsewhere;
__global__ void k(float *o) {
  o[width + unset + set_by_host + set_by_kernel + par.n + known + table[threadIdx.x] + polled + elsewhere] = par.p[0];
  atomicAdd(&counted, 1);
}
__global__ void sets(int n) { set_by_kernel = n; }
void host(int n) { cudaMemcpyToSymbol(set_by_host, &n, 4); }",
    );
    let k = &m.kernels[0];
    let mut inputs: Vec<&str> = k
        .params
        .iter()
        .filter(|p| p.variable == Some(Space::Global))
        .map(|p| p.name.as_str())
        .collect();
    inputs.sort();
    assert_eq!(inputs, ["elsewhere", "set_by_host", "set_by_kernel", "width"]);
    let constant = |n: &str| k.params.iter().find(|p| p.name == n).map(|p| p.variable);
    assert_eq!(constant("par.n"), Some(Some(Space::Constant)));
    assert_eq!(constant("par.p"), Some(Some(Space::Constant)));
    assert_eq!(k.own_params(), 1);
    // What nobody can have set is known, what only this file knows lies apart from all pointers.
    let find = |n: &str| k.objects.iter().find(|o| o.name == n).unwrap_or_else(|| panic!("{n}"));
    assert!(find("unset").fixed && !find("unset").exported);
    for name in ["known", "counted", "table", "polled"] {
        assert!(!find(name).fixed && find(name).exported, "{name}");
    }
    // A kernel that writes a variable has it in memory.
    assert!(m.kernels[1].params.iter().all(|p| p.variable.is_none()));
}

#[test]
fn pointers_of_the_host_into_one_array() {
    let source = b"__device__ float table[64];
__global__ void k(float *a, const float *b, float *c) { a[0] = b[0] + c[0] + table[0]; }
void constant(float *d) { k<<<1, 1>>>(d + 4, d, d + 1); }
void variable(float *d, float *e, int n) { float *half = d + n; k<<<1, 2>>>(d, half, e); }
void symbol(float *d) {
  float *p;
  cudaGetSymbolAddress((void **)&p, table);
  k<<<1, 3>>>(p + 2, d, p + 2);
}
struct S { float *x, *y; };
void members(S *s, float *e) { k<<<1, 4>>>(s->x, s->y, s->x + 1); }";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let of = |i: usize| launches[i].aliases.clone();
    let alias = |param: usize, of, offset| HostAlias { param: param.into(), of, offset };
    let param = |p: usize| HostArray::Param(p.into());
    assert_eq!(
        of(0),
        [alias(1, param(0), Some(-16)), alias(2, param(0), Some(-12)), alias(2, param(1), Some(4))]
    );
    assert_eq!(of(1), [alias(1, param(0), None)]);
    let table = || HostArray::Variable("table".into());
    assert_eq!(
        of(2),
        [alias(0, table(), Some(8)), alias(2, table(), Some(8)), alias(2, param(0), Some(0))]
    );
    assert_eq!(of(3), [alias(2, param(0), Some(4))]);
}
