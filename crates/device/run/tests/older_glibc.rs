//! `lockstep-device` starts where Rust's own library starts: with glibc 2.17 or newer.
#![cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]

use std::process::Command;

const OLDEST: (u32, u32) = (2, 17);

/// The version in `pthread_create@GLIBC_2.2.5`, without its last part.
fn version_of(symbol: &str) -> Option<(u32, u32)> {
    let mut parts = symbol.split_once("@GLIBC_")?.1.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[test]
fn no_function_is_younger_than_the_oldest_glibc() {
    let listing = Command::new("readelf")
        .args(["--dyn-syms", "--wide", env!("CARGO_BIN_EXE_lockstep-device")])
        .output()
        .expect("readelf comes with the linker");
    assert!(listing.status.success());
    let listing = String::from_utf8(listing.stdout).expect("readelf writes text");
    // Columns: number, value, size, type, binding, visibility, section, name@version. What is weak may be missing.
    let needed: Vec<_> = listing
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|line| line.get(4) == Some(&"GLOBAL") && line.get(6) == Some(&"UND"))
        .filter_map(|line| Some((line[7].to_owned(), version_of(line[7])?)))
        .collect();
    assert!(needed.iter().any(|(symbol, _)| symbol.starts_with("pthread_create@")));
    let younger: Vec<_> = needed.iter().filter(|(_, version)| *version > OLDEST).collect();
    assert!(younger.is_empty(), "their older versions belong in the build script: {younger:?}");
}
