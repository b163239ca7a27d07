//! Requests to web addresses from outside (CONTRACTS 1, `notify`): each is signed, no redirect is
//! followed, and none goes to a host or an address that the feed file does not permit.

use std::process::Command;

use serde_json::Value as Json;

use super::place::{HOOK_KEY, PER_FILE, Place, people};
use super::web_receiver::{Listener, Received};
use crate::common::{needs, wait};

fn telling(urls: &[(&str, &str)]) -> Place {
    let place = Place::new(PER_FILE);
    place.notify(urls);
    place.offer("0.csv", people(0..40));
    place
}

/// The time and the code of a signature.
fn parts(reported: &Received) -> (u64, &str) {
    let (time, code) = reported.signature.split_once(",v1=").expect("two parts");
    (
        time.strip_prefix("t=")
            .and_then(|time| time.parse().ok())
            .expect("a time"),
        code,
    )
}

fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("after 1970")
        .as_secs()
}

/// HMAC-SHA256, by the standard's definition.
fn code(key: &str, text: &[u8]) -> String {
    use tidegate::engine::release::Sha256;
    let mut block = [0; 64];
    block[..key.len()].copy_from_slice(key.as_bytes());
    let keyed = |pad: u8, text: &[u8]| {
        Sha256::of(&[&block.map(|byte| byte ^ pad), text].concat()).to_string()
    };
    let inner = keyed(0x36, text);
    let inner: Vec<u8> = (0..32)
        .map(|at| u8::from_str_radix(&inner[2 * at..2 * at + 2], 16).expect("hexadecimal"))
        .collect();
    keyed(0x5c, &inner)
}

/// The function of the guide, with which a receiver checks a request.
fn of_the_guide() -> String {
    let guide = std::fs::read_to_string("src/guide/operations.md").expect("the guide");
    let (_, rest) = guide
        .split_once("```python\nimport hmac")
        .expect("the function");
    let (body, _) = rest.split_once("```").expect("its end");
    format!("import hmac{body}")
}

#[test]
fn each_request_is_signed_with_the_key_of_its_receiver() {
    let (public, operator) = (Listener::new(503), Listener::new(200));
    let place = telling(&[
        ("webhook", &public.url("/a?Sq7secret")),
        ("operator_webhook", &operator.url("/")),
    ]);
    let begun = now();
    let daemon = place.start();
    // Not answering at first: the notification is signed again for each attempt.
    daemon.says("receiver_away feed=t receiver=webhook", 1);
    public.answers(200);
    daemon.says("notification_sent feed=t receiver=webhook", 1);
    place.offer("1.csv", people(200..210).replace("ward", "word"));
    wait::until(
        || format!("a halt: {}", daemon.said()),
        || (!operator.reported().is_empty()).then_some(()),
    );
    let reported = [public.reported().remove(0), operator.reported().remove(0)];
    for (reported, key) in reported
        .iter()
        .zip([HOOK_KEY.to_owned(), HOOK_KEY.to_uppercase()])
    {
        let (time, signed) = parts(reported);
        assert!((begun..=now()).contains(&time), "{time}");
        assert_eq!(
            signed,
            code(
                &key,
                &[format!("{time}.").as_bytes(), &reported.body].concat()
            )
        );
        assert_eq!(
            reported.what["key"], reported.key,
            "the body that is signed names the delivery"
        );
    }
    for secret in [HOOK_KEY, &HOOK_KEY.to_uppercase(), "Sq7secret"] {
        assert!(!daemon.said().contains(secret), "{}", daemon.said());
    }
    checked_by_the_guide(&reported[0]);
}

