//! What commands that run feeds need: threads, signals, and files that other accounts cannot read.

use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::daemon::chance::{Chance as _, SystemChance};
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::engine::model::RecordHasher;

/// Other accounts cannot read what this process writes; its memory is not written to a disk, and no
/// other process of the same account can read it.
pub(crate) fn safely() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    hide_memory();
}

fn hide_memory() {
    use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
    // If even this is not permitted, core dumps are not possible either.
    let _ = setrlimit(
        Resource::Core,
        Rlimit {
            current: Some(0),
            maximum: Some(0),
        },
    );
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// Draws the seed of tables whose keys come from records.
///
/// # Errors
/// The system gives no random bytes.
pub(crate) fn seed_hashes() -> Result<()> {
    let mut seed = [0; 16];
    SystemChance.fill(&mut seed)?;
    let (own, shared) = seed.split_at(8);
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    RecordHasher::seed([number(own), number(shared)]);
    Ok(())
}

/// The runtime of feeds.
///
/// # Errors
/// The system gives no threads.
pub(crate) fn runtime() -> Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.map_err(|_| Error::new(ErrorCategory::Io, "the operating system gives no threads"))
}

/// The sender and the receiver of the order to end: it comes from a signal, or from this process
/// itself. A second signal ends the process at once.
///
/// # Errors
/// Signals cannot be listened to.
pub(crate) fn signals() -> Result<(Arc<watch::Sender<bool>>, watch::Receiver<bool>)> {
    let (sender, receiver) = watch::channel(false);
    let listen = |kind| {
        signal(kind).map_err(|_| Error::new(ErrorCategory::Io, "signals cannot be listened to"))
    };
    let (mut term, mut int) = (
        listen(SignalKind::terminate())?,
        listen(SignalKind::interrupt())?,
    );
    // A closed terminal, or a tool that wants files to be read again, ends nothing. Nothing is read
    // again before the next start.
    let hangup = listen(SignalKind::hangup())?;
    let sender = Arc::new(sender);
    let by_signal = Arc::clone(&sender);
    tokio::spawn(async move {
        let _listens = hangup;
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
        let _ = by_signal.send(true);
        // An operator who asks twice does not want to wait.
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
        std::process::exit(2);
    });
    Ok((sender, receiver))
}

#[cfg(test)]
mod tests {
    use rustix::process::{DumpableBehavior, Resource, dumpable_behavior, getrlimit};

    #[test]
    fn memory_is_neither_dumped_nor_read_by_others() {
        super::hide_memory();
        assert!(dumpable_behavior().expect("Linux") == DumpableBehavior::NotDumpable);
        assert_eq!(getrlimit(Resource::Core).current, Some(0));
    }
}
