//! A measure from a topic, with guarded values that are masked: the daemon is killed, people are
//! erased with their atoms, a release is withdrawn, and after each tick every sum is that of its
//! people's numbers.

use std::thread::sleep;
use std::time::Duration;

use super::broker::{Broker, send};
use super::feed::feed;
use super::place::{NEVER, OFTEN, PLANTED, person};
use crate::common::cases;
use crate::common::measures::{Shown, is_sensitive};
use crate::common::random::{self, Draw};
use crate::common::wait::LIMIT;
use rdkafka::producer::Producer as _;

const ROLE: &str = "name = \"diagnosis\"\nrole = \"sensitive\"\n";
const COLUMNS: &str = "\n[[column]]\nname = \"status\"\nrole = \"sensitive\"\nguarded = [[\"HIV\"]]\n\
                       \n[[column]]\nname = \"cost\"\nrole = \"measure\"\nunrelated = true\n";
const POLICY: &str = "k = 3\n";
const RULES: &str = "k = 3\nm = 2\nsearch = \"halves\"\nmin_solutions = 1\ndominance = { n = 1, share = 0.6 }\np_rule = 0.1\n";

fn cost(person: u64) -> Option<i64> {
    let mix = (person + 1).wrapping_mul(0xd134_2543_de82_ef95) >> 33;
    (!mix.is_multiple_of(9)).then_some(
        (mix % 1_000_000) as i64
            * if mix.is_multiple_of(14) {
                300_000
            } else {
                10_000
            },
    )
}

/// The message of a person; one in thirty has the guarded value.
fn message(number: u64) -> String {
    let row = person(number);
    let cells: Vec<&str> = row.trim_end().split(',').collect();
    let [patient, age, ward, diagnosis] = cells[..] else {
        panic!("four cells")
    };
    let status = if number.is_multiple_of(30) {
        "HIV"
    } else {
        "none"
    };
    let cost = cost(number).map_or_else(
        || "null".to_owned(),
        |units| format!("{}.{:02}", units / 1_000_000, units / 10_000 % 100),
    );
    format!(
        r#"{{"patient": "{patient}", "age": {age}, "ward": "{ward}", "diagnosis": "{diagnosis}", "status": "{status}", "cost": {cost}}}"#
    )
}

#[test]
fn every_sum_is_that_of_its_people_over_kills_erasures_and_masks() {
    let Some(broker) = Broker::start() else {
        return;
    };
    let seed = random::seed();
    println!("measures of a topic: seed {seed}; the same again: TIDEGATE_SEED={seed}");
    let mut draw = Draw::new(seed, 0);
    broker.topic("wards", 3, &[]);
    let place = feed(&broker, "wards", OFTEN, "");
    place.edit(ROLE, &format!("{ROLE}{COLUMNS}"));
    place.edit("search = \"top-down\"\n", "");
    place.edit(POLICY, RULES);
    let producer = broker.producer(&[]);
    let (rounds, mut next, mut found) = (u64::from(cases(10).min(50)), 0, [0, 0]);
    for round in 0..rounds {
        let come = next..next + draw.between(15, 40);
        come.clone().for_each(|number| {
            send(
                &producer,
                "wards",
                (number % 3) as i32,
                Some(&message(number)),
            )
        });
        next = come.end;
        producer.flush(LIMIT).expect("all are there");
        if draw.once_in(2) {
            let mut daemon = place.start();
            sleep(Duration::from_millis(draw.between(150, 1_600)));
            assert!(daemon.kill(), "it has ended by itself: {}", daemon.said());
        }
        if draw.once_in(4) {
            place.put(
                "gone.csv",
                format!("{}{}\n", PLANTED[0], draw.between(0, next - 1)),
            );
            place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
        }
        place.once();
        let shown = Shown::newest(&place.public());
        found = shown.check(cost, |numbers| is_sensitive(numbers, [6, 1]));
        if round % 5 == 4 {
            place.verified();
        }
    }
    println!(
        "{next} people; {} sums of the last release are shown, {} are not",
        found[0], found[1]
    );
    assert!(found[0] > 5, "{found:?}");
    let released = Shown::newest(&place.public())
        .people
        .values()
        .map(Vec::len)
        .sum::<usize>() as u64;
    assert!(
        released * 2 > next,
        "{released} of {next} people are published"
    );
    place.edit(OFTEN, NEVER);
    place.verified();
}
