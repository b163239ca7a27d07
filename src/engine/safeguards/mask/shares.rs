//! Which atoms hold too many rows of a guarded set, and how many each of them shows instead (SCIENCE 5, MASK 2 to 4): a share
//! that is drawn from atoms which hold few enough, rounded by chance, and never above what is allowed.

use super::draws::Draws;

/// The people of an atom, and how many of them are in a guarded set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtomShare {
    /// All.
    pub people: u64,
    /// Those in the set.
    pub guarded: u64,
}

impl AtomShare {
    /// Whether more are in the set than one in `l`.
    fn violates(self, l: u64) -> bool {
        self.guarded * l > self.people
    }
}

/// What atoms are to be changed, and where the shares come from that they get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomShares {
    l: u64,
    /// V: the atoms that hold too many, in order.
    pub violating: Vec<usize>,
    /// L: atoms that hold few enough, the largest shares first.
    pub givers: Vec<usize>,
    /// How many more there should be. Drawing one of those means as many as are allowed.
    pub short: u64,
}

impl AtomShares {
    /// Of all atoms of an increment.
    pub fn of(crowds: &[AtomShare], l: u64) -> AtomShares {
        assert!(l >= 1, "a share of one in l");
        let (violating, mut givers): (Vec<usize>, Vec<usize>) =
            (0..crowds.len()).partition(|&at| crowds[at].violates(l));
        let wanted = (l - 1) * violating.len() as u64;
        // a/b > c/d; equal ones stay in their order.
        let share = |at: &usize| (u128::from(crowds[*at].guarded), u128::from(crowds[*at].people));
        givers.sort_by(|one, other| {
            let ((a, b), (c, d)) = (share(one), share(other));
            (c * b).cmp(&(a * d))
        });
        givers.truncate(usize::try_from(wanted).unwrap_or(usize::MAX));
        let short = wanted - givers.len() as u64;
        AtomShares { l, violating, givers, short }
    }

    /// How many rows of the set each atom shows that held too many.
    pub fn targets(&self, crowds: &[AtomShare], draws: &mut dyn Draws) -> Vec<(usize, u64)> {
        let target = |&at: &usize| {
            let drawn = draws.below(self.givers.len() as u64 + self.short);
            let giver = self.givers.get(usize::try_from(drawn).unwrap_or(usize::MAX));
            (at, self.target(crowds[at].people, giver.map(|&giver| crowds[giver]), draws))
        };
        self.violating.iter().map(target).collect()
    }

    /// How many of so many people show it under the share of an atom; `None`: as many as are allowed.
    fn target(&self, people: u64, giver: Option<AtomShare>, draws: &mut dyn Draws) -> u64 {
        let most = people / self.l;
        let Some(AtomShare { people: of, guarded }) = giver else { return most };
        let exact = u128::from(guarded) * u128::from(people);
        let (whole, rest) = (exact / u128::from(of), exact % u128::from(of));
        let up = draws.below(of) < u64::try_from(rest).expect("a rest is smaller than what leaves it");
        most.min(u64::try_from(whole).unwrap_or(u64::MAX).saturating_add(u64::from(up)))
    }
}
