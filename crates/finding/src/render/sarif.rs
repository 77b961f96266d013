//! `--format sarif`: SARIF 2.1.0, the format that code hosts and editors read.
//!
//! - A kind that this version reports is a rule, with `explain`'s text as its help, and its page
//!   as `helpUri` where the address of the book is known ([`SarifOptions::book`]).
//! - A finding is a result at its primary place. Both places are related locations
//!   that the message links to, and two thread flows, one for each thread, with the
//!   calls that lead there. Steps with the same `executionOrder` are not ordered by anything.
//! - What does not decide the exit status as an error is a warning; what is suppressed
//!   has its level and the reason.
//! - Verdicts are properties of the run, kernel by kernel. SARIF has results of the
//!   kinds `pass` and `open` for them, but code hosts show those as problems.
//! - An input that could not be used is a notification of the invocation.
//!
//! There is nothing of time in it: the same run gives the same bytes.

use std::os::unix::ffi::OsStrExt;

use serde_json::{Map, Value, json};

use super::json::{approximated_json, summary_json, verdicts_json};
use super::pretty::pretty;
use super::{access_label, actor_text, annotation_level, launch_options, title_text};
use crate::explain::{Block, blocks, explain};
use crate::fingerprint::{LineHashes, fingerprints};
use crate::source::Sources;
use crate::{
    Access, Counts, Finding, InputError, KernelReport, Kind, Place, Report, Spot, Suppressed,
    Warning,
};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// Relative names are relative to where the tool was started.
const ROOT: &str = "%SRCROOT%";
/// The name and version of [`crate::fingerprint`].
const FINGERPRINT: &str = "lockstep/v1";
/// The name of the hash that GitHub's code scanning makes of lines ([`LineHashes`]).
const LINE_HASH: &str = "primaryLocationLineHash";

#[derive(Clone, Debug, Default)]
pub struct SarifOptions {
    /// The status that the run ends with.
    pub exit_status: u8,
    /// Where the book is published: the address of its first page's folder.
    pub book: Option<String>,
}

/// The log of one run.
pub fn sarif(report: &Report, sources: &mut Sources, options: &SarifOptions) -> String {
    let mut log = Log { sources, files: Vec::new(), hashes: LineHashes::default() };
    let mut results = Vec::new();
    for kernel in &report.kernels {
        log.file(&kernel.file);
        for (finding, print) in kernel.findings.iter().zip(fingerprints(kernel, log.sources)) {
            results.push(log.result(kernel, finding, &print));
        }
    }
    let invocation = log.invocation(report, options.exit_status);
    let kernels: Vec<Value> = report.kernels.iter().map(kernel_properties).collect();
    let counts = Counts::of(report);
    pretty(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver(options.book.as_deref())},
            "invocations": [invocation],
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {ROOT: {"description": {"text": "Where lockstep was started."}}},
            "artifacts": log.artifacts(report),
            "results": results,
            "properties": {
                "summary": counts.text(),
                "counts": summary_json(&counts),
                "kernels": kernels,
            },
        }],
    }))
}

/// The kinds that are rules.
fn rules() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|k| k.is_reported())
}

fn driver(book: Option<&str>) -> Value {
    let mut out = json!({
        "name": "lockstep",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
    });
    if let Some(book) = book {
        out["informationUri"] = json!(page_uri(book, "index.html"));
    }
    out["shortDescription"] =
        json!({"text": "Checks CUDA and OpenCL kernels for synchronisation bugs."});
    out["rules"] = rules().map(|kind| rule(kind, book)).collect();
    out
}

/// A page of the book.
fn page_uri(book: &str, page: &str) -> String {
    format!("{}/{page}", book.trim_end_matches('/'))
}

