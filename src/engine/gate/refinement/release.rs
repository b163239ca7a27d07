//! A locally recoded release as numbers (CRA 2 and 3; SCIENCE 6): columns, classes in the order in
//! which they were formed, and the number of outliers. Holds only counts and positions, never a
//! label or a row.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ops::Range;

use super::column::LayeredColumn;
use super::key::StateKey;
use super::malformed_release::Malformed;

/// An equivalence class without `*` in all columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarvedClass {
    /// For each column its layer, counted from 1.
    pub state: Vec<usize>,
    /// For each column its node within that layer, counted from 0.
    pub nodes: Vec<usize>,
    /// Its number of rows.
    pub rows: u64,
}

/// The attacker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attacker {
    /// The attacker of the paper: knows the release, and the order of its classes as far as public
    /// keys determine it.
    Paper,
    /// Knows the order in which the classes were formed.
    Strongest,
}

/// How solutions are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepeatedValues {
    /// Rows may be equal in all values: LR = vol^n.
    Repeated,
    /// No two rows are equal in all values: LR = C(vol, n).
    Distinct,
}

/// The target of an attack: a class of the release, or the outliers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AttackedRows {
    /// The class with this number.
    Class(usize),
    /// The rows with `*` in every column.
    Outliers,
}

/// How classes were formed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CarvingRule {
    /// By ARX-LR: the state with the least loss first, so that no smaller slab of a class was large
    /// enough.
    Greedy,
    /// By halving: into regions that may contain each other, and that nothing narrows down.
    Crowds {
        /// For each class, and last for a class with `*` in all columns, how many splits may have
        /// been refused on the way to it.
        refusals: Vec<u32>,
    },
    /// By grouping neighbours: each class has the finest labels that cover its rows, and there is
    /// no order of formation.
    Finest,
}

impl CarvingRule {
    /// Whether halving made the classes, so that every set of rows that their labels allow remains.
    pub fn is_halving(&self) -> bool {
        matches!(self, CarvingRule::Crowds { .. })
    }

    /// Whether no class reveals where rows of another one are, whichever was formed first.
    pub fn is_unordered(&self) -> bool {
        self.is_halving() || *self == CarvingRule::Finest
    }
}

/// A locally recoded release.
#[derive(Debug, Clone)]
pub struct CarvedRelease {
    columns: Vec<LayeredColumn>,
    classes: Vec<CarvedClass>,
    outliers: u64,
    k: u64,
    rule: CarvingRule,
    /// For each class the number of its key among all keys, ascending; for halving, the number of
    /// its state.
    keys: Vec<u32>,
}

impl CarvedRelease {
    /// From classes of ARX-LR in order of formation (any order for the paper's attacker) and the
    /// number of outliers.
    ///
    /// # Errors
    /// These are no classes over these columns.
    pub fn new(
        columns: Vec<LayeredColumn>,
        classes: Vec<CarvedClass>,
        outliers: u64,
        k: u64,
    ) -> Result<CarvedRelease, Malformed> {
        assert!(k >= 1, "a class has at least one person");
        let mut release = CarvedRelease::unordered(columns, classes, outliers, k)?;
        let states: BTreeSet<&Vec<usize>> =
            release.classes.iter().map(|class| &class.state).collect();
        let key_of: BTreeMap<&Vec<usize>, StateKey> = states
            .into_iter()
            .map(|state| (state, StateKey::new(&release.columns, state)))
            .collect();
        let distinct: BTreeSet<&StateKey> = key_of.values().collect();
        let number: BTreeMap<&StateKey, u32> = distinct.into_iter().zip(0..).collect();
        release.keys = release
            .classes
            .iter()
            .map(|class| number[&key_of[&class.state]])
            .collect();
        assert_eq!(
            release.keys.len(),
            release.classes.len(),
            "a key for each class"
        );
        Ok(release)
    }

