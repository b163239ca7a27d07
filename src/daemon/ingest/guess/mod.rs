//! The guesses of `tidegate init` about a sample (CONTRACTS 3): a role for every column, with its
//! reason, and a taxonomy where one is needed. A wrong guess must cost utility, never safety: a
//! column that is not understood is dropped, and no value of an identifier, of a sensitive or of a
//! dropped column leaves this room.

mod budget;
mod content;
mod days;
mod header;
mod hierarchy_rows;
mod json;
mod ladder;
mod lists;
mod long_tail;
mod names;
mod profile;
mod proposal;
mod propose;
pub mod sample;
mod shape;

pub use proposal::{OTHER, Proposal};
pub use sample::SampleFacts;

use self::budget::SampleColumn;
use self::content::Referred;
use self::names::{ColumnName, Identity};
use self::profile::Profile;
use self::shape::{Fractions, ValueShape};
use crate::engine::model::forms::{Builtin, TaxonomyTable};
use crate::engine::model::{Kind, ReleaseColumn, Role};

/// Below this number of rows it proves nothing that a column has no two equal values.
const TELLING_ROWS: u64 = 30;

/// The guess about a column.
pub struct Guess {
    /// Its name.
    pub name: String,
    /// The path of its value in a message, if that is not its name.
    pub path: Option<String>,
    /// Its role; `None`: it is dropped.
    pub role: Option<Role>,
    /// Its type, if it has to be written.
    pub kind: Option<Kind>,
    /// Its taxonomy.
    pub taxonomy: Option<Proposal>,
    /// Whether there are rows without a value.
    pub optional: bool,
    /// The reason.
    pub reason: String,
}

/// Whether a column with this name contains people's names, numbers, addresses or remarks, whose
/// values are not shown.
pub fn speaks_of_people(column: &str) -> bool {
    let name = ColumnName::new(column);
    name.is_contact() || name.is_free_text() || name.is_given_number()
}

/// Whether the name of a column contains a word that describes it.
pub fn says_something(column: &str) -> bool {
    ColumnName::new(column).says_something()
}

/// A column of a sample that looks like the key of a person.
pub struct PersonKey {
    /// Its name.
    pub name: String,
    /// Its path, if it is inside an object.
    pub path: Option<String>,
    /// The type of its values.
    pub kind: Kind,
}

/// The column that looks most like the key of a person, except those that are `known` by their
/// names and paths.
pub fn person_key(
    sample: &SampleFacts,
    known: impl Fn(&str, Option<&str>) -> bool,
) -> Option<PersonKey> {
    let mut best: Option<(Identity, &Profile)> = None;
    for profile in &sample.columns {
        if known(&profile.name, profile.path.as_deref()) {
            continue;
        }
        let name = ColumnName::new(&profile.name);
        let shape = shape::of(profile, &name);
        let ColumnGuess::Identifier(rank) = think(profile, &name, shape, sample.rows) else {
            continue;
        };
        let is_person = matches!(rank, Identity::Person | Identity::Key);
        if is_person && best.is_none_or(|(found, _)| rank < found) {
            best = Some((rank, profile));
        }
    }
    best.map(|(_, profile)| PersonKey {
        name: profile.name.clone(),
        path: profile.path.clone(),
        kind: profile.declared.unwrap_or(None).unwrap_or(Kind::String),
    })
}

/// The first guess about a column.
enum ColumnGuess {
    Identifier(Identity),
    Secret,
    Known,
    Perhaps,
    Drop(String),
}

