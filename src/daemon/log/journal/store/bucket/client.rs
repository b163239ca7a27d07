//! The client of a bucket; each request is sent once: the library never repeats one by itself,
//! because a write that was sent twice can find its own object and report that it exists. Timeouts
//! depend on the request, and are handled here: a client of the library has one timeout for
//! everything, and each client reads all certificates of the system, which takes longer than most
//! requests. Decides nothing about answers.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::list::{PaginatedListOptions, PaginatedListResult, PaginatedListStore};
use object_store::path::Path;
use object_store::{GetOptions, ObjectStore, ObjectStoreExt, PutMode, RetryConfig};

use super::access::{BucketAddress, BucketService, BucketTimeouts, Times, Variables, settings};
use super::crypto::OpenSsl;
use super::fault::BucketFault;
use crate::error::{Error, ErrorCategory, Result};

/// The library's answer.
pub(super) type BucketResponse<T> = object_store::Result<T>;

/// The size from which on an object gets more time to be sent.
const LARGE: usize = 4 << 20;

/// How much more; also for a whole answer compared with its next bytes.
const LONGER: u32 = 20;

/// The operations that all services offer.
trait Client: ObjectStore + PaginatedListStore {}

impl<T: ObjectStore + PaginatedListStore> Client for T {}

/// The client of a bucket.
pub(super) struct BucketClient {
    client: Arc<dyn Client>,
    /// The timeout of an answer, and of more data of one that has begun.
    answer: Duration,
}

impl BucketClient {
    /// Creates a client; sends no request yet.
    pub(super) fn new(
        address: &BucketAddress,
        variables: &Variables,
        patience: &BucketTimeouts,
    ) -> Result<BucketClient> {
        let BucketTimeouts {
            connect, answer, ..
        } = *patience;
        Ok(BucketClient {
            client: client(
                address,
                variables,
                &Times {
                    connect,
                    whole: answer * LONGER,
                },
            )?,
            answer,
        })
    }

    /// Writes an object, with or without the condition that none exists.
    pub(super) async fn put(&self, key: &Path, bytes: Bytes, mode: PutMode) -> BucketResponse<()> {
        let time = if bytes.len() < LARGE {
            self.answer
        } else {
            self.answer * LONGER
        };
        within(time, self.client.put_opts(key, bytes.into(), mode.into()))
            .await
            .map(|_| ())
    }

    /// An object's bytes.
    pub(super) async fn get(&self, key: &Path) -> BucketResponse<Option<Bytes>> {
        present(self.receive(key, GetOptions::default()).await)
    }

    /// A range of an object's bytes.
    pub(super) async fn get_part(
        &self,
        key: &Path,
        part: Range<u64>,
    ) -> BucketResponse<Option<Bytes>> {
        let options = GetOptions {
            range: Some(part.into()),
            ..GetOptions::default()
        };
        present(self.receive(key, options).await)
    }

    /// Large objects take time: only silence is a timeout.
    async fn receive(&self, key: &Path, options: GetOptions) -> BucketResponse<Bytes> {
        let read = async {
            let found = within(self.answer, self.client.get_opts(key, options)).await?;
            let mut bytes = Vec::with_capacity(
                usize::try_from(found.range.end.saturating_sub(found.range.start))
                    .unwrap_or(0)
                    .min(LARGE),
            );
            let mut parts = found.into_stream();
            while let Some(part) = within(self.answer, parts.try_next()).await? {
                bytes.extend_from_slice(&part);
            }
            Ok(Bytes::from(bytes))
        };
        within(self.answer * LONGER, read).await
    }

    /// An object's size.
    pub(super) async fn size(&self, key: &Path) -> BucketResponse<Option<u64>> {
        present(
            within(self.answer, self.client.head(key))
                .await
                .map(|about| about.size),
        )
    }

    /// Removes an object.
    pub(super) async fn delete(&self, key: &Path) -> BucketResponse<()> {
        present(within(self.answer, self.client.delete(key)).await).map(|_| ())
    }

    /// A page of all objects whose keys have this prefix.
    pub(super) async fn page(
        &self,
        begin: &str,
        page: Option<String>,
        most: Option<usize>,
    ) -> BucketResponse<PaginatedListResult> {
        let options = PaginatedListOptions {
            page_token: page,
            max_keys: most,
            ..PaginatedListOptions::default()
        };
        let begin = Some(begin).filter(|begin| !begin.is_empty());
        within(self.answer, self.client.list_paginated(begin, options)).await
    }
}

/// Waits at most this long.
async fn within<T>(
    time: Duration,
    ask: impl Future<Output = BucketResponse<T>>,
) -> BucketResponse<T> {
    let silent = |elapsed| object_store::Error::Generic {
        store: "bucket",
        source: Box::new(elapsed),
    };
    tokio::time::timeout(time, ask).await.map_err(silent)?
}

fn present<T>(answer: BucketResponse<T>) -> BucketResponse<Option<T>> {
    match answer {
        Err(error) if BucketFault::of(&error) == BucketFault::Absent => Ok(None),
        answer => answer.map(Some),
    }
}

fn client(
    address: &BucketAddress,
    variables: &Variables,
    times: &Times,
) -> Result<Arc<dyn Client>> {
    let settings = settings(address, variables, times)?;
    let once = || RetryConfig {
        max_retries: 0,
        retry_timeout: Duration::ZERO,
        ..RetryConfig::default()
    };
    // The three builders share no trait.
    let built: BucketResponse<Arc<dyn Client>> = match address.keeper {
        BucketService::Aws => known(&settings)
            .fold(AmazonS3Builder::new(), |builder, (key, value)| {
                builder.with_config(key, value)
            })
            .with_bucket_name(&address.bucket)
            .with_retry(once())
            .with_crypto_provider(Arc::new(OpenSsl))
            .build()
            .map(|client| Arc::new(client) as _),
        BucketService::Google => known(&settings)
            .fold(GoogleCloudStorageBuilder::new(), |builder, (key, value)| {
                builder.with_config(key, value)
            })
            .with_bucket_name(&address.bucket)
            .with_retry(once())
            .with_crypto_provider(Arc::new(OpenSsl))
            .build()
            .map(|client| Arc::new(client) as _),
        BucketService::Azure => known(&settings)
            .fold(MicrosoftAzureBuilder::new(), |builder, (key, value)| {
                builder.with_config(key, value)
            })
            .with_container_name(&address.bucket)
            .with_retry(once())
            .with_crypto_provider(Arc::new(OpenSsl))
            .build()
            .map(|client| Arc::new(client) as _),
    };
    built.map_err(|_| {
        let (own, prefix) = (variables.own(), address.keeper.prefix());
        let text = format!(
            "the store at {} cannot be reached with these settings: check {own}{prefix}… and {prefix}… in the \
             environment",
            address.written
        );
        Error::new(ErrorCategory::Usage, text)
    })
}

/// The settings by the names of a service's builder.
fn known<K: std::str::FromStr>(
    settings: &BTreeMap<String, String>,
) -> impl Iterator<Item = (K, &String)> {
    settings
        .iter()
        .filter_map(|(name, value)| Some((name.parse().ok()?, value)))
}
