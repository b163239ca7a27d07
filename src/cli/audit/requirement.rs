//! `--requirement`: the requirement that a release was generalised for, as an engineer writes it:
//! `l=2`, `c=3,l=3`, `alpha=0.5,k=2`, `t=0.2`, `k=2,e=5000`, `p=0.5`. The keys that are present say
//! which requirement it is.

use std::collections::BTreeMap;

use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::engine::audit::Requirement;
use crate::engine::policy::Decimal;

/// Reads a requirement.
///
/// # Errors
/// The text is no requirement.
pub(super) fn parse(text: &str) -> Result<Requirement> {
    let refused = |why: &str| {
        let text = format!(
            "{why}: write a requirement such as l=2, alpha=0.5,k=2, c=3,l=3, t=0.2, k=2,e=5000 and p=0.5 (l-diversity, \
             (alpha, k)-anonymity, recursive (c, l)-diversity, t-closeness, (k, e)-anonymity, personal privacy)"
        );
        Error::new(ErrorCategory::Usage, text).in_field("--requirement")
    };
    let mut given = BTreeMap::new();
    for part in text.split(',') {
        let pair = part
            .split_once('=')
            .map(|(key, number)| (key.trim(), number.trim()));
        let (key, number) =
            pair.ok_or_else(|| refused("a requirement consists of keys with numbers"))?;
        let number = Decimal::parse(number)
            .ok_or_else(|| refused("a number of at least 0 is missing, such as 0.5 or 2"))?;
        if given.insert(key, number).is_some() {
            return Err(refused("a key occurs twice"));
        }
    }
    let share = |number: Decimal| match number.get() {
        0.0..=1.0 => Ok(number),
        _ => Err(refused("alpha, t and p are between 0 and 1")),
    };
    let whole = |number: Decimal| match (number.scale(), number.digits()) {
        (0, 1..) => Ok(number.digits()),
        _ => Err(refused("k and l are whole numbers from 1 on")),
    };
    let pairs: Vec<(&str, Decimal)> = given.into_iter().collect();
    match pairs[..] {
        [("l", l)] => Ok(Requirement::Diverse { l: whole(l)? }),
        [("alpha", alpha)] => Ok(Requirement::Alpha {
            alpha: share(alpha)?,
            k: 1,
        }),
        [("alpha", alpha), ("k", k)] => Ok(Requirement::Alpha {
            alpha: share(alpha)?,
            k: whole(k)?,
        }),
        [("c", c), ("l", l)] => Ok(Requirement::Recursive { c, l: whole(l)? }),
        [("t", t)] => Ok(Requirement::Close { t: share(t)? }),
        [("p", most)] => Ok(Requirement::Personal { most: share(most)? }),
        [("e", e), ("k", k)] => Ok(Requirement::Range { k: whole(k)?, e }),
        _ => Err(refused("these keys do not form a requirement")),
    }
}
