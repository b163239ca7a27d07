//! Exact figures by their residues modulo primes, and the way back from residues to the number.

use num_bigint::BigUint;

use super::ring::{Residues, Ring};
use crate::engine::gate::primes::{BITS, largest};

/// How many primes hold every number of so many bits.
pub fn needed(bits: u64) -> usize {
    bits as usize / BITS as usize + 1
}

/// Numbers by their residues.
pub struct Moduli {
    /// One ring per prime.
    pub rings: Vec<Residues>,
    /// Per ring the inverses of the primes before its own.
    inverses: Vec<Vec<u64>>,
}

impl Moduli {
    /// For numbers of so many bits at most, and divisors up to `most`.
    pub fn new(bits: u64, most: u32) -> Moduli {
        let primes = largest(needed(bits));
        let rings: Vec<Residues> = primes.iter().map(|&prime| Residues::new(prime, most)).collect();
        let inverses = |(at, ring): (usize, &Residues)| {
            primes[..at].iter().map(|&prime| ring.invert(ring.number(prime.into()))).collect()
        };
        let inverses = rings.iter().enumerate().map(inverses).collect();
        Moduli { rings, inverses }
    }

    /// The number with these residues, one per ring (Garner 1959).
    pub fn number(&self, residues: &[u64]) -> BigUint {
        let mut digits: Vec<u64> = Vec::with_capacity(residues.len());
        for ((ring, inverses), &residue) in self.rings.iter().zip(&self.inverses).zip(residues) {
            let less = |rest: u64, (&digit, &inverse): (&u64, &u64)| {
                ring.times(ring.minus(rest, ring.number(digit.into())), inverse)
            };
            let digit = digits.iter().zip(inverses).fold(residue, less);
            digits.push(ring.plain(digit));
        }
        let placed = self.rings.iter().zip(&digits).rev();
        placed.fold(BigUint::ZERO, |number, (ring, &digit)| number * ring.prime() + digit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let number = BigUint::from(7u8).pow(200);
        let moduli = Moduli::new(number.bits(), 1);
        let residue = |ring: &Residues| {
            let rest = &number % ring.prime();
            ring.of(rest.iter_u64_digits().next().unwrap_or(0))
        };
        assert_eq!(moduli.number(&moduli.rings.iter().map(residue).collect::<Vec<u64>>()), number);
    }
}
