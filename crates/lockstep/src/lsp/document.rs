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
use crate::check::{self, Unit};
use crate::engines::Engines;
use crate::options::{Evolve, FilesArgs, Format, Lang};
use crate::plan::Plan;

pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) path: PathBuf,
    /// Where the path does not tell it.
    pub(super) lang: Option<Lang>,
    pub(super) version: i32,
    pub(super) text: Arc<str>,
    /// A number of its own for each text: what was found in another state is outdated.
    pub(super) state: u64,
    /// Ends the check of this state.
    pub(super) cancel: Cancel,
    /// The state that is being checked.
    pub(super) running: Option<u64>,
    /// When the text will have rested long enough to be checked.
    pub(super) due: Option<Instant>,
    /// What was found in this state.
    pub(super) report: Option<Report>,
    /// What was last found, in whatever state: editors move it along.
    pub(super) diagnostics: Diagnostics,
}

impl Document {
    pub(super) fn new(uri: Uri, path: PathBuf, version: i32, text: String, state: u64) -> Document {
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
    pub(super) fn change(&mut self, text: String, version: i32, state: u64) {
        self.text = text.into();
        self.version = version;
        self.state = state;
        self.cancel.cancel();
        self.cancel = Cancel::new();
        self.due = None;
        self.report = None;
    }

    pub(super) fn check(&self, options: &FilesArgs) -> Check {
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
pub(super) struct Check {
    options: FilesArgs,
    path: PathBuf,
    text: Arc<str>,
    pub(super) state: u64,
}

impl Check {
    /// As `lockstep check` does it. The text goes to the compiler only where it is not what the file holds.
    pub(super) fn run(self) -> Report {
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
