//! `--format html`: one self-contained page, for browsers.
//!
//! A list of kernels with their verdicts, the worst first, to be searched and folded; for a finding
//! the source with both places, the two threads' values, and where there is a
//! [`crate::Trace`] a timeline ([`timeline`]) and a map of the memory ([`map`]), drawn
//! as SVG. Everything is there without the script (`page.js`), which adds filters,
//! the choice of a theme, and details of the map's cells. Nothing is loaded from
//! anywhere.
//!
//! Every part of the page is a function that gives [`Markup`]. An element without content is
//! written `rect {}`, with an end tag: `rect;` would have none, and a browser would put the SVG
//! elements that follow inside of it.
//!
//! **Architecture Invariant:** text of the user's goes into the page only as values in
//! `html!`, which escapes them. [`PreEscaped`] is only for the constants [`DOCTYPE`], [`STYLE`]
//! and [`SCRIPT`]. [`without_controls`] goes over the whole page, so no text gets around it.

mod excerpt;
mod finding;
mod map;
mod timeline;

use maud::{Markup, PreEscaped, html};

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
    let mut page = page(report, sources, options).into_string();
    page.push('\n');
    without_controls(&page)
}

/// Control characters are not allowed in a page, and invisible.
fn without_controls(page: &str) -> String {
    page.replace(|c: char| c.is_control() && !matches!(c, '\n' | '\t'), "\u{fffd}")
}

const DOCTYPE: PreEscaped<&str> = PreEscaped("<!doctype html>");
const STYLE: PreEscaped<&str> = PreEscaped(include_str!("page.css"));
const SCRIPT: PreEscaped<&str> = PreEscaped(include_str!("page.js"));
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn page(report: &Report, sources: &mut Sources, options: &HtmlOptions) -> Markup {
    let counts = Counts::of(report);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={ "lockstep " (VERSION) };
                title { "Lockstep: " (counts.text()) }
                style { (STYLE) }
            }
            body {
                (top(&counts, options))
                (bar(&counts))
                main .wrap {
                    (errors(report))
                    (kernels(report, sources))
                    p id="nothing" class="nothing hidden" { "No kernel fits the filter." }
                    (about(report))
                }
                footer .wrap { "lockstep " (VERSION) }
                script { (SCRIPT) }
            }
        }
    }
}

/// Two threads and the barrier that both wait at.
fn logo() -> Markup {
    html! {
        svg .logo viewBox="0 0 40 40" aria-hidden="true" {
            rect width="40" height="40" rx="9" fill="var(--ink)" {}
            path d="M14 8v24M26 8v24" stroke="var(--paper)" stroke-width="2.5"
                stroke-linecap="round" opacity=".55" {}
            path d="M8 25h24" stroke="var(--paper)" stroke-width="3" stroke-linecap="round" {}
            circle cx="14" cy="15" r="4" fill="#e69f00" {}
            circle cx="26" cy="18" r="4" fill="#56b4e9" {}
        }
    }
}

/// The arrow before what can be unfolded.
fn turn() -> Markup {
    html! {
        svg .turn viewBox="0 0 10 10" aria-hidden="true" {
            path d="M3 1l4 4-4 4" fill="none" stroke="currentColor" stroke-width="1.6" {}
        }
    }
}

fn top(counts: &Counts, options: &HtmlOptions) -> Markup {
    let kernels = format!("{} kernel{}", counts.kernels, plural(counts.kernels));
    let errors = counts.findings(Counted::Error);
    let title = match (errors, counts.kernels) {
        (0, 0) => "No kernels".to_owned(),
        (0, _) => format!("No errors in {kernels}"),
        (n, _) => format!("{n} error{} in {kernels}", plural(n)),
    };
    let milder: usize = Counted::ALL[1..].iter().map(|c| counts.findings(*c)).sum();
    html! {
        header .top {
            div .wrap {
                (logo())
                div {
                    h1 { (title) }
                    @if milder > 0 {
                        p .counts { (counts.findings_text()) }
                    }
                    p {
                        "Checked by Lockstep"
                        @if let Some(s) = options.seconds { (format!(" in {s:.2}\u{a0}s")) }
                    }
                }
                span .space {}
                (theme_button())
            }
        }
    }
}

