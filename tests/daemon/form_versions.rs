//! Roots that contain something in the format of another version of the program: a start refuses it
//! by its name, `verify` says the same, and nothing in the roots is changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::error::{Error, Result};
use tidegate::daemon::feed_writer::FeedWriter;
use tidegate::daemon::journal::store::{Memory, Store};
use tidegate::daemon::journal::{
    CheckedEntry, Config, Entry, EntryBody, Erase, Fence, KeyRing, Log, Moved, NewEntry,
    ObjectReader, Ref, RequestOrigin, read,
};
use tidegate::daemon::verify::{self, FileFault, Private};
use tidegate::engine::release::{Layout, Sha256};

use crate::common::draw::{CROWDS, Draw};
use crate::common::feed::{crowd, feed, key, open, packed, step, taken, time};

/// Both roots.
#[derive(Clone)]
struct Roots {
    private: Memory,
    public: Memory,
}

impl Roots {
    /// A feed after some ticks, with rows that wait for the next one. Without checkpoints, so that
    /// a start reads the whole log.
    fn after_ticks(policy: &str) -> Roots {
        let roots = Roots {
            private: Memory::default(),
            public: Memory::default(),
        };
        let mut writer = roots.open(policy, 1).expect("a feed");
        let (mut draw, mut known) = (Draw(7), 0);
        for tick in 0..5 {
            step(&mut writer, tick, &crowd(&mut draw, &mut known)).expect("a tick");
        }
        writer
            .take(taken("rest.csv", &crowd(&mut draw, &mut known)), &time(6))
            .expect("rows");
        let mut private = roots.private.objects();
        private.retain(|path, _| !path.starts_with("checkpoint/"));
        Roots {
            private: Memory::with(private),
            public: roots.public,
        }
    }

    fn open(&self, policy: &str, seed: u64) -> Result<FeedWriter> {
        open(
            &feed(policy),
            Arc::new(self.private.clone()),
            Arc::new(self.public.clone()),
            seed,
            false,
        )
    }

    /// Another copy of them.
    fn copy(&self) -> Roots {
        Roots {
            private: Memory::with(self.private.objects()),
            public: Memory::with(self.public.objects()),
        }
    }

    fn ring(&self) -> KeyRing {
        KeyRing::open(&packed(&self.private), &key())
            .expect("keys")
            .expect("keys")
    }

    fn entries(&self) -> Vec<CheckedEntry> {
        read(&packed(&self.private), &self.ring(), 0, None).expect("a log")
    }

    /// Another writer, which has appended its fence.
    fn writer(&self) -> Log {
        let store: Arc<dyn Store> = Arc::new(packed(&self.private));
        let entries = self.entries();
        let last = entries.last().expect("an entry");
        let chance = Box::new(Seeded::new(99));
        let log = Log::behind(
            store,
            self.ring(),
            chance,
            Some("w".to_owned()),
            Some(&last.entry),
            Some(last.sha256),
        );
        let mut log = log.expect("a writer");
        log.append(Fence {
            time: time(7),
            program: "99.0.0".to_owned(),
        })
        .expect("a fence");
        log
    }

    fn verified(&self) -> Vec<FileFault> {
        let private = packed(&self.private);
        let ring = match KeyRing::open(&private, &key()) {
            Ok(ring) => ring.expect("keys"),
            Err(error) => {
                return Private::unopened(error)
                    .expect("an object of the root")
                    .findings;
            }
        };
        let found = verify::roots(&private, &ring, &self.public, Layout::Root, &[]);
        let (seen, found) = found.expect("roots");
        found.findings.into_iter().chain(seen.findings).collect()
    }

    /// The error of a start, which must be the one of `verify`, and must leave everything
    /// unchanged.
    fn refused(&self, policy: &str, what: &str) -> Error {
        let before = (self.private.objects(), self.public.objects());
        let Err(error) = self.open(policy, 3) else {
            panic!("{policy}: {what} is not refused")
        };
        assert!(
            before == (self.private.objects(), self.public.objects()),
            "{policy}: {what}: the roots were changed"
        );
        let found = self.verified();
        let says = |finding: &FileFault| {
            error.text.contains(&finding.text) || finding.text.contains(&error.text)
        };
        assert!(
            found.iter().any(says),
            "{policy}: {what}: `verify` does not say `{error}`: {found:?}"
        );
        error
    }
}

fn origin() -> RequestOrigin {
    RequestOrigin {
        request: "r".to_owned(),
        who: "me".to_owned(),
        when: time(7),
        why: None,
        signed: None,
    }
}

/// An entry that replaces another object by this one.
fn moved(old: &Ref, new: Ref) -> Erase {
    let moved = vec![Moved::to(old.path.clone(), new)];
    let (asked, erased, published, unknown, dissolved, waits_again) = (0, 0, 0, 0, 0, false);
    Erase {
        wanted: origin(),
        asked,
        erased,
        published,
        unknown,
        dissolved,
        waits_again,
        moved,
        rows: None,
    }
}

