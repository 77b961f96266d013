//! A compiler that nobody waits for any more is ended.

use lockstep_cancel::Cancel;
use lockstep_frontend::{Error, Input, Options, load};

/// A constant that takes clang hours to find: without the cancellation the test would not end.
const LONG: &str = "
constexpr unsigned spin(unsigned n) {
    unsigned x = n;
    for (unsigned i = 0; i < 4000000000u; i++) x = x * 3 + i;
    return x;
}
__global__ void k(unsigned *x) { constexpr unsigned v = spin(7); x[0] = v; }
";

#[test]
fn a_compiler_is_ended() {
    let cancel = Cancel::new();
    let options = Options {
        cancel: cancel.clone(),
        clang_args: vec!["-fconstexpr-steps=4294967295".into()],
        ..Options::default()
    };
    let input = Input::Text { name: "long.cu", bytes: LONG.as_bytes() };
    std::thread::scope(|scope| {
        let loading = scope.spawn(|| load(input, &options));
        cancel.cancel();
        let result = loading.join().expect("no panic");
        assert!(matches!(result, Err(Error::Cancelled)), "{:?}", result.err());
    });
}
