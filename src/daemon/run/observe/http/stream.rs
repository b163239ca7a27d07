//! Connections with limits: one request of limited length, one answer, and a few seconds for both.
//! The number of connections is limited too, so that slow, long or many requests cost the daemon
//! nothing: a new connection closes the oldest one that has not sent its request yet, so no answer
//! waits for other connections.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep};

/// The time limit of a request.
const REQUEST: Duration = Duration::from_secs(2);
/// The time limit of its answer.
const ANSWER: Duration = Duration::from_secs(5);
/// The greatest number of connections.
const MOST: usize = 64;
/// The greatest length of a request in bytes.
const LONGEST: usize = 16 << 10;

/// Accepts all connections, and closes old ones beyond the limit.
#[derive(Debug)]
pub(super) struct LimitedListener {
    listener: TcpListener,
    open: Arc<OpenConnections>,
}

/// The open connections.
#[derive(Debug, Default)]
struct OpenConnections(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The number of the next connection.
    next: u64,
    /// The oldest first.
    open: VecDeque<OpenConnection>,
}

#[derive(Debug)]
struct OpenConnection {
    number: u64,
    /// Whether its request has come, and the answer has begun.
    is_answered: bool,
    /// Closes it when dropped.
    _closes: oneshot::Sender<()>,
}

impl OpenConnections {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection; if there are too many, the oldest that waits for its request is closed,
    /// or else the oldest.
    fn add(&self) -> (u64, oneshot::Receiver<()>) {
        let (closes, closed) = oneshot::channel();
        let mut known = self.lock();
        let number = known.next;
        known.next += 1;
        if known.open.len() >= MOST {
            let waiting = known
                .open
                .iter()
                .position(|connection| !connection.is_answered);
            known.open.remove(waiting.unwrap_or(0));
        }
        known.open.push_back(OpenConnection {
            number,
            is_answered: false,
            _closes: closes,
        });
        (number, closed)
    }

    fn answers(&self, number: u64) {
        if let Some(connection) = self
            .lock()
            .open
            .iter_mut()
            .find(|connection| connection.number == number)
        {
            connection.is_answered = true;
        }
    }

    fn remove(&self, number: u64) {
        self.lock()
            .open
            .retain(|connection| connection.number != number);
    }
}

impl LimitedListener {
    /// A listener with these limits.
    pub(super) fn new(listener: TcpListener) -> LimitedListener {
        LimitedListener {
            listener,
            open: Arc::default(),
        }
    }
}

impl axum::serve::Listener for LimitedListener {
    type Io = Timed;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Timed, SocketAddr) {
        // The library waits in its own way if the system has no more connections.
        let (stream, from) = axum::serve::Listener::accept(&mut self.listener).await;
        let (number, closed) = self.open.add();
        let open = Arc::clone(&self.open);
        let end = Box::pin(sleep(REQUEST));
        let timed = Timed {
            stream,
            end,
            closed,
            is_over: false,
            left: LONGEST,
            is_answered: false,
            number,
            open,
        };
        (timed, from)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection with a time limit.
#[derive(Debug)]
pub(super) struct Timed {
    stream: TcpStream,
    end: Pin<Box<Sleep>>,
    /// Ready when a newer connection takes the place of this one.
    closed: oneshot::Receiver<()>,
    is_over: bool,
    /// The number of bytes that may still be read.
    left: usize,
    is_answered: bool,
    number: u64,
    open: Arc<OpenConnections>,
}

impl Timed {
    /// The result of a poll, unless it is not ready and the time has passed or another connection
    /// has the place.
    fn within<T>(
        &mut self,
        polled: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            return polled;
        }
        self.is_over = self.is_over
            || Pin::new(&mut self.closed).poll(cx).is_ready()
            || self.end.as_mut().poll(cx).is_ready();
        if self.is_over {
            Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
        } else {
            polled
        }
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        self.open.remove(self.number);
    }
}

impl AsyncRead for Timed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.left == 0 {
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        }
        let before = into.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, into);
        self.left = self.left.saturating_sub(into.filled().len() - before);
        self.within(polled, cx)
    }
}

impl AsyncWrite for Timed {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if !self.is_answered {
            self.is_answered = true;
            self.open.answers(self.number);
            self.end.as_mut().reset(Instant::now() + ANSWER);
        }
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.within(polled, cx)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        self.within(polled, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.within(polled, cx)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use axum::serve::Listener as _;
    use tokio::time::timeout;

    use super::*;

    /// Gives up only if the future never ends.
    async fn ends<T>(work: impl Future<Output = T>) -> T {
        timeout(Duration::from_secs(600), work)
            .await
            .expect("it does not end")
    }

    #[tokio::test]
    async fn a_connection_waits_for_no_other_one() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let mut listener = LimitedListener::new(listener);
        let address = listener.local_addr().expect("an address");
        let (mut clients, mut accepted) = (Vec::new(), Vec::new());
        for number in 0..MOST + 3 {
            clients.push(ends(TcpStream::connect(address)).await.expect("it listens"));
            let (mut connection, _) = ends(listener.accept()).await;
            // The answers of the first two have begun.
            if number < 2 {
                let written =
                    poll_fn(|cx| Pin::new(&mut connection).poll_write(cx, b"HTTP/1.1 200 OK"));
                ends(written).await.expect("there is room");
            }
            accepted.push(connection);
        }
        let left: Vec<u64> = listener
            .open
            .lock()
            .open
            .iter()
            .map(|connection| connection.number)
            .collect();
        let expected: Vec<u64> = (0..MOST as u64 + 3)
            .filter(|number| !(2..5).contains(number))
            .collect();
        assert_eq!(left, expected);
        let mut byte = [0];
        let read =
            poll_fn(|cx| Pin::new(&mut accepted[2]).poll_read(cx, &mut ReadBuf::new(&mut byte)));
        assert!(ends(read).await.is_err(), "it was closed for a newer one");
        // One that ends makes room.
        accepted.pop();
        assert_eq!(listener.open.lock().open.len(), MOST - 1);
    }
}
