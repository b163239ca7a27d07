//! The limit on the work of the search for exact numbers of candidates, counted in operations: with
//! a clock, the answer would depend on the machine.

/// The number of operations that the search may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExactBudget(u64);

impl ExactBudget {
    /// If the verdict depends on it: some tens of seconds.
    pub const FULL: ExactBudget = ExactBudget(10_000_000_000);
    /// If the verdict is known and only the figure would improve: a fraction of a second.
    pub const SMALL: ExactBudget = ExactBudget(200_000_000);

    /// A budget of this many operations.
    pub fn new(operations: u64) -> ExactBudget {
        ExactBudget(operations)
    }

    /// Takes a share for one question, at most what is left; [`ExactBudget::unite`] returns its
    /// remainder.
    pub fn share(&mut self, operations: u64) -> ExactBudget {
        let share = operations.min(self.0);
        self.0 -= share;
        ExactBudget(share)
    }

    /// Takes back the remainder of a share.
    pub fn unite(&mut self, share: ExactBudget) {
        self.0 += share.0;
    }

    /// Spends operations.
    ///
    /// # Errors
    /// None are left.
    pub fn spend(&mut self, operations: usize) -> Result<(), OpenReason> {
        self.0 = self.0.saturating_sub(operations as u64);
        if self.0 == 0 {
            Err(OpenReason::Spent)
        } else {
            Ok(())
        }
    }
}

/// Why a figure remains open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenReason {
    /// The budget is spent, or the numbers are too large.
    Spent,
    /// No possible table agrees with the releases.
    Contradiction,
}
