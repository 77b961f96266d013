//! Kernels whose names say what is expected of them.

use std::path::Path;
use std::time::Duration;

use lockstep_cancel::Cancel;
use lockstep_finding::{Confidence, Kind, Origin, Verdict};
use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::Scheduling;
use lockstep_prove::{Assumptions, Config, DimSpec, Proof, prove};

fn dims(text: &str) -> [DimSpec; 3] {
    if text == "any" {
        return [DimSpec::Any; 3];
    }
    let mut out = [DimSpec::Exactly(1); 3];
    for (i, part) in text.split(',').enumerate() {
        out[i] = DimSpec::Exactly(part.parse().expect("a dimension"));
    }
    out
}

/// Every kernel of a file, with the dimensions of its first line.
fn proofs(name: &str, kinds: &[Kind], scheduling: Scheduling) -> Vec<(String, Proof)> {
    let config = Config {
        kinds: kinds.to_vec(),
        // Never the end of a question: results must not depend on the machine.
        budget: Duration::from_secs(3600),
        patience: Duration::MAX,
        jobs: 2,
        ..Config::default()
    };
    proofs_with(name, &config, scheduling)
}

fn proofs_with(name: &str, config: &Config, scheduling: Scheduling) -> Vec<(String, Proof)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels").join(name);
    let text = std::fs::read_to_string(&path).expect("the file is there");
    let head: Vec<&str> = text.lines().next().unwrap_or("").split_whitespace().collect();
    let after = |flag: &str| {
        head.iter().position(|w| *w == flag).map_or([DimSpec::Any; 3], |i| dims(head[i + 1]))
    };
    let mut assumptions =
        Assumptions::of_dims(after("--grid"), after("--block"), Origin::CommandLine);
    assumptions.scheduling = scheduling;
    let module = load(Input::Path(&path), &Options::default()).expect("it compiles");
    module.kernels.iter().map(|k| (k.name.clone(), prove(k, &assumptions, config))).collect()
}

/// What a verdict and its alarms amount to.
fn outcome(proof: &Proof, kind: Kind) -> &'static str {
    let verdict = &proof.verdicts.iter().find(|(k, _)| *k == kind).expect("asked for").1;
    let of_kind: Vec<_> = proof.alarms.iter().filter(|a| a.finding.kind == kind).collect();
    match verdict {
        Verdict::Proved { .. } => "proved",
        Verdict::Found => {
            assert!(of_kind.iter().any(|a| a.finding.confidence == Confidence::Confirmed));
            "found"
        }
        Verdict::Unknown { .. } if !of_kind.is_empty() => "possible",
        _ => "unknown",
    }
}

fn expect(file: &str, kind: Kind, names: &[(&str, &str)]) {
    expect_under(file, kind, names, Scheduling::Independent);
}

