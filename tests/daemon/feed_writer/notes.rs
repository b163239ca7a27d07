//! Notes in the inbox that someone has copied, moved or made for another log: none is done, and
//! none twice.

use std::sync::Arc;

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::feed_writer::{FeedSettings, FeedWriter, Inbox, Request, RequestKind};
use tidegate::daemon::journal::store::{Memory, ReadStore as _, Store as _};
use tidegate::daemon::journal::{
    ApprovalRule, ApproverDecision, Entry, EntryBody, NamedApprover, RequestOrigin, Signed,
};
use tidegate::daemon::verify::{self, FileFault};
use tidegate::engine::release::{Layout, Sha256};

use super::draw::{CROWDS, Draw};
use super::feed::{crowd, feed, key, open, open_set, packed, settings, step, time};

/// A feed after some ticks.
fn begun(private: &Memory, public: &Memory, seed: u64) -> FeedWriter {
    let opened = open(
        &feed(CROWDS),
        Arc::new(private.clone()),
        Arc::new(public.clone()),
        seed,
        false,
    );
    let (mut writer, mut draw, mut known) = (opened.expect("a feed"), Draw(7), 0);
    for tick in 0..5 {
        step(&mut writer, tick, &crowd(&mut draw, &mut known)).expect("a tick");
    }
    writer
}

fn request(writer: &FeedWriter, release: u32, seed: u64) -> Request {
    let ask = RequestKind::Withdraw {
        release,
        republish: true,
    };
    let place = writer.log().place();
    Request::new(
        ask,
        "me".to_owned(),
        time(0),
        None,
        place,
        &mut Seeded::new(seed),
    )
    .expect("a request")
}

/// Puts it into the inbox; returns the note.
fn put(private: &Memory, writer: &FeedWriter, request: &Request) -> (String, Vec<u8>) {
    request
        .put(private, writer.log().ring(), &mut Seeded::new(99))
        .expect("an inbox");
    let path = format!("inbox/{}.request", request.wanted.request);
    let bytes = private.read(&path).expect("memory").expect("a note");
    (path, bytes)
}

fn inbox(writer: &mut FeedWriter) -> Inbox {
    writer
        .inbox(&|| Ok(feed(CROWDS)), &time(0))
        .expect("an inbox")
}

#[test]
fn a_copy_of_a_note_is_not_done_again() {
    let (private, public) = (Memory::default(), Memory::default());
    let mut writer = begun(&private, &public, 1);
    let newest = writer.state().releases.last().expect("a release").release;
    // One that is refused: there is no such release yet.
    let early = request(&writer, newest + 1, 2);
    let copies = [put(&private, &writer, &early)];
    let done = inbox(&mut writer);
    assert!(done.answers.len() == 1 && !done.answers[0].done, "{done:?}");
    // One that is done.
    let meant = request(&writer, newest, 3);
    let copies = [copies, [put(&private, &writer, &meant)]].concat();
    assert!(inbox(&mut writer).answers[0].done);
    for (path, bytes) in &copies {
        let says = String::from_utf8_lossy(bytes);
        assert!(
            !says.contains("withdraw") && !says.contains("me"),
            "{path} can be read"
        );
    }
    // Both releases are there again, and somebody puts the copies back.
    let (mut draw, mut known) = (Draw(8), 1000);
    for tick in 5..9 {
        step(&mut writer, tick, &crowd(&mut draw, &mut known)).expect("a tick");
    }
    assert!(writer.state().releases.last().expect("a release").release > newest);
    let before = writer.log().next();
    for (path, bytes) in &copies {
        private.create(path, bytes).expect("memory");
    }
    let mut answers = inbox(&mut writer).answers;
    answers.sort_by_key(|answer| answer.done);
    assert_eq!(answers.len(), 2);
    assert!(
        !answers[0].done && answers[0].text.contains("was refused before"),
        "{}",
        answers[0].text
    );
    assert_eq!(answers[1].text, "done already");
    assert_eq!(writer.log().next(), before, "an entry follows from a copy");
    // Nor under another name, nor after a start, which reads the log.
    let (path, bytes) = &copies[0];
    private
        .create(&path.replace(".request", "0.request"), bytes)
        .expect("memory");
    let done = inbox(&mut writer);
    assert!(done.answers.is_empty() && done.strange == 1, "{done:?}");
    let mut writer = begun_again(&private, &public);
    private.create(path, bytes).expect("memory");
    let answers = inbox(&mut writer).answers;
    assert!(
        !answers[0].done && answers[0].text.contains("was refused before"),
        "{}",
        answers[0].text
    );
}

fn begun_again(private: &Memory, public: &Memory) -> FeedWriter {
    open(
        &feed(CROWDS),
        Arc::new(private.clone()),
        Arc::new(public.clone()),
        50,
        false,
    )
    .expect("a feed")
}

