//! Resources of FHIR R4 as they are exported in bulk, one a line: the needed values are in lists of
//! objects.

use std::path::Path;

use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::ingest::decode;
use tidegate::engine::model::Value;

use super::{Folder, STRICT, hasher};

const PATIENTS: &str = r#"{"resourceType":"Patient","id":"p1","identifier":[{"use":"usual","type":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v2-0203","code":"MR"}]},"system":"urn:oid:1.2.36.146.595.217.0.1","value":"12345"}],"active":true,"name":[{"use":"official","family":"Chalmers","given":["Peter","James"]},{"use":"usual","given":["Jim"]}],"gender":"male","birthDate":"1974-12-25","address":[{"use":"home","line":["534 Erewhon St"],"city":"PleasantVille","postalCode":"3999"}]}
{"resourceType":"Patient","id":"p2","identifier":[{"value":"12346"}],"gender":"female","birthDate":"1980-02-29","address":[{"postalCode":"3998"},{"postalCode":"3999"}]}
"#;
const ENCOUNTERS: &str = r#"{"resourceType":"Encounter","id":"e1","status":"finished","class":{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"IMP"},"type":[{"coding":[{"system":"http://snomed.info/sct","code":"183807002"}]}],"subject":{"reference":"Patient/p1"},"participant":[{"individual":{"reference":"Practitioner/9"}}],"period":{"start":"2026-01-31T09:00:00+01:00"},"location":[{"location":{"reference":"Location/3","display":"Ward 3"}}]}
{"resourceType":"Encounter","id":"e2","status":"planned","class":{"code":"AMB"},"subject":{"reference":"Patient/p2"},"location":[]}
"#;
const CONDITIONS: &str = r#"{"resourceType":"Condition","id":"c1","clinicalStatus":{"coding":[{"code":"active"}]},"category":[{"coding":[{"code":"problem-list-item"}]}],"code":{"coding":[{"system":"http://hl7.org/fhir/sid/icd-10","code":"I21.9","display":"Acute myocardial infarction"},{"system":"http://snomed.info/sct","code":"22298006"}],"text":"MI"},"subject":{"reference":"Patient/p1"},"onsetDateTime":"2026-01-31"}
{"resourceType":"Condition","id":"c2","category":[{"coding":[{"code":"encounter-diagnosis"}]}],"code":{"text":"uncoded"},"subject":{"reference":"Patient/p2"}}
"#;

/// The sensitive values of the resources, one row after the other, under these columns.
#[track_caller]
fn check(
    resources: &str,
    person: &str,
    quasi: (&str, &str),
    sensitive: &str,
    wanted: [Option<&str>; 2],
) {
    let (path, taxonomy) = quasi;
    let text = format!(
        "[feed]\nname = \"t\"\n[policy]\nk = 2\n\
         [[column]]\nname = \"person\"\nrole = \"identifier\"\npath = \"{person}\"\n\
         [[column]]\nname = \"quasi\"\nrole = \"quasi\"\npath = \"{path}\"\noptional = true\ntaxonomy = {taxonomy}\n\
         [[column]]\nname = \"sensitive\"\nrole = \"sensitive\"\npath = \"{sensitive}\"\n"
    );
    let columns = FeedConfig::parse(&text, Path::new("feed.toml"))
        .unwrap_or_else(|error| panic!("{error}"))
        .columns;
    let folder = Folder::new();
    let decoded = decode(
        &folder.file("a.ndjson", resources),
        &columns,
        &hasher(),
        STRICT,
        &mut |_| {},
    );
    let rows = decoded.unwrap_or_else(|error| panic!("{error}")).rows;
    let value = |wanted: Option<&str>| wanted.map_or(Value::Null, |text| Value::Text(text.into()));
    assert_eq!(rows.people().map(<[_]>::len), Some(2));
    let found: Vec<Value> = (0..2)
        .map(|row| rows.values().get(rows.codes()[row])[0].clone())
        .collect();
    assert_eq!(found, wanted.map(value));
}

#[test]
fn resources_are_read_without_code() {
    let gender = ("$.gender", "{ builtin = \"sex\" }");
    let zip = ("$.address[0].postalCode", "{ flat = [\"3998\", \"3999\"] }");
    check(
        PATIENTS,
        "$.identifier[0].value",
        gender,
        "$.name[0].given[1]",
        [Some("James"), None],
    );
    check(
        PATIENTS,
        "$.id",
        zip,
        "$.address[1].postalCode",
        [None, Some("3999")],
    );
    let class = ("$.class.code", "{ flat = [\"IMP\", \"AMB\"] }");
    check(
        ENCOUNTERS,
        "$.subject.reference",
        class,
        "$.location[0].location.display",
        [Some("Ward 3"), None],
    );
    let category = (
        "$.category[0].coding[0].code",
        "{ flat = [\"problem-list-item\", \"encounter-diagnosis\"] }",
    );
    check(
        CONDITIONS,
        "$.subject.reference",
        category,
        "$.code.coding[0].code",
        [Some("I21.9"), None],
    );
    check(
        CONDITIONS,
        "$.subject.reference",
        category,
        "$.code.coding[1].code",
        [Some("22298006"), None],
    );
}
