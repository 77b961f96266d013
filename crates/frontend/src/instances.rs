//! Kernel templates that nothing in the source instantiates.
//!
//! The compiler emits nothing for them, so they are found in the text, and instantiated with arguments of our choice:
//! `float`, or `int` if that does not compile, for a type; 32 for a number, 128 if it bounds the launch; `false` for a
//! boolean; the template's own defaults where it has them. Reports on such a kernel name the choice. The instances are
//! requested by a function appended to the source, in which their addresses are taken: no source location changes.
//!
//! The text is scanned without preprocessing. A template that a macro expands to, or that is in a header, is not found;
//! one that is not compiled (`#if 0`) fails to instantiate, which is reported. Parameters for which nothing can be
//! chosen (a functor, a pack, a template) are reported too.

use lockstep_kernel::Kernel;

use crate::clang::temporary::Temporary;
use crate::clang::{self, Compiled, Emit, Source};
use crate::{Error, HeadComment, Options, entries};

/// The arguments tried for a type, in this order.
const TYPES: [&str; 2] = ["float", "int"];
const NUMBER: &str = "32";
/// For a number in `__launch_bounds__`.
const THREADS: &str = "128";

/// A template that got arguments of our choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// As in the source, with its namespaces.
    pub template: String,
    /// `T = float, N = 32`.
    pub arguments: String,
}

impl Chosen {
    /// Whether a kernel is an instance of the template.
    pub fn is_instance(&self, kernel: &Kernel) -> bool {
        plain(&kernel.name) == self.template
    }
}

/// A template that could not be instantiated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uninstantiated {
    pub template: String,
    pub line: u32,
    pub because: String,
}

/// A kernel template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    name: String,
    line: u32,
    params: Vec<Param>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Param {
    name: String,
    kind: ParamKind,
    has_default: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParamKind {
    Type,
    Number,
    Threads,
    Truth,
    /// No argument can be chosen.
    Other,
}

impl Template {
    /// `k<float, 32>` and `T = float, N = 32`; an error names the parameter for which nothing can be chosen.
    fn arguments(&self, of_type: &str) -> Result<(String, String), String> {
        let open: Vec<&Param> = self.params.iter().take_while(|p| !p.has_default).collect();
        let (mut values, mut named) = (Vec::new(), Vec::new());
        for param in &open {
            let value = match param.kind {
                ParamKind::Type => of_type,
                ParamKind::Number => NUMBER,
                ParamKind::Threads => THREADS,
                ParamKind::Truth => "false",
                ParamKind::Other => {
                    return Err(format!("its parameter {} cannot be chosen for it", param.name));
                }
            };
            values.push(value);
            named.push(format!("{} = {value}", param.name));
        }
        if open.len() < self.params.len() {
            named.push("defaults".into());
        }
        Ok((format!("{}<{}>", self.name, values.join(", ")), named.join(", ")))
    }

    fn has_types(&self) -> bool {
        self.params.iter().any(|p| p.kind == ParamKind::Type && !p.has_default)
    }
}

/// The result of instantiation.
pub(crate) struct Made {
    /// The source with the instances, if there are any.
    pub(crate) compiled: Option<Compiled>,
    pub(crate) chosen: Vec<Chosen>,
    pub(crate) failed: Vec<Uninstantiated>,
}

/// The kernel templates in the text of which none of the kernels is an instance.
pub(crate) fn missing(text: &str, kernels: &[Kernel], asked: &[String]) -> Vec<Template> {
    if !text.contains("template") || !text.contains("__global__") {
        return Vec::new();
    }
    let wanted =
        |t: &Template| asked.is_empty() || asked.iter().any(|a| entries::is_named(&t.name, "", a));
    let instantiated = |t: &Template| kernels.iter().any(|k| plain(&k.name) == t.name);
    scan(text).into_iter().filter(|t| wanted(t) && !instantiated(t)).collect()
}

/// A choice of arguments for a template.
struct Choice<'a> {
    template: &'a Template,
    /// The instance, and its arguments in words.
    name: String,
    arguments: String,
}

