//! Whether elements of arrays that were our choice are to blame: they are not sorted, not distinct, or too close together.

use lockstep_finding::{Access, Finding, Kind};
use lockstep_kernel::Elem;

use super::{Shown, draws_single, is_at, is_no_worse, wrong};
use crate::explore::trial::Trial;
use crate::shrink::Shrinker;
use crate::space::FreeArray;
use crate::space::candidate::{Candidate, Contents};

impl Shrinker<'_, '_> {
    /// Elements that lead to a place, and that nobody would have put there: numbers that are not in [0, 1) to be scaled
    /// to an index, what is negative only because a constant of the kernel has been varied, and structs of nothing but
    /// zeros, which lead different blocks to one place.
    pub(super) fn strange_elements(
        &self,
        candidate: &Candidate,
        finding: &Finding,
    ) -> Option<String> {
        let space = self.driver.lab.space;
        let contents = &candidate.contents;
        let element = |i: usize| space.arrays[i].element;
        let name = |i: usize| &space.arrays[i].name;
        let any = finding.accesses.iter().flat_map(|a| self.leaders([a]));
        let is_scaled = |&i: &usize| {
            let usual = matches!(contents[i], Contents::Random | Contents::Zeros);
            element(i).is_float() && !usual
        };
        if let Some(i) = any.into_iter().find(is_scaled) {
            return Some(format!("elements of {} are not in [0, 1)", name(i)));
        }
        let all = self.leaders(&finding.accesses);
        for &i in &all {
            if let Contents::Value(bits) = contents[i]
                && let Elem::Scalar(ty) = space.arrays[i].elem
                && ty.is_int()
                && bits > ty.mask() >> 1
                && contents[i] != space.arrays[i].plain
                && !space.arrays[i].compared_with.contains(&(ty, bits))
            {
                let value = element(i).value_text(&bits.to_le_bytes());
                return Some(format!("elements of {} are {value}", name(i)));
            }
        }
        let apart = finding.accesses.windows(2).any(|pair| pair[0].block != pair[1].block);
        let is_empty = |&i: &usize| contents[i] == Contents::Zeros && self.is_struct(i);
        let empty = all.into_iter().find(is_empty).filter(|_| apart)?;
        Some(format!("two elements of {} are equal", name(empty)))
    }

    /// Where one element of an array says where a part begins, and the next one where it ends, they ascend.
    pub(super) fn falling_bounds(&mut self, trial: &Trial) -> Option<String> {
        let shown = self.shown(trial)?;
        let mut falling = self.falling(shown.candidate, shown.finding).into_iter();
        let array = falling.find(|&i| {
            let ascending = self.with_contents(shown.candidate, &[(i, Contents::Iota)]);
            let Some(other) = self.other(&ascending) else { return false };
            // That threads of one part write one value is another matter.
            is_no_worse(&other, shown.wrong) && !self.is_in(&other) && self.reaches(&other)
        })?;
        Some(self.do_not_ascend(array))
    }

    /// Arrays of bounds that do not ascend and lead to the places of a finding.
    pub(super) fn falling(&self, candidate: &Candidate, finding: &Finding) -> Vec<usize> {
        let space = self.driver.lab.space;
        let ascends = |i: usize| candidate.contents[i] == Contents::Iota;
        let mut leaders = self.leaders(&finding.accesses);
        leaders.retain(|&i| space.arrays[i].limits_loop && !ascends(i));
        leaders
    }

    pub(super) fn do_not_ascend(&self, array: usize) -> String {
        format!("elements of {} do not ascend", self.driver.lab.space.arrays[array].name)
    }

    /// Whether two blocks meet where each thread has its place in a part that an element leads to. Who adds to the parts of
    /// blocks means parts that lie apart; of elements that lead each thread on its own that cannot be said.
    pub(super) fn is_of_parts(&self, finding: &Finding) -> bool {
        let space = self.driver.lab.space;
        let has_place = |a: &Access| {
            let mut sites = space.kernel.sites.iter().zip(&space.hints.addressed_by);
            sites.any(|(site, axes)| axes.contains(&true) && is_at(space.kernel, site, a))
        };
        let [a, b] = &finding.accesses[..] else { return false };
        a.block != b.block && has_place(a) && has_place(b)
    }