    /// From classes that halving made, and the number of people in a class with `*` in all columns.
    ///
    /// # Errors
    /// These are no classes over these columns.
    pub(super) fn of_halves(
        columns: Vec<LayeredColumn>,
        classes: Vec<CarvedClass>,
        all_rows: u64,
        (k, rule): (u64, CarvingRule),
    ) -> Result<CarvedRelease, Malformed> {
        assert!(k >= 1, "a class has at least one person");
        let mut release = CarvedRelease::unordered(columns, classes, all_rows, k)?;
        let states: BTreeSet<&Vec<usize>> =
            release.classes.iter().map(|class| &class.state).collect();
        let number: BTreeMap<&Vec<usize>, u32> = states.into_iter().zip(0..).collect();
        release.keys = release
            .classes
            .iter()
            .map(|class| number[&class.state])
            .collect();
        release.rule = rule;
        Ok(release)
    }

    /// The factor by which the label of a target changes the odds of the position of one of its
    /// people, if halving tossed coins.
    pub fn bound(&self, place: AttackedRows) -> Option<u64> {
        let CarvingRule::Crowds { refusals } = &self.rule else {
            return None;
        };
        assert!(
            refusals.len() >= self.classes.len(),
            "refusals of each class"
        );
        let at = match place {
            AttackedRows::Class(at) => at,
            AttackedRows::Outliers => self.classes.len(),
        };
        // No limit of 64 bits allows more than 31 refusals.
        Some(4u64.pow(refusals[at]))
    }

    /// How its classes were formed.
    pub fn rule(&self) -> &CarvingRule {
        &self.rule
    }

    /// Whether readers know that the parts of a column hold fewer than k rows of a target.
    pub(super) fn is_lowered(&self, place: AttackedRows, column: usize) -> bool {
        let layer = match place {
            AttackedRows::Class(at) => self.classes[at].state[column],
            AttackedRows::Outliers => self.columns[column].height(),
        };
        self.rule == CarvingRule::Greedy && layer >= 2
    }

    fn unordered(
        columns: Vec<LayeredColumn>,
        classes: Vec<CarvedClass>,
        outliers: u64,
        k: u64,
    ) -> Result<CarvedRelease, Malformed> {
        let product = |of: &dyn Fn(&LayeredColumn) -> u128| {
            columns
                .iter()
                .try_fold(1u128, |product, column| product.checked_mul(of(column)))
        };
        let cells = product(&|column| column.leaves().into()).ok_or(Malformed::TooLarge)?;
        product(&|column| column.domain().into()).ok_or(Malformed::TooLarge)?;
        if u64::try_from(cells).is_err() || columns.is_empty() {
            return Err(Malformed::TooLarge);
        }
        let rows = classes
            .iter()
            .try_fold(outliers, |sum, class| sum.checked_add(class.rows));
        if k < 2 || rows.is_none_or(|rows| rows >= u64::from(u32::MAX)) {
            return Err(Malformed::Rows);
        }
        let mut places = BTreeSet::new();
        for (at, class) in classes.iter().enumerate() {
            let fits = |column: &LayeredColumn, layer: usize, node: usize| {
                (1..=column.height()).contains(&layer) && node < column.nodes(layer)
            };
            let long = class.state.len() == columns.len() && class.nodes.len() == columns.len();
            let places_of = || columns.iter().zip(&class.state).zip(&class.nodes);
            let whole = long
                && columns
                    .iter()
                    .zip(&class.state)
                    .all(|(column, &layer)| layer == column.height());
            if !long
                || whole
                || class.rows == 0
                || !places_of().all(|((column, &l), &n)| fits(column, l, n))
            {
                return Err(Malformed::Class(at));
            }
            if !places.insert((&class.state, &class.nodes)) {
                return Err(Malformed::Twice(at));
            }
        }
        Ok(CarvedRelease {
            columns,
            classes,
            outliers,
            k,
            rule: CarvingRule::Greedy,
            keys: Vec::new(),
        })
    }

    /// The quasi columns.
    pub fn columns(&self) -> &[LayeredColumn] {
        &self.columns
    }

    /// The classes, in the order given.
    pub fn classes(&self) -> &[CarvedClass] {
        &self.classes
    }

    /// The number of rows with `*` in all columns.
    pub fn outliers(&self) -> u64 {
        self.outliers
    }

    /// The smallest class that was allowed.
    pub fn k(&self) -> u64 {
        self.k
    }

