//! The model against the daemon: a feed in memory and one writer of the model do the same in a
//! random order, including deaths between two steps of work, and write the same kinds of entries
//! and give the same answers.

use std::sync::Arc;

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::feed_writer::{
    DecisionMade, FeedWriter, Hash, Request, RequestKind as Asked,
};
use tidegate::daemon::journal::store::{Memory, Store};
use tidegate::daemon::journal::{Entry, KeyRing};
use tidegate::engine::histogram::Person;

use super::entry::Kind;
use super::explore::next;
use super::faults::Fault;
use super::world::{Answer, Ask, By, Note, Phase, Rules, Steps, World};
use crate::common::{draw, feed};

const RULES: Rules = Rules {
    asks: [Ask::Approve, Ask::Erase],
    starts: 7,
    doubts: 0,
    coins: false,
    packs: false,
    fault: Fault::None,
};
const NOW: &str = "2026-01-01T00:00:00Z";

/// Both, side by side.
struct Twins {
    world: World,
    private: Memory,
    public: Memory,
    writer: Option<FeedWriter>,
    requests: [Option<Request>; 2],
    manual: bool,
}

impl Twins {
    /// The possible steps of the model.
    fn steps(&self) -> Steps {
        let mut steps = Steps::new();
        next(&self.world, &RULES, &mut steps);
        steps
    }

    /// The model begins a step, and completes it.
    fn does(&mut self, then: World) {
        self.world = then;
        for _ in 0..20 {
            let writer = &self.world.writers[1];
            let busy = !matches!(writer.phase, Phase::Off | Phase::Ready);
            let steps = self.steps();
            let answer = steps
                .iter()
                .find(|(_, what, _)| *what == "answers that it was done");
            let next = if busy || writer.fold.closing().is_some() || writer.fold.leaving.is_some() {
                steps
                    .iter()
                    .find(|(by, _, _)| *by == By::Writer(writer.name))
            } else {
                answer
            };
            let Some((_, _, then)) = next else { return };
            self.world = *then;
        }
        panic!("the model comes to rest");
    }

    fn writer(&mut self) -> &mut FeedWriter {
        self.writer.as_mut().expect("it runs")
    }

    /// Does what the model does; `what` is its name in the model, `then` the world in which it has
    /// begun.
    fn follows(&mut self, what: &str, then: &World, draw: &mut draw::Draw) {
        let kind = then.writers[1].entry.kind();
        let tick = usize::from(self.world.writers[1].fold.ticks);
        match (what, kind) {
            ("starts and reads the log", _) => {
                let seed = draw.below(1 << 30);
                let stores: [Arc<dyn Store>; 2] = [
                    Arc::new(self.private.clone()),
                    Arc::new(self.public.clone()),
                ];
                let [private, public] = stores;
                let writer = feed::open(&feed::feed("k = 2"), private, public, seed, self.manual);
                self.writer = Some(writer.expect("a feed"));
                self.writer()
                    .roll_forward(NOW)
                    .expect("nothing is in the way");
            }
            ("dies", _) => self.writer = None,
            ("puts an object", Kind::Ingest) => {
                let file = then.writers[1].entry.subject();
                let people: Vec<feed::Human> =
                    (0..6).map(|at| (person(file, at), at % 2, 3, 1)).collect();
                self.writer()
                    .take(feed::taken(&format!("{file}.csv"), &people), NOW)
                    .expect("a file");
            }
            ("puts an object", Kind::Closed) => {
                _ = self.writer().close(&feed::time(tick)).expect("a tick")
            }
            ("asks", _) => self.asks(then),
            // The daemon handles no request before it has decided on the release that is due.
            _ if self.writer().state().due.is_some() => return self.decides(),
            _ => {
                _ = self
                    .writer()
                    .inbox(&|| Ok(feed::feed("k = 2")), NOW)
                    .expect("an inbox")
            }
        }
        self.does(*then);
    }

    /// The gate decides for both.
    fn decides(&mut self) {
        let decided = self
            .writer()
            .decide()
            .expect("a decision")
            .map(|(decided, ..)| decided);
        self.writer().leave(NOW).expect("nothing is in the way");
        let meant = match decided.expect("something was due") {
            DecisionMade::Publish => "stages a release",
            DecisionMade::Hold => "stages one to hold",
            DecisionMade::Reject | DecisionMade::Stop => "rejects one",
        };
        let steps = self.steps();
        let (_, _, then) = steps
            .iter()
            .find(|(_, what, _)| *what == meant)
            .expect("something is due");
        self.does(*then);
    }

