//! Arithmetic that the search, the gate and replays of a search share: exact fractions, confidence
//! bounds, seeded random numbers, and functions whose results are the same on every machine. A
//! check is independent of a search through the way it decides; it does not need its own addition
//! of fractions.

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
