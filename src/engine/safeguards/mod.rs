//! What keeps readers who know how releases are made from learning more by it (SCIENCE 5), and how much they learn where
//! nothing can (SCIENCE 6): guarded values are masked before anything is published, and of a recoding that was searched
//! for it is told how far its course narrows down who is where. Works on codes and counts, is handed its chance, and
//! proposes no recoding.

pub mod mask;
pub mod search_inference;
