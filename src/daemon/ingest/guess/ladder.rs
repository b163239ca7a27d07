//! Bands and intervals for numbers (CONTRACTS 2, and 3 `init`), from the range of a sample, with
//! room on both sides. Of the numbers themselves only their counts between round numbers are used,
//! if most are small compared with the largest.

use std::collections::BTreeMap;

use super::profile::Profile;
use super::proposal::{OTHER, Proposal};
use super::shape::Fractions;
use super::{hierarchy_rows, long_tail};
use crate::engine::model::forms::TaxonomyTable;
use crate::engine::model::{Edge, Finite, Kind};

const INTERVALS: &str =
    "intervals over the sample's numbers with room on both sides; the layers are children per node";
const NARROWER: &str = "intervals over the sample's numbers with room on both sides, narrower where it has more rows; the layers are \
                        children per node";
/// The most numbers with a leaf of their own; with more, intervals are used.
const MOST_BANDED: i64 = 5_000;

/// For whole numbers with these numbers of rows: intervals that are narrower where most rows are,
/// if these are small compared with the largest number, otherwise bands or intervals of one width.
pub(super) fn counted(rows: &BTreeMap<i64, u64>, min: i64, max: i64) -> Result<Proposal, String> {
    let (low, high, span) = with_room(min, max)?;
    let narrower = edges(low, high, span).and_then(|(equal, _)| long_tail::edges(rows, &equal));
    let Some((mut edges, layers)) = narrower else {
        return numbers(min, max);
    };
    long_tail::widen(&mut edges, min, max);
    let table = TaxonomyTable {
        leaves: Some(edges),
        layers: Some(layers),
        ..TaxonomyTable::default()
    };
    Ok(Proposal::new(table, NARROWER))
}

/// The range of a sample with a tenth of its length added on both sides, and the number of values
/// in it.
fn with_room(min: i64, max: i64) -> Result<(i64, i64, i64), String> {
    let widened = || {
        let room = max.checked_sub(min)? / 10 + 1;
        let low = min.checked_sub(room)?;
        let low = if min >= 0 { low.max(0) } else { low };
        let high = max.checked_add(room)?;
        Some((low, high, high.checked_sub(low)?.checked_add(1)?))
    };
    widened().ok_or_else(far)
}

fn far() -> String {
    "its numbers are too large for a taxonomy".to_owned()
}

/// Bands, or intervals if there are too many numbers, with a tenth of room on both sides.
pub(super) fn numbers(min: i64, max: i64) -> Result<Proposal, String> {
    let (low, high, span) = with_room(min, max)?;
    if span <= MOST_BANDED {
        let steps = || {
            std::iter::successors(Some((5i64, 2i64)), |&(width, by)| {
                Some((width * by, 7 - by))
            })
            .map(|(width, _)| width)
        };
        let widths: Vec<i64> = steps()
            .skip_while(|width| span / width > 40)
            .take_while(|&width| width == 5 || span / width >= 2)
            .take(3)
            .collect();
        let unit = widths.get(1).or(widths.first()).copied().unwrap_or(5);
        let (low, high) = (
            low.div_euclid(unit) * unit,
            high.div_euclid(unit) * unit + unit - 1,
        );
        let table = TaxonomyTable {
            bands: Some(widths),
            min: Some(low),
            max: Some(high),
            ..TaxonomyTable::default()
        };
        let why = "the sample's numbers with room on both sides; values outside have no label";
        return Ok(Proposal::new(table, why));
    }
    let (edges, layers) = edges(low, high, span).ok_or_else(far)?;
    let table = TaxonomyTable {
        leaves: Some(edges),
        layers: Some(layers),
        ..TaxonomyTable::default()
    };
    Ok(Proposal::new(table, INTERVALS))
}

/// At most twenty intervals of a round width, and their groups.
fn edges(low: i64, high: i64, span: i64) -> Option<(Vec<i64>, Vec<i64>)> {
    let mut width = 1i64;
    let mut factors = [2i64, 5, 10].into_iter().cycle();
    let mut power = 1i64;
    while span / width >= 19 {
        let factor = factors.next()?;
        width = power.checked_mul(factor)?;
        if factor == 10 {
            power = width;
        }
    }
    let first = low.div_euclid(width);
    let needed = high.div_euclid(width).checked_sub(first)? + 1;
    let (leaves, layers) = [
        (8, vec![2, 2, 2]),
        (12, vec![2, 2, 3]),
        (16, vec![2, 2, 2, 2]),
        (20, vec![2, 2, 5]),
    ]
    .into_iter()
    .find(|(leaves, _)| *leaves >= needed)?;
    let edges: Option<Vec<i64>> = (0..=leaves)
        .map(|at| first.checked_add(at)?.checked_mul(width))
        .collect();
    Some((edges?, layers))
}

