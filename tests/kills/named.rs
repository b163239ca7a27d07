//! Each point of the list is met, the program is killed there, before and after, and goes on as if nothing had happened. A
//! real process each time: the daemon, or the command that does the work.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use super::books::{Books, entries};
use super::place::{Daemon, NEVER, Place};
use super::points::{POINTS, Point, name};
use super::public::{Kept, releases};
use super::scenes::{Does, From, SCENES, Scene};
use super::shim::Shim;
use super::watched::{Notes, Record, Side};

/// Places are folders in memory where there is a file system for that: a kill loses nothing that was written.
pub fn in_memory() {
    let fast = Path::new("/dev/shm");
    if fast.is_dir() {
        // Somebody else of this program may have said so already.
        let _ = tempfile::env::override_temp_dir(fast);
    }
}

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A place as another one is, down to who may read what.
fn copy(from: &Place) -> Place {
    let to = Place::new(NEVER);
    copied(&from.path(""), &to.path(""));
    to
}

fn copied(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).expect("an entry");
        let to = to.join(&name);
        if ["points-", "said-"].iter().any(|ours| name.to_str().expect("text").starts_with(ours)) {
            continue;
        }
        if path.is_dir() {
            fs::create_dir_all(&to).expect("a folder");
            copied(&path, &to);
            fs::set_permissions(&to, fs::metadata(&path).expect("a folder").permissions()).expect("it is ours");
        } else {
            fs::copy(&path, to).expect("a file");
        }
    }
}

fn until<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(done) = done() {
            return done;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}");
        sleep(Duration::from_millis(5));
    }
}

/// A scene is played: the exit code of its command, `None` where a process was killed, and what each process has done.
fn play(shim: &Shim, place: &Place, does: Does, kill: Option<(Side, &Point)>) -> (Option<i32>, Vec<Record>) {
    let (args, daemon) = match does {
        Does::Once => (&["run", "--once", "feed.toml"][..], false),
        Does::Asks(args) => (args, false),
        Does::Asked(args) => (args, true),
    };
    let watched = |args: &[&str]| {
        let mut command = place.command(args);
        let notes = Notes::of(shim, place, &mut command, kill);
        (command, notes)
    };
    let (mut command, notes) = watched(args);
    if !daemon {
        let output = command.output().expect("it starts");
        let (status, record) = (output.status, notes.read());
        assert_eq!(status.signal() == Some(9), record.died.is_some(), "{status}: {output:?}");
        return (status.code(), vec![record]);
    }
    let (at_work, of_daemon) = watched(&["run", "feed.toml"]);
    let at_work = place.started(at_work);
    at_work.says("recovered", 1);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let code = asked(place, child, at_work, || of_daemon.read().died.is_some());
    (code, vec![notes.read(), of_daemon.read()])
}

/// Waits for whoever asks a daemon. If the daemon dies, another one takes its place.
fn asked(place: &Place, mut child: Child, mut daemon: Daemon, died: impl Fn() -> bool) -> Option<i32> {
    let mut again = false;
    let status = until("nobody answers", || {
        if !again && died() {
            assert!(!daemon.kill() || died(), "it was killed by itself");
            daemon = place.start();
            again = true;
        }
        child.try_wait().expect("it was started")
    });
    // Whoever answered may have died behind the answer.
    if died() {
        daemon.kill();
    } else {
        assert_eq!(daemon.end(), Some(0));
    }
    assert_eq!(status.signal(), status.code().is_none().then_some(9));
    status.code()
}

/// The places in which scenes begin and end when nothing happens.
struct Life<'a> {
    shim: &'a Shim,
    begin: BTreeMap<&'static str, Place>,
    end: BTreeMap<&'static str, Place>,
}

