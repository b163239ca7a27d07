//! Whole chains in memory, from arrivals to the gate's decision (SCIENCE 3, 4 and 10): the
//! invariants of every published release, on random small chains, with brute force as a second
//! implementation; and what the public files may depend on.

mod play;

use crate::common::{chain, world};

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::Row;
use crate::common::random::{self, Draw};
use play::{Played, Script};
use serde_json::Value as Json;
use tidegate::engine::model::Value;
use world::World;

/// Beyond this many rows in all releases together, there are too many worlds to build.
const TINY: usize = 24;

/// Published people by the release they were added in and their classes from there on.
fn views(played: &Played) -> BTreeMap<(usize, Vec<Vec<String>>), u64> {
    let mut views = BTreeMap::new();
    for person in played.people.values() {
        let Some(first) = person.first else { continue };
        let classes = (first..played.releases.len())
            .map(|at| played.labels(person, at))
            .collect();
        *views.entry((first, classes)).or_default() += 1;
    }
    views
}

/// The candidates of attackers for each published person: exact if the chain is tiny, otherwise the
/// pair bound.
fn anonymity(played: &Played) -> (Option<u64>, bool) {
    let trees = played.columns.trees();
    let releases: Vec<Vec<Row>> = (0..played.releases.len())
        .map(|at| played.rows(at))
        .collect();
    let world = World::new(&trees, &releases);
    let tiny = releases.iter().map(Vec::len).sum::<usize>() <= TINY;
    let exact = tiny.then(|| world.exact()).flatten();
    let left = |way: &(usize, Vec<Vec<String>>)| match &exact {
        Some(exact) => exact[way],
        None => world.bounds()[way][0],
    };
    (views(played).keys().map(left).min(), exact.is_some())
}

#[test]
fn what_is_published_blind_hides_each_person() {
    let seen: [AtomicU64; 3] = Default::default();
    random::run("what_is_published_blind_hides_each_person", 120, |draw| {
        let script = Script::blind(draw);
        let played = script.play();
        let k = script.policy.k();
        for (at, release) in played.releases.iter().enumerate() {
            let mut reported = release.rows.clone();
            let mut meant = played.rows(at);
            reported.sort();
            meant.sort();
            assert_eq!(
                reported, meant,
                "release {at} holds its people and no others"
            );
        }
        let mut together: BTreeMap<_, u64> = BTreeMap::new();
        for person in played.people.values() {
            let Some(first) = person.first else { continue };
            let classes: Vec<_> = (first..played.releases.len())
                .map(|at| played.labels(person, at))
                .collect();
            *together
                .entry((person.formed.as_ref().expect("an atom").0, classes))
                .or_default() += 1;
        }
        assert!(
            together.values().all(|&people| people >= k),
            "each person hides among a - 1 others of their increment"
        );
        let (left, exact) = anonymity(&played);
        assert!(
            left.is_none_or(|left| left >= k),
            "{left:?} candidates are left to a person"
        );
        let several = played.releases.len() > 1;
        for (seen, is) in seen.iter().zip([left.is_some(), several, several && exact]) {
            seen.fetch_add(u64::from(is), Ordering::Relaxed);
        }
    });
    let seen = seen.map(AtomicU64::into_inner);
    println!(
        "{} chains with releases, {} with several, {} of them solved",
        seen[0], seen[1], seen[2]
    );
    assert!(seen.iter().all(|&times| times > 0));
}

/// A manifest without the hashes of files that contain sensitive values.
fn apart_from_digests(manifest: &[u8]) -> Json {
    let mut json: Json = serde_json::from_slice(manifest).expect("JSON");
    json["previous"] = Json::Null;
    json["files"]
        .as_array_mut()
        .expect("files")
        .iter_mut()
        .for_each(|file| file["sha256"] = Json::Null);
    json
}

/// A report without the same hashes.
fn page_apart_from_digests(report: &[u8]) -> String {
    let text = std::str::from_utf8(report).expect("text");
    let is_digest =
        |word: &&str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = text.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric());
    words
        .filter(|word| !is_digest(&&word[..word.len().min(64)]))
        .collect()
}

