//! Sets of events and relations between them, as rows of bits.
//!
//! The operations are those that memory models are written with: union, intersection, difference, composition,
//! inverse, closure, and restriction to sets. An execution has at most [`MAX_EVENTS`] events.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

/// The most events of one execution, initial writes included.
pub const MAX_EVENTS: usize = 128;

/// A set of events.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct EventSet(u128);

impl EventSet {
    pub const EMPTY: EventSet = EventSet(0);

    pub fn all(n: usize) -> EventSet {
        if n == MAX_EVENTS { EventSet(u128::MAX) } else { EventSet((1 << n) - 1) }
    }

    pub fn one(event: usize) -> EventSet {
        EventSet(1 << event)
    }

    pub fn insert(&mut self, event: usize) {
        self.0 |= 1 << event;
    }

    pub fn contains(self, event: usize) -> bool {
        self.0 >> event & 1 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let first = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(first)
        })
    }
}

impl FromIterator<usize> for EventSet {
    fn from_iter<I: IntoIterator<Item = usize>>(events: I) -> EventSet {
        let mut set = EventSet::EMPTY;
        for event in events {
            set.insert(event);
        }
        set
    }
}

impl BitOr for EventSet {
    type Output = EventSet;
    fn bitor(self, other: EventSet) -> EventSet {
        EventSet(self.0 | other.0)
    }
}

impl BitOrAssign for EventSet {
    fn bitor_assign(&mut self, other: EventSet) {
        self.0 |= other.0;
    }
}

impl BitAnd for EventSet {
    type Output = EventSet;
    fn bitand(self, other: EventSet) -> EventSet {
        EventSet(self.0 & other.0)
    }
}

impl Sub for EventSet {
    type Output = EventSet;
    fn sub(self, other: EventSet) -> EventSet {
        EventSet(self.0 & !other.0)
    }
}

impl fmt::Debug for EventSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A relation between the events `0..n`.
#[derive(Clone, PartialEq, Eq)]
pub struct Relation {
    rows: Vec<u128>,
}

impl Relation {
    pub fn empty(n: usize) -> Relation {
        assert!(n <= MAX_EVENTS, "an execution has at most {MAX_EVENTS} events");
        Relation { rows: vec![0; n] }
    }

    pub fn identity(n: usize) -> Relation {
        let mut identity = Relation::empty(n);
        for event in 0..n {
            identity.add(event, event);
        }
        identity
    }

    /// `from * to`.
    pub fn product(n: usize, from: EventSet, to: EventSet) -> Relation {
        let mut product = Relation::empty(n);
        for event in from.iter() {
            product.rows[event] = to.0;
        }
        product
    }

    pub fn size(&self) -> usize {
        self.rows.len()
    }

    pub fn add(&mut self, from: usize, to: usize) {
        self.rows[from] |= 1 << to;
    }

    /// Relates an event to all of a set.
    pub fn add_all(&mut self, from: usize, to: EventSet) {
        self.rows[from] |= to.0;
    }

    pub fn contains(&self, from: usize, to: usize) -> bool {
        self.rows[from] >> to & 1 != 0
    }

    pub fn successors(&self, event: usize) -> EventSet {
        EventSet(self.rows[event])
    }

    /// `self ; other`: from a to c where some b lies between them.
    pub fn then(&self, other: &Relation) -> Relation {
        let rows = self
            .rows
            .iter()
            .map(|&row| EventSet(row).iter().fold(0, |reached, b| reached | other.rows[b]));
        Relation { rows: rows.collect() }
    }

    pub fn inverse(&self) -> Relation {
        let mut inverse = Relation::empty(self.size());
        for (a, b) in self.pairs() {
            inverse.add(b, a);
        }
        inverse
    }

    /// `self+`.
    pub fn closure(&self) -> Relation {
        let mut closure = self.clone();
        for between in 0..closure.size() {
            let reached = closure.rows[between];
            if reached == 0 {
                continue;
            }
            for row in &mut closure.rows {
                if *row >> between & 1 != 0 {
                    *row |= reached;
                }
            }
        }
        closure
    }

