//! Contradictions of a policy (CONTRACTS 1, "which keys apply", and the ranges of SCIENCE 4 to 7): keys that the chain,
//! the guarantee, the search or the columns cannot use, and values outside their range. Each message names the key and
//! says what to write instead; none judges whether a policy is sensible.

mod attacks;
mod one_recoding;
mod policy_facts;
mod sensitive;

pub use policy_facts::{ColumnFacts, PolicyError};

use self::policy_facts::PolicyFindings;
use super::division::refusals;
use super::settings::{
    ChainKind, Guarantee, MaxRatio, OnUnsafe, Outliers, Output, PolicySettings, Rare, Search, Values,
};
use crate::model::Decimal;

/// All contradictions, each at the key that has to change.
pub fn contradictions(written: &PolicySettings, chain: ChainKind, facts: &ColumnFacts) -> Vec<PolicyError> {
    let mut found = PolicyFindings(Vec::new());
    crowd(written, &mut found);
    match chain {
        ChainKind::Cumulative => cumulative(written, &mut found),
        ChainKind::Disjoint => disjoint(written, facts, &mut found),
    }
    search(written, chain, &mut found);
    one_recoding::contradictions(written, chain, facts, &mut found);
    sensitive::guarded(written, facts, &mut found);
    if let Some(table) = &written.diversity {
        sensitive::diversity(table, facts, &mut found);
    }
    attacks::refinement(written, &mut found);
    attacks::sums(written, facts, &mut found);
    assert!(!found.0.is_empty() || written.k.is_some_and(|k| k >= 2), "a policy without contradictions has a k");
    found.0
}

fn crowd(written: &PolicySettings, found: &mut PolicyFindings) {
    match written.k {
        None => found.refuse(
            "k",
            "the smallest number of people in a class is missing: write `k = 10`, or another number from 2 up",
        ),
        Some(0 | 1) => found.refuse("k", "`k` is the smallest class, and one person is no class: write 2 or more"),
        Some(_) => {}
    }
    found.at_most_one(written.max_loss, "max_loss", "the most that generalisation may cost");
}

fn cumulative(written: &PolicySettings, found: &mut PolicyFindings) {
    found.refuse_written(
        &[("outliers", written.outliers.is_some()), ("output", written.output.is_some())],
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
            if written.search == Some(Search::Halves) {
                found.refuse_written(
                    &of_standing,
                    "does not apply to `search = \"halves\"`, which withholds no person and publishes the people who wait as soon as enough \
                     people are near them: leave it out, or write `search = \"top-down\"`",
                );
                crowds(written, found);
            }
        }
        Guarantee::Bcf => {
            found.refuse_written(&of_chain, "applies to `guarantee = \"chain\"` only: leave it out");
            found.refuse_written(
                &of_standing,
                "does not apply to `guarantee = \"bcf\"`, where nothing waits: leave it out",
            );
            let written = [("max_global_ratio", written.max_global_ratio.is_some())];
            found.refuse_written(
                &written,
                "checks what one search for all reveals, and under `guarantee = \"bcf\"` every release has one more: leave it out, or \
                 write `guarantee = \"blind\"`",
            );
        }
        Guarantee::Chain => coin(written, found),
    }
    standing(written, found);
}

/// Rules for policies in which a coin divides people.
fn crowds(written: &PolicySettings, found: &mut PolicyFindings) {
    let joint = "checks what all classes of one release reveal together, and where a coin divides people `max_ratio` bounds it for \
                 each: leave it out";
    found.refuse_written(&[("max_joint_ratio", written.max_joint_ratio.is_some())], joint);
    let global = "limits one recoding for all, and here every class has labels of its own: leave it out";
    found.refuse_written(&[("max_global_ratio", written.max_global_ratio.is_some())], global);
    let repairs = "repairs nothing here: classes never change, and the labels of new ones are limited by `max_ratio`: leave it out";
    found.refuse_written(&[("max_repairs", written.max_repairs.is_some())], repairs);
    found.refuse_if(
        written.on_unsafe == Some(OnUnsafe::Coarsest),
        "on_unsafe",
        "classes never change their labels, so nothing can become coarser: leave `on_unsafe` out",
    );
    found.refuse_if(
        matches!(written.max_ratio, Some(MaxRatio::Limit(most)) if refusals(most) == 0),
        "max_ratio",
        "with `search = \"halves\"` a label changes the odds of where a person is by 4 or by nothing, and where it may move \
         nothing it proves who waits beside it: write 4 or more",
    );
    found.refuse_if(
        written.publish_every == Some(0),
        "publish_every",
        "`publish_every` counts the ticks that are halved together: write 1 or more",
    );
}

