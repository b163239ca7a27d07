//! The output of the running demo: a block of lines for each day, from the daemon's own log and the
//! published manifests.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::separate_releases::ReleaseComparison;
use super::story::Day;
use crate::Out;
use crate::audit;
use crate::daemon::error::{Error, Result};
use crate::paragraph::wrapped;

/// The output.
pub(super) struct DemoView<'o> {
    dir: PathBuf,
    out: &'o mut Out,
    /// Rows since the last tick: accepted, repeated, set aside.
    came: [u64; 3],
    /// The number of rows that wait.
    waiting: u64,
    releases: u64,
}

impl<'o> DemoView<'o> {
    /// For a demo in this folder.
    pub(super) fn new(dir: &Path, out: &'o mut Out) -> DemoView<'o> {
        DemoView {
            dir: dir.to_path_buf(),
            out,
            came: [0; 3],
            waiting: 0,
            releases: 0,
        }
    }

    fn say(&mut self, text: &str) {
        self.out.text(&format!("{text}\n"));
    }

    /// The first lines.
    pub(super) fn begins(&mut self) {
        self.say(
            "An invented hospital writes its admissions to a topic. tidegate reads the topic and publishes all people so \
             far every\n\
             3 seconds. k = 10: an attacker who compares all releases must find at least 10 candidates for every person. For\n\
             comparison: the detail that one list of labels for all rows would keep, and what `tidegate audit` finds if each\n\
             day's table is k-anonymised on its own (k = 10 as well).",
        );
    }

    /// The last lines.
    pub(super) fn ends(&mut self) {
        let dir = self.dir.display();
        let releases = self.releases;
        self.say(&format!(
            "\nThe demo has ended; its {releases} releases are in {dir}. Look at them:\n\n  tidegate show {dir}\n  tidegate verify \
             {dir}\n  tidegate audit --dir {dir}\n  tidegate quarantine {dir}/feed.toml\n"
        ));
    }

    /// A day begins.
    pub(super) fn day(&mut self, number: u64, day: &Day) {
        let about = day
            .about
            .map(|about| format!(": {about}"))
            .unwrap_or_default();
        self.say(&format!("\nday {number}{about}"));
    }

    /// The daemon has written a log line.
    pub(super) fn show_event(&mut self, name: &str, event: &Value) {
        let figure = |key: &str| event[key].as_u64().unwrap_or_default();
        match name {
            "batch_taken" => {
                let came = ["kept", "duplicate", "quarantined"].map(figure);
                self.came
                    .iter_mut()
                    .zip(came)
                    .for_each(|(all, more)| *all += more);
            }
            "tick_closed" => {
                self.waiting = figure("waiting");
                self.counted();
            }
            "tick_gathered" => {
                self.waiting = figure("waiting_rows");
                self.counted();
            }
            _ => {}
        }
    }

    /// The rows since the last tick.
    fn counted(&mut self) {
        let [kept, repeats, aside] = std::mem::take(&mut self.came);
        self.say(&format!(
            "  {kept} new people, {repeats} duplicates, {aside} messages set aside"
        ));
    }

    /// A release was published.
    ///
    /// # Errors
    /// Its manifest cannot be read.
    pub(super) fn published(
        &mut self,
        event: &Value,
        ours: u64,
        beside: &ReleaseComparison,
    ) -> Result<()> {
        let release = event["release"].as_u64().unwrap_or_default();
        let path = format!("manifest/{release:010}.json");
        if !self.dir.join("public").join(&path).exists() {
            // On a slow machine the daemon continues while this release is shown: the next one
            // leaves out erased rows, and replaces it.
            self.say(&format!(
                "  release {release}: the next release has taken its place already"
            ));
            return Ok(());
        }
        let manifest = self.file(&path)?;
        let rows = manifest["rows"].as_u64().unwrap_or_default();
        self.say(&format!(
            "  release {release}: {rows} rows; {} wait for a class",
            self.waiting
        ));
        let notice = format!("erased/{release:010}.json");
        if manifest["files"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|file| file["path"] == notice.as_str())
        {
            let gone = self.file(&notice)?["rows"].as_u64().unwrap_or_default();
            self.say(&format!(
                "  {gone} rows of earlier releases are not in it: public/{notice} says which labels they had"
            ));
        }
        let kept = |loss: f64| (100.0 * (1.0 - loss)).round();
        let loss = manifest["loss"].as_f64().unwrap_or(1.0);
        self.say(&format!(
            "  detail kept: {} %; with one list of labels for all rows it would be {} %",
            kept(loss),
            kept(beside.one_list)
        ));
        let left = beside.left;
        self.say(&format!(
            "  fewest candidates for any person: at least {ours} by all releases of this chain, {} by separate tables",
            if left < 10 { left.to_string() } else { format!("at least {left}") }
        ));
        self.releases = release;
        Ok(())
    }

    /// The audit of what the daemon has published.
    pub(super) fn audit(&self) -> audit::Args {
        let feed = Some(self.dir.join("feed.toml"));
        audit::Args {
            feed,
            releases: Vec::new(),
            increments: Vec::new(),
            population: None,
            dir: None,
            key: None,
            minimality: false,
            requirement: None,
            guarding: None,
            sums: Box::default(),
        }
    }

    /// A tick without a release.
    pub(super) fn nothing(&mut self) {
        self.say(&format!(
            "  nothing is published: {} people wait for enough similar people",
            self.waiting
        ));
    }

    /// The gate has rejected a release.
    pub(super) fn rejected(&mut self, event: &Value) {
        let against: Vec<&str> = event["against"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        self.say(&format!(
            "  REJECTED by the gate ({}). It is not published, and its people wait",
            against.join(", ")
        ));
    }

    /// A person has asked for an erasure.
    pub(super) fn erased(&mut self, answer: &str) {
        let mut text = format!(
            "  $ tidegate erase {}/feed.toml --rows\n",
            self.dir.display()
        );
        wrapped(&mut text, "  ", answer);
        self.out.text(&text);
    }

    /// A public file.
    fn file(&self, path: &str) -> Result<Value> {
        let path = self.dir.join("public").join(path);
        let bytes =
            std::fs::read(&path).map_err(|error| Error::io(&path, "read the file", &error))?;
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }
}
