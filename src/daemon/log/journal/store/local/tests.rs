//! What only a folder can get wrong: who may read, what a crash leaves, links, and the lock.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::{TempDir, tempdir};

use super::*;

fn place() -> (TempDir, PathBuf) {
    let place = tempdir().expect("a folder");
    let root = place.path().join("root");
    (place, root)
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path)
        .expect("it is there")
        .permissions()
        .mode()
        & 0o7777
}

fn aside(root: &Path) -> usize {
    fs::read_dir(root.join(".new"))
        .expect("the folder for temporaries")
        .count()
}

#[test]
fn modes_are_set() {
    for (name, folders, files) in [("private", 0o700, 0o600), ("public", 0o755, 0o644)] {
        let (_place, root) = place();
        let local = if name == "private" {
            Local::private(&root)
        } else {
            Local::public(&root)
        }
        .expect("a store");
        local.create("a/b/made", b"1").expect("a create");
        local.replace("a/replaced", b"1").expect("a replace");
        local
            .create_all(&[("a/1".to_owned(), vec![]), ("a/2".to_owned(), vec![])])
            .expect("a create");
        let _lock = local.lock().expect("a lock").expect("it is free");
        for folder in ["", "a", "a/b"] {
            assert_eq!(mode(&root.join(folder)), folders, "{name} {folder:?}");
        }
        for file in ["a/b/made", "a/replaced", "a/1", "a/2"] {
            assert_eq!(mode(&root.join(file)), files, "{name} {file}");
        }
        assert_eq!(
            (mode(&root.join(".new")), mode(&root.join("lock"))),
            (0o700, 0o600),
            "{name}"
        );
        assert_eq!(aside(&root), 0);
    }
}

#[test]
fn modes_are_set_whatever_the_umask_is() {
    let program = std::env::current_exe().expect("this program");
    for umask in ["000", "022", "077"] {
        // In a process of its own, since a process has one umask for all its threads.
        let test = concat!(module_path!(), "::modes_are_set");
        let test = test.split_once("::").map_or(test, |(_, test)| test);
        let run = Command::new("sh")
            .args(["-c", &format!("umask {umask}; exec \"$0\" --exact {test}")])
            .arg(&program)
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(
            run.status.success() && said.contains("1 passed"),
            "umask {umask}: {said}"
        );
    }
}

#[test]
fn a_private_root_that_others_may_use_is_refused() {
    for wrong in [0o755, 0o750, 0o740, 0o720, 0o704, 0o702, 0o701] {
        let (_place, root) = place();
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&root)
            .expect("a folder");
        fs::set_permissions(&root, fs::Permissions::from_mode(wrong)).expect("a mode");
        let error = Local::private(&root).expect_err("other accounts can access");
        assert!(error.to_string().contains("`chmod 700` it"), "{error}");
        assert_eq!(
            fs::read_dir(&root).expect("a folder").count(),
            0,
            "something was written"
        );
        Local::public(&root).expect("a public root may be read");
        assert_eq!(mode(&root), wrong, "the operator's mode was changed");
    }
}

#[test]
fn a_public_folder_is_opened_to_readers_after_a_crash() {
    let (_place, root) = place();
    Local::public(&root).expect("a store");
    fs::DirBuilder::new()
        .mode(0o700)
        .create(root.join("data"))
        .expect("a folder");
    Local::public(&root)
        .expect("a store")
        .create("data/1", b"1")
        .expect("a create");
    assert_eq!(mode(&root.join("data")), 0o755);
}

#[test]
fn what_a_crash_left_is_removed_and_nothing_else() {
    let (_place, root) = place();
    let local = Local::private(&root).expect("a store");
    local.create("a", b"1").expect("a create");
    fs::write(root.join(".new/4711-0"), b"half").expect("a file");
    let writing = local.aside.write(b"whole").expect("a temporary");
    let _other = Local::private(&root).expect("a store");
    assert_eq!(
        aside(&root),
        1,
        "what is being written stays, what a crash left goes"
    );
    assert!(writing.link(&local.root, "b").expect("a link"));
    drop(writing);
    assert_eq!(aside(&root), 0);
    assert_eq!(
        local.read("b").expect("a read").as_deref(),
        Some(&b"whole"[..])
    );
    let listed: Vec<String> = local
        .list("")
        .expect("a listing")
        .into_iter()
        .map(|listed| listed.path)
        .collect();
    assert_eq!(listed, ["a", "b"]);
}

