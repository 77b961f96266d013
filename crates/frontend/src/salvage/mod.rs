//! Sources that do not compile as a whole: what does not compile is left out, and the rest is looked at.
//!
//! A kernel needs neither the libraries that the host calls nor the host's own code. So a header that is missing is
//! taken as empty (clang's `-MG`), and a part of the source in which clang finds an error is left out: the statement,
//! if that is in a host function that is compiled only for the kernels that it instantiates; else the body of the
//! function, whose declaration stays; the declaration, if the error is in that. What used it then does not compile
//! either, so this is repeated until all compiles. Where a part is, is told by clang's messages and by an outline of
//! the text ([`outline`]). The compiler gets the changed text under the file's own name, with every line in its place.
//!
//! What is left out is named with the first message about it ([`Omission`]), and nothing is claimed of it: a kernel
//! that is left out is not looked at; a device function without its body is a call of which the effects are unknown. A
//! class that loses a member has another layout, so if a kernel or a device function may use it, it is left out as a
//! whole.
//!
//! What it can miss: a missing header that would have defined a macro that a kernel tests; so verdicts name these
//! headers. An overload or specialisation that is left out, in place of which another is chosen without an error.

mod diagnostics;
mod outline;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use lockstep_kernel::Kernel;
use lockstep_names as names;

use crate::clang::temporary::Temporary;
use crate::clang::{self, Compiled, Source, is_users};
use crate::{Error, HeadComment, Module, Options, Uninstantiated, entries};
use diagnostics::Problem;
use outline::{Item, Kind, Outline};

/// What a part of a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Kernel,
    DeviceFunction,
    HostFunction,
    /// A type, a variable, or anything else.
    Declaration,
}

/// A part of the source that does not compile and was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omission {
    pub part: Part,
    pub name: String,
    pub file: String,
    /// Of the error.
    pub line: u32,
    /// The first message about it.
    pub because: String,
}

/// How a source is compiled.
pub(crate) type Compile<'a> = &'a dyn Fn(&Source, &Options) -> Result<Compiled, Error>;

/// A source of which parts are left out.
pub(crate) struct Salvaged {
    /// The rest of it.
    pub(crate) source: Source,
    /// These make clang read the changed texts.
    pub(crate) options: Options,
    pub(crate) compiled: Compiled,
    /// As they are spelled.
    pub(crate) missing_headers: Vec<String>,
    pub(crate) omissions: Vec<Omission>,
    /// Classes that lost a member, and those that hold one.
    pub(crate) incomplete: BTreeSet<String>,
    pub(crate) experience: Arc<Experience>,
    /// What ended the compilation of the whole.
    pub(crate) first: Error,
    /// The words of all that is left out, and of the functions and macros that these name.
    pub(crate) words: BTreeSet<String>,
    /// The changed texts, which clang still has to read.
    _files: Vec<Temporary>,
}

impl Salvaged {
    /// The kernels of the rest, with what is to be told of the others; if nothing is left to look at, the first error.
    pub(crate) fn tell(self, mut module: Module) -> Result<Module, Error> {
        let holds = |k: &Kernel| {
            self.incomplete.iter().find(|c| k.mangled.contains(&format!("{}{c}", c.len())))
        };
        let (whole, others): (Vec<Kernel>, Vec<Kernel>) =
            module.kernels.into_iter().partition(|k| holds(k).is_none());
        module.kernels = whole;
        let line = |k: &Kernel| k.locs.get(k.loc.0 as usize).map_or(0, |l| l.line);
        let others: Vec<Uninstantiated> = others
            .iter()
            .map(|k| Uninstantiated {
                template: k.name.clone(),
                line: line(k),
                because: format!(
                    "a member of {} does not compile",
                    holds(k).map_or("a class", String::as_str)
                ),
            })
            .collect();
        let own = self.omissions.iter().filter(|o| o.file == self.source.name);
        let broken: Vec<Uninstantiated> = own
            .filter(|o| o.part == Part::Kernel && module.kernels.iter().all(|k| !is_named(k, o)))
            .map(|o| Uninstantiated {
                template: o.name.clone(),
                line: o.line,
                because: format!("it does not compile: {}", o.because),
            })
            .collect();
        if module.kernels.is_empty() && module.uninstantiated.is_empty() {
            return Err(self.first);
        }
        module.uninstantiated.extend(others.into_iter().chain(broken));
        module.missing_headers = self.missing_headers;
        module.omissions = self.omissions;
        module.experience = Some(self.experience);
        Ok(module)
    }
}

