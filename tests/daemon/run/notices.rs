//! Notifications of releases and of problems (CONTRACTS 1 and 4): once each, public facts to the
//! one receiver, reasons to the other, whatever is killed meanwhile; and a receiver that does not
//! answer delays no other one.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::place::{NEVER, PER_FILE, PLANTED, Place, people, until};
use super::public::releases;
use super::web_receiver::{Listener, Received};
use crate::common::wait;

/// A feed that notifies a receiver.
fn telling(schedule: &str, policy: &str, notify: &[(&str, String)]) -> Place {
    let place = Place::with(schedule, policy, "");
    let urls: Vec<(&str, &str)> = notify
        .iter()
        .map(|(key, url)| (*key, url.as_str()))
        .collect();
    place.notify(&urls);
    place
}

/// Checks that notifications follow the shipped schema, contain their key, and no planted text.
#[track_caller]
fn sound(reported: &[Received]) {
    let schema = fs::read_to_string("schemas/v1/notification.schema.json").expect("a schema");
    let schema = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for Received { key, what, .. } in reported {
        assert!(validator.is_valid(what), "{what}");
        assert_eq!(what["key"], *key);
        assert!(
            PLANTED.iter().all(|word| !what.to_string().contains(word)),
            "{what}"
        );
    }
}

#[track_caller]
fn received(listener: &Listener, keys: &[&str]) {
    until(
        || listener.reported().len() >= keys.len(),
        || format!("{:?}", listener.keys()),
    );
    assert_eq!(listener.keys(), keys);
    sound(&listener.reported());
}

/// A manifest, and its hash.
fn manifest(place: &Place, release: u32) -> (Json, String) {
    let bytes =
        fs::read(place.public().join(format!("manifest/{release:010}.json"))).expect("a manifest");
    let digest = tidegate::engine::release::Sha256::of(&bytes).to_string();
    (serde_json::from_slice(&bytes).expect("JSON"), digest)
}

#[test]
fn a_release_is_notified_once_with_the_facts_of_its_manifest() {
    let (public, operator) = (Listener::new(204), Listener::new(200));
    let urls = [
        ("webhook", public.url("/hooks/Pq7person")),
        ("operator_webhook", operator.url("/on-call")),
    ];
    let place = telling(PER_FILE, "k = 3\n", &urls);
    let daemon = place.start();
    place.offer("0.csv", people(0..40));
    daemon.says(
        "notification_sent feed=t receiver=webhook notice=release",
        1,
    );
    place.offer("1.csv", people(40..80));
    daemon.says(
        "notification_sent feed=t receiver=webhook notice=release",
        2,
    );
    received(&public, &["t/release/1", "t/release/2"]);
    for (at, reported) in public.reported().iter().enumerate() {
        let (known, sha256) = manifest(&place, at as u32 + 1);
        let mut meant =
            json!({"schema": 1, "kind": "release", "key": format!("t/release/{}", at + 1)});
        for key in [
            "feed", "chain", "release", "time", "rows", "k", "files", "signed", "previous",
        ] {
            meant[key] = known[key].clone();
        }
        let path = format!("manifest/{:010}.json", at + 1);
        meant["manifest"] = json!({"path": path, "sha256": sha256, "rows": null});
        assert_eq!(reported.what, meant);
        assert_eq!(reported.path, "/hooks/Pq7person");
    }
    // An address may contain a token.
    assert!(!daemon.said().contains("Pq7person"), "{}", daemon.said());
    let page = daemon.page("/metrics");
    assert!(
        page.contains("tidegate_notifications_total{feed=\"t\",receiver=\"webhook\"} 2"),
        "{page}"
    );
    assert_eq!(daemon.end(), Some(0));
    let daemon = place.start();
    place.offer("2.csv", people(80..120));
    daemon.says("notification_sent", 1);
    received(&public, &["t/release/1", "t/release/2", "t/release/3"]);
    assert_eq!(daemon.end(), Some(0));
    received(&operator, &[]);
    place.verified();
}

