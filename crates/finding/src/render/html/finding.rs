//! One finding: its line in the list, and its panels.

use maud::{Markup, html};

use super::{badge, excerpt, map, timeline, turn, with_code};
use crate::render::{
    ValueRow, annotation_level, circumstances, memory_text, note_variable, title_text, value_rows,
};
use crate::source::Sources;
use crate::{Finding, KernelReport, Spot};

pub(super) fn card(
    kernel: &KernelReport,
    finding: &Finding,
    id: &str,
    open: bool,
    sources: &mut Sources,
) -> Markup {
    let level = annotation_level(kernel, finding).name();
    let place = Spot::primary(kernel, finding, sources).to_string();
    html! {
        details .finding #(id) open[open] {
            summary {
                (badge(level, finding.kind.name()))
                div {
                    h3 { (with_code(&title_text(finding))) }
                    div .where.quiet { (place) }
                }
                (turn())
            }
            div {
                div .panels {
                    (excerpt::panel(finding, sources))
                    // Two columns where there is room: the threads, and the memory.
                    div .stack {
                        (values(finding))
                        @if let Some(trace) = &finding.trace {
                            (timeline::panel(trace, finding.explored, id, sources))
                        }
                    }
                    div .stack {
                        @if let Some(trace) = &finding.trace && let Some(memory) = &trace.map {
                            (map::panel(memory, trace))
                        }
                        (advice(finding))
                    }
                    (launch(finding))
                }
            }
        }
    }
}

/// The two threads side by side with the variables that the accesses depend on, what differs in bold.
fn values(finding: &Finding) -> Markup {
    // Code that could go was not done by anybody.
    if finding.accesses.is_empty() || finding.kind.about().is_needless_code {
        return html! {};
    }
    let mut rows = value_rows(finding);
    rows.retain(|row| !row.is_variable || row.decides);
    let approximated = rows.iter().flat_map(|row| &row.values).any(|value| value.approximated);
    html! {
        section .panel {
            h4 { "Who did it" }
            table .values {
                thead {
                    tr {
                        td {}
                        @for (i, access) in finding.accesses.iter().enumerate() {
                            th scope="col" { (number(finding, i)) (access.op) }
                        }
                    }
                }
                tbody {
                    @for row in &rows { (value_row(row)) }
                }
            }
            @if approximated {
                p .quiet { sup { "*" } " approximated" }
            }
        }
    }
}

fn value_row(row: &ValueRow) -> Markup {
    let differs = row.values.windows(2).any(|v| v[0] != v[1]);
    html! {
        tr class=[differs.then_some("differs")] {
            th scope="row" class=[row.is_variable.then_some("variable")] { (row.name) }
            @for value in &row.values {
                td {
                    (value.text)
                    @if value.approximated { sup { "*" } }
                }
            }
        }
    }
}

/// The number of an access in its colour, where there are two.
pub(super) fn number(finding: &Finding, index: usize) -> Markup {
    html! {
        @if finding.accesses.len() > 1 {
            span .{ "no-" (class(index)) } { (index + 1) }
        }
    }
}

pub(super) fn class(index: usize) -> &'static str {
    if index == 0 { "one" } else { "two" }
}

fn advice(finding: &Finding) -> Markup {
    let kind = finding.kind;
    let article = if kind.name().starts_with(['a', 'o', 'u']) { "an" } else { "a" };
    html! {
        section .panel {
            h4 { "What to do" }
            ul .facts {
                @for help in &finding.help {
                    li { (with_code(help)) }
                }
                @for fact in facts(finding) {
                    li .quiet { (with_code(&fact)) }
                }
                li {
                    a href={ "#about-" (kind) } {
                        "What " (article) " " (kind) " is, and how to fix it"
                    }
                }
            }
        }
    }
}

/// What else there is to know.
fn facts(finding: &Finding) -> Vec<String> {
    let memory = finding.memory.iter().map(memory_text);
    let notes = finding.accesses.iter().flat_map(|a| &a.notes);
    let notes = notes.filter(|n| note_variable(n).is_none()).cloned();
    let also = (!finding.also_in.is_empty())
        .then(|| format!("the same in {}", finding.also_in.join(", ")));
    memory.chain(notes).chain(circumstances(finding)).chain(also).collect()
}

/// A command line that repeats the launch.
fn launch(finding: &Finding) -> Markup {
    html! {
        @if let Some(repeat) = &finding.repeat {
            section .panel.wide {
                h4 { "Repeat the launch" }
                div .command {
                    code { (repeat.from_anywhere()) }
                    button type="button" class="button small copy" { "Copy" }
                }
            }
        }
    }
}