fn is_named(kernel: &Kernel, omission: &Omission) -> bool {
    entries::is_named(&kernel.name, &kernel.mangled, &omission.name)
}

/// Whether single statements of host functions may be left out: not where their effects are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    Statements,
    Bodies,
}

/// A compilation is repeated at most so often.
const MOST_ROUNDS: usize = 16;
/// From this on, whole bodies are left out.
const ROUNDS_OF_STATEMENTS: usize = 5;

/// Compiles what compiles, after a compilation of the whole ended with `first`; or returns that error.
pub(crate) fn compile(
    source: &Source,
    head: &HeadComment,
    options: &Options,
    detail: Detail,
    compile: Compile,
    first: Error,
) -> Result<Salvaged, Error> {
    let lacks = match &first {
        Error::Compile { .. } => false,
        Error::MissingHeader { .. } => true,
        _ => return Err(first),
    };
    if lacks {
        lacking().insert(options.clang_args.clone());
    }
    let mut options = tolerant(options, lacks)?;
    let known = options.experience.take();
    let known = known.unwrap_or_else(|| Arc::new(Experience::of(source, head, &options)));
    options.experience = Some(known.clone());
    let mut messages = known.messages.clone();
    let mut patient = Patient::new(source, &options, detail, &known.kept);
    let mut last = None;
    // What did not compile on the other side is not tried on this one.
    for (round, text) in known.messages.iter().enumerate() {
        if let Some(problems) = diagnostics::parse(text) {
            patient.leave_out(&problems, round);
        }
    }
    // If the messages are all that there are, the compilation need not be repeated for them. Where clang has given up, its last
    // message has no place, and nothing is parsed.
    if let Error::Compile { stderr } = &first
        && messages.is_empty()
        && let Some(problems) = diagnostics::parse(stderr)
        && !patient.leave_out(&problems, 0)
    {
        return Err(first);
    }
    for round in 0..MOST_ROUNDS {
        let (source, options, files) = patient.changed()?;
        match compile(&source, &options) {
            Ok(mut compiled) => {
                let missing_headers = take_missing(&mut compiled.files);
                patient.read_all();
                let words = patient.lost_words();
                if let (Error::Compile { stderr }, []) = (&first, &known.messages[..]) {
                    messages.insert(0, stderr.clone());
                }
                let header = missing_headers.first().cloned();
                let missing = header.or_else(|| known.missing.clone());
                let experience = Experience { messages, missing, ..Experience::clone(&known) };
                return Ok(Salvaged {
                    source,
                    options,
                    compiled,
                    missing_headers,
                    experience: Arc::new(experience),
                    omissions: patient.omissions,
                    incomplete: patient.incomplete,
                    words,
                    first,
                    _files: files,
                });
            }
            Err(Error::Compile { stderr }) => {
                let problems = diagnostics::parse(&stderr);
                let is_changed = problems.is_some_and(|p| patient.leave_out(&p, round));
                messages.push(stderr.clone());
                last = Some(stderr);
                if !is_changed {
                    break;
                }
            }
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(_) => break,
        }
    }
    // With the header taken as empty, the messages may be about what is really wrong.
    Err(match (first, last) {
        (Error::MissingHeader { header, stderr }, Some(last)) if patient.omissions.is_empty() => {
            Error::MissingHeader { header, stderr: format!("{stderr}{last}") }
        }
        (first, _) => first,
    })
}

/// Takes those from a list of files that are not there.
fn take_missing(files: &mut Vec<PathBuf>) -> Vec<String> {
    let missing = files.iter().filter(|f| !f.exists()).map(|f| names::shown(f)).collect();
    files.retain(|f| f.exists());
    missing
}

/// A file of the user, and what is left out of it.
struct File {
    text: String,
    outline: Outline,
    cuts: Vec<(Range<usize>, Filler)>,
    /// How many of these there were before the current round.
    before: usize,
    /// The text is not the file's, since launches in it were written with spaces.
    has_launches_joined: bool,
}

/// What stands in place of what is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filler {
    Nothing,
    /// Of a statement, or of a body: then it is only a declaration.
    Semicolon,
    /// The body of a function that a kernel may call: an instruction with unknown effects.
    Unknown,
}

