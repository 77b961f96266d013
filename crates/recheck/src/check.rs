//! A whole log: pairs, rules, and questions.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lockstep_kernel::SiteId;

use crate::accesses::{Access, accesses};
use crate::barriers::{Among, separate};
use crate::log::{self, Exclusion, Level, Logged, Pair, Proved};
use crate::pairs::{Meeting, are_atomic, common_spaces, meeting};
use crate::report::{Answers, Kernel, Report};
use crate::script::{Question, questions};
use crate::solver::{Answer, Solver, Way};

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub solver: Solver,
    /// For one question.
    pub limit: Duration,
    /// Solvers that run at once.
    pub jobs: usize,
}

/// Questions that one process of the solver is asked.
const BATCH: usize = 24;

/// The first time for a question.
const SHORT: Duration = Duration::from_secs(2);

/// Bytes of a question that has a process of its own.
const LARGE: usize = 20_000;

/// Problems of a kernel that are told one by one.
const MOST_PROBLEMS: usize = 20;

/// Checks all proofs of a folder. An error where it cannot be read, or the solver cannot be used.
pub fn recheck(dir: &Path, options: &Options) -> Result<Report, String> {
    let folders = log::folders(dir)?;
    let version = options.solver.version()?;
    let logs = folders.iter().map(|f| log::read(f)).collect::<Result<Vec<Logged>, String>>()?;
    let mut numbers: HashMap<String, usize> = HashMap::new();
    // By kernel and kind: the questions, by name and number.
    let mut asked: Vec<Vec<Vec<(String, usize)>>> = Vec::new();
    for logged in &logs {
        let mut of_kernel = Vec::new();
        for (proved, script) in logged.proof.kinds.iter().zip(&logged.scripts) {
            let path = logged.folder.join(format!("{}.smt2", proved.kind));
            let list = questions(script).map_err(|e| format!("{}: {e}", path.display()))?;
            let number = |q: Question| {
                let next = numbers.len();
                (q.name, *numbers.entry(q.text).or_insert(next))
            };
            of_kernel.push(list.into_iter().map(number).collect());
        }
        asked.push(of_kernel);
    }
    let mut texts: Vec<&str> = vec![""; numbers.len()];
    for (text, i) in &numbers {
        texts[*i] = text;
    }
    let answers = ask_all(&texts, options)?;
    let kernels = logs
        .iter()
        .zip(&asked)
        .map(|(logged, asked)| {
            let mut report = structure(logged);
            for (proved, asked) in logged.proof.kinds.iter().zip(asked) {
                compare(&mut report, proved, asked, &answers);
            }
            let left = report.problems.len().saturating_sub(MOST_PROBLEMS);
            if left > 0 {
                report.problems.truncate(MOST_PROBLEMS);
                report.problems.push(format!("{left} more"));
            }
            report
        })
        .collect();
    Ok(Report::new(version, texts.len(), kernels))
}

/// The answers to all questions, in their order.
fn ask_all(texts: &[&str], options: &Options) -> Result<Vec<Answer>, String> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        match batches.last_mut() {
            Some(last)
                if last.len() < BATCH
                    && text.len() < LARGE
                    && last.iter().all(|&j| texts[j].len() < LARGE) =>
            {
                last.push(i);
            }
            _ => batches.push(vec![i]),
        }
    }
    let answers = Mutex::new(vec![Answer::Unknown; texts.len()]);
    let failed: Mutex<Option<String>> = Mutex::new(None);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1).min(batches.len()) {
            scope.spawn(|| {
                while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match ask_batch(texts, batch, options) {
                        Ok(own) => {
                            let mut all = answers.lock().unwrap_or_else(|e| e.into_inner());
                            batch.iter().zip(own).for_each(|(&i, answer)| all[i] = answer);
                        }
                        Err(e) => {
                            *failed.lock().unwrap_or_else(|e| e.into_inner()) = Some(e);
                            return;
                        }
                    }
                }
            });
        }
    });
    match failed.into_inner().unwrap_or_else(|e| e.into_inner()) {
        Some(e) => Err(e),
        None => Ok(answers.into_inner().unwrap_or_else(|e| e.into_inner())),
    }
}

/// Every way of the solver gets a short time first, and then the whole.
fn ask_batch(texts: &[&str], batch: &[usize], options: &Options) -> Result<Vec<Answer>, String> {
    let mut out = vec![Answer::Unknown; batch.len()];
    let is_long = options.limit > SHORT;
    let limits = [options.limit.min(SHORT), options.limit];
    for limit in limits.into_iter().take(1 + usize::from(is_long)) {
        for &way in options.solver.ways() {
            let open: Vec<usize> =
                (0..batch.len()).filter(|&i| out[i] == Answer::Unknown).collect();
            let left: Vec<&str> = open.iter().map(|&i| texts[batch[i]]).collect();
            let answers = ask_in_turn(&left, way, limit, options)?;
            open.iter().zip(answers).for_each(|(&i, answer)| out[i] = answer);
        }
    }
    Ok(out)
}

