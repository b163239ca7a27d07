//! Text with one record per line: divides a file into blocks of whole lines. Overlong lines are
//! skipped without being held in memory: only the values that are read remain of them. Blank lines
//! are no rows, wherever they are.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::coder::{Coder, RowBatch};
use super::content::Content;
use super::each::{cut, elements};
use super::input_file::InputFile;
use super::json::JsonWalk;
use super::page::{Page, PageWriter, WrittenField};
use super::paths::FieldPaths;
use super::row_faults::RowFault;
use super::scan::as_text;
use super::set_aside::MessagePlace;
use super::shorten::Shorten;
use crate::config::{PathPart, Unwanted};
use crate::engine::histogram::MisfitKind;
use crate::error::{Error, Result};

/// The number of bytes that are read at a time.
const BLOCK: u64 = 1 << 20;
/// The most bytes of a line, without the parts that are left out.
const LONGEST: usize = 1 << 24;
/// The number of lines whose undeclared keys are reported.
const TELLING: u64 = 1_000;

/// A file that is being read.
pub(crate) struct LinesFile {
    path: PathBuf,
    file: Content,
    paths: Arc<FieldPaths>,
    /// Whether a line has many records.
    many: bool,
    /// The bytes that were read after the last whole line that was passed on.
    carry: Vec<u8>,
    /// The number of the next line, from 1.
    line: u64,
    /// The part of an overlong line that was read.
    long: Option<Shorten>,
}

/// Some whole lines.
pub struct LineBlock {
    paths: Arc<FieldPaths>,
    bytes: Vec<u8>,
    first: u64,
    /// Whether it represents a single overlong line.
    long: bool,
}

impl LinesFile {
    /// Opens a file; a UTF-8 byte order mark is skipped.
    pub(crate) fn open(input: &InputFile) -> Result<LinesFile> {
        LinesFile::over(input.path(), input.content())
    }

    /// Reads the content of a file with this name.
    pub(crate) fn over(path: &Path, mut file: Content) -> Result<LinesFile> {
        let mut carry = Vec::new();
        let read = file.by_ref().take(3).read_to_end(&mut carry);
        read.map_err(|error| Error::io(path, "read the file", &error))?;
        if carry == b"\xef\xbb\xbf" {
            carry.clear();
        }
        let paths = Arc::new(FieldPaths::default());
        Ok(LinesFile {
            path: path.to_path_buf(),
            file,
            paths,
            many: false,
            carry,
            line: 1,
            long: None,
        })
    }

    /// Selects the fields to read; `many`: a line has many records, so that none of it can be left
    /// out.
    pub(crate) fn want(&mut self, paths: FieldPaths, many: bool) {
        self.paths = Arc::new(paths);
        self.many = many;
    }

    /// The next lines; `None` at the end.
    pub(crate) fn lines(&mut self) -> Result<Option<LineBlock>> {
        loop {
            let read = self.file.by_ref().take(BLOCK).read_to_end(&mut self.carry);
            let ended = read.map_err(|error| Error::io(&self.path, "read the file", &error))? == 0;
            if let Some(long) = &mut self.long {
                let end = memchr::memchr(b'\n', &self.carry);
                long.add(&self.carry[..end.unwrap_or(self.carry.len())]);
                self.carry
                    .drain(..end.map_or(self.carry.len(), |end| end + 1));
                if end.is_some() || ended {
                    let short = self.long.take().and_then(Shorten::line);
                    // Its records may be anywhere.
                    let short = short.filter(|_| !self.many);
                    let (paths, first, long) =
                        (Arc::clone(&self.paths), self.line, short.is_none());
                    self.line += 1;
                    return Ok(Some(LineBlock {
                        paths,
                        bytes: short.unwrap_or_default(),
                        first,
                        long,
                    }));
                }
                continue;
            }
            let content = self.carry.trim_ascii_end().len();
            let end = if ended {
                content
            } else {
                whole(&self.carry, content)
            };
            if end > 0 {
                let rest = self.carry.split_off(end);
                let bytes = std::mem::replace(&mut self.carry, rest);
                return Ok(Some(self.hand_on(bytes)));
            }
            if ended {
                return Ok(None);
            }
            if self.carry.len() > LONGEST {
                let mut long = Shorten::new(&self.paths, LONGEST);
                long.add(&self.carry);
                self.carry.clear();
                self.long = Some(long);
            }
        }
    }

