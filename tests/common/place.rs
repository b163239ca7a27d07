//! A folder to run a feed in: its file, keys, a taxonomy and the folder that it watches; and the
//! program that runs there, which ends with the test.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use serde_json::Value as Json;
use tidegate::daemon::journal::Entry;
use tidegate::daemon::journal::store::{Packs, ReadOnlyFolder, ReadStore as _, Store};

use super::draw::one_list;
use super::{secret, wait};

pub const HEADER: &str = "patient,age,ward,diagnosis\n";
/// Texts in every identifier, and in every diagnosis, of [`person`].
pub const PLANTED: [&str; 2] = ["Pq7person", "Sq7secret"];
/// The key that requests to `webhook` are signed with; those to `operator_webhook` are signed with
/// the same in capitals.
pub const HOOK_KEY: &str = "89abcdef0123456789abcdef01234567";
pub const WARDS: &str = "A1;A;*\nA2;A;*\nB1;B;*\nB2;B;*\n";
/// The default schedule of a test's feed.
pub const OFTEN: &str = "every = \"1s\"\n";
pub const PER_FILE: &str = "per_file = true\n";
pub const NEVER: &str = "every = \"9999d\"\n";

/// One row: no other person has the same diagnosis.
pub fn person(number: u64) -> String {
    let mix = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let ward = ["A1", "A2", "B1", "B2"][(mix / 64 % 4) as usize];
    format!(
        "{}{number},{},{ward},{}{number}\n",
        PLANTED[0],
        mix % 40,
        PLANTED[1]
    )
}

pub fn people(numbers: impl IntoIterator<Item = u64>) -> String {
    HEADER.to_owned() + &numbers.into_iter().map(person).collect::<String>()
}

pub struct Place(tempfile::TempDir);

impl Place {
    pub fn new(schedule: &str) -> Place {
        Place::with(schedule, "k = 3\n", "")
    }

    /// With a policy, and more in `[feed]`.
    pub fn with(schedule: &str, policy: &str, more: &str) -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        place.put("a.key", "0123456789abcdef".repeat(4));
        place.put("sign.key", "fedcba9876543210".repeat(4));
        place.put("hook.key", HOOK_KEY.to_owned() + "\n");
        place.put("operator-hook.key", HOOK_KEY.to_uppercase());
        place.put("ward.csv", WARDS);
        fs::create_dir(place.path("in")).expect("a folder");
        place.put("feed.toml", text("t", "", schedule, policy, more));
        place
    }

    /// Another feed beside the first, with a name that all of its files begin with.
    pub fn neighbour(&self, name: &str, schedule: &str) {
        fs::create_dir(self.path(&format!("{name}-in"))).expect("a folder");
        self.put(
            &format!("{name}.toml"),
            text(name, &format!("{name}-"), schedule, "k = 3\n", ""),
        );
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file that other accounts cannot read: some are keys.
    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        secret::write(&path, content);
        path
    }

    /// Writes a whole file into the folder that is watched.
    pub fn offer(&self, name: &str, content: impl AsRef<[u8]>) {
        let aside = self.put("aside", content);
        fs::rename(aside, self.path("in").join(name)).expect("a file");
    }

    /// Configures web receivers, by the keys of `[notify]`, and the keys that requests to them are
    /// signed with.
    pub fn notify(&self, urls: &[(&str, &str)]) {
        let line = |(name, url): &(&str, &str)| {
            let key = name.replace("_webhook", "-hook").replace("webhook", "hook");
            format!("{name} = \"{url}\"\n{name}_key = \"file:{key}.key\"\n")
        };
        let lines: String = urls.iter().map(line).collect();
        self.edit("[http]\n", &format!("[notify]\n{lines}[http]\n"));
    }

    pub fn edit(&self, from: &str, to: &str) {
        let text = fs::read_to_string(self.path("feed.toml")).expect("a feed file");
        assert!(text.contains(from), "{from} is not in the feed file");
        self.put("feed.toml", text.replace(from, to));
    }

    pub fn public(&self) -> PathBuf {
        self.path("public")
    }

    /// A command for the feed; paths are relative to the folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command
            .current_dir(self.0.path())
            .args(args)
            .stdin(Stdio::null());
        command
    }

    pub fn output(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the program starts")
    }

    /// A command with `--json`: its exit code and its answer.
    pub fn json(&self, args: &[&str]) -> (i32, Json) {
        answer(&self.output(&[args, &["--json"]].concat()))
    }

    /// A command that must succeed.
    pub fn done(&self, args: &[&str]) -> Json {
        let (code, answer) = self.json(args);
        assert_eq!(code, 0, "{args:?}: {answer}");
        answer
    }

    /// The one tick of `run --once`.
    pub fn once(&self) -> Json {
        let answer = self.done(&["run", "--once", "feed.toml"]);
        answer["ticks"][0].clone()
    }

    /// Checks that the log and everything published are as they were written.
    pub fn verified(&self) -> Json {
        let answer = self.done(&["verify", "feed.toml"]);
        assert_eq!(answer["intact"], true, "{answer}");
        answer
    }

    /// The entries of the log; none before the feed has begun.
    pub fn log(&self) -> Vec<Json> {
        ReadOnlyFolder::open(&self.path("private"))
            .map_or_else(|_| Vec::new(), |private| log_in(Arc::new(private)))
    }

    pub fn start(&self) -> Daemon {
        self.start_with(&["feed.toml"])
    }

    /// A daemon that ends when the feed halts.
    pub fn start_until_halt(&self) -> Daemon {
        self.start_with(&["--exit-on-halt", "feed.toml"])
    }

    pub fn start_with(&self, feeds: &[&str]) -> Daemon {
        self.started(self.command(&[&["run"], feeds].concat()))
    }

    /// A daemon that this command starts.
    pub fn started(&self, mut command: Command) -> Daemon {
        let said = self.path(&format!(
            "said-{}",
            fs::read_dir(self.0.path()).expect("a folder").count()
        ));
        command
            .stdout(Stdio::piped())
            .stderr(File::create(&said).expect("a file"));
        Daemon {
            child: command.spawn().expect("the program starts"),
            said,
        }
    }
}

