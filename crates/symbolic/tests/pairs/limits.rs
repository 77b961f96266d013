//! What has no result to compare, and what the engine does not follow: never a proof.

use crate::Pair;
use lockstep_symbolic::{Limits, Verdict};

#[test]
fn a_race_is_no_result() {
    // Without the barrier; the two sides are the same text.
    let source = r#"
        __global__ void a(int *x) { __shared__ int t[32]; t[threadIdx.x] = x[threadIdx.x]; x[threadIdx.x] = t[31 - threadIdx.x]; }
        __global__ void b(int *x) { __shared__ int t[32]; t[threadIdx.x] = x[threadIdx.x]; x[threadIdx.x] = t[31 - threadIdx.x]; }"#;
    let pair = Pair::new(source, [1, 32], [1, 32], &["x=i32[32]:symbolic"]);
    assert!(pair.unknown().contains("may race"), "{}", pair.unknown());
    let kinds: Vec<&str> = pair.answer().findings.iter().map(|(_, f)| f.kind.name()).collect();
    assert_eq!(kinds, ["data-race"]);
    // Between blocks, and only for some data.
    let source = r#"
        __global__ void a(const int *i, int *x) { if (threadIdx.x < 2) x[i[blockIdx.x] & 3] = threadIdx.x + blockIdx.x; }
        __global__ void b(const int *i, int *x) { if (threadIdx.x < 2) x[i[blockIdx.x] & 3] = threadIdx.x + blockIdx.x; }"#;
    let pair = Pair::new(source, [2, 1], [2, 1], &["i=i32[2]:symbolic", "x=i32[4]"]);
    assert!(pair.unknown().contains("may race"), "{}", pair.unknown());
}

/// A barrier that only some values of a scalar let threads reach orders only these.
#[test]
fn a_barrier_under_a_condition_orders_only_under_it() {
    let source = r#"
        __global__ void a(int *x, int k) { __shared__ int t[4]; t[threadIdx.x] = x[threadIdx.x]; if (k > 3) __syncthreads(); x[threadIdx.x] = t[3 - threadIdx.x]; }
        __global__ void b(int *x, int k) { __shared__ int t[4]; t[threadIdx.x] = x[threadIdx.x]; if (k > 3) __syncthreads(); x[threadIdx.x] = t[3 - threadIdx.x]; }"#;
    let pair = Pair::new(source, [1, 4], [1, 4], &["x=i32[4]:symbolic", "k=symbolic"]);
    assert!(pair.unknown().contains("may race"), "{}", pair.unknown());
    let right =
        source.replace("if (k > 3) __syncthreads(); x", "if (k > 3) __syncthreads(); if (k > 3) x");
    let pair = Pair::new(&right, [1, 4], [1, 4], &["x=i32[4]:symbolic", "k=symbolic"]);
    pair.is_equivalent(lockstep_symbolic::Assumptions::NONE);
}

#[test]
fn divergent_barriers_and_bounds() {
    let source = r#"
        __global__ void a(int *x) { if (x[threadIdx.x] > 0) __syncthreads(); x[threadIdx.x] = 1; }
        __global__ void b(int *x) { if (x[threadIdx.x] > 0) __syncthreads(); x[threadIdx.x] = 1; }"#;
    let pair = Pair::new(source, [1, 4], [1, 4], &["x=i32[4]:symbolic"]);
    assert!(pair.unknown().contains("may not be reached by all threads"), "{}", pair.unknown());
    let source = r#"
        __global__ void a(const int *i, int *x) { x[i[0]] = 1; }
        __global__ void b(const int *i, int *x) { x[i[0]] = 1; }"#;
    let pair = Pair::new(source, [1, 1], [1, 1], &["i=i32[1]:symbolic", "x=i32[4]"]);
    assert!(pair.unknown().contains("out of bounds"), "{}", pair.unknown());
    let checked = source.replace("x[i[0]] = 1", "if (i[0] >= 0 && i[0] < 4) x[i[0]] = 1");
    let pair = Pair::new(&checked, [1, 1], [1, 1], &["i=i32[1]:symbolic", "x=i32[4]"]);
    pair.is_equivalent(lockstep_symbolic::Assumptions::NONE);
}

#[test]
fn undefined_values_are_not_equal_to_themselves() {
    let source = r#"
        __global__ void a(int *x) { __shared__ int t[8]; x[threadIdx.x] = t[threadIdx.x]; }
        __global__ void b(int *x) { __shared__ int t[8]; x[threadIdx.x] = t[threadIdx.x]; }"#;
    let answer = Pair::new(source, [1, 4], [1, 4], &["x=i32[4]"]).answer();
    assert!(matches!(answer.verdict, Verdict::Unknown { .. }), "{answer:#?}");
    // Tickets: who draws which is open.
    let source = r#"
        __global__ void a(const int *x, int *n, int *out) { out[atomicAdd(n, 1) & 3] = x[threadIdx.x]; }
        __global__ void b(const int *x, int *n, int *out) { out[atomicAdd(n, 1) & 3] = x[threadIdx.x]; }"#;
    let args = ["x=i32[4]:symbolic", "n=i32[1]", "out=i32[4]"];
    let answer = Pair::new(source, [1, 4], [1, 4], &args).answer();
    assert!(!matches!(answer.verdict, Verdict::Equivalent { .. }), "{answer:#?}");
    // The last one to come stores its number.
    let source = r#"
        __global__ void a(int *out) { atomicExch(out, threadIdx.x); }
        __global__ void b(int *out) { atomicExch(out, threadIdx.x); }"#;
    let pair = Pair::new(source, [1, 4], [1, 4], &["out=i32[1]"]);
    assert!(pair.unknown().contains("order of the atomics"), "{}", pair.unknown());
}

#[test]
fn limits_are_told() {
    let source = r#"
        __global__ void a(const unsigned *x, int *out) { int n = 0; for (unsigned v = x[0]; v; v--) n++; out[0] = n; }
        __global__ void b(const unsigned *x, int *out) { int n = 0; for (unsigned v = x[0]; v; v--) n++; out[0] = n; }"#;
    let pair = Pair::new(source, [1, 1], [1, 1], &["x=u32[1]:symbolic", "out=i32[1]"]);
    let pair = Pair { limits: Limits { unroll: 5, ..Limits::default() }, ..pair };
    assert!(pair.unknown().contains("more than 5 times"), "{}", pair.unknown());
    let source = r#"
        __global__ void a(const int *x, int *out) { out[0] = x[x[0] & 4095]; }
        __global__ void b(const int *x, int *out) { out[0] = x[x[0] & 4095]; }"#;
    let pair = Pair::new(source, [1, 1], [1, 1], &["x=i32[4096]:symbolic", "out=i32[1]"]);
    assert!(pair.unknown().contains("too many"), "{}", pair.unknown());
    let source = r#"
        __global__ void a(int *out) { out[0] = (int)clock(); }
        __global__ void b(int *out) { out[0] = (int)clock(); }"#;
    let answer = Pair::new(source, [1, 1], [1, 1], &["out=i32[1]"]).answer();
    assert!(!matches!(answer.verdict, Verdict::Equivalent { .. }), "{answer:#?}");
}
