//! How much work the search for what is exactly left may take, counted in operations: a clock would make the answer
//! depend on the machine.

/// How many operations the search may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExactBudget(u64);

impl ExactBudget {
    /// Where the verdict hangs on it: some tens of seconds.
    pub const FULL: ExactBudget = ExactBudget(10_000_000_000);
    /// Where the verdict is known and only the figure would be better: a fraction of a second.
    pub const SMALL: ExactBudget = ExactBudget(200_000_000);

    /// So many operations.
    pub fn new(operations: u64) -> ExactBudget {
        ExactBudget(operations)
    }

    /// Sets so many aside for one question, or what there is; [`ExactBudget::unite`] gives back what is left of it.
    pub fn share(&mut self, operations: u64) -> ExactBudget {
        let share = operations.min(self.0);
        self.0 -= share;
        ExactBudget(share)
    }

    /// Takes back what is left of a share.
    pub fn unite(&mut self, share: ExactBudget) {
        self.0 += share.0;
    }

    /// Takes so many off.
    ///
    /// # Errors
    /// None are left.
    pub fn spend(&mut self, operations: usize) -> Result<(), OpenReason> {
        self.0 = self.0.saturating_sub(operations as u64);
        if self.0 == 0 { Err(OpenReason::Spent) } else { Ok(()) }
    }
}

/// Why a figure stays open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenReason {
    /// The budget is spent, or the numbers are too large.
    Spent,
    /// No world agrees with the releases.
    Contradiction,
}
