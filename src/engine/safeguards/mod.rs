//! What keeps readers who know how releases are made from learning more by it (SCIENCE 5): guarded values are masked before
//! anything is published. Works on codes and counts, is handed its chance, and never sees a recoding search.

pub mod mask;
