//! What an attack has found, before it is shown in any form.

use crate::engine::gate::refinement::{Against, Joint, Target, Values};
use crate::engine::policy::Refinement;

/// What the attack has found.
pub struct Found {
    /// How solutions are counted.
    pub values: Values,
    /// What the policy allows.
    pub limits: Refinement,
    /// What each target tells.
    pub targets: Vec<Target>,
    /// What all targets together tell; `None` where that is beyond the budget.
    pub joint: Option<Joint>,
    /// Per target how many cells hold one person; `None` without the raw rows.
    pub fuzzy: Option<Vec<u64>>,
    /// What speaks against the release.
    pub against: Vec<Against>,
}
