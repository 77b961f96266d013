//! Random kernels with random host code: what is proved or confirmed, against all small launches.
//!
//! Each file has some kernels and host functions that launch them by every means there is: `<<<…>>>`, calls of the runtime,
//! a table of function pointers, a wrapper, a function elsewhere, arguments that others are told of, several launches of different sizes, one array for two parameters, pointers into
//! the middle of an array, by offsets that are constant, grow in a loop, are a size or come from the caller, pointers in structures, arrays that a loop exchanges, the address of a `__device__`
//! array. Every fourth file is OpenCL, with its host code beside it: buffers and parts of them, one for two arguments, global offsets, and last groups that are smaller. A verdict is wrong if
//!
//! - `data-race` is proved, and one of the launches that the printed conditions allow races, by enumeration of all threads
//!   and of the ways in which arrays may overlap; a condition that is not understood here fails the test;
//! - it is proved, and a launch that the host plainly makes races, whatever the conditions say;
//! - it is proved under a condition that is said to be of every launch in the file, and is not;
//! - an unconditional error is confirmed, and its launch does not race; or the host has only launches that do not, and
//!   `lockstep check` can read all of them.
//!
//! `LOCKSTEP_RANDOM` is the number of kernels, `LOCKSTEP_SEED` the first seed.

#[path = "../cli/support/mod.rs"]
mod support;

mod enumerate;
mod generate;
mod host;

use std::path::Path;
use std::sync::Mutex;

use generate::{Case, Language, Launch, Overlap, Random};
use lockstep_finding::launch::{Dimension, Expr, Number};
use serde_json::Value;

/// Kernels of one file.
const KERNELS: usize = 12;
/// Wrong verdicts that are shown.
const SHOWN: usize = 4;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn verdicts_hold_for_all_launches_that_their_conditions_allow() {
    let (first, count) = (number("LOCKSTEP_SEED", 1), number("LOCKSTEP_RANDOM", 120));
    let seeds: Vec<u64> = (first..first + count.div_ceil(KERNELS as u64)).collect();
    let total = Mutex::new(Tally::default());
    let wrong = support::in_parallel(
        &seeds,
        |seed| format!("seed {seed}"),
        |&seed| {
            let mut tally = Tally::default();
            let outcome = verdicts_of_a_file(seed, &mut tally);
            total.lock().expect("no panic").add(&tally);
            outcome
        },
    );
    let tally = total.into_inner().expect("no panic");
    println!("{tally:?}");
    let shown = &wrong[..wrong.len().min(SHOWN)];
    assert!(
        wrong.is_empty(),
        "{} files have wrong ones, such as\n{}",
        wrong.len(),
        shown.join("\n")
    );
    assert!(tally.proved * 5 > tally.kernels, "few are proved: {tally:?}");
    assert!(tally.confirmed * 20 > tally.kernels, "few are confirmed: {tally:?}");
}

