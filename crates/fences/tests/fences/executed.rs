//! Missing fences by weak execution: kernels that hand data over, right and with a fence missing, at launches of real size.

use lockstep_fences::executed::{Executed, Failure, Question, Sweep, execute};
use lockstep_fences::{Arg, Launch, Limits, Remedy, Spot, examine};
use lockstep_finding::Kind;
use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::{Kernel, Language, Scope, SiteKind, edit};
use lockstep_simulate::{BoundArg, BoundLaunch, Config, StoreBuffers, simulate};

use crate::rows;

fn kernels(text: &str) -> Vec<Kernel> {
    let input = Input::Text { name: "weak.cu", bytes: text.as_bytes() };
    let options = Options { language: Some(Language::Cuda), ..Options::default() };
    load(input, &options).unwrap_or_else(|error| panic!("{error}\n{text}")).kernels
}

/// Arrays of 1024 ints, the first of which count up.
fn launch(kernel: &Kernel, grid: u32, block: u32) -> BoundLaunch {
    let iota: Vec<u8> = (0..1024u32).flat_map(u32::to_le_bytes).collect();
    let array = |i: usize| if i == 0 { iota.clone() } else { vec![0; 4096] };
    let args = (0..kernel.params.len()).map(|i| BoundArg::Buffer(array(i).into())).collect();
    BoundLaunch { grid: [grid, 1, 1], block: [block, 1, 1], global: None, shared: 0, args }
}

fn executed(kernel: &Kernel, grid: u32, block: u32, check: Option<&Kernel>) -> Executed {
    let launch = launch(kernel, grid, block);
    let check = check.map(|check| (check, (0..check.params.len()).collect()));
    let question = Question {
        kernel,
        launch: &launch,
        config: &Config::default(),
        sweep: Sweep::default(),
        expect: Vec::new(),
        check,
        root_cause: true,
    };
    execute(&question)
}

/// The lines after which fences are missing, with their scopes.
fn missing(kernel: &Kernel, executed: &Executed) -> Vec<(u32, Scope)> {
    let failed = match &executed.outcome {
        Ok(Some(failed)) => failed,
        other => panic!("{}: {other:?}", kernel.name),
    };
    assert!(failed.verified, "{}: {failed:?}", kernel.name);
    let remedies = failed.remedies.as_ref().expect("fences help");
    let mut lines: Vec<(u32, Scope)> = remedies
        .iter()
        .map(|remedy| match remedy {
            Remedy::Insert { spot: Spot::After(site), scope, .. } => {
                (kernel.loc(kernel.site(*site).loc).line, *scope)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    lines.sort();
    lines
}

fn is_clean(kernel: &Kernel, executed: &Executed) {
    assert!(matches!(executed.outcome, Ok(None)), "{}: {:?}", kernel.name, executed.outcome);
    assert!(executed.agrees && !executed.cut && executed.runs == 64, "{executed:?}");
}

/// The last block adds up what all blocks have left.
fn last_block(release: &str, acquire: &str) -> String {
    format!(
        "__global__ void sum(const int *in, int *parts, unsigned *done, int *out) {{
    __shared__ int s[32];
    __shared__ bool last;
    s[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {{
        int sum = 0;
        for (int i = 0; i < 32; ++i) sum += s[i];
        parts[blockIdx.x] = sum;
        {release}
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }}
    __syncthreads();
    if (last && threadIdx.x == 0) {{
        {acquire}
        int sum = 0;
        for (int i = 0; i < gridDim.x; ++i) sum += parts[i];
        *out = sum;
    }}
}}
"
    )
}

/// With both fences a kernel is right; without one, that one is missing, after the line given.
fn both_are_needed(
    text: fn(&str, &str) -> String,
    fence: &str,
    (grid, block): (u32, u32),
    [release, acquire]: [(u32, Scope); 2],
) {
    let right = &kernels(&text(fence, fence))[0];
    is_clean(right, &executed(right, grid, block, None));
    for (text, line) in [(text("", fence), release), (text(fence, ""), acquire)] {
        let wrong = &kernels(&text)[0];
        assert_eq!(missing(wrong, &executed(wrong, grid, block, None)), [line]);
    }
}

#[test]
fn the_last_block_needs_a_release_and_an_acquire() {
    let fence = "__threadfence();";
    let lines = [(9, Scope::Device), (11, Scope::Device)];
    both_are_needed(last_block, fence, (16, 32), lines);
    let narrow = &kernels(&last_block("__threadfence_block();", fence))[0];
    let found = executed(narrow, 16, 32, None);
    assert_eq!(missing(narrow, &found).len(), 1);
}

/// One thread of a block hands values to another through shared memory.
fn mailbox(release: &str, acquire: &str) -> String {
    format!(
        "__global__ void hand(const int *in, int *out) {{
    __shared__ int data[32];
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {{
        for (int i = 0; i < 32; ++i) data[i] = in[i] + 1;
        {release}
        flag = 1;
    }} else if (threadIdx.x == 32) {{
        while (flag == 0) {{ }}
        {acquire}
        for (int i = 0; i < 32; ++i) out[blockIdx.x * 32 + i] = data[i];
    }}
}}
"
    )
}

