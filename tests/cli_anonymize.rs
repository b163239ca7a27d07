//! `tidegate anonymize` from outside (CONTRACTS 3): what it answers, what lies in its folder, and that neither bad input
//! nor a kill at any moment leaves half of anything there.

mod common;

#[path = "cli_anonymize/answers.rs"]
mod answers;
#[path = "cli_anonymize/golden.rs"]
mod golden;
#[path = "cli_anonymize/inputs.rs"]
mod inputs;
#[path = "cli_anonymize/place.rs"]
mod place;