    fn hand_on(&mut self, bytes: Vec<u8>) -> LineBlock {
        let first = self.line;
        let open = u64::from(!bytes.ends_with(b"\n"));
        self.line += memchr::memchr_iter(b'\n', &bytes).count() as u64 + open;
        LineBlock {
            paths: Arc::clone(&self.paths),
            bytes,
            first,
            long: false,
        }
    }
}

/// The end of the last complete line with content; 0 if there is none.
fn whole(bytes: &[u8], content: usize) -> usize {
    let after = memchr::memchr(b'\n', &bytes[content..]).filter(|_| content > 0);
    after
        .map(|after| content + after)
        .or_else(|| memchr::memrchr(b'\n', &bytes[..content]))
        .map_or(0, |end| end + 1)
}

impl LineBlock {
    /// The number of bytes of the lines.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The places of the rows that are set aside.
    pub(crate) fn kept(&self, part: &RowBatch, each: &[PathPart]) -> Vec<MessagePlace> {
        let mut lines = (self.first..).zip(self.bytes.split(|&byte| byte == b'\n'));
        let line_of = |fault: &RowFault| part.places[fault.row];
        let mut kept = Vec::with_capacity(part.faults.len());
        for faults in part
            .faults
            .chunk_by(|one, next| line_of(one) == line_of(next))
        {
            if faults[0].kind == MisfitKind::LongRow {
                kept.push(MessagePlace::Nowhere);
                continue;
            }
            let at = line_of(&faults[0]);
            let (_, line) = lines.find(|&(line, _)| line == at).expect("faults ascend");
            let wanted = faults.iter().map(|fault| part.element(fault.row));
            kept.extend(cut(line, each, wanted).map(MessagePlace::Here));
        }
        kept
    }

    /// The rows with their fields.
    pub(crate) fn page(&self, coder: &Coder<'_>) -> Page {
        let (fields, each) = (coder.fields(), coder.rules().each.as_ref());
        let mut page = PageWriter::new(fields, super::json::read);
        if self.long {
            page.refuse(self.first, MisfitKind::LongRow);
            return page.finish();
        }
        let mut walk = JsonWalk::new(&self.paths, fields.len() + FieldPaths::MARKS);
        let bytes = self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes);
        for (line, bytes) in (self.first..).zip(bytes.split(|&byte| byte == b'\n')) {
            let short;
            let bytes = if bytes.len() > LONGEST {
                // Its records may be anywhere.
                if each.is_some() {
                    page.refuse(line, MisfitKind::LongRow);
                    continue;
                }
                let mut shorten = Shorten::new(&self.paths, LONGEST);
                shorten.add(bytes);
                short = shorten.line();
                match &short {
                    Some(short) => short,
                    None => {
                        page.refuse(line, MisfitKind::LongRow);
                        continue;
                    }
                }
            } else {
                bytes
            };
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let content = as_text(bytes);
            let width = fields.len();
            let mut take = |element, found: std::result::Result<&[WrittenField<'_>], _>| {
                match found {
                    Err(kind) => page.refuse(line, kind),
                    Ok(found) if !FieldPaths::is_delete(&found[width..], super::json::read) => {
                        page.add(line, found[..width].iter().copied());
                    }
                    Ok(_) if coder.rules().deletes == Unwanted::Skip => page.skip(line),
                    Ok(_) => page.refuse(line, MisfitKind::Delete),
                }
                page.element(element);
            };
            if let Some(each) = each {
                match elements(&content, each) {
                    Ok(elements) if elements.is_empty() => page.skip(line),
                    Ok(elements) => walk.elements(&elements, &mut take),
                    Err(MisfitKind::NoMessage) => take(None, Err(MisfitKind::NoObject)),
                    Err(kind) => take(None, Err(kind)),
                }
                continue;
            }
            walk.listen(line <= TELLING);
            walk.object(&content, |found| {
                take(None, found.ok_or(MisfitKind::NoObject));
            });
            if let Some(keys) = walk.strange() {
                page.strange(keys);
            }
        }
        page.finish()
    }
}
