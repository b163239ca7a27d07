//! The numbers in which placements are weighed: small whole numbers, whole numbers modulo a prime,
//! and floats with an exponent of their own. They are only added, multiplied and divided, never
//! subtracted, so a float only loses its last digits.

use super::wide_float::WideFloat;

/// Numbers that can be added, multiplied, and divided by small whole numbers.
pub(super) trait NumberRing: Sync {
    /// A number.
    type Item: Copy + Send + Sync;
    /// The number.
    fn number(&self, number: u128) -> Self::Item;
    /// a + b.
    fn sum(&self, a: Self::Item, b: Self::Item) -> Self::Item;
    /// a · b.
    fn times(&self, a: Self::Item, b: Self::Item) -> Self::Item;
    /// a / b, for a whole number b that is not 0 and not above the limit for which the ring was
    /// made.
    fn over(&self, a: Self::Item, b: u32) -> Self::Item;
}

/// Whole numbers below 2^128; divisions leave no remainder.
pub(super) struct Whole128;

impl NumberRing for Whole128 {
    type Item = u128;

    fn number(&self, number: u128) -> u128 {
        number
    }

    fn sum(&self, a: u128, b: u128) -> u128 {
        a + b
    }

    fn times(&self, a: u128, b: u128) -> u128 {
        a * b
    }

    fn over(&self, a: u128, b: u32) -> u128 {
        let quotient = a / u128::from(b);
        assert!(quotient * u128::from(b) == a, "it is divisible");
        quotient
    }
}

/// Floats with an exponent of their own.
pub(super) struct Floats;

impl NumberRing for Floats {
    type Item = WideFloat;

    fn number(&self, number: u128) -> WideFloat {
        WideFloat::from(number)
    }

    fn sum(&self, a: WideFloat, b: WideFloat) -> WideFloat {
        a + b
    }

    fn times(&self, a: WideFloat, b: WideFloat) -> WideFloat {
        a * b
    }

    fn over(&self, a: WideFloat, b: u32) -> WideFloat {
        a / WideFloat::from(u128::from(b))
    }
}

/// Whole numbers modulo a prime below 2^61, in Montgomery form (1985).
#[derive(Clone)]
pub(super) struct Residues {
    prime: u64,
    /// −1/prime modulo 2^64.
    inverse: u64,
    /// 2^64 modulo the prime, and its square.
    word: u64,
    square: u64,
    /// 1/0 (unused), 1/1, 1/2, …
    over: Vec<u64>,
}

impl Residues {
    /// Modulo an odd prime, for divisors up to `most`.
    pub(super) fn new(prime: u64, most: u32) -> Residues {
        assert!(
            prime > u64::from(most),
            "each number up to the most has an inverse"
        );
        // Each step doubles the number of correct bits of the inverse.
        let mut inverse = prime;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(prime.wrapping_mul(inverse)));
        }
        let word = (1u128 << 64) % u128::from(prime);
        let square = (word * word % u128::from(prime)) as u64;
        let over = Vec::with_capacity(most as usize + 1);
        let mut ring = Residues {
            prime,
            inverse: inverse.wrapping_neg(),
            word: word as u64,
            square,
            over,
        };
        ring.over.push(0);
        let one = ring.of(1);
        // 1/n = −(p div n) / (p mod n), n below p.
        for number in 1..=u64::from(most) {
            let next = match number {
                1 => one,
                _ => ring.times(
                    ring.of(prime - prime / number),
                    ring.over[(prime % number) as usize],
                ),
            };
            ring.over.push(next);
        }
        assert_eq!(
            ring.over.len(),
            most as usize + 1,
            "a quotient for each number up to the largest"
        );
        ring
    }

    /// The prime.
    pub(super) fn prime(&self) -> u64 {
        self.prime
    }

    /// A number below the prime.
    pub(super) fn of(&self, number: u64) -> u64 {
        self.reduce(u128::from(number) * u128::from(self.square))
    }

    /// As an ordinary number below the prime.
    pub(super) fn plain(&self, item: u64) -> u64 {
        assert!(item < self.prime, "a residue");
        self.reduce(u128::from(item))
    }

    /// a − b.
    pub(super) fn minus(&self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.prime - b }
    }

    /// 1 / a.
    pub(super) fn invert(&self, a: u64) -> u64 {
        assert!(
            a > 0 && a < self.prime,
            "only what is not 0 can be inverted"
        );
        let (mut square, mut product, mut exponent) = (a, self.of(1), self.prime - 2);
        while exponent > 0 {
            if exponent & 1 == 1 {
                product = self.times(product, square);
            }
            square = self.times(square, square);
            exponent >>= 1;
        }
        product
    }

    /// A product divided by 2^64, below the prime if the product is below the prime times 2^64.
    fn reduce(&self, product: u128) -> u64 {
        let multiple = (product as u64).wrapping_mul(self.inverse);
        let reduced = ((product + u128::from(multiple) * u128::from(self.prime)) >> 64) as u64;
        if reduced >= self.prime {
            reduced - self.prime
        } else {
            reduced
        }
    }
}