    /// `self?`: the relation or nothing.
    pub fn optional(&self) -> Relation {
        self | &Relation::identity(self.size())
    }

    /// `[set] ; self`.
    pub fn starting_in(&self, set: EventSet) -> Relation {
        let rows = self
            .rows
            .iter()
            .enumerate()
            .map(|(event, &row)| if set.contains(event) { row } else { 0 });
        Relation { rows: rows.collect() }
    }

    /// `self ; [set]`.
    pub fn ending_in(&self, set: EventSet) -> Relation {
        Relation { rows: self.rows.iter().map(|row| row & set.0).collect() }
    }

    /// `[set] ; self ; [set]`.
    pub fn within(&self, set: EventSet) -> Relation {
        self.starting_in(set).ending_in(set)
    }

    /// The relation in both directions.
    pub fn symmetric(&self) -> Relation {
        self | &self.inverse()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|&row| row == 0)
    }

    pub fn irreflexive(&self) -> bool {
        self.rows.iter().enumerate().all(|(event, row)| row >> event & 1 == 0)
    }

    pub fn acyclic(&self) -> bool {
        self.closure().irreflexive()
    }

    pub fn range(&self) -> EventSet {
        EventSet(self.rows.iter().fold(0, |all, row| all | row))
    }

    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.rows
            .iter()
            .enumerate()
            .flat_map(|(from, &row)| EventSet(row).iter().map(move |to| (from, to)))
    }

    fn zip(&self, other: &Relation, f: impl Fn(u128, u128) -> u128) -> Relation {
        assert_eq!(self.size(), other.size());
        Relation { rows: self.rows.iter().zip(&other.rows).map(|(&a, &b)| f(a, b)).collect() }
    }
}

impl BitOr for &Relation {
    type Output = Relation;
    fn bitor(self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a | b)
    }
}

impl BitAnd for &Relation {
    type Output = Relation;
    fn bitand(self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a & b)
    }
}

impl Sub for &Relation {
    type Output = Relation;
    fn sub(self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a & !b)
    }
}

impl fmt::Debug for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.pairs()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(n: usize, pairs: &[(usize, usize)]) -> Relation {
        let mut relation = Relation::empty(n);
        for &(a, b) in pairs {
            relation.add(a, b);
        }
        relation
    }

    #[test]
    fn composition_goes_through_a_middle_event() {
        let r = relation(4, &[(0, 1), (1, 2)]);
        assert_eq!(r.then(&r), relation(4, &[(0, 2)]));
        assert_eq!(r.inverse(), relation(4, &[(1, 0), (2, 1)]));
    }

    #[test]
    fn closure_finds_cycles() {
        let line = relation(4, &[(2, 1), (1, 0), (0, 3)]);
        assert_eq!(line.closure(), relation(4, &[(2, 1), (2, 0), (2, 3), (1, 0), (1, 3), (0, 3)]));
        assert!(line.acyclic());
        assert!(!relation(3, &[(0, 1), (1, 2), (2, 0)]).acyclic());
    }

    #[test]
    fn the_last_event_fits() {
        let r = relation(MAX_EVENTS, &[(MAX_EVENTS - 1, 0), (0, MAX_EVENTS - 1)]);
        assert!(!r.acyclic());
        assert_eq!(EventSet::all(MAX_EVENTS).len(), MAX_EVENTS);
    }

    #[test]
    fn restriction() {
        let r = relation(3, &[(0, 1), (1, 2), (2, 0)]);
        let set: EventSet = [0, 1].into_iter().collect();
        assert_eq!(r.starting_in(set), relation(3, &[(0, 1), (1, 2)]));
        assert_eq!(r.ending_in(set), relation(3, &[(0, 1), (2, 0)]));
        assert_eq!(r.within(set), relation(3, &[(0, 1)]));
    }
}
