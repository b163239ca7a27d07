//! A feed with a measure (SCIENCE 7): every aggregate is that of its people, computed by the test,
//! across joined files, erasures, withdrawals and kills; and no number of a person can be computed
//! from all releases ever published.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;
use tidegate::engine::sums::{Range, Relation, SumSystem, SumsAttack};

use super::place::{HEADER, NEVER, OFTEN, PLANTED, Place, person};
use crate::common::delta::versions;
use crate::common::measures::{Aggregate, Shown, cost, is_sensitive};
use crate::common::needs;
use crate::common::random::{self, Draw};

const POLICY: &str = "k = 3\nsearch = \"halves\"\nmin_solutions = 1\ndominance = { n = 1, share = 0.6 }\np_rule = 0.1\n";
const MEASURE: &str = "\n[[column]]\nname = \"cost\"\nrole = \"measure\"\n";
const ROLE: &str = "name = \"diagnosis\"\nrole = \"sensitive\"\n";

fn people(numbers: impl IntoIterator<Item = u64>) -> String {
    let row = |number: u64| {
        let cost = cost(number).map_or_else(String::new, |units| format!("{}e-6", units));
        format!("{},{cost}\n", person(number).trim_end())
    };
    format!(
        "{},cost\n{}",
        HEADER.trim_end(),
        numbers.into_iter().map(row).collect::<String>()
    )
}

fn place(schedule: &str, policy: &str) -> Place {
    let place = Place::with(schedule, policy, "");
    place.edit(ROLE, &format!("{ROLE}{MEASURE}"));
    place
}

/// Sums that were published at any time, with their people.
#[derive(Default)]
struct Ever(BTreeSet<(Vec<u64>, i128)>);

impl Ever {
    /// Checks the newest release against its people's numbers; returns how many sums it shows, and
    /// how many not.
    fn look(&mut self, place: &Place) -> [usize; 2] {
        self.take(place)
            .check(cost, |numbers| is_sensitive(numbers, [6, 1]))
    }

    /// Takes the sums of the newest release in.
    fn take(&mut self, place: &Place) -> Shown {
        let shown = Shown::newest(&place.public());
        for (label, people) in &shown.people {
            let mut people = people.clone();
            people.sort_unstable();
            let (_, sum): Aggregate = shown.measures[label];
            self.0.extend(sum.map(|sum| (people, sum)));
        }
        place.verified();
        shown
    }

    /// Whether the number of some person follows from all of these sums: linear algebra over one
    /// cell for each person, and one for each sum.
    fn gives_a_person_away(&self) -> bool {
        let all_people: Vec<u64> = self
            .0
            .iter()
            .flat_map(|(people, _)| people)
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let cell = |person: &u64| all_people.binary_search(person).expect("one of them");
        let sums = self.0.iter().enumerate();
        let relations = sums.map(|(at, (people, _))| {
            Relation::total(all_people.len() + at, people.iter().map(cell))
        });
        let system = SumSystem::new(
            all_people.len() + self.0.len(),
            relations.collect(),
            Range::Free,
        );
        let published = all_people
            .iter()
            .map(|_| None)
            .chain(self.0.iter().map(|(_, sum)| Some(*sum)))
            .collect();
        let attack = SumsAttack::new(&system, published);
        (0..all_people.len()).any(|person| attack.derivation(&[(person, 1)]).is_some())
    }
}

fn publish(place: &Place, file: u64, numbers: std::ops::Range<u64>) {
    place.offer(&format!("{file:03}.csv"), people(numbers));
    assert_eq!(place.once()["outcome"], "published");
}

#[test]
fn aggregates_are_those_of_their_people() {
    ["halves", "top-down", "levels"]
        .into_iter()
        .for_each(aggregates);
}

/// The story of a chain whose rows keep their labels: it grows, and loses rows in every way.
fn aggregates(search: &str) {
    let policy = POLICY.replace("halves", search);
    let (place, mut ever) = (place(NEVER, &policy), Ever::default());
    let mut found = [0, 0];
    // Enough releases for files of both tables to be joined.
    for at in 0..9 {
        publish(&place, at, at * 40..at * 40 + 40);
        found = ever.look(&place);
    }
    assert!(
        found[0] > 20 && found[1] > 5,
        "{search}: {found:?} labels show their sum and do not"
    );
    let log = fs::read_dir(place.public().join("measures/1/_delta_log")).expect("a log");
    assert!(log.count() > 9, "a version for each release");
    assert!(versions(&place.public(), 1).len() > 10, "files became one");
    // The atoms of erased people are removed from both tables.
    place.put("gone.csv", format!("{}7\n{}130\n", PLANTED[0], PLANTED[0]));
    place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    publish(&place, 9, 360..400);
    ever.look(&place);
    let shown = Shown::newest(&place.public());
    assert!(
        shown
            .people
            .values()
            .flatten()
            .all(|person| ![7, 130].contains(person)),
        "they are erased"
    );
    // A withdrawn release is removed, and published again unchanged.
    publish(&place, 10, 400..440);
    place.done(&[
        "withdraw",
        "feed.toml",
        "11",
        "--reason",
        "wrong",
        "--republish",
    ]);
    ever.look(&place);
    publish(&place, 11, 440..480);
    ever.look(&place);
    place.done(&["withdraw", "feed.toml", "12", "--reason", "wrong"]);
    publish(&place, 12, 480..520);
    ever.look(&place);
    // Old rows are removed, and their sums with them.
    place.edit("[http]", "[publish]\nretain = \"1s\"\n[http]");
    sleep(Duration::from_millis(1_100));
    publish(&place, 13, 520..560);
    ever.look(&place);
    let left = Shown::newest(&place.public());
    assert!(
        left.measures.keys().all(|(_, release)| *release >= 13),
        "sums of old releases are shown"
    );
    assert!(
        !ever.gives_a_person_away(),
        "a number follows from sums that were published"
    );
    // It would follow if the people of an atom without one of them had been shown again.
    let (atom, sum) = ever.0.iter().next().cloned().expect("a sum");
    let (one, rest) = atom.split_first().expect("people");
    ever.0
        .insert((rest.to_vec(), sum - i128::from(cost(*one).unwrap_or(0))));
    assert!(ever.gives_a_person_away());
}

