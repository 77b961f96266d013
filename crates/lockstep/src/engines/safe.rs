//! Why the accesses of a kernel that is proved free of races are safe, in words.

use lockstep_finding::{Explanation, Kind, Operation, SafePlace, Verdict};
use lockstep_kernel::{Kernel, Language, Site, SiteId, SiteKind, Space};
use lockstep_prove::{DimSpec, Proof, Safe};
use lockstep_simulate::place;

/// What holds only as long as no barrier is passed.
const BETWEEN: &str = "between two barriers, ";

/// Places named in one sentence; there may be more.
const MOST_NAMED: usize = 4;

/// What a proof says of each access and barrier; none where it proves no absence of races.
pub(crate) fn explain(kernel: &Kernel, proof: &Proof) -> Option<Explanation> {
    let words = Words { kernel, pairs: proof.safe.as_ref()? };
    let proved = |kind: Kind| {
        proof.verdicts.iter().any(|(k, v)| *k == kind && matches!(v, Verdict::Proved { .. }))
    };
    let mut places = Vec::new();
    for (i, site) in kernel.sites.iter().enumerate() {
        let id = SiteId(i as u32);
        let why = match site.kind {
            SiteKind::Barrier => words.barrier(id, proved(Kind::BarrierDivergence)),
            SiteKind::Fence => Vec::new(),
            _ if site.space == Space::Private => Vec::new(),
            _ => words.access(id, site),
        };
        if !why.is_empty() {
            places.push(SafePlace { place: place(kernel, site.loc), what: what(site), why });
        }
    }
    Some(Explanation { holds_for: holds_for(kernel.language, proof.grid, proof.block), places })
}

/// Every access to memory that threads share, and every barrier.
pub(crate) fn operations(kernel: &Kernel) -> Vec<Operation> {
    let mut out: Vec<Operation> = Vec::new();
    for site in &kernel.sites {
        let is_barrier = site.kind == SiteKind::Barrier;
        if site.kind == SiteKind::Fence || !is_barrier && site.space == Space::Private {
            continue;
        }
        let operation = Operation { place: place(kernel, site.loc), what: what(site), is_barrier };
        if operation.place.line > 0 && !out.contains(&operation) {
            out.push(operation);
        }
    }
    out
}

struct Words<'a> {
    kernel: &'a Kernel,
    pairs: &'a [Safe],
}

impl Words<'_> {
    fn access(&self, id: SiteId, site: &Site) -> Vec<String> {
        let mut why = Vec::new();
        let mut others = Vec::new();
        for pair in self.pairs {
            match pair.sites {
                (a, b) if a == id && b == id => why.extend(own(pair, site)),
                (a, b) if a == id => others.push((b, pair)),
                (a, b) if b == id => others.push((a, pair)),
                _ => {}
            }
        }
        if why.is_empty() && others.is_empty() && site.kind == SiteKind::Read {
            return vec!["no thread of this kernel writes it".into()];
        }
        let separated = others.iter().filter(|(_, p)| p.in_block.barrier && !p.barriers.is_empty());
        let mut sentences: Vec<(Vec<SiteId>, Vec<SiteId>)> = Vec::new();
        for (other, pair) in separated {
            match sentences.iter_mut().find(|(barriers, _)| *barriers == pair.barriers) {
                Some((_, list)) => list.push(*other),
                None => sentences.push((pair.barriers.clone(), vec![*other])),
            }
        }
        for (barriers, list) in sentences {
            let verb = if barriers.len() == 1 { "separates" } else { "separate" };
            why.push(format!("{} {verb} it from {}", self.named(&barriers), self.named(&list)));
        }
        let last = others.iter().filter(|(_, p)| p.across_blocks.last);
        let last: Vec<SiteId> = last.map(|(other, _)| *other).collect();
        if !last.is_empty() {
            let by = self.named(&last);
            why.push(format!("between blocks, the last number drawn separates it from {by}"));
        }
        for in_phase in [false, true] {
            let apart: Vec<SiteId> = others
                .iter()
                .filter(|(_, p)| (p.in_block.apart || p.across_blocks.apart) && !p.in_block.barrier)
                .filter(|(_, p)| p.in_block.in_phase == in_phase && !p.across_blocks.last)
                .map(|(other, _)| *other)
                .collect();
            if !apart.is_empty() {
                let when = if in_phase { BETWEEN } else { "" };
                let by = self.named(&apart);
                why.push(format!("{when}no other thread touches its element by {by}"));
            }
        }
        why
    }

    fn barrier(&self, id: SiteId, reached: bool) -> Vec<String> {
        let mut why = Vec::new();
        if reached {
            why.push("all threads of the block reach it".to_owned());
        }
        let mut pairs: Vec<String> = Vec::new();
        let separates = |p: &&Safe| p.barriers.contains(&id) && p.sites.0 != p.sites.1;
        for pair in self.pairs.iter().filter(separates) {
            let (a, b) = pair.sites;
            let text = format!("the {} from the {}", self.name(a), self.name(b));
            if !pairs.contains(&text) {
                pairs.push(text);
            }
        }
        if !pairs.is_empty() {
            why.push(format!("it separates {}", listed(&pairs)));
        }
        why
    }

    /// `barrier at line 12`, `write at line 3`.
    fn name(&self, id: SiteId) -> String {
        let site = self.kernel.site(id);
        let noun = match site.kind {
            SiteKind::Read => "read",
            SiteKind::Write => "write",
            SiteKind::Atomic => "atomic operation",
            SiteKind::Barrier => "barrier",
            SiteKind::Fence => "fence",
        };
        let loc = self.kernel.loc(site.loc);
        let main = self.kernel.loc(self.kernel.loc).file;
        if loc.file == main {
            return format!("{noun} at line {}", loc.line);
        }
        let file = self.kernel.files.get(loc.file as usize).map_or("?", |f| f.as_str());
        format!("{noun} at {file}:{}", loc.line)
    }

    /// `the write at line 3 and the read at line 5`.
    fn named(&self, ids: &[SiteId]) -> String {
        let mut names = Vec::new();
        for name in ids.iter().map(|&id| format!("the {}", self.name(id))) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        listed(&names)
    }
}

