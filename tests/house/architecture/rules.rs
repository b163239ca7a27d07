//! The rules for every file: a header, lengths, and forbidden words.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::{Source, module};
use super::text;

/// The greatest number of lines of a file.
pub const FILE: usize = 500;
/// The greatest number of lines of a function.
pub const FUNCTION: usize = 70;
/// The number of files and functions that are longer: the default width of rustfmt made them so. It
/// only ever falls.
pub const LONG: usize = 230;
/// The greatest median of lines over all files under `src/`.
pub const MEDIAN: usize = 150;

/// Names that the engine may not use, and what it uses instead.
const NAMES: &[(&[&str], &str)] = &[
    (
        &["async", "await", "tokio", "futures"],
        "it is synchronous; the daemon waits",
    ),
    (
        &["HashMap", "HashSet", "RandomState"],
        "use BTreeMap, BTreeSet or a sorted Vec: order must not depend on a hasher",
    ),
    (&["Instant", "SystemTime"], "time comes in as a value"),
    (&["OpenOptions"], "bytes come in and go out as values"),
    (&["rand", "getrandom"], "chance comes in as a value"),
    (&["unsafe"], "safe code only"),
    (
        &["println", "eprintln", "print", "eprint", "dbg"],
        "return what there is to say; the command line says it",
    ),
];

/// Paths of the standard library that the engine may not use.
const PATHS: &[&[&str]] = &[
    &["std", "::", "fs"],
    &["std", "::", "net"],
    &["std", "::", "env"],
    &["std", "::", "process"],
    &["std", "::", "thread"],
    &["env", "::", "var"],
    &["File", "::", "open"],
    &["File", "::", "create"],
];

/// The one file with unsafe code.
pub const UNSAFE: &str = "src/daemon/ingest/topic/id.rs";

/// Places in the gate that ask which search has made a release. The gate receives the public facts
/// of a search as values.
pub fn asks_for_the_search(source: &Source) -> Vec<String> {
    if !module(&source.place).starts_with("engine::gate") {
        return Vec::new();
    }
    let code = text::code(&source.text);
    let found = text::tokens(&code)
        .into_iter()
        .filter(|token| ["Search", "LabellerName"].contains(&token.text.as_str()));
    found
        .map(|token| {
            format!(
                "{}:{}: the gate takes the facts of a labeller",
                source.place, token.line
            )
        })
        .collect()
}

/// Places in the daemon with something that only one file may contain.
pub fn unsafe_code(source: &Source) -> Vec<String> {
    let code = text::code(&source.text);
    let found = text::tokens(&code)
        .into_iter()
        .filter(|token| token.text == "unsafe" && source.place != UNSAFE);
    found
        .map(|token| {
            format!(
                "{}:{}: `unsafe`: {UNSAFE} alone may",
                source.place, token.line
            )
        })
        .collect()
}

/// Forbidden names and paths in a file of the engine. Its unit tests follow the same rules, except
/// for `.unwrap()`.
pub fn words(source: &Source) -> Vec<String> {
    if !module(&source.place).starts_with("engine") {
        return Vec::new();
    }
    let code = text::code(&source.text);
    let tokens = text::tokens(&code);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let follows = |text: &[&str]| {
            text.iter()
                .zip(at..)
                .all(|(text, at)| tokens.get(at).is_some_and(|t| t.text == *text))
        };
        for (names, instead) in NAMES {
            // A macro is recognised by its name: `print` of `print!`, not a method of that name.
            let called = !matches!(token.text.as_str(), "print" | "eprint" | "dbg")
                || follows(&[&token.text, "!"]);
            if names.contains(&token.text.as_str()) && called {
                found.push(format!(
                    "{}:{}: `{}`: {instead}",
                    source.place, token.line, token.text
                ));
            }
        }
        for path in PATHS.iter().filter(|path| follows(path)) {
            found.push(format!(
                "{}:{}: `{}`: the engine touches nothing outside",
                source.place,
                token.line,
                path.concat()
            ));
        }
        if follows(&["use", "std", "::", "{"]) {
            found.push(format!(
                "{}:{}: name what you use of std, one `use` each",
                source.place, token.line
            ));
        }
    }
    if source.is_test() {
        return found;
    }
    let tokens = text::tokens(&text::without_tests(&code));
    for window in tokens.windows(4) {
        if window
            .iter()
            .map(|token| token.text.as_str())
            .eq([".", "unwrap", "(", ")"])
        {
            found.push(format!(
                "{}:{}: `.unwrap()`: return an error, or `expect` the invariant",
                source.place, window[0].line
            ));
        }
    }
    found
}

