//! Floating point: what needs which assumption.

use crate::Pair;
use lockstep_symbolic::Assumptions;

const NONE: Assumptions = Assumptions::NONE;

const SAXPY: &str = r#"
    __global__ void a(int n, float k, const float *x, float *y) {
        for (int i = 0; i < n; i++) y[i] = k * x[i] + y[i];
    }
    __global__ void b(int n, float k, const float *x, float *y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = k * x[i] + y[i];
    }"#;

#[test]
fn a_map() {
    let args = ["n=60", "k=symbolic", "x=f32[64]:symbolic", "y=f32[64]:symbolic"];
    Pair::new(SAXPY, [1, 1], [4, 16], &args).is_equivalent(NONE);
    let wrong = SAXPY.replace("if (i < n) y[i]", "if (i <= n) y[i]");
    Pair::new(&wrong, [1, 1], [4, 16], &args).differs(60);
    let commuted =
        SAXPY.replace("if (i < n) y[i] = k * x[i] + y[i]", "if (i < n) y[i] = y[i] + x[i] * k");
    Pair::new(&commuted, [1, 1], [4, 16], &args).is_equivalent(NONE);
    let fused =
        SAXPY.replace("if (i < n) y[i] = k * x[i] + y[i]", "if (i < n) y[i] = fmaf(k, x[i], y[i])");
    assert_eq!(
        Pair::new(&fused, [1, 1], [4, 16], &args).differs_within(0..60),
        Some(Assumptions::CONTRACTION)
    );
    Pair::new(&fused, [1, 1], [4, 16], &args)
        .with(Assumptions::CONTRACTION)
        .is_equivalent(Assumptions::CONTRACTION);
}

#[test]
fn a_sum_needs_associativity() {
    let source = r#"
        __global__ void a(const float *x, float *out) {
            float s = 0.0f;
            for (int i = 0; i < 32; i++) s += x[i];
            out[0] = s;
        }
        __global__ void b(const float *x, float *out) {
            __shared__ float t[32];
            int i = threadIdx.x;
            t[i] = x[i];
            for (int d = 16; d > 0; d /= 2) {
                __syncthreads();
                if (i < d) t[i] += t[i + d];
            }
            if (i == 0) out[0] = t[0];
        }"#;
    let args = ["x=f32[32]:symbolic", "out=f32[1]"];
    let both = Assumptions::ASSOCIATIVE.with(Assumptions::POSITIVE_ZERO);
    assert_eq!(Pair::new(source, [1, 1], [1, 32], &args).differs(0), Some(both));
    Pair::new(source, [1, 1], [1, 32], &args).with(both).is_equivalent(both);
    let wrong = source.replace("int d = 16", "int d = 8");
    Pair::new(&wrong, [1, 1], [1, 32], &args).with(Assumptions::ALL).differs(0);
    // Atomics add in any order.
    let atomic = r#"
        __global__ void a(const float *x, float *out) {
            for (int i = 0; i < 8; i++) out[0] += x[i];
        }
        __global__ void b(const float *x, float *out) { atomicAdd(out, x[threadIdx.x]); }"#;
    let args = ["x=f32[8]:symbolic", "out=f32[1]:symbolic"];
    Pair::new(atomic, [1, 1], [1, 8], &args)
        .with(Assumptions::ASSOCIATIVE)
        .is_equivalent(Assumptions::ASSOCIATIVE);
    let said = Pair::new(atomic, [1, 1], [1, 8], &args).answer();
    assert!(!matches!(said.verdict, lockstep_symbolic::Verdict::Equivalent { .. }));
}

/// The same atomic additions on both sides: two executions may still differ.
#[test]
fn two_orders_of_atomics_are_not_equal() {
    let source = r#"
        __global__ void a(const float *x, float *out) { atomicAdd(out, x[threadIdx.x]); }
        __global__ void b(const float *x, float *out) { atomicAdd(out, x[threadIdx.x]); }"#;
    let args = ["x=f32[8]:symbolic", "out=f32[1]:symbolic"];
    Pair::new(source, [1, 8], [1, 8], &args).unknown();
    let one = source.replace("atomicAdd(out,", "if (threadIdx.x == 3) atomicAdd(out,");
    Pair::new(&one, [1, 8], [1, 8], &args).is_equivalent(NONE);
}

