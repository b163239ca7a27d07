//! The meaning of a feed file as a whole: its policy with the default search, and what the policy
//! and the columns ask of each other.

use super::columns::like_release;
use super::file::FeedFile;
use super::layers;
use super::places::{ConfigProblem, Places};
use super::unbuilt_safeguards::{Purpose, UnbuiltSafeguard};
use crate::engine::model::{Column, Columns, ReleaseColumn, Role};
use crate::engine::policy::{
    ChainKind, ColumnFacts, Guarantee, Output, Policy, PolicySettings, Search, contradictions,
};
use crate::error::Result;

/// A feed file, completely read except for the policy.
pub(super) struct FeedFileText<'w> {
    /// The file.
    pub file: &'w FeedFile,
    /// `schedule.min_records`.
    pub min_records: Option<u64>,
    /// The facts about columns that the policy needs.
    pub facts: ColumnFacts,
    /// The columns.
    pub columns: &'w [Column],
    /// `publish.release_column`, if the file has it.
    pub release: Option<&'w ReleaseColumn>,
    /// Whether releases are made under it, or only judged.
    pub purpose: Purpose,
    /// The problems that do not depend on the search.
    pub problems: &'w [ConfigProblem],
    /// The missing safeguards that do not depend on the search.
    pub unbuilt: &'w [UnbuiltSafeguard],
    /// The positions of keys.
    pub places: &'w Places<'w>,
}

/// What a feed file means.
pub(super) struct Reading {
    /// The policy.
    pub policy: Policy,
    /// The columns, with the labels that the policy can use.
    pub columns: Columns,
    /// Whether the file names no search, and the default is halving.
    pub halves_by_default: bool,
}

