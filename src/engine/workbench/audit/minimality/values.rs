//! A reader's belief about single values, where a requirement looks at all values at once (SCIENCE
//! 5; MIN 5). The belief about a person has to satisfy what the requirement demands of a class.
//! Only small groups of people and values can be computed; nothing is known about others.

use super::groups::{ClassGroup, Equals};
use super::guards::Guarded;
use super::numbers::NumbersCase;
use super::requirement::Requirement;
use super::tie::{GuardedTie, TieFigure};
use crate::gate::minimality::belief::Belief;
use crate::gate::minimality::requirement::{ExactShare, close_to, k_e, recursive};
use crate::gate::minimality::spread::within;
use crate::gate::minimality::values::{GeneralisedPeople, Ties, free, ties};
use crate::gate::minimality::{AssignmentCounts, Credibility};
use crate::histogram::Release;

/// A release, its people, and a requirement.
pub(super) struct ValuesCase<'t> {
    release: &'t Release,
    people: &'t [Equals],
    /// The rows of each value in the whole release.
    whole: Vec<u64>,
    numbers: &'t NumbersCase,
    wanted: Requirement,
    guarded: Option<Guarded>,
}

/// Whether people with these numbers of rows per value satisfy a requirement.
type Admits<'a> = Box<dyn Fn(usize, &[u64]) -> bool + 'a>;

/// The counts, and for people the most different values that remain and that were possible.
type RemainingCounts = (AssignmentCounts, Option<Vec<[usize; 2]>>);

