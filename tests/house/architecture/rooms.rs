//! The rooms of the house and which may import which. A new room is entered here before it can be
//! used.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::Import;

/// A room and the rooms it may import; a folder and everything below it, or one file. What is not
/// listed may not be imported: the engine imports nothing of the daemon because no line here
/// permits it.
pub const ROOMS: &[(&str, &[&str])] = &[
    // The engine, in the order in which data passes through it. Fractions, seeded draws and the
    // like, which search and gate both need.
    ("engine::arithmetic", &[]),
    ("engine::model", &[]),
    ("engine::policy", &["engine::model"]),
    ("engine::histogram", &["engine::model", "engine::policy"]),
    // Groups of numeric rows.
    ("engine::microaggregation", &[]),
    (
        "engine::anonymizer",
        &[
            "engine::arithmetic",
            "engine::model",
            "engine::policy",
            "engine::histogram",
            "engine::microaggregation",
        ],
    ),
    (
        "engine::safeguards",
        &[
            "engine::arithmetic",
            "engine::model",
            "engine::policy",
            "engine::histogram",
            "engine::anonymizer",
        ],
    ),
    // A feed between two ticks: the decisions of the search, and the people they are about.
    (
        "engine::feed",
        &[
            "engine::model",
            "engine::policy",
            "engine::histogram",
            "engine::measures",
            "engine::anonymizer",
            "engine::safeguards",
        ],
    ),
    // What readers compute from a table.
    (
        "engine::counting",
        &["engine::arithmetic", "engine::model", "engine::histogram"],
    ),
    // Figures of re-identification from the sizes of classes.
    ("engine::risk", &["engine::arithmetic"]),
    // Whether sums of numbers reveal the largest contributions.
    ("engine::dominance", &["engine::model"]),
    // What is published about the numbers of a class.
    (
        "engine::measures",
        &[
            "engine::model",
            "engine::policy",
            "engine::histogram",
            "engine::dominance",
        ],
    ),
    // Tables of published sums: what follows from them, and which cells to suppress.
    (
        "engine::sums",
        &["engine::arithmetic", "engine::model", "engine::dominance"],
    ),
    // The public files as values and as bytes; a check reads them back.
    (
        "engine::release",
        &[
            "engine::model",
            "engine::policy",
            "engine::histogram",
            "engine::measures",
            "engine::risk",
        ],
    ),
    // The Delta Lake log of a table that grows, as bytes.
    ("engine::delta", &["engine::model", "engine::release"]),
    // The gate shares no code with the search that it checks.
    (
        "engine::gate",
        &[
            "engine::arithmetic",
            "engine::model",
            "engine::policy",
            "engine::histogram",
            "engine::release",
        ],
    ),
    (
        "engine::audit",
        &[
            "engine::arithmetic",
            "engine::model",
            "engine::policy",
            "engine::histogram",
            "engine::risk",
            "engine::gate",
        ],
    ),
    // The daemon. `ENGINE` stands for all rooms above.
    ("daemon::error", &[]),
    ("daemon::chance", &["daemon::error"]),
    // Memory that contained secrets or rows is overwritten.
    ("daemon::wiped_bytes", &[]),
    // Keys, secrets and certificates are read with a limit.
    (
        "daemon::small_file",
        &["daemon::error", "daemon::wiped_bytes"],
    ),
    // Everything else that is read as a whole.
    ("daemon::whole_file", &["daemon::error"]),
    (
        "daemon::config",
        &[
            "daemon::error",
            "daemon::sign",
            "daemon::small_file",
            "daemon::whole_file",
            ENGINE,
        ],
    ),
    ("daemon::clock", &[]),
    ("daemon::intake_counts", &[]),
    (
        "daemon::guess",
        &["daemon::error", "daemon::config", "daemon::ingest", ENGINE],
    ),
    (
        "daemon::ingest",
        &[
            "daemon::error",
            "daemon::config",
            "daemon::formats",
            "daemon::small_file",
            "daemon::web",
            "daemon::wiped_bytes",
            ENGINE,
        ],
    ),
    // The log knows bytes; what entries mean for a feed is defined elsewhere.
    (
        "daemon::seal",
        &["daemon::error", "daemon::chance", "daemon::wiped_bytes"],
    ),
    (
        "daemon::sign",
        &[
            "daemon::error",
            "daemon::chance",
            "daemon::seal",
            "engine::release",
        ],
    ),
    (
        "daemon::terms",
        &["daemon::error", "daemon::config", ENGINE],
    ),
    // Durable formats: the content of entries and sealed objects, each with its version.
    (
        "daemon::formats",
        &[
            "daemon::error",
            "daemon::intake_counts",
            "daemon::sign",
            "daemon::terms",
            "daemon::wiped_bytes",
            ENGINE,
        ],
    ),
    (
        "daemon::journal",
        &[
            "daemon::error",
            "daemon::chance",
            "daemon::config",
            "daemon::formats",
            "daemon::seal",
            "daemon::sign",
            "daemon::wiped_bytes",
            // A decision to publish is made from a type that only the gate can make.
            "engine::gate",
            "engine::release",
        ],
    ),
    // A running feed: the meaning of its log, and how entries are made.
    (
        "daemon::feed_writer",
        &[
            "daemon::intake_counts",
            "daemon::error",
            "daemon::chance",
            "daemon::config",
            "daemon::ingest",
            "daemon::seal",
            "daemon::sign",
            "daemon::terms",
            "daemon::formats",
            "daemon::journal",
            "daemon::wiped_bytes",
            ENGINE,
        ],
    ),
    // Reports events; the rooms that act call it, and it imports none of them.
    (
        "daemon::observe",
        &[
            "daemon::error",
            "daemon::config",
            "daemon::intake_counts",
            ENGINE,
        ],
    ),
    (
        "daemon::verify",
        &[
            "daemon::error",
            "daemon::sign",
            "daemon::formats",
            "daemon::journal",
            "daemon::feed_writer",
            "daemon::ingest",
            ENGINE,
        ],
    ),
    // Requests over HTTP.
    ("daemon::web", &["daemon::error"]),
    // Notifications; the log contains their content.
    (
        "daemon::notify",
        &[
            "daemon::error",
            "daemon::clock",
            "daemon::config",
            "daemon::ingest",
            "daemon::formats",
            "daemon::journal",
            "daemon::observe",
            "daemon::web",
            ENGINE,
        ],
    ),
    (
        "daemon::service",
        &[
            "daemon::intake_counts",
            "daemon::error",
            "daemon::chance",
            "daemon::clock",
            "daemon::config",
            "daemon::ingest",
            "daemon::seal",
            "daemon::sign",
            "daemon::formats",
            "daemon::journal",
            "daemon::feed_writer",
            "daemon::notify",
            "daemon::observe",
            "daemon::verify",
            ENGINE,
        ],
    ),
    (
        "daemon::folder",
        &[
            "daemon::error",
            "daemon::chance",
            "daemon::small_file",
            "daemon::whole_file",
            "daemon::clock",
            "daemon::config",
            "daemon::ingest",
            "daemon::seal",
            "daemon::formats",
            "daemon::journal",
            "daemon::feed_writer",
            "daemon::wiped_bytes",
            ENGINE,
        ],
    ),
    // A release from its public files.
    (
        "daemon::opened_release",
        &[
            "daemon::error",
            "daemon::ingest",
            "daemon::formats",
            "daemon::journal",
            "daemon::whole_file",
            ENGINE,
        ],
    ),
    // What a feed file would publish of a sample.
    (
        "daemon::preview",
        &[
            "daemon::error",
            "daemon::chance",
            "daemon::clock",
            "daemon::config",
            // Which column is the person, where rows outnumber people.
            "daemon::guess",
            "daemon::ingest",
            "daemon::seal",
            "daemon::feed_writer",
            "daemon::formats",
            "daemon::journal",
            "daemon::folder",
            "daemon::opened_release",
            ENGINE,
        ],
    ),
    // Answers for people: values of every room below, for commands and for pages of the daemon.
    (
        "daemon::view",
        &[
            "daemon::intake_counts",
            "daemon::error",
            "daemon::config",
            "daemon::ingest",
            "daemon::terms",
            "daemon::formats",
            "daemon::journal",
            "daemon::feed_writer",
            "daemon::observe",
            "daemon::verify",
            "daemon::folder",
            "daemon::opened_release",
            ENGINE,
        ],
    ),
    // Commands import both the engine and the daemon, never each other.
    (
        "cli",
        &[
            "daemon::intake_counts",
            "daemon::error",
            "daemon::chance",
            "daemon::clock",
            "daemon::config",
            "daemon::ingest",
            "daemon::guess",
            "daemon::opened_release",
            "daemon::preview",
            "daemon::folder",
            "daemon::seal",
            "daemon::sign",
            "daemon::small_file",
            "daemon::whole_file",
            "daemon::terms",
            "daemon::formats",
            "daemon::journal",
            "daemon::feed_writer",
            "daemon::observe",
            "daemon::service",
            "daemon::verify",
            "daemon::view",
            ENGINE,
        ],
    ),
    // The top modules: they list their rooms.
    ("", &[]),
    ("main", &["cli", "daemon::error"]),
    ("engine", &[]),
    ("daemon", &[]),
    ("guide", &[]),
];

