//! Launches of up to a million threads, proved with one thread or one block for all, and the same with a subtle mistake.
//! Random small ones, by one thread for all and thread by thread.

use lockstep_symbolic::{Answer, Assumptions, Threads, Verdict};

use super::Pair;

/// Asks without executing each thread. The reference is run by one.
fn together<'a>(source: &'a str, [grid, block]: [[u32; 3]; 2], args: &'a [&'a str]) -> Pair<'a> {
    let pair = Pair::new(source, [1, 1], [1, 1], args);
    let dims = [pair.dims[0], [grid, block]];
    Pair { dims, threads: Threads::Together, ..pair }
}

impl Pair<'_> {
    fn is_proved(&self) -> bool {
        matches!(self.answer(), Answer { verdict: Verdict::Equivalent { assumptions, .. }, .. }
            if assumptions == Assumptions::NONE)
    }
}

/// Source, launch, arguments: proved as it is, and not with a word replaced by another.
fn told_apart(source: &str, launch: [[u32; 3]; 2], args: &[&str], mistakes: &[(&str, &str)]) {
    assert!(together(source, launch, args).is_proved(), "not proved: {source}");
    for (right, wrong) in mistakes {
        let changed = source.replace(right, wrong);
        assert_ne!(changed, source, "{right}");
        assert!(!together(&changed, launch, args).is_proved(), "proved: {changed}");
    }
}

/// A million elements, by 3,907 blocks of 256 threads.
const MILLION: [[u32; 3]; 2] = [[3907, 1, 1], [256, 1, 1]];

/// A map: its body on both sides, with `i` for the element.
fn map(reference: &str, kernel: &str) -> String {
    format!(
        "__global__ void a(int n, float s, const float *x, float *y) {{
            for (int i = 0; i < n; i++) {reference}
        }}
        __global__ void b(int n, float s, const float *x, float *y) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            {kernel}
        }}"
    )
}

/// A factor of zero may be told apart, as libraries do, where a product with zero is zero.
#[test]
fn a_factor_that_is_compared_with_a_number() {
    let source =
        map("y[i] = x[i] + s * y[i];", "if (i < n) y[i] = s == 0.0f ? x[i] : x[i] + s * y[i];");
    let needed = Assumptions::FINITE.with(Assumptions::POSITIVE_ZERO);
    assert!(!together(&source, MILLION, VECTORS).is_proved());
    together(&source, MILLION, VECTORS).with(needed).is_equivalent(needed);
    let one = source.replace("s == 0.0f ? x[i]", "s == 1.0f ? x[i] + y[i]");
    assert!(together(&one, MILLION, VECTORS).is_proved());
    let wrong = source.replace("s == 0.0f", "s == 2.0f");
    assert!(!together(&wrong, MILLION, VECTORS).with(needed).is_proved());
}

/// The size stands for every value that counts.
#[test]
fn a_size_that_is_not_given() {
    let args = ["n=symbolic", "s=symbolic", "x=f32[1000000]:symbolic", "y=f32[1000000]:symbolic"];
    let source = map("y[i] = s * x[i] + y[i];", "if (i < n) y[i] = y[i] + x[i] * s;");
    let bounded = ["n <= 1000000"];
    assert!(together(&source, MILLION, &args).where_(&bounded).is_proved());
    // Beyond the arrays, and beyond the threads.
    assert!(!together(&source, MILLION, &args).is_proved());
    assert!(!together(&source, MILLION, &args).where_(&["n <= 1000001"]).is_proved());
    let few = [[3906, 1, 1], [256, 1, 1]];
    assert!(!together(&source, few, &args).where_(&bounded).is_proved());
    assert!(together(&source, few, &args).where_(&["n <= 3906 * 256"]).is_proved());
    for wrong in ["i < n - 1", "i < n && i > 0", "i <= n"] {
        let wrong = source.replace("if (i < n)", &format!("if ({wrong})"));
        assert!(!together(&wrong, MILLION, &args).where_(&bounded).is_proved(), "{wrong}");
    }
    // The same tail is right for even sizes only.
    let pairs = map("y[i] = x[i];", "if (i < n / 2 * 2) y[i] = x[i];");
    assert!(!together(&pairs, MILLION, &args).where_(&bounded).is_proved());
}

