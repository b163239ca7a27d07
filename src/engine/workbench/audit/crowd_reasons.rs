//! The reasons against a chain whose rows keep their labels (SCIENCE 11): a row that changed, too
//! few rows of a label that were published together, and rows whose statements about themselves
//! contradict the tables.

use super::crowds::{CrowdFigures, SmallChange};
use super::growth::RowContradiction;
use super::judge::{FailedCheck, FigureLimits, many};
use crate::histogram::describe;
use crate::model::ReleaseColumn;

impl FigureLimits<'_> {
    /// Judges such a chain; false if it cannot be decided.
    pub(super) fn growth(&self, crowds: &CrowdFigures, reasons: &mut Vec<FailedCheck>) -> bool {
        let least = self.least();
        assert_eq!(
            crowds.new.len(),
            self.releases.len(),
            "what is new in each release"
        );
        assert!(
            least >= self.policy.k(),
            "an atom is no smaller than a class may be"
        );
        let few = |few: &SmallChange| few.rows < least;
        for (at, new) in crowds.new.iter().enumerate() {
            reasons.extend(
                new.as_ref()
                    .filter(|new| few(new))
                    .map(|new| self.few(at, new)),
            );
        }
        for (at, gone) in crowds.gone.iter().enumerate() {
            reasons.extend(gone.as_ref().map(|gone| self.gone(at, gone)));
        }
        reasons.extend(
            crowds
                .contradictions
                .iter()
                .map(|&found| self.contradiction(found)),
        );
        crowds.exact() || crowds.new.iter().chain(&crowds.gone).flatten().any(few)
    }

    /// The smallest number of rows of a label that may be published together: k, or the size of an
    /// atom if values are masked. Masking is not assumed if the release is said to be made by
    /// another method.
    fn least(&self) -> u64 {
        let masked = self
            .policy
            .masking()
            .is_some_and(|masking| masking.mask && !self.other_method);
        if masked {
            self.policy.a()
        } else {
            self.policy.k()
        }
    }

    fn release(&self, at: usize) -> String {
        format!("release {} ({})", at + 1, self.names[at])
    }

    fn few(&self, at: usize, SmallChange { rows, label }: &SmallChange) -> FailedCheck {
        let (release, class, least) = (
            self.release(at),
            describe(label, self.columns),
            self.least(),
        );
        let held = match at {
            0 if self.releases[0].size_of(&label[..self.releases[0].width()]) == *rows => {
                format!(
                    "class {class} has {}, the policy requires at least {least}",
                    many(*rows, "row")
                )
            }
            _ => {
                let rows = many(*rows, "row");
                format!(
                    "class {class} has only {rows} that came in one release, the policy requires at least {least}, or none"
                )
            }
        };
        let text = format!("{release}: {held}");
        FailedCheck {
            check: "k",
            release: Some(at),
            value: *rows as f64,
            limit: least as f64,
            text,
        }
    }

    fn gone(&self, at: usize, SmallChange { rows, label }: &SmallChange) -> FailedCheck {
        assert!(at > 0, "the first release removes nothing");
        let (earlier, later) = (self.release(at - 1), self.release(at));
        let (class, rows_of) = (describe(label, self.columns), many(*rows, "row"));
        let [are, have] = if *rows == 1 {
            ["is", "has"]
        } else {
            ["are", "have"]
        };
        let text = format!(
            "{later}: {rows_of} of class {class} of {earlier} {are} not in it, or {have} another label or sensitive \
             value. If rows keep their labels, every row must stay as it was published: a reader who compares both \
             releases sees which rows did not"
        );
        FailedCheck {
            check: "chain",
            release: Some(at),
            value: *rows as f64,
            limit: 0.0,
            text,
        }
    }

    fn contradiction(&self, found: RowContradiction) -> FailedCheck {
        let column = self.columns.release().name().unwrap_or(ReleaseColumn::NAME);
        let (at, what) = match found {
            RowContradiction::Silent(at) => (
                at,
                format!(
                    "it has no column `{column}`, but another release has one: give it to all of them, or to none"
                ),
            ),
            RowContradiction::Changed(at) => {
                let earlier = self.release(at - 1);
                (
                    at,
                    format!(
                        "its column `{column}` gives rows of {earlier} a different release than they have there"
                    ),
                )
            }
            RowContradiction::Late(at) => {
                let earlier = self.release(at - 1);
                let says = "states that rows came with a release that is not newer than";
                (
                    at,
                    format!(
                        "its column `{column}` {says} {earlier}, and these rows are not in that one"
                    ),
                )
            }
        };
        let text = format!("{}: {what}", self.release(at));
        FailedCheck {
            check: ReleaseColumn::NAME,
            release: Some(at),
            value: 0.0,
            limit: 0.0,
            text,
        }
    }
}
