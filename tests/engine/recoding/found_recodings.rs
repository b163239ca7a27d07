//! The results of searches, against the reference.

use tidegate::engine::label::Recoder;
use tidegate::engine::model::{Leaf, Taxonomy};

use super::reference::{Asked, People, coarsest, headcount, kept, loss, states, top_down, waiting};
use crate::common::random::{self, Draw};

fn people(draw: &mut Draw, trees: &[&Taxonomy], most: u64) -> People {
    let mut people = People::new();
    for _ in 0..draw.between(1, most) {
        let leaves: Vec<Leaf> = trees
            .iter()
            .map(|tree| draw.between(0, tree.leaves() as u64 - 1) as Leaf)
            .collect();
        match people.iter_mut().find(|(known, _)| *known == leaves) {
            Some((_, count)) => *count += 1,
            None => people.push((leaves, 1)),
        }
    }
    people
}

#[test]
fn recodings_are_what_their_definition_says() {
    random::run("recodings", 100, |draw: &mut Draw| {
        let trees: Vec<Taxonomy> = (0..draw.between(1, 3) as usize)
            .map(|column| random::tree(draw, column, 4))
            .collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let (asked, people) = (Asked::random(draw, &trees), people(draw, &trees, 40));
        let found = Recoder::of(&asked.policy(&trees), &trees)
            .find(&headcount(trees.len(), &people), &trees);
        let (kept, most) = kept(&people, &asked, &trees);
        assert_eq!(found.is_none(), kept.is_empty(), "{asked:?}");
        let Some(found) = found else { return };
        let cuts = found.course.cut();
        assert!(
            cuts.iter()
                .zip(&coarsest(&asked, &trees))
                .all(|(cut, coarsest)| cut.refines(coarsest)),
            "{asked:?}"
        );
        assert!(waiting(&kept, cuts, asked.a) <= most, "{asked:?}");
        // Undone one by one, the steps lead to the roots.
        let steps = found.course.steps().len();
        let root = found.course.without(steps, &trees).expect("as many steps");
        assert!(root.iter().all(|cut| cut.nodes() == [0]), "{asked:?}");
        assert_eq!(found.course.without(0, &trees).as_ref(), Some(cuts));
        if !asked.levels {
            assert_eq!(*cuts, top_down(&kept, most, &asked, &trees), "{asked:?}");
            return;
        }
        let fits = states(&asked, &trees)
            .into_iter()
            .filter(|(_, cuts)| waiting(&kept, cuts, asked.a) <= most);
        let all: Vec<_> = fits
            .map(|(levels, cuts)| (loss(&kept, &cuts, &asked, &trees), levels, cuts))
            .collect();
        let least = all
            .iter()
            .map(|state| state.0)
            .fold(f64::INFINITY, f64::min);
        let best = all.iter().filter(|state| state.0 < least + 1e-9);
        let best = best.min_by_key(|(_, levels, _)| (levels.iter().sum::<usize>(), levels.clone()));
        let (_, levels, best) = best.expect("the coarsest state fits");
        assert_eq!(cuts, best, "{asked:?} {levels:?}");
        // Each column that could be finer is reported as rejected, with the figures of the rejected
        // recoding.
        for refusal in &found.refusals {
            assert!(!trees[refusal.column].is_leaf(refusal.node));
        }
        let finer = levels.iter().filter(|&&level| level > 0).count();
        assert_eq!(
            found.refusals.len(),
            finer,
            "{asked:?}: {:?}",
            found.refusals
        );
    });
}
