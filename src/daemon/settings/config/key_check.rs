//! Compares the keys and types of a feed file with its schema (CONTRACTS 1: unknown keys are
//! refused with the nearest known one), and records the position of every key. Ranges and meanings
//! are judged later, by the types.

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::nearest::{listed, nearest};
use super::places::{ConfigProblem, Places};
use super::removed;
use super::schema::SchemaNode;

/// The findings; unknown keys and wrong types come before missing keys, since a misspelled key is
/// both.
#[derive(Default)]
pub(super) struct CheckedKeys {
    /// Unknown keys and values of the wrong type.
    pub wrong: Vec<ConfigProblem>,
    /// Required keys that are missing.
    pub missing: Vec<ConfigProblem>,
}

/// Checks a whole feed file.
pub(super) fn walk(
    schema: &Value,
    file: &Spanned<DeTable<'_>>,
    places: &mut Places<'_>,
) -> CheckedKeys {
    let mut walk = Walk {
        root: SchemaNode::root(schema),
        places,
        found: CheckedKeys::default(),
    };
    walk.table(walk.root, file.get_ref(), "");
    walk.found
}

struct Walk<'w, 's, 't> {
    root: SchemaNode<'s>,
    places: &'w mut Places<'t>,
    found: CheckedKeys,
}

impl<'s> Walk<'_, 's, '_> {
    fn table(&mut self, schema: SchemaNode<'s>, table: &DeTable<'_>, path: &str) {
        for (key, value) in table {
            let name: &str = key.get_ref();
            let inner = if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path}.{name}")
            };
            self.places.learn(&inner, key.span(), value.span());
            match schema.key(name) {
                Some(schema) => self.value(schema, value, &inner),
                None => {
                    // The caret belongs under the key, whose value may be a secret under a wrong
                    // name.
                    self.places.learn(&inner, key.span(), key.span());
                    self.hide_text(value);
                    let text = self.unknown(schema, name, path);
                    self.found.wrong.push(ConfigProblem::new(inner, text));
                }
            }
        }
        for key in schema.required().filter(|key| table.get(*key).is_none()) {
            let inner = if path.is_empty() {
                key.to_owned()
            } else {
                format!("{path}.{key}")
            };
            self.found
                .missing
                .push(ConfigProblem::new(inner, missing(path, key)));
        }
    }

    /// Masks whatever may be a secret.
    fn hide_text(&mut self, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::String(_) => self.places.learn_secret(value.span()),
            DeValue::Array(items) => items.iter().for_each(|item| self.hide_text(item)),
            DeValue::Table(table) => table.values().for_each(|value| self.hide_text(value)),
            _ => {}
        }
    }

    fn value(&mut self, schema: SchemaNode<'s>, value: &Spanned<DeValue<'_>>, path: &str) {
        if schema.is_secret() {
            self.places.learn_secret(value.span());
        }
        let choices = schema.choices();
        let Some(fitting) = choices
            .iter()
            .copied()
            .find(|choice| fits(*choice, value.get_ref()))
        else {
            if choices.iter().any(|choice| choice.holds_secret()) {
                self.hide_text(value);
            }
            let what = wanted(&choices);
            let is = if schema.is_secret() {
                "something else"
            } else {
                named(value.get_ref())
            };
            let hint = match last(path) {
                "column" => ": write `[[column]]`, once for each column",
                "taxonomy" => ": write for example `taxonomy = { file = \"ward.csv\" }`",
                _ => "",
            };
            let item = if path.ends_with(']') {
                "each item of "
            } else {
                ""
            };
            let text = format!("{item}`{}` must be {what}, not {is}{hint}", last(path));
            return self.found.wrong.push(ConfigProblem::new(path, text));
        };
        match value.get_ref() {
            DeValue::Table(table) => self.table(fitting, table, path),
            DeValue::Array(items) => {
                let Some(schema) = fitting.items() else {
                    return;
                };
                for (at, item) in items.iter().enumerate() {
                    let inner = format!("{path}[{at}]");
                    self.places.learn(&inner, item.span(), item.span());
                    self.value(schema, item, &inner);
                }
            }
            DeValue::String(word) => {
                let words: Vec<&str> = choices.iter().flat_map(|choice| choice.words()).collect();
                if !words.is_empty() && !words.contains(&word.as_ref()) {
                    let text = match removed::word(path, word) {
                        Some(reason) => {
                            format!(
                                "`{} = {word:?}` does not exist any more: {reason}",
                                last(path)
                            )
                        }
                        None => unknown_word(path, word, &words, &wanted(&choices)),
                    };
                    self.found.wrong.push(ConfigProblem::new(path, text));
                }
            }
            _ => {}
        }
    }

    /// The error for a key that a table does not have.
    fn unknown(&self, schema: SchemaNode<'s>, name: &str, path: &str) -> String {
        let here = title(path);
        let inner = format!("{path}.{name}");
        if let Some(reason) = removed::key(&inner) {
            return format!("there is no key `{name}` in {here} any more: {reason}");
        }
        if let Some(meant) = nearest(name, schema.keys().map(|(key, _)| key)) {
            return format!("there is no key `{name}` in {here}; did you mean `{meant}`?");
        }
        let other = self.root.keys().find_map(|(table, schema)| {
            let schema = schema.items().unwrap_or(schema);
            schema.key(name).map(|_| title(table))
        });
        match other {
            Some(other) => format!("there is no key `{name}` in {here}; it belongs in {other}"),
            None => {
                let keys: Vec<&str> = schema.keys().map(|(key, _)| key).collect();
                format!(
                    "there is no key `{name}` in {here}; known are {}",
                    listed(&keys)
                )
            }
        }
    }
}