/// Instantiates templates as far as possible.
///
/// All are tried at once, each on a line of its own. The compiler's messages name the lines of those that do not compile;
/// these are tried with another type.
pub(crate) fn make(
    source: &Source,
    head: &HeadComment,
    options: &Options,
    templates: &[Template],
) -> Result<Made, Error> {
    let mut made = Made { compiled: None, chosen: Vec::new(), failed: Vec::new() };
    let mut good: Vec<Choice> = Vec::new();
    // With why the first choice for it does not compile.
    let mut open: Vec<(&Template, Option<String>)> = templates.iter().map(|t| (t, None)).collect();
    for of_type in TYPES {
        let mut tried: Vec<Choice> = Vec::new();
        for (template, because) in &mut open {
            match template.arguments(of_type) {
                Ok((name, arguments)) => tried.push(Choice { template, name, arguments }),
                Err(why) => *because = Some(why),
            }
        }
        open.retain(|(t, because)| {
            let is_tried = tried.iter().any(|c| std::ptr::eq(c.template, *t));
            if !is_tried {
                made.failed.push(failure(t, because.clone()));
            }
            is_tried
        });
        for choice in compiling(source, head, options, &mut tried, &mut good, &mut made)? {
            let (choice, message) = choice;
            let because = format!("with {} it does not compile: {message}", choice.arguments);
            let of = open.iter_mut().find(|(t, _)| std::ptr::eq(*t, choice.template));
            of.into_iter().for_each(|(_, b)| *b = Some(b.take().unwrap_or(because.clone())));
        }
        open.retain(|(t, _)| good.iter().all(|c| !std::ptr::eq(c.template, *t)));
        // Only another type is another choice.
        open.retain(|(t, because)| {
            if !t.has_types() {
                made.failed.push(failure(t, because.clone()));
            }
            t.has_types()
        });
        if open.is_empty() {
            break;
        }
    }
    made.failed.extend(open.into_iter().map(|(t, because)| failure(t, because)));
    let place = |name: &String| templates.iter().position(|t| t.name == *name);
    made.failed.sort_by_key(|u| place(&u.template));
    good.sort_by_key(|c| place(&c.template.name));
    let chosen = |c: Choice| Chosen { template: c.template.name.clone(), arguments: c.arguments };
    made.chosen = good.into_iter().map(chosen).collect();
    Ok(made)
}

fn failure(template: &Template, because: Option<String>) -> Uninstantiated {
    let because = because.unwrap_or_default();
    Uninstantiated {
        template: template.name.clone(),
        line: template.line,
        because: format!("nothing in the source instantiates the template, and {because}"),
    }
}

/// Compiles all `good` choices with those of the `tried` ones that compile, which become good; returns the others, with
/// messages.
fn compiling<'a>(
    source: &Source,
    head: &HeadComment,
    options: &Options,
    tried: &mut Vec<Choice<'a>>,
    good: &mut Vec<Choice<'a>>,
    made: &mut Made,
) -> Result<Vec<(Choice<'a>, String)>, Error> {
    let mut failed = Vec::new();
    while !tried.is_empty() {
        let names: Vec<&str> = good.iter().chain(&*tried).map(|c| c.name.as_str()).collect();
        let error = match with_instances(source, head, options, &names) {
            Ok(compiled) => {
                made.compiled = Some(compiled);
                good.append(tried);
                break;
            }
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => error,
        };
        let text = error.to_string();
        let blamed = blamed(&text);
        let first = good.len();
        let (bad, rest): (Vec<_>, Vec<_>) = std::mem::take(tried)
            .into_iter()
            .enumerate()
            .partition(|(i, _)| blamed.iter().any(|(line, _)| *line == first + i + 1));
        let of = |i: usize| blamed.iter().find(|(line, _)| *line == first + i + 1);
        failed.extend(bad.into_iter().map(|(i, c)| {
            let message = of(i).map_or_else(|| first_error(&error), |(_, m)| m.clone());
            (c, message)
        }));
        *tried = rest.into_iter().map(|(_, c)| c).collect();
        if blamed.iter().all(|(line, _)| *line <= first) {
            // It is not known which ones are to blame: one by one.
            let mut kept = Vec::new();
            let before = tried.len();
            for choice in std::mem::take(tried) {
                match with_instances(source, head, options, &[&choice.name]) {
                    Ok(_) => kept.push(choice),
                    Err(Error::Cancelled) => return Err(Error::Cancelled),
                    Err(e) => failed.push((choice, first_error(&e))),
                }
            }
            match kept.len() < before {
                true => *tried = kept,
                // They only compile apart.
                false => failed.extend(kept.into_iter().map(|c| (c, first_error(&error)))),
            }
        }
    }
    Ok(failed)
}

