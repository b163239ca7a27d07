//! Signatures from outside (CONTRACTS 3 and 4): readers of releases check them with the public key
//! alone, also of a feed whose signing key was changed.

use std::fs;

use tidegate::daemon::sign::Signing;

use super::place::{NEVER, Place, people};

/// Readers could not distinguish a release without its signature from one that an attacker has
/// made.
#[test]
fn a_signature_that_is_gone_halts() {
    let place = Place::new(NEVER);
    place.offer("0.csv", people(0..40));
    place.once();
    let path = place.public().join("manifest/0000000001.json.sig");
    let signature = fs::read(&path).expect("a signature");
    fs::remove_file(&path).expect("it is there");
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    let text = answer["error"]["text"].as_str().expect("a text");
    assert!(
        code == 2 && text.contains("release 1") && text.contains("has lost its signature"),
        "{answer}"
    );
    fs::write(&path, signature).expect("a file");
    place.once();
    place.verified();
    // One that never had a signature needs none.
    let place = Place::new(NEVER);
    place.edit("signing_key = \"file:sign.key\"\n", "");
    place.offer("0.csv", people(0..40));
    place.once();
    place.once();
}

#[test]
fn each_signature_is_one_of_the_keys_that_are_given() {
    let place = Place::new(NEVER);
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "published");
    let public = |text: &str| Signing::parse(text).expect("a key").public().text();
    let (first, second) = ("fedcba9876543210".repeat(4), "0f1e2d3c4b5a6978".repeat(4));
    place.put("first.pub", public(&first) + "\n");
    place.put("second.pub", public(&second));
    place.put("third.pub", public(&"1".repeat(64)));
    place.put("sign.key", second);
    place.offer("1.csv", people(40..100));
    assert_eq!(place.once()["release"], 2);

    let verify = |of: &str, keys: &[&str]| {
        let mut args = vec!["verify", of];
        keys.iter()
            .for_each(|key| args.extend(["--public-key", key]));
        let (code, answer) = place.json(&args);
        let named = answer["findings"]
            .as_array()
            .map(|found| found.iter().map(|one| one["file"].to_string()).collect());
        (code, named.unwrap_or_else(|| vec![answer.to_string()]))
    };
    for of in ["public", "feed.toml"] {
        assert_eq!(
            verify(of, &["first.pub", "second.pub"]),
            (0, vec![]),
            "{of}"
        );
        assert_eq!(
            verify(of, &["third.pub", "second.pub", "first.pub"]),
            (0, vec![]),
            "{of}"
        );
        let signature = |release: u32| format!("\"manifest/{release:010}.json.sig\"");
        assert_eq!(verify(of, &["first.pub"]), (1, vec![signature(2)]), "{of}");
        assert_eq!(
            verify(of, &["third.pub", "second.pub"]),
            (1, vec![signature(1)]),
            "{of}"
        );
    }
    assert_eq!(verify("public", &[]), (0, vec![]));
    assert_eq!(
        verify("feed.toml", &[]).0,
        1,
        "the feed file names the second one alone"
    );
    let (code, answer) = verify("public", &["first.pub", "ward.csv"]);
    assert!(code == 2 && answer[0].contains("ward.csv"), "{answer:?}");
}
