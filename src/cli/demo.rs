//! `tidegate demo`: until the daemon can show itself, three audits of shipped samples. Writes the samples into a folder,
//! so that every command it shows can be run again by hand; needs nothing but the program.

use std::path::{Path, PathBuf};

use super::{Exit, Out, Result, audit};
use crate::daemon::error::{Error, Kind};

/// See what audits find: shipped samples are written to a folder and judged there
#[derive(clap::Args)]
pub struct Args {
    /// Where the samples go
    #[arg(long, value_name = "DIR", default_value = "tidegate-demo")]
    dir: PathBuf,
}

/// Every sample file: its place in the folder and its content.
macro_rules! samples {
    ($($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../../deploy/samples/", $file)))),*]
    };
}

const SAMPLES: &[(&str, &str)] = samples![
    "two-releases/feed.toml",
    "two-releases/birthplace.csv",
    "two-releases/job.csv",
    "two-releases/d1.csv",
    "two-releases/d2.csv",
    "two-releases/r1.csv",
    "two-releases/r2.csv",
    "two-releases/r2-coarser.csv",
    "three-releases/feed.toml",
    "three-releases/ward.csv",
    "three-releases/d1.csv",
    "three-releases/d2.csv",
    "three-releases/d3.csv",
    "three-releases/r1.csv",
    "three-releases/r2.csv",
    "three-releases/r3.csv",
];

/// One audit of the demo.
struct Act {
    story: &'static str,
    folder: &'static str,
    releases: &'static [&'static str],
    increments: &'static [&'static str],
}

const ACTS: &[Act] = &[
    Act {
        story: "1. Two releases of one hospital. Each shows everybody among at least 5 rows. Together they do not.",
        folder: "two-releases",
        releases: &["r1.csv", "r2.csv"],
        increments: &["d1.csv", "d2.csv"],
    },
    Act {
        story: "2. The same rows, the second release under a coarser recoding.",
        folder: "two-releases",
        releases: &["r1.csv", "r2-coarser.csv"],
        increments: &["d1.csv", "d2.csv"],
    },
    Act {
        story: "3. Three releases. Any two of them leave at least 3 candidates; all three together leave somebody 1.",
        folder: "three-releases",
        releases: &["r1.csv", "r2.csv", "r3.csv"],
        increments: &["d1.csv", "d2.csv", "d3.csv"],
    },
];

/// Runs the command. Two of the audits find what they are there to find, so unsafe releases are no failure here.
///
/// # Errors
/// The folder cannot be written, or holds other files of these names.
pub fn run(args: Args, out: &mut Out) -> Result<Exit> {
    if out.json() {
        let text = "the demo is for reading: run `tidegate audit --json` on the folder that it writes";
        return Err(Error::new(Kind::Usage, text).in_field("--json").into());
    }
    for (file, content) in SAMPLES {
        write(&args.dir.join(file), content)?;
    }
    for act in ACTS {
        out.text(&format!("{}\n\n$ {}\n\n", act.story, act.command(&args.dir)));
        audit::run(act.audit(&args.dir), out)?;
        out.text("\n");
    }
    out.text(&format!("The samples are in {}: change them and run the commands again.\n", args.dir.display()));
    Ok(Exit::Done)
}

impl Act {
    fn audit(&self, dir: &Path) -> audit::Args {
        let paths = |names: &[&str]| names.iter().map(|name| dir.join(self.folder).join(name)).collect();
        audit::Args {
            feed: Some(dir.join(self.folder).join("feed.toml")),
            releases: paths(self.releases),
            increments: paths(self.increments),
            dir: None,
            key: None,
        }
    }

    fn command(&self, dir: &Path) -> String {
        let args = self.audit(dir);
        let mut line = format!(
            "tidegate audit --feed {}",
            args.feed.iter().next().map(|f| f.display().to_string()).unwrap_or_default()
        );
        for (option, files) in [("--release", &args.releases), ("--increment", &args.increments)] {
            for file in files {
                line += &format!(" \\\n    {option} {}", file.display());
            }
        }
        line
    }
}

/// Writes a sample; one that is there already must be the same.
fn write(path: &Path, content: &str) -> std::result::Result<(), Error> {
    match std::fs::read(path) {
        Ok(found) if found == content.as_bytes() => return Ok(()),
        Ok(_) => {
            let text = "another file of this name is in the way: give an empty folder with --dir";
            return Err(Error::new(Kind::Usage, text).in_file(path));
        }
        Err(_) => {}
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder).map_err(|error| Error::io(folder, "make the folder", &error))?;
    std::fs::write(path, content).map_err(|error| Error::io(path, "write the sample", &error))
}