#[test]
fn a_mailbox_in_shared_memory_needs_fences_of_block_scope() {
    let lines = [(7, Scope::Block), (11, Scope::Block)];
    both_are_needed(mailbox, "__threadfence_block();", (2, 64), lines);
}

const LOCKED: &str = "__device__ void add(int *lock, int *sum, int value) {
    while (atomicCAS(lock, 0, 1) != 0) { }
    ACQUIRE
    *sum = *sum + value;
    RELEASE
    atomicExch(lock, 0);
}
__global__ void sums(const int *in, int *lock, int *sum) {
    if (threadIdx.x == 0) add(lock, sum, in[blockIdx.x]);
}
__global__ void is_right(const int *in, int *lock, int *sum) {
    assert(*sum == 28);
}
";

#[test]
fn a_lock_needs_both_fences_and_a_check_of_the_users_sees_it() {
    let text = |acquire: &str, release: &str| {
        LOCKED.replace("ACQUIRE", acquire).replace("RELEASE", release)
    };
    let fence = "__threadfence();";
    let right = kernels(&text(fence, fence));
    is_clean(&right[0], &executed(&right[0], 8, 32, Some(&right[1])));
    for (acquire, release) in [("", fence), (fence, ""), ("", "")] {
        let kernels = kernels(&text(acquire, release));
        let found = executed(&kernels[0], 8, 32, Some(&kernels[1]));
        assert!(!missing(&kernels[0], &found).is_empty());
        let Ok(Some(failed)) = &found.outcome else { unreachable!() };
        assert!(matches!(failed.failure, Failure::Check(_)), "{:?}", failed.failure);
        assert!(!failed.missed.is_empty());
    }
}

#[test]
fn nothing_is_said_of_launches_that_fail_anyway() {
    let racy = "__global__ void racy(const int *in, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[63 - threadIdx.x];
}
";
    let kernel = &kernels(racy)[0];
    let found = executed(kernel, 1, 64, None);
    assert!(found.outcome.is_err(), "{:?}", found.outcome);
}

#[test]
fn stores_and_fences_are_counted() {
    let kernel = &kernels(&last_block("__threadfence();", "__threadfence();"))[0];
    let stats = executed(kernel, 16, 32, None).stats.expect("there was an execution");
    assert_eq!((stats.fences, stats.fence_places), (17, 2));
    // Values in shared memory and who is last; sums of blocks and their sum.
    assert_eq!((stats.shared_stores, stats.global_stores), (16 * 33, 17));
    assert_eq!(stats.global_lengths, [17]);
    let kinds = kernel.sites.iter().filter(|site| site.kind == SiteKind::Fence).count();
    assert_eq!(kinds, 2);
}

/// A launch of the table, as the simulator takes it.
fn bound(kernel: &Kernel, dimensions: (u32, u32)) -> BoundLaunch {
    let launch = rows::launch(kernel, dimensions);
    let arg = |arg: &Arg| match arg {
        Arg::Buffer(bytes) => BoundArg::Buffer(bytes.clone().into()),
        Arg::Scalar(values) => BoundArg::Scalar(values.clone()),
        Arg::Local(bytes) => BoundArg::Local(*bytes),
        Arg::Aggregate(bytes) => BoundArg::Aggregate(bytes.clone()),
        other => panic!("{other:?}"),
    };
    let args = launch.args.iter().map(arg).collect();
    let (grid, block) = (launch.grid, launch.block);
    BoundLaunch { grid, block, global: None, shared: launch.shared as u32, args }
}

/// The kernel with these fences.
fn with(kernel: &Kernel, remedies: &[Remedy]) -> Kernel {
    remedies.iter().fold(kernel.clone(), |kernel, remedy| match *remedy {
        Remedy::Insert { spot: Spot::After(site), scope, .. } => {
            let spot = edit::Spot::After(site);
            edit::with(&kernel, spot, edit::Addition::Fence(scope))
                .expect("there is such a place")
                .0
        }
        other => panic!("{other:?}"),
    })
}

