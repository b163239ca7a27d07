//! Arithmetic that the search, the gate and what replays a search all need: exact fractions, bounds on what was drawn, numbers that follow
//! from a seed, and functions whose results are the same on every machine. What makes a check independent of a search is how it decides,
//! not that it adds fractions in its own way.

mod confidence;
mod draws;
mod elementary;
mod fraction;
mod gamma;
mod rational;

pub use confidence::{DELTA, least};
pub use draws::{STEPS, SeededDraws, SmallDraws, portion};
pub use elementary::{exp, ln, power};
pub use fraction::{ShareFraction, bits_of_choose, choose};
pub use gamma::{ln_quotients, reciprocals};
pub use num_integer::gcd;
pub use rational::RationalNumber;
