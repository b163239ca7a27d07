//! The input of a refinement attack: classes from a table of labels, the order in which they were
//! formed, and the raw rows. Errors name a file and a place in it; of cells they show only labels
//! of quasi columns.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::subject::AttackSubject;
use crate::common_texts::name;
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::ingest::{TableFile, count};
use crate::daemon::whole_file;
use crate::engine::gate::refinement::{
    AttackedRows, Attacker, CarvingRule, Layers, Malformed, NoLayers, RowsMismatch, divide,
    fuzzy as single,
};
use crate::engine::histogram::{Histogram, describe};
use crate::engine::model::{Columns, Node, Role};
use crate::engine::policy::Search;
use crate::progress;
use crate::release_tables::labels;

/// The error for columns whose cells or values are too many to count.
const TOO_LARGE: &str = "the columns together have too many cells or values to count";

/// Classes, each with its number of rows.
type Classes = Vec<(Vec<Node>, u64)>;

/// The file that gives the order of formation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Formation {
    classes: Vec<Vec<String>>,
}

/// Reads the release, and the order of its classes where that is given.
///
/// # Errors
/// The table cannot be read, or neither a run of ARX-LR nor one of halving, where that is the
/// feed's search, makes such a table.
pub(super) fn subject(
    feed: &FeedConfig,
    file: &Path,
    order: Option<&Path>,
) -> Result<AttackSubject> {
    if feed.policy.search() == Search::Halves {
        return halved(feed, file, order);
    }
    if feed.policy.search().is_micro() {
        return grouped(feed, file, order);
    }
    let layers = Layers::of(&feed.columns.trees()).map_err(|why| unlayered(why, feed))?;
    let shown = progress::ProgressLine::files(1);
    let classes = classes(file, &feed.columns)?;
    drop(shown);
    let k = feed.policy.a();
    large_enough(&classes, k, (&feed.columns, file))?;
    let (classes, attacker) = match order {
        Some(order) => (formed(order, &feed.columns, classes)?, Attacker::Strongest),
        None => {
            let ranked = layers.ranked(classes.clone(), k);
            let ranked = ranked.map_err(|why| unranked(why, &classes, (&feed.columns, file)))?;
            (ranked, Attacker::Paper)
        }
    };
    let release = layers.release(
        classes
            .iter()
            .map(|(nodes, rows)| (nodes.as_slice(), *rows)),
        k,
    );
    let release = release.map_err(|why| unranked(why, &classes, (&feed.columns, file)))?;
    Ok(AttackSubject {
        name: name(file),
        columns: feed.columns.clone(),
        layers,
        release,
        attacker,
    })
}

/// As [`subject`], for a feed whose classes are halved; their order reveals nothing. In a chain
/// whose rows keep their labels the newest release holds all labels.
fn halved(feed: &FeedConfig, file: &Path, order: Option<&Path>) -> Result<AttackSubject> {
    let wrong = |text: String| Error::new(ErrorCategory::Input, text).in_file(file);
    let trees = feed.columns.trees();
    let layers = Layers::of_any(&trees).map_err(|why| unlayered(why, feed))?;
    let shown = progress::ProgressLine::files(1);
    let classes = classes(file, &feed.columns)?;
    drop(shown);
    let (classes, attacker) = match order {
        Some(order) => (formed(order, &feed.columns, classes)?, Attacker::Strongest),
        None => (classes, Attacker::Paper),
    };
    let class = |at: usize| describe(&classes[at].0, &feed.columns);
    let counted: Vec<(&[Node], u64)> = classes
        .iter()
        .map(|(nodes, rows)| (nodes.as_slice(), *rows))
        .collect();
    let release = layers.regions_of(&counted, &feed.policy, &trees).map_err(|why| {
        wrong(match why {
            Malformed::Small(at) => {
                let (rows, k) = (classes[at].1, feed.policy.a());
                let s = if rows == 1 { "" } else { "s" };
                format!("class {} has {rows} row{s}: halving with k = {k} publishes no such class", class(at))
            }
            Malformed::Region(at) => {
                format!(
                    "halving cannot produce class {}, so it did not make this table: the table was made with a \
                     different policy, different taxonomies or a different algorithm",
                    class(at)
                )
            }
            Malformed::TooLarge => TOO_LARGE.to_owned(),
            _ => "there are too many rows to attack".to_owned(),
        })
    })?;
    Ok(AttackSubject {
        name: name(file),
        columns: feed.columns.clone(),
        layers,
        release,
        attacker,
    })
}

