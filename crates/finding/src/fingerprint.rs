//! What makes a finding the same finding after an edit elsewhere in the file.
//!
//! A fingerprint is made of the kind, the kernel, and for each place its file, what
//! was done there and the text of its line: not of line numbers, threads, values or
//! the launch. Two findings of a kernel that agree in all of it are told apart by
//! their order.
//!
//! An edit of one of the two lines, or a renamed kernel or file, makes it another.
//!
//! [`LineHashes`] are those of GitHub's code scanning, which makes them where a log has none.

use std::collections::HashMap;
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

/// How many characters a line's hash is made of.
const BLOCK: usize = 100;
/// What stands at the end of a text, before zeros.
const END: u64 = 0xffff;

/// `primaryLocationLineHash`, by the algorithm of `github/codeql-action` (`fingerprints.ts`).
///
/// The hash of a line is the polynomial in 37, modulo 2^64, of the 100 UTF-16 units from its start on. Blanks and tabs
/// are left out, all line ends are line feeds, and the text ends with 65535 and zeros. Equal hashes of a file are
/// numbered.
#[derive(Debug, Default)]
pub(crate) struct LineHashes {
    files: HashMap<String, Vec<String>>,
}

impl LineHashes {
    /// The hash of a line, from 1, of a file that can be read.
    pub(crate) fn of_line(
        &mut self,
        file: &str,
        line: u32,
        sources: &mut Sources,
    ) -> Option<String> {
        if !self.files.contains_key(file) {
            let text = sources.text(file)?;
            self.files.insert(file.to_owned(), line_hashes(&text));
        }
        self.files[file].get(line.checked_sub(1)? as usize).cloned()
    }
}

fn line_hashes(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let blank = |unit: &u64| *unit == u64::from(b' ') || *unit == u64::from(b'\t');
    let mut units: Vec<u64> = text.encode_utf16().map(u64::from).filter(|u| !blank(u)).collect();
    units.push(END);
    let line_feed = u64::from(b'\n');
    let starts: Vec<usize> =
        (0..units.len()).filter(|&i| i == 0 || units[i - 1] == line_feed).collect();
    units.extend([0; BLOCK]);
    let mut seen: HashMap<u64, usize> = HashMap::new();
    let hash = |start: usize| {
        let block = &units[start..start + BLOCK];
        block.iter().fold(0u64, |hash, unit| hash.wrapping_mul(37).wrapping_add(*unit))
    };
    let numbered = |start: usize| {
        let hash = hash(start);
        let count = seen.entry(hash).or_default();
        *count += 1;
        format!("{hash:x}:{count}")
    };
    starts.into_iter().map(numbered).collect()
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

    /// Values that the program which code scanning runs gives for these texts.
    #[test]
    fn hashes_of_lines_are_those_of_code_scanning() {
        let hashes = line_hashes("__global__ void k(int *a) {\r\n\ta[0] = 1; // é\r\n}\r\n");
        let expected = [
            "f770ae0a4b74fddf:1",
            "d643835af176c0f1:1",
            "32dce9ccfdbc9d3e:1",
            "c129715d7a2bc9a3:1",
        ];
        assert_eq!(hashes, expected);
        let repeated = line_hashes(&"__syncthreads();\n".repeat(9));
        assert_eq!(repeated[3], "9b6541ce101fd1b7:4");
        assert_eq!(repeated[4], "231ae4f1461dcdaf:1");
    }
}
