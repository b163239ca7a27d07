//! Where numbers come from that nobody can foresee.

/// Draws.
pub trait Draws {
    /// One of `0..n`, each as likely.
    fn below(&mut self, n: u64) -> u64;
}