/// People's values permuted within groups.
fn dealt(draw: &mut Draw, script: &Script, groups: BTreeMap<impl Ord, Vec<u128>>) -> Script {
    let mut values: BTreeMap<u128, Vec<Value>> = script
        .first_rows()
        .map(|human| (human.number, human.values.clone()))
        .collect();
    for people in groups.values() {
        for at in (1..people.len()).rev() {
            let other = draw.between(0, at as u64) as usize;
            let [a, b] = [people[at], people[other]];
            let (one, two) = (values[&a].clone(), values[&b].clone());
            values.insert(a, two);
            values.insert(b, one);
        }
    }
    script.with_values(&values)
}

#[test]
fn nothing_public_but_values_depends_on_values() {
    random::run("nothing_public_but_values_depends_on_values", 90, |draw| {
        let script = Script::blind(draw);
        let played = script.play();
        let all_people = BTreeMap::from([((), played.people.keys().copied().collect())]);
        let other = dealt(draw, &script, all_people).play();
        assert_eq!(played.ticks, other.ticks);
        assert_eq!(played.releases.len(), other.releases.len());
        for (release, other) in played.releases.iter().zip(&other.releases) {
            assert_eq!(release.recoding, other.recoding);
            assert_eq!(release.sizes, other.sizes);
            assert_eq!(
                apart_from_digests(&release.manifest),
                apart_from_digests(&other.manifest)
            );
            assert_eq!(release.taxonomy, other.taxonomy);
            let [page, other] =
                [release, other].map(|release| page_apart_from_digests(&release.report));
            assert!(
                page == other,
                "no figure on the page is of sensitive values"
            );
        }
    });
}

#[test]
fn no_public_byte_depends_on_values_inside_an_atom() {
    let changed = AtomicU64::new(0);
    random::run(
        "no_public_byte_depends_on_values_inside_an_atom",
        90,
        |draw| {
            let script = Script::blind(draw);
            let played = script.play();
            let mut atoms: BTreeMap<_, Vec<u128>> = BTreeMap::new();
            for (&number, person) in &played.people {
                // A person in no atom is in no release either, and is exchangeable with all such
                // people.
                atoms.entry(person.formed.clone()).or_default().push(number);
            }
            let dealt = dealt(draw, &script, atoms);
            changed.fetch_add(
                u64::from(dealt.ticks != script.ticks && !played.releases.is_empty()),
                Ordering::Relaxed,
            );
            let other = dealt.play();
            assert_eq!(played.ticks, other.ticks);
            for (release, other) in played.releases.iter().zip(&other.releases) {
                let files = |release: &play::Public| {
                    let pages = [&release.manifest, &release.report, &release.taxonomy];
                    (release.data.clone(), pages.map(Clone::clone))
                };
                assert!(
                    files(release) == files(other),
                    "all public bytes are the same"
                );
            }
            assert_eq!(played.releases.len(), other.releases.len());
        },
    );
    assert!(changed.into_inner() > 0);
}

/// The paper's guarantee, by its definition: F, C and B over every comparable pair of classes of
/// every two releases.
#[test]
fn what_is_published_under_bcf_keeps_the_papers_promise() {
    let seen = AtomicU64::new(0);
    random::run(
        "what_is_published_under_bcf_keeps_the_papers_promise",
        90,
        |draw| {
            let script = Script::bcf(draw);
            let played = script.play();
            let trees = played.columns.trees();
            for later in 1..played.releases.len() {
                for earlier in 0..later {
                    let pair = [played.rows(earlier), played.rows(later)];
                    let least = World::new(&trees, &pair)
                        .bounds()
                        .values()
                        .map(|figures| figures[0])
                        .min();
                    assert!(
                        least >= Some(script.policy.k()),
                        "releases {earlier} and {later} leave {least:?}"
                    );
                    seen.fetch_add(1, Ordering::Relaxed);
                }
            }
        },
    );
    assert!(seen.into_inner() > 0);
}
