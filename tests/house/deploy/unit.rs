//! The unit of systemd: what it starts, how it ends, and that it is permitted nothing else.

use super::{grace, no_secret, said, text, tool, understood};

const UNIT: &str = "deploy/systemd/tidegate@.service";
/// The greatest exposure that systemd may report, in tenths: 0 nothing, 100 everything.
const EXPOSED: &str = "20";

#[test]
fn the_unit_ends_in_time_and_has_no_rights() {
    let unit = text(UNIT);
    no_secret(UNIT, &unit);
    let says = |key: &str| {
        let found = unit
            .lines()
            .filter_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        found.collect::<Vec<_>>()
    };
    let command: Vec<&str> = says("ExecStart")[0].split(' ').collect();
    assert_eq!(command[0], "/usr/local/bin/tidegate");
    understood(&command[1..]);
    assert!(says("TimeoutStopSec")[0].parse::<u64>().expect("seconds") > grace());
    for (key, value) in [
        ("User", "tidegate"),
        ("Restart", "on-failure"),
        ("RestartSec", "60"),
        ("UMask", "0077"),
        ("LimitCORE", "0"),
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("MemoryDenyWriteExecute", "yes"),
        ("CapabilityBoundingSet", ""),
    ] {
        assert_eq!(says(key), [value], "{key}");
    }
    assert!(says("SystemCallFilter").contains(&"@system-service"));
    assert!(
        says("LoadCredential")
            .iter()
            .any(|key| key.starts_with("operator.key:"))
    );
    // Keys come from there, or the comment above the unit is wrong.
    assert!(
        unit.contains("key = \"file:/run/credentials/tidegate@admissions.service/operator.key\"")
    );
    assert!(
        text("deploy/systemd/tidegate.sysusers")
            .lines()
            .any(|line| line.starts_with("u tidegate "))
    );
}

#[test]
fn systemd_takes_it() {
    let Some(mut verify) = tool("systemd-analyze", &["--version"]) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let unit = folder.path().join("tidegate@admissions.service");
    // With the path of the program here, so that its absence is the only finding.
    let here = text(UNIT).replace("/usr/local/bin/tidegate", env!("CARGO_BIN_EXE_tidegate"));
    std::fs::write(&unit, here).expect("a unit");
    let output = verify
        .arg("verify")
        .arg(&unit)
        .output()
        .expect("systemd-analyze");
    said(&output);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let Some(mut security) = tool("systemd-analyze", &["security", "--offline=true", "--help"])
    else {
        return;
    };
    security
        .args([
            "security",
            "--offline=true",
            "--no-pager",
            "--threshold",
            EXPOSED,
        ])
        .arg(&unit);
    said(&security.output().expect("systemd-analyze"));
}
