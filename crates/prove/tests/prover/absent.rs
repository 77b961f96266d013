//! What a kernel cannot do for want of the operations, and what it can.

use std::path::Path;

use lockstep_finding::{Kind, Verdict};
use lockstep_frontend::{Input, Options, load};
use lockstep_prove::absent;

const KINDS: [Kind; 7] = [
    Kind::Assertion,
    Kind::RedundantBarrier,
    Kind::BarrierDivergence,
    Kind::MissingFence,
    Kind::Deadlock,
    Kind::Misaligned,
    Kind::UseAfterFree,
];

/// The comment in front of a kernel names the kinds that are left.
fn left(text: &str, kernel: &str) -> Vec<String> {
    let head = format!("__global__ void {kernel}(");
    let before = &text[..text.find(&head).expect("the kernel is in the file")];
    let comment = before.trim_end().lines().last().expect("there is a comment");
    let names = comment.trim_start_matches("// ").split(':').next().unwrap_or_default();
    let mut names: Vec<String> = names.split(", ").map(str::to_owned).collect();
    names.retain(|n| n != "nothing");
    names.sort();
    names
}

fn holds(text: &str) -> lockstep_finding::Condition {
    lockstep_finding::Claim::Holds(lockstep_finding::launch::Expr::parse(text).unwrap()).into()
}

#[test]
fn by_their_operations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/absent.cu");
    let text = std::fs::read_to_string(&path).expect("the file is there");
    let module = load(Input::Path(&path), &Options::default()).expect("it compiles");
    assert_eq!(module.kernels.len(), text.matches("__global__").count());
    for kernel in &module.kernels {
        let name = &kernel.name;
        // What the prover would say of all but those that are made to diverge and to race.
        let if_so = Verdict::Proved { assumes: vec![holds("blockDim.x == 64")] };
        let is_proved = name != "apart" && name != "counts_and_reads";
        let settled = absent(kernel, &|_| is_proved.then_some(&if_so));
        for (kind, verdict) in &settled {
            let wanted = match kind {
                Kind::UseAfterFree => Verdict::Clean { covered: "code that frees nothing".into() },
                Kind::Deadlock if name == "together" => if_so.clone(),
                Kind::Deadlock if name == "steps_by_grid" => {
                    let numbered = "gridDim.x * blockDim.x <= 1073741824";
                    Verdict::Proved { assumes: vec![holds(numbered)] }
                }
                Kind::MissingFence if name == "counts" => if_so.clone(),
                _ => Verdict::Proved { assumes: Vec::new() },
            };
            assert_eq!(*verdict, wanted, "{name}: {kind}");
        }
        let is_left = |k: &Kind| !settled.iter().any(|(s, _)| s == k);
        let mut open: Vec<String> =
            KINDS.into_iter().filter(is_left).map(|k| k.to_string()).collect();
        open.sort();
        assert_eq!(open, left(&text, name), "{name}");
    }
}
