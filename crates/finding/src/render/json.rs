//! `--format json`: one object, as interface.md fixes it.
//!
//! Optional fields are left out where they say nothing: `benign`,
//! `conditional` with `holds_when`, `printed`, `outputs`, `suppressed` with its
//! `because`, `also_in`, `instances`, `chosen`, `arch`, `warnings`. Arrays that `--dump`
//! asked for stand under `outputs`, by name, as plain lists; values that JSON
//! has no number for are the texts `"NaN"`, `"Infinity"`, `"-Infinity"`.

use serde_json::{Map, Value, json};

use super::pretty::pretty;
use crate::launch::number_to_json;
use crate::source::Sources;
use crate::{
    Access, Approximated, Condition, Counted, Counts, Finding, KernelReport, Origin, Place, Report,
    Spot, Standing, Suppressed, Verdict,
};

const SCHEMA: u32 = 1;

pub fn json(report: &Report, sources: &mut Sources) -> String {
    let kernels: Vec<Value> = report.kernels.iter().map(|k| kernel_json(k, sources)).collect();
    let errors: Vec<Value> =
        report.errors.iter().map(|e| json!({"file": e.file, "message": e.message})).collect();
    let mut out = json!({
        "schema": SCHEMA,
        "tool": {"name": "lockstep", "version": env!("CARGO_PKG_VERSION")},
        "kernels": kernels,
        "errors": errors,
        "summary": summary_json(&Counts::of(report)),
    });
    if let Some(program) = &report.program {
        out["program"] = json!(program);
    }
    if !report.warnings.is_empty() {
        out["warnings"] = json!(report.warnings);
    }
    pretty(&out)
}

/// Findings by what they count as, and kernels by how they stand: the numbers that the exit status follows from.
pub(super) fn summary_json(counts: &Counts) -> Value {
    let findings = Counted::ALL.map(|c| (c.name().to_owned(), json!(counts.findings(c))));
    let standings = Standing::ALL.map(|s| (s.name().to_owned(), json!(counts.kernels_with(s))));
    let kernels = [("all".to_owned(), json!(counts.kernels))].into_iter().chain(standings);
    json!({
        "findings": Map::from_iter(findings),
        "kernels": Map::from_iter(kernels),
        "unusable_inputs": counts.unusable,
    })
}

fn kernel_json(kernel: &KernelReport, sources: &mut Sources) -> Value {
    let mut out = Map::new();
    out.insert("name".into(), json!(kernel.name));
    out.insert("mangled".into(), json!(kernel.mangled));
    out.insert("file".into(), json!(kernel.text_file()));
    if kernel.header.is_some() {
        out.insert("input".into(), json!(kernel.file));
    }
    out.insert("line".into(), json!(kernel.line));
    out.insert("language".into(), json!(kernel.language));
    if let Some(arch) = &kernel.arch {
        out.insert("arch".into(), json!(arch));
    }
    out.insert("verdicts".into(), verdicts_json(kernel));
    if !kernel.for_every.is_empty() {
        out.insert("for_every".into(), json!(kernel.for_every));
    }
    if !kernel.instances.is_empty() {
        out.insert("instances".into(), json!(kernel.instances));
    }
    if let Some(chosen) = &kernel.chosen {
        out.insert("chosen".into(), json!(chosen));
    }
    let findings: Vec<Value> = kernel.findings.iter().map(|f| finding_json(f, sources)).collect();
    out.insert("findings".into(), json!(findings));
    if let Some(launch) = &kernel.launch {
        out.insert("launch".into(), json!(launch));
    }
    if let Some(launches) = &kernel.launches {
        out.insert("launches".into(), json!(launches));
    }
    if !kernel.printed.is_empty() {
        out.insert("printed".into(), json!(kernel.printed));
    }
    let outputs: Map<String, Value> = kernel
        .outputs
        .iter()
        .filter(|o| o.is_complete())
        .map(|o| (o.name.clone(), o.values.iter().map(|v| number_to_json(v)).collect()))
        .collect();
    if !outputs.is_empty() {
        out.insert("outputs".into(), Value::Object(outputs));
    }
    if kernel.ended_by_clock {
        out.insert("ended_by_clock".into(), json!(true));
    }
    if let Some(command) = &kernel.go_on {
        out.insert("go_on".into(), json!(command.from_anywhere()));
    }
    out.insert("seconds".into(), json!((kernel.seconds * 1e6).round() / 1e6));
    Value::Object(out)
}

