//! Whatever text is given as `--arg`: an error or a value that prints as a value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep_finding::ArgValue;

fuzz_target!(|text: &str| {
    let _ = ArgValue::parse_assignment(text);
});
