//! Local recoding, where rows of equal people are in several classes (SCIENCE 5; MIN 4.2, its last
//! paragraph): the ways in which they can be distributed, and the belief of a reader who considers
//! all people equally likely to own each row that can be theirs.
//!
//! This module knows only counts. The conditions of several classes are independent of each other
//! once the numbers of rows of each kind of people in each class are fixed: each says that this
//! class alone could not have been published as it was.

use num_bigint::BigUint;

use super::AssignmentCounts;
use crate::arithmetic::choose;

/// The most numbers that unfinished tables may hold together, some 32 MB: a search that needs more
/// is given up.
const NUMBERS: usize = 4_000_000;

/// Rows by class and by kind of people.
pub type SpreadTable = Vec<Vec<u64>>;

/// Generalised classes, and people who may have rows in them.
#[derive(Debug, Clone)]
pub struct RowSpread {
    /// The number of generalised rows of each kind of people.
    pub people: Vec<u64>,
    /// The number of rows of each class.
    pub classes: Vec<u64>,
    /// The pairs of class and people for which the class's labels contain the people.
    pub may: Vec<(usize, usize)>,
}

/// A search for tables.
#[derive(Clone)]
struct SpreadSearch {
    /// Rows without a class yet, and free room of classes.
    people: Vec<u64>,
    classes: Vec<u64>,
    /// The room in all open classes of some people, and the rows of all open people of a class.
    room: Vec<u64>,
    rows: Vec<u64>,
    open: Vec<(usize, usize)>,
    table: SpreadTable,
}

impl RowSpread {
    /// All tables, each as rows by class and people; `None` if there are more than `most`, or the
    /// search needs more than `steps` steps. There is no table if these people do not fill these
    /// classes.
    pub fn tables(&self, most: usize, mut steps: u64) -> Option<Vec<SpreadTable>> {
        let mut places = vec![0u64; self.people.len()];
        self.may.iter().for_each(|&(_, people)| places[people] += 1);
        let mut search = SpreadSearch {
            people: self.people.clone(),
            classes: self.classes.clone(),
            room: vec![0; self.people.len()],
            rows: vec![0; self.classes.len()],
            open: Vec::new(),
            table: vec![vec![0; self.people.len()]; self.classes.len()],
        };
        for &(class, people) in self.may.iter().filter(|(_, people)| places[*people] == 1) {
            let rows = std::mem::take(&mut search.people[people]);
            let Some(left) = search.classes[class].checked_sub(rows) else {
                return Some(Vec::new());
            };
            (search.classes[class], search.table[class][people]) = (left, rows);
        }
        for &(class, people) in self.may.iter().filter(|(_, people)| places[*people] > 1) {
            search.room[people] += search.classes[class];
            search.rows[class] += search.people[people];
            search.open.push((class, people));
        }
        let mut found = Vec::new();
        let mut ways = vec![search];
        while let Some(mut search) = ways.pop() {
            if !search.narrow(&mut steps)? {
                continue;
            }
            let Some((at, range)) = search.narrowest() else {
                found.push(search.table);
                if found.len() > most {
                    return None;
                }
                continue;
            };
            // The last one is examined first, so that tables come in ascending order; no more of
            // them than would be kept.
            let (more, size) = (
                range.end - range.start,
                self.classes.len() * self.people.len() + self.may.len(),
            );
            if more > most as u64 || (ways.len() + more as usize).saturating_mul(size) > NUMBERS {
                return None;
            }
            ways.extend(range.rev().map(|rows| {
                let mut way = search.clone();
                way.settle(at, rows);
                way
            }));
        }
        Some(found)
    }

    /// The number of ways in which single people can own the rows of a table: multinomials, since
    /// the rows of one class look alike to them.
    fn ways(&self, table: &SpreadTable) -> BigUint {
        assert_eq!(table.len(), self.classes.len(), "rows of each class");
        let mut ways = BigUint::from(1u8);
        for (at, &people) in self.people.iter().enumerate() {
            let mut left = people;
            for class in table {
                ways *= choose(left, class[at]);
                left -= class[at];
            }
            assert_eq!(left, 0, "all rows of equal people lie somewhere");
        }
        ways
    }