impl Filler {
    fn words(self) -> &'static [&'static str] {
        match self {
            Filler::Nothing => &[],
            Filler::Semicolon => &[";"],
            Filler::Unknown => &["{", "asm", "(", "\"left out\"", ")", ";", "}"],
        }
    }

    /// The text with these words in a range of spaces, if they fit between its line breaks.
    fn fill(self, bytes: &mut [u8]) -> bool {
        let mut at = 0;
        for word in self.words() {
            let is_free = |bytes: &[u8]| bytes.iter().all(|b| *b == b' ');
            while bytes.get(at..at + word.len()).is_some_and(|b| !is_free(b)) {
                at += 1;
            }
            let Some(place) = bytes.get_mut(at..at + word.len()) else { return false };
            place.copy_from_slice(word.as_bytes());
            at += word.len();
        }
        true
    }
}

impl File {
    fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let mut lines = self.text.split_inclusive('\n');
        let before: usize = lines.by_ref().take(line.checked_sub(1)? as usize).map(str::len).sum();
        let length = lines.next()?.len();
        Some(before + (column.checked_sub(1)? as usize).min(length))
    }

    fn changed(&self) -> Vec<u8> {
        let mut bytes = self.text.clone().into_bytes();
        for (range, _) in &self.cuts {
            blank(&mut bytes[range.clone()]);
        }
        for (range, filler) in &self.cuts {
            let is_within = |r: &Range<usize>| {
                r.start <= range.start && range.end <= r.end && r.len() > range.len()
            };
            if !self.cuts.iter().any(|(r, _)| is_within(r)) {
                filler.fill(&mut bytes[range.clone()]);
            }
        }
        bytes
    }

    fn fits(&self, range: &Range<usize>, filler: Filler) -> bool {
        let mut bytes = self.text.as_bytes()[range.clone()].to_vec();
        blank(&mut bytes);
        filler.fill(&mut bytes)
    }

    fn is_cut(&self, range: &Range<usize>) -> bool {
        self.cuts.iter().any(|(cut, _)| cut.start <= range.start && range.end <= cut.end)
    }
}

/// The text with `<< <` and `>> >(`, which nvcc takes as a launch, written together.
fn with_launches_joined(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let spaces = |i: usize| bytes[i..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let mut join = |at: usize, sign: u8| {
        let next = at + 2 + spaces(at + 2);
        let is_apart = next > at + 2 && bytes.get(next) == Some(&sign);
        let before = at.checked_sub(1).map(|i| bytes[i]);
        let calls = sign == b'<' || bytes.get(next + 1 + spaces(next + 1)) == Some(&b'(');
        if is_apart && calls && before != Some(sign) {
            out[next] = b' ';
            out[at + 2] = sign;
        }
        is_apart && calls
    };
    let mut has_one = false;
    for at in 0..bytes.len().saturating_sub(3) {
        for sign in [b'<', b'>'] {
            if bytes[at] == sign && bytes[at + 1] == sign && bytes[at + 2].is_ascii_whitespace() {
                has_one |= join(at, sign) && sign == b'<';
            }
        }
    }
    let out = String::from_utf8(out).ok()?;
    has_one.then_some(out)
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|b| !b.is_ascii_whitespace()).for_each(|b| *b = b' ');
}

/// The state of the attempt.
struct Patient<'a> {
    source: &'a Source,
    options: &'a Options,
    detail: Detail,
    /// By name, as clang writes it; `None` if it is not the user's, or no text.
    files: BTreeMap<String, Option<File>>,
    /// The lines that are compiled.
    kept: &'a BTreeMap<PathBuf, BTreeSet<u32>>,
    omissions: Vec<Omission>,
    incomplete: BTreeSet<String>,
}