/// All that is wrong in the report of one random file.
fn verdicts_of_a_file(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random::new(seed);
    let language = match seed % 8 {
        3 => Language::OpenCl { is_2: false },
        7 => Language::OpenCl { is_2: true },
        _ => Language::Cuda,
    };
    let cases: Vec<Case> = (0..KERNELS).map(|i| Case::random(&mut random, i, language)).collect();
    let text = source(&cases, language, folder.path());
    let mut args = vec!["check", "--format", "json", "--no-cache", "--jobs", "1"];
    args.extend(match language {
        Language::Cuda => &["generated.cu"][..],
        Language::OpenCl { is_2: false } => &["generated.cl"],
        Language::OpenCl { is_2: true } => &["generated.cl", "--", "-cl-std=CL2.0"],
    });
    let ended = support::lockstep(folder.path(), &args);
    let report: Value = serde_json::from_str(&ended.out)
        .map_err(|e| format!("{e}\n{}\n{}", ended.out, ended.err))?;
    if report["errors"] != serde_json::json!([]) {
        return Err(format!("{}\n{text}", report["errors"]));
    }
    let mut wrong = String::new();
    for case in &cases {
        let kernels = report["kernels"].as_array().expect("kernels");
        let kernel = kernels.iter().find(|k| k["name"] == case.name()).expect("the kernel");
        if let Err(why) = judge(case, kernel, tally) {
            let source = source(std::slice::from_ref(case), language, folder.path());
            wrong += &format!("{}: {why}\n{source}\n", case.name());
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Writes a file of kernels with its host code; the text of both.
fn source(cases: &[Case], language: Language, folder: &Path) -> String {
    let (mut text, mut host) = (String::new(), String::new());
    cases.iter().for_each(|c| c.print(&mut text, &mut host));
    let files = match language {
        Language::Cuda => vec![("generated.cu", format!("{}{text}{host}", host::HEAD))],
        Language::OpenCl { .. } => {
            let host = format!("{}{host}", host::OPENCL_HEAD);
            vec![("generated.cl", text), ("host.c", host)]
        }
    };
    for (name, text) in &files {
        std::fs::write(folder.join(name), text).expect("written");
    }
    files.into_iter().map(|(_, text)| text).collect()
}

#[derive(Debug, Default)]
struct Tally {
    kernels: usize,
    proved: usize,
    confirmed: usize,
    /// Launches that were enumerated for a proof.
    launches: usize,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.kernels += other.kernels;
        self.proved += other.proved;
        self.confirmed += other.confirmed;
        self.launches += other.launches;
    }
}

fn judge(case: &Case, kernel: &Value, tally: &mut Tally) -> Result<(), String> {
    tally.kernels += 1;
    let verdict = &kernel["verdicts"]["data-race"];
    if verdict["verdict"] == "proved" {
        tally.proved += 1;
        let assumes = verdict["assumes"].as_array().expect("a list");
        let assumes: Vec<&str> = assumes.iter().filter_map(Value::as_str).collect();
        for launch in case.all_launches() {
            if allows(case, &assumes, &launch)? {
                tally.launches += 1;
                if let Some(race) = enumerate::race(case, &launch) {
                    return Err(format!("proved if {assumes:?}, but {launch:?} has {race}"));
                }
            }
        }
        let origins = verdict["origins"].as_array().map(Vec::as_slice).unwrap_or_default();
        let of_all = assumes.iter().zip(origins).filter(|(_, origin)| *origin == "host-launches");
        for (condition, _) in of_all {
            for launch in case.host.iter().flat_map(|h| h.possible()) {
                if !allows(case, &[condition], &launch)? {
                    return Err(format!("{condition} is not of every launch: {launch:?}"));
                }
            }
        }
        for launch in case.host.iter().filter(|l| l.is_plain()) {
            for launch in launch.possible() {
                if let Some(race) = enumerate::race(case, &launch) {
                    return Err(format!(
                        "proved if {assumes:?}, but the host makes {launch:?}: {race}"
                    ));
                }
            }
        }
    }
    let findings = kernel["findings"].as_array().expect("a list");
    let is_error = |f: &&Value| {
        f["kind"] == "data-race"
            && f["severity"] == "error"
            && f["confidence"] == "confirmed"
            && f["conditional"] != true
    };
    for finding in findings.iter().filter(is_error) {
        tally.confirmed += 1;
        let launch = Launch::of_json(case, &finding["launch"]);
        if enumerate::race(case, &launch).is_none() {
            return Err(format!("confirmed, but {launch:?} does not race: {}", finding["message"]));
        }
        let is_known = !case.host.is_empty() && case.host.iter().all(|l| l.is_plain());
        // A loop may have no round at all; then the file launches nothing.
        let made: Vec<Launch> = case.host.iter().flat_map(|l| l.possible()).collect();
        let is_known = is_known && !made.is_empty();
        if is_known && made.iter().all(|l| enumerate::race(case, l).is_none()) {
            return Err(format!("confirmed for {launch:?}, but no launch of the host races"));
        }
    }
    Ok(())
}

/// Whether all conditions hold for a launch.
fn allows(case: &Case, conditions: &[&str], launch: &Launch) -> Result<bool, String> {
    for condition in conditions {
        if !is_true(case, condition, launch)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a condition holds: an expression, a sentence, or several of them.
fn is_true(case: &Case, text: &str, launch: &Launch) -> Result<bool, String> {
    for (between, is_any) in [(", or ", true), (" || ", true), (" && ", false)] {
        let parts = parts(text, between);
        if parts.len() > 1 {
            for part in parts {
                if is_true(case, part, launch)? == is_any {
                    return Ok(is_any);
                }
            }
            return Ok(!is_any);
        }
    }
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    match (inner, Expr::parse(text)) {
        (_, Ok(expr)) => holds(&expr, launch).map_err(|e| format!("condition {text}: {e}")),
        (Some(inner), _) => is_true(case, inner, launch),
        _ => sentence_holds(case, text, launch),
    }
}

/// What a text has between words that stand in no parentheses.
fn parts<'a>(text: &'a str, between: &str) -> Vec<&'a str> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 && at >= begin && text[at..].starts_with(between) {
            parts.push(&text[begin..at]);
            begin = at + between.len();
        }
    }
    parts.push(&text[begin..]);
    parts
}

fn holds(expr: &Expr, launch: &Launch) -> Result<bool, String> {
    let value = |name: &str| {
        let number = |v: i64| Ok(Number::Int(v.into()));
        match Dimension::named(name) {
            Some(Dimension::Block(0)) => number(launch.block),
            Some(Dimension::Grid(0)) => number(launch.grid),
            Some(_) => number(1),
            None if name == "n" || name == "p.n" => number(launch.n),
            None => Err(format!("'{name}' is not known")),
        }
    };
    expr.evaluate(&value).map(Number::is_true)
}

/// Conditions that are no expressions: they are about arrays that overlap, or about what only OpenCL has.
fn sentence_holds(case: &Case, text: &str, launch: &Launch) -> Result<bool, String> {
    match text {
        "the global offset is 0" => return Ok(launch.first == 0),
        "all work-groups have the same size" => return Ok(launch.rest == 0),
        _ => {}
    }
    // Members of a structure are the same arrays.
    let text = &text.replace("p.a", "a").replace("p.b", "b");
    if !text.contains("overlap") && !["a is ", "b is "].iter().any(|t| text.starts_with(t)) {
        return Err(format!("the condition '{text}' is not understood here"));
    }
    let table = case.table();
    if let Some((own, of)) = text.split_once(" is ").filter(|(own, _)| ["a", "b"].contains(own)) {
        let (array, bytes) = of.split_once(" + ").unwrap_or((of, "0 bytes"));
        let bytes: i64 = bytes
            .trim_end_matches(" bytes")
            .parse()
            .map_err(|_| format!("the condition '{text}' is not understood here"))?;
        return Ok(match (launch.overlap, own, array) {
            (Overlap::Pair(offset), "b", "a") => bytes == 4 * offset,
            (Overlap::Pair(offset), "a", "b") => bytes == -4 * offset,
            (Overlap::Table, "a", array) if array == table => bytes == 0,
            _ => false,
        });
    }
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    Ok(match launch.overlap {
        Overlap::None => true,
        Overlap::Pair(_) => !(words.contains(&"a") && words.contains(&"b")),
        Overlap::Table => !(words.contains(&"a") && words.contains(&table.as_str())),
    })
}
