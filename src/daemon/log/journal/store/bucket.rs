//! Objects in a bucket of S3, GCS or Azure (HOUSE 3). A write is sent once, and every unclear
//! result is reported as unclear; reads and lists are repeated for about a minute. Never takes
//! silence for an answer, and never shows the library's own messages.
//!
//! The library (`object_store`) repeats a write by itself if its result is unclear. That is
//! switched off here: whether the same bytes are sent again depends on the current state of the
//! store, which only the protocol of the log can judge.

mod access;
mod client;
mod crypto;
mod fault;
mod worker;

use std::future::Future;
use std::ops::Range;
use std::sync::{Arc, mpsc};

use bytes::Bytes;
use object_store::PutMode;
use tokio::runtime::{Builder, Runtime};

pub use access::{BucketTimeouts, Variables};

use super::{CreateOutcome, ListedObject, ReadStore, Store};
use crate::error::{Error, ErrorCategory, Result};
use access::BucketAddress;
use client::BucketClient;
use worker::BucketWorker;

/// The number of objects that are written at a time.
const AT_ONCE: usize = 8;

/// Objects in a bucket. Has threads of its own, so that it can be called from any thread.
pub struct Bucket {
    worker: Arc<BucketWorker>,
    /// Set until it is dropped.
    runtime: Option<Runtime>,
}

impl Bucket {
    /// Opens `s3://bucket/folder` and the like, with the environment's settings for the private or
    /// for the public root.
    ///
    /// # Errors
    /// The address or the environment is wrong, or the bucket does not answer.
    pub fn open(url: &str, private: bool) -> Result<Bucket> {
        Bucket::open_with(
            url,
            &Variables::of_process(private),
            BucketTimeouts::default(),
        )
    }

    /// The variables of the environment that look like settings of this bucket and do not reach it.
    pub fn ignored_variables(url: &str, private: bool) -> Vec<String> {
        let Ok(address) = BucketAddress::parse(url) else {
            return Vec::new();
        };
        Variables::of_process(private).ignored(address.keeper)
    }

    /// As [`Bucket::open`], with other variables and timeouts.
    ///
    /// # Errors
    /// As [`Bucket::open`].
    pub fn open_with(url: &str, variables: &Variables, patience: BucketTimeouts) -> Result<Bucket> {
        let address = BucketAddress::parse(url)?;
        let client = BucketClient::new(&address, variables, &patience)?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("bucket")
            .enable_all()
            .build();
        let runtime = runtime
            .map_err(|_| Error::new(ErrorCategory::Io, "the operating system gives no threads"))?;
        let worker = Arc::new(BucketWorker {
            address,
            client,
            patience,
            own: variables.own(),
        });
        let bucket = Bucket {
            worker,
            runtime: Some(runtime),
        };
        bucket.ask(|worker| async move {
            let begin = worker.key("");
            worker
                .patiently("looked into", || worker.client.page(&begin, None, Some(1)))
                .await
        })?;
        Ok(bucket)
    }

    /// Runs a task on our own threads and waits for it.
    fn ask<T, F>(&self, what: impl FnOnce(Arc<BucketWorker>) -> F) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let (say, hear) = mpsc::sync_channel(1);
        let doing = what(Arc::clone(&self.worker));
        if let Some(runtime) = &self.runtime {
            runtime.spawn(async move {
                let _ = say.send(doing.await);
            });
        }
        hear.recv().unwrap_or_else(|_| {
            Err(Error::new(
                ErrorCategory::Internal,
                "a thread that talked to a store ended early",
            ))
        })
    }
}

impl ReadStore for Bucket {
    fn place(&self) -> String {
        self.worker.address.written.clone()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let path = path.to_owned();
        self.ask(|worker| async move {
            let key = worker.object(&path)?;
            worker
                .patiently("read", || worker.client.get(&key))
                .await
                .map(|bytes| bytes.map(Vec::from))
        })
    }

    fn read_part(&self, path: &str, part: Range<u64>) -> Result<Option<Vec<u8>>> {
        if part.is_empty() {
            return Ok(self.read(path)?.map(|_| Vec::new()));
        }
        let path = path.to_owned();
        self.ask(|worker| async move {
            let key = worker.object(&path)?;
            let part = || worker.client.get_part(&key, part.clone());
            worker
                .patiently("read", part)
                .await
                .map(|bytes| bytes.map(Vec::from))
        })
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        let prefix = prefix.to_owned();
        self.ask(|worker| async move { worker.list(&prefix).await })
    }
}

impl Store for Bucket {
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome> {
        let (path, bytes) = (path.to_owned(), Bytes::copy_from_slice(bytes));
        self.ask(|worker| async move { worker.create(&path, bytes).await })
    }

    fn delete(&self, path: &str) -> Result<()> {
        let path = path.to_owned();
        self.ask(|worker| async move {
            let key = worker.object(&path)?;
            worker
                .patiently("written", || worker.client.delete(&key))
                .await
        })
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let (path, bytes) = (path.to_owned(), Bytes::copy_from_slice(bytes));
        self.ask(|worker| async move {
            let key = worker.object(&path)?;
            worker
                .patiently("written", || {
                    worker.client.put(&key, bytes.clone(), PutMode::Overwrite)
                })
                .await
        })
    }

    fn create_all(&self, objects: &[(String, Vec<u8>)]) -> Result<Vec<CreateOutcome>> {
        let mut created = Vec::with_capacity(objects.len());
        for some in objects.chunks(AT_ONCE) {
            let some: Vec<_> = some
                .iter()
                .map(|(path, bytes)| (path.clone(), Bytes::copy_from_slice(bytes)))
                .collect();
            created.extend(self.ask(|worker| async move {
                let one = |(path, bytes): (String, Bytes)| {
                    let worker = Arc::clone(&worker);
                    tokio::spawn(async move { worker.create(&path, bytes).await })
                };
                let begun: Vec<_> = some.into_iter().map(one).collect();
                let mut created = Vec::with_capacity(begun.len());
                for ended in begun {
                    let lost = |_| {
                        Error::new(
                            ErrorCategory::Internal,
                            "a thread that talked to a store ended early",
                        )
                    };
                    created.push(ended.await.map_err(lost)??);
                }
                Ok(created)
            })?);
        }
        Ok(created)
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        // Waiting for its threads is not allowed if another runtime drops us.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bucket({})", self.place())
    }
}
