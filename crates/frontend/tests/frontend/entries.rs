//! Functions that are not kernels, lowered as if they were.

use crate::common::sites;
use lockstep_frontend::{Input, Module, Options, load};
use lockstep_kernel::*;

const CUDA: &str = "
namespace ns { template <class T> __device__ void fill(T *p) { p[threadIdx.x] = 1; } }
template __device__ void ns::fill<int>(int *);
static __device__ int peek(int *p) { return p[threadIdx.x]; }
inline __device__ void bound(int *p, unsigned n) { if (threadIdx.x < n) p[threadIdx.x] = 2; }
__device__ __forceinline__ void set(float &r) { r = 3; }
__device__ void stage(int *p) { __shared__ int s[32]; s[threadIdx.x] = p[0]; }
struct S { int *q; int n; __device__ void put(int i) { q[i] = n; } };
__device__ int by_value(S s) { return s.q[s.n]; }
__device__ float overloaded(float *p) { return p[1]; }
__device__ double overloaded(double *p) { return p[2]; }
int host_only(int x) { return x + 1; }
";

fn ask(file: &str, text: &str, names: &[&str]) -> Module {
    let entries = names.iter().map(|n| n.to_string()).collect();
    let options = Options { entries, ..Options::default() };
    load(Input::Text { name: file, bytes: text.as_bytes() }, &options)
        .unwrap_or_else(|e| panic!("{e}"))
}

fn names(m: &Module) -> Vec<&str> {
    m.kernels.iter().map(|k| k.name.as_str()).collect()
}

#[test]
fn a_device_function_is_lowered_as_a_kernel() {
    let m = ask("t.cu", CUDA, &["stage"]);
    assert_eq!(names(&m), ["stage"]);
    assert!(m.missing_entries.is_empty());
    let k = &m.kernels[0];
    assert_eq!(sites(k), ["R7 global p 4", "W7 shared s 4"]);
    let array =
        ParamKind::Buffer { space: Space::Global, elem: Elem::Scalar(Ty::I32), readonly: true };
    assert_eq!((k.params[0].name.as_str(), k.params[0].kind), ("p", array));
    assert_eq!(k.loc(k.loc).line, 7);
}

#[test]
fn functions_that_nobody_calls_are_found() {
    for (name, site) in [
        ("peek", "R4 global p 4"),
        ("bound", "W5 global p 4"),
        ("set", "W6 global r 4"),
        ("put", "W8 generic - 4"),
    ] {
        let m = ask("t.cu", CUDA, &[name]);
        assert_eq!(m.kernels.len(), 1, "{name}");
        assert!(
            sites(&m.kernels[0]).contains(&site.to_string()),
            "{name}: {:?}",
            sites(&m.kernels[0])
        );
    }
}

#[test]
fn references_values_and_objects_are_parameters() {
    let set = ask("t.cu", CUDA, &["set"]);
    let reference =
        ParamKind::Buffer { space: Space::Global, elem: Elem::Scalar(Ty::F32), readonly: false };
    assert_eq!(set.kernels[0].params[0].kind, reference);
    let bound = ask("t.cu", CUDA, &["bound"]);
    assert_eq!(bound.kernels[0].params[1].kind, ParamKind::Scalar { ty: Ty::I32, count: 1 });
    assert!(!bound.kernels[0].params[1].signed);
    let by_value = ask("t.cu", CUDA, &["by_value"]);
    assert_eq!(by_value.kernels[0].params[0].kind, ParamKind::Aggregate { size: 16, align: 8 });
    let put = ask("t.cu", CUDA, &["S::put"]);
    let params: Vec<_> =
        (put.kernels[0].params.iter()).map(|p| (p.name.as_str(), p.source_type.as_str())).collect();
    assert_eq!(params, [("this", ""), ("i", "int")]);
}

#[test]
fn names_may_leave_out_namespace_and_template_arguments() {
    for name in ["fill", "ns::fill", "ns::fill<int>", "_ZN2ns4fillIiEEvPT_"] {
        assert_eq!(names(&ask("t.cu", CUDA, &[name])), ["ns::fill<int>"], "{name}");
    }
    assert_eq!(names(&ask("t.cu", CUDA, &["overloaded"])), ["overloaded", "overloaded"]);
}

#[test]
fn a_kernel_comes_before_a_function_of_the_same_name() {
    let text = "namespace a { __device__ void f(int *p) { p[0] = 1; } }
__global__ void f(int *p) { p[1] = 2; }";
    let m = ask("t.cu", text, &["f"]);
    assert_eq!(names(&m), ["f"]);
    assert_eq!(sites(&m.kernels[0]), ["W2 global p 4"]);
}

#[test]
fn what_is_not_there_is_named_with_what_is() {
    let m = ask("t.cu", CUDA, &["peek", "nothing"]);
    assert_eq!(names(&m), ["peek"]);
    assert_eq!(m.missing_entries, ["nothing"]);
    let text = m.no_entry("nothing");
    assert!(text.starts_with("there is no kernel or function `nothing` in it; it has"), "{text}");
    for name in ["peek", "bound", "set", "stage", "S::put", "by_value", "ns::fill<int>"] {
        assert!(text.contains(name), "{name} in {text}");
    }
    assert!(!text.contains("host_only") && !text.contains("dim3"), "{text}");
}

#[test]
fn a_source_without_a_kernel_offers_its_functions() {
    let m = ask(
        "t.cu",
        "static __device__ void a(int *p) { *p = 1; }\n__device__ int b() { return 2; }",
        &[],
    );
    assert!(m.kernels.is_empty());
    let text = m.offered_functions();
    let start = "; name a __device__ function with --kernel to check it as if it were a kernel: ";
    let list = text.strip_prefix(start).unwrap_or_else(|| panic!("{text}"));
    let mut offered: Vec<&str> = list.split(", ").collect();
    offered.sort_unstable();
    assert_eq!(offered, ["a", "b"]);
    assert_eq!(ask("t.cu", "int main() {}", &[]).offered_functions(), "");
    let of_headers = "#include <cmath>\ndouble host(double x) { return std::abs(x); }";
    assert_eq!(ask("t.cu", of_headers, &[]).offered_functions(), "");
}

#[test]
fn functions_of_opencl_keep_their_local_pointers() {
    let text = "
static void add(__global int *a, __local float *t, int n) {
  if (get_local_id(0) < n) t[get_local_id(0)] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
}
__kernel void k(__global int *a) { a[0] = 1; }";
    let m = ask("t.cl", text, &["add"]);
    assert_eq!(names(&m), ["add", "k"]);
    let k = &m.kernels[0];
    assert_eq!(sites(k), ["B4 generic - 0", "R3 global a 4", "W3 shared t 4"]);
    assert!(matches!(k.params[1].kind, ParamKind::Local { elem: Elem::Scalar(Ty::F32) }));
}

#[test]
fn functions_of_ir_can_be_entries() {
    let text = "target triple = \"nvptx64-nvidia-cuda\"
define i32 @f(ptr %p, i32 %n) {
  store i32 %n, ptr %p
  ret i32 %n
}
define ptx_kernel void @k(ptr %p) {
  store i32 1, ptr %p
  ret void
}";
    assert_eq!(names(&ask("t.ll", text, &[])), ["k"]);
    assert_eq!(ask("t.ll", text, &[]).device_functions[0].name, "f");
    let m = ask("t.ll", text, &["f"]);
    assert_eq!(names(&m), ["f", "k"]);
}
