//! Every kind of store goes through the suite, and a bucket is called from every kind of thread.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use tidegate::daemon::config::Root;
use tidegate::daemon::error::ErrorCategory;
use tidegate::daemon::journal::store::{
    Bucket, BucketTimeouts, CreateOutcome, Local, Memory, Packs, ReadStore as _, Store, open,
};

use super::server::{Server, bucket, variables};
use super::suite::CHECKS;

/// Runs every check on a store of its own, named after the check.
fn check(kind: &str, fresh: impl Fn(&str) -> Box<dyn Store>) {
    for (name, check) in CHECKS {
        let begun = Instant::now();
        check(fresh(&name.replace(' ', "-")).as_ref());
        println!("{kind}: {name}: {:?}", begun.elapsed());
    }
}

#[test]
fn memory() {
    check("memory", |_| Box::new(Memory::default()));
    check("packs over memory", |_| {
        Box::new(Packs::over(Arc::new(Memory::default())))
    });
}

#[test]
fn folders() {
    let place = tempfile::tempdir().expect("a folder");
    check("private folder", |name| {
        Box::new(Local::private(&place.path().join("private").join(name)).expect("a store"))
    });
    check("public folder", |name| {
        Box::new(Local::public(&place.path().join("public").join(name)).expect("a store"))
    });
}

#[test]
fn buckets() {
    let Some(server) = Server::start() else {
        return;
    };
    check("bucket", |name| {
        Box::new(bucket(server.address, name, BucketTimeouts::default()))
    });
    from_anywhere(&server);
    pages(&server);
    refusals(&server);
}

/// From a plain thread (everywhere else), from another runtime's threads, and from rayon's.
fn from_anywhere(server: &Server) {
    let store = Arc::new(bucket(
        server.address,
        "anywhere",
        BucketTimeouts::default(),
    ));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .expect("a runtime");
    let there = Arc::clone(&store);
    let made = runtime.block_on(async move {
        tokio::task::spawn_blocking(move || there.create("a/blocking", b"1"))
            .await
            .expect("it ended")
    });
    assert_eq!(made.expect("a create"), CreateOutcome::Made);
    let made: Vec<CreateOutcome> = (0..16)
        .into_par_iter()
        .map(|at| store.create(&format!("b/{at}"), b"1").expect("a create"))
        .collect();
    assert_eq!(made, [CreateOutcome::Made; 16]);
    assert_eq!(store.list("").expect("a listing").len(), 17);
    // The last one may be dropped where waiting is not permitted.
    runtime.block_on(async move { drop(store) });
}

/// Listings that take several answers.
fn pages(server: &Server) {
    let store = bucket(server.address, "pages", BucketTimeouts::default());
    let objects: Vec<_> = (0..1100)
        .map(|at| (format!("log/{at:04}"), Vec::new()))
        .collect();
    assert!(
        store
            .create_all(&objects)
            .expect("a create")
            .iter()
            .all(|created| *created == CreateOutcome::Made)
    );
    let paths: Vec<String> = store
        .list("log")
        .expect("a listing")
        .into_iter()
        .map(|listed| listed.path)
        .collect();
    assert!(paths.iter().eq(objects.iter().map(|(path, _)| path)));
}

/// The error texts for an operator, which contain no secret.
fn refusals(server: &Server) {
    let short = Duration::from_millis(100);
    let patience = BucketTimeouts {
        connect: short,
        answer: short * 10,
        pause: short / 10,
        give_up: short,
    };
    let silent = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|free| free.local_addr())
        .expect("a free port");
    for (url, address, patience, words) in [
        (
            "s3://no-such-bucket/a",
            server.address,
            BucketTimeouts::default(),
            "there is no such bucket",
        ),
        ("s3://bucket/a", silent, patience, "it does not answer"),
        (
            "s3://bucket/a?b",
            server.address,
            BucketTimeouts::default(),
            "is not the place of a store",
        ),
    ] {
        let error = Bucket::open_with(url, &variables(address), patience).expect_err(url);
        let said = format!("{error:?} {error}");
        assert!(said.contains(words), "{said}");
        assert!(
            !said.contains("planted-secret") && !said.contains("somebody"),
            "{said}"
        );
    }
}

#[test]
fn the_door_opens_folders_by_what_is_in_them() {
    let place = tempfile::tempdir().expect("a folder");
    let mode = |path: &Path| {
        std::os::unix::fs::PermissionsExt::mode(
            &std::fs::metadata(path).expect("it is there").permissions(),
        ) & 0o777
    };
    for (name, private, folder, file) in [
        ("private", true, 0o700, 0o600),
        ("public", false, 0o755, 0o644),
    ] {
        let root = place.path().join("new").join(name);
        let store = open(&Root::Directory(root.clone()), private).expect("a store");
        store.create("data/1", b"1").expect("a create");
        assert_eq!(
            (mode(&root.join("data")), mode(&root.join("data/1"))),
            (folder, file)
        );
    }
    let error = open(&Root::Bucket("s3://a/../b".to_owned()), true)
        .map(|store| store.place())
        .expect_err("no place");
    assert_eq!(error.kind, ErrorCategory::Feed);
}
