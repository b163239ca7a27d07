//! The id of a topic, which distinguishes it from another one of the same name after an
//! administrator has deleted and recreated it: offsets of the one mean nothing in the other; and
//! the leader epoch of a message, which distinguishes it from another one at its offset. The Kafka
//! library provides both only through its C interface; this is the only unsafe code of the program.

use std::ffi::{CStr, CString, c_char};
use std::slice;
use std::time::Duration;

use rdkafka::bindings as rd;
use rdkafka::client::{Client, ClientContext};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::types::RDKafkaErrorCode;

/// A topic as the brokers describe it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TopicIdentity {
    /// The id that distinguishes it from others of the same name.
    pub id: String,
    /// Its partitions, ascending.
    pub partitions: Vec<i32>,
}

/// An object of the library that has to be destroyed.
struct Owned<T>(*mut T, unsafe extern "C" fn(*mut T));

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer was created by the library, is not null, and is destroyed once.
        unsafe { (self.1)(self.0) }
    }
}

/// How long a request waits before it checks whether its caller still waits, in milliseconds.
const SLICE: i32 = 50;

/// Queries the brokers about a topic: first to find a broker that knows it, with one timeout, then
/// that broker with another one, which ends when no caller waits for the answer any more.
///
/// # Errors
/// They do not answer in time, or do not know it.
pub(super) fn describe<C: ClientContext>(
    client: &Client<C>,
    topic: &str,
    first: Duration,
    then: Duration,
    ends: &dyn Fn() -> bool,
) -> Result<TopicIdentity, RDKafkaErrorCode> {
    // The query goes to a broker with a part of the topic: messages come from it, while the
    // controller, which the library would ask by default, may not be reachable for clients.
    let failed = |error: KafkaError| {
        error
            .rdkafka_error_code()
            .unwrap_or(RDKafkaErrorCode::BadMessage)
    };
    let known = client.fetch_metadata(Some(topic), first).map_err(failed)?;
    let leaders = known
        .topics()
        .iter()
        .flat_map(|topic| topic.partitions())
        .map(|partition| partition.leader());
    let leader = leaders.into_iter().find(|leader| *leader >= 0);
    let broker = leader.or_else(|| known.brokers().first().map(|broker| broker.id()));
    let broker = broker.ok_or(RDKafkaErrorCode::AllBrokersDown)?;
    let millis = i32::try_from(then.as_millis()).unwrap_or(i32::MAX);
    let name = CString::new(topic).map_err(|_| RDKafkaErrorCode::InvalidArgument)?;
    let mut names = [name.as_ptr()];
    // SAFETY: the client outlives this call, and everything that is made from it is destroyed
    // before it ends (`Owned`); `names` and what it points to live until then; the event is read
    // while it lives.
    unsafe {
        let rk = client.native_ptr();
        let queue = Owned(rd::rd_kafka_queue_new(rk), rd::rd_kafka_queue_destroy);
        let options = rd::rd_kafka_AdminOptions_new(
            rk,
            rd::rd_kafka_admin_op_t::RD_KAFKA_ADMIN_OP_DESCRIBETOPICS,
        );
        let options = Owned(options, rd::rd_kafka_AdminOptions_destroy);
        let mut said: [c_char; 256] = [0; 256];
        rd::rd_kafka_AdminOptions_set_request_timeout(
            options.0,
            millis,
            said.as_mut_ptr(),
            said.len(),
        );
        rd::rd_kafka_AdminOptions_set_broker(options.0, broker, said.as_mut_ptr(), said.len());
        let topics = rd::rd_kafka_TopicCollection_of_topic_names(names.as_mut_ptr(), names.len());
        let topics = Owned(topics, rd::rd_kafka_TopicCollection_destroy);
        rd::rd_kafka_DescribeTopics(rk, topics.0, options.0, queue.0);
        // The library answers within its timeout; a little more is allowed for the delivery of the
        // answer.
        let mut slices = millis / SLICE + 20;
        let mut event = rd::rd_kafka_queue_poll(queue.0, SLICE);
        while event.is_null() && slices > 0 && !ends() {
            event = rd::rd_kafka_queue_poll(queue.0, SLICE);
            slices -= 1;
        }
        if event.is_null() {
            return Err(RDKafkaErrorCode::OperationTimedOut);
        }
        let event = Owned(event, rd::rd_kafka_event_destroy);
        found(rd::rd_kafka_event_error(event.0))?;
        let result = rd::rd_kafka_event_DescribeTopics_result(event.0);
        if result.is_null() {
            return Err(RDKafkaErrorCode::BadMessage);
        }
        let mut count = 0;
        let described = rd::rd_kafka_DescribeTopics_result_topics(result, &raw mut count);
        if described.is_null() || count == 0 {
            return Err(RDKafkaErrorCode::UnknownTopicOrPartition);
        }
        read(*described)
    }
}

