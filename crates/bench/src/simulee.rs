//! Tables 2 and 3 of "Simulee: Detecting CUDA Synchronization Bugs via Memory-Access Modeling", as
//! Simulee, four other tools and Lockstep fill them.
//!
//! Reads `$LOCKSTEP_CORPORA/Simulee`, a checkout of shadowmydx/Simulee, and runs `lockstep search` on
//! the kernel of each row, with nothing given but the kernel's name and what its file needs to
//! compile. A row counts as found where there is a finding of its kind; how sure that finding is
//! stands beside it. Seconds are wall times of whole processes, clang included; those of the paper
//! were measured on another machine.
//!
//! What else is found in a row's kernel is judged by hand, once, in [`ROWS`]: `races`, `diverges` and
//! `redundant` say what is true of the kernel as it stands in the checkout, under today's memory
//! model without lock-step warps. A finding of another kind, or at another barrier, that is not
//! `conditional` is a false positive; a true one that the paper does not list is printed as `also`.

use std::path::{Path, PathBuf};

use crate::searching::{Found, search};
use crate::{Bench, median};

const RACE: &str = "data-race";
const DIVERGENCE: &str = "barrier-divergence";
const BARRIER: &str = "redundant-barrier";

/// One row of a table.
struct Row {
    table: u8,
    project: &'static str,
    kernel: &'static str,
    /// Kinds and numbers of the bugs that the paper counts.
    bugs: &'static [(&'static str, u8)],
    /// As published: Simulee, GPUVerify, GKLEE, GKLEE-SESA, RaceChecker. ✓ found, ✗ missed, F false
    /// positive, then seconds.
    paper: [&'static str; 5],
    source: Source,
}

enum Source {
    /// What the checkout holds.
    At {
        file: &'static str,
        /// Where it is not the paper's.
        name: &'static str,
        flags: &'static [&'static str],
        races: bool,
        diverges: bool,
        /// Lines of barriers that order nothing, or only what races anyway.
        redundant: &'static [u64],
    },
    Missing(&'static str),
}

const fn at(
    file: &'static str,
    name: &'static str,
    races: bool,
    diverges: bool,
    redundant: &'static [u64],
) -> Source {
    Source::At { file, name, flags: &[], races, diverges, redundant }
}

const fn row(
    table: u8,
    project: &'static str,
    kernel: &'static str,
    bugs: &'static [(&'static str, u8)],
    paper: [&'static str; 5],
    source: Source,
) -> Row {
    Row { table, project, kernel, bugs, paper, source }
}

const NA: &str = "✗ N/A";
const TO: &str = "✗ TO";

