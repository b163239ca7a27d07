//! The address that pages are read at, opened before anything else happens, so that a port that is taken stops the start
//! and not the work.

use std::io;
use std::net::{SocketAddr, TcpListener};

use super::tokens::Tokens;
use crate::daemon::config::Http;
use crate::daemon::error::{Error, Kind, Result, cause};

/// An open port and the tokens that are asked for.
pub struct Door {
    pub(super) listener: TcpListener,
    pub(super) address: SocketAddr,
    pub(super) tokens: Tokens,
}

impl Door {
    /// Opens the port, or another one that is asked for, and reads the tokens.
    ///
    /// # Errors
    /// The port cannot be opened, or a token cannot be read or is empty.
    pub fn open(http: &Http, elsewhere: Option<SocketAddr>) -> Result<Door> {
        let tokens = Tokens::read(&http.tokens)?;
        let bind = elsewhere.unwrap_or(http.bind);
        let refused = |error| refused(bind, &error);
        let listener = TcpListener::bind(bind).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        Ok(Door { listener, address, tokens })
    }

    /// Where it is; with port 0 in the feed file the one that the system chose.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Nobody can listen there, and what to do.
pub(super) fn refused(bind: SocketAddr, error: &io::Error) -> Error {
    let (why, act) = match error.kind() {
        io::ErrorKind::AddrInUse => {
            ("another program listens there".to_owned(), "end that one, or write another `http.bind`")
        }
        io::ErrorKind::AddrNotAvailable => {
            ("this machine has no such address".to_owned(), "write one that it has, or 127.0.0.1")
        }
        io::ErrorKind::PermissionDenied => {
            ("there is no permission to".to_owned(), "write a port of 1024 or above in `http.bind`")
        }
        _ => (cause(error), "write another `http.bind`"),
    };
    Error::new(Kind::Io, format!("cannot listen on {bind}: {why}: {act}")).in_field("http.bind")
}
