//! The changes that a writer made to its folders, in order, as the shim recorded them. Numbers of
//! files are made unique here: a file system gives the number of a deleted file to a new one.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::writer::Place;

/// A file or folder; numbered from 0 in the order in which they were created.
pub type Inode = usize;

/// The folder that is watched, and the one below it that contains both roots: both existed from the
/// beginning.
pub const WATCHED: Inode = 0;
pub const ROOTS: Inode = 1;

/// One change, or a sync.
#[derive(Debug, Clone)]
pub enum Op {
    /// A name in a folder now leads to a new file or folder.
    Make {
        folder: Inode,
        name: String,
        inode: Inode,
        is_folder: bool,
    },
    /// A name in a folder now leads to a file that has one already.
    Link {
        folder: Inode,
        name: String,
        inode: Inode,
    },
    /// A name is removed.
    Unlink { folder: Inode, name: String },
    /// A name is removed, and another one now leads to its file.
    Rename {
        from: (Inode, String),
        to: (Inode, String),
        inode: Inode,
    },
    /// Bytes at a position of a file.
    Write {
        inode: Inode,
        at: usize,
        bytes: Vec<u8>,
    },
    /// A file is truncated, or extended with zeros.
    Truncate { inode: Inode, size: usize },
    /// A file, or the names in a folder, is durable.
    Sync { inode: Inode, folder: bool },
    /// Everything is durable.
    SyncAll,
    /// A sync that failed.
    Unsynced { inode: Inode },
    /// A call that failed on demand, and its path.
    Fault { path: String },
    /// A message of the writer.
    Said(String),
}

impl Op {
    /// Whether the shim counts it among changes and syncs.
    pub fn changes(&self) -> bool {
        !matches!(self, Op::Said(_) | Op::Unsynced { .. } | Op::Fault { .. })
    }
}

/// The changes, after the earlier content.
#[derive(Debug, Clone)]
pub struct Trace {
    pub ops: Vec<Op>,
    /// This many of them represent the earlier content.
    pub before: usize,
}

impl Trace {
    /// Records the content of a folder, which is durable; continue with [`Begun::end`] when writers
    /// have worked there.
    pub fn begin(place: &Place) -> Begun {
        let mut reader = Reader {
            known: BTreeMap::new(),
            folders: Vec::new(),
            said: None,
        };
        for (number, path) in [(WATCHED, place.watched()), (ROOTS, place.roots())] {
            assert_eq!(reader.made(number_of(&path), true), number);
        }
        let mut ops = Vec::new();
        reader.found(ROOTS, &place.roots(), &mut ops);
        ops.push(Op::SyncAll);
        Begun { reader, ops }
    }

    /// Removes changes, as if no writer had made them.
    pub fn forget(&mut self, which: impl Fn(&Op) -> bool) {
        let done = self.ops.split_off(self.before);
        self.ops.extend(done.into_iter().filter(|op| !which(op)));
    }
}

/// A folder before any writer worked there.
pub struct Begun {
    reader: Reader,
    ops: Vec<Op>,
}

impl Begun {
    /// The changes of all writers since.
    pub fn end(mut self, place: &Place) -> Trace {
        let bytes = std::fs::read(place.trace()).expect("a trace");
        let (mut rest, before) = (&bytes[..], self.ops.len());
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let line = std::str::from_utf8(&rest[..end]).expect("a line of text");
            rest = &rest[end + 1..];
            self.ops.push(self.reader.op(line, &mut rest));
        }
        Trace {
            ops: self.ops,
            before,
        }
    }
}

fn number_of(path: &Path) -> u64 {
    std::fs::metadata(path).expect("it is there").ino()
}

/// Reads a trace line by line.
struct Reader {
    /// The present number of the file with this number in the file system.
    known: BTreeMap<u64, Inode>,
    /// Which of them are folders.
    folders: Vec<bool>,
    /// The file with the writer's messages.
    said: Option<Inode>,
}

impl Reader {
    fn found(&mut self, folder: Inode, path: &Path, ops: &mut Vec<Op>) {
        for entry in std::fs::read_dir(path).expect("a folder") {
            let entry = entry.expect("an entry");
            let (path, is_folder) = (entry.path(), entry.path().is_dir());
            let name = entry.file_name().into_string().expect("a name");
            let inode = self.made(number_of(&path), is_folder);
            ops.push(Op::Make {
                folder,
                name,
                inode,
                is_folder,
            });
            if is_folder {
                self.found(inode, &path, ops);
            } else {
                ops.push(Op::Write {
                    inode,
                    at: 0,
                    bytes: std::fs::read(&path).expect("a file"),
                });
            }
        }
    }

    fn op(&mut self, line: &str, rest: &mut &[u8]) -> Op {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["create" | "mkdir", folder, name, inode] => {
                let is_folder = words[0] == "mkdir";
                let (folder, name, inode) = (
                    self.of(folder),
                    name.to_owned(),
                    self.made(inode.parse().expect("a number"), is_folder),
                );
                if folder == WATCHED {
                    self.said = Some(inode);
                }
                Op::Make {
                    folder,
                    name,
                    inode,
                    is_folder,
                }
            }
            ["link", folder, name, inode] => Op::Link {
                folder: self.of(folder),
                name: name.to_owned(),
                inode: self.of(inode),
            },
            ["unlink", folder, name] => Op::Unlink {
                folder: self.of(folder),
                name: name.to_owned(),
            },
            ["rename", folder, name, to, new, inode] => Op::Rename {
                from: (self.of(folder), name.to_owned()),
                to: (self.of(to), new.to_owned()),
                inode: self.of(inode),
            },
            ["write", inode, at, size] => {
                let (bytes, after) = rest.split_at(size.parse().expect("a number"));
                *rest = after;
                let inode = self.of(inode);
                if self.said == Some(inode) {
                    return Op::Said(std::str::from_utf8(bytes).expect("words").trim().to_owned());
                }
                Op::Write {
                    inode,
                    at: at.parse().expect("a number"),
                    bytes: bytes.to_vec(),
                }
            }
            ["truncate", inode, size] => Op::Truncate {
                inode: self.of(inode),
                size: size.parse().expect("a number"),
            },
            ["sync", inode] => {
                let inode = self.of(inode);
                Op::Sync {
                    inode,
                    folder: self.folders[inode],
                }
            }
            ["syncall"] => Op::SyncAll,
            ["unsynced", inode] => Op::Unsynced {
                inode: self.of(inode),
            },
            ["fault", _, path] => Op::Fault {
                path: path.to_owned(),
            },
            _ => panic!("the shim saw a call that it does not know, or lost its place: {line}"),
        }
    }

    fn of(&self, number: &str) -> Inode {
        let number = number.parse().expect("a number");
        *self
            .known
            .get(&number)
            .unwrap_or_else(|| panic!("file {number} came from nowhere"))
    }

    fn made(&mut self, number: u64, folder: bool) -> Inode {
        self.folders.push(folder);
        self.known.insert(number, self.folders.len() - 1);
        self.folders.len() - 1
    }
}
