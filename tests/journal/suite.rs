//! The requirements for every store, check by check. Each is given a store without objects, and
//! does not know its kind.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tidegate::daemon::journal::store::{CreateOutcome, PutOutcome, Store, put, put_all};

/// A check with its name.
pub type Check = (&'static str, fn(&dyn Store));

/// All checks.
pub const CHECKS: &[Check] = &[
    ("what is absent", absent),
    ("created once", once),
    ("eight race for a name", race),
    ("empty and large", sizes),
    ("listed in order and by folder", listed),
    ("deleted twice", deleted),
    ("replaced as a whole", replaced),
    ("ours and theirs", ours),
    ("several at once", several),
    ("folders in folders", deep),
    ("paths that are none", strange),
];

fn text(store: &dyn Store, path: &str) -> Option<String> {
    store
        .read(path)
        .expect("a read")
        .map(|bytes| String::from_utf8(bytes).expect("text"))
}

fn paths(store: &dyn Store, prefix: &str) -> Vec<String> {
    store
        .list(prefix)
        .expect("a listing")
        .into_iter()
        .map(|listed| listed.path)
        .collect()
}

fn make(store: &dyn Store, path: &str, bytes: &str) {
    assert_eq!(
        store.create(path, bytes.as_bytes()).expect("a create"),
        CreateOutcome::Made,
        "{path}"
    );
}

fn absent(store: &dyn Store) {
    assert_eq!(text(store, "a"), None);
    assert_eq!(text(store, "a/b/c"), None);
    assert!(paths(store, "").is_empty());
    assert!(paths(store, "a/b").is_empty());
    make(store, "a/b", "1");
    // A path with objects below it is not an object.
    assert_eq!(text(store, "a"), None);
    assert_eq!(text(store, "a/c"), None);
}

fn once(store: &dyn Store) {
    make(store, "log/0/1.json", "first");
    for bytes in ["second", "first", ""] {
        assert_eq!(
            store
                .create("log/0/1.json", bytes.as_bytes())
                .expect("a create"),
            CreateOutcome::Exists
        );
    }
    assert_eq!(text(store, "log/0/1.json").as_deref(), Some("first"));
    assert_eq!(paths(store, ""), ["log/0/1.json"]);
}

fn race(store: &dyn Store) {
    const WRITERS: usize = 8;
    for round in 0..40 {
        // Two writers may create new folders at the same time, too.
        let path = format!("log/{round}/slot");
        let bytes = |writer: usize| format!("{writer}").repeat(5000 + writer);
        let together = Barrier::new(WRITERS);
        let one = |writer: usize| {
            together.wait();
            store
                .create(&path, bytes(writer).as_bytes())
                .expect("a create")
        };
        let created: Vec<CreateOutcome> = thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| scope.spawn(move || one(writer)))
                .collect();
            writers
                .into_iter()
                .map(|writer| writer.join().expect("a writer"))
                .collect()
        });
        let winners: Vec<usize> = (0..WRITERS)
            .filter(|writer| created[*writer] == CreateOutcome::Made)
            .collect();
        assert_eq!(winners.len(), 1, "round {round}: {created:?}");
        assert!(
            created
                .iter()
                .all(|created| *created != CreateOutcome::Unknown)
        );
        assert_eq!(text(store, &path), Some(bytes(winners[0])), "round {round}");
    }
}

fn sizes(store: &dyn Store) {
    make(store, "empty", "");
    assert_eq!(text(store, "empty").as_deref(), Some(""));
    let large: Vec<u8> = (0..20_000_000u32)
        .map(|at| (at ^ (at >> 11)) as u8)
        .collect();
    assert_eq!(
        store.create("large", &large).expect("a create"),
        CreateOutcome::Made
    );
    assert!(store.read("large").expect("a read").expect("it is there") == large);
    let sizes: Vec<u64> = store
        .list("")
        .expect("a listing")
        .into_iter()
        .map(|listed| listed.size)
        .collect();
    assert_eq!(sizes, [0, 20_000_000]);
}

fn listed(store: &dyn Store) {
    let all = [
        "a-b", "a.b/c", "a/b-c", "a/b/1", "a/b/10", "a/b/2/3", "a/bc", "a/bc2/1", "a_b", "b",
    ];
    for path in all.iter().rev() {
        make(store, path, path);
    }
    assert_eq!(paths(store, ""), all);
    assert_eq!(paths(store, "a/b"), ["a/b/1", "a/b/10", "a/b/2/3"]);
    assert_eq!(paths(store, "a/bc"), ["a/bc"]);
    assert_eq!(paths(store, "a/b/2"), ["a/b/2/3"]);
    assert_eq!(paths(store, "a/b/2/3"), ["a/b/2/3"]);
    assert!(paths(store, "a/b/2/3/4").is_empty());
    assert!(paths(store, "a/b/20").is_empty());
    assert!(
        store
            .list("")
            .expect("a listing")
            .iter()
            .all(|listed| listed.size == listed.path.len() as u64)
    );
}

