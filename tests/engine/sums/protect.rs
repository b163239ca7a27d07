//! Suppressed cells: against all patterns on tiny tables, and by the intervals on larger ones.

use tidegate::engine::arithmetic::RationalNumber;
use tidegate::engine::sums::{
    Dimension, Dimensions, Protection, Range, Relation, Sensitive, SumSystem, SumsAttack,
    SuppressionProblem,
};

use super::attack::dense;
use super::recoverer::{self, Small};
use crate::common::random::{self, Draw};

/// A table whose cells are all known to the publisher.
struct Table {
    system: SumSystem,
    values: Vec<i128>,
    costs: Vec<Option<u64>>,
    sensitive: Vec<Sensitive>,
    lone: Vec<usize>,
}

impl Table {
    /// Random values in the cells that are not totals, with this many sensitive ones.
    fn new(
        draw: &mut Draw,
        dimensions: Vec<Dimension>,
        leaf: impl Fn(&[usize]) -> bool,
        sensitive: u64,
    ) -> Table {
        let of = Dimensions::new(dimensions);
        let system = of.system(Range::NotNegative);
        let mut values = vec![None; system.cells()];
        for (cell, value) in values.iter_mut().enumerate() {
            if leaf(&of.codes(cell)) {
                *value = Some(i128::from(if draw.once_in(8) {
                    0
                } else {
                    draw.between(1, 20)
                }));
            }
        }
        while values.contains(&None) {
            for relation in system.relations() {
                let parts = relation.terms().iter().filter(|term| term.1 == 1);
                let sum: Option<i128> = parts.map(|term| values[term.0]).sum();
                let total = relation
                    .terms()
                    .iter()
                    .find(|term| term.1 == -1)
                    .expect("a total")
                    .0;
                values[total] = sum.or(values[total]);
            }
        }
        let values: Vec<i128> = values
            .into_iter()
            .map(|value| value.expect("a total"))
            .collect();
        let by_value = draw.once_in(2);
        let cost = |&value: &i128| (value > 0).then_some(if by_value { value as u64 } else { 1 });
        let costs = values.iter().map(cost).collect();
        let mut cells: Vec<usize> = (0..sensitive)
            .map(|_| draw.between(0, values.len() as u64 - 1) as usize)
            .filter(|&cell| values[cell] > 0 && leaf(&of.codes(cell)))
            .collect();
        cells.sort_unstable();
        cells.dedup();
        let sensitive = cells.into_iter().map(|cell| {
            let by = draw.between(1, values[cell] as u64 / 2 + 1).into();
            Sensitive {
                cell,
                up: by,
                down: by.min(values[cell] as u128),
            }
        });
        let sensitive = sensitive.collect();
        let lone = (0..values.len()).filter(|_| draw.once_in(4)).collect();
        Table {
            system,
            values,
            costs,
            sensitive,
            lone,
        }
    }

