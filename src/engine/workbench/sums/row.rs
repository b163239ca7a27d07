//! One equation with whole coefficients, divided by their greatest common divisor.

use super::whole_numbers::WholeNumber;

/// `Σ coefficient · unknown = right`; terms in the order of the unknowns, none of them 0.
#[derive(Clone)]
pub(super) struct Equation<N> {
    pub terms: Vec<(usize, N)>,
    pub right: N,
}

impl<N: WholeNumber> Equation<N> {
    /// The coefficient of an unknown, if it is not 0.
    pub(super) fn at(&self, unknown: usize) -> Option<&N> {
        let at = self
            .terms
            .binary_search_by_key(&unknown, |term| term.0)
            .ok()?;
        Some(&self.terms[at].1)
    }

    /// Multiplies the equation by -1.
    pub(super) fn negate(&mut self) {
        self.terms
            .iter_mut()
            .for_each(|term| term.1 = term.1.negated());
        self.right = self.right.negated();
    }

    /// Eliminates `unknown` by means of `by`, in which its coefficient is positive. Coefficients of
    /// unknowns that `by` does not contain keep their signs. `None` if a number does not fit.
    pub(super) fn without(&self, unknown: usize, by: &Equation<N>) -> Option<Equation<N>> {
        let Some(here) = self.at(unknown) else {
            return Some(self.clone());
        };
        let there = by.at(unknown).expect("the pivot's own equation has it");
        let shared = here.divisor(there);
        let (times, less) = (there.over(&shared), here.over(&shared));
        let zero = N::new(0);
        let mut terms = Vec::with_capacity(self.terms.len() + by.terms.len());
        let (mut ours, mut theirs) = (self.terms.iter().peekable(), by.terms.iter().peekable());
        loop {
            let (column, a, b) = match (ours.peek(), theirs.peek()) {
                (None, None) => break,
                (Some(one), Some(other)) if one.0 == other.0 => {
                    let of = (one.0, &one.1, &other.1);
                    ours.next();
                    theirs.next();
                    of
                }
                (Some(one), other) if other.is_none_or(|other| one.0 < other.0) => {
                    let of = (one.0, &one.1, &zero);
                    ours.next();
                    of
                }
                (_, Some(other)) => {
                    let of = (other.0, &zero, &other.1);
                    theirs.next();
                    of
                }
                (Some(_), None) => unreachable!("the branch before takes it"),
            };
            let number = N::product_less(&times, a, &less, b)?;
            if !number.is_zero() {
                terms.push((column, number));
            }
        }
        let mut row = Equation {
            terms,
            right: N::product_less(&times, &self.right, &less, &by.right)?,
        };
        row.reduce();
        assert!(row.at(unknown).is_none(), "the unknown is eliminated");
        Some(row)
    }

    /// Divides by the greatest common divisor of the numbers.
    fn reduce(&mut self) {
        let mut shared = self.right.clone();
        for (_, number) in &self.terms {
            if number.is_unit() {
                return;
            }
        }
        for (_, number) in &self.terms {
            shared = shared.divisor(number);
            if shared.is_unit() {
                return;
            }
        }
        if !shared.is_zero() {
            self.terms
                .iter_mut()
                .for_each(|term| term.1 = term.1.over(&shared));
            self.right = self.right.over(&shared);
        }
    }
}
