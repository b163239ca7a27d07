//! The source of unpredictable random numbers.

/// A source of random numbers.
pub trait Draws {
    /// A number of `0..n`, all equally likely.
    fn below(&mut self, n: u64) -> u64;
}
