//! What makes a finding the same finding after an edit elsewhere in the file.
//!
//! A fingerprint is made of the kind, the kernel, and for each place its file, what
//! was done there and the text of its line: not of line numbers, threads, values or
//! the launch. Two findings of a kernel that agree in all of it are told apart by
//! their order.
//!
//! An edit of one of the two lines, or a renamed kernel or file, makes it another.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::source::{Sources, line_range};
use crate::{Access, Finding, KernelReport};

/// One for each finding of the kernel, in their order: 32 hexadecimal digits.
pub fn fingerprints(kernel: &KernelReport, sources: &mut Sources) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    let mut out = Vec::new();
    for finding in &kernel.findings {
        let mut text = description(kernel, finding, sources);
        let earlier = seen.iter().filter(|s| **s == text).count();
        seen.push(text.clone());
        let _ = write!(text, "{earlier}");
        out.push(hash(&text));
    }
    out
}

fn description(kernel: &KernelReport, finding: &Finding, sources: &mut Sources) -> String {
    let mut text = format!("{}\n{}\n", finding.kind, kernel.mangled);
    let mut places: Vec<String> =
        finding.accesses.iter().map(|a| place_description(a, sources)).collect();
    // Which of the two threads comes first is chance.
    places.sort();
    text.extend(places);
    text
}

fn place_description(access: &Access, sources: &mut Sources) -> String {
    let place = &access.place;
    let source = sources.text(&place.file);
    let line = source.as_deref().and_then(|text| Some(&text[line_range(text, place.line)?]));
    // Without the text its function is the next best.
    let line = line.unwrap_or(&place.function);
    let words: Vec<&str> = line.split_whitespace().collect();
    format!("{}\n{}\n{}\n", access.op, place.file, words.join(" "))
}

fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(16).fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::samples;

    #[test]
    fn other_lines_may_come_and_go() {
        let mut kernel = samples::kernel();
        let before = fingerprints(&kernel, &mut samples::sources());
        assert_eq!(before.len(), 1);
        assert_eq!(before[0].len(), 32);

        let mut sources = Sources::new();
        sources
            .insert("reduce.cu", &format!("// moved\n\n{}", samples::REDUCE.replace("    ", "  ")));
        for access in &mut kernel.findings[0].accesses {
            access.place.line += 2;
        }
        kernel.findings[0].accesses.swap(0, 1);
        kernel.findings[0].accesses[0].thread = Some([3, 0, 0]);
        assert_eq!(fingerprints(&kernel, &mut sources), before);

        kernel.findings[0].accesses[1].place.line += 1;
        assert_ne!(fingerprints(&kernel, &mut sources), before);
    }

    #[test]
    fn twins_differ() {
        let mut kernel = samples::kernel();
        kernel.findings.push(kernel.findings[0].clone());
        let prints = fingerprints(&kernel, &mut samples::sources());
        assert_ne!(prints[0], prints[1]);
    }
}
