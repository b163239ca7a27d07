//! Which atoms have too many rows of a guarded set, and how many each of them shows instead
//! (SCIENCE 5, MASK 2 to 4): a share that is drawn from atoms with few enough, rounded randomly,
//! and never above the limit.

use super::draws::Draws;

/// The number of people of an atom, and of those in a guarded set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtomShare {
    /// All people.
    pub people: u64,
    /// Those in the set.
    pub guarded: u64,
}

impl AtomShare {
    /// Whether more than one in `l` are in the set.
    fn violates(self, l: u64) -> bool {
        self.guarded * l > self.people
    }
}

/// The atoms to be changed, and the sources of their new shares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomShares {
    l: u64,
    /// V: the atoms with too many, in order.
    pub violating: Vec<usize>,
    /// L: atoms with few enough, the largest shares first.
    pub givers: Vec<usize>,
    /// How many sources are missing. Drawing a missing one gives the largest share allowed.
    pub short: u64,
}

impl AtomShares {
    /// For all atoms of an increment.
    pub fn of(crowds: &[AtomShare], l: u64) -> AtomShares {
        assert!(l >= 1, "a share of one in l");
        let (violating, mut givers): (Vec<usize>, Vec<usize>) =
            (0..crowds.len()).partition(|&at| crowds[at].violates(l));
        let wanted = (l - 1) * violating.len() as u64;
        // a/b > c/d; equal ones stay in their order.
        let share = |at: &usize| {
            (
                u128::from(crowds[*at].guarded),
                u128::from(crowds[*at].people),
            )
        };
        givers.sort_by(|one, other| {
            let ((a, b), (c, d)) = (share(one), share(other));
            (c * b).cmp(&(a * d))
        });
        givers.truncate(usize::try_from(wanted).unwrap_or(usize::MAX));
        let short = wanted - givers.len() as u64;
        AtomShares {
            l,
            violating,
            givers,
            short,
        }
    }

    /// How many rows of the set each atom with too many shows.
    pub fn targets(&self, crowds: &[AtomShare], draws: &mut dyn Draws) -> Vec<(usize, u64)> {
        let target = |&at: &usize| {
            let drawn = draws.below(self.givers.len() as u64 + self.short);
            let giver = self
                .givers
                .get(usize::try_from(drawn).unwrap_or(usize::MAX));
            (
                at,
                self.target(crowds[at].people, giver.map(|&giver| crowds[giver]), draws),
            )
        };
        self.violating.iter().map(target).collect()
    }

    /// How many of `people` show it under the share of an atom; `None`: the largest number allowed.
    fn target(&self, people: u64, giver: Option<AtomShare>, draws: &mut dyn Draws) -> u64 {
        let most = people / self.l;
        let Some(AtomShare {
            people: of,
            guarded,
        }) = giver
        else {
            return most;
        };
        let exact = u128::from(guarded) * u128::from(people);
        let (whole, rest) = (exact / u128::from(of), exact % u128::from(of));
        let up =
            draws.below(of) < u64::try_from(rest).expect("a rest is smaller than what leaves it");
        most.min(
            u64::try_from(whole)
                .unwrap_or(u64::MAX)
                .saturating_add(u64::from(up)),
        )
    }
}
