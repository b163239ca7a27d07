//! Connections with limits: one request of limited length, one answer, and a few seconds for both. The number of
//! connections is limited too, so that slow, long or many requests cost the daemon nothing.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

/// The time limit of a connection.
const LASTS: Duration = Duration::from_secs(5);
/// The greatest number of connections.
const MOST: usize = 64;
/// The greatest length of a request in bytes.
const LONGEST: usize = 16 << 10;

/// Accepts connections up to the limit.
#[derive(Debug)]
pub struct LimitedListener {
    listener: TcpListener,
    room: Arc<Semaphore>,
}

impl LimitedListener {
    /// A listener with these limits.
    pub fn new(listener: TcpListener) -> LimitedListener {
        LimitedListener { listener, room: Arc::new(Semaphore::new(MOST)) }
    }
}

impl axum::serve::Listener for LimitedListener {
    type Io = Timed;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Timed, SocketAddr) {
        let place = Arc::clone(&self.room).acquire_owned().await.expect("the semaphore is never closed");
        // The library waits in its own way if the system has no more connections.
        let (stream, from) = axum::serve::Listener::accept(&mut self.listener).await;
        (Timed { stream, end: Box::pin(sleep(LASTS)), left: LONGEST, _place: place }, from)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection with a time limit.
#[derive(Debug)]
pub struct Timed {
    stream: TcpStream,
    end: Pin<Box<Sleep>>,
    /// The number of bytes that may still be read.
    left: usize,
    _place: OwnedSemaphorePermit,
}

impl Timed {
    /// The result of a poll, unless it is not ready and the time has passed.
    fn within<T>(&mut self, polled: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if polled.is_pending() && self.end.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        polled
    }
}

impl AsyncRead for Timed {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
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
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
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
