//! The findings of an audit about a chain: the people with the fewest candidates, and how far the
//! figures can be trusted.

/// The figures of a chain of releases.
#[derive(Debug)]
pub struct ChainFigures {
    /// Whether the pair bound is exact for every target: there are at most two releases, or they
    /// are nested.
    pub tight: bool,
    /// Whether all non-empty tuples were examined; otherwise `all` and `paper` are the minimum over
    /// a part of them.
    pub whole: bool,
    /// Whether the minimum of `all` was solved exactly where recodings cross, not counting
    /// increments that add no row.
    pub solved: bool,
    /// For each increment the weakest target over all non-empty tuples, by the pair bound or less
    /// where that was proved.
    pub all: Vec<WeakestTarget>,
    /// The paper's composed figure, as the minimum over all tuples.
    pub paper: u64,
    /// The targets that contain a person; known only with the raw rows.
    pub realised: Option<RealisedFigures>,
    /// What is left against a reader who knows everybody's quasi columns and increments; computed
    /// only with the raw rows.
    pub known: Option<KnownFigures>,
    /// Increments that add no row.
    pub empty: Vec<bool>,
}

/// The figures that need the raw rows.
#[derive(Debug)]
pub struct RealisedFigures {
    /// For each increment the weakest target that contains a person, as in [`ChainFigures::all`];
    /// `None` if there are no people.
    pub all: Vec<Option<WeakestTarget>>,
    /// Whether their minimum was solved exactly where recodings cross.
    pub solved: bool,
    /// For each increment the sound lower bound.
    pub lower: Vec<Option<u64>>,
}

/// The figures against a reader who knows everybody's quasi columns and increments (SCIENCE 3, *Who
/// reads*).
#[derive(Debug)]
pub struct KnownFigures {
    /// Some people have at most this many candidates.
    pub left: u64,
    /// All people have at least this many.
    pub proven: u64,
    /// The increment of the people that `left` is about.
    pub increment: usize,
    /// Their number.
    pub people: u64,
    /// Their classes: (release, class), one per recoding.
    pub seen: Vec<(usize, usize)>,
    /// Whether the candidates of all people are known value by value, so that diversity is exact.
    pub diversity_exact: bool,
}

impl KnownFigures {
    /// The fewest candidates of any person; `None` if they are not known.
    pub fn exact(&self) -> Option<u64> {
        (self.left == self.proven).then_some(self.left)
    }
}

/// A target with the smallest number of candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeakestTarget {
    /// The number of candidates left.
    pub left: u64,
    /// The classes that show it: (release, class), one per recoding.
    pub seen: Vec<(usize, usize)>,
}

impl ChainFigures {
    /// Whether the minimum of `all` is exact, and not only an upper bound.
    pub fn exact(&self) -> bool {
        self.tight && self.whole || self.solved
    }

    /// The same for the targets that contain a person.
    pub fn exact_realised(&self) -> bool {
        self.realised
            .as_ref()
            .is_some_and(|realised| self.tight || realised.solved)
    }
}
