//! `lockstep lsp`: a language server over standard input and output.
//!
//! A document is checked as `lockstep check` checks a file: when it is opened, when it is saved, and a moment after the
//! last keystroke, then with the text that the editor has. Findings become diagnostics with their second place
//! as related information; a hover says why an access is safe, or what was found; a code action writes a suppression.
//! A check that is outdated, because the text has changed or the document was closed, is cancelled.
//!
//! One thread reads, one thread ([`Server`]) answers and owns all state, and each check runs on a thread of its own, at
//! most one for a document. All that happens comes to the server as an [`Event`].
//!
//! Where it deviates from a compiler's server: a header is read from disk, so its change is seen when it is saved; then
//! all open documents are checked again, whether or not they include it.
//!
//! **Architecture Invariant:** no analysis here, and nothing that `lockstep check` would not say.

mod action;
mod diagnostics;
mod document;
mod hover;
mod place;
mod texts;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionParams, CodeActionRequest, CodeActionResponse,
    Diagnostic, DidChangeTextDocumentNotification, DidChangeTextDocumentParams,
    DidCloseTextDocumentNotification, DidCloseTextDocumentParams, DidOpenTextDocumentNotification,
    DidOpenTextDocumentParams, DidSaveTextDocumentNotification, DidSaveTextDocumentParams,
    ExitNotification, Hover, HoverParams, HoverRequest, InitializeRequest, InitializeResult,
    LogMessageNotification, LogMessageParams, MarkupContent, MarkupKind, MessageType,
    ProgressNotification, ProgressParams, ProgressToken, PublishDiagnosticsNotification,
    PublishDiagnosticsParams, SaveOptions, ServerCapabilities, ServerInfo, ShutdownRequest,
    TextDocumentContentChangeEvent, TextDocumentSyncKind, TextDocumentSyncOptions, Uri,
    WorkDoneProgressCreateParams, WorkDoneProgressCreateRequest,
};
use lockstep_finding::{InputError, Report};
use lockstep_names as names;
use lsp_server::{ErrorCode, Message, Notification, Request};
use serde_json::{Value, json};

use self::document::{Check, Document};
use self::texts::Texts;
use self::wire::{Incoming, Out};
use crate::cli::options::{FilesArgs, Lang};

/// Rest after a keystroke before the text is checked.
const REST: Duration = Duration::from_millis(400);

/// How long checks that were cancelled at the end are waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// What happens to the server.
enum Event {
    Client(Incoming),
    /// A check has ended: of which document, for which of its states.
    Checked {
        path: PathBuf,
        state: u64,
        report: Option<Report>,
    },
}

/// Serves until the client says `exit` or is gone: the exit status. `options` reads what the command line (or the
/// client, when it starts) gives as arguments of `lockstep check`.
pub(crate) fn serve(
    options: FilesArgs,
    parse: impl Fn(Vec<String>) -> Result<FilesArgs, String>,
) -> u8 {
    let (events, happened) = mpsc::channel();
    let reader = events.clone();
    std::thread::spawn(move || {
        let input = BufReader::new(std::io::stdin());
        wire::read(input, |incoming| reader.send(Event::Client(incoming)).is_ok());
    });
    let mut server = Server {
        out: Out(std::io::stdout()),
        events,
        options,
        parse: &parse,
        phase: Phase::New,
        shows_progress: false,
        documents: BTreeMap::new(),
        states: 0,
        waiting: Vec::new(),
        running: 0,
    };
    let status = server.run(&happened);
    server.end(&happened);
    status
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Ready,
    ShutDown,
}

struct Server<'a, W: Write> {
    out: Out<W>,
    events: Sender<Event>,
    options: FilesArgs,
    parse: &'a dyn Fn(Vec<String>) -> Result<FilesArgs, String>,
    phase: Phase,
    /// The client can show that something is under way.
    shows_progress: bool,
    documents: BTreeMap<PathBuf, Document>,
    /// Numbers the states of all documents.
    states: u64,
    /// Documents whose turn will come.
    waiting: Vec<PathBuf>,
    running: usize,
}