    /// A person asks both.
    fn asks(&mut self, then: &World) {
        let new = |at: &usize| then.requests[*at].note != self.world.requests[*at].note;
        let number = (0..2).find(new).expect("a new request");
        let writer = self.writer.as_ref().expect("it runs");
        let ask = match &writer.state().held {
            Some(held) if number == 0 => Asked::Approve {
                release: held.approved.release(),
                decision: held.decision,
            },
            _ => Asked::Erase {
                people: vec![Hash(Person(person(0, 0)))],
                rows: false,
            },
        };
        let mut chance = Seeded::new(number as u64);
        let request = Request::new(
            ask,
            "me".to_owned(),
            NOW.to_owned(),
            None,
            writer.log().place(),
            &mut chance,
        );
        let request = request.expect("a request");
        let ring = writer.log().ring();
        request
            .put(&self.private, ring, &mut Seeded::new(number as u64 + 10))
            .expect("an inbox");
        self.requests[number] = Some(request);
    }

    /// Checks that both have written the same, and given the same answers.
    fn agree(&self, seed: u64) {
        let known = |at: u64| self.private.objects().get(&Entry::path(at)).cloned();
        let entries = (0..)
            .map_while(known)
            .map(|bytes| Entry::unproven(&bytes).expect("an entry").body);
        // A feed begins with its terms; the model has none, and no entry for a request that is
        // refused.
        let kinds: Vec<String> = entries
            .filter(|body| !["Chain", "Config", "Refused"].contains(&body.kind()))
            .map(|body| {
                match serde_json::to_value(&body).expect("JSON")["body"]["outcome"].as_str() {
                    Some(outcome) if body.kind() == "Decision" => outcome.to_owned(),
                    _ => body.kind().to_lowercase(),
                }
            })
            .collect();
        let meant: Vec<String> = self
            .world
            .log
            .entries()
            .map(|(_, entry)| format!("{:?}", entry.kind()).to_lowercase())
            .collect();
        assert_eq!(kinds, meant, "seed {seed}");
        for (request, meant) in self.requests.iter().zip(&self.world.requests) {
            let ring = KeyRing::open(&self.private, &feed::key()).expect("keys");
            let answer = request.as_ref().zip(ring).and_then(|(request, ring)| {
                request.answer(&self.private, &ring).expect("an answer")
            });
            let answer = answer.map_or(Answer::None, |answer| {
                if answer.done {
                    Answer::Done
                } else {
                    Answer::Refused
                }
            });
            assert_eq!(answer, meant.answer, "seed {seed}");
        }
    }
}

fn person(file: u8, at: u32) -> u128 {
    u128::from(file) * 100 + u128::from(at) + 1
}

/// Steps that are done at once, by the model's name of the first one.
const WORK: [&str; 5] = [
    "starts and reads the log",
    "puts an object",
    "stages a release",
    "approves",
    "finds nothing to approve",
];

#[test]
fn the_daemon_writes_what_the_model_writes() {
    let mut reported = [0; 3];
    for seed in 0..120 {
        let mut draw = draw::Draw(seed);
        let (private, public) = (Memory::default(), Memory::default());
        let (requests, manual) = ([None, None], seed % 4 > 0);
        let mut twins = Twins {
            world: World::default(),
            private,
            public,
            writer: None,
            requests,
            manual,
        };
        for _ in 0..30 {
            let (runs, asked) = (
                twins.writer.is_some(),
                twins
                    .world
                    .requests
                    .iter()
                    .any(|asked| asked.note == Note::Lies),
            );
            let may = |(by, what, _): &&(By, &str, World)| match by {
                By::Crash(_) => draw.below(3) == 0,
                By::Person => runs && !asked,
                // A running writer is not joined by another one.
                _ => WORK.contains(what) && !(runs && *what == WORK[0]),
            };
            let steps: Steps = twins.steps().iter().filter(may).copied().collect();
            let chosen = draw.below(steps.len().max(1) as u64) as usize;
            match steps.get(chosen) {
                None => continue,
                Some((_, "stages a release", _)) => twins.decides(),
                Some((_, what, then)) => twins.follows(what, then, &mut draw),
            }
            twins.agree(seed);
        }
        for (reported, meant) in
            reported
                .iter_mut()
                .zip([(0, Answer::Done), (0, Answer::Refused), (1, Answer::Done)])
        {
            *reported += u32::from(twins.world.requests[meant.0].answer == meant.1);
        }
    }
    println!("approved, refused, erased: {reported:?}");
    // A refusal is rare: a due release is decided before a request is handled.
    let [approved, _, erased] = reported;
    assert!(
        approved > 0 && erased > 0,
        "approved, refused, erased: {reported:?}"
    );
}
