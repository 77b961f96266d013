//! `--statistics`: findings and verdicts by kind, and where the time went, for terminals.

use super::picture::aligned;
use crate::counts::Counted;
use crate::{Kind, Report, Verdict};

/// Three tables: findings of each kind by what they count as, verdicts of each kind, and the seconds of each engine.
pub fn statistics(report: &Report, seconds: &[(&str, f64)]) -> String {
    let tables = [
        ("findings", findings(report)),
        ("verdicts", verdicts(report)),
        ("time of all workers together", times(seconds)),
    ];
    let text = |(title, lines): &(&str, Vec<Vec<String>>)| {
        let body = if lines.is_empty() { "none".into() } else { aligned(lines, true) };
        let indented: Vec<String> = body.lines().map(|l| format!("  {l}")).collect();
        format!("{title}\n{}\n", indented.join("\n"))
    };
    tables.iter().map(text).collect::<Vec<_>>().join("\n")
}

fn findings(report: &Report) -> Vec<Vec<String>> {
    let number = |kind: Kind, counted: Counted| {
        let of_kernel = |k: &crate::KernelReport| {
            k.findings.iter().filter(|f| f.kind == kind && k.counted(f) == counted).count()
        };
        report.kernels.iter().map(of_kernel).sum::<usize>()
    };
    table(&Counted::ALL.map(Counted::name), |kind| Counted::ALL.map(|c| number(kind, c)).to_vec())
}

fn verdicts(report: &Report) -> Vec<Vec<String>> {
    let number = |kind: Kind, name: &str| {
        let all = report.kernels.iter().flat_map(|k| &k.verdicts);
        all.filter(|(k, v)| *k == kind && v.name() == name).count()
    };
    table(&Verdict::NAMES, |kind| Verdict::NAMES.map(|n| number(kind, n)).to_vec())
}

/// A line for each kind that has a number, and one for their sums.
fn table(columns: &[&str], numbers: impl Fn(Kind) -> Vec<usize>) -> Vec<Vec<String>> {
    let line = |name: &str, cells: Vec<String>| [vec![name.to_owned()], cells].concat();
    let texts = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>();
    let rows: Vec<(Kind, Vec<usize>)> = Kind::ALL
        .into_iter()
        .map(|kind| (kind, numbers(kind)))
        .filter(|(_, numbers)| numbers.iter().any(|n| *n > 0))
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![line("", columns.iter().map(|c| (*c).to_owned()).collect())];
    lines.extend(rows.iter().map(|(kind, numbers)| line(kind.name(), texts(numbers))));
    if rows.len() > 1 {
        let sums: Vec<usize> =
            (0..columns.len()).map(|c| rows.iter().map(|(_, numbers)| numbers[c]).sum()).collect();
        lines.push(line("all", texts(&sums)));
    }
    lines
}

fn times(seconds: &[(&str, f64)]) -> Vec<Vec<String>> {
    let line = |(engine, s): &(&str, f64)| vec![(*engine).to_owned(), format!("{s:.2} s")];
    seconds.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::Severity;

    #[test]
    fn three_tables() {
        let mut report = samples::report();
        report.kernels.push(samples::kernel());
        report.kernels[1].findings[0].severity = Severity::Warning;
        let text = statistics(&report, &[("compile", 0.25), ("prove", 1.5)]);
        let expected = "\
findings
             errors  warnings  conditional  possible  suppressed
  data-race       1         1            0         0           0

verdicts
                      found  unknown  clean  proved
  data-race               2        0      0       0
  barrier-divergence      0        0      2       0
  out-of-bounds           0        0      2       0
  deadlock                0        2      0       0
  all                     2        2      4       0

time of all workers together
  compile  0.25 s
  prove    1.50 s
";
        assert_eq!(text, expected);
    }

    #[test]
    fn nothing_at_all() {
        let text = statistics(&Report::default(), &[]);
        assert_eq!(text.matches("  none\n").count(), 3, "{text}");
    }
}
