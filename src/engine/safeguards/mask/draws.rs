//! Where numbers come from that cannot be foreseen.

/// Draws.
pub trait Draws {
    /// One of `0..n`, each as likely.
    fn below(&mut self, n: u64) -> u64;
}
