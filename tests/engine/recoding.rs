//! One recoding for all rows (SCIENCE 4 and 8): searched from the top down or by levels, with rows
//! that may be left waiting, weights and floors, against searches written from the definition; and
//! the certain facts about it, against all populations that give the same release.

mod certainty;
mod found_recodings;
mod reference;
