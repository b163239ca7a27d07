//! Encryption, certificates, users and rights (CONTRACTS 1, `source.security`), against one broker
//! that listens in all possible ways. A user who may read does; one who may not gets the reason,
//! has lost nothing, and reads once the feed file is corrected. No password and no key is ever
//! shown.

use std::path::Path;
use std::thread::scope;

use super::broker::Broker;
use super::certificates::{authority, can, certificate};
use super::feed::{feed, messages, times};
use super::place::{NEVER, Place, files};
use super::public::releases;

/// Ports of the broker.
const PLAINTEXT: u16 = 0;
const TLS: u16 = 2;
const MUTUAL: u16 = 3;
const SASL_TLS: u16 = 4;
const SASL: u16 = 5;
const ELSEWHERE: u16 = 6;
const PASSWORD: &str = "hunter2hunter2";
/// Part of the error about a port that expects something else.
const SPEAKS: &str = "`tls` and `sasl` must match this port";
const WRONG: &str = "hunter3hunter3";
/// Operations of Kafka.
const READ: u8 = 3;
const DESCRIBE: u8 = 8;

/// A broker that listens in all ways.
fn broker() -> Option<Broker> {
    if !can() {
        return None;
    }
    let users: String = ["reader", "looker", "stranger"]
        .iter()
        .flat_map(|user| {
            [256, 512].map(|bits| {
                format!("--add-scram SCRAM-SHA-{bits}=[name={user},password={PASSWORD}] ")
            })
        })
        .collect();
    let broker = Broker::start_with(7, &users, settings)?;
    broker.topic("wards", 2, &[]);
    broker.allow("reader", READ, "wards");
    broker.allow("looker", DESCRIBE, "wards");
    Some(broker)
}

fn settings(folder: &Path, port: u16) -> String {
    authority(folder, "ca");
    authority(folder, "other");
    certificate(folder, "ca", "broker", "127.0.0.1");
    certificate(folder, "ca", "elsewhere", "127.0.0.2");
    certificate(folder, "ca", "reader", "127.0.0.1");
    certificate(folder, "other", "stranger", "127.0.0.1");
    let folder = folder.display();
    let ways = [
        ("PLAINTEXT", PLAINTEXT),
        ("TLS", TLS),
        ("MUTUAL", MUTUAL),
        ("SASL_TLS", SASL_TLS),
        ("SASL", SASL),
        ("ELSEWHERE", ELSEWHERE),
    ];
    let listeners = ways
        .map(|(name, at)| format!("{name}://127.0.0.1:{}", port + at))
        .join(",");
    let mut all = format!(
        "listeners={listeners},CONTROLLER://127.0.0.1:{}\nadvertised.listeners={listeners}\n\
         listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,TLS:SSL,MUTUAL:SSL,SASL_TLS:SASL_SSL,\
         SASL:SASL_PLAINTEXT,ELSEWHERE:SSL\n\
         ssl.keystore.type=PEM\nssl.keystore.location={folder}/broker.both\n\
         ssl.truststore.type=PEM\nssl.truststore.location={folder}/ca.pem\n\
         listener.name.elsewhere.ssl.keystore.location={folder}/elsewhere.both\n\
         listener.name.mutual.ssl.client.auth=required\nssl.principal.mapping.rules=RULE:^CN=(.*)$/$1/\n\
         sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512\n\
         authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\nsuper.users=User:ANONYMOUS\n",
        port + 1
    );
    let login = "org.apache.kafka.common.security";
    for name in ["sasl_tls", "sasl"] {
        let users = ["reader", "looker", "stranger"]
            .map(|user| format!("user_{user}=\"{PASSWORD}\""))
            .join(" ");
        all += &format!(
            "listener.name.{name}.plain.sasl.jaas.config={login}.plain.PlainLoginModule required {users};\n\
             listener.name.{name}.scram-sha-256.sasl.jaas.config={login}.scram.ScramLoginModule required;\n\
             listener.name.{name}.scram-sha-512.sasl.jaas.config={login}.scram.ScramLoginModule required;\n"
        );
    }
    all
}

