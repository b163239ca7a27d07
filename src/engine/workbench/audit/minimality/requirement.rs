//! The requirement that a release was generalised for (SCIENCE 5; MIN 5): classes were made coarser
//! until it held.

use std::fmt;

use crate::gate::minimality::requirement::ExactShare;
use crate::policy::Decimal;

/// A requirement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Requirement {
    /// l-diversity in its simple form: no guarded set has a share above 1/l.
    Diverse {
        /// l.
        l: u64,
    },
    /// (α, k)-anonymity: at least k people, in which no guarded set has a share above α.
    Alpha {
        /// α.
        alpha: Decimal,
        /// k.
        k: u64,
    },
    /// Recursive (c, l)-diversity of all values.
    Recursive {
        /// c.
        c: Decimal,
        /// l.
        l: u64,
    },
    /// t-closeness, with all values at equal distances.
    Close {
        /// t.
        t: Decimal,
    },
    /// (k, e)-anonymity: at least k people, whose numbers span at least e.
    Range {
        /// k.
        k: u64,
        /// e.
        e: Decimal,
    },
    /// Personal privacy: no person is linked to what they guard with more than p.
    Personal {
        /// p.
        most: Decimal,
    },
}

impl Requirement {
    /// The limit of the figures: the largest share of a set, c, t or e.
    pub fn limit(&self) -> f64 {
        match self {
            Requirement::Diverse { l } => {
                assert!(*l > 0, "a class has a value");
                1.0 / *l as f64
            }
            Requirement::Alpha { alpha: limit, .. }
            | Requirement::Recursive { c: limit, .. }
            | Requirement::Close { t: limit }
            | Requirement::Personal { most: limit }
            | Requirement::Range { e: limit, .. } => limit.get(),
        }
    }

    /// The largest share of a set or a value that it can allow: c / (c + 1) for a recursive one, no
    /// limit for the others that look at all values.
    pub fn limit_of_share(&self) -> f64 {
        match self {
            Requirement::Recursive { c, .. } => c.get() / (c.get() + 1.0),
            _ => self.of_sets().map_or(1.0, |most| {
                assert!(most.of > 0, "a share is of something");
                most.part as f64 / most.of as f64
            }),
        }
    }

    /// The smallest number of different values of a class.
    pub fn least_values(&self) -> u64 {
        if let Requirement::Recursive { l, .. } = self {
            *l
        } else {
            1
        }
    }

    /// The requirement in words.
    pub fn named(&self) -> String {
        match self {
            Requirement::Diverse { l } => format!("{l}-diversity"),
            Requirement::Alpha { alpha, k } => format!("({alpha}, {k})-anonymity"),
            Requirement::Recursive { c, l } => format!("recursive ({c}, {l})-diversity"),
            Requirement::Close { t } => format!("{t}-closeness"),
            Requirement::Range { k, e } => format!("({k}, {e})-anonymity"),
            Requirement::Personal { most } => format!("personal privacy at {most}"),
        }
    }

    /// What the requirement promises to one person, in words.
    pub fn promised(&self) -> String {
        match self {
            Requirement::Diverse { l } => format!("the policy permits at most 1/{l}"),
            Requirement::Alpha { alpha: most, .. } | Requirement::Personal { most } => {
                format!("the requirement permits at most {most}")
            }
            Requirement::Recursive { c, l } => {
                format!(
                    "the requirement needs at least {l} values, and the most likely one below {c} times all from the \
                     l-th on"
                )
            }
            Requirement::Close { t } => format!("the requirement permits at most {t}"),
            Requirement::Range { e, .. } => format!("the requirement needs at least {e}"),
        }
    }

    /// The largest share of a guarded set; `None` if the requirement looks at all values.
    pub(super) fn of_sets(&self) -> Option<ExactShare> {
        match self {
            Requirement::Diverse { l } => Some(ExactShare { part: 1, of: *l }),
            Requirement::Alpha { alpha: most, .. } | Requirement::Personal { most } => {
                Some((*most).into())
            }
            _ => None,
        }
    }

    /// The smallest number of people of a class.
    pub(super) fn least(&self) -> u64 {
        match self {
            Requirement::Alpha { k, .. } | Requirement::Range { k, .. } => *k,
            _ => 0,
        }
    }
}

/// As on the command line.
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Requirement::Diverse { l } => write!(f, "l={l}"),
            Requirement::Alpha { alpha, k } => write!(f, "alpha={alpha},k={k}"),
            Requirement::Recursive { c, l } => write!(f, "c={c},l={l}"),
            Requirement::Close { t } => write!(f, "t={t}"),
            Requirement::Range { k, e } => write!(f, "k={k},e={e}"),
            Requirement::Personal { most } => write!(f, "p={most}"),
        }
    }
}
