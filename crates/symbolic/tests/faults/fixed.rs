//! Kernels of which it is known what can go wrong.

use lockstep_finding::Kind;
use lockstep_simulate::Prepared;
use lockstep_symbolic::Limits;

use super::{Case, Counts, KINDS, compare};

/// A kernel's body, and what may go wrong in it for some contents: exactly this.
struct Row {
    body: &'static str,
    grid: u32,
    block: u32,
    faults: &'static [Kind],
}

const fn row(grid: u32, block: u32, body: &'static str, faults: &'static [Kind]) -> Row {
    Row { body, grid, block, faults }
}

use Kind::{Assertion, BarrierDivergence, DataRace, Misaligned, OutOfBounds, UninitialisedRead};

static ROWS: &[Row] = &[
    // Scattered: racy unless the indices are distinct.
    row(1, 3, "out[idx[t] & 1] = t;", &[DataRace]),
    row(3, 1, "out[idx[i] & 1] = t;", &[DataRace]),
    // Distinct by their thread.
    row(1, 4, "out[(idx[0] + t) & 3] = t;", &[]),
    row(1, 4, "out[(idx[t] + t) & 3] = t;", &[DataRace]),
    // Atomics do not race, and what they return is any value.
    row(1, 4, "atomicAdd(&out[idx[t] & 3], 1);", &[]),
    row(2, 2, "atomicAdd_block(&out[idx[i] & 3], 1);", &[DataRace]),
    row(1, 4, "atomicAdd(&out[idx[t] & 3], 1); __syncthreads(); idx[t] = out[t];", &[]),
    row(1, 4, "atomicAdd(&out[idx[t] & 3], 1); idx[t] = out[t];", &[DataRace]),
    // Bounds.
    row(1, 3, "if ((idx[t] & 3) < 3) out[idx[t] & 3] = 1;", &[DataRace]),
    row(1, 3, "atomicAdd(&out[idx[t] & 3], 1);", &[OutOfBounds]),
    row(1, 3, "if ((idx[t] & 3) < 3) atomicAdd(&out[idx[t] & 3], 1);", &[]),
    row(1, 3, "if ((idx[t] & 3) <= 3) atomicAdd(&out[idx[t] & 3], 1);", &[OutOfBounds]),
    row(1, 3, "flag[t] = out[(idx[t] & 3) - 1];", &[OutOfBounds]),
    row(1, 3, "if (idx[t] & 3) flag[t] = out[(idx[t] & 3) - 1];", &[]),
    // Barriers.
    row(1, 3, "if (flag[t] & 1) __syncthreads();", &[BarrierDivergence]),
    row(1, 3, "if (flag[0] & 1) __syncthreads();", &[]),
    row(1, 3, "if (flag[t] & 1) return; __syncthreads();", &[BarrierDivergence]),
    row(1, 3, "if ((flag[0] & 1) && t == 0) return; __syncthreads();", &[BarrierDivergence]),
    row(1, 3, "s[t] = 1; if (flag[0] & 1) __syncthreads(); out[t] = s[(t + 1) % 3];", &[DataRace]),
    row(
        1,
        3,
        "s[t] = 1; if (flag[0] & 1) __syncthreads(); else __syncthreads(); out[t] = s[(t + 1) % 3];",
        &[],
    ),
    row(
        1,
        3,
        "for (int j = 0; j < (idx[0] & 3); ++j) { s[t] = j; __syncthreads(); out[t] = s[(t + 1) % 3]; __syncthreads(); }",
        &[],
    ),
    row(
        1,
        3,
        "for (int j = 0; j < (idx[0] & 3); ++j) { s[t] = j; __syncthreads(); out[t] = s[(t + 1) % 3]; }",
        &[DataRace],
    ),
    row(1, 3, "for (int j = 0; j < (idx[t] & 3); ++j) __syncthreads();", &[BarrierDivergence]),
    // Masks.
    row(1, 3, "if (flag[t] & 1) s[t] = 1; __syncthreads(); if (flag[t] & 1) out[t] = s[t];", &[]),
    row(
        1,
        3,
        "if (flag[t] & 1) s[t] = 1; __syncthreads(); out[t] = s[t] + 1;",
        &[UninitialisedRead],
    ),
    row(
        1,
        3,
        "s[idx[t] & 3] = 1; __syncthreads(); out[t] = s[t] + 1;",
        &[DataRace, UninitialisedRead],
    ),
    row(1, 4, "s[(idx[0] + t) & 3] = 1; __syncthreads(); out[t] = s[t] + 1;", &[]),
    row(
        1,
        3,
        "s[t] = 0; __syncthreads(); if (idx[t] & 2) s[0] = 7; __syncthreads(); out[t] = s[0];",
        &[DataRace],
    ),
    row(
        1,
        3,
        "s[t] = 0; __syncthreads(); if ((idx[t] & 3) == t && t == 2) s[0] = 7; __syncthreads(); out[t] = s[0];",
        &[],
    ),
    // A value that was written is an index.
    row(1, 4, "s[t] = idx[t] & 3; __syncthreads(); out[s[t]] = t;", &[DataRace]),
    row(1, 4, "s[t] = (idx[0] + t) & 3; __syncthreads(); out[s[t]] = t;", &[]),
    // Assertions.
    row(1, 3, "assert((idx[t] & 3) != 3); out[t] = s[0] = t == 0;", &[DataRace, Assertion]),
    row(1, 3, "assert((idx[t] & 3) != 4);", &[]),
    row(1, 3, "assert((idx[t] & 3) < 3); atomicAdd(&out[idx[t] & 3], 1);", &[Assertion]),
    // Vectors.
    row(1, 2, "*(int2 *)(s + (idx[t] & 2)) = make_int2(t, t);", &[DataRace]),
    row(1, 1, "*(int2 *)(s + (idx[t] & 3)) = make_int2(t, t);", &[OutOfBounds, Misaligned]),
    // Warps.
    row(1, 3, "s[t] = idx[t]; __syncwarp(); out[t] = s[(t + 1) % 3];", &[]),
    row(1, 3, "int v = __shfl_sync(7, idx[t] & 3, (t + 1) % 3); out[t] = s[0] = v;", &[DataRace]),
    row(1, 3, "if (__any_sync(7, flag[t] & 1)) __syncthreads();", &[]),
];

