//! What tells a topic from another one of the same name, which is what it is after an administrator has deleted it and made it anew:
//! offsets of the one mean nothing in the other; and what tells a message from another one at its offset. The Kafka library
//! tells both to callers from C only; this is the one place in the program where memory is not looked after by the compiler.

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
pub struct TopicIdentity {
    /// What tells it from another one of the same name.
    pub id: String,
    /// Its partitions, ascending.
    pub partitions: Vec<i32>,
}

/// Something of the library that has to be given back.
struct Owned<T>(*mut T, unsafe extern "C" fn(*mut T));

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer was made by the library, is not null, and is given back once.
        unsafe { (self.1)(self.0) }
    }
}

/// How long a request goes on before it looks whether its caller still waits.
const SLICE: i32 = 50;

/// Asks the brokers about a topic: one that knows it within some time, then that one within another, which ends when no caller
/// waits for the answer any more.
///
/// # Errors
/// They do not answer in time, or do not know it.
pub fn describe<C: ClientContext>(
    client: &Client<C>,
    topic: &str,
    first: Duration,
    then: Duration,
    ends: &dyn Fn() -> bool,
) -> Result<TopicIdentity, RDKafkaErrorCode> {
    // A broker that has a part of the topic is asked: it is the one that messages come from, and the controller, whom the
    // library would ask by itself, need not be one that answers clients.
    let failed = |error: KafkaError| error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::BadMessage);
    let known = client.fetch_metadata(Some(topic), first).map_err(failed)?;
    let leaders = known.topics().iter().flat_map(|topic| topic.partitions()).map(|partition| partition.leader());
    let leader = leaders.into_iter().find(|leader| *leader >= 0);
    let broker = leader.or_else(|| known.brokers().first().map(|broker| broker.id()));
    let broker = broker.ok_or(RDKafkaErrorCode::AllBrokersDown)?;
    let millis = i32::try_from(then.as_millis()).unwrap_or(i32::MAX);
    let name = CString::new(topic).map_err(|_| RDKafkaErrorCode::InvalidArgument)?;
    let mut names = [name.as_ptr()];
    // SAFETY: the client outlives this call, and everything that is made from it is given back before it ends (`Owned`);
    // `names` and what it points to live until then; what is read of the event is read while it lives.
    unsafe {
        let rk = client.native_ptr();
        let queue = Owned(rd::rd_kafka_queue_new(rk), rd::rd_kafka_queue_destroy);
        let options = rd::rd_kafka_AdminOptions_new(rk, rd::rd_kafka_admin_op_t::RD_KAFKA_ADMIN_OP_DESCRIBETOPICS);
        let options = Owned(options, rd::rd_kafka_AdminOptions_destroy);
        let mut said: [c_char; 256] = [0; 256];
        rd::rd_kafka_AdminOptions_set_request_timeout(options.0, millis, said.as_mut_ptr(), said.len());
        rd::rd_kafka_AdminOptions_set_broker(options.0, broker, said.as_mut_ptr(), said.len());
        let topics = rd::rd_kafka_TopicCollection_of_topic_names(names.as_mut_ptr(), names.len());
        let topics = Owned(topics, rd::rd_kafka_TopicCollection_destroy);
        rd::rd_kafka_DescribeTopics(rk, topics.0, options.0, queue.0);
        // The library answers within the time that it was given; a little more is for the answer's way.
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

/// Whether an id tells a topic from another one. Brokers that know of none give zero, in base 64.
fn tells(id: &str) -> bool {
    !id.trim_start_matches('A').trim_end_matches('=').is_empty()
}

/// The reign of the leader that has given a message its offset, where the brokers tell: another message at this offset is of
/// another one.
pub fn epoch(message: &BorrowedMessage<'_>) -> Option<i32> {
    // SAFETY: it is a message of the library's, and lives.
    let epoch = unsafe { rd::rd_kafka_message_leader_epoch(message.ptr()) };
    (epoch >= 0).then_some(epoch)
}

/// What a description says.
///
/// # Safety
/// It is one of the library's, and lives.
unsafe fn read(described: *const rd::rd_kafka_TopicDescription_t) -> Result<TopicIdentity, RDKafkaErrorCode> {
    // SAFETY: as the caller says; what is asked for lives as long as the description.
    unsafe {
        let error = rd::rd_kafka_TopicDescription_error(described);
        if !error.is_null() {
            found(rd::rd_kafka_error_code(error))?;
        }
        let id = rd::rd_kafka_Uuid_base64str(rd::rd_kafka_TopicDescription_topic_id(described));
        let id = if id.is_null() { String::new() } else { CStr::from_ptr(id).to_string_lossy().into_owned() };
        if !tells(&id) {
            return Err(RDKafkaErrorCode::UnsupportedFeature);
        }
        let mut count = 0;
        let all = rd::rd_kafka_TopicDescription_partitions(described, &raw mut count);
        let all = if all.is_null() { &[][..] } else { slice::from_raw_parts(all, count) };
        let mut partitions: Vec<i32> = all.iter().map(|&one| rd::rd_kafka_TopicPartitionInfo_partition(one)).collect();
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
    fn zero_tells_no_topic_from_another() {
        assert!(!tells("") && !tells("AAAAAAAAAAAAAAAAAAAAAA") && !tells("AAAAAAAAAAAAAAAAAAAAAA=="));
        assert!(tells("AAAAAAAAAAAAAAAAAAAAAQ") && tells("xnbY0zx-RzGAXHKuobxnrA"));
    }

    #[test]
    fn a_topic_is_described_by_its_brokers() {
        let cluster = MockCluster::new(1).expect("a cluster");
        cluster.create_topic("wards", 3, 1).expect("a topic");
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", cluster.bootstrap_servers()).set("group.id", "tests");
        let consumer: BaseConsumer = config.create().expect("a client");
        let long = Duration::from_secs(5);
        let ask = |topic| describe(consumer.client(), topic, long, long, &|| false);
        let topic = ask("wards").expect("it is there");
        assert!(!topic.id.is_empty() && topic.partitions == [0, 1, 2], "{topic:?}");
    }
}
