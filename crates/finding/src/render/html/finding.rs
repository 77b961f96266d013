//! One finding: its line in the list, and its panels.

use std::fmt::Write;

use super::{badge, escaped, excerpt, map, timeline, with_code};
use crate::render::{
    annotation_level, circumstances, memory_text, note_variable, title_text, value_rows,
};
use crate::source::Sources;
use crate::{Finding, KernelReport, Spot};

pub(super) fn card(
    out: &mut String,
    kernel: &KernelReport,
    finding: &Finding,
    id: &str,
    open: bool,
    sources: &mut Sources,
) {
    let level = annotation_level(kernel, finding).name();
    let place = Spot::primary(kernel, finding, sources).to_string();
    let _ = writeln!(
        out,
        "<details class=\"finding\" id=\"{id}\"{}><summary>{}<div><h3>{}</h3>\
         <div class=\"where quiet\">{}</div></div>{}</summary>\n<div><div class=\"panels\">",
        if open { " open" } else { "" },
        badge(level, finding.kind.name()),
        with_code(&title_text(finding)),
        escaped(&place),
        super::TURN
    );
    excerpt::panel(out, finding, sources);
    // Two columns where there is room: the threads, and the memory.
    out.push_str("<div class=\"stack\">\n");
    values(out, finding);
    if let Some(trace) = &finding.trace {
        timeline::panel(out, trace, id, sources);
    }
    out.push_str("</div><div class=\"stack\">\n");
    if let Some(trace) = &finding.trace
        && let Some(memory) = &trace.map
    {
        map::panel(out, memory, trace);
    }
    advice(out, finding);
    out.push_str("</div>\n");
    launch(out, finding);
    out.push_str("</div></div></details>\n");
}

/// The two threads side by side with the variables that the accesses depend on, what differs in bold.
fn values(out: &mut String, finding: &Finding) {
    // Code that could go was not done by anybody.
    if finding.accesses.is_empty() || finding.kind.about().is_needless_code {
        return;
    }
    out.push_str(
        "<section class=\"panel\"><h4>Who did it</h4><table class=\"values\"><thead><tr><td></td>",
    );
    let several = finding.accesses.len() > 1;
    for (i, access) in finding.accesses.iter().enumerate() {
        let number = if several { mark(i) } else { String::new() };
        let _ = write!(out, "<th scope=\"col\">{number}{}</th>", access.op);
    }
    out.push_str("</tr></thead><tbody>\n");
    let mut approximated = false;
    for row in value_rows(finding).iter().filter(|row| !row.is_variable || row.decides) {
        let differs = several && row.values.windows(2).any(|v| v[0] != v[1]);
        let class = if row.is_variable { " class=\"variable\"" } else { "" };
        let _ = write!(
            out,
            "<tr{}><th scope=\"row\"{class}>{}</th>",
            if differs { " class=\"differs\"" } else { "" },
            escaped(&row.name)
        );
        for value in &row.values {
            let star = if value.approximated { "<sup>*</sup>" } else { "" };
            approximated |= value.approximated;
            let _ = write!(out, "<td>{}{star}</td>", escaped(&value.text));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>\n");
    if approximated {
        out.push_str("<p class=\"quiet\"><sup>*</sup> approximated</p>");
    }
    out.push_str("</section>\n");
}

/// The number of an access in its colour.
pub(super) fn mark(index: usize) -> String {
    format!("<span class=\"no-{}\">{}</span>", class(index), index + 1)
}

pub(super) fn class(index: usize) -> &'static str {
    if index == 0 { "one" } else { "two" }
}

fn advice(out: &mut String, finding: &Finding) {
    out.push_str("<section class=\"panel\"><h4>What to do</h4><ul class=\"facts\">");
    for help in finding.help.iter().chain(&finding.fix) {
        let _ = write!(out, "<li>{}</li>", with_code(help));
    }
    let memory = finding.memory.iter().map(memory_text);
    let notes = finding.accesses.iter().flat_map(|a| &a.notes);
    let notes = notes.filter(|n| note_variable(n).is_none()).cloned();
    let also = (!finding.also_in.is_empty())
        .then(|| format!("the same in {}", finding.also_in.join(", ")));
    for fact in memory.chain(notes).chain(circumstances(finding)).chain(also) {
        let _ = write!(out, "<li class=\"quiet\">{}</li>", with_code(&fact));
    }
    let kind = finding.kind;
    let _ = writeln!(
        out,
        "<li><a href=\"#about-{kind}\">What {} {kind} is, and how to fix it</a></li></ul></section>",
        if kind.name().starts_with(['a', 'o', 'u']) { "an" } else { "a" }
    );
}

/// A command line that repeats the launch.
fn launch(out: &mut String, finding: &Finding) {
    let Some(repeat) = &finding.repeat else { return };
    let _ = writeln!(
        out,
        "<section class=\"panel wide\"><h4>Repeat the launch</h4><div class=\"command\"><code>{}</code>\
         <button type=\"button\" class=\"button small copy\">Copy</button></div></section>",
        escaped(&repeat.from_anywhere())
    );
}
