//! The life of a feed in scenes: each begins where another one ended, or where a process was
//! killed, and is one command, or the daemon and the command that asks it. Any of them can be run
//! again from its beginning.

use super::books::SET_ASIDE;
use super::place::{NEVER, PER_FILE, PLANTED, Place, people, person};
use super::shimmed_program::Side::{self, After, Before};

pub const BEGINS: &str = "a feed begins";
pub const GROWS: &str = "it grows";
pub const GROWS_ON: &str = "it grows on";
pub const PACKS: &str = "it is packed";
pub const PACKS_ON: &str = "packs are joined";
pub const PACKS_ERASED: &str = "a person in a pack is erased";
pub const RETRIES: &str = "what was set aside is offered again";
pub const WAITS: &str = "a person waits";
pub const ERASES: &str = "a person is erased";
pub const HOLDS: &str = "a release is held";
pub const VOID_BY_TICK: &str = "a tick makes it void";
pub const VOID_BY_FILE: &str = "the feed file makes it void";
pub const VOID_BY_ERASURE: &str = "an erasure makes it void";
pub const APPROVES: &str = "it is approved";
pub const REJECTS: &str = "it is rejected";
pub const NEW_CHAIN: &str = "a new chain begins";
pub const REFUSED: &str = "the gate refuses";
pub const FORGETS: &str = "the feed forgets";
pub const ASKED: &str = "the daemon is asked";
pub const ASKED_IN_VAIN: &str = "the daemon is asked for what it refuses";
pub const STRANGE_NOTE: &str = "the daemon finds a strange note";
pub const SWEEPS_ROWS: &str = "rows are swept";
pub const SWEEPS_ATOMS: &str = "atoms are swept";
pub const SWEEPS_COUNTS: &str = "counts are swept";
pub const SWEEPS_STAGE: &str = "a candidate is swept";
pub const SWEEPS_TERMS: &str = "terms are swept";
pub const SWEEPS_KEY: &str = "a key is swept";
pub const SIGNED_ANEW: &str = "the signing key is another one";
pub const MASKS: &str = "guarded values are masked";
pub const MASKS_HOLDS: &str = "a masked release is held";
pub const MASKS_ERASED: &str = "a person in it is erased";
pub const MASKS_FORGOTTEN: &str = "what was masked is forgotten";
pub const CROWDS: &str = "crowds keep their labels";
pub const CROWDS_GROW: &str = "new crowds come";
pub const CROWDS_FORGOTTEN: &str = "the coins of crowds are forgotten";
pub const CROWDS_ERASED: &str = "the rows of a crowd are erased";
pub const CROWDS_LEAVE: &str = "a release leaves the rows of a crowd out";
pub const WITHDRAWS: &str = "a release is withdrawn";
pub const EXPIRES: &str = "old manifests go";
pub const RETIRES: &str = "old rows leave";
pub const PUBLISHES_AGAIN: &str = "withdrawn rows are published again";
pub const SWEEPS_COINS: &str = "coins of crowds are swept";
pub const REKEYS: &str = "the key is changed";

/// A scene.
pub struct Scene {
    pub name: &'static str,
    /// Where it begins.
    pub from: From,
    /// Preparations by the test itself.
    pub prepare: fn(&Place),
    /// The action.
    pub does: Does,
}

/// Where a scene begins.
pub enum From {
    /// Before everything.
    Nothing,
    /// After another one.
    Scene(&'static str),
    /// Where a process was killed, on this side of the point of this name.
    Death(Side, &'static str),
}

/// The action of a scene.
#[derive(Clone, Copy)]
pub enum Does {
    /// One tick.
    Once,
    /// A command, while no other process is running.
    Asks(&'static [&'static str]),
    /// The daemon, and a command that asks it.
    Asked(&'static [&'static str]),
}

