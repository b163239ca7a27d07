//! The form `date` (CONTRACTS 2).

use super::form_result::{FormError, FormResult};
use super::table::needed;
use super::{TaxonomyForm, TaxonomyTable};
pub use crate::calendar::{civil_from_days, days_from_civil, format, parse};
use crate::taxonomy::MOST_NODES;
use crate::{DateLevel, Domain, Kind, LeafRule, Tree};

impl DateLevel {
    /// The label of this level's node that contains a day.
    pub fn label(self, days: i32) -> String {
        let (year, month, day) = civil_from_days(days);
        match self {
            DateLevel::Day => format!("{year:04}-{month:02}-{day:02}"),
            DateLevel::Month => format!("{year:04}-{month:02}"),
            DateLevel::Quarter => format!("{year:04}-Q{}", month.div_ceil(3)),
            DateLevel::Year => format!("{year:04}"),
            DateLevel::Decade => format!("{:04}s", year.div_euclid(10) * 10),
        }
    }

    /// A number that is equal for days of one node of this level, and grows by one from node to
    /// node.
    pub fn ordinal(self, days: i32) -> i32 {
        let (year, month, _) = civil_from_days(days);
        match self {
            DateLevel::Day => days,
            DateLevel::Month => year * 12 + month as i32 - 1,
            DateLevel::Quarter => year * 4 + (month as i32 - 1) / 3,
            DateLevel::Year => year,
            DateLevel::Decade => year.div_euclid(10),
        }
    }
}

/// Dates from `from` to `to`, one leaf per node of the first level.
pub(super) fn build(table: &TaxonomyTable) -> Result<FormResult, FormError> {
    let levels = needed(&table.date, TaxonomyForm::Date, "date")?;
    let from = day(needed(&table.from, TaxonomyForm::Date, "from")?, "from")?;
    let to = day(needed(&table.to, TaxonomyForm::Date, "to")?, "to")?;
    let Some(&finest) = levels.first() else {
        return Err(FormError::new(
            "date",
            "`date` names no level; write at least one, such as [\"month\", \"year\"]",
        ));
    };
    if levels.windows(2).any(|pair| pair[0] >= pair[1]) {
        let text =
            "the levels must be in the order day, month, quarter, year, decade, each at most once";
        return Err(FormError::new("date", text));
    }
    if from > to {
        return Err(FormError::new("from", "`from` is after `to`"));
    }
    let mut tree = Tree::new("*");
    let mut open: Vec<Option<(i32, usize)>> = vec![None; levels.len()];
    let mut nodes = 1;
    for days in from..=to {
        let mut parent = 0;
        for (at, level) in levels.iter().enumerate().rev() {
            let ordinal = level.ordinal(days);
            parent = match open[at] {
                Some((same, handle)) if same == ordinal => handle,
                _ => {
                    nodes += 1;
                    tree.add(parent, &level.label(days), 1)
                }
            };
            open[at] = Some((ordinal, parent));
        }
        if nodes > MOST_NODES {
            return Err(FormError::new(
                "to",
                format!("the domain is too large: more than {MOST_NODES} nodes"),
            ));
        }
    }
    let tree = tree
        .finish()
        .map_err(|error| FormError::of_tree("date", &error))?;
    assert_eq!(
        tree.leaves() as i32,
        finest.ordinal(to) - finest.ordinal(from) + 1,
        "a leaf for each of the finest level"
    );
    let rule = LeafRule::Dates {
        from,
        to,
        level: finest,
    };
    Ok(FormResult {
        domain: Domain { tree, rule },
        kind: Kind::Date,
        warnings: Vec::new(),
    })
}

fn day(text: &str, key: &'static str) -> Result<i32, FormError> {
    parse(text).ok_or_else(|| {
        FormError::new(
            key,
            format!("`{key}` must be a day of the calendar, written like \"2020-01-31\""),
        )
    })
}