/// A role for every column of the sample, in its order.
pub fn guess(sample: &SampleFacts) -> Vec<Guess> {
    let mut seen: Vec<(&Profile, ColumnName, ValueShape, ColumnGuess)> =
        Vec::with_capacity(sample.columns.len());
    for profile in &sample.columns {
        let name = ColumnName::new(&profile.name);
        let shape = shape::of(profile, &name);
        let thought = think(profile, &name, shape, sample.rows);
        seen.push((profile, name, shape, thought));
    }
    let best = seen
        .iter()
        .filter_map(|(.., thought)| identity(thought))
        .min();
    let secret = seen
        .iter()
        .any(|(.., thought)| matches!(thought, ColumnGuess::Secret));
    let mut promoted = if secret { None } else { promote(&seen) };
    let mut found = false;
    let mut proposed = proposals(&seen, promoted);
    // If the table would have no other quasi column, a column is better generalised than published
    // as it is.
    if promoted.is_some()
        && !proposed
            .iter()
            .flatten()
            .any(|candidate| candidate.proposal.is_ok())
    {
        promoted = None;
        proposed = proposals(&seen, promoted);
    }
    let mut guesses = Vec::with_capacity(seen.len());
    for (at, (profile, name, shape, thought)) in seen.iter().enumerate() {
        let guess = Guess {
            name: profile.name.clone(),
            path: profile.path.clone(),
            role: None,
            kind: None,
            taxonomy: None,
            optional: false,
            reason: String::new(),
        };
        guesses.push(match thought {
            ColumnGuess::Drop(reason) => Guess { reason: reason.clone(), ..guess },
            ColumnGuess::Identifier(rank) if !found && Some(*rank) == best => {
                found = true;
                identifier(guess, profile, *rank)
            }
            ColumnGuess::Identifier(_) => {
                let reason = "another column already says who the person is; several identifiers would form one. If this one \
                              does, and not the other, exchange them";
                Guess { reason: reason.into(), ..guess }
            }
            ColumnGuess::Secret => {
                let reason = match name.is_secret() {
                    true => "the name suggests a private matter",
                    false => "its values are codes of ICD-10, which are private",
                };
                sensitive(guess, profile, *shape, reason)
            }
            _ if promoted == Some(at) => {
                let reason = "A GUESS: no name suggests a diagnosis or the like, and this column is the most likely \
                              one. Change it if another column must be protected";
                sensitive(guess, profile, *shape, reason)
            }
            ColumnGuess::Known | ColumnGuess::Perhaps => {
                let proposal = proposed[at].take().map_or_else(|| Err(String::new()), |candidate| candidate.proposal);
                generalised(guess, profile, name, *shape, proposal)
            }
        });
        if let Some(guess) = guesses
            .last_mut()
            .filter(|guess| guess.role.is_some() && profile.is_padded())
        {
            guess.reason.push_str(
                "; spaces around its values count as part of them: remove them in the source",
            );
        }
    }
    guesses
}

/// Taxonomies of the columns that are to be generalised.
fn proposals(
    seen: &[(&Profile, ColumnName, ValueShape, ColumnGuess)],
    promoted: Option<usize>,
) -> Vec<Option<SampleColumn>> {
    let (mut places, mut candidates) = (Vec::new(), Vec::new());
    for (at, (profile, name, shape, thought)) in seen
        .iter()
        .enumerate()
        .filter(|(at, _)| promoted != Some(*at))
    {
        let known = matches!(thought, ColumnGuess::Known);
        if known || matches!(thought, ColumnGuess::Perhaps) {
            places.push(at);
            candidates.push(SampleColumn {
                known,
                proposal: propose::propose(profile, name, *shape),
            });
        }
    }
    budget::fit(&mut candidates);
    let mut found: Vec<Option<SampleColumn>> = seen.iter().map(|_| None).collect();
    places
        .into_iter()
        .zip(candidates)
        .for_each(|(at, candidate)| found[at] = Some(candidate));
    found
}

fn identity(thought: &ColumnGuess) -> Option<Identity> {
    match thought {
        ColumnGuess::Identifier(rank) => Some(*rank),
        _ => None,
    }
}

