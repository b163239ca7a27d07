//! Halts as an operator sees them: feeds of one process halt in many ways. Each is visible in
//! health, metrics, `show` and notifications while the process and the other feeds continue, and
//! each continues when its cause is gone, without a row lost or read twice.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::halts::copy;
use super::place::{Daemon, PER_FILE, PLANTED, Place, people, until};
use super::public::releases;
use super::web_receiver::Listener;
use crate::common::ports::Ports;
use crate::common::secret;

/// A way to halt a feed.
struct Way {
    /// The feed.
    name: &'static str,
    /// Its fault; and what undoes it.
    breaks: fn(&Feed<'_>),
    mends: fn(&Feed<'_>),
    /// A text in the reason.
    says: &'static str,
}

/// One of the feeds.
struct Feed<'p> {
    name: &'p str,
    place: &'p Place,
}

impl Feed<'_> {
    fn path(&self, path: &str) -> PathBuf {
        self.place.path(&format!("{}-{path}", self.name))
    }

    fn file(&self) -> String {
        format!("{}.toml", self.name)
    }

    fn edit(&self, from: &str, to: &str) {
        let path = self.place.path(&self.file());
        let text = fs::read_to_string(&path).expect("a feed file");
        assert!(text.contains(from), "{from}: {text}");
        replace(&path, text.replace(from, to).as_bytes());
    }

    fn offer(&self, name: &str, content: &str) {
        let aside = self.place.put(&format!("{}-aside", self.name), content);
        fs::rename(aside, self.path("in").join(name)).expect("a file");
    }

    /// Changes the first file below a folder, or restores it.
    fn damage(&self, folder: &str) {
        let path = first(&self.path(folder));
        fs::copy(&path, self.path("whole")).expect("a file");
        let mut bytes = fs::read(&path).expect("a file");
        *bytes.last_mut().expect("a byte") ^= 1;
        replace(&path, &bytes);
    }

    fn heal(&self, folder: &str) {
        replace(
            &first(&self.path(folder)),
            &fs::read(self.path("whole")).expect("a file"),
        );
    }
}

/// The first file below a folder.
fn first(folder: &Path) -> PathBuf {
    let mut names: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    names.sort();
    let first = names
        .into_iter()
        .find(|path| !path.ends_with("_delta_log"))
        .expect("something in it");
    if first.is_dir() {
        self::first(&first)
    } else {
        first
    }
}

/// Readers see the old file or the new one.
fn replace(path: &Path, bytes: &[u8]) {
    let aside = path.with_extension("aside.tmp");
    fs::write(&aside, bytes).expect("a file");
    fs::rename(aside, path).expect("a file");
}

