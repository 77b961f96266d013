//! A line on standard error while files are checked, if a person is watching.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// indicatif draws nothing where standard error is not a terminal.
    pub(crate) fn new(files: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(
            Some(files as u64),
            ProgressDrawTarget::stderr_with_hz(8),
        );
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} {pos}/{len} files, {elapsed}: {wide_msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        Progress(bar)
    }

    pub(crate) fn start(&self, file: &str) {
        self.0.set_message(file.to_owned());
    }

    /// How far the search for launches of a kernel is.
    pub(crate) fn search(&self, kernel: &str, p: &lockstep_search::Progress) {
        let (reached, all) = p.sites;
        let percent = (reached * 100).checked_div(all).unwrap_or(100);
        self.0.set_message(format!(
            "{kernel}: generation {}/{}, best F {:.2}, {percent}% of the accesses, {} findings in {} launches",
            p.generation, p.generations, p.best_f, p.findings, p.launches
        ));
    }

    pub(crate) fn done(&self) {
        self.0.inc(1);
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
