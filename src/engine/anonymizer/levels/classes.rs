//! The classes of one state, computed from those of a finer one.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::key::{Field, Key};
use super::lattice::{Lattice, Levels};
use super::objective::Costs;
use super::privacy::{Fate, Privacy};
use super::rows::Rows;
use super::state_figures::Checked;

/// The classes of a state; where values are looked at each class comes once per value.
pub struct Classes<const WORDS: usize> {
    pub levels: Levels,
    keys: Vec<Key<WORDS>>,
    rows: Vec<u32>,
}

/// What states are checked by.
pub struct Rules<'r> {
    /// All states.
    pub lattice: &'r Lattice,
    /// Which classes may be published.
    pub privacy: &'r Privacy,
    /// What labels and suppressed rows cost, if the objective adds up columns.
    pub costs: Option<&'r Costs>,
    /// The most rows that may be suppressed.
    pub limit: u64,
    /// The share of each value in the whole table.
    pub table: Vec<f64>,
    /// Where the codes of columns stand in keys, and the number of the value behind them.
    pub fields: Vec<Field>,
}

impl<const WORDS: usize> Classes<WORDS> {
    /// Of the state in which nothing is generalised.
    pub fn finest(rows: &Rows, rules: &Rules<'_>) -> Classes<WORDS> {
        let levels = rules.lattice.bottom();
        let key = |at: usize| {
            let mut key = [0; WORDS];
            for (column, leaves) in rows.columns.iter().enumerate() {
                rules.fields[column].set(&mut key, rules.lattice.codes(column, 0)[leaves[at] as usize]);
            }
            if let Some(&value) = rows.values.get(at).filter(|_| rules.privacy.looks_at_values()) {
                rules.fields[rows.columns.len()].set(&mut key, value);
            }
            key
        };
        Classes { levels, keys: (0..rows.counts.len()).map(key).collect(), rows: rows.counts.clone() }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Of a state that generalises this one.
    pub fn rolled_up(&self, levels: &[u8], rules: &Rules<'_>) -> Classes<WORDS> {
        let raised: Vec<(Field, &[u32])> = (0..levels.len())
            .filter(|&column| self.levels[column] < levels[column])
            .map(|column| (rules.fields[column], rules.lattice.raised(column, self.levels[column], levels[column])))
            .collect();
        let state = FixedState::default();
        let mut places: HashTable<u32> = HashTable::with_capacity(self.len() / 2);
        let mut found = Classes { levels: levels.to_vec(), keys: Vec::<Key<WORDS>>::new(), rows: Vec::new() };
        for (key, rows) in self.keys.iter().zip(&self.rows) {
            let mut key = *key;
            for (field, codes) in &raised {
                let code = codes[field.get(&key) as usize];
                field.set(&mut key, code);
            }
            let keys = &found.keys;
            let is_same = |&place: &u32| keys[place as usize] == key;
            match places.entry(state.hash_one(key), is_same, |&place| state.hash_one(keys[place as usize])) {
                Entry::Occupied(place) => found.rows[*place.get() as usize] += rows,
                Entry::Vacant(place) => {
                    place.insert(keys.len() as u32);
                    found.keys.push(key);
                    found.rows.push(*rows);
                }
            }
        }
        found
    }

    /// What the state is like.
    pub fn check(&self, rules: &Rules<'_>) -> Checked {
        let mut checked = Checked::default();
        let mut suppressed: Vec<(Key<WORDS>, u64)> = Vec::new();
        let mut class = |key: Key<WORDS>, rows: u64, values: &[(u32, u32)]| {
            let square = u128::from(rows).pow(2);
            checked.classes += 1;
            checked.squares += square;
            match rules.privacy.fate(rows, values, &rules.table) {
                Fate::Published => {
                    checked.published += 1;
                    checked.published_squares += square;
                    return;
                }
                Fate::Suppressed => {}
                Fate::SuppressedWithParts => checked.lost += rows,
            }
            checked.suppressed += rows;
            suppressed.push((key, rows));
        };
        if rules.privacy.looks_at_values() {
            self.each_with_values(rules, &mut class);
        } else {
            self.keys.iter().zip(&self.rows).for_each(|(key, &rows)| class(*key, rows.into(), &[]));
        }
        if let Some(costs) = rules.costs.filter(|_| checked.suppressed <= rules.limit) {
            checked.extra = vec![0; self.levels.len()];
            for (column, (sum, &level)) in checked.extra.iter_mut().zip(&self.levels).enumerate() {
                let (field, extra) = (rules.fields[column], costs.extra(column, level));
                let of_class = |(key, rows): &(Key<WORDS>, u64)| extra[field.get(key) as usize] * u128::from(*rows);
                *sum = suppressed.iter().map(of_class).sum();
            }
        }
        checked
    }

    /// Every class with its rows by value.
    fn each_with_values(&self, rules: &Rules<'_>, class: &mut impl FnMut(Key<WORDS>, u64, &[(u32, u32)])) {
        let field = rules.fields[self.levels.len()];
        let mut entries: Vec<(Key<WORDS>, u32, u32)> = Vec::with_capacity(self.len());
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
            class(of_class[0].0, values.iter().map(|&(_, rows)| u64::from(rows)).sum(), &values);
        }
    }
}