#[rustfmt::skip] // a table
const ROWS: [Row; 39] = [
    // s_ftmp is read by the first thread of a row and written by the last. Barrier 38 is done again by that of the loop.
    row(2, "arrayfire", "scan_nonfinal_kernel", &[(RACE, 1)], ["✓ 1.01", "✓ 3.01", "✓ 1.6", TO, "✓ 0.78"],
        at("arrayfire-repair/scan_first_by_key_impl.hpp", "scan_nonfinal_kernel", true, false, &[38])),
    // Barrier 62 orders only the pair that races within a round.
    row(2, "arrayfire", "scan_dim_nonfinal_kernel", &[(RACE, 1)], ["✓ 1.17", "✓ 3.4", "✓ 0.89", TO, "✓ 1.17"],
        at("arrayfire-repair/scan_dim_by_key_impl.hpp", "scan_dim_nonfinal_kernel", true, false, &[62])),
    // The race of the last steps needs distances that differ, and in this excerpt all are the same unless the block is
    // smaller than its arrays: then what nobody wrote decides. Barriers 50 and 69 are needed only in that case.
    row(2, "arrayfire", "hamming_matcher", &[(RACE, 1)], ["✗ 6.56", "✓ 23.53", "✓ 2.97", TO, "✓ 0.37"],
        at("arrayfire-repair/hamming3.cu", "hamming_matcher", true, false, &[43, 50, 69])),
    // Steps of 128, 64 and 32 by threads below 32, 16 and 8 meet nobody's element: barriers 42 and 49.
    row(2, "arrayfire", "hamming_matcher_unroll", &[(RACE, 1)], ["✓ 4.01", "✓ 24.93", "✓ 2.38", TO, "✓ 0.57"],
        at("arrayfire-repair/hamming1.cu", "hamming_matcher_unroll", true, false, &[42, 49])),
    // Barrier 55 orders only the pair that races, 57 comes directly behind it, 63 ends the kernel.
    row(2, "arrayfire", "JacobiSVD", &[(RACE, 2)], ["✓✓ 10.73", "✓✓FFF 80.5", "✗✗ TO", "✗✗ TO", "✓✓ 1.21"],
        at("arrayfire-repair/JacobiSVD.cu", "JacobiSVD", true, false, &[55, 57, 63])),
    row(2, "arrayfire", "warp_reduce", &[(RACE, 1)], ["✓ 1.34", "✓ 2.34", "✓ 0.69", TO, NA],
        at("arrayfire-repair/reduce.cu", "warp_reduce", true, false, &[])),
    // One row of threads as the file defines it: barrier 47 is never reached, 38 orders only the pair that races.
    row(2, "arrayfire", "scan_dim_kernel", &[(RACE, 1)], ["✓ 2.06", "✓ 1.06", "✓ 0.34", TO, "✓ 0.28"],
        at("arrayfire-repair/scan_dim.hpp", "scan_dim_kernel", true, false, &[38, 47])),
    row(2, "arrayfire", "hamming_matcher", &[(RACE, 1)], ["✓ 1.38", "✓ 120.85", "✓ 27.58", TO, "✓ 0.47"],
        at("arrayfire-repair/hamming2.cu", "hamming_matcher", true, false, &[43, 50])),
    row(2, "arrayfire", "select_matches", &[(DIVERGENCE, 1)], ["✓ 0.61", "✓ 5.16", "✗ 0.52", TO, NA],
        at("arrayfire/arrayfire-Fix-syncthreads-in-cuda-nearest-neighbour.cu", "select_matches", false, true, &[])),
    // Also: every thread of f < 6 stores the same result (benign); barriers as in hamming3.cu.
    row(2, "arrayfire", "hamming_matcher_unroll", &[(DIVERGENCE, 1)], ["✓ 0.43", TO, "✓ 0.65", TO, NA],
        at("arrayfire-repair/hamming5.cu", "hamming_matcher_unroll", true, true, &[43, 50, 69])),
    // Also: rows of threads share the bins (benign here, for all are 0).
    row(2, "arrayfire", "computeDescriptor", &[(DIVERGENCE, 1)], ["✓ 2.26", "✓FFF 7.78", "✓ 1.84", TO, NA],
        at("arrayfire-repair/Descriptor1.cu", "computeDescriptor", true, true, &[])),
    // Also: the same warp-synchronous race as in reduce.cu.
    row(2, "arrayfire", "warp_reduce", &[(DIVERGENCE, 1)], ["✓ 1.42", "✓ 2.34", "✓ 0.69", TO, NA],
        at("arrayfire-repair/reducebd.cpp", "warp_reduce", true, true, &[])),
    row(2, "arrayfire", "computeMedian", &[(BARRIER, 1)], ["✓ 0.47", NA, NA, NA, NA],
        Source::At { file: "arrayfire-repair/computeMedian.cu", name: "computeMedian", flags: &["-Dm=1.0f", "-DFLT_MAX=3.4e38f"],
            races: false, diverges: false, redundant: &[13] }),
    // Also: the reduction is used again without a barrier behind its result, and is reached by threads below a limit only.
    row(2, "arrayfire", "harris_response", &[(BARRIER, 1)], ["✓ 0.66", NA, NA, NA, NA],
        Source::At { file: "arrayfire-repair/harris_response.cu", name: "harris_response", flags: &["-Dconst="],
            races: true, diverges: true, redundant: &[75] }),
    row(2, "GkleeTests", "device_global", &[(RACE, 1)], ["✓ 0.53", "✓ 2.23", "✓ 1.56", "✓ 0.91", NA],
        Source::Missing("not in the checkout (its scripts read a .ll that is not there)")),
    row(2, "GkleeTests", "colonel", &[(RACE, 1)], ["✓ 1.11", "✓ 2.12", "✓ 0.71", "✓ 0.65", NA],
        at("gklee-test-repair/conel.cu", "colonel", true, false, &[])),
    // Also: neighbours across blocks, and the averaging in place.
    row(2, "GkleeTests", "dl (deadlock_0)", &[(DIVERGENCE, 1)], ["✓ 1.61", "✓F 2.39", "✓ 0.61", "✓ 0.23", NA],
        at("gklee-test-repair/barrier1.cu", "dl", true, true, &[])),
    row(2, "GkleeTests", "dl (deadlock_2)", &[(DIVERGENCE, 1)], ["✓ 1.94", "✓ 2.1", "✓ 1.12", "✓ 0.41", NA],
        at("gklee-test-repair/barrier3.cu", "dl", false, true, &[])),
    row(2, "kaldi", "_add_diag_mat_mat", &[(DIVERGENCE, 1)], ["✓ 9.38", "✓ 3.41", "✗ 181.57", TO, NA],
        at("kaldi-repair/_add_diag_mat.cu", "_add_diag_mat_mat", false, true, &[])),
    row(2, "kaldi", "_softmax_reduce", &[(BARRIER, 1)], [NA, NA, NA, TO, NA],
        Source::Missing("only the later, rewritten kernel is in the checkout")),
    row(2, "kaldi", "_div_rows_vec", &[(BARRIER, 1)], [NA, NA, NA, TO, NA],
        Source::Missing("only the later, rewritten kernel is in the checkout")),
    // Also: what barrier 47 orders is not read in this excerpt.
    row(2, "thundersvm", "nu_smo_solve_kernel", &[(RACE, 2)], ["✓✓ 1.23", "✗✗ TO", "✓✓ 1.93", "✗✗ TO", "✓✓ 1.24"],
        at("thundersvm-repair/smo_kernel.cu", "nu_smo_solve_kernel", true, false, &[47])),

    row(3, "cuda-cnn", "g_getCost_3", &[(BARRIER, 1)], ["✓ 1.39", NA, NA, NA, NA],
        at("cuda-cnn-new-bug/new-func.cu", "g_getCost_3", false, false, &[7])),
    // 143 ends the kernel, 105 separates two uses of a thread's own cells. The traps are 116 and 131, which order different
    // threads' cells. Also: the tree is racy (threads below 8 read what they write), and so are the results.
    row(3, "cudaSift", "FindMaxCorr", &[(BARRIER, 1)], ["✓FFF 0.93", NA, NA, NA, NA],
        at("cudaSift-new-bug/new-func.cu", "FindMaxCorr", true, false, &[105, 143])),
    row(3, "cudaSift", "FindMaxCorr1", &[(BARRIER, 1)], ["✓ 1.02", NA, NA, NA, NA],
        Source::Missing("not in the checkout")),
    row(3, "cudaSift", "FindMaxCorr2", &[(BARRIER, 1)], ["✓ 0.97", NA, NA, NA, NA],
        at("cudaSift-new-bug/new-func.cu", "FindMaxCorr_2", true, false, &[160])),
    row(3, "cudaSift", "FindMaxCorr3", &[(BARRIER, 1)], ["✓ 1.05", NA, NA, NA, NA],
        Source::Missing("not in the checkout")),
    row(3, "cudpp", "sparseMatrixVectorFetchAndMultiply", &[(BARRIER, 1)], ["✓ 0.7", NA, NA, NA, NA],
        at("sparse.cu", "sparseMatrixVectorFetchAndMultiply<float, false>", false, false, &[192])),
    // Also: rows that begin at the same entry store the same flag (benign).
    row(3, "cudpp", "sparseMatrixVectorSetFlags", &[(BARRIER, 1)], ["✓ 0.61", NA, NA, NA, NA],
        at("sparse.cu", "sparseMatrixVectorSetFlags", true, false, &[234])),
    row(3, "cudpp", "yGather", &[(BARRIER, 1)], ["✓ 1.13", NA, NA, NA, NA],
        at("sparse.cu", "yGather<float>", false, false, &[283])),
    // Also: threads of one pair store to the same place.
    row(3, "gunrock", "Join", &[(DIVERGENCE, 1)], ["✓ 1.21", TO, "✗ 1.84", TO, NA],
        at("gunrock/gunrock.cu", "Join", true, true, &[])),
    // The races of the next six need a stride that is smaller than a row: true ones are conditional.
    row(3, "kaldi", "_add_diag_vec_mat", &[(RACE, 2)], ["✓✓ 1.23", "✓✓ 1.17", "✓✓ 18.7", "✗✗ TO", "✗✗ N/A"],
        at("kaldi-new-bug/new-func.cu", "_add_diag_vec_mat", false, false, &[])),
    row(3, "kaldi", "_copy_low_upp", &[(RACE, 1)], ["✓ 2.7", "✓F 3.21", "✓F 0.572", "✓F 0.649", NA],
        at("kaldi-new-bug/new-func.cu", "_copy_low_upp", false, false, &[])),
    row(3, "kaldi", "_copy_upp_low", &[(RACE, 1)], ["✓ 0.79", "✓F 3.11", "✓F 0.598", "✓F 0.712", NA],
        at("kaldi-new-bug/new-func.cu", "_copy_upp_low", false, false, &[])),
    row(3, "kaldi", "_splice", &[(RACE, 1)], ["✓ 0.73", "✓ 1.31", "✓ 23.61", NA, NA],
        at("kaldi-new-bug/new-func.cu", "_splice", false, false, &[])),
    row(3, "kaldi", "_copy_from_tp", &[(RACE, 3)], ["✓✓✓ 0.96", "✓✓✓ 1.99", "✓✓✓ 26.3", "✗✗✗ TO", "✗✗✗ N/A"],
        at("kaldi-new-bug/new-func.cu", "_copy_from_tp", false, false, &[])),
    row(3, "kaldi", "_copy_from_mat", &[(RACE, 1)], ["✓ 0.69", "✓ 2.11", "✓ 20.59", TO, NA],
        at("kaldi-new-bug/new-func.cu", "_copy_from_mat", false, false, &[])),
    row(3, "kaldi", "_sum_reduce", &[(RACE, 2), (BARRIER, 1)],
        ["✓✓✓ 0.14", "✓✓✓/✗ 2.86", "✓✓✓/✗ 1.06", "✗✗✗/✗ TO", "✗✗✗/✗ 0.34"],
        at("kaldi-new-bug/fse-func.cu", "_sum_reduce", true, false, &[5])),
    // Every thread stores the number of rounds (benign). Also: what barrier 61 orders is read behind others.
    row(3, "thundersvm", "c_smo_solve_kernel", &[(RACE, 3)], ["✓✓✓ 3.11", "✗✗✗ TO", "✗✗✗ 6.43", "✗✗✗ TO", "✓✓✓ 1.38"],
        at("thundersvm-new-bug/new-fun.cu", "c_smo_solve_kernel", true, false, &[61])),
];

