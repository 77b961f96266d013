//! The kernels as PTX: with the checker and without, at every level of optimisation. Where `ptxas` is there (on the path, or
//! named by `LOCKSTEP_PTXAS`), it must assemble all of it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use lockstep_device::abi;
use lockstep_frontend::{Codegen, Input};

use crate::common::{BOTH, build, options};

const KERNELS: [&str; 4] = [
    "__global__ void k(float *a, const float *b, int n) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = t < n ? b[blockIdx.x * 256 + t] : 0;
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) atomicAdd(a, s[0]);
}",
    "extern __shared__ double d[];
__global__ void k(double *a, float *b) {
    d[threadIdx.x] = sin(a[threadIdx.x]) + exp(a[threadIdx.x]) + sqrt(a[threadIdx.x]);
    __syncwarp();
    b[threadIdx.x] = powf(d[31 - threadIdx.x], 2.5f) + __expf(b[threadIdx.x]);
}",
    "__device__ unsigned lock;
__global__ void k(int *a, int **p) {
    while (atomicCAS(&lock, 0u, 1u) != 0u) {}
    *p[threadIdx.x] += 1;
    __threadfence();
    atomicExch(&lock, 0u);
    a[threadIdx.x] = __shfl_down_sync(0xffffffff, a[threadIdx.x], 1);
}",
    "struct S { int *a; char n; double x; };
__global__ void k(S s, char *c) {
    if (threadIdx.x < s.n) { s.a[threadIdx.x] = (int)s.x; c[threadIdx.x] = 1; }
    if (threadIdx.x & 1) __syncwarp(0xaaaaaaaa);
}",
];

fn ptxas() -> Option<std::path::PathBuf> {
    if let Some(named) = std::env::var_os("LOCKSTEP_PTXAS") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|d| d.join("ptxas")).find(|p| p.exists())
}

fn assembles(ptxas: &Path, ptx: &str) -> Result<(), String> {
    let mut child = Command::new(ptxas)
        .args(["-arch=sm_90", "-o", "/dev/null", "/dev/stdin"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    child.stdin.take().expect("its input").write_all(ptx.as_bytes()).map_err(|e| e.to_string())?;
    let done = child.wait_with_output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    if done.status.success() { Ok(()) } else { Err(text) }
}

#[test]
fn ptx_is_written_and_assembles() {
    let ptxas = ptxas();
    if ptxas.is_none() {
        eprintln!("ptxas is not there: PTX is not assembled");
    }
    for (i, text) in KERNELS.iter().enumerate() {
        for level in [0, 3] {
            let input = Input::Text { name: "k.cu", bytes: text.as_bytes() };
            let options = options(&["--offload-arch=sm_90"]);
            let built = build(input, &options, None, BOTH, Some(Codegen { level }));
            let built = built.unwrap_or_else(|e| panic!("kernel {i}, -O{level}: {e}"));
            let name = &built.archive.kernel.mangled;
            let codes: Vec<&String> = built.archive.codes.iter().map(|c| &c.ptx).collect();
            let plain = &built.archive.plain;
            assert_eq!(codes.len(), 3);
            for ptx in codes.iter().copied().chain([plain]) {
                assert!(ptx.contains(&format!(".visible .entry {name}(")), "{ptx}");
                assert!(!ptx.contains(".extern .func"), "{ptx}");
            }
            for variable in [abi::REPORT, abi::GLOBAL_CELLS, abi::OBJECTS] {
                assert!(codes[0].contains(variable), "{variable}, -O{level}");
                assert!(!plain.contains(variable));
            }
            if let Some(ptxas) = &ptxas {
                for ptx in codes.iter().copied().chain([plain]) {
                    if let Err(why) = assembles(ptxas, ptx) {
                        panic!("kernel {i}, -O{level}: {why}");
                    }
                }
            }
        }
    }
}
