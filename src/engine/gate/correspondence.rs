//! Correspondence attacks on two releases (SCIENCE 2; BCF 3 and 4): the number of candidates for an
//! attacker who knows that every row of the earlier release has a row in the later one.
//!
//! F excludes rows of the earlier release, C excludes rows of the later one for people of the
//! earlier one, and B excludes rows of the later one for people who came in between.

use rayon::prelude::*;

use crate::histogram::{Excess, JoinCells, Release, ValueCode};

/// The smallest number of candidates, over all targets that were examined; `None` if there were
/// none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Anonymity {
    /// After F-attacks.
    pub fa: Option<u64>,
    /// After C-attacks; equal to `fa` (BCF theorem 4.5), but computed from the other side.
    pub ca: Option<u64>,
    /// After B-attacks.
    pub ba: Option<u64>,
}

/// The rows of one sensitive value that the attacks exclude for a pair of comparable classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crack {
    /// The sensitive value.
    pub value: ValueCode,
    /// Rows excluded in the earlier class (F).
    pub f: u64,
    /// Rows excluded in the later class (C).
    pub c: u64,
}

/// Two releases, joined.
pub struct Correspondence<'a> {
    earlier: &'a Release,
    later: &'a Release,
    cells: &'a JoinCells,
    excess: &'a Excess,
}

impl<'a> Correspondence<'a> {
    /// From two releases of one chain.
    pub fn new(
        earlier: &'a Release,
        later: &'a Release,
        cells: &'a JoinCells,
        excess: &'a Excess,
    ) -> Correspondence<'a> {
        assert!(
            earlier.rows() <= later.rows(),
            "a later release holds the earlier one"
        );
        Correspondence {
            earlier,
            later,
            cells,
            excess,
        }
    }

    /// FA, CA and BA over all comparable pairs and all classes (the paper's figures).
    pub fn all(&self) -> Anonymity {
        let per_class = (0..self.earlier.classes()).into_par_iter().map(|class| {
            let later = self.cells.later(self.cells.of_earlier(class)).iter();
            later
                .map(|&other| self.f_and_c_left(class, other as usize))
                .reduce(least)
        });
        let (fa, ca) = per_class.flatten().reduce_with(least).unzip();
        let ba = (0..self.later.classes())
            .into_par_iter()
            .map(|class| self.b_left(class))
            .min();
        Anonymity { fa, ca, ba }
    }

    /// FA and CA over these pairs of classes (earlier, later), and BA over these classes of the
    /// later release: the targets that contain people.
    pub fn realised(&self, pairs: &[[u32; 2]], newcomers: &[u32]) -> Anonymity {
        let left =
            |&[earlier, later]: &[u32; 2]| self.f_and_c_left(earlier as usize, later as usize);
        let (fa, ca) = pairs.par_iter().map(left).reduce_with(least).unzip();
        Anonymity {
            fa,
            ca,
            ba: newcomers
                .par_iter()
                .map(|&class| self.b_left(class as usize))
                .min(),
        }
    }

    /// The candidates in the earlier class after F, and in the later class after C.
    pub fn f_and_c_left(&self, earlier: usize, later: usize) -> (u64, u64) {
        let excluded = self
            .cracks(earlier, later)
            .fold((0, 0), |sum, crack| (sum.0 + crack.f, sum.1 + crack.c));
        assert!(
            excluded.0 <= self.earlier.size(earlier),
            "no more rows are excluded than the earlier class has"
        );
        assert!(
            excluded.1 <= self.later.size(later),
            "no more rows are excluded than the later class has"
        );
        (
            self.earlier.size(earlier) - excluded.0,
            self.later.size(later) - excluded.1,
        )
    }

    /// The crack size of every group of two comparable classes.
    pub fn cracks(&self, earlier: usize, later: usize) -> impl Iterator<Item = Crack> + '_ {
        let (mut a, a_end) = (
            self.earlier.range(earlier).start,
            self.earlier.range(earlier).end,
        );
        let (mut b, b_end) = (self.later.range(later).start, self.later.range(later).end);
        std::iter::from_fn(move || {
            let next =
                |release: &Release, at: usize, end: usize| (at < end).then(|| release.values()[at]);
            let value = match (next(self.earlier, a, a_end), next(self.later, b, b_end)) {
                (Some(a), Some(b)) => a.min(b),
                (a, b) => a.or(b)?,
            };
            let take = |release: &Release, at: &mut usize, end: usize| {
                if next(release, *at, end) != Some(value) {
                    return 0;
                }
                *at += 1;
                release.counts()[*at - 1]
            };
            let (g_earlier, g_later) = (
                take(self.earlier, &mut a, a_end),
                take(self.later, &mut b, b_end),
            );
            let both = g_earlier.min(g_later);
            Some(Crack {
                value,
                f: g_earlier - both,
                c: g_later - both,
            })
        })
    }

    /// The candidates in a class of the later release after B.
    pub fn b_left(&self, later: usize) -> u64 {
        self.later.size(later)
            - self
                .b_cracks(later)
                .map(|(_, excluded)| excluded)
                .sum::<u64>()
    }

    /// The rows of each group of a class of the later release that B excludes.
    pub fn b_cracks(&self, later: usize) -> impl Iterator<Item = (ValueCode, u64)> + '_ {
        let cell = self.cells.of_later(later);
        self.later.range(later).map(move |group| {
            let (value, count) = (self.later.values()[group], self.later.counts()[group]);
            (value, count - count.min(self.excess.rows(cell, value)))
        })
    }
}

fn least(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.min(b.0), a.1.min(b.1))
}
