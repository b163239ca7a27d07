//! Contradictions in policies with one recoding of all rows (SCIENCE 4 and 8), `top-down` and
//! `levels`: which rows they may leave waiting, and for which of them the leakage is known.

use super::policy_facts::{ColumnFacts, PolicyFindings};
use crate::model::Decimal;
use crate::settings::{ChainKind, Guarantee, PolicySettings, Search};

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
        "`search = \"levels\"` finds a recoding that the chain keeps, which only `guarantee = \"blind\"` does: remove \
         `search`, or `guarantee`",
    );
    set_aside(written, chain, guarantee, found);
    suppression(written, chain, found);
    figure(written, facts, found);
}

/// Rules for rows that the first recoding of a cumulative chain leaves waiting.
fn set_aside(
    written: &PolicySettings,
    chain: ChainKind,
    guarantee: Guarantee,
    found: &mut PolicyFindings,
) {
    let Some(share) = written.set_aside else {
        return;
    };
    if chain == ChainKind::Disjoint {
        let text = "`set_aside` is for the recoding that a cumulative chain keeps: remove it, or write `suppression`, \
                    which lets rows of each release wait";
        return found.refuse("set_aside", text);
    }
    found.refuse_if(
        share >= Decimal::ONE,
        "set_aside",
        "`set_aside` is a share of rows, from 0 up and below 1",
    );
    if written.search == Some(Search::Halves) {
        let text = "`search = \"halves\"` has no recoding for all rows, so there is nothing to set rows aside for: \
                    remove `set_aside`, or write `search = \"levels\"` or \"top-down\"";
        return found.refuse("set_aside", text);
    }
    if guarantee != Guarantee::Blind {
        let text = "`set_aside` is for the recoding that a chain keeps under `guarantee = \"blind\"`: remove one of the two";
        found.refuse("set_aside", text);
    }
}

/// Rules for rows that a release of a disjoint chain leaves waiting.
fn suppression(written: &PolicySettings, chain: ChainKind, found: &mut PolicyFindings) {
    let Some(share) = written.suppression else {
        return;
    };
    if chain == ChainKind::Cumulative {
        let text = "`suppression` applies to disjoint chains only: remove it, or write `chain = \"disjoint\"` in \
                    [feed]; in a cumulative chain `set_aside` lets rows of the first release wait";
        return found.refuse("suppression", text);
    }
    let text =
        "`suppression` is a share of rows, from 0 up and below 1: all of them cannot be suppressed";
    found.refuse_if(share >= Decimal::ONE, "suppression", text);
    let text = match written.search {
        Some(Search::Halves) => {
            "`suppression` does not apply to `search = \"halves\"`, which suppresses no row: remove it, or write \
             `search = \"levels\"` or \"top-down\""
        }
        Some(Search::ArxLr) => {
            "`suppression` does not apply to `search = \"arx-lr\"`, where rows without a class are outliers: remove \
             it, or write `search = \"levels\"` or \"top-down\""
        }
        Some(Search::Mondrian | Search::Mdav) => {
            "`suppression` does not apply to a search that groups neighbours, where every person is in a group: remove \
             it, or write `search = \"levels\"` or \"top-down\""
        }
        _ => return,
    };
    // The policy in force shows this key as 0 with these searches.
    found.refuse_if(share > Decimal::ZERO, "suppression", text);
}

/// The reduction of possible tables is only known for one of the searches.
fn figure(written: &PolicySettings, facts: &ColumnFacts, found: &mut PolicyFindings) {
    if written.max_global_ratio.is_none() {
        return;
    }
    let plain = facts
        .details
        .iter()
        .all(|detail| detail.counts_as_one() && detail.floor().is_none());
    let waits = [written.set_aside, written.suppression]
        .into_iter()
        .flatten()
        .any(|share| share > Decimal::ZERO);
    let reason = match () {
        () if written.search == Some(Search::Levels) => "from the best levels of all columns",
        () if waits => "from a recoding that lets rows wait",
        () if !plain => "from a search with weights or floors",
        () => return,
    };
    found.refuse(
        "max_global_ratio",
        format!("it is not known what readers can infer {reason}: remove it"),
    );
}
