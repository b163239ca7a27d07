//! The information in a refused split of a class (SCIENCE 11): a split that would leave a part with
//! too few people for a class is always refused, any other one with a probability of a quarter. So
//! rare values are more frequent in labels that could have been split than in the table as a whole.

/// The probability with which the coin refuses a possible split.
const COIN: f64 = 0.25;
/// From this number of people on, a class gives no information: its split is hardly ever refused
/// because of the number of people in a part.
const MANY: u64 = 1_000;

/// The probability that the split of a class of `people` was refused, if one of them is in a part,
/// and each other one is there with probability `share`. A part must be empty or hold `fewest`
/// people.
pub(super) fn refused(people: u64, fewest: u64, share: f64) -> f64 {
    assert!((0.0..=1.0).contains(&share), "a share");
    match people {
        0..2 => return COIN,
        MANY.. => return 1.0,
        _ => {}
    }
    let others = people - 1;
    // With this person, 1 to `fewest` - 1 people are in this part, or in the other one.
    let few = fewest.saturating_sub(2);
    let most_of_them = others.saturating_sub(fewest - 1);
    let unclean = if most_of_them <= few + 1 {
        1.0 - at_most(0, others, 1.0 - share)
    } else {
        at_most(few, others, share) + at_most(fewest - 1, others, 1.0 - share)
            - at_most(0, others, 1.0 - share)
    };
    COIN + (1.0 - COIN) * unclean.clamp(0.0, 1.0)
}

/// The probability of at most `most` successes in `trials` trials.
fn at_most(most: u64, trials: u64, probability: f64) -> f64 {
    assert!((0.0..=1.0).contains(&probability), "a probability");
    let (yes, no) = (
        probability.clamp(0.0, 1.0),
        1.0 - probability.clamp(0.0, 1.0),
    );
    if no <= 0.0 {
        return f64::from(u8::from(most >= trials));
    }
    let (mut term, mut sum) = (no.powi(trials as i32), 0.0);
    for successes in 0..=most.min(trials) {
        sum += term;
        term *= (trials - successes) as f64 / (successes + 1) as f64 * yes / no;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enumerates every way to place the others.
    fn counted(people: u64, fewest: u64, share: f64) -> f64 {
        let others = people - 1;
        let ways = 0u64..1 << others;
        ways.map(|way| {
            let with = u64::from(way.count_ones());
            let chance = share.powi(with as i32) * (1.0 - share).powi((others - with) as i32);
            let clean = |part: u64| part == 0 || part >= fewest;
            chance
                * if clean(with + 1) && clean(others - with) {
                    COIN
                } else {
                    1.0
                }
        })
        .sum()
    }

    #[test]
    fn a_refusal_is_as_likely_as_all_places_of_the_others_make_it() {
        for (people, fewest) in [
            (2, 2),
            (5, 5),
            (7, 5),
            (9, 5),
            (10, 5),
            (12, 5),
            (12, 2),
            (11, 3),
        ] {
            for share in [0.0, 1e-9, 0.03, 0.4, 0.5, 0.97, 1.0] {
                let (found, wanted) = (
                    refused(people, fewest, share),
                    counted(people, fewest, share),
                );
                assert!(
                    (found - wanted).abs() < 1e-9,
                    "{people} {fewest} {share}: {found}, not {wanted}"
                );
            }
        }
    }
}
