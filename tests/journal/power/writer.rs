//! A writer in a process of its own, which is this test program started once more, under the shim
//! that records its changes of folders and lets a call fail on demand. It writes messages about
//! what it is about to do and what the store has promised into a file beside the roots, so that
//! they too have a place in the order of changes.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use tidegate::daemon::error::Result;
use tidegate::daemon::feed_writer::FeedWriter;
use tidegate::daemon::journal::store::{CreateOutcome, ListedObject, Local, ReadStore, Store};
use tidegate::engine::release::Sha256;

use super::disk::Roots;
use super::draw::{Draw, POLICIES};
use super::feed::{Human, crowd, feed, open, step};
use super::requests::{self, ASKED};
pub use super::shim::Shim;

/// The feed of a seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub policy: usize,
    pub seed: u64,
    pub ticks: usize,
    /// Whether there are requests between its ticks, and chains under other policies.
    pub asked: bool,
}

impl Script {
    pub fn policy(&self) -> &'static str {
        if self.asked {
            ASKED[self.policy][0]
        } else {
            POLICIES[self.policy]
        }
    }

    /// The people of each tick.
    pub fn people(&self) -> Vec<Vec<Human>> {
        let (mut draw, mut known) = (Draw(self.seed), 0);
        // A script without people in the first tick would test little.
        let full = |draw: &mut Draw, known: &mut u128| loop {
            let people = crowd(draw, known);
            if people.len() > 5 {
                return people;
            }
        };
        (0..self.ticks)
            .map(|_| full(&mut draw, &mut known))
            .collect()
    }

    /// Opens the feed, and runs it from any state to its end.
    ///
    /// # Errors
    /// As the feed.
    pub fn run(
        &self,
        private: &Arc<dyn Store>,
        public: &Arc<dyn Store>,
        chance: u64,
    ) -> Result<FeedWriter> {
        let mut writer = self.open(private, public, chance)?;
        for (tick, people) in self.people().iter().enumerate() {
            step(&mut writer, tick, people)?;
            if self.asked {
                writer = requests::between(writer, tick, self, &|| {
                    self.open(private, public, chance + 1)
                })?;
            }
        }
        Ok(writer)
    }

    /// Opens the feed; `chance` is the seed of its random draws.
    ///
    /// # Errors
    /// As the feed.
    pub fn open(
        &self,
        private: &Arc<dyn Store>,
        public: &Arc<dyn Store>,
        chance: u64,
    ) -> Result<FeedWriter> {
        if self.asked {
            return requests::open(self, private, public, chance);
        }
        open(
            &feed(self.policy()),
            Arc::clone(private),
            Arc::clone(public),
            chance,
            false,
        )
    }
}

/// A store that reports what is done with it.
struct Saying {
    store: Local,
    root: &'static str,
    said: Arc<Mutex<File>>,
}

impl Saying {
    fn say(&self, what: &str, path: &str, bytes: &[u8]) {
        say(
            &self.said,
            &format!("{what} {}/{path} {}", self.root, Sha256::of(bytes)),
        );
    }

    fn created(&self, path: &str, bytes: &[u8], created: CreateOutcome) -> Result<()> {
        match created {
            CreateOutcome::Made => self.say("made", path, bytes),
            // An object of another writer that exists according to the store: it is durable as
            // well.
            _ => self
                .store
                .read(path)?
                .into_iter()
                .for_each(|there| self.say("made", path, &there)),
        }
        Ok(())
    }
}

fn say(said: &Mutex<File>, line: &str) {
    said.lock()
        .expect("no thread panics")
        .write_all(format!("{line}\n").as_bytes())
        .expect("a file to speak in");
}

impl ReadStore for Saying {
    fn place(&self) -> String {
        self.store.place()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.store.read(path)
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        self.store.list(prefix)
    }
}

impl Store for Saying {
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome> {
        self.say("making", path, bytes);
        let created = self.store.create(path, bytes)?;
        self.created(path, bytes, created)?;
        Ok(created)
    }

    fn delete(&self, path: &str) -> Result<()> {
        self.say("going", path, b"");
        self.store.delete(path)?;
        self.say("gone", path, b"");
        Ok(())
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.say("going", path, b"");
        self.say("making", path, bytes);
        self.store.replace(path, bytes)?;
        self.say("made", path, bytes);
        Ok(())
    }

    fn create_all(&self, objects: &[(String, Vec<u8>)]) -> Result<Vec<CreateOutcome>> {
        objects
            .iter()
            .for_each(|(path, bytes)| self.say("making", path, bytes));
        let created = self.store.create_all(objects)?;
        let mut both = objects.iter().zip(&created);
        both.try_for_each(|((path, bytes), created)| self.created(path, bytes, *created))?;
        Ok(created)
    }
}

