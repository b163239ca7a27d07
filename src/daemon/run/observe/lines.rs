//! Where log lines go: one thread writes them, in order. If the reader is gone, lines are lost and
//! nothing else happens. If it does not read, it is waited for once, for a second; from then on
//! lines are kept up to a limit and counted as lost beyond it, until it reads again. The daemon
//! never waits without limit for its log, and never panics because of it.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;

use crate::error::{Error, ErrorCategory, Result};

/// The number of lines that are kept for a reader that does not read.
const MOST: usize = 1024;
/// The time for which such a reader is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// Accepts log lines.
pub(super) struct LineSink(Arc<Shared>);

struct Shared {
    queue: Mutex<Queue>,
    /// A line was added, or the sink was closed.
    came: Condvar,
    /// Lines were written.
    went: Condvar,
    lost: Counter,
}

#[derive(Default)]
struct Queue {
    lines: VecDeque<String>,
    /// The number of lines that were added.
    put: u64,
    /// The number of lines that were written or lost.
    done: u64,
    /// Whether the reader does not read.
    stalled: bool,
    /// Whether no line will be added any more.
    closed: bool,
}

impl LineSink {
    /// Writes lines to `out`; `lost` counts those that are lost.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn new(out: impl Write + Send + 'static, lost: Counter) -> Result<LineSink> {
        let (came, went) = (Condvar::new(), Condvar::new());
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            came,
            went,
            lost,
        });
        let of_writer = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("log".to_owned());
        thread
            .spawn(move || of_writer.write(out))
            .map_err(|error| {
                let text = format!(
                    "cannot start the thread that writes the log: {}",
                    crate::error::cause(&error)
                );
                Error::new(ErrorCategory::Io, text)
            })?;
        Ok(LineSink(shared))
    }

    /// Adds a line. When this returns it has been written, unless the reader is gone or does not
    /// read.
    pub(super) fn put(&self, line: String) {
        let mut queue = self.0.lock();
        if queue.lines.len() >= MOST {
            self.0.lost.inc();
            return;
        }
        queue.lines.push_back(line);
        queue.put += 1;
        let mine = queue.put;
        self.0.came.notify_one();
        if queue.stalled {
            return;
        }
        let waits = |queue: &mut Queue| queue.done < mine && !queue.stalled;
        let waited = self.0.went.wait_timeout_while(queue, PATIENCE, waits);
        let (mut queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        queue.stalled = queue.done < mine;
    }
}

impl Drop for LineSink {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.came.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, mut out: impl Write) {
        let mut queue = self.lock();
        loop {
            queue = self
                .came
                .wait_while(queue, |queue| queue.lines.is_empty() && !queue.closed)
                .unwrap_or_else(PoisonError::into_inner);
            let Some(line) = queue.lines.pop_front() else {
                return;
            };
            drop(queue);
            if out
                .write_all(line.as_bytes())
                .and_then(|()| out.flush())
                .is_err()
            {
                self.lost.inc();
            }
            queue = self.lock();
            queue.done += 1;
            queue.stalled &= !queue.lines.is_empty();
            self.went.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::mpsc;
    use std::time::Instant;

    use super::*;

    /// Does not read until the test lets it continue.
    struct Slow(mpsc::Receiver<()>, Arc<Mutex<Vec<u8>>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            self.1.lock().expect("no panic").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Gone;

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_is_gone_costs_the_lines_only() {
        let lost = Counter::default();
        let lines = LineSink::new(Gone, lost.clone()).expect("a thread");
        for _ in 0..3 {
            lines.put("line\n".to_owned());
        }
        assert_eq!(lost.get(), 3);
    }

    #[test]
    fn a_reader_that_makes_no_progress_is_waited_for_once() {
        let (go, wait) = mpsc::channel();
        let (lost, written) = (Counter::default(), Arc::new(Mutex::new(Vec::new())));
        let lines =
            LineSink::new(Slow(wait, Arc::clone(&written)), lost.clone()).expect("a thread");
        let began = Instant::now();
        let more = MOST as u64 + 11;
        for number in 0..more {
            lines.put(format!("{number}\n"));
        }
        assert!(began.elapsed() < PATIENCE * 3, "{:?}", began.elapsed());
        // The writer has one line, and the queue is full.
        assert_eq!(lost.get(), more - 1 - MOST as u64);
        drop(go);
        // It reads again: the kept lines are written in order, and the next line has been written
        // when `put` returns.
        while lines.0.lock().stalled {
            std::thread::yield_now();
        }
        lines.put("last\n".to_owned());
        let written = String::from_utf8(written.lock().expect("no panic").clone()).expect("text");
        let kept: Vec<String> = (0..=MOST)
            .map(|number| number.to_string())
            .chain(["last".to_owned()])
            .collect();
        assert_eq!(written.lines().collect::<Vec<_>>(), kept);
    }
}
