//! The headers of messages: in a topic of Avro the one that names the schema. Other headers are
//! ignored.

use rdkafka::message::{BorrowedMessage, Headers as _, Message as _};

use super::avro::beside;

/// The schema key of a message's headers, in the form of a prefix; empty if there is none.
pub(super) fn schema<'m>(message: &'m BorrowedMessage<'_>) -> &'m [u8] {
    let headers = message.headers();
    beside(
        headers
            .iter()
            .flat_map(|all| all.iter())
            .map(|header| (header.key, header.value)),
    )
}