    fn problem(&self, work: u64) -> SuppressionProblem<'_> {
        let (system, values, costs) = (&self.system, &self.values[..], &self.costs[..]);
        SuppressionProblem {
            system,
            values,
            costs,
            hidden: &[],
            sensitive: &self.sensitive,
            lone: &self.lone,
            work,
        }
    }

    fn published(&self, secondary: &[usize]) -> Vec<Option<i128>> {
        let out = |cell: &usize| {
            secondary.contains(cell) || self.sensitive.iter().any(|other| other.cell == *cell)
        };
        (0..self.values.len())
            .map(|cell| (!out(&cell)).then_some(self.values[cell]))
            .collect()
    }

    /// Whether every sensitive cell is protected, by enumeration: from readers, and from lone
    /// contributors of a cell.
    fn is_safe(&self, secondary: &[usize]) -> bool {
        let published = self.published(secondary);
        let lone = self.lone.iter().filter(|&&lone| published[lone].is_none());
        std::iter::once(None).chain(lone.map(Some)).all(|lone| {
            let mut known = published.clone();
            lone.into_iter()
                .for_each(|&lone| known[lone] = Some(self.values[lone]));
            self.is_safe_from(&known)
        })
    }

    fn is_safe_from(&self, known: &[Option<i128>]) -> bool {
        let (equations, unknown) = dense(&self.system, known);
        self.sensitive
            .iter()
            .filter(|sensitive| known[sensitive.cell].is_none())
            .all(|sensitive| {
                let at = unknown
                    .iter()
                    .position(|&cell| cell == sensitive.cell)
                    .expect("a sensitive cell is left out");
                let (low, high) =
                    recoverer::interval(&equations, at, unknown.len()).expect("the values fit");
                let value = self.values[sensitive.cell];
                let (up, down) = (sensitive.up as i128, sensitive.down as i128);
                !Small::whole(value - down).is_below(low)
                    && high.is_none_or(|high| !high.is_below(Small::whole(value + up)))
            })
    }

    /// The sets of cells that may be suppressed and cost less than this, without supersets of
    /// others.
    fn cheaper(&self, cost: u128) -> Vec<Vec<usize>> {
        let free = |cell: &usize| {
            self.costs[*cell].is_some() && self.sensitive.iter().all(|other| other.cell != *cell)
        };
        let cells: Vec<usize> = (0..self.values.len()).filter(free).collect();
        let price = |set: u32| -> u128 {
            let of = cells
                .iter()
                .enumerate()
                .filter(|(at, _)| set & (1 << at) != 0);
            of.map(|(_, &cell)| u128::from(self.costs[cell].expect("a price")))
                .sum()
        };
        let grows = |set: u32| {
            (0..cells.len()).any(|at| set & (1 << at) == 0 && price(set | 1 << at) < cost)
        };
        let sets = (0u32..1 << cells.len()).filter(|&set| price(set) < cost && !grows(set));
        sets.map(|set| {
            (0..cells.len())
                .filter(|at| set & (1 << at) != 0)
                .map(|at| cells[at])
                .collect()
        })
        .collect()
    }
}

/// Few cells: two by two, or one hierarchy of two levels, or two by three.
fn tiny(draw: &mut Draw) -> Table {
    let sensitive = draw.between(1, 2);
    match draw.between(0, 4) {
        0 => {
            let tree = Dimension::new(vec![
                None,
                Some(0),
                Some(0),
                Some(1),
                Some(1),
                Some(1),
                Some(2),
                Some(2),
            ]);
            Table::new(
                draw,
                vec![tree.expect("a tree")],
                |codes| codes[0] > 2,
                sensitive,
            )
        }
        1 => Table::new(
            draw,
            vec![Dimension::flat(2), Dimension::flat(3)],
            |codes| !codes.contains(&0),
            1,
        ),
        _ => Table::new(
            draw,
            vec![Dimension::flat(2), Dimension::flat(2)],
            |codes| !codes.contains(&0),
            sensitive,
        ),
    }
}

#[test]
fn no_pattern_is_cheaper_than_the_cheapest() {
    random::run("cheapest patterns", 40, |draw| {
        let table = tiny(draw);
        match table.problem(50_000_000).protect() {
            Protection::Protected(found) => {
                assert!(found.least, "work is enough for a tiny table");
                assert!(
                    table.is_safe(&found.secondary),
                    "{:?}: {:?}",
                    table.values,
                    found.secondary
                );
                assert!(table.problem(0).exposed(&found.secondary).is_empty());
                for other in table.cheaper(found.cost) {
                    assert!(
                        !table.is_safe(&other),
                        "{:?}: {other:?} is cheaper than {found:?}",
                        table.values
                    );
                    assert!(!table.problem(0).exposed(&other).is_empty());
                }
                // A pattern that is found without a search is as safe.
                let Protection::Protected(cheap) = table.problem(0).protect() else {
                    panic!("a pattern was found")
                };
                assert!(table.is_safe(&cheap.secondary) && cheap.cost >= found.cost);
            }
            Protection::Impossible { .. } => {
                let all = table.cheaper(u128::MAX);
                assert!(
                    all.len() == 1 && !table.is_safe(&all[0]),
                    "{:?}",
                    table.values
                );
            }
        }
    });
}

/// Three dimensions, one of them with a hierarchy; two with forty cells.
fn larger(draw: &mut Draw) -> Table {
    if draw.once_in(2) {
        let tree = Dimension::new(vec![
            None,
            Some(0),
            Some(0),
            Some(1),
            Some(1),
            Some(2),
            Some(2),
            Some(2),
        ]);
        let dimensions = vec![
            tree.expect("a tree"),
            Dimension::flat(2),
            Dimension::flat(3),
        ];
        Table::new(
            draw,
            dimensions,
            |codes| codes[0] > 2 && codes[1] > 0 && codes[2] > 0,
            4,
        )
    } else {
        Table::new(
            draw,
            vec![Dimension::flat(4), Dimension::flat(7)],
            |codes| !codes.contains(&0),
            5,
        )
    }
}