/// Bands of numbers with fractions: every number with as many decimals as the sample has is a leaf.
pub(super) fn decimals(profile: &Profile, fractions: Fractions) -> Result<Proposal, String> {
    let Fractions {
        decimals,
        min,
        max,
        comma,
        ..
    } = fractions;
    let bands = numbers(min, max)?;
    // Text stays as it is written; in other columns 30 and 30.0 are the same number.
    let text = comma || profile.is_padded() || profile.declared == Ok(Some(Kind::String));
    if !text && let Some(intervals) = open(profile, fractions, bands.table.bands.is_none())? {
        return Ok(intervals);
    }
    if bands.table.bands.is_none() {
        return Err(too_fine(fractions));
    }
    let sign = if comma { "," } else { "." };
    let spell = |label: &str| {
        let Ok(number) = label.parse::<i64>() else {
            return Vec::new();
        };
        let short = point(number, decimals);
        if !text {
            let number = short.parse().ok().and_then(Finite::new);
            return number
                .map(|number| number.get().to_string())
                .into_iter()
                .collect();
        }
        let whole = short.split('.').next().unwrap_or_default();
        let behind = short.split_once('.').map_or("", |(_, behind)| behind);
        let long = format!("{whole}{sign}{behind:0<0$}", decimals as usize);
        let mut spelled = vec![short.replace('.', sign)];
        if decimals > 0 && long != spelled[0] {
            spelled.push(long);
        }
        spelled
    };
    let above = |label: &str| match ends(label) {
        Some((low, high)) if low == high => point(low, decimals),
        Some((low, high)) => format!("{}-{}", point(low, decimals), point(high, decimals)),
        None => label.to_owned(),
    };
    let tree = bands.tree()?;
    let rows = hierarchy_rows::spaced(profile, hierarchy_rows::rows(&tree, spell, above))?;
    let table = TaxonomyTable {
        file: Some(String::new()),
        ..TaxonomyTable::default()
    };
    let why = "bands of the sample's numbers with room on both sides, value;band;…;root; values outside are `other`";
    Ok(Proposal {
        rows: Some(rows),
        unknown: Some(OTHER.to_owned()),
        kind: (!text).then_some(Kind::Float),
        ..Proposal::new(table, why)
    })
}

/// Intervals that are open at both ends, for numbers with fractions that are too many for a leaf
/// each, or of which most are small compared with the largest. There are none for other columns.
fn open(
    profile: &Profile,
    fractions: Fractions,
    too_many: bool,
) -> Result<Option<Proposal>, String> {
    let Fractions {
        decimals,
        min,
        max,
        stray,
        ..
    } = fractions;
    let span = max
        .checked_sub(min)
        .and_then(|span| span.checked_add(1))
        .ok_or_else(far)?;
    let equal = edges(min, max, span).ok_or_else(far)?;
    let rows = profile.counts(|value| fractions.count(value));
    let ((edges, layers), widths) = match long_tail::edges(&rows, &equal.0) {
        Some(narrower) => (narrower, "narrower where it has more rows; "),
        None if too_many => (equal, ""),
        None => return Ok(None),
    };
    // The first and the last interval are unbounded.
    let inner = edges[1..edges.len() - 1].iter();
    let number = |&edge: &i64| point(edge, decimals).parse().ok().and_then(Edge::new);
    let edges = inner
        .map(number)
        .collect::<Option<Vec<Edge>>>()
        .ok_or_else(far)?;
    let table = TaxonomyTable {
        edges: Some(edges),
        layers: Some(layers),
        ..TaxonomyTable::default()
    };
    let why = format!(
        "intervals over the sample's numbers, {widths}the first holds all smaller numbers and the last all larger ones, the layers \
         are children per node"
    );
    Ok(Some(Proposal {
        kind: Some(Kind::Float),
        unknown: stray.then(|| OTHER.to_owned()),
        ..Proposal::new(table, why)
    }))
}

/// How a column of text whose numbers have too many decimals could get bands.
fn too_fine(fractions: Fractions) -> String {
    let mut span = fractions.max.saturating_sub(fractions.min);
    let mut digits = fractions.decimals;
    while digits > 0 && span / 5 * 6 > MOST_BANDED - 20 {
        (span, digits) = (span / 10, digits - 1);
    }
    match digits {
        0 => "numbers with too many digits for bands: round them to whole numbers".into(),
        1 => "numbers with too many digits for bands: round them to one digit behind the point"
            .into(),
        digits => format!(
            "numbers with too many digits for bands: round them to {digits} digits behind the point"
        ),
    }
}

/// A number in units of its last decimal, without trailing zeros.
fn point(number: i64, decimals: u32) -> String {
    let digits = format!("{:0>1$}", number.unsigned_abs(), decimals as usize + 1);
    let (whole, behind) = digits.split_at(digits.len() - decimals as usize);
    let (sign, behind) = (
        if number < 0 { "-" } else { "" },
        behind.trim_end_matches('0'),
    );
    if behind.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{behind}")
    }
}

/// The ends of a band in its label.
fn ends(label: &str) -> Option<(i64, i64)> {
    if let Ok(only) = label.parse() {
        return Some((only, only));
    }
    let at = label.get(1..)?.find('-')? + 1;
    Some((label[..at].parse().ok()?, label[at + 1..].parse().ok()?))
}

/// The same domain with fewer leaves: intervals instead of single numbers, months instead of days.
/// `None` if there is no such form.
pub(super) fn coarser(proposal: &Proposal) -> Option<Proposal> {
    let table = &proposal.table;
    let unknown = proposal.unknown.clone();
    if let (Some(low), Some(high), Some(_)) = (table.min, table.max, &table.bands) {
        let (leaves, layers) = edges(low, high, high.checked_sub(low)?.checked_add(1)?)?;
        let table = TaxonomyTable {
            leaves: Some(leaves),
            layers: Some(layers),
            ..TaxonomyTable::default()
        };
        return Some(Proposal {
            unknown,
            ..Proposal::new(table, INTERVALS)
        });
    }
    let levels = table.date.as_ref().filter(|levels| levels.len() > 2)?[1..].to_vec();
    let table = TaxonomyTable {
        date: Some(levels),
        ..table.clone()
    };
    Some(Proposal {
        unknown,
        ..Proposal::new(table, proposal.why.clone())
    })
}
