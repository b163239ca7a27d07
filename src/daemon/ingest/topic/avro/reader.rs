//! The primitive values of Avro's binary format (Avro 1.12, Binary Encoding). Every length is
//! compared with what is left; nothing is allocated.

/// The rest of a message.
#[derive(Clone)]
pub(super) struct AvroReader<'m>(&'m [u8]);

impl<'m> AvroReader<'m> {
    /// Starts with the whole message.
    pub(super) fn new(message: &'m [u8]) -> AvroReader<'m> {
        AvroReader(message)
    }

    /// The number of bytes left.
    pub(super) fn left(&self) -> usize {
        self.0.len()
    }

    /// The next bytes.
    pub(super) fn take(&mut self, bytes: usize) -> Option<&'m [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.first_chunk().copied()
    }

    /// A whole number of 64 bits: seven bits a byte, the lowest first, the sign in the lowest bit.
    /// `Some(None)`: a complete number with more bits.
    pub(super) fn number(&mut self) -> Option<Option<i64>> {
        let mut coded = 0;
        for at in 0..10 {
            let [byte] = self.array()?;
            coded |= u64::from(byte & 0x7f).checked_shl(7 * at).unwrap_or(0);
            if byte < 0x80 {
                // The tenth byte has room for one bit.
                let fits = at < 9 || byte <= 1;
                return Some(fits.then_some((coded >> 1) as i64 ^ -((coded & 1) as i64)));
            }
        }
        None
    }

    /// A number that counts or selects.
    pub(super) fn long(&mut self) -> Option<i64> {
        self.number()?
    }

    /// A whole number of 32 bits, in at most five bytes; `Some(None)`: a complete number outside of
    /// that range.
    pub(super) fn int(&mut self) -> Option<Option<i32>> {
        let before = self.left();
        let number = self.number()?;
        let short = before - self.left() <= 5;
        Some(
            number
                .and_then(|number| i32::try_from(number).ok())
                .filter(|_| short),
        )
    }

    /// A length that is at most what is left.
    pub(super) fn length(&mut self) -> Option<usize> {
        usize::try_from(self.long()?)
            .ok()
            .filter(|length| *length <= self.left())
    }

    /// Bytes or text preceded by the length.
    pub(super) fn bytes(&mut self) -> Option<&'m [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    /// A truth value; `Some(None)`: another byte.
    pub(super) fn boolean(&mut self) -> Option<Option<bool>> {
        Some(match self.array()? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        })
    }

    /// A number of 32 bits.
    pub(super) fn float(&mut self) -> Option<f32> {
        self.array().map(f32::from_le_bytes)
    }

    /// A number of 64 bits.
    pub(super) fn double(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// A selection among `of`.
    pub(super) fn choice(&mut self, of: usize) -> Option<usize> {
        usize::try_from(self.long()?)
            .ok()
            .filter(|choice| *choice < of)
    }
}