impl Life<'_> {
    /// Plays all scenes, and looks whether everything that was done has a name.
    fn play(shim: &Shim) -> Life<'_> {
        let mut life = Life { shim, begin: BTreeMap::new(), end: BTreeMap::new() };
        for scene in SCENES {
            let place = match scene.from {
                From::Nothing => Place::new(NEVER),
                From::Scene(before) => copy(&life.end[before]),
                From::Death(side, point) => life.killed(side, find(point)),
            };
            (scene.prepare)(&place);
            life.begin.insert(scene.name, copy(&place));
            let (code, records) = play(shim, &place, scene.does, None);
            assert!(matches!(code, Some(0 | 1)), "{}: {code:?}", scene.name);
            for done in records.iter().flat_map(|record| &record.did) {
                assert!(name(done).is_some(), "{}: {done:?} has no name: enter it in points.rs", scene.name);
            }
            life.end.insert(scene.name, place);
        }
        life
    }

    /// A place in which a process was killed at a point, for which the shim and the system vouch.
    fn killed(&self, side: Side, point: &Point) -> Place {
        let place = copy(&self.begin[point.scene]);
        let scene = scene(point.scene);
        let (code, records) = play(self.shim, &place, scene.does, Some((side, point)));
        let died: Vec<_> = records.into_iter().filter_map(|record| record.died).collect();
        let [(at, done)] = &died[..] else { panic!("it never comes by: exit code {code:?}, {died:?}") };
        assert!(*at == side && point.is(done), "it died elsewhere: {done:?}");
        place
    }

    /// A process is killed at a point, and everything goes on.
    fn check(&self, side: Side, point: &Point) {
        let mut kept = Kept::default();
        kept.check(&self.begin[point.scene].public());
        let place = self.killed(side, point);
        balance(&place, &mut kept);
        if let Does::Asks(args) | Does::Asked(args) = scene(point.scene).does {
            let (code, answer) = place.json(args);
            // What was asked for may have been done.
            assert!(code < 2 || answer.to_string().contains("no release waits for approval"), "{answer}");
            balance(&place, &mut kept);
        }
        let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
        assert!(code < 2, "{answer}");
        balance(&place, &mut kept);
        Books::of(&entries(&place)).closed(&place, &releases(&place.public()));
        let verified = place.json(&["verify", "feed.toml"]).1;
        assert_eq!(verified["intact"], true, "{verified}");
        if !per_file(&place) {
            let lost = tables(&self.end[point.scene]).difference(&tables(&place)).cloned().collect::<Vec<_>>();
            assert!(lost.is_empty(), "another table was published: {lost:?}");
        }
    }
}

fn scene(name: &str) -> &'static Scene {
    SCENES.iter().find(|scene| scene.name == name).unwrap_or_else(|| panic!("there is no scene {name}"))
}

fn find(name: &str) -> &'static Point {
    POINTS.iter().find(|point| point.name == name).unwrap_or_else(|| panic!("there is no point {name}"))
}

/// The names of tables, which hold their digests.
fn tables(place: &Place) -> BTreeSet<String> {
    let folder = fs::read_dir(place.public().join("data")).into_iter().flatten();
    folder.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect()
}

/// Where each file is a tick, one whose tick was lost by a kill goes with the next file.
fn per_file(place: &Place) -> bool {
    fs::read_to_string(place.path("feed.toml")).expect("a feed file").contains("per_file")
}

/// Nothing that was visible has changed, and everybody is somewhere, once.
fn balance(place: &Place, kept: &mut Kept) {
    kept.check(&place.public());
    let (books, releases) = (Books::of(&entries(place)), releases(&place.public()));
    let (code, shown) = place.json(&["show", "feed.toml"]);
    books.balance(place, (code == 0).then_some(&shown), &releases);
}

/// All kills, two at a time; what is wrong.
fn kills(life: &Life<'_>) -> Vec<String> {
    let all = POINTS.iter().flat_map(|point| [(Side::Before, point), (Side::After, point)]);
    let (next, wrong) = (Mutex::new(all), Mutex::new(Vec::new()));
    let work = || {
        while let Some((side, point)) = { next.lock().expect("nobody panics").next() } {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| life.check(side, point))) {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                let about = format!("{side:?} {} ({}): {}", point.name, point.scene, text.unwrap_or_default());
                wrong.lock().expect("nobody panics").push(about);
            }
        }
    };
    scope(|scope| (0..2).for_each(|_| _ = scope.spawn(work)));
    wrong.into_inner().expect("nobody panics")
}

#[test]
fn a_kill_at_any_named_place_does_no_harm() {
    let Some(shim) = Shim::build() else { return };
    in_memory();
    let begun = Instant::now();
    let life = Life::play(&shim);
    let played = begun.elapsed();
    let wrong = kills(&life);
    let count = 2 * POINTS.len();
    println!(
        "{count} kills at {} named places, {played:?} for the life and {:?} in all",
        POINTS.len(),
        begun.elapsed()
    );
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_kind_of_entry_has_a_name() {
    let schema = fs::read_to_string("schemas/v1/entry.schema.json").expect("a schema");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    let kinds = schema["oneOf"].as_array().expect("kinds").iter();
    let kinds = kinds.map(|kind| kind["properties"]["kind"]["const"].as_str().expect("a kind"));
    let named: BTreeSet<&str> = POINTS.iter().filter_map(|point| point.word.split(':').next()).collect();
    // Nothing writes it.
    let missing: Vec<&str> = kinds.filter(|kind| !named.contains(kind) && *kind != "Rekey").collect();
    assert!(missing.is_empty(), "entries without a name: {missing:?}");
}
