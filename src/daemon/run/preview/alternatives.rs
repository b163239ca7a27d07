//! Settings that may give more detail: a smaller k, another search, rows that may wait, a higher
//! ratio, one column less. Each of them is run, so that every figure shown is a result.

use super::answer::Alternative;
use crate::config::{FeedConfig, Setting};
use crate::engine::model::Role;
use crate::engine::policy::{ChainKind, Guarantee, Search};

/// The share of rows that a search for one recoding may leave waiting.
const SET_ASIDE: &str = "0.05";
/// The factor by which a limit on refinement is raised.
const RATIO: f64 = 10.0;

/// Settings that are tried under a feed file, each on its own. Trying them shows which of them the
/// file accepts.
pub(super) fn choices(feed: &FeedConfig) -> Vec<Vec<Setting>> {
    let policy = &feed.policy;
    let mut all = Vec::new();
    if policy.k() >= 4 {
        all.push(vec![Setting::new(
            &["policy", "k"],
            &(policy.k() / 2).to_string(),
        )]);
    }
    if let (Some(ratio), Search::Halves) = (policy.refinement().max_ratio, policy.search()) {
        all.push(vec![Setting::new(
            &["policy", "max_ratio"],
            &(ratio.get() * RATIO).to_string(),
        )]);
    }
    let takes_any = matches!(policy.guarantee(), None | Some(Guarantee::Blind));
    for search in [Search::Halves, Search::TopDown, Search::Levels]
        .into_iter()
        .filter(|_| takes_any)
    {
        all.extend(searched(search, policy.search(), policy.kind()));
    }
    let quasi: Vec<_> = feed.columns.of(Role::Quasi).collect();
    if quasi.len() > 1 {
        all.extend(
            quasi
                .iter()
                .map(|column| vec![Setting::without(&column.name)]),
        );
    }
    all
}

/// Another search, and one that may leave rows waiting.
fn searched(search: Search, current: Search, chain: ChainKind) -> Vec<Vec<Setting>> {
    let name = match search {
        Search::Halves => "halves",
        Search::TopDown => "top-down",
        _ => "levels",
    };
    let chosen = || Setting::new(&["policy", "search"], name);
    let waits = match chain {
        ChainKind::Cumulative => "set_aside",
        ChainKind::Disjoint => "suppression",
    };
    let mut all = Vec::new();
    if search != current {
        all.push(vec![chosen()]);
    }
    if search != Search::Halves {
        let aside = Setting::new(&["policy", waits], SET_ASIDE);
        all.push(if search == current {
            vec![aside]
        } else {
            vec![chosen(), aside]
        });
    }
    all
}

/// Sorts them, the settings with the most precise counts first.
pub(super) fn sort(alternatives: &mut [Alternative]) {
    let key = |one: &Alternative| {
        (
            one.count_error.map_or(f64::INFINITY, |error| error.mean),
            one.loss,
        )
    };
    alternatives.sort_by(|one, other| {
        let ((error, loss), (others, losses)) = (key(one), key(other));
        error
            .total_cmp(&others)
            .then(loss.total_cmp(&losses))
            .then(one.set.cmp(&other.set))
    });
}
