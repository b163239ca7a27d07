//! A disk that keeps only what POSIX promises. The content of a file is durable once that file was
//! synced, a name once its folder was synced; `syncfs` makes everything durable. A power cut leaves
//! any part of the rest:
//!
//! - each write is complete, or absent, or torn: some first bytes, followed by zeros, garbage or
//!   the end of the file;
//! - each change of a name is present or not, whatever happened to the ones before and after it: a
//!   later one without an earlier one, a name without the content of its file, a file without its
//!   folder. A rename is two of them, so that the new name may exist without the old one being
//!   gone, and the other way round.
//!
//! No file system is as bad as that: ext4 keeps changes of names in order, and renames whole. A
//! better one leaves fewer different disks, all of which are among these. Not modelled: a disk that
//! loses what it called durable.

use std::collections::BTreeMap;

use super::draw::Draw;
use super::trace::{Inode, Op, ROOTS};

/// Objects by path.
pub type Objects = BTreeMap<String, Vec<u8>>;

/// The objects of both roots.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    pub private: Objects,
    pub public: Objects,
}

/// A change of the content of a file.
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Truncate(usize),
}

/// The changes of a file or a folder, and how many of them are durable.
#[derive(Default)]
struct Node {
    is_folder: bool,
    changes: Vec<Change>,
    names: Vec<(String, Option<Inode>)>,
    lasting: (usize, usize),
}

impl Node {
    fn lasts(&mut self) {
        self.lasting = (self.changes.len(), self.names.len());
    }
}

/// All changes of a disk.
pub struct Disk {
    nodes: Vec<Node>,
}

impl Disk {
    /// With the folder for both roots, which is durable.
    pub fn new() -> Disk {
        Disk {
            nodes: vec![Node::default(), Node::default()],
        }
    }

    /// Adds a change.
    pub fn apply(&mut self, op: &Op) {
        match op.clone() {
            Op::Make {
                folder,
                name,
                inode,
                is_folder,
            } => {
                assert_eq!(
                    self.nodes.len(),
                    inode,
                    "they are numbered as they are made"
                );
                self.nodes.push(Node {
                    is_folder,
                    ..Node::default()
                });
                self.name(folder, name, Some(inode));
            }
            Op::Link {
                folder,
                name,
                inode,
            } => self.name(folder, name, Some(inode)),
            Op::Unlink { folder, name } => self.name(folder, name, None),
            Op::Rename { from, to, inode } => {
                self.name(to.0, to.1, Some(inode));
                self.name(from.0, from.1, None);
            }
            Op::Write { inode, at, bytes } => {
                self.nodes[inode].changes.push(Change::Write { at, bytes })
            }
            Op::Truncate { inode, size } => self.nodes[inode].changes.push(Change::Truncate(size)),
            Op::Sync { inode, .. } => self.nodes[inode].lasts(),
            Op::SyncAll => self.nodes.iter_mut().for_each(Node::lasts),
            Op::Unsynced { .. } | Op::Fault { .. } | Op::Said(_) => {}
        }
    }

    fn name(&mut self, folder: Inode, name: String, inode: Option<Inode>) {
        self.nodes[folder].names.push((name, inode));
    }

    /// What a reader sees now.
    pub fn seen(&self) -> Roots {
        self.roots(&mut |_| Fate::Kept)
    }

    /// The content after a power cut.
    pub fn left(&self, draw: &mut Draw) -> Roots {
        // Some disks have lost nearly everything that was not durable, some nearly nothing.
        let lost = [0, 1, 4, 7, 8][draw.below(5) as usize];
        self.roots(&mut |content| match () {
            () if draw.below(8) >= lost => Fate::Kept,
            () if content && draw.below(2) == 0 => {
                Fate::Torn(draw.below(1 << 20) as usize, draw.below(3))
            }
            () => Fate::Lost,
        })
    }

    fn roots(&self, fate: &mut dyn FnMut(bool) -> Fate) -> Roots {
        let mut roots = Roots::default();
        for (name, inode) in self.names(ROOTS, fate) {
            match name.as_str() {
                "private" => self.objects(inode, "", &mut roots.private, fate),
                "public" => self.objects(inode, "", &mut roots.public, fate),
                other => panic!("{other} lies beside the roots"),
            }
        }
        roots
    }

    /// The objects below a folder; files that are being written, and the lock, are not objects.
    fn objects(
        &self,
        folder: Inode,
        path: &str,
        found: &mut Objects,
        fate: &mut dyn FnMut(bool) -> Fate,
    ) {
        for (name, inode) in self.names(folder, fate) {
            let path = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}/{name}")
            };
            match self.nodes[inode].is_folder {
                _ if name.starts_with('.') || path == "lock" => {}
                true => self.objects(inode, &path, found, fate),
                false => _ = found.insert(path, self.content(inode, fate)),
            }
        }
    }

    fn names(&self, folder: Inode, fate: &mut dyn FnMut(bool) -> Fate) -> BTreeMap<String, Inode> {
        let node = &self.nodes[folder];
        let mut names = BTreeMap::new();
        for (at, (name, inode)) in node.names.iter().enumerate() {
            if at >= node.lasting.1 && !matches!(fate(false), Fate::Kept) {
                continue;
            }
            match inode {
                Some(inode) => _ = names.insert(name.clone(), *inode),
                None => _ = names.remove(name),
            }
        }
        names
    }

    fn content(&self, file: Inode, fate: &mut dyn FnMut(bool) -> Fate) -> Vec<u8> {
        let node = &self.nodes[file];
        let mut content = Vec::new();
        for (at, change) in node.changes.iter().enumerate() {
            let fate = if at < node.lasting.0 {
                Fate::Kept
            } else {
                fate(true)
            };
            match (change, fate) {
                (_, Fate::Lost) => {}
                (Change::Truncate(size), _) => content.resize(*size, 0),
                (Change::Write { at, bytes }, Fate::Kept) => write(&mut content, *at, bytes),
                (Change::Write { at, bytes }, Fate::Torn(some, tail)) => {
                    let (some, mut torn) = (some % (bytes.len() + 1), bytes.clone());
                    match tail {
                        0 => torn.truncate(some),
                        1 => torn[some..].fill(0),
                        _ => torn[some..]
                            .iter_mut()
                            .for_each(|byte| *byte = byte.wrapping_mul(31) ^ 0xa5),
                    }
                    write(&mut content, *at, &torn);
                }
            }
        }
        content
    }
}

/// What happens to a change that was not durable.
enum Fate {
    Kept,
    Lost,
    /// Its first bytes, this many, and what follows them.
    Torn(usize, u64),
}

fn write(content: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    content.resize(content.len().max(at + bytes.len()), 0);
    content[at..at + bytes.len()].copy_from_slice(bytes);
}
