//! What an audit finds out about a chain: whom it leaves with the fewest candidates, and how far the figures can be trusted.

/// A chain of releases.
#[derive(Debug)]
pub struct ChainFigures {
    /// Whether the pair bound is the truth for every target: at most two releases, or nested.
    pub tight: bool,
    /// Whether all non-empty tuples were looked at; otherwise `all` and `paper` are the least over a part of them.
    pub whole: bool,
    /// Whether the least of `all` was searched for and found, where recodings cross; increments that add no row left out.
    pub solved: bool,
    /// Per increment the worst target over all non-empty tuples, by the pair bound or less where that was shown.
    pub all: Vec<WeakestTarget>,
    /// The paper's composed figure, least over all tuples.
    pub paper: u64,
    /// Targets with a person in them; known only with the raw rows.
    pub realised: Option<RealisedFigures>,
    /// Increments that add no row.
    pub empty: Vec<bool>,
}

/// What is known when the raw rows are.
#[derive(Debug)]
pub struct RealisedFigures {
    /// Per increment the worst target that holds a person, as in [`ChainFigures::all`]; `None` where there are no people.
    pub all: Vec<Option<WeakestTarget>>,
    /// Whether the least of them was searched for and found, where recodings cross.
    pub solved: bool,
    /// Per increment the sound lower bound.
    pub lower: Vec<Option<u64>>,
}

/// A target with the fewest candidates left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeakestTarget {
    /// How many are left.
    pub left: u64,
    /// Where it is seen: (release, class), one per recoding.
    pub seen: Vec<(usize, usize)>,
}

impl ChainFigures {
    /// Whether the least of `all` is the truth and not only a bound from above.
    pub fn exact(&self) -> bool {
        self.tight && self.whole || self.solved
    }

    /// The same for the targets with a person in them.
    pub fn exact_realised(&self) -> bool {
        self.realised.as_ref().is_some_and(|realised| self.tight || realised.solved)
    }
}
