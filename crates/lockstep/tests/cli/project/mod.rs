//! Whole projects, as users meet them: folders, compilation databases, `lockstep.toml`, `--changed`, templates,
//! suppressions, baselines, the cache, and launches that are repeated.

mod cache;
mod counts;
mod files;
mod kit;
mod repeat;
mod settings;
mod templates;