pub(super) fn verdicts_json(kernel: &KernelReport) -> Value {
    let verdicts: Map<String, Value> =
        kernel.verdicts.iter().map(|(k, v)| (k.name().to_owned(), verdict_json(v))).collect();
    Value::Object(verdicts)
}

fn verdict_json(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Proved { assumes } => proved_json(assumes),
        Verdict::Clean { covered } => json!({"verdict": "clean", "covered": covered}),
        Verdict::Found => json!({"verdict": "found"}),
        Verdict::Unknown { because } => {
            json!({"verdict": "unknown", "because": because.to_string()})
        }
    }
}

/// Conditions as texts, and where they come from unless all of them are our own.
fn proved_json(assumes: &[Condition]) -> Value {
    let texts: Vec<String> = assumes.iter().map(|c| c.claim.to_string()).collect();
    let mut out = json!({"verdict": "proved", "assumes": texts});
    if assumes.iter().any(|c| c.origin != Origin::Choice) {
        let origins: Vec<&str> = assumes.iter().map(|c| c.origin.name()).collect();
        out["origins"] = json!(origins);
    }
    out
}

fn finding_json(finding: &Finding, sources: &mut Sources) -> Value {
    let mut out = Map::new();
    out.insert("kind".into(), json!(finding.kind.name()));
    out.insert("severity".into(), json!(finding.severity.name()));
    out.insert("confidence".into(), json!(finding.confidence.name()));
    if finding.benign {
        out.insert("benign".into(), json!(true));
    }
    if let Some(condition) = &finding.holds_when {
        out.insert("conditional".into(), json!(true));
        out.insert("holds_when".into(), json!(condition.to_string()));
    }
    if let Some(memory) = &finding.memory {
        out.insert("space".into(), json!(memory.space));
        out.insert("object".into(), json!(memory.object));
        out.insert("element".into(), json!(memory.element));
        out.insert("bytes".into(), json!(memory.bytes));
        if let Some(ty) = &memory.element_type {
            out.insert("element_type".into(), json!(ty));
        }
        if let Some(size) = memory.object_size {
            out.insert("object_size".into(), json!(size));
        }
    }
    let accesses: Vec<Value> = finding.accesses.iter().map(|a| access_json(a, sources)).collect();
    out.insert("accesses".into(), json!(accesses));
    let approximated: Vec<Value> = finding.approximated.iter().map(approximated_json).collect();
    out.insert("approximated".into(), json!(approximated));
    out.insert("launch".into(), json!(finding.launch));
    if let Some(repeat) = &finding.repeat {
        out.insert("repeat".into(), json!(repeat.from_anywhere()));
    }
    if let Some(host) = &finding.host {
        out.insert("host".into(), json!(host));
    }
    out.insert("message".into(), json!(finding.message));
    out.insert("help".into(), json!(finding.help));
    out.insert("fix".into(), json!(finding.fix));
    out.insert("occurrences".into(), json!(finding.occurrences));
    if !finding.also_in.is_empty() {
        out.insert("also_in".into(), json!(finding.also_in));
    }
    if let Some(Suppressed { because, in_source }) = &finding.suppressed {
        let by = if *in_source { "source" } else { "project" };
        out.insert("suppressed".into(), json!({"because": because, "by": by}));
    }
    Value::Object(out)
}

fn access_json(access: &Access, sources: &mut Sources) -> Value {
    let mut out = Map::new();
    out.insert("op".into(), json!(access.op));
    out.insert("thread".into(), json!(access.thread));
    out.insert("block".into(), json!(access.block));
    place_fields(&mut out, &access.place, sources);
    if let Some(value) = &access.value {
        out.insert("value".into(), number_to_json(value));
    }
    if !access.notes.is_empty() {
        out.insert("notes".into(), json!(access.notes));
    }
    Value::Object(out)
}

/// The column is that of the expression, as in all formats.
fn place_fields(out: &mut Map<String, Value>, place: &Place, sources: &mut Sources) {
    let column = match place.line {
        0 => Some(place.column),
        _ => Spot::of(place, sources).column,
    };
    out.insert("file".into(), json!(place.file));
    out.insert("line".into(), json!(place.line));
    out.insert("column".into(), json!(column));
    if !place.function.is_empty() {
        out.insert("function".into(), json!(place.function));
    }
    if !place.inlined_at.is_empty() {
        let chain: Vec<Value> = place
            .inlined_at
            .iter()
            .map(|call| {
                let mut entry = Map::new();
                place_fields(&mut entry, call, sources);
                Value::Object(entry)
            })
            .collect();
        out.insert("inlined_at".into(), json!(chain));
    }
}

