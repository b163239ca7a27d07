//! The life of a feed, run once undisturbed: every scene has a folder to begin in, which is copied
//! for the process that is killed or held up there.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::thread::scope;

use super::books::Books;
use super::place::{Daemon, NEVER, Place, answer};
use super::points::{POINTS, Point, name};
use super::public::{Kept, releases};
use super::scenes::{Does, From, SCENES, Scene};
use super::shim::Shim;
use super::shimmed_program::{Done, Ends, Notes, Record, Side};
use crate::common::wait::until;

/// Folders are in memory if there is a file system for that: a kill loses no written byte.
pub fn in_memory() {
    let fast = Path::new("/dev/shm");
    if fast.is_dir() {
        // Another thread of this program may have set it already.
        let _ = tempfile::env::override_temp_dir(fast);
    }
}

/// An exact copy of a folder, with its permissions.
fn copy(from: &Place) -> Place {
    let to = Place::new(NEVER);
    copied(&from.path(""), &to.path(""));
    to
}

fn copied(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let (path, name) = entry
            .map(|entry| (entry.path(), entry.file_name()))
            .expect("an entry");
        let to = to.join(&name);
        if ["points-", "said-"]
            .iter()
            .any(|ours| name.to_str().expect("text").starts_with(ours))
        {
            continue;
        }
        if path.is_dir() {
            fs::create_dir_all(&to).expect("a folder");
            copied(&path, &to);
            fs::set_permissions(&to, fs::metadata(&path).expect("a folder").permissions())
                .expect("it is ours");
        } else {
            fs::copy(&path, to).expect("a file");
        }
    }
}

/// The folders in which scenes begin and end undisturbed.
pub struct Life<'a> {
    pub shim: &'a Shim,
    begin: BTreeMap<&'static str, Place>,
    /// The steps of each scene.
    pub did: BTreeMap<&'static str, Vec<Done>>,
    pub end: BTreeMap<&'static str, Place>,
}

/// The running processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Only this command.
    Alone,
    /// Another process as well, whose lock does not prevent this one.
    Unlocked,
}

impl Life<'_> {
    /// Runs all scenes, and checks that every step has a name.
    pub fn play(shim: &Shim) -> Life<'_> {
        Life::of(shim, SCENES)
    }

    /// Runs some of them.
    pub fn of<'a>(shim: &'a Shim, scenes: &[Scene]) -> Life<'a> {
        let mut life = Life {
            shim,
            begin: BTreeMap::new(),
            did: BTreeMap::new(),
            end: BTreeMap::new(),
        };
        for scene in scenes {
            let place = match scene.from {
                From::Nothing => Place::new(NEVER),
                From::Scene(before) => copy(&life.end[before]),
                From::Death(side, point) => life.killed(side, find(point)),
            };
            (scene.prepare)(&place);
            life.begin.insert(scene.name, copy(&place));
            let (code, records) = play(shim, &place, scene.does, None);
            assert!(matches!(code, Some(0 | 1)), "{}: {code:?}", scene.name);
            let did: Vec<Done> = records.into_iter().flat_map(|record| record.did).collect();
            let nameless = did.iter().find(|done| name(done).is_none());
            assert_eq!(
                nameless, None,
                "{}: it has no name: enter it in points.rs",
                scene.name
            );
            life.did.insert(scene.name, did);
            life.end.insert(scene.name, place);
        }
        life
    }

    /// A folder in which a process was killed at a point, according to the shim and the system.
    pub fn killed(&self, side: Side, point: &Point) -> Place {
        let place = self.place(point.scene);
        let scene = scene(point.scene);
        let (code, records) = play(self.shim, &place, scene.does, Some((side, point)));
        let died: Vec<_> = records
            .into_iter()
            .filter_map(|record| record.died)
            .collect();
        let [(at, done)] = &died[..] else {
            panic!("it never comes by: exit code {code:?}, {died:?}")
        };
        assert!(*at == side && point.is(done), "it died elsewhere: {done:?}");
        place
    }

    /// A folder in which a scene begins.
    pub fn place(&self, scene: &str) -> Place {
        copy(&self.begin[scene])
    }

    /// The visible files when a scene begins.
    pub fn published(&self, scene: &str) -> Kept {
        let mut kept = Kept::default();
        kept.check(&self.begin[scene].public());
        kept
    }

    /// Checks that a command succeeds, or that its request was handled before.
    pub fn done(&self, place: &Place, args: &[&str], who: Who) {
        let mut command = place.command(&[args, &["--json"]].concat());
        if who == Who::Unlocked {
            Notes::of(self.shim, place, &mut command, None);
            command.env("UNLOCK", "1");
        }
        let (code, answer) = answer(&command.output().expect("it starts"));
        assert!(
            code < 2 || answer.to_string().contains("no release waits for approval"),
            "{args:?}: {answer}"
        );
    }

    /// Checks that nothing visible has changed, and that each person is in one place, once.
    pub fn balance(&self, place: &Place, kept: &mut Kept) {
        kept.check(&place.public());
        let (books, releases) = (Books::of(&place.log()), releases(&place.public()));
        let (mut code, mut shown) = place.json(&["show", "feed.toml"]);
        if code == 2 && place.path("b.key").exists() {
            (code, shown) = place.json(&["show", "feed.toml", "--key", "b.key"]);
        }
        books.balance(place, (code == 0).then_some(&shown), &releases);
    }
}

