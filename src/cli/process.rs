//! What commands need that run feeds: threads, signals, and nothing left for others to read.

use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::daemon::error::{Error, ErrorCategory, Result};

/// No other account may read what this process writes, and nothing of its memory is left on a disk.
pub fn safely() {
    use rustix::process::{Resource, Rlimit, setrlimit, umask};
    umask(rustix::fs::Mode::from_raw_mode(0o077));
    // Where even this is not allowed there is nothing to dump either.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}

/// What feeds run on.
///
/// # Errors
/// The system gives no threads.
pub fn runtime() -> Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(|_| Error::new(ErrorCategory::Io, "the operating system gives no threads"))
}

/// Who tells the process to end, and who is told: by a signal, or by this process itself. A second signal ends it at once.
///
/// # Errors
/// Signals cannot be listened to.
pub fn signals() -> Result<(Arc<watch::Sender<bool>>, watch::Receiver<bool>)> {
    let (tell, told) = watch::channel(false);
    let listen = |kind| signal(kind).map_err(|_| Error::new(ErrorCategory::Io, "signals cannot be listened to"));
    let (mut term, mut int) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    // A terminal that is closed, or a tool that wants files to be read again, ends nothing. Nothing is read again before the next start.
    let hangup = listen(SignalKind::hangup())?;
    let tell = Arc::new(tell);
    let by_signal = Arc::clone(&tell);
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
    Ok((tell, told))
}
