//! The books of a simulated run while no process works: `verify` finds nothing, and each person who was taken in is in one place.

use std::collections::BTreeMap;

use tidegate::daemon::journal::Ring;
use tidegate::daemon::live::{State, past_quickly};
use tidegate::daemon::seal::OperatorKey;
use tidegate::daemon::sign::Signing;
use tidegate::daemon::verify::{Finding, private, public};
use tidegate::engine::release::Layout;

use super::nature::{Nature, Side};

/// The keys of a place.
fn keys() -> (OperatorKey, Signing) {
    let key = OperatorKey::parse(&"0123456789abcdef".repeat(4)).expect("a key");
    (key, Signing::parse(&"fedcba9876543210".repeat(4)).expect("a key"))
}

/// The keys of the feed; `None` before it has any.
pub fn ring(nature: &Nature) -> Option<Ring> {
    Ring::open(&nature.private(), &keys().0).expect("a private root that was written well")
}

/// The state of the feed, from its newest checkpoint on; `None` before it has begun.
pub fn state(nature: &Nature) -> Option<State> {
    let read = past_quickly(&nature.private(), nature.root(Side::Public), &ring(nature)?);
    read.unwrap_or_else(|error| panic!("the log cannot be read: {error}")).state
}

/// What `verify` says.
pub fn findings(nature: &Nature) -> Vec<Finding> {
    let Some(ring) = ring(nature) else { return Vec::new() };
    let shown = nature.root(Side::Public);
    let seen = public(shown, Layout::Root, &[keys().1.public()]).expect("memory");
    let found = private(&nature.private(), &ring, shown, &seen).expect("memory");
    let strange = seen.strange.into_iter().filter(|path| !found.leaving.contains(path)).map(Finding::unnamed);
    found.findings.into_iter().chain(seen.findings).chain(strange).collect()
}

/// Whether it is what a process that died has left behind, and the next one takes away.
fn left_behind(finding: &Finding) -> bool {
    ["the next start takes it away", "or will when the feed runs again"].iter().any(|says| finding.text.contains(says))
}

/// Looks into the books; `ended`: the last process has ended by itself, and left nothing behind.
pub fn balance(nature: &Nature, erased: &BTreeMap<u64, String>, ended: bool) {
    let findings = findings(nature);
    let wrong: Vec<&Finding> = findings.iter().filter(|finding| ended || !left_behind(finding)).collect();
    assert!(wrong.is_empty(), "`verify` is not content: {wrong:?}");
    // `verify` has looked whether it is what the whole log says.
    let Some(state) = state(nature) else { return };
    let next = nature.promises(|promises| promises.next.clone());
    let came = nature.topic(|topic, _| topic.people(&next));
    let ever = nature.promises(super::promises::Promises::ever);
    assert!(ever.is_subset(&came), "a person is published who has not come");
    // A release that is decided and not visible yet holds people who are nowhere else.
    if state.publishing.is_some() || state.closing.is_some() {
        return;
    }
    let feed = &state.feed;
    let elsewhere = feed.new_rows() + feed.waiting().rows() + feed.withheld().rows() + feed.pending();
    let is_erased = |person| erased.get(person).is_some_and(|request| state.requests.contains(request));
    let alone = came.difference(&ever).filter(|person| !is_erased(person)).count() as u64;
    assert_eq!(elsewhere, alone, "people who are not published: the log has the first number, the topic the second");
}
