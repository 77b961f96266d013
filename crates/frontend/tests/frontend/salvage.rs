//! Sources that do not compile as a whole.

use std::path::{Path, PathBuf};

use lockstep_frontend::{HostSide, Input, Module, Options, Part, host_side, load};

use crate::common::{cuda, unsupported};

fn names(m: &Module) -> Vec<&str> {
    m.kernels.iter().map(|k| k.name.as_str()).collect()
}

fn left_out(m: &Module) -> Vec<(Part, &str, u32)> {
    m.omissions.iter().map(|o| (o.part, o.name.as_str(), o.line)).collect()
}

fn host(text: &str) -> HostSide {
    host_side(Input::Text { name: "t.cu", bytes: text.as_bytes() }, &[], &Options::default())
}

#[test]
fn missing_headers_are_empty() {
    let m = cuda(
        "#include <no/such.h>\n#include \"nor_this.h\"\n__global__ void k(int *a) { a[0] = 1; }\n",
    );
    assert_eq!(names(&m), ["k"]);
    assert_eq!(m.missing_headers, ["no/such.h", "nor_this.h"]);
    assert!(m.omissions.is_empty() && !m.is_whole());
    assert!(cuda("__global__ void k(int *a) { a[0] = 1; }\n").is_whole());
}

/// The standard headers are parsed before the rest, unless a macro of the source changes what they say.
#[test]
fn standard_headers_that_are_kept() {
    let rest = "#include <vector>\n#include <no_such_library.h>\n#include <cassert>\n\
                library_t handle;\n\
                __global__ void k(int *a) { assert(a != nullptr); a[0] = std::vector<int>::size_type(2); }\n";
    let m = cuda(rest);
    assert_eq!(names(&m), ["k"]);
    let headers = |m: &Module| m.experience.as_ref().map_or(Vec::new(), |e| e.headers().to_vec());
    assert_eq!(headers(&m), ["<vector>", "<cassert>"]);
    let has_assertion = |m: &Module| {
        m.kernels[0].insts().any(|i| matches!(i.op, lockstep_kernel::Op::Assert { .. }))
    };
    assert!(has_assertion(&m));
    let without = cuda(&format!("#define NDEBUG\n{rest}"));
    assert!(headers(&without).is_empty() && !has_assertion(&without));
    let whole = cuda("#include <vector>\n__global__ void k(int *a) { a[0] = 1; }\n");
    assert!(whole.experience.is_none());
}

#[test]
fn conversions_of_bfloat16_and_clocks_are_there() {
    let m = cuda(
        "#include <cuda_bf16.h>\n__global__ void k(int *a, __nv_bfloat16 b) {\n\
         clock_t begin = clock();\n\
         a[0] = __bfloat162int_rn(b) + __bfloat162uint_ru(b) + __bfloat162short_rd(b) + __bfloat162ll_rz(b);\n\
         a[1] = clock() - begin;\n}\n",
    );
    assert!(m.is_whole() && m.kernels[0].unsupported.is_empty());
}

#[test]
fn types_that_headers_of_libraries_bring_along() {
    let m = cuda(
        "#include <no_such_library.h>\n__global__ void k(__nv_bfloat16 *a, half *b) { b[0] = (float)a[0]; }\n",
    );
    assert_eq!(names(&m), ["k"]);
}

#[test]
fn statements_of_host_functions_are_left_out_and_instances_stay() {
    let m = cuda(
        "#include <library.h>\n\
         template <int N> __global__ void k(int *a) { a[N] = 1; }\n\
         static library_t handle;\n\
         void run(int *p) {\n\
           library_open(&handle);\n\
           if (library_works(handle)) { k<4><<<1, 32>>>(p); }\n\
           k<8><<<1, 32>>>(p); library_close(handle);\n\
         }\n",
    );
    // The condition is left out with what it guards.
    assert_eq!(names(&m), ["k<8>"]);
    let expected = [(Part::Declaration, "handle", 3), (Part::HostFunction, "run", 5)];
    assert_eq!(left_out(&m), expected);
}

#[test]
fn kernels_that_do_not_compile_are_told_and_others_are_looked_at() {
    let text = "#include <library.h>\n\
                __global__ void bad(float *a) { library::sum<float>(a); }\n\
                __global__ void good(float *a) { a[threadIdx.x] = 1; }\n";
    let m = cuda(text);
    assert_eq!(names(&m), ["good"]);
    let [bad] = &m.uninstantiated[..] else { panic!("{:?}", m.uninstantiated) };
    assert_eq!((bad.template.as_str(), bad.line), ("bad", 2));
    assert!(bad.because.starts_with("it does not compile: use of undeclared"), "{}", bad.because);
    let only = text.lines().take(2).collect::<Vec<_>>().join("\n");
    let e = load(Input::Text { name: "t.cu", bytes: only.as_bytes() }, &Options::default());
    let e = e.unwrap_err().to_string();
    assert!(e.starts_with("header `library.h` not found"), "{e}");
}

#[test]
fn device_functions_that_do_not_compile_have_unknown_effects() {
    let m = cuda(
        "__device__ int broken(int *a) {\n  return unknown_function(a);\n}\n\
         __device__ int fine(int *a) { return a[1]; }\n\
         __global__ void one(int *a) { a[0] = broken(a); }\n\
         __global__ void two(int *a) { a[0] = fine(a); }\n",
    );
    assert_eq!(names(&m), ["one", "two"]);
    assert!(!m.kernels[0].unsupported.is_empty() && m.kernels[1].unsupported.is_empty());
    assert_eq!(unsupported(&m).len(), 1);
    assert_eq!(left_out(&m), [(Part::DeviceFunction, "broken", 2)]);
}

