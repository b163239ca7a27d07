//! How a column's path is written (CONTRACTS 1, `column.path`), and which two cannot both lead to a value. It follows none of
//! them.

use super::file::ColumnTable;

/// What is wrong with a path that is none.
pub const REFUSED: &str = "`path` is `$` and names with dots between them, places of lists in brackets ([0] to [999]): \
                           \"$.patient.birthDate\", \"$.code.coding[0].code\"";
/// The last place of a list that a path may name: what lies further behind has no meaning of its own.
const MOST_PLACE: usize = 999;

/// Whether a path is written as one.
pub fn is_path(path: &str) -> bool {
    path.strip_prefix("$.").is_some_and(|steps| steps.split('.').all(is_step))
}

/// Whether this is a name, and places of lists behind it.
fn is_step(step: &str) -> bool {
    let (name, places) = parted(step);
    let odd = |char: char| char.is_whitespace() || "$]\"'*".contains(char);
    let is_place = |place: &str| {
        let place = place.strip_suffix(']').unwrap_or_default();
        place.parse().is_ok_and(|number: usize| number <= MOST_PLACE && number.to_string() == place)
    };
    // Before the first bracket there is nothing.
    !name.is_empty() && !name.contains(odd) && places.split('[').skip(1).all(is_place)
}

/// The name in a step, and the places behind it.
fn parted(step: &str) -> (&str, &str) {
    step.split_at(step.find('[').unwrap_or(step.len()))
}

/// Columns of which one at most has a value in any message, and a word about them. In a table they are names like others, so
/// that it is not refused.
pub fn crossing(tables: &[ColumnTable]) -> Vec<(String, String)> {
    let ways: Vec<Vec<&str>> = tables.iter().map(steps).collect();
    let mut found = Vec::new();
    for (at, way) in ways.iter().enumerate() {
        if let Some(other) = (0..at).find(|&other| cross(&ways[other], way)) {
            let (one, two) = (&tables[other].name, &tables[at].name);
            let text = format!(
                "the way to `{two}` and the way to `{one}` part where they cannot: in JSON and Avro what lies there is a value, \
                 an object or a list, so that one of the two columns never has a value. Correct one `path`"
            );
            let key = if tables[at].path.is_some() { "path" } else { "name" };
            found.push((format!("column[{at}].{key}"), text));
        }
    }
    found
}

/// The names and places on the way to a column.
fn steps(table: &ColumnTable) -> Vec<&str> {
    let Some(path) = &table.path else { return vec![&table.name] };
    let step = |step| {
        let (name, places) = parted(step);
        std::iter::once(name).chain(places.split_inclusive(']'))
    };
    path.strip_prefix("$.").unwrap_or_default().split('.').flat_map(step).collect()
}

/// Whether one way ends where the other goes on, or one goes into a list where the other goes into an object.
fn cross(one: &[&str], other: &[&str]) -> bool {
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let is_place = |step: &&str| step.starts_with('[');
    match (one.get(same), other.get(same)) {
        (None, None) => false,
        (Some(one), Some(other)) => is_place(one) != is_place(other),
        _ => true,
    }
}
