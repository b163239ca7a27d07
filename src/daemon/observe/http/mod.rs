//! The daemon's own pages (CONTRACTS 5): `/health/live`, `/health/ready` and `/metrics`, for reading only. Nothing that
//! comes in over this door changes anything, and no request body is read. Where other machines reach the door, it asks for a token.

mod http_port;
mod pages;
mod stream;
mod tokens;

pub use super::process_settings::address;
pub use http_port::HttpPort;
pub use pages::serve;