/// Whether a file does not begin with a header of at least one full sentence.
pub fn header(source: &Source) -> Option<String> {
    let lines = source
        .text
        .lines()
        .take_while(|line| line.starts_with("//!"));
    let text = lines
        .map(|line| line.trim_start_matches("//!").trim())
        .collect::<Vec<_>>()
        .join(" ");
    let sentence = text.split_inclusive(['.', '?']).next().unwrap_or("");
    let full = sentence.ends_with(['.', '?']) && sentence.split_whitespace().count() >= 4;
    let begins = sentence.starts_with(|c: char| c.is_uppercase() || c == '`');
    (!full || !begins).then(|| {
        format!(
            "{}: opens without a header of one full sentence (`//! …`)",
            source.place
        )
    })
}

/// A file or functions that are too long.
pub fn lengths(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    let lines = source.text.lines().count();
    if lines > FILE {
        found.push(format!("{}: {lines} lines, at most {FILE}", source.place));
    }
    for (name, first, last) in text::functions(&text::code(&source.text)) {
        let lines = last + 1 - first;
        if lines > FUNCTION {
            found.push(format!(
                "{}:{first}: fn {name} has {lines} lines, at most {FUNCTION}",
                source.place
            ));
        }
    }
    found
}

/// The most files that may implement a type.
const IMPLEMENTED: usize = 4;

/// Types with methods in too many files of a room.
pub fn scattered(sources: &[Source]) -> Vec<String> {
    let mut found: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
    for source in sources {
        let room: Vec<&str> = source.place.split('/').take(3).collect();
        let code = text::code(&source.text);
        for line in code.lines().filter(|line| line.starts_with("impl")) {
            let of = line.rsplit(" for ").next().unwrap_or(line);
            let of = of.strip_prefix("impl").unwrap_or(of).trim_start();
            let of = match of.strip_prefix('<') {
                Some(generic) => generic.split_once("> ").map_or("", |(_, of)| of),
                None => of,
            };
            let end = |letter: char| !letter.is_alphanumeric() && letter != '_' && letter != ':';
            let name = of.split(end).next().unwrap_or_default();
            let name = name.rsplit("::").next().unwrap_or_default();
            let key = (room.join("/"), name.to_owned());
            found.entry(key).or_default().insert(&source.place);
        }
    }
    let many = found
        .into_iter()
        .filter(|(_, files)| files.len() > IMPLEMENTED);
    many.map(|((room, name), files)| {
        let files = files.len();
        format!("{room}: {name} is implemented in {files} files, at most {IMPLEMENTED}")
    })
    .collect()
}

/// The median length of files.
pub fn median(sources: &[Source]) -> usize {
    let mut lengths: Vec<usize> = sources
        .iter()
        .map(|source| source.text.lines().count())
        .collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or(0)
}

/// Words that refer to the place where a text was written, or to unfinished work. Composed here, so
/// that this file does not contain them.
pub fn outside(place: &str, text: &str) -> Vec<String> {
    let words = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
        concat!("/wo", "rk/"),
        concat!("/tmp/", "wt"),
        concat!("/tmp/", "bash"),
        concat!("/ro", "ot/"),
        concat!("/ho", "me/"),
        concat!("unimple", "mented!"),
        concat!("to", "do!("),
    ];
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for word in words.iter().filter(|word| line.contains(**word)) {
            found.push(format!("{place}:{}: `{word}`", number + 1));
        }
    }
    found
}

