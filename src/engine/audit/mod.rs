//! Judges releases that anyone made, as the attacker sees them (CONTRACTS 3, audit): every figure of the gate on one set
//! of tables, and a verdict. `safe` never rests on an upper bound.
//!
//! This room reads no files and writes no report; both are values here.

mod judge;
mod look;
mod pairs;
mod tables;

pub use judge::{Reason, Verdict, judge};
pub use tables::{Subject, Unfit};

use crate::engine::gate::chain::{Chain, ComparablePairs, Shrunk};
use crate::engine::gate::diversity::{Diversity, Measures, Shares};
use crate::engine::gate::utility;
use crate::engine::histogram::{Numbered, Slices};
use crate::engine::model::Columns;
use crate::engine::policy::{ChainKind, Policy};
use look::{Look, Seen};
pub use pairs::PairFigures;
use rayon::prelude::*;

/// All figures of an audit.
#[derive(Debug)]
pub struct Figures {
    /// One entry per release.
    pub releases: Vec<ReleaseFigures>,
    /// One entry per two releases of a cumulative chain.
    pub pairs: Vec<PairFigures>,
    /// The whole chain; `None` in a disjoint feed.
    pub chain: Option<ChainFigures>,
}

/// One release on its own.
#[derive(Debug)]
pub struct ReleaseFigures {
    /// Rows.
    pub rows: u64,
    /// Classes.
    pub classes: usize,
    /// The smallest class: its size and its number.
    pub smallest: (u64, usize),
    /// Loss (SCIENCE 8).
    pub loss: f64,
    /// Σ|class|²/N².
    pub discernibility: f64,
    /// Diversity of the classes as they stand.
    pub before: Diversity,
    /// Diversity of what is left after all attacks.
    pub after: Diversity,
}

/// A chain of releases.
#[derive(Debug)]
pub struct ChainFigures {
    /// Whether the pair bound is the truth for every target: at most two releases, or nested.
    pub tight: bool,
    /// Whether all non-empty tuples were looked at; otherwise `all` and `paper` are the least over a part of them.
    pub whole: bool,
    /// Per increment the worst target over all non-empty tuples.
    pub all: Vec<Weakest>,
    /// The paper's composed figure, least over all tuples.
    pub paper: u64,
    /// Targets with a person in them; known only with the raw rows.
    pub realised: Option<Realised>,
    /// Increments that add no row.
    pub empty: Vec<bool>,
}

/// What is known when the raw rows are.
#[derive(Debug)]
pub struct Realised {
    /// Per increment the worst target that holds a person; `None` where there are no people.
    pub all: Vec<Option<Weakest>>,
    /// Per increment the sound lower bound.
    pub lower: Vec<Option<u64>>,
}

/// A target with the fewest candidates left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weakest {
    /// How many are left.
    pub left: u64,
    /// Where it is seen: (release, class), one per recoding.
    pub seen: Vec<(usize, usize)>,
}

impl Figures {
    /// Computes them.
    ///
    /// # Errors
    /// A release that is no superset of an earlier one of its chain.
    pub fn of(subject: &Subject, columns: &Columns, policy: &Policy) -> Result<Figures, Shrunk> {
        let trees = columns.trees();
        let l = policy.diversity().and_then(|asked| asked.recursive).map(|recursive| recursive.l);
        let measures = Measures::new(columns, &subject.values, l);
        let shares: Vec<Shares> =
            subject.releases.iter().map(|table| Shares::of(table, subject.values.len())).collect();
        let mut releases: Vec<ReleaseFigures> = subject
            .releases
            .par_iter()
            .zip(&shares)
            .map(|(release, shares)| {
                let smallest = (0..release.classes()).map(|class| (release.size(class), class)).min();
                let before = measures.of_release(release, shares);
                ReleaseFigures {
                    rows: release.rows(),
                    classes: release.classes(),
                    smallest: smallest.expect("a release without rows is refused when it is read"),
                    loss: utility::loss(release, &trees),
                    discernibility: utility::discernibility(release),
                    before,
                    after: before,
                }
            })
            .collect();
        if policy.kind() == ChainKind::Disjoint {
            return Ok(Figures { releases, pairs: Vec::new(), chain: None });
        }
        let chain = Chain::new(&subject.releases, &subject.number, &trees, subject.values.len());
        let slices = subject.histogram.as_ref().map(|histogram| {
            Slices::of(histogram, &chain.cuts(), &chain.numbered().iter().collect::<Vec<&Numbered>>())
        });
        let pairs = pairs::figures(&chain, slices.as_ref(), &trees, subject.values.len())?;
        let (figures, after) = chain_figures(subject, &chain, slices.as_ref(), &measures, &shares)?;
        if subject.releases.len() > 1 {
            releases.iter_mut().zip(after).for_each(|(release, after)| release.after = after);
        }
        Ok(Figures { releases, pairs, chain: Some(figures) })
    }
}

/// The figures of the chain, and per release the diversity of what attacks leave.
fn chain_figures(
    subject: &Subject,
    chain: &Chain<'_>,
    slices: Option<&Slices>,
    measures: &Measures,
    shares: &[Shares],
) -> Result<(ChainFigures, Vec<Diversity>), Shrunk> {
    let n = chain.releases().len();
    let comparable = ComparablePairs::of(chain);
    let (mut all, mut people, mut paper, mut whole) = (Vec::new(), Vec::new(), u64::MAX, true);
    let mut after = vec![Diversity::default(); n];
    chain.each_sight(|sight| {
        let weakest = |seen: &Seen| -> Option<Weakest> {
            let (left, classes) = seen.weakest.as_ref()?;
            let seen = sight.views.iter().zip(classes).map(|(view, &class)| (view.release, class as usize));
            let mut seen: Vec<(usize, usize)> = seen.collect();
            seen.sort_unstable();
            Some(Weakest { left: *left, seen })
        };
        let later = &shares[sight.increment..];
        let look = |measured: bool| Look { measured: measured.then_some((measures, later)) };
        let (seen, complete) = chain.all(sight, &comparable, &look(slices.is_none()));
        whole &= complete;
        paper = paper.min(seen.paper);
        all.push(weakest(&seen).expect("every release has rows, so it has a target"));
        let mut measured = seen;
        if let Some(slices) = slices {
            measured = chain.realised(sight, &slices.of_increment(sight.increment), &look(true));
            people.push(weakest(&measured));
        }
        for (at, far) in measured.distances.into_iter().enumerate() {
            after[sight.increment + at] = after[sight.increment + at].worse(far);
        }
        after[sight.increment..].iter_mut().for_each(|figures| *figures = figures.worse(measured.shape));
    })?;
    let realised = subject.histogram.as_ref().map(|histogram| {
        let recodings: Vec<_> = chain.releases().iter().map(|release| release.recoding()).collect();
        Realised { all: people, lower: crate::engine::gate::chain::lower_bounds(histogram, &recodings, chain.trees()) }
    });
    let empty = (0..n).map(|at| at > 0 && chain.releases()[at].rows() == chain.releases()[at - 1].rows()).collect();
    let tight = n <= 2 || chain.nested();
    Ok((ChainFigures { tight, whole, all, paper, realised, empty }, after))
}