#[test]
fn zeros_and_infinities() {
    let source = r#"
        __global__ void a(const float *x, float *out) { out[0] = x[0]; }
        __global__ void b(const float *x, float *out) { out[0] = x[0] + 0.0f; }"#;
    let args = ["x=f32[1]:symbolic", "out=f32[1]"];
    assert_eq!(
        Pair::new(source, [1, 1], [1, 1], &args).differs(0),
        Some(Assumptions::POSITIVE_ZERO)
    );
    let product =
        source.replace("out[0] = x[0]; }", "out[0] = 0.0f; }").replace("+ 0.0f", "* 0.0f");
    let needed = Assumptions::POSITIVE_ZERO.with(Assumptions::FINITE);
    assert_eq!(Pair::new(&product, [1, 1], [1, 1], &args).differs(0), Some(needed));
    Pair::new(&product, [1, 1], [1, 1], &args).with(needed).is_equivalent(needed);
    // NaN: fmaxf takes the other operand, a comparison does not.
    let relu = r#"
        __global__ void a(const float *x, float *out) { out[0] = fmaxf(x[0], 0.0f); }
        __global__ void b(const float *x, float *out) { out[0] = x[0] < 0.0f ? 0.0f : x[0]; }"#;
    Pair::new(relu, [1, 1], [1, 1], &args).differs(0);
    let same = r#"
        __global__ void a(const float *x, float *out) { out[0] = x[0] > 0.0f ? x[0] : 0.0f; }
        __global__ void b(const float *x, float *out) { out[0] = !(x[0] > 0.0f) ? 0.0f : x[0]; }"#;
    Pair::new(same, [1, 1], [1, 1], &args).is_equivalent(NONE);
}

#[test]
fn functions_of_the_maths_library() {
    let source = r#"
        __global__ void a(const float *x, float *out, int n) {
            for (int i = 0; i < n; i++) out[i] = 1.0f / (1.0f + expf(-x[i]));
        }
        __global__ void b(const float *x, float *out, int n) {
            int i = threadIdx.x;
            if (i < n) { float e = expf(-x[i]); out[i] = 1.0f / (e + 1.0f); }
        }"#;
    let args = ["x=f32[8]:symbolic", "out=f32[8]", "n=8"];
    Pair::new(source, [1, 1], [1, 8], &args).is_equivalent(NONE);
    let wrong = source.replace("float e = expf(-x[i])", "float e = expf(x[i])");
    Pair::new(&wrong, [1, 1], [1, 8], &args).differs_within(0..8);
}

/// Where nothing is infinite or a NaN, an input that is, or that overflows on the way, shows no difference.
#[test]
fn what_is_not_finite_does_not_count() {
    let args = ["x=f32[1]:symbolic", "out=f32[1]"];
    let one = "__global__ void b(const float *x, float *out) { out[0] = 1.0f; }";
    for condition in ["x[0] * x[0] >= 0.0f", "x[0] * x[0] - x[0] * x[0] == 0.0f"] {
        let source = format!(
            "__global__ void a(const float *x, float *out) {{ out[0] = {condition} ? 1.0f : 2.0f; }}
            {one}"
        );
        let pair = || Pair::new(&source, [1, 1], [1, 1], &args);
        pair().differs(0);
        let said = pair().with(Assumptions::FINITE.with(Assumptions::POSITIVE_ZERO)).answer();
        assert!(!matches!(said.verdict, lockstep_symbolic::Verdict::Mismatch(_)), "{said:#?}");
    }
    let differs = format!(
        "__global__ void a(const float *x, float *out) {{ out[0] = x[0] > 2.0f ? 2.0f : 1.0f; }}
        {one}"
    );
    Pair::new(&differs, [1, 1], [1, 1], &args).with(Assumptions::FINITE).differs(0);
}