/// The lines of [`INSTANCES`] that errors are in, or are requested by, each with its first message.
fn blamed(stderr: &str) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut message = "";
    for text in stderr.lines() {
        if let Some((_, error)) = text.split_once("error: ") {
            message = error;
        }
        let line = text.strip_prefix(INSTANCES).and_then(|rest| rest.strip_prefix(':'));
        let line = line.and_then(|rest| rest.split(':').next()?.parse().ok());
        if let Some(line) = line
            && out.iter().all(|(l, _)| *l != line)
        {
            out.push((line, message.to_owned()));
        }
    }
    out
}

/// The name under which the compiler sees the requests.
const INSTANCES: &str = "instances";

fn first_error(error: &Error) -> String {
    let text = error.to_string();
    let message = text.lines().find_map(|l| l.split_once("error: ")).map(|(_, m)| m.to_owned());
    message.unwrap_or_else(|| text.lines().next().unwrap_or_default().to_owned())
}

fn with_instances(
    source: &Source,
    head: &HeadComment,
    options: &Options,
    names: &[&str],
) -> Result<Compiled, Error> {
    let mut bytes = source.bytes.clone();
    let uses: String = names.iter().map(|n| format!("(void)&{n};\n")).collect();
    let text = format!(
        "\n#line 1 \"{INSTANCES}\"\nnamespace {{ void lockstep_instances() {{ {uses}}} }}\n"
    );
    bytes.extend_from_slice(text.as_bytes());
    let mut options = options.clone();
    let extended = Source { bytes, ..source.clone() };
    let Some(path) = &source.path else {
        return clang::compile(&extended, head, &options, Emit::Needed);
    };
    // clang reads the file under its original name, with these contents.
    let file = Temporary::new("cu", &extended.bytes)?;
    options.read_as(path.clone().into_os_string(), file.path());
    clang::compile(&extended, head, &options, Emit::Needed)
}

/// `ns::k` of `ns::(anonymous namespace)::k<float, 32>`.
fn plain(name: &str) -> String {
    let name = name.replace("(anonymous namespace)::", "");
    name.split(['<', '(']).next().unwrap_or(&name).to_owned()
}

/// A word, or one character of anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token<'a> {
    text: &'a str,
    line: u32,
}

/// The text without comments, literals and directives, in tokens.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let (mut out, mut i, mut line, mut fresh) = (Vec::new(), 0, 1, true);
    while i < bytes.len() {
        let start = i;
        let rest = &text[i..];
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if rest.starts_with("//") {
            i += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            i += comment.find("*/").map_or(rest.len(), |n| n + 4);
        } else if fresh && bytes[i] == b'#' {
            i += directive_length(rest);
        } else if matches!(bytes[i], b'"' | b'\'') {
            i += literal_length(rest.as_bytes());
        } else if is_word(bytes[i]) {
            i += bytes[i..].iter().take_while(|b| is_word(**b)).count();
            // A quote within a number separates its digits.
            out.push(Token { text: &text[start..i], line });
        } else {
            i += rest.chars().next().map_or(1, char::len_utf8);
            if !bytes[start].is_ascii_whitespace() {
                out.push(Token { text: &text[start..i], line });
            }
        }
        let passed = &text[start..i];
        line += passed.bytes().filter(|b| *b == b'\n').count() as u32;
        fresh = if passed.trim().is_empty() {
            fresh || passed.contains('\n')
        } else {
            passed.ends_with('\n')
        };
    }
    out
}