fn think(profile: &Profile, name: &ColumnName, shape: ValueShape, rows: u64) -> ColumnGuess {
    let drop = |reason: &str| ColumnGuess::Drop(reason.into());
    let share = profile.distinctness();
    if profile.name.trim().is_empty() {
        return drop("it has no name");
    }
    if profile.name.to_lowercase() == ReleaseColumn::NAME {
        return drop(
            "releases have their own column of this name, with the release of each row; rename this one if it \
             is something else",
        );
    }
    if profile.name.chars().any(char::is_control) {
        return drop("its name contains control characters, which are not allowed");
    }
    if let Err(what) = profile.declared {
        return drop(what);
    }
    if profile.filled == profile.blank() {
        return drop("it is empty in every row of the sample");
    }
    let telling = rows >= TELLING_ROWS;
    let fraction = matches!(
        shape,
        ValueShape::Float(_)
            | ValueShape::Date { .. }
            | ValueShape::Days { .. }
            | ValueShape::OtherDate
    );
    if name.is_contact() {
        return drop("it identifies or contacts people directly");
    }
    if name.is_free_text() {
        return drop("the name says that it is free text, which may name people");
    }
    if let Some(thought) = identified(profile, name, fraction, telling) {
        return thought;
    }
    if profile.values.len() == 1 && rows > 1 && !profile.more {
        return drop("it has the same value in every row of the sample");
    }
    if share >= 1.0
        && telling
        && !fraction
        && !name.is_known()
        && !name.is_secret()
        && numbered(profile, shape)
    {
        return ColumnGuess::Identifier(Identity::Counter);
    }
    if is_key(profile, name, shape) {
        // A person has several rows; a number of the row does not recur.
        return ColumnGuess::Identifier(if share < 1.0 {
            Identity::Key
        } else {
            Identity::Counter
        });
    }
    match shape {
        ValueShape::FreeText => drop("it looks like free text, which may name people"),
        ValueShape::Date { .. }
        | ValueShape::Days { .. }
        | ValueShape::OtherDate
        | ValueShape::Postcode(_) => ColumnGuess::Known,
        ValueShape::Icd10 => ColumnGuess::Secret,
        _ if name.is_secret() => ColumnGuess::Secret,
        _ if name.is_known() || content::is_sex(profile) => ColumnGuess::Known,
        _ => ColumnGuess::Perhaps,
    }
}

/// What the name and the values of a column say about who or what it identifies; `None` if they say
/// nothing.
fn identified(
    profile: &Profile,
    name: &ColumnName,
    fraction: bool,
    telling: bool,
) -> Option<ColumnGuess> {
    let drop = |reason: &str| Some(ColumnGuess::Drop(reason.into()));
    let share = profile.distinctness();
    match content::referred(profile) {
        Some(Referred::Patient) => return Some(ColumnGuess::Identifier(Identity::Person)),
        Some(Referred::OtherPerson) => {
            return drop("its values refer to people who are not patients");
        }
        Some(Referred::Case) if !telling || share > 0.1 => {
            return Some(ColumnGuess::Identifier(Identity::Case));
        }
        Some(Referred::Case) => return drop("its values refer to cases of patients"),
        None => {}
    }
    match name.identity() {
        Some(Identity::Person)
            if !fraction && (!telling || share > 0.1 || name.is_given_number()) =>
        {
            Some(ColumnGuess::Identifier(Identity::Person))
        }
        Some(Identity::Case) if !fraction && (!telling || share > 0.1) => {
            Some(ColumnGuess::Identifier(Identity::Case))
        }
        Some(Identity::Case) => {
            drop("the name says that it is the number of a case, an insurance or an account")
        }
        Some(Identity::Person) if name.is_given_number() => {
            drop("the name says that it is a person's number")
        }
        Some(Identity::Thing) if !fraction && share > 0.9 => {
            Some(ColumnGuess::Identifier(Identity::Thing))
        }
        Some(Identity::Counter) if !fraction && share >= 1.0 && telling => {
            Some(ColumnGuess::Identifier(Identity::Counter))
        }
        _ => None,
    }
}

/// Whether a column whose name says nothing looks like the key of a person.
fn is_key(profile: &Profile, name: &ColumnName, shape: ValueShape) -> bool {
    let text = matches!(
        shape,
        ValueShape::Code { .. }
            | ValueShape::Zeros {
                length: Some(_),
                ..
            }
            | ValueShape::Text
    );
    let said = name.is_known() || name.is_secret() || name.is_quantity() || name.is_amount();
    text && !said && profile.has_keys()
}

/// Whether values that are all different look like assigned numbers: codes, or whole numbers
/// without gaps.
fn numbered(profile: &Profile, shape: ValueShape) -> bool {
    match shape {
        ValueShape::Code { length }
        | ValueShape::Zeros {
            length: Some(length),
            ..
        } => length >= 4,
        ValueShape::Int {
            min,
            max,
            stray: false,
        } => max.abs_diff(min) < profile.values.len() as u64,
        _ => false,
    }
}

