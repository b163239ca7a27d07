//! Tables of published sums (SCIENCE 7): what readers can compute, and which sums are suppressed.
//! Compared with enumeration: vertices for intervals, all patterns for the cheapest one.

mod attack;
mod judge;
mod literature;
mod protect;
mod recoverer;
mod sdctable;
