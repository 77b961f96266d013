//! Completion scripts and manual pages, made from the definition of the command line.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::options::Cli;
use crate::cli::output;

/// The completion script of a shell, on standard output.
pub(crate) fn completions(shell: Shell) -> Result<(), String> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "lockstep", &mut script);
    output::write_text(&String::from_utf8_lossy(&script), None)
}

/// One page for the tool and one for each command, in a folder that is made if need be.
pub(crate) fn pages(dir: &Path) -> Result<(), String> {
    let write = || {
        std::fs::create_dir_all(dir)?;
        clap_mangen::generate_to(Cli::command(), dir)
    };
    write().map_err(|e| {
        format!("cannot write the manual pages to '{}': {e}", lockstep_names::shown(dir))
    })
}