/// The newest object of each kind that entries name, as it was sealed.
fn newest(roots: &Roots) -> BTreeMap<&'static str, (Ref, Vec<u8>)> {
    let (store, ring, mut found) = (packed(&roots.private), roots.ring(), BTreeMap::new());
    for CheckedEntry { entry, .. } in roots.entries() {
        let kind = match &entry.body {
            EntryBody::Chain(_) => "the terms of a chain",
            EntryBody::Ingest(_) => "the rows of a batch",
            EntryBody::Closed(_) => "the atoms of a tick",
            EntryBody::Masked(_) => "the counts of a tick",
            _ => continue,
        };
        if let Some(object) = entry.body.objects().first()
            && let Some(content) = ObjectReader::new(&store, &ring)
                .read(object)
                .expect("a sealed object")
        {
            found.insert(kind, ((*object).clone(), content.to_vec()));
        }
    }
    found
}

#[test]
fn a_form_that_is_too_new_or_too_old_is_refused_by_its_name() {
    let mut seen = std::collections::BTreeSet::new();
    for policy in ["k = 3", CROWDS] {
        let roots = Roots::after_ticks(policy);
        assert_eq!(roots.verified(), Vec::new(), "{policy}");
        for (kind, (old, content)) in newest(&roots) {
            for (version, says) in [
                (content[0] + 7, "a newer tidegate wrote it"),
                (0, "use the tidegate that wrote it"),
            ] {
                let other = roots.copy();
                let mut log = other.writer();
                let folder = old.path.split('/').next().expect("a folder");
                let new = log
                    .keep(folder, &[&[version], &content[1..]].concat().into())
                    .expect("an object");
                let entry: NewEntry = match kind {
                    "the terms of a chain" => Config {
                        time: time(7),
                        terms: Some(new),
                        services: Sha256::of(b""),
                    }
                    .into(),
                    "the coin of a tick" => continue,
                    _ => moved(&old, new).into(),
                };
                log.append(entry).expect("an entry");
                let error = other.refused(policy, kind);
                assert!(
                    error.text.contains(kind) && error.text.contains(says),
                    "{policy}: {kind}: {error}"
                );
                assert!(
                    error.text.contains(&format!("format version {version}.")),
                    "{policy}: {kind}: {error}"
                );
                seen.insert(kind);
            }
        }
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}

#[test]
fn an_entry_of_a_newer_version_is_refused_as_such() {
    for policy in ["k = 3", CROWDS] {
        let roots = Roots::after_ticks(policy);
        let log = roots.writer();
        let (seq, prev, ring) = (log.next(), log.head(), roots.ring());
        let fence = EntryBody::Fence(Fence {
            time: time(7),
            program: "99.0.0".to_owned(),
        });
        let (writer, epoch) = (log.writer().name.clone(), log.writer().epoch);
        let entry = Entry {
            seq,
            epoch,
            writer,
            prev_sha256: prev,
            body: fence,
            signature: String::new(),
        };
        let text = String::from_utf8(entry.bytes()).expect("text");
        for (old, new) in [
            ("\"Fence\"", "\"Moat\""),
            ("\"program\":", "\"depth\":3,\"program\":"),
        ] {
            let other = roots.copy();
            let unsigned = text.replace(old, new);
            assert_ne!(unsigned, text);
            let code = ring.sign(unsigned.as_bytes());
            let signed = unsigned.replace("\"signature\":\"", &format!("\"signature\":\"{code}"));
            other
                .private
                .create(&Entry::path(seq), signed.as_bytes())
                .expect("a place");
            let error = other.refused(policy, new);
            assert!(
                error
                    .text
                    .contains("a newer version of tidegate wrote it: use that version"),
                "{error}"
            );
            assert!(error.to_string().contains(&Entry::path(seq)), "{error}");
        }
    }
}

#[test]
fn a_root_of_another_version_is_refused_as_such() {
    let roots = Roots::after_ticks("k = 3");
    let format = String::from_utf8(roots.private.objects()["FORMAT"].clone()).expect("text");
    let (before, rest) = format.split_once("\"tidegate\":").expect("a number");
    let number = rest.split_once(',').expect("a number").0;
    for (other, says) in [
        ("5", "newer version of tidegate"),
        ("3", "written by tidegate 0.3"),
        ("2", "written by tidegate 0.2"),
        ("1", "written by tidegate 0.1 or 0.2"),
        ("0", "not a private root of tidegate"),
    ] {
        let mut private = roots.private.objects();
        let text = format!("{before}\"tidegate\":{other}{}", &rest[number.len()..]);
        private.insert("FORMAT".to_owned(), text.into_bytes());
        let changed = Roots {
            private: Memory::with(private),
            public: roots.public.clone(),
        };
        let error = changed.refused("k = 3", "FORMAT");
        assert!(error.text.contains(says), "{error}");
    }
}

/// Readers of the public root too.
#[test]
fn a_manifest_of_another_version_is_refused_as_such() {
    let roots = Roots::after_ticks("k = 3");
    let mut public = roots.public.objects();
    let (path, bytes) = public
        .iter()
        .find(|(path, _)| path.starts_with("manifest/"))
        .expect("a manifest");
    let text = String::from_utf8(bytes.clone()).expect("text").replacen(
        "\"schema\": 2",
        "\"schema\": 3,\n  \"depth\": 3",
        1,
    );
    let path = path.clone();
    assert!(text.contains("\"schema\": 3"), "{text}");
    public.insert(path.clone(), text.into_bytes());
    let changed = Roots {
        private: roots.private.clone(),
        public: Memory::with(public),
    };
    let found = changed.verified();
    let names = |finding: &FileFault| {
        finding.text.contains("a manifest of version 3") && finding.file == path
    };
    assert!(found.iter().any(names), "{found:?}");
}