impl<'a> Patient<'a> {
    fn new(
        source: &'a Source,
        options: &'a Options,
        detail: Detail,
        kept: &'a BTreeMap<PathBuf, BTreeSet<u32>>,
    ) -> Patient<'a> {
        Patient {
            source,
            options,
            detail,
            files: BTreeMap::new(),
            kept,
            omissions: Vec::new(),
            incomplete: BTreeSet::new(),
        }
    }

    /// The source and the options with the changes so far.
    fn changed(&self) -> Result<(Source, Options, Vec<Temporary>), Error> {
        let mut source = self.source.clone();
        let mut options = self.options.clone();
        let mut files = Vec::new();
        for (name, file) in &self.files {
            let Some(file) = file.as_ref() else { continue };
            if file.cuts.is_empty() && !file.has_launches_joined {
                continue;
            }
            let bytes = file.changed();
            if *name == self.source.name {
                source.bytes.clone_from(&bytes);
                if source.path.is_none() {
                    continue;
                }
            }
            let changed = Temporary::new("cu", &bytes)?;
            options.read_as(names::path(name).into_os_string(), changed.path());
            files.push(changed);
        }
        Ok((source, options, files))
    }

    fn file(&mut self, name: &str) -> Option<&mut File> {
        if !self.files.contains_key(name) {
            let file = self.read(name);
            self.files.insert(name.to_owned(), file);
        }
        self.files.get_mut(name)?.as_mut()
    }

    fn read(&self, name: &str) -> Option<File> {
        let path = names::path(name);
        let text = if name == self.source.name {
            String::from_utf8(self.source.bytes.clone()).ok()?
        } else if is_users(&path, self.options) {
            std::fs::read_to_string(&path).ok()?
        } else {
            return None;
        };
        let joined = with_launches_joined(&text);
        let has_launches_joined = joined.is_some();
        let text = joined.unwrap_or(text);
        let outline = Outline::new(&text, self.kept.get(&path)?);
        Some(File { text, outline, cuts: Vec::new(), before: 0, has_launches_joined })
    }

    /// Leaves out what the errors are in; false if nothing can be left out for one of them.
    fn leave_out(&mut self, problems: &[Problem], round: usize) -> bool {
        let mut is_changed = false;
        self.files.values_mut().flatten().for_each(|f| f.before = f.cuts.len());
        let mut joined = BTreeSet::new();
        for problem in problems {
            let name = &problem.place.file;
            let is_new = !self.files.contains_key(name);
            if is_new && self.file(name).is_some_and(|f| f.has_launches_joined) {
                joined.insert(name.clone());
                is_changed = true;
            }
            // It may be about a launch.
            if joined.contains(name) {
                continue;
            }
            let Some(cut) = self.cut_for(problem, round) else { continue };
            is_changed = true;
            // Another error in what is left out anyway.
            let Some(cut) = cut else { continue };
            let Some(file) = self.file(&cut.file) else { continue };
            if !file.is_cut(&cut.range) {
                file.cuts.push((cut.range, cut.filler));
            }
            let omission = cut.omission;
            let is_known = |o: &Omission| {
                (&o.name, &o.file, o.part) == (&omission.name, &omission.file, omission.part)
            };
            if !self.omissions.iter().any(is_known) {
                self.omissions.push(omission);
            }
        }
        is_changed
    }

    /// What is left out for an error: the part at its place, or, if that is not the user's or depends on template
    /// arguments, the part of the host that asked for it. `Some(None)` if that has just been left out.
    fn cut_for(&mut self, problem: &Problem, round: usize) -> Option<Option<Cut>> {
        let places: Vec<_> =
            std::iter::once(&problem.place).chain(&problem.requests).cloned().collect();
        let mut own = None;
        let mut of_host = None;
        for place in places {
            let Some(file) = self.file(&place.file) else { continue };
            let Some(at) = file.offset(place.line, place.column) else { continue };
            let around = file.outline.around(at);
            let Some(innermost) = around.first() else { continue };
            let is_device = innermost.is_device || innermost.is_kernel;
            if own.is_none() {
                own = Some((place.clone(), is_device));
            }
            if !is_device && innermost.kind == Kind::Function {
                of_host = Some(place);
            }
        }
        let (own, is_device) = own?;
        let place = match of_host {
            Some(place) if is_device => place,
            _ => own,
        };
        let is_fine = self.detail == Detail::Statements && round < ROUNDS_OF_STATEMENTS;
        let classes = self.classes_around(&place.file, place.line, place.column);
        let (shared, own): (Vec<_>, Vec<_>) =
            classes.into_iter().map(|c| self.holders(c)).partition(|(_, is_shared)| *is_shared);
        let shared: BTreeSet<String> = shared.into_iter().flat_map(|(names, _)| names).collect();
        let file = self.file(&place.file)?;
        let at = file.offset(place.line, place.column)?;
        if file.cuts[file.before..].iter().any(|(r, _)| r.contains(&at)) {
            return Some(None);
        }
        let around = file.outline.around(at);
        let innermost = *around.first()?;
        let mut parts: Vec<(Range<usize>, Filler, &Item)> = Vec::new();
        let is_host = !innermost.is_device && !innermost.is_kernel;
        for (i, item) in around.iter().enumerate() {
            let is_member = around.get(i + 1).is_some_and(|p| p.kind == Kind::Class);
            match item.kind {
                Kind::Function => {
                    if is_fine
                        && is_host
                        && i == 0
                        && let Some(statement) = file.outline.statement(item, at)
                    {
                        parts.push((statement, Filler::Semicolon, item));
                    }
                    let filler = match item.is_device && !item.is_kernel {
                        true => Filler::Unknown,
                        false => Filler::Semicolon,
                    };
                    if item.body.contains(&at) && file.fits(&item.body, filler) {
                        parts.push((item.body.clone(), filler, item));
                    }
                    parts.push((item.whole.clone(), Filler::Nothing, item));
                }
                // A member without which the class has another layout.
                Kind::Other if is_member && shared.contains(&around[i + 1].name) => {}
                Kind::Other | Kind::Class => {
                    parts.push((item.whole.clone(), Filler::Nothing, item));
                }
                Kind::Namespace => {}
            }
        }
        let (range, filler, item) = parts.into_iter().find(|(r, _, _)| !file.is_cut(r))?;
        let part = match (item.kind, item.is_kernel, item.is_device) {
            (_, true, _) => Part::Kernel,
            (Kind::Function, _, true) => Part::DeviceFunction,
            (Kind::Function, _, false) => Part::HostFunction,
            _ => Part::Declaration,
        };
        let is_member = item.kind == Kind::Other
            && item.parent.is_some_and(|p| file.outline.items[p].kind == Kind::Class);
        let omission = Omission {
            part,
            name: item.name.clone(),
            file: place.file.clone(),
            line: place.line,
            because: problem.message.clone(),
        };
        let file_name = place.file;
        if is_member {
            self.incomplete.extend(own.into_iter().flat_map(|(names, _)| names));
        }
        Some(Some(Cut { file: file_name, range, filler, omission }))
    }

    fn classes_around(&mut self, file: &str, line: u32, column: u32) -> Vec<String> {
        let Some(file) = self.file(file) else { return Vec::new() };
        let Some(at) = file.offset(line, column) else { return Vec::new() };
        let around = file.outline.around(at);
        around.iter().filter(|i| i.kind == Kind::Class).map(|i| i.name.clone()).collect()
    }

    /// A class with those that hold it, by name, and whether code of the device may use one of them.
    fn holders(&mut self, class: String) -> (BTreeSet<String>, bool) {
        self.read_all();
        let mut named = BTreeSet::from([class]);
        let mut is_used = false;
        loop {
            let mut more = BTreeSet::new();
            for outline in self.files.values().flatten().map(|f| &f.outline) {
                for (i, item) in outline.items.iter().enumerate() {
                    let is_code = item.is_device || item.is_kernel;
                    let is_class = item.kind == Kind::Class && !named.contains(&item.name);
                    if (!is_code || is_used) && !is_class {
                        continue;
                    }
                    let names_one = named.iter().any(|n| outline.words_of(i).contains(n));
                    let mut outer =
                        std::iter::successors(Some(item), |i| Some(&outline.items[i.parent?]));
                    is_used |= is_code && (names_one || outer.any(|i| named.contains(&i.name)));
                    if is_class && names_one {
                        more.insert(item.name.clone());
                    }
                }
            }
            if more.is_empty() {
                return (named, is_used);
            }
            named.extend(more);
        }
    }

    /// The words of all that is left out, and of the functions and macros that these name.
    fn lost_words(&self) -> BTreeSet<String> {
        let mut lost: BTreeSet<&str> = BTreeSet::new();
        let mut bodies: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for file in self.files.values().flatten() {
            for (range, _) in &file.cuts {
                lost.extend(file.outline.words(range.clone()));
            }
            for item in file.outline.items.iter().filter(|i| i.kind == Kind::Function) {
                let words = file.outline.words(item.body.clone());
                bodies.entry(&item.name).or_default().extend(words);
            }
            for (name, words) in macros(&file.text) {
                bodies.entry(name).or_default().extend(words);
            }
        }
        let mut open: Vec<&str> = lost.iter().copied().collect();
        while let Some(word) = open.pop() {
            let named = bodies.remove(word).unwrap_or_default();
            open.extend(named.into_iter().filter(|w| lost.insert(w)));
        }
        lost.into_iter().map(str::to_owned).collect()
    }

    /// Looks at all files of the user.
    fn read_all(&mut self) {
        for path in self.kept.keys().cloned().collect::<Vec<_>>() {
            self.file(&names::shown(&path));
        }
    }
}