fn rule(kind: Kind, book: Option<&str>) -> Value {
    let about = kind.about();
    let level = about.severity.name();
    let meaning = blocks(kind).into_iter().find_map(|b| match b {
        Block::Text(text) => Some(text),
        Block::Code(_) => None,
    });
    let mut out = json!({
        "id": about.name,
        "name": pascal_case(about.name),
        "shortDescription": {"text": format!("{}.", about.summary)},
        "fullDescription": {"text": meaning},
    });
    if let Some(book) = book {
        out["helpUri"] = json!(page_uri(book, &format!("kinds/{}.html", about.name)));
    }
    out["help"] = json!({"text": explain(kind), "markdown": markdown(kind)});
    out["defaultConfiguration"] = json!({"level": level});
    out["properties"] = json!({
        "tags": ["correctness", "concurrency", "gpu"],
        "precision": about.precision.name(),
        "problem.severity": level,
    });
    out
}

/// `DataRace` for `data-race`.
fn pascal_case(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('-').map(capital).collect()
}

fn markdown(kind: Kind) -> String {
    let block = |b: Block| match b {
        Block::Text(text) => text,
        Block::Code(code) => format!("```cuda\n{code}\n```"),
    };
    blocks(kind).into_iter().map(block).collect::<Vec<_>>().join("\n\n")
}

fn kernel_properties(kernel: &KernelReport) -> Value {
    let mut out = json!({
        "name": kernel.name,
        "mangled": kernel.mangled,
        "file": kernel.text_file(),
        "line": kernel.line,
        "language": kernel.language,
    });
    if let Some(arch) = &kernel.arch {
        out["arch"] = json!(arch);
    }
    out["verdicts"] = verdicts_json(kernel);
    if !kernel.instances.is_empty() {
        out["instances"] = json!(kernel.instances);
    }
    if let Some(chosen) = &kernel.chosen {
        out["chosen"] = json!(chosen);
    }
    out
}

/// What the parts of a log share.
struct Log<'a> {
    sources: &'a mut Sources,
    /// Files named so far: a location points into them.
    files: Vec<String>,
    hashes: LineHashes,
}

