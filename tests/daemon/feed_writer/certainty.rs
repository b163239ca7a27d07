//! Leakage of a search is checked for its own result only: not for the finer release beside it, and
//! not if the labels are as coarse as possible, so that nothing was searched.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidegate::daemon::feed_writer::FeedWriter;
use tidegate::daemon::journal::store::Memory;
use tidegate::daemon::journal::{Decision, EntryBody, RecodingChoice, read};

use super::draw::Draw;
use super::feed::{crowd, feed, open, packed, step};

/// Chains whose random draws permit the finer release now and then, and one that becomes as coarse
/// as possible.
const CHAINS: [&str; 2] = [
    "k = 3\nguarantee = \"chain\"\nrho = 0.5\nmax_odds = 1000000000000000000",
    "k = 3\non_unsafe = \"coarsest\"\ndiversity = { distinct_l = 2 }",
];

/// The recoding under which the newest decision publishes a release.
fn newest(writer: &FeedWriter, private: &Memory) -> Option<RecodingChoice> {
    let entries = read(&packed(private), writer.log().ring(), 0, None).expect("a log");
    entries
        .iter()
        .rev()
        .find_map(|entry| match &entry.entry.body {
            EntryBody::Decision(Decision::Publish(approved)) => Some(approved.under()),
            _ => None,
        })
}

#[test]
fn search_inference_is_tested_on_the_proposal_alone() {
    let mut met = BTreeMap::new();
    for seed in 0..30 {
        let (private, public, mut draw, mut known) =
            (Memory::default(), Memory::default(), Draw(seed), 0);
        let policy = CHAINS[seed as usize % 2];
        let mut writer = open(
            &feed(policy),
            Arc::new(private.clone()),
            Arc::new(public.clone()),
            seed,
            false,
        )
        .expect("a feed");
        for tick in 0..8 {
            let (before, coarsest) = (
                writer.state().releases.len(),
                writer.state().feed.is_coarsest(),
            );
            step(&mut writer, tick, &crowd(&mut draw, &mut known)).expect("a tick");
            if writer.state().releases.len() == before {
                continue;
            }
            let release = writer.state().releases.last().expect("a release").release;
            let manifest = &public.objects()[&format!("manifest/{release:010}.json")];
            let manifest: serde_json::Value = serde_json::from_slice(manifest).expect("JSON");
            let checks = manifest["checks"].as_array().expect("checks");
            let asked = checks
                .iter()
                .find(|check| check["check"] == "certainty")
                .expect("a check")["made"]
                == true;
            let under = newest(&writer, &private).expect("a release");
            let proposed = under == RecodingChoice::Proposed && !coarsest;
            assert!(
                !asked || proposed,
                "seed {seed}, tick {tick}: a release {under:?}, coarsest before: {coarsest}"
            );
            *met.entry(format!(
                "{under:?}, coarsest before: {coarsest}, asked: {asked}"
            ))
            .or_insert(0) += 1;
        }
    }
    for what in [
        "Finer, coarsest before: false, asked: false",
        "Proposed, coarsest before: true, asked: false",
        "Proposed, coarsest before: false, asked: true",
    ] {
        assert!(met.contains_key(what), "{what}: {met:?}");
    }
}
