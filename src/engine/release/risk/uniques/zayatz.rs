//! The equivalence class model (Zayatz 1991): the population has classes of each size in the same
//! proportions as the sample; Bayes' rule then gives the probability that a row that is alone in
//! the sample is alone in the population. Exact products, nothing is fitted.

use crate::risk::sizes::Sizes;

/// Population uniques; `None` if no row is alone.
pub(super) fn uniques(sizes: &Sizes, population: u64) -> Option<f64> {
    assert!(
        population >= sizes.rows(),
        "a sample is a part of its population"
    );
    let (rows, alone) = (sizes.rows() as f64, sizes.of_size(1) as f64);
    let all = population as f64;
    // The probability that exactly one of a class is in the sample: hypergeometric, j · n/N · Π (N
    // − n − i)/(N − 1 − i).
    let (mut others_left_out, mut last, mut one_is_seen) = (1.0, 1, 0.0);
    for (size, classes) in sizes.iter() {
        let steps = (last - 1..size - 1).take_while(|_| size > 1);
        for at in steps {
            others_left_out *= ((all - rows - at as f64) / (all - 1.0 - at as f64)).max(0.0);
            if others_left_out == 0.0 {
                break;
            }
        }
        last = size;
        one_is_seen += classes as f64 * size as f64 * rows / all * others_left_out;
    }
    assert!(
        one_is_seen >= 0.0 && one_is_seen.is_finite(),
        "a number of classes"
    );
    let alone_in_both = alone * rows / all;
    // Never more than there are people, except for the last digit.
    (alone > 0.0).then(|| (alone * alone_in_both / one_is_seen * all / rows).min(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sizes: &[(u64, u64)], population: u64) -> Option<f64> {
        uniques(&sizes.iter().copied().collect(), population)
    }

    fn choose(n: u64, k: u64) -> f64 {
        if k > n {
            0.0
        } else {
            (0..k).map(|at| (n - at) as f64 / (k - at) as f64).product()
        }
    }

    #[test]
    fn it_is_what_bayes_says() {
        for (sizes, population) in [
            (&[(1, 3), (2, 2), (5, 1)][..], 30),
            (&[(1, 1), (3, 1)], 5),
            (&[(1, 4), (2, 4), (3, 2), (9, 1)], 40),
        ] {
            let rows: u64 = sizes.iter().map(|(size, classes)| size * classes).sum();
            let seen =
                |j: u64| choose(j, 1) * choose(population - j, rows - 1) / choose(population, rows);
            let all: f64 = sizes
                .iter()
                .map(|&(size, classes)| classes as f64 * seen(size))
                .sum();
            let alone = sizes[0].1 as f64;
            let meant = alone * (alone * seen(1) / all) * population as f64 / rows as f64;
            let found = of(sizes, population).expect("some are alone");
            assert!(
                (found - meant).abs() < 1e-12 * meant,
                "{sizes:?}: {found} {meant}"
            );
        }
        // All rows alone: 3 · 25/3 is a little more than 25 in floating point.
        assert_eq!(of(&[(1, 3)], 25), Some(25.0));
        assert_eq!(
            (of(&[(1, 3), (4, 2)], 11), of(&[(4, 2)], 11)),
            (Some(3.0), None)
        );
    }
}
