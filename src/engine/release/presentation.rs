//! Additional information for readers on the pages of a release.

use super::language::Language;
use super::past_release::PastRelease;

/// Additional information for readers on the pages; no decision depends on it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Presentation<'a> {
    /// What the data may be used for, in the operator's words.
    pub purpose: Option<&'a str>,
    /// How readers reach the people who are responsible for the data.
    pub contact: Option<&'a str>,
    /// The language of the report.
    pub language: Language,
    /// Earlier releases of the chain, oldest first.
    pub earlier: &'a [PastRelease],
}
