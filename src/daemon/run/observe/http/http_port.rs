//! The port of the daemon's pages. It is opened before anything else, so that a port in use fails
//! the start and does not interrupt the work.

use std::io;
use std::net::{SocketAddr, TcpListener};

use super::tokens::Tokens;
use crate::config::Http;
use crate::error::{Error, ErrorCategory, Result, cause};

/// An open port and the tokens that it requires.
pub struct HttpPort {
    pub(super) listener: TcpListener,
    pub(super) address: SocketAddr,
    pub(super) tokens: Tokens,
}

impl HttpPort {
    /// Opens the port and reads the tokens.
    ///
    /// # Errors
    /// The port cannot be opened, a token cannot be read or is empty, or there is none and other
    /// machines reach the port.
    pub fn open(http: &Http) -> Result<HttpPort> {
        let bind = http.bind;
        if http.is_open() {
            let text = format!(
                "other machines can reach {bind}, but no token is required: name one in `http.tokens` or with --token, \
                 or listen on 127.0.0.1"
            );
            return Err(Error::new(ErrorCategory::Usage, text).in_field("http.tokens"));
        }
        let tokens = Tokens::read(&http.tokens)?;
        let refused = |error| refused(bind, &error);
        let listener = TcpListener::bind(bind).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        Ok(HttpPort {
            listener,
            address,
            tokens,
        })
    }

    /// Its address; for port 0 in the feed file, the one that the system chose.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The error if the daemon cannot listen on the address, and what to do.
pub(super) fn refused(bind: SocketAddr, error: &io::Error) -> Error {
    let (why, act) = match error.kind() {
        io::ErrorKind::AddrInUse => (
            "another program listens there".to_owned(),
            "stop that program, or write another `http.bind`",
        ),
        io::ErrorKind::AddrNotAvailable => (
            "this machine has no such address".to_owned(),
            "write an address of this machine, or 127.0.0.1",
        ),
        io::ErrorKind::PermissionDenied => (
            "there is no permission to".to_owned(),
            "write a port of 1024 or above in `http.bind`",
        ),
        _ => (cause(error), "write another `http.bind`"),
    };
    Error::new(
        ErrorCategory::Io,
        format!("cannot listen on {bind}: {why}: {act}"),
    )
    .in_field("http.bind")
}