fn theme_button() -> Markup {
    html! {
        button id="theme" class="button" type="button" {
            svg viewBox="0 0 16 16" aria-hidden="true" {
                path d="M8 1a7 7 0 1 0 0 14z" fill="currentColor" {}
                circle cx="8" cy="8" r="7" fill="none" stroke="currentColor" stroke-width="1.5" {}
            }
            span .word { "Theme" }
        }
    }
}

fn bar(counts: &Counts) -> Markup {
    html! {
        nav .bar aria-label="Filter" {
            div .wrap {
                @for standing in Standing::ALL {
                    (chip(standing, counts.kernels_with(standing)))
                }
                div .search {
                    input id="search" type="search" aria-label="Search kernels, files and findings"
                        placeholder="Search kernels, files, findings";
                    kbd aria-hidden="true" { "/" }
                }
                button id="fold" class="button" type="button" { "Expand all" }
                div id="shown" class="shown" role="status" {}
            }
        }
    }
}

/// A button that shows and hides the kernels that stand so.
fn chip(standing: Standing, count: usize) -> Markup {
    let (class, name) = (class_of(standing), standing.name());
    html! {
        button type="button" class={ "chip " (class) } data-standing=(name) aria-pressed="true"
            disabled[count == 0]
        {
            i aria-hidden="true" { (glyph(class)) }
            b { (count) }
            " "
            @if class != name { "with " }
            (name)
        }
    }
}

fn errors(report: &Report) -> Markup {
    let n = report.errors.len();
    html! {
        @if !report.warnings.is_empty() {
            section .errors {
                ul .facts.quiet {
                    @for warning in &report.warnings { li { (warning) } }
                }
            }
        }
        @if n > 0 {
            section .errors {
                h2 { (n) " input" (plural(n)) " could not be used" }
                @for (error, others) in by_fault(&report.errors) {
                    (fault(error, &others))
                }
            }
        }
    }
}

