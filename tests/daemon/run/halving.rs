//! A running feed whose releases are halved: whatever is drawn, no person is lost, and an attacker
//! finds nothing.

use serde_json::{Value as Json, json};

use super::place::{NEVER, Place, people};
use super::public::releases;

const DISJOINT: &str = "chain = \"disjoint\"\n";
const POLICY: &str = "k = 3\nsearch = \"halves\"\n";

fn number(tick: &Json, what: &str) -> u64 {
    tick[what]
        .as_u64()
        .unwrap_or_else(|| panic!("{what}: {tick}"))
}

#[test]
fn releases_are_made_one_after_the_other_and_nothing_is_found_in_them() {
    let place = Place::with(NEVER, POLICY, DISJOINT);
    let (mut came, mut published) = (0, 0);
    for (tick, rows) in [60, 80, 40].into_iter().enumerate() {
        place.offer(&format!("{tick}.csv"), people(came..came + rows));
        came += rows;
        let tick = place.once();
        assert_eq!(tick["outcome"], "published", "{tick}");
        published += releases(&place.public()).last().expect("a release").rows;
        assert_eq!(published + number(&tick, "waiting"), came, "{tick}");
    }
    place.verified();
    let judged = place.done(&["audit", "--feed", "feed.toml"]);
    assert_eq!(judged["safe"], json!(true), "{judged}");
    for release in ["1", "2", "3"] {
        let shown = place.done(&["show", "feed.toml", release]);
        assert_eq!(shown["verdict"]["repairs"], json!([]), "{shown}");
        let table = format!(
            "public/{}",
            shown["manifest"]["files"][0]["path"]
                .as_str()
                .expect("a path")
        );
        let attacked = place.done(&[
            "attack",
            "refinement",
            "--feed",
            "feed.toml",
            "--release",
            &table,
        ]);
        let targets = attacked["targets"].as_array().expect("targets");
        assert!(
            attacked["max_bound"]
                .as_u64()
                .is_some_and(|bound| bound <= 64),
            "{attacked}"
        );
        assert!(
            !targets.is_empty() && attacked["max_log10_ratio"] == json!(0.0),
            "{attacked}"
        );
        assert!(
            targets.iter().all(|target| target["cra"] == target["lr"]),
            "{attacked}"
        );
    }
}
