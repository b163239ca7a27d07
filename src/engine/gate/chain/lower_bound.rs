//! A sound lower bound for crossing chains whose raw rows are known (SCIENCE 3): a reader of the
//! virtual releases meet(P_1..P_j) would know more than a reader of the real ones, and so would a
//! reader of meet(P_j..P_n). Both virtual chains are nested, so the pair bound is exact for them;
//! for each person and value the larger of the two holds.

use rayon::prelude::*;

use super::targets::Scratch;
use super::{ReleaseChain, Sweep};
use crate::histogram::{Histogram, NumberedClasses, Release, Slices, number_recodings};
use crate::model::{Cut, Recoding, Taxonomy, cut};

/// For each increment the lower bound on the anonymity of its people; `None` for an increment
/// without people. `recodings[r]` is the recoding of release r, which contains the increments up to
/// r.
pub fn lower_bounds(
    histogram: &Histogram,
    recodings: &[&[Cut]],
    trees: &[&Taxonomy],
) -> Vec<Option<u64>> {
    assert_eq!(
        histogram.width(),
        trees.len(),
        "one taxonomy for each column"
    );
    assert!(
        recodings.iter().all(|cuts| cuts.len() == trees.len()),
        "one cut for each column"
    );
    let rising = meets(recodings.iter().copied());
    let mut falling = meets(recodings.iter().rev().copied());
    falling.reverse();
    let [(rising, rising_number), (falling, falling_number)] = [rising, falling].map(|recodings| {
        let release = |(at, recoding): (usize, &Recoding)| {
            Release::under(histogram, 0..at as u32 + 1, recoding)
        };
        let mut releases: Vec<Release> = recodings.par_iter().enumerate().map(release).collect();
        let number = number_recodings(&mut releases, trees);
        (releases, number)
    });
    let values = histogram.values().len();
    let chains = [
        ReleaseChain::new(&rising, &rising_number, trees, values),
        ReleaseChain::new(&falling, &falling_number, trees, values),
    ];
    let cuts: Vec<&[Cut]> = chains.iter().flat_map(ReleaseChain::cuts).collect();
    let numbered: Vec<&NumberedClasses> =
        chains.iter().flat_map(|chain| chain.numbered()).collect();
    let slices = Slices::of(histogram, &cuts, &numbered);
    let mut sweeps = chains.each_ref().map(Sweep::new);
    let split = chains[0].numbered().len();
    let least = |increment: usize| {
        for sweep in &mut sweeps {
            sweep
                .advance(increment)
                .expect("releases made from the same rows never shrink");
        }
        let sights = sweeps.each_ref().map(|sweep| sweep.sight(increment));
        let left = |ids: &&[u32]| {
            let mut scratch = [Scratch::default(), Scratch::default()];
            for (side, ids) in [&ids[..split], &ids[split..]].into_iter().enumerate() {
                let classes = chains[side].classes_of(&sights[side], ids);
                chains[side].remaining(&sights[side], &classes, &mut scratch[side]);
            }
            sum_of_larger(scratch[0].crowd(), scratch[1].crowd())
        };
        slices.of_increment(increment).par_iter().map(left).min()
    };
    (0..recodings.len()).map(least).collect()
}

/// The running meet of recodings.
fn meets<'r>(recodings: impl Iterator<Item = &'r [Cut]>) -> Vec<Recoding> {
    let mut met: Vec<Recoding> = Vec::new();
    for recoding in recodings {
        met.push(
            met.last()
                .map_or_else(|| recoding.to_vec(), |last| cut::meet(last, recoding)),
        );
    }
    met
}

/// Σ over the values of the larger count; both ascend by value.
fn sum_of_larger(a: &[(u32, u64)], b: &[(u32, u64)]) -> u64 {
    assert!(a.is_sorted() && b.is_sorted(), "values in their order");
    let (mut a, mut b, mut sum) = (a.iter().peekable(), b.iter().peekable(), 0);
    while let Some(value) = [a.peek(), b.peek()]
        .into_iter()
        .flatten()
        .map(|group| group.0)
        .min()
    {
        let count = |group: Option<&(u32, u64)>| group.map_or(0, |group| group.1);
        let mine = count(a.next_if(|group| group.0 == value));
        let theirs = count(b.next_if(|group| group.0 == value));
        sum += mine.max(theirs);
    }
    sum
}
