//! Templates: instances that are the same, and those that nobody makes.

use crate::project::kit::{Project, findings};

#[test]
fn instances_of_templates() {
    let p = Project::new();
    p.file(
        "t.cu",
        "namespace ns {\n\
         template <typename T, int N> __global__ void race(T *a) { a[0] = threadIdx.x + N; }\n\
         template <int N> __global__ void same(int *a) { a[threadIdx.x] = 1; }\n\
         template __global__ void race<float, 2>(float *);\n\
         template __global__ void race<int, 3>(int *);\n\
         template __global__ void same<1>(int *);\n\
         template __global__ void same<2>(int *);\n\
         }\n",
    );
    let ran = p.check(&["t.cu"]).ends(1);
    let json = ran.json();
    // Equal code is looked at once.
    let names = ["t.cu:ns::race<float, 2>", "t.cu:ns::race<int, 3>", "t.cu:ns::same<1>"];
    assert_eq!(ran.kernels(), names);
    assert_eq!(json["kernels"][2]["instances"], serde_json::json!(["ns::same<2>"]));
    // A finding of several instances is shown once.
    let races: Vec<_> = findings(&json).into_iter().filter(|f| f["kind"] == "data-race").collect();
    assert_eq!(races.len(), 1, "{}", ran.stdout);
    assert_eq!(races[0]["also_in"], serde_json::json!(["ns::race<int, 3>"]));
    for i in 0..2 {
        assert_eq!(json["kernels"][i]["verdicts"]["data-race"]["verdict"], "found");
    }
}

#[test]
fn templates_that_nobody_instantiates() {
    let p = Project::new();
    p.file(
        "t.cu",
        "template <typename T, int N, bool B = true>\n\
         __global__ void put(T *a) {\n    if (B) a[threadIdx.x % N] = threadIdx.x;\n}\n\
         template <typename T>\n\
         __global__ void bits(T *a) { a[threadIdx.x] = a[threadIdx.x] & 1; }\n",
    );
    let ran = p.check(&["t.cu"]).ends(0);
    let json = ran.json();
    assert_eq!(json["kernels"][0]["chosen"], "T = float, N = 32, defaults", "{}", ran.stdout);
    assert_eq!(json["kernels"][1]["chosen"], "T = int");
    let race = &json["kernels"][0]["verdicts"]["data-race"];
    assert_eq!(race["verdict"], "proved", "{race}");
    assert!(race["assumes"].to_string().contains("T = float, N = 32"), "{race}");

    p.file("f.cu", "template <typename F>\n__global__ void apply(int *a, F f) { a[threadIdx.x] = f(threadIdx.x); }\n");
    let ran = p.check(&["f.cu"]).ends(3);
    assert_eq!(ran.kernels(), ["f.cu:apply"]);
    let because = ran.json()["kernels"][0]["verdicts"]["data-race"]["because"].to_string();
    assert!(because.contains("nothing in the source instantiates the template"), "{because}");
    assert!(because.contains("with F = float it does not compile"), "{because}");
    p.check(&["f.cu", "--allow-unknown"]).ends(0);
}
