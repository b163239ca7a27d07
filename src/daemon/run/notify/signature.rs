//! The signature of a web request (CONTRACTS 1, `notify.webhook_key`): HMAC-SHA256 over the time
//! and the body, so that a receiver can verify that a notification comes from this feed, is
//! unchanged, and was just sent. The key is never printed.

use std::fmt::{self, Write as _};

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::config::Secret;
use crate::error::{Error, ErrorCategory, Result};

/// The header with a signature.
pub(super) const HEADER: &str = "Tidegate-Signature";

/// The smallest number of characters of a key: half of those that `openssl rand -hex 32` prints.
const SHORTEST: usize = 32;

/// Signs the notifications for a receiver.
pub(super) struct Signer(Zeroizing<String>);

impl Signer {
    /// With the key in this place.
    ///
    /// # Errors
    /// It cannot be read, or is too short.
    pub(super) fn read(key: &Secret) -> Result<Signer> {
        let key = Zeroizing::new(key.read()?);
        if key.len() < SHORTEST || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let text = "this is not a key of a webhook: it must have at least 32 visible ASCII characters, as `openssl \
                rand -hex 32` writes them";
            return Err(Error::new(ErrorCategory::Usage, text));
        }
        Ok(Signer(key))
    }

    /// The value of the header for a body that is sent at this time.
    pub(super) fn sign(&self, at: Timestamp, body: &[u8]) -> String {
        let seconds = at.as_second();
        let mut mac =
            Hmac::<Sha256>::new_from_slice(self.0.as_bytes()).expect("a key may have any length");
        mac.update(format!("{seconds}.").as_bytes());
        mac.update(body);
        let mut signature = format!("t={seconds},v1=");
        for byte in mac.finalize().into_bytes() {
            write!(signature, "{byte:02x}").expect("text takes all");
        }
        signature
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signer(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer(key: &str) -> Result<Signer> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), key).expect("a file");
        Signer::read(&Secret::file(file.path().to_owned()))
    }

    /// Computed by Python: `hmac.new(key, b"1700000000." + body, "sha256").hexdigest()`.
    #[test]
    fn a_signature_is_that_of_time_and_body() {
        let signer = signer(&format!("{}\n", "0123456789abcdef".repeat(4))).expect("a key");
        let at = Timestamp::from_second(1_700_000_000).expect("a time");
        assert_eq!(
            signer.sign(at, b"{\"schema\":1}"),
            concat!(
                "t=1700000000,v1=",
                "1dfea8f7f87bc278a14d40a08f17a6fb23118ba8630e7d2697a801acd115b6c1"
            )
        );
        assert_eq!(format!("{signer:?}"), "Signer(..)");
    }

    #[test]
    fn a_key_that_could_be_guessed_is_none() {
        for key in [
            "",
            "hunter2",
            &"x".repeat(31),
            &"hunter2 ".repeat(8),
            &"\u{e9}".repeat(40),
        ] {
            let error = signer(key).expect_err("no key");
            assert!(
                error.text.contains("openssl rand") && !error.to_string().contains("hunter2"),
                "{error}"
            );
        }
        assert!(signer(&"x".repeat(32)).is_ok());
    }
}