/// Rules for the coin of `chain`.
fn coin(written: &PolicySettings, found: &mut PolicyFindings) {
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

fn standing(written: &PolicySettings, found: &mut PolicyFindings) {
    found.at_most_one(written.max_withheld, "max_withheld", "a share of all rows");
    if written.rare == Some(Rare::Coarsen) {
        let text = "under `rare = \"coarsen\"` nothing waits and nothing is withheld: leave it out";
        found.refuse_if(written.max_wait.is_some_and(|ticks| ticks > 0), "max_wait", text);
        found.refuse_if(written.max_withheld.is_some_and(|share| share > Decimal::ZERO), "max_withheld", text);
    }
}

fn disjoint(written: &PolicySettings, facts: &ColumnFacts, found: &mut PolicyFindings) {
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
    let two = written.output == Some(Output::TwoTable);
    found.refuse_if(
        two && facts.sensitive == 0,
        "output",
        "two tables are joined to hide who has which sensitive value, and no column has the role `sensitive`: leave `output` \
         out",
    );
    found.refuse_if(
        two && written.max_global_ratio.is_some(),
        "max_global_ratio",
        "two tables show quasi columns as they are, so that no labels narrow anything down: leave `max_global_ratio` out, or \
         `output`",
    );
    let local = written.search.is_some_and(Search::is_local);
    found.refuse_if(
        two && local,
        "output",
        "two tables show quasi columns as they are, so that labels of each class's own hide nothing: leave `output` out, or \
         write `search = \"top-down\"`",
    );
    found.refuse_if(
        local && written.max_global_ratio.is_some(),
        "max_global_ratio",
        "`max_global_ratio` limits one recoding for all, and this search gives each class labels of its own, which `max_ratio` limits: leave it out",
    );
    if written.search == Some(Search::Halves) && written.publish_every.is_some() {
        crowds(written, found);
    }
    let micro = written.search.is_some_and(Search::is_micro);
    let waste = written.outliers.is_some() && (!local || micro);
    found.refuse_if(waste, "outliers", "only `search = \"arx-lr\"` has outliers: leave `outliers` out");
    let telling = written.search == Some(Search::Halves) && written.outliers == Some(Outliers::Publish);
    found.refuse_if(
        telling,
        "outliers",
        "the people whom halving leaves over are in no other class, and fewer than k in any region: a class at the root would reveal all \
         that. Leave `outliers` out, and they wait, or write `search = \"arx-lr\"`",
    );
    found.refuse_if(
        written.search == Some(Search::Halves) && written.values == Some(Values::Distinct),
        "values",
        "halving does not go with `values = \"distinct\"`: where no two rows share all values, a region of which nearly all values are there leaves hardly any set of rows open and \
         could never be published: leave `values` out, or write `search = \"arx-lr\"`",
    );
    found.refuse_if(
        micro && written.values == Some(Values::Distinct),
        "values",
        "the sets of rows that a group of neighbours can stand for are counted only where rows may share all their values: leave `values` \
         out, or write `search = \"arx-lr\"`",
    );
}

fn search(written: &PolicySettings, chain: ChainKind, found: &mut PolicyFindings) {
    let cumulative = chain == ChainKind::Cumulative;
    let halves = written.search == Some(Search::Halves);
    found.refuse_if(
        written.publish_every.is_some() && !halves,
        "publish_every",
        "only `search = \"halves\"` divides the people of several ticks together: leave `publish_every` out",
    );
    if cumulative && halves {
        let other = written.guarantee.unwrap_or(Guarantee::Blind) != Guarantee::Blind;
        let text = "`search = \"halves\"` keeps what `guarantee = \"blind\"` promises, and no other guarantee: leave `search` out, or \
                    `guarantee`";
        return found.refuse_if(other, "search", text);
    }
    let local = written.search.is_some_and(Search::is_local);
    let text = "this search recodes each class on its own, which only disjoint chains allow: write `search = \
                \"top-down\"`, or `chain = \"disjoint\"` in [feed]";
    found.refuse_if(local && cumulative, "search", text);
}