    /// Where an array says at which element the part of each thread begins, parts that lie close together overlap.
    pub(super) fn close_segments(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let shown = self.shown(trial)?;
        if !self.may_be_apart(shown.finding) && !self.is_of_parts(shown.finding) {
            return None;
        }
        let is_read = |array: &FreeArray| {
            array.is_of_ints() && array.matters && !array.written && !array.written_through
        };
        let those = |f: &dyn Fn(&FreeArray) -> bool| -> Vec<usize> {
            (0..space.arrays.len()).filter(|&i| f(&space.arrays[i])).collect()
        };
        let mut through = those(&|a| a.written_through);
        // Another array may say which part each thread takes: each one once.
        let picks = those(&|a| is_read(a) && a.reaches_address);
        through.retain(|&i| !self.meets_by_tickets(&shown, i, &picks));
        let with_picks = |mut contents: Vec<(usize, Contents)>| {
            let others = picks.iter().filter(|&&k| contents.iter().all(|(i, _)| *i != k));
            let others: Vec<_> = others.map(|&k| (k, Contents::Iota)).collect();
            contents.extend(others);
            contents
        };
        let distances =
            [(Contents::Spaced, Contents::SPACE), (Contents::Begins(Contents::FAR), Contents::FAR)];
        let mut apart = through.iter().flat_map(|&i| distances.map(|(c, n)| (i, c, n)));
        let apart = apart.find(|&(i, contents, _)| {
            self.gone_with(&shown, &with_picks(vec![(i, contents)])).is_some()
                && !self.meets_however_far(&shown, i, &with_picks)
        });
        if let Some((array, _, distance)) = apart {
            let name = &space.arrays[array].name;
            return Some(format!("elements of {name} are less than {distance} apart"));
        }
        // Another array may say where they end: none goes beyond that into the next.
        let ends = those(&is_read);
        let mut pairs = through.iter().flat_map(|&i| ends.iter().map(move |&j| (i, j)));
        let (i, j) = pairs.find(|&(i, j)| {
            for part in Contents::PARTS {
                let contents = vec![(i, Contents::Begins(part)), (j, Contents::Ends(part))];
                let parted = self.with_contents(shown.candidate, &with_picks(contents));
                let Some(other) = self.other(&parted) else { return false };
                // Those that are too short may not come to the places of the bug.
                if self.reaches(&other) || other.outcome.incomplete.is_some() {
                    let gone = self.is_gone_from(&other, shown.wrong);
                    return gone && !self.has_others(&other, shown.finding);
                }
            }
            false
        })?;
        let [begin, end] = [i, j].map(|i| &space.arrays[i].name);
        Some(format!("parts that begin at elements of {begin} and end at those of {end} overlap"))
    }

    /// A launch that was made small has few threads, which may meet only where parts are close. Where those of a usual one
    /// meet in parts that lie so far apart that none can reach the next, and each thread has an element of its own to say
    /// which part it takes, there are more threads than such elements can tell apart.
    pub(super) fn meets_however_far(
        &mut self,
        shown: &Shown,
        array: usize,
        with_picks: &dyn Fn(Vec<(usize, Contents)>) -> Vec<(usize, Contents)>,
    ) -> bool {
        let space = self.driver.lab.space;
        let plain = space.plain();
        let wide = Candidate {
            grid: plain.grid,
            block: plain.block,
            genes: plain.genes,
            ..shown.candidate.clone()
        };
        let wide = space.agreeing(&wide);
        let parts = Contents::PARTS.into_iter().filter(|&part| part >= Contents::SPACE);
        parts.chain([Contents::FAR]).collect::<Vec<_>>().into_iter().all(|part| {
            let contents = with_picks(vec![(array, Contents::Begins(part))]);
            let apart = self.with_contents(&wide, &contents);
            let trial = space.is_possible(&apart).then(|| self.other(&apart)).flatten();
            trial.is_some_and(|t| {
                let ended = t.outcome.incomplete.is_none() && wrong(&t) <= shown.wrong;
                ended && self.is_in(&t)
            })
        })
    }

