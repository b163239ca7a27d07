//! Contradictions of a policy (CONTRACTS 1, "which keys apply", and the ranges of SCIENCE 4 to 7): keys that the chain,
//! the guarantee, the search or the columns cannot use, and values outside their range. Each message names the key and
//! says what to write instead; none judges whether a policy is wise.

use super::decimal::Decimal;
use super::settings::{ChainKind, Distance, DiversitySettings, Guarantee, MaxRatio, Rare, Search, Settings};
use crate::engine::model::{Columns, Role};

/// What a policy must know of the columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// Guarded sets of all sensitive columns.
    pub guarded_sets: usize,
    /// Sensitive columns.
    pub sensitive: usize,
    /// Sensitive columns with a taxonomy.
    pub sensitive_taxonomies: usize,
    /// Measures.
    pub measures: usize,
}

impl Facts {
    /// Counts them.
    pub fn of(columns: &Columns) -> Facts {
        Facts {
            guarded_sets: columns.of(Role::Sensitive).map(|column| column.guarded.len()).sum(),
            sensitive: columns.of(Role::Sensitive).count(),
            sensitive_taxonomies: columns.of(Role::Sensitive).filter(|column| column.taxonomy.is_some()).count(),
            measures: columns.of(Role::Measure).count(),
        }
    }
}

/// A policy that cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}`: {text}")]
pub struct PolicyError {
    /// The path of the key, from the root of the feed file.
    pub key: String,
    /// What is wrong and what to do.
    pub text: String,
}

/// All contradictions, each at the key that has to change.
pub fn contradictions(written: &Settings, chain: ChainKind, facts: &Facts) -> Vec<PolicyError> {
    let mut found = Found(Vec::new());
    crowd(written, &mut found);
    match chain {
        ChainKind::Cumulative => cumulative(written, &mut found),
        ChainKind::Disjoint => disjoint(written, &mut found),
    }
    search(written, chain, &mut found);
    guarded(written, facts, &mut found);
    if let Some(table) = &written.diversity {
        diversity(table, facts, &mut found);
    }
    refinement(written, &mut found);
    sums(written, facts, &mut found);
    found.0
}

/// What was found so far.
struct Found(Vec<PolicyError>);

impl Found {
    fn refuse(&mut self, key: &str, text: impl Into<String>) {
        self.0.push(PolicyError { key: format!("policy.{key}"), text: text.into() });
    }

    /// Refuses the key when the condition holds.
    fn refuse_if(&mut self, condition: bool, key: &str, text: impl Into<String>) {
        if condition {
            self.refuse(key, text);
        }
    }

    /// Refuses each of the keys that is written.
    fn refuse_written(&mut self, keys: &[(&str, bool)], text: &str) {
        for (key, _) in keys.iter().filter(|(_, written)| *written) {
            self.refuse(key, format!("`{key}` {text}"));
        }
    }

    /// Refuses a number above 1.
    fn at_most_one(&mut self, number: Option<Decimal>, key: &str, meaning: &str) {
        let above = number.is_some_and(|number| number > Decimal::ONE);
        self.refuse_if(above, key, format!("`{}` is {meaning}: a number from 0 to 1", last(key)));
    }
}