/// Whether an id distinguishes topics. Brokers without ids give zero, in base 64.
fn is_distinctive(id: &str) -> bool {
    !id.trim_start_matches('A').trim_end_matches('=').is_empty()
}

/// The epoch of the leader that has given a message its offset, if the brokers provide it: another
/// message at this offset has another epoch.
pub(super) fn epoch(message: &BorrowedMessage<'_>) -> Option<i32> {
    // SAFETY: it is a live message of the library.
    let epoch = unsafe { rd::rd_kafka_message_leader_epoch(message.ptr()) };
    (epoch >= 0).then_some(epoch)
}

/// The content of a description.
///
/// # Safety
/// It is a live description of the library.
unsafe fn read(
    described: *const rd::rd_kafka_TopicDescription_t,
) -> Result<TopicIdentity, RDKafkaErrorCode> {
    // SAFETY: as the caller guarantees; the parts live as long as the description.
    unsafe {
        let error = rd::rd_kafka_TopicDescription_error(described);
        if !error.is_null() {
            found(rd::rd_kafka_error_code(error))?;
        }
        let id = rd::rd_kafka_Uuid_base64str(rd::rd_kafka_TopicDescription_topic_id(described));
        let id = if id.is_null() {
            String::new()
        } else {
            CStr::from_ptr(id).to_string_lossy().into_owned()
        };
        if !is_distinctive(&id) {
            return Err(RDKafkaErrorCode::UnsupportedFeature);
        }
        let mut count = 0;
        let all = rd::rd_kafka_TopicDescription_partitions(described, &raw mut count);
        let all = if all.is_null() {
            &[][..]
        } else {
            slice::from_raw_parts(all, count)
        };
        let mut partitions: Vec<i32> = all
            .iter()
            .map(|&one| rd::rd_kafka_TopicPartitionInfo_partition(one))
            .collect();
        partitions.sort_unstable();
        Ok(TopicIdentity { id, partitions })
    }
}

fn found(code: rd::rd_kafka_resp_err_t) -> Result<(), RDKafkaErrorCode> {
    match code {
        rd::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR_NO_ERROR => Ok(()),
        other => Err(RDKafkaErrorCode::from(other)),
    }
}

#[cfg(test)]
mod tests {
    use rdkafka::config::ClientConfig;
    use rdkafka::consumer::{BaseConsumer, Consumer as _};
    use rdkafka::mocking::MockCluster;

    use super::*;

    #[test]
    fn an_id_of_zero_identifies_no_topic() {
        assert!(
            !is_distinctive("")
                && !is_distinctive("AAAAAAAAAAAAAAAAAAAAAA")
                && !is_distinctive("AAAAAAAAAAAAAAAAAAAAAA==")
        );
        assert!(
            is_distinctive("AAAAAAAAAAAAAAAAAAAAAQ") && is_distinctive("xnbY0zx-RzGAXHKuobxnrA")
        );
    }

    #[test]
    fn a_topic_is_described_by_its_brokers() {
        let cluster = MockCluster::new(1).expect("a cluster");
        cluster.create_topic("wards", 3, 1).expect("a topic");
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", cluster.bootstrap_servers())
            .set("group.id", "tests");
        let consumer: BaseConsumer = config.create().expect("a client");
        let long = Duration::from_secs(5);
        let ask = |topic| describe(consumer.client(), topic, long, long, &|| false);
        let topic = ask("wards").expect("it is there");
        assert!(
            !topic.id.is_empty() && topic.partitions == [0, 1, 2],
            "{topic:?}"
        );
    }
}
