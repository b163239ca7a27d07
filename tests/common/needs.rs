//! Tools that a test needs and a machine may lack: a Python with packages, a broker, data sets,
//! programs. Without its tool the test prints that it is skipped. If `CI` is set, the test fails
//! instead, so that no change passes because a tool is missing.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The variables that name tools and data of tests, and what to do if one is not set.
pub const VARIABLES: [(&str, &str); 4] = [
    (
        "TIDEGATE_DATA",
        "let it name a folder of public data sets, or set it to `none` where there is no such folder",
    ),
    (
        "TIDEGATE_KAFKA",
        "let it name a folder with the jars of Apache Kafka; tests/run fetches them",
    ),
    (
        "TIDEGATE_PYTHON",
        "let it name a Python that has the packages of the tests; tests/run sets one up",
    ),
    (
        "TIDEGATE_SPARK",
        "let it name a Python environment with Spark and jars of Delta Lake; tests/long sets one up",
    ),
];

/// Programs that are always required when a change is checked: `TIDEGATE_WITHOUT` cannot name them.
pub const ALWAYS: [&str; 1] = ["chromium"];

/// What the environment says about the machine.
pub struct Machine {
    /// Whether a change is being checked.
    pub is_ci: bool,
    /// Programs that the machine is known to lack.
    pub without: String,
}

impl Machine {
    /// From `CI` and `TIDEGATE_WITHOUT`.
    pub fn here() -> Machine {
        let text = |name: &str| {
            std::env::var_os(name)
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        Machine {
            is_ci: !text("CI").is_empty(),
            without: text("TIDEGATE_WITHOUT"),
        }
    }

    /// The value of a variable that names what a test needs; None, with a message, if it is not
    /// set.
    ///
    /// # Panics
    /// It is not set, and a change is being checked.
    pub fn named(&self, variable: &str, value: Option<OsString>) -> Option<OsString> {
        let value = value.filter(|value| !value.is_empty());
        if variable == "TIDEGATE_DATA" && value.as_deref() == Some(OsStr::new("none")) {
            eprintln!("skipped: TIDEGATE_DATA is `none`");
            return None;
        }
        if value.is_none() {
            let remedy = VARIABLES
                .iter()
                .find(|(known, _)| *known == variable)
                .expect("a variable of the tests")
                .1;
            self.skip(&format!("{variable} is not set; {remedy}"));
        }
        value
    }

    /// Whether a program exists; prints a message if it does not.
    ///
    /// # Panics
    /// It does not exist, `TIDEGATE_WITHOUT` does not name it or may not, and a change is being
    /// checked.
    pub fn program(&self, name: &str, is_there: bool) -> bool {
        let is_always = ALWAYS.contains(&name);
        if !is_there && is_always {
            self.skip(&format!(
                "{name} does not work here; install Debian's package {name}"
            ));
        } else if !is_there
            && self
                .without
                .split_whitespace()
                .any(|lacking| lacking == name)
        {
            eprintln!("skipped: TIDEGATE_WITHOUT names {name}");
        } else if !is_there {
            self.skip(&format!(
                "{name} does not work here; install it, or name it in TIDEGATE_WITHOUT=\"{name} …\""
            ));
        }
        is_there
    }

    fn skip(&self, why: &str) {
        assert!(!self.is_ci, "a test would be skipped, and CI is set: {why}");
        eprintln!("skipped: {why}");
    }
}

/// The value of a variable; None, with a message, if it is not set.
pub fn tool(variable: &str) -> Option<OsString> {
    Machine::here().named(variable, std::env::var_os(variable))
}

/// The folder of public data sets; None, with a message, if there is none.
pub fn data() -> Option<PathBuf> {
    tool("TIDEGATE_DATA").map(PathBuf::from)
}

/// Whether a program exists; prints a message if it does not.
pub fn program(name: &str, is_there: bool) -> bool {
    Machine::here().program(name, is_there)
}
