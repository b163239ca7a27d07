//! The primitive values of Avro's binary form (Avro 1.12, Binary Encoding). Every length is compared with what is left;
//! nothing is allocated.

/// The rest of a message.
pub struct Reader<'m>(&'m [u8]);

impl<'m> Reader<'m> {
    /// All of it.
    pub fn new(message: &'m [u8]) -> Reader<'m> {
        Reader(message)
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.0.len()
    }

    /// The next bytes.
    pub fn take(&mut self, bytes: usize) -> Option<&'m [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.first_chunk().copied()
    }

    /// A whole number of 64 bits: seven bits a byte, the lowest first, the sign in the lowest of all.
    pub fn long(&mut self) -> Option<i64> {
        let mut coded = 0;
        for at in 0..10 {
            let [byte] = self.array()?;
            // The tenth byte has room for one bit.
            if at == 9 && byte > 1 {
                return None;
            }
            coded |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                return Some((coded >> 1) as i64 ^ -((coded & 1) as i64));
            }
        }
        None
    }

    /// A whole number of 32 bits, in at most five bytes.
    pub fn int(&mut self) -> Option<i32> {
        let before = self.left();
        let number = i32::try_from(self.long()?).ok()?;
        (before - self.left() <= 5).then_some(number)
    }

    /// A length that what is left has.
    pub fn length(&mut self) -> Option<usize> {
        usize::try_from(self.long()?).ok().filter(|length| *length <= self.left())
    }

    /// Bytes with their length before them; text too.
    pub fn bytes(&mut self) -> Option<&'m [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    /// A truth value.
    pub fn boolean(&mut self) -> Option<bool> {
        match self.array()? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }

    /// A number of 32 bits.
    pub fn float(&mut self) -> Option<f32> {
        self.array().map(f32::from_le_bytes)
    }

    /// A number of 64 bits.
    pub fn double(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// Which one of so many.
    pub fn choice(&mut self, of: usize) -> Option<usize> {
        usize::try_from(self.long()?).ok().filter(|choice| *choice < of)
    }
}