/// The writer; runs only under the shim.
#[test]
fn a_writer() {
    let (Ok(watched), Ok(script)) = (std::env::var("WATCHED"), std::env::var("SCRIPT")) else {
        return;
    };
    let numbers: Vec<u64> = script
        .split(' ')
        .map(|number| number.parse().expect("a number"))
        .collect();
    let (policy, ticks, asked) = (numbers[0] as usize, numbers[2] as usize, numbers[4] != 0);
    let script = Script {
        policy,
        seed: numbers[1],
        ticks,
        asked,
    };
    let watched = Path::new(&watched);
    let said = File::options()
        .append(true)
        .create(true)
        .open(watched.join("said"))
        .expect("a file to speak in");
    let said = Arc::new(Mutex::new(said));
    match written(&script, &watched.join("roots"), numbers[3], &said) {
        Ok(()) => say(&said, "done"),
        Err(error) => {
            say(
                &said,
                &format!(
                    "error {}",
                    serde_json::to_string(&error.describe()).expect("an error is JSON")
                ),
            );
        }
    }
}

fn written(script: &Script, roots: &Path, chance: u64, said: &Arc<Mutex<File>>) -> Result<()> {
    let saying = |store, root| -> Arc<dyn Store> {
        Arc::new(Saying {
            store,
            root,
            said: said.clone(),
        })
    };
    let (private, _lock) =
        Local::private_locked(&roots.join("private"))?.expect("no other process is at work");
    let public = Local::public(&roots.join("public"))?;
    script
        .run(
            &saying(private, "private"),
            &saying(public, "public"),
            chance,
        )
        .map(|_| ())
}

/// Where writers work, and the record of their changes.
pub struct Place(TempDir);

impl Place {
    /// An empty one, in memory if there is a file system for that.
    pub fn new() -> Place {
        let fast = Path::new("/dev/shm");
        let place = if fast.is_dir() {
            tempfile::tempdir_in(fast)
        } else {
            tempfile::tempdir()
        }
        .expect("a folder");
        let place = Place(place);
        std::fs::create_dir_all(place.roots()).expect("a folder");
        place
    }

    pub fn trace(&self) -> PathBuf {
        self.0.path().join("trace")
    }

    pub fn watched(&self) -> PathBuf {
        // The shim compares paths as the system gives them.
        self.0
            .path()
            .canonicalize()
            .expect("it is there")
            .join("watched")
    }

    pub fn roots(&self) -> PathBuf {
        self.watched().join("roots")
    }

    /// One that contains objects already.
    pub fn with(roots: &Roots) -> Place {
        let place = Place::new();
        for (root, mode, objects) in [
            ("private", 0o700, &roots.private),
            ("public", 0o755, &roots.public),
        ] {
            let root = place.roots().join(root);
            for (path, bytes) in objects {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().expect("below a root")).expect("a folder");
                std::fs::write(path, bytes).expect("a file");
            }
            if root.is_dir() {
                std::fs::set_permissions(&root, std::fs::Permissions::from_mode(mode))
                    .expect("a mode");
            }
        }
        place
    }

    /// Both roots, without a shim.
    ///
    /// # Errors
    /// They cannot be opened.
    pub fn open(&self) -> Result<(Arc<dyn Store>, Arc<dyn Store>)> {
        let private = Local::private(&self.roots().join("private"))?;
        Ok((
            Arc::new(private),
            Arc::new(Local::public(&self.roots().join("public"))?),
        ))
    }
}

/// How a writer ended.
pub struct Ended {
    /// It completed its script.
    pub done: bool,
    /// The shim ended it.
    pub killed: bool,
    /// Its error.
    pub error: Option<serde_json::Value>,
    /// Its output.
    pub output: String,
}

impl Shim {
    /// Starts a writer in a folder, and waits for its end. `fault` in the shim's notation.
    pub fn run(&self, place: &Place, script: &Script, chance: u64, fault: &str) -> Ended {
        let program = std::env::current_exe().expect("this program");
        let said = place.watched().join("said");
        let before = std::fs::read(&said).map_or(0, |said| said.len());
        let mut command = Command::new(program);
        command.args([
            "--exact",
            "power::writer::a_writer",
            "--nocapture",
            "--test-threads=1",
        ]);
        command.env("LD_PRELOAD", self.path());
        command
            .env("WATCHED", place.watched())
            .env("TRACE", place.trace());
        let Script {
            policy,
            seed,
            ticks,
            asked,
        } = script;
        command.env(
            "SCRIPT",
            format!("{policy} {seed} {ticks} {chance} {}", u8::from(*asked)),
        );
        // One thread computes, so that processes start quickly.
        command.env("RAYON_NUM_THREADS", "1").env_remove("FAULT");
        if !fault.is_empty() {
            command.env("FAULT", fault);
        }
        let output = command.output().expect("a process");
        let said =
            std::fs::read(&said).map_or(Vec::new(), |said| said[before.min(said.len())..].to_vec());
        let said = String::from_utf8(said).expect("words");
        let last = said.lines().last().unwrap_or_default();
        let printed =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        Ended {
            done: output.status.success() && last == "done",
            killed: output.status.code() == Some(77),
            error: last
                .strip_prefix("error ")
                .map(|error| serde_json::from_str(error).expect("JSON")),
            output: format!("{last}\n{}", printed.concat()),
        }
    }
}
