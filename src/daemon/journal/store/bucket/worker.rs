//! What is asked of a bucket, and how its answers are taken: a write is sent once, and every unclear end of it is said to
//! be unclear; whatever changes nothing is asked again for about a minute. Never takes silence for an answer.

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
use crate::daemon::error::{Error, ErrorCategory, Result};

/// The longest wait between two tries.
const LONGEST: Duration = Duration::from_secs(5);

/// What the threads work with.
pub struct BucketWorker {
    /// Which bucket.
    pub address: BucketAddress,
    /// How it is reached.
    pub client: BucketClient,
    /// How long is waited for it.
    pub patience: BucketTimeouts,
    /// How the variables begin that are for this root alone.
    pub own: &'static str,
}

impl BucketWorker {
    /// The key of what has this path; of all objects for the empty one.
    pub fn key(&self, path: &str) -> String {
        if self.address.folder.is_empty() { path.to_owned() } else { format!("{}/{path}", self.address.folder) }
    }

    /// The object with this path.
    pub fn object(&self, path: &str) -> Result<Path> {
        fitting(path)?;
        Path::parse(self.key(path))
            .map_err(|_| Error::new(ErrorCategory::Internal, format!("{path:?} is no path of an object")))
    }

    fn error(&self, doing: &str, fault: BucketFault) -> Error {
        let advice = fault.advice(self.own, self.address.keeper.prefix());
        Error::new(ErrorCategory::Io, format!("the store at {} cannot be {doing}: {advice}", self.address.written))
    }

    /// Asks until there is an answer, or until asking again could not help.
    pub async fn patiently<T, F>(&self, doing: &str, ask: impl Fn() -> F) -> Result<T>
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

    /// Puts an object where none is.
    pub async fn create(&self, path: &str, bytes: Bytes) -> Result<CreateOutcome> {
        let key = self.object(path)?;
        let error = match self.client.put(&key, bytes, PutMode::Create).await {
            Ok(()) => return Ok(CreateOutcome::Made),
            Err(error) => error,
        };
        if matches!(error, Cause::AlreadyExists { .. } | Cause::Precondition { .. }) {
            // A store that met another request for the name says so too, and may have kept neither of them yet.
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

    /// All objects below a folder, and the one of its name.
    pub async fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        let mut found = Vec::new();
        let mut begin = self.key("");
        if !prefix.is_empty() {
            let key = self.object(prefix)?;
            let size = self.patiently("read", || self.client.size(&key)).await?;
            found.extend(size.map(|size| ListedObject { path: prefix.to_owned(), size }));
            begin = format!("{key}/");
        }
        let mut next = None;
        loop {
            let page = self.patiently("listed", || self.client.page(&begin, next.clone(), None)).await?;
            for object in page.result.objects {
                let path = object.location.as_ref().strip_prefix(&self.key(""));
                // What else is in the bucket is not ours.
                let path = path.filter(|path| fitting(path).is_ok());
                found.extend(path.map(|path| ListedObject { path: path.to_owned(), size: object.size }));
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

/// Whether S3 refused a write because of what is there (412), and not because of another request (409). The library tells
/// the two apart only in what it wraps.
fn refused(error: &Cause) -> bool {
    let wrapped = std::error::Error::source(error).and_then(|source| source.downcast_ref::<Cause>());
    matches!(wrapped, Some(Cause::Precondition { .. } | Cause::NotModified { .. }))
}
