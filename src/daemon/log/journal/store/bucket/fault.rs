//! Faults of a bucket, in our own words: the library's message may quote addresses, headers and
//! answers, and never leaves this file.

use object_store::Error as Cause;
use object_store::client::{HttpError, HttpErrorKind};
use tokio::time::error::Elapsed;

/// A fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BucketFault {
    /// The store does not know our credentials.
    Unknown,
    /// Our credentials do not permit this.
    Forbidden,
    /// The object, or the bucket, does not exist.
    Absent,
    /// Neither the store nor the library can do this.
    Unsupported,
    /// No connection, or no answer in time.
    Silent,
    /// Any other answer, or an incomplete one.
    Odd,
}

impl BucketFault {
    /// The fault of a library's error.
    pub(super) fn of(error: &Cause) -> BucketFault {
        match error {
            Cause::Unauthenticated { .. } => BucketFault::Unknown,
            Cause::PermissionDenied { .. } => BucketFault::Forbidden,
            Cause::NotFound { .. } => BucketFault::Absent,
            Cause::NotImplemented { .. } | Cause::NotSupported { .. } => BucketFault::Unsupported,
            _ if unanswered(error) => BucketFault::Silent,
            _ => match status(error) {
                Some(401) => BucketFault::Unknown,
                Some(403) => BucketFault::Forbidden,
                Some(404) => BucketFault::Absent,
                _ => BucketFault::Odd,
            },
        }
    }

    /// Whether repeating the request could not help, and nothing was changed.
    pub(super) fn settled(self) -> bool {
        matches!(
            self,
            BucketFault::Unknown
                | BucketFault::Forbidden
                | BucketFault::Absent
                | BucketFault::Unsupported
        )
    }

    /// The meaning of the fault, and what to check.
    pub(super) fn advice(self, own: &str, prefix: &str) -> String {
        match self {
            BucketFault::Unknown => format!("it rejects these credentials: check {own}{prefix}… and {prefix}…"),
            BucketFault::Forbidden => format!(
                "these credentials lack the permission: check {own}{prefix}… and {prefix}…, the bucket's policy and \
                 the clock"
            ),
            BucketFault::Absent => "there is no such bucket: create it, or correct its name".to_owned(),
            BucketFault::Unsupported => "it lacks a function that a store needs: name another one".to_owned(),
            BucketFault::Silent => "it does not answer: check the network, the endpoint and the store".to_owned(),
            BucketFault::Odd => {
                "its answer does not match the request: check the endpoint, the region and the log of the store"
                    .to_owned()
            }
        }
    }
}

/// Whether the request got no answer.
fn unanswered(error: &Cause) -> bool {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = next {
        if error.is::<Elapsed>() {
            return true;
        }
        if let Some(error) = error.downcast_ref::<HttpError>() {
            return matches!(
                error.kind(),
                HttpErrorKind::Connect | HttpErrorKind::Timeout | HttpErrorKind::Interrupted
            );
        }
        next = error.source();
    }
    false
}

/// The status of a refused listing, which is only in the library's text. If that text changes, we
/// only know less.
fn status(error: &Cause) -> Option<u16> {
    let text = error.to_string();
    let (_, after) = text.split_once("status code: ")?;
    after.get(..3)?.parse().ok()
}
