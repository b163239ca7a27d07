//! Reads set-aside messages again (HOUSE 4), once the feed file was corrected, or to find whose they
//! are: whatever their format, they become pages, and the one coder takes them.

use std::collections::BTreeSet;
use std::path::Path;

use super::assembly::{AssembledRows, Assembly};
use super::coder::{Coder, RowBatch};
use super::each;
use super::header::{raw_name, undeclared};
use super::page::Page;
use super::person::PersonHasher;
use super::raw::SecretBytes;
use super::repeats::Repeats;
use super::row_faults::Misplaced;
use super::rows::{TakenRows, whole};
use super::set_aside::{MessageForm, Offer, SetAsideMessage};
use super::source::SourceFile;
use super::topic::{CodedMessages, MessageReader, RawMessage, Schemas, Writing, cut, halted};
use crate::config::RecordRules;
use crate::engine::histogram::{CellReading, MisfitKind, Person};
use crate::engine::model::{Columns, Role};
use crate::error::{Error, ErrorCategory, Result};

impl MessageForm {
    /// The encoding of messages of a topic; `None` for rows of a table.
    fn writing(&self) -> Option<Writing> {
        match self {
            MessageForm::Lines | MessageForm::Messages => Some(Writing::Json),
            MessageForm::Records { schemas } => Some(Writing::Avro(Schemas::of(schemas))),
            MessageForm::Streams => Some(Writing::Arrow),
            MessageForm::Text { .. } | MessageForm::Arrow { .. } => None,
        }
    }
}

/// The messages of an offer as codes; places are their indices in it.
struct Reread<'o> {
    coded: CodedMessages,
    messages: Vec<RawMessage<'o>>,
    reader: Option<MessageReader>,
    undeclared: Vec<String>,
}

impl<'o> Reread<'o> {
    fn of(offer: &'o Offer, columns: &Columns, coder: &Coder<'_>) -> Result<Reread<'o>> {
        let messages: Vec<RawMessage<'o>> = (0..)
            .zip(offer.messages())
            .filter_map(|(at, one)| {
                let raw = one.raw.as_ref()?;
                let whole = one.place.kind != MisfitKind::Tombstone;
                Some(RawMessage {
                    place: at,
                    content: whole.then(|| raw.bytes()),
                    is_record: one.place.element.is_some(),
                })
            })
            .collect();
        let Some(writing) = offer.form().writing() else {
            return Reread::of_table(offer, columns, coder, messages);
        };
        let reader = match offer.form() {
            MessageForm::Lines => MessageReader::of_lines(coder),
            _ => MessageReader::new(&writing, coder),
        };
        let coded = reader.code(&messages, coder);
        let (reader, undeclared) = (Some(reader), Vec::new());
        Ok(Reread {
            coded,
            messages,
            reader,
            undeclared,
        })
    }

    /// Rows of a table, below its header or schema.
    fn of_table(
        offer: &Offer,
        columns: &Columns,
        coder: &Coder<'_>,
        messages: Vec<RawMessage<'o>>,
    ) -> Result<Reread<'o>> {
        let path = Path::new(offer.name());
        let raws = offer
            .messages()
            .iter()
            .filter_map(|message| message.raw.as_ref());
        let mut source = SourceFile::over(offer.name(), offer.form(), raws)?;
        source.want_fields(coder)?;
        let mut coded = CodedMessages::default();
        let mut places = messages.iter().map(|message| message.place);
        while let Some(chunk) = source.chunk()? {
            let mut page: Page = chunk.page(coder);
            page.places = places.by_ref().take(page.rows).collect();
            if page.places.len() < page.rows {
                return Err(other_rows(path));
            }
            let part = coder.code(page).map_err(|misfit| whole(path, &misfit))?;
            coded.parts.push(part);
        }
        if places.next().is_some() {
            return Err(other_rows(path));
        }
        Ok(Reread {
            coded,
            messages,
            reader: None,
            undeclared: undeclared(source.header(), columns, raw_name),
        })
    }
}

fn other_rows(path: &Path) -> Error {
    let text = "messages set aside are not as many rows as they were";
    Error::new(ErrorCategory::Internal, text).in_file(path)
}

/// Decodes messages again, with columns that may have changed, and with the current settings for
/// tombstones and deletes. Those that still cannot be decoded stay unchanged, with their places in
/// the original file and what is wrong with them now.
///
/// # Errors
/// A declared column is missing or has another type, or the feed has to halt for a message.
pub fn retry(
    offer: &Offer,
    columns: &Columns,
    hasher: &PersonHasher,
    rules: &RecordRules,
) -> Result<TakenRows> {
    retry_sifted(offer, columns, hasher, rules, None)
}

