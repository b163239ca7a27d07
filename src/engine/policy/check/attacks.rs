//! Contradictions of limits on refinement attacks (SCIENCE 6) and on published sums (SCIENCE 7).

use super::policy_facts::{ColumnFacts, PolicyFindings};
use crate::model::Decimal;
use crate::settings::{MaxRatio, PolicySettings, Search};

/// Limits of refinement attacks.
pub(super) fn refinement(written: &PolicySettings, found: &mut PolicyFindings) {
    let above_one = |ratio: Option<Decimal>| ratio.is_none_or(|ratio| ratio > Decimal::ONE);
    let max_ratio = written.max_ratio.and_then(|ratio| match ratio {
        MaxRatio::Limit(limit) => Some(limit),
        MaxRatio::Switch(_) => None,
    });
    let text = "must be above 1: no release has a smaller ratio";
    found.refuse_if(
        !above_one(max_ratio),
        "max_ratio",
        format!("`max_ratio` {text}: write 100, or \"off\""),
    );
    found.refuse_if(
        !above_one(written.max_global_ratio),
        "max_global_ratio",
        format!("`max_global_ratio` {text}: raise it, or remove it"),
    );
    let text = "`min_solutions` counts solutions: write 1 or more";
    found.refuse_if(written.min_solutions == Some(0), "min_solutions", text);
}

/// Published sums.
pub(super) fn sums(written: &PolicySettings, facts: &ColumnFacts, found: &mut PolicyFindings) {
    if facts.measures == 0 {
        let written = [
            ("dominance", written.dominance.is_some()),
            ("p_rule", written.p_rule.is_some()),
        ];
        found.refuse_written(
            &written,
            "checks published sums, and no column has the role `measure`: remove it",
        );
    }
    if let Some(rule) = written.dominance {
        found.refuse_if(
            rule.n == 0,
            "dominance.n",
            "`n` counts contributions: write 1 or more",
        );
        found.at_most_one(Some(rule.share), "dominance.share", "a share of a sum");
        found.refuse_if(
            rule.share == Decimal::ZERO,
            "dominance.share",
            "`share` must be above 0: otherwise every sum would be sensitive",
        );
    }
    found.refuse_if(
        written.p_rule == Some(Decimal::ZERO),
        "p_rule",
        "`p_rule` must be above 0: at 0 no sum is sensitive",
    );
    if written.dominance_safe == Some(true) {
        let micro = written.search.is_some_and(Search::is_micro);
        let text = "only microaggregation can do this: write `search = \"mdav\"` or \"mondrian\", or remove it";
        found.refuse_if(!micro, "dominance_safe", text);
        let ruled = written.dominance.is_some() || written.p_rule.is_some();
        let text = "there is no measure whose sums it could make safe: remove it";
        found.refuse_if(facts.measures == 0, "dominance_safe", text);
        found.refuse_if(
            !ruled,
            "dominance_safe",
            "no rule says which sums are safe: also write `dominance` or `p_rule`",
        );
    }
}
