//! `lockstep.toml`, and what beats it.

use serde_json::Value;

use crate::project::kit::{CLEAN, Project, RACE, Ran, findings};

#[test]
fn the_architecture_is_part_of_every_answer() {
    let p = Project::new();
    let header = "#if __CUDA_ARCH__ >= 800\n#define AT(i) 0\n#else\n#define AT(i) (i)\n#endif\n";
    p.file("at.h", header);
    let kernel =
        "#include \"at.h\"\n__global__ void k(int *a) { a[AT(threadIdx.x)] = threadIdx.x; }\n";
    p.file("k.cu", kernel);
    let check = |more: &[&str]| p.check(&[&["k.cu"], more].concat());
    let volta = check(&[]).ends(0).json();
    let kernel = &volta["kernels"][0];
    assert_eq!(kernel["arch"], "sm_70");
    let condition = "compiled for sm_70: line 2 depends on it";
    assert_eq!(kernel["verdicts"]["data-race"]["assumes"], serde_json::json!([condition]));
    // In every spelling, and never from what was kept for another.
    for more in
        [&["--arch", "sm_80"][..], &["--", "--offload-arch=sm_80"], &["--", "-arch", "sm_80"]]
    {
        let ampere = check(more).ends(1).json();
        assert_eq!(ampere["kernels"][0]["arch"], "sm_80");
    }
    check(&[]).ends(0);
    let database = r#"[{"directory": "DIR", "file": "k.cu",
       "command": "nvcc -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 -c k.cu"}]"#;
    let root = p.dir.path().display().to_string();
    p.file("compile_commands.json", database.replace("DIR", &root));
    assert_eq!(p.check(&["-p", "."]).ends(1).json()["kernels"][0]["arch"], "sm_80");
    // The command line beats the build, and a project's file, too.
    p.check(&["-p", ".", "--arch", "sm_75"]).ends(0);
    p.file("lockstep.toml", "arch = \"sm_75\"\n");
    p.check(&["-p", "."]).ends(0);
    p.check(&["-p", ".", "--arch", "sm_86"]).ends(1);
    p.check(&["k.cu", "--arch", "ampere"]).ends(2).says("such as sm_80");
    p.check(&["k.cu", "--arch", "sm_11"]).ends(2).says("sm_11");
}

