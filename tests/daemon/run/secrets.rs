//! Files of keys, tokens and addresses that a feed file names (CONTRACTS 1): none is used that
//! other accounts can read, whatever it is for.

use super::place::{Daemon, NEVER, PLANTED, Place, people};
use crate::common::secret;

/// The secrets that a feed file names, and the text of each.
const SECRETS: [(&str, &str, &str); 5] = [
    (
        "store.key",
        "a.key",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    ),
    (
        "store.signing_key",
        "sign.key",
        "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210",
    ),
    (
        "http.tokens",
        "metrics.token",
        "Sq7secret-Sq7secret-Sq7secret-Sq7secret",
    ),
    ("notify.webhook", "hook.url", "http://127.0.0.1:9/Sq7secret"),
    (
        "notify.webhook_key",
        "hook.key",
        "Sq7secret-Sq7secret-Sq7secret-Sq7secret",
    ),
];

fn place() -> Place {
    let place = Place::new(NEVER);
    SECRETS
        .iter()
        .for_each(|(_, name, text)| drop(place.put(name, text)));
    place.edit("[http]\n", "[http]\ntokens = [\"file:metrics.token\"]\n");
    place.notify(&[("webhook", "file:hook.url")]);
    place.offer("0.csv", people(0..40));
    place
}

/// The daemon ends with an error that names this key of the feed file and this file.
#[track_caller]
fn is_refused(mut daemon: Daemon, key: &str, file: &str) {
    assert_eq!(daemon.ended(), Some(2), "{}", daemon.said());
    let said = daemon.said();
    for words in [
        key,
        file,
        "other accounts can read or write this file",
        "chmod 600",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains(PLANTED[1]), "{said}");
}

#[test]
fn a_secret_that_other_accounts_can_read_is_refused() {
    let place = place();
    for (key, file, _) in SECRETS {
        // The modes that umask 022 and umask 027 lead to.
        for mode in [0o644, 0o640] {
            secret::mode(&place.path(file), mode);
            is_refused(place.start_until_halt(), key, file);
        }
        secret::mode(&place.path(file), 0o600);
    }
    let mut daemon = place.start_until_halt();
    daemon.says("recovered", 1);
    daemon.term();
    assert_eq!(daemon.ended(), Some(0), "{}", daemon.said());
}

/// Commands read a given key only from a file that no other account can read.
#[test]
fn commands_refuse_a_key_that_other_accounts_can_read() {
    let place = Place::new(NEVER);
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "published");
    let file = place.put("b.key", "fedcba9876543210".repeat(4));
    secret::mode(&file, 0o644);
    for args in [
        &["rekey", "feed.toml", "--to", "b.key", "--reason", "yearly"][..],
        &["verify", "feed.toml", "--key", "b.key"],
    ] {
        let (code, answer) = place.json(args);
        let error = &answer["error"];
        assert_eq!(
            (code, &error["kind"], &error["file"]),
            (2, &"io".into(), &"b.key".into()),
            "{answer}"
        );
        assert!(
            error["text"]
                .as_str()
                .is_some_and(|text| text.contains("`chmod 600 b.key`")),
            "{answer}"
        );
    }
    // A public key is for all readers.
    let public = tidegate::daemon::sign::Signing::parse(&"fedcba9876543210".repeat(4))
        .expect("a key")
        .public()
        .text();
    secret::mode(&place.put("sign.pub", public), 0o644);
    assert_eq!(
        place.done(&["verify", "feed.toml", "--public-key", "sign.pub"])["intact"],
        true
    );
    // A pipe is read once, and the operator does not choose its mode.
    let piped = "\"$0\" verify feed.toml --key <(cat a.key)";
    let mut shell = std::process::Command::new("bash");
    shell
        .current_dir(place.path(""))
        .args(["-c", piped, env!("CARGO_BIN_EXE_tidegate")]);
    let output = shell.output().expect("bash starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
