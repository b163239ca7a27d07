//! What readers who know the search can infer with certainty from a global recoding (SCIENCE 6,
//! "Global recoding is not immune"). The whole course of the search follows from public
//! information: a Score is computed from sizes of coarser classes, which are unions of published
//! ones, and the recoding shows whether a candidate was accepted. So `replay` repeats the search,
//! without any of its code, and each candidate that was refused is a clause: some class that held
//! it then had 1..a−1 people in one of its children. `grown_class` finds the clauses of a standing
//! recoding that was made coarser. A fact is certain if it holds in every table that agrees with
//! its clause and with all public counts.
//!
//! How complete the answer is. A class is in one clause per column, and a clause is about one
//! column.
//! - Where values may be repeated, the counts of a class in different columns do not constrain each
//!   other, so no two clauses do, and the answer *is* complete: no box of nodes inside a published
//!   class certainly holds 1..a−1 people except those reported. They are the two children of a node
//!   that a single class of exactly `a` people held when it was refused: with two children and more
//!   people, one person may be on either side; with three children, or two classes, one person
//!   elsewhere satisfies the clause while all people here are in one child, whichever is asked
//!   about.
//! - Where values are distinct, counts are also limited by the number of combinations, and a class
//!   may connect two clauses. Each clause is solved exactly, in the classes of the search and in
//!   the published ones; facts that follow only from several columns together are missed. What is
//!   reported is true, and misses are rare: 14 of 28,550 facts of 34,452 random releases with
//!   hardly more room than people.
//! - For a coarsening, exactly the facts that follow from its clauses and from the growth of
//!   classes, as if values could be repeated. All of them are true; that the algorithm would have
//!   chosen exactly this recoding reveals a little more, and is not used.
//!
//! Where rows may be left waiting, columns have weights or floors, or one level is searched for
//! each column, the course is not repeated: `maximal` has the states that are finer than the
//! recoding itself. In each of them more people would wait than allowed, and the additional ones
//! are in published classes: that is the clause. People who wait already matter only because they
//! may use up the share, up to the room in unpublished classes. A state may also be refused because
//! it loses more although it fits; then less is certain than is reported. Other states that must
//! have failed add nothing where no row may wait; where rows may, they can, and are not examined.
//! Tested against all populations of small grids.
//!
//! "Certain" refers to a class and a child that are known by name. That some child of a known class
//! holds few people is reported as a separate figure. Work is counted in operations; if they are
//! not enough, the answer is open.

mod budget;
mod clause;
mod fact;
mod maximal;
mod replay;

pub use self::budget::CertaintyBudget;
pub use self::fact::{Certainty, Fact, FactExtent};

use self::clause::Clause;
use crate::histogram::Release;
use crate::model::Taxonomy;
use crate::policy::{Inference, Values};

/// What a reader learns from a release whose recoding was searched for its own people: the first
/// release of a chain, or any of a disjoint feed. The trees are those of the search; outside all
/// classes the recoding may be arbitrarily coarse.
pub fn searched(
    release: &Release,
    trees: &[&Taxonomy],
    inference: Inference,
    (a, values): (u64, Values),
    mut budget: CertaintyBudget,
) -> Certainty {
    assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
    let mut certainty = Certainty::nothing();
    let (refusals, least) = match inference {
        Inference::Nothing => return certainty,
        Inference::Replay => (replay::refusals(release, trees, a, &mut budget), 1),
        Inference::EachNode(share) => (
            maximal::by_node(release, trees, &mut budget),
            maximal::least(release, trees, a, share),
        ),
        Inference::EachLevel(share) => (
            maximal::by_level(release, trees, &mut budget),
            maximal::least(release, trees, a, share),
        ),
    };
    let solved = refusals.and_then(|refusals| {
        refusals.iter().try_for_each(|refused| {
            let clause = Clause {
                release,
                refused,
                a,
                least,
            };
            let (facts, lone) = clause.solve(trees, values, &mut budget)?;
            certainty.clauses += 1;
            certainty.lone += u64::from(lone);
            certainty.facts.extend(facts);
            Ok(())
        })
    });
    certainty.finished(solved)
}