impl NumberRing for Residues {
    type Item = u64;

    fn number(&self, number: u128) -> u64 {
        let (high, low) = ((number >> 64) as u64, number as u64);
        let low = self.of(low % self.prime);
        if high == 0 {
            low
        } else {
            self.sum(
                low,
                self.times(self.of(high % self.prime), self.of(self.word)),
            )
        }
    }

    fn sum(&self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        if sum >= self.prime {
            sum - self.prime
        } else {
            sum
        }
    }

    fn times(&self, a: u64, b: u64) -> u64 {
        self.reduce(u128::from(a) * u128::from(b))
    }

    fn over(&self, a: u64, b: u32) -> u64 {
        self.times(a, self.over[b as usize])
    }
}

/// Modulo several primes at once.
pub(super) struct SeveralPrimes<'r, const N: usize>(pub [&'r Residues; N]);

impl<const N: usize> NumberRing for SeveralPrimes<'_, N> {
    type Item = [u64; N];

    fn number(&self, number: u128) -> [u64; N] {
        self.0.map(|ring| ring.number(number))
    }

    fn sum(&self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        std::array::from_fn(|at| self.0[at].sum(a[at], b[at]))
    }

    fn times(&self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        std::array::from_fn(|at| self.0[at].times(a[at], b[at]))
    }

    fn over(&self, a: [u64; N], b: u32) -> [u64; N] {
        std::array::from_fn(|at| self.0[at].over(a[at], b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primes::largest;

    #[test]
    fn residues_are_residues() {
        let prime = largest(1)[0];
        let ring = Residues::new(prime, 100);
        let (a, b) = (prime - 5, 0x0123_4567_89ab_cdef);
        let product = u128::from(a) * u128::from(b) % u128::from(prime);
        assert_eq!(
            u128::from(ring.plain(ring.times(ring.of(a), ring.of(b)))),
            product
        );
        assert_eq!(
            ring.plain(ring.number(u128::MAX)),
            (u128::MAX % u128::from(prime)) as u64
        );
        assert_eq!(ring.plain(ring.sum(ring.of(a), ring.of(7))), 2);
        assert_eq!(ring.plain(ring.minus(ring.of(2), ring.of(7))), a);
        assert_eq!(
            [
                ring.sum(5, prime - 5),
                ring.minus(5, 5),
                ring.number(prime.into())
            ],
            [0; 3]
        );
        for number in 1..=100 {
            assert_eq!(ring.plain(ring.over(ring.of(u64::from(number)), number)), 1);
            assert_eq!(
                ring.plain(ring.times(
                    ring.of(u64::from(number)),
                    ring.invert(ring.of(number.into()))
                )),
                1
            );
        }
    }
}
