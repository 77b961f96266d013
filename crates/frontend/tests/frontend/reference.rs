//! Functions of C and C++, lowered to be compared with kernels.

use crate::common::{cuda, opencl, sites};
use lockstep_frontend::{Input, Options, compile_reference};
use lockstep_kernel::*;

fn reference(file: &str, text: &str, function: &str) -> Kernel {
    compile_reference(input(file, text), function, &Options::default())
        .unwrap_or_else(|e| panic!("{e}"))
        .kernel
}

fn refused(file: &str, text: &str, function: &str) -> String {
    match compile_reference(input(file, text), function, &Options::default()) {
        Ok(r) => panic!("{} was lowered", r.kernel.name),
        Err(e) => e.to_string(),
    }
}

fn input<'a>(name: &'a str, text: &'a str) -> Input<'a> {
    Input::Text { name, bytes: text.as_bytes() }
}

/// The operations on floats, as the dump names them.
fn floats(k: &Kernel) -> Vec<String> {
    k.insts()
        .filter_map(|i| match &i.op {
            Op::Float { op, .. } => Some(format!("{op:?}")),
            Op::FloatUn { op, .. } => Some(format!("{op:?}")),
            Op::Math { f, .. } => Some(format!("{f:?}")),
            Op::Fma { .. } => Some("Fma".into()),
            _ => None,
        })
        .collect()
}

const SAXPY: &str = "
#include <math.h>
#include <stdint.h>
typedef uint32_t size;
void saxpy(size n, float a, const float *restrict x, float *y) {
  for (size i = 0; i < n; i++)
    y[i] = a * x[i] + y[i];
}
static int unused(int x) { return x + 1; }
";

#[test]
fn a_function_of_c_has_arrays_and_numbers() {
    let k = reference("r.c", SAXPY, "saxpy");
    assert_eq!((k.name.as_str(), k.language), ("saxpy", Language::C));
    let params: Vec<_> =
        (k.params.iter()).map(|p| (p.name.as_str(), p.source_type.as_str(), p.signed)).collect();
    assert_eq!(
        params,
        [
            ("n", "unsigned int", false),
            ("a", "float", true),
            ("x", "const float * restrict", true),
            ("y", "float *", true)
        ]
    );
    let elem = Elem::Scalar(Ty::F32);
    let array = |readonly| ParamKind::Buffer { space: Space::Global, elem, readonly };
    assert_eq!([k.params[2].kind, k.params[3].kind], [array(true), array(false)]);
    assert_eq!(sites(&k), ["R7 global x 4", "R7 global y 4", "W7 global y 4"]);
    assert_eq!(floats(&k), ["Mul", "Add"]);
    assert!(k.unsupported.is_empty());
}

#[test]
fn products_and_sums_are_fused_only_on_request() {
    let options = Options { clang_args: vec!["-ffp-contract=on".into()], ..Options::default() };
    let fused = compile_reference(input("r.c", SAXPY), "saxpy", &options);
    let fused = fused.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(floats(&fused.kernel), ["Fma"]);
    assert_eq!(
        floats(&reference(
            "r.c",
            "float fmaf(float, float, float);\nvoid f(float *a) { *a = fmaf(*a, 2, 1); }",
            "f"
        )),
        ["Fma"]
    );
}

#[test]
fn maths_of_c_cuda_and_opencl_are_the_same_unless_the_device_chooses() {
    let c =
        reference("r.c", "#include <math.h>\nvoid f(float *a) { *a = expf(*a) + sqrtf(*a); }", "f");
    let accurate = cuda("__global__ void f(float *a) { *a = expf(*a) + sqrtf(*a); }");
    let accurate_cl = opencl("__kernel void f(__global float *a) { *a = exp(*a) + sqrt(*a); }");
    assert_eq!(floats(&c), ["Exp", "Sqrt", "Add"]);
    assert_eq!(floats(&accurate.kernels[0]), floats(&c));
    assert_eq!(floats(&accurate_cl.kernels[0]), floats(&c));
    let fast = cuda("__global__ void f(float *a) { *a = __expf(*a) + __fdividef(*a, 3); }");
    assert_eq!(floats(&fast.kernels[0]), ["Exp", "Fast", "Div", "Fast", "Add"]);
    let both = cuda("__global__ void f(float *a) { __sincosf(*a, a + 1, a + 2); }");
    assert_eq!(floats(&both.kernels[0]), ["Sin", "Cos", "Fast", "Fast"]);
    let native =
        opencl("__kernel void f(__global float *a) { *a = native_exp(*a) + half_sin(*a); }");
    assert_eq!(floats(&native.kernels[0]), ["Exp", "Native", "Sin", "Half", "Add"]);
    let mad = opencl(
        "__kernel void f(__global float *a) { *a = mad(*a, 2.0f, 1.0f) + fma(*a, 2.0f, 1.0f); }",
    );
    assert_eq!(floats(&mad.kernels[0]), ["Mul", "Add", "Native", "Fma", "Add"]);
    let ptx = cuda(
        "__global__ void f(float *a) { asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(*a) : \"f\"(*a)); }",
    );
    assert_eq!(floats(&ptx.kernels[0]), ["Exp2", "Fast"]);
}

const CPP: &str = "
#include <algorithm>
namespace ns {
template <class T> void fill(T *p, int n) { for (int i = 0; i < n; i++) p[i] = T(1); }
template void fill<int>(int *, int);
struct Box { float low, high; };
void inside(bool *out, Box b, const float *x, int n) {
  for (int i = 0; i < n; i++)
    out[i] = std::max(b.low, x[i]) == std::min(b.high, x[i]);
}
}
void twice(int *p) { *p *= 2; }
void twice(float *p) { *p *= 2; }
static void hidden(float *p) { *p = 3; }
inline void inlined(float *p) { *p = 4; }
template <class T> void open(T *p) { *p = 5; }
";

