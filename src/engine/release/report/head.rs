//! The head of the report: which release it is, what it is for, and how readers reach the people who are responsible for it.

use super::Report;
use super::html::{Page, Text, put};
use super::words::fill;

/// The head.
pub fn write(page: &mut Page, report: &Report) {
    let (words, manifest) = (report.words, report.manifest);
    let feed = format!("<bdi>{}</bdi>", Text(&manifest.feed));
    let title = fill(words.title, &[("feed", &feed), ("release", &manifest.release)]);
    put!(page, "<header>\n<h1>{title}</h1>\n");
    let time = minute(&manifest.time);
    let due = fill(words.due, &[("time", &Text(&time)), ("chain", &manifest.chain)]);
    put!(page, "<p class=\"due\">{due}</p>\n");
    for (name, text) in [(words.purpose, &manifest.purpose), (words.contact, &manifest.contact)] {
        if let Some(text) = text {
            put!(page, "<p class=\"due\">{name}: <bdi>{}</bdi></p>\n", Text(text));
        }
    }
    put!(page, "</header>\n");
}

/// A time as people read it: `2026-11-21 10:00:00 UTC`.
pub fn minute(time: &str) -> String {
    time.replacen('T', " ", 1).replacen('Z', " UTC", 1)
}
