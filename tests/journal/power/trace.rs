//! What a writer did to its folders, in order, as the shim wrote it down. Numbers of files are made unique here: a file
//! system gives the number of a file that is gone to a new one.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::writer::Place;

/// A file or folder; numbered from 0 in the order in which they were made.
pub type Inode = usize;

/// The folder that is watched, and the one below it that holds both roots: both were there from the beginning.
pub const WATCHED: Inode = 0;
pub const ROOTS: Inode = 1;

/// One change, or what says that some of them last.
#[derive(Debug, Clone)]
pub enum Op {
    /// A name in a folder leads to a new file or folder.
    Make { folder: Inode, name: String, inode: Inode, is_folder: bool },
    /// A name in a folder leads to a file that has one already.
    Link { folder: Inode, name: String, inode: Inode },
    /// A name leads nowhere.
    Unlink { folder: Inode, name: String },
    /// A name leads nowhere, and another one to its file.
    Rename { from: (Inode, String), to: (Inode, String), inode: Inode },
    /// Bytes at a place of a file.
    Write { inode: Inode, at: usize, bytes: Vec<u8> },
    /// A file is cut, or filled with zeros.
    Truncate { inode: Inode, size: usize },
    /// A file, or the names in a folder, lasts.
    Sync { inode: Inode, folder: bool },
    /// Everything lasts.
    SyncAll,
    /// A wait for the disk that failed.
    Unsynced { inode: Inode },
    /// A call that failed as it was asked to, and its path.
    Fault { path: String },
    /// What the writer says of itself.
    Said(String),
}

impl Op {
    /// Whether the shim counts it among what changes something or waits for it.
    pub fn changes(&self) -> bool {
        !matches!(self, Op::Said(_) | Op::Unsynced { .. } | Op::Fault { .. })
    }
}

/// What was done, behind what was there before.
#[derive(Debug, Clone)]
pub struct Trace {
    pub ops: Vec<Op>,
    /// So many of them stand for what was there before.
    pub before: usize,
}

impl Trace {
    /// Takes down what is in a place, which lasts; read on with [`Begun::end`] when writers have worked there.
    pub fn begin(place: &Place) -> Begun {
        let mut reader = Reader { known: BTreeMap::new(), folders: Vec::new(), said: None };
        for (number, path) in [(WATCHED, place.watched()), (ROOTS, place.roots())] {
            assert_eq!(reader.made(number_of(&path), true), number);
        }
        let mut ops = Vec::new();
        reader.found(ROOTS, &place.roots(), &mut ops);
        ops.push(Op::SyncAll);
        Begun { reader, ops }
    }

    /// Takes steps out, as if no writer had made them.
    pub fn forget(&mut self, which: impl Fn(&Op) -> bool) {
        let done = self.ops.split_off(self.before);
        self.ops.extend(done.into_iter().filter(|op| !which(op)));
    }
}

/// A place before anybody worked there.
pub struct Begun {
    reader: Reader,
    ops: Vec<Op>,
}

impl Begun {
    /// What all writers did who have worked there since.
    pub fn end(mut self, place: &Place) -> Trace {
        let bytes = std::fs::read(place.trace()).expect("a trace");
        let (mut rest, before) = (&bytes[..], self.ops.len());
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let line = std::str::from_utf8(&rest[..end]).expect("a line of text");
            rest = &rest[end + 1..];
            self.ops.push(self.reader.op(line, &mut rest));
        }
        Trace { ops: self.ops, before }
    }
}

fn number_of(path: &Path) -> u64 {
    std::fs::metadata(path).expect("it is there").ino()
}

/// Reads a trace line by line.
struct Reader {
    /// The number of what has this number in the file system now.
    known: BTreeMap<u64, Inode>,
    /// Which of them are folders.
    folders: Vec<bool>,
    /// The file in which the writer speaks of itself.
    said: Option<Inode>,
}

impl Reader {
    fn found(&mut self, folder: Inode, path: &Path, ops: &mut Vec<Op>) {
        for entry in std::fs::read_dir(path).expect("a folder") {
            let entry = entry.expect("an entry");
            let (path, is_folder) = (entry.path(), entry.path().is_dir());
            let name = entry.file_name().into_string().expect("a name");
            let inode = self.made(number_of(&path), is_folder);
            ops.push(Op::Make { folder, name, inode, is_folder });
            if is_folder {
                self.found(inode, &path, ops);
            } else {
                ops.push(Op::Write { inode, at: 0, bytes: std::fs::read(&path).expect("a file") });
            }
        }
    }

    fn op(&mut self, line: &str, rest: &mut &[u8]) -> Op {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["create" | "mkdir", folder, name, inode] => {
                let is_folder = words[0] == "mkdir";
                let (folder, name, inode) =
                    (self.of(folder), name.to_owned(), self.made(inode.parse().expect("a number"), is_folder));
                if folder == WATCHED {
                    self.said = Some(inode);
                }
                Op::Make { folder, name, inode, is_folder }
            }
            ["link", folder, name, inode] => {
                Op::Link { folder: self.of(folder), name: name.to_owned(), inode: self.of(inode) }
            }
            ["unlink", folder, name] => Op::Unlink { folder: self.of(folder), name: name.to_owned() },
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
                Op::Write { inode, at: at.parse().expect("a number"), bytes: bytes.to_vec() }
            }
            ["truncate", inode, size] => Op::Truncate { inode: self.of(inode), size: size.parse().expect("a number") },
            ["sync", inode] => {
                let inode = self.of(inode);
                Op::Sync { inode, folder: self.folders[inode] }
            }
            ["syncall"] => Op::SyncAll,
            ["unsynced", inode] => Op::Unsynced { inode: self.of(inode) },
            ["fault", _, path] => Op::Fault { path: path.to_owned() },
            _ => panic!("the shim saw a call that it does not know, or lost its place: {line}"),
        }
    }

    fn of(&self, number: &str) -> Inode {
        let number = number.parse().expect("a number");
        *self.known.get(&number).unwrap_or_else(|| panic!("file {number} came from nowhere"))
    }

    fn made(&mut self, number: u64, folder: bool) -> Inode {
        self.folders.push(folder);
        self.known.insert(number, self.folders.len() - 1);
        self.folders.len() - 1
    }
}