/// How a feed connects: a port, and its `source.security`.
#[derive(Clone)]
struct Way(u16, String);

fn tls(port: u16, more: &str) -> Way {
    Way(port, format!("security = {{ {more} }}\n"))
}

fn sasl(port: u16, mechanism: &str, user: &str, password: &str) -> Way {
    let first = if port == SASL {
        "tls = false"
    } else {
        "ca = \"ca.pem\""
    };
    let sasl =
        format!("mechanism = \"{mechanism}\", user = \"{user}\", password = \"file:{password}\"");
    tls(port, &format!("{first}, sasl = {{ {sasl} }}"))
}

/// A feed that connects in this way, with all files that any of the ways needs.
fn place(broker: &Broker, way: &Way) -> Place {
    let place = feed(broker, "wards", NEVER, "# security\n");
    for name in [
        "ca.pem",
        "other.pem",
        "reader.pem",
        "reader.key",
        "stranger.pem",
        "stranger.key",
    ] {
        place.put(name, broker.file(name));
    }
    place.put("password", PASSWORD);
    place.put("wrong", WRONG);
    change(
        &place,
        broker,
        &Way(PLAINTEXT, "# security\n".to_owned()),
        way,
    );
    place
}

fn change(place: &Place, broker: &Broker, from: &Way, to: &Way) {
    place.edit(&broker.listens(from.0), &broker.listens(to.0));
    place.edit(&from.1, &to.1);
}

/// Checks that its output and its files contain no secret.
#[track_caller]
fn hidden(place: &Place, said: &str) {
    let key =
        String::from_utf8(std::fs::read(place.path("reader.key")).expect("a key")).expect("text");
    let line = key.lines().nth(1).expect("a line");
    for secret in [PASSWORD, WRONG, line] {
        assert!(!said.contains(secret), "it shows a secret: {said}");
        for root in ["private", "public"] {
            let holds = |bytes: &[u8]| {
                bytes
                    .windows(secret.len())
                    .any(|window| window == secret.as_bytes())
            };
            let found = files(&place.path(root))
                .into_iter()
                .find(|(_, bytes)| holds(bytes));
            assert!(
                found.is_none(),
                "{:?} holds a secret",
                found.map(|(path, _)| path)
            );
        }
    }
}

/// Checks that everything in the topic is published, once.
#[track_caller]
fn reads(place: &Place) {
    let output = place.output(&["run", "--once", "feed.toml", "--json"]);
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    hidden(place, &said);
    let people = times(
        &releases(&place.public())
            .pop()
            .expect("a release")
            .diagnoses,
    );
    assert!(
        people.len() == 80 && people.values().all(|times| *times == 1),
        "{people:?}"
    );
    place.verified();
}

/// Checks that it is refused with these words, and reads when it connects in the right way.
fn refused(broker: &Broker, name: &str, wrong: &Way, right: &Way, words: &[&str]) {
    let place = place(broker, wrong);
    let output = place.output(&["run", "--once", "feed.toml"]);
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{name}: {said}");
    words
        .iter()
        .for_each(|word| assert!(said.contains(word), "{name}: `{word}` is missing: {said}"));
    hidden(&place, &said);
    change(&place, broker, wrong, right);
    reads(&place);
}

