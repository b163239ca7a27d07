//! Exact figures by their residues modulo primes, and the conversion of residues to the number.

use std::borrow::Cow;
use std::sync::LazyLock;

use num_bigint::BigUint;

use super::ring::{NumberRing, Residues};
use crate::primes::{BITS, largest};

/// The number of primes that represent every number of this many bits.
pub(super) fn needed(bits: u64) -> usize {
    bits as usize / BITS as usize + 1
}

/// The rings that most figures need, created once: for this many primes, and divisors up to this.
static USUAL: LazyLock<Rings> = LazyLock::new(|| Rings::new(16, 255));

/// One ring per prime.
#[derive(Clone)]
struct Rings {
    all: Vec<Residues>,
    /// For each ring the inverses of the primes before its own.
    inverses: Vec<Vec<u64>>,
    most: u32,
}

impl Rings {
    fn new(number: usize, most: u32) -> Rings {
        let primes = largest(number);
        let all: Vec<Residues> = primes
            .iter()
            .map(|&prime| Residues::new(prime, most))
            .collect();
        let inverses = |(at, ring): (usize, &Residues)| {
            primes[..at]
                .iter()
                .map(|&prime| ring.invert(ring.number(prime.into())))
                .collect()
        };
        let inverses = all.iter().enumerate().map(inverses).collect();
        Rings {
            all,
            inverses,
            most,
        }
    }
}

/// Numbers by their residues.
pub(super) struct Moduli {
    rings: Cow<'static, Rings>,
    number: usize,
}

impl Moduli {
    /// For numbers of at most `bits` bits, and divisors up to `most`.
    pub(super) fn new(bits: u64, most: u32) -> Moduli {
        let number = needed(bits);
        let usual = &*USUAL;
        let rings = match number <= usual.all.len() && most <= usual.most {
            true => Cow::Borrowed(usual),
            false => Cow::Owned(Rings::new(number, most)),
        };
        assert!(
            rings.all.len() >= number && rings.most >= most,
            "rings enough for the numbers"
        );
        Moduli { rings, number }
    }

    /// One ring per prime.
    pub(super) fn rings(&self) -> &[Residues] {
        &self.rings.all[..self.number]
    }

    /// The number with these residues, one per ring (Garner 1959).
    pub(super) fn number(&self, residues: &[u64]) -> BigUint {
        assert_eq!(residues.len(), self.number, "a residue of each ring");
        let mut digits: Vec<u64> = Vec::with_capacity(residues.len());
        for ((ring, inverses), &residue) in
            self.rings().iter().zip(&self.rings.inverses).zip(residues)
        {
            let less = |rest: u64, (&digit, &inverse): (&u64, &u64)| {
                ring.times(ring.minus(rest, ring.number(digit.into())), inverse)
            };
            let digit = digits.iter().zip(inverses).fold(residue, less);
            digits.push(ring.plain(digit));
        }
        let placed = self.rings().iter().zip(&digits).rev();
        placed.fold(BigUint::ZERO, |number, (ring, &digit)| {
            number * ring.prime() + digit
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for power in [1, 20, 200, 2_000] {
            let number = BigUint::from(7u8).pow(power);
            let moduli = Moduli::new(number.bits(), 1);
            let residue = |ring: &Residues| {
                let rest = &number % ring.prime();
                ring.of(rest.iter_u64_digits().next().unwrap_or(0))
            };
            assert_eq!(
                moduli.number(&moduli.rings().iter().map(residue).collect::<Vec<u64>>()),
                number
            );
        }
    }
}
