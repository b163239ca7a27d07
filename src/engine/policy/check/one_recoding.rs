//! Contradictions in policies with one recoding of all rows (SCIENCE 4 and 8), `top-down` and `levels`: which rows they
//! may leave waiting, and for which of them the leakage is known.

use super::policy_facts::{ColumnFacts, PolicyFindings};
use crate::model::Decimal;
use crate::policy::settings::{ChainKind, Guarantee, OnUnsafe, PolicySettings, Rare, Search, Values};
use crate::policy::workload::{MOST_COUNTS, NoCount, Workload};

/// All contradictions.
pub(super) fn contradictions(
    written: &PolicySettings,
    chain: ChainKind,
    facts: &ColumnFacts,
    found: &mut PolicyFindings,
) {
    let guarantee = written.guarantee.unwrap_or(Guarantee::Blind);
    let levels = written.search == Some(Search::Levels);
    found.refuse_if(
        levels && chain == ChainKind::Cumulative && guarantee != Guarantee::Blind,
        "search",
        "`search = \"levels\"` finds the recoding that a chain keeps, as only `guarantee = \"blind\"` does: leave `search` out, or \
         `guarantee`",
    );
    set_aside(written, chain, guarantee, found);
    suppression(written, chain, found);
    workload(written, facts, found);
    let floors = facts.details.iter().any(|detail| detail.floor().is_some());
    found.refuse_if(
        floors && written.on_unsafe == Some(OnUnsafe::Coarsest),
        "on_unsafe",
        "`on_unsafe = \"coarsest\"` publishes every column as `*`, and a column has a `floor` that forbids it: leave one of them out",
    );
    figure(written, facts, found);
    let waits = [written.set_aside, written.suppression].into_iter().flatten().any(|share| share > Decimal::ZERO);
    let one = matches!(written.search, None | Some(Search::TopDown | Search::Levels));
    found.refuse_if(
        one && waits && written.values == Some(Values::Distinct),
        "values",
        "`values = \"distinct\"` does not go with rows that are left waiting: which small classes readers can be certain of is not decided \
         then. Leave `values` out",
    );
}

/// Rules for rows that the first recoding of a cumulative chain leaves waiting.
fn set_aside(written: &PolicySettings, chain: ChainKind, guarantee: Guarantee, found: &mut PolicyFindings) {
    let Some(share) = written.set_aside else { return };
    if chain == ChainKind::Disjoint {
        let text = "`set_aside` is about the recoding that a cumulative chain keeps: leave it out, or write `suppression`, which \
                    leaves rows of each release waiting";
        return found.refuse("set_aside", text);
    }
    found.refuse_if(share >= Decimal::ONE, "set_aside", "`set_aside` is a share of rows, from 0 up and below 1");
    if written.search == Some(Search::Halves) {
        let text = "`search = \"halves\"` has no recoding for all rows that some could be set aside for: leave `set_aside` out, or write \
                    `search = \"levels\"` or \"top-down\"";
        return found.refuse("set_aside", text);
    }
    if guarantee != Guarantee::Blind {
        let text =
            "`set_aside` is about the recoding that a chain keeps under `guarantee = \"blind\"`: leave one of them out";
        return found.refuse("set_aside", text);
    }
    let text = "`rare = \"coarsen\"` leaves no row waiting, and `set_aside` does: leave one of them out";
    found.refuse_if(written.rare == Some(Rare::Coarsen) && share > Decimal::ZERO, "set_aside", text);
}

/// Rules for the counts by which levels are chosen.
fn workload(written: &PolicySettings, facts: &ColumnFacts, found: &mut PolicyFindings) {
    let Some(counts) = &written.workload else { return };
    if written.search != Some(Search::Levels) {
        let text = "only `search = \"levels\"` finds labels by how wrong counts are: write it, or leave `workload` out";
        return found.refuse("workload", text);
    }
    let text = "a workload names counts, as `workload = [\"age between 20 and 39 and sex = 'f'\"]`: write some, or leave it out";
    found.refuse_if(counts.is_empty(), "workload", text);
    let text = format!("a workload has {MOST_COUNTS} counts at most, and here are {}: leave some out", counts.len());
    found.refuse_if(counts.len() > MOST_COUNTS, "workload", text);
    if let Err(NoCount { at, text }) = Workload::of(counts, &facts.quasi) {
        found.refuse(&format!("workload[{at}]"), text);
    }
    let text =
        "weights of columns do not matter where levels are found by counts: leave `workload` out, or each `weight`";
    found.refuse_if(facts.details.iter().any(|detail| !detail.counts_as_one()), "workload", text);
}

/// Rules for rows that a release of a disjoint chain leaves waiting.
fn suppression(written: &PolicySettings, chain: ChainKind, found: &mut PolicyFindings) {
    let Some(share) = written.suppression else { return };
    if chain == ChainKind::Cumulative {
        let text = "`suppression` applies to disjoint chains only: leave it out, or write `chain = \"disjoint\"` in [feed]; in a \
                    cumulative chain `set_aside` leaves rows of the first release waiting";
        return found.refuse("suppression", text);
    }
    let text = "`suppression` is a share of rows, from 0 up and below 1: all of them cannot be suppressed";
    found.refuse_if(share >= Decimal::ONE, "suppression", text);
    let text = match written.search {
        Some(Search::Halves) => {
            "`suppression` does not apply to `search = \"halves\"`, which suppresses no row: leave it out, or write `search = \
             \"levels\"` or \"top-down\""
        }
        Some(Search::ArxLr) => {
            "`suppression` does not apply to `search = \"arx-lr\"`, where rows without a class are outliers: leave it out, or write \
             `search = \"levels\"` or \"top-down\""
        }
        Some(Search::Mondrian | Search::Mdav) => {
            "`suppression` does not apply to a search that groups neighbours, where every person is in a group: leave it out, or write \
             `search = \"levels\"` or \"top-down\""
        }
        _ => return,
    };
    // Chains that an earlier version began have this key in force as 0.
    found.refuse_if(share > Decimal::ZERO, "suppression", text);
}

/// The reduction of possible tables is only known for one of the searches.
fn figure(written: &PolicySettings, facts: &ColumnFacts, found: &mut PolicyFindings) {
    if written.max_global_ratio.is_none() {
        return;
    }
    let plain = facts.details.iter().all(|detail| detail.counts_as_one() && detail.floor().is_none());
    let waits = [written.set_aside, written.suppression].into_iter().flatten().any(|share| share > Decimal::ZERO);
    let reason = match () {
        () if written.search == Some(Search::Levels) => "of the best levels of all columns",
        () if waits => "of a recoding that leaves rows waiting",
        () if !plain => "of a search with weights or floors",
        () => return,
    };
    found.refuse("max_global_ratio", format!("what readers can infer from that is not known {reason}: leave it out"));
}