#[test]
fn names_of_cpp_may_leave_out_namespace_and_template_arguments() {
    for name in
        ["fill", "ns::fill", "ns::fill<int>", "ns::fill<int>(int*, int)", "_ZN2ns4fillIiEEvPT_i"]
    {
        assert_eq!(reference("r.cpp", CPP, name).name, "ns::fill<int>", "{name}");
    }
    for name in ["hidden", "inlined"] {
        assert_eq!(sites(&reference("r.cpp", CPP, name)).len(), 1, "{name}");
    }
}

#[test]
fn an_overloaded_name_needs_its_parameters() {
    assert_eq!(
        refused("r.cpp", CPP, "twice"),
        "r.cpp: `twice` names several functions; choose one: twice(int*), twice(float*)"
    );
    assert_eq!(floats(&reference("r.cpp", CPP, "twice(float *)")), ["Mul"]);
    assert_eq!(floats(&reference("r.cpp", CPP, "_Z5twicePi")).len(), 0);
}

#[test]
fn what_is_not_there_is_named_with_what_is() {
    assert_eq!(
        refused("r.c", SAXPY, "axpy"),
        "r.c: there is no function `axpy` in it; it has saxpy, unused"
    );
    assert_eq!(
        refused("r.cpp", CPP, "open"),
        "r.cpp: there is no function `open` in it; it has hidden, inlined, ns::fill<int>, ns::inside, twice"
    );
    assert_eq!(
        refused("r.c", "int x;", "f"),
        "r.c: there is no function `f` in it, and no other; a template needs an instance"
    );
    assert_eq!(
        refused("r.txt", "", "f"),
        "r.txt: a reference is a function of C, C++ or the host side of CUDA (.c, .cpp, .cu)"
    );
}

#[test]
fn structs_by_value_have_fields() {
    let k = reference("r.cpp", CPP, "inside");
    let names: Vec<_> = k.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["out", "b", "x", "n", "b.low", "b.high"]);
    assert_eq!(k.params[1].kind, ParamKind::Aggregate { size: 8, align: 4 });
    assert_eq!(k.params[4].kind, ParamKind::Scalar { ty: Ty::F32, count: 1 });
}

#[test]
fn recursion_is_refused() {
    let text = "
int f(int n) { return n < 2 ? 1 : n * f(n - 1); }
int even(int n);
int odd(int n) { return n && even(n - 1); }
int even(int n) { return !n || odd(n - 1); }
void g(int *a) { *a = odd(*a); }
void h(int *a) { *a += 1; }";
    assert_eq!(
        refused("r.c", text, "f"),
        "r.c: f is recursive (f calls f): a reference is compared with all its calls inlined, so it needs a loop instead"
    );
    assert!(
        refused("r.c", text, "g").starts_with("r.c: odd is recursive (odd calls even calls odd):")
    );
    assert_eq!(reference("r.c", text, "h").name, "h");
}

#[test]
fn a_missing_header_says_where_headers_are() {
    let text = "#include <no_such_header.h>\nvoid f(int *a) { *a = 1; }";
    let message = refused("r.c", text, "f");
    let start = "r.c: header `no_such_header.h` not found: add its folder with -I; those of the C and C++ libraries are \
                 in the packages libc6-dev and libstdc++-dev\n";
    assert!(message.starts_with(start), "{message}");
    assert!(
        refused("r.c", "void f(int *a) { *a = b; }", "f").contains("undeclared identifier 'b'")
    );
}

#[test]
fn functions_of_a_cuda_file_are_found_on_both_sides() {
    let text = "
#include <cmath>
__global__ void k(float *a) { a[threadIdx.x] = 1; }
void host(float *a, int n) { for (int i = 0; i < n; i++) a[i] = std::sqrt(a[i]); }
__host__ __device__ void both(float *a) { *a = 2; }
__device__ void device(float *a) { *a = 3; }
int main() { k<<<1, 32>>>(nullptr); return 0; }";
    let of = |name| reference("r.cu", text, name);
    assert_eq!(
        (of("host").language, floats(&of("host"))),
        (Language::Cpp, vec!["Sqrt".to_string()])
    );
    assert_eq!(sites(&of("both")), ["W5 global a 4"]);
    assert_eq!(
        (of("device").language, sites(&of("device"))),
        (Language::Cuda, vec!["W6 global a 4".to_string()])
    );
    assert_eq!(
        refused("r.cu", text, "no"),
        "r.cu: there is no function `no` in it; it has both, host, main"
    );
}

#[test]
fn what_has_no_meaning_is_unsupported_where_it_is() {
    let text = "
void elsewhere(float *);
long double wide(long double);
void f(float *a, int n) {
  float local[n];
  elsewhere(local);
  if (n > 3) throw 1;
  *a = (float)wide(*a);
}";
    let k = reference("r.cpp", text, "f");
    let what: Vec<_> = k.unsupported.iter().map(|u| (k.loc(u.loc).line, u.what.as_str())).collect();
    assert!(what.contains(&(5, "a local array of variable length")), "{what:?}");
    assert!(what.contains(&(6, "call of elsewhere")), "{what:?}");
    assert!(
        what.iter().any(|(line, text)| *line == 7 && text.starts_with("call of __cxa")),
        "{what:?}"
    );
    assert!(what.iter().any(|(line, _)| *line == 8), "{what:?}");
}
