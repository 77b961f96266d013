//! Whether a claim about launches is true of one that was recorded.

use crate::condition::{Claim, Contents, Statement};
use crate::launch::{Dimension, Expr, Number};

use super::{RecordedArray, RecordedKernel, RecordedLaunch};

impl RecordedLaunch {
    /// Whether a claim holds; `None` where the record does not tell.
    pub fn decide(&self, claim: &Claim) -> Option<bool> {
        match claim {
            Claim::Holds(expr) => self.value(expr).map(Number::is_true),
            Claim::Stated(statement) => self.state(statement),
            Claim::Not(inner) => self.decide(inner).map(|v| !v),
            Claim::All(parts) => self.group(parts, false),
            Claim::Any(parts) => self.group(parts, true),
        }
    }

    fn group(&self, parts: &[Claim], decisive: bool) -> Option<bool> {
        let known: Vec<Option<bool>> = parts.iter().map(|p| self.decide(p)).collect();
        match known.contains(&Some(decisive)) {
            true => Some(decisive),
            false => known.iter().all(Option::is_some).then_some(!decisive),
        }
    }

    fn value(&self, expr: &Expr) -> Option<Number> {
        expr.evaluate(&|name| self.number(name).ok_or_else(String::new)).ok()
    }

    /// The value of a name.
    pub fn number(&self, name: &str) -> Option<Number> {
        match Dimension::named(name) {
            Some(Dimension::Block(a)) => Some(Number::Int(self.block[a].into())),
            Some(Dimension::Grid(a)) => Some(Number::Int(self.grid[a].into())),
            None => Number::parse(self.scalars.get(name)?),
        }
    }

    fn state(&self, statement: &Statement) -> Option<bool> {
        match statement {
            // A variable is no allocation.
            Statement::ParametersApart { pointers, variables } if variables.is_empty() => {
                self.are_apart(pointers)
            }
            Statement::PointsInto { pointer, array, bytes } => {
                let own = self.arrays.get(pointer)?;
                let of = self.allocation(pointer)?;
                let start = self.arrays.get(array)?;
                let is_same = of == self.allocation(array)?;
                let at = |a: &RecordedArray| if a.within.is_some() { a.at } else { 0 };
                Some(is_same && at(own).checked_sub(at(start)) == Some(*bytes))
            }
            Statement::Bytes { array, bytes } => {
                self.arrays.get(array)?.bytes.map(|own| own == *bytes)
            }
            Statement::GroupsOfOneSize => Some(self.global.is_none()),
            Statement::RemainderGroups => Some(self.global.is_some()),
            Statement::Elements { arrays, are } => match &arrays[..] {
                [array] => self.contents(self.arrays.get(array)?, are),
                _ => None,
            },
            Statement::CounterStartsAtZero { counter } => {
                let elements = self.arrays.get(counter)?.elements.as_ref()?;
                ((elements.least, elements.most) == (0, 0)).then_some(true)
            }
            _ => None,
        }
    }

    /// Whether all of these point into allocations of their own, or two of them to one place; what kernels do with two
    /// places in one allocation is not known.
    pub(super) fn are_apart(&self, pointers: &[String]) -> Option<bool> {
        let mut seen: Vec<(&str, u64)> = Vec::new();
        let mut are_known = true;
        for pointer in pointers {
            let Some(array) = self.arrays.get(pointer) else {
                are_known = false;
                continue;
            };
            if array.null {
                continue;
            }
            let Some(allocation) = self.allocation(pointer) else {
                are_known = false;
                continue;
            };
            let at = if array.within.is_some() { array.at } else { 0 };
            if seen.contains(&(allocation, at)) {
                return Some(false);
            }
            are_known &= !seen.iter().any(|(other, _)| *other == allocation);
            seen.push((allocation, at));
        }
        are_known.then_some(true)
    }

    /// A kernel may use a part of an array only: what is so in the whole need not be so there. What no two elements of
    /// the whole are, none in the part are.
    fn contents(&self, array: &RecordedArray, are: &Contents) -> Option<bool> {
        let elements = array.elements.as_ref()?;
        let is_never = match are {
            Contents::Equal => elements.apart > 0,
            Contents::CloserThan(n) => i128::from(elements.apart) >= i128::from(*n),
            Contents::NotAscending => elements.ascending,
            Contents::NotBelow(size) => match self.value(size)? {
                Number::Int(size) => elements.least >= 0 && i128::from(elements.most) < size,
                Number::Float(_) => false,
            },
            _ => false,
        };
        let is_always = match are {
            Contents::OnlyZeros => (elements.least, elements.most) == (0, 0),
            _ => false,
        };
        match (is_never, is_always) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }
}