#[test]
fn a_disjoint_chain_shows_the_measures_of_its_new_people() {
    let place = place(NEVER, POLICY);
    place.edit("name = \"t\"\n", "name = \"t\"\nchain = \"disjoint\"\n");
    for at in 0..3 {
        publish(&place, at, at * 60..at * 60 + 60);
        let shown = Shown::newest(&place.public());
        let found = shown.check(cost, |numbers| is_sensitive(numbers, [6, 1]));
        assert!(found[0] > 3, "{found:?}");
        assert!(
            shown
                .people
                .keys()
                .all(|(_, release)| *release == at as i64 + 1)
        );
        place.verified();
    }
    let newest = versions(&place.public(), 1).len();
    assert_eq!(newest, 4);
}

/// If a release has a table of its own, its classes have their sums beside it.
#[test]
fn every_search_of_disjoint_chains_shows_measures() {
    let rules = "dominance = { n = 1, share = 0.6 }\np_rule = 0.1\n";
    for search in ["top-down", "levels", "mondrian", "halves"] {
        let place = place(
            NEVER,
            &format!("k = 3\nsearch = \"{search}\"\nmin_solutions = 1\n{rules}"),
        );
        place.edit("name = \"t\"\n", "name = \"t\"\nchain = \"disjoint\"\n");
        for at in 0..3 {
            publish(&place, at, at * 60..at * 60 + 60);
            let found =
                Shown::newest(&place.public()).check(cost, |numbers| is_sensitive(numbers, [6, 1]));
            assert!(found[0] > 0, "{search}: {found:?}");
            if at == 0 {
                place.put("gone.csv", format!("{}75\n", PLANTED[0]));
                place.done(&["erase", "feed.toml", "--from", "gone.csv"]);
            }
            place.verified();
        }
        let (code, answer) = place.json(&["verify", "public"]);
        assert_eq!(
            (code, &answer["findings"]),
            (0, &json!([])),
            "{search}: {answer}"
        );
        let audited = place.json(&["audit", "--feed", "feed.toml"]);
        assert_eq!(audited.0, 0, "{search}: {}", audited.1);
    }
}

/// People are erased while a release with them waits for a person, and taxonomies grow: their
/// numbers are in no sum.
#[test]
fn people_who_are_erased_before_a_release_is_approved_are_in_no_sum() {
    let searches =
        ["top-down", "levels", "mondrian"].map(|search| format!("search = \"{search}\"\n"));
    let policies = searches[..2]
        .iter()
        .map(|policy| (policy.clone(), false))
        .chain(searches.clone().map(|policy| (policy, true)));
    for (policy, disjoint) in policies {
        let policy = policy.as_str();
        let rules = "dominance = { n = 1, share = 0.6 }\np_rule = 0.1\n";
        let (place, mut ever) = (
            place(NEVER, &format!("k = 3\nmin_solutions = 1\n{policy}{rules}")),
            Ever::default(),
        );
        if disjoint {
            place.edit("name = \"t\"\n", "name = \"t\"\nchain = \"disjoint\"\n");
        }
        let manual = "approval = \"manual\"\n";
        publish(&place, 0, 0..60);
        ever.look(&place);
        place.edit(NEVER, &format!("{NEVER}{manual}"));
        place.offer("001.csv", people(60..100));
        assert_eq!(place.once()["outcome"], "approval", "{policy}");
        place.put("ward.csv", "A0;A;*\nA1;A;*\nA2;A;*\nB1;B;*\nB2;B;*\n");
        place.put("gone.csv", format!("{}75\n{}90\n", PLANTED[0], PLANTED[0]));
        place.done(&["erase", "feed.toml", "--from", "gone.csv"]);
        place.offer("002.csv", people(100..140));
        assert_eq!(place.once()["outcome"], "approval", "{policy}");
        place.verified();
        place.done(&["approve", "feed.toml", "2"]);
        place.edit(manual, "");
        place.offer("003.csv", people(140..180));
        assert_eq!(place.once()["outcome"], "published", "{policy}");
        // Atoms of two ticks have one label in the release that waited.
        let shown = ever.take(&place);
        shown.check_published_measures(cost, |numbers| is_sensitive(numbers, [6, 1]));
        assert!(
            shown
                .people
                .values()
                .flatten()
                .all(|person| ![75, 90].contains(person)),
            "{policy}: they are erased"
        );
        assert!(!ever.gives_a_person_away(), "{policy}");
    }
}

