//! What the pages of a release tell readers beside the release itself.

use super::language::Language;
use super::past_release::PastRelease;

/// What the pages tell readers beside a release; readers see it, and no decision depends on it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Presentation<'a> {
    /// What the data may be used for, in the operator's words.
    pub purpose: Option<&'a str>,
    /// How readers reach the people who are responsible for it.
    pub contact: Option<&'a str>,
    /// The language of the report.
    pub language: Language,
    /// Earlier releases of the chain, oldest first.
    pub earlier: &'a [PastRelease],
}
