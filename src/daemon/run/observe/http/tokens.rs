//! Tokens for the daemon's pages (CONTRACTS 1, `http.tokens`). Only their hashes are kept. All of
//! them are compared in full, so that the time of an answer reveals nothing. No token is ever
//! printed.

use sha2::{Digest as _, Sha256};
use zeroize::Zeroize;

use crate::config::Secret;
use crate::error::{Error, ErrorCategory, Result};

/// The fewest characters of a token.
const FEWEST: usize = 32;

/// Hashes of the tokens; if there are none, no token is required.
pub(super) struct Tokens(Vec<[u8; 32]>);

impl Tokens {
    /// Reads the tokens and wipes them.
    ///
    /// # Errors
    /// A token cannot be read, or no client or every client could send it.
    pub(super) fn read(secrets: &[Secret]) -> Result<Tokens> {
        let digest = |secret: &Secret| {
            let mut token = secret
                .read()
                .map_err(|error| error.in_field("http.tokens"))?;
            let sendable =
                token.len() >= FEWEST && token.bytes().all(|byte| byte.is_ascii_graphic());
            let digest = Sha256::digest(token.as_bytes()).into();
            token.zeroize();
            let text = format!(
                "a token has {FEWEST} or more visible ASCII characters and no space, so that an attacker cannot guess it: make \
                 another one with `(umask 077; openssl rand -hex 32 > FILE)`"
            );
            sendable
                .then_some(digest)
                .ok_or_else(|| Error::new(ErrorCategory::Usage, text).in_field("http.tokens"))
        };
        secrets
            .iter()
            .map(digest)
            .collect::<Result<_>>()
            .map(Tokens)
    }

    /// Whether a token is required.
    pub(super) fn are_required(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether this `Authorization` header permits reading the pages.
    pub(super) fn open(&self, header: Option<&[u8]>) -> bool {
        if self.0.is_empty() {
            return true;
        }
        let Some((scheme, token)) =
            header.and_then(|header| header.split_at_checked(b"Bearer ".len()))
        else {
            return false;
        };
        let shown: [u8; 32] = Sha256::digest(token.trim_ascii()).into();
        let differs = |known: &[u8; 32]| {
            known
                .iter()
                .zip(&shown)
                .fold(0, |all, (a, b)| all | (a ^ b))
        };
        let known = self
            .0
            .iter()
            .fold(false, |any, known| any | (differs(known) == 0));
        known & scheme.eq_ignore_ascii_case(b"Bearer ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_and_nothing_else_does() {
        let digest = |token: &str| Sha256::digest(token).into();
        let tokens = Tokens(vec![digest("one"), digest("two")]);
        for header in ["Bearer one", "Bearer two", "bearer two", "Bearer  two"] {
            assert!(tokens.open(Some(header.as_bytes())), "{header}");
        }
        for header in [
            "",
            "one",
            "Bearer",
            "Bearer ",
            "Bearer three",
            "Bearer one two",
            "Basic! one",
            "Bearer onetwo",
        ] {
            assert!(!tokens.open(Some(header.as_bytes())), "{header}");
        }
        assert!(!tokens.open(None));
        assert!(Tokens(Vec::new()).open(None));
    }
}