fn text(name: &str, prefix: &str, schedule: &str, policy: &str, feed: &str) -> String {
    format!(
        "[feed]\nname = \"{name}\"\n{feed}[source]\nkind = \"directory\"\npath = \"{prefix}in\"\nsettle = \"0s\"\n\
         [store]\nprivate = \"{prefix}private\"\npublic = \"{prefix}public\"\nkey = \"file:a.key\"\n\
         signing_key = \"file:sign.key\"\n[schedule]\n{schedule}[http]\nbind = \"127.0.0.1:0\"\n[policy]\n{policy}{}\
         [[column]]\nname = \"patient\"\nrole = \"identifier\"\n\
         [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = {{ bands = [10, 20], min = 0, max = 39 }}\n\
         [[column]]\nname = \"ward\"\nrole = \"quasi\"\ntaxonomy = {{ file = \"ward.csv\" }}\n\
         [[column]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n",
        one_list(policy)
    )
}

/// The entries of the log of a private root, packed or not.
pub fn log_in(private: Arc<dyn Store>) -> Vec<Json> {
    let private = Packs::over(private);
    let entry = |seq| private.read(&Entry::path(seq)).expect("a private root");
    (0..)
        .map_while(entry)
        .map(|bytes| serde_json::from_slice(&bytes).expect("JSON"))
        .collect()
}

/// The exit code and the answer of a command with `--json`.
pub fn answer(output: &Output) -> (i32, Json) {
    let said = String::from_utf8_lossy(&output.stderr);
    let answer =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    (output.status.code().expect("it ended by itself"), answer)
}

/// A running daemon; it is killed when the test drops it.
pub struct Daemon {
    child: Child,
    said: PathBuf,
}

impl Daemon {
    /// Its standard error so far.
    pub fn said(&self) -> String {
        fs::read_to_string(&self.said).expect("what it said")
    }

    /// Waits until it prints a text this many times; it must not end before.
    #[track_caller]
    pub fn says(&self, what: &str, times: usize) {
        wait::until(
            || format!("`{what}`, {times} times:\n{}", self.said()),
            || {
                // In this order: what it printed before it ended counts.
                let has_ended = self.has_ended();
                let said = self.said().matches(what).count() >= times;
                assert!(
                    said || !has_ended,
                    "it has ended and did not say `{what}` {times} times:\n{}",
                    self.said()
                );
                said.then_some(())
            },
        );
    }

    /// Whether the process has ended; it can still be waited for.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // If that was done already there is nothing to wait for.
        waitid(WaitId::Pid(self.pid()), options).map_or(true, |status| status.is_some())
    }

    /// Kills it; returns whether it was running until then.
    pub fn kill(&mut self) -> bool {
        self.child.kill().expect("it was started");
        self.child.wait().expect("it ends").signal() == Some(Signal::KILL.as_raw())
    }

    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub fn term(&self) {
        kill_process(self.pid(), Signal::TERM).expect("it was started");
    }

    /// Stops it until it is continued.
    pub fn stops(&self) {
        kill_process(self.pid(), Signal::STOP).expect("a signal");
    }

    pub fn continues(&self) {
        kill_process(self.pid(), Signal::CONT).expect("a signal");
    }

    /// Waits until it ends by itself; returns its exit code.
    #[track_caller]
    pub fn ended(&mut self) -> Option<i32> {
        let (said, child) = (&self.said, &mut self.child);
        let what = || {
            format!(
                "its end:\n{}",
                fs::read_to_string(said).expect("what it said")
            )
        };
        wait::until(what, || child.try_wait().expect("it was started")).code()
    }

    /// Ends it as an operator does; returns its exit code.
    #[track_caller]
    pub fn end(mut self) -> Option<i32> {
        self.says("recovered", 1);
        self.term();
        self.ended()
    }

    /// A page of its own, as text.
    pub fn page(&self, path: &str) -> String {
        self.says("listening address=", 1);
        let said = self.said();
        let address = said
            .split("address=")
            .nth(1)
            .and_then(|rest| rest.split_whitespace().next())
            .expect("an address");
        let mut stream = std::net::TcpStream::connect(address).expect("it listens");
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: tidegate\r\nConnection: close\r\n\r\n"
        )
        .expect("it reads");
        std::io::read_to_string(stream).expect("it answers")
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until a condition is true.
#[track_caller]
pub fn until(done: impl Fn() -> bool, why: impl Fn() -> String) {
    wait::until(why, || done().then_some(()));
}

/// All files below a folder, with their bytes.
pub fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            // A file may be removed meanwhile.
            match path.is_dir() {
                true => open.push(path),
                false => found.extend(fs::read(&path).ok().map(|bytes| (path, bytes))),
            }
        }
    }
    found.sort();
    found
}