/// Those of our own files that a row needs.
fn ours() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/simulee")
}

/// What a search of a row's kernel gave.
struct Judged {
    /// For each of the row's kinds: how many findings, and the surest one's state.
    found: Vec<(usize, String)>,
    false_positives: Vec<String>,
    also: Vec<String>,
    seconds: f64,
}

pub(crate) fn run(bench: &Bench) -> Result<(), String> {
    let Some(corpora) = std::env::var_os("LOCKSTEP_CORPORA") else {
        println!(
            "skipped: LOCKSTEP_CORPORA is not set (a directory with a checkout of shadowmydx/Simulee in Simulee/)"
        );
        return Ok(());
    };
    let root = Path::new(&corpora).join("Simulee");
    if !root.is_dir() {
        println!("skipped: no checkout of shadowmydx/Simulee at {}", root.display());
        return Ok(());
    }
    let root = root.canonicalize().map_err(|e| format!("{}: {e}", root.display()))?;
    let (mut rows, mut bugs, mut bugs_found, mut wrong) = (0, 0, 0, 0);
    let (mut times, mut ratios, mut missing, mut remarks) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut table = 0;
    for row in &ROWS {
        if row.table != table {
            table = row.table;
            println!(
                "\ntable {table}; the paper's columns as published: ✓ found, ✗ missed, F false positive, seconds"
            );
            println!(
                "{:<11}{:<35}{:<6}{:<4} {:<22}{:>3}{:>8}{:>7}  {:<11}{:<12}{:<11}{:<11}RaceChecker",
                "project",
                "kernel",
                "bug",
                "num",
                "Lockstep",
                "FP",
                "s",
                "ratio",
                "Simulee",
                "GPUVerify",
                "GKLEE",
                "GKLEE-SESA"
            );
        }
        let kinds: Vec<&str> = row.bugs.iter().map(|(kind, _)| short(kind)).collect();
        let numbers: Vec<String> = row.bugs.iter().map(|(_, n)| n.to_string()).collect();
        let published = seconds_of(row.paper[0]);
        let (mut answer, mut fp, mut time, mut ratio) =
            (String::new(), String::from("-"), String::from("-"), String::from("-"));
        match judge(bench, &root, row) {
            Err(why) => {
                answer.push_str("not compared");
                missing.push(format!("{} {}: {why}", row.project, row.kernel));
            }
            Ok(judged) => {
                rows += 1;
                let parts: Vec<String> = judged
                    .found
                    .iter()
                    .map(|(n, state)| if *n == 0 { "✗".into() } else { format!("✓ {n} {state}") })
                    .collect();
                answer = parts.join(" / ");
                for ((_, number), (n, _)) in row.bugs.iter().zip(&judged.found) {
                    bugs += usize::from(*number);
                    // One finding may stand for several of the paper's, which counts pairs of threads.
                    bugs_found += if *n == 0 { 0 } else { usize::from(*number) };
                }
                wrong += judged.false_positives.len();
                fp = judged.false_positives.len().to_string();
                time = format!("{:.2}", judged.seconds);
                times.push(judged.seconds);
                if let Some(published) = published {
                    ratios.push(judged.seconds / published);
                    ratio = format!("{:.2}", judged.seconds / published);
                }
                for (title, lines) in
                    [("false positive", &judged.false_positives), ("also", &judged.also)]
                {
                    remarks.extend(
                        lines
                            .iter()
                            .map(|l| format!("{title}: {} {}: {l}", row.project, row.kernel)),
                    );
                }
            }
        }
        println!(
            "{:<11}{:<35}{:<6}{:<4} {:<22}{:>3}{:>8}{:>7}  {:<11}{:<12}{:<11}{:<11}{}",
            row.project,
            row.kernel,
            kinds.join("/"),
            numbers.join("/"),
            answer,
            fp,
            time,
            ratio,
            row.paper[0],
            row.paper[1],
            row.paper[2],
            row.paper[3],
            row.paper[4]
        );
    }
    println!(
        "\n{rows} of {} rows compared: {bugs_found} of {bugs} bugs found (by kind), {wrong} false positives",
        ROWS.len()
    );
    println!(
        "seconds: median {:.2}, most {:.2}; ratio to Simulee's seconds (another machine): median {:.2}, most {:.2}",
        median(&times),
        times.iter().copied().fold(0.0, f64::max),
        median(&ratios),
        ratios.iter().copied().fold(0.0, f64::max)
    );
    remarks.sort_by_key(|r| !r.starts_with("false"));
    remarks.iter().for_each(|line| println!("  {line}"));
    missing.iter().for_each(|line| println!("  not compared: {line}"));
    Ok(())
}