#[test]
fn a_receiver_that_is_away_delays_nothing_and_misses_nothing() {
    // It answers that it is busy; it accepts and never answers; it is not there.
    for status in [503, 0, 1] {
        let public = Listener::new(status.max(2));
        let url = if status == 1 {
            "http://127.0.0.1:9/".to_owned()
        } else {
            public.url("/")
        };
        public.answers(status);
        let place = telling(PER_FILE, "k = 3\n", &[("webhook", url.clone())]);
        let daemon = place.start();
        let mut releases = 0;
        // A feed that waited for the receiver would publish nothing while a notification is in
        // progress.
        let mut overtakes = false;
        while releases < 3 || !overtakes {
            let given_up = public.given_up();
            place.offer(
                &format!("{releases:03}.csv"),
                people(releases * 40..releases * 40 + 40),
            );
            releases += 1;
            daemon.says("published feed=t", releases as usize);
            overtakes |= status != 0 || (releases > 1 && public.given_up() == given_up);
            assert!(
                releases < 100,
                "status {status}: no release overtakes a notification"
            );
        }
        if status != 0 {
            daemon.says("receiver_away feed=t receiver=webhook why=", 1);
            let page = daemon.page("/metrics");
            assert!(
                page.contains("tidegate_receiver_away{feed=\"t\",receiver=\"webhook\"} 1"),
                "{page}"
            );
        }
        assert_eq!(daemon.end(), Some(0));
        // The next start sends all of it, in order.
        public.answers(200);
        place.edit(&url, &public.url("/"));
        let daemon = place.start();
        let keys: Vec<String> = (1..=releases)
            .map(|release| format!("t/release/{release}"))
            .collect();
        received(
            &public,
            &keys.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        assert_eq!(daemon.end(), Some(0));
        place.verified();
    }
}

#[test]
fn a_receiver_that_comes_back_is_notified_by_the_same_process() {
    let public = Listener::new(500);
    let place = telling(PER_FILE, "k = 3\n", &[("webhook", public.url("/"))]);
    let daemon = place.start();
    place.offer("0.csv", people(0..40));
    daemon.says("receiver_away", 1);
    until(
        || public.asked() >= 3,
        || "that it is asked again".to_owned(),
    );
    public.answers(201);
    daemon.says("receiver_back feed=t receiver=webhook", 1);
    received(&public, &["t/release/1"]);
    assert_eq!(
        daemon.said().matches("receiver_away").count(),
        1,
        "it is told once: {}",
        daemon.said()
    );
    // A notification that the receiver rejects is skipped, and the next one is sent.
    public.answers(422);
    place.offer("1.csv", people(40..80));
    daemon.says(
        "notification_refused feed=t receiver=webhook notice=release",
        1,
    );
    public.answers(200);
    place.offer("2.csv", people(80..120));
    received(&public, &["t/release/1", "t/release/3"]);
    assert_eq!(daemon.end(), Some(0));
}

#[test]
fn no_receiver_is_notified_less_after_a_kill() {
    let public = Listener::new(200);
    let place = telling(PER_FILE, "k = 3\n", &[("webhook", public.url("/"))]);
    for file in 0..12 {
        let mut daemon = place.start();
        place.offer(&format!("{file:02}.csv"), people(file * 40..file * 40 + 40));
        // Before it is published, after it, and after the notification.
        daemon.says(
            ["file_taken", "published", "notification_sent"][file as usize % 3],
            1,
        );
        sleep(Duration::from_millis(file * 7 % 20));
        daemon.kill();
    }
    let daemon = place.start();
    until(
        || public.keys().contains(&"t/release/12".to_owned()),
        || format!("{:?}", public.keys()),
    );
    assert_eq!(daemon.end(), Some(0));
    assert_eq!(releases(&place.public()).len(), 12);
    let mut keys = public.keys();
    sound(&public.reported());
    keys.dedup();
    let meant: Vec<String> = (1..=12)
        .map(|release| format!("t/release/{release}"))
        .collect();
    assert_eq!(
        keys, meant,
        "each, in order, and again only under the same key"
    );
    place.verified();
}

#[test]
fn one_tick_notifies_before_it_ends_and_a_new_receiver_gets_nothing_of_the_past() {
    let (first, second) = (Listener::new(200), Listener::new(200));
    let place = telling(NEVER, "k = 3\n", &[("webhook", first.url("/"))]);
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "published");
    received(&first, &["t/release/1"]);
    let more = format!(
        "operator_webhook = \"{}\"\noperator_webhook_key = \"file:operator-hook.key\"\n",
        second.url("/")
    );
    place.edit("webhook = ", &format!("{more}webhook = "));
    place.edit("schedule]\n", "schedule]\napproval = \"manual\"\n");
    place.offer("1.csv", people(40..80));
    assert_eq!(place.once()["outcome"], "approval");
    received(&second, &["t/approval/1"]);
    assert_eq!(second.reported()[0].what["release"], 2);
    place.done(&["approve", "feed.toml"]);
    // No process was running, so the next one sends it.
    place.once();
    received(&first, &["t/release/1", "t/release/2"]);
}