impl<W: Write> Server<'_, W> {
    fn run(&mut self, happened: &Receiver<Event>) -> u8 {
        loop {
            let event = match self.next_rest() {
                Some(rest) => happened.recv_timeout(rest),
                None => happened.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(Event::Client(Incoming::Message(Message::Request(r)))) => self.request(r),
                Ok(Event::Client(Incoming::Message(Message::Notification(n)))) => {
                    if n.method == wire::notification::<ExitNotification>() {
                        return u8::from(self.phase != Phase::ShutDown);
                    }
                    self.notification(n);
                }
                // The server asks only for leave to show progress, and takes it.
                Ok(Event::Client(Incoming::Message(Message::Response(_)))) => {}
                Ok(Event::Client(Incoming::Malformed(why) | Incoming::Hopeless(why))) => {
                    self.out.refuse_unread(&why);
                }
                Ok(Event::Client(Incoming::Closed)) | Err(RecvTimeoutError::Disconnected) => {
                    return 1;
                }
                Ok(Event::Checked { path, state, report }) => self.checked(&path, state, report),
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.rested();
            self.start_waiting();
        }
    }

    /// Ends what is still under way, so that nothing outlives the server.
    fn end(&mut self, happened: &Receiver<Event>) {
        self.documents.values().for_each(|d| d.cancel.cancel());
        let until = Instant::now() + PATIENCE;
        while self.running > 0 {
            match happened.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Checked { .. }) => self.running -= 1,
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let is = |name: String| method == name;
        if self.phase == Phase::New && !is(wire::request::<InitializeRequest>()) {
            return self.out.refuse(
                id,
                ErrorCode::ServerNotInitialized,
                "initialize comes first".into(),
            );
        }
        if self.phase == Phase::ShutDown {
            return self.out.refuse(
                id,
                ErrorCode::InvalidRequest,
                "the server is shut down".into(),
            );
        }
        let result = if is(wire::request::<InitializeRequest>()) {
            Ok(self.initialize(&params))
        } else if is(wire::request::<ShutdownRequest>()) {
            self.phase = Phase::ShutDown;
            self.documents.values().for_each(|d| d.cancel.cancel());
            Ok(Value::Null)
        } else if is(wire::request::<HoverRequest>()) {
            wire::params(&method, params).map(|p| to_value(&self.hover(&p)))
        } else if is(wire::request::<CodeActionRequest>()) {
            wire::params(&method, params).map(|p| to_value(&self.actions(&p)))
        } else {
            let message = format!("{method} is not known here");
            return self.out.refuse(id, ErrorCode::MethodNotFound, message);
        };
        match result {
            Ok(result) => self.out.answer(id, &result),
            Err(message) => self.out.refuse(id, ErrorCode::InvalidParams, message),
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.phase = Phase::Ready;
        let progress = params.pointer("/capabilities/window/workDoneProgress");
        self.shows_progress = progress == Some(&Value::Bool(true));
        // Settings and relative paths are the project's.
        let root = params.get("rootUri").and_then(Value::as_str);
        if let Some(root) = root.and_then(|uri| place::path_of(&Uri(uri.into()))) {
            let _ = std::env::set_current_dir(root);
        }
        let args = params.pointer("/initializationOptions/args").and_then(Value::as_array);
        let words = args.into_iter().flatten().map(|a| a.as_str().map(str::to_owned));
        match words.collect::<Option<Vec<String>>>() {
            Some(words) if !words.is_empty() => match (self.parse)(words) {
                Ok(options) => self.options = options,
                Err(message) => self.log(MessageType::Error, message),
            },
            Some(_) => {}
            None => {
                let message = "initializationOptions: args must be a list of texts".into();
                self.log(MessageType::Error, message);
            }
        }
        let sync = TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::Full),
            save: Some(SaveOptions { include_text: Some(true) }.into()),
            ..TextDocumentSyncOptions::default()
        };
        let actions = CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QuickFix]),
            ..CodeActionOptions::default()
        };
        to_value(&InitializeResult {
            capabilities: ServerCapabilities {
                text_document_sync: Some(sync.into()),
                hover_provider: Some(true.into()),
                code_action_provider: Some(actions.into()),
                ..ServerCapabilities::default()
            },
            server_info: Some(ServerInfo {
                name: env!("CARGO_PKG_NAME").into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
        })
    }

    fn notification(&mut self, n: Notification) {
        if self.phase != Phase::Ready {
            return;
        }
        let is = |name: String| n.method == name;
        let done = if is(wire::notification::<DidOpenTextDocumentNotification>()) {
            wire::params(&n.method, n.params).map(|p| self.opened(p))
        } else if is(wire::notification::<DidChangeTextDocumentNotification>()) {
            wire::params(&n.method, n.params).map(|p| self.changed(p))
        } else if is(wire::notification::<DidSaveTextDocumentNotification>()) {
            wire::params(&n.method, n.params).map(|p| self.saved(p))
        } else if is(wire::notification::<DidCloseTextDocumentNotification>()) {
            wire::params(&n.method, n.params).map(|p| self.closed(&p))
        } else {
            // What one does not know may be ignored.
            return;
        };
        if let Err(message) = done {
            self.log(MessageType::Error, message);
        }
    }

    fn opened(&mut self, p: DidOpenTextDocumentParams) {
        let item = p.text_document;
        let Some(path) = place::path_of(&item.uri) else {
            return self.log(MessageType::Info, format!("{} is no file: not checked", item.uri));
        };
        let state = self.next_state();
        let mut document = Document::new(item.uri, path.clone(), item.version, item.text, state);
        // The name of a document that was never saved does not tell its language.
        if place::is_unsaved(&document.uri) {
            document.lang = language(&item.language_id.to_string());
        }
        if let Some(before) = self.documents.insert(path.clone(), document) {
            before.cancel.cancel();
        }
        if self.is_checked(&path) {
            self.wait_for(path);
        }
    }

    fn changed(&mut self, p: DidChangeTextDocumentParams) {
        let state = self.next_state();
        let uri = &p.text_document.text_document_identifier.uri;
        let checked = place::path_of(uri).is_some_and(|path| self.is_checked(&path));
        let Some(document) = self.document(uri) else { return };
        // The whole text was asked for.
        let whole = p.content_changes.into_iter().rev().find_map(|c| match c {
            TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(w) => {
                Some(w.text)
            }
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(_) => None,
        });
        if let Some(text) = whole {
            document.change(text, p.text_document.version, state);
            document.due = checked.then(|| Instant::now() + REST);
        }
    }

    fn saved(&mut self, p: DidSaveTextDocumentParams) {
        let state = self.next_state();
        let Some(document) = self.document(&p.text_document.uri) else { return };
        let text = p.text.unwrap_or_else(|| document.text.to_string());
        let version = document.version;
        document.change(text, version, state);
        let saved = document.path.clone();
        let matters_to_all = is_header(&saved) && document.lang.is_none();
        let open: Vec<PathBuf> = self.documents.keys().cloned().collect();
        for path in open {
            // A header may matter to all others.
            if self.is_checked(&path) && (path == saved || matters_to_all) {
                self.wait_for(path);
            }
        }
    }

    /// Whether a document is looked at by itself, or only through those that include it.
    fn is_checked(&self, path: &Path) -> bool {
        self.options.analysis.input.lang.is_some()
            || self.documents.get(path).is_some_and(|d| d.lang.is_some())
            || has_extension(path, &["cu", "cuh", "cl", "ocl", "ll"])
    }

    fn closed(&mut self, p: &DidCloseTextDocumentParams) {
        let Some(path) = place::path_of(&p.text_document.uri) else { return };
        let Some(document) = self.documents.remove(&path) else { return };
        document.cancel.cancel();
        let mut files: BTreeSet<PathBuf> = document.diagnostics.into_keys().collect();
        files.remove(&path);
        self.publish_as(&path, p.text_document.uri.clone(), None);
        files.iter().for_each(|f| self.publish(f));
    }

    fn document(&mut self, uri: &Uri) -> Option<&mut Document> {
        self.documents.get_mut(&place::path_of(uri)?)
    }

    fn next_state(&mut self) -> u64 {
        self.states += 1;
        self.states
    }

    fn wait_for(&mut self, path: PathBuf) {
        if !self.waiting.contains(&path) {
            self.waiting.push(path);
        }
    }

    /// How long until some text has rested.
    fn next_rest(&self) -> Option<Duration> {
        let due = self.documents.values().filter_map(|d| d.due).min()?;
        Some(due.saturating_duration_since(Instant::now()))
    }

    /// Texts that have rested are checked.
    fn rested(&mut self) {
        let now = Instant::now();
        let mut rested = Vec::new();
        for document in self.documents.values_mut().filter(|d| d.due.is_some_and(|t| t <= now)) {
            document.due = None;
            rested.push(document.path.clone());
        }
        rested.into_iter().for_each(|path| self.wait_for(path));
    }

    /// Starts checks while there are documents that wait and cores that do not work.
    fn start_waiting(&mut self) {
        let most = std::thread::available_parallelism().map_or(1, |n| n.get());
        let mut later = Vec::new();
        for path in std::mem::take(&mut self.waiting) {
            let busy = self.running >= most;
            let Some(document) = self.documents.get_mut(&path) else { continue };
            if busy || document.running.is_some() {
                later.push(path);
                continue;
            }
            document.running = Some(document.state);
            document.due = None;
            let check = document.check(&self.options);
            self.running += 1;
            self.begin_progress(&path, check.state);
            self.spawn(check, path);
        }
        self.waiting = later;
    }

    fn spawn(&self, check: Check, path: PathBuf) {
        let events = self.events.clone();
        std::thread::spawn(move || {
            let state = check.state;
            let report = std::panic::catch_unwind(|| check.run()).ok();
            let _ = events.send(Event::Checked { path, state, report });
        });
    }

    fn checked(&mut self, path: &Path, state: u64, report: Option<Report>) {
        self.running -= 1;
        self.end_progress(state);
        let mut texts = self.texts();
        let Some(document) = self.documents.get_mut(path) else { return };
        // A document that was opened again meanwhile may run one of its own.
        document.running = document.running.filter(|r| *r != state);
        if document.state != state {
            return;
        }
        let Some(report) = report else {
            let message = format!("{}: the check failed; this is a bug", names::shown(path));
            return self.log(MessageType::Error, message);
        };
        let new = diagnostics::of(&report, path, &mut texts);
        let files: BTreeSet<PathBuf> = document
            .diagnostics
            .keys()
            .chain(new.keys())
            .chain([&document.path])
            .cloned()
            .collect();
        document.diagnostics = new;
        let unplaced: Vec<InputError> =
            report.errors.iter().filter(|e| !diagnostics::has_places(e)).cloned().collect();
        document.report = Some(report);
        files.iter().for_each(|f| self.publish(f));
        for error in unplaced {
            self.log(MessageType::Warning, error.message);
        }
    }

    fn texts(&self) -> Texts {
        let mut texts = Texts::default();
        for d in self.documents.values() {
            texts.open(d.path.clone(), d.uri.clone(), d.text.clone());
        }
        texts
    }

    /// Tells the client all that is known of a file, by whichever document.
    fn publish(&mut self, path: &Path) {
        let open = self.documents.get(path).map(|d| (d.uri.clone(), d.version));
        match open {
            Some((uri, version)) => self.publish_as(path, uri, Some(version)),
            None => self.publish_as(path, place::uri_of(path), None),
        }
    }

    fn publish_as(&mut self, path: &Path, uri: Uri, version: Option<i32>) {
        let mut diagnostics = Vec::new();
        for d in self.known_of(path) {
            if !diagnostics.contains(d) {
                diagnostics.push(d.clone());
            }
        }
        let params = PublishDiagnosticsParams { uri, version, diagnostics };
        self.out.notify::<PublishDiagnosticsNotification>(&params);
    }

    fn known_of<'s>(&'s self, path: &'s Path) -> impl Iterator<Item = &'s Diagnostic> {
        self.documents.values().filter_map(move |d| d.diagnostics.get(path)).flatten()
    }

    fn hover(&self, p: &HoverParams) -> Option<Hover> {
        let at = &p.text_document_position_params;
        let path = place::path_of(&at.text_document.uri)?;
        let line = at.position.line.checked_add(1)?;
        let reports = self.documents.values().filter_map(|d| d.report.as_ref());
        let value = reports.filter_map(|r| hover::text(r, &path, line)).next()?;
        let contents = MarkupContent { kind: MarkupKind::Markdown, value };
        Some(Hover { contents: contents.into(), range: None })
    }

    fn actions(&self, p: &CodeActionParams) -> Option<Vec<CodeActionResponse>> {
        let uri = &p.text_document.uri;
        let path = place::path_of(uri)?;
        let known: Vec<_> = self.known_of(&path).cloned().collect();
        let text = self.texts().get(&path)?;
        let actions = action::suppressions(uri, &text, p.range, &known);
        Some(actions.into_iter().map(CodeActionResponse::CodeAction).collect())
    }

    /// Shows that a check is under way, to clients that can show it.
    fn begin_progress(&mut self, path: &Path, state: u64) {
        if !self.shows_progress {
            return;
        }
        let token = ProgressToken::String(format!("check-{state}"));
        let create = WorkDoneProgressCreateParams { token: token.clone() };
        self.out.ask::<WorkDoneProgressCreateRequest>(format!("check-{state}"), &create);
        let name = path.file_name().map_or_else(String::new, |n| names::shown(Path::new(n)));
        let value = json!({"kind": "begin", "title": "Lockstep", "message": name});
        self.out.notify::<ProgressNotification>(&ProgressParams { token, value });
    }

    fn end_progress(&mut self, state: u64) {
        if self.shows_progress {
            let token = ProgressToken::String(format!("check-{state}"));
            let value = json!({"kind": "end"});
            self.out.notify::<ProgressNotification>(&ProgressParams { token, value });
        }
    }

    fn log(&mut self, kind: MessageType, message: String) {
        self.out.notify::<LogMessageNotification>(&LogMessageParams { kind, message });
    }
}

/// The language that an editor names: the identifiers that editors use for CUDA, OpenCL C and LLVM's IR.
fn language(id: &str) -> Option<Lang> {
    match id.to_ascii_lowercase().as_str() {
        "cuda" | "cuda-cpp" | "cuda-c" | "cuda-c++" | "cudacpp" => Some(Lang::Cuda),
        "opencl" | "opencl-c" | "openclc" | "cl" => Some(Lang::Opencl),
        "llvm" | "llvm-ir" => Some(Lang::Llvm),
        _ => None,
    }
}

fn is_header(path: &Path) -> bool {
    !has_extension(path, &["cu", "cl", "ocl", "ll"])
}

fn has_extension(path: &Path, known: &[&str]) -> bool {
    path.extension().is_some_and(|e| known.iter().any(|k| e.eq_ignore_ascii_case(k)))
}

fn to_value(result: &impl serde::Serialize) -> Value {
    serde_json::to_value(result).unwrap_or(Value::Null)
}
