//! Safeguards against readers who know how releases are made (SCIENCE 5), and the remaining leakage
//! where none exists (SCIENCE 6): guarded values are masked before anything is published, and for
//! the recoding of a search it is computed how far the search reduces the possible tables. Works on
//! codes and counts, receives its random numbers from outside, and proposes no recoding.

pub mod mask;
pub mod search_inference;
