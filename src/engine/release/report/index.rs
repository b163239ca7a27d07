//! The page over all releases of a feed, by chain, the newest first. It is a convenience for people: manifests decide what is published.

use super::head::minute;
use super::html::{Page, Text, WideSection, put};
use super::since::figures;
use super::words::{Words, fill};
use super::{Language, begin, end};
use crate::release::past_release::PastRelease;

/// A release that the page lists.
#[derive(Debug, Clone, Copy)]
pub struct ListedRelease<'a> {
    /// Its figures, where they are known.
    pub figures: PastRelease,
    /// Its chain.
    pub chain: u32,
    /// When it was due.
    pub time: &'a str,
    /// Where its report lies, from the page; `None` where it is gone.
    pub report: Option<&'a str>,
}

/// Releases that are listed at most.
const MOST: usize = 1_000;

/// The page; `releases` are all of them, oldest first.
pub fn index(feed: &str, language: Language, releases: &[ListedRelease<'_>]) -> Vec<u8> {
    let words = Words::of(language);
    let mut page = Page::default();
    begin(&mut page, words, &fill(words.index_title, &[("feed", &feed)]));
    let feed = format!("<bdi>{}</bdi>", Text(feed));
    put!(page, "<header>\n<h1>{}</h1>\n", fill(words.index_title, &[("feed", &feed)]));
    put!(page, "<p class=\"due\">{}</p>\n</header>\n<main>\n", words.index_text);
    let listed = &releases[releases.len().saturating_sub(MOST)..];
    match listed.last() {
        None => put!(page, "<p>{}</p>\n", words.index_none),
        Some(ListedRelease { report: Some(report), figures, .. }) => {
            let newest = format!("{} ({})", words.index_newest, figures.release);
            put!(page, "<p class=\"rule\"><a href=\"{}\">{newest}</a></p>\n", Text(report));
        }
        Some(_) => {}
    }
    for chain in listed.chunk_by(|one, other| one.chain == other.chain).rev() {
        write_chain(&mut page, words, chain);
    }
    if listed.len() < releases.len() {
        let older = words.count((releases.len() - listed.len()) as u64);
        put!(page, "<p>{}</p>\n", fill(words.index_older, &[("releases", &older)]));
    }
    end(&mut page);
    page.into_bytes()
}

fn write_chain(page: &mut Page, words: &Words, releases: &[ListedRelease<'_>]) {
    let heading = fill(words.index_chain, &[("chain", &releases[0].chain)]);
    put!(page, "<section>\n<h2>{heading}</h2>\n{}<table>\n<thead><tr>", WideSection(&heading));
    put!(page, "<th scope=\"col\">{}</th><th scope=\"col\">{}</th>", words.index_report, words.time);
    for (name, _) in figures(words, &releases[0].figures) {
        put!(page, "<th scope=\"col\" class=\"number\">{name}</th>");
    }
    put!(page, "</tr></thead>\n<tbody>\n");
    for ListedRelease { figures: release, time, report, .. } in releases.iter().rev() {
        let name = fill(words.release_column, &[("release", &release.release)]);
        match report {
            Some(report) => put!(page, "<tr><th scope=\"row\"><a href=\"{}\">{name}</a></th>", Text(report)),
            None => put!(page, "<tr><th scope=\"row\">{name}</th>"),
        }
        put!(page, "<td>{}</td>", Text(&minute(time)));
        for (_, cell) in figures(words, release) {
            put!(page, "<td class=\"number\">{}</td>", cell.as_deref().unwrap_or("–"));
        }
        put!(page, "</tr>\n");
    }
    put!(page, "</tbody>\n</table>\n</div>\n</section>\n");
}