/// All kernels of the tables, for which the exploration knows the answer: weak execution finds nothing in those that are
/// right, and finds most of the others.
#[test]
fn the_tables_are_told_apart_without_a_false_alarm() {
    let (mut found, mut silent, mut missed) = (0, 0, Vec::new());
    let (mut right, mut wrong) = (0, Vec::new());
    let (mut cured_rows, mut uncured) = (0, Vec::new());
    for (file, name, launches, defines, answer) in
        rows::pattern_rows().into_iter().chain(rows::ROWS.iter().copied())
    {
        let lacks = ["insert", "widen", "flags", "reach"].iter().any(|word| answer.contains(word));
        let other_faults = ["race", "hang", "assertion", "open", "outside"];
        if !lacks && other_faults.iter().any(|word| answer.contains(word)) {
            continue;
        }
        let kernel = rows::kernel(file, name, defines);
        let outcomes: Vec<Executed> = launches
            .iter()
            .map(|&dimensions| {
                let launch = bound(&kernel, dimensions);
                let (config, sweep) = (Config::default(), Sweep::default());
                let (expect, check) = (Vec::new(), None);
                let (kernel, launch, config) = (&kernel, &launch, &config);
                execute(&Question {
                    kernel,
                    launch,
                    config,
                    sweep,
                    expect,
                    check,
                    root_cause: true,
                })
            })
            .collect();
        let fails = outcomes.iter().any(|e| matches!(e.outcome, Ok(Some(_))));
        let row = format!("{file} {name} {defines}");
        let cures = outcomes.iter().find_map(|e| e.outcome.as_ref().ok()?.as_ref());
        if let Some(failed) = cures.filter(|failed| failed.verified) {
            let cured = with(&kernel, failed.remedies.as_deref().expect("verified"));
            let launches: Vec<Launch> =
                launches.iter().map(|&dimensions| rows::launch(&cured, dimensions)).collect();
            let answer = examine(&cured, &launches, &Limits::default());
            match answer.all_faults().next() {
                None => cured_rows += 1,
                Some(_) => uncured.push(format!("{row}: {:?}", failed.remedies)),
            }
        }
        match (lacks, fails) {
            (true, true) => found += 1,
            (true, false) if outcomes.iter().all(|e| e.outcome.is_err() || !e.agrees) => {
                silent += 1
            }
            (true, false) => missed.push(row),
            (false, true) => wrong.push(row),
            (false, false) => right += 1,
        }
    }
    println!("{found} found, {silent} not comparable, {right} right; missed:");
    missed.iter().for_each(|row| println!("  {row}"));
    println!("advice that cures all executions of the model: {cured_rows}; that does not:");
    uncured.iter().for_each(|row| println!("  {row}"));
    assert!(wrong.is_empty(), "they are right, and yet fail: {wrong:#?}");
    assert!(cured_rows >= 100, "{cured_rows} of {found} are cured");
    assert!(found >= 120 && right >= 105, "{found} found, {right} right");
}

/// Table IV of the paper, by weak execution: how many executions fail, beside how many do in the paper. `--nocapture` prints it.
#[test]
fn table_iv_fails_where_fences_are_missing() {
    let mut wrong = Vec::new();
    println!("{:37}paper: failures of runs     weak execution", "");
    for row in &rows::TABLE_IV {
        let kernel = &rows::kernel("published.cu", row.kernel, row.defines);
        let launch = &bound(kernel, row.launches[0]);
        let config = &Config::default();
        let failures = [1.0, 0.75, 0.5, 0.25].map(|probability| {
            let sweep = Sweep { probabilities: vec![probability], runs: 24, ..Sweep::default() };
            let (expect, check) = (Vec::new(), None);
            let found = execute(&Question {
                kernel,
                launch,
                config,
                sweep,
                expect,
                check,
                root_cause: false,
            });
            let failed = found.outcome.unwrap_or_else(|why| panic!("{}: {why:?}", row.version));
            failed.map_or(0.0, |failed| failed.failures as f64 / found.runs as f64)
        });
        let shown = |all: [f64; 4]| all.map(|part| format!("{part:>7.3}")).concat();
        let (paper, own) = (shown(row.failures), shown(failures));
        println!("{:<14} {:<21}{paper} {own}", row.program, row.version);
        let fails = failures.iter().any(|part| *part > 0.0);
        if fails != (row.model == rows::Class::Underfenced) {
            wrong.push(format!("{} {}: {own}", row.program, row.version));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How much longer launches take with store buffers than without.
#[test]
#[ignore = "prints a table"]
fn overhead() {
    use std::time::Instant;

    let fence = "__threadfence_block();";
    let lock = LOCKED.replace("ACQUIRE", "__threadfence();").replace("RELEASE", "__threadfence();");
    let wide = "__threadfence();";
    let cases = [
        ("last block", last_block(wide, wide), 32),
        ("mailbox", mailbox(fence, fence), 32),
        ("lock", lock, 64),
    ];
    for (name, text, grid) in cases {
        let kernel = &kernels(&text)[0];
        let launch = launch(kernel, grid, if name == "mailbox" { 64 } else { 32 });
        let seconds = |store_buffers: Option<StoreBuffers>| {
            let kinds = vec![Kind::Assertion, Kind::Deadlock];
            let config = Config { kinds, store_buffers, ..Config::default() };
            let started = Instant::now();
            for _ in 0..200 {
                simulate(kernel, &launch, &config).expect("it can be executed");
            }
            started.elapsed().as_secs_f64() / 200.0
        };
        let plain = seconds(None);
        let weak = |probability| {
            let seconds = seconds(Some(StoreBuffers { seed: 1, probability, size: 256 }));
            format!("{:.1}", seconds / plain)
        };
        println!(
            "{name:12} {:8.1} us, times {} with probability 0, {} with 0.5, {} with 1",
            plain * 1e6,
            weak(0.0),
            weak(0.5),
            weak(1.0)
        );
    }
}
