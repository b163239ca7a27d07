//! The chart: its values follow their schema, its feeds are feeds, and it makes one hardened pod
//! whose probes ask for existing pages.

use std::fs;

use serde_json::Value;

use super::{
    grace, no_secret, page, pinned, place, said, text, tidegate, tool, understood, words, yaml,
};

const CHART: &str = "deploy/helm/tidegate";
const EXAMPLE: &str = "deploy/helm/tidegate/ci/hospital-values.yaml";

fn templates() -> Vec<(String, String)> {
    let files = fs::read_dir(place(CHART).join("templates")).expect("templates");
    let files = files.map(|file| file.expect("a file").path());
    files
        .map(|path| {
            (
                path.display().to_string(),
                fs::read_to_string(path).expect("text"),
            )
        })
        .collect()
}

#[test]
fn values_keep_to_their_schema() {
    let schema: Value =
        serde_json::from_str(&text(&format!("{CHART}/values.schema.json"))).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    for name in [format!("{CHART}/values.yaml"), EXAMPLE.to_owned()] {
        no_secret(&name, &text(&name));
        let Some(values) = yaml(&text(&name)) else {
            return;
        };
        let errors: Vec<String> = schema
            .iter_errors(&values[0])
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
    let refused = [
        serde_json::json!({"replicas": 2}),
        serde_json::json!({"image": {"tag": "latest"}}),
        serde_json::json!({"terminationGracePeriodSeconds": grace()}),
        serde_json::json!({"files": {"operator.key": "…"}}),
        serde_json::json!({"env": [{"name": "AWS_SECRET_ACCESS_KEY", "value": "…"}]}),
    ];
    refused
        .iter()
        .for_each(|values| assert!(!schema.is_valid(values), "{values}"));
}

#[test]
fn feeds_of_the_example_are_feeds() {
    let Some(values) = yaml(&text(EXAMPLE)) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in ["feeds", "files"]
        .iter()
        .flat_map(|table| values[0][table].as_object().expect("a table"))
    {
        fs::write(folder.path().join(name), content.as_str().expect("text")).expect("a file");
    }
    for name in values[0]["feeds"].as_object().expect("feeds").keys() {
        let feed = folder.path().join(name);
        let checked = said(&tidegate(&["check", feed.to_str().expect("text")]));
        assert!(!checked.contains("unencrypted: anybody"), "{checked}");
        let feed = fs::read_to_string(feed).expect("a feed file");
        for word in [
            "\"0.0.0.0:9464\"",
            "\"/var/lib/tidegate/private/",
            "\"/var/lib/tidegate/public/",
            "tokens",
        ] {
            assert!(feed.contains(word), "{word}");
        }
    }
    assert_eq!(
        yaml(&text(&format!("{CHART}/values.yaml"))).expect("values")[0]["service"]["port"],
        9464
    );
}

#[test]
fn the_chart_is_of_the_version_of_the_program() {
    let Some(chart) = yaml(&text(&format!("{CHART}/Chart.yaml"))) else {
        return;
    };
    assert_eq!(chart[0]["appVersion"], env!("CARGO_PKG_VERSION"));
}

/// Checks that do not need Helm.
#[test]
fn templates_are_whole() {
    for (name, template) in templates() {
        assert_eq!(
            template.matches("{{").count(),
            template.matches("}}").count(),
            "{name}"
        );
        let actions = template
            .split("{{")
            .skip(1)
            .filter_map(|rest| rest.split("}}").next());
        let first = actions.map(|action| {
            action
                .trim_matches(['-', ' '])
                .split(' ')
                .next()
                .unwrap_or("")
                .to_owned()
        });
        let depth = first.fold(0, |depth: i32, word| match word.as_str() {
            "if" | "with" | "range" | "define" => depth + 1,
            "end" => depth - 1,
            _ => depth,
        });
        assert_eq!(depth, 0, "{name}: a block that does not end");
    }
    let set = text(&format!("{CHART}/templates/statefulset.yaml"));
    let pages = set
        .split("path: ")
        .skip(1)
        .filter_map(|rest| rest.split(',').next());
    assert_eq!(pages.inspect(|path| page(path)).count(), 1);
    assert!(set.contains("\n  replicas: 1\n"), "one feed has one writer");
    let shared = "secretName: {{ .Values.secretName }}\n            defaultMode: 0440\n";
    assert!(
        set.contains(shared),
        "the daemon refuses secrets that every account can read"
    );
}

/// The command of the readiness probe.
fn probe(container: &Value) -> Vec<&str> {
    let command = words(&container["readinessProbe"]["exec"]["command"]);
    assert_eq!(command[0], "/usr/bin/tidegate");
    understood(&command[1..]);
    command[1..].to_vec()
}

#[test]
fn helm_makes_one_hardened_pod_of_it() {
    let Some(mut helm) = tool("helm", &["version"]) else {
        return;
    };
    said(
        &helm
            .args(["lint", "--strict", "--values"])
            .args([place(EXAMPLE), place(CHART)])
            .output()
            .expect("helm"),
    );
    let mut helm = std::process::Command::new("helm");
    helm.args([
        "template",
        "hospital",
        "--kube-version",
        "1.30.0",
        "--values",
    ])
    .args([place(EXAMPLE), place(CHART)]);
    let Some(made) = yaml(&said(&helm.output().expect("helm"))) else {
        return;
    };
    let of = |kind: &str| {
        made.iter()
            .filter(|found| found["kind"] == kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (
            of("Secret").len(),
            of("PersistentVolumeClaim").len(),
            of("StatefulSet").len()
        ),
        (0, 2, 1)
    );
    assert_eq!(
        (
            of("ServiceMonitor").len(),
            of("NetworkPolicy").len(),
            of("Service").len()
        ),
        (1, 1, 1)
    );
    let set = &of("StatefulSet")[0]["spec"];
    assert_eq!(set["replicas"], 1);
    let pod = &set["template"]["spec"];
    assert!(
        pod["terminationGracePeriodSeconds"]
            .as_u64()
            .is_some_and(|seconds| seconds > grace())
    );
    assert_eq!(pod["automountServiceAccountToken"], false);
    let (rights, container) = (&pod["securityContext"], &pod["containers"][0]);
    assert_eq!(
        (&rights["runAsNonRoot"], &rights["fsGroupChangePolicy"]),
        (&true.into(), &"OnRootMismatch".into())
    );
    assert_eq!(rights["seccompProfile"]["type"], "RuntimeDefault");
    let rights = &container["securityContext"];
    assert_eq!(
        (
            &rights["readOnlyRootFilesystem"],
            &rights["allowPrivilegeEscalation"]
        ),
        (&true.into(), &false.into())
    );
    assert_eq!(words(&rights["capabilities"]["drop"]), ["ALL"]);
    pinned(container["image"].as_str().expect("an image"));
    understood(&words(&container["args"]));
    let live = &container["livenessProbe"]["httpGet"];
    assert_eq!(
        (&live["port"], &live["path"]),
        (&container["ports"][0]["name"], &"/health/live".into())
    );
    page("/health/live");
    // The kubelet has no token: the program asks its own pages.
    assert_eq!(
        probe(container),
        ["health", "/etc/tidegate/feeds/admissions.toml"]
    );
    let port = &container["ports"][0]["containerPort"];
    assert!(
        of("ConfigMap")[0]["data"]["admissions.toml"]
            .as_str()
            .is_some_and(|feed| feed.contains(&format!(":{port}\"")))
    );
    let endpoint = &of("ServiceMonitor")[0]["spec"]["endpoints"][0];
    page(endpoint["path"].as_str().expect("a page"));
    assert_eq!(
        endpoint["authorization"]["credentials"]["name"],
        "tidegate-keys"
    );
    let variables = container["env"].as_array().expect("variables");
    assert!(
        variables
            .iter()
            .all(|one| one["valueFrom"]["secretKeyRef"]["name"].is_string())
    );
}

/// The folder that `init` writes: its relative names lead to volumes, keys and taxonomies of the
/// pod.
#[test]
fn the_folder_that_init_wrote_is_taken_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    said(&tidegate(&[
        "init",
        &path("admissions"),
        "--sample",
        "deploy/samples/hospital/admissions-1.csv",
    ]));
    let feed = fs::read_to_string(path("admissions/feed.toml")).expect("a feed file");
    for name in [
        "path = \"incoming\"",
        "private = \"var/",
        "public = \"releases/",
        "key = \"file:keys/",
        "\"taxonomies/ward.csv\"",
    ] {
        assert!(
            feed.contains(name),
            "the chart mounts what `init` writes: {name}"
        );
    }
    understood(&[
        "run",
        "--bind=0.0.0.0:9464",
        "--token=/etc/tidegate/secrets/metrics.token",
    ]);
    understood(&[
        "health",
        "--bind=0.0.0.0:9464",
        "--token=/etc/tidegate/secrets/metrics.token",
    ]);
    let set = text(&format!("{CHART}/templates/statefulset.yaml"));
    for mount in [
        "/feed.toml",
        "/taxonomies/{{ $file }}",
        "/keys",
        "/var",
        "/releases",
        "/incoming",
    ] {
        assert!(
            set.contains(&format!("mountPath: {{{{ $path }}}}{mount}\n")),
            "{mount}"
        );
    }
    let Some(mut helm) = tool("helm", &["version"]) else {
        return;
    };
    let version = ["--kube-version", "1.30.0"];
    helm.args(["template", "hospital", "--set", "secretName=tidegate-keys"])
        .args(version)
        .arg(place(CHART));
    helm.args([
        "--set-file",
        &format!("folders.admissions.feed={}", path("admissions/feed.toml")),
    ]);
    let ward = format!(
        "folders.admissions.taxonomies.ward\\.csv={}",
        path("admissions/taxonomies/ward.csv")
    );
    helm.args([
        "--set-file",
        &ward,
        "--set",
        "folders.admissions.incomingClaim=admissions-incoming",
    ]);
    let Some(made) = yaml(&said(&helm.output().expect("helm"))) else {
        return;
    };
    let of = |kind: &str| {
        made.iter()
            .find(|found| found["kind"] == kind)
            .expect("a document")
    };
    assert_eq!(
        of("ConfigMap")["data"]["admissions--feed.toml"]
            .as_str()
            .map(str::trim_end),
        Some(feed.trim_end())
    );
    let pod = &of("StatefulSet")["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    let at = "/var/lib/tidegate/folders/admissions";
    let (feed, bind, token) = (
        format!("{at}/feed.toml"),
        "--bind=0.0.0.0:9464",
        "--token=/etc/tidegate/secrets/metrics.token",
    );
    assert_eq!(words(&container["args"]), ["run", &feed, bind, token]);
    assert_eq!(probe(container), ["health", bind, token, &feed]);
    let mounts = container["volumeMounts"].as_array().expect("mounts");
    let mounted = |name: &str| {
        mounts
            .iter()
            .find(|mount| mount["mountPath"] == format!("{at}/{name}"))
            .expect("a mount")
    };
    for (place, volume) in [
        ("keys", "secrets"),
        ("var", "private"),
        ("releases", "public"),
        ("incoming", "incoming-admissions"),
    ] {
        assert_eq!(mounted(place)["name"], volume);
    }
    assert_eq!(
        mounted("taxonomies/ward.csv")["subPath"],
        "admissions--ward.csv"
    );
    let volumes = pod["volumes"].as_array().expect("volumes");
    assert!(
        volumes
            .iter()
            .any(|volume| volume["persistentVolumeClaim"]["claimName"] == "admissions-incoming")
    );
}