#[test]
fn settings_of_a_project() {
    let p = Project::new();
    p.file("src/k.cu", "#include \"n.h\"\n__global__ void scale(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = N; }\n");
    p.file("inc/n.h", "").file("src/skip/x.cu", RACE);
    p.file(
        "lockstep.toml",
        r#"
include = ["inc"]
defines = ["N=3"]
exclude = ["src/skip"]

[kernel."sc*"]
file = "src/*.cu"
block = 64
grid = [2, 1]
args = { n = 64, a = "f32[64]", other = 1 }
"#,
    );
    let launch = |ran: &Ran| ran.json()["kernels"][0]["launch"].clone();
    let ran = p.run(&["check", "src", "--format", "json", "--only", "data-race"]).ends(0);
    assert_eq!(ran.kernels(), ["src/k.cu:scale"]);
    assert_eq!(launch(&ran)["block"], serde_json::json!([64, 1, 1]), "{}", ran.stdout);
    // The command line beats it, from any folder below.
    let args = ["check", "k.cu", "--format", "json", "--grid", "1", "--arg", "n=8"];
    let mut command = p.command(&args);
    let output = command.current_dir(p.path("src")).output().expect("lockstep starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["kernels"][0]["launch"]["grid"], serde_json::json!([1, 1, 1]));
    assert_eq!(json["kernels"][0]["launch"]["args"]["n"], 8);

    let run =
        ["run", "src/k.cu", "--block", "8", "--grid", "1", "--arg", "n=8", "--arg", "a=f32[8]"];
    p.run(&run).ends(0);

    p.file("bad.toml", "budget = 1\nbudgte = 2\n");
    p.run(&["check", "src", "--config", "bad.toml"])
        .ends(2)
        .says("bad.toml:2: unknown field `budgte`");
    p.file("bad.toml", "scheduling = \"magic\"\n");
    p.run(&["check", "src", "--config", "bad.toml"]).ends(2).says("'magic' is neither");
    p.file("bad.toml", "[kernel.scale]\nargs = { m = 4 }\n");
    p.run(&["check", "src/k.cu", "--config", "bad.toml", "-DN=1", "-Iinc"])
        .ends(2)
        .says("no parameter 'm'");
    p.run(&["check", "src", "--config", "none.toml"]).ends(2).says("none.toml");
}

/// A run over several projects gives each file what a run in its own project gives it.
#[test]
fn every_file_has_the_settings_of_its_own_project() {
    let p = Project::new();
    let kernel = "#include \"n.h\"\n__global__ void k(int *a) { a[N] = threadIdx.x; }\n";
    for (project, n) in [("one", "0"), ("two", "threadIdx.x")] {
        p.file(&format!("{project}/src/k.cu"), kernel);
        p.file(&format!("{project}/inc/n.h"), format!("#define N {n}\n"));
    }
    let launch = "\n[kernel.k]\nblock = 32\ngrid = 1\nargs = { a = \"i32[32]\" }\n";
    p.file("one/lockstep.toml", format!("include = [\"inc\"]\n{launch}"));
    p.file("two/lockstep.toml", format!("include = [\"inc\"]\nexclude = [\"old\"]\n{launch}"));
    p.file("two/old/x.cu", "#error\n").file("plain.cu", CLEAN);
    let json = |args: &[&str]| p.run(&[args, &["--format", "json"]].concat());
    let all = json(&["check", "."]).ends(1);
    assert_eq!(all.kernels(), ["one/src/k.cu:k", "plain.cu:clean", "two/src/k.cu:k"]);
    let verdicts: Vec<String> = (0..3)
        .map(|i| all.json()["kernels"][i]["verdicts"]["data-race"]["verdict"].to_string())
        .collect();
    assert_eq!(verdicts, ["\"found\"", "\"proved\"", "\"proved\""]);
    // Every command that takes files.
    json(&["search", "one", "two"]).ends(1);
    json(&["prove", "two/src/k.cu"]).ends(0);
    let given = ["--block", "32", "--grid", "1", "--arg", "a=i32[32]"];
    json(&[&["run", "one/src/k.cu"], &given[..]].concat()).ends(1);
    p.run(&["dump", "two/src/k.cu"]).ends(0);
    // The working directory's settings are not those of files elsewhere, but named ones are those of all.
    p.file("here/lockstep.toml", "include = [\"nowhere\"]\n");
    let mut elsewhere = p.command(&["check", "../two/src", "--format", "json"]);
    Ran::of(elsewhere.current_dir(p.path("here"))).ends(0);
    json(&["check", "one", "two", "--config", "two/lockstep.toml"]).ends(0);
    // The command line beats them all.
    let beaten = json(&["check", "two", "--block", "1", "--only", "data-race"]).ends(0);
    assert_eq!(beaten.json()["kernels"][0]["launch"]["block"], serde_json::json!([1, 1, 1]));
}

/// What settings say of findings and of what is unknown holds for the files that have them.
#[test]
fn what_counts_is_said_by_the_own_project() {
    let p = Project::new();
    let suppress = "[[suppress]]\nkind = \"data-race\"\nreason = \"known\"\n";
    p.file("one/k.cu", RACE).file("one/lockstep.toml", suppress).file("two/k.cu", RACE);
    p.check(&["one"]).ends(0);
    let both = p.check(&["one", "two"]).ends(1);
    let suppressed: Vec<bool> =
        findings(&both.json()).iter().map(|f| f["suppressed"].is_object()).collect();
    assert_eq!(suppressed, [true, false]);
    p.check(&["two", "--write-baseline", "two/known.json"]).ends(0);
    p.file("two/lockstep.toml", "baseline = \"known.json\"\n");
    p.check(&["one", "two"]).ends(0);

    let unknown = "template <typename F>\n__global__ void apply(int *a, F f) { a[0] = f(0); }\n";
    p.file("three/k.cu", unknown).file("three/lockstep.toml", "allow-unknown = true\n");
    p.check(&["one", "three"]).ends(0);
    p.file("four/k.cu", unknown);
    p.check(&["three", "four"]).ends(3);
}

/// A settings file that cannot be read is one error, and files of other projects are checked.
#[test]
fn broken_settings_of_one_project() {
    let p = Project::new();
    p.file("bad/lockstep.toml", "budgte = 1\n").file("bad/a.cu", CLEAN).file("bad/b.cu", CLEAN);
    p.file("magic/lockstep.toml", "scheduling = \"magic\"\n").file("magic/a.cu", CLEAN);
    p.file("good/k.cu", CLEAN);
    let ran = p.check(&["."]).ends(2).says("bad/lockstep.toml:1: unknown field `budgte`");
    assert_eq!(ran.kernels(), ["good/k.cu:clean"]);
    assert_eq!(ran.json()["errors"].as_array().map(Vec::len), Some(2), "{}", ran.stderr);
    p.check(&["good"]).ends(0);
    p.run(&["run", "bad/a.cu"]).ends(2).says("unknown field `budgte`");
    p.run(&["dump", "bad/a.cu"]).ends(2).says("unknown field `budgte`");
}
