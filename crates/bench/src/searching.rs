//! `lockstep search --format json`, run and read: what the sections `simulee`, `seeds` and `excuses` share.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

/// One finding of a search, as far as the sections judge it.
pub(crate) struct Found {
    pub(crate) kind: String,
    pub(crate) severity: String,
    pub(crate) confidence: String,
    pub(crate) conditional: bool,
    pub(crate) benign: bool,
    /// The lines of its accesses, in whatever file they stand.
    pub(crate) lines: Vec<u64>,
    /// Where it is conditional: when it shows.
    pub(crate) when: Option<String>,
}

impl Found {
    /// How sure it is, in a word: the weakest reservation first.
    pub(crate) fn state(&self) -> &str {
        match self {
            Found { conditional: true, .. } => "conditional",
            Found { benign: true, .. } => "benign",
            Found { confidence, .. } => confidence,
        }
    }
}

pub(crate) struct Searched {
    pub(crate) findings: Vec<Found>,
    /// The rows of the table of excuses that had something to say, which only `--verbose` tells.
    pub(crate) excuses: Vec<String>,
    /// Of the whole process, clang included.
    pub(crate) seconds: f64,
}

/// Runs `lockstep search` with these arguments in `dir`. What ends with status 2, or without a
/// report, is an error with the first line of the reason.
pub(crate) fn search(lockstep: &Path, dir: &Path, args: &[String]) -> Result<Searched, String> {
    let start = Instant::now();
    let output = Command::new(lockstep)
        .env("LOCKSTEP_NO_CACHE", "1")
        .args(["search", "--format", "json"])
        .args(args)
        .current_dir(dir)
        // Cargo sets it for tests.
        .env_remove("LOCKSTEP_REPRODUCIBLE")
        .output()
        .map_err(|e| format!("{}: {e}", lockstep.display()))?;
    let seconds = start.elapsed().as_secs_f64();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let first = stderr.lines().find(|l| !l.trim().is_empty()).unwrap_or("no report").to_string();
    let json: Value = serde_json::from_slice(&output.stdout).map_err(|_| first)?;
    if let Some(error) = list(&json["errors"]).first() {
        let message = error["message"].as_str().unwrap_or("an error");
        return Err(message.lines().next().unwrap_or_default().to_string());
    }
    let findings = list(&json["kernels"]).iter().flat_map(|k| list(&k["findings"])).map(read);
    let excuses = stderr.lines().filter_map(excuse).map(String::from).collect();
    Ok(Searched { findings: findings.collect(), excuses, seconds })
}

/// `k.cu: kernel k: data-race at line 3: excuse short-rows: when …`: the name of the row.
fn excuse(line: &str) -> Option<&str> {
    let (_, said) = line.split_once(": excuse ")?;
    said.split_once(':').map(|(name, _)| name)
}

fn read(finding: &Value) -> Found {
    let text = |key: &str| finding[key].as_str().unwrap_or_default().to_string();
    let flag = |key: &str| finding[key].as_bool().unwrap_or(false);
    let mut lines: Vec<u64> =
        list(&finding["accesses"]).iter().filter_map(|a| a["line"].as_u64()).collect();
    lines.sort_unstable();
    lines.dedup();
    Found {
        kind: text("kind"),
        severity: text("severity"),
        confidence: text("confidence"),
        conditional: flag("conditional"),
        benign: flag("benign"),
        lines,
        when: finding["holds_when"].as_str().map(String::from),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_read() {
        let json: Value = serde_json::from_str(
            r#"{"kind": "data-race", "severity": "warning", "confidence": "confirmed", "conditional": true,
                "accesses": [{"line": 7}, {"line": 5}, {"line": 7}]}"#,
        )
        .expect("JSON");
        let found = read(&json);
        assert_eq!(found.lines, [5, 7]);
        assert_eq!(found.state(), "conditional");
        assert!(!found.benign);
        let line = "k.cu: kernel k: data-race at line 3: excuse short-rows: when n < 8";
        assert_eq!(excuse(line), Some("short-rows"));
        assert_eq!(excuse("k.cu: kernel k: search"), None);
    }
}