    /// For each class the number of its public key: equal if loss, C1 and C2 are.
    pub fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// All targets: every class, then the outliers if there are any.
    pub fn places(&self) -> Vec<AttackedRows> {
        let outliers = (self.outliers > 0).then_some(AttackedRows::Outliers);
        (0..self.classes.len())
            .map(AttackedRows::Class)
            .chain(outliers)
            .collect()
    }

    /// The number of rows of a target.
    pub fn rows(&self, place: AttackedRows) -> u64 {
        match place {
            AttackedRows::Class(at) => self.classes[at].rows,
            AttackedRows::Outliers => self.outliers,
        }
    }

    /// For each column the layer and the node.
    pub fn nodes(&self, place: AttackedRows) -> Vec<(usize, usize)> {
        match place {
            AttackedRows::Class(at) => {
                let class = &self.classes[at];
                class
                    .state
                    .iter()
                    .copied()
                    .zip(class.nodes.iter().copied())
                    .collect()
            }
            AttackedRows::Outliers => self
                .columns
                .iter()
                .map(|column| (column.height(), 0))
                .collect(),
        }
    }

    /// The segment: a range of leaves per column.
    pub fn segment(&self, place: AttackedRows) -> Vec<Range<u32>> {
        let nodes = self.nodes(place);
        assert_eq!(nodes.len(), self.columns.len(), "one node for each column");
        self.columns
            .iter()
            .zip(nodes)
            .map(|(column, (layer, node))| column.node(layer, node))
            .collect()
    }

    /// The ranks of classes: those with a lower number count as earlier. Outliers come after all.
    ///
    /// # Errors
    /// The order of formation contradicts the public keys.
    pub(super) fn ranks(&self, attacker: Attacker) -> Result<Vec<u32>, Malformed> {
        match (&self.rule, attacker) {
            (CarvingRule::Crowds { .. } | CarvingRule::Finest, _) | (_, Attacker::Paper) => {
                Ok(self.keys.clone())
            }
            (CarvingRule::Greedy, Attacker::Strongest) => self.formation(),
        }
    }

    /// The round in which each class was formed: each run of equal states is one round.
    fn formation(&self) -> Result<Vec<u32>, Malformed> {
        let mut rounds: Vec<u32> = Vec::with_capacity(self.classes.len());
        let mut seen: BTreeSet<&Vec<usize>> = BTreeSet::new();
        for (at, class) in self.classes.iter().enumerate() {
            let before = at.checked_sub(1);
            let round = match before {
                Some(before) if self.classes[before].state == class.state => rounds[before],
                Some(before) => rounds[before] + 1,
                None => 0,
            };
            // A state forms all its classes at once, and keys never decrease.
            let new = before.is_none_or(|before| rounds[before] < round);
            if (new && !seen.insert(&class.state))
                || before.is_some_and(|before| self.keys[before] > self.keys[at])
            {
                return Err(Malformed::OutOfOrder(at));
            }
            rounds.push(round);
        }
        assert!(rounds.is_sorted(), "a later class is of no earlier round");
        Ok(rounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(leaves: usize) -> Vec<Range<usize>> {
        std::iter::once(0..leaves).collect()
    }

    /// Two leaves under a root.
    fn column() -> LayeredColumn {
        LayeredColumn::new(vec![1, 1], &[vec![0..1, 1..2], root(2)]).expect("layers")
    }

    #[test]
    fn a_release_has_columns_and_rows_that_can_be_counted() {
        let with = |columns, outliers| CarvedRelease::new(columns, Vec::new(), outliers, 2).err();
        assert_eq!(with(Vec::new(), 0), Some(Malformed::TooLarge));
        assert_eq!(with(vec![column()], u64::from(u32::MAX) - 1), None);
        assert_eq!(with(vec![column()], u32::MAX.into()), Some(Malformed::Rows));
        for (state, nodes) in [(vec![1, 2], vec![0]), (vec![1], vec![0, 0])] {
            let class = CarvedClass {
                state,
                nodes,
                rows: 2,
            };
            let release = CarvedRelease::new(vec![column(), column()], vec![class], 0, 2);
            assert_eq!(release.err(), Some(Malformed::Class(0)));
        }
    }
}
