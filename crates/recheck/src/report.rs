//! What came of a check, and how it is printed.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

/// What came of the questions of one group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answers {
    pub asked: usize,
    pub agreed: usize,
    pub timed_out: usize,
    pub contradicted: usize,
}

impl Answers {
    pub fn add(&mut self, other: Answers) {
        self.asked += other.asked;
        self.agreed += other.agreed;
        self.timed_out += other.timed_out;
        self.contradicted += other.contradicted;
    }
}

/// One kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Kernel {
    pub name: String,
    pub file: String,
    /// The folder of its log.
    pub folder: String,
    pub kinds: Vec<String>,
    /// Pairs of accesses that the kernel has by the check's own count.
    pub pairs: usize,
    /// Questions about races, barriers and bounds.
    pub obligations: Answers,
    /// Questions about simplifications.
    pub rewrites: Answers,
    /// Exclusions without a question that were found to be right.
    pub confirmed: usize,
    /// Those that nothing here can check, by rule.
    pub trusted: BTreeMap<String, usize>,
    /// Claims of the log that are wrong, besides questions that have a model.
    pub wrong: usize,
    /// Pairs and questions that are not in the log.
    pub missing: usize,
    /// What is wrong or missing, in words.
    pub problems: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    pub solver: String,
    pub obligations: usize,
    pub agreed: usize,
    pub timed_out: usize,
    pub contradicted: usize,
    pub pairs: usize,
    pub pairs_missing: usize,
    /// Questions that differ in more than names.
    pub distinct: usize,
    pub kernels: Vec<Kernel>,
}

impl Report {
    pub(crate) fn new(solver: String, distinct: usize, kernels: Vec<Kernel>) -> Report {
        let mut sum = Answers::default();
        let mut report = Report { solver, distinct, ..Report::default() };
        for kernel in &kernels {
            sum.add(kernel.obligations);
            sum.add(kernel.rewrites);
            report.pairs += kernel.pairs;
            report.pairs_missing += kernel.missing;
            report.contradicted += kernel.wrong;
        }
        report.obligations = sum.asked;
        report.agreed = sum.agreed;
        report.timed_out = sum.timed_out;
        report.contradicted += sum.contradicted;
        Report { kernels, ..report }
    }

    /// Whether nothing is contradicted and nothing missing.
    pub fn is_right(&self) -> bool {
        self.contradicted == 0 && self.pairs_missing == 0
    }

    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        for kernel in &self.kernels {
            let all = {
                let mut all = kernel.obligations;
                all.add(kernel.rewrites);
                all
            };
            let _ = writeln!(
                out,
                "{}: kernel {}: {}: {} pairs; {} obligations and {} simplifications: {} agreed, {} timed out, {} contradicted",
                kernel.file,
                kernel.name,
                kernel.kinds.join(", "),
                kernel.pairs,
                kernel.obligations.asked,
                kernel.rewrites.asked,
                all.agreed,
                all.timed_out,
                all.contradicted + kernel.wrong,
            );
            for problem in &kernel.problems {
                let _ = writeln!(out, "  {problem}");
            }
        }
        let mut trusted: BTreeMap<&str, usize> = BTreeMap::new();
        for (rule, n) in self.kernels.iter().flat_map(|k| &k.trusted) {
            *trusted.entry(rule).or_default() += n;
        }
        let confirmed: usize = self.kernels.iter().map(|k| k.confirmed).sum();
        let rules: Vec<String> = trusted.iter().map(|(r, n)| format!("{r} {n}")).collect();
        let _ = writeln!(out, "solver:        {}", self.solver);
        let _ = writeln!(out, "kernels:       {}", self.kernels.len());
        let _ = writeln!(out, "obligations:   {} ({} distinct)", self.obligations, self.distinct);
        let _ = writeln!(out, "agreed:        {}", self.agreed);
        let _ = writeln!(out, "timed out:     {}", self.timed_out);
        let _ = writeln!(out, "contradicted:  {}", self.contradicted);
        let _ = writeln!(out, "pairs:         {}", self.pairs);
        let _ = writeln!(out, "pairs missing: {}", self.pairs_missing);
        let _ = writeln!(out, "excluded without the solver, confirmed: {confirmed}");
        if !rules.is_empty() {
            let _ = writeln!(out, "excluded without the solver, trusted: {}", rules.join(", "));
        }
        out
    }
}