/// Why an access does not race with itself in another thread.
fn own(pair: &Safe, site: &Site) -> Option<String> {
    let (block, grid) = (pair.in_block, pair.across_blocks);
    if block.atomic || grid.atomic {
        return Some("atomic: all threads may do it at once".into());
    }
    if !block.apart && !grid.apart {
        return None;
    }
    let when = if block.in_phase { BETWEEN } else { "" };
    let who = if site.space == Space::Shared { "each thread of the block" } else { "each thread" };
    let does = if site.kind == SiteKind::Atomic { "updates" } else { "writes" };
    let how = if block.solver || grid.solver { " (by Z3)" } else { "" };
    Some(format!("{when}{who} {does} its own element{how}"))
}

fn what(site: &Site) -> String {
    let (noun, of) = match site.kind {
        SiteKind::Read => ("read", "of"),
        SiteKind::Write => ("write", "to"),
        SiteKind::Atomic => ("atomic operation", "on"),
        SiteKind::Barrier => return "barrier".into(),
        SiteKind::Fence => return "fence".into(),
    };
    site.through.as_ref().map_or_else(|| noun.into(), |name| format!("{noun} {of} `{name}`"))
}

/// `a, b and c`.
fn listed(names: &[String]) -> String {
    let mut shown = names.to_vec();
    if shown.len() > MOST_NAMED {
        let more = shown.len() - MOST_NAMED + 1;
        shown.truncate(MOST_NAMED - 1);
        shown.push(format!("{more} more"));
    }
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// `every blockDim and gridDim`, `every blockDim.x and gridDim = (64, 1, 1)`.
fn holds_for(language: Language, grid: [DimSpec; 3], block: [DimSpec; 3]) -> String {
    let (b, g) = match language {
        Language::OpenCl => ("local_size", "num_groups"),
        _ => ("blockDim", "gridDim"),
    };
    let any = |dims: [DimSpec; 3]| dims == [DimSpec::Any; 3];
    let given = |name: &str, dims: [DimSpec; 3]| {
        if any(dims) {
            return format!("every {name}");
        }
        if dims == [DimSpec::Any, DimSpec::Exactly(1), DimSpec::Exactly(1)] {
            return format!("every {name}.x");
        }
        let one = |d: DimSpec| match d {
            DimSpec::Any => "any".to_owned(),
            DimSpec::Exactly(n) => n.to_string(),
        };
        format!("{name} = ({})", dims.map(one).join(", "))
    };
    if any(grid) && any(block) {
        return format!("every {b} and {g}");
    }
    format!("{} and {}", given(b, block), given(g, grid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_short() {
        let names = |n: usize| (1..=n).map(|i| i.to_string()).collect::<Vec<_>>();
        assert_eq!(listed(&names(1)), "1");
        assert_eq!(listed(&names(3)), "1, 2 and 3");
        assert_eq!(listed(&names(6)), "1, 2, 3 and 3 more");
    }

    #[test]
    fn launches_are_named() {
        let any = [DimSpec::Any; 3];
        let fixed = [DimSpec::Exactly(64), DimSpec::Any, DimSpec::Exactly(1)];
        assert_eq!(holds_for(Language::Cuda, any, any), "every blockDim and gridDim");
        assert_eq!(
            holds_for(Language::Cuda, any, fixed),
            "blockDim = (64, any, 1) and every gridDim"
        );
        let line = [DimSpec::Any, DimSpec::Exactly(1), DimSpec::Exactly(1)];
        assert_eq!(holds_for(Language::Cuda, line, line), "every blockDim.x and every gridDim.x");
        assert_eq!(
            holds_for(Language::OpenCl, fixed, any),
            "every local_size and num_groups = (64, any, 1)"
        );
    }
}
