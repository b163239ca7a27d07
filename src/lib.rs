//! Tidegate publishes anonymised releases of data that never stops arriving, and attacks each one before it leaves.
pub mod engine;