pub(super) fn approximated_json(a: &Approximated) -> Value {
    let affects = match (a.affects_reachability, a.affects_index) {
        (true, true) => "both",
        (true, false) => "reachability",
        _ => "index",
    };
    json!({"variable": a.variable.to_string(), "affects": affects})
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::{ElementType, InputError, Output};

    #[test]
    fn fields_and_their_order() {
        let mut report = samples::report();
        report.kernels[0].findings[0].benign = true;
        report.kernels[0].launch = None;
        report.errors.push(InputError { file: "b.cu".into(), message: "no such file".into() });
        let text = json(&report, &mut samples::sources());
        let expected = r#"{
  "schema": 1,
  "tool": {
    "name": "lockstep",
    "version": "VERSION"
  },
  "kernels": [
    {
      "name": "reduce",
      "mangled": "_Z6reducePfS_i",
      "file": "reduce.cu",
      "line": 1,
      "language": "cuda",
      "verdicts": {
        "data-race": {
          "verdict": "found"
        },
        "barrier-divergence": {
          "verdict": "clean",
          "covered": "1 launch (grid 1, block 32), 100% of the accesses"
        },
        "out-of-bounds": {
          "verdict": "clean",
          "covered": "1 launch (grid 1, block 32), 100% of the accesses"
        },
        "deadlock": {
          "verdict": "unknown",
          "because": "interrupted"
        }
      },
      "findings": [
        {
          "kind": "data-race",
          "severity": "error",
          "confidence": "confirmed",
          "benign": true,
          "space": "shared",
          "object": "s",
          "element": 8,
          "bytes": [32, 36],
          "element_type": "f32",
          "object_size": 128,
          "accesses": [
            {
              "op": "write",
              "thread": [8, 0, 0],
              "block": [0, 0, 0],
              "file": "reduce.cu",
              "line": 7,
              "column": 13,
              "function": "reduce",
              "value": 1.5
            },
            {
              "op": "read",
              "thread": [0, 0, 0],
              "block": [0, 0, 0],
              "file": "reduce.cu",
              "line": 7,
              "column": 23,
              "function": "reduce",
              "value": 0.25
            }
          ],
          "approximated": [],
          "launch": {
            "grid": [1, 1, 1],
            "block": [32, 1, 1],
            "shared": 0,
            "args": {
              "in": "f32[32]:random",
              "out": "f32[1]",
              "n": 32
            },
            "seed": 0
          },
          "message": "data race on s[8]: (1) write by thread (8,0,0) of block (0,0,0) and (2) read by thread (0,0,0) of block (0,0,0)",
          "help": ["put __syncthreads() between the two"],
          "fix": null,
          "occurrences": 31
        }
      ],
      "seconds": 0.031
    }
  ],
  "errors": [
    {
      "file": "b.cu",
      "message": "no such file"
    }
  ],
  "summary": {
    "findings": {
      "errors": 1,
      "warnings": 0,
      "conditional": 0,
      "possible": 0,
      "suppressed": 0
    },
    "kernels": {
      "all": 1,
      "errors": 1,
      "unknown": 0,
      "warnings": 0,
      "clean": 0,
      "proved": 0
    },
    "unusable_inputs": 1
  }
}
"#;
        assert_eq!(text, expected.replace("VERSION", env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn values_that_are_no_numbers_are_text() {
        let mut report = samples::report();
        let kernel = &mut report.kernels[0];
        let data: Vec<u8> =
            [1.5f32, f32::NAN, f32::INFINITY].iter().flat_map(|v| v.to_le_bytes()).collect();
        kernel.outputs = vec![
            Output::from_bytes("out", ElementType::F32, &data, true),
            Output::from_bytes("long", ElementType::U8, &[0; 100], false),
        ];
        kernel.printed = "hello\n".into();
        let value: Value = serde_json::from_str(&json(&report, &mut samples::sources())).unwrap();
        let kernel = &value["kernels"][0];
        assert_eq!(kernel["outputs"], json!({"out": [1.5, "NaN", "Infinity"]}));
        assert_eq!(kernel["printed"], "hello\n");
    }
}