/// The same, thread by thread.
#[test]
fn a_small_size_that_is_not_given() {
    let args = ["n=symbolic", "s=symbolic", "x=f32[8]:symbolic", "y=f32[8]:symbolic"];
    let source = map("y[i] = s * x[i] + y[i];", "if (i < n) y[i] = y[i] + x[i] * s;");
    let pair = |source| Pair::new(source, [1, 1], [2, 4], &args);
    pair(&source).where_(&["n <= 8"]).is_equivalent(Assumptions::NONE);
    pair(&source).where_(&["n <= blockDim.x * gridDim.x"]).is_equivalent(Assumptions::NONE);
    // No number is less than -1 and more than 1.
    pair(&source).where_(&["n < -1", "n > 1"]).unknown();
    let wrong = source.replace("if (i < n)", "if (i < n && i != 6)");
    pair(&wrong).where_(&["n <= 6"]).is_equivalent(Assumptions::NONE);
    match pair(&wrong).where_(&["n <= 8"]).answer().verdict {
        Verdict::Mismatch(found) => {
            assert_eq!(found.element, 6);
            // The inputs that show it are some that count.
            assert!((7..=8).contains(&found.inputs[0][0]), "{found:#?}");
        }
        other => panic!("{other:#?}"),
    }
}

const VECTORS: &[&str] =
    &["n=1000000", "s=symbolic", "x=f32[1000000]:symbolic", "y=f32[1000000]:symbolic"];

#[test]
fn maps_of_a_million_elements() {
    let right = [
        ("y[i] = s * x[i] + y[i];", "if (i < n) y[i] = y[i] + x[i] * s;"),
        ("y[i] = x[n - 1 - i];", "if (i >= n) return; y[i] = x[n - i - 1];"),
        ("y[n - 1 - i] = x[i];", "if (i < n) y[i] = x[n - 1 - i];"),
        ("y[i] = x[i] > 0 ? x[i] : s;", "if (i < n) { if (x[i] > 0) y[i] = x[i]; else y[i] = s; }"),
        (
            "if (i > 0 && i < n - 1) y[i] = x[i - 1] + x[i + 1]; else y[i] = x[i];",
            "if (i < n) y[i] = i == 0 || i == n - 1 ? x[i] : x[i - 1] + x[i + 1];",
        ),
        ("y[i] = s;", "for (int k = i; k < n; k += gridDim.x * blockDim.x) y[k] = s;"),
    ];
    for (reference, kernel) in right {
        let source = map(reference, kernel);
        assert!(together(&source, MILLION, VECTORS).is_proved(), "{kernel}");
    }
    let wrong = [
        // The last one, the first one, one too many.
        ("y[i] = s * x[i];", "if (i < n - 1) y[i] = s * x[i];"),
        ("y[i] = s * x[i];", "if (i > 0 && i < n) y[i] = s * x[i];"),
        ("y[i] = x[i];", "if (i <= n) y[i] = x[i];"),
        // Two threads at one element; every other one.
        ("y[i] = s * x[i];", "if (i < n) y[i / 2] = s * x[i];"),
        ("y[i] = s * x[i];", "if (i < n / 2) y[2 * i] = s * x[2 * i];"),
        // In place, from a neighbour: right in a loop, a race between threads.
        ("y[i] = y[i < n - 1 ? i + 1 : i];", "if (i < n) y[i] = y[i < n - 1 ? i + 1 : i];"),
        ("y[i] = i > 0 ? y[i - 1] : s;", "if (i < n) y[i] = s;"),
        // One element in a million; another order of operations.
        ("y[i] = x[i];", "if (i < n) y[i] = i == 777777 ? s : x[i];"),
        ("y[i] = s + x[i] + 1;", "if (i < n) y[i] = s + (x[i] + 1);"),
        // The product wraps for the last elements.
        ("y[i] = x[i];", "if (i < n) y[i] = x[(unsigned)i * 4300u / 4300u];"),
    ];
    for (reference, kernel) in wrong {
        let source = map(reference, kernel);
        assert!(!together(&source, MILLION, VECTORS).is_proved(), "{kernel}");
    }
}

