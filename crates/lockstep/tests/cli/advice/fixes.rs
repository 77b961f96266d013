//! The `fix` of a finding is an edit that can be applied: then the finding is gone.

use serde_json::Value;
use tempfile::TempDir;

use crate::support::lockstep;

/// Both fences are missing; the flag stands behind a condition without braces.
const MESSAGE: (&str, &str) = (
    "message.cu",
    "\
__global__ void send(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;
        if (gridDim.x > 1)
            atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        out[blockIdx.x] = *data;
    }
}
",
);

/// The fence before the flag serves one block only.
const NARROW: (&str, &str) = (
    "narrow.cu",
    "\
__global__ void send(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        out[blockIdx.x] = *data;
    }
}
",
);

/// The ticket is one of the block, and blocks draw it.
const REACH: (&str, &str) = (
    "reach.cu",
    "\
__global__ void last(int *part, unsigned *ticket, int *out) {
    if (threadIdx.x != 0) return;
    part[blockIdx.x] = 1;
    __threadfence();
    if (atomicAdd_block(ticket, 1) == gridDim.x - 1) {
        __threadfence();
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += part[i];
        *out = sum;
    }
}
",
);

/// The statements come from a macro: there is no line to put a fence on.
const MACRO: (&str, &str) = (
    "macro.cu",
    "\
#define SEND(data, flag) *data = 42; atomicExch(flag, 1)
__global__ void send(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) { SEND(data, flag); } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        out[blockIdx.x] = *data;
    }
}
",
);

/// The first finding that is a missing fence.
fn missing(folder: &TempDir, file: &str) -> Value {
    let ended = lockstep(folder.path(), &["fences", file, "--format", "json"]);
    let report: Value = serde_json::from_str(&ended.out).expect("JSON");
    let findings = report["kernels"][0]["findings"].as_array().expect("a list").clone();
    let found = findings.into_iter().find(|f| f["kind"] == "missing-fence");
    found.unwrap_or_else(|| panic!("{file}: no fence is missing\n{report:#}"))
}

/// A text with the edits of a fix, from the last to the first.
fn edited(text: &str, fix: &Value) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for edit in fix["edits"].as_array().expect("a list").iter().rev() {
        let number = |name: &str| edit[name].as_u64().expect("a number") as usize - 1;
        assert_eq!(number("line"), number("end_line"));
        let range = number("column")..number("end_column");
        lines[number("line")].replace_range(range, edit["text"].as_str().expect("a text"));
    }
    lines.concat()
}

#[test]
fn what_a_fix_edits_is_cured() {
    let cases = [
        (MESSAGE, "insert __threadfence() before line 5, insert __threadfence() before line 10"),
        (NARROW, "write __threadfence at line 5"),
        (REACH, "write atomicAdd at line 5"),
    ];
    for ((file, text), description) in cases {
        let folder = TempDir::new().expect("a temporary folder");
        std::fs::write(folder.path().join(file), text).expect("written");
        let finding = missing(&folder, file);
        let fix = &finding["fix"];
        assert_eq!(fix["description"], description, "{finding:#}");
        assert_eq!(fix["verified"], "clean", "{file}");
        std::fs::write(folder.path().join(file), edited(text, fix)).expect("written");
        let ended = lockstep(folder.path(), &["fences", file]);
        assert_eq!(ended.status, 0, "{file}:\n{}\n{}", ended.out, edited(text, fix));
    }
}

#[test]
fn what_cannot_be_edited_has_no_fix() {
    let folder = TempDir::new().expect("a temporary folder");
    let (file, text) = MACRO;
    std::fs::write(folder.path().join(file), text).expect("written");
    assert_eq!(missing(&folder, file)["fix"], Value::Null);
}
