//! Agreement with the litmus tests of Dat3M, where `$LOCKSTEP_CORPORA/Dat3M` is a checkout of it.

use std::path::PathBuf;

use lockstep_weak::Limits;
use lockstep_weak::litmus::corpus::{Row, Table};

/// Tests whose outcome needs values, or ways through the code, that cause themselves. OpenCL's model allows them; they
/// are not explored.
const OUT_OF_THIN_AIR: [&str; 7] = [
    "litmus/OPENCL/herd/thinair.litmus",
    "litmus/OPENCL/overhauling/example7b.litmus",
    "litmus/OPENCL/portedFromC11/auto/cyc.litmus",
    "litmus/OPENCL/portedFromC11/auto/linearisation2.litmus",
    "litmus/OPENCL/portedFromC11/auto/roachmotel2.litmus",
    "litmus/OPENCL/portedFromC11/auto/seq2.litmus",
    "litmus/OPENCL/portedFromC11/auto/strengthen2.litmus",
];

fn agrees(table: Table) {
    differs_in(table, &[]);
}

/// All tests agree but for these.
fn differs_in(table: Table, explained: &[&str]) {
    let Some(corpora) = std::env::var_os("LOCKSTEP_CORPORA") else {
        println!(
            "skipped: LOCKSTEP_CORPORA is not set (a directory with a checkout of hernanponcedeleon/Dat3M in Dat3M/)"
        );
        return;
    };
    let root = PathBuf::from(corpora).join("Dat3M");
    if !root.exists() {
        println!("skipped: no {}", root.display());
        return;
    }
    let rows = table.run(&root, Limits::default()).expect("the table of expected results is there");
    assert!(rows.len() > 30);
    let different: Vec<&Row> = rows.iter().filter(|row| row.differs()).collect();
    let mut paths: Vec<&str> = different.iter().map(|row| row.path.as_str()).collect();
    paths.sort_unstable();
    let agree = rows.iter().filter(|row| row.agrees()).count();
    println!(
        "{}: {} tests, {agree} agree, {} differ, {} left out",
        table.name,
        rows.len(),
        different.len(),
        rows.len() - agree - different.len()
    );
    assert_eq!(paths, explained, "{different:#?}");
}

#[test]
fn ptx_6_0() {
    agrees(Table::PTX_6_0);
}

#[test]
fn ptx_7_5() {
    agrees(Table::PTX_7_5);
}

#[test]
fn ptx_as_documented() {
    agrees(Table::PTX_DOCUMENTED);
}

#[test]
fn termination_under_ptx_6_0() {
    agrees(Table::PTX_6_0_TERMINATION);
}

#[test]
fn termination_under_ptx_7_5() {
    agrees(Table::PTX_7_5_TERMINATION);
}

#[test]
fn opencl() {
    differs_in(Table::OPENCL, &OUT_OF_THIN_AIR);
}

#[test]
fn races_in_opencl() {
    differs_in(Table::OPENCL_RACES, &OUT_OF_THIN_AIR[1..2]);
}