impl<'t> ValuesCase<'t> {
    /// For this number of values; `guarded` is what people guard, if the requirement is about that.
    pub(super) fn new(
        release: &'t Release,
        people: &'t [Equals],
        values: usize,
        numbers: &'t NumbersCase,
        (wanted, guarded): (Requirement, Option<Guarded>),
    ) -> ValuesCase<'t> {
        let kinds = guarded
            .as_ref()
            .and_then(|guarded| guarded.kinds.iter().max())
            .map_or(values, |most| most + 1);
        let mut table = ValuesCase {
            release,
            people,
            whole: vec![0; kinds],
            numbers,
            wanted,
            guarded,
        };
        for class in 0..release.classes() {
            let counts = table.counts(Some(class));
            table
                .whole
                .iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += count);
        }
        table
    }

    /// The ties of all people in a group, one each to the likeliest value or to the guarded values;
    /// counting is deducted from the work.
    pub(super) fn ties(&self, group: &ClassGroup, work: &mut u64) -> Vec<GuardedTie> {
        let left = self.left(group, work);
        let of = |(at, &of): (usize, &usize)| match &left {
            None => self.each(of, GuardedTie::unknown),
            Some(None) => self.each(of, |equals, set| GuardedTie::of(equals, set, None)),
            Some(Some((counted, distinct))) => {
                let shown = self.counts(self.people[of].shown);
                let belief = Belief::of(counted, at, &shown, self.people[of].people);
                assert!(
                    distinct
                        .as_ref()
                        .is_none_or(|of| of.len() == group.people.len()),
                    "one for each kind of people"
                );
                let distinct = distinct.as_ref().map(|distinct| distinct[at]);
                self.each(of, |equals, set| match &belief {
                    Some(belief) => self.tie((equals, set), belief, distinct),
                    None => GuardedTie::of(equals, set, None),
                })
            }
        };
        group.people.iter().enumerate().flat_map(of).collect()
    }

    /// The ties of people all of whose rows are shown to every reader.
    pub(super) fn seen(&self, of: usize) -> Vec<GuardedTie> {
        let belief = Belief::seen(&self.counts(self.people[of].shown));
        self.each(of, |equals, set| self.tie((equals, set), &belief, None))
    }

    /// One tie, or one for every node that some of these people guard.
    fn each(
        &self,
        of: usize,
        tie: impl Fn(&Equals, Option<usize>) -> GuardedTie,
    ) -> Vec<GuardedTie> {
        let equals = &self.people[of];
        match &self.guarded {
            None => vec![tie(equals, None)],
            Some(guarded) => {
                let of_node = |&(node, people): &(usize, u64)| GuardedTie {
                    people,
                    ..tie(equals, Some(node))
                };
                guarded.people[of].iter().map(of_node).collect()
            }
        }
    }

    /// The rows of a class by value.
    fn counts(&self, class: Option<usize>) -> Vec<u64> {
        let mut counts = vec![0; self.whole.len()];
        for at in class
            .into_iter()
            .flat_map(|class| self.release.range(class))
        {
            let value = self.release.values()[at] as usize;
            let kind = self
                .guarded
                .as_ref()
                .map_or(value, |guarded| guarded.kinds[value]);
            counts[kind] += self.release.counts()[at];
        }
        let rows = class.map_or(0, |class| self.release.size(class));
        assert!(
            counts.iter().sum::<u64>() == rows,
            "each row of a class has one value"
        );
        counts
    }

    /// The assignments that remain for a group, and for one class the number of different values of
    /// its people; empty if no class can have been generalised for the requirement, `None` if it is
    /// too much work.
    fn left(&self, group: &ClassGroup, work: &mut u64) -> Option<Option<RemainingCounts>> {
        let tables = group.tables.as_ref()?;
        let admits = self.admits();
        let shown: Vec<Vec<u64>> = group
            .people
            .iter()
            .map(|&of| self.counts(self.people[of].shown))
            .collect();
        let values: Vec<Vec<u64>> = group
            .classes
            .iter()
            .map(|&class| self.counts(Some(class)))
            .collect();
        let parts = |rows: &[u64]| -> Vec<GeneralisedPeople> {
            within(rows)
                .map(|at| GeneralisedPeople {
                    rows: rows[at],
                    shown: shown[at].clone(),
                })
                .collect()
        };
        assert!(
            tables.iter().all(|table| table.len() == values.len()),
            "each table has all classes of the group"
        );
        let mut found: Vec<Vec<Ties>> = Vec::with_capacity(tables.len());
        for table in tables {
            let of = table.iter().zip(&values).map(|(rows, values)| {
                let owners: Vec<usize> = within(rows).map(|at| group.people[at]).collect();
                ties(
                    &parts(rows),
                    values,
                    |at, counts| admits(owners[at], counts),
                    work,
                )
            });
            found.push(of.collect::<Option<_>>()?);
        }
        let nothing = |ties: &Ties| ties.counted.left == Default::default();
        let possible: Vec<bool> = (0..group.classes.len())
            .map(|at| found.iter().any(|of| !nothing(&of[at])))
            .collect();
        if !possible.contains(&true) {
            return Some(None);
        }
        let one = tables.len() == 1 && group.classes.len() == 1;
        let distinct = one.then(|| found[0][0].distinct.clone());
        let counted: Vec<Vec<AssignmentCounts>> = found
            .into_iter()
            .zip(tables)
            .map(|(found, table)| {
                let of = found.into_iter().zip(&possible).enumerate();
                // A class that shows no reason for its generalisation excludes nothing.
                of.map(|(at, (ties, possible))| match possible {
                    true => ties.counted,
                    false => free(&parts(&table[at]), &values[at]),
                })
                .collect()
            })
            .collect();
        Some(Some((group.spread.mixed(tables, &counted), distinct)))
    }

    /// Whether a class of these people with such rows satisfies the requirement.
    fn admits(&self) -> Admits<'_> {
        match self.wanted {
            Requirement::Recursive { c, l } => {
                let admits = recursive(c.into(), l as usize);
                Box::new(move |_, counts| admits(counts))
            }
            Requirement::Close { t } => {
                let admits = close_to(t.into(), self.whole.clone());
                Box::new(move |_, counts| admits(counts))
            }
            Requirement::Range { k, .. } => {
                let admits = k_e(k, self.numbers.e, self.numbers.of.clone());
                Box::new(move |_, counts| admits(counts))
            }
            Requirement::Personal { most } => {
                let (most, guarded) = (
                    ExactShare::from(most),
                    self.guarded.as_ref().expect("what is guarded is known"),
                );
                let held = |node: usize, counts: &[u64]| {
                    guarded.sets[node].iter().map(|&kind| counts[kind]).sum()
                };
                Box::new(move |of, counts| {
                    let people = counts.iter().sum();
                    guarded.people[of]
                        .iter()
                        .all(|&(node, _)| most.holds(held(node, counts), people))
                })
            }
            Requirement::Diverse { .. } | Requirement::Alpha { .. } => {
                let (most, least) = (
                    self.wanted.of_sets().expect("a share of sets"),
                    self.wanted.least(),
                );
                Box::new(move |_, counts| {
                    let people = counts.iter().sum();
                    people >= least && counts.iter().all(|&count| most.holds(count, people))
                })
            }
        }
    }

    /// Compares a belief with the requirement.
    fn tie(
        &self,
        (equals, set): (&Equals, Option<usize>),
        belief: &Belief,
        distinct: Option<[usize; 2]>,
    ) -> GuardedTie {
        let strongest = match set.zip(self.guarded.as_ref()) {
            Some((node, guarded)) => belief.share(&guarded.sets[node]),
            None => belief.strongest(),
        };
        let (kept, figure) = match self.wanted {
            Requirement::Recursive { c, l } => {
                let l = l as usize;
                let [left, any] = distinct.unwrap_or([l; 2]);
                let few = (left < l && l <= any).then_some(left);
                (
                    few.is_none() && belief.is_recursive(c.into(), l),
                    TieFigure::Recursive {
                        c: belief.recursive(l),
                        few,
                    },
                )
            }
            Requirement::Close { t } => {
                let (distance, t) = (belief.distance(&self.whole), ExactShare::from(t));
                (
                    distance.is_at_most(t.part, t.of),
                    TieFigure::Distance(distance.value()),
                )
            }
            Requirement::Range { .. } => {
                let NumbersCase { of, e, scale } = self.numbers;
                let span = belief.span(of);
                (
                    span >= *e,
                    TieFigure::Span(span as f64 / 10f64.powi((*scale).into())),
                )
            }
            Requirement::Diverse { .. }
            | Requirement::Alpha { .. }
            | Requirement::Personal { .. } => {
                let most = self.wanted.of_sets().expect("a share of sets");
                (strongest.is_at_most(most.part, most.of), TieFigure::Share)
            }
        };
        GuardedTie {
            kept,
            figure,
            ..GuardedTie::of(equals, set, Some(Credibility::Exact(strongest)))
        }
    }
}
