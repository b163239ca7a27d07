//! The simulated world around one process.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value as Json;
use tidegate::daemon::chance::Chance;
use tidegate::daemon::config::{FeedConfig, Root};
use tidegate::daemon::error::Result;
use tidegate::daemon::feed_writer::PublicRoot;
use tidegate::daemon::ingest::topic::{Fetching, Position, TopicSettings};
use tidegate::daemon::journal::store::{Packs, Store};
use tidegate::daemon::observe::FeedObserver;
use tidegate::daemon::service::world::{OpenedRoots, Wait, World};
use tidegate::daemon::service::{RunEnd, RunOptions, keep};
use tokio::sync::watch;

use super::nature::{Nature, Side};
use super::stores::Seen;
use super::topic::Reader;

/// A process without other events checks this often whether it is to end.
const IDLE: Duration = Duration::from_secs(5);
/// Fewer entries or objects of a kind are not packed.
pub const FEW: usize = 5;

/// The world around a process.
struct Here {
    nature: Arc<Nature>,
    process: u32,
    ends: watch::Receiver<bool>,
}

/// The lock of a folder.
struct Lock(Arc<Nature>, u32);

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.unlocks(self.1);
    }
}

impl Here {
    fn store(&self, side: Side) -> Arc<dyn Store> {
        Arc::new(Seen {
            nature: Arc::clone(&self.nature),
            process: self.process,
            side,
        })
    }
}

impl World for Here {
    fn now(&self) -> Timestamp {
        self.nature.clock(self.process)
    }

    fn age(&self) -> Duration {
        self.nature.age(self.process)
    }

    fn sleep(&self, time: Duration) -> Wait {
        let (nature, process, ends) = (Arc::clone(&self.nature), self.process, self.ends.clone());
        Box::pin(async move {
            if !*ends.borrow() {
                // A sleep may be longer than requested.
                let more = nature.draw(|draw| Duration::from_millis(draw.between(0, 6_000)));
                nature.turns.rest(process, time + more);
            }
        })
    }

    fn run_blocking(&self, work: Box<dyn FnOnce() + Send>) -> Wait {
        Box::pin(async move { work() })
    }

    fn chance(&self) -> Box<dyn Chance> {
        self.nature.chance()
    }

    fn roots(&self, _: &FeedConfig) -> Result<Option<OpenedRoots>> {
        if !self.nature.bucket && !self.nature.locks(self.process) {
            return Ok(None);
        }
        let private = Arc::new(Packs::over(self.store(Side::Private)));
        let lock = (!self.nature.bucket)
            .then(|| Box::new(Lock(Arc::clone(&self.nature), self.process)) as _);
        Ok(Some(OpenedRoots {
            private,
            public: PublicRoot::over(self.store(Side::Public)),
            lock,
        }))
    }

    fn fetch(
        &self,
        _: &TopicSettings<'_>,
        positions: BTreeMap<i32, Position>,
    ) -> Result<Box<dyn Fetching>> {
        Ok(Box::new(Reader::begin(
            Arc::clone(&self.nature),
            self.process,
            &positions,
        )))
    }

    fn note(&self, _: &Root, name: &str, bytes: Option<&[u8]>) -> Result<()> {
        let halt = bytes.map(|bytes| serde_json::from_slice::<Json>(bytes).expect("JSON"));
        let reason = halt
            .as_ref()
            .map(|halt| halt["reason"].as_str().expect("a text"));
        // The folder of the feed file has another name each time.
        self.nature.halts(
            self.process,
            reason.map(|reason| {
                reason
                    .rsplit("feed.toml: ")
                    .next()
                    .expect("a text")
                    .to_owned()
            }),
        );
        let private = self.store(Side::Private);
        match bytes {
            Some(bytes) => private.replace(name, bytes),
            None => private.delete(name),
        }
    }

    fn noted(&self, _: &Root, name: &str) -> Result<Option<Vec<u8>>> {
        self.store(Side::Private).read(name)
    }

    fn few(&self) -> usize {
        FEW
    }
}

/// Runs a feed as the program does, until it is told to end.
pub fn lives(
    nature: &Arc<Nature>,
    process: u32,
    feed: FeedConfig,
    reported: FeedObserver,
    ends: watch::Receiver<bool>,
) {
    let here = Here {
        nature: Arc::clone(nature),
        process,
        ends: ends.clone(),
    };
    let how = RunOptions {
        until: RunEnd::Asked,
        accept_clock: false,
        exit_on_halt: false,
    };
    let mut keeps = pin!(keep(feed, reported, how, Arc::new(here), ends));
    loop {
        // Every wait of this world ends when it is polled; only the order to end remains.
        match keeps.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => {
                done.expect("a feed is tried again until it is told to end");
                return;
            }
            Poll::Pending => nature.turns.rest(process, IDLE),
        }
    }
}
