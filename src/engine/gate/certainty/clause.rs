//! One refusal as a clause, and what follows from it together with all public counts: some class
//! that held the node had 1..a−1 people in one of its children.
//!
//! Where values may be repeated, a child can hold any number of people, and the answer is a rule
//! (`mod.rs` proves it). Where values are distinct, a published class has limited room in each
//! child. The possible numbers of people in a set of children then form an interval, for one class
//! and for several together, and so do the sums for two children: such counts are the integer
//! points of a base polytope (Edmonds 1970), whose projections and sums have no gaps. So the
//! existence of a possible table is decided by comparing bounds.

use std::ops::RangeInclusive;

use super::budget::{CertaintyBudget, CertaintyUndone};
use super::fact::Fact;
use super::replay::{ReplayedRefusal, TraceClass};
use crate::histogram::Release;
use crate::model::{Node, Taxonomy};
use crate::policy::Values;

/// A refusal, with the classes that it is about.
pub(super) struct Clause<'c> {
    /// The release.
    pub release: &'c Release,
    /// The refusal.
    pub refused: &'c ReplayedRefusal,
    /// The smallest class.
    pub a: u64,
    /// The smallest total number of people in too small classes.
    pub least: u64,
}

impl Clause<'_> {
    /// What is certain, and whether a single class can satisfy the clause.
    ///
    /// # Errors
    /// The budget is spent, or nothing can satisfy the clause.
    pub(super) fn solve(
        &self,
        trees: &[&Taxonomy],
        values: Values,
        budget: &mut CertaintyBudget,
    ) -> Result<(Vec<Fact>, bool), CertaintyUndone> {
        let crowds = &self.refused.crowds;
        budget.spend(crowds.iter().map(|crowd| crowd.children.len() as u64).sum())?;
        if self.a < 2 || crowds.is_empty() || crowds.iter().any(|crowd| crowd.children.len() < 2) {
            return Err(CertaintyUndone::Contradiction);
        }
        if values == Values::Distinct && self.is_tight(trees) {
            // If rows may wait, values may be repeated.
            return if self.least > 1 {
                Err(CertaintyUndone::Spent)
            } else {
                self.bounded(trees, budget)
            };
        }
        if self.least > 1
            && let Some(found) = self.several(budget)?
        {
            return Ok(found);
        }
        let [crowd] = &crowds[..] else {
            return Ok((Vec::new(), false));
        };
        let certain = crowd.children.len() == 2 && crowd.rows == self.a;
        let facts = crowd
            .children
            .iter()
            .filter(|_| certain)
            .map(|&child| self.fact(self.name(crowd), child, (1, self.a - 1), false));
        Ok((facts.collect(), true))
    }

    /// What is certain if several people must be in too small classes, and values may be repeated;
    /// `None` if there is no room for as many: then the state was refused although it fits, because
    /// even one person in a small class costs more than the state saves.
    fn several(
        &self,
        budget: &mut CertaintyBudget,
    ) -> Result<Option<(Vec<Fact>, bool)>, CertaintyUndone> {
        let crowds = &self.refused.crowds;
        budget.spend((crowds.len() as u64).saturating_mul(self.a))?;
        let most: Vec<u64> = crowds
            .iter()
            .map(|crowd| self.most_small(crowd.rows, crowd.children.len() as u64))
            .collect();
        let all: u64 = most.iter().sum();
        if all < self.least {
            return Ok(None);
        }
        let mut facts = Vec::new();
        for (crowd, own) in crowds.iter().zip(&most) {
            let (others, rest) = (all - own, crowd.children.len() as u64 - 1);
            let with = |here: u64| here + self.most_small(crowd.rows - here, rest) + others;
            let none = if rest == 1 && crowd.rows >= self.a {
                others
            } else {
                with(0)
            };
            let many = others + (crowd.rows.saturating_sub(self.a)).min(rest * (self.a - 1));
            if none.max(many) >= self.least {
                continue;
            }
            let held: Vec<u64> = (1..self.a.min(crowd.rows + 1))
                .filter(|&here| with(here) >= self.least)
                .collect();
            let (Some(&fewest), Some(&largest)) = (held.first(), held.last()) else {
                continue;
            };
            facts.extend(
                crowd
                    .children
                    .iter()
                    .map(|&child| self.fact(self.name(crowd), child, (fewest, largest), false)),
            );
        }
        let lone = most.iter().filter(|&&most| most > 0).count() == 1;
        Ok(Some((facts, lone)))
    }

    /// The largest number of `rows` people who can be in parts of fewer than `a`, among `parts`
    /// parts.
    fn most_small(&self, rows: u64, parts: u64) -> u64 {
        assert!(parts > 0, "a region has parts");
        let room = parts * (self.a - 1);
        if rows <= room {
            rows
        } else {
            room.saturating_sub(self.a - 1)
        }
    }

    /// For a single published class its own nodes, which may be finer by now.
    fn name(&self, crowd: &TraceClass) -> Vec<Node> {
        match crowd.parts[..] {
            [class] => self.release.class(class).to_vec(),
            _ => crowd.nodes.clone(),
        }
    }

    fn fact(&self, class: Vec<Node>, child: Node, (least, most): (u64, u64), sole: bool) -> Fact {
        assert!(least <= most, "a range of people");
        Fact {
            class,
            column: self.refused.column,
            child,
            least,
            most,
            sole,
        }
    }

    /// The number of combinations of values of a published class within one node of this column;
    /// 2^64 − 1 also stands for more.
    fn volume(&self, class: usize, within: Node, trees: &[&Taxonomy]) -> u64 {
        let nodes = self.release.class(class).iter().zip(trees).enumerate();
        nodes.fold(1, |volume: u64, (column, (&node, tree))| {
            volume.saturating_mul(tree.values(if column == self.refused.column {
                within
            } else {
                node
            }))
        })
    }

    /// Whether some child has less room than its class has people. If not, distinctness has no
    /// effect.
    fn is_tight(&self, trees: &[&Taxonomy]) -> bool {
        let tree = trees[self.refused.column];
        self.refused.crowds.iter().any(|crowd| {
            let smallest = crowd
                .children
                .iter()
                .min_by_key(|&&child| tree.values(child));
            let tight = |class: usize, child: Node| {
                self.volume(class, child, trees) < self.release.size(class)
            };
            smallest.is_some_and(|&child| crowd.parts.iter().any(|&class| tight(class, child)))
        })
    }

    /// Solves by bounds, for distinct values.
    fn bounded(
        &self,
        trees: &[&Taxonomy],
        budget: &mut CertaintyBudget,
    ) -> Result<(Vec<Fact>, bool), CertaintyUndone> {
        assert_eq!(self.least, 1, "of rows that may wait no bounds are known");
        let cells: usize = self
            .refused
            .crowds
            .iter()
            .map(|crowd| crowd.parts.len() * crowd.children.len())
            .sum();
        budget.spend((cells * trees.len()) as u64)?;
        let room = |class: usize, children: &[Node]| {
            let rows = self.release.size(class);
            Room::new(
                rows,
                children
                    .iter()
                    .map(|&child| self.volume(class, child, trees)),
            )
        };
        let of_crowd = |crowd: &TraceClass| {
            crowd
                .parts
                .iter()
                .map(|&class| room(class, &crowd.children))
                .collect()
        };
        let rooms: Vec<Vec<Room>> = self.refused.crowds.iter().map(of_crowd).collect();
        let small = |rooms: &Vec<Room>| {
            let children = 0..rooms.first().map_or(0, |room| room.caps.len());
            children
                .filter(|&child| self.is_small(range(rooms, &[child])))
                .count()
        };
        let explanations: Vec<usize> = rooms.iter().map(small).collect();
        let sole = explanations.iter().sum::<usize>() == 1;
        let able: Vec<bool> = explanations.iter().map(|&children| children > 0).collect();
        let able_ones = able.iter().filter(|&&able| able).count();
        if able_ones == 0 {
            return Err(CertaintyUndone::Contradiction);
        }
        let mut facts = Vec::new();
        for ((crowd, rooms), &able) in self.refused.crowds.iter().zip(&rooms).zip(&able) {
            let elsewhere = able_ones > usize::from(able);
            for (at, &child) in crowd.children.iter().enumerate() {
                let mut ask = |part: &[Room], rest: &[Room], class: &[Node]| {
                    let held = PartQuestion {
                        part,
                        rest,
                        child: at,
                        elsewhere,
                        a: self.a,
                    };
                    let found = held.certain(budget)?;
                    facts
                        .extend(found.map(|bounds| self.fact(class.to_vec(), child, bounds, sole)));
                    Ok(())
                };
                ask(rooms, &[], &self.name(crowd))?;
                if rooms.len() > 1 {
                    for (place, &class) in crowd.parts.iter().enumerate() {
                        let rest = [&rooms[..place], &rooms[place + 1..]].concat();
                        ask(&rooms[place..=place], &rest, self.release.class(class))?;
                    }
                }
            }
        }
        Ok((facts, able_ones == 1))
    }

    fn is_small(&self, (least, most): (u64, u64)) -> bool {
        assert!(least <= most, "a range of people");
        least < self.a && most >= 1
    }
}

