//! The page over all releases of a feed, by chain, the newest first. It is a convenience for
//! people: manifests define what is published.

use maud::{Markup, html};

use super::Language;
use super::changes::figures;
use super::head::minute;
use super::html::{Text, document, head, name, numbers, wide};
use super::words::{Words, fill};
use crate::past_release::PastRelease;

/// A release that the page lists.
#[derive(Debug, Clone, Copy)]
pub struct ListedRelease<'a> {
    /// Its figures, if they are known.
    pub figures: PastRelease,
    /// Its chain.
    pub chain: u32,
    /// Its scheduled time.
    pub time: &'a str,
    /// The path of its report, relative to the page; `None` if it was removed.
    pub report: Option<&'a str>,
}

/// The most releases that are listed.
const MOST: usize = 1_000;

/// The page; `releases` are all of them, oldest first.
pub fn index(feed: &str, language: Language, releases: &[ListedRelease<'_>]) -> Vec<u8> {
    let words = Words::of(language);
    let listed = &releases[releases.len().saturating_sub(MOST)..];
    let older = releases.len() - listed.len();
    let body = html! {
        header {
            h1 { (fill(words.index_title, &[("feed", &name(feed))])) }
            p class="due" { (words.index_text) }
        }
        main {
            @match listed.last() {
                None => p { (words.index_none) },
                Some(ListedRelease { report: Some(report), figures, .. }) => p class="rule" {
                    a href=(Text(report)) { (words.index_newest) " (" (figures.release) ")" }
                },
                Some(_) => {},
            }
            @for chain in listed.chunk_by(|one, other| one.chain == other.chain).rev() { (section(words, chain)) }
            @if older > 0 {
                p { (fill(words.index_older, &[("releases", &words.count(older as u64))])) }
            }
        }
    };
    document(
        words.language.tag(),
        fill(words.index_title, &[("feed", &Text(feed))]),
        "",
        body,
    )
}

/// The releases of a chain.
fn section(words: &Words, releases: &[ListedRelease<'_>]) -> Markup {
    let heading = fill(words.index_chain, &[("chain", &releases[0].chain)]);
    let table = html! {
        table {
            (head([words.index_report, words.time], figures(words, &releases[0].figures).map(|(name, _)| name)))
            tbody {
                @for ListedRelease { figures: release, time, report, .. } in releases.iter().rev() {
                    @let name = fill(words.release_column, &[("release", &release.release)]);
                    tr {
                        th scope="row" {
                            @if let Some(report) = report { a href=(Text(report)) { (name) } } @else { (name) }
                        }
                        td { (Text(&minute(time))) }
                        (numbers(figures(words, release).map(|(_, cell)| cell.unwrap_or_else(|| "–".to_owned()))))
                    }
                }
            }
        }
    };
    html! { section { h2 { (heading) } (wide(&heading, table)) } }
}
