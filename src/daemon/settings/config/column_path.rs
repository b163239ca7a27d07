//! The syntax of a column's path (CONTRACTS 1, `column.path`), and which two paths cannot both lead
//! to a value. It does not evaluate paths.

use super::file::ColumnTable;

/// The error for an invalid path.
pub(super) const REFUSED: &str = "`path` is `$` followed by names with dots between them, and positions in lists in brackets \
                           ([0] to [999]): \"$.patient.birthDate\", \"$.code.coding[0].code\"";
/// The largest index of a list that a path may contain: later elements have no meaning of their
/// own.
const MOST_PLACE: usize = 999;

/// Whether a text is a valid path.
pub(super) fn is_path(path: &str) -> bool {
    path.strip_prefix("$.")
        .is_some_and(|steps| steps.split('.').all(is_step))
}

/// Whether a text is a name, followed by indices of lists.
fn is_step(step: &str) -> bool {
    let (name, places) = parted(step);
    let odd = |char: char| char.is_whitespace() || "$]\"'*".contains(char);
    let is_place = |place: &str| {
        let place = place.strip_suffix(']').unwrap_or_default();
        place
            .parse()
            .is_ok_and(|number: usize| number <= MOST_PLACE && number.to_string() == place)
    };
    // There is nothing before the first bracket.
    !name.is_empty() && !name.contains(odd) && places.split('[').skip(1).all(is_place)
}

/// The name of a step, and the indices after it.
fn parted(step: &str) -> (&str, &str) {
    step.split_at(step.find('[').unwrap_or(step.len()))
}

/// Pairs of columns of which at most one has a value in any message, each with a warning. In a
/// table they are ordinary names, so they are not refused.
pub(super) fn crossing(tables: &[ColumnTable]) -> Vec<(String, String)> {
    let ways: Vec<Vec<&str>> = tables.iter().map(steps).collect();
    let mut found = Vec::new();
    for (at, way) in ways.iter().enumerate() {
        if let Some(other) = (0..at).find(|&other| cross(&ways[other], way)) {
            let (one, two) = (&tables[other].name, &tables[at].name);
            let text = format!(
                "`{two}` and `{one}` need different kinds of values at the same place: in JSON and Avro it is either a \
                 value, an object or a list, so one of the two columns would never have a value. Correct one `path`"
            );
            let key = if tables[at].path.is_some() {
                "path"
            } else {
                "name"
            };
            found.push((format!("column[{at}].{key}"), text));
        }
    }
    found
}

/// The names and indices on the path to a column.
fn steps(table: &ColumnTable) -> Vec<&str> {
    let Some(path) = &table.path else {
        return vec![&table.name];
    };
    let step = |step| {
        let (name, places) = parted(step);
        std::iter::once(name).chain(places.split_inclusive(']'))
    };
    path.strip_prefix("$.")
        .unwrap_or_default()
        .split('.')
        .flat_map(step)
        .collect()
}

/// Whether one path ends where the other continues, or one enters a list where the other enters an
/// object.
fn cross(one: &[&str], other: &[&str]) -> bool {
    let same = one
        .iter()
        .zip(other)
        .take_while(|(one, other)| one == other)
        .count();
    let is_place = |step: &&str| step.starts_with('[');
    match (one.get(same), other.get(same)) {
        (None, None) => false,
        (Some(one), Some(other)) => is_place(one) != is_place(other),
        _ => true,
    }
}
