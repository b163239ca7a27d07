//! What the demo shows while it runs: a block of lines for each day, from the daemon's own log and the published manifests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::story::Day;
use crate::cli::Out;
use crate::cli::audit;
use crate::daemon::error::{Error, Result};

/// Labels of each column.
type Labels = BTreeMap<String, usize>;

/// What is shown.
pub struct View<'o> {
    dir: PathBuf,
    out: &'o mut Out,
    /// What has come since the last tick: rows that count, repeats, messages set aside.
    came: [u64; 3],
    /// Who waits and is withheld.
    stands: [u64; 2],
    recoding: Option<(u64, Labels)>,
    releases: u64,
}

impl<'o> View<'o> {
    /// Of a demo in this folder.
    pub fn new(dir: &Path, out: &'o mut Out) -> View<'o> {
        View { dir: dir.to_path_buf(), out, came: [0; 3], stands: [0; 2], recoding: None, releases: 0 }
    }

    fn say(&mut self, text: &str) {
        self.out.text(&format!("{text}\n"));
    }

    /// The first words.
    pub fn begins(&mut self) {
        self.say(
            "A hospital that does not exist writes its admissions to a topic; tidegate reads it and publishes everything so far\n\
             every 3 seconds. k = 10: by all releases together, nobody is to be one of fewer than 10. Beside it: what attackers\n\
             would find if each snapshot were k-anonymised on its own (k = 10 as well), found by `tidegate audit`.",
        );
    }

    /// The last words.
    pub fn ends(&mut self) {
        let dir = self.dir.display();
        let releases = self.releases;
        self.say(&format!(
            "\nThe broker is gone, and {releases} releases are in {dir}. Look at them:\n\n  \
             tidegate show {dir}\n  tidegate verify {dir}\n  tidegate audit --dir {dir}\n  tidegate quarantine {dir}/feed.toml\n"
        ));
    }

    /// A day begins.
    pub fn day(&mut self, number: u64, day: &Day) {
        let about = day.about.map(|about| format!(": {about}")).unwrap_or_default();
        self.say(&format!("\nday {number}{about}"));
    }

    /// The daemon has told something.
    pub fn heard(&mut self, name: &str, event: &Value) {
        let figure = |key: &str| event[key].as_u64().unwrap_or_default();
        match name {
            "batch_taken" => {
                let came = ["kept", "duplicate", "quarantined"].map(figure);
                self.came.iter_mut().zip(came).for_each(|(all, more)| *all += more);
            }
            "tick_closed" => {
                self.stands = [figure("waiting"), figure("withheld")];
                let [kept, repeats, aside] = std::mem::take(&mut self.came);
                self.say(&format!("  {kept} new people, {repeats} repeats, {aside} messages set aside"));
            }
            _ => {}
        }
    }

    /// A release is visible.
    ///
    /// # Errors
    /// Its manifest cannot be read.
    pub fn published(&mut self, event: &Value, ours: u64, alone: u64) -> Result<()> {
        let release = event["release"].as_u64().unwrap_or_default();
        let manifest = self.manifest(release)?;
        let labels: Labels = manifest["recoding"].as_object().into_iter().flatten().map(labels).collect();
        let chain = manifest["chain"].as_u64().unwrap_or_default();
        let [waiting, withheld] = self.stands;
        let rows = manifest["rows"].as_u64().unwrap_or_default();
        self.say(&format!("  release {release}: {rows} rows; {waiting} wait for a crowd, {withheld} withheld"));
        if let Some(coarser) = self.coarser(chain, &labels) {
            self.say(&format!("  coarser from now on, since too many had waited too long: {coarser}"));
        }
        self.say(&format!(
            "  by all releases of this chain, everybody is one of at least {ours}; snapshots on their own: {}",
            if alone < 10 { format!("somebody is one of {alone}") } else { format!("one of at least {alone}") }
        ));
        (self.recoding, self.releases) = (Some((chain, labels)), release);
        Ok(())
    }

    /// The columns of the same chain that have fewer labels than before.
    fn coarser(&self, chain: u64, labels: &Labels) -> Option<String> {
        let (_, before) = self.recoding.as_ref().filter(|(known, _)| *known == chain)?;
        let fewer = labels.iter().filter_map(|(column, now)| {
            let before = before.get(column).filter(|before| *before > now)?;
            Some(format!("{column} {before} to {now} labels"))
        });
        let fewer: Vec<String> = fewer.collect();
        (!fewer.is_empty()).then(|| fewer.join(", "))
    }

    /// The audit of what the daemon has published.
    pub fn audit(&self) -> audit::Args {
        let feed = Some(self.dir.join("feed.toml"));
        audit::Args { feed, releases: Vec::new(), increments: Vec::new(), dir: None, key: None, minimality: false }
    }

    /// A tick without a release.
    pub fn nothing(&mut self) {
        let [waiting, _] = self.stands;
        self.say(&format!("  nothing is published: the tick waits, and {waiting} people with it"));
    }

    /// The gate has spoken against a release.
    pub fn rejected(&mut self, event: &Value) {
        let against: Vec<&str> = event["against"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let about = if against == ["utility"] { ": it would say less than `max_loss` asks for" } else { "" };
        self.say(&format!("  REJECTED by the gate ({}){about}. Nobody sees it; its people wait", against.join(", ")));
    }

    /// A person has asked for a new chain.
    pub fn new_chain(&mut self, answer: &str) {
        self.say(&format!("  $ tidegate new-chain {}/feed.toml\n  {answer}", self.dir.display()));
    }

    fn manifest(&self, release: u64) -> Result<Value> {
        let path = self.dir.join(format!("public/manifest/{release:010}.json"));
        let bytes = std::fs::read(&path).map_err(|error| Error::io(&path, "read the manifest", &error))?;
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }
}

fn labels((column, labels): (&String, &Value)) -> (String, usize) {
    (column.clone(), labels.as_array().map_or(0, Vec::len))
}