/// The guide's function accepts a sent request once, and no other.
fn checked_by_the_guide(reported: &Received) {
    let Some(python) = needs::tool("TIDEGATE_PYTHON") else {
        return;
    };
    let (time, _) = parts(reported);
    let body = String::from_utf8(reported.body.clone()).expect("JSON");
    let test = "import sys\nkey, header, body, time = sys.argv[1], sys.argv[2], sys.argv[3].encode(), int(sys.argv[4])\n\
                assert is_genuine(key, header, body, time)\nassert is_genuine(key, header, body, time + 299)\n\
                assert not is_genuine(key, header, body, time + 301)\nassert not is_genuine(key, header, body, time - 301)\n\
                assert not is_genuine(key, header, body + b' ', time)\nassert not is_genuine(key + 'x', header, body, time)\n\
                assert not is_genuine(key, header.replace('t=', 't=1'), body, time)\n\
                assert not is_genuine(key, '', body, time)\nassert not is_genuine(key, 't=²,v1=y', body, time)\n";
    let mut command = Command::new(python);
    command.args(["-c", &format!("{}{test}", of_the_guide())]);
    command.args([HOOK_KEY, &reported.signature, &body, &time.to_string()]);
    let output = command.output().expect("Python starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn no_redirect_is_followed() {
    let (first, second) = (Listener::new(200), Listener::new(200));
    first.sends_to(&second.url("/metadata"));
    let place = telling(&[("webhook", &first.url("/"))]);
    let daemon = place.start();
    daemon.says(
        "receiver_away feed=t receiver=webhook why=\"it answers 307\"",
        1,
    );
    wait::until(
        || "that it is asked again",
        || (first.asked() >= 2).then_some(()),
    );
    assert_eq!(second.asked(), 0);
    first.answers(200);
    daemon.says("notification_sent feed=t receiver=webhook", 1);
    assert_eq!(second.asked(), 0);
}

/// The error of `run --once`, which reveals nothing of the address except its host.
#[track_caller]
fn refused(place: &Place, field: &str, words: &str) {
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    assert_eq!(
        (code, &answer["error"]["field"]),
        (2, &Json::from(field)),
        "{answer}"
    );
    assert!(
        answer["error"]["text"]
            .as_str()
            .is_some_and(|text| text.contains(words)),
        "{words}: {answer}"
    );
    assert!(!answer.to_string().contains("Sq7secret"), "{answer}");
}

/// An address in another file is checked like one in the feed file.
#[test]
fn an_address_in_a_file_is_checked_when_it_is_read() {
    let place = telling(&[("webhook", "file:hook.url")]);
    let listener = Listener::new(200);
    for (url, words) in [
        ("http://169.254.169.254/Sq7secret", "link-local"),
        ("http://[::ffff:169.254.169.254]/Sq7secret", "link-local"),
        ("http://2852039166/Sq7secret", "link-local"),
        ("https://0.0.0.0/Sq7secret", "not the address of a host"),
        ("https://[ff02::1]/Sq7secret", "multicast"),
        ("gopher://hooks.example/Sq7secret", "not a web address"),
    ] {
        place.put("hook.url", url);
        refused(&place, "notify.webhook", words);
    }
    place.put("hook.url", listener.url("/?Sq7secret"));
    place.edit(
        "[notify]\n",
        "[notify]\nallowed_hosts = [\"hooks.example\"]\n",
    );
    refused(
        &place,
        "notify.webhook",
        "127.0.0.1 is not in `notify.allowed_hosts`",
    );
    place.edit("[\"hooks.example\"]", "[\"hooks.example\", \"127.0.0.1\"]");
    assert_eq!(place.once()["outcome"], "published");
    assert_eq!(listener.keys(), ["t/release/1"]);
}

#[test]
fn a_name_of_this_machine_says_that_it_is() {
    let listener = Listener::new(200);
    let local = listener.url("/").replace("127.0.0.1", "localhost");
    let place = telling(&[("webhook", &local)]);
    assert_eq!(place.once()["outcome"], "published");
    assert_eq!(listener.keys(), ["t/release/1"]);
    // With a dot at its end it is another name for the same host, and the error contains neither.
    place.edit("http://localhost", "https://localhost.");
    place.offer("1.csv", people(40..80));
    let daemon = place.start();
    daemon.says("receiver_away feed=t receiver=webhook why=\"", 1);
    assert_eq!(listener.keys(), ["t/release/1"]);
    assert!(
        !daemon.said().contains("notification_sent"),
        "{}",
        daemon.said()
    );
}

/// The proxy of the feed file is used, and none of the environment.
#[test]
fn requests_go_through_the_proxy_that_the_feed_file_names() {
    let (proxy, foreign) = (Listener::new(200), Listener::new(200));
    let place = telling(&[("webhook", "https://hooks.invalid/Sq7secret")]);
    let started = || {
        let mut command = place.command(&["run", "feed.toml"]);
        for name in [
            "http_proxy",
            "https_proxy",
            "all_proxy",
            "HTTPS_PROXY",
            "ALL_PROXY",
        ] {
            command.env(name, foreign.url(""));
        }
        place.started(command)
    };
    let daemon = started();
    daemon.says(
        "receiver_away feed=t receiver=webhook why=\"its host name cannot be resolved\"",
        1,
    );
    assert_eq!(daemon.end(), Some(0));
    place.edit(
        "[notify]\n",
        &format!("[notify]\nproxy = \"{}\"\n", proxy.url("")),
    );
    let daemon = started();
    // The proxy is asked for a connection; what goes through it is encrypted, and this proxy is no
    // such host.
    daemon.says("receiver_away feed=t receiver=webhook why=\"", 1);
    let asked = proxy.reported().remove(0);
    assert_eq!(
        (asked.path.as_str(), asked.key.as_str()),
        ("hooks.invalid:443", "")
    );
    assert_eq!(foreign.asked(), 0);
    assert_eq!(daemon.end(), Some(0));
    place.edit(&proxy.url(""), "http://u:Sq7secret@169.254.169.254:3128");
    refused(&place, "notify.proxy", "link-local");
    place.edit(
        "http://u:Sq7secret@169.254.169.254:3128",
        "${TIDEGATE_NO_SUCH_VARIABLE}",
    );
    refused(
        &place,
        "notify.proxy",
        "TIDEGATE_NO_SUCH_VARIABLE is not set",
    );
}

#[test]
fn a_key_that_is_none_signs_nothing() {
    let place = telling(&[("webhook", "http://127.0.0.1:9/")]);
    place.put("hook.key", "Sq7secret");
    refused(&place, "notify.webhook_key", "openssl rand -hex 32");
    std::fs::remove_file(place.path("hook.key")).expect("it is there");
    refused(&place, "notify.webhook_key", "no such file");
}