/// The error for a word that a key does not accept.
fn unknown_word(path: &str, word: &str, words: &[&str], wanted: &str) -> String {
    let key = last(path);
    if let Some(what) = foreign(key, word) {
        return format!("`{key}` must be {wanted}; {what} is not built");
    }
    match nearest(word, words.iter().copied()) {
        Some(meant) => format!("`{key}` must be {wanted}; did you mean {meant:?}?"),
        None => format!("`{key}` must be {wanted}"),
    }
}

/// Whatever other programs know by this word and this one does not.
fn foreign(key: &str, word: &str) -> Option<&'static str> {
    match (key, word.to_ascii_uppercase().as_str()) {
        ("mechanism", "GSSAPI" | "KERBEROS") => Some("GSSAPI (Kerberos)"),
        ("mechanism", "OAUTHBEARER") => Some("OAUTHBEARER"),
        _ => None,
    }
}

/// Whether a value has the type of a schema; its content is checked later.
fn fits(schema: SchemaNode<'_>, value: &DeValue<'_>) -> bool {
    match schema.kind() {
        Some("integer") => match value {
            DeValue::Integer(number) => {
                let number = i64::from_str_radix(number.as_str(), number.radix());
                number.is_ok_and(|number| number >= 0 || !schema.is_unsigned())
            }
            _ => false,
        },
        Some("number") => match value {
            DeValue::Integer(number) => !(schema.is_unsigned() && number.as_str().starts_with('-')),
            DeValue::Float(number) => {
                let number: Result<f64, _> = number.as_str().parse();
                number.is_ok_and(|number| {
                    number.is_finite() && (number >= 0.0 || !schema.is_unsigned())
                })
            }
            _ => false,
        },
        Some("string") => value.is_str(),
        Some("boolean") => value.is_bool(),
        Some("array") => value.is_array(),
        Some("object") => value.is_table(),
        _ => true,
    }
}

/// The permitted types, in words.
fn wanted(choices: &[SchemaNode<'_>]) -> String {
    let one = |choice: &SchemaNode<'_>| match choice.kind() {
        Some("integer") if choice.is_unsigned() => {
            format!("a whole number from {} up", choice.least())
        }
        Some("integer") => "a whole number".to_owned(),
        Some("number") if choice.is_unsigned() => "a number from 0 up".to_owned(),
        Some("number") => "a number".to_owned(),
        Some("boolean") => "true or false".to_owned(),
        Some("array") => "a list in [ ]".to_owned(),
        Some("object") => "a table".to_owned(),
        _ if choice.words().is_empty() => "text in quotes".to_owned(),
        _ => choice
            .words()
            .iter()
            .map(|word| format!("{word:?}"))
            .collect::<Vec<_>>()
            .join(" or "),
    };
    choices.iter().map(one).collect::<Vec<_>>().join(" or ")
}

/// The type of a value, in words, without the value.
fn named(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(number) if number.as_str().starts_with('-') => "a negative number",
        DeValue::Integer(number)
            if i64::from_str_radix(number.as_str(), number.radix()).is_err() =>
        {
            "one of this size"
        }
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(number)
            if number.as_str().contains("inf") || number.as_str().contains("nan") =>
        {
            "inf or nan"
        }
        DeValue::Float(number) if number.as_str().starts_with('-') => "a negative number",
        DeValue::Float(_) => "a number with decimals",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date without quotes",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// The name of a table for people.
fn title(path: &str) -> String {
    match path {
        "" => "a feed file".to_owned(),
        _ if path.starts_with("column") && !path.contains('.') => "[[column]]".to_owned(),
        _ if !path.contains('.') => format!("[{path}]"),
        _ => format!("`{}`", last(path)),
    }
}

/// The last key of a path, without the index in a list.
pub(super) fn last(path: &str) -> &str {
    let key = path.rsplit('.').next().unwrap_or(path);
    key.split('[').next().unwrap_or(key)
}

/// The error for a required key that is missing.
fn missing(path: &str, key: &str) -> String {
    let what = match (last(path), key) {
        ("", "feed") => "every feed file begins with `[feed]` and a line `name = \"admissions\"`",
        ("", "policy") => "the policy is missing: write `[policy]` and a line `k = 10`",
        ("", "column") => {
            "no column is declared: write `[[column]]` with `name` and `role`, once for each column"
        }
        ("feed", "name") => "a feed needs a name: write `name = \"admissions\"`",
        ("policy", "k") => {
            "the smallest number of people in a class is missing: write `k = 10`, or another number from 2 up"
        }
        ("column", "name") => "a column needs a name: write `name = \"age\"`",
        ("column", "role") => {
            "the role of a column is missing: write `role = \"quasi\"`, \"identifier\", \"sensitive\" or \"measure\""
        }
        ("source", "kind") => {
            "the kind of the source is missing: write `kind = \"kafka\"` or `kind = \"directory\"`"
        }
        _ => return format!("{} needs a key `{key}`", title(path)),
    };
    what.to_owned()
}