impl RecordedKernel {
    /// Whether a claim is true of every launch, or of none; `None` where it is true of some, or where that is not known.
    pub fn decide(&self, claim: &Claim) -> Option<bool> {
        let mut all = self.launches.iter().map(|l| l.decide(claim));
        let first = all.next()??;
        let listed = all.all(|v| v == Some(first)).then_some(first)?;
        if !self.more {
            return Some(listed);
        }
        // The launches that are not listed are known by what holds.
        let wanted = if listed { claim.clone() } else { claim.clone().negated() };
        let holds = self.holds.iter().filter_map(|text| Expr::parse(text).ok());
        holds.map(Claim::Holds).any(|fact| fact.implies(&wanted)).then_some(listed)
    }

    /// Whether some launch is known to contradict a claim.
    pub fn contradicts(&self, claim: &Claim) -> bool {
        self.launches.iter().any(|l| l.decide(claim) == Some(false))
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;

    fn launch() -> RecordedLaunch {
        let array = |within: Option<&str>, at| RecordedArray {
            element: "i32".into(),
            bytes: Some(64),
            within: within.map(str::to_owned),
            at,
            ..RecordedArray::default()
        };
        let elements = Elements::of(&[3, 0, 2, 7]);
        RecordedLaunch {
            grid: [4, 1, 1],
            block: [64, 1, 1],
            scalars: [("n", "100"), ("a", "0.5")].map(|(k, v)| (k.into(), v.into())).into(),
            arrays: [
                ("x".to_owned(), array(None, 0)),
                ("y".to_owned(), array(Some("x"), 32)),
                ("z".to_owned(), RecordedArray { elements, ..array(None, 0) }),
            ]
            .into(),
            ..RecordedLaunch::default()
        }
    }

    #[test]
    fn claims_about_a_launch() {
        let launch = launch();
        let holds = |text: &str| launch.decide(&Claim::Holds(Expr::parse(text).unwrap()));
        assert_eq!(holds("n <= blockDim.x * gridDim.x"), Some(true));
        assert_eq!(holds("n % 32 == 0"), Some(false));
        assert_eq!(holds("m > 0"), None);
        assert_eq!(holds("a < 1"), Some(true));
        let apart = |names: &[&str]| {
            let pointers = names.iter().map(|n| (*n).to_owned()).collect();
            launch.decide(&Statement::ParametersApart { pointers, variables: vec![] }.into())
        };
        assert_eq!(apart(&["x", "z"]), Some(true));
        assert_eq!(apart(&["x", "y"]), None);
        assert_eq!(apart(&["y", "y"]), Some(false));
        assert_eq!(apart(&["x", "w"]), None);
        let are =
            |are| launch.decide(&Statement::Elements { arrays: vec!["z".into()], are }.into());
        assert_eq!(are(Contents::Equal), Some(false));
        assert_eq!(are(Contents::CloserThan(2)), None);
        assert_eq!(are(Contents::NotBelow(Expr::name("n"))), Some(false));
        assert_eq!(are(Contents::NotAscending), None);
    }

    #[test]
    fn launches_that_are_not_listed_count() {
        let other = RecordedLaunch { grid: [5, 1, 1], ..launch() };
        let launches = vec![launch(), other];
        let mut kernel = RecordedKernel { launches, ..RecordedKernel::default() };
        let holds = |text: &str| Claim::Holds(Expr::parse(text).unwrap());
        assert_eq!(kernel.decide(&holds("gridDim.x >= 4")), Some(true));
        assert_eq!(kernel.decide(&holds("gridDim.x == 4")), None);
        assert_eq!(kernel.decide(&holds("n == 7")), Some(false));
        kernel.more = true;
        kernel.holds = vec!["gridDim.x >= 4".into()];
        assert_eq!(kernel.decide(&holds("gridDim.x > 3")), Some(true));
        assert_eq!(kernel.decide(&holds("gridDim.x < 9")), None);
    }
}