/// As [`subject`], for a feed whose classes are groups of neighbours, which have no order.
fn grouped(feed: &FeedConfig, file: &Path, order: Option<&Path>) -> Result<AttackSubject> {
    if order.is_some() {
        let text = "the order in which groups of neighbours are formed reveals nothing more: omit --classes";
        return Err(Error::new(ErrorCategory::Usage, text).in_field("--classes"));
    }
    let layers = Layers::of_any(&feed.columns.trees()).map_err(|why| unlayered(why, feed))?;
    let shown = progress::ProgressLine::files(1);
    let classes = classes(file, &feed.columns)?;
    drop(shown);
    let counted = classes
        .iter()
        .map(|(nodes, rows)| (nodes.as_slice(), *rows));
    let release = layers.finest(counted, feed.policy.a()).map_err(|why| {
        let text = match why {
            Malformed::Small(at) => {
                let ((nodes, rows), k) = (&classes[at], feed.policy.a());
                let s = if *rows == 1 { "" } else { "s" };
                format!(
                    "class {} has {rows} row{s}: groups of neighbours with k = {k} are larger. Set policy.k to the k \
                     that the table was made with",
                    describe(nodes, &feed.columns)
                )
            }
            Malformed::TooLarge => TOO_LARGE.to_owned(),
            _ => "there are too many rows to attack".to_owned(),
        };
        Error::new(ErrorCategory::Input, text).in_file(file)
    })?;
    Ok(AttackSubject {
        name: name(file),
        columns: feed.columns.clone(),
        layers,
        release,
        attacker: Attacker::Paper,
    })
}

/// The error for a column that ARX-LR cannot use.
fn unlayered(NoLayers { column, why }: NoLayers, feed: &FeedConfig) -> Error {
    let text = match why {
        Malformed::Hierarchy => {
            "ARX-LR needs layers, and this taxonomy has none: every leaf must be in one interval of each layer. Write \
             `leaves` with `layers`, or bands that each contain the same number of narrower bands; `optional` and \
             `unknown` add a leaf that is in no interval"
        }
        Malformed::Unequal => {
            "ARX-LR compares lengths, and the intervals of one layer of this taxonomy differ in length before the last one: \
             make them equal"
        }
        _ => "this taxonomy has too many values to count: use coarser leaves",
    };
    let named = feed
        .columns
        .of(Role::Quasi)
        .nth(column)
        .map_or("", |column| &column.name);
    Error::new(ErrorCategory::Taxonomy, text)
        .in_file(&feed.file)
        .in_field(named)
}

/// The classes of a table in preorder, including the class of outliers.
fn classes(file: &Path, columns: &Columns) -> Result<Classes> {
    let rows = labels(file, &columns.only(Role::Quasi), |table| {
        TableFile::labels_in(table, columns)
    })?;
    Ok(counts(&rows))
}

/// The distinct codes, each with its number of rows.
fn counts(rows: &Histogram) -> Classes {
    let rows_of = |tuple| {
        rows.cells_of(tuple)
            .iter()
            .map(|cell| u64::from(cell.count))
            .sum()
    };
    (0..rows.tuples())
        .map(|tuple| (rows.tuple_at(tuple).collect(), rows_of(tuple)))
        .collect()
}

/// Whether these labels are those of the class of outliers.
fn left_over(nodes: &[Node]) -> bool {
    nodes.iter().all(|&node| node == 0)
}

/// Checks that every class has k rows: an attack that assumes a wrong k proves nothing.
fn large_enough(classes: &Classes, k: u64, (columns, file): (&Columns, &Path)) -> Result<()> {
    let small: Vec<&(Vec<Node>, u64)> = classes
        .iter()
        .filter(|(nodes, rows)| *rows < k && !left_over(nodes))
        .collect();
    let Some((nodes, rows)) = small.iter().min_by_key(|(_, rows)| *rows) else {
        return Ok(());
    };
    let others = if small.len() == 1 {
        String::new()
    } else {
        format!(", and {} more have too few", small.len() - 1)
    };
    let text = format!(
        "class {} has {rows} row{}{others}: ARX-LR with k = {k} forms no such class. Set policy.k to the k that the \
         table was made with, and give rows without a class the root in every column",
        describe(nodes, columns),
        if *rows == 1 { "" } else { "s" }
    );
    Err(Error::new(ErrorCategory::Input, text).in_file(file))
}

/// The error for classes that no order of formation can lead to.
fn unranked(why: Malformed, classes: &Classes, (columns, file): (&Columns, &Path)) -> Error {
    let text = match why {
        Malformed::Class(at) => {
            let class = classes
                .iter()
                .filter(|(nodes, _)| !left_over(nodes))
                .nth(at);
            let class = class.map_or(String::new(), |(nodes, _)| describe(nodes, columns));
            format!("class {class} has a label that is on no layer of its taxonomy")
        }
        Malformed::TooLarge => TOO_LARGE.to_owned(),
        _ => "there are too many rows to attack".to_owned(),
    };
    Error::new(ErrorCategory::Input, text).in_file(file)
}

