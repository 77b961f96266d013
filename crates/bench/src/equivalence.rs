//! `lockstep equiv`: time and memory for a pair as its launch grows, from 16 threads to a million. Of the first four pairs one
//! thread or one block stands for all; the last two are executed thread by thread, and end at 1,024.
//!
//! Times are those of whole processes, with clang; memory is the most that a process had, seen every few milliseconds.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Bench;

const REFERENCE: &str = "
void map(int n, float s, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = s * x[i] + y[i]; }
void stencil(int n, const float *x, float *y) {
  for (int i = 0; i < n; i++) y[i] = i > 0 && i < n - 1 ? x[i - 1] + x[i] + x[i + 1] : x[i];
}
void product(int n, int k, const float *A, const float *B, float *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int l = 0; l < k; l++) s += A[i * k + l] * B[l * n + j];
      C[i * n + j] = s;
    }
}
void rows(int m, int n, const unsigned *x, unsigned *y) {
  for (int i = 0; i < m; i++) { y[i] = 0; for (int j = 0; j < n; j++) y[i] += x[i * n + j]; }
}
void sum(int n, const unsigned *x, unsigned *y) { y[0] = 0; for (int j = 0; j < n; j++) y[0] += x[j]; }
void scan(int n, const unsigned *x, unsigned *y) { unsigned s = 0; for (int j = 0; j < n; j++) y[j] = s += x[j]; }
";

const KERNELS: &str = "
__global__ void map(int n, float s, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] + x[i] * s;
}
__global__ void stencil(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i == 0 || i == n - 1) y[i] = x[i]; else y[i] = x[i - 1] + x[i] + x[i + 1];
}
#define T 16
__global__ void product(int n, int k, const float *A, const float *B, float *C) {
  __shared__ float s[T][T], t[T][T];
  int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < k / T; tile++) {
    s[threadIdx.y][threadIdx.x] = A[row * k + tile * T + threadIdx.x];
    t[threadIdx.y][threadIdx.x] = B[(tile * T + threadIdx.y) * n + column];
    __syncthreads();
    for (int l = 0; l < T; l++) sum += s[threadIdx.y][l] * t[l][threadIdx.x];
    __syncthreads();
  }
  C[row * n + column] = sum;
}
__device__ unsigned tree(unsigned own) {
  __shared__ unsigned s[1024];
  s[threadIdx.x] = own;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  return s[0];
}
__global__ void rows(int m, int n, const unsigned *x, unsigned *y) {
  unsigned sum = 0;
  for (int j = threadIdx.x; j < n; j += blockDim.x) sum += x[blockIdx.x * n + j];
  sum = tree(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
__global__ void sum(int n, const unsigned *x, unsigned *y) {
  unsigned all = tree(x[threadIdx.x]);
  if (threadIdx.x == 0) y[0] = all;
}
__global__ void scan(int n, const unsigned *x, unsigned *y) {
  __shared__ unsigned s[1024];
  unsigned own = x[threadIdx.x];
  for (int d = 1; d < n; d *= 2) {
    s[threadIdx.x] = own;
    __syncthreads();
    if (threadIdx.x >= d) own += s[threadIdx.x - d];
    __syncthreads();
  }
  y[threadIdx.x] = own;
}
";

/// A function and its kernel, the options for a number of threads, and the largest number.
type Pair = (&'static str, fn(u64) -> Option<String>, u64);

const PAIRS: [Pair; 6] = [
    ("map", |n| Some(vectors(n, "--arg s=symbolic ")), MILLION),
    ("stencil", |n| Some(vectors(n, "")), MILLION),
    ("product", product, MILLION),
    ("rows", rows, MILLION),
    ("sum", |n| Some(one_block(n, 1)), 1024),
    ("scan", |n| Some(one_block(n, n)), 1024),
];

const MILLION: u64 = 1 << 20;

fn vectors(n: u64, more: &str) -> String {
    let block = n.min(256);
    format!(
        "--block {block} --grid {} {more}--arg n={n} --arg x=f32[{n}]:symbolic --arg y=f32[{n}]:symbolic",
        n / block
    )
}

/// A square with a tile for each 256 threads, and 64 products in each sum.
fn product(threads: u64) -> Option<String> {
    let side = threads.isqrt();
    (threads >= 256 && side * side == threads).then(|| {
        format!(
            "--block 16,16 --grid {0},{0} --arg n={side} --arg k=64 --arg A=f32[{1}]:symbolic --arg B=f32[{1}]:symbolic --arg C=f32[{threads}]",
            side / 16,
            side * 64
        )
    })
}

/// A block of 64 threads for each row of 256 elements.
fn rows(threads: u64) -> Option<String> {
    let m = threads / 64;
    (m > 0).then(|| {
        format!(
            "--block 64 --grid {m} --arg m={m} --arg n=256 --arg x=u32[{}]:symbolic --arg y=u32[{m}]",
            m * 256
        )
    })
}

fn one_block(n: u64, out: u64) -> String {
    format!("--block {n} --grid 1 --arg n={n} --arg x=u32[{n}]:symbolic --arg y=u32[{out}]")
}

pub(crate) fn run(bench: &Bench) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    for (name, text) in [("reference.c", REFERENCE), ("kernels.cu", KERNELS)] {
        std::fs::write(folder.path().join(name), text).map_err(|e| e.to_string())?;
    }
    let sizes: &[u64] = match bench.quick {
        true => &[16, 256, 4096],
        false => &[16, 64, 256, 1024, 4096, 65536, MILLION],
    };
    println!("  pair         threads       time     memory");
    for (name, options, largest) in PAIRS {
        for &threads in sizes.iter().filter(|n| **n <= largest) {
            let Some(options) = options(threads) else { continue };
            let (seconds, megabytes) = timed(bench, folder.path(), name, &options)?;
            println!("  {name:<10} {threads:>9} {seconds:>8.2} s {megabytes:>7.0} MB");
        }
    }
    Ok(())
}

fn timed(bench: &Bench, folder: &Path, name: &str, options: &str) -> Result<(f64, f64), String> {
    let mut command = Command::new(&bench.lockstep);
    command.current_dir(folder).arg("equiv");
    command.args([format!("reference.c:{name}"), format!("kernels.cu:{name}")]);
    command.args(options.split(' ')).stdout(Stdio::null());
    let begin = Instant::now();
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let mut most = 0.0f64;
    let status = loop {
        most = most.max(memory_of(&child));
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let seconds = begin.elapsed().as_secs_f64();
    match status.success() {
        true => Ok((seconds, most)),
        false => Err(format!("{name} is not proved: {options}")),
    }
}

/// The most that a process had so far, in megabytes.
fn memory_of(child: &Child) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    status.ok().and_then(|s| crate::peak_of(&s)).unwrap_or(0.0)
}
