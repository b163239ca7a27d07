//! Turns conditions into a question: the leaves and sensitive values that match, and the groups
//! that are counted separately.

use std::collections::BTreeMap;
use std::ops::Range;

use super::question::{Axis, Question};
use crate::histogram::{SensitiveValues, parse_value};
use crate::model::predicate::{ColumnCondition, Condition, Literal};
use crate::model::{Columns, Kind, Leaf, Role, Taxonomy, Value};

/// A question with the names of its counts.
#[derive(Debug, Clone)]
pub struct CountQuestion {
    /// The question.
    pub question: Question,
    /// For each column whose labels or values are counted separately, in the order of the question:
    /// its index in the request.
    places: Vec<usize>,
    /// For each quasi column among them, the names of its groups.
    labels: Vec<(usize, Vec<String>)>,
    /// For each group of sensitive values, the values in the sensitive columns among them.
    values: Vec<Vec<Value>>,
}

/// The label or value that a count is about, in one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CountedColumn<'a> {
    /// A label of a quasi column.
    Label(&'a str),
    /// A value of a sensitive column.
    Value(&'a Value),
}

/// Why the question is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct QuestionError {
    /// The column.
    pub column: String,
    /// What is wrong.
    pub what: String,
}

impl QuestionError {
    fn new(column: &str, what: impl Into<String>) -> QuestionError {
        QuestionError {
            column: column.to_owned(),
            what: what.into(),
        }
    }
}

/// The conditions on a quasi column.
struct Quasi {
    column: usize,
    wanted: Vec<bool>,
    /// The labels of the first list, and their leaves.
    listed: Option<Vec<(String, Range<Leaf>)>>,
}

impl CountQuestion {
    /// The rows that satisfy all conditions, counted separately by the labels and values of these
    /// columns. For a quasi column whose condition lists labels, these labels are counted,
    /// otherwise its leaves.
    ///
    /// # Errors
    /// A column does not exist or is named twice, a value does not belong to its column, or rows
    /// would be counted under two labels.
    pub fn of(
        conditions: &[Condition],
        by: &[&str],
        columns: &Columns,
        values: &SensitiveValues,
    ) -> Result<CountQuestion, QuestionError> {
        for (at, column) in by.iter().enumerate() {
            known(column, columns)?;
            if by[..at].contains(column) {
                return Err(QuestionError::new(column, "the column is named twice"));
            }
        }
        let mut quasi: BTreeMap<usize, Quasi> = BTreeMap::new();
        let mut held = vec![true; values.len()];
        let place = |role, name: &str| columns.of(role).position(|column| &*column.name == name);
        for condition in conditions {
            known(&condition.column, columns)?;
            if let Some(column) = place(Role::Quasi, &condition.column) {
                let tree = columns.trees()[column];
                let of = quasi
                    .entry(column)
                    .or_insert_with(|| Quasi::all(column, tree));
                of.narrow(condition, tree)?;
            } else if let Some(column) = place(Role::Sensitive, &condition.column) {
                let kind = columns
                    .of(Role::Sensitive)
                    .nth(column)
                    .map_or(Kind::String, |column| column.kind);
                let holds = holds(condition, kind)?;
                held.iter_mut()
                    .zip(0..)
                    .for_each(|(held, code)| *held &= holds(&values.get(code)[column]));
            }
        }
        let mut axes_by = Vec::new();
        for (at, name) in by.iter().enumerate() {
            if let Some(column) = place(Role::Quasi, name) {
                let tree = columns.trees()[column];
                axes_by.push((
                    at,
                    quasi
                        .remove(&column)
                        .unwrap_or_else(|| Quasi::all(column, tree)),
                ));
            }
        }
        let (mut axes, mut places, mut labels) = (Vec::new(), Vec::new(), Vec::new());
        for (_, column) in quasi {
            axes.push(Axis::some(column.column, column.wanted.len(), |leaf| {
                column.wanted[leaf as usize]
            }));
        }
        for (at, column) in axes_by {
            let (axis, names) = column.apart(by[at], columns.trees()[column.column])?;
            places.push(at);
            labels.push((axes.len(), names));
            axes.push(axis);
        }
        let sensitive: Vec<(usize, usize)> = by
            .iter()
            .enumerate()
            .filter_map(|(at, name)| Some((at, place(Role::Sensitive, name)?)))
            .collect();
        places.extend(sensitive.iter().map(|(at, _)| *at));
        let shown = |code: u32| {
            sensitive
                .iter()
                .map(|(_, column)| values.get(code)[*column].clone())
                .collect()
        };
        let mut groups: BTreeMap<Vec<Value>, usize> = (0..)
            .zip(&held)
            .filter(|(_, held)| **held)
            .map(|(code, _)| (shown(code), 0))
            .collect();
        if sensitive.is_empty() {
            groups.insert(Vec::new(), 0);
        }
        groups
            .values_mut()
            .enumerate()
            .for_each(|(at, group)| *group = at);
        let group = |(code, held): (u32, &bool)| held.then(|| groups[&shown(code)]);
        let of_values = (0..).zip(&held).map(group).collect();
        let question = Question {
            axes,
            values: of_values,
            groups: groups.len(),
        };
        assert_eq!(
            question.values.len(),
            values.len(),
            "a group, or none, for each value"
        );
        assert_eq!(
            places.len(),
            by.len(),
            "a place for each column that is counted apart"
        );
        Ok(CountQuestion {
            question,
            places,
            labels,
            values: groups.into_keys().collect(),
        })
    }