/// A fault of an input, and the other inputs that have it.
fn fault(error: &InputError, others: &[&str]) -> Markup {
    let is_named = error.file.is_empty() || error.message.contains(&error.file);
    html! {
        pre {
            @if !is_named { (error.file) ": " }
            (error.message.trim_end())
        }
        @if !others.is_empty() {
            details .same {
                summary {
                    (turn())
                    "The same in " (others.len()) " other input" (plural(others.len()))
                }
                ul .facts {
                    @for file in others { li { (file) } }
                }
            }
        }
    }
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

/// The worst first.
fn kernels(report: &Report, sources: &mut Sources) -> Markup {
    let mut kernels: Vec<(usize, &KernelReport)> = report.kernels.iter().enumerate().collect();
    kernels.sort_by_key(|(_, kernel)| kernel.standing());
    let open = first_open(&kernels);
    html! {
        @for (i, kernel) in kernels {
            @let open = open.and_then(|(k, f)| (k == i).then_some(f));
            (kernel_card(kernel, i, open, sources))
        }
    }
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

fn kernel_card(
    kernel: &KernelReport,
    index: usize,
    open: Option<usize>,
    sources: &mut Sources,
) -> Markup {
    let standing = kernel.standing();
    html! {
        details .kernel #{ "kernel-" (index) } data-standing=(standing.name())
            data-text=(search_text(kernel)) open[open.is_some()]
        {
            summary {
                (turn())
                div {
                    h2 { (kernel.name) }
                    div .where {
                        (kernel.text_file())
                        @if kernel.line > 0 { ":" (kernel.line) }
                    }
                }
                span .time { (format!("{:.2} s", kernel.seconds)) }
                (badge(class_of(standing), class_of(standing)))
            }
            div .body {
                (compiled(kernel))
                @for (i, finding) in shown(kernel).enumerate() {
                    @let id = format!("finding-{index}-{i}");
                    (finding::card(kernel, finding, &id, open == Some(i), sources))
                }
                (verdicts(kernel))
                (printed(kernel))
            }
        }
    }
}

/// What is unusual in how the kernel was compiled.
fn compiled(kernel: &KernelReport) -> Markup {
    html! {
        @if !kernel.instances.is_empty() {
            p .quiet { "The same code as " (kernel.instances.join(", ")) }
        }
        @if let Some(arch) = kernel.unusual_arch() {
            p .quiet { "Compiled for " (arch) }
        }
        @if let Some(chosen) = &kernel.chosen {
            p .quiet { "Nothing in the source instantiates it: checked with " (chosen) }
        }
    }
}

/// What the kernel printed, and what it left in its buffers.
fn printed(kernel: &KernelReport) -> Markup {
    html! {
        @if !kernel.printed.is_empty() {
            div .printed {
                p .quiet { "It printed:" }
                pre { (kernel.printed.trim_end_matches('\n')) }
            }
        }
        @for output in &kernel.outputs {
            div .printed {
                pre { (super::human::output_text(output)) }
            }
        }
    }
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

fn verdicts(kernel: &KernelReport) -> Markup {
    html! {
        table .verdicts {
            @for (verdict, kinds) in super::verdict_groups(kernel) {
                tr {
                    th scope="row" {
                        (badge(verdict_class(kernel, verdict, &kinds), verdict.name()))
                    }
                    td {
                        div .kinds {
                            @for kind in kinds { span { (kind) } " " }
                        }
                        div .why { (why(verdict)) }
                    }
                }
            }
            @for finding in &kernel.findings {
                @if let Some(Suppressed { because, .. }) = &finding.suppressed {
                    tr {
                        th scope="row" { (badge("clean", "allowed")) }
                        td {
                            (finding.kind) " at " (super::short_place(kernel, finding))
                            div .why { (because) }
                        }
                    }
                }
            }
        }
    }
}

/// What a verdict rests on.
fn why(verdict: &Verdict) -> Markup {
    html! {
        @match verdict {
            Verdict::Found => {}
            Verdict::Unknown { because } => { (because) }
            Verdict::Clean { covered } => { "in " (covered) }
            Verdict::Proved { assumes } if assumes.is_empty() => { "for all inputs" }
            Verdict::Proved { assumes } => {
                "if"
                ul {
                    @for assumed in assumes { li { (assumed) } }
                }
            }
        }
    }
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
fn about(report: &Report) -> Markup {
    let was_found = |kind: &Kind| report.kernels.iter().flat_map(shown).any(|f| f.kind == *kind);
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(was_found).collect();
    html! {
        @if !kinds.is_empty() {
            section .about {
                h2 { "What the findings mean" }
                @for kind in kinds { (about_kind(kind)) }
            }
        }
    }
}

fn about_kind(kind: Kind) -> Markup {
    html! {
        details #{ "about-" (kind) } {
            summary {
                (turn())
                h3 { (kind) }
                span .quiet { (kind.about().summary) }
            }
            div .text {
                @for block in blocks(kind) {
                    @match block {
                        Block::Text(text) => p { (with_code(&text)) }
                        Block::Code(code) => pre { (code) }
                    }
                }
            }
        }
    }
}

fn badge(class: &str, text: &str) -> Markup {
    html! {
        span .badge.(class) {
            i aria-hidden="true" { (glyph(class)) }
            (text)
        }
    }
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

/// What stands between backquotes as code.
fn with_code(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    let balanced = parts.len() % 2 == 1;
    html! {
        @for (i, part) in parts.iter().enumerate() {
            @if i % 2 == 0 {
                (part)
            } @else if balanced {
                code { (part) }
            } @else {
                "`" (part)
            }
        }
    }
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
        assert!(page.contains("&quot;&gt;&amp;\u{fffd}"));
        assert_eq!(page.matches("</script>").count(), 1);
        assert!(page.contains("&lt;/script&gt;&lt;img src=x onerror=&quot;a('b')&quot;&gt;"));
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
        assert!(!page.contains('\u{fffd}'), "the style or the script has control characters");
    }

    #[test]
    fn code_between_backquotes() {
        let code = |text| with_code(text).into_string();
        assert_eq!(code("on `s[<]` now"), "on <code>s[&lt;]</code> now");
        assert_eq!(code("one ` alone"), "one ` alone");
    }
}