/// As [`retry`], but rows of people who have one already stay set aside.
///
/// # Errors
/// As [`retry`].
pub fn retry_sifted(
    offer: &Offer,
    columns: &Columns,
    hasher: &PersonHasher,
    rules: &RecordRules,
    mut repeats: Option<&mut Repeats<'_>>,
) -> Result<TakenRows> {
    let reading = offer.reading();
    let coder = Coder::new(columns, reading, hasher, rules);
    let mut read = Reread::of(offer, columns, &coder)?;
    if let Some((at, kind)) = read.coded.halt {
        let place = &offer.messages()[at as usize].place;
        let at = place.line.unwrap_or(place.row);
        return Err(halted((offer.name(), offer.partition()), at, kind));
    }
    if let Some(repeats) = &mut repeats {
        read.coded
            .parts
            .iter_mut()
            .for_each(|part| repeats.sift(part));
    }
    let Reread {
        coded,
        messages,
        reader,
        undeclared,
    } = read;
    let raws = reader.map(|reader| reader.raws(&messages, &coded.parts, &coder));
    let (mut raws, mut all) = (raws.map(Vec::into_iter), Assembly::new(columns));
    coded
        .parts
        .into_iter()
        .for_each(|part| all.add(part, &coder));
    let AssembledRows {
        rows,
        quarantined,
        nulled,
        skipped,
        spellings,
    } = all.finish();
    let mut faults = quarantined.into_iter().peekable();
    let mut still = Vec::new();
    for (at, one) in (0..).zip(offer.messages()) {
        if one.raw.is_none() {
            still.push(one.clone());
        }
        while let Some(Misplaced {
            element,
            column,
            kind,
            ..
        }) = faults.next_if(|fault| fault.line == Some(at))
        {
            let raw = raws
                .as_mut()
                .map_or_else(|| one.raw.clone(), |raws| raws.next().flatten());
            let place = Misplaced {
                element: element.or(one.place.element),
                column,
                kind,
                ..one.place.clone()
            };
            still.push(SetAsideMessage { place, raw });
        }
    }
    Ok(TakenRows {
        rows,
        aside: offer.with(still),
        undeclared,
        nulled,
        spellings,
        skipped,
    })
}

/// An offer from which some people were removed.
#[derive(Debug)]
pub struct OfferWithout {
    /// The remaining messages.
    pub rest: Offer,
    /// The number of removed messages; for a message with many rows, the number of rows.
    pub gone: u64,
}

impl Offer {
    /// The kind of the cells.
    fn reading(&self) -> CellReading {
        match (self.form(), self.form().writing()) {
            (_, Some(writing)) => writing.reading(),
            (MessageForm::Text { .. }, None) => CellReading::Text,
            (_, None) => CellReading::Typed,
        }
    }

    /// The offer without messages of these people; `None` if there are none. A message shows its
    /// person if its identifiers can be read, whatever else is wrong with it; it stays if they
    /// cannot. If a message has rows of other people too, each of those becomes a message of its
    /// own.
    pub fn without(
        &self,
        people: &BTreeSet<Person>,
        columns: &Columns,
        hasher: &PersonHasher,
        rules: &RecordRules,
    ) -> Option<OfferWithout> {
        let columns = columns.only(Role::Identifier);
        // Every record counts, also one that would not be read.
        let rules = RecordRules {
            each: rules.each.clone(),
            ..RecordRules::default()
        };
        let coder = Coder::new(&columns, self.reading(), hasher, &rules);
        let read = Reread::of(self, &columns, &coder).ok()?;
        let mut rows = read.coded.parts.iter().flat_map(people_of).peekable();
        let (mut rest, mut gone) = (Vec::new(), 0);
        for (at, one) in (0..).zip(self.messages()) {
            let mut own: Vec<(Option<u32>, Option<Person>)> = Vec::new();
            while let Some((_, element, person)) = rows.next_if(|(place, ..)| *place == at) {
                own.push((element, person));
            }
            let stays = |(_, person): &(_, Option<Person>)| {
                person.is_none_or(|person| !people.contains(&person))
            };
            let others: Vec<usize> = (0..own.len()).filter(|&row| stays(&own[row])).collect();
            if others.len() == own.len() {
                rest.push(one.clone());
                continue;
            }
            gone += (own.len() - others.len()) as u64;
            let content = one.raw.as_ref().map_or(&[][..], SecretBytes::bytes);
            let elements: Vec<Option<u32>> = others.iter().map(|&row| own[row].0).collect();
            let alone: Vec<Option<SecretBytes>> = match self.form() {
                _ if others.is_empty() => Vec::new(),
                MessageForm::Streams => {
                    cut(content, &others).unwrap_or_else(|| vec![None; others.len()])
                }
                _ => {
                    let each = rules.each.as_deref().unwrap_or_default();
                    let wanted = elements.iter().copied();
                    each::cut(content, each, wanted).map(Some).collect()
                }
            };
            for (raw, element) in alone.into_iter().zip(elements) {
                let element = element.or(one.place.element);
                let place = Misplaced {
                    element,
                    ..one.place.clone()
                };
                rest.push(SetAsideMessage { place, raw });
            }
        }
        (gone > 0).then(|| OfferWithout {
            rest: self.with(rest),
            gone,
        })
    }
}

/// The place of each row, its number in its message, and its person; `None` if its identifiers
/// cannot be read.
fn people_of(part: &RowBatch) -> impl Iterator<Item = (u64, Option<u32>, Option<Person>)> {
    let mut valid = part.valid_rows().peekable();
    let mut people = part.people.iter();
    (0..part.rows).map(move |row| {
        let person = valid.next_if_eq(&row).and_then(|_| people.next().copied());
        (part.places[row], part.element(row), person)
    })
}
