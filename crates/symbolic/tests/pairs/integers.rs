//! Integers: everything is provable with no assumption.

use crate::Pair;
use lockstep_symbolic::Assumptions;

const NONE: Assumptions = Assumptions::NONE;

#[test]
fn a_tree_sums_what_a_loop_sums() {
    let source = r#"
        __global__ void a(const int *x, int *out, int n) {
            int s = 0;
            for (int i = 0; i < n; i++) s += x[i];
            out[0] = s;
        }
        __global__ void b(const int *x, int *out, int n) {
            __shared__ int t[64];
            int i = threadIdx.x;
            t[i] = i < n ? x[i] : 0;
            __syncthreads();
            for (int d = blockDim.x / 2; d > 0; d /= 2) {
                if (i < d) t[i] += t[i + d];
                __syncthreads();
            }
            if (i == 0) out[0] = t[0];
        }"#;
    let args = ["x=i32[50]:symbolic", "out=i32[1]", "n=50"];
    Pair::new(source, [1, 1], [1, 64], &args).is_equivalent(NONE);
    let wrong = source.replace("i < n ? x[i] : 0", "i < n - 1 ? x[i] : 0");
    Pair::new(&wrong, [1, 1], [1, 64], &args).differs(0);
}

#[test]
fn atomics_in_any_order() {
    let source = r#"
        __global__ void a(const unsigned char *x, unsigned *h, int n) {
            for (int i = 0; i < n; i++) h[x[i] & 7]++;
        }
        __global__ void b(const unsigned char *x, unsigned *h, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) atomicAdd(&h[x[i] % 8], 1u);
        }"#;
    let args = ["x=u8[24]:symbolic", "h=u32[8]", "n=24"];
    Pair::new(source, [1, 1], [3, 8], &args).is_equivalent(NONE);
    let wrong = source.replace("% 8], 1u", "% 7], 1u");
    Pair::new(&wrong, [1, 1], [3, 8], &args).answer();
    let max = r#"
        __global__ void a(const int *x, int *m, int n) {
            for (int i = 0; i < n; i++) if (x[i] > m[0]) m[0] = x[i];
        }
        __global__ void b(const int *x, int *m, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) atomicMax(m, x[i]);
        }"#;
    Pair::new(max, [1, 1], [2, 8], &["x=i32[16]:symbolic", "m=i32[1]:symbolic", "n=16"])
        .is_equivalent(NONE);
}

#[test]
fn a_shuffle_reduction() {
    let source = r#"
        __global__ void a(const int *x, int *out) {
            int s = 0;
            for (int i = 0; i < 32; i++) s += x[i];
            out[0] = s;
        }
        __global__ void b(const int *x, int *out) {
            int v = x[threadIdx.x];
            for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
            if (threadIdx.x == 0) out[0] = v;
        }"#;
    let args = ["x=i32[32]:symbolic", "out=i32[1]"];
    Pair::new(source, [1, 1], [1, 32], &args).is_equivalent(NONE);
    let wrong = source.replace("int d = 16", "int d = 8");
    Pair::new(&wrong, [1, 1], [1, 32], &args).differs(0);
}

#[test]
fn branches_on_data_join() {
    let source = r#"
        __global__ void a(const int *x, int *out, int n) {
            for (int i = 0; i < n; i++) {
                int v = x[i];
                if (v < 0) v = 0;
                if (v > 255) v = 255;
                out[i] = v;
            }
        }
        __global__ void b(const int *x, int *out, int n) {
            int i = threadIdx.x;
            if (i < n) out[i] = min(max(x[i], 0), 255);
        }"#;
    let args = ["x=i32[16]:symbolic", "out=i32[16]", "n=16"];
    Pair::new(source, [1, 1], [1, 16], &args).is_equivalent(NONE);
    let wrong = source.replace("min(max(x[i], 0), 255)", "min(max(x[i], 0), 256)");
    Pair::new(&wrong, [1, 1], [1, 16], &args).differs_within(0..16);
    // The tail is left out.
    let tail = source.replace("if (i < n) out[i] = min", "if (i < n - 1) out[i] = min");
    Pair::new(&tail, [1, 1], [1, 16], &args).differs(15);
}

#[test]
fn unsigned_wrap() {
    let source = r#"
        __global__ void a(const unsigned *x, unsigned *out) {
            out[0] = x[0] > x[1] ? x[0] - x[1] : 0u;
        }
        __global__ void b(const unsigned *x, unsigned *out) {
            out[0] = max((int)(x[0] - x[1]), 0);
        }"#;
    Pair::new(source, [1, 1], [1, 1], &["x=u32[2]:symbolic", "out=u32[1]"]).differs(0);
    let right = source.replace("max((int)(x[0] - x[1]), 0)", "max(x[0], x[1]) - x[1]");
    Pair::new(&right, [1, 1], [1, 1], &["x=u32[2]:symbolic", "out=u32[1]"]).is_equivalent(NONE);
}