/// Sections that comments cite by the name of a page of the guide and a number, and that the page
/// does not have. Without a number the whole page is cited.
pub fn citations(source: &Source, pages: &[(&str, &str)]) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in source.text.lines().enumerate() {
        for (name, page) in pages {
            for (at, _) in line.match_indices(name) {
                let rest = line[at + name.len()..].trim_start_matches(' ');
                let section: String = rest.chars().take_while(char::is_ascii_digit).collect();
                if !section.is_empty()
                    && !page
                        .lines()
                        .any(|line| line.starts_with(&format!("## {section}. ")))
                {
                    found.push(format!(
                        "{}:{}: {name} has no section {section:?}",
                        source.place,
                        number + 1
                    ));
                }
            }
        }
    }
    found
}

/// Files of this package that a text names in backticks and that do not exist: Rust files by the
/// end of their path, and other files and folders by their whole path. Braces name several.
pub fn named_files(source: &Source, files: &BTreeSet<String>) -> Vec<String> {
    const ROOTS: [&str; 6] = ["benches/", "deploy/", "schemas/", "src/", "tests/", ".ci/"];
    let is_there = |name: &str| {
        let name = name.trim_end_matches('/');
        let below = |file: &String| file.starts_with(name) && file[name.len()..].starts_with('/');
        let ends =
            |file: &String| file.ends_with(name) && file[..file.len() - name.len()].ends_with('/');
        files.contains(name)
            || files
                .iter()
                .any(|file| below(file) || (name.ends_with(".rs") && ends(file)))
    };
    let mut found = Vec::new();
    for (number, line) in source.text.lines().enumerate() {
        // Every second part is between backticks.
        for named in line.split('`').skip(1).step_by(2) {
            let is_path =
                named.ends_with(".rs") || ROOTS.iter().any(|root| named.starts_with(root));
            if is_path && !named.contains([' ', '*', '<', '=', ':', '…', '$']) {
                let missing = alternatives(named)
                    .into_iter()
                    .filter(|name| !is_there(name));
                found
                    .extend(missing.map(|name| {
                        format!("{}:{}: there is no {name}", source.place, number + 1)
                    }));
            }
        }
    }
    found
}

/// Names in the rows of a table of rooms (`| `engine::gate` | …`) that are not modules: plain words
/// in backticks.
pub fn named_modules(page: &str, modules: &BTreeSet<String>) -> Vec<String> {
    let is_there = |name: &str| {
        modules
            .iter()
            .any(|module| module == name || module.ends_with(&format!("::{name}")))
    };
    let is_room = |line: &&str| {
        ["engine", "daemon", "cli"]
            .iter()
            .any(|room| line.starts_with(&format!("| `{room}")))
    };
    let plain = |name: &&str| {
        name.bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte == b':')
    };
    let names = page
        .lines()
        .filter(is_room)
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(plain);
    names
        .filter(|name| !is_there(name))
        .map(|name| format!("the table of rooms names no module: {name}"))
        .collect()
}

/// Lines of the list of explained mutants, `file function: change -- why`, whose function is not in
/// that file.
pub fn explained(list: &str, sources: &[Source]) -> Vec<String> {
    let is_there = |named: &[&str]| {
        let [file, function] = named[..] else {
            return false;
        };
        let begins = ["(", "<"].map(|behind| format!("fn {function}{behind}"));
        sources.iter().any(|source| {
            source.place == file && begins.iter().any(|begin| source.text.contains(begin))
        })
    };
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let named = lines.map(|line| line.split([' ', ':']).take(2).collect::<Vec<_>>());
    named
        .filter(|named| !is_there(named))
        .map(|named| format!("there is no {}", named.join(" ")))
        .collect()
}

/// All names that a name with braces stands for.
fn alternatives(named: &str) -> Vec<String> {
    let parts = named
        .split_once('{')
        .and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match parts {
        Some((before, (inner, behind))) => inner
            .split(',')
            .map(|one| format!("{before}{one}{behind}"))
            .collect(),
        None => vec![named.to_owned()],
    }
}
