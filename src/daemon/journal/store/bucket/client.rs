//! The clients of a bucket and what is asked of them, once each: the library never asks again on its own, because a write
//! that was sent twice can find itself and say that something is there. Decides nothing about answers.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::list::{PaginatedListOptions, PaginatedListResult, PaginatedListStore};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, RetryConfig};

use super::access::{BucketAddress, BucketService, Patience, Times, Variables, settings};
use super::crypto::OpenSsl;
use super::fault::BucketFault;
use crate::daemon::error::{Error, ErrorCategory, Result};

/// What the library answers.
pub type BucketResponse<T> = object_store::Result<T>;

/// Objects from this size on get more time to be sent.
const LARGE: usize = 4 << 20;

/// How much more.
const LONGER: u32 = 20;

/// What all keepers offer.
trait Client: ObjectStore + PaginatedListStore {}

impl<T: ObjectStore + PaginatedListStore> Client for T {}

/// The clients of a bucket; they differ in how long they wait.
pub struct Clients {
    /// For what is small.
    quick: Arc<dyn Client>,
    /// For sending what is large.
    sending: Arc<dyn Client>,
    /// For receiving, where only silence is too long.
    receiving: Arc<dyn Client>,
}

impl Clients {
    /// Sets them up; asks nothing yet.
    pub fn new(address: &BucketAddress, variables: &Variables, patience: &Patience) -> Result<Clients> {
        let (connect, answer) = (patience.connect, patience.answer);
        let client = |silence, whole| client(address, variables, &Times { connect, silence, whole });
        Ok(Clients {
            quick: client(answer, answer)?,
            sending: client(answer * LONGER, answer * LONGER)?,
            receiving: client(answer, answer * LONGER)?,
        })
    }

    /// Puts an object, where none is or whatever is there.
    pub async fn put(&self, key: &Path, bytes: Bytes, mode: PutMode) -> BucketResponse<()> {
        let client = if bytes.len() < LARGE { &self.quick } else { &self.sending };
        client.put_opts(key, bytes.into(), mode.into()).await.map(|_| ())
    }

    /// An object's bytes.
    pub async fn get(&self, key: &Path) -> BucketResponse<Option<Bytes>> {
        let read = async { self.receiving.get(key).await?.bytes().await };
        present(read.await)
    }

    /// Some of an object's bytes.
    pub async fn get_part(&self, key: &Path, part: Range<u64>) -> BucketResponse<Option<Bytes>> {
        present(self.receiving.get_range(key, part).await)
    }

    /// An object's size.
    pub async fn size(&self, key: &Path) -> BucketResponse<Option<u64>> {
        present(self.quick.head(key).await.map(|about| about.size))
    }

    /// Removes an object.
    pub async fn delete(&self, key: &Path) -> BucketResponse<()> {
        present(self.quick.delete(key).await).map(|_| ())
    }

    /// A page of all objects whose keys begin like this.
    pub async fn page(
        &self,
        begin: &str,
        page: Option<String>,
        most: Option<usize>,
    ) -> BucketResponse<PaginatedListResult> {
        let options = PaginatedListOptions { page_token: page, max_keys: most, ..PaginatedListOptions::default() };
        self.quick.list_paginated(Some(begin).filter(|begin| !begin.is_empty()), options).await
    }
}

fn present<T>(answer: BucketResponse<T>) -> BucketResponse<Option<T>> {
    match answer {
        Err(error) if BucketFault::of(&error) == BucketFault::Absent => Ok(None),
        answer => answer.map(Some),
    }
}

fn client(address: &BucketAddress, variables: &Variables, times: &Times) -> Result<Arc<dyn Client>> {
    let settings = settings(address, variables, times)?;
    let once = || RetryConfig { max_retries: 0, retry_timeout: Duration::ZERO, ..RetryConfig::default() };
    // The three builders share no trait.
    let built: BucketResponse<Arc<dyn Client>> = match address.keeper {
        BucketService::Aws => known(&settings)
            .fold(AmazonS3Builder::new(), |builder, (key, value)| builder.with_config(key, value))
            .with_bucket_name(&address.bucket)
            .with_retry(once())
            .with_crypto_provider(Arc::new(OpenSsl))
            .build()
            .map(|client| Arc::new(client) as _),
        BucketService::Google => known(&settings)
            .fold(GoogleCloudStorageBuilder::new(), |builder, (key, value)| builder.with_config(key, value))
            .with_bucket_name(&address.bucket)
            .with_retry(once())
            .with_crypto_provider(Arc::new(OpenSsl))
            .build()
            .map(|client| Arc::new(client) as _),
        BucketService::Azure => known(&settings)
            .fold(MicrosoftAzureBuilder::new(), |builder, (key, value)| builder.with_config(key, value))
            .with_container_name(&address.bucket)
            .with_retry(once())
            .with_crypto_provider(Arc::new(OpenSsl))
            .build()
            .map(|client| Arc::new(client) as _),
    };
    built.map_err(|_| {
        let (own, prefix) = (variables.own(), address.keeper.prefix());
        let text = format!(
            "the store at {} cannot be reached with these settings: look at {own}{prefix}… and {prefix}… in the environment",
            address.written
        );
        Error::new(ErrorCategory::Usage, text)
    })
}

/// The settings that a keeper's builder has a name for; other programs have variables of their own.
fn known<K: std::str::FromStr>(settings: &BTreeMap<String, String>) -> impl Iterator<Item = (K, &String)> {
    settings.iter().filter_map(|(name, value)| Some((name.parse().ok()?, value)))
}
