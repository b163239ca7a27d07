//! The program under the shim (`common/points.h`), which records its steps by name and kills it on
//! demand.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::place::Place;
use super::points::Point;
use super::shim::Shim;

/// A call that gives or removes a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    Link,
    Rename,
    Unlink,
}

/// Before or after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Before,
    After,
}

/// What happens to a process that reaches a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// It is killed.
    Killed,
    /// It is stopped until it is continued.
    Held,
}

/// An object has got or lost its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    pub call: Call,
    pub path: String,
    pub word: String,
}

/// The steps of a process, and where it was killed or held up.
#[derive(Debug, Default)]
pub struct Record {
    pub did: Vec<Done>,
    pub died: Option<(Side, Done)>,
}

impl Call {
    fn word(self) -> &'static str {
        match self {
            Call::Link => "link",
            Call::Rename => "rename",
            Call::Unlink => "unlink",
        }
    }
}

impl Side {
    fn word(self) -> &'static str {
        match self {
            Side::Before => "before",
            Side::After => "after",
        }
    }
}

/// The file in which a process records its steps.
pub struct Notes(PathBuf);

impl Notes {
    /// Puts a command of a folder under the shim; it ends in this way when it reaches this point.
    pub fn of(
        shim: &Shim,
        place: &Place,
        command: &mut Command,
        at: Option<(Ends, Side, &Point)>,
    ) -> Notes {
        let serial = fs::read_dir(place.path("")).expect("a folder").count();
        let notes = place.put(&format!("points-{serial}"), "");
        let watched = place.path("").canonicalize().expect("it is there");
        command
            .env("LD_PRELOAD", shim.path())
            .env("WATCHED", watched)
            .env("TRACE", "/dev/null")
            .env("POINTS", &notes);
        if let Some((ends, side, point)) = at {
            let Point {
                call,
                word,
                path,
                nth,
                ..
            } = point;
            let name = if ends == Ends::Killed { "KILL" } else { "HOLD" };
            command.env(
                name,
                format!("{} {} {nth} {word} {path}", side.word(), call.word()),
            );
        }
        Notes(notes)
    }

    /// The recorded steps.
    pub fn read(&self) -> Record {
        let text = fs::read_to_string(&self.0).expect("notes");
        let mut record = Record::default();
        // A line without an end is being written.
        for line in text
            .split_inclusive('\n')
            .filter_map(|line| line.strip_suffix('\n'))
        {
            let words: Vec<&str> = line.split(' ').collect();
            let (side, rest) = match words[..] {
                ["did", ref rest @ ..] => (None, rest),
                ["died", "before", ref rest @ ..] => (Some(Side::Before), rest),
                ["died", "after", ref rest @ ..] => (Some(Side::After), rest),
                _ => panic!("a line that the shim does not write: {line}"),
            };
            let [call, path, word] = rest else {
                panic!("a line that the shim does not write: {line}")
            };
            let call = [Call::Link, Call::Rename, Call::Unlink]
                .into_iter()
                .find(|known| known.word() == *call);
            let (path, word) = ((*path).to_owned(), (*word).to_owned());
            let done = Done {
                call: call.expect("a call that has a name"),
                path,
                word,
            };
            match side {
                None => record.did.push(done),
                Some(side) => record.died = Some((side, done)),
            }
        }
        record
    }
}
