//! What host code says of the launches of kernels: dimensions, arguments, and how they hang together.

use lockstep_frontend::{
    HostBound, HostLaunch, HostOp, HostPart, HostValue, Input, Options, host_side,
};

#[test]
fn host_launches_with_constant_dimensions() {
    let source = b"__global__ void k(int *a, int n) { a[0] = n; }
__global__ void other() {}
int main(int argc, char **) {
  dim3 block(16, 4);
  k<<<dim3(2, 3), block, 128>>>(nullptr, 7);
  other<<<argc, 32>>>();
  other<<<4, 32>>>();
}";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    assert_eq!(launches.len(), 3, "{launches:?}");
    assert_eq!(launches[0].kernel, "_Z1kPii");
    assert_eq!(
        (launches[0].grid, launches[0].block, launches[0].shared),
        (Some([2, 3, 1]), Some([16, 4, 1]), 128)
    );
    assert_eq!((launches[0].line, &launches[0].args[..]), (5, &[(1, 7)][..]));
    assert_eq!((launches[1].grid, launches[1].block), (None, Some([32, 1, 1])));
    assert_eq!((launches[2].grid, launches[2].block), (Some([4, 1, 1]), Some([32, 1, 1])));
}

#[test]
fn host_launches_say_how_their_values_hang_together() {
    let source = b"#include <math.h>
__global__ void k(int *a, int n, int half, unsigned rows, size_t total, int round, float x) { a[0] = n; }
void launch(int *a, int n, unsigned rows, size_t total, float x) {
  dim3 grid((n + 255) / 256, rows / 2, n < 8 ? n : 8), block(n, n);
  k<<<grid, block>>>(a, n, n / 2, rows, total, (n + 15) / 16 * 16, x);
  k<<<(int)ceil(n / 96.0f), 64>>>(a, n, n - 1, rows % 32, total * sizeof(int), (int)total, x);
}";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let [first, second] = &launches[..] else { panic!("{launches:?}") };
    assert_eq!(
        told(first),
        "Grid(0)=((u0 + 255) / 256) Grid(1)=(u1 / 2) Grid(2)=(u0 min 8) \
         Block(0)=u0 Block(1)=u0 Block(2)=1 Argument(1)=u0 Argument(2)=(u0 / 2) Argument(3)=u1 \
         Argument(4)=u2 Argument(5)=(((u0 + 15) / 16) * 16)"
    );
    assert_eq!(
        told(second),
        "Grid(0)=((u0 + 95) / 96) Grid(1)=1 Grid(2)=1 Block(0)=64 Block(1)=1 Block(2)=1 \
         Argument(1)=u0 Argument(2)=(u0 - 1) Argument(3)=(u1 % 32) Argument(4)=(u2 * 4) Argument(5)=u2"
    );
    assert_eq!((second.grid, second.block), (None, Some([64, 1, 1])));
}

/// Quotients that are rounded up by asking for a remainder.
#[test]
fn host_launches_round_up() {
    let source = b"__global__ void k(int *a, int n) { a[0] = n; }
void by_a_term(int *a, int n) { k<<<(n - 2) / 14 + ((n - 2) % 14 == 0 ? 0 : 1), 64>>>(a, n); }
void by_a_truth(int *a, int n) { k<<<n / 96 + (n % 96 != 0), 64>>>(a, n); }
void by_a_choice(int *a, int n, int m) { k<<<n % m == 0 ? n / m : n / m + 1, m>>>(a, n); }
void by_a_step(int *a, unsigned n) { unsigned b = n / 256; if (n % 256) b++; k<<<b, 256>>>(a, n); }
void of_another(int *a, int n, int m) { k<<<n / 96 + (m % 96 != 0), 64>>>(a, n); }
void if_none_is_left(int *a, int n) { k<<<n / 96 + (n % 96 == 0), 64>>>(a, n); }
void no_remainder(int *a, int n, int m) { k<<<n / 96 + (m != 0), 64>>>(a, n); }
void halves(int *a, int n) { k<<<(int)__builtin_ceil(n * 0.0078125), 64>>>(a, n); }
void hundredths(int *a, int n) { k<<<(int)__builtin_ceil(n * 0.01), 64>>>(a, n); }";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let grid = |line: u32| {
        let launch = launches.iter().find(|l| l.line == line);
        let told = told(launch.unwrap_or_else(|| panic!("no launch in line {line}: {launches:?}")));
        told.split(" Grid(1)").next().unwrap_or_default().to_owned()
    };
    assert_eq!(grid(2), "Grid(0)=(((u0 - 2) + 13) / 14)");
    assert_eq!(grid(3), "Grid(0)=((u0 + 95) / 96)");
    assert_eq!(grid(4), "Grid(0)=((u0 + (u1 - 1)) / u1)");
    assert_eq!(grid(5), "Grid(0)=((u0 + 255) / 256)");
    assert_eq!(grid(6), "Grid(0)=((u0 / 96) + ((u1 % 96) min 1))");
    assert_eq!(grid(7), "Grid(0)=((u0 / 96) + (1 - ((u0 % 96) min 1)))");
    // The remainder that is none has been looked at, too.
    assert_eq!(grid(8), "Grid(0)=((u0 / 96) + u2)");
    assert_eq!(grid(9), "Grid(0)=((u0 + 127) / 128)");
    // 700 * 0.01 is more than 7.
    assert_eq!(grid(10), "Grid(0)=u0");
}