impl FeedFileText<'_> {
    /// Interprets the policy.
    ///
    /// # Errors
    /// The first problem.
    pub(super) fn reading(&self) -> Result<Reading> {
        let written = &self.file.policy;
        let halves_by_default = self.purpose != Purpose::JudgingOneList && self.halves_by_default();
        if !halves_by_default {
            return self.reading_of(written, false);
        }
        let halved = PolicySettings {
            search: Some(Search::Halves),
            ..written.clone()
        };
        let found = self.reading_of(&halved, true);
        let Err(mut error) = found else { return found };
        if let Ok(one_list) = self.reading_of(written, false) {
            if self.purpose == Purpose::Judging {
                return Ok(one_list);
            }
            error.text += ". `search` is missing here, and its default is \"halves\"; with `search = \"top-down\"`, \
                           one list of labels for all rows, this file is valid";
        }
        Err(error)
    }

    /// Whether the file names no search, and the default is halving. Two tables have one list of
    /// labels.
    fn halves_by_default(&self) -> bool {
        let written = &self.file.policy;
        let permits = match self.chain() {
            ChainKind::Cumulative => matches!(written.guarantee, None | Some(Guarantee::Blind)),
            ChainKind::Disjoint => written.output != Some(Output::TwoTable),
        };
        written.search.is_none() && permits
    }

    fn chain(&self) -> ChainKind {
        self.file.feed.chain.unwrap_or(ChainKind::Cumulative)
    }

    /// The file with these settings as its policy.
    fn reading_of(&self, settings: &PolicySettings, halves_by_default: bool) -> Result<Reading> {
        let policy_problems = contradictions(settings, self.chain(), &self.facts);
        let mut problems = self.problems.to_vec();
        problems.extend(
            policy_problems
                .into_iter()
                .map(|found| ConfigProblem::new(found.key, found.text)),
        );
        problems.extend(self.gathered(settings));
        if let Some(mut error) = self.places.first(problems) {
            // An operator who corrects a missing safeguard should not learn about another one in
            // the next run only.
            let in_policy = error
                .field
                .as_ref()
                .is_some_and(|field| field.starts_with("policy"));
            if let Some(unbuilt) = self.unbuilt.first().filter(|_| in_policy) {
                error.text = format!("{}; besides, {}", error.text, unbuilt.text);
            }
            return Err(error);
        }
        if let Some(error) = self
            .places
            .first(self.unbuilt.iter().map(UnbuiltSafeguard::problem).collect())
        {
            return Err(error);
        }
        let policy = Policy::new(settings, self.chain(), &self.facts)
            .map_err(|found| self.places.place(ConfigProblem::new(found.key, found.text)))?;
        let mut columns = self.columns.to_vec();
        let grows = policy.has_atoms();
        if policy.search() == Search::Halves {
            layers::runs(&mut columns).map_err(|problem| self.places.place(problem))?;
        }
        if let Some(problem) = self.release_problem(&columns, grows) {
            return Err(self.places.place(problem));
        }
        let columns = Columns::new(columns).with_release(self.release.cloned().unwrap_or_default());
        if let Some(problem) = self.measure_problem(&columns, &policy) {
            return Err(self.places.place(problem));
        }
        match layers::problem(&policy, &columns, &self.file.column) {
            Some(problem) => Err(self.places.place(problem)),
            None => Ok(Reading {
                policy,
                columns,
                halves_by_default,
            }),
        }
    }

    /// The problem with the column for the number of the release, if there is one.
    fn release_problem(&self, columns: &[Column], grows: bool) -> Option<ConfigProblem> {
        match self.release {
            Some(_) if !grows => {
                let text = "only tables that grow (under `guarantee = \"blind\"`, or `search = \"halves\"`) have a column with the release of a row: remove this";
                Some(ConfigProblem::new("publish.release_column", text))
            }
            release if grows && self.purpose == Purpose::Releases => {
                like_release(columns, release.unwrap_or(&ReleaseColumn::default()))
            }
            _ => None,
        }
    }

    /// The problem with measures, if there is one: no table of them can be made, or it would
    /// contain a column twice.
    fn measure_problem(&self, columns: &Columns, policy: &Policy) -> Option<ConfigProblem> {
        let at = |name: &str| {
            self.file
                .column
                .iter()
                .position(|column| column.name == name)
                .unwrap_or(0)
        };
        let measures = || columns.of(Role::Measure);
        let first = measures()
            .next()
            .filter(|_| self.purpose == Purpose::Releases)?;
        let refused = if policy.output() == Output::TwoTable {
            "in two tables labels only form the classes, and a table of measures would separate them: remove `output`, \
             or this column"
        } else if policy.guarantee() == Some(Guarantee::Bcf) {
            "each release labels published people again, so that the differences of its sums could reveal one person's \
             number: remove this column, or `guarantee = \"bcf\"`"
        } else {
            ""
        };
        if !refused.is_empty() {
            return Some(ConfigProblem::new(
                format!("column[{}].role", at(&first.name)),
                refused,
            ));
        }
        let related = measures().find(|measure| !measure.unrelated);
        if let Some(related) = related.filter(|_| policy.masking().is_some()) {
            let text = "a number that goes with a guarded value undoes masking (`m`): its sums show which classes have such a \
                        value although their rows do not. Remove this column or `m`, or write `unrelated = true` here if its \
                        numbers do not depend on guarded values, which no check examines";
            return Some(ConfigProblem::new(
                format!("column[{}].role", at(&related.name)),
                text,
            ));
        }
        let mut taken: Vec<&str> = columns
            .of(Role::Quasi)
            .map(|column| &*column.name)
            .collect();
        taken.extend(columns.release().name());
        measures().find_map(|measure| {
            let names = measure.aggregates();
            let twice = names.iter().find(|name| taken.contains(&name.as_str()))?;
            let text = format!(
                "the table of measures would have two columns `{twice}`, one of them for this measure: \
                 rename one"
            );
            Some(ConfigProblem::new(format!("column[{}].name", at(&measure.name)), text))
        })
    }

    /// If halving divides people every tick counts, even without new rows.
    fn gathered(&self, settings: &PolicySettings) -> Option<ConfigProblem> {
        let crowds = settings.search == Some(Search::Halves);
        let text = "with `search = \"halves\"` every tick counts, even one without new rows: a release with fewer new \
                    rows than `min_records` would prove that others wait. Remove `min_records`; to publish more people \
                    together, write `publish_every` in [policy]";
        (crowds && self.min_records > Some(1))
            .then(|| ConfigProblem::new("schedule.min_records", text.to_owned()))
    }
}
