//! `tidegate erase` (CONTRACTS 3): erases people. Their identifiers are read from a file or
//! standard input, never from the command line, which others may see; only keyed hashes are passed
//! on.

use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::{CommandResult, Exit, Out, request_args};
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory};
use crate::daemon::feed_writer::{Hash, RequestKind};
use crate::daemon::ingest::PersonHasher;
use crate::daemon::whole_file;
use crate::engine::model::{Column, Role, TextStep};

/// Erase people from everything that is not published
#[derive(clap::Args)]
#[command(after_help = "\
Reads one person a line: the identifier, or with several identifier columns all of them in the order of the feed file, as \
CSV. A first line with the names of the columns is skipped.

A person who is not published is removed completely and may be accepted again: the feed dissolves their atom, and a release \
that waits for approval becomes void. For a published person the raw row is deleted, and a keyed tombstone remains so that \
they are not published again; releases that are already published do not change.

With --rows, in a chain whose rows keep their labels (cumulative, guarantee = \"blind\"), published rows are removed too: for \
each person all rows of their atom, because one row less would reveal whose row it was. The next tick publishes a release without these \
rows and a notice, erased/<release>.json, with their labels and the number of rows. The people of these atoms are not \
published again. Every other chain refuses --rows. The guide lists what erasure cannot reach, such as backups and versions \
of a bucket.

Exit code 0: done. 1: refused. 2: an error.")]
pub struct Args {
    #[command(flatten)]
    ask: request_args::RequestArgs,
    /// The file with the identifiers; by default standard input
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// In a chain whose rows keep their labels: remove the whole atoms of published people from all later releases
    #[arg(long)]
    rows: bool,
}

/// The greatest number of people per call: their hashes are one entry of the log.
const MOST_PEOPLE: usize = 100_000;

/// Runs the command.
///
/// # Errors
/// The identifiers cannot be read, or the feed cannot be reached.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let feed = FeedConfig::load(&args.ask.feed)?;
    let columns: Vec<&Column> = feed.columns.of(Role::Identifier).collect();
    if columns.is_empty() {
        let text = "this feed has no identifier column, so it cannot find a person";
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_file(&feed.file)
            .into());
    }
    let (text, place) = read(args.from.as_deref())?;
    args.ask.ask(
        &|known| {
            let hasher = PersonHasher::new(&known.ring.people());
            Ok(RequestKind::Erase {
                people: people(&text, &place, &columns, &hasher)?,
                rows: args.rows,
            })
        },
        false,
        out,
    )
}

/// The text with the identifiers, and its name for errors.
fn read(from: Option<&Path>) -> CommandResult<(Zeroizing<String>, PathBuf)> {
    let place = from.map_or_else(|| PathBuf::from("standard input"), Path::to_path_buf);
    const DOING: &str = "read the identifiers";
    let bytes = match from {
        Some(file) => whole_file::bytes(file, DOING, ErrorCategory::Input, whole_file::ERASURE)?,
        None => whole_file::all(
            std::io::stdin(),
            &place,
            DOING,
            ErrorCategory::Input,
            whole_file::ERASURE,
        )?,
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok((Zeroizing::new(text), place)),
        Err(error) => {
            drop(Zeroizing::new(error.into_bytes()));
            Err(Error::new(ErrorCategory::Input, "not UTF-8 text")
                .in_file(&place)
                .into())
        }
    }
}

fn people(
    text: &str,
    place: &Path,
    columns: &[&Column],
    hasher: &PersonHasher,
) -> crate::daemon::error::Result<Vec<Hash>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut people = Vec::new();
    for (at, record) in reader.records().enumerate() {
        let wrong = |text: &str| {
            Error::new(ErrorCategory::Input, text.to_owned())
                .in_file(place)
                .at_line(at as u64 + 1)
        };
        let record = record.map_err(|_| wrong("this line is not valid CSV"))?;
        if at == 0
            && record.len() == columns.len()
            && record
                .iter()
                .zip(columns)
                .all(|(text, of)| text == &*of.name)
        {
            continue;
        }
        if record.len() != columns.len() {
            let text = format!(
                "each line needs {} identifiers, one for each identifier column",
                columns.len()
            );
            return Err(wrong(&text));
        }
        // As in the source, so that a list may have what the source has.
        let mut texts = Vec::with_capacity(columns.len());
        for (text, column) in record.iter().zip(columns) {
            texts.push((TextStep::all(&column.source.steps, text), column.kind));
        }
        let identifiers: Vec<_> = texts
            .iter()
            .map(|(text, kind)| (text.as_str(), *kind))
            .collect();
        if people.len() == MOST_PEOPLE {
            return Err(wrong(&format!(
                "more than {MOST_PEOPLE} people: split the list, and erase one part after the other"
            )));
        }
        let person = hasher.read(&identifiers);
        people.push(Hash(person.ok_or_else(|| {
            wrong("an identifier on this line is empty or has the wrong type")
        })?));
    }
    if people.is_empty() {
        return Err(Error::new(ErrorCategory::Input, "the list names no person").in_file(place));
    }
    Ok(people)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_so_many_people() {
        let text = "[feed]\nname = \"t\"\n[policy]\nk = 2\n[[column]]\nname = \"id\"\nrole = \"identifier\"\n\
            [[column]]\nname = \"ward\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"A\", \"B\"] }\n";
        let feed = FeedConfig::parse(text, Path::new("feed.toml")).expect("a feed file");
        let columns: Vec<&Column> = feed.columns.of(Role::Identifier).collect();
        let hasher = PersonHasher::new(&[7; 32]);
        for (count, fits) in [(MOST_PEOPLE, true), (MOST_PEOPLE + 1, false)] {
            // The header with the names of the columns is not a person.
            let list = "id\n".to_owned()
                + &(0..count)
                    .map(|at| format!("Pq7person{at}\n"))
                    .collect::<String>();
            match people(&list, Path::new("list.csv"), &columns, &hasher) {
                Ok(people) => assert_eq!((fits, people.len()), (true, count)),
                Err(error) => {
                    assert!(!fits, "{error}");
                    assert_eq!(error.file.as_deref(), Some(Path::new("list.csv")));
                    assert_eq!(error.line, Some(MOST_PEOPLE as u64 + 2));
                    assert!(
                        error.text.contains("split the list") && !error.text.contains("Pq7"),
                        "{}",
                        error.text
                    );
                }
            }
        }
    }
}
