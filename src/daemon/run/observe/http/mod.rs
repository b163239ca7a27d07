//! The daemon's own pages (CONTRACTS 5): `/health/live`, `/health/ready` and `/metrics`, read-only.
//! No request changes anything, and no request body is read. If other machines reach the port, it
//! requires a token.

mod http_port;
mod pages;
mod stream;
mod tokens;

pub use super::process_settings::address;
pub use http_port::HttpPort;
pub use pages::serve;