fn expect_under(file: &str, kind: Kind, names: &[(&str, &str)], scheduling: Scheduling) {
    let mut wrong = Vec::new();
    for (name, proof) in proofs(file, &[kind], scheduling) {
        let Some((_, wanted)) = names.iter().find(|(prefix, _)| name.starts_with(prefix)) else {
            panic!("{name}: the name says nothing");
        };
        let got = outcome(&proof, kind);
        if kind == Kind::DataRace {
            assert_eq!(proof.safe.is_some(), got == "proved", "{name}: only a proof explains");
        }
        let is = got == *wanted || *wanted == "alarm" && matches!(got, "found" | "possible");
        if !is {
            wrong.push(format!("{name}: {wanted} expected, {got}: {:?}", proof.verdicts));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `alarm_` is for races whose certainty rests on how exactly loops are followed, `open_` for what is left open.
const RACES: &[(&str, &str)] = &[
    ("clean_", "proved"),
    ("racy_", "found"),
    ("maybe_", "possible"),
    ("alarm_", "alarm"),
    ("open_", "unknown"),
];

#[test]
fn basic_kernels() {
    expect("basics.cu", Kind::DataRace, RACES);
}

#[test]
fn loops() {
    expect("loops.cu", Kind::DataRace, RACES);
}

#[test]
fn phases() {
    expect("phases.cu", Kind::DataRace, RACES);
}

#[test]
fn barriers_of_the_grid() {
    expect("grid.cu", Kind::DataRace, RACES);
}

#[test]
fn values_read_from_memory() {
    expect("values.cu", Kind::DataRace, RACES);
    let proofs = proofs("values.cu", &[Kind::DataRace], Scheduling::Independent);
    let (_, proof) = proofs.iter().find(|(n, _)| n == "racy_same_value_loaded").expect("there");
    assert!(proof.alarms.iter().all(|a| a.finding.benign));
}

#[test]
fn what_others_overlook_or_suspect() {
    expect("pitfalls.cu", Kind::DataRace, RACES);
}

#[test]
fn two_loads_of_one_element() {
    expect("loads.cu", Kind::DataRace, RACES);
}

/// Parameters that may overlap: what is written through one may be what is read through another.
#[test]
fn loads_beside_writes_through_another_pointer() {
    let text = "__global__ void k(int *g, int *p, int *q) {
        int i = threadIdx.x;
        int before = p[i];
        q[i] = 5;
        if (before != p[i]) g[0] = i;
        p[i] = 1;
    }";
    let options = Options { language: Some(lockstep_kernel::Language::Cuda), ..Options::default() };
    let input = Input::Text { name: "pointers.cu", bytes: text.as_bytes() };
    let module = load(input, &options).expect("it compiles");
    let config = Config {
        kinds: vec![Kind::DataRace],
        budget: Duration::from_secs(3600),
        patience: Duration::MAX,
        ..Config::default()
    };
    for may_alias in [false, true] {
        let mut given = Assumptions::of_dims(dims("1"), dims("64"), Origin::CommandLine);
        given.may_alias = may_alias;
        let proof = prove(&module.kernels[0], &given, &config);
        let proved = matches!(proof.verdicts[0].1, Verdict::Proved { .. });
        assert_eq!(proved, !may_alias, "{:?}", proof.verdicts);
    }
}

#[test]
fn numbers_drawn_from_counters() {
    expect("tickets.cu", Kind::DataRace, RACES);
    let proofs = proofs("tickets.cu", &[Kind::DataRace], Scheduling::Independent);
    let (_, proof) = proofs.iter().find(|(n, _)| n == "clean_ticket").expect("there");
    let Verdict::Proved { assumes } = &proof.verdicts[0].1 else { panic!("proved") };
    let wanted = [
        "parameter out does not overlap the variable counter",
        "the counter `counter` does not overflow",
    ];
    let assumes: Vec<String> = assumes.iter().map(|a| a.claim.to_string()).collect();
    assert_eq!(assumes, wanted);
}

#[test]
fn values_handed_to_the_block() {
    expect("handed.cu", Kind::DataRace, RACES);
}

#[test]
fn the_last_block() {
    expect("last.cu", Kind::DataRace, RACES);
    expect("last_rows.cu", Kind::DataRace, RACES);
    let proofs = proofs("last_rows.cu", &[Kind::DataRace], Scheduling::Independent);
    let (_, proof) = proofs.iter().find(|(n, _)| n == "clean_plane").expect("there");
    let Verdict::Proved { assumes } = &proof.verdicts[0].1 else { panic!("proved") };
    assert!(
        assumes.iter().any(|a| a.claim.to_string() == "c is 0 when the kernel is launched"),
        "{assumes:?}"
    );
}

#[test]
fn group_copies() {
    expect("copies.cl", Kind::DataRace, RACES);
    let proofs = proofs("copies.cl", &[Kind::DataRace], Scheduling::Independent);
    let (_, proof) = proofs.iter().find(|(n, _)| n == "clean_in").expect("there");
    let Verdict::Proved { assumes } = &proof.verdicts[0].1 else { panic!("proved") };
    assert!(assumes.iter().any(|a| a.claim.to_string() == "the global offset is 0"), "{assumes:?}");
}

#[test]
fn copies_of_threads() {
    expect("asynchronous.cu", Kind::DataRace, RACES);
}

#[test]
fn assertions() {
    let names = &[("holds_", "proved"), ("fails_", "found"), ("perhaps_", "possible")];
    expect("asserts.cu", Kind::Assertion, names);
}

#[test]
fn constant_tables() {
    expect("tables.cu", Kind::DataRace, RACES);
}

#[test]
fn axioms() {
    expect("axioms.cu", Kind::DataRace, RACES);
    expect("ghosts.cl", Kind::DataRace, RACES);
    let names = &[("racy_", "found"), ("maybe_", "possible"), ("clean_", "proved")];
    expect("ghosts.cl", Kind::Assertion, names);
}

#[test]
fn kernels_of_the_paper() {
    expect("paper.cu", Kind::DataRace, RACES);
}

#[test]
fn textures_and_images() {
    expect("textures.cu", Kind::DataRace, RACES);
    expect("images.cl", Kind::DataRace, RACES);
}

#[test]
fn barrier_divergence() {
    let names = &[
        ("even_", "proved"),
        ("uneven_", "found"),
        ("perhaps_", "possible"),
        ("open_", "unknown"),
    ];
    expect("divergence.cu", Kind::BarrierDivergence, names);
}

#[test]
fn any_launch() {
    expect("any.cu", Kind::DataRace, RACES);
    let proofs = proofs("any.cu", &[Kind::DataRace], Scheduling::Independent);
    let (_, proof) = proofs.iter().find(|(n, _)| n == "clean_one_dimension").expect("there");
    let Verdict::Proved { assumes } = &proof.verdicts[0].1 else { panic!("proved") };
    assert!(assumes.iter().any(|a| a.claim.to_string() == "blockDim.y == 1"), "{assumes:?}");
    let alarm = proof.alarms.first().expect("the alarm stays, on a condition");
    assert!(alarm.finding.holds_when.is_some());
    assert!(alarm.finding.help.iter().any(|h| h.contains("__requires(")));
}

/// The condition that is found is the one that stands above the kernel, and the help offers to write it down.
#[test]
fn hidden_assumptions_are_named() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/hidden.cu");
    let text = std::fs::read_to_string(path).expect("the file is there");
    let wanted: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("// wants: ")).collect();
    let proofs = proofs("hidden.cu", &[Kind::DataRace], Scheduling::Independent);
    assert_eq!(wanted.len(), proofs.len());
    let mut wrong = Vec::new();
    for (wanted, (name, proof)) in wanted.iter().zip(&proofs) {
        let verdict = &proof.verdicts[0].1;
        let named = matches!(verdict, Verdict::Proved { assumes } if assumes.iter().any(|a| a.claim.to_string() == *wanted));
        let offered = proof.alarms.iter().all(|a| {
            a.finding.holds_when.is_some()
                && a.finding.help.iter().any(|h| h.contains("__requires(") && h.contains(wanted))
        });
        if !named || !offered || proof.alarms.is_empty() {
            wrong.push(format!("{name}: {wanted} expected: {verdict:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn divisions() {
    expect("division.cu", Kind::DataRace, RACES);
}

#[test]
fn positions() {
    expect("positions.cu", Kind::DataRace, RACES);
}

#[test]
fn strides() {
    expect("strides.cu", Kind::DataRace, RACES);
}

#[test]
fn tiles() {
    expect("tiles.cu", Kind::DataRace, RACES);
    for (file, name, area) in
        [("tiles.cu", "clean_transposition", "w * h"), ("any.cu", "clean_rows", "w * h")]
    {
        let proofs = proofs(file, &[Kind::DataRace], Scheduling::Independent);
        let (_, proof) = proofs.iter().find(|(n, _)| n == name).expect("there");
        let Verdict::Proved { assumes } = &proof.verdicts[0].1 else { panic!("proved") };
        let text = format!("{area} <= 2147483647");
        assert!(assumes.iter().any(|a| a.claim.to_string() == text), "{assumes:?}");
    }
}

#[test]
fn warps() {
    expect("warps.cu", Kind::DataRace, RACES);
}

#[test]
fn barriers_of_some_threads() {
    expect("partial.cu", Kind::DataRace, RACES);
}

#[test]
fn functions_of_a_work_group() {
    expect("groups.cl", Kind::DataRace, RACES);
}

#[test]
fn lockstep_warps() {
    expect_under("lockstep.cu", Kind::DataRace, RACES, Scheduling::Lockstep);
}

#[test]
fn bounds() {
    let names = &[("within_", "proved"), ("beyond_", "found"), ("perhaps_", "possible")];
    expect("bounds.cu", Kind::OutOfBounds, names);
}

#[test]
fn redundant_barriers() {
    let names = &[("needed_", "proved"), ("needless_", "found"), ("open_", "unknown")];
    expect("redundant.cu", Kind::RedundantBarrier, names);
    for (name, proof) in proofs("redundant.cu", &[Kind::RedundantBarrier], Scheduling::Independent)
    {
        let found = proof.alarms.iter().filter(|a| a.finding.kind == Kind::RedundantBarrier);
        for a in found.clone() {
            let rests = a.finding.help.iter().any(|h| h.contains("no access leaves its array"));
            assert!(rests, "{name}: {:?}", a.finding.help);
        }
        if matches!(name.as_str(), "needless_inlined_twice" | "needless_divergent") {
            assert_eq!(found.count(), 1, "{name}");
        }
    }
}

#[test]
fn nothing_is_proved_of_accesses_once_nobody_waits() {
    let cancel = Cancel::new();
    cancel.cancel();
    let config = Config { cancel, ..Config::default() };
    let proofs = proofs_with("basics.cu", &config, Scheduling::Independent);
    assert!(!proofs.is_empty());
    for (name, proof) in proofs {
        let race = &proof.verdicts[0];
        assert!(matches!(race, (Kind::DataRace, Verdict::Unknown { .. })), "{name}: {race:?}");
    }
}
