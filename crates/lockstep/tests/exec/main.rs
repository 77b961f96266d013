//! `lockstep exec` and `lockstep nvcc`: whole programs, as users run them.
//!
//! Every `tests/exec/*.cu` at the root of the repository is a program. It is compiled and run in that folder, with the
//! arguments that a line `// args: …` gives, and what it prints, how it ends, and the report in one line for each
//! finding are compared with the file beside it (`x.out`). `LOCKSTEP_BLESS=1` writes these files. All programs are
//! compiled and run at the same time as far as there are cores.

#[path = "../cli/support/mod.rs"]
mod support;

mod commands;
mod opencl;
mod programs;
mod recorded;
