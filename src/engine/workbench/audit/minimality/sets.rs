//! A reader's belief about guarded sets, each on its own (SCIENCE 5; MIN 4): a row is in the set or
//! not, which polynomials count; if that is too much work, upper bounds are used.

use num_bigint::BigUint;

use super::groups::{ClassGroup, Equals};
use super::tie::GuardedTie;
use crate::arithmetic::ShareFraction;
use crate::gate::minimality::requirement::{ExactShare, alpha_k};
use crate::gate::minimality::spread::within;
use crate::gate::minimality::{AssignmentCounts, Credibility, MinimalityAttack, OriginClass};

/// A group and a guarded set.
pub(super) struct GuardedCase<'c> {
    set: usize,
    group: &'c ClassGroup,
    people: &'c [Equals],
    /// The rows of the set that each class shows, generalised or not.
    sensitive: &'c [u64],
    /// The largest share allowed.
    most: ExactShare,
    /// By table and class; `None` if there are too many tables.
    attacks: Option<Vec<Vec<MinimalityAttack>>>,
}

impl<'c> GuardedCase<'c> {
    /// From a group and the numbers of rows of the set in each class, if no class of at least
    /// `least` people may have a larger share of it.
    pub(super) fn new(
        (group, set): (&'c ClassGroup, usize),
        people: &'c [Equals],
        sensitive: &'c [u64],
        (most, least): (ExactShare, u64),
    ) -> GuardedCase<'c> {
        let origin = |at: usize, rows: u64| {
            let shown = ShownRows::of(&people[group.people[at]], sensitive);
            OriginClass {
                people: shown.rows + rows,
                generalised: rows,
                shown: shown.sensitive,
            }
        };
        let attack = |(class, rows): (&usize, &Vec<u64>)| {
            let origins: Vec<OriginClass> = within(rows).map(|at| origin(at, rows[at])).collect();
            MinimalityAttack::new(&origins, sensitive[*class], alpha_k(most, least))
        };
        let tables = group.tables.as_ref();
        let attacks = tables.map(|all| {
            all.iter()
                .map(|one| group.classes.iter().zip(one).map(attack).collect())
                .collect()
        });
        GuardedCase {
            set,
            group,
            people,
            sensitive,
            most,
            attacks,
        }
    }

    /// The steps of work for exact figures.
    pub(super) fn cost(&self) -> u64 {
        self.attacks
            .iter()
            .flatten()
            .flatten()
            .fold(0, |sum, attack| sum.saturating_add(attack.cost()))
    }

    /// The ties of all people in the group; exact if they may be counted.
    pub(super) fn ties(&self, counted: bool) -> Vec<GuardedTie> {
        let found = match &self.attacks {
            None => self
                .group
                .people
                .iter()
                .map(|_| Some(Credibility::AtMost(1.0)))
                .collect(),
            Some(attacks) => match possible(attacks) {
                None => vec![None; self.group.people.len()],
                Some(possible) if counted => self.exact(attacks, &possible),
                Some(possible) => self.at_most(attacks, &possible),
            },
        };
        assert!(
            found.len() == self.group.people.len(),
            "an answer for all people of the group"
        );
        let people = self.group.people.iter().map(|&of| &self.people[of]);
        people
            .zip(found)
            .map(|(equals, credibility)| tie(equals, (self.set, self.most), credibility))
            .collect()
    }

    fn shown(&self, at: usize) -> ShownRows {
        ShownRows::of(&self.people[self.group.people[at]], self.sensitive)
    }