#[test]
fn what_is_left_out_protects_larger_tables() {
    random::run("larger tables", 12, |draw| {
        let table = larger(draw);
        let Protection::Protected(found) = table.problem(300_000).protect() else {
            let all: Vec<usize> = (0..table.values.len())
                .filter(|&cell| table.costs[cell].is_some())
                .collect();
            assert!(!table.problem(0).exposed(&all).is_empty());
            return;
        };
        let published = table.published(&found.secondary);
        let readers = SumsAttack::new(&table.system, published);
        let cells: Vec<usize> = table
            .sensitive
            .iter()
            .map(|sensitive| sensitive.cell)
            .collect();
        for (interval, sensitive) in readers
            .intervals(&cells)
            .expect("the values fit")
            .iter()
            .zip(&table.sensitive)
        {
            let value = table.values[sensitive.cell];
            let wanted = [value - sensitive.down as i128, value + sensitive.up as i128]
                .map(RationalNumber::whole);
            assert!(interval.low.as_ref().is_some_and(|low| *low <= wanted[0]));
            assert!(interval.high.as_ref().is_none_or(|high| *high >= wanted[1]));
            assert_eq!(readers.derivation(&[(sensitive.cell, 1)]), None);
        }
    });
}

#[test]
fn many_sensitive_cells_are_protected_from_lone_contributors() {
    random::run("many sensitive cells", 2, |draw| {
        let dimensions = vec![Dimension::flat(11), Dimension::flat(11)];
        let mut table = Table::new(draw, dimensions, |codes| !codes.contains(&0), 300);
        table.lone = (0..table.values.len())
            .filter(|&cell| table.values[cell] > 0 && cell.is_multiple_of(2))
            .collect();
        assert!(
            table.lone.len() * table.sensitive.len() > 2_000,
            "too many pairs for intervals"
        );
        let Protection::Protected(found) = table.problem(500_000).protect() else {
            panic!("totals can be left out")
        };
        assert!(table.problem(0).exposed(&found.secondary).is_empty());
        let published = table.published(&found.secondary);
        let readers = SumsAttack::new(&table.system, published.clone());
        for &lone in table.lone.iter().filter(|&&lone| published[lone].is_none()) {
            let attacker = readers.knowing(lone, table.values[lone]);
            let others = table
                .sensitive
                .iter()
                .map(|sensitive| sensitive.cell)
                .filter(|&cell| cell != lone)
                .step_by(9);
            for cell in others {
                assert_eq!(
                    attacker.derivation(&[(cell, 1)]),
                    None,
                    "{cell} for the one in {lone}"
                );
            }
        }
    });
}

#[test]
fn a_sum_of_releases_is_left_out_where_a_slice_would_follow() {
    // Two releases of one class: 15, then 116. The sum added in between is 101, of which one person
    // contributes 100. Cells: two slices, two sums.
    let relations = vec![Relation::total(2, [0]), Relation::total(3, [0, 1])];
    let system = SumSystem::new(4, relations, Range::NotNegative);
    let values = [15, 101, 15, 116];
    let sensitive = [Sensitive {
        cell: 1,
        up: 9,
        down: 9,
    }];
    let costs = [None, None, Some(15), Some(116)];
    let problem = SuppressionProblem {
        system: &system,
        values: &values,
        costs: &costs,
        hidden: &[0, 1],
        lone: &[],
        sensitive: &sensitive,
        work: 1_000,
    };
    assert_eq!(problem.exposed(&[]), [1]);
    let Protection::Protected(found) = problem.protect() else {
        panic!("a sum can be left out")
    };
    assert_eq!(
        (found.secondary, found.cost, found.least),
        (vec![2], 15, true)
    );
    // If both have to be published nothing protects it.
    let problem = SuppressionProblem {
        costs: &[None; 4],
        ..problem
    };
    assert_eq!(problem.protect(), Protection::Impossible { cell: 1 });
}