#[test]
fn loops_that_end_by_data() {
    let source = r#"
        __global__ void a(const unsigned char *x, int *out) {
            int v = x[0], n = 0;
            while (v) { n += v & 1; v >>= 1; }
            out[0] = n;
        }
        __global__ void b(const unsigned char *x, int *out) { out[0] = __popc(x[0]); }"#;
    Pair::new(source, [1, 1], [1, 1], &["x=u8[1]:symbolic", "out=i32[1]"]).is_equivalent(NONE);
}

#[test]
fn sorting() {
    let source = r#"
        __global__ void a(int *x) {
            for (int i = 1; i < N; i++) {
                int v = x[i], j = i - 1;
                while (j >= 0 && x[j] > v) { x[j + 1] = x[j]; j--; }
                x[j + 1] = v;
            }
        }
        __global__ void b(int *x) {
            __shared__ int t[N];
            int i = threadIdx.x;
            t[i] = x[i];
            __syncthreads();
            for (int k = 2; k <= N; k *= 2)
                for (int j = k / 2; j > 0; j /= 2) {
                    int o = i ^ j;
                    if (o > i) {
                        bool up = (i & k) == 0;
                        int p = t[i], q = t[o];
                        if ((p > q) == up) { t[i] = q; t[o] = p; }
                    }
                    __syncthreads();
                }
            x[i] = t[i];
        }"#;
    let four = format!("#define N 4\n{source}");
    Pair::new(&four, [1, 1], [1, 4], &["x=i32[4]:symbolic"]).is_equivalent(NONE);
    let wrong = four.replace("(i & k) == 0", "(i & j) == 0");
    Pair::new(&wrong, [1, 1], [1, 4], &["x=i32[4]:symbolic"]).answer();
}

/// An address that a condition chooses, as `std::max(t[i], t[j])` does.
#[test]
fn an_element_that_is_chosen_by_its_address() {
    let source = r#"
        __global__ void a(const int *x, int *out) {
            int t[4] = {x[0], x[1], x[2], x[3]};
            const int *p = t[0] < t[2] ? &t[2] : &t[0];
            const int *q = *p < t[3] ? &t[3] : p;
            out[0] = *q;
        }
        __global__ void b(const int *x, int *out) { out[0] = max(max(x[0], x[2]), x[3]); }"#;
    let args = ["x=i32[4]:symbolic", "out=i32[1]"];
    Pair::new(source, [1, 1], [1, 1], &args).is_equivalent(NONE);
    let wrong = source.replace("max(x[0], x[2])", "max(x[0], x[1])");
    Pair::new(&wrong, [1, 1], [1, 1], &args).differs(0);
}

/// The same question about the elements of two threads is one question.
#[test]
fn the_solver_is_asked_once_for_all_threads() {
    let source = r#"
        __global__ void a(int *x, const int *y) {
            for (int i = 0; i < 16; i++) x[i] = (int)(((long long)x[i] + y[i]) >> 1);
        }
        __global__ void b(int *x, const int *y) {
            int i = threadIdx.x;
            x[i] = (x[i] & y[i]) + ((x[i] ^ y[i]) >> 1);
        }"#;
    let args = ["x=i32[16]:symbolic", "y=i32[16]:symbolic"];
    let said = Pair::new(source, [1, 1], [1, 16], &args).answer();
    assert!(matches!(said.verdict, lockstep_symbolic::Verdict::Equivalent { .. }), "{said:#?}");
    assert!(said.statistics.questions <= 4, "{:?}", said.statistics);
}

/// Votes are counted, all of them and those of the lanes before.
#[test]
fn votes_that_are_counted() {
    let source = r#"
        __global__ void a(const int *x, int *before, int n) {
            int k = 0;
            for (int i = 0; i < n; i++) {
                before[i] = k;
                if (x[i] > 7) k++;
            }
            before[n] = k;
        }
        __global__ void b(const int *x, int *before, int n) {
            int i = threadIdx.x;
            unsigned votes = __ballot_sync(0xffffffff, i < n && x[i] > 7);
            if (i < n) before[i] = __popc(votes & ((1u << i) - 1));
            if (i == 0) before[n] = __popc(votes);
        }"#;
    let args = ["x=i32[30]:symbolic", "before=i32[31]", "n=30"];
    Pair::new(source, [1, 1], [1, 32], &args).is_equivalent(NONE);
    let wrong = source.replace("(1u << i) - 1", "(2u << i) - 1");
    Pair::new(&wrong, [1, 1], [1, 32], &args).differs_within(0..30);
}
