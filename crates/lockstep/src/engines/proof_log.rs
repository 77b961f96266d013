//! `lockstep prove --proof-log`: proofs as `lockstep recheck` reads them.

use std::fs;
use std::path::Path;

use lockstep_finding::{Kind, Verdict};
use lockstep_kernel::Kernel;
use lockstep_prove::ProofLog;
use lockstep_recheck::log::{Exclusion, Level, Obligation, Pair, Proved, write};

const README: &str = "\
This folder was written by 'lockstep prove --proof-log'. 'lockstep recheck' checks it with a solver.

Each folder is one kernel that is proved: kernel.json is the kernel, proof.json says for each kind (data-race,
barrier-divergence, out-of-bounds, assertion) under which conditions it is proved, how each pair of accesses is excluded
(data-race only), and which rule or method decided each obligation. KIND.smt2 holds the obligations and the simplifications
that were made before they were written, as SMT-LIB 2: a solver answers 'unsat' to each where the proof is right.

A kind that is proved because the kernel has no operation of that sort has nothing to check, and no file.
";

/// Prepares the folder, which must be empty.
pub(crate) fn prepare(dir: &Path) -> Result<(), String> {
    let cannot = |e: std::io::Error| format!("--proof-log: cannot write {}: {e}", dir.display());
    fs::create_dir_all(dir).map_err(cannot)?;
    if fs::read_dir(dir).map_err(cannot)?.next().is_some() {
        return Err(format!("--proof-log: {} is not empty", dir.display()));
    }
    fs::write(dir.join("README"), README).map_err(cannot)
}

/// Writes the log of one kernel: of the kinds that are proved in the end.
pub(crate) fn keep(
    dir: &Path,
    kernel: &Kernel,
    file: &str,
    logs: Vec<(Kind, ProofLog)>,
    verdicts: &[(Kind, Verdict)],
) -> Result<(), String> {
    let mut kinds = Vec::new();
    for (kind, log) in logs {
        let verdict = verdicts.iter().find(|(k, _)| *k == kind).map(|(_, v)| v);
        if let Some(Verdict::Proved { assumes }) = verdict {
            let assumes = assumes.iter().map(ToString::to_string).collect();
            kinds.push(proved(kind, assumes, log));
        }
    }
    if kinds.is_empty() {
        return Ok(());
    }
    write(dir, kernel, file, kinds).map(|_| ())
}

fn proved(kind: Kind, assumes: Vec<String>, log: ProofLog) -> (Proved, String) {
    let level = |across_blocks: bool| match across_blocks {
        true => Level::AcrossBlocks,
        false => Level::WithinBlock,
    };
    let exclusion =
        |(rule, obligation): (&str, Option<usize>)| Exclusion { rule: rule.to_owned(), obligation };
    let pairs = log.pairs.into_iter().map(|p| Pair {
        sites: p.sites,
        level: level(p.across_blocks),
        excluded: p.excluded.into_iter().map(exclusion).collect(),
    });
    let obligations = log
        .obligations
        .iter()
        .map(|o| Obligation { about: o.about.to_owned(), decided_by: o.decided_by.to_owned() });
    let proved = Proved {
        kind: kind.name().to_owned(),
        assumes,
        lockstep: log.lockstep,
        may_alias: log.may_alias,
        not_made: log.unreached,
        pairs: pairs.collect(),
        obligations: obligations.collect(),
        rewrites: log.rewrites,
    };
    (proved, log.script)
}