    /// Numbers that an atomic drew, one at a time, are others for each thread, whatever it counts on: where counters lie
    /// far apart, and two threads that draw from the same one still meet, that the counters are close is not to blame.
    pub(super) fn meets_by_tickets(
        &mut self,
        shown: &Shown,
        counters: usize,
        picks: &[usize],
    ) -> bool {
        let space = self.driver.lab.space;
        let array = &space.arrays[counters];
        let leads = self.leaders(&shown.finding.accesses).contains(&counters);
        if !leads || !array.synchronises || !draws_single(space.kernel, array) {
            return false;
        }
        let threads = shown.candidate.threads().max(2);
        let others = picks.iter().filter(|&&k| k != counters);
        let mut contents: Vec<(usize, Contents)> =
            others.map(|&k| (k, Contents::Below(threads / 2))).collect();
        contents.push((counters, Contents::Spaced));
        self.shows(&self.with_contents(shown.candidate, &contents))
    }

    /// Where elements are only read and compared with each other, to find a place or the end of a run, they are sorted.
    /// A kernel that sorts them itself writes them, or leaves the places of the bug alone when there is nothing to do.
    pub(super) fn unsorted(&mut self, shown: &Shown) -> Option<String> {
        let sorted = self.sorted(shown.finding);
        let names = self.names(&sorted);
        if sorted.is_empty() {
            None
        } else if self.is_gone_with(shown, &sorted, Contents::Iota) {
            Some(format!("elements of {names} do not ascend"))
        } else if self.is_gone_with(shown, &sorted, Contents::Runs) {
            Some(format!("elements of {names}, or the bits of them that count, do not ascend"))
        } else {
            None
        }
    }

    /// Elements that are written where comparisons of others say lie apart if these are ranks: what is compared is distinct.
    pub(super) fn equal_ranks(&mut self, trial: &Trial) -> Option<String> {
        let shown = self.shown(trial)?;
        let ranked = self.ranked(shown.finding);
        let gone = !ranked.is_empty() && self.is_gone_with(&shown, &ranked, Contents::Swapped);
        gone.then(|| format!("two elements of {} are equal", self.names(&ranked)))
    }

    /// Or sorted, and so is what follows from both. No contents of ours are, so two writes that meet are no more than
    /// possible. A read that meets a write is another matter: a rank is written once, whoever reads it.
    pub(crate) fn ranks(&self, finding: &Finding) -> Option<String> {
        let ranked = self.ranked(finding);
        let names = self.names(&ranked);
        let why = format!("where both write follows from comparing elements of {names}");
        (!ranked.is_empty())
            .then(|| format!("{why}: in the order that the caller gives them, it may not happen"))
    }

    /// The arrays that are compared to find where both accesses of a race write.
    pub(super) fn ranked(&self, finding: &Finding) -> Vec<usize> {
        let space = self.driver.lab.space;
        let kernel = space.kernel;
        let is_ranked = |a: &Access| {
            let mut sites = kernel.sites.iter().zip(&space.hints.ranked);
            a.op == "write" && sites.any(|(site, &ranked)| ranked && is_at(kernel, site, a))
        };
        let race = matches!(self.key.kind, Kind::DataRace | Kind::MissingFence);
        if !race || !self.may_be_apart(finding) || !finding.accesses.iter().all(is_ranked) {
            return Vec::new();
        }
        let is_compared = |i: &usize| {
            let array = &space.arrays[*i];
            match array.member {
                Some(m) => space.hints.ranked_by_members.contains(&(array.param, m.offset)),
                None => space.hints.ranked_by.contains(&array.param),
            }
        };
        let all = 0..space.arrays.len();
        all.filter(|i| is_compared(i) && !space.arrays[*i].written).collect()
    }

    pub(super) fn names(&self, arrays: &[usize]) -> String {
        let space = self.driver.lab.space;
        let names: Vec<&str> = arrays.iter().map(|&i| space.arrays[i].name.as_str()).collect();
        names.join(" and ")
    }

    /// Arrays that may have to be sorted.
    pub(super) fn sorted(&self, finding: &Finding) -> Vec<usize> {
        let arrays = &self.driver.lab.space.arrays;
        let is_sorted = |&i: &usize| arrays[i].compared && !arrays[i].written;
        let apart = self.may_be_apart(finding);
        (0..arrays.len()).filter(|i| apart && is_sorted(i)).collect()
    }
}
