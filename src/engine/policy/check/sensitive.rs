//! Contradictions of requirements on sensitive values (SCIENCE 4, checks; SCIENCE 5, guarded sets).

use super::policy_facts::{ColumnFacts, PolicyFindings, last};
use crate::model::Decimal;
use crate::settings::{Distance, DiversitySettings, PolicySettings};

/// m-confidentiality of guarded sets.
pub(super) fn guarded(written: &PolicySettings, facts: &ColumnFacts, found: &mut PolicyFindings) {
    let Some(m) = written.m else {
        let needing = [
            ("mask", written.mask.is_some()),
            ("base_rate", written.base_rate.is_some()),
        ];
        found.refuse_written(
            &needing,
            "means nothing without `m`: write `m = 2`, or remove it",
        );
        return;
    };
    found.refuse_if(
        m < 2,
        "m",
        "`m` limits the belief in a guarded value to 1/m, and 1/1 is no limit: write 2 or more",
    );
    let text = "`m` protects guarded values, but no column has any: write `guarded = [[\"…\"]]` in a sensitive column";
    found.refuse_if(facts.guarded_sets == 0, "m", text);
    if let Some(rate) = written.base_rate {
        let text = "`base_rate` must be above 0: remove it for 1/(2m)";
        found.refuse_if(rate == Decimal::ZERO, "base_rate", text);
        let above = m >= 2 && !rate.times_is_at_most_one(m.saturating_mul(2));
        let text = "masking cannot limit a belief to 1/m if the public already believes it with more than 1/(2m): lower \
            `base_rate` or `m`";
        found.refuse_if(above, "base_rate", text);
    }
}

pub(super) fn diversity(
    table: &DiversitySettings,
    facts: &ColumnFacts,
    found: &mut PolicyFindings,
) {
    if *table == DiversitySettings::default() {
        found.refuse(
            "diversity",
            "an empty table asks for nothing: write `diversity = { distinct_l = 2 }`, or remove it",
        );
    }
    let text = "`diversity` is for sensitive values, but no column has the role `sensitive`";
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
    for (key, half) in [
        ("diversity.c", table.l.is_none()),
        ("diversity.l", table.c.is_none()),
    ] {
        let text = "recursive (c,l)-diversity needs both `c` and `l`: write both, or neither";
        found.refuse_if(half && table.c.is_some() != table.l.is_some(), key, text);
    }
    found.refuse_if(
        table.c == Some(Decimal::ZERO),
        "diversity.c",
        "`c` is a factor above 0",
    );
    found.refuse_if(
        table.l.is_some_and(|l| l < 2),
        "diversity.l",
        "with `l` below 2 every class would pass: write 2 or more",
    );
    for (key, share) in [
        ("diversity.alpha", table.alpha),
        ("diversity.confidence", table.confidence),
    ] {
        found.at_most_one(share, key, "the largest share in a class");
        found.refuse_if(
            share == Some(Decimal::ZERO),
            key,
            format!("no class can have a share of 0: raise `{}`", last(key)),
        );
    }
    let text = "`confidence` limits guarded sets, but no column has any: write `guarded = [[\"…\"]]` in a sensitive column";
    found.refuse_if(
        table.confidence.is_some() && facts.guarded_sets == 0,
        "diversity.confidence",
        text,
    );
    found.at_most_one(table.t, "diversity.t", "a distance between shares");
    closeness(table, facts, found);
}

fn closeness(table: &DiversitySettings, facts: &ColumnFacts, found: &mut PolicyFindings) {
    let Some(distance) = table.distance else {
        return;
    };
    let key = "diversity.distance";
    found.refuse_if(
        table.t.is_none(),
        key,
        "`distance` belongs to `t`: write `t` too, or remove it",
    );
    if distance == Distance::Hierarchical {
        let text = "a hierarchical distance needs a sensitive column with a taxonomy: give one a `taxonomy`, or write \
                    \"equal\"";
        found.refuse_if(facts.sensitive_taxonomies == 0, key, text);
        let text = "a hierarchical distance needs one taxonomy, but several sensitive columns have one: keep only one";
        found.refuse_if(facts.sensitive_taxonomies > 1, key, text);
    }
}