fn source(body: &str) -> String {
    format!(
        "#include <assert.h>\nextern \"C\" __global__ void k(int *idx, int *flag, int *out) {{\n    __shared__ int s[4];\n    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n    {body}\n}}\n"
    )
}

fn case(row: &Row) -> Case {
    let elements = (row.grid * row.block) as usize;
    Case::new(&source(row.body), row.grid, row.block, elements)
}

#[test]
fn exactly_what_can_go_wrong_is_seen() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let case = case(row);
        let answer = case.ask(Limits::default());
        let prepared = Prepared::new(&case.kernel);
        for kind in KINDS {
            let is_expected = row.faults.contains(&kind);
            let values = answer.faults.iter().filter(|f| f.kind == kind);
            let mut values = values.filter_map(|f| f.values.as_ref());
            let is_shown = values.any(|v| case.shown(&prepared, &case.with(v)).contains(&kind));
            if is_expected != is_shown {
                wrong.push(format!("{}: {kind}: {answer:?}", row.body));
            }
            if row.faults.is_empty()
                && let Err(because) = answer.absence(kind)
            {
                wrong.push(format!("{}: {kind} is not absent: {because}", row.body));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_said_is_so_for_all_contents() {
    let mut counts = Counts::default();
    for row in ROWS {
        compare(&case(row), row.body, &mut counts);
    }
    assert_eq!(counts.open, 0);
    assert!(counts.absent > 90 && counts.shown > 25, "{} {}", counts.absent, counts.shown);
}

#[test]
fn what_is_not_followed_is_not_absent() {
    // The loop may run longer than is looked at.
    let body = "for (unsigned j = 0; j < (unsigned)idx[0]; ++j) s[t] = j;";
    let case = Case::new(&source(body), 1, 2, 2);
    let answer = case.ask(Limits { unroll: 8, ..Limits::default() });
    for kind in KINDS {
        let because = answer.absence(kind).expect_err("the loop is not followed");
        assert!(because.to_string().contains("--unroll"), "{because}");
    }
    // Nor is anything where there were too many operations.
    let answer = case.ask(Limits { steps: 20, ..Limits::default() });
    assert!(KINDS.into_iter().all(|k| answer.absence(k).is_err()));
}

/// An index into more elements than are told apart: values are not followed, and nothing wrong is said.
#[test]
fn wide_indices() {
    let rows: [(&str, &[Kind]); 4] = [
        ("out[idx[t] & 3] = t;", &[DataRace]),
        ("atomicAdd(&out[idx[t] & 3], 1);", &[]),
        ("flag[t] = out[idx[t] & 3];", &[]),
        ("s[t] = out[idx[t] & 3] & 3; __syncthreads(); flag[s[t]] = t;", &[DataRace]),
    ];
    for (body, expected) in rows {
        let case = Case::new(&source(body), 1, 4, 4);
        let answer = case.ask(Limits { targets: 2, ..Limits::default() });
        let prepared = Prepared::new(&case.kernel);
        for kind in KINDS {
            if expected.is_empty() {
                assert_eq!(answer.absence(kind).err(), None, "{body}");
            }
            let faults = answer.faults.iter().filter(|f| f.kind == kind);
            let mut values = faults.filter_map(|f| f.values.as_ref());
            let shows = |v: &Vec<_>| case.shown(&prepared, &case.with(v)).contains(&kind);
            assert_eq!(values.any(shows), expected.contains(&kind), "{body}: {answer:?}");
        }
    }
}
