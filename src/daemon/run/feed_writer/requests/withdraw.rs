//! Withdraws a release, and all later ones of its chain (CONTRACTS 3): their manifests are replaced
//! by signed notices and their files are deleted, at once; copies that other people have made are
//! out of reach.

use super::super::publish::clean::clean;
use super::super::publish::make_visible::void;
use super::super::recovery::published_releases::remember;
use super::super::state::FeedState;
use super::super::writer::FeedWriter;
use super::request::{Request, RequestOutcome};
use crate::engine::policy::{ChainKind, Policy};
use crate::engine::release::TableId;
use crate::error::Result;
use crate::journal::Withdraw;

pub(in crate::feed_writer) fn withdrawn(
    writer: &mut FeedWriter,
    request: &Request,
    first: u32,
    republish: bool,
    now: &str,
) -> Result<RequestOutcome> {
    let ask = &request.ask;
    let withdraw = match withdrawal(
        &writer.state,
        &writer.policy,
        request,
        first,
        republish,
        now,
    ) {
        Ok(withdraw) => withdraw,
        Err(why) => return Ok(ask.refused(why)),
    };
    let Withdraw {
        chain,
        last,
        left,
        rows,
        ..
    } = withdraw;
    writer.log.append(withdraw.clone())?;
    let void = void(&writer.log, &mut writer.state)?;
    writer.state.withdraw(&withdraw);
    if chain == writer.state.feed.chain() {
        remember(&writer.log, &mut writer.state, &writer.public)?;
    }
    clean(writer, now)?;
    let releases = if first == last {
        format!("release {first} is")
    } else {
        format!("releases {first} to {last} are")
    };
    let newest = match left {
        Some(left) => format!("release {left} is the newest of chain {chain} again"),
        None => format!("chain {chain} has no visible release"),
    };
    let people = match republish {
        true => "the next release contains their rows again, with the same labels",
        false => "the people whose rows they added are never published again",
    };
    let text = format!(
        "{releases} withdrawn: notices replace the manifests, and {newest}. They had added {rows} rows; \
         {people}. Copies that readers have made cannot be recalled: ask readers to delete them{void}"
    );
    Ok(RequestOutcome {
        release: Some(first),
        chain: Some(chain),
        rows: Some(rows),
        ..ask.done(text)
    })
}

/// The withdrawal, or why nothing is withdrawn.
fn withdrawal(
    state: &FeedState,
    policy: &Policy,
    request: &Request,
    first: u32,
    republish: bool,
    now: &str,
) -> std::result::Result<Withdraw, String> {
    let line = state.releases.iter().find(|line| line.release == first);
    let Some(line) = line.filter(|line| line.manifest.is_some()) else {
        return Err(format!(
            "release {first} was never published: `tidegate show` lists all releases"
        ));
    };
    if !line.is_visible() {
        return Err(format!(
            "the manifest of release {first} was deleted before: `tidegate show` says why"
        ));
    }
    let chain = line.chain;
    let is_running = chain == state.feed.chain();
    let grows = state
        .tables
        .get(&TableId::rows(chain))
        .is_some_and(|table| !table.parts().is_empty());
    if is_running && !grows {
        return Err(
            "in this chain each release is checked against all earlier ones, so none can be withdrawn while \
                    the chain runs. Begin a new chain with `tidegate new-chain`, then withdraw"
                .to_owned(),
        );
    }
    if republish && (!is_running || policy.kind() == ChainKind::Disjoint || state.feed.stopped()) {
        return Err(
            "only a running cumulative chain can publish withdrawn rows again: omit --republish"
                .to_owned(),
        );
    }
    let of_them = state
        .releases
        .iter()
        .filter(|line| line.chain == chain && line.release >= first);
    let last = of_them.map(|line| line.release).max().unwrap_or(first);
    let rows = match is_running {
        true => state.feed.rows_of(first..=last).rows(),
        false => 0,
    };
    Ok(Withdraw {
        wanted: request.wanted.clone(),
        chain,
        first,
        last,
        left: state.newest_before(chain, first),
        rows,
        republish,
        time: state.ticked.clone().unwrap_or_else(|| now.to_owned()),
    })
}
