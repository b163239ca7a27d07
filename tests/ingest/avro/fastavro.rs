//! The same values as fastavro, which shares no code with this program, writes into records of
//! random schemas. `TIDEGATE_PYTHON` names a Python that has it (tests/run sets one up).

use std::process::Command;

use super::{common, decoded, faults, framed, json, of, under};
use crate::common::needs;

#[test]
fn records_of_others_are_read() {
    let Some(python) = needs::tool("TIDEGATE_PYTHON") else {
        return;
    };
    let (seed, cases) = (common::random::seed(), common::cases(200));
    println!("records of fastavro: seed {seed}, {cases} schemas");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ingest/avro/write.py");
    let run = Command::new(&python)
        .arg(script)
        .args([seed.to_string(), cases.to_string()])
        .output();
    let run = run.unwrap_or_else(|error| panic!("{} cannot be started: {error}", python.display()));
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let columns = under("after");
    let mut seen = 0;
    for line in String::from_utf8(run.stdout).expect("text").lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let texts = |key: &str| {
            let all = case[key].as_array().expect("a list").iter();
            all.map(|one| one.as_str().expect("text").to_owned())
                .collect::<Vec<String>>()
        };
        let bytes = |hex: &String| {
            let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits");
            framed(1, &(0..hex.len()).step_by(2).map(byte).collect::<Vec<u8>>())
        };
        let schema = case["schema"].as_str().expect("text");
        let messages: Vec<Vec<u8>> = texts("records").iter().map(bytes).collect();
        let found = decoded(&of(&[schema], &messages), &columns);
        assert!(faults(&found).is_empty(), "{:?}: {schema}", faults(&found));
        assert!(
            found.rows == json(&texts("objects"), &columns),
            "other rows: {schema}"
        );
        seen += messages.len();
    }
    assert!(seen >= cases as usize, "{seen} records");
}