fn deleted(store: &dyn Store) {
    make(store, "keys/1/a.wrap", "key");
    make(store, "keys/1/b.wrap", "key");
    for _ in 0..2 {
        store.delete("keys/1/a.wrap").expect("a delete");
        assert_eq!(text(store, "keys/1/a.wrap"), None);
    }
    store.delete("never/there").expect("a delete");
    assert_eq!(paths(store, ""), ["keys/1/b.wrap"]);
    make(store, "keys/1/a.wrap", "another");
    assert_eq!(text(store, "keys/1/a.wrap").as_deref(), Some("another"));
}

fn replaced(store: &dyn Store) {
    let content = |round: u8| vec![b'a' + round % 26; 40_000 + usize::from(round) * 100];
    store
        .replace("some/LATEST", &content(0))
        .expect("a replace");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = || {
            let mut seen = 0;
            while !done.load(Ordering::Relaxed) || seen == 0 {
                let bytes = store
                    .read("some/LATEST")
                    .expect("a read")
                    .expect("one is always there");
                let round = bytes[0] - b'a';
                assert!(
                    (0..40u8).any(|at| at % 26 == round && content(at) == bytes),
                    "half of an object"
                );
                seen += 1;
            }
        };
        let readers = [scope.spawn(reader), scope.spawn(reader)];
        (0..40).for_each(|round| {
            store
                .replace("some/LATEST", &content(round))
                .expect("a replace")
        });
        done.store(true, Ordering::Relaxed);
        readers
            .into_iter()
            .for_each(|reader| reader.join().expect("a reader"));
    });
    assert_eq!(
        store.read("some/LATEST").expect("a read"),
        Some(content(39))
    );
    assert_eq!(paths(store, ""), ["some/LATEST"]);
}

fn ours(store: &dyn Store) {
    assert_eq!(
        put(store, "log/1", b"mine").expect("a put"),
        PutOutcome::Ours
    );
    assert_eq!(
        put(store, "log/1", b"mine").expect("a put"),
        PutOutcome::Ours
    );
    assert_eq!(
        put(store, "log/1", b"other").expect("a put"),
        PutOutcome::Theirs
    );
    assert_eq!(text(store, "log/1").as_deref(), Some("mine"));
}

fn several(store: &dyn Store) {
    let objects = |mark: &str| -> Vec<(String, Vec<u8>)> {
        (0..50)
            .map(|at| {
                (
                    format!("seg/{}/{at:02}", at % 5),
                    format!("{mark}{at}").repeat(at).into_bytes(),
                )
            })
            .collect()
    };
    assert_eq!(store.create_all(&[]).expect("nothing to create"), []);
    make(store, "seg/3/13", "in the way");
    let created = store.create_all(&objects("x")).expect("a create");
    for (at, created) in created.iter().enumerate() {
        assert_eq!(
            *created,
            if at == 13 {
                CreateOutcome::Exists
            } else {
                CreateOutcome::Made
            },
            "{at}"
        );
    }
    assert_eq!(text(store, "seg/3/13").as_deref(), Some("in the way"));
    assert!(put_all(store, &objects("x")).is_err());
    store.delete("seg/3/13").expect("a delete");
    put_all(store, &objects("x")).expect("a put");
    put_all(store, &objects("x")).expect("the same again");
    assert!(put_all(store, &objects("y")).is_err());
    for (path, bytes) in objects("x") {
        assert!(
            store.read(&path).expect("a read").expect("it is there") == bytes,
            "{path}"
        );
    }
    assert_eq!(paths(store, "").len(), 50);
}

fn deep(store: &dyn Store) {
    let path = "a/b/c/d/e/f/g/h/i/j/k";
    make(store, path, "deep");
    make(store, "a/b/c/d/e/f/other", "on the way");
    assert_eq!(text(store, path).as_deref(), Some("deep"));
    assert_eq!(
        paths(store, "a/b/c/d/e/f"),
        ["a/b/c/d/e/f/g/h/i/j/k", "a/b/c/d/e/f/other"]
    );
    store.delete(path).expect("a delete");
    assert_eq!(paths(store, ""), ["a/b/c/d/e/f/other"]);
}

fn strange(store: &dyn Store) {
    for path in [
        "", "/", "/a", "a/", "a//b", ".", "..", "a/../b", ".new/a", "a/.b", "a b", "ä", "a\0b",
        "a\\b",
    ] {
        assert!(store.create(path, b"1").is_err(), "{path:?} was created");
        assert!(store.read(path).is_err(), "{path:?} was read");
        assert!(store.delete(path).is_err(), "{path:?} was deleted");
        assert!(store.replace(path, b"1").is_err(), "{path:?} was replaced");
    }
    assert!(paths(store, "").is_empty());
}