#[test]
fn brokers_are_spoken_to_as_they_want() {
    let Some(broker) = broker() else { return };
    for partition in 0..2 {
        let people = messages((0..40).map(|number| number * 2 + partition as u64));
        broker.put("wards", partition, people.iter().map(String::as_str));
    }
    let ca = "ca = \"ca.pem\"";
    let mutual = tls(
        MUTUAL,
        &format!("{ca}, certificate = \"reader.pem\", key = \"file:reader.key\""),
    );
    let ways = [
        tls(TLS, ca),
        mutual.clone(),
        sasl(SASL_TLS, "PLAIN", "reader", "password"),
        sasl(SASL_TLS, "SCRAM-SHA-256", "reader", "password"),
        sasl(SASL_TLS, "SCRAM-SHA-512", "reader", "password"),
        sasl(SASL, "PLAIN", "reader", "password"),
        sasl(SASL, "SCRAM-SHA-256", "reader", "password"),
        sasl(SASL, "SCRAM-SHA-512", "reader", "password"),
    ];
    let plain = Way(TLS, "# nothing\n".to_owned());
    let strange = tls(
        MUTUAL,
        &format!("{ca}, certificate = \"stranger.pem\", key = \"file:stranger.key\""),
    );
    let mixed = tls(
        MUTUAL,
        &format!("{ca}, certificate = \"reader.pem\", key = \"file:stranger.key\""),
    );
    let reader = |mechanism| sasl(SASL_TLS, mechanism, "reader", "password");
    let wrong = |port, mechanism| sasl(port, mechanism, "reader", "wrong");
    let unknown = "reject these credentials";
    let unheard = "an encrypted connection to the brokers failed";
    let cases = [
        (
            "wrong password, plain",
            wrong(SASL_TLS, "PLAIN"),
            reader("PLAIN"),
            vec![unknown, "source.security"],
        ),
        (
            "wrong password, scram",
            wrong(SASL, "SCRAM-SHA-512"),
            reader("SCRAM-SHA-512"),
            vec![unknown],
        ),
        (
            "nobody",
            sasl(SASL_TLS, "PLAIN", "nobody", "password"),
            reader("PLAIN"),
            vec![unknown],
        ),
        (
            "unknown authority",
            tls(TLS, "ca = \"other.pem\""),
            tls(TLS, ca),
            vec![unheard, "`ca`"],
        ),
        (
            "another machine",
            tls(ELSEWHERE, ca),
            tls(TLS, ca),
            vec![unheard, "the host names of the certificates"],
        ),
        (
            "authority of the system",
            tls(TLS, "tls = true"),
            tls(TLS, ca),
            vec![unheard],
        ),
        (
            "no certificate",
            tls(MUTUAL, ca),
            mutual.clone(),
            vec!["reject the client certificate", "source.security"],
        ),
        (
            "strange certificate",
            strange,
            mutual.clone(),
            vec!["reject the client certificate"],
        ),
        (
            "another's key",
            mixed,
            mutual,
            vec!["cannot begin with these settings"],
        ),
        ("plaintext to TLS", plain, tls(TLS, ca), vec![SPEAKS]),
        (
            "TLS to plaintext",
            tls(PLAINTEXT, ca),
            tls(TLS, ca),
            vec![SPEAKS],
        ),
        (
            "SASL where there is none",
            sasl(TLS, "PLAIN", "reader", "password"),
            tls(TLS, ca),
            vec![unknown],
        ),
        (
            "no SASL where there is",
            tls(SASL_TLS, ca),
            reader("PLAIN"),
            vec![SPEAKS],
        ),
        (
            "no right",
            sasl(SASL, "PLAIN", "stranger", "password"),
            reader("PLAIN"),
            vec!["READ and DESCRIBE", "wards"],
        ),
        (
            "only DESCRIBE",
            sasl(SASL, "PLAIN", "looker", "password"),
            reader("PLAIN"),
            vec!["READ and DESCRIBE"],
        ),
    ];
    scope(|scope| {
        for way in &ways {
            scope.spawn(|| reads(&place(&broker, way)));
        }
        for (name, wrong, right, words) in &cases {
            scope.spawn(|| refused(&broker, name, wrong, right, words));
        }
        scope.spawn(|| halts(&broker, &wrong(SASL_TLS, "PLAIN")));
    });
}

/// A daemon with a wrong password says so and ends, after a few attempts.
fn halts(broker: &Broker, way: &Way) {
    let place = place(broker, way);
    let mut daemon = place.start_until_halt();
    assert_eq!(daemon.ended(), Some(2));
    let said = daemon.said();
    assert!(
        said.contains("reject these credentials") && said.lines().count() < 30,
        "{said}"
    );
    hidden(&place, &said);
}