    /// What the count at this index of the answer is about, in the order of the requested columns.
    pub fn names(&self, mut cell: usize) -> Vec<CountedColumn<'_>> {
        let value = cell % self.question.groups.max(1);
        cell /= self.question.groups.max(1);
        let mut groups = vec![0; self.question.axes.len()];
        for (axis, group) in self.question.axes.iter().zip(&mut groups).rev() {
            *group = cell % axis.groups;
            cell /= axis.groups;
        }
        let labels = self
            .labels
            .iter()
            .map(|(axis, names)| CountedColumn::Label(&names[groups[*axis]]));
        let mut names: Vec<(usize, CountedColumn<'_>)> = self
            .places
            .iter()
            .copied()
            .zip(labels.chain(self.values[value].iter().map(CountedColumn::Value)))
            .collect();
        assert_eq!(names.len(), self.places.len(), "a name in each place");
        names.sort_unstable_by_key(|(place, _)| *place);
        names.into_iter().map(|(_, name)| name).collect()
    }
}

impl Quasi {
    fn all(column: usize, tree: &Taxonomy) -> Quasi {
        Quasi {
            column,
            wanted: vec![true; tree.leaves()],
            listed: None,
        }
    }

    fn narrow(&mut self, condition: &Condition, tree: &Taxonomy) -> Result<(), QuestionError> {
        let ranges = condition
            .leaves(tree)
            .map_err(|why| QuestionError::new(&condition.column, why.to_string()))?;
        let mut held = vec![false; self.wanted.len()];
        ranges
            .iter()
            .for_each(|range| held[range.start as usize..range.end as usize].fill(true));
        if let ColumnCondition::OneOf(list) = &condition.wanted {
            let labels = list.iter().filter_map(|literal| match literal {
                Literal::Text(text) => Some(text.clone()),
                Literal::Null => None,
            });
            self.listed.get_or_insert(labels.zip(ranges).collect());
        }
        self.wanted
            .iter_mut()
            .zip(held)
            .for_each(|(wanted, held)| *wanted &= held);
        Ok(())
    }

    /// The groups of its labels that are counted separately, and their names.
    fn apart(&self, name: &str, tree: &Taxonomy) -> Result<(Axis, Vec<String>), QuestionError> {
        let mut groups: Vec<(String, Range<Leaf>)> = match &self.listed {
            Some(listed) => listed.clone(),
            None => {
                let wanted = (0..).zip(&self.wanted).filter(|(_, wanted)| **wanted);
                wanted
                    .map(|(leaf, _)| (tree.label(tree.leaf_node(leaf)).to_owned(), leaf..leaf + 1))
                    .collect()
            }
        };
        groups.sort_unstable_by_key(|(_, range)| (range.start, range.end));
        if let Some([first, second]) = groups
            .windows(2)
            .find(|pair| pair[1].1.start < pair[0].1.end)
        {
            let what = format!(
                "`{}` and `{}` share values, so rows would be counted twice",
                first.0, second.0
            );
            return Err(QuestionError::new(name, what));
        }
        let mut group = vec![None; tree.leaves()];
        for (at, (_, range)) in groups.iter().enumerate() {
            range
                .clone()
                .filter(|leaf| self.wanted[*leaf as usize])
                .for_each(|leaf| group[leaf as usize] = Some(at));
        }
        assert!(
            group.iter().flatten().all(|&group| group < groups.len()),
            "a leaf is in one of the groups"
        );
        let axis = Axis {
            column: self.column,
            group,
            groups: groups.len(),
        };
        Ok((axis, groups.into_iter().map(|(label, _)| label).collect()))
    }
}

/// Checks that the column exists.
fn known(name: &str, columns: &Columns) -> Result<(), QuestionError> {
    let there = columns
        .named(name)
        .is_some_and(|column| matches!(column.role, Role::Quasi | Role::Sensitive));
    if there {
        Ok(())
    } else {
        Err(QuestionError::new(name, "the table has no such column"))
    }
}

/// The test of a condition on values of a sensitive column of this type.
fn holds(
    condition: &Condition,
    kind: Kind,
) -> Result<impl Fn(&Value) -> bool + use<>, QuestionError> {
    let value = |literal: &Literal| match literal {
        Literal::Null => Ok(Value::Null),
        Literal::Text(text) => parse_value(text, kind).ok_or_else(|| {
            let wanted = match kind {
                Kind::String => "text",
                Kind::Int => "a whole number",
                Kind::Float | Kind::Decimal(_) => "a number",
                Kind::Bool => "true or false",
                Kind::Date => "a date, as 2020-01-31",
            };
            QuestionError::new(&condition.column, format!("{wanted} is expected here"))
        }),
    };
    let (list, between) = match &condition.wanted {
        ColumnCondition::OneOf(list) => {
            (list.iter().map(value).collect::<Result<Vec<_>, _>>()?, None)
        }
        ColumnCondition::Between(first, last) => {
            let (first, last) = (value(first)?, value(last)?);
            if first == Value::Null || last == Value::Null {
                let text =
                    "`between` needs two values, not `null`: select missing values with `= null`";
                return Err(QuestionError::new(&condition.column, text));
            }
            if first > last {
                return Err(QuestionError::new(
                    &condition.column,
                    "the first value of `between` comes after the second",
                ));
            }
            (Vec::new(), Some(first..=last))
        }
    };
    Ok(move |value: &Value| {
        list.contains(value) || between.as_ref().is_some_and(|range| range.contains(value))
    })
}
