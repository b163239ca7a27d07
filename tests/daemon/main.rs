//! Running feeds: in memory, with damaged objects, killed at any place, observed, continued from
//! roots of earlier versions, scrubbed, and as the real program.

#[path = "../common/mod.rs"]
mod common;

mod clock_steps;
mod damage;
mod feed_writer;
mod form_versions;
mod kills;
mod observe;
mod roots;
mod run;
mod scrub;
mod simulation;
