//! The log of proofs: a folder for each kernel, with these files.
//!
//! - `kernel.json`: the kernel, as the engines see it.
//! - `proof.json`: a [`Proof`].
//! - `KIND.smt2`, one for each kind that is proved: all questions, none of which has a model ([`crate::script`]).

use std::fs;
use std::path::{Path, PathBuf};

use lockstep_kernel::validate::validate;
use lockstep_kernel::{Kernel, SiteId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The form of the log that this version writes and reads.
pub const SCHEMA: u32 = 1;

pub const KERNEL: &str = "kernel.json";
pub const PROOF: &str = "proof.json";

/// What `proof.json` holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    pub schema: u32,
    /// The kernel's name, and the file that it is from.
    pub kernel: String,
    pub file: String,
    /// SHA-256 of `kernel.json`.
    pub kernel_sha256: String,
    pub kinds: Vec<Proved>,
}

/// A kind that is proved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proved {
    pub kind: String,
    /// The conditions of the verdict.
    pub assumes: Vec<String>,
    /// Lanes of a warp run in lockstep.
    pub lockstep: bool,
    /// Arrays that a launch gives may overlap.
    pub may_alias: bool,
    /// Accesses that no thread makes, or that only read textures.
    pub not_made: Vec<SiteId>,
    /// For data races: all pairs of accesses of which one writes, and how each is excluded.
    pub pairs: Vec<Pair>,
    /// The questions of the `.smt2` file, by number.
    pub obligations: Vec<Obligation>,
    /// How many simplifications the file asks about.
    pub rewrites: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The smaller number first.
    pub sites: (SiteId, SiteId),
    pub level: Level,
    /// All ways in which they could race, each excluded.
    pub excluded: Vec<Exclusion>,
}

/// Whose threads make the two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    WithinBlock,
    AcrossBlocks,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    pub rule: String,
    /// The number of the question, where the rule is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obligation: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obligation {
    /// What it is about: `race`, `barrier`, `order`, `bounds`, …
    pub about: String,
    /// The rule or the method of the prover that found no model.
    pub decided_by: String,
}

/// One kernel of a log, with the texts of its questions.
#[derive(Clone, Debug)]
pub struct Logged {
    pub folder: PathBuf,
    pub kernel: Kernel,
    pub proof: Proof,
    /// In the order of `proof.kinds`.
    pub scripts: Vec<String>,
    /// Whether the hash in the proof is that of the kernel.
    pub is_same_kernel: bool,
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Writes one kernel: its folder.
pub fn write(
    dir: &Path,
    kernel: &Kernel,
    file: &str,
    kinds: Vec<(Proved, String)>,
) -> Result<PathBuf, String> {
    let text = serde_json::to_string(kernel).map_err(|e| e.to_string())?;
    let kernel_sha256 = sha256(text.as_bytes());
    let (kinds, scripts): (Vec<Proved>, Vec<String>) = kinds.into_iter().unzip();
    let proof = Proof {
        schema: SCHEMA,
        kernel: kernel.name.clone(),
        file: file.to_owned(),
        kernel_sha256,
        kinds,
    };
    let described = serde_json::to_string_pretty(&proof).map_err(|e| e.to_string())?;
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = kernel.name.chars().map(plain).take(60).collect();
    let all = sha256([described.as_bytes(), text.as_bytes()].concat().as_slice());
    let folder = dir.join(format!("{name}-{}", &all[..12]));
    let cannot = |path: &Path, e: std::io::Error| format!("cannot write {}: {e}", path.display());
    fs::create_dir_all(&folder).map_err(|e| cannot(&folder, e))?;
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|e| cannot(&path, e))
    };
    put(KERNEL, &text)?;
    put(PROOF, &described)?;
    for (proved, script) in proof.kinds.iter().zip(&scripts) {
        put(&format!("{}.smt2", proved.kind), script)?;
    }
    Ok(folder)
}

/// The folders of a log that hold a proof, in the order of their names.
pub fn folders(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(dir).map_err(|e| format!("cannot read {}: {e}", dir.display()))?;
    let mut out: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join(PROOF).is_file())
        .collect();
    out.sort();
    if out.is_empty() {
        let what = "no proofs in it; 'lockstep prove --proof-log DIR' writes them";
        return Err(format!("{}: {what}", dir.display()));
    }
    Ok(out)
}

/// Reads one kernel.
pub fn read(folder: &Path) -> Result<Logged, String> {
    let get = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))
    };
    let wrong = |name: &str, e: serde_json::Error| {
        format!("{}: not a log of a proof: {e}", folder.join(name).display())
    };
    let proof: Proof = serde_json::from_str(&get(PROOF)?).map_err(|e| wrong(PROOF, e))?;
    if proof.schema != SCHEMA {
        let path = folder.join(PROOF);
        return Err(format!(
            "{}: schema {} of another version of lockstep, {SCHEMA} expected",
            path.display(),
            proof.schema
        ));
    }
    let text = get(KERNEL)?;
    let is_same_kernel = sha256(text.as_bytes()) == proof.kernel_sha256;
    let kernel: Kernel = serde_json::from_str(&text).map_err(|e| wrong(KERNEL, e))?;
    validate(&kernel)
        .map_err(|e| format!("{}: not a kernel: {e}", folder.join(KERNEL).display()))?;
    let is_name = |kind: &str| kind.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let mut scripts = Vec::new();
    for proved in &proof.kinds {
        if !is_name(&proved.kind) {
            let path = folder.join(PROOF);
            return Err(format!("{}: no such kind: {}", path.display(), proved.kind));
        }
        scripts.push(get(&format!("{}.smt2", proved.kind))?);
    }
    Ok(Logged { folder: folder.to_path_buf(), kernel, proof, scripts, is_same_kernel })
}