/// Sorts classes into the order that a file gives; the file has to name all of them.
fn formed(file: &Path, columns: &Columns, classes: Classes) -> Result<Classes> {
    let wrong = |text: String| Error::new(ErrorCategory::Input, text).in_file(file);
    let bytes = whole_file::bytes(
        file,
        "read the order of formation",
        ErrorCategory::Input,
        whole_file::FORMATION,
    )?;
    let listed: Formation = serde_json::from_slice(&bytes).map_err(|error| {
        // The parser's message may quote the file.
        let what = if error.is_data() { "this JSON has the wrong form" } else { "this is not JSON" };
        let text = format!("{what}: {{\"classes\": [[\"label of column 1\", …], …]}} is expected, all labels as text");
        wrong(text).at_line(error.line() as u64)
    })?;
    let (outliers, mut left): (BTreeMap<_, _>, BTreeMap<_, _>) =
        classes.into_iter().partition(|(nodes, _)| left_over(nodes));
    let mut known: BTreeMap<Vec<Node>, usize> = BTreeMap::new();
    let mut formed = Vec::with_capacity(listed.classes.len());
    for (labels, number) in listed.classes.iter().zip(1..) {
        let nodes = nodes(labels, columns).map_err(|(field, what)| match field {
            Some(field) => wrong(format!("class {number} of the list {what}")).in_field(field),
            None => wrong(format!("class {number} of the list {what}")),
        })?;
        let class = describe(&nodes, columns);
        if let Some(first) = known.get(&nodes) {
            return Err(wrong(format!(
                "class {number} of the list, {class}, is the same as class {first}"
            )));
        }
        if left_over(&nodes) {
            let text = "is at the root in every column: outliers are not a class, remove them";
            return Err(wrong(format!("class {number} of the list {text}")));
        }
        let Some(rows) = left.remove(&nodes) else {
            return Err(wrong(format!(
                "class {number} of the list, {class}, has no rows in the release"
            )));
        };
        known.insert(nodes.clone(), number);
        formed.push((nodes, rows));
    }
    if let Some((nodes, _)) = left.first_key_value() {
        let others = if left.len() == 1 {
            String::new()
        } else {
            format!(", and {} more", left.len() - 1)
        };
        let class = describe(nodes, columns);
        return Err(wrong(format!(
            "class {class} of the release is not in the list{others}: the list must contain all classes except the \
             outliers"
        )));
    }
    Ok(formed.into_iter().chain(outliers).collect())
}

/// The nodes of labels; on failure the column and what is wrong. An unknown label is not printed,
/// since it may be a value.
fn nodes(
    labels: &[String],
    columns: &Columns,
) -> std::result::Result<Vec<Node>, (Option<String>, String)> {
    let trees = columns.trees();
    if labels.len() != trees.len() {
        let names: Vec<&str> = columns
            .of(Role::Quasi)
            .map(|column| &*column.name)
            .collect();
        let text = format!(
            "has {} labels, and there are {} columns: {}",
            labels.len(),
            trees.len(),
            names.join(", ")
        );
        return Err((None, text));
    }
    let named = columns.of(Role::Quasi).zip(trees).zip(labels);
    named
        .map(|((column, tree), label)| {
            let text = || {
                (
                    Some(column.name.to_string()),
                    "has a label that is not in the taxonomy".to_owned(),
                )
            };
            tree.find(label).ok_or_else(text)
        })
        .collect()
}

/// For each target, how many cells hold exactly one person.
///
/// # Errors
/// The rows cannot be read, or are not those of the release.
pub(super) fn fuzzy(file: &Path, subject: &AttackSubject) -> Result<Vec<u64>> {
    if *subject.release.rule() == CarvingRule::Finest {
        let text = "labels of groups may contain each other, and the files do not say which label the row of a person \
                    has: omit --increment";
        return Err(Error::new(ErrorCategory::Usage, text).in_field("--increment"));
    }
    if subject.release.rule().is_halving() {
        let text = "where a coin divides people, labels may contain each other, and the files do not say which label \
                    the row of a person has: omit --increment";
        return Err(Error::new(ErrorCategory::Usage, text).in_field("--increment"));
    }
    let columns = subject.columns.only(Role::Quasi);
    let table = TableFile::increment(file, &columns)?;
    let reading = table.raw();
    let (rows, _) = count(table, &columns, reading)?;
    let release = &subject.release;
    let held = divide(release, subject.attacker, &counts(&rows)).map_err(|RowsMismatch { place, rows }| {
        let in_release = release.rows(place);
        let differ = match place {
            AttackedRows::Class(_) => {
                format!(
                    "class {} has {in_release} rows in the release, and {rows} according to the raw rows",
                    subject.describe(place)
                )
            }
            AttackedRows::Outliers => format!(
                "{rows} of the raw rows are in no class, and the release has \
                 {in_release} outliers"
            ),
        };
        let order = match subject.attacker {
            Attacker::Paper => {
                "each class takes the rows that it covers, in the order of formation, which --classes \
                 gives; remove rows that wait or were not published"
            }
            Attacker::Strongest => {
                "each class takes the rows that it covers, in the order of --classes; remove rows \
                 that wait or were not published"
            }
        };
        Error::new(ErrorCategory::Input, format!("the raw rows do not match the release: {differ} ({order})"))
            .in_file(file)
    })?;
    Ok(held.iter().map(|rows| single(rows)).collect())
}
