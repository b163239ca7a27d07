//! Schemas are made from the types and shipped in `schemas/v1`; both must agree. `TIDEGATE_BLESS=1`
//! writes them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;
use tidegate::daemon::config;

/// Every schema that is shipped.
fn shipped() -> Vec<(&'static str, Value)> {
    vec![
        ("feed", config::schema::feed().clone()),
        (
            "audit",
            printed::<tidegate::daemon::view::audit::Audit>("tidegate audit --json"),
        ),
        (
            "audit-sums",
            printed::<tidegate::cli::audit::sums::json::SumsAnswer>("tidegate audit --sums --json"),
        ),
        (
            "attack-refinement",
            printed::<tidegate::daemon::view::refinement::RefinementAnswer>(
                "tidegate attack refinement --json",
            ),
        ),
        (
            "anonymize",
            printed::<tidegate::daemon::view::anonymize::AnonymizeAnswer>(
                "tidegate anonymize --json",
            ),
        ),
        (
            "show",
            printed::<tidegate::daemon::view::folder::ShowAnswer>("tidegate show DIR --json"),
        ),
        (
            "show-release",
            printed::<tidegate::daemon::view::folder::ReleaseShown>(
                "tidegate show DIR RELEASE --json",
            ),
        ),
        (
            "show-feed",
            printed::<tidegate::daemon::view::feed::FeedShown>("tidegate show FEED --json"),
        ),
        (
            "show-feed-release",
            printed::<tidegate::daemon::view::feed::FeedRelease>(
                "tidegate show FEED RELEASE --json",
            ),
        ),
        (
            "show-candidate",
            printed::<tidegate::daemon::view::candidate::HeldRelease>(
                "tidegate show FEED --candidate --json",
            ),
        ),
        (
            "path",
            printed::<tidegate::cli::path::ReleasePaths>("tidegate path --json"),
        ),
        (
            "preview",
            printed::<tidegate::daemon::preview::Preview>("tidegate preview --json"),
        ),
        (
            "run",
            printed::<tidegate::cli::run::OnceAnswer>("tidegate run --once --json"),
        ),
        (
            "health",
            printed::<tidegate::daemon::observe::Health>(
                "tidegate health --json, and /health/ready",
            ),
        ),
        (
            "query",
            printed::<tidegate::daemon::view::query::QueryAnswer>("tidegate query --json"),
        ),
        (
            "verify",
            printed::<tidegate::daemon::view::verify::VerifyAnswer>("tidegate verify --json"),
        ),
        (
            "answer",
            printed::<tidegate::daemon::feed_writer::RequestOutcome>(
                "tidegate approve, reject, erase, new-chain, rekey --json",
            ),
        ),
        (
            "quarantine",
            printed::<tidegate::daemon::view::quarantine::QuarantineAnswer>(
                "tidegate quarantine --json",
            ),
        ),
        (
            "entry",
            printed::<tidegate::daemon::journal::Entry>("log/*/*.json of a private root"),
        ),
        (
            "verdict",
            printed::<tidegate::daemon::folder::TickVerdict>(
                "verdicts/*.json, for the operator only",
            ),
        ),
        (
            "approver-key",
            printed::<tidegate::cli::approver_key::ApproverKeyAnswer>(
                "tidegate approver-key --json",
            ),
        ),
        (
            "check",
            printed::<tidegate::cli::check::CheckReport>("tidegate check --json"),
        ),
        (
            "init",
            printed::<tidegate::cli::init::InitReport>("tidegate init --json"),
        ),
        (
            "manifest",
            printed::<tidegate::engine::release::Manifest>("manifest/*.json of a release"),
        ),
        (
            "erased",
            printed::<tidegate::engine::release::Notice>("erased/*.json of a public root"),
        ),
        (
            "removal",
            printed::<tidegate::engine::release::RemovalNotice>(
                "withdrawn/*.json, replaced/*.json and expired/*.json of a public root",
            ),
        ),
        (
            "notification",
            printed::<tidegate::daemon::notify::Notification>("what notify.* of a feed file send"),
        ),
        (
            "taxonomy",
            printed::<tidegate::engine::release::Taxonomies>("taxonomy/*.json of a release"),
        ),
        (
            "error",
            printed::<tidegate::cli::ErrorReport>("What --json prints on an error"),
        ),
    ]
}

/// The schema of printed or published JSON.
fn printed<T: JsonSchema>(title: &str) -> Value {
    let mut schema = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    schema["title"] = title.into();
    schema
}

#[test]
fn shipped_schemas_are_those_of_the_types() {
    for (name, schema) in shipped() {
        let file = format!("schemas/v1/{name}.schema.json");
        let text = serde_json::to_string_pretty(&schema)
            .expect("serialisation failed (this is a bug)")
            + "\n";
        if std::env::var_os("TIDEGATE_BLESS").is_some() {
            std::fs::write(&file, &text).expect("schemas can be written");
        }
        let known = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            known == text,
            "{file} is not what the types say: run the tests once with TIDEGATE_BLESS=1"
        );
    }
}

/// A feed file as JSON.
fn as_json(file: &std::path::Path) -> Option<Value> {
    let text = std::fs::read_to_string(file).expect("a feed file");
    let value: toml::Value = toml::from_str(&text).ok()?;
    serde_json::to_value(value).ok()
}

#[test]
fn shipped_samples_fit_the_schema() {
    let validator = jsonschema::validator_for(config::schema::feed()).expect("a schema");
    for entry in std::fs::read_dir("deploy/samples").expect("samples") {
        let file = entry.expect("an entry").path();
        if file
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            let sample = as_json(&file).expect("a sample is TOML");
            let errors: Vec<String> = validator
                .iter_errors(&sample)
                .map(|error| error.to_string())
                .collect();
            assert!(errors.is_empty(), "{}: {errors:?}", file.display());
        }
    }
}

/// Keys and types can be checked with the schema, so an editor that uses it must agree.
#[test]
fn what_the_walk_refuses_the_schema_refuses_too() {
    let validator = jsonschema::validator_for(config::schema::feed()).expect("a schema");
    let mut seen = 0;
    for entry in std::fs::read_dir("tests/feeds").expect("cases") {
        let file = entry.expect("an entry").path();
        let name = file
            .file_name()
            .expect("a file")
            .to_string_lossy()
            .into_owned();
        let by_schema = ["unknown_", "word_", "type_", "missing_", "ratio_"]
            .iter()
            .any(|kind| name.starts_with(kind));
        if !by_schema || !name.ends_with(".toml") || name == "type_too_many_decimals.toml" {
            continue;
        }
        // NaN and infinities have no JSON form.
        let Some(value) = as_json(&file) else {
            continue;
        };
        let number_lost = name == "type_nan.toml" || name == "type_inf.toml";
        assert!(
            number_lost || !validator.is_valid(&value),
            "{name} fits the schema"
        );
        seen += 1;
    }
    assert!(seen > 15);
}
