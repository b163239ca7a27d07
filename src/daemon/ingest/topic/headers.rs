//! What stands beside a message and matters: in a topic of Avro the header that names its schema. Nothing else of headers is
//! looked at.

use rdkafka::message::{BorrowedMessage, Headers as _, Message as _};

use super::avro::beside;

/// What names the schema of a message, as it would stand before its record; empty where nothing does.
pub fn schema<'m>(message: &'m BorrowedMessage<'_>) -> &'m [u8] {
    let headers = message.headers();
    beside(headers.iter().flat_map(|all| all.iter()).map(|header| (header.key, header.value)))
}
