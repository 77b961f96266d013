//! `--format html`: one self-contained page, for browsers.
//!
//! A list of kernels with their verdicts, the worst first, to be searched and folded; for a finding
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

use crate::counts::plural;
use crate::explain::{Block, blocks};
use crate::source::Sources;
use crate::{
    Counted, Counts, Finding, InputError, KernelReport, Kind, Report, Standing, Suppressed, Verdict,
};

#[derive(Clone, Debug, Default)]
pub struct HtmlOptions {
    /// Time of the whole run.
    pub seconds: Option<f64>,
}

pub fn html(report: &Report, sources: &mut Sources, options: &HtmlOptions) -> String {
    let counts = Counts::of(report);
    let mut out = String::new();
    let title = format!("Lockstep: {}", counts.text());
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
    head(&mut out, &counts, options);
    bar(&mut out, &counts);
    out.push_str("<main class=\"wrap\">\n");
    errors(&mut out, report);
    let mut kernels: Vec<(usize, &KernelReport)> = report.kernels.iter().enumerate().collect();
    kernels.sort_by_key(|(_, kernel)| kernel.standing());
    let open = first_open(&kernels);
    for (i, kernel) in kernels {
        let open = open.and_then(|(k, f)| (k == i).then_some(f));
        kernel_card(&mut out, kernel, i, open, sources);
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

fn head(out: &mut String, counts: &Counts, options: &HtmlOptions) {
    let kernels = format!("{} kernel{}", counts.kernels, plural(counts.kernels));
    let errors = counts.findings(Counted::Error);
    let title = match (errors, counts.kernels) {
        (0, 0) => "No kernels".to_owned(),
        (0, _) => format!("No errors in {kernels}"),
        (n, _) => format!("{n} error{} in {kernels}", plural(n)),
    };
    let milder: usize = Counted::ALL[1..].iter().map(|c| counts.findings(*c)).sum();
    let others = match milder {
        0 => String::new(),
        _ => format!("<p class=\"counts\">{}</p>", escaped(&counts.findings_text())),
    };
    let time = options.seconds.map_or(String::new(), |s| format!(" in {s:.2}\u{a0}s"));
    let _ = writeln!(
        out,
        "<header class=\"top\"><div class=\"wrap\">{LOGO}<div><h1>{title}</h1>{others}\
         <p>Checked by Lockstep{time}</p></div><span class=\"space\"></span>\
         <button id=\"theme\" class=\"button\" type=\"button\">\
         <svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M8 1a7 7 0 1 0 0 14z\" fill=\"currentColor\"/>\
         <circle cx=\"8\" cy=\"8\" r=\"7\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/></svg>\
         <span class=\"word\">Theme</span></button></div></header>"
    );
}

/// The kernel and the finding that are unfolded at first: the first error, or else the first finding of all.
fn first_open(kernels: &[(usize, &KernelReport)]) -> Option<(usize, usize)> {
    let find = |wanted: &dyn Fn(Counted) -> bool| {
        kernels.iter().find_map(|(i, kernel)| {
            Some((*i, shown(kernel).position(|f| wanted(kernel.counted(f)))?))
        })
    };
    find(&|c| c == Counted::Error).or_else(|| find(&|_| true))
}

fn bar(out: &mut String, counts: &Counts) {
    out.push_str("<nav class=\"bar\" aria-label=\"Filter\"><div class=\"wrap\">");
    for standing in Standing::ALL {
        let (class, name) = (class_of(standing), standing.name());
        let count = counts.kernels_with(standing);
        let with = if class == name { "" } else { "with " };
        let disabled = if count == 0 { " disabled" } else { "" };
        let _ = write!(
            out,
            "<button type=\"button\" class=\"chip {class}\" data-standing=\"{name}\" \
             aria-pressed=\"true\"{disabled}><i aria-hidden=\"true\">{}</i><b>{count}</b> {with}{name}</button>",
            glyph(class)
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
        plural(n)
    );
    for (error, others) in by_fault(&report.errors) {
        let named = error.file.is_empty() || error.message.contains(&error.file);
        let place = if named { String::new() } else { format!("{}: ", error.file) };
        let _ =
            writeln!(out, "<pre>{}{}</pre>", escaped(&place), escaped(error.message.trim_end()));
        if !others.is_empty() {
            let n = others.len();
            let _ = writeln!(
                out,
                "<details class=\"same\"><summary>{TURN}The same in {n} other input{}</summary>\
                 <ul class=\"facts\">{}</ul></details>",
                plural(n),
                others.iter().map(|f| format!("<li>{}</li>", escaped(f))).collect::<String>()
            );
        }
    }
    out.push_str("</section>\n");
}

/// Each fault once, with the first input that has it, and the other inputs.
fn by_fault(errors: &[InputError]) -> Vec<(&InputError, Vec<&str>)> {
    let mut out: Vec<(String, &InputError, Vec<&str>)> = Vec::new();
    for error in errors {
        let fault = error.fault();
        match out.iter_mut().find(|(known, ..)| *known == fault) {
            Some((_, _, others)) => others.push(&error.file),
            None => out.push((fault, error, Vec::new())),
        }
    }
    out.into_iter().map(|(_, first, others)| (first, others)).collect()
}

fn kernel_card(
    out: &mut String,
    kernel: &KernelReport,
    index: usize,
    open: Option<usize>,
    sources: &mut Sources,
) {
    let standing = kernel.standing();
    let class = class_of(standing);
    let place = match kernel.line {
        0 => kernel.text_file().to_owned(),
        line => format!("{}:{line}", kernel.text_file()),
    };
    let _ = writeln!(
        out,
        "<details class=\"kernel\" id=\"kernel-{index}\" data-standing=\"{}\" data-text=\"{}\"{}>\
         <summary>{TURN}<div><h2>{}</h2><div class=\"where\">{}</div></div>\
         <span class=\"time\">{:.2} s</span>{}</summary>\n<div class=\"body\">",
        standing.name(),
        escaped(&search_text(kernel)),
        if open.is_some() { " open" } else { "" },
        escaped(&kernel.name),
        escaped(&place),
        kernel.seconds,
        badge(class, class)
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
        finding::card(out, kernel, finding, &id, open == Some(i), sources);
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
            Verdict::Unknown { because } => escaped(&because.to_string()),
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
            badge(verdict_class(kernel, verdict, &kinds), verdict.name()),
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

/// The look of a verdict of these kinds: found warnings are not as bad as found errors.
fn verdict_class(kernel: &KernelReport, verdict: &Verdict, kinds: &[Kind]) -> &'static str {
    let own = kernel.findings.iter().map(|f| (f.kind, kernel.counted(f)));
    let mut all = own.chain(kernel.elsewhere.iter().copied());
    let is_error = all.any(|(kind, c)| c == Counted::Error && kinds.contains(&kind));
    match verdict {
        Verdict::Found if !is_error => "warning",
        verdict => verdict.name(),
    }
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
            escaped(kind.about().summary)
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

/// The look of a kernel that stands so, and its word.
fn class_of(standing: Standing) -> &'static str {
    match standing {
        Standing::Errors => "error",
        Standing::Warnings => "warning",
        Standing::Unknown | Standing::Clean | Standing::Proved => standing.name(),
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
    use crate::{InputError, Reason};

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
        kernel.verdicts[3].1 =
            Verdict::Unknown { because: Reason::NotInstantiated { why: evil.into() } };
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

    fn page(report: &Report) -> String {
        html(report, &mut samples::sources(), &HtmlOptions::default())
    }

    #[test]
    fn the_worst_first_and_the_first_error_open() {
        let named = |name: &str| KernelReport { name: name.into(), ..samples::kernel() };
        let mut warned = named("warned");
        warned.verdicts.truncate(1);
        warned.findings[0].severity = crate::Severity::Warning;
        let mut bad = named("bad");
        let milder = warned.findings[0].clone();
        bad.findings.insert(0, milder);
        let mut clean = named("clean");
        clean.verdicts = vec![(Kind::DataRace, Verdict::Clean { covered: "1 launch".into() })];
        clean.findings.clear();
        let report = Report { kernels: vec![clean, warned, bad], ..Report::default() };
        let page = page(&report);
        assert!(
            page.contains(
                "<span class=\"badge warning\"><i aria-hidden=\"true\">!</i>found</span>"
            )
        );
        let order: Vec<usize> =
            ["bad", "warned", "clean"].map(|n| page.find(&format!("<h2>{n}</h2>")).unwrap()).into();
        assert!(order.is_sorted(), "{order:?}");
        let is_open = |id: &str| {
            let at = page.find(&format!("id=\"{id}\"")).unwrap();
            page[at..].split('>').next().unwrap().ends_with(" open")
        };
        let open =
            ["kernel-2", "finding-2-0", "finding-2-1", "kernel-1", "finding-1-0", "kernel-0"]
                .map(is_open);
        assert_eq!(open, [true, false, true, false, false, false]);
    }

    #[test]
    fn everything_is_counted_in_the_head() {
        let mut report = samples::report();
        let kernel = &mut report.kernels[0];
        kernel.findings.push(Finding { severity: crate::Severity::Warning, ..samples::race() });
        kernel.findings.push(Finding {
            suppressed: Some(Suppressed { because: "known".into(), in_source: true }),
            ..samples::race()
        });
        let page = page(&report);
        assert!(page.contains("<h1>1 error in 1 kernel</h1>"));
        assert!(page.contains("<p class=\"counts\">1 error, 1 warning, 1 suppressed</p>"));
        assert!(
            page.contains("<title>Lockstep: 1 kernel: 1 error, 1 warning, 1 suppressed</title>")
        );
        report.kernels[0].findings.remove(0);
        let page = self::page(&report);
        assert!(page.contains("<h1>No errors in 1 kernel</h1>"));
    }

    #[test]
    fn equal_faults_of_inputs_are_shown_once() {
        let error = |file: &str, line: u32| InputError {
            file: file.into(),
            message: format!("{file}:{line}:10: fatal error: 'x.h' file not found"),
        };
        let errors = vec![error("a.cu", 1), error("b.cu", 5), error("c.cu", 7)];
        let page = page(&Report { errors, ..Report::default() });
        assert!(page.contains("3 inputs could not be used"));
        assert_eq!(page.matches("file not found").count(), 1);
        assert!(page.contains("The same in 2 other inputs</summary>"));
        assert!(page.contains("<li>b.cu</li><li>c.cu</li>"));
    }

    /// A variable of the kernel's may have the name of a row, and one that decides nothing is left out.
    #[test]
    fn who_did_it_has_what_matters() {
        let mut report = samples::report();
        let finding = &mut report.kernels[0].findings[0];
        let mut trace = samples::trace("s");
        let variable = |name: &str, decides| crate::Variable {
            name: name.into(),
            value: "7".into(),
            approximated: false,
            decides,
        };
        trace.timelines[0].variables.extend([variable("value", true), variable("idle", false)]);
        finding.trace = Some(trace);
        let page = page(&report);
        let table = page.split("<table class=\"values\">").nth(1).unwrap();
        let table = table.split("</table>").next().unwrap();
        assert!(table.contains("<th scope=\"row\">value accessed</th>"), "{table}");
        assert!(table.contains("<th scope=\"row\" class=\"variable\">value</th>"), "{table}");
        assert!(!table.contains("idle"), "{table}");
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
