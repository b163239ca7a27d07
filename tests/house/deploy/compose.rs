//! The compose file: a broker that is ready before its topic is created, and the daemon in the
//! image of this package.

use serde_json::Value;

use super::{grace, no_secret, pinned, place, said, text, tool, understood, words, yaml};

fn seconds(text: &Value) -> u64 {
    text.as_str()
        .and_then(|text| text.strip_suffix('s'))
        .expect("seconds")
        .parse()
        .expect("a number")
}

#[test]
fn the_compose_file_starts_one_daemon_behind_its_topic() {
    let compose = text("deploy/compose.yaml");
    no_secret("the compose file", &compose);
    let Some(found) = yaml(&compose) else { return };
    let services = found[0]["services"].as_object().expect("services");
    services.values().for_each(|service| {
        pinned(
            service["image"]
                .as_str()
                .expect("an image")
                .trim_end_matches("-slim"),
        )
    });
    assert_eq!(services["kafka"]["image"], "docker.io/apache/kafka:4.1.0");
    assert!(
        services["kafka"]["healthcheck"]["test"].is_array() && services["kafka"]["ports"].is_null()
    );
    let waits =
        |service: &str, other: &str| services[service]["depends_on"][other]["condition"].clone();
    assert_eq!(waits("topic", "kafka"), "service_healthy");
    for job in ["topic", "keys"] {
        assert_eq!(waits("tidegate", job), "service_completed_successfully");
    }
    let made = words(&services["topic"]["command"]);
    for word in [
        "--topic=hospital.admissions",
        "--config=cleanup.policy=delete",
    ] {
        assert!(made.contains(&word), "{word}: {made:?}");
    }
    let daemon = &services["tidegate"];
    understood(&words(&daemon["command"]));
    let probe = words(&daemon["healthcheck"]["test"]);
    assert_eq!(&probe[..2], ["CMD", "/usr/bin/tidegate"]);
    understood(&probe[2..]);
    assert_eq!(
        probe.last(),
        words(&daemon["command"]).last(),
        "the probe reads the feed file that runs"
    );
    assert!(
        daemon["deploy"].is_null() && daemon["scale"].is_null(),
        "one feed has one writer"
    );
    assert_eq!(
        (&daemon["user"], &daemon["read_only"]),
        (&"10001:10001".into(), &true.into())
    );
    assert_eq!(
        (words(&daemon["cap_drop"]), words(&daemon["ports"])),
        (vec!["ALL"], vec!["127.0.0.1:9464:9464"])
    );
    assert!(seconds(&daemon["stop_grace_period"]) > grace());
    let feed = text("deploy/samples/kafka/feed.toml");
    assert!(feed.contains("bind = \"0.0.0.0:9464\"") && feed.contains("brokers = \"kafka:9092\""));
    for volume in words(&daemon["volumes"])
        .iter()
        .filter(|volume| volume.starts_with("./"))
    {
        let (from, to) = volume
            .trim_end_matches(":ro")
            .split_once(':')
            .expect("from and to");
        assert!(
            place("deploy").join(from).is_file() && to.starts_with("/etc/tidegate/"),
            "{volume}"
        );
    }
    // The job creates each key that the feed names.
    let script = words(&services["keys"]["command"]).join("\n");
    for name in feed
        .split("\"file:keys/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
    {
        assert!(
            script.contains(name) || name == "kafka.password",
            "nothing makes {name}"
        );
    }
    // The daemon refuses keys that other accounts than its own can read.
    let at = |what: &str| {
        script
            .find(what)
            .unwrap_or_else(|| panic!("{what}: {script}"))
    };
    assert!(at("umask 077") < at("/dev/urandom") && at("/dev/urandom") < at("chmod 0400 /keys/*"));
    assert!(
        at("chown -R 10001:10001 /keys") > 0,
        "the account of the daemon has them"
    );
    assert_eq!(found[0]["networks"]["inside"]["internal"], true);
}

#[test]
fn compose_takes_it() {
    let Some(mut docker) = tool("docker", &["compose", "version"]) else {
        return;
    };
    said(
        &docker
            .args(["compose", "--file"])
            .arg(place("deploy/compose.yaml"))
            .args(["config", "--quiet"])
            .output()
            .expect("docker"),
    );
}
