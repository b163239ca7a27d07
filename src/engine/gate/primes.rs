//! Primes just below 2^61, and arithmetic modulo one: products fit twice into 128 bits with room
//! for sums of them.

/// The distance of the largest of them below 2^61; most figures need no more.
const BELOW: [u16; 64] = [
    1, 31, 45, 229, 259, 283, 339, 391, 403, 465, 531, 579, 675, 759, 799, 819, 829, 843, 859, 939,
    985, 1015, 1153, 1195, 1215, 1281, 1299, 1351, 1371, 1425, 1489, 1525, 1533, 1543, 1609, 1621,
    1669, 1741, 1753, 1813, 1845, 1849, 1855, 1863, 1869, 1909, 1921, 1923, 1945, 1959, 2023, 2083,
    2115, 2133, 2185, 2371, 2373, 2383, 2385, 2401, 2539, 2551, 2595, 2605,
];

/// The first witnesses that together expose every composite number of 64 bits.
const WITNESSES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// The number of bits of which every prime holds all values.
pub(crate) const BITS: u64 = 60;

/// The `count` largest primes below 2^61, descending.
pub(crate) fn largest(count: usize) -> Vec<u64> {
    let known = BELOW.iter().map(|&below| (1 << 61) - u64::from(below));
    let last = (1u64 << 61) - u64::from(BELOW[BELOW.len() - 1]);
    let further = (1 << 60..last).rev().filter(|&number| is_prime(number));
    known.chain(further).take(count).collect()
}

/// The product modulo a prime.
pub(crate) fn times(a: u64, b: u64, prime: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(prime)) as u64
}

/// The power modulo a prime.
pub(crate) fn power(base: u64, mut exponent: u64, prime: u64) -> u64 {
    let (mut square, mut product) = (base % prime, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            product = times(product, square, prime);
        }
        square = times(square, square, prime);
        exponent >>= 1;
    }
    product
}

/// 1/1, 1/2, … 1/most modulo a prime; the first entry is unused.
pub(crate) fn inverses(most: usize, prime: u64) -> Vec<u64> {
    assert!((most as u64) < prime, "numbers that have an inverse");
    let mut inverse = vec![0, 1];
    for number in 2..=most as u64 {
        inverse.push(times(
            prime - prime / number,
            inverse[(prime % number) as usize],
            prime,
        ));
    }
    inverse
}

fn is_prime(number: u64) -> bool {
    if let Some(small) = WITNESSES
        .iter()
        .find(|&&small| number.is_multiple_of(small))
    {
        return number == *small;
    }
    let twos = (number - 1).trailing_zeros();
    let odd = (number - 1) >> twos;
    WITNESSES.iter().all(|&witness| {
        let mut root = power(witness, odd, number);
        root == 1
            || (0..twos).any(|_| {
                let found = root == number - 1;
                root = times(root, root, number);
                found
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_what_a_search_finds() {
        let searched = (1u64..)
            .map(|below| (1u64 << 61) - below)
            .filter(|&number| is_prime(number));
        assert_eq!(largest(66), searched.take(66).collect::<Vec<u64>>());
    }

    #[test]
    fn small_numbers() {
        let found: Vec<u64> = (2..60).filter(|&number| is_prime(number)).collect();
        assert_eq!(
            found,
            [
                2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59
            ]
        );
    }

    #[test]
    fn inverses_invert() {
        let prime = largest(1)[0];
        let inverse = inverses(100, prime);
        (1..=100u64)
            .for_each(|number| assert_eq!(times(number, inverse[number as usize], prime), 1));
    }
}
