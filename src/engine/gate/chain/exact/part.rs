//! A system of equations for numbers of records: every coefficient is 0 or 1, and every variable is
//! a nonnegative whole number (SCIENCE 3).

/// Equations that share variables with each other and with no equation of another block.
#[derive(Debug)]
pub(super) struct EquationBlock {
    /// Right-hand sides.
    grown: Vec<i64>,
    /// Equations of variable v: `equations[start[v]..start[v + 1]]`; its coefficient is 1 in each.
    start: Vec<u32>,
    equations: Vec<u32>,
    /// For each equation its variables.
    with: Vec<Vec<u32>>,
}

impl EquationBlock {
    /// From right-hand sides and, for each variable, the equations that contain it.
    pub(super) fn new(grown: Vec<i64>, variables: &[Vec<u32>]) -> EquationBlock {
        assert!(
            variables
                .iter()
                .flatten()
                .all(|&equation| (equation as usize) < grown.len()),
            "variables of equations that are there"
        );
        let with = vec![Vec::new(); grown.len()];
        let mut part = EquationBlock {
            grown,
            start: vec![0],
            equations: Vec::new(),
            with,
        };
        variables
            .iter()
            .for_each(|equations| part.push(equations.iter().copied()));
        part
    }

    /// Adds a variable to these equations.
    pub(super) fn push(&mut self, equations: impl Iterator<Item = u32>) {
        let variable = self.variables() as u32;
        for equation in equations {
            self.equations.push(equation);
            self.with[equation as usize].push(variable);
        }
        self.start
            .push(u32::try_from(self.equations.len()).expect("paths are counted against a budget"));
    }

    /// Adds an equation with this right-hand side.
    pub(super) fn equate(&mut self, grown: i64) {
        self.grown.push(grown);
        self.with.push(Vec::new());
    }

    /// The number of variables.
    pub(super) fn variables(&self) -> usize {
        self.start.len() - 1
    }

    /// The right-hand side of every equation.
    pub(super) fn grown(&self) -> &[i64] {
        &self.grown
    }

    /// The equations that contain a variable.
    pub(super) fn of(&self, variable: usize) -> &[u32] {
        &self.equations[self.start[variable] as usize..self.start[variable + 1] as usize]
    }

    /// The variables of an equation, ascending.
    pub(super) fn with(&self, equation: usize) -> &[u32] {
        &self.with[equation]
    }
}