fn judge(bench: &Bench, root: &Path, row: &Row) -> Result<Judged, String> {
    let Source::At { file, name, flags, races, diverges, redundant } = &row.source else {
        let Source::Missing(why) = row.source else { unreachable!("two variants") };
        return Err(why.to_string());
    };
    // A file without a folder is one of ours, which names the checkout's.
    let (path, mut args) = if file.contains('/') {
        (root.join(file), Vec::new())
    } else {
        let dirs = [root.to_path_buf(), ours()];
        (ours().join(file), dirs.iter().map(|d| format!("-I{}", d.display())).collect())
    };
    if !path.is_file() {
        return Err(format!("no {}", path.display()));
    }
    args.insert(0, path.display().to_string());
    args.extend(["--lang", "cuda", "--kernel", name].map(String::from));
    args.extend(flags.iter().map(|f| f.to_string()));
    let searched = search(&bench.lockstep, root, &args)?;
    let mut found = Vec::new();
    for (kind, _) in row.bugs {
        let of_kind: Vec<&Found> = searched
            .findings
            .iter()
            .filter(|f| f.kind == *kind && is_true(f, true, true, redundant))
            .collect();
        let surest = ["confirmed", "possible", "benign", "conditional"]
            .iter()
            .find(|s| of_kind.iter().any(|f| f.state() == **s));
        found.push((of_kind.len(), surest.unwrap_or(&"").to_string()));
    }
    let (mut false_positives, mut also) = (Vec::new(), Vec::new());
    for f in &searched.findings {
        if ![RACE, DIVERGENCE, BARRIER].contains(&f.kind.as_str()) {
            continue;
        }
        let text = format!("{} at {:?}, {}", f.kind, f.lines, f.state());
        let expected = row.bugs.iter().any(|(kind, _)| f.kind == *kind);
        if f.conditional {
            if !expected {
                also.push(text);
            }
        } else if !is_true(f, *races, *diverges, redundant) {
            false_positives.push(text);
        } else if !expected {
            also.push(text);
        }
    }
    Ok(Judged { found, false_positives, also, seconds: searched.seconds })
}

