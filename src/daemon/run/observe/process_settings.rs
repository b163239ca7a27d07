//! Settings that each feed file contains but that the process has only one of (CONTRACTS 1): the
//! address of its pages and the format of its log lines. Files that contradict each other are
//! refused; none is preferred silently.

use crate::config::{FeedConfig, Http, LogFormat};
use crate::error::{Error, ErrorCategory, Result};

/// The one `[http]` table of several feeds; None without any feed.
///
/// # Errors
/// Two feed files disagree.
pub fn address(feeds: &[FeedConfig]) -> Result<Option<&Http>> {
    one_of(feeds, "http.bind", |feed| feed.services.http.bind)?;
    let Some(first) = feeds.first() else {
        return Ok(None);
    };
    match feeds
        .iter()
        .find(|feed| feed.services.http.tokens != first.services.http.tokens)
    {
        None => Ok(Some(&first.services.http)),
        Some(other) => {
            let text = format!(
                "these tokens differ from those in {}, but one process has one set of pages: name the same `tokens` in \
                 the same order, with the same paths, or run these feeds in separate processes",
                first.file.display()
            );
            Err(Error::new(ErrorCategory::Feed, text)
                .in_file(&other.file)
                .in_field("http.tokens"))
        }
    }
}

/// The one `log.format` of several feeds.
///
/// # Errors
/// Two feed files disagree.
pub fn format(feeds: &[FeedConfig]) -> Result<LogFormat> {
    one_of(feeds, "log.format", |feed| match feed.services.log {
        LogFormat::Text => "text",
        LogFormat::Json => "json",
    })?;
    Ok(feeds
        .first()
        .map_or(LogFormat::Text, |feed| feed.services.log))
}

fn one_of<T: PartialEq + std::fmt::Display>(
    feeds: &[FeedConfig],
    key: &str,
    setting: impl Fn(&FeedConfig) -> T,
) -> Result<()> {
    let Some(first) = feeds.first() else {
        return Ok(());
    };
    let wanted = setting(first);
    match feeds.iter().find(|feed| setting(feed) != wanted) {
        None => Ok(()),
        Some(other) => {
            let (here, there) = (setting(other), first.file.display());
            let text = format!(
                "{here} here and {wanted} in {there}, but one process has one: write the same in every feed file (an \
                 omitted key has its default), or run these feeds in separate processes"
            );
            Err(Error::new(ErrorCategory::Feed, text)
                .in_file(&other.file)
                .in_field(key))
        }
    }
}
