//! What holds in all launches of a kernel.
//!
//! Candidates come from the launches: a value that is always the same, bounds, powers of two that divide a size,
//! comparisons of two scalars, and the usual ways in which a grid follows from a size. What is true of every launch, and
//! does not follow from another candidate, is kept. So the summary says no more than the launches show; for launches
//! that are not listed any more, what was known of them counts.

use crate::condition::Claim;
use crate::launch::{Dimension, Expr, Number};

use super::{MOST_LISTED, RecordedKernel, RecordedLaunch, SCHEMA};

/// The most scalars that are compared with each other.
const MOST_COMPARED: usize = 10;

impl RecordedKernel {
    /// With further launches.
    #[must_use]
    pub fn with(mut self, launches: impl IntoIterator<Item = RecordedLaunch>) -> RecordedKernel {
        self.launches.extend(launches);
        self.summarised()
    }

    /// There are launches of which nothing is known.
    #[must_use]
    pub fn incomplete(self) -> RecordedKernel {
        let (holds, apart, elements) = Default::default();
        RecordedKernel { more: true, holds, apart, elements, ..self }
    }

    /// With its launches in order, and what holds in all of them.
    #[must_use]
    pub fn summarised(mut self) -> RecordedKernel {
        self.schema = SCHEMA;
        self.launches
            .sort_by_cached_key(|l| (l.threads(), serde_json::to_string(l).unwrap_or_default()));
        self.launches.dedup();
        self.holds = self.what_holds().iter().map(Expr::to_string).collect();
        self.apart = self.what_is_apart();
        self.elements = self.what_elements_are();
        if self.launches.len() > MOST_LISTED {
            let (all, last) = (std::mem::take(&mut self.launches), MOST_LISTED - 1);
            let count = all.len() - 1;
            let kept = (0..=last).map(|i| all[i * count / last].clone());
            self.launches = kept.collect();
            self.more = true;
        }
        self
    }

    /// What is true of all launches: of those that are listed, and of the others by what was said of them.
    fn what_holds(&self) -> Vec<Expr> {
        let known: Vec<Expr> = self.holds.iter().filter_map(|t| Expr::parse(t).ok()).collect();
        let is_known = |e: &Expr| !self.more || known.iter().any(|k| k == e || k.implies(e));
        let is_true = |e: &Expr| {
            let claim = Claim::Holds(e.clone());
            self.launches.iter().all(|l| l.decide(&claim) == Some(true))
        };
        let mut rows = candidates(&self.launches);
        if self.more {
            rows.extend(known.iter().map(|e| vec![e.clone()]));
        }
        let mut out: Vec<Expr> = Vec::new();
        for row in rows {
            let first = row.into_iter().find(|e| is_known(e) && is_true(e));
            out.extend(first.filter(|e| !out.iter().any(|o| o == e || o.implies(e))));
        }
        out
    }

    fn what_is_apart(&self) -> Vec<String> {
        let Some(first) = self.launches.first() else { return Vec::new() };
        let mut apart: Vec<String> = Vec::new();
        for pointer in first.arrays.keys() {
            let with = [&apart[..], std::slice::from_ref(pointer)].concat();
            if self.launches.iter().all(|l| l.are_apart(&with) == Some(true)) {
                apart = with;
            }
        }
        apart.retain(|p| !self.more || self.apart.contains(p));
        if apart.len() > 1 { apart } else { Vec::new() }
    }