    fn exact(
        &self,
        attacks: &[Vec<MinimalityAttack>],
        possible: &[bool],
    ) -> Vec<Option<Credibility>> {
        let tables = self
            .group
            .tables
            .as_ref()
            .expect("attacks follow from tables");
        // If all rows are in one class, equal people are counted once.
        if let ([one], [_]) = (attacks, &tables[..])
            && let [attack] = &one[..]
        {
            return attack.exact();
        }
        let none = |free: AssignmentCounts| {
            let held = free
                .held
                .iter()
                .map(|held| vec![BigUint::ZERO; held.len()])
                .collect();
            AssignmentCounts {
                left: BigUint::ZERO,
                held,
            }
        };
        let of = |(attack, &possible): (&MinimalityAttack, &bool)| match possible {
            true => attack.counted().unwrap_or_else(|| none(attack.free())),
            // A class that shows no reason for its generalisation excludes nothing.
            false => attack.free(),
        };
        let counted: Vec<Vec<AssignmentCounts>> = attacks
            .iter()
            .map(|attacks| attacks.iter().zip(possible).map(of).collect())
            .collect();
        let mixed = self.group.spread.mixed(tables, &counted);
        let share = |at: usize| {
            let shown = self.shown(at);
            let people = self.people[self.group.people[at]].people;
            let held =
                mixed.held[at].first().unwrap_or(&BigUint::ZERO) + &mixed.left * shown.sensitive;
            (mixed.left != BigUint::ZERO)
                .then(|| Credibility::Exact(ShareFraction::new(held, &mixed.left * people)))
        };
        (0..self.group.people.len()).map(share).collect()
    }

    /// An upper bound over all tables.
    fn at_most(
        &self,
        attacks: &[Vec<MinimalityAttack>],
        possible: &[bool],
    ) -> Vec<Option<Credibility>> {
        let tables = self
            .group
            .tables
            .as_ref()
            .expect("attacks follow from tables");
        if let ([one], [table]) = (attacks, &tables[..])
            && let ([attack], [_]) = (&one[..], &table[..])
        {
            return attack.at_most();
        }
        let mut most = vec![0f64; self.group.people.len()];
        for (table, attacks) in tables.iter().zip(attacks) {
            let mut rows = vec![0f64; most.len()];
            for ((class, attack), possible) in table.iter().zip(attacks).zip(possible) {
                let bounds = if *possible {
                    attack.at_most()
                } else {
                    Vec::new()
                };
                for (place, at) in within(class).enumerate() {
                    let (shown, here) = (self.shown(at), class[at] as f64);
                    // A class that excludes nothing, in this table or in all, gets the worst bound.
                    let bound = bounds
                        .get(place)
                        .and_then(|bound| bound.as_ref())
                        .map_or(1.0, Credibility::value);
                    let of = bound * (shown.rows as f64 + here) - shown.sensitive as f64;
                    rows[at] += of.clamp(0.0, here);
                }
            }
            for (at, most) in most.iter_mut().enumerate() {
                let people = self.people[self.group.people[at]].people as f64;
                *most =
                    most.max((rows[at] + self.shown(at).sensitive as f64) / people * (1.0 + 1e-12));
            }
        }
        assert!(most.iter().all(|most| *most >= 0.0), "a probability");
        most.into_iter()
            .map(|most| Some(Credibility::AtMost(most.min(1.0))))
            .collect()
    }
}

/// A tie to a set, and whether it is allowed.
pub(super) fn tie(
    equals: &Equals,
    (set, most): (usize, ExactShare),
    credibility: Option<Credibility>,
) -> GuardedTie {
    let kept = credibility
        .as_ref()
        .is_none_or(|credibility| credibility.is_at_most(most));
    GuardedTie {
        kept,
        ..GuardedTie::of(equals, Some(set), credibility)
    }
}

/// Rows of people that a release shows ungeneralised.
struct ShownRows {
    rows: u64,
    sensitive: u64,
}

impl ShownRows {
    fn of(equals: &Equals, sensitive: &[u64]) -> ShownRows {
        assert!(
            equals.generalised <= equals.people,
            "people whose labels are coarser are some of them"
        );
        ShownRows {
            rows: equals.people - equals.generalised,
            sensitive: equals.shown.map_or(0, |class| sensitive[class]),
        }
    }
}

/// The classes that may have been generalised for the set under some table; `None` if there are
/// none.
fn possible(attacks: &[Vec<MinimalityAttack>]) -> Option<Vec<bool>> {
    let classes = attacks.first().map_or(0, Vec::len);
    assert!(
        attacks.iter().all(|one| one.len() == classes),
        "each table has all classes of the group"
    );
    let possible: Vec<bool> = (0..classes)
        .map(|at| attacks.iter().any(|one| one[at].is_possible()))
        .collect();
    possible.contains(&true).then_some(possible)
}
