//! Two running writers on the same roots, which only the log keeps apart (HOUSE 3, Append): one is
//! killed at any moment and started again while the other lives, and files are added all the time.
//! The one that is taken over finds what the other has appended, ends with an error that says so,
//! and has done no harm.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Signal, WaitId, WaitIdOptions, kill_process, waitid};

use super::books::Books;
use super::feed_life::in_memory;
use super::held_up_writer::LOST;
use super::place::{Daemon, HEADER, NEVER, OFTEN, PER_FILE, PLANTED, Place, person};
use super::public::{Kept, releases};
use super::roots::Roots;
use super::server::Server;
use super::shim::Shim;
use crate::common::wait::LIMIT;
use crate::common::{cases, random, random::Draw};

const POLICIES: [&str; 3] = [
    "k = 3\n",
    "k = 3\nsearch = \"halves\"\nmin_solutions = 1\n",
    "k = 3\nguarantee = \"bcf\"\n",
];

/// What happens to two writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The newer one is killed.
    New,
    /// The older one is killed.
    Old,
    /// Both are.
    Both,
    /// None: one of them must be taken over.
    None,
}

/// A feed with two writers.
struct Pair<'a> {
    roots: Roots<'a>,
    writers: [Option<Daemon>; 2],
    kept: Kept,
    came: u64,
    files: u32,
    kills: u32,
    lost: u32,
}

impl Pair<'_> {
    /// Puts another file into the folder: new people, and some repeated ones.
    fn offer(&mut self, draw: &mut Draw) {
        let new = self.came..self.came + draw.between(0, 25);
        let mut repeats = String::new();
        for _ in 0..draw.between(0, self.came.min(5)) {
            let again = draw.between(0, self.came - 1);
            repeats.push_str(&person(again).replace(PLANTED[1], "again"));
        }
        self.put(new, repeats);
    }

    fn put(&mut self, new: Range<u64>, repeats: String) {
        self.came = new.end;
        let text = HEADER.to_owned() + &new.map(person).collect::<String>() + &repeats;
        self.roots
            .place
            .offer(&format!("{:04}.csv", self.files), text);
        self.files += 1;
    }

    /// A writer begins while the other is running, if it is; then something happens.
    fn round(&mut self, draw: &mut Draw, turn: usize) {
        self.ended();
        let new = if self.writers[turn].is_none() {
            turn
        } else {
            1 - turn
        };
        if self.writers[new].is_some() {
            self.kill(new);
        }
        self.writers[new] = Some(self.roots.start());
        let longest = self.roots.longest();
        for _ in 0..draw.between(1, 3) {
            sleep(Duration::from_millis(draw.between(0, longest / 3)));
            self.offer(draw);
        }
        // At the end of each feed none is killed, and one is taken over.
        let fate = match draw.between(0, 6) {
            0..2 => Fate::New,
            2..4 => Fate::Old,
            4..6 => Fate::Both,
            _ => Fate::None,
        };
        sleep(Duration::from_micros(draw.between(0, longest * 200)));
        if matches!(fate, Fate::New | Fate::Both) {
            self.kill(new);
        }
        if matches!(fate, Fate::Old | Fate::Both) {
            self.kill(1 - new);
        }
        if fate == Fate::None {
            self.decided();
        }
        self.check();
    }

    fn kill(&mut self, at: usize) {
        let Some(mut daemon) = self.writers[at].take() else {
            return;
        };
        match daemon.kill() {
            true => self.kills += 1,
            false => self.loses(daemon),
        }
    }

    /// One of two ends by itself: the one that was taken over notices that with the next file at
    /// the latest.
    fn decided(&mut self) {
        let (begun, mut more) = (Instant::now(), 0);
        while self.writers.iter().all(Option::is_some) {
            self.ended();
            if begun.elapsed() >= Duration::from_millis(500) * more {
                // Nothing is drawn here, since the number of these rounds depends on time.
                let new = self.came..self.came + 5;
                self.put(new, String::new());
                more += 1;
            }
            let said = || {
                self.writers
                    .iter()
                    .flatten()
                    .map(Daemon::said)
                    .collect::<String>()
            };
            assert!(begun.elapsed() < LIMIT, "both go on:\n{}", said());
            sleep(Duration::from_millis(10));
        }
    }

    /// Finds a writer that has ended by itself.
    fn ended(&mut self) {
        for at in 0..2 {
            let over =
                |daemon: &Daemon| look(daemon, WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
            if let Some(daemon) = self.writers[at].take_if(|daemon| over(daemon)) {
                self.loses(daemon);
            }
        }
    }

    /// Checks that a writer that ended by itself was taken over.
    fn loses(&mut self, mut daemon: Daemon) {
        assert_eq!(daemon.ended(), Some(2), "{}", daemon.said());
        assert!(
            daemon.said().contains(LOST),
            "it does not say that it has lost: {}",
            daemon.said()
        );
        self.lost += 1;
    }

    /// Checks everything, whatever they are doing.
    fn check(&mut self) {
        let running: Vec<_> = self.writers.iter().flatten().collect();
        for daemon in &running {
            kill_process(daemon.pid(), Signal::STOP).expect("it was started");
            look(daemon, WaitIdOptions::STOPPED | WaitIdOptions::EXITED);
        }
        self.balance();
        for daemon in self.writers.iter().flatten() {
            kill_process(daemon.pid(), Signal::CONT).expect("it was started");
        }
    }

    fn balance(&mut self) {
        let public = self.roots.public();
        self.kept.check(&public);
        let (code, shown) = self.roots.json(&["show", "feed.toml"]);
        let books = Books::of(&self.roots.entries());
        books.balance(
            &self.roots.place,
            (code == 0).then_some(&shown),
            &releases(&public),
        );
    }

    /// Both are running, whichever was killed before: one of them is taken over.
    fn meet(&mut self) {
        let lost = self.lost;
        for writer in &mut self.writers {
            writer.get_or_insert_with(|| self.roots.start());
        }
        self.decided();
        assert!(self.lost > lost, "none has lost");
        self.check();
    }

    /// Checks that each person is in one place.
    fn accounted(mut self, schedule: &str) -> (u32, u32) {
        self.meet();
        (0..2).for_each(|at| self.kill(at));
        self.roots.place.edit(schedule, NEVER);
        let (code, answer) = self.roots.json(&["run", "--once", "feed.toml"]);
        assert_eq!(code, 0, "{answer}");
        self.balance();
        let all = releases(&self.roots.public());
        Books::of(&self.roots.entries()).closed(&self.roots.place, &all);
        let tick = &answer["ticks"][0];
        let elsewhere = ["waiting", "withheld", "pending", "new"]
            .map(|name| tick[name].as_u64().expect("a number"));
        let out: BTreeSet<&String> = all
            .iter()
            .next_back()
            .into_iter()
            .flat_map(|last| &last.diagnoses)
            .collect();
        assert_eq!(
            out.len() as u64 + elsewhere.iter().sum::<u64>(),
            self.came,
            "{tick}"
        );
        let (code, verified) = self.roots.json(&["verify", "feed.toml"]);
        assert_eq!((code, &verified["intact"]), (0, &true.into()), "{verified}");
        (self.kills, self.lost)
    }
}

