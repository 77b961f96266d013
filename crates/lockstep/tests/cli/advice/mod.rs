//! A help line that names a barrier or a fence was tried: what it says, done in the source, makes the finding go away, and
//! what it leaves out would not.

mod fixes;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The report of a kernel with what stands for `PUT` in it.
fn check(dir: &Path, text: &str, put: &str) -> Value {
    let path = dir.join("kernel.cu");
    std::fs::write(&path, text.replace("PUT;", put)).expect("a file can be written");
    let out = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .env("LOCKSTEP_NO_CACHE", "1")
        .args(["check", "--format", "json"])
        .arg(&path)
        .output()
        .expect("the binary runs");
    let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    report["kernels"][0].clone()
}

/// The first help of the first finding.
fn help(kernel: &Value) -> &str {
    kernel["findings"][0]["help"][0].as_str().unwrap_or_default()
}

fn found(kernel: &Value) -> Vec<&str> {
    let findings = kernel["findings"].as_array().expect("a list");
    let is_confirmed = |f: &&Value| f["confidence"] == "confirmed";
    findings.iter().filter(is_confirmed).filter_map(|f| f["kind"].as_str()).collect()
}

/// The first pair that races lies within one warp; others do not.
const REDUCE: &str = "\
__global__ void sum(const float *in, float *out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        PUT;
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
";

/// A scratch array that is written again while others still read it.
const SCRATCH: &str = "\
__global__ void two(const float *in, float *out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    float a = s[63 - t];
    PUT;
    s[t] = a * a;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
";

/// Every warp has elements of its own.
const WARPS: &str = "\
__global__ void turn(int *a) {
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = a[i];
    PUT;
    a[i] = s[t ^ 1];
}
";

/// Read and written in one statement that not all threads come to.
const IN_PLACE: &str = "\
__global__ void scan(int *a) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        if (t >= d) s[t] += s[t - d];
        __syncthreads();
    }
    a[t] = s[t];
}
";

const BLOCKS: &str = "\
__global__ void next(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = a[i + 1];
    a[i] = v;
}
";

const PUBLISH: &str = "\
__global__ void hand(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        FIRST;
        atomicExch(flag, 1);
    } else if (atomicAdd(flag, 0) == 1) {
        SECOND;
        out[blockIdx.x] = data[0];
    }
}
";

#[test]
fn a_barrier_covers_all_pairs() {
    let dir = tempfile::tempdir().expect("a folder");
    for (text, place) in [
        (REDUCE, "after the branch around line 7, inside the loop"),
        (SCRATCH, "between the two accesses"),
    ] {
        let racy = check(dir.path(), text, "");
        assert!(found(&racy).contains(&"data-race"), "{racy}");
        let wanted = format!("put __syncthreads() {place} (tried: ");
        assert!(help(&racy).starts_with(&wanted), "{}", help(&racy));
        let cured = check(dir.path(), text, "__syncthreads();");
        assert!(found(&cured).is_empty(), "{cured}");
        // A weaker one is not enough.
        let still = check(dir.path(), text, "__syncwarp();");
        assert!(found(&still).contains(&"data-race"), "{still}");
    }
}

#[test]
fn a_barrier_of_the_warp_is_named_where_it_does() {
    let dir = tempfile::tempdir().expect("a folder");
    let racy = check(dir.path(), WARPS, "");
    assert!(help(&racy).contains("__syncwarp()"), "{}", help(&racy));
    let cured = check(dir.path(), WARPS, "__syncwarp();");
    assert!(!found(&cured).contains(&"data-race"), "{cured}");
}

#[test]
fn what_does_not_help_is_not_advised() {
    let dir = tempfile::tempdir().expect("a folder");
    for text in [IN_PLACE, BLOCKS] {
        let racy = check(dir.path(), text, "");
        assert!(found(&racy).contains(&"data-race"), "{racy}");
        for finding in racy["findings"].as_array().expect("a list") {
            let help = finding["help"][0].as_str().unwrap_or_default();
            assert!(!help.is_empty() && !help.starts_with("put "), "{help}");
        }
    }
}

#[test]
fn fences_are_put_where_they_are_missing() {
    let dir = tempfile::tempdir().expect("a folder");
    let fence = "__threadfence();";
    let with = |first: &str, second: &str| {
        let text = PUBLISH.replace("FIRST;", first).replace("SECOND;", second);
        check(dir.path(), &text, "")
    };
    let none = with("", "");
    assert_eq!(found(&none), ["missing-fence"], "{none}");
    let both =
        "put __threadfence() after the write at line 4 and before the read at line 9 (tried: ";
    assert!(help(&none).starts_with(both), "{}", help(&none));
    let first = with(fence, "");
    assert!(
        help(&first).starts_with("put __threadfence() before the read at line 9 (tried: "),
        "{}",
        help(&first)
    );
    let second = with("", fence);
    assert!(
        help(&second).starts_with("put __threadfence() after the write at line 4 (tried: "),
        "{}",
        help(&second)
    );
    // The prover knows no orders by flags; what was executed does.
    let cured = with(fence, fence);
    let mut left = cured["findings"].as_array().expect("a list").iter();
    assert!(left.all(|f| f["confidence"] == "possible"), "{cured}");
}
