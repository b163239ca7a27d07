//! The classes of one state, computed from those of a finer one.

use super::key::{ClassKey, hash};
use super::lattice::{Lattice, Levels};
use super::objective::{Costs, Objective, SuppressionCost};
use super::packing::Packing;
use super::privacy::{ClassFate, Privacy};
use super::rows::DistinctRows;
use super::state_figures::StateFigures;

/// The classes of a state; if sensitive values are needed, each class has one entry per value.
pub(super) struct StateClasses<const WORDS: usize> {
    pub levels: Levels,
    keys: Vec<ClassKey<WORDS>>,
    rows: Vec<u32>,
}

/// The rules by which states are checked.
pub(super) struct StateRules<'r> {
    /// The lattice of states.
    pub lattice: &'r Lattice,
    /// Which classes may be published.
    pub privacy: &'r Privacy,
    /// The objective to be minimised.
    pub objective: &'r Objective,
    /// The most rows that may be suppressed.
    pub limit: u64,
    /// The share of each value in the whole table.
    pub table: Vec<f64>,
    /// The positions of the codes of columns in keys.
    pub packing: Packing,
}

impl<const WORDS: usize> StateClasses<WORDS> {
    /// The classes of the state in which nothing is generalised.
    pub(super) fn finest(rows: &DistinctRows, rules: &StateRules<'_>) -> StateClasses<WORDS> {
        assert!(
            rows.columns.len() == rules.lattice.width(),
            "leaves of each column"
        );
        assert!(
            rows.values.is_empty() || rows.values.len() == rows.counts.len(),
            "a value for each row or for none"
        );
        let key = |at: usize| {
            let mut key = [0; WORDS];
            for (column, leaves) in rows.columns.iter().enumerate() {
                rules
                    .packing
                    .put_leaf(&mut key, rules.lattice, column, leaves[at]);
            }
            if let Some(&value) = rows
                .values
                .get(at)
                .filter(|_| rules.privacy.looks_at_values())
            {
                rules.packing.value().set(&mut key, value);
            }
            key
        };
        let keys = (0..rows.counts.len()).map(key).collect();
        StateClasses {
            levels: rules.lattice.bottom(),
            keys,
            rows: rows.counts.clone(),
        }
    }

    /// The number of entries.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The classes of a state that generalises this one.
    pub(super) fn rolled_up(&self, levels: &[u8], rules: &StateRules<'_>) -> StateClasses<WORDS> {
        assert!(
            levels.len() == self.levels.len(),
            "one level for each column"
        );
        assert!(
            levels.iter().zip(&self.levels).all(|(to, from)| to >= from),
            "labels become coarser"
        );
        let (mask, raised) = (
            rules.packing.mask::<WORDS>(levels),
            rules.packing.raised(rules.lattice, &self.levels, levels),
        );
        // 0 for an empty place, or the number of a class plus 1. There are usually fewer classes
        // than entries.
        let mut places = vec![0u32; self.len().next_power_of_two().max(4)];
        // Each key is written after the last class on trial, so that the loop has no branch for new
        // classes.
        let mut keys: Vec<ClassKey<WORDS>> = vec![[0; WORDS]; self.len() + 1];
        let mut rows = vec![0u32; self.len() + 1];
        let mut found = 0;
        for (key, count) in self.keys.iter().zip(&self.rows) {
            let mut key = *key;
            key.iter_mut()
                .zip(mask)
                .for_each(|(word, mask)| *word &= mask);
            for (field, codes) in &raised {
                let code = codes[field.get(&key) as usize];
                field.set(&mut key, code);
            }
            if found * 4 > places.len() * 3 {
                places = spread(&keys[..found], 2 * places.len());
            }
            keys[found] = key;
            let last = places.len() - 1;
            let mut slot = hash(&key) & last;
            loop {
                let place = places[slot] as usize;
                let at = if place == 0 { found } else { place - 1 };
                if keys[at] == key {
                    rows[at] += count;
                    places[slot] = at as u32 + 1;
                    found += usize::from(place == 0);
                    break;
                }
                slot = (slot + 1) & last;
            }
        }
        keys.truncate(found);
        rows.truncate(found);
        let sum = |rows: &[u32]| rows.iter().copied().map(u64::from).sum::<u64>();
        assert!(
            sum(&rows) == sum(&self.rows),
            "coarser classes have the same rows"
        );
        StateClasses {
            levels: levels.to_vec(),
            keys,
            rows,
        }
    }

