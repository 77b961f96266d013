//! Whole projects: which files, compiled how, with which settings, and which of their findings count.
//!
//! **Architecture Invariant:** nothing here compiles or analyses. This crate knows files, options and finished
//! reports; it knows neither clang's process nor an engine.
//!
//! Reading order: [`tree`] (folders), [`database`] and [`flags`] (`compile_commands.json`), [`config`]
//! (`lockstep.toml`) and [`settings`] (which one holds for a file), [`changed`] (`--changed`), [`suppress`] and
//! [`baseline`] (findings that do not count), [`recorded`] (launches that programs made), [`cache`].

pub mod baseline;
pub mod cache;
pub mod changed;
pub mod config;
pub mod database;
pub mod flags;
pub mod recorded;
pub mod settings;
pub mod suppress;
pub mod tree;
