//! The requests to a bucket, and the interpretation of its answers: a write is sent once, and every
//! unclear result is reported as unclear; requests that change nothing are repeated for about a
//! minute. Never takes silence for an answer.

use std::future::Future;
use std::time::Duration;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{Error as Cause, PutMode};
use tokio::time::{Instant, sleep};

use super::super::{CreateOutcome, ListedObject, fitting};
use super::access::{BucketAddress, BucketTimeouts};
use super::client::{BucketClient, BucketResponse};
use super::fault::BucketFault;
use crate::error::{Error, ErrorCategory, Result};

/// The longest pause between two attempts.
const LONGEST: Duration = Duration::from_secs(5);

/// The shared state of the threads.
pub(super) struct BucketWorker {
    /// The bucket.
    pub address: BucketAddress,
    /// The client.
    pub client: BucketClient,
    /// The timeouts.
    pub patience: BucketTimeouts,
    /// The prefix of the variables for this root alone.
    pub own: &'static str,
}

impl BucketWorker {
    /// The key of the object with this path; the prefix of all objects for the empty path.
    pub(super) fn key(&self, path: &str) -> String {
        if self.address.folder.is_empty() {
            path.to_owned()
        } else {
            format!("{}/{path}", self.address.folder)
        }
    }

    /// The object with this path.
    pub(super) fn object(&self, path: &str) -> Result<Path> {
        fitting(path)?;
        Path::parse(self.key(path)).map_err(|_| {
            Error::new(
                ErrorCategory::Internal,
                format!("{path:?} is no path of an object"),
            )
        })
    }

    fn error(&self, doing: &str, fault: BucketFault) -> Error {
        let advice = fault.advice(self.own, self.address.keeper.prefix());
        Error::new(
            ErrorCategory::Io,
            format!(
                "the store at {} cannot be {doing}: {advice}",
                self.address.written
            ),
        )
    }

    /// Repeats a request until there is an answer, or until repeating it could not help.
    pub(super) async fn patiently<T, F>(&self, doing: &str, ask: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = BucketResponse<T>>,
    {
        let (end, mut pause) = (Instant::now() + self.patience.give_up, self.patience.pause);
        loop {
            let fault = match ask().await {
                Ok(answer) => return Ok(answer),
                Err(error) => BucketFault::of(&error),
            };
            if fault.settled() || Instant::now() + pause > end {
                return Err(self.error(doing, fault));
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST);
        }
    }

    /// Writes an object where none exists.
    pub(super) async fn create(&self, path: &str, bytes: Bytes) -> Result<CreateOutcome> {
        let key = self.object(path)?;
        let error = match self.client.put(&key, bytes, PutMode::Create).await {
            Ok(()) => return Ok(CreateOutcome::Made),
            Err(error) => error,
        };
        if matches!(
            error,
            Cause::AlreadyExists { .. } | Cause::Precondition { .. }
        ) {
            // A store with another pending request for the name also says so, and may have stored
            // neither object yet.
            if !refused(&error) {
                sleep(self.patience.pause).await;
            }
            return Ok(CreateOutcome::Exists);
        }
        let fault = BucketFault::of(&error);
        if fault.settled() {
            return Err(self.error("written", fault));
        }
        sleep(self.patience.pause).await;
        Ok(CreateOutcome::Unknown)
    }

    /// All objects below a folder, and the one with its name.
    pub(super) async fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        let mut found = Vec::new();
        let mut begin = self.key("");
        if !prefix.is_empty() {
            let key = self.object(prefix)?;
            let size = self.patiently("read", || self.client.size(&key)).await?;
            found.extend(size.map(|size| ListedObject {
                path: prefix.to_owned(),
                size,
            }));
            begin = format!("{key}/");
        }
        let mut next = None;
        loop {
            let page = self
                .patiently("listed", || self.client.page(&begin, next.clone(), None))
                .await?;
            for object in page.result.objects {
                let path = object.location.as_ref().strip_prefix(&self.key(""));
                // Other objects of the bucket are not ours.
                let path = path.filter(|path| fitting(path).is_ok());
                found.extend(path.map(|path| ListedObject {
                    path: path.to_owned(),
                    size: object.size,
                }));
            }
            next = page.page_token;
            if next.is_none() {
                break;
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }
}

/// Whether S3 refused a write because an object exists (412), and not because of another request
/// (409). The library only distinguishes the two in the wrapped error.
fn refused(error: &Cause) -> bool {
    let wrapped =
        std::error::Error::source(error).and_then(|source| source.downcast_ref::<Cause>());
    matches!(
        wrapped,
        Some(Cause::Precondition { .. } | Cause::NotModified { .. })
    )
}
