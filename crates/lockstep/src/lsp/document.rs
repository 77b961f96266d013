//! A document that the editor has open, and its check.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use gen_lsp_types::Uri;
use lockstep_cancel::Cancel;
use lockstep_finding::Report;
use lockstep_finding::source::Sources;
use lockstep_search::Alias;

use super::diagnostics::Diagnostics;
use crate::cli::formats::Format;
use crate::cli::options::{Evolve, FilesArgs, Lang};
use crate::engines::task::Engines;
use crate::project::check::{self, Unit};
use crate::project::plan::Plan;

pub(crate) struct Document {
    pub(crate) uri: Uri,
    pub(crate) path: PathBuf,
    /// Where the path does not tell it.
    pub(crate) lang: Option<Lang>,
    pub(crate) version: i32,
    pub(crate) text: Arc<str>,
    /// A number of its own for each text: what was found in another state is outdated.
    pub(crate) state: u64,
    /// Ends the check of this state.
    pub(crate) cancel: Cancel,
    /// The state that is being checked.
    pub(crate) running: Option<u64>,
    /// When the text will have rested long enough to be checked.
    pub(crate) due: Option<Instant>,
    /// What was found in this state.
    pub(crate) report: Option<Report>,
    /// What was last found, in whatever state: editors move it along.
    pub(crate) diagnostics: Diagnostics,
}

impl Document {
    pub(crate) fn new(uri: Uri, path: PathBuf, version: i32, text: String, state: u64) -> Document {
        Document {
            uri,
            path,
            lang: None,
            version,
            text: text.into(),
            state,
            cancel: Cancel::new(),
            running: None,
            due: None,
            report: None,
            diagnostics: Diagnostics::new(),
        }
    }

    /// A new text: whatever is under way for the old one is cancelled.
    pub(crate) fn change(&mut self, text: String, version: i32, state: u64) {
        self.text = text.into();
        self.version = version;
        self.state = state;
        self.cancel.cancel();
        self.cancel = Cancel::new();
        self.due = None;
        self.report = None;
    }

    pub(crate) fn check(&self, options: &FilesArgs) -> Check {
        let mut options = options.clone();
        options.files = vec![self.path.clone()];
        options.analysis.input.cancel = self.cancel.clone();
        options.analysis.input.lang = options.analysis.input.lang.or(self.lang);
        // It takes findings as they are: no pictures.
        options.analysis.report.format = Format::Json;
        Check { options, path: self.path.clone(), text: self.text.clone(), state: self.state }
    }
}

/// A check of one state of a document.
pub(crate) struct Check {
    options: FilesArgs,
    path: PathBuf,
    text: Arc<str>,
    pub(crate) state: u64,
}

impl Check {
    /// As `lockstep check` does it. The text goes to the compiler only where it is not what the file holds.
    pub(crate) fn run(self) -> Report {
        let mut input = self.options.analysis.input.clone();
        let saved = std::fs::read(&self.path).is_ok_and(|bytes| bytes == self.text.as_bytes());
        let text = (!saved).then(|| self.text.as_bytes().to_vec());
        if let (Some(_), Some(folder)) = (&text, self.path.parent()) {
            input.clang_args.extend(["-iquote".into(), folder.as_os_str().to_owned()]);
        }
        let unit = Unit { path: self.path, input, text, named: false, project: 0 };
        let alias = if self.options.may_alias { Alias::All } else { Alias::Never };
        let how = Engines::All(Evolve { alias, ..Evolve::default() });
        match Plan::of_document(unit, &self.options.project, &self.options.analysis) {
            Ok(plan) => check::check(&plan, &how, &mut Sources::new()),
            Err(e) => Report { errors: vec![e], ..Report::default() },
        }
    }
}