/// Whether a finding agrees with what is known of the kernel.
fn is_true(f: &Found, races: bool, diverges: bool, redundant: &[u64]) -> bool {
    match f.kind.as_str() {
        RACE => races,
        DIVERGENCE => diverges,
        _ => f.lines.iter().any(|l| redundant.contains(l)),
    }
}

fn short(kind: &str) -> &'static str {
    match kind {
        RACE => "DR",
        DIVERGENCE => "BD",
        _ => "RB",
    }
}

fn seconds_of(column: &str) -> Option<f64> {
    column.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The totals of the paper's last rows: 24 and 24 bugs, of which Simulee finds 21 and 24 with 0
    /// and 3 false positives.
    #[test]
    fn the_tables_are_typed_right() {
        for (table, rows, bugs, found, wrong) in [(2, 22, 24, 21, 0), (3, 17, 24, 24, 3)] {
            let of: Vec<&Row> = ROWS.iter().filter(|r| r.table == table).collect();
            let count = |c: char| of.iter().map(|r| r.paper[0].matches(c).count()).sum::<usize>();
            assert_eq!(of.len(), rows);
            assert_eq!(
                of.iter().flat_map(|r| r.bugs).map(|b| usize::from(b.1)).sum::<usize>(),
                bugs
            );
            assert_eq!(count('✓'), found);
            assert_eq!(count('F'), wrong);
        }
        assert_eq!(seconds_of("✓✓ 10.73"), Some(10.73));
        assert_eq!(seconds_of(NA), None);
    }
}