/// A question that ends the solver has no answer; those behind it are asked of another process.
fn ask_in_turn(
    texts: &[&str],
    way: Way,
    limit: Duration,
    options: &Options,
) -> Result<Vec<Answer>, String> {
    let mut out = Vec::new();
    while out.len() < texts.len() {
        let answers = options.solver.ask(way, &texts[out.len()..], limit)?;
        let is_silent = answers.is_empty();
        out.extend(answers);
        if is_silent {
            out.push(Answer::Unknown);
        }
    }
    Ok(out)
}

/// Counts the answers to the questions of a kind, and notes which of them the log does not have.
fn compare(report: &mut Kernel, proved: &Proved, asked: &[(String, usize)], answers: &[Answer]) {
    for (count, what) in [(proved.obligations.len(), "obligation"), (proved.rewrites, "rewrite")] {
        let names: BTreeSet<&str> = asked.iter().map(|(name, _)| name.as_str()).collect();
        for i in 0..count {
            let name = format!("{what} {i}");
            if !names.contains(name.as_str()) {
                report.missing += 1;
                report.problems.push(format!("{}: {name} is not in the log", proved.kind));
            }
        }
    }
    for (name, number) in asked {
        let mut one = Answers { asked: 1, ..Answers::default() };
        let mut tell = |what: &str| {
            let index = name.strip_prefix("obligation ").and_then(|i| i.parse::<usize>().ok());
            let about = index.and_then(|i| proved.obligations.get(i));
            let about = about
                .map_or(String::new(), |o| format!(" ({}, decided by {})", o.about, o.decided_by));
            report.problems.push(format!("{}: {name}{about}: {what}", proved.kind));
        };
        match answers[*number] {
            Answer::Unsat => one.agreed = 1,
            Answer::Unknown => one.timed_out = 1,
            Answer::Sat => {
                one.contradicted = 1;
                tell("contradicted: the solver has a model");
            }
            Answer::Refused => {
                one.contradicted = 1;
                tell("the solver cannot read it");
            }
        }
        match name.starts_with("rewrite ") {
            true => report.rewrites.add(one),
            false => report.obligations.add(one),
        }
    }
}

/// The pairs and rules of a kernel, without a solver.
fn structure(logged: &Logged) -> Kernel {
    let proof = &logged.proof;
    let mut report = Kernel {
        name: proof.kernel.clone(),
        file: proof.file.clone(),
        folder: logged.folder.display().to_string(),
        kinds: proof.kinds.iter().map(|k| k.kind.clone()).collect(),
        ..Kernel::default()
    };
    if !logged.is_same_kernel {
        report.wrong += 1;
        report.problems.push("the kernel is not the one that was proved: its hash differs".into());
    }
    for proved in proof.kinds.iter().filter(|k| k.kind == "data-race") {
        Structure { logged, proved, all: accesses(&logged.kernel) }.check(&mut report);
    }
    report
}

struct Structure<'a> {
    logged: &'a Logged,
    proved: &'a Proved,
    all: Vec<Access>,
}

/// What came of a rule.
enum Rule {
    Confirmed,
    /// Nothing here can check it.
    Trusted,
    /// It is for some threads only, and right.
    Partly,
    Wrong(&'static str),
}

impl Structure<'_> {
    fn check(&self, report: &mut Kernel) {
        let kernel = &self.logged.kernel;
        let mut listed: HashMap<(SiteId, SiteId, Level), &Pair> = HashMap::new();
        for pair in &self.proved.pairs {
            listed.insert((pair.sites.0, pair.sites.1, pair.level), pair);
            self.pair(pair, report);
        }
        for (i, a) in self.all.iter().enumerate() {
            for b in &self.all[i..] {
                for level in [Level::WithinBlock, Level::AcrossBlocks] {
                    let may_alias = self.proved.may_alias;
                    if !a.writes && !b.writes
                        || are_atomic(a, b, level)
                        || meeting(kernel, a, b, level, may_alias) == Meeting::Never
                    {
                        continue;
                    }
                    report.pairs += 1;
                    let (x, y) = (a.site.min(b.site), a.site.max(b.site));
                    if listed.contains_key(&(x, y, level)) {
                        continue;
                    }
                    let not_made = &self.proved.not_made;
                    if not_made.contains(&x) || not_made.contains(&y) {
                        *report.trusted.entry("not-made".into()).or_default() += 1;
                        continue;
                    }
                    report.missing += 1;
                    report.problems.push(format!("missing: {}", self.describe(x, y, level)));
                }
            }
        }
    }