/// The likeliest sensitive column if no name suggests one: the last list of categories, otherwise
/// the last remaining column.
fn promote(seen: &[(&Profile, ColumnName, ValueShape, ColumnGuess)]) -> Option<usize> {
    let categories = |profile: &Profile| (2..=100).contains(&profile.values.len());
    let last = |test: &dyn Fn(&Profile, &ColumnGuess) -> bool| {
        seen.iter()
            .rposition(|(profile, _, _, thought)| test(profile, thought))
    };
    last(&|profile, thought| matches!(thought, ColumnGuess::Perhaps) && categories(profile))
        .or_else(|| {
            last(&|profile, thought| matches!(thought, ColumnGuess::Perhaps) && !profile.has_keys())
        })
        .or_else(|| {
            let left = seen
                .iter()
                .filter(|(.., thought)| matches!(thought, ColumnGuess::Known))
                .count();
            (left > 1)
                .then(|| last(&|_, thought| matches!(thought, ColumnGuess::Known)))
                .flatten()
        })
}

fn identifier(guess: Guess, profile: &Profile, rank: Identity) -> Guess {
    let reason = match rank {
        Identity::Person => {
            "its name or its values say that it is a person's number; releases must not hold it"
        }
        Identity::Case => {
            "a number given to a person's case or contract; if a person can have several, put the person's number here"
        }
        Identity::Key => {
            "A GUESS: its values look like keys of people, of whom some have several rows; put the person's number \
             here if it is another column"
        }
        Identity::Thing => {
            "it identifies each row; if a person can have several rows, put the person's number here \
             instead"
        }
        Identity::Counter => {
            "A GUESS: no two rows have the same value, so it looks like a number of the row"
        }
    };
    let kind = profile
        .declared
        .unwrap_or(None)
        .filter(|&kind| kind != Kind::String);
    Guess {
        role: Some(Role::Identifier),
        kind,
        reason: reason.into(),
        ..guess
    }
}

fn sensitive(guess: Guess, profile: &Profile, shape: ValueShape, reason: &str) -> Guess {
    // Text that is not of the type would be published as null.
    let kind = match (profile.declared.unwrap_or(None), shape) {
        (Some(kind), _) => Some(kind).filter(|&kind| kind != Kind::String),
        (None, _) if profile.is_padded() || profile.blank() > 0 => None,
        (None, ValueShape::Int { stray: false, .. }) => Some(Kind::Int),
        (
            None,
            ValueShape::Float(Some(Fractions {
                stray: false,
                comma: false,
                ..
            })),
        ) => Some(Kind::Float),
        _ => None,
    };
    let taxonomy = (shape == ValueShape::Icd10).then(|| Proposal {
        table: TaxonomyTable {
            builtin: Some(Builtin::Icd10),
            ..TaxonomyTable::default()
        },
        kind: None,
        rows: None,
        unknown: None,
        why: "published unchanged; the taxonomy is used for hierarchical t-closeness only".into(),
    });
    Guess {
        role: Some(Role::Sensitive),
        kind,
        taxonomy,
        reason: reason.into(),
        ..guess
    }
}

fn generalised(
    guess: Guess,
    profile: &Profile,
    name: &ColumnName,
    shape: ValueShape,
    proposal: Result<Proposal, String>,
) -> Guess {
    let known = matches!(
        shape,
        ValueShape::Date { .. } | ValueShape::Days { .. } | ValueShape::Postcode(_)
    );
    let reason = match name.is_known() || known || content::is_sex(profile) {
        true => "others may know it about a person",
        false => "others might know it about a person",
    };
    let is_number = matches!(
        shape,
        ValueShape::Int { stray: false, .. }
            | ValueShape::Float(Some(Fractions { stray: false, .. }))
    );
    let reason = match is_number && name.is_amount() {
        true => format!(
            "{reason}; if they do not, `role = \"measure\"` instead of `quasi` and its taxonomy publishes its sums"
        ),
        false => reason.to_owned(),
    };
    match proposal {
        Ok(proposal) => {
            let (kind, optional) = (proposal.kind, profile.missing > 0);
            Guess {
                role: Some(Role::Quasi),
                kind,
                taxonomy: Some(proposal),
                optional,
                reason,
                ..guess
            }
        }
        Err(why) => Guess {
            reason: why,
            ..guess
        },
    }
}