impl Log<'_> {
    fn result(&mut self, kernel: &KernelReport, finding: &Finding, fingerprint: &str) -> Value {
        let placed = |a: &&Access| a.place.line > 0;
        let spot = Spot::primary(kernel, finding, self.sources);
        let primary = self.physical(&spot);
        let logical = json!({
            "name": kernel.name,
            "fullyQualifiedName": kernel.name,
            "decoratedName": kernel.mangled,
            "kind": "function",
        });
        let related: Vec<Value> = (0..finding.accesses.len())
            .filter(|&i| finding.accesses[i].place.line > 0)
            .map(|i| self.related(finding, i))
            .collect();
        let together = steps_before(finding);
        let flows: Vec<Value> =
            finding.accesses.iter().filter(placed).map(|a| self.thread_flow(a, together)).collect();
        let mut out = Map::new();
        out.insert("ruleId".into(), json!(finding.kind.name()));
        if let Some(index) = rules().position(|k| k == finding.kind) {
            out.insert("ruleIndex".into(), json!(index));
        }
        out.insert("level".into(), json!(annotation_level(kernel, finding).name()));
        out.insert("message".into(), json!({"text": message(finding)}));
        out.insert(
            "locations".into(),
            json!([{"physicalLocation": primary, "logicalLocations": [logical]}]),
        );
        if !related.is_empty() {
            out.insert("relatedLocations".into(), json!(related));
            out.insert("codeFlows".into(), json!([{"threadFlows": flows}]));
        }
        if let Some(Suppressed { because, in_source }) = &finding.suppressed {
            let kind = if *in_source { "inSource" } else { "external" };
            let suppression = json!({"kind": kind, "justification": because});
            out.insert("suppressions".into(), json!([suppression]));
        }
        let mut prints = json!({FINGERPRINT: fingerprint});
        if let Some(hash) = self.hashes.of_line(&spot.file, spot.line, self.sources) {
            prints[LINE_HASH] = json!(hash);
        }
        out.insert("partialFingerprints".into(), prints);
        out.insert("properties".into(), finding_properties(kernel, finding));
        Value::Object(out)
    }

    fn related(&mut self, finding: &Finding, index: usize) -> Value {
        json!({
            "id": index + 1,
            "physicalLocation": self.physical_of(&finding.accesses[index].place),
            "message": {"text": access_label(finding, index)},
        })
    }

    /// The calls that lead to an access, and it: the access after this many steps.
    fn thread_flow(&mut self, access: &Access, together: usize) -> Value {
        let mut steps = Vec::new();
        let calls: Vec<&Place> = calls(access).collect();
        let first = together - calls.len();
        for call in &calls {
            steps.push(self.step(call, steps.len(), first + steps.len(), "call"));
        }
        let value = access.value.as_ref().map_or(String::new(), |v| format!(" of {v}"));
        let text = format!("{}{value}", access.op);
        steps.push(self.step(&access.place, steps.len(), together, &text));
        json!({"id": actor_text(access), "locations": steps})
    }

    fn step(&mut self, place: &Place, nesting: usize, order: usize, text: &str) -> Value {
        json!({
            "location": {
                "physicalLocation": self.physical_of(place),
                "message": {"text": text},
            },
            "nestingLevel": nesting,
            "executionOrder": order,
        })
    }

    fn physical_of(&mut self, place: &Place) -> Value {
        let spot = Spot::of(place, self.sources);
        self.physical(&spot)
    }

    fn physical(&mut self, spot: &Spot) -> Value {
        let mut out = json!({"startLine": spot.line.max(1)});
        if let Some(column) = spot.column {
            out["startColumn"] = json!(column);
        }
        if let Some(end) = spot.end_column {
            out["endColumn"] = json!(end);
        }
        json!({"artifactLocation": self.artifact_location(&spot.file), "region": out})
    }

    fn artifact_location(&mut self, file: &str) -> Value {
        let index = self.file(file);
        let mut out = location(file);
        out["index"] = json!(index);
        out
    }

    /// The number of a file, that is listed from now on.
    fn file(&mut self, file: &str) -> usize {
        self.files.iter().position(|f| f == file).unwrap_or_else(|| {
            self.files.push(file.to_owned());
            self.files.len() - 1
        })
    }

    fn invocation(&mut self, report: &Report, exit_status: u8) -> Value {
        let mut notifications: Vec<Value> =
            report.errors.iter().map(|e| self.notification(e)).collect();
        notifications.extend(report.warnings.iter().map(|w| self.warning(w)));
        json!({
            "executionSuccessful": report.errors.is_empty(),
            "exitCode": exit_status,
            "exitCodeDescription": status_text(exit_status),
            "toolExecutionNotifications": notifications,
        })
    }

    fn notification(&mut self, error: &InputError) -> Value {
        let mut out = json!({"level": "error", "message": {"text": error.message.trim_end()}});
        let place = error.place().map(|(file, line, column)| Place {
            file: file.to_owned(),
            line,
            column,
            ..Place::default()
        });
        if let Some(place) = place {
            out["locations"] = json!([{"physicalLocation": self.physical_of(&place)}]);
        } else if !error.file.is_empty() {
            let at = self.artifact_location(&error.file);
            out["locations"] = json!([{"physicalLocation": {"artifactLocation": at}}]);
        }
        out
    }

    fn warning(&mut self, warning: &Warning) -> Value {
        let message = json!({"text": warning.message});
        if warning.file.is_empty() {
            return json!({"level": "warning", "message": message});
        }
        let mut at = json!({"artifactLocation": self.artifact_location(&warning.file)});
        if warning.line > 0 {
            at["region"] = json!({"startLine": warning.line});
        }
        json!({
            "level": "warning",
            "message": message,
            "locations": [{"physicalLocation": at}],
        })
    }

    fn artifacts(&self, report: &Report) -> Vec<Value> {
        let is_target = |file: &String| report.kernels.iter().any(|k| k.file == *file);
        let artifact = |file: &String| {
            let role = if is_target(file) { "analysisTarget" } else { "resultFile" };
            json!({"location": location(file), "roles": [role]})
        };
        self.files.iter().map(artifact).collect()
    }
}

