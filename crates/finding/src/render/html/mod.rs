//! `--format html`: one self-contained page, for browsers.
//!
//! A list of kernels with their verdicts, to be searched and folded; for a finding
//! the source with both places, the two threads' values, and where there is a
//! [`crate::Trace`] a timeline ([`timeline`]) and a map of the memory ([`map`]), drawn
//! as SVG. Everything is there without the script (`page.js`), which adds filters,
//! the choice of a theme, and details of the map's cells. Nothing is loaded from
//! anywhere.
//!
//! **Architecture Invariant:** text of the user's goes into the page only through
//! [`escaped`].

mod excerpt;
mod finding;
mod map;
mod timeline;

use std::fmt::Write;

use super::{Standing, Summary, standing};
use crate::explain::{Block, blocks, summary};
use crate::source::Sources;
use crate::{Finding, KernelReport, Kind, Report, Suppressed, Verdict};

#[derive(Clone, Debug, Default)]
pub struct HtmlOptions {
    /// Time of the whole run.
    pub seconds: Option<f64>,
    /// What a command that repeats a launch needs besides it: options that stand
    /// before those of the launch, and what stands last.
    pub command: [String; 2],
}

pub fn html(report: &Report, sources: &mut Sources, options: &HtmlOptions) -> String {
    let summary = Summary::of(report);
    let mut out = String::new();
    let title = match summary.found {
        0 => format!("Lockstep: {}", summary.text()),
        n => format!("Lockstep: {n} found"),
    };
    let _ = writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"lockstep {}\">\n<title>{}</title>\n\
         <style>\n{}</style>\n</head>\n<body>",
        env!("CARGO_PKG_VERSION"),
        escaped(&title),
        include_str!("page.css")
    );
    head(&mut out, &summary, options);
    bar(&mut out, &summary);
    out.push_str("<main class=\"wrap\">\n");
    errors(&mut out, report);
    // The first kernel with a finding is open, and its first finding.
    let has_findings = |k: &KernelReport| shown(k).next().is_some();
    let first = report.kernels.iter().position(has_findings);
    for (i, kernel) in report.kernels.iter().enumerate() {
        kernel_card(&mut out, kernel, i, first == Some(i), sources, options);
    }
    out.push_str("<p id=\"nothing\" class=\"nothing hidden\">No kernel fits the filter.</p>\n");
    about(&mut out, report);
    let _ = writeln!(
        out,
        "</main>\n<footer class=\"wrap\">lockstep {}</footer>\n<script>\n{}</script>\n</body>\n</html>",
        env!("CARGO_PKG_VERSION"),
        include_str!("page.js")
    );
    out
}

/// Two threads and the barrier that both wait at.
const LOGO: &str = "<svg class=\"logo\" viewBox=\"0 0 40 40\" aria-hidden=\"true\">\
    <rect width=\"40\" height=\"40\" rx=\"9\" fill=\"var(--ink)\"/>\
    <path d=\"M14 8v24M26 8v24\" stroke=\"var(--paper)\" stroke-width=\"2.5\" stroke-linecap=\"round\" opacity=\".55\"/>\
    <path d=\"M8 25h24\" stroke=\"var(--paper)\" stroke-width=\"3\" stroke-linecap=\"round\"/>\
    <circle cx=\"14\" cy=\"15\" r=\"4\" fill=\"#e69f00\"/><circle cx=\"26\" cy=\"18\" r=\"4\" fill=\"#56b4e9\"/></svg>";

const TURN: &str = "<svg class=\"turn\" viewBox=\"0 0 10 10\" aria-hidden=\"true\">\
    <path d=\"M3 1l4 4-4 4\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.6\"/></svg>";

fn head(out: &mut String, summary: &Summary, options: &HtmlOptions) {
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let title = match (summary.found, summary.kernels) {
        (0, 0) => "No kernels".to_owned(),
        (0, n) => format!("Nothing found in {n} kernel{}", plural(n)),
        (f, n) => format!("{f} of {n} kernel{} with findings", plural(n)),
    };
    let time = options.seconds.map_or(String::new(), |s| format!(" in {s:.2}\u{a0}s"));
    let _ = writeln!(
        out,
        "<header class=\"top\"><div class=\"wrap\">{LOGO}<div><h1>{title}</h1>\
         <p>Checked by Lockstep{time}</p></div><span class=\"space\"></span>\
         <button id=\"theme\" class=\"button\" type=\"button\">\
         <svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M8 1a7 7 0 1 0 0 14z\" fill=\"currentColor\"/>\
         <circle cx=\"8\" cy=\"8\" r=\"7\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/></svg>\
         <span class=\"word\">Theme</span></button></div></header>"
    );
}