    fn what_elements_are(&self) -> std::collections::BTreeMap<String, Vec<String>> {
        let Some(first) = self.launches.first() else { return Default::default() };
        let names = integers(&self.launches);
        let mut out = std::collections::BTreeMap::new();
        for array in first.arrays.keys() {
            let of = |l: &RecordedLaunch| {
                let array = l.arrays.get(array)?;
                let count = array.bytes? / element_size(&array.element)?;
                Some((array.elements.clone()?, count))
            };
            let Some(all) = self.launches.iter().map(of).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let below = names.iter().find(|name| {
                let mut pairs = all.iter().zip(&self.launches);
                pairs.all(|((e, _), l)| integer(l, name).is_some_and(|n| i128::from(e.most) < n))
            });
            let mut words: Vec<String> = Vec::new();
            let is_permutation = |(e, n): &(super::Elements, u64)| {
                e.apart == 1 && e.least == 0 && e.most as u64 + 1 == *n
            };
            if all.iter().all(is_permutation) {
                words.push("a permutation of all indices".into());
            } else if all.iter().all(|(e, _)| e.apart > 0) {
                words.push("distinct".into());
            }
            if all.iter().all(|(e, _)| e.ascending) {
                words.push("ascending".into());
            }
            if all.iter().all(|(e, _)| (e.least, e.most) == (0, 0)) {
                words.push("0".into());
            } else if all.iter().all(|(e, _)| e.least >= 0) {
                words.push("at least 0".into());
            }
            words.extend(below.map(|name| format!("less than {name}")));
            let known = self.elements.get(array);
            words.retain(|w| !self.more || known.is_some_and(|k| k.contains(w)));
            if !words.is_empty() {
                out.insert(array.clone(), words);
            }
        }
        out
    }
}

fn element_size(name: &str) -> Option<u64> {
    crate::ElementType::parse(name).map(|(t, lanes)| t.size() as u64 * u64::from(lanes))
}

fn integer(launch: &RecordedLaunch, name: &str) -> Option<i128> {
    match launch.number(name)? {
        Number::Int(v) => Some(v),
        Number::Float(_) => None,
    }
}

/// The scalars that are integers in all launches.
fn integers(launches: &[RecordedLaunch]) -> Vec<String> {
    let Some(first) = launches.first() else { return Vec::new() };
    let is_one = |name: &&String| {
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        is_name && launches.iter().all(|l| integer(l, name).is_some())
    };
    first.scalars.keys().filter(is_one).cloned().collect()
}

/// Candidates in rows: of each, the first that is true says what the others would.
fn candidates(launches: &[RecordedLaunch]) -> Vec<Vec<Expr>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let dimensions = (0..3).map(Dimension::Block).chain((0..3).map(Dimension::Grid));
    let dimensions: Vec<String> = dimensions.map(|d| d.to_string()).collect();
    let scalars = integers(launches);
    let mut varying: Vec<&String> = Vec::new();
    for name in dimensions.iter().chain(&scalars) {
        let values: Vec<i128> = launches.iter().filter_map(|l| integer(l, name)).collect();
        let (Some(least), Some(most)) = (values.iter().min(), values.iter().max()) else {
            continue;
        };
        if least == most {
            rows.push(vec![format!("{name} == {least}")]);
            continue;
        }
        varying.push(name);
        let zeros = values.iter().fold(0_i128, |a, b| a | b).trailing_zeros();
        let power = 1_u64 << if *least >= 0 && zeros < 63 { zeros } else { 0 };
        if power > 1 {
            rows.push(vec![format!("{name} % {power} == 0")]);
        }
        let mut blocks = launches.iter().map(|l| u64::from(l.block[0]));
        if scalars.contains(name) && !blocks.all(|b| b > 0 && power.is_multiple_of(b)) {
            rows.push(vec![format!("{name} % blockDim.x == 0")]);
        }
        rows.push(vec![format!("{name} >= {least}")]);
        rows.push(vec![format!("{name} <= {most}")]);
    }
    let varies = |name: &String| varying.contains(&name);
    for (i, a) in scalars.iter().enumerate().take(MOST_COMPARED) {
        for b in scalars.iter().skip(i + 1).take(MOST_COMPARED) {
            if varies(a) || varies(b) {
                let ways = ["==", "<", ">", "<=", ">="];
                rows.push(ways.map(|op| format!("{a} {op} {b}")).to_vec());
            }
        }
    }
    for axis in ["x", "y", "z"] {
        let (grid, block) = (format!("gridDim.{axis}"), format!("blockDim.{axis}"));
        for n in scalars.iter().filter(|n| varies(n) || varies(&grid) || varies(&block)) {
            let beyond = format!("{n} <= {grid} * {block}");
            if varies(&grid) {
                rows.push(vec![
                    format!("{grid} == {n}"),
                    format!("{grid} * {block} == {n}"),
                    format!("{grid} == ({n} + {block} - 1) / {block}"),
                    beyond,
                    format!("{grid} == {n} / {block}"),
                ]);
            } else if varies(n) {
                rows.push(vec![beyond]);
            }
            if varies(&block) {
                rows.push(vec![format!("{block} == {n}")]);
            }
        }
    }
    let parsed = |row: &Vec<String>| row.iter().filter_map(|t| Expr::parse(t).ok()).collect();
    rows.iter().map(parsed).collect()
}