/// The room of a published class in each child.
#[derive(Clone)]
struct Room {
    rows: u64,
    /// At most its number of rows.
    caps: Vec<u64>,
    total: u64,
}

impl Room {
    fn new(rows: u64, caps: impl Iterator<Item = u64>) -> Room {
        let caps: Vec<u64> = caps.map(|cap| cap.min(rows)).collect();
        let total = caps
            .iter()
            .fold(0, |sum: u64, &cap| sum.saturating_add(cap));
        Room { rows, caps, total }
    }
}

/// The smallest and the largest number of people that classes can have in some children.
fn range(rooms: &[Room], children: &[usize]) -> (u64, u64) {
    rooms.iter().fold((0, 0), |(least, most), room| {
        let inside: u64 = children.iter().map(|&child| room.caps[child]).sum();
        (
            least + room.rows.saturating_sub(room.total - inside),
            most + room.rows.min(inside),
        )
    })
}

/// Asks how many people a part of a class of the search has in a child, if the clause holds.
struct PartQuestion<'h> {
    part: &'h [Room],
    rest: &'h [Room],
    child: usize,
    /// Whether another class can satisfy the clause.
    elsewhere: bool,
    a: u64,
}

impl PartQuestion<'_> {
    /// The smallest and the largest number, if it is in 1..a−1 in every possible table.
    fn certain(&self, budget: &mut CertaintyBudget) -> Result<Option<(u64, u64)>, CertaintyUndone> {
        let each = ((self.part.len() + self.rest.len()) * self.part[0].caps.len()) as u64;
        budget.spend(each)?;
        let (_, most) = range(self.part, &[self.child]);
        if self.world(0..=0) || (most >= self.a && self.world(self.a..=most)) {
            return Ok(None);
        }
        budget.spend(each.saturating_mul(self.a))?;
        let possible: Vec<u64> = (1..self.a)
            .filter(|&people| self.world(people..=people))
            .collect();
        Ok(possible.first().copied().zip(possible.last().copied()))
    }

    /// Whether in some possible table the clause holds and the number in the child is in the range.
    fn world(&self, people: RangeInclusive<u64>) -> bool {
        let (least, most) = range(self.part, &[self.child]);
        let (from, to) = (least.max(*people.start()), most.min(*people.end()));
        from <= to
            && (self.elsewhere
                || (0..self.part[0].caps.len()).any(|witness| self.witness(witness, from, to)))
    }

    /// Whether a child of this class can hold 1..a−1 people while the child in question holds
    /// from..to.
    fn witness(&self, witness: usize, from: u64, to: u64) -> bool {
        let (low, high) = if witness == self.child {
            (from, to)
        } else {
            let (least, most) = range(self.part, &[witness]);
            let (both_least, both_most) = range(self.part, &[witness, self.child]);
            (
                least.max(both_least.saturating_sub(to)),
                most.min(both_most - from),
            )
        };
        let (rest_least, rest_most) = range(self.rest, &[witness]);
        low <= high && low + rest_least < self.a && high + rest_most >= 1
    }
}

#[cfg(test)]
mod tests;
