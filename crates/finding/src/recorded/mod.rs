//! Launches that a program made, as they are kept for later runs: dimensions, scalars, sizes of arrays and how arrays lie
//! to each other, and what is known of contents that addresses or branches depend on.
//!
//! There is a file for each kernel ([`RecordedKernel`]), which has the launches and what holds in all of them
//! ([`summary`]). It has no addresses, times or counts: the same runs write the same bytes, in any order. What is
//! claimed about launches can be decided for those that were recorded ([`decide`]); what a record does not tell is not
//! known.
//!
//! What it does not have: structs that are passed by value, but for the members that a kernel reads one by one; contents
//! that are long; what arrays hold that only pointers in memory lead to.

mod decide;
mod summary;
mod text;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A launch, without anything that differs from run to run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedLaunch {
    #[serde(with = "text::dims")]
    pub grid: [u32; 3],
    #[serde(with = "text::dims")]
    pub block: [u32; 3],
    /// OpenCL: the global size, where it is no multiple of the block.
    #[serde(default, with = "text::some_dims", skip_serializing_if = "Option::is_none")]
    pub global: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shared: u32,
    /// By parameter: numbers as the command line has them. Also variables that the host sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scalars: BTreeMap<String, String>,
    /// By pointer parameter.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arrays: BTreeMap<String, RecordedArray>,
}

/// What a pointer of a launch points to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedArray {
    /// Of the elements, as the command line names it: `i32`. Empty where the pointer is null, or into what is not known.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub element: String,
    /// Bytes from where the pointer points to the end of the allocation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub null: bool,
    /// The parameter whose allocation it points into as well, the one that points there furthest to the front.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Bytes in front of the pointer: from where the parameter [`RecordedArray::within`] points, or from the start of the
    /// allocation.
    #[serde(default, skip_serializing_if = "is_zero_wide")]
    pub at: u64,
    /// All elements, where they are few and addresses or branches depend on them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<String>,
    /// What is known of the elements, where addresses or branches depend on them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements: Option<Elements>,
}

/// What is known of integers in an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Elements {
    pub least: i64,
    pub most: i64,
    /// The smallest difference of two of them; 0 where some are equal.
    pub apart: u64,
    /// None is smaller than the one before.
    pub ascending: bool,
}

/// A kernel, and how it was launched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedKernel {
    pub schema: u32,
    pub kernel: String,
    pub mangled: String,
    pub file: String,
    /// Expressions of C that are true in every launch.
    pub holds: Vec<String>,
    /// Pointers into allocations that no other of them points into, in every launch.
    pub apart: Vec<String>,
    /// By array, in words: what holds of its elements in every launch.
    pub elements: BTreeMap<String, Vec<String>>,
    /// There were more launches than those below; all of them are in what holds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    pub launches: Vec<RecordedLaunch>,
}

/// The form of the files.
pub const SCHEMA: u32 = 1;

/// The most launches that a file lists.
pub const MOST_LISTED: usize = 64;

impl Elements {
    /// Of some integers; `None` if there are none.
    pub fn of(values: &[i64]) -> Option<Elements> {
        let (least, most) = (*values.iter().min()?, *values.iter().max()?);
        let ascending = values.windows(2).all(|w| w[0] <= w[1]);
        let mut sorted = values.to_vec();
        if !ascending {
            sorted.sort_unstable();
        }
        let apart = sorted.windows(2).map(|w| w[0].abs_diff(w[1])).min();
        Some(Elements { least, most, apart: apart.unwrap_or(u64::MAX), ascending })
    }
}

impl RecordedLaunch {
    /// Threads of the whole launch.
    pub fn threads(&self) -> u128 {
        self.grid.iter().chain(&self.block).map(|&d| u128::from(d)).product()
    }

    /// The allocation that a pointer points into, as the parameter that points there furthest to the front; `None` where
    /// that is not known.
    pub(crate) fn allocation<'a>(&'a self, pointer: &'a str) -> Option<&'a str> {
        let array = self.arrays.get(pointer)?;
        match &array.within {
            Some(of) => Some(of),
            None => array.bytes.is_some().then_some(pointer),
        }
    }
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

fn is_zero_wide(n: &u64) -> bool {
    *n == 0
}
