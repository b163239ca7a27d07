//! Messages that are set aside are offered again, or removed with a person who is erased, whether a
//! process is running or not.

use serde_json::{Value as Json, json};

use super::place::{HEADER, PER_FILE, PLANTED, Place, people, person};
use super::requests::{ended, erase, running, twice};

/// The taxonomy of wards, grown.
const GROWN: &str = "A1;A;*\nA2;A;*\nB1;B;*\nB2;B;*\nC1;B;*\n";

#[test]
fn what_was_set_aside_is_offered_again() {
    twice(|alive| {
        let place = Place::new(PER_FILE);
        place.edit(
            "settle = \"0s\"",
            "settle = \"0s\"\nmax_quarantine_share = 0.5",
        );
        let elsewhere =
            (40..46).map(|number| format!("{}{number},5,C1,{}{number}\n", PLANTED[0], PLANTED[1]));
        let wrong = format!("{}46,old,A1,x\n", PLANTED[0]);
        place.offer(
            "0.csv",
            people(0..40) + &elsewhere.collect::<String>() + &wrong,
        );
        place.once();
        let listed = place.done(&["quarantine", "feed.toml"]);
        let groups = listed["groups"].as_array().expect("groups");
        assert_eq!(
            (&listed["messages"], groups.len()),
            (&7.into(), 2),
            "{listed}"
        );
        let ward = groups
            .iter()
            .find(|group| group["column"] == "ward")
            .expect("a group");
        assert_eq!(
            (&ward["messages"], &ward["first"], &ward["file"]),
            (&6.into(), &42.into(), &"0.csv".into())
        );
        // A frozen setting is not recommended.
        let text = ward["text"].as_str().expect("a text");
        assert!(
            text.contains("new leaf under an inner node") && text.contains("frozen"),
            "{text}"
        );
        assert!(
            !listed.to_string().contains("C1") && !listed.to_string().contains(PLANTED[0]),
            "{listed}"
        );
        place.put("ward.csv", GROWN);
        let daemon = running(&place, alive);
        let answer = place.done(&["quarantine", "feed.toml", "--retry"]);
        assert_eq!(
            (&answer["count"], &answer["changed"]),
            (&7.into(), &6.into()),
            "{answer}"
        );
        ended(daemon);
        assert_eq!(place.done(&["quarantine", "feed.toml"])["messages"], 1);
        place.offer("1.csv", HEADER.to_owned() + &person(50));
        let tick = place.once();
        let all = ["rows", "waiting", "withheld", "pending", "new"]
            .map(|name| tick[name].as_u64().expect("a number"));
        assert_eq!(all.iter().sum::<u64>(), 47, "{tick}");
        place.verified();
    });
}

/// Bundles are set aside whole where the feed file does not say where their records are. Then they
/// are taken apart, and a person who is erased is not among their records.
#[test]
fn bundles_are_taken_apart_once_the_feed_file_says_how() {
    twice(|alive| {
        let place = Place::new(PER_FILE);
        let before = "settle = \"0s\"\nmax_quarantine_share = 0.5\nformat = \"json\"";
        place.edit("settle = \"0s\"", before);
        let record = |number: u64| {
            json!({"patient": format!("{}{number}", PLANTED[0]), "age": 5, "ward": "A1",
                   "diagnosis": format!("{}{number}", PLANTED[1]), "kind": "stay"})
        };
        let bundle = |numbers: std::ops::Range<u64>| {
            let mut records: Vec<Json> = numbers.map(record).collect();
            records.push(json!({"kind": "other", "patient": format!("{}1", PLANTED[0])}));
            format!("{}\n", json!({"entry": records}))
        };
        let alone: String = (0..40)
            .map(|number| format!("{}\n", record(number)))
            .collect();
        place.offer("0.jsonl", alone + &bundle(40..43) + &bundle(43..46));
        place.once();
        let aside = || place.done(&["quarantine", "feed.toml"]);
        assert_eq!(aside()["messages"], 2);
        place.edit(
            "format = \"json\"",
            "format = \"json\"\neach = \"$.entry[*]\"\nwhere = { \"$.kind\" = \"st*\" }",
        );
        let daemon = running(&place, alive);
        let answer = erase(&place, &format!("patient\n{}41\n", PLANTED[0]));
        let text = answer["text"].as_str().expect("a text");
        assert!(
            text.contains("1 of their messages that were set aside"),
            "{text}"
        );
        // What is left of one bundle are three records, one of which is not read.
        assert_eq!(aside()["messages"], 4);
        let answer = place.done(&["quarantine", "feed.toml", "--retry"]);
        assert_eq!(
            (&answer["count"], &answer["changed"]),
            (&7.into(), &5.into()),
            "{answer}"
        );
        ended(daemon);
        assert_eq!(aside()["messages"], 0);
        let wrong = format!("{}\n", json!({"entry": [record(50), {"kind": "stay"}, 7]}));
        place.offer("1.jsonl", bundle(46..49) + &wrong + "{}\n");
        let tick = place.once();
        let all = ["rows", "waiting", "withheld", "pending", "new"]
            .map(|name| tick[name].as_u64().expect("a number"));
        assert_eq!(all.iter().sum::<u64>(), 40 + 5 + 4, "{tick}");
        let listed = aside();
        let mut found: Vec<(&Json, &Json)> = Vec::new();
        for group in listed["groups"].as_array().expect("groups") {
            found.push((&group["first"], &group["element"]));
        }
        found.sort_by_key(|(_, element)| element.as_u64());
        assert_eq!(
            found,
            [(&json!(2), &json!(1)), (&json!(2), &json!(2))],
            "{listed}"
        );
        place.verified();
    });
}