fn bar(out: &mut String, summary: &Summary) {
    out.push_str("<nav class=\"bar\" aria-label=\"Filter\"><div class=\"wrap\">");
    let chips = [
        (Standing::Found, summary.found),
        (Standing::Unknown, summary.unknown),
        (Standing::Clean, summary.clean),
        (Standing::Proved, summary.proved),
    ];
    for (standing, count) in chips {
        let word = word(standing);
        let disabled = if count == 0 { " disabled" } else { "" };
        let _ = write!(
            out,
            "<button type=\"button\" class=\"chip {word}\" data-standing=\"{word}\" \
             aria-pressed=\"true\"{disabled}><i aria-hidden=\"true\">{}</i><b>{count}</b> {word}</button>",
            glyph(word)
        );
    }
    out.push_str(
        "<div class=\"search\"><input id=\"search\" type=\"search\" aria-label=\"Search kernels, files and findings\" \
         placeholder=\"Search kernels, files, findings\"><kbd aria-hidden=\"true\">/</kbd></div>\
         <button id=\"fold\" class=\"button\" type=\"button\">Expand all</button>\
         <div id=\"shown\" class=\"shown\" role=\"status\"></div></div></nav>\n",
    );
}

fn errors(out: &mut String, report: &Report) {
    if !report.warnings.is_empty() {
        let items: String = report
            .warnings
            .iter()
            .map(|w| format!("<li>{}</li>", escaped(&w.to_string())))
            .collect();
        let _ = writeln!(
            out,
            "<section class=\"errors\"><ul class=\"facts quiet\">{items}</ul></section>"
        );
    }
    if report.errors.is_empty() {
        return;
    }
    let n = report.errors.len();
    let _ = writeln!(
        out,
        "<section class=\"errors\"><h2>{n} input{} could not be used</h2>",
        if n == 1 { "" } else { "s" }
    );
    for error in &report.errors {
        let named = error.file.is_empty() || error.message.contains(&error.file);
        let place = if named { String::new() } else { format!("{}: ", error.file) };
        let _ =
            writeln!(out, "<pre>{}{}</pre>", escaped(&place), escaped(error.message.trim_end()));
    }
    out.push_str("</section>\n");
}

fn kernel_card(
    out: &mut String,
    kernel: &KernelReport,
    index: usize,
    open: bool,
    sources: &mut Sources,
    options: &HtmlOptions,
) {
    let word = word(standing(kernel));
    let place = match kernel.line {
        0 => kernel.text_file().to_owned(),
        line => format!("{}:{line}", kernel.text_file()),
    };
    let _ = writeln!(
        out,
        "<details class=\"kernel\" id=\"kernel-{index}\" data-standing=\"{word}\" data-text=\"{}\"{}>\
         <summary>{TURN}<div><h2>{}</h2><div class=\"where\">{}</div></div>\
         <span class=\"time\">{:.2} s</span>{}</summary>\n<div class=\"body\">",
        escaped(&search_text(kernel)),
        if open { " open" } else { "" },
        escaped(&kernel.name),
        escaped(&place),
        kernel.seconds,
        badge(word, word)
    );
    if !kernel.instances.is_empty() {
        let text = format!("The same code as {}", kernel.instances.join(", "));
        let _ = writeln!(out, "<p class=\"quiet\">{}</p>", escaped(&text));
    }
    if let Some(arch) = kernel.unusual_arch() {
        let _ = writeln!(out, "<p class=\"quiet\">Compiled for {}</p>", escaped(arch));
    }
    if let Some(chosen) = &kernel.chosen {
        let text = format!("Nothing in the source instantiates it: checked with {chosen}");
        let _ = writeln!(out, "<p class=\"quiet\">{}</p>", escaped(&text));
    }
    for (i, finding) in shown(kernel).enumerate() {
        let id = format!("finding-{index}-{i}");
        finding::card(out, kernel, finding, &id, open && i == 0, sources, options);
    }
    verdicts(out, kernel);
    if !kernel.printed.is_empty() {
        let text = escaped(kernel.printed.trim_end_matches('\n'));
        let _ = writeln!(
            out,
            "<div class=\"printed\"><p class=\"quiet\">It printed:</p><pre>{text}</pre></div>"
        );
    }
    for output in &kernel.outputs {
        let text = super::human::output_text(output);
        let _ = writeln!(out, "<div class=\"printed\"><pre>{}</pre></div>", escaped(&text));
    }
    out.push_str("</div></details>\n");
}

/// Findings that are not suppressed.
fn shown(kernel: &KernelReport) -> impl Iterator<Item = &Finding> {
    kernel.findings.iter().filter(|f| f.suppressed.is_none())
}

/// What the search box looks through.
fn search_text(kernel: &KernelReport) -> String {
    let mut words = vec![kernel.name.as_str(), &kernel.file, kernel.text_file()];
    for finding in &kernel.findings {
        words.push(finding.kind.name());
        words.push(&finding.message);
        words.extend(finding.accesses.iter().map(|a| a.place.file.as_str()));
    }
    words.dedup();
    words.join(" ").to_lowercase()
}