/// The calls that lead to an access, outermost first.
fn calls(access: &Access) -> impl Iterator<Item = &Place> {
    access.place.inlined_at.iter().rev().filter(|c| c.line > 0)
}

/// How many steps the longest way to an access has before it. Nothing orders the accesses of a finding: all of them
/// come after so many.
fn steps_before(finding: &Finding) -> usize {
    finding.accesses.iter().map(|a| calls(a).count()).max().unwrap_or(0)
}

/// The title, and both places as links to the related locations.
fn message(finding: &Finding) -> String {
    let mut text = title_text(finding);
    let links: Vec<String> = (0..finding.accesses.len())
        .map(|i| {
            let label = access_label(finding, i);
            match finding.accesses[i].place.line {
                0 => label,
                _ => format!("[{}]({})", link_text(&label), i + 1),
            }
        })
        .collect();
    if !links.is_empty() {
        text.push_str(": ");
        text.push_str(&links.join(" and "));
    }
    text.push('.');
    if let Some(condition) = &finding.holds_when {
        text.push_str(&format!(" It happens when {condition}."));
    }
    for help in &finding.help {
        text.push_str(&format!(" Help: {help}."));
    }
    text
}

fn link_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

fn finding_properties(kernel: &KernelReport, finding: &Finding) -> Value {
    let mut out = Map::new();
    out.insert("kernel".into(), json!(kernel.name));
    out.insert("confidence".into(), json!(finding.confidence.name()));
    out.insert("severity".into(), json!(finding.severity.name()));
    let verdict = kernel.verdicts.iter().find(|(k, _)| *k == finding.kind);
    if let Some((_, verdict)) = verdict {
        out.insert("verdict".into(), json!(verdict.name()));
    }
    if finding.benign {
        out.insert("benign".into(), json!(true));
    }
    if let Some(condition) = &finding.holds_when {
        out.insert("holds_when".into(), json!(condition.to_string()));
    }
    if let Some(memory) = &finding.memory {
        out.insert("memory".into(), json!(super::memory_text(memory)));
    }
    if !finding.approximated.is_empty() {
        let list: Vec<Value> = finding.approximated.iter().map(approximated_json).collect();
        out.insert("approximated".into(), json!(list));
    }
    if let Some(launch) = &finding.launch {
        out.insert("launch".into(), json!(launch_options(launch)));
    }
    if !finding.also_in.is_empty() {
        out.insert("also_in".into(), json!(finding.also_in));
    }
    out.insert("occurrences".into(), json!(finding.occurrences));
    Value::Object(out)
}

fn status_text(status: u8) -> &'static str {
    match status {
        0 => "no error was found, and every property asked for is proved or was checked",
        1 => "at least one error was found",
        2 => "the input could not be used",
        _ => "no error was found, but something asked for is unknown",
    }
}

/// A file's name as a URI, relative ones to [`ROOT`].
fn location(file: &str) -> Value {
    let path = lockstep_names::path(file);
    let mut name = path.as_os_str().as_bytes();
    if name.starts_with(b"/") {
        return json!({"uri": format!("file://{}", percent_encoded(name))});
    }
    while let Some(rest) = name.strip_prefix(b"./") {
        name = rest;
    }
    json!({"uri": percent_encoded(name), "uriBaseId": ROOT})
}