fn told(launch: &HostLaunch) -> String {
    let text = |(part, value): &(HostPart, HostValue)| format!("{part:?}={}", shown(value));
    launch.values.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// What a file, an object, or a variable that others know of holds is one value as long as nothing may write it.
#[test]
fn host_launches_read_one_value_of_memory() {
    let source = b"#include <stdio.h>
int blocks, threads;
void other();
__global__ void k(int *a, int n) { a[0] = n; }
void of_the_file(int *a) { k<<<blocks, threads>>>(a, blocks); }
struct Plan {
  int *a, n;
  void of_an_object() {
    dim3 grid((n + 255) / 256);
    cudaMemset(a, 0, n);
    k<<<grid, 256>>>(a, n);
  }
};
void use(Plan &p) { p.of_an_object(); }
void of_a_variable(int *a) { int n; scanf(\"%d\", &n); k<<<n, 64>>>(a, n / 2); }
void written(int *a) { int b = blocks; blocks = b + 1; other(); k<<<b, threads>>>(a, blocks); }
void of_a_number(int *a, long n) { k<<<(int)n, (int)(n < 64 ? n : 64)>>>(a, n); }
void given(int *a) { int b = blocks; cudaMemcpy(&blocks, a, 4, cudaMemcpyDeviceToHost); k<<<b, 1>>>(a, blocks); }
void by_another(int *a, int *p) { int b = blocks; *p = 3; k<<<b, 1>>>(a, blocks); }";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let of = |line: u32| {
        let mut at = launches.iter().filter(|l| l.line == line).map(told);
        at.next().unwrap_or_else(|| panic!("no launch in line {line}: {launches:?}"))
    };
    let rest = |y: &str| format!("Grid(1)=1 Grid(2)=1 Block(0)={y} Block(1)=1 Block(2)=1");
    assert_eq!(of(5), format!("Grid(0)=u0 {} Argument(1)=u0", rest("u1")));
    assert_eq!(of(14), format!("Grid(0)=((u0 + 255) / 256) {} Argument(1)=u0", rest("256")));
    assert_eq!(of(15), format!("Grid(0)=u0 {} Argument(1)=(u0 / 2)", rest("64")));
    assert_eq!(of(16), format!("Grid(0)=u0 {} Argument(1)=u2", rest("u1")));
    assert_eq!(of(17), format!("Grid(0)=u0 {} Argument(1)=u0", rest("(u0 min 64)")));
    assert_eq!(of(18), format!("Grid(0)=u0 {} Argument(1)=u1", rest("1")));
    assert_eq!(of(19), format!("Grid(0)=u0 {} Argument(1)=u1", rest("1")));
}

/// How large arrays are, where one call on every way to the launch has made them.
#[test]
fn host_launches_say_how_large_arrays_are() {
    let source = b"#include <stdlib.h>
__global__ void k(int *a, int *b, int n) { a[0] = n; }
int *all; void other(int *); void change(int **);
void both(int n) { int *a, *b; cudaMalloc(&a, n * sizeof(int)); cudaMallocManaged((void **)&b, 80); k<<<1, n>>>(a, b, n); }
void behind(int n) { int *a; cudaMalloc(&a, n * sizeof(int)); k<<<1, 1>>>(a + 1, a, n); }
void of_the_file(int n) { cudaMalloc(&all, n); cudaMemset(all, 0, n); k<<<1, 1>>>(all, all, n); }
void written(int n) { cudaMalloc(&all, n); other(all); k<<<1, 1>>>(all, all, n); }
void handed(int n) { int *a; cudaMalloc(&a, n); other(a); k<<<1, 1>>>(a, 0, n); }
void changed(int n) { int *a; cudaMalloc(&a, n); change(&a); k<<<1, 1>>>(a, 0, n); }
void chosen(int n, int m) { int *a; if (m) cudaMalloc(&a, n); else cudaMalloc(&a, m); k<<<1, 1>>>(a, 0, n); }
void sometimes(int n, int m) { int *a = 0; if (m) cudaMalloc(&a, n); k<<<1, 1>>>(a, 0, n); }
void anew(int n) { int *a; cudaMalloc(&a, n); cudaFree(a); cudaMalloc(&a, 2 * n); k<<<1, 1>>>(a, 0, n); }
void round(int n) { int *a; for (int i = 1; i < n; i++) { cudaMalloc(&a, i); k<<<1, 1>>>(a, 0, i); cudaFree(a); } }
void later(int n) { int *a; cudaMalloc(&a, 4); for (int i = 1; i < n; i++) { k<<<1, 1>>>(a, 0, i); cudaMalloc(&a, i); } }
void pitched(int n) { int *a; size_t p; cudaMallocPitch(&a, &p, n, n); k<<<1, 1>>>(a, 0, n); }
";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let of = |line: u32| {
        let launch = launches.iter().find(|l| l.line == line);
        let launch = launch.unwrap_or_else(|| panic!("no launch in line {line}: {launches:?}"));
        let told = |(i, v): &(usize, HostValue)| format!("{i}:{}", shown(v));
        launch.sizes.iter().map(told).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of(4), "0:(u0 * 4) 1:80");
    assert_eq!(of(5), "1:(u0 * 4)");
    assert_eq!(of(6), "0:u0 1:u0");
    assert_eq!(of(7), "");
    assert_eq!(of(8), "0:u0");
    // The optimiser makes one call of the two.
    assert_eq!(of(10), "0:u1");
    for line in [9, 11, 14, 15] {
        assert_eq!(of(line), "", "line {line}");
    }
    assert_eq!(of(12), "0:(u0 * 2)");
    assert_eq!(of(13), "0:u0");
}

/// What may be anything, and what may lead past a launch.
#[test]
fn host_launches_say_what_may_be_anything() {
    let source = b"#include <stdlib.h>
__global__ void k(int *a, int n) { a[0] = n; }
int given(int); int *made(int);
void argument(int n) { int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
void called(int n) { int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
int main(int argc, char **argv) { int n = argc > 1 ? atoi(argv[1]) : 64; int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); called(argc * 32); }
void result(int m) { int n = given(m), *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
void asks(int n) { if (n < 8) return; int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
void hidden(int n) { if (given(n)) return; int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
void is_there(int n) { if (!made(n)) return; int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
void either(int n) { if (n % 64 != 0 && n != 32) return; int *a; cudaMalloc(&a, n); k<<<1, 1>>>(a, n); }
void worked(int n) { int *a; if (cudaMalloc(&a, n)) exit(1); for (int i = 0; i < 9; i++) k<<<1, 1>>>(a, n); }
";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    // Whether the argument may be anything; of each branch whether it asks about it, whether that is all, and is read.
    let of = |line: u32| {
        let launch = launches.iter().find(|l| l.line == line);
        let launch = launch.unwrap_or_else(|| panic!("no launch in line {line}: {launches:?}"));
        let value = launch.values.iter().find(|(part, _)| *part == HostPart::Argument(1));
        let Some((_, HostValue::Unknown(n))) = value else { panic!("{launch:?}") };
        let branches = launch.branches.as_ref().map(|branches| {
            let mut told: Vec<_> = (branches.iter())
                .map(|b| match b.unknowns.contains(n) {
                    true => (b.unknowns.len() == 1, b.is_read),
                    false => (b.unknowns.iter().all(|u| launch.free[*u]), false),
                })
                .collect();
            told.sort_unstable();
            told
        });
        (launch.free[*n], branches)
    };
    let nothing = || Some(Vec::new());
    assert_eq!(of(4), (true, nothing()));
    assert_eq!(of(5), (false, nothing()));
    assert_eq!(of(6), (true, nothing()));
    assert_eq!(of(7), (false, nothing()));
    assert_eq!(of(8), (true, Some(vec![(true, true)])));
    assert_eq!(of(9), (true, Some(vec![(false, false)])));
    assert_eq!(of(10), (true, None));
    assert_eq!(of(11), (true, Some(vec![(true, false)])));
    assert_eq!(of(12), (true, Some(vec![(true, false)])));
}

/// How the two integers of each launch of `k` hang together with others, by the line of the launch: `made`, one of some
/// numbers, or nothing.
fn bound(source: &[u8]) -> impl Fn(u32) -> [String; 2] {
    let input = Input::Text { name: "t.cu", bytes: source };
    let launches = host_side(input, &[], &Options::default()).launches;
    move |line: u32| {
        let launch = launches.iter().find(|l| l.line == line);
        let launch = launch.unwrap_or_else(|| panic!("no launch in line {line}: {launches:?}"));
        [1, 2].map(|i| {
            let mut values = launch.values.iter();
            let mut unknown = Vec::new();
            let value = values.find(|(part, _)| *part == HostPart::Argument(i));
            value.inspect(|v| v.1.unknowns(&mut unknown));
            let how = unknown.iter().map(|u| match &launch.bound[*u] {
                HostBound::Apart => String::new(),
                HostBound::Made => "made".into(),
                HostBound::OneOf(values) => format!("{values:?}"),
            });
            how.collect()
        })
    }
}

/// Arguments that hang together in a way that is not read.
#[test]
fn host_launches_say_what_is_bound() {
    let of = bound(
        b"#include <math.h>
#include <stdlib.h>
__global__ void k(int *a, int n, int m) { a[0] = n + m; }
int f(int); struct Plan { int n, m; };
void logarithm(int *a, int n) { k<<<1, 1>>>(a, n, (int)log2((double)(n / 2))); }
void result(int *a, int n) { k<<<1, 1>>>(a, n, f(n)); }
void both(int *a, int v) { k<<<1, 1>>>(a, f(v), f(v + 1)); }
void bits(int *a, int n) { k<<<1, 1>>>(a, n, 31 - __builtin_clz(n)); }
void power(int *a, int n) { k<<<1, 1>>>(a, n, n | n >> 1); }
void dimension(int *a, int n, int v) { k<<<n / 2, 1>>>(a, v, f(n) + 1); }
void field(int *a, Plan *p) { int m = f(p->n); k<<<1, 1>>>(a, p->n, m); }
void alone(int *a, int n, int v) { k<<<1, 1>>>(a, n, f(v)); }
void fields(int *a, Plan *p) { k<<<1, 1>>>(a, p->n, p->m); }
int main(int, char **argv) { k<<<1, 1>>>(0, atoi(argv[1]), atoi(argv[2])); }
void of_result(int *a, int v) { int n = f(v); k<<<1, 1>>>(a, n, f(n)); }
",
    );
    for line in [5, 6, 8, 9, 10, 11, 15] {
        assert_eq!(of(line), ["", "made"], "line {line}");
    }
    assert_eq!(of(7), ["made", "made"]);
    for line in 12..=14 {
        assert_eq!(of(line), ["", ""], "line {line}");
    }
}

/// What a loop leaves that ended before the launch is made of what it asks about; not so what goes from round to round of one
/// that the launch is in.
#[test]
fn host_launches_say_what_loops_make() {
    let of = bound(
        b"__global__ void k(int *a, int n, int m) { a[0] = n + m; }
int f(int); bool g(int);
static int rounds(int n) { int r = 0; while (n > 1) { n >>= 1; r++; } return r; }
__attribute__((noinline)) static int called(int n) { int r = 0; while (n > 1) { n /= 3; r++; } return r; }
void inlined(int *a, int n) { k<<<1, 1>>>(a, n, rounds(n)); }
void behind(int *a, int n) { k<<<1, 1>>>(a, n, called(n)); }
void halved(int *a, int n) { int r = 0, v = n; while (v >>= 1) ++r; k<<<1, 1>>>(a, n, r); }
void shifted(int *a, int n) { int r = 0; for (; (1 << r) < n; ++r); k<<<1, 1>>>(a, n, r + 1); }
void next(int *a, int n) { int p = 1; while (p < n) p *= 2; k<<<1, 1>>>(a, n, p); }
void grid(int *a, int n, int v) { int p = 1; while (p < n) p *= 2; k<<<n / 4, 1>>>(a, v, p); }
void asked(int *a, int n) { int r = 1; while (g(r)) r += n; k<<<1, 1>>>(a, n, r); }
void drawn(int *a, int n) { int r; do r = f(0); while (r > n); k<<<1, 1>>>(a, n, r); }
void outer(int *a, int n) { for (int i = 2; i < n; i++) k<<<1, 1>>>(a, n, rounds(i)); }
void both(int *a, int n) { for (int i = 2; i < n; i++) k<<<1, 1>>>(a, i, rounds(i)); }
void tile(int *a, int n) { for (int t = 64; t; t /= 2) if (n % t == 0) { k<<<1, 1>>>(a, n, t); break; } }
void last(int *a, int n) { int s = n; for (; s > f(s); s /= 2) k<<<1, 1>>>(a, n, s);
    k<<<1, 1>>>(a, n, s); }
void rest(int *a, int n) { for (int i = n; i > 0; i /= 2) k<<<1, 1>>>(a, n, i); }
void two(int *a, int n) { for (int i = 2; i <= n; i *= 2) for (int j = i; j; j /= 2) k<<<1, 1>>>(a, i, j); }
void power(int *a, int n) { for (int i = 0; i < f(n); i++) k<<<1, 1>>>(a, n, 1 << i); }
void other(int *a, int n, int v) { k<<<1, 1>>>(a, n, rounds(v)); }
void alone(int *a, int n) { k<<<1, 1>>>(a, 3, rounds(n)); }
void read(int *a, const int *v) { int n = 0, top = 0; while (g(n)) { if (v[n] > top) { top = v[n]; f(top); } n++; }
    k<<<1, 1>>>(a, n, top); }
void sum(int *a, const int *v, int n) { int s = 0; for (int i = 0; i < n; i++) s += v[i]; k<<<1, 1>>>(a, n, s); }
void most(int *a, const int *v, int n) { int s = 0; for (int i = 0; i < n; i++) s = v[i] > s ? v[i] : s; k<<<1, 1>>>(a, n, s); }
void twice(int *a, int n) { int p = 1, r = 0; while (p < n) { p *= 2; r++; f(r); } k<<<1, 1>>>(a, p, r); }
void added(int *a, int n, int v) { int p = 0; while (p < n) p = 3 * p + v; k<<<1, 1>>>(a, n, p); }
void global(int *a) { extern int g_n; int r = 0; for (int v = g_n; v; v /= 2) { f(0); r++; } k<<<1, 1>>>(a, g_n, r); }
void shift(int *a, int n) { for (int i = 0; i < f(n); i++) k<<<1, 1>>>(a, i + 1, 1 << i); }
void shifts(int *a, int n) { for (int i = 0; i < n; i++) for (int j = i; j >= 0; j--) k<<<1, 1>>>(a, 1 << j, 1 << (i - j)); }
void mixed(int *a, int n) { for (int i = 0; i < n; i++) for (int j = i; j >= 0; j--) k<<<1, 1>>>(a, i, 1 << (i - j)); }
",
    );
    for line in (5..=15).chain([17, 27, 28, 29, 30]) {
        assert_eq!(of(line), ["", "made"], "line {line}");
    }
    for line in [16, 18, 19, 20, 21, 22, 24, 25, 26, 31, 32] {
        assert_eq!(of(line), ["", ""], "line {line}");
    }
}

/// What branches choose from is what they ask about that decides; not so where any number is among it anyway.
#[test]
fn host_launches_say_what_branches_choose() {
    let of = bound(
        b"#include <stdlib.h>
#include <unistd.h>
__global__ void k(int *a, int n, int m) { a[0] = n + m; }
int f(int); void g(); bool h(int);
void chosen(int *a, int n) { k<<<1, 1>>>(a, n, n > 1024 ? 10 : 20); }
void branch(int *a, int n) { int m = 5; if (n > 64) { g(); m = 6; if (n > 128) { g(); m = 7; } } k<<<1, 1>>>(a, n, m); }
void cases(int *a, int n) { int m = 0; switch (n) { case 3: g(); m = 4; break; case 4: g(); m = 9; } k<<<1, 1>>>(a, n, m); }
void truth(int *a, int n) { k<<<1, 1>>>(a, n, n > 64); }
void value(int *a, int n) { int m = n; if (h(n)) { g(); m = f(3); } k<<<1, 1>>>(a, n, m); }
void usual(int *a, int n, int v) { k<<<1, 1>>>(a, n, v > 0 ? v : n); }
void defaults(int *a, int n, int v) { int m = n; if (h(0)) { g(); m = f(v); } k<<<1, 1>>>(a, n, m); }
void other(int *a, int n, int v) { k<<<1, 1>>>(a, n, v > 1024 ? 10 : 20); }
void last(int *a, int n) { for (int i = 0; i < n; i++) k<<<1, 1>>>(a, n, i == n - 1); }
void with_it(int *a, int n) { for (int i = 0; i < n; i++) k<<<1, 1>>>(a, i, i == n - 1); }
int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = argc > 1 ? atoi(argv[1]) : 64, m = argc > 2 ? atoi(argv[2]) : 32, c;
    k<<<1, 1>>>(0, n, m);
    while ((c = getopt(argc, argv, \"n:m:\")) != -1)
        switch (c) { case 'n': n = atoi(optarg); break; case 'm': m = atoi(optarg); break; case 'q': m = 7; n++; }
    k<<<1, 1>>>(0, n, m);
}
",
    );
    assert_eq!(of(5), ["", "[10, 20]"]);
    assert_eq!(of(6), ["", "[5, 6, 7]"]);
    assert_eq!(of(7), ["", "[0, 4, 9]"]);
    assert_eq!(of(8), ["", "[0, 1]"]);
    assert_eq!(of(9), ["", "made"]);
    for line in [10, 11, 12, 13, 18, 21] {
        assert_eq!(of(line), ["", ""], "line {line}");
    }
    assert_eq!(of(14), ["", "[0, 1]"]);
}

fn shown(value: &HostValue) -> String {
    match value {
        HostValue::Known(v) => v.to_string(),
        HostValue::Unknown(u) => format!("u{u}"),
        HostValue::Binary(op, a, b) => {
            let op = match op {
                HostOp::Add => "+",
                HostOp::Sub => "-",
                HostOp::Mul => "*",
                HostOp::Div => "/",
                HostOp::Rem => "%",
                HostOp::Min => "min",
                HostOp::Max => "max",
            };
            format!("({} {op} {})", shown(a), shown(b))
        }
    }
}

#[test]
fn host_launches_keep_their_own_configuration() {
    // The optimiser moves the loop behind what follows it.
    let source = b"__global__ void first(int *a) { a[0] = 1; }
__global__ void last(int *a) { a[0] = 2; }
int main(int argc, char **argv) {
  for (int i = 0; i < argc; i++) first<<<1, 1>>>((int *)argv[i]);
  last<<<1, 32>>>((int *)argv);
}";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let blocks: Vec<_> = launches.iter().map(|l| (l.kernel.as_str(), l.block)).collect();
    assert_eq!(blocks, [("_Z5firstPi", Some([1, 1, 1])), ("_Z4lastPi", Some([32, 1, 1]))]);
}

#[test]
fn host_launches_that_pass_structures() {
    let source = b"struct Pair { long a; double b; };
struct Big { int a[40]; };
struct Small { int a; };
__global__ void k(Pair p, int flag, Big b, Small s, float *out, float x) {
  if (flag) out[0] = p.a + b.a[2] + s.a + x;
}
int main() {
  k<<<4, 64>>>(Pair{1, 2}, 0, Big{}, Small{3}, nullptr, 1.5f);
}";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let [launch] = &launches[..] else { panic!("{launches:?}") };
    assert_eq!(launch.arg_count, 6);
    let scalars: Vec<_> = launch.args.iter().filter(|(i, _)| [1, 5].contains(i)).collect();
    assert_eq!(scalars, [&(1, 0), &(5, 1.5f32.to_bits() as u64)]);
    assert!(launch.args.iter().all(|(i, _)| *i != 0 && *i != 2), "{launches:?}");
}

/// What is constant of structures, however they travel: in pieces, in memory, copied from a constant, or changed afterwards.
#[test]
fn members_of_structures_are_constants_of_a_launch() {
    let source = br"
        struct P { int n, m; float x; };
        struct Q { int n, m; float x; int *o; int k; };
        __global__ void pieces(int *a, P p) {}
        __global__ void memory(int *a, Q q) {}
        void host(int any) {
            int *d;
            cudaMalloc(&d, 1024);
            P p = {3, 300, 1.0f};
            pieces<<<1, 64>>>(d, p);
            p.m = any;
            pieces<<<1, 64>>>(d, p);
            Q q = {3, 300, 1.0f, 0, 5};
            memory<<<1, 64>>>(d, q);
            q.m = any;
            memory<<<1, 64>>>(d, q);
        }";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let members = |i: usize| -> Vec<(u64, u32, u64)> {
        let of: &HostLaunch = &launches[i];
        of.members.iter().map(|(p, bytes, bits)| (p.within.unwrap(), *bytes, *bits)).collect()
    };
    let one = u64::from(1f32.to_bits());
    assert_eq!(members(0), [(0, 8, 300 << 32 | 3), (8, 4, one)]);
    // Two members in one piece, of which one is not known.
    assert_eq!(members(1), [(8, 4, one)]);
    assert_eq!(members(2), [(0, 4, 3), (4, 4, 300), (8, 4, one), (24, 4, 5)]);
    assert!(!members(3).iter().any(|m| m.0 == 4), "{:?}", members(3));
}

/// A launch in a loop is one for each round: numbers that grow, pointers that move, arrays that become one or are exchanged.
#[test]
fn rounds_of_a_loop_are_launches() {
    let source = br"
        __global__ void doubled(int *a, int *b, int n) {}
        __global__ void moved(int *a, int *b, int n) {}
        __global__ void joined(int *a, int *b, int n) {}
        __global__ void exchanged(int *a, int *b, int n) {}
        __global__ void many(int *a, int *b, int n) {}
        __global__ void some(int *a, int *b, int n) {}
        void host(int rounds, int *x, int *y) {
            int *d, *e;
            cudaMalloc(&d, 1024);
            cudaMalloc(&e, 1024);
            for (int i = 1; i < 10; i *= 2) doubled<<<1, 64>>>(d, e, i);
            for (int i = 0; i < 3; i++) moved<<<1, 64>>>(d, d + i * 8, 7);
            for (int i = 0; i < 20; i++) many<<<1, 64>>>(d, e, i);
            for (int i = 0; i < rounds; i++) { exchanged<<<1, 64>>>(x, y, 7); int *t = x; x = y; y = t; }
            for (int i = 0; i < rounds; i++) { some<<<1, 64>>>(d, e, i); }
            for (int i = 0; i < rounds; i++) { joined<<<1, 64>>>(d, e, 7); e = d; }
        }";
    let launches =
        host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default()).launches;
    let of = |name: &str| -> Vec<&HostLaunch> {
        launches.iter().filter(|l| l.kernel.contains(name)).collect()
    };
    let numbers = |name: &str| -> Vec<Option<u64>> {
        of(name).iter().map(|l| l.args.iter().find(|a| a.0 == 2).map(|a| a.1)).collect()
    };
    let offsets = |name: &str| -> Vec<Vec<Option<i64>>> {
        of(name).iter().map(|l| l.aliases.iter().map(|a| a.offset).collect()).collect()
    };
    assert_eq!(numbers("doubled"), [1, 2, 4, 8].map(Some));
    assert_eq!(offsets("moved"), [0, 32, 64].map(|bytes| vec![Some(bytes)]));
    assert_eq!(offsets("joined"), [vec![], vec![Some(0)]]);
    assert_eq!(offsets("exchanged"), [vec![]]);
    // The launch that stands for all comes with the first, the second and the last.
    assert_eq!(numbers("many"), [None, Some(0), Some(1), Some(19)]);
    assert_eq!(numbers("some")[0], None);
    assert_eq!(numbers("some")[1..3], [Some(0), Some(1)]);
}

/// A function that launches what it gets is shared by all kernels of one type: each call of it is a launch.
#[test]
fn launches_through_a_function_that_gets_the_kernel() {
    let source = b"
__global__ void k(int *a, int n) { a[threadIdx.x] = n; }
__global__ void w(int *a, int n) { a[threadIdx.x] = -n; }
struct Shape { dim3 grid, block; Shape(dim3 g, dim3 b) : grid(g), block(b) {} };
template <typename K, typename... A> void start(K kernel, const Shape &shape, A &&...a) {
  kernel<<<shape.grid, shape.block>>>(a...);
}
template <typename K> void twice(K kernel, const Shape &shape, int *a, int n) {
  start(kernel, shape, a, n);
}
void both(int *a, int n, int which) {
  switch (which) {
    case 1: start(k, Shape(n, 64), a, n); break;
    case 2: start(w, Shape(n / 2, 128), a, n); break;
    case 3: twice(k, Shape(n, 32), a, 7); break;
  }
}
void stored(void (*&f)(int *, int)) { f = w; }";
    let host = host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default());
    let mut told: Vec<_> = (host.launches.iter())
        .map(|l| (l.kernel.as_str(), l.block.map(|b| b[0]), l.args.clone()))
        .collect();
    told.sort();
    let expected = [
        ("_Z1kPii", Some(32), vec![(1, 7)]),
        ("_Z1kPii", Some(64), vec![]),
        ("_Z1wPii", Some(128), vec![]),
    ];
    assert_eq!(told, expected);
    assert_eq!(host.unread, ["_Z1wPii"]);
}

/// A variable that holds one of some kernels launches each of them; one that others may set is not read.
#[test]
fn launches_through_a_variable() {
    let source = b"
__global__ void k(int *a, int n) { a[threadIdx.x] = n; }
__global__ void w(int *a, int n) { a[threadIdx.x] = -n; }
__global__ void v(int *a, int n) { a[threadIdx.x] = 2 * n; }
void one_of_two(int *a, int n) {
  for (int i = 0; i < 2; i++) {
    void (*f)(int *, int);
    switch (i) { case 0: f = &k; break; case 1: f = &w; break; }
    if (f == &k) cudaMemset(a, 0, n);
    f<<<n / 16, 16>>>(a, n);
  }
}
void any(void (*f)(int *, int), int *a, int n) { if (n) f = v; f<<<n, 64>>>(a, n); }";
    let host = host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default());
    let mut told: Vec<_> = host.launches.iter().map(|l| (l.kernel.as_str(), l.line)).collect();
    told.sort();
    assert_eq!(told, [("_Z1kPii", 10), ("_Z1wPii", 10)]);
    assert!(host.launches.iter().all(|l| self::told(l).starts_with("Grid(0)=(u0 / 16)")));
    assert_eq!(host.unread, ["_Z1vPii"]);
}

/// The value that a `switch` or an `if` asks for is a constant of the launch behind it.
#[test]
fn the_case_of_a_launch_is_its_constant() {
    let source = b"struct P { int rows; };
template <int R> __global__ void k(int *a, int n) { a[0] = R; }
void by_case(int *a, int n, int rows) {
  dim3 block(32, rows);
  switch (rows) {
    case 1: k<1><<<n / 32, block>>>(a, n); break;
    case 2: k<2><<<n / 64, block>>>(a, n); break;
    case 4: k<4><<<n / 128, block>>>(a, n); break;
    case 5: case 6: k<6><<<n / 192, block>>>(a, n); break;
    default: k<9><<<n, block>>>(a, n);
  }
}
void by_multiples(int *a, int n, int w) {
  switch (w) {
    case 32: k<32><<<n, w>>>(a, n); break;
    case 64: k<64><<<n, w>>>(a, n); break;
    case 96: k<96><<<n, w>>>(a, n); break;
    case 128: k<128><<<n, w>>>(a, n); break;
  }
}
void by_ifs(int *a, const P &p, int n) {
  dim3 block(16, p.rows);
  if (p.rows == 7 && n > 0) k<7><<<n, block>>>(a, n);
  else if (p.rows == 8) k<8><<<n, block>>>(a, n);
}";
    let side = host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default());
    let blocks: Vec<String> = side
        .launches
        .iter()
        .map(|l| {
            let value = |part| l.values.iter().find(|v| v.0 == part).map(|v| shown(&v.1)).unwrap();
            format!("{} {}x{}", l.line, value(HostPart::Block(0)), value(HostPart::Block(1)))
        })
        .collect();
    assert_eq!(
        blocks,
        [
            "6 32x1", "7 32x2", "8 32x4", "9 32xu1", "10 32xu1", "15 32x1", "16 64x1", "17 96x1",
            "18 128x1", "23 16x7", "24 16x8"
        ]
    );
    let whole: Vec<_> = side.launches.iter().map(|l| l.block).collect();
    assert_eq!(whole[1], Some([32, 2, 1]));
    assert_eq!(whole[4], None);
}

/// What a function returned is asked for.
#[test]
fn the_case_may_be_what_a_function_returns() {
    let source = b"int status(); int other(int);
__global__ void k(int *a) { a[0] = 1; }
void f(int *a) { if (status() == 0) k<<<1, 32>>>(a); switch (other(3)) { case 2: k<<<2, 32>>>(a); } }";
    let side = host_side(Input::Text { name: "t.cu", bytes: source }, &[], &Options::default());
    let grids: Vec<_> = side.launches.iter().map(|l| l.grid.map(|g| g[0])).collect();
    assert_eq!(grids, [Some(1), Some(2)]);
}