#[test]
fn a_note_is_for_one_feed_at_one_place_of_its_log() {
    let (private, public) = (Memory::default(), Memory::default());
    let mut writer = begun(&private, &public, 1);
    let newest = writer.state().releases.last().expect("a release").release;
    // A copy of both roots, as a backup would restore them, and what was asked after it was made.
    let backup = (
        Memory::with(private.objects()),
        Memory::with(public.objects()),
    );
    writer.checkpoint().expect("a checkpoint");
    step(&mut writer, 5, &[]).expect("a tick");
    let later = request(&writer, newest, 4);
    let mut restored = begun_again(&backup.0, &backup.1);
    step(&mut restored, 5, &[]).expect("a tick");
    step(&mut restored, 6, &[]).expect("a tick");
    let elsewhere = Request {
        feed: "u".to_owned(),
        ..request(&restored, newest, 5)
    };
    for request in [later, elsewhere] {
        put(&backup.0, &restored, &request);
        let answers = inbox(&mut restored).answers;
        assert!(
            !answers[0].done && answers[0].text.contains("make it again"),
            "{}",
            answers[0].text
        );
    }
    // Of another feed with the same key of the operator, the note does not open at all.
    let (others, shown) = (Memory::default(), Memory::default());
    let other = begun(&others, &shown, 2);
    put(&private, &other, &request(&other, newest, 6));
    let done = inbox(&mut writer);
    assert!(done.answers.is_empty() && done.strange == 1, "{done:?}");
}

/// A root in which an entry holds a release, and another one then counts approvals otherwise.
fn held_by(rule: &ApprovalRule, then: &[(&str, u32)]) -> Vec<FileFault> {
    let (private, public) = (Memory::default(), Memory::default());
    let manual = || {
        open_set(
            &key(),
            &feed(CROWDS),
            Arc::new(private.clone()),
            Arc::new(public.clone()),
            1,
            FeedSettings {
                approval: Some(rule.clone()),
                ..settings(true)
            },
        )
    };
    let (mut writer, mut draw, mut known) = (manual().expect("a feed"), Draw(7), 0);
    for tick in 0..9 {
        if writer.state().held.is_none() {
            step(&mut writer, tick, &crowd(&mut draw, &mut known)).expect("a tick");
        }
    }
    let held = writer.state().held.clone().expect("a release waits");
    let (release, decision) = (held.approved.release(), held.decision);
    assert_eq!(held.rule, *rule);
    let (mut seq, mut last) = (writer.log().next(), writer.log().place().1.sha256);
    for (name, missing) in then {
        let key = rule
            .approvers
            .iter()
            .find(|approver| approver.name == *name)
            .map_or("3d", |_| name);
        let signed = rule.signs().then(|| Signed {
            name: (*name).to_owned(),
            key: key.repeat(32),
            signature: String::new(),
        });
        let wanted = RequestOrigin {
            request: format!("{seq}"),
            who: "me".to_owned(),
            when: time(0),
            why: None,
            signed,
        };
        let body = EntryBody::Approve(ApproverDecision {
            release,
            decision,
            wanted,
            missing: *missing,
        });
        let (epoch, writer_name) = (
            writer.log().writer().epoch,
            writer.log().writer().name.clone(),
        );
        let entry = Entry {
            seq,
            epoch,
            writer: writer_name,
            prev_sha256: Some(last),
            body,
            signature: String::new(),
        };
        let bytes = entry.signed(writer.log().ring());
        last = Sha256::of(&bytes);
        private.create(&Entry::path(seq), &bytes).expect("a place");
        seq += 1;
    }
    let (_, found) = verify::roots(
        &packed(&private),
        writer.log().ring(),
        &public,
        Layout::Root,
        &[],
    )
    .expect("roots");
    found.findings
}

#[test]
fn verify_counts_approvals_by_the_entry_that_holds_the_release() {
    let approvers = ["4c", "5d"]
        .map(|name| NamedApprover {
            name: name.to_owned(),
            key: name.repeat(32),
        })
        .to_vec();
    let rule = ApprovalRule {
        needed: 2,
        approvers,
    };
    let wrong = |then: &[(&str, u32)], text: &str| {
        let found = held_by(&rule, then);
        assert!(
            found.iter().any(|finding| finding.text.contains(text)),
            "{then:?}: {found:?}"
        );
    };
    wrong(&[("4c", 0)], "fewer people have approved");
    wrong(&[("4c", 1), ("4c", 0)], "fewer people have approved");
    wrong(&[("4c", 1), ("6e", 0)], "does not name this person");
    let found = held_by(&rule, &[("4c", 1), ("5d", 0)]);
    let counts = |finding: &FileFault| {
        !finding.text.contains("approved") && !finding.text.contains("name this person")
    };
    assert!(found.iter().all(counts), "{found:?}");
}