const MANUAL: &str = "every = \"9999d\"\napproval = \"manual\"\n";
const ERASE_ROWS: Does = Does::Asks(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
const WITHDRAW: Does = Does::Asks(&[
    "withdraw",
    "feed.toml",
    "2",
    "--republish",
    "--reason",
    "too early",
]);
const ERASE: Does = Does::Asks(&["erase", "feed.toml", "--from", "gone.csv"]);

const fn scene(name: &'static str, from: From, prepare: fn(&Place), does: Does) -> Scene {
    Scene {
        name,
        from,
        prepare,
        does,
    }
}

/// All of them, each after the one that it begins with.
pub const SCENES: &[Scene] = &[
    scene(BEGINS, From::Nothing, begins, Does::Once),
    scene(
        GROWS,
        From::Scene(BEGINS),
        |place| files(place, true, 1..8),
        Does::Once,
    ),
    scene(
        GROWS_ON,
        From::Scene(GROWS),
        |place| files(place, false, 8..15),
        Does::Once,
    ),
    scene(
        PACKS,
        From::Scene(GROWS_ON),
        |place| files(place, false, 15..33),
        Does::Once,
    ),
    scene(
        PACKS_ON,
        From::Scene(PACKS),
        |place| files(place, false, 100..118),
        Does::Once,
    ),
    scene(PACKS_ERASED, From::Scene(PACKS), gone, ERASE),
    scene(
        RETRIES,
        From::Scene(GROWS),
        leaves,
        Does::Asks(&["quarantine", "feed.toml", "--retry"]),
    ),
    scene(WAITS, From::Scene(GROWS), waits, Does::Once),
    scene(ERASES, From::Scene(WAITS), gone, ERASE),
    scene(
        ASKED,
        From::Scene(WAITS),
        gone,
        Does::Asked(&["erase", "feed.toml", "--from", "gone.csv"]),
    ),
    scene(
        ASKED_IN_VAIN,
        From::Scene(WAITS),
        |_| {},
        Does::Asked(&["withdraw", "feed.toml", "99", "--reason", "why"]),
    ),
    scene(STRANGE_NOTE, From::Scene(WAITS), strange, Does::Once),
    scene(HOLDS, From::Scene(BEGINS), holds, Does::Once),
    scene(
        VOID_BY_TICK,
        From::Scene(HOLDS),
        |place| place.offer("31.csv", people(600..640)),
        Does::Once,
    ),
    scene(
        VOID_BY_FILE,
        From::Scene(HOLDS),
        |place| place.edit(MANUAL, NEVER),
        Does::Once,
    ),
    scene(VOID_BY_ERASURE, From::Scene(HOLDS), gone, ERASE),
    scene(
        APPROVES,
        From::Scene(HOLDS),
        |_| {},
        Does::Asks(&["approve", "feed.toml"]),
    ),
    scene(
        REJECTS,
        From::Scene(HOLDS),
        |_| {},
        Does::Asks(&["reject", "feed.toml"]),
    ),
    scene(
        NEW_CHAIN,
        From::Scene(BEGINS),
        stricter,
        Does::Asks(&["new-chain", "feed.toml"]),
    ),
    scene(
        REFUSED,
        From::Scene(NEW_CHAIN),
        |place| place.offer("40.csv", people(700..740)),
        Does::Once,
    ),
    scene(FORGETS, From::Scene(BEGINS), forgets, Does::Once),
    scene(
        SWEEPS_ROWS,
        From::Death(Before, "rows taken in"),
        |_| {},
        Does::Once,
    ),
    scene(
        SWEEPS_ATOMS,
        From::Death(Before, "a tick closed"),
        |_| {},
        Does::Once,
    ),
    scene(
        SWEEPS_COUNTS,
        From::Death(Before, "its counts"),
        |_| {},
        Does::Once,
    ),
    scene(
        SWEEPS_STAGE,
        From::Death(Before, "a decision to publish"),
        |_| {},
        Does::Once,
    ),
    scene(
        SWEEPS_TERMS,
        From::Death(Before, "the first chain"),
        |_| {},
        Does::Once,
    ),
    scene(
        SWEEPS_KEY,
        From::Death(Before, "a segment"),
        |_| {},
        Does::Once,
    ),
    scene(
        SIGNED_ANEW,
        From::Death(After, "a signature"),
        signs,
        Does::Once,
    ),
    scene(MASKS, From::Nothing, masks, Does::Once),
    scene(MASKS_HOLDS, From::Scene(MASKS), holds, Does::Once),
    scene(MASKS_ERASED, From::Scene(MASKS_HOLDS), gone, ERASE),
    scene(MASKS_FORGOTTEN, From::Scene(MASKS), forgets, Does::Once),
    scene(CROWDS, From::Nothing, crowds, Does::Once),
    scene(
        CROWDS_GROW,
        From::Scene(CROWDS),
        |place| place.offer("60.csv", people(900..940)),
        Does::Once,
    ),
    scene(CROWDS_FORGOTTEN, From::Scene(CROWDS), forgets, Does::Once),
    scene(CROWDS_ERASED, From::Scene(CROWDS_GROW), gone, ERASE_ROWS),
    scene(CROWDS_LEAVE, From::Scene(CROWDS_ERASED), |_| {}, Does::Once),
    scene(WITHDRAWS, From::Scene(CROWDS_GROW), |_| {}, WITHDRAW),
    scene(PUBLISHES_AGAIN, From::Scene(WITHDRAWS), |_| {}, Does::Once),
    scene(
        EXPIRES,
        From::Scene(CROWDS_GROW),
        |place| stays(place, "keep"),
        Does::Once,
    ),
    scene(
        RETIRES,
        From::Scene(CROWDS_GROW),
        |place| stays(place, "retain"),
        Does::Once,
    ),
    scene(
        SWEEPS_COINS,
        From::Death(Before, "the coins of a tick are drawn"),
        |_| {},
        Does::Once,
    ),
    scene(
        REKEYS,
        From::Scene(WAITS),
        another_key,
        Does::Asks(&["rekey", "feed.toml", "--to", "b.key"]),
    ),
];

fn begins(place: &Place) {
    place.edit(
        "settle = \"0s\"",
        "settle = \"0s\"\nmax_quarantine_share = 0.5",
    );
    place.offer(
        "00.csv",
        people(0..40) + &format!("{}{SET_ASIDE},5,C1,{}{SET_ASIDE}\n", PLANTED[0], PLANTED[1]),
    );
}

/// A set is guarded that no person has a value of: people are distinguished by theirs.
fn masks(place: &Place) {
    begins(place);
    place.edit("k = 3\n", "k = 3\nm = 2\n");
    let role = "name = \"diagnosis\"\nrole = \"sensitive\"\n";
    place.edit(role, &format!("{role}guarded = [[\"nobody\"]]\n"));
}

/// Every class is all new people, whatever is drawn: no part leaves enough possible sets of rows.
fn crowds(place: &Place) {
    begins(place);
    place.edit(
        "search = \"top-down\"\n",
        "search = \"halves\"\nmin_solutions = 1000000000000000000\n",
    );
}

/// Files, each a tick: after seven of them a checkpoint is due.
fn files(place: &Place, first: bool, files: std::ops::Range<u64>) {
    if first {
        place.edit(NEVER, PER_FILE);
    }
    for file in files {
        place.offer(
            &format!("{file:03}.csv"),
            people(file * 12 + 30..file * 12 + 44),
        );
    }
}

fn leaves(place: &Place) {
    place.edit(PER_FILE, NEVER);
    place.put("ward.csv", "A1;A;*\nA2;A;*\nB1;B;*\nB2;B;*\nC1;B;*\n");
}

fn waits(place: &Place) {
    place.edit(PER_FILE, NEVER);
    place.offer("20.csv", people(400..402));
}

/// The people to be erased: two who wait, if they exist, and one who is published.
fn gone(place: &Place) {
    let [id, _] = PLANTED;
    place.put("gone.csv", format!("{id}400\n{id}401\n{id}7\n"));
}

fn strange(place: &Place) {
    std::fs::create_dir_all(place.path("private/inbox")).expect("a folder");
    place.put("private/inbox/0123456789abcdef.json", "{}");
}

fn holds(place: &Place) {
    place.edit(NEVER, MANUAL);
    place.offer("30.csv", people(500..540) + &person(400));
}

fn stricter(place: &Place) {
    place.edit("k = 3\n", "k = 4\nmax_loss = 0.001\n");
}

fn forgets(place: &Place) {
    place.edit(
        "[store]\n",
        "[store]\nkeep_raw = \"0s\"\nquarantine_days = 0\n",
    );
    place.offer("50.csv", people(800..840));
}

/// Earlier releases stay for a second, which is over.
fn stays(place: &Place, key: &str) {
    place.edit("[http]", &format!("[publish]\n{key} = \"1s\"\n[http]"));
    place.offer("70.csv", people(940..980));
    std::thread::sleep(std::time::Duration::from_millis(2_100));
}

fn another_key(place: &Place) {
    place.put("b.key", "fedcba9876543210".repeat(4));
}

/// The action of a person after a scene, before the feed continues.
pub fn behind(scene: &str, place: &Place) {
    if scene == REKEYS {
        place.edit("key = \"file:a.key\"", "key = \"file:b.key\"");
    }
}

fn signs(place: &Place) {
    place.put("sign.key", "76543210fedcba98".repeat(4));
}