    /// Frees unused capacity.
    pub(super) fn shrink(&mut self) {
        self.keys.shrink_to_fit();
        self.rows.shrink_to_fit();
    }

    /// The figures of the state.
    pub(super) fn check(&self, rules: &StateRules<'_>) -> StateFigures {
        let mut checked = StateFigures::default();
        let mut suppressed: Vec<(ClassKey<WORDS>, u32)> = Vec::new();
        let mut class = |key: ClassKey<WORDS>, rows: u32, values: &[(u32, u32)]| {
            // Fewer than 2^32 rows, so their square is fewer than 2^64.
            let square = u128::from(u64::from(rows) * u64::from(rows));
            checked.squares += square;
            let fate = rules.privacy.fate(rows.into(), values, &rules.table);
            if fate == ClassFate::Published {
                checked.published += 1;
                checked.published_squares += square;
                return;
            }
            checked.suppressed += u64::from(rows);
            checked.lost += if fate == ClassFate::SuppressedWithParts {
                u64::from(rows)
            } else {
                0
            };
            if checked.suppressed <= rules.limit {
                suppressed.push((key, rows));
            }
            checked.unpublished += 1;
        };
        if rules.privacy.looks_at_values() {
            self.each_with_values(rules, &mut class);
        } else {
            self.keys
                .iter()
                .zip(&self.rows)
                .for_each(|(key, &rows)| class(*key, rows, &[]));
        }
        if checked.suppressed <= rules.limit {
            checked.extra = match rules.objective {
                Objective::Columns(costs) => (0..self.levels.len())
                    .map(|column| self.extra(costs, rules, column, &suppressed))
                    .collect(),
                Objective::Discernibility | Objective::AverageSize => Vec::new(),
            };
        }
        checked
    }

    /// What suppressed classes cost in a column in addition to their labels.
    fn extra(
        &self,
        costs: &Costs,
        rules: &StateRules<'_>,
        column: usize,
        suppressed: &[(ClassKey<WORDS>, u32)],
    ) -> u128 {
        let level = self.levels[column];
        let code = |key: &ClassKey<WORDS>| rules.packing.code(key, column, level) as usize;
        match costs.extra(column, level) {
            SuppressionCost::Words(extra) => suppressed
                .iter()
                .map(|(key, rows)| extra[code(key)] * u64::from(*rows))
                .sum::<u64>()
                .into(),
            SuppressionCost::Any(extra) => suppressed
                .iter()
                .map(|(key, rows)| extra[code(key)] * u128::from(*rows))
                .sum(),
        }
    }

    /// Every class with its rows by value.
    fn each_with_values(
        &self,
        rules: &StateRules<'_>,
        class: &mut impl FnMut(ClassKey<WORDS>, u32, &[(u32, u32)]),
    ) {
        let field = rules.packing.value();
        let mut entries: Vec<(ClassKey<WORDS>, u32, u32)> = Vec::with_capacity(self.len());
        for (key, &rows) in self.keys.iter().zip(&self.rows) {
            let (mut key, value) = (*key, field.get(key));
            field.set(&mut key, 0);
            entries.push((key, value, rows));
        }
        entries.sort_unstable();
        let mut values = Vec::new();
        for of_class in entries.chunk_by(|one, next| one.0 == next.0) {
            values.clear();
            values.extend(of_class.iter().map(|&(_, value, rows)| (value, rows)));
            class(
                of_class[0].0,
                values.iter().map(|&(_, rows)| rows).sum(),
                &values,
            );
        }
    }
}

/// A hash table with these classes and this number of places.
fn spread<const WORDS: usize>(keys: &[ClassKey<WORDS>], places: usize) -> Vec<u32> {
    assert!(
        places.is_power_of_two() && keys.len() < places,
        "there is a free place"
    );
    let mut found = vec![0; places];
    for (key, at) in keys.iter().zip(1..) {
        let mut slot = hash(key) & (places - 1);
        while found[slot] != 0 {
            slot = (slot + 1) & (places - 1);
        }
        found[slot] = at;
    }
    found
}