    /// The rules of a pair of the log.
    fn pair(&self, pair: &Pair, report: &mut Kernel) {
        let (x, y) = pair.sites;
        let find = |site: SiteId| self.all.iter().find(|a| a.site == site);
        let (Some(a), Some(b)) = (find(x), find(y)) else {
            // Of a block that control cannot come to.
            *report.trusted.entry("not-made".into()).or_default() += 1;
            return;
        };
        let mut is_excluded = false;
        for exclusion in &pair.excluded {
            if exclusion.rule == "obligation" {
                match exclusion.obligation {
                    Some(i) if i < self.proved.obligations.len() => is_excluded = true,
                    _ => {
                        report.missing += 1;
                        let what = self.describe(x, y, pair.level);
                        report.problems.push(format!("an obligation is missing: {what}"));
                    }
                }
                continue;
            }
            match self.rule(a, b, pair.level, exclusion) {
                Rule::Confirmed => {
                    is_excluded = true;
                    report.confirmed += 1;
                }
                Rule::Partly => report.confirmed += 1,
                Rule::Trusted => {
                    is_excluded = true;
                    *report.trusted.entry(exclusion.rule.clone()).or_default() += 1;
                }
                Rule::Wrong(why) => {
                    report.wrong += 1;
                    let what = self.describe(x, y, pair.level);
                    report.problems.push(format!("{what}: {}: {why}", exclusion.rule));
                }
            }
        }
        if !is_excluded {
            report.missing += 1;
            let what = self.describe(x, y, pair.level);
            report.problems.push(format!("nothing excludes all threads: {what}"));
        }
    }

    fn rule(&self, a: &Access, b: &Access, level: Level, exclusion: &Exclusion) -> Rule {
        let kernel = &self.logged.kernel;
        let may_alias = self.proved.may_alias;
        let separated = |among: Among| {
            let spaces = common_spaces(kernel, a, b, level, may_alias);
            spaces.into_iter().all(|space| separate(kernel, a, b, space, among))
        };
        let crossed = "control comes to both without a barrier between them";
        match exclusion.rule.as_str() {
            "both-atomic" if are_atomic(a, b, level) => Rule::Confirmed,
            "both-atomic" => Rule::Wrong("they are not"),
            "different-objects" => match meeting(kernel, a, b, level, may_alias) {
                Meeting::Never => Rule::Confirmed,
                Meeting::Maybe => Rule::Trusted,
                Meeting::Always => Rule::Wrong("both are made to the same object"),
            },
            "no-bytes" if a.bytes == Some(0) || b.bytes == Some(0) => Rule::Confirmed,
            "no-bytes" if a.bytes.is_none() || b.bytes.is_none() => Rule::Trusted,
            "no-bytes" => Rule::Wrong("both have bytes"),
            "barriers" if level == Level::WithinBlock && separated(Among::Block) => Rule::Confirmed,
            "grid-barriers" if separated(Among::Grid) => Rule::Confirmed,
            "tile-barriers" if level == Level::WithinBlock && separated(Among::Tile) => {
                Rule::Partly
            }
            "warp-barriers" if level == Level::WithinBlock && separated(Among::Warp) => {
                Rule::Partly
            }
            "barriers" | "grid-barriers" | "tile-barriers" | "warp-barriers" => {
                Rule::Wrong(crossed)
            }
            "lockstep" if self.proved.lockstep && level == Level::WithinBlock => Rule::Partly,
            "lockstep" => Rule::Wrong("threads of a warp may run apart"),
            "group-copies" if a.group || b.group => Rule::Trusted,
            "group-copies" => Rule::Wrong("neither is made by a group copy"),
            "barriers-by-conditions" | "never-made" => Rule::Trusted,
            _ => Rule::Wrong("no such rule"),
        }
    }

    fn describe(&self, a: SiteId, b: SiteId, level: Level) -> String {
        let place = |site: SiteId| {
            let kernel = &self.logged.kernel;
            let line = kernel.sites.get(site.0 as usize).map_or(0, |s| kernel.loc(s.loc).line);
            format!("access {} (line {line})", site.0)
        };
        let level = match level {
            Level::WithinBlock => "two threads of one block",
            Level::AcrossBlocks => "threads of two blocks",
        };
        format!("{} and {}, {level}", place(a), place(b))
    }
}