#[test]
fn constant_expressions_keep_all_their_statements() {
    let m = cuda(
        "constexpr int twice(int a) { int b = a; b += unknown; return 2 * a; }\n\
         __global__ void k(int *a) { a[twice(a[0])] = 1; }\n\
         __global__ void other(int *a) { a[0] = 1; }\n",
    );
    assert_eq!(names(&m), ["other"]);
}

#[test]
fn classes_without_a_member() {
    let host_only = cuda(
        "struct Context { library_t handle; int n; void stop(library_t h) {} };\n\
         __global__ void k(int *a) { a[0] = 1; }\n\
         void run(Context &c, int *p) { k<<<1, c.n>>>(p); }\n",
    );
    assert_eq!(names(&host_only), ["k"]);
    let parts = [(Part::Declaration, "handle", 1), (Part::HostFunction, "stop", 1)];
    assert_eq!(left_out(&host_only), parts);
    // Its other members would be elsewhere.
    let shared = cuda(
        "struct Pair { library_t handle; int n; };\nstruct Outer { Pair pair; int n; };\n\
         __global__ void k(Outer *a) { a[0].n = 1; }\n__global__ void l(int *a) { a[0] = 1; }\n",
    );
    assert_eq!(names(&shared), ["l"]);
    let by_template = cuda(
        "#include <library.h>\nstruct Pair { library_t handle; int n; };\n\
         template <class T> __global__ void k(T *a) { a[0].n = 1; }\n\
         __global__ void l(int *a) { a[0] = 1; }\nvoid run(Pair *p) { k<<<1, 1>>>(p); }\n",
    );
    assert_eq!(names(&by_template), ["l"]);
    assert_eq!(by_template.uninstantiated[0].because, "a member of Pair does not compile");
}

#[test]
fn errors_in_headers_and_lines_stay_in_place() {
    let folder = std::env::temp_dir().join(format!("lockstep-salvage-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let main = folder.join("main.cu");
    let header = "#pragma once\n#if 1\ninline void check(\n    library_t a) {\n}\n#else\nvoid {\n#endif\n\
                  __device__ inline void put(int *p) { *p = 1; }\n";
    std::fs::write(folder.join("part.h"), header).unwrap();
    let text = "#include \"part.h\"\n__global__ void k(int *a) { put(a); }\n";
    std::fs::write(&main, text).unwrap();
    let m = load(Input::Path(&main), &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    std::fs::remove_dir_all(&folder).unwrap();
    let k = &m.kernels[0];
    assert_eq!(k.loc(k.sites[0].loc).line, 9);
    assert_eq!(left_out(&m), [(Part::HostFunction, "check", 4)]);
    let files: Vec<PathBuf> = m.omissions.iter().map(|o| PathBuf::from(&o.file)).collect();
    assert_eq!(files, [Path::new(&folder).join("part.h")]);
}

#[test]
fn launches_of_functions_that_compile_are_read() {
    let text = "#include <library.h>\n\
                __global__ void k(int *a) { a[0] = 1; }\n\
                __global__ void l(int *a) { a[0] = 1; }\n\
                #define LAUNCH(p) l<<<2, 64>>>(p)\n\
                void run(int *p) { k<<<1, 32>>>(p); }\n\
                int other(int *p) { l<<<1, 32>>>(p); return 0; }\n\
                int main() { library_init(); LAUNCH(0); return other(0); }\n";
    let side = host(text);
    let read: Vec<_> = side.launches.iter().map(|l| (l.kernel.as_str(), l.block)).collect();
    let block = Some([32, 1, 1]);
    assert_eq!(read, [("_Z1kPi", block), ("_Z1lPi", block)]);
    // Another launch of `l` is in what is left out.
    assert_eq!(side.unread, ["_Z1lPi"]);
    assert!(host(&text.replace("library_init();", "")).unread.is_empty());
}

#[test]
fn variables_that_lost_code_may_change_are_no_constants() {
    let text = "__global__ void k(int *a) { a[0] = 1; }\n\
                static int threads = 64;\n\
                void init() { threads = library_threads(); }\n\
                void run(int *p) { k<<<1, threads>>>(p); }\n";
    let side = host(text);
    assert_eq!(side.launches.len(), 1);
    assert_eq!(side.launches[0].block, None);
    let side = host(&text.replace("threads = library_threads();", ""));
    assert_eq!(side.launches[0].block, Some([64, 1, 1]));
}

#[test]
fn launches_with_a_configuration_are_read() {
    let side = host(
        "__global__ void k(int *a, int n) { a[0] = n; }\n\
         void run(int *p) {\n\
           cudaLaunchAttribute attribute = {};\n\
           attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;\n\
           attribute.val.programmaticStreamSerializationAllowed = 1;\n\
           cudaLaunchConfig_t config = {};\n\
           config.gridDim = dim3(3);\n\
           config.blockDim = dim3(96);\n\
           config.attrs = &attribute;\n\
           config.numAttrs = 1;\n\
           cudaLaunchKernelEx(&config, k, p, 7);\n\
         }\n",
    );
    let read: Vec<_> = side.launches.iter().map(|l| (l.grid, l.block, l.args.clone())).collect();
    assert_eq!(read, [(Some([3, 1, 1]), Some([96, 1, 1]), vec![(1, 7)])]);
    assert!(side.unread.is_empty());
}

#[test]
fn launches_written_with_spaces() {
    let text = "template <int N> __global__ void k(int *a) { a[N] = 1; }\n\
                void run(int *p) { k<4> << < 1, 32 >> > (p); }\n";
    let m = cuda(text);
    assert_eq!((names(&m), m.is_whole()), (vec!["k<4>"], true));
    let side = host(text);
    assert_eq!(side.launches.len(), 1);
    assert_eq!(side.launches[0].block, Some([32, 1, 1]));
}