/// The length up to the end of the line, including lines continued by a backslash.
fn directive_length(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    // The line break itself is not part of it.
    end - usize::from(text[..end].ends_with('\n'))
}

fn literal_length(bytes: &[u8]) -> usize {
    let mut i = 1;
    while i < bytes.len() && bytes[i] != bytes[0] && bytes[i] != b'\n' {
        i += if bytes[i] == b'\\' { 2 } else { 1 };
    }
    (i + 1).min(bytes.len())
}

/// What an opening brace begins.
enum Scope {
    Namespace(Vec<String>),
    Other,
}

/// All kernel templates with a body, in source order.
fn scan(text: &str) -> Vec<Template> {
    let tokens = tokens(text);
    let (mut found, mut scopes, mut i) = (Vec::new(), Vec::new(), 0);
    while i < tokens.len() {
        match tokens[i].text {
            "namespace" => {
                let names: Vec<&str> = tokens[i + 1..]
                    .iter()
                    .map(|t| t.text)
                    .take_while(|t| !matches!(*t, "{" | ";" | "="))
                    .collect();
                i += 1 + names.len();
                if tokens.get(i).is_some_and(|t| t.text == "{") {
                    let words = names.into_iter().filter(|t| *t != ":" && *t != "inline");
                    scopes.push(Scope::Namespace(words.map(str::to_owned).collect()));
                }
            }
            "{" => scopes.push(Scope::Other),
            "}" => {
                scopes.pop();
            }
            "template" if tokens.get(i + 1).is_some_and(|t| t.text == "<") => {
                let at_top = scopes.iter().all(|s| matches!(s, Scope::Namespace(_)));
                let (template, next) = template(&tokens, i + 2);
                if let Some(mut t) = template.filter(|_| at_top) {
                    let spaces = scopes.iter().flat_map(|s| match s {
                        Scope::Namespace(names) => names.as_slice(),
                        Scope::Other => &[],
                    });
                    let path: Vec<&str> =
                        spaces.map(String::as_str).chain([t.name.as_str()]).collect();
                    t.name = path.join("::");
                    found.push(t);
                }
                i = next;
                continue;
            }
            _ => {}
        }
        i += 1;
    }
    found
}

/// The template whose parameters begin at `at`, if it is a kernel with a body; and where to continue.
fn template(tokens: &[Token], at: usize) -> (Option<Template>, usize) {
    let Some(close) = closing(tokens, at) else { return (None, tokens.len()) };
    let mut params: Vec<Param> = split_params(&tokens[at..close]).filter_map(param).collect();
    let mut i = close + 1;
    let (mut is_kernel, mut name) = (false, None);
    while let Some(token) = tokens.get(i) {
        match token.text {
            "template" => return (None, i),
            ";" => return (None, i),
            "{" => break,
            "__global__" => is_kernel = true,
            "__launch_bounds__" | "__attribute__" | "alignas" | "requires" => {
                let end = group_end(tokens, i + 1);
                for p in params.iter_mut().filter(|_| token.text == "__launch_bounds__") {
                    let alone = tokens.get(i + 2).is_some_and(|t| t.text == p.name);
                    if alone && p.kind == ParamKind::Number {
                        p.kind = ParamKind::Threads;
                    }
                }
                i = end;
            }
            "(" if name.is_none() => {
                name = tokens.get(i.wrapping_sub(1)).copied();
                i = group_end(tokens, i);
            }
            _ => {}
        }
        i += 1;
    }
    let is_word = |t: &Token| t.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let found = name.filter(|n| is_kernel && is_word(n) && !params.is_empty());
    (found.map(|n| Template { name: n.text.to_owned(), line: n.line, params }), i)
}

