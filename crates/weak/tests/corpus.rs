//! Agreement with the litmus tests of Dat3M, where `$LOCKSTEP_CORPORA/Dat3M` is a checkout of it.

use std::path::PathBuf;

use lockstep_weak::Limits;
use lockstep_weak::litmus::corpus::{Row, Table};

fn agrees(table: Table) {
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
    assert!(different.is_empty(), "{different:#?}");
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