/// Not only not proved: two executions show the difference, or the bug, at that size.
#[test]
fn a_mismatch_of_a_million_elements_is_shown() {
    let source = map("y[i] = s * x[i];", "if (i < n - 1) y[i] = s * x[i];");
    let pair = Pair { threads: Threads::Any, ..together(&source, MILLION, VECTORS) };
    match pair.answer().verdict {
        Verdict::Mismatch(found) => {
            assert_eq!(found.element, 999_999);
            let told = found.told.expect("both expressions");
            assert_eq!(told.expressions, ["s * x[999999]", "y[999999]"]);
            let writer = found.writers[0].as_ref().expect("the reference writes it");
            assert_eq!((writer.thread, writer.block), ([0; 3], [0; 3]));
            assert!(found.writers[1].is_none());
        }
        other => panic!("{other:#?}"),
    }
}

const PRODUCT: &str = "
    __global__ void a(int m, int n, int k, const float *A, const float *B, float *C) {
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                float s = 0;
                for (int l = 0; l < k; l++) s += A[i * k + l] * B[l * n + j];
                C[i * n + j] = s;
            }
    }";

#[test]
fn products_of_matrices() {
    let naive = format!(
        "{PRODUCT}
        __global__ void b(int m, int n, int k, const float *A, const float *B, float *C) {{
            int row = blockIdx.y * blockDim.y + threadIdx.y;
            int column = blockIdx.x * blockDim.x + threadIdx.x;
            if (row < m && column < n) {{
                float sum = 0;
                for (int l = 0; l < k; l++) sum += A[row * k + l] * B[l * n + column];
                C[row * n + column] = sum;
            }}
        }}"
    );
    let args: &[&str] = &[
        "m=1000",
        "n=1024",
        "k=64",
        "A=f32[64000]:symbolic",
        "B=f32[65536]:symbolic",
        "C=f32[1024000]",
    ];
    let mistakes = [
        ("B[l * n + column]", "B[column * n + l]"),
        ("row < m", "row < m - 1"),
        ("l < k; l++) sum", "l < k - 1; l++) sum"),
    ];
    told_apart(&naive, [[64, 63, 1], [16, 16, 1]], args, &mistakes);
    assert!(!together(&naive, [[63, 63, 1], [16, 16, 1]], args).is_proved());
    let tiled = format!(
        "{PRODUCT}
        #define T 8
        __global__ void b(int m, int n, int k, const float *A, const float *B, float *C) {{
            __shared__ float s[T][T], t[T][T];
            int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
            float sum = 0;
            for (int tile = 0; tile < k / T; tile++) {{
                s[threadIdx.y][threadIdx.x] = A[row * k + tile * T + threadIdx.x];
                t[threadIdx.y][threadIdx.x] = B[(tile * T + threadIdx.y) * n + column];
                __syncthreads();
                for (int l = 0; l < T; l++) sum += s[threadIdx.y][l] * t[l][threadIdx.x];
                __syncthreads();
            }}
            C[row * n + column] = sum;
        }}"
    );
    let args: &[&str] = &[
        "m=1024",
        "n=1024",
        "k=64",
        "A=f32[65536]:symbolic",
        "B=f32[65536]:symbolic",
        "C=f32[1048576]",
    ];
    let mistakes = [
        ("t[l][threadIdx.x]", "t[threadIdx.x][l]"),
        ("tile < k / T", "tile < k / T - 1"),
        ("                __syncthreads();\n            }", "            }"),
    ];
    told_apart(&tiled, [[128, 128, 1], [8, 8, 1]], args, &mistakes);
    // No multiple of the tile: right with guards only.
    let odd: &[&str] = &[
        "m=1001",
        "n=777",
        "k=30",
        "A=f32[30030]:symbolic",
        "B=f32[23310]:symbolic",
        "C=f32[777777]",
    ];
    let guarded = tiled
        .replace("k / T", "(k + T - 1) / T")
        .replace("= A[row", "= row >= m || tile * T + threadIdx.x >= k ? 0 : A[row")
        .replace("= B[(", "= column >= n || tile * T + threadIdx.y >= k ? 0 : B[(")
        .replace("C[row * n", "if (row < m && column < n) C[row * n");
    let launch = [[98, 126, 1], [8, 8, 1]];
    let zeros = Assumptions::POSITIVE_ZERO;
    let under = |source| Pair { allowed: zeros, ..together(source, launch, odd) };
    match under(&guarded).answer().verdict {
        // What is beyond the end adds zeros.
        Verdict::Equivalent { assumptions, .. } => assert_eq!(assumptions, zeros),
        other => panic!("{other:#?}"),
    }
    assert!(!under(&tiled).is_proved());
}

