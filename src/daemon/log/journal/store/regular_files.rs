//! The regular files below an open folder, by their paths: the only files of a root that a command
//! opens. A link on the way to one, and a pipe or a device in its place, are errors; [`foreign`]
//! names all of them.

use std::fs::File;
use std::io::{Error as IoError, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;

use super::folder::{Folder, FolderEntry};
use super::{ForeignEntry, ListedObject, fitting};
use crate::engine::release::is_below_root;
use crate::error::{Error, Result};

/// The folder for a path, and the name in it; `None` if there is no such folder.
pub(super) fn find<'p>(root: &Folder, path: &'p str) -> Result<Option<(Folder, &'p str)>> {
    let mut folder = root.again()?;
    let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
    for part in parents.split('/').filter(|part| !part.is_empty()) {
        match folder.find(part)? {
            Some(next) => folder = next,
            None => return Ok(None),
        }
    }
    Ok(Some((folder, name)))
}

/// A file, open for reading, with its length; `None` if it does not exist.
pub(super) fn open(root: &Folder, path: &str) -> Result<Option<(File, u64)>> {
    fitting(path)?;
    let Some((folder, name)) = find(root, path)? else {
        return Ok(None);
    };
    folder.file(name)
}

/// The bytes of a file; `None` if it does not exist.
pub(super) fn read(root: &Folder, path: &str) -> Result<Option<Vec<u8>>> {
    let Some((mut file, size)) = open(root, path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    // A file with a hole may be larger than the memory.
    let room = bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX));
    let read = room
        .map_err(|_| IoError::from(ErrorKind::OutOfMemory))
        .and_then(|()| file.read_to_end(&mut bytes));
    read.map_err(|error| Error::io(&root.path().join(path), "read", &error))?;
    Ok(Some(bytes))
}

/// A range of the bytes of a file; `None` if it does not exist.
pub(super) fn read_part(root: &Folder, path: &str, part: Range<u64>) -> Result<Option<Vec<u8>>> {
    let Some((mut file, _)) = open(root, path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    let read = file.seek(SeekFrom::Start(part.start)).and_then(|_| {
        file.take(part.end.saturating_sub(part.start))
            .read_to_end(&mut bytes)
    });
    read.map_err(|error| Error::io(&root.path().join(path), "read", &error))?;
    Ok(Some(bytes))
}

/// The files whose path is `prefix` or is below it, in the order of their paths; `""` lists all.
pub(super) fn list(root: &Folder, prefix: &str) -> Result<Vec<ListedObject>> {
    let mut found = Vec::new();
    let mut folders = Vec::new();
    if prefix.is_empty() {
        folders.push((String::new(), root.again()?));
    } else {
        fitting(prefix)?;
        let Some((folder, name)) = find(root, prefix)? else {
            return Ok(found);
        };
        look(&folder, name, prefix.to_owned(), &mut found, &mut folders)?;
    }
    while let Some((path, folder)) = folders.pop() {
        for name in folder
            .names()?
            .into_iter()
            .filter(|name| is_below_root(name))
        {
            let path = below(&path, &name);
            look(&folder, &name, path, &mut found, &mut folders)?;
        }
    }
    found.sort();
    Ok(found)
}

/// Everything below a folder that is neither a folder nor a file whose path can be that of an
/// object.
pub(super) fn foreign(root: &Folder) -> Result<Vec<ForeignEntry>> {
    let mut found = Vec::new();
    let mut folders = vec![(String::new(), root.again()?)];
    while let Some((path, folder)) = folders.pop() {
        for name in folder.all_names()? {
            let text = name.to_string_lossy();
            let fits = is_below_root(&text);
            let kind = match folder.entry_of(&name)? {
                Some(FolderEntry::Folder) if fits => {
                    folders.extend(
                        folder
                            .find(&text)?
                            .map(|inner| (below(&path, &text), inner)),
                    );
                    continue;
                }
                Some(FolderEntry::File(_)) if fits => continue,
                Some(FolderEntry::Folder) if text.starts_with('.') => "a hidden folder",
                Some(FolderEntry::File(_)) if text.starts_with('.') => "a hidden file",
                Some(FolderEntry::Folder | FolderEntry::File(_)) => {
                    "a name that no published file has"
                }
                Some(FolderEntry::Other(kind)) => kind,
                None => continue,
            };
            found.push(ForeignEntry {
                path: below(&path, &text),
                kind,
            });
        }
    }
    found.sort();
    Ok(found)
}

/// Adds an entry to the files that were found, or to the folders to be examined.
fn look(
    folder: &Folder,
    name: &str,
    path: String,
    found: &mut Vec<ListedObject>,
    folders: &mut Vec<(String, Folder)>,
) -> Result<()> {
    match folder.entry(name)? {
        Some(FolderEntry::File(size)) => found.push(ListedObject { path, size }),
        Some(FolderEntry::Folder) => {
            folders.extend(folder.find(name)?.map(|folder| (path, folder)))
        }
        Some(FolderEntry::Other(_)) | None => {}
    }
    Ok(())
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}