/// Checks that all input was read, that everything decided is visible, and that nothing is wrong
/// with it.
pub fn finished(life: &Life<'_>, place: &Place, kept: &mut Kept) {
    life.balance(place, kept);
    Books::of(&place.log()).closed(place, &releases(&place.public()));
    let verified = place.json(&["verify", "feed.toml"]).1;
    assert_eq!(verified["intact"], true, "{verified}");
}

/// Checks all these folders, two at a time; returns what is wrong.
pub fn at_each(places: &[(Side, &Point)], check: impl Fn(Side, &Point) + Sync) -> Vec<String> {
    let (next, wrong) = (Mutex::new(places.iter()), Mutex::new(Vec::new()));
    let work = || {
        while let Some(&(side, point)) = { next.lock().expect("no thread panics").next() } {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(side, point))) {
                let text = panic.downcast_ref::<String>().cloned();
                let text =
                    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                let Point {
                    name, nth, scene, ..
                } = point;
                let about = format!(
                    "{side:?} {name} {nth} ({scene}): {}",
                    text.unwrap_or_default()
                );
                wrong.lock().expect("no thread panics").push(about);
            }
        }
    };
    scope(|scope| (0..2).for_each(|_| _ = scope.spawn(work)));
    wrong.into_inner().expect("no thread panics")
}

/// The scene of this name.
pub fn scene(name: &str) -> &'static Scene {
    SCENES
        .iter()
        .find(|scene| scene.name == name)
        .unwrap_or_else(|| panic!("there is no scene {name}"))
}

fn find(name: &str) -> &'static Point {
    POINTS
        .iter()
        .find(|point| point.name == name)
        .unwrap_or_else(|| panic!("there is no point {name}"))
}

/// Runs a scene: the exit code of its command, None if a process was killed, and the steps of each
/// process.
fn play(
    shim: &Shim,
    place: &Place,
    does: Does,
    kill: Option<(Side, &Point)>,
) -> (Option<i32>, Vec<Record>) {
    let (args, daemon) = match does {
        Does::Once => (&["run", "--once", "feed.toml"][..], false),
        Does::Asks(args) => (args, false),
        Does::Asked(args) => (args, true),
    };
    let watched = |args: &[&str]| {
        let mut command = place.command(args);
        let notes = Notes::of(
            shim,
            place,
            &mut command,
            kill.map(|(side, point)| (Ends::Killed, side, point)),
        );
        (command, notes)
    };
    let (mut command, notes) = watched(args);
    if !daemon {
        let output = command.output().expect("it starts");
        let (status, record) = (output.status, notes.read());
        assert_eq!(
            status.signal() == Some(9),
            record.died.is_some(),
            "{status}: {output:?}"
        );
        return (status.code(), vec![record]);
    }
    let (running, of_daemon) = watched(&["run", "feed.toml"]);
    let running = place.started(running);
    running.says("recovered", 1);
    let child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let code = asked(place, child, running, || of_daemon.read().died.is_some());
    (code, vec![notes.read(), of_daemon.read()])
}

/// Waits for a command that asks a daemon. If the daemon dies, another one replaces it.
fn asked(
    place: &Place,
    mut child: Child,
    mut daemon: Daemon,
    died: impl Fn() -> bool,
) -> Option<i32> {
    let mut again = false;
    let status = until(
        || "an answer",
        || {
            if !again && died() {
                assert_eq!(daemon.ended(), None, "the shim has killed it");
                daemon = place.start();
                again = true;
            }
            child.try_wait().expect("it was started")
        },
    );
    // The process that answered may have died after the answer.
    if died() && !again {
        assert_eq!(daemon.ended(), None, "the shim has killed it");
    } else {
        assert_eq!(daemon.end(), Some(0));
    }
    assert_eq!(status.signal(), status.code().is_none().then_some(9));
    status.code()
}
