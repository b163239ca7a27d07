//! What readers who know the search infer from a global recoding for certain (SCIENCE 6, "Global recoding is not immune").
//! The whole course of the search follows from what is public: a Score is made of sizes of coarser classes, which are
//! unions of published ones, and whether a candidate was accepted can be read from the recoding. So `replay` walks it again,
//! with no code of the search, and each candidate that was refused is a clause: some class that held it then had 1..a−1
//! people in one of its children. `grown` finds the clauses of a standing recoding that was made coarser. A fact is certain
//! if it holds in every world that agrees with its clause and with all public counts.
//!
//! How good the answer is. A class lies in one clause per column, and a clause speaks of one column.
//! - Where values may be repeated, the counts of a class in different columns don't bind each other, so no two clauses do,
//!   and the answer *is* the truth: no box of nodes inside a published class holds 1..a−1 people for certain but those
//!   reported. They are the two children of a node that one class of exactly `a` people alone held when it was refused:
//!   with two children and more people one person may be on either side; with three children, or two classes, one person
//!   somewhere else satisfies the clause while all people here are in one child, whichever is asked about.
//! - Where they are distinct, counts are also bound by how many combinations there are, and a class may tie two clauses
//!   together. Each clause is solved exactly, in the classes of the search and in the published ones; what only follows
//!   from several columns at once is missed. What is reported is true, and misses are rare: 14 of 28,550 facts of 34,452
//!   random releases with hardly more room than people.
//! - Of a coarsening, exactly what its clauses and the growth of classes make certain, as if values could be repeated. All of
//!   it is true; that the algorithm would have chosen just this recoding tells a little more, and is not asked.
//!
//! Where rows may be left waiting, columns count differently or have floors, or one level is searched for each column, the course is not
//! walked again: `maximal` has the states that are finer than the recoding itself. Each of them would leave more people waiting than
//! may be, and those more are in published classes: that is the clause. People who wait already have no part in it but that they may use
//! up the share, as many as have room in classes that are not published. A state may also be refused because it loses more although it
//! fits; then less is certain than is reported. Other states that must have failed add nothing where no row may wait; where rows may,
//! they can, and are not looked at. Tested against all populations of small grids.
//!
//! "Certain" is a class and a child that are known by name. That some child of a known class holds few people is told in a
//! figure of its own. Work is counted in operations; where they do not last, the answer is open.

mod budget;
mod clause;
mod fact;
mod grown_class;
mod maximal;
mod replay;

pub use self::budget::CertaintyBudget;
pub use self::fact::{Certainty, Fact, FactExtent};
pub use self::grown_class::coarsened;

use self::clause::Clause;
use crate::histogram::Release;
use crate::model::Taxonomy;
use crate::policy::{Inference, Values};

/// What a release makes certain to a reader of all releases of its chain: of the first one what its search tells, of a later
/// one what it tells that the recoding was made coarser; where it stays no reader learns anything.
pub fn learnt(
    before: Option<&Release>,
    after: &Release,
    trees: &[&Taxonomy],
    inference: Inference,
    (a, values): (u64, Values),
) -> Certainty {
    assert_eq!(after.width(), trees.len(), "a taxonomy for each column");
    assert!(a >= 1, "a class holds a person at least");
    match before {
        None => searched(after, trees, inference, (a, values), CertaintyBudget::FULL),
        Some(before) if before.recoding() == after.recoding() => Certainty::nothing(),
        Some(before) => coarsened(before, after, trees, a, CertaintyBudget::FULL),
    }
}

/// What a release under a recoding that was searched for on its own people makes certain: the first release of a chain, or
/// any of a disjoint feed. The trees are those of the search; the recoding may be as coarse as it likes where no person is.
pub fn searched(
    release: &Release,
    trees: &[&Taxonomy],
    inference: Inference,
    (a, values): (u64, Values),
    mut budget: CertaintyBudget,
) -> Certainty {
    assert_eq!(release.width(), trees.len(), "a taxonomy for each column");
    let mut certainty = Certainty::nothing();
    let (refusals, least) = match inference {
        Inference::Nothing => return certainty,
        Inference::Replay => (replay::refusals(release, trees, a, &mut budget), 1),
        Inference::EachNode(share) => {
            (maximal::by_node(release, trees, &mut budget), maximal::least(release, trees, a, share))
        }
        Inference::EachLevel(share) => {
            (maximal::by_level(release, trees, &mut budget), maximal::least(release, trees, a, share))
        }
    };
    let solved = refusals.and_then(|refusals| {
        refusals.iter().try_for_each(|refused| {
            let clause = Clause { release, refused, a, least };
            let (facts, lone) = clause.solve(trees, values, &mut budget)?;
            certainty.clauses += 1;
            certainty.lone += u64::from(lone);
            certainty.facts.extend(facts);
            Ok(())
        })
    });
    certainty.told(solved)
}
