//! Whatever bytes are given as IR: an error or kernels, never a panic or an abort.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep_frontend::{Options, load_ir_bytes};

fuzz_target!(|bytes: &[u8]| {
    let _ = load_ir_bytes(bytes, "fuzz.ll", &Options::default());
});
