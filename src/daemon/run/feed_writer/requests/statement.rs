//! The statement that an approver signs (CONTRACTS 3): one line per fact, so that no two decisions
//! have the same text. It is not stored: it is built again from the entry that contains the
//! signature.

use crate::engine::release::Sha256;
use crate::journal::{RequestOrigin, Signed};
use crate::sign::{PublicKey, Signing, hex, unhex};

/// A decision of one person about one release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The release.
    pub release: u32,
    /// The digest of the entry that holds it: of everything that would be published.
    pub digest: Sha256,
    /// Whether it is approved; otherwise it is rejected.
    pub approves: bool,
}

impl Statement {
    /// The exact bytes. Names, times and reasons are single lines.
    fn text(&self, feed: &str, name: &str, wanted: &RequestOrigin) -> Vec<u8> {
        let Statement {
            release,
            digest,
            approves,
        } = self;
        let decision = if *approves { "approve" } else { "reject" };
        let (when, why) = (&wanted.when, wanted.why.as_deref().unwrap_or_default());
        format!(
            "tidegate statement 1\nfeed {feed}\nrelease {release}\ndigest {digest}\ndecision {decision}\nby {name}\nat {when}\n\
             because {why}\nrequest {}\n",
            wanted.request
        )
        .into_bytes()
    }

    /// Signs it in the name of an approver.
    pub fn sign(&self, feed: &str, name: &str, key: &Signing, wanted: &RequestOrigin) -> Signed {
        let signature = key.sign(&self.text(feed, name, wanted));
        Signed {
            name: name.to_owned(),
            key: key.public().text(),
            signature: hex(&signature),
        }
    }

    /// Whether the approver who made the request has signed exactly this statement with the key
    /// that the entry names.
    pub fn is_signed(&self, feed: &str, wanted: &RequestOrigin) -> bool {
        let Some(signed) = &wanted.signed else {
            return false;
        };
        let (key, signature) = (PublicKey::parse(&signed.key), unhex(&signed.signature));
        let text = self.text(feed, &signed.name, wanted);
        key.zip(signature)
            .is_some_and(|(key, signature)| key.signed(&text, &signature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_one_of_every_fact() {
        let key = Signing::parse(&"4c".repeat(32)).expect("a key");
        let statement = Statement {
            release: 3,
            digest: Sha256::of(b"held"),
            approves: true,
        };
        let (request, who, when) = (
            "r".repeat(32),
            "me".to_owned(),
            "2026-11-25T00:00:00Z".to_owned(),
        );
        let mut wanted = RequestOrigin {
            request,
            who,
            when,
            why: Some("fine".to_owned()),
            signed: None,
        };
        assert!(
            !statement.is_signed("feed", &wanted),
            "there is no signature"
        );
        wanted.signed = Some(statement.sign("feed", "Officer", &key, &wanted));
        assert!(statement.is_signed("feed", &wanted));
        assert!(!statement.is_signed("another", &wanted));
        for other in [
            Statement {
                release: 4,
                ..statement.clone()
            },
            Statement {
                digest: Sha256::of(b"another"),
                ..statement.clone()
            },
            Statement {
                approves: false,
                ..statement.clone()
            },
        ] {
            assert!(!other.is_signed("feed", &wanted), "{other:?}");
        }
        let with = |change: &dyn Fn(&mut RequestOrigin)| {
            let mut changed = wanted.clone();
            change(&mut changed);
            assert!(!statement.is_signed("feed", &changed), "{changed:?}");
        };
        with(&|wanted| wanted.request.push('r'));
        with(&|wanted| wanted.when.push('0'));
        with(&|wanted| wanted.why = None);
        let signed = |wanted: &mut RequestOrigin, change: &dyn Fn(&mut Signed)| {
            wanted.signed.iter_mut().for_each(change)
        };
        with(&|wanted| signed(wanted, &|signed| signed.name.push('!')));
        with(&|wanted| signed(wanted, &|signed| signed.key = "3d".repeat(32)));
        with(&|wanted| signed(wanted, &|signed| signed.signature.truncate(126)));
        with(&|wanted| signed(wanted, &|signed| signed.signature = "no digits".to_owned()));
    }
}
