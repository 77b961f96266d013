//! What all formats say of one run agrees: how much was found, and where.

use std::path::Path;

use crate::support::{Ended, lockstep};
use serde_json::{Value, json};
use tempfile::TempDir;

/// An error, a warning, one under a condition, and one that is suppressed.
const MIXED: &str = "\
__global__ void wrong(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void benign(int *flag) {
    *flag = 1;
}
__global__ void scale_rows(float *m, int columns, int pitch, float f) {
    if (threadIdx.x < columns)
        m[blockIdx.x * pitch + threadIdx.x] = f * threadIdx.x;
}
// lockstep: allow(data-race) because every store is of the same value
__global__ void known(int *flag) {
    *flag = 1;
}
__global__ void fine(int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
";

/// The finding's column is neither the compiler's point nor a number of bytes.
const COLUMNS: &str = "\
__global__ void reverse(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    /* é ü */ s[t] = t;
    out[t] = s[(t + 1) % 64];
}
";

fn folder(name: &str, text: &str) -> TempDir {
    let dir = TempDir::new().expect("a folder");
    std::fs::write(dir.path().join(name), text).expect("a kernel is written");
    dir
}

fn check(dir: &Path, file: &str, more: &[&str]) -> Ended {
    let common = ["check", file, "--block", "64", "--only", "data-race"];
    lockstep(dir, &[&common, more].concat())
}

fn as_json(dir: &Path, file: &str, format: &str) -> Value {
    let ended = check(dir, file, &["--format", format]);
    serde_json::from_str(&ended.out).unwrap_or_else(|e| panic!("{e}: {}{}", ended.out, ended.err))
}

#[test]
fn found_means_the_same_everywhere() {
    let dir = folder("mixed.cu", MIXED);
    let words = "1 error, 1 warning, 1 conditional, 1 suppressed";
    let human = check(dir.path(), "mixed.cu", &[]);
    assert_eq!(human.status, 1, "{}{}", human.out, human.err);
    let line = format!("\n5 kernels: {words}; 1 proved, 1 clean (");
    assert!(human.out.contains(&line), "{}", human.out);

    let counts = as_json(dir.path(), "mixed.cu", "json")["summary"].clone();
    assert_eq!(
        counts,
        json!({
            "findings": {"errors": 1, "warnings": 1, "conditional": 1, "possible": 0, "suppressed": 1},
            "kernels": {"all": 5, "errors": 1, "unknown": 0, "warnings": 2, "clean": 1, "proved": 1},
            "unusable_inputs": 0,
        })
    );
    let run = &as_json(dir.path(), "mixed.cu", "sarif")["runs"][0];
    assert_eq!(run["properties"]["counts"], counts);
    assert_eq!(run["invocations"][0]["exitCode"], 1);
    let levels = |level: &str| {
        let results = run["results"].as_array().expect("results");
        let counted = |r: &&Value| r["level"] == level && r.get("suppressions").is_none();
        results.iter().filter(counted).count()
    };
    assert_eq!((levels("error"), levels("warning")), (1, 2));
    let github = check(dir.path(), "mixed.cu", &["--format", "github"]).out;
    let notice = format!("::notice title=Lockstep::5 kernels: {words}; 1 proved, 1 clean\n");
    assert!(github.starts_with(&notice), "{github}");
    let page = check(dir.path(), "mixed.cu", &["--format", "html"]).out;
    assert!(page.contains("<h1>1 error in 5 kernels</h1>"));
    assert!(page.contains(&format!("<p class=\"counts\">{words}</p>")));
}