#[cfg(test)]
mod tests {
    use super::super::*;

    fn launch(grid: u32, block: u32, scalars: &[(&str, i64)]) -> RecordedLaunch {
        RecordedLaunch {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            scalars: scalars.iter().map(|(k, v)| ((*k).to_owned(), v.to_string())).collect(),
            ..RecordedLaunch::default()
        }
    }

    fn holds(launches: &[RecordedLaunch]) -> Vec<String> {
        RecordedKernel::default().with(launches.iter().cloned()).holds
    }

    #[test]
    fn what_all_launches_have() {
        let all = [
            launch(8, 128, &[("n", 1000), ("pitch", 1024)]),
            launch(16, 128, &[("n", 2000), ("pitch", 2048)]),
        ];
        let holds = holds(&all);
        let has = |text: &str| holds.iter().any(|h| h == text);
        for text in [
            "blockDim.x == 128",
            "gridDim.y == 1",
            "n % 8 == 0",
            "n >= 1000",
            "n <= 2000",
            "pitch % 1024 == 0",
            "n < pitch",
            "gridDim.x == (n + blockDim.x - 1) / blockDim.x",
        ] {
            assert!(has(text), "{text}: {holds:?}");
        }
        for text in ["n % blockDim.x == 0", "n <= pitch", "n <= gridDim.x * blockDim.x"] {
            assert!(!has(text), "{text}: {holds:?}");
        }
    }

    #[test]
    fn the_order_of_runs_does_not_matter() {
        let all: Vec<_> = (1..150).map(|i| launch(i, 64, &[("n", i64::from(i) * 64)])).collect();
        let at_once = RecordedKernel::default().with(all.clone());
        assert_eq!(at_once.launches.len(), MOST_LISTED);
        assert!(at_once.more && at_once.holds.contains(&"n <= 9536".to_owned()), "{at_once:?}");
        let again = at_once.clone().with(all.into_iter().rev());
        assert_eq!(again, at_once);
        // What is not listed any more still bounds what is said.
        let more = at_once.clone().with([launch(200, 64, &[("n", 12_800)])]);
        assert!(more.holds.contains(&"n <= 12800".to_owned()), "{:?}", more.holds);
        let odd = at_once.with([launch(1, 64, &[("n", 7)])]);
        assert!(odd.holds.contains(&"n >= 7".to_owned()), "{:?}", odd.holds);
        assert!(!odd.holds.iter().any(|h| h.contains('%')), "{:?}", odd.holds);
        assert_eq!(odd.clone().incomplete().summarised().holds, [""; 0]);
    }

    #[test]
    fn elements_in_words() {
        let with = |values: &[i64]| {
            let array = RecordedArray {
                element: "i32".into(),
                bytes: Some(4 * values.len() as u64),
                elements: Elements::of(values),
                ..RecordedArray::default()
            };
            let launch = launch(1, 4, &[("n", values.len() as i64)]);
            RecordedLaunch { arrays: [("idx".to_owned(), array)].into(), ..launch }
        };
        let words = |all: &[RecordedLaunch]| {
            let kernel = RecordedKernel::default().with(all.iter().cloned());
            kernel.elements.get("idx").cloned().unwrap_or_default().join(", ")
        };
        let first = with(&[2, 0, 1]);
        let all = "a permutation of all indices, at least 0, less than n";
        assert_eq!(words(std::slice::from_ref(&first)), all);
        let second = with(&[0, 1, 4, 9]);
        assert_eq!(words(&[first, second.clone()]), "distinct, at least 0");
        assert_eq!(words(&[second, with(&[3, 3])]), "ascending, at least 0");
    }
}
