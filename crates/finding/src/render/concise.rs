//! `--format concise`: one line a finding, for editors and `grep`.
//!
//! ```text
//! reduce.cu:7:13: error[data-race]: data race on s[8] … (kernel reduce)
//! ```

use std::fmt::Write;

use super::{one_line, title_text};
use crate::source::Sources;
use crate::{Finding, KernelReport, Report, Spot, Verdict};

/// `quiet` leaves out what is unknown.
pub fn concise(report: &Report, sources: &mut Sources, quiet: bool) -> String {
    let mut out = String::new();
    for kernel in &report.kernels {
        for finding in kernel.findings.iter().filter(|f| f.suppressed.is_none()) {
            finding_line(&mut out, kernel, finding, sources);
        }
        for (kind, verdict) in &kernel.verdicts {
            if let Verdict::Unknown { because } = verdict
                && !quiet
                && !kernel.is_suppressed(*kind)
            {
                let place = format!("{}:{}", kernel.text_file(), kernel.line);
                let _ = writeln!(
                    out,
                    "{place}: unknown[{kind}]: {} (kernel {})",
                    one_line(&because.to_string()),
                    kernel.name
                );
            }
        }
    }
    out
}

fn finding_line(out: &mut String, kernel: &KernelReport, finding: &Finding, sources: &mut Sources) {
    let place = Spot::primary(kernel, finding, sources);
    let when = finding.holds_when.as_ref().map_or(String::new(), |c| format!(", when {c}"));
    let _ = writeln!(
        out,
        "{place}: {}[{}]: {}{when} (kernel {})",
        finding.severity.name(),
        finding.kind,
        one_line(&title_text(finding)),
        kernel.name
    );
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::launch::Expr;
    use crate::{Confidence, When};

    #[test]
    fn conditions_are_said() {
        let mut report = samples::report();
        report.kernels[0].verdicts.clear();
        let finding = &mut report.kernels[0].findings[0];
        finding.holds_when = Some(When::exactly(Expr::parse("n < 8").unwrap()));
        finding.confidence = Confidence::Possible;
        finding.message = "possible data race on s".into();
        let line = "reduce.cu:7:13: error[data-race]: possible: data race on s, when n < 8 (kernel reduce)\n";
        assert_eq!(concise(&report, &mut samples::sources(), false), line);
    }

    #[test]
    fn one_line_each() {
        assert_eq!(
            concise(&samples::report(), &mut samples::sources(), false),
            "reduce.cu:7:13: error[data-race]: data race on s[8]: (1) write by thread (8,0,0) of block (0,0,0) and (2) read by thread (0,0,0) of block (0,0,0) (kernel reduce)\n\
             reduce.cu:1: unknown[deadlock]: interrupted (kernel reduce)\n"
        );
        let quiet = concise(&samples::report(), &mut samples::sources(), true);
        assert_eq!(quiet.lines().count(), 1, "{quiet}");
    }
}
