//! What feed files of earlier versions could say and this version refuses (CONTRACTS 2), each with
//! the reason and what to write instead. A promise that is not kept is worse than none, so nothing
//! here is ever skipped.

/// A key that this version no longer has.
struct RemovedKey {
    path: &'static str,
    reason: &'static str,
}

/// A word that a key no longer accepts.
struct RemovedWord {
    path: &'static str,
    word: &'static str,
    reason: &'static str,
}

/// Of `guarantee = "chain"` and its keys.
const TESTED: &str = "no paper proves what a finer recoding tells that is tested with a coin, and an \
                      attacker who knows the algorithm could learn more than its page said. Remove it; \
                      `guarantee = \"blind\"` is the default";

/// Of what a failed check on sensitive values leads to.
const UNSAFE: &str = "if a check that looks at sensitive values fails, the chain always stops until a \
                      person decides. Remove it";

/// Of what became of rows whose class was too small.
const WITHHELD: &str = "the labels of a chain never change and no row is left out of it: rows whose class is too \
                        small wait for similar ones, however long. Remove it; `tidegate show` says how many wait, and \
                        what a new chain would publish of them";

const KEYS: &[RemovedKey] = &[
    RemovedKey {
        path: "policy.rare",
        reason: WITHHELD,
    },
    RemovedKey {
        path: "policy.max_wait",
        reason: WITHHELD,
    },
    RemovedKey {
        path: "policy.max_withheld",
        reason: WITHHELD,
    },
    RemovedKey {
        path: "policy.max_joint_ratio",
        reason: "releases that pass the limits of single classes exceed every useful limit for all of \
                 them together, so `tidegate attack` and `audit` only report that ratio. Remove it; \
                 `max_ratio` limits what can be learnt about each class",
    },
    RemovedKey {
        path: "policy.workload",
        reason: "levels that are chosen by the errors of counts reveal something about these counts \
                 that no check computes. Remove it; `weight` says which columns matter most",
    },
    RemovedKey {
        path: "policy.cuts",
        reason: TESTED,
    },
    RemovedKey {
        path: "policy.rho",
        reason: TESTED,
    },
    RemovedKey {
        path: "policy.max_odds",
        reason: TESTED,
    },
    RemovedKey {
        path: "policy.on_unsafe",
        reason: UNSAFE,
    },
];

const WORDS: &[RemovedWord] = &[RemovedWord {
    path: "policy.guarantee",
    word: "chain",
    reason: TESTED,
}];

/// Why a key no longer exists; `None` for a key that never did.
pub(super) fn key(path: &str) -> Option<&'static str> {
    let found = KEYS.iter().find(|removed| removed.path == path)?;
    Some(found.reason)
}

/// Why a key no longer accepts a word; `None` for a word that it never accepted.
pub(super) fn word(path: &str, word: &str) -> Option<&'static str> {
    let found = WORDS
        .iter()
        .find(|removed| removed.path == path && removed.word == word)?;
    Some(found.reason)
}
