//! The guide: the architecture, what is guaranteed and what is not, how to run a feed, and how to
//! read an audit. It contains prose only, compiled into the documentation so that its links and
//! examples are checked.
//!
//! Comments in the code cite three of its pages by name and section: SCIENCE is [`science`], HOUSE
//! is [`house`], CONTRACTS is [`contracts`].

#[doc = include_str!("start.md")]
pub mod start {}

#[doc = include_str!("walk.md")]
pub mod walk {}

#[doc = include_str!("glossary.md")]
pub mod glossary {}

#[doc = include_str!("house.md")]
pub mod house {}

#[doc = include_str!("threats.md")]
pub mod threats {}

#[doc = include_str!("releases.md")]
pub mod releases {}

#[doc = include_str!("operations.md")]
pub mod operations {}

#[doc = include_str!("formats.md")]
pub mod formats {}

#[doc = include_str!("faults.md")]
pub mod faults {}

#[doc = include_str!("topics.md")]
pub mod topics {}

#[doc = include_str!("analysts.md")]
pub mod analysts {}

#[doc = include_str!("counting.md")]
#[doc = include_str!("counting.svg")]
pub mod counting {}

#[doc = include_str!("audit.md")]
pub mod audit {}

#[doc = include_str!("refinement.md")]
pub mod refinement {}

#[doc = include_str!("taxonomies.md")]
pub mod taxonomies {}

#[doc = include_str!("papers.md")]
#[doc = include_str!("papers-bcf.svg")]
#[doc = include_str!("papers-minimality.svg")]
#[doc = include_str!("papers-dominance.svg")]
pub mod papers {}

#[doc = include_str!("contracts.md")]
pub mod contracts {}

#[doc = include_str!("science.md")]
pub mod science {}