/// A person who is erased is removed from set-aside messages too: offering them again later does
/// not add the person.
#[test]
fn an_erasure_reaches_what_is_set_aside() {
    twice(|alive| {
        let place = Place::new(PER_FILE);
        place.edit(
            "settle = \"0s\"",
            "settle = \"0s\"\nmax_quarantine_share = 0.5",
        );
        let elsewhere =
            |number: u64| format!("{}{number},5,C1,{}{number}\n", PLANTED[0], PLANTED[1]);
        let nameless = format!(",5,A1,{}46\n", PLANTED[1]);
        // An accepted person has a second row there, which would be a repeat.
        let rest: String = (40..46).chain([3]).map(elsewhere).collect();
        place.offer("0.csv", people(0..40) + &rest + &nameless);
        place.once();
        let aside = || place.done(&["quarantine", "feed.toml"])["messages"].as_u64();
        assert_eq!(aside(), Some(8));
        let daemon = running(&place, alive);
        let named = |number: u64| format!("{}{number}\n", PLANTED[0]);
        let answer = erase(
            &place,
            &format!("patient\n{}{}{}", named(41), named(3), named(99)),
        );
        let text = answer["text"].as_str().expect("a text");
        assert!(
            text.contains("2 of their messages that were set aside are destroyed"),
            "{text}"
        );
        assert_eq!(aside(), Some(6));
        place.put("ward.csv", GROWN);
        ended(daemon);
        let daemon = running(&place, alive);
        let answer = place.done(&["quarantine", "feed.toml", "--retry"]);
        assert_eq!(
            (&answer["count"], &answer["changed"]),
            (&6.into(), &5.into()),
            "{answer}"
        );
        ended(daemon);
        place.verified();
        let again = erase(&place, &format!("patient\n{}", named(41)));
        assert!(
            !again["text"]
                .as_str()
                .expect("a text")
                .contains("set aside"),
            "{again}"
        );
        assert_eq!(
            (&again["changed"], aside()),
            (&0.into(), Some(1)),
            "the person has not come back: {again}"
        );
    });
}

/// Halving derives labels from the whole taxonomy: there a missing value is added with a new chain,
/// and nothing else is recommended.
#[test]
fn a_value_that_is_lacking_begins_with_a_new_chain_where_labels_are_kept() {
    twice(|alive| {
        let place = Place::with(
            PER_FILE,
            "k = 3\nsearch = \"halves\"\nmin_solutions = 1\n",
            "",
        );
        let elsewhere: String = (40..46)
            .map(|number| format!("{}{number},5,C1,{}{number}\n", PLANTED[0], PLANTED[1]))
            .collect();
        place.offer("0.csv", people(0..40) + &elsewhere);
        // More than a hundredth of them is set aside.
        let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
        assert_eq!(code, 2, "{answer}");
        let halted = place.done(&["show", "feed.toml"])["halted"].to_string();
        assert!(halted.contains("Do what the reason says."), "{halted}");
        let listed = place.done(&["quarantine", "feed.toml"]);
        let text = listed["groups"][0]["text"].as_str().expect("a text");
        assert!(
            text.contains("tidegate new-chain") && !text.contains("new leaf"),
            "{text}"
        );
        // The advice for other chains is refused, with the reason.
        place.put("ward.csv", GROWN);
        let (code, answer) = place.json(&["quarantine", "feed.toml", "--retry"]);
        assert_eq!(
            (code, &answer["error"]["field"]),
            (2, &"column.ward.taxonomy".into()),
            "{answer}"
        );
        let text = answer["error"]["text"].as_str().expect("a text");
        assert!(
            text.contains("search = \"halves\"") && text.contains("tidegate new-chain"),
            "{text}"
        );
        place.done(&["new-chain", "feed.toml", "--reason", "a ward was added"]);
        // Before they are offered again the feed is halted, running or not.
        let daemon = alive.then(|| place.start());
        daemon.iter().for_each(|daemon| daemon.says("halted", 1));
        let answer = place.done(&["quarantine", "feed.toml", "--retry"]);
        assert_eq!(
            (&answer["count"], &answer["changed"]),
            (&6.into(), &6.into()),
            "{answer}"
        );
        daemon.iter().for_each(|daemon| daemon.says("recovered", 1));
        ended(daemon);
        place.offer("1.csv", HEADER.to_owned() + &person(50));
        let tick = place.once();
        let all = ["rows", "waiting", "withheld", "pending", "new"]
            .map(|name| tick[name].as_u64().expect("a number"));
        assert_eq!(all.iter().sum::<u64>(), 47, "{tick}");
        place.verified();
    });
}