fn verdicts(out: &mut String, kernel: &KernelReport) {
    out.push_str("<table class=\"verdicts\">\n");
    for (verdict, kinds) in super::verdict_groups(kernel) {
        let names: Vec<String> = kinds.iter().map(|k| format!("<span>{k}</span>")).collect();
        let why = match verdict {
            Verdict::Found => String::new(),
            Verdict::Unknown { because } => escaped(because),
            Verdict::Clean { covered } => format!("in {}", escaped(covered)),
            Verdict::Proved { assumes } if assumes.is_empty() => "for all inputs".into(),
            Verdict::Proved { assumes } => {
                let items: String = assumes
                    .iter()
                    .map(|a| format!("<li>{}</li>", escaped(&a.to_string())))
                    .collect();
                format!("if<ul>{items}</ul>")
            }
        };
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td><div class=\"kinds\">{}</div><div class=\"why\">{why}</div></td></tr>",
            badge(verdict.name(), verdict.name()),
            names.join(" ")
        );
    }
    for finding in &kernel.findings {
        if let Some(Suppressed { because, .. }) = &finding.suppressed {
            let _ = writeln!(
                out,
                "<tr><th scope=\"row\">{}</th><td>{} at {}<div class=\"why\">{}</div></td></tr>",
                badge("clean", "allowed"),
                finding.kind,
                escaped(&super::short_place(kernel, finding)),
                escaped(because)
            );
        }
    }
    out.push_str("</table>\n");
}

/// What each kind that was found means.
fn about(out: &mut String, report: &Report) {
    let was_found = |kind: &Kind| report.kernels.iter().flat_map(shown).any(|f| f.kind == *kind);
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(was_found).collect();
    if kinds.is_empty() {
        return;
    }
    out.push_str("<section class=\"about\"><h2>What the findings mean</h2>\n");
    for kind in kinds {
        let _ = write!(
            out,
            "<details id=\"about-{kind}\"><summary>{TURN}<h3>{kind}</h3><span class=\"quiet\">{}</span></summary>\
             <div class=\"text\">",
            escaped(summary(kind))
        );
        for block in blocks(kind) {
            let _ = match block {
                Block::Text(text) => write!(out, "<p>{}</p>", with_code(&text)),
                Block::Code(code) => write!(out, "<pre>{}</pre>", escaped(&code)),
            };
        }
        out.push_str("</div></details>\n");
    }
    out.push_str("</section>\n");
}

fn badge(class: &str, text: &str) -> String {
    format!(
        "<span class=\"badge {class}\"><i aria-hidden=\"true\">{}</i>{}</span>",
        glyph(class),
        escaped(text)
    )
}

/// So that nothing rests on colour.
fn glyph(class: &str) -> &'static str {
    match class {
        "found" | "error" => "✕",
        "unknown" => "?",
        "warning" => "!",
        "clean" => "○",
        _ => "✓",
    }
}

fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Found => "found",
        Standing::Unknown => "unknown",
        Standing::Clean => "clean",
        Standing::Proved => "proved",
    }
}

/// For text and for attributes in double quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Not allowed in a page, and invisible.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Escaped, with what stands between backquotes as code.
fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let balanced = parts.len() % 2 == 1;
    let mut out = String::new();
    for (i, part) in parts.iter().enumerate() {
        match i % 2 == 1 && balanced {
            true => out.push_str(&format!("<code>{}</code>", escaped(part))),
            false if i % 2 == 1 => out.push_str(&format!("`{}", escaped(part))),
            false => out.push_str(&escaped(part)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::InputError;

    #[test]
    fn text_is_escaped() {
        let mut report = samples::report();
        let evil = "</script><img src=x onerror=\"a('b')\">&\u{1}";
        let kernel = &mut report.kernels[0];
        kernel.name = evil.into();
        kernel.file = evil.into();
        kernel.printed = evil.into();
        kernel.findings[0].message = format!("on `{evil}` and `");
        kernel.findings[0].help = vec![evil.into()];
        kernel.findings[0].accesses[0].value = Some(evil.into());
        kernel.findings[0].accesses[0].notes = vec![format!("x = {evil}")];
        kernel.findings[0].accesses[1].place.file = evil.into();
        kernel.findings[0].trace = Some(samples::trace(evil));
        kernel.verdicts[3].1 = Verdict::Unknown { because: evil.into() };
        report.errors.push(InputError { file: evil.into(), message: evil.into() });
        let mut sources = Sources::new();
        sources.insert(
            "reduce.cu",
            &samples::REDUCE.replace("s[tid] +=", &format!("/*{evil}*/ s[tid] +=")),
        );
        let page = html(&report, &mut sources, &HtmlOptions::default());
        assert!(!page.contains("<img"), "{}", page.split("<img").next().unwrap_or_default());
        assert!(!page.contains('\u{1}'));
        assert_eq!(page.matches("</script>").count(), 1);
        assert!(
            page.contains("&lt;/script&gt;&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;")
        );
    }

    #[test]
    fn nothing_comes_from_elsewhere() {
        let page = html(&samples::report(), &mut samples::sources(), &HtmlOptions::default());
        for word in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn code_between_backquotes() {
        assert_eq!(with_code("on `s[<]` now"), "on <code>s[&lt;]</code> now");
        assert_eq!(with_code("one ` alone"), "one ` alone");
    }
}
