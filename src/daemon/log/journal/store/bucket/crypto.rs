//! The digests, message codes and signatures of requests to buckets, computed by OpenSSL, so that
//! the program has one cryptographic library and not two. Knows no request and no credential's
//! name.

use object_store::client::{
    CryptoProvider, DigestAlgorithm, DigestContext, HmacContext, Signer, SigningAlgorithm,
};
use object_store::{Error, Result};
use openssl::error::ErrorStack;
use openssl::hash::{Hasher, MessageDigest};
use openssl::pkey::{PKey, Private};
use openssl::sign;

/// OpenSSL behind the interface of the bucket library.
#[derive(Debug)]
pub(super) struct OpenSsl;

impl CryptoProvider for OpenSsl {
    fn digest(&self, algorithm: DigestAlgorithm) -> Result<Box<dyn DigestContext>> {
        let hasher = Hasher::new(digest(&algorithm)?).map_err(failed)?;
        Ok(Box::new(Digest {
            hasher,
            failure: None,
            value: Vec::new(),
        }))
    }

    fn hmac(&self, algorithm: DigestAlgorithm, secret: &[u8]) -> Result<Box<dyn HmacContext>> {
        // OpenSSL does not accept an empty key. A key is padded with zeros, so that a single zero
        // is the same key.
        let key = PKey::hmac(if secret.is_empty() { &[0] } else { secret }).map_err(failed)?;
        let signer = sign::Signer::new(digest(&algorithm)?, &key).map_err(failed)?;
        Ok(Box::new(Code {
            signer,
            failure: None,
            value: Vec::new(),
        }))
    }

    fn sign(&self, algorithm: SigningAlgorithm, pem: &[u8]) -> Result<Box<dyn Signer>> {
        match algorithm {
            SigningAlgorithm::RS256 => Ok(Box::new(Rs256(
                PKey::private_key_from_pem(pem).map_err(failed)?,
            ))),
            _ => Err(unknown()),
        }
    }
}

/// A running digest. The library's `update` cannot fail, so that `finish` returns earlier errors.
struct Digest {
    hasher: Hasher,
    failure: Option<ErrorStack>,
    value: Vec<u8>,
}

impl DigestContext for Digest {
    fn update(&mut self, data: &[u8]) {
        self.failure = self
            .failure
            .take()
            .or_else(|| self.hasher.update(data).err());
    }

    fn finish(&mut self) -> Result<&[u8]> {
        if let Some(failure) = self.failure.take() {
            return Err(failed(failure));
        }
        self.value = self.hasher.finish().map_err(failed)?.to_vec();
        Ok(&self.value)
    }
}

/// A running message code, with errors as for [`Digest`].
struct Code {
    signer: sign::Signer<'static>,
    failure: Option<ErrorStack>,
    value: Vec<u8>,
}

impl HmacContext for Code {
    fn update(&mut self, data: &[u8]) {
        self.failure = self
            .failure
            .take()
            .or_else(|| self.signer.update(data).err());
    }

    fn finish(&mut self) -> Result<&[u8]> {
        if let Some(failure) = self.failure.take() {
            return Err(failed(failure));
        }
        self.value = self.signer.sign_to_vec().map_err(failed)?;
        Ok(&self.value)
    }
}

/// A private RSA key; `PKey` shows no part of it.
struct Rs256(PKey<Private>);

impl Signer for Rs256 {
    fn sign(&self, text: &[u8]) -> Result<Vec<u8>> {
        // PKCS #1 v1.5 is OpenSSL's default padding for RSA signatures.
        let mut signer = sign::Signer::new(MessageDigest::sha256(), &self.0).map_err(failed)?;
        signer.sign_oneshot_to_vec(text).map_err(failed)
    }
}

fn digest(algorithm: &DigestAlgorithm) -> Result<MessageDigest> {
    match algorithm {
        DigestAlgorithm::Sha256 => Ok(MessageDigest::sha256()),
        _ => Err(unknown()),
    }
}

fn failed(error: ErrorStack) -> Error {
    Error::Generic {
        store: "OpenSSL",
        source: Box::new(error),
    }
}

fn unknown() -> Error {
    Error::NotSupported {
        source: "an algorithm that the bucket library has added".into(),
    }
}

#[cfg(test)]
mod tests {
    use openssl::rsa::Rsa;

    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn digests_and_codes_are_those_of_the_standards() {
        // FIPS 180-4 ("abc") and RFC 4231, test case 2.
        let mut digest = OpenSsl.digest(DigestAlgorithm::Sha256).expect("a digest");
        digest.update(b"a");
        digest.update(b"bc");
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(digest.finish().expect("a value")), abc);
        let mut code = OpenSsl
            .hmac(DigestAlgorithm::Sha256, b"Jefe")
            .expect("a code");
        code.update(b"what do ya want ");
        code.update(b"for nothing?");
        let jefe = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hex(code.finish().expect("a value")), jefe);
    }

    #[test]
    fn signatures_hold_under_the_public_key() {
        let key = Rsa::generate(2048).expect("a key");
        let pem = key.private_key_to_pem().expect("PEM");
        let signature = OpenSsl
            .sign(SigningAlgorithm::RS256, &pem)
            .expect("a signer")
            .sign(b"a request")
            .expect("it signs");
        let public = PKey::from_rsa(key).expect("a key");
        let mut verifier =
            sign::Verifier::new(MessageDigest::sha256(), &public).expect("a verifier");
        assert!(
            verifier
                .verify_oneshot(&signature, b"a request")
                .expect("it verifies")
        );
        assert!(
            !verifier
                .verify_oneshot(&signature, b"another request")
                .expect("it verifies")
        );
        assert!(OpenSsl.sign(SigningAlgorithm::RS256, b"no key").is_err());
    }

    #[test]
    fn an_empty_secret_is_a_key() {
        let mut code = OpenSsl.hmac(DigestAlgorithm::Sha256, b"").expect("a code");
        let empty = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
        assert_eq!(hex(code.finish().expect("a value")), empty);
    }
}