#[test]
fn readers_learn_what_is_withdrawn() {
    let public = Listener::new(200);
    let crowds = "k = 3\nsearch = \"halves\"\nmin_solutions = 1\n";
    let place = telling(PER_FILE, crowds, &[("webhook", public.url("/"))]);
    let daemon = place.start();
    for at in 0..2 {
        place.offer(&format!("{at}.csv"), people(at * 40..at * 40 + 40));
        daemon.says("receiver=webhook notice=release", at as usize + 1);
    }
    place.done(&["withdraw", "feed.toml", "2", "--reason", "the wrong export"]);
    daemon.says("receiver=webhook notice=withdrawn", 1);
    place.put("gone.csv", format!("{}7\n", PLANTED[0]));
    place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    place.offer("2.csv", people(100..140));
    daemon.says("receiver=webhook notice=erased", 1);
    received(
        &public,
        &[
            "t/release/1",
            "t/release/2",
            "t/withdrawn/2-2",
            "t/release/3",
            "t/erased/3",
        ],
    );
    let reported = public.reported();
    let of = |at: usize, keys: &[&str]| {
        keys.iter()
            .map(|key| reported[at].what[key].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of(2, &["chain", "first", "last", "newest"]),
        [1, 2, 2, 1].map(Json::from)
    );
    assert_eq!(of(4, &["releases", "notice"]), [json!([1]), json!(3)]);
    assert_eq!(daemon.end(), Some(0));
    place.verified();
}

#[test]
fn files_of_one_look_are_reported_before_it_ends() {
    let public = Listener::new(200);
    let place = telling(PER_FILE, "k = 3\n", &[("webhook", public.url("/"))]);
    for file in 0..3 {
        place.offer(&format!("{file}.csv"), people(file * 40..file * 40 + 40));
    }
    place.once();
    assert_eq!(public.keys(), ["t/release/1", "t/release/2", "t/release/3"]);
}

#[test]
fn a_rejection_is_the_operators_alone() {
    let (public, operator) = (Listener::new(200), Listener::new(200));
    let urls = [
        ("webhook", public.url("/")),
        ("operator_webhook", operator.url("/")),
    ];
    let place = telling(PER_FILE, "k = 3\nmax_loss = 0.0\n", &urls);
    let daemon = place.start();
    place.offer("0.csv", people(0..40));
    daemon.says("rejected feed=t", 1);
    received(&operator, &["t/rejected/0"]);
    let what = operator.reported().remove(0).what;
    assert_eq!(
        (&what["kind"], &what["release"], &what["stops"]),
        (&"rejected".into(), &1.into(), &false.into())
    );
    assert_eq!(what["checks"], json!(["utility"]), "{what}");
    assert_eq!(daemon.end(), Some(0));
    received(&public, &[]);
}

/// It halts and notifies its operator, once. On a stalled machine the time for that may be over
/// before: then the next start sends it.
#[track_caller]
fn halts_and_notifies(place: &Place, operator: &Listener) {
    let tells = || {
        let mut daemon = place.start_until_halt();
        assert_eq!(daemon.ended(), Some(2));
        let reported = operator.reported().len();
        assert!(reported < 2, "{}", daemon.said());
        (reported == 1).then_some(())
    };
    wait::until(|| "a halt that is told", tells);
}

#[test]
fn a_halt_is_notified_before_the_end() {
    let (public, operator) = (Listener::new(200), Listener::new(200));
    let urls = [
        ("webhook", public.url("/")),
        ("operator_webhook", operator.url("/")),
    ];
    let place = telling(PER_FILE, "k = 3\n", &urls);
    place.offer("0.csv", people(0..40));
    place.once();
    place.offer("0.csv", people(0..41));
    halts_and_notifies(&place, &operator);
    sound(&operator.reported());
    let what = operator.reported().remove(0).what;
    assert_eq!(what["kind"], "halted");
    let text = what["error"]["text"].as_str().expect("text");
    assert!(
        text.contains("has changed")
            && what["error"]["file"]
                .as_str()
                .expect("text")
                .ends_with("0.csv"),
        "{what}"
    );
    // If no receiver answers it ends all the same.
    operator.answers(503);
    let mut daemon = place.start_until_halt();
    assert_eq!(daemon.ended(), Some(2));
    assert!(
        daemon
            .said()
            .contains("receiver_away feed=t receiver=operator_webhook"),
        "{}",
        daemon.said()
    );
    received(&public, &["t/release/1"]);
}

/// Errors that keep a feed from beginning are notified, too, if the receiver is known.
#[test]
fn a_feed_that_cannot_begin() {
    let operator = Listener::new(200);
    let place = telling(
        PER_FILE,
        "k = 3\n",
        &[("operator_webhook", operator.url("/"))],
    );
    place.put("a.key", "no key");
    halts_and_notifies(&place, &operator);
    let place = telling(
        PER_FILE,
        "k = 3\n",
        &[("webhook", "${TIDEGATE_NO_SUCH_VARIABLE}".to_owned())],
    );
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    assert_eq!(
        (code, &answer["error"]["field"]),
        (2, &"notify.webhook".into()),
        "{answer}"
    );
}

/// In the feed file, and in another file that it names.
#[test]
fn an_address_at_another_machine_is_encrypted() {
    for address in ["http://data.invalid/Pq7person", "file:hook"] {
        let place = telling(PER_FILE, "k = 3\n", &[("webhook", address.to_owned())]);
        place.put("hook", "http://data.invalid/Pq7person");
        let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
        assert_eq!(
            (code, &answer["error"]["field"]),
            (2, &"notify.webhook".into()),
            "{answer}"
        );
        let text = answer["error"]["text"].as_str().expect("text");
        assert!(
            text.contains("https://") && !answer.to_string().contains("Pq7person"),
            "{answer}"
        );
    }
}