    /// The remaining assignments over all tables: `counted` is per table and class, over the people
    /// who have rows there. For each kind of people and each value the generalised rows with that
    /// value, over all remaining assignments.
    pub fn mixed(
        &self,
        tables: &[SpreadTable],
        counted: &[Vec<AssignmentCounts>],
    ) -> AssignmentCounts {
        assert_eq!(
            tables.len(),
            counted.len(),
            "what was counted of each table"
        );
        let values = counted
            .iter()
            .flatten()
            .flat_map(|one| &one.held)
            .map(Vec::len)
            .max()
            .unwrap_or(0);
        let mut mixed = AssignmentCounts {
            left: BigUint::ZERO,
            held: vec![vec![BigUint::ZERO; values]; self.people.len()],
        };
        for (table, counted) in tables.iter().zip(counted) {
            let ways = self.ways(table);
            mixed.left += counted
                .iter()
                .fold(ways.clone(), |product, class| product * &class.left);
            for (at, class) in counted.iter().enumerate() {
                let others = counted.iter().enumerate().filter(|&(other, _)| other != at);
                let others = others.fold(ways.clone(), |product, (_, class)| product * &class.left);
                for (people, held) in within(&table[at]).zip(&class.held) {
                    mixed.held[people]
                        .iter_mut()
                        .zip(held)
                        .for_each(|(sum, held)| *sum += held * &others);
                }
            }
        }
        mixed
    }
}

/// The people who have rows in a class of a table.
pub fn within(class: &[u64]) -> impl Iterator<Item = usize> + '_ {
    class
        .iter()
        .enumerate()
        .filter(|(_, rows)| **rows > 0)
        .map(|(at, _)| at)
}

impl SpreadSearch {
    /// Fixes the number of rows of these people in this class.
    fn settle(&mut self, at: usize, rows: u64) {
        let (class, people) = self.open.swap_remove(at);
        assert!(
            rows <= self.people[people] && rows <= self.classes[class],
            "no more rows than are left"
        );
        self.room[people] -= self.classes[class];
        self.rows[class] -= self.people[people];
        self.table[class][people] = rows;
        for (other, _) in self.open.iter().filter(|(_, of)| *of == people) {
            self.rows[*other] -= rows;
        }
        for (_, other) in self.open.iter().filter(|(of, _)| *of == class) {
            self.room[*other] -= rows;
        }
        self.people[people] -= rows;
        self.classes[class] -= rows;
    }

    /// The possible numbers of rows of these people in this class, considering these two and all
    /// open pairs.
    fn range(&self, (class, people): (usize, usize)) -> Option<std::ops::Range<u64>> {
        let (rows, room) = (self.people[people], self.classes[class]);
        let elsewhere = self.room[people] - room;
        let others = self.rows[class] - rows;
        let least = rows
            .saturating_sub(elsewhere)
            .max(room.saturating_sub(others));
        let most = rows.min(room);
        (least <= most).then_some(least..most + 1)
    }

    /// Fixes all pairs with a single possible number; false if some pair has none, `None` if that
    /// was too much work.
    fn narrow(&mut self, steps: &mut u64) -> Option<bool> {
        let mut at = self.open.len();
        let mut settled = false;
        while at > 0 {
            at -= 1;
            *steps = steps.checked_sub(1)?;
            let Some(range) = self.range(self.open[at]) else {
                return Some(false);
            };
            if range.end - range.start == 1 {
                *steps = steps.checked_sub(2 * self.open.len() as u64)?;
                self.settle(at, range.start);
                settled = true;
            }
            if at == 0 && settled {
                (at, settled) = (self.open.len(), false);
            }
        }
        Some(
            !self.open.is_empty()
                || self
                    .people
                    .iter()
                    .chain(&self.classes)
                    .all(|&left| left == 0),
        )
    }

    /// The open pair with the fewest possible numbers; `None` if all are fixed.
    fn narrowest(&self) -> Option<(usize, std::ops::Range<u64>)> {
        let ranges = self
            .open
            .iter()
            .enumerate()
            .filter_map(|(at, &pair)| Some((at, self.range(pair)?)));
        ranges.min_by_key(|(at, range)| (range.end - range.start, self.open[*at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_tables_as_are_asked_for() {
        let may = vec![(0, 0), (0, 1), (1, 0), (1, 1)];
        let spread = RowSpread {
            people: vec![3, 2],
            classes: vec![3, 2],
            may,
        };
        let tables = (1..=3)
            .map(|rows| vec![vec![rows, 3 - rows], vec![3 - rows, rows - 1]])
            .collect();
        assert_eq!(spread.tables(3, 1_000), Some(tables));
        assert_eq!(spread.tables(2, 1_000), None);
    }

    #[test]
    fn rows_that_do_not_add_up_to_the_classes_have_no_place() {
        let may = vec![(0, 0), (0, 1), (1, 1)];
        let spread = |people: [u64; 2], classes: [u64; 2]| RowSpread {
            people: people.to_vec(),
            classes: classes.to_vec(),
            may: may.clone(),
        };
        assert_eq!(
            spread([2, 3], [4, 1]).tables(10, 1_000),
            Some(vec![vec![vec![2, 2], vec![0, 1]]])
        );
        for (people, classes) in [
            ([2, 3], [4, 2]),
            ([2, 4], [4, 1]),
            ([2, 3], [1, 4]),
            ([0, 0], [1, 0]),
        ] {
            assert_eq!(
                spread(people, classes).tables(10, 1_000),
                Some(Vec::new()),
                "{people:?} in {classes:?}"
            );
        }
    }
}
