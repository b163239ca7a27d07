//! Feed files of simulated runs, each written and read once.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidegate::daemon::config::{FeedConfig, LogFormat};
use tidegate::daemon::observe::Observer;
use tidegate::daemon::sign::Signing;

use super::commands::KEYS;
use super::draw::{CROWDS, MEASURED, disjoint};
use super::place::{Place, WARDS};

/// The differences between feed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Feeds {
    pub policy: &'static str,
    pub bucket: bool,
    /// How many people have to approve a release; two of them sign with keys of their own.
    pub approvals: u32,
    /// How long published files stay, if not for ever.
    pub stays: &'static str,
    /// Which of the operator's keys it names.
    pub key: usize,
    /// Whether a taxonomy has one value more.
    pub grown: bool,
}

/// Feed files, which are read once.
pub struct Places {
    feeds: BTreeMap<Feeds, (Place, FeedConfig)>,
    pub observer: Arc<Observer>,
}

impl Default for Places {
    fn default() -> Places {
        let clock = || jiff::Timestamp::UNIX_EPOCH;
        let observer = Observer::new(LogFormat::Json, std::io::sink(), clock).expect("a thread");
        Places {
            feeds: BTreeMap::new(),
            observer: Arc::new(observer),
        }
    }
}

impl Places {
    pub fn feed(&mut self, feeds: Feeds) -> FeedConfig {
        let Feeds {
            policy,
            bucket,
            approvals,
            stays,
            key,
            grown,
        } = feeds;
        let read = || {
            let approvers: String = (0..3)
                .map(approver)
                .map(|(name, key)| format!("{name} = \"{}\"\n", key.public().text()))
                .collect();
            let schedule = match approvals {
                0 => "every = \"60s\"\n".to_owned(),
                1 => "every = \"60s\"\napproval = \"manual\"\n".to_owned(),
                _ => format!(
                    "every = \"60s\"\napproval = \"manual\"\napprovals = {approvals}\n[schedule.approvers]\n{approvers}"
                ),
            };
            let chain = if disjoint(policy) {
                "chain = \"disjoint\"\n"
            } else {
                ""
            };
            let more = format!("{chain}max_clock_step = \"300s\"\n");
            let place = Place::with(&schedule, &format!("{policy}\n"), &more);
            place.put("a.key", KEYS[key]);
            if grown {
                place.put("ward.csv", format!("{WARDS}A3;A;*\n"));
            }
            if policy == MEASURED {
                let sensitive = "role = \"sensitive\"\n";
                place.edit(
                    sensitive,
                    &format!("{sensitive}[[column]]\nname = \"cost\"\nrole = \"measure\"\n"),
                );
            }
            let source = "kind = \"kafka\"\nbrokers = \"127.0.0.1:9\"\ntopic = \"t\"\nformat = \"json\"\n\
                          max_quarantine_share = 1.0\n";
            place.edit(
                "kind = \"directory\"\npath = \"in\"\nsettle = \"0s\"\n",
                source,
            );
            place.edit("[schedule]\n", "keep_raw = \"150s\"\n[schedule]\n");
            place.edit("[http]\n", &format!("[publish]\n{stays}\n[http]\n"));
            for root in ["private", "public"] {
                if bucket {
                    place.edit(
                        &format!("{root} = \"{root}\""),
                        &format!("{root} = \"s3://bucket/{root}\""),
                    );
                } else {
                    std::fs::create_dir(place.path(root)).expect("a folder");
                }
            }
            let feed = FeedConfig::load(&place.path("feed.toml")).expect("a feed file");
            // Its keys are in the same folder.
            (place, feed)
        };
        self.feeds.entry(feeds).or_insert_with(read).1.clone()
    }
}

/// A person who approves releases, and their key.
pub fn approver(number: u64) -> (String, Signing) {
    (
        format!("p{number}"),
        Signing::parse(&(number + 1).to_string().repeat(64)).expect("a key"),
    )
}

/// Whether rows are published under labels that they keep, so that they can be erased, withdrawn,
/// or removed.
pub fn keeps_labels(policy: &str) -> bool {
    [CROWDS, MEASURED].contains(&policy)
}