/// Waits until this is true of a process, which can still be waited for.
fn look(daemon: &Daemon, what: WaitIdOptions) -> bool {
    let status = waitid(WaitId::Pid(daemon.pid()), what | WaitIdOptions::NOWAIT);
    status.expect("it was started").is_some()
}

/// The amount of work.
struct Much {
    /// Feeds of a short run.
    feeds: u32,
    /// Kills of each feed.
    kills: u32,
    /// Kills of a long run.
    most: u32,
    /// Their schedules.
    schedules: &'static [&'static str],
}

/// Feeds with two writers, one after the other, until this many were killed.
fn two<'a>(
    name: &str,
    much: &Much,
    roots: impl Fn(Place) -> Roots<'a> + std::panic::RefUnwindSafe,
) {
    in_memory();
    let (begun, at) = (Instant::now(), AtomicU32::new(0));
    let [kills, lost] = [AtomicU32::new(0), AtomicU32::new(0)];
    random::run(name, much.feeds, |draw| {
        if kills.load(Ordering::Relaxed) >= much.most {
            return;
        }
        let at = at.fetch_add(1, Ordering::Relaxed) as usize;
        let schedule = much.schedules[at % much.schedules.len()];
        let place = Place::with(schedule, POLICIES[at / 2 % POLICIES.len()], "");
        let (writers, kept) = ([None, None], Kept::default());
        let mut pair = Pair {
            roots: roots(place),
            writers,
            kept,
            came: 0,
            files: 0,
            kills: 0,
            lost: 0,
        };
        let mut turn = 0;
        while pair.kills < much.kills {
            pair.round(draw, turn);
            turn = 1 - turn;
        }
        let of_feed = pair.accounted(schedule);
        kills.fetch_add(of_feed.0, Ordering::Relaxed);
        lost.fetch_add(of_feed.1, Ordering::Relaxed);
    });
    let [kills, lost] = [kills, lost].map(AtomicU32::into_inner);
    println!(
        "{name}: {kills} kills at work, {lost} writers lost, {:?}",
        begun.elapsed()
    );
    let wanted = (cases(much.feeds) * much.kills).min(much.most);
    assert!(kills >= wanted, "{kills} kills at work only");
}

#[test]
fn two_writers_on_folders_do_no_harm() {
    let Some(shim) = Shim::build() else { return };
    let much = Much {
        feeds: 3,
        kills: 8,
        most: 500,
        schedules: &[PER_FILE, OFTEN],
    };
    two("two writers on folders", &much, |place| {
        Roots::folders(&shim, place)
    });
}

#[test]
fn two_writers_on_buckets_do_no_harm() {
    let Some(server) = Server::start() else {
        return;
    };
    // A feed in a bucket looks for files every five seconds, and at each tick.
    let much = Much {
        feeds: 1,
        kills: 6,
        most: 150,
        schedules: &[OFTEN],
    };
    two("two writers on buckets", &much, |place| {
        Roots::buckets(&server, place)
    });
}
