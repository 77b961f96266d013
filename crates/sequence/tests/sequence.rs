//! Scripts: what they may say, and what is found in the sequences that they describe.

use lockstep_finding::{Action, Kind};
use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::Kernel;
use lockstep_sequence::{Executed, Sequence, Start, Task, execute};
use lockstep_simulate::Config;

const KERNELS: &str = "
__kernel void copy(__global int *to, __global const int *from) { to[get_global_id(0)] = from[get_global_id(0)]; }
__kernel void add(__global int *to, int k) { to[get_global_id(0)] += k; }
__kernel void set(__global int *to, int k) { to[get_global_id(0)] = k; }
__kernel void half_of_it(__global int *to) { if (get_global_id(0) < 4) to[get_global_id(0)] = 1; }
__kernel void ignores(__global int *to, __global int *other) { to[get_global_id(0)] = 2; }
";

fn run(steps: &str) -> Executed {
    let text = format!(
        "[buffers]\na = \"i32[8]:iota\"\nb = \"i32[8]\"\n[numbers]\nk = 5\n{}",
        steps.replace("LAUNCH", "grid = 2\nblock = 4\nlaunch")
    );
    let sequence = Sequence::parse("run.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    let input = Input::Text { name: "k.cl", bytes: KERNELS.as_bytes() };
    let module = load(input, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let kernel = |name: &str| module.kernels.iter().find(|k| k.name == name).expect("a kernel");
    let kernels: Vec<&Kernel> = sequence.launches().map(|(_, l)| kernel(&l.kernel)).collect();
    sequence.check(&kernels).unwrap_or_else(|e| panic!("{e}"));
    let bytes = |b: &lockstep_sequence::Buffer| b.array.to_bytes(&b.name, 0).expect("contents");
    let contents = |at: usize| bytes(&sequence.buffers[at]);
    execute(&sequence, &kernels, &contents, &|_| None, &Config::default())
        .unwrap_or_else(|e| panic!("{e:?}"))
}

fn found(e: &Executed) -> Vec<(usize, Kind, &str)> {
    e.findings.iter().map(|f| (f.step, f.finding.kind, f.finding.message.as_str())).collect()
}

fn ints(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

#[test]
fn buffers_live_across_launches() {
    let e = run("
[[step]]
LAUNCH = \"k.cl:copy\"
args = { from = \"a\", to = \"b\" }
[[step]]
LAUNCH = \"k.cl:add\"
args = { to = \"b\" }
[[step]]
LAUNCH = \"k.cl:add\"
args = { to = \"b\", k = 100 }");
    assert_eq!(found(&e), []);
    assert_eq!(ints(&e.buffers[1]), [105, 106, 107, 108, 109, 110, 111, 112]);
    assert_eq!(ints(&e.buffers[0]), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn what_nobody_has_written_must_not_be_read() {
    let e = run("[[step]]\nLAUNCH = \"k.cl:add\"\nargs = { to = \"b\" }");
    let message = "element 0 of `b` is read in step 1, and nobody has written it";
    assert_eq!(found(&e), [(0, Kind::UninitialisedRead, message)]);
    let half = "[[step]]\nLAUNCH = \"k.cl:half_of_it\"\nargs = { to = \"b\" }\n[[step]]\nLAUNCH = \"k.cl:add\"\nargs = { to = \"b\" }";
    let e = run(half);
    let message = "element 4 of `b` is read in step 2, and nobody has written it";
    assert_eq!(found(&e), [(1, Kind::UninitialisedRead, message)]);
    let e = run(&format!("[[step]]\nfill = \"b\"\nbyte = 1\n{half}"));
    assert_eq!(found(&e), []);
    assert_eq!(ints(&e.buffers[1])[..5], [6, 6, 6, 6, 0x0101_0106]);
    let e = run(
        "[[step]]\ncopy = \"b\"\nto = \"a\"\n[[step]]\nLAUNCH = \"k.cl:add\"\nargs = { to = \"a\" }",
    );
    assert_eq!(found(&e).len(), 1);
}

#[test]
fn a_launch_in_the_queue_may_use_what_is_released() {
    let launch = "[[step]]\nLAUNCH = \"k.cl:set\"\nargs = { to = \"b\" }\n";
    let e = run(&format!("{launch}[[step]]\nfree = \"b\""));
    let message = "`b` is released in step 2 while step 1 may still be waiting to use it";
    assert_eq!(found(&e), [(0, Kind::UseAfterFree, message)]);
    let accesses = &e.findings[0].finding.accesses;
    assert_eq!((accesses[0].op, accesses[0].place.file.as_str()), (Action::Write, "k.cl"));
    let line = accesses[1].place.line;
    assert_eq!(
        (accesses[1].op, accesses[1].place.file.as_str(), line),
        (Action::HostFree, "run.toml", 12)
    );
    assert_eq!(accesses[0].notes.last().expect("a step"), "in step 1 of run.toml, set");
    assert_eq!(found(&run(&format!("{launch}[[step]]\nwait = true\n[[step]]\nfree = \"b\""))), []);
    // A copy waits, unless it is asynchronous.
    assert_eq!(
        found(&run(&format!("{launch}[[step]]\ncopy = \"b\"\nto = \"a\"\n[[step]]\nfree = \"b\""))),
        []
    );
    let later =
        format!("{launch}[[step]]\ncopy = \"b\"\nto = \"a\"\nasync = true\n[[step]]\nfree = \"b\"");
    assert_eq!(found(&run(&later)).len(), 2);
}

#[test]
fn a_launch_after_the_release_must_not_use_the_buffer() {
    let e = run("[[step]]\nfree = \"b\"\n[[step]]\nLAUNCH = \"k.cl:set\"\nargs = { to = \"b\" }");
    let message = "`b` is used in step 2, but it was released in step 1";
    assert_eq!(found(&e), [(1, Kind::UseAfterFree, message)]);
    let e = run(
        "[[step]]\nfree = \"b\"\n[[step]]\nLAUNCH = \"k.cl:ignores\"\nargs = { to = \"a\", other = \"b\" }",
    );
    assert_eq!(found(&e), []);
}

#[test]
fn the_host_must_not_use_what_it_has_released() {
    let e = run("[[step]]\nfree = \"a\"\n[[step]]\nfill = \"a\"\n[[step]]\nfree = \"a\"");
    let messages = [
        "`a` is used in step 2, but it was released in step 1",
        "`a` is released in step 3, but it was released in step 1",
    ];
    assert_eq!(
        found(&e),
        [(1, Kind::UseAfterFree, messages[0]), (2, Kind::UseAfterFree, messages[1])]
    );
    let e = run("[[step]]\nfree = \"a\"\n[[step]]\ncopy = \"b\"\nto = \"a\"");
    assert_eq!(found(&e), [(1, Kind::UseAfterFree, messages[0])]);
}

#[test]
fn the_host_waits_for_copies_of_its_own_memory() {
    let copies = "[[step]]\ncopy = \"a\"\nto = \"b\"\nasync = true\n";
    let compared = |steps: &str| {
        let text =
            format!("compare = [\"b\"]\n[buffers]\na = \"i32[8]:iota\"\nb = \"i32[8]\"\n{steps}");
        let sequence = Sequence::parse("run.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        execute(&sequence, &[], &|_| vec![0; 32], &|_| None, &Config::default())
            .unwrap_or_else(|e| panic!("{e:?}"))
    };
    let e = compared(copies);
    let message = "`b` is compared while the copy of step 1 may still be writing it";
    assert_eq!(found(&e), [(0, Kind::DataRace, message)]);
    assert_eq!(found(&compared(&format!("{copies}[[step]]\nwait = true"))), []);
    let filled = "[[step]]\nfill = \"a\"\nbyte = 3\n";
    let e = compared(&format!("{copies}{filled}[[step]]\nwait = true"));
    let message = "`a` is filled in step 2 while the copy of step 1 may still be reading it";
    assert_eq!(found(&e), [(0, Kind::DataRace, message)]);
    assert_eq!(found(&compared(&format!("{copies}[[step]]\nwait = true\n{filled}"))), []);
}

#[test]
fn scripts_are_read() {
    let text = "compare = [\"y\"]\n[buffers]\nx = \"f32[4]:symbolic\"\ny = \"f32[4]\"\nz = \"u8[2]:1,2\"
[numbers]\nn = 4\na = \"symbolic\"\nb = 0.5\n[[step]]\nlaunch = \"f.cl:k\"\ngrid = [2, 3]\nblock = 4\nshared = 64\nargs = { p = \"x\", q = 1.5 }
[[step]]\nwait = true";
    let s = Sequence::parse("run.toml", text).unwrap_or_else(|e| panic!("{e}"));
    let starts: Vec<_> = s.buffers.iter().map(|b| (b.name.as_str(), b.start)).collect();
    assert_eq!(starts, [("x", Start::Symbolic), ("y", Start::Unwritten), ("z", Start::Filled)]);
    let numbers: Vec<_> = s.numbers.iter().map(|n| (n.name.as_str(), n.value.as_deref())).collect();
    assert_eq!(numbers, [("a", None), ("b", Some("0.5")), ("n", Some("4"))]);
    let Task::Launch(l) = &s.steps[0].task else { panic!("a launch") };
    assert_eq!((l.file.as_str(), l.kernel.as_str(), l.shared), ("f.cl", "k", 64));
    assert_eq!((l.grid, l.block), ([2, 3, 1], [4, 1, 1]));
    assert_eq!(l.args, [("p".into(), "x".into()), ("q".into(), "1.5".into())]);
    assert_eq!((&s.steps[1].task, s.steps[1].place.line), (&Task::Wait, 17));
}

#[test]
fn a_wrong_script_has_one_message_with_its_line() {
    let refused = |text: &str| Sequence::parse("run.toml", text).expect_err(text);
    assert_eq!(
        refused("[buffers]\nx = \"f32\""),
        "line 2: buffer 'x': an array is expected, as in f32[64]"
    );
    assert_eq!(
        refused("[[step]]\nfree = \"x\""),
        "line 1: there is no buffer 'x'; the buffers are: there are none"
    );
    assert_eq!(
        refused("[[step]]\nwait = true\nfree = \"x\""),
        "line 1: a step has one of launch, copy, fill, wait and free"
    );
    assert_eq!(
        refused("[[step]]\nlaunch = \"k.cl\"\ngrid = 1\nblock = 1"),
        "line 1: launch = \"FILE:KERNEL\" is expected"
    );
    assert_eq!(
        refused("[[step]]\nlaunch = \"k.cl:k\"\nblock = 1"),
        "line 1: a launch needs 'grid'"
    );
    assert_eq!(
        refused("[[step]]\nwait = true\nbyte = 1"),
        "line 1: 'byte' does not belong to this step"
    );
    assert_eq!(
        refused("compare = [\"y\"]\n[buffers]\nx = \"f32[1]\""),
        "compare: there is no buffer 'y'; the buffers are: x"
    );
    assert_eq!(
        refused("[buffers]\nx = \"f32[1]\"\n[numbers]\nx = 1"),
        "line 4: 'x' is the name of a buffer already"
    );
    assert_eq!(
        refused("[buffers]\na = \"f32[1]\"\nb = \"f32[2]\"\n[[step]]\ncopy = \"a\"\nto = \"b\""),
        "line 4: 'a' and 'b' have different sizes"
    );
    assert!(refused("[[step]]\nlunch = 1").starts_with("line 2: unknown field `lunch`"));
}
