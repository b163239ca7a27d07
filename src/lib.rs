//! Tidegate publishes anonymised releases of data that never stops arriving, and attacks each one
//! before it leaves.

#[cfg(feature = "daemon")]
pub mod cli;
#[cfg(feature = "daemon")]
pub mod daemon;
pub mod guide;

#[doc(inline)]
pub use tidegate_engine as engine;
