//! The syntax of a column's path (CONTRACTS 1, `column.path`), and which two paths cannot both lead
//! to a value. It does not evaluate paths.

use super::file::ColumnTable;

/// The error for an invalid path.
pub(super) const REFUSED: &str = "`path` is `$` followed by names with dots between them: \"$.patient.birthDate\". After a name, \
                           brackets lead into a list: a position from [0] to [999]; [*], the first element that has the \
                           value; or [?name='text'], the first that has the value among those whose field has that text: \
                           \"$.code.coding[?system='http://loinc.org'].code\"";
/// The largest index of a list that a path may contain: later elements have no meaning of their
/// own.
const MOST_PLACE: usize = 999;
/// The most paths of a column.
pub(super) const MOST_PATHS: usize = 16;

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathPart {
    /// The field of an object with this name.
    Key(Box<str>),
    /// The element of a list at this index, from 0.
    Place(usize),
    /// The first element of a list that has the value.
    Any,
    /// The same, of the elements whose field has this text.
    Where {
        /// The name of the field.
        field: Box<str>,
        /// Its text.
        text: Box<str>,
    },
}

impl PathPart {
    /// Whether it leads into a list.
    fn is_of_list(&self) -> bool {
        !matches!(self, PathPart::Key(_))
    }
}

/// The text of a path.
pub fn path_text(parts: &[PathPart]) -> String {
    let step = |part: &PathPart| match part {
        PathPart::Key(key) => format!(".{key}"),
        PathPart::Place(place) => format!("[{place}]"),
        PathPart::Any => "[*]".to_owned(),
        PathPart::Where { field, text } => format!("[?{field}='{text}']"),
    };
    "$".to_owned() + &parts.iter().map(step).collect::<String>()
}

/// The steps of a path; `None` if the text is no path.
pub fn path_parts(path: &str) -> Option<Vec<PathPart>> {
    steps(path.strip_prefix("$.")?, Vec::new())
}

/// The steps to the records of a message, at least one of them into a list; `None` if the text is
/// no such path.
pub(super) fn record_parts(path: &str) -> Option<Vec<PathPart>> {
    let Some(mut rest) = path.strip_prefix("$[") else {
        return path_parts(path).filter(|parts| parts.iter().any(PathPart::is_of_list));
    };
    let mut parts = Vec::new();
    loop {
        let (part, after) = bracket(rest)?;
        parts.push(part);
        match after.strip_prefix('[') {
            Some(inside) => rest = inside,
            None if after.is_empty() => return Some(parts),
            None => return steps(after.strip_prefix('.')?, parts),
        }
    }
}

/// The steps of a path, behind those before it.
fn steps(mut rest: &str, mut parts: Vec<PathPart>) -> Option<Vec<PathPart>> {
    loop {
        let (name, after) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
        if !is_name(name) {
            return None;
        }
        parts.push(PathPart::Key(name.into()));
        rest = after;
        while let Some(inside) = rest.strip_prefix('[') {
            let (part, after) = bracket(inside)?;
            parts.push(part);
            rest = after;
        }
        if rest.is_empty() {
            return Some(parts);
        }
        rest = rest.strip_prefix('.')?;
    }
}

fn is_name(name: &str) -> bool {
    let odd = |char: char| char.is_whitespace() || "$]\"'*?=".contains(char);
    !name.is_empty() && !name.contains(odd)
}

/// The step in brackets, and what follows.
fn bracket(inside: &str) -> Option<(PathPart, &str)> {
    if let Some(after) = inside.strip_prefix("*]") {
        return Some((PathPart::Any, after));
    }
    if let Some(test) = inside.strip_prefix('?') {
        let (field, rest) = test.split_once("='")?;
        let (text, after) = rest.split_once("']")?;
        let sound = is_name(field) && !field.contains(['.', '[']);
        let part = PathPart::Where {
            field: field.into(),
            text: text.into(),
        };
        return (sound && !text.is_empty() && !text.contains('\'')).then_some((part, after));
    }
    let (place, after) = inside.split_once(']')?;
    let number: usize = place.parse().ok()?;
    let sound = number <= MOST_PLACE && number.to_string() == place;
    sound.then_some((PathPart::Place(number), after))
}

/// Pairs of columns of which at most one has a value in any message, each with a warning. In a
/// table they are ordinary names, so they are not refused.
pub(super) fn crossing(tables: &[ColumnTable]) -> Vec<(String, String)> {
    let ways: Vec<Vec<Vec<PathPart>>> = tables.iter().map(ways).collect();
    let mut found = Vec::new();
    for (at, way) in ways.iter().enumerate() {
        let crosses = |other: &usize| {
            let pairs = ways[*other]
                .iter()
                .flat_map(|one| way.iter().map(move |two| (one, two)));
            pairs.into_iter().any(|(one, two)| cross(one, two))
        };
        if let Some(other) = (0..at).find(crosses) {
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

/// The paths of a column.
fn ways(table: &ColumnTable) -> Vec<Vec<PathPart>> {
    let derive = table.derive.as_ref();
    match &table.path {
        _ if derive.is_some_and(|derive| derive.is_computed()) => Vec::new(),
        None => vec![vec![PathPart::Key(table.name.as_str().into())]],
        Some(paths) => paths
            .all()
            .iter()
            .filter_map(|path| path_parts(path))
            .collect(),
    }
}

/// Whether one path ends where the other continues, or one enters a list where the other enters an
/// object.
fn cross(one: &[PathPart], other: &[PathPart]) -> bool {
    let pairs = one.iter().zip(other);
    let same = pairs.take_while(|(one, other)| one == other).count();
    match (one.get(same), other.get(same)) {
        (None, None) => false,
        (Some(one), Some(other)) => one.is_of_list() != other.is_of_list(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_step_by_step() {
        let key = |name: &str| PathPart::Key(name.into());
        let parts = path_parts("$.a.b[0][*].c[?system='http://x.y/z[1]'].code").expect("a path");
        let test = PathPart::Where {
            field: "system".into(),
            text: "http://x.y/z[1]".into(),
        };
        let meant = [
            key("a"),
            key("b"),
            PathPart::Place(0),
            PathPart::Any,
            key("c"),
            test,
            key("code"),
        ];
        assert_eq!(parts, meant);
        for bad in [
            "",
            "$",
            "$.",
            "a",
            "$a",
            "$.a.",
            "$..a",
            "$.a[",
            "$.a[]",
            "$.a[-1]",
            "$.a[01]",
            "$.a[1000]",
            "$.a[0]b",
            "$[0]",
            "$.a[?b]",
            "$.a[?b=c]",
            "$.a[?b='']",
            "$.a[?b='c']d",
            "$.a[?b.c='d']",
            "$.a[?b='c''d']",
            "$.a b",
            "$.a*",
            "$.a[**]",
        ] {
            assert_eq!(path_parts(bad), None, "{bad}");
        }
    }
}