const WAYS: [Way; 13] = [
    Way {
        name: "manifest",
        breaks: |feed| {
            fs::rename(
                feed.path("public/manifest/0000000001.json"),
                feed.path("whole"),
            )
            .expect("a file")
        },
        mends: |feed| {
            fs::rename(
                feed.path("whole"),
                feed.path("public/manifest/0000000001.json"),
            )
            .expect("a file")
        },
        says: "is missing",
    },
    Way {
        name: "changed",
        breaks: |feed| feed.damage("public/manifest"),
        mends: |feed| feed.heal("public/manifest"),
        says: "was changed after it was published",
    },
    Way {
        name: "stranger",
        breaks: |feed| {
            let manifest = feed.path("public/manifest/0000000001.json");
            fs::copy(manifest, feed.path("public/manifest/0000000007.json"))
                .map(drop)
                .expect("a file");
        },
        mends: |feed| {
            fs::remove_file(feed.path("public/manifest/0000000007.json")).expect("a file")
        },
        says: "is newer than the private root",
    },
    Way {
        name: "object",
        breaks: |feed| feed.damage("private/terms"),
        mends: |feed| feed.heal("private/terms"),
        says: "object of the private root",
    },
    Way {
        name: "entry",
        breaks: |feed| feed.damage("private/log"),
        mends: |feed| feed.heal("private/log"),
        says: "log/0/00000000000000000000.json",
    },
    Way {
        name: "key",
        breaks: |feed| fs::rename(feed.place.path("key.key"), feed.path("whole")).expect("a file"),
        mends: |feed| fs::rename(feed.path("whole"), feed.place.path("key.key")).expect("a file"),
        says: "key.key",
    },
    Way {
        name: "readable",
        breaks: |feed| secret::mode(&feed.place.path("readable.key"), 0o644),
        mends: |feed| secret::mode(&feed.place.path("readable.key"), 0o600),
        says: "chmod 600",
    },
    Way {
        name: "source",
        breaks: |feed| feed.offer("0.csv", &people(0..41)),
        mends: |feed| feed.offer("0.csv", &people(0..40)),
        says: "has changed since",
    },
    Way {
        name: "input",
        breaks: |feed| feed.offer("0a.csv", &people(200..210).replace("ward", "word")),
        mends: |feed| fs::rename(feed.path("in/0a.csv"), feed.path("in/_0a.csv")).expect("a file"),
        says: "0a.csv",
    },
    Way {
        name: "frozen",
        breaks: |feed| feed.edit("k = 3", "k = 4"),
        mends: |feed| feed.edit("k = 4", "k = 3"),
        says: "policy",
    },
    Way {
        name: "shared",
        breaks: |feed| secret::mode(&feed.path("private"), 0o750),
        mends: |feed| secret::mode(&feed.path("private"), 0o700),
        says: "chmod 700",
    },
    Way {
        name: "unwritable",
        breaks: |feed| {
            fs::remove_dir(feed.path("private/.new")).expect("it is empty");
            fs::write(feed.path("private/.new"), "").expect("a file");
        },
        mends: |feed| fs::remove_file(feed.path("private/.new")).expect("a file"),
        says: "private/.new",
    },
    // It cannot write a file about its halt: `show` asks the process.
    Way {
        name: "silent",
        breaks: |feed| {
            fs::create_dir(feed.path("private/halted.json")).expect("a folder");
            feed.damage("private/log");
        },
        mends: |feed| {
            fs::remove_dir(feed.path("private/halted.json")).expect("a folder");
            feed.heal("private/log");
        },
        says: "log/0/00000000000000000000.json",
    },
];

/// The feeds, each with one release, and one beside them that never halts.
fn begun(place: &Place, operator: &Listener) -> Vec<String> {
    let own = ["key", "readable"];
    own.iter()
        .for_each(|name| drop(place.put(&format!("{name}.key"), "0123456789abcdef".repeat(4))));
    let names = WAYS.iter().map(|way| way.name).chain(["fenced"]);
    let files: Vec<String> = names
        .map(|name| {
            let feed = Feed { name, place };
            place.neighbour(name, PER_FILE);
            let hook = format!(
                "operator_webhook = \"{}\"\noperator_webhook_key = \"file:operator-hook.key\"\n",
                operator.url("/")
            );
            feed.edit("[http]\n", &format!("[notify]\n{hook}[http]\n"));
            feed.offer("0.csv", &people(0..40));
            feed.file()
        })
        .collect();
    own.iter()
        .for_each(|name| Feed { name, place }.edit("file:a.key", &format!("file:{name}.key")));
    let files: Vec<String> = files.into_iter().chain(["feed.toml".to_owned()]).collect();
    let args: Vec<&str> = ["run", "--once"]
        .into_iter()
        .chain(files.iter().map(String::as_str))
        .collect();
    place.done(&args);
    files
}

fn health(daemon: &Daemon) -> Json {
    let page = daemon.page("/health/ready");
    let (head, body) = page.split_once("\r\n\r\n").expect("a head");
    let health: Json = serde_json::from_str(body).expect("JSON");
    assert_eq!(head.contains(" 200 "), health["ready"] == true, "{page}");
    health
}

fn halted(health: &Json) -> Vec<&str> {
    let feeds = health["feeds"].as_object().expect("feeds");
    feeds
        .iter()
        .filter(|(_, state)| *state == "halted")
        .map(|(name, _)| name.as_str())
        .collect()
}

