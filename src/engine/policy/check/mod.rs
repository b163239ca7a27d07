//! Contradictions of a policy (CONTRACTS 1, "which keys apply", and the ranges of SCIENCE 4 to 7):
//! keys that the chain, the guarantee, the search or the columns cannot use, and values outside
//! their range. Each message names the key and says what to write instead; none judges whether a
//! policy is sensible.

mod attacks;
mod one_recoding;
mod policy_facts;
mod sensitive;

pub use policy_facts::{ColumnFacts, PolicyError};

use self::policy_facts::PolicyFindings;
use super::division::refusals;
use super::settings::{
    ChainKind, Guarantee, MaxRatio, Outliers, Output, PolicySettings, Search, Values,
};

/// All contradictions, each at the key that has to change.
pub fn contradictions(
    written: &PolicySettings,
    chain: ChainKind,
    facts: &ColumnFacts,
) -> Vec<PolicyError> {
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
    assert!(
        !found.0.is_empty() || written.k.is_some_and(|k| k >= 2),
        "a policy without contradictions has a k"
    );
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
    found.at_most_one(
        written.max_loss,
        "max_loss",
        "the most that generalisation may cost",
    );
}

fn cumulative(written: &PolicySettings, found: &mut PolicyFindings) {
    found.refuse_written(
        &[
            ("outliers", written.outliers.is_some()),
            ("output", written.output.is_some()),
        ],
        "applies to disjoint chains only: remove it, or write `chain = \"disjoint\"` in [feed]",
    );
    match written.guarantee.unwrap_or(Guarantee::Blind) {
        Guarantee::Blind => {
            if written.search == Some(Search::Halves) {
                crowds(written, found);
            }
        }
        Guarantee::Bcf => {
            let written = [("max_global_ratio", written.max_global_ratio.is_some())];
            found.refuse_written(
                &written,
                "limits what a single search reveals, but under `guarantee = \"bcf\"` every release has a search of \
                 its own: remove it, or write `guarantee = \"blind\"`",
            );
        }
    }
}

/// Rules for policies in which a coin divides people.
fn crowds(written: &PolicySettings, found: &mut PolicyFindings) {
    let global =
        "limits one recoding for all rows, but here every class has its own labels: remove it";
    found.refuse_written(
        &[("max_global_ratio", written.max_global_ratio.is_some())],
        global,
    );
    let repairs = "repairs nothing here, because classes never change and `max_ratio` limits the labels of new ones: \
        remove it";
    found.refuse_written(&[("max_repairs", written.max_repairs.is_some())], repairs);
    found.refuse_if(
        matches!(written.max_ratio, Some(MaxRatio::Limit(most)) if refusals(most) == 0),
        "max_ratio",
        "with `search = \"halves\"` a label changes the odds of a person's position by a factor of 4 or not at all, \
         and if it may not change them, it proves who waits: write 4 or more",
    );
    found.refuse_if(
        written.publish_every == Some(0),
        "publish_every",
        "`publish_every` is the number of ticks that one release joins: write 1 or more",
    );
}

fn disjoint(written: &PolicySettings, facts: &ColumnFacts, found: &mut PolicyFindings) {
    found.refuse_written(
        &[("guarantee", written.guarantee.is_some())],
        "does not apply to disjoint chains, whose releases have no people in common: remove it",
    );
    let two = written.output == Some(Output::TwoTable);
    found.refuse_if(
        two && facts.sensitive == 0,
        "output",
        "two tables hide which sensitive value belongs to whom, but no column has the role `sensitive`: remove `output`",
    );
    found.refuse_if(
        two && written.max_global_ratio.is_some(),
        "max_global_ratio",
        "two tables show quasi columns unchanged, so there are no labels to limit: remove `max_global_ratio`, or \
         `output`",
    );
    let local = written.search.is_some_and(Search::is_local);
    found.refuse_if(
        two && local,
        "output",
        "two tables show quasi columns unchanged, so separate labels for each class hide nothing: remove `output`, or \
         write `search = \"top-down\"`",
    );
    found.refuse_if(
        local && written.max_global_ratio.is_some(),
        "max_global_ratio",
        "`max_global_ratio` limits one recoding for all rows, but this search gives each class its own labels, which \
         `max_ratio` limits: remove it",
    );
    if written.search == Some(Search::Halves) {
        crowds(written, found);
    }
    let micro = written.search.is_some_and(Search::is_micro);
    let waste = written.outliers.is_some() && (!local || micro);
    found.refuse_if(
        waste,
        "outliers",
        "only `search = \"arx-lr\"` has outliers: remove `outliers`",
    );
    let telling =
        written.search == Some(Search::Halves) && written.outliers == Some(Outliers::Publish);
    found.refuse_if(
        telling,
        "outliers",
        "the people whom halving leaves over are in no other class, and fewer than k in any region, which a class at \
         the root would reveal. Remove `outliers`, so that they wait, or write `search = \"arx-lr\"`",
    );
}

fn search(written: &PolicySettings, chain: ChainKind, found: &mut PolicyFindings) {
    let cumulative = chain == ChainKind::Cumulative;
    let halves = written.search == Some(Search::Halves);
    found.refuse_if(
        written.values == Some(Values::Distinct)
            && written.search.is_some_and(|search| search != Search::ArxLr),
        "values",
        "only for the classes of `search = \"arx-lr\"` sets of different rows can be counted: remove `values`, or \
         write that search",
    );
    found.refuse_if(
        written.publish_every.is_some() && !halves,
        "publish_every",
        "only `search = \"halves\"` divides the people of several ticks together: remove `publish_every`",
    );
    if cumulative && halves {
        let other = written.guarantee.unwrap_or(Guarantee::Blind) != Guarantee::Blind;
        let text = "`search = \"halves\"` works only under `guarantee = \"blind\"`: remove `search`, or `guarantee`";
        return found.refuse_if(other, "search", text);
    }
    let local = written.search.is_some_and(Search::is_local);
    let text = "this search gives each class its own labels, which only disjoint chains allow: write `search = \
                \"top-down\"`, or `chain = \"disjoint\"` in [feed]";
    found.refuse_if(local && cumulative, "search", text);
}