/// Warnings alone are counted, and do not make the run fail.
#[test]
fn the_exit_status_follows_errors() {
    let dir = folder("mixed.cu", MIXED);
    for (kernel, words) in [
        ("benign", "1 kernel: 0 errors, 1 warning ("),
        ("scale_rows", "1 kernel: 0 errors, 1 conditional ("),
        ("known", "1 kernel: 0 errors, 1 suppressed; 1 clean ("),
        ("fine", "1 kernel: 0 errors; 1 proved ("),
    ] {
        let ended = check(dir.path(), "mixed.cu", &["--kernel", kernel]);
        assert!(ended.out.contains(&format!("\n{words}")), "{kernel}: {}", ended.out);
        assert_eq!(ended.status, 0, "{kernel}: {}", ended.out);
    }
    let help = lockstep(dir.path(), &["--help"]).out;
    assert!(help.contains("at least one error was found"), "{help}");
}

/// Two instances of a template share a finding: it counts once, and neither instance is called clean.
#[test]
fn instances_share_a_finding_and_how_they_stand() {
    let text = "template <class T> __global__ void same(T *flag) { *flag = 1; }\n\
                template __global__ void same(int *);\n\
                template __global__ void same(float *);\n";
    let dir = folder("same.cu", text);
    let counts = as_json(dir.path(), "same.cu", "json")["summary"].clone();
    assert_eq!(counts["findings"]["warnings"], 1);
    assert_eq!(counts["kernels"]["warnings"], 2);
}

#[test]
fn one_finding_has_one_place() {
    let dir = folder("columns.cu", COLUMNS);
    let expected = "columns.cu:4:15";
    let human = check(dir.path(), "columns.cu", &[]).out;
    assert!(human.contains(&format!("--> {expected}\n")), "{human}");
    let concise = check(dir.path(), "columns.cu", &["--format", "concise"]).out;
    assert!(concise.starts_with(&format!("{expected}: error[data-race]")), "{concise}");
    let github = check(dir.path(), "columns.cu", &["--format", "github"]).out;
    assert!(github.contains("::error file=columns.cu,line=4,col=15,endLine=4,"), "{github}");
    assert!(github.contains(&format!(" at {expected}%0A")), "{github}");
    let page = check(dir.path(), "columns.cu", &["--format", "html"]).out;
    assert!(page.contains(&format!("<div class=\"where quiet\">{expected}</div>")));
    let report = as_json(dir.path(), "columns.cu", "json");
    let first = &report["kernels"][0]["findings"][0]["accesses"][0];
    assert_eq!((&first["line"], &first["column"]), (&json!(4), &json!(15)));
    let log = as_json(dir.path(), "columns.cu", "sarif");
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&place["startLine"], &place["startColumn"]), (&json!(4), &json!(15)));
}

#[test]
fn statistics_go_to_standard_error() {
    let dir = folder("mixed.cu", MIXED);
    let plain = check(dir.path(), "mixed.cu", &["--format", "json", "--no-cache"]);
    let ended = check(dir.path(), "mixed.cu", &["--format", "json", "--statistics", "--no-cache"]);
    let timeless = |text: &str| {
        text.lines().filter(|l| !l.contains("\"seconds\"")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(timeless(&ended.out), timeless(&plain.out));
    let masked: Vec<String> = ended
        .err
        .lines()
        .map(|line| match line.strip_suffix(" s").and_then(|l| l.trim_end().rsplit_once(' ')) {
            Some((engine, time)) if time.parse::<f64>().is_ok() => {
                format!("{} … s", engine.trim_end())
            }
            _ => line.to_owned(),
        })
        .collect();
    assert_eq!(
        masked.join("\n"),
        "\
findings
             errors  warnings  conditional  possible  suppressed
  data-race       1         1            1         0           1

verdicts
             found  unknown  clean  proved
  data-race      3        0      0       2

time of all workers together
  compile … s
  prove … s
  search … s"
    );
    let run = ["run", "mixed.cu", "--kernel", "fine", "--block", "32", "--grid", "1"];
    let more = ["--arg", "out=i32[32]", "--statistics"];
    let ended = lockstep(dir.path(), &[&run[..], &more].concat());
    assert!(
        ended.err.contains("\n  compile ") && ended.err.contains("\n  simulate "),
        "{}",
        ended.err
    );
}
