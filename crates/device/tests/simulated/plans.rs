//! Which reads need no check of their own.

use lockstep_device::plan::{As, Known};
use lockstep_frontend::Input;

use crate::common::{BOTH, build_known, options};

/// How each access is checked, in the order of the code.
fn checked(body: &str, known: Known) -> Vec<As> {
    let text = format!(
        "__global__ void k(const float *in, float *out, float **rows, int n) {{
    __shared__ float s[64];
    int t = threadIdx.x;
    {body}
}}"
    );
    let input = Input::Text { name: "k.cu", bytes: text.as_bytes() };
    let built = build_known(input, &options(&[]), None, BOTH, None, |_| known.clone())
        .expect("it is built");
    built.archive.plan.checked.iter().map(|c| c.how).collect()
}

fn apart(body: &str) -> Vec<As> {
    checked(body, Known::ArraysAreApart)
}

#[test]
fn what_is_only_read_is_checked_for_its_bounds() {
    let body = "out[t] = in[t];";
    assert_eq!(apart(body), [As::Bounds, As::Write]);
    assert_eq!(checked(body, Known::Nothing), [As::Read, As::Write]);
    assert_eq!(apart("out[t] = out[t + 1];"), [As::Read, As::Write]);
    // The pointer may be that of either array.
    assert_eq!(apart("const float *p = n ? in : out; out[t] = p[t + n];"), [As::Read, As::Write]);
    // Where this writes to is not known.
    let through = apart("rows[t][0] = in[t];");
    assert!(!through.contains(&As::Bounds), "{through:?}");
}

#[test]
fn a_read_goes_with_the_write_behind_it() {
    assert_eq!(apart("s[t] += 1;"), [As::Together, As::Write]);
    assert_eq!(apart("out[2 * t + 1] = out[2 * t + 1] * 3;"), [As::Together, As::Write]);
    let after = |body: &str| apart(&format!("s[t] = 1; __syncthreads(); {body}"))[1..3].to_vec();
    assert_eq!(after("float a = s[n], b = s[n]; out[t] = a + b;"), [As::Read, As::Together]);
    assert_eq!(after("out[t] = s[n] + s[n + 1];"), [As::Read, As::Read]);
}

#[test]
fn what_orders_threads_keeps_accesses_apart() {
    let barrier = apart("float a = s[n]; __syncthreads(); s[n] = a;");
    assert_eq!(barrier, [As::Read, As::Write]);
    let warp = apart("float a = s[n]; __syncwarp(); s[n] = a;");
    assert_eq!(warp, [As::Read, As::Write]);
    let atomic = apart("float a = s[n]; atomicAdd(out, a); s[n] = a;");
    assert_eq!(atomic, [As::Read, As::Update, As::Write]);
    // The write may not come.
    assert_eq!(apart("float a = s[n]; if (a > 0) s[n] = 1;"), [As::Read, As::Write]);
}