/// The answer of `show` about a halt, if the feed can be read.
fn shown(place: &Place, file: &str) -> Option<Json> {
    let (code, answer) = place.json(&["show", file]);
    (code == 0).then(|| answer["halted"].clone())
}

/// The words of `show` about a feed.
fn words(place: &Place, file: &str) -> String {
    let words = String::from_utf8(place.output(&["show", file]).stdout).expect("text");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A halt is visible everywhere, and reported once.
#[track_caller]
fn is_seen(place: &Place, daemon: &Daemon, operator: &Listener, (name, says): (&str, &str)) {
    let why = health(daemon)["halted"][name].clone();
    let [reason, todo] =
        ["reason", "what_to_do"].map(|key| why[key].as_str().unwrap_or_default().to_owned());
    assert!(reason.contains(says) && !todo.is_empty(), "{name}: {why}");
    let metrics = daemon.page("/metrics");
    for series in [
        "tidegate_halted{feed=\"F\"} 1.0",
        "tidegate_halts_total{feed=\"F\"} 1",
    ] {
        assert!(
            metrics.contains(&series.replace('F', name)),
            "{name}: {metrics}"
        );
    }
    let file = format!("{name}.toml");
    let words = match shown(place, &file) {
        Some(halt) => halt.to_string(),
        // The cause of its halt also prevents reading it.
        None => words(place, &file),
    };
    assert!(
        words.contains(&todo) && words.contains(says),
        "{name}: {words}"
    );
    let key = format!("{name}/halted/{}", why["since"].as_str().expect("a time"));
    until(
        || operator.keys().contains(&key),
        || format!("{key}: {:?}", operator.keys()),
    );
    let all = format!("{why}{words}");
    assert!(PLANTED.iter().all(|word| !all.contains(word)), "{all}");
}

#[test]
fn halts_are_seen_and_repaired() {
    let (place, operator) = (Place::new(PER_FILE), Listener::new(200));
    let files = begun(&place, &operator);
    let feed = |name| Feed {
        name,
        place: &place,
    };
    let ports = Ports::take(1);
    let bind = format!("bind = \"127.0.0.1:{}\"", ports.first());
    WAYS.iter()
        .map(|way| way.name)
        .chain(["fenced"])
        .for_each(|name| feed(name).edit("bind = \"127.0.0.1:0\"", &bind));
    place.edit("bind = \"127.0.0.1:0\"", &bind);
    WAYS.iter().for_each(|way| (way.breaks)(&feed(way.name)));
    let daemon = place.start_with(&files.iter().map(String::as_str).collect::<Vec<_>>());
    // Another writer begins after the lock was removed; the first one notices with its next entry.
    daemon.says("recovered feed=fenced", 1);
    fs::remove_file(place.path("fenced-private/lock")).expect("a lock");
    place.done(&["run", "--once", "fenced.toml"]);
    feed("fenced").offer("1.csv", &people(40..80));
    let all = WAYS.len() + 1;
    until(|| halted(&health(&daemon)).len() == all, || daemon.said());
    assert!(daemon.page("/health/live").contains(" 200 "));
    assert!(words(&place, "source.toml").contains("Halted since 2"));
    WAYS.iter()
        .for_each(|way| is_seen(&place, &daemon, &operator, (way.name, way.says)));
    is_seen(
        &place,
        &daemon,
        &operator,
        ("fenced", "another tidegate has taken over"),
    );

    // The feed that never halted has continued, and the others do when the causes are gone.
    place.offer("1.csv", people(40..80));
    daemon.says("published feed=t", 1);
    for way in &WAYS {
        (way.mends)(&feed(way.name));
        feed(way.name).offer("1.csv", &people(40..80));
    }
    until(|| halted(&health(&daemon)) == ["fenced"], || daemon.said());
    for way in &WAYS {
        daemon.says(&format!("published feed={}", way.name), 1);
        let resumed = |key: &String| key.starts_with(&format!("{}/resumed/", way.name));
        until(
            || operator.keys().iter().any(resumed),
            || format!("{:?}", operator.keys()),
        );
        assert_eq!(
            shown(&place, &format!("{}.toml", way.name)),
            Some(Json::Null)
        );
        let metrics = daemon.page("/metrics");
        assert!(
            metrics.contains(&format!("tidegate_halted{{feed=\"{}\"}} 0.0", way.name)),
            "{metrics}"
        );
    }
    // A writer that was taken over does not take the feed back: it waits for a person, and
    // continues at a start.
    assert_eq!(halted(&health(&daemon)), ["fenced"]);
    assert_eq!(
        daemon.said().matches("fence_appended feed=fenced").count(),
        1,
        "{}",
        daemon.said()
    );
    daemon.term();
    assert_eq!(
        {
            let mut daemon = daemon;
            daemon.ended()
        },
        Some(0)
    );
    let daemon = place.start_with(&["fenced.toml"]);
    daemon.says("resumed feed=fenced", 1);
    daemon.says("published feed=fenced", 1);
    assert_eq!(daemon.end(), Some(0));

    let mut keys = operator.keys();
    keys.sort();
    assert_eq!(keys.len(), 2 * all, "each is told once: {keys:?}");
    for name in WAYS.iter().map(|way| way.name).chain(["fenced"]) {
        let reported: Vec<_> = keys
            .iter()
            .filter(|key| key.starts_with(&format!("{name}/")))
            .collect();
        assert!(
            reported.len() == 2
                && reported[0].contains("/halted/")
                && reported[1].contains("/resumed/"),
            "{reported:?}"
        );
        let published = releases(&feed(name).path("public"));
        let mut came = published.last().expect("a release").diagnoses.clone();
        came.sort();
        came.dedup();
        assert_eq!(
            (published.len(), came.len()),
            (2, 80),
            "{name}: each person is there once"
        );
    }
}

/// A process that is killed leaves its halt for `show` and for the next process; and no log is
/// begun in a private root that is being restored.
#[test]
fn a_halt_outlasts_its_process_and_a_restore() {
    let (place, operator) = (Place::new(PER_FILE), Listener::new(200));
    place.notify(&[("operator_webhook", &operator.url("/"))]);
    place.offer("0.csv", people(0..40));
    place.once();
    copy(&place.path("private"), &place.path("older"));
    place.offer("0.csv", people(0..41));
    for starts in 1..=2 {
        let mut daemon = place.start();
        until(|| operator.keys().len() == starts, || daemon.said());
        assert!(daemon.kill());
        assert_eq!(
            shown(&place, "feed.toml").expect("it can be looked at")["since"],
            since(&operator)[0]
        );
    }
    assert_eq!(since(&operator)[0], since(&operator)[1], "it is one halt");
    place.offer("0.csv", people(0..40));
    let daemon = place.start();
    daemon.says("resumed feed=t", 1);
    until(|| operator.keys().len() == 3, || daemon.said());
    assert_eq!(
        operator.keys()[2],
        format!(
            "t/resumed/{}",
            since(&operator)[0].as_str().expect("a time")
        )
    );
    assert_eq!(shown(&place, "feed.toml"), Some(Json::Null));

    // While it is halted the private root is removed, restored from long ago, and then restored
    // exactly.
    place.offer("0a.csv", people(200..210).replace("ward", "word"));
    daemon.says("halted feed=t", 1);
    fs::rename(place.path("private"), place.path("newest")).expect("a folder");
    daemon.says("the private root no longer exists", 1);
    assert!(
        !place.path("private").exists(),
        "nothing is begun where a log was"
    );
    fs::rename(place.path("older"), place.path("private")).expect("a folder");
    daemon.says("was restored from an older copy", 1);
    fs::rename(place.path("private"), place.path("older")).expect("a folder");
    fs::rename(place.path("newest"), place.path("private")).expect("a folder");
    fs::remove_file(place.path("in/0a.csv")).expect("a file");
    daemon.says("resumed feed=t", 2);
    place.offer("1.csv", people(40..80));
    daemon.says("published feed=t", 1);
    assert_eq!(daemon.end(), Some(0));
    place.verified();
}

/// The time of the halt in each notification.
fn since(operator: &Listener) -> Vec<Json> {
    operator
        .reported()
        .iter()
        .map(|reported| reported.what["time"].clone())
        .collect()
}
