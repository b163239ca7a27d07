//! All possible draws, one after the other, with their probability: an attacker who knows the
//! mechanism uses them.

use tidegate::engine::safeguards::mask::Draws;

/// One possible sequence of draws.
#[derive(Default)]
pub struct Branch {
    drawn: Vec<(u64, u64)>,
    at: usize,
}

impl Draws for Branch {
    fn below(&mut self, n: u64) -> u64 {
        if self.at == self.drawn.len() {
            self.drawn.push((0, n));
        }
        let (drawn, of) = self.drawn[self.at];
        assert_eq!(of, n, "what was drawn before decides what is drawn next");
        self.at += 1;
        drawn
    }
}

/// All possible results of `run`, with their probability.
pub fn all<T>(mut run: impl FnMut(&mut Branch) -> T) -> Vec<(f64, T)> {
    let mut branch = Branch::default();
    let mut found = Vec::new();
    loop {
        branch.at = 0;
        let came = run(&mut branch);
        found.push((
            branch
                .drawn
                .iter()
                .map(|(_, of)| 1.0 / *of as f64)
                .product(),
            came,
        ));
        while branch
            .drawn
            .last()
            .is_some_and(|(drawn, of)| drawn + 1 == *of)
        {
            branch.drawn.pop();
        }
        match branch.drawn.last_mut() {
            Some((drawn, _)) => *drawn += 1,
            None => return found,
        }
    }
}

#[test]
fn branches_are_all_there_are() {
    let found = all(|draws| (draws.below(2) == 1).then(|| draws.below(3)));
    let sum: f64 = found.iter().map(|(weight, _)| weight).sum();
    assert!((sum - 1.0).abs() < 1e-12);
    let came: Vec<Option<u64>> = found.into_iter().map(|(_, came)| came).collect();
    assert_eq!(came, [None, Some(0), Some(1), Some(2)]);
}
