//! The interpretation of a feed file that does not name its search, and of halving in a disjoint
//! chain: a new chain halves with a coin, unless its guarantee is not `blind`, and a running chain
//! continues as it was begun. Both interpretations are made, so that a file that fits only a
//! running chain can still be used for it.

use super::columns::like_release;
use super::file::FeedFile;
use super::layers;
use super::places::{ConfigProblem, Places};
use super::unbuilt_safeguards::{Purpose, UnbuiltSafeguard};
use crate::daemon::error::{Error, Result};
use crate::engine::model::{Column, Columns, ReleaseColumn, Role};
use crate::engine::policy::{
    ChainKind, ChainPromise, ColumnFacts, Guarantee, Output, Policy, PolicySettings, Search,
    contradictions,
};

/// A feed file, completely read except for the policy.
pub struct FeedFileText<'w> {
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

/// A policy, and the columns with the labels that it can use.
type Reading = (Policy, Columns);

/// The interpretations of a feed file.
pub struct Readings {
    /// For a new chain, if one can begin; otherwise for a running one.
    pub newest: Reading,
    /// For a chain that was begun when the default search was another one.
    pub earlier: Option<Reading>,
    /// Why no new chain can begin.
    pub unfit: Option<Error>,
}

impl FeedFileText<'_> {
    /// Interprets the policy in all possible ways.
    ///
    /// # Errors
    /// The first problem, for a new chain.
    pub fn readings(&self) -> Result<Readings> {
        let settings = &self.file.policy;
        let Some(begun) = self.begun() else {
            return Ok(Readings {
                newest: self.reading(settings)?,
                earlier: None,
                unfit: None,
            });
        };
        let halves = self.reading(&begun);
        let earlier = self.reading(settings);
        Ok(match (halves, earlier) {
            (Ok(newest), earlier) => Readings {
                newest,
                earlier: earlier.ok(),
                unfit: None,
            },
            (Err(unfit), Ok(newest)) => {
                let default = "`search` is missing here, and its default is \"halves\"; with `search = \"top-down\"`, \
                               one list of labels for all rows, this file is valid";
                let text = match settings.search {
                    None => format!("{}. {default}", unfit.text),
                    Some(_) => unfit.text,
                };
                Readings {
                    newest,
                    earlier: None,
                    unfit: Some(Error { text, ..unfit }),
                }
            }
            (Err(error), Err(_)) => return Err(error),
        })
    }

    /// The settings of a new chain, if they differ from those that are written.
    fn begun(&self) -> Option<PolicySettings> {
        let settings = &self.file.policy;
        let unnamed = settings.search.is_none();
        let differs = match self.chain() {
            ChainKind::Cumulative => {
                unnamed && matches!(settings.guarantee, None | Some(Guarantee::Blind))
            }
            // Two tables have one list of labels.
            ChainKind::Disjoint if unnamed => settings.output != Some(Output::TwoTable),
            ChainKind::Disjoint => {
                settings.search == Some(Search::Halves) && settings.publish_every.is_none()
            }
        };
        let every = settings
            .publish_every
            .or(Some(ChainPromise::PUBLISH_EVERY))
            .filter(|_| self.chain() == ChainKind::Disjoint);
        let publish_every = settings.publish_every.or(every);
        differs.then(|| PolicySettings {
            search: Some(Search::Halves),
            publish_every,
            ..settings.clone()
        })
    }

    fn chain(&self) -> ChainKind {
        self.file.feed.chain.unwrap_or(ChainKind::Cumulative)
    }

    /// The file with these settings as its policy.
    fn reading(&self, settings: &PolicySettings) -> Result<Reading> {
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
        let grows = policy.publish_every().is_some();
        if grows {
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
            None => Ok((policy, columns)),
        }
    }

    /// The problem with the column for the number of the release, if there is one.
    fn release_problem(&self, columns: &[Column], grows: bool) -> Option<ConfigProblem> {
        match self.release {
            Some(_) if !grows => {
                let text = "only tables that grow (`search = \"halves\"`) have a column with the release of a row: remove this";
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

    /// If a coin divides people every tick counts, even without new rows.
    fn gathered(&self, settings: &PolicySettings) -> Option<ConfigProblem> {
        let coin = self.chain() == ChainKind::Cumulative || settings.publish_every.is_some();
        let crowds = coin && settings.search == Some(Search::Halves);
        let text = "with `search = \"halves\"` every tick counts, even one without new rows: a release with fewer new \
                    rows than `min_records` would prove that others wait. Remove `min_records`; to publish more people \
                    together, write `publish_every` in [policy]";
        (crowds && self.min_records > Some(1))
            .then(|| ConfigProblem::new("schedule.min_records", text.to_owned()))
    }
}