/// The macros that a text defines, with the words of their definitions.
fn macros(text: &str) -> Vec<(&str, Vec<&str>)> {
    let is_sign = |c: char| !c.is_alphanumeric() && c != '_';
    let mut lines = text.lines();
    let mut out = Vec::new();
    while let Some(line) = lines.next() {
        let Some(rest) = line.trim_start().strip_prefix('#') else { continue };
        let Some(rest) = rest.trim_start().strip_prefix("define ") else { continue };
        let mut words: Vec<&str> = rest.split(is_sign).filter(|w| !w.is_empty()).collect();
        let mut last = line;
        while last.trim_end().ends_with('\\')
            && let Some(next) = lines.next()
        {
            words.extend(next.split(is_sign).filter(|w| !w.is_empty()));
            last = next;
        }
        if !words.is_empty() {
            out.push((words.remove(0), words));
        }
    }
    out
}

/// A part to leave out.
struct Cut {
    file: String,
    range: Range<usize>,
    filler: Filler,
    omission: Omission,
}

/// The options for a source of which parts do not compile: missing headers are empty, and all errors are named. `lacks`: it is one
/// that lacks headers.
fn tolerant(options: &Options, lacks: bool) -> Result<Options, Error> {
    let mut options = options.clone();
    options.clang_args.extend(["-Xclang", "-MG", "-ferror-limit=0"].map(OsString::from));
    if options.cuda_path.is_none() && lacks {
        // The headers of the SDK's libraries bring these types along.
        for header in ["cuda_fp16.h", "cuda_bf16.h"] {
            let header = clang::headers()?.join("cuda").join(header);
            options.clang_args.extend(["-include".into(), header.into_os_string()]);
        }
    }
    Ok(options)
}