#[test]
fn transpositions_rows_and_pairs() {
    let transposed = "
        __global__ void a(int m, int n, const float *x, float *y) {
            for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) y[j * m + i] = x[i * n + j];
        }
        __global__ void b(int m, int n, const float *x, float *y) {
            __shared__ float t[16][17];
            int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
            if (column < n && row < m) t[threadIdx.y][threadIdx.x] = x[row * n + column];
            __syncthreads();
            column = blockIdx.y * 16 + threadIdx.x; row = blockIdx.x * 16 + threadIdx.y;
            if (column < m && row < n) y[row * m + column] = t[threadIdx.x][threadIdx.y];
        }";
    let args: &[&str] = &["m=1000", "n=1010", "x=f32[1010000]:symbolic", "y=f32[1010000]"];
    let mistakes = [
        ("column = blockIdx.y * 16 + threadIdx.x; row", "row"),
        ("t[threadIdx.x][threadIdx.y]", "t[threadIdx.y][threadIdx.x]"),
        ("__syncthreads();", ""),
    ];
    told_apart(transposed, [[64, 63, 1], [16, 16, 1]], args, &mistakes);
    let flat = "
        __global__ void a(int m, int n, const float *x, float *y) {
            for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) y[j * m + i] = x[i * n + j];
        }
        __global__ void b(int m, int n, const float *x, float *y) {
            int g = blockIdx.x * blockDim.x + threadIdx.x;
            if (g < m * n) y[g % n * m + g / n] = x[g];
        }";
    let launch = [[3946, 1, 1], [256, 1, 1]];
    told_apart(flat, launch, args, &[("g % n * m + g / n", "g % m * n + g / m")]);
    let gathered = flat.replace("y[g % n * m + g / n] = x[g]", "y[g] = x[g % m * n + g / m]");
    told_apart(&gathered, launch, args, &[("g < m * n", "g < m * m")]);
    let sums = "
        __global__ void a(int m, int n, const unsigned *x, unsigned *y) {
            for (int i = 0; i < m; i++) {
                y[i] = 0;
                for (int j = 0; j < n; j++) y[i] += x[i * n + j];
            }
        }
        __global__ void b(int m, int n, const unsigned *x, unsigned *y) {
            __shared__ unsigned s[64];
            unsigned sum = 0;
            for (int j = threadIdx.x; j < n; j += 64) sum += x[blockIdx.x * n + j];
            s[threadIdx.x] = sum;
            __syncthreads();
            for (int d = 32; d > 0; d /= 2) {
                if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
                __syncthreads();
            }
            if (threadIdx.x == 0) y[blockIdx.x] = s[0];
        }";
    let args: &[&str] = &["m=16384", "n=100", "x=u32[1638400]:symbolic", "y=u32[16384]"];
    let mistakes =
        [("int d = 32", "int d = 16"), ("sum += x[blockIdx.x * n", "sum += x[blockIdx.x")];
    told_apart(sums, [[16384, 1, 1], [64, 1, 1]], args, &mistakes);
    let pairs = "
        __global__ void a(int n, const float *c, const float *s, const float *x, float *y) {
            for (int i = 0; i < n; i++) {
                y[2 * i] = x[2 * i] * c[i] - x[2 * i + 1] * s[i];
                y[2 * i + 1] = x[2 * i] * s[i] + x[2 * i + 1] * c[i];
            }
        }
        __global__ void b(int n, const float *c, const float *s, const float *x, float *y) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < 2 * n) {
                if (i % 2 == 0) y[i] = x[i] * c[i / 2] - x[i + 1] * s[i / 2];
                else y[i] = x[i - 1] * s[i / 2] + x[i] * c[i / 2];
            }
        }";
    let args: &[&str] = &[
        "n=500000",
        "c=f32[500000]:symbolic",
        "s=f32[500000]:symbolic",
        "x=f32[1000000]:symbolic",
        "y=f32[1000000]",
    ];
    let mistakes = [("c[i / 2] - x", "c[i / 2] + x"), ("x[i - 1]", "x[i]"), ("i < 2 * n", "i < n")];
    told_apart(pairs, MILLION, args, &mistakes);
}

