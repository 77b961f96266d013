//! The tool as users meet it: every test starts the program that was built.
//!
//! One binary, so that its tests share all cores, and that it is linked once.

mod advice;
mod bad_input;
mod book;
mod commands;
mod device;
mod entries;
mod examples;
mod help;
mod interrupt;
mod jobs;
mod lsp;
mod names;
mod output;
mod project;
mod proofs;
mod search;
mod support;
mod terminal;
mod ui;