/// What is known of a source of which parts do not compile: what one side has shown is used for the other one.
#[derive(Clone, Debug, Default)]
pub struct Experience {
    /// The lines that are compiled, by file.
    kept: BTreeMap<PathBuf, BTreeSet<u32>>,
    headers: Vec<String>,
    /// A header that is missing.
    missing: Option<String>,
    /// What clang said of the parts that do not compile, each time that it was asked.
    messages: Vec<String>,
}

impl Experience {
    fn of(source: &Source, head: &HeadComment, options: &Options) -> Experience {
        let mut read = clang::preprocessed(source, head, options).unwrap_or_default();
        let mut kept: BTreeMap<PathBuf, BTreeSet<u32>> = BTreeMap::new();
        for (file, line, _) in read.lines {
            kept.entry(file).or_default().insert(line);
        }
        let missing = take_missing(&mut read.files).into_iter().next();
        Experience { kept, headers: read.headers, missing, messages: Vec::new() }
    }

    /// Headers of the system that it includes, as it spells them.
    pub fn headers(&self) -> &[String] {
        &self.headers
    }

    pub(crate) fn lacks_headers(&self) -> bool {
        self.missing.is_some()
    }

    /// Why the whole does not compile.
    pub(crate) fn first(&self) -> Error {
        let stderr = self.messages.first().cloned().unwrap_or_default();
        match &self.missing {
            Some(header) => Error::MissingHeader { header: header.clone(), stderr },
            None => Error::Compile { stderr },
        }
    }

    pub(crate) fn used(self: &Arc<Experience>, options: &Options) -> Options {
        Options { experience: Some(self.clone()), ..options.clone() }
    }
}

/// The arguments with which a source lacked headers: other sources of the same project probably do, too.
fn lacking() -> MutexGuard<'static, BTreeSet<Vec<OsString>>> {
    static LACKING: Mutex<BTreeSet<Vec<OsString>>> = Mutex::new(BTreeSet::new());
    LACKING.lock().unwrap_or_else(|e| e.into_inner())
}

/// What is known of a source that lacks headers, if others with the same arguments did. To compile it as a whole, only to be told
/// so, takes ten times as long as to ask the preprocessor.
pub(crate) fn lacks_headers(
    source: &Source,
    head: &HeadComment,
    options: &Options,
) -> Option<Arc<Experience>> {
    if !lacking().contains(&options.clang_args) {
        return None;
    }
    let known = Experience::of(source, head, &tolerant(options, true).ok()?);
    known.missing.is_some().then(|| Arc::new(known))
}
