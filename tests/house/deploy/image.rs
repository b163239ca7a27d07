//! The image: built from locked versions, run by a user without rights.

use std::process::Command;

use super::{no_secret, pinned, place, text, understood};
use crate::lints::copy;

/// Instructions with their arguments, continued lines in one.
fn instructions(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect();
    let whole = lines.join("\n").replace("\\\n", " ");
    let lines = whole.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            line.split_once(' ')
                .unwrap_or_else(|| panic!("{line} says nothing"))
        })
        .map(|(word, rest)| {
            (
                word.to_owned(),
                rest.split_whitespace().collect::<Vec<_>>().join(" "),
            )
        })
        .collect()
}

#[test]
fn the_image_is_built_from_what_is_locked_and_runs_as_a_user_without_rights() {
    let text = text("deploy/Containerfile");
    no_secret("the Containerfile", &text);
    let all = instructions(&text);
    let of = |word: &str| {
        all.iter()
            .filter(|(found, _)| found == word)
            .map(|(_, rest)| rest.as_str())
            .collect::<Vec<_>>()
    };
    let from = of("FROM");
    assert_eq!(
        from.last(),
        Some(&"scratch"),
        "the last stage holds what was copied into it and nothing else"
    );
    from[..from.len() - 1].iter().for_each(|stage| {
        pinned(
            stage
                .split(' ')
                .next()
                .unwrap_or(stage)
                .trim_end_matches("-slim-bookworm"),
        )
    });
    let locked = of("COPY").iter().any(|copy| copy.contains("Cargo.lock"));
    assert!(
        locked
            && of("RUN")
                .iter()
                .any(|run| run.contains("cargo build --profile dist --locked"))
    );
    let last = all
        .iter()
        .rposition(|(word, _)| word == "FROM")
        .expect("a stage");
    assert!(
        all[last..].iter().all(|(word, _)| word != "RUN"),
        "there is no shell to run it"
    );
    let user = all[last..]
        .iter()
        .find(|(word, _)| word == "USER")
        .expect("a user");
    assert!(
        user.1
            .split(':')
            .all(|id| id.parse::<u32>().is_ok_and(|id| id > 0)),
        "{user:?} has rights, or no number"
    );
    assert_eq!(of("EXPOSE"), ["9464"]);
    let list = |word: &str| {
        serde_json::from_str::<Vec<String>>(of(word).last().expect(word)).expect("a list, no shell")
    };
    assert_eq!(list("ENTRYPOINT"), ["/usr/bin/tidegate"]);
    understood(&list("CMD").iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(
        list("VOLUME"),
        ["/var/lib/tidegate/private", "/var/lib/tidegate/public"]
    );
}

/// Copied files exist, are part of the build context, and are all that cargo needs to know what to
/// build.
#[test]
fn the_context_holds_what_is_copied() {
    let ignore = text("deploy/Containerfile.dockerignore");
    let folder = tempfile::tempdir().expect("a folder");
    for (word, rest) in instructions(&text("deploy/Containerfile")) {
        if word != "COPY" || rest.starts_with("--from") {
            continue;
        }
        let mut sources: Vec<&str> = rest.split(' ').collect();
        let to = sources.pop().expect("a place");
        for source in sources {
            assert!(
                ignore.lines().any(|line| line == format!("!{source}")),
                "{source}"
            );
            let to = folder.path().join(if to == "./" { source } else { to });
            copy(&place(source), &to);
        }
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "metadata",
        "--locked",
        "--offline",
        "--no-deps",
        "--format-version",
        "1",
    ]);
    let output = cargo.current_dir(&folder).output().expect("cargo starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        text("deploy/Containerfile").contains("libssl-dev"),
        "the program is built with the system's OpenSSL"
    );
    assert!(
        text("Cargo.toml").contains("\n[profile.dist]\n"),
        "there is no profile of this name"
    );
}
