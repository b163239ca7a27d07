//! Primes just below 2^61, for exact figures by their residues, and the way back from residues to the number.

use num_bigint::BigUint;

use super::ring::{Residues, Ring};

/// How far the largest of them lie below 2^61; most targets need no more.
const BELOW: [u16; 64] = [
    1, 31, 45, 229, 259, 283, 339, 391, 403, 465, 531, 579, 675, 759, 799, 819, 829, 843, 859, 939, 985, 1015, 1153,
    1195, 1215, 1281, 1299, 1351, 1371, 1425, 1489, 1525, 1533, 1543, 1609, 1621, 1669, 1741, 1753, 1813, 1845, 1849,
    1855, 1863, 1869, 1909, 1921, 1923, 1945, 1959, 2023, 2083, 2115, 2133, 2185, 2371, 2373, 2383, 2385, 2401, 2539,
    2551, 2595, 2605,
];

/// The first witnesses that together betray every composite number of 64 bits.
const WITNESSES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// Bits that every prime has in full.
const BITS: u64 = 60;

/// The largest so many primes below 2^61, descending.
pub fn largest(count: usize) -> Vec<u64> {
    let known = BELOW.iter().map(|&below| (1 << 61) - u64::from(below));
    let last = (1u64 << 61) - u64::from(BELOW[BELOW.len() - 1]);
    let further = (1 << 60..last).rev().filter(|&number| is_prime(number));
    known.chain(further).take(count).collect()
}

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

fn is_prime(number: u64) -> bool {
    let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(number)) as u64;
    if let Some(small) = WITNESSES.iter().find(|&&small| number.is_multiple_of(small)) {
        return number == *small;
    }
    let twos = (number - 1).trailing_zeros();
    let odd = (number - 1) >> twos;
    let power = |base: u64| {
        let (mut square, mut product, mut exponent) = (base, 1, odd);
        while exponent > 0 {
            if exponent & 1 == 1 {
                product = times(product, square);
            }
            square = times(square, square);
            exponent >>= 1;
        }
        product
    };
    WITNESSES.iter().all(|&witness| {
        let mut root = power(witness);
        root == 1
            || (0..twos).any(|_| {
                let found = root == number - 1;
                root = times(root, root);
                found
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_what_a_search_finds() {
        let searched = (1u64..).map(|below| (1u64 << 61) - below).filter(|&number| is_prime(number));
        assert_eq!(largest(66), searched.take(66).collect::<Vec<u64>>());
    }

    #[test]
    fn small_numbers() {
        let found: Vec<u64> = (2..60).filter(|&number| is_prime(number)).collect();
        assert_eq!(found, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59]);
    }

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