/// The end of the parameter list that begins at `at`.
fn closing(tokens: &[Token], at: usize) -> Option<usize> {
    let (mut angle, mut round) = (1, 0);
    for (i, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "<" if round == 0 => angle += 1,
            ">" if round == 0 => angle -= 1,
            "(" | "[" | "{" => round += 1,
            ")" | "]" | "}" => round -= 1,
            _ => {}
        }
        if angle == 0 {
            return Some(i);
        }
    }
    None
}

/// The closing parenthesis of the group that opens at `at`; `at` itself if none opens there.
fn group_end(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i;
        }
    }
    tokens.len()
}

fn split_params<'a>(tokens: &'a [Token<'a>]) -> impl Iterator<Item = &'a [Token<'a>]> {
    let mut depth = 0;
    tokens.split(move |t| {
        match t.text {
            "<" | "(" | "[" | "{" => depth += 1,
            ">" | ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        depth == 0 && t.text == ","
    })
}

fn param(tokens: &[Token]) -> Option<Param> {
    let equals = tokens.iter().position(|t| t.text == "=");
    let declared = &tokens[..equals.unwrap_or(tokens.len())];
    let first = declared.first()?.text;
    let last = declared.last()?.text;
    let has = |word: &str| declared.iter().any(|t| t.text == word);
    let numbers = [
        "int", "unsigned", "size_t", "long", "short", "char", "auto", "uint", "int8_t", "int16_t",
        "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
    ];
    let kind = if has(".") || first == "template" || has("*") || has("&") {
        ParamKind::Other
    } else if first == "typename" || first == "class" {
        ParamKind::Type
    } else if has("bool") {
        ParamKind::Truth
    } else if numbers.iter().any(|n| has(n)) {
        ParamKind::Number
    } else {
        ParamKind::Other
    };
    Some(Param { name: last.to_owned(), kind, has_default: equals.is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let show = |t: &Template| match t.arguments("float") {
            Ok((name, args)) => format!("{}: {name} with {args}", t.line),
            Err(why) => format!("{}: {}: {why}", t.line, t.name),
        };
        scan(text).iter().map(show).collect()
    }

    #[test]
    fn templates_in_a_text() {
        let text = r#"
// template <int N> __global__ void comment(int *a) {}
#define T template <int N> __global__ void \
    macro(int *a) {}
template <typename T, int N>
__global__ void first(T *a) { for (int i = 0; i < N; ++i) a[i] = 0; }
namespace a { namespace b::c {
template <class T, unsigned B = 64> __global__ __launch_bounds__(256) void second(T *a) { }
} namespace {
template <int THREADS, bool F> __launch_bounds__(THREADS) __global__ void third(const int (&x)[3]) { }
} }
struct S { template <int N> __global__ void member() {} };
template <typename T> __global__ void declared(T *a);
template <typename T> __device__ T other(T a) { return a; }
template __global__ void first<int, 4>(int *);
template <> __global__ void first<char, 1>(char *) {}
template <typename F> __global__ void fine(F f) { }
template <template <class> class C> __global__ void odd(C<int> c) { }
template <class... Ts> __global__ void pack(Ts... c) { }
const char *s = "template <int N> __global__ void text() {}";
"#;
        assert_eq!(
            found(text),
            [
                "6: first<float, 32> with T = float, N = 32",
                "8: a::b::c::second<float> with T = float, defaults",
                "10: a::third<128, false> with THREADS = 128, F = false",
                "17: fine<float> with F = float",
                "18: odd: its parameter C cannot be chosen for it",
                "19: pack: its parameter Ts cannot be chosen for it",
            ]
        );
    }

    #[test]
    fn names_without_arguments() {
        assert_eq!(plain("ns::(anonymous namespace)::k<float, 32>"), "ns::k");
        assert_eq!(plain("k"), "k");
    }
}