fn percent_encoded(path: &[u8]) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/+=@".contains(&b);
    path.iter().fold(String::new(), |out, &b| match plain(b) {
        true => out + char::from(b).encode_utf8(&mut [0; 4]),
        false => format!("{out}%{b:02X}"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::{Confidence, Reason, Verdict};

    fn run(report: &Report) -> Value {
        run_with(report, None)
    }

    fn run_with(report: &Report, book: Option<&str>) -> Value {
        let options =
            SarifOptions { exit_status: report.exit_status(false), book: book.map(str::to_owned) };
        let text = sarif(report, &mut samples::sources(), &options);
        let log: Value = serde_json::from_str(&text).unwrap();
        log["runs"][0].clone()
    }

    #[test]
    fn both_places_are_linked() {
        let run = run(&samples::report());
        let result = &run["results"][0];
        assert_eq!(result["ruleId"], "data-race");
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "data-race");
        assert_eq!(result["level"], "error");
        let text = result["message"]["text"].as_str().unwrap();
        assert!(
            text.contains("[(2) read of 0.25 by thread (0,0,0) of block (0,0,0)](2)"),
            "{text}"
        );
        let first = &result["locations"][0]["physicalLocation"];
        assert_eq!(first["region"], json!({"startLine": 7, "startColumn": 13, "endColumn": 22}));
        let related = result["relatedLocations"].as_array().unwrap();
        assert_eq!(related[1]["id"], 2);
        assert_eq!(related[1]["physicalLocation"]["region"]["startColumn"], 23);
        let flows = result["codeFlows"][0]["threadFlows"].as_array().unwrap();
        assert_eq!(flows[1]["id"], "thread (0,0,0) of block (0,0,0)");
        assert_eq!(run["artifacts"][0]["location"]["uri"], "reduce.cu");
        assert_eq!(run["invocations"][0]["exitCode"], 1);
        assert_eq!(run["properties"]["kernels"][0]["verdicts"]["deadlock"]["verdict"], "unknown");
    }

    #[test]
    fn calls_lead_to_the_access() {
        let mut report = samples::report();
        let place = &mut report.kernels[0].findings[0].accesses[0].place;
        *place = samples::place("util.h", 2, 8);
        place.inlined_at = vec![samples::place("reduce.cu", 4, 5)];
        let run = run(&report);
        let steps = &run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
        assert_eq!(steps[0]["location"]["message"]["text"], "call");
        assert_eq!(steps[0]["location"]["physicalLocation"]["region"]["startLine"], 4);
        assert_eq!(steps[1]["nestingLevel"], 1);
        // The call comes before both accesses, which come together.
        assert_eq!(steps[0]["executionOrder"], 0);
        assert_eq!(steps[1]["executionOrder"], 1);
        let other = &run["results"][0]["codeFlows"][0]["threadFlows"][1]["locations"];
        assert_eq!(other[0]["executionOrder"], 1);
        assert_eq!(run["artifacts"][1]["location"]["uri"], "util.h");
    }

    #[test]
    fn what_is_only_possible_or_has_no_place() {
        let mut report = samples::report();
        let kernel = &mut report.kernels[0];
        kernel.findings[0].confidence = Confidence::Possible;
        kernel.findings[0].accesses.clear();
        kernel.verdicts[0].1 = Verdict::Unknown { because: Reason::NotConfirmed };
        let run = run(&report);
        let result = &run["results"][0];
        assert_eq!(result["level"], "warning");
        assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
        assert!(result.get("codeFlows").is_none());
        assert_eq!(run["invocations"][0]["exitCode"], 3);
    }

    #[test]
    fn inputs_that_cannot_be_used_are_notifications() {
        let message = "a b.cu:3:5: error: expected ';'".to_owned();
        let errors = vec![InputError { file: "a b.cu".into(), message }];
        let message = "nothing needs this".to_owned();
        let warnings = vec![Warning { file: "c.cu".into(), line: 4, message }];
        let run = run(&Report { errors, warnings, ..Report::default() });
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        assert_eq!(invocation["exitCode"], 2);
        let at = &invocation["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"];
        assert_eq!(at["artifactLocation"]["uri"], "a%20b.cu");
        assert_eq!(at["region"]["startLine"], 3);
        let warning = &invocation["toolExecutionNotifications"][1];
        assert_eq!(warning["level"], "warning");
        assert_eq!(run["results"], json!([]));
    }

    #[test]
    fn suppressed_findings_say_why() {
        let mut report = samples::report();
        let because = |in_source| Some(Suppressed { because: "known".into(), in_source });
        report.kernels[0].findings[0].suppressed = because(true);
        assert_eq!(run(&report)["results"][0]["suppressions"][0]["kind"], "inSource");
        report.kernels[0].findings[0].suppressed = because(false);
        let run = run(&report);
        assert_eq!(run["results"][0]["suppressions"][0]["kind"], "external");
        assert_eq!(run["results"][0]["suppressions"][0]["justification"], "known");
        assert_eq!(run["results"][0]["level"], "error");
        assert_eq!(run["invocations"][0]["exitCode"], 3);
    }

    #[test]
    fn rules_are_what_this_version_reports() {
        let run = run(&samples::report());
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        let ids: Vec<&str> = rules.iter().map(|r| r["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), Kind::ALL.into_iter().filter(|k| k.is_reported()).count());
        for rule in rules {
            let kind = Kind::from_name(rule["id"].as_str().unwrap()).unwrap();
            assert_eq!(rule["properties"]["precision"], kind.about().precision.name());
        }
        let precision = |id: &str| {
            let at = ids.iter().position(|i| *i == id).unwrap();
            rules[at]["properties"]["precision"].clone()
        };
        assert_eq!(precision("data-race"), "very-high");
        assert_eq!(precision("out-of-bounds"), "high");
        assert_eq!(precision("redundant-barrier"), "medium");
    }

    /// No address is made up.
    #[test]
    fn pages_of_the_book_where_it_is_published() {
        let report = samples::report();
        let driver = &run(&report)["tool"]["driver"];
        assert!(
            driver.get("informationUri").is_none() && driver["rules"][0].get("helpUri").is_none()
        );
        for book in ["https://docs.example.org/lockstep", "https://docs.example.org/lockstep/"] {
            let run = run_with(&report, Some(book));
            let driver = &run["tool"]["driver"];
            assert_eq!(driver["informationUri"], "https://docs.example.org/lockstep/index.html");
            let page = "https://docs.example.org/lockstep/kinds/data-race.html";
            assert_eq!(driver["rules"][0]["helpUri"], page);
        }
    }

    #[test]
    fn the_line_of_the_primary_place_has_a_hash() {
        let mut report = samples::report();
        let before = run(&report)["results"][0]["partialFingerprints"].clone();
        assert!(before[LINE_HASH].as_str().unwrap().ends_with(":1"), "{before}");
        assert!(before[FINGERPRINT].is_string());
        report.kernels[0].findings[0].accesses.swap(0, 1);
        let after = run(&report)["results"][0]["partialFingerprints"].clone();
        assert_eq!(before, after, "the same line");
        report.kernels[0].findings[0].accesses[0].place.line = 4;
        let after = run(&report)["results"][0]["partialFingerprints"].clone();
        assert_ne!(before[LINE_HASH], after[LINE_HASH]);
        report.kernels[0].findings[0].accesses[0].place.file = "gone.cu".into();
        assert!(run(&report)["results"][0]["partialFingerprints"].get(LINE_HASH).is_none());
    }

    #[test]
    fn names_of_files() {
        assert_eq!(location("/a/ü.cu")["uri"], "file:///a/%C3%BC.cu");
        assert_eq!(location("./src/a.cu"), json!({"uri": "src/a.cu", "uriBaseId": ROOT}));
        assert_eq!(location("C:x%.cu")["uri"], "C%3Ax%25.cu");
        // Names that are not text, or of more than one line, are their bytes again.
        assert_eq!(location("a\\xff\\n\\\\.cu")["uri"], "a%FF%0A%5C.cu");
    }
}
