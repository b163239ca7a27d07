//! Completions for shells and manual pages, which are made from the commands themselves. They
//! contain every command.

use std::fs;
use std::process::Command;

fn output(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tidegate"))
        .args(args)
        .output()
        .expect("the program starts");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

/// The commands as `--help` lists them.
fn commands() -> Vec<String> {
    let help = output(&["--help"]);
    let list = help
        .split("Commands:\n")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next())
        .expect("a list");
    let name = |line: &str| {
        line.strip_prefix("  ")
            .filter(|line| !line.starts_with(' '))
            .map(str::to_owned)
    };
    let names = list
        .lines()
        .filter_map(name)
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned));
    let names: Vec<String> = names.filter(|name| name != "help").collect();
    assert!(
        names.len() > 15 && names.contains(&"anonymize".to_owned()),
        "{names:?}"
    );
    names
}

#[test]
fn every_command_is_completed_and_has_a_page() {
    for shell in ["bash", "zsh", "fish"] {
        let script = output(&["completions", shell]);
        commands().iter().for_each(|name| {
            assert!(
                script.contains(name.as_str()),
                "{shell} does not know {name}"
            )
        });
    }
    let folder = tempfile::tempdir().expect("a folder");
    let man = folder.path().join("man1");
    output(&["man", man.to_str().expect("text")]);
    for name in commands() {
        let page = fs::read_to_string(man.join(format!("tidegate-{name}.1"))).expect("a page");
        assert!(
            page.contains(".SH SYNOPSIS") && page.contains(&name),
            "{page}"
        );
    }
    let page = fs::read_to_string(man.join("tidegate-preview.1")).expect("a page");
    assert!(
        page.contains("Show what a feed file would publish") && page.contains("alternatives"),
        "{page}"
    );
    assert!(
        fs::read_to_string(man.join("tidegate.1"))
            .expect("a page")
            .contains("anonymize")
    );
}