const ENGINE: &str = "engine::";

/// The folder with one file or folder for each check of the gate. Checks receive shared data as
/// values and never import each other, so that an error in one cannot hide an error in another; nor
/// does the attack beside the verdict that has the name of a check serve another check.
pub const CHECKS: &str = "engine::gate::verdict::checks::";

/// Diversity is that of the candidates that the attack on the whole chain leaves, which `bcf` alone
/// needs.
const SERVES: (&str, &str) = ("diversity", "chain");

/// The room that a module belongs to: the longest entry of the table that contains it.
pub fn room(module: &str) -> Option<&'static str> {
    let inside = |name: &str| match name {
        // Top modules are files, not folders.
        "" | "engine" | "daemon" => module == name,
        _ => {
            module == name
                || module
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with("::"))
        }
    };
    ROOMS
        .iter()
        .map(|&(name, _)| name)
        .filter(|name| inside(name))
        .max_by_key(|name| name.len())
}

/// Imports that the table does not permit, and modules that are in no room.
pub fn trespasses(imports: &[Import]) -> Vec<String> {
    let mut found = Vec::new();
    for Import { from, to, line } in imports {
        let (Some(here), Some(there)) = (room(from), room(to)) else {
            let stray = if room(from).is_none() { from } else { to };
            found.push(format!(
                "{stray} is in no room; enter it in tests/house/architecture/rooms.rs"
            ));
            continue;
        };
        let allowed = ROOMS
            .iter()
            .find(|(name, _)| *name == here)
            .map_or(&[][..], |(_, allowed)| allowed);
        let may = here == there
            || allowed.contains(&there)
            || (allowed.contains(&ENGINE) && there.starts_with(ENGINE))
            // A top module re-exports from its own rooms.
            || (["", "engine", "daemon"].contains(&here) && to.starts_with(from.as_str()));
        if !may {
            found.push(format!(
                "{from} (line {line}) names {to}, but {here} may name only {allowed:?}"
            ));
        }
    }
    found
}