/// A random map of some rows and columns, or one with another order, guard or offset.
fn random_pair(seed: u64) -> (String, [[u32; 3]; 2], Vec<String>) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut pick = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % n
    };
    let (m, n) = (2 + pick(4), 2 + pick(5));
    let block = [2, 3, 4, 8][pick(4) as usize];
    let total = m * n;
    let blocks = total.div_ceil(block) + pick(3) - u64::from(pick(6) == 0);
    let reads =
        ["x[i * n + j]", "x[i * n + n - 1 - j]", "x[(m - 1 - i) * n + j]", "x[j]", "x[i] + x[j]"];
    let writes = ["i * n + j", "j * m + i", "(m - 1 - i) * n + j", "i * n + n - 1 - j"];
    let forms = ["R", "R + y[W]", "R > 3 ? R : 1.0f", "j > 0 ? R : x[0]", "R * 2 + R"];
    let mut choose = |list: &[&str]| list[pick(list.len() as u64) as usize].to_owned();
    let (read, write, form) = (choose(&reads), choose(&writes), choose(&forms));
    let is_same = pick(2) == 0;
    let mut other = |own: &str, list: &[&str]| match is_same || pick(3) > 0 {
        true => own.to_owned(),
        false => list[pick(list.len() as u64) as usize].to_owned(),
    };
    let (own_read, own_write, own_form) =
        (other(&read, &reads), other(&write, &writes), other(&form, &forms));
    let put = |form: &str, read: &str, write: &str| {
        format!("y[{write}] = {};", form.replace('R', read).replace('W', write))
    };
    let guards = ["g < m * n", "g < m * n", "g < m * n - 1", "g < m * m", "g > 0 && g < m * n"];
    let guard = if is_same { guards[0] } else { guards[pick(5) as usize] };
    let source = format!(
        "__global__ void a(int m, int n, const float *x, float *y) {{
            for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {}
        }}
        __global__ void b(int m, int n, const float *x, float *y) {{
            int g = blockIdx.x * blockDim.x + threadIdx.x;
            int i = g / n, j = g % n;
            if ({guard}) {}
        }}",
        put(&form, &read, &write),
        put(&own_form, &own_read, &own_write)
    );
    let args = [
        format!("m={m}"),
        format!("n={n}"),
        format!("x=f32[{total}]:symbolic"),
        format!("y=f32[{total}]:symbolic"),
    ];
    (source, [[blocks as u32, 1, 1], [block as u32, 1, 1]], args.into())
}

fn random_pairs_agree(seeds: std::ops::Range<u64>) {
    let (mut both, mut each) = (0, 0);
    for seed in seeds {
        let (source, launch, args) = random_pair(seed);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let pair = together(&source, launch, &args);
        let by_one = pair.is_proved();
        let by_each = Pair { threads: Threads::Each, ..pair }.is_proved();
        assert!(by_each || !by_one, "seed {seed}: proved, but not thread by thread\n{source}");
        both += u32::from(by_one);
        each += u32::from(by_each);
    }
    println!("{both} of {each} that are equivalent are proved with one thread for all");
    // Rows that are written from their end are mostly followed thread by thread only.
    assert!(10 * both >= 6 * each, "{both} of {each}");
}

#[test]
fn some_random_pairs() {
    random_pairs_agree(0..24);
}

#[test]
#[ignore = "takes a minute: make long-test"]
fn hundreds_of_random_pairs() {
    random_pairs_agree(100..600);
}