#[test]
fn names_of_temporaries_that_are_taken_are_passed_over() {
    let (_place, root) = place();
    let local = Local::private(&root).expect("a store");
    fs::write(
        root.join(format!(".new/{}-0", std::process::id())),
        b"another's",
    )
    .expect("a file");
    assert_eq!(
        local.create("a", b"mine").expect("a create"),
        CreateOutcome::Made
    );
    assert_eq!(
        local.read("a").expect("a read").as_deref(),
        Some(&b"mine"[..])
    );
}

#[test]
fn links_are_not_followed() {
    let (place, root) = place();
    let (outside, secret) = (
        place.path().join("outside"),
        place.path().join("outside/secret"),
    );
    fs::create_dir(&outside).expect("a folder");
    fs::write(&secret, b"secret").expect("a file");
    let local = Local::private(&root).expect("a store");
    symlink(&secret, root.join("leaf")).expect("a link");
    symlink(&outside, root.join("folder")).expect("a link");
    symlink(place.path().join("nowhere"), root.join("dangling")).expect("a link");
    for path in ["leaf", "folder/secret", "folder/new"] {
        assert!(local.read(path).is_err(), "{path} was read");
    }
    assert_eq!(
        local.create("leaf", b"1").expect("a create"),
        CreateOutcome::Exists
    );
    assert_eq!(
        local.create("dangling", b"1").expect("a create"),
        CreateOutcome::Exists
    );
    assert!(local.create("folder/new", b"1").is_err());
    assert!(local.delete("folder/secret").is_err());
    assert!(local.list("").expect("a listing").is_empty());
    assert!(local.list("leaf").expect("a listing").is_empty());
    local.replace("leaf", b"1").expect("a replace");
    assert_eq!(
        local.read("leaf").expect("a read").as_deref(),
        Some(&b"1"[..])
    );
    local.delete("dangling").expect("a delete");
    assert_eq!(fs::read(&secret).expect("it is there"), b"secret");
    assert!(!place.path().join("nowhere").exists());
}

#[test]
fn what_is_no_file_is_refused_without_waiting_for_it() {
    let (_place, root) = place();
    let local = Local::private(&root).expect("a store");
    let made = rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("pipe"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    );
    made.expect("a pipe");
    assert!(local.read("pipe").is_err());
    assert!(local.list("").expect("a listing").is_empty());
    local.create("file", b"1").expect("a create");
    assert!(local.create("file/below", b"1").is_err());
    assert_eq!(local.read("file/below").expect("a read"), None);
}

#[test]
fn the_lock_is_held_by_one() {
    let (_place, root) = place();
    let (local, lock) = Local::private_locked(&root)
        .expect("a store")
        .expect("it is free");
    assert!(
        Local::private_locked(&root)
            .expect("no other error")
            .is_none()
    );
    assert!(local.lock().expect("no other error").is_none());
    assert!(
        Local::busy(&root)
            .to_string()
            .contains("another tidegate is running here")
    );
    assert!(
        local.list("").expect("a listing").is_empty(),
        "the lock is no object"
    );
    assert!(
        local.create("lock", b"1").is_err()
            && local.delete("lock").is_err()
            && local.read("lock").is_err()
    );
    drop(lock);
    // A program that another test of this process starts has all files open for the moment before
    // it begins.
    let free = || local.lock().expect("no other error").is_some();
    let soon = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        free()
    });
    assert!(soon, "no process holds it any more");
}

/// One full disk is one reason for a halt, however often a feed is tried again.
#[test]
fn errors_of_temporary_files_are_the_same_each_time() {
    let (_place, root) = place();
    let local = Local::private(&root).expect("a store");
    fs::remove_dir(root.join(".new")).expect("it is empty");
    let said = [(); 2].map(|()| {
        local
            .create("log/1", b"1")
            .expect_err("it cannot be written")
            .to_string()
    });
    assert_eq!(said[0], said[1]);
    assert!(
        said[0].starts_with(&format!("{}: ", root.join(".new").display())),
        "{}",
        said[0]
    );
}