/// Checks of the gate that import each other.
pub fn whispers(imports: &[Import]) -> Vec<String> {
    let name = |module: &str| -> Option<String> {
        let inside = module.strip_prefix(CHECKS)?;
        inside.split("::").next().map(str::to_owned)
    };
    let mut checks: BTreeSet<String> = BTreeSet::new();
    for Import { from, to, .. } in imports {
        checks.extend(name(from).into_iter().chain(name(to)));
    }
    let attack = |module: &str| {
        let inside = module.strip_prefix("engine::gate::")?;
        let first = inside.split("::").next()?.to_owned();
        checks.contains(&first).then_some(first)
    };
    let mut found = Vec::new();
    for Import { from, to, line } in imports {
        let (Some(one), Some(other)) = (name(from), name(to).or_else(|| attack(to))) else {
            continue;
        };
        if one != other && (one.as_str(), other.as_str()) != SERVES {
            found.push(format!(
                "the check {from} (line {line}) names the check {to}"
            ));
        }
    }
    found
}

/// The table itself as edges, to be tested for cycles.
pub fn table() -> BTreeMap<String, BTreeSet<String>> {
    let rooms = |allowed: &[&str]| -> BTreeSet<String> {
        let named = |name: &&str| {
            allowed.contains(name) || (allowed.contains(&ENGINE) && name.starts_with(ENGINE))
        };
        ROOMS
            .iter()
            .map(|&(name, _)| name)
            .filter(named)
            .map(str::to_string)
            .collect()
    };
    ROOMS
        .iter()
        .map(|&(name, allowed)| (name.to_string(), rooms(allowed)))
        .collect()
}