fn last(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

fn crowd(written: &Settings, found: &mut Found) {
    match written.k {
        None => found.refuse(
            "k",
            "how many people everybody hides among must be said: write `k = 10`, or another number from 2 up",
        ),
        Some(0 | 1) => found.refuse("k", "`k` is the smallest crowd, and one person is no crowd: write 2 or more"),
        Some(_) => {}
    }
    found.at_most_one(written.max_loss, "max_loss", "the most that generalisation may cost");
}

fn cumulative(written: &Settings, found: &mut Found) {
    found.refuse_written(
        &[
            ("suppression", written.suppression.is_some()),
            ("outliers", written.outliers.is_some()),
            ("output", written.output.is_some()),
        ],
        "applies to disjoint chains only: leave it out, or write `chain = \"disjoint\"` in [feed]",
    );
    let of_chain =
        [("cuts", written.cuts.is_some()), ("rho", written.rho.is_some()), ("max_odds", written.max_odds.is_some())];
    let of_standing = [
        ("rare", written.rare.is_some()),
        ("max_wait", written.max_wait.is_some()),
        ("max_withheld", written.max_withheld.is_some()),
    ];
    match written.guarantee.unwrap_or(Guarantee::Blind) {
        Guarantee::Blind => {
            found.refuse_written(&of_chain, "applies to `guarantee = \"chain\"` only: leave it out");
        }
        Guarantee::Bcf => {
            found.refuse_written(&of_chain, "applies to `guarantee = \"chain\"` only: leave it out");
            found.refuse_written(
                &of_standing,
                "does not apply to `guarantee = \"bcf\"`, where nothing waits: leave it out",
            );
        }
        Guarantee::Chain => coin(written, found),
    }
    standing(written, found);
}

/// The coin of `chain`.
fn coin(written: &Settings, found: &mut Found) {
    for (key, missing) in [("rho", written.rho.is_none()), ("max_odds", written.max_odds.is_none())] {
        found.refuse_if(
            missing,
            key,
            format!("`guarantee = \"chain\"` needs `{key}`: write `rho = 0.5` and `max_odds = 8`, or other numbers"),
        );
    }
    let outside = |rho: Decimal| rho == Decimal::ZERO || rho >= Decimal::ONE;
    found.refuse_if(written.rho.is_some_and(outside), "rho", "`rho` is a probability above 0 and below 1");
    let Some(odds) = written.max_odds else { return };
    if odds < Decimal::ONE {
        found.refuse("max_odds", "`max_odds` is a factor on odds: a number from 1 up");
    } else if written.rho.is_some_and(|rho| !outside(rho) && !odds.product_reaches_one(rho)) {
        found.refuse(
            "max_odds",
            "already the first test moves the odds by 1/rho, which is more than `max_odds`: raise one of the two",
        );
    }
}

fn standing(written: &Settings, found: &mut Found) {
    found.at_most_one(written.max_withheld, "max_withheld", "a share of all rows");
    if written.rare == Some(Rare::Coarsen) {
        let text = "under `rare = \"coarsen\"` nothing waits and nothing is withheld: leave it out";
        found.refuse_if(written.max_wait.is_some_and(|ticks| ticks > 0), "max_wait", text);
        found.refuse_if(written.max_withheld.is_some_and(|share| share > Decimal::ZERO), "max_withheld", text);
    }
}

fn disjoint(written: &Settings, found: &mut Found) {
    found.refuse_written(
        &[
            ("guarantee", written.guarantee.is_some()),
            ("rare", written.rare.is_some()),
            ("max_wait", written.max_wait.is_some()),
            ("max_withheld", written.max_withheld.is_some()),
            ("cuts", written.cuts.is_some()),
            ("rho", written.rho.is_some()),
            ("max_odds", written.max_odds.is_some()),
        ],
        "does not apply to disjoint chains, whose releases have no people in common: leave it out",
    );
    let all = written.suppression.is_some_and(|share| share >= Decimal::ONE);
    found.refuse_if(
        all,
        "suppression",
        "`suppression` is a share of rows, from 0 up and below 1: all of them cannot be suppressed",
    );
    let waste = written.outliers.is_some() && written.search != Some(Search::ArxLr);
    found.refuse_if(waste, "outliers", "only `search = \"arx-lr\"` has outliers: leave `outliers` out");
}

fn search(written: &Settings, chain: ChainKind, found: &mut Found) {
    let local = matches!(written.search, Some(Search::ArxLr | Search::Mondrian | Search::Mdav));
    let text = "this search recodes each class on its own, which only disjoint chains allow: write `search = \"top-down\"`, \
                or `chain = \"disjoint\"` in [feed]";
    found.refuse_if(local && chain == ChainKind::Cumulative, "search", text);
}

/// m-confidentiality of guarded sets.
fn guarded(written: &Settings, facts: &Facts, found: &mut Found) {
    let Some(m) = written.m else {
        let needing = [("mask", written.mask.is_some()), ("base_rate", written.base_rate.is_some())];
        found.refuse_written(&needing, "means nothing without `m`: write `m = 2`, or leave it out");
        return;
    };
    found.refuse_if(m < 2, "m", "`m` caps the belief in a guarded value at 1/m, and 1/1 is no cap: write 2 or more");
    let text = "`m` protects guarded values, and no column has any: write `guarded = [[\"…\"]]` in a sensitive column";
    found.refuse_if(facts.guarded_sets == 0, "m", text);
    if let Some(rate) = written.base_rate {
        let text = "`base_rate` is a share above 0: leave it out for 1/(2m)";
        found.refuse_if(rate == Decimal::ZERO, "base_rate", text);
        let above = m >= 2 && !rate.times_is_at_most_one(m.saturating_mul(2));
        let text =
            "no masking can promise 1/m of what the public believe with more than 1/(2m): lower `base_rate` or `m`";
        found.refuse_if(above, "base_rate", text);
    }
}

fn diversity(table: &DiversitySettings, facts: &Facts, found: &mut Found) {
    if *table == DiversitySettings::default() {
        found.refuse(
            "diversity",
            "an empty table asks for nothing: write `diversity = { distinct_l = 2 }`, or leave it out",
        );
    }
    let text = "`diversity` is about sensitive values, and no column has the role `sensitive`";
    found.refuse_if(facts.sensitive == 0, "diversity", text);
    found.refuse_if(
        table.distinct_l == Some(0),
        "diversity.distinct_l",
        "`distinct_l` counts different values: write 2 or more",
    );
    let small = table.entropy_l.is_some_and(|l| l < Decimal::ONE);
    found.refuse_if(
        small,
        "diversity.entropy_l",
        "`entropy_l` is exp(entropy), which is never below 1: write a number from 1 up",
    );
    for (key, half) in [("diversity.c", table.l.is_none()), ("diversity.l", table.c.is_none())] {
        let text = "recursive (c,l)-diversity needs both `c` and `l`: write both, or neither";
        found.refuse_if(half && table.c.is_some() != table.l.is_some(), key, text);
    }
    found.refuse_if(table.c == Some(Decimal::ZERO), "diversity.c", "`c` is a factor above 0");
    found.refuse_if(
        table.l.is_some_and(|l| l < 2),
        "diversity.l",
        "with `l` below 2 every class passes: write 2 or more",
    );
    for (key, share) in [("diversity.alpha", table.alpha), ("diversity.confidence", table.confidence)] {
        found.at_most_one(share, key, "the largest share in a class");
        found.refuse_if(
            share == Some(Decimal::ZERO),
            key,
            format!("no class can hold a share of 0: raise `{}`", last(key)),
        );
    }
    let text =
        "`confidence` caps guarded sets, and no column has any: write `guarded = [[\"…\"]]` in a sensitive column";
    found.refuse_if(table.confidence.is_some() && facts.guarded_sets == 0, "diversity.confidence", text);
    found.at_most_one(table.t, "diversity.t", "a distance between shares");
    closeness(table, facts, found);
}

fn closeness(table: &DiversitySettings, facts: &Facts, found: &mut Found) {
    let Some(distance) = table.distance else { return };
    let key = "diversity.distance";
    found.refuse_if(table.t.is_none(), key, "`distance` is the distance of `t`: write `t` too, or leave it out");
    if distance == Distance::Hierarchical {
        let text = "a hierarchical distance needs a sensitive column with a taxonomy: give one a `taxonomy`, or write \"equal\"";
        found.refuse_if(facts.sensitive_taxonomies == 0, key, text);
        let text =
            "a hierarchical distance needs one taxonomy, and several sensitive columns have one: keep one of them";
        found.refuse_if(facts.sensitive_taxonomies > 1, key, text);
    }
}

/// Limits of refinement attacks.
fn refinement(written: &Settings, found: &mut Found) {
    let above_one = |ratio: Option<Decimal>| ratio.is_none_or(|ratio| ratio > Decimal::ONE);
    let max_ratio = written.max_ratio.and_then(|ratio| match ratio {
        MaxRatio::Limit(limit) => Some(limit),
        MaxRatio::Switch(_) => None,
    });
    let text = "is a ratio above 1; no release has a smaller one";
    found.refuse_if(!above_one(max_ratio), "max_ratio", format!("`max_ratio` {text}: write 100, or \"off\""));
    for (key, ratio) in [("max_global_ratio", written.max_global_ratio), ("max_joint_ratio", written.max_joint_ratio)] {
        found.refuse_if(!above_one(ratio), key, format!("`{key}` {text}: raise it, or leave it out"));
    }
    let text = "`min_solutions` counts solutions: write 1 or more";
    found.refuse_if(written.min_solutions == Some(0), "min_solutions", text);
}

/// Published sums.
fn sums(written: &Settings, facts: &Facts, found: &mut Found) {
    if facts.measures == 0 {
        let written = [("dominance", written.dominance.is_some()), ("p_rule", written.p_rule.is_some())];
        found.refuse_written(&written, "judges published sums, and no column has the role `measure`: leave it out");
    }
    if let Some(rule) = written.dominance {
        found.refuse_if(rule.n == 0, "dominance.n", "`n` counts contributions: write 1 or more");
        found.at_most_one(Some(rule.share), "dominance.share", "a share of a sum");
        found.refuse_if(
            rule.share == Decimal::ZERO,
            "dominance.share",
            "`share` is a share above 0: every sum would be sensitive",
        );
    }
    found.refuse_if(
        written.p_rule == Some(Decimal::ZERO),
        "p_rule",
        "`p_rule` is a share above 0: at 0 no sum is sensitive",
    );
    if written.dominance_safe == Some(true) {
        let micro = matches!(written.search, Some(Search::Mondrian | Search::Mdav));
        let text = "only microaggregation can do this: write `search = \"mdav\"` or \"mondrian\", or leave it out";
        found.refuse_if(!micro, "dominance_safe", text);
        let ruled = written.dominance.is_some() || written.p_rule.is_some();
        found.refuse_if(!ruled, "dominance_safe", "no rule says what is safe: write `dominance` or `p_rule` too");
    }
}