/// Groups grow until no sum is left out; people whose group cannot grow that far wait for the next
/// tick.
#[test]
fn groups_that_are_dominance_safe_show_every_sum() {
    let rules = "dominance = { n = 1, share = 0.6 }\np_rule = 0.1\n";
    let of = |safe: &str| {
        let place = place(
            NEVER,
            &format!("k = 3\nsearch = \"mondrian\"\nmin_solutions = 1\n{rules}{safe}"),
        );
        place.edit("name = \"t\"\n", "name = \"t\"\nchain = \"disjoint\"\n");
        let (mut published, mut found) = (0, [0, 0]);
        for at in 0..4 {
            publish(&place, at, at * 60..at * 60 + 60);
            let shown = Shown::newest(&place.public());
            let [sums, left_out] = shown.check(cost, |numbers| is_sensitive(numbers, [6, 1]));
            found = [found[0] + sums, found[1] + left_out];
            published += shown.people.values().map(Vec::len).sum::<usize>();
        }
        let waiting = place.done(&["show", "feed.toml"])["waiting"]["rows"]
            .as_u64()
            .expect("a number");
        assert_eq!(published as u64 + waiting, 240);
        place.verified();
        (found, waiting)
    };
    let ([_, left_out], waiting) = of("");
    assert!(
        left_out > 3 && waiting == 0,
        "{left_out} sums are left out, {waiting} people wait"
    );
    let ([sums, left_out], waiting) = of("dominance_safe = true\n");
    assert!(
        sums > 10 && left_out == 0,
        "{sums} sums are shown and {left_out} left out, {waiting} people wait"
    );
}

/// Kills at random moments, erasures, approvals: no number is lost, and none counts twice.
#[test]
fn kills_and_erasures_lose_no_number() {
    let seed = random::seed();
    println!("measures under kills: seed {seed}; the same again: TIDEGATE_SEED={seed}");
    let (place, mut draw, mut ever) = (place(OFTEN, POLICY), Draw::new(seed, 0), Ever::default());
    for at in 0..6 {
        place.offer(&format!("{at:03}.csv"), people(at * 50..at * 50 + 50));
        let mut daemon = place.start();
        sleep(Duration::from_millis(draw.between(200, 1_200)));
        assert!(daemon.kill(), "it has ended by itself: {}", daemon.said());
        if at == 3 {
            let gone = draw.between(0, 150);
            place.put("gone.csv", format!("{}{gone}\n", PLANTED[0]));
            place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
        }
    }
    place.once();
    ever.look(&place);
    assert!(!ever.gives_a_person_away());
}

/// Waiting people have numbers of exactly these measures, so a feed keeps the measures; with them a
/// new chain has both tables.
#[test]
fn measures_stay_through_all_chains() {
    let place = place(NEVER, POLICY);
    publish(&place, 0, 0..60);
    place.edit(MEASURE, "");
    place.edit("dominance = { n = 1, share = 0.6 }\np_rule = 0.1\n", "");
    let (code, answer) = place.json(&["new-chain", "feed.toml"]);
    assert!(
        code == 1
            && answer["text"]
                .as_str()
                .is_some_and(|text| text.contains("the measure columns")),
        "{answer}"
    );
    place.edit(ROLE, &format!("{ROLE}{MEASURE}"));
    place.done(&["new-chain", "feed.toml"]);
    publish(&place, 1, 60..120);
    let shown = Shown::newest(&place.public());
    shown.check(cost, |_| false);
    assert!(place.public().join("measures/2/_delta_log").is_dir());
    place.verified();
}

/// The table as other programs read it.
#[test]
fn readers_read_the_table_of_measures() {
    let Some(python) = needs::tool("TIDEGATE_PYTHON") else {
        return;
    };
    let place = place(NEVER, POLICY);
    (0..2).for_each(|at| publish(&place, at, at * 60..at * 60 + 60));
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/daemon/run/measures_readers.py"
    );
    let run = Command::new(python)
        .arg(script)
        .arg(place.public())
        .output()
        .expect("Python starts");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let said: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let sums = Shown::newest(&place.public())
        .measures
        .into_values()
        .filter_map(|(_, sum)| sum);
    let all: i128 = sums.sum();
    let sign = if all < 0 { "-" } else { "" };
    let written = format!(
        "{sign}{}.{:06}",
        all.abs() / 1_000_000,
        all.abs() % 1_000_000
    );
    assert_eq!(
        said,
        json!({"deltalake": written, "duckdb": written, "polars": written, "pandas": written})
    );
}
