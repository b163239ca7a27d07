//! How the operator's key of a feed is changed (HOUSE 3): by a command that is the only writer
//! meanwhile and has both keys, so that running it again completes whatever it had begun.

use super::request_delivery::Requester;
use super::root_opening::{key, not_begun, roots, under};
use super::world::OpenedRoots;
use crate::chance::{SystemChance, name};
use crate::clock;
use crate::config::FeedConfig;
use crate::error::{Error, ErrorCategory, Result};
use crate::feed_writer::RequestOutcome;
use crate::journal::{KeyRing, RequestOrigin};
use crate::seal::OperatorKey;

/// Changes the operator's key of a feed, and with it the feed's own keys and those of all objects.
/// `from` is the old one; without it the feed file names the old one still, or already the new one.
///
/// # Errors
/// Another process is running, neither key opens the private root, or it cannot be written. Either
/// key opens it then, and running the command again continues.
pub fn rekey(
    feed: &FeedConfig,
    from: Option<&OperatorKey>,
    to: &OperatorKey,
    by: &Requester,
) -> Result<RequestOutcome> {
    let Some(roots) = roots(feed)? else {
        let text = "another tidegate is running here, but keys can be changed only while none is: stop it, repeat this \
                    command, and start it with the new key";
        return Err(Error::new(ErrorCategory::Io, text).in_file(&feed.file));
    };
    let named;
    let old = match from {
        Some(from) => from,
        None => {
            named = key(feed)?;
            &named
        }
    };
    let now = clock::now();
    let opened = KeyRing::open(&*roots.private, old);
    match opened {
        Ok(None) => Err(not_begun(feed)),
        Ok(Some(ring)) if old.is(to) && ring.generation() == 0 => Ok(answer(false, 0, SAME)),
        Ok(Some(_)) if old.is(to) => finished(feed, &roots, to, &now),
        Ok(Some(_)) => {
            let wanted = RequestOrigin {
                request: name(&mut SystemChance)?,
                who: by.who(),
                when: now.clone(),
                why: by.why.clone(),
                signed: None,
            };
            let objects = under(feed, &roots, old, &now)?.rekey(to, wanted)?;
            let text = format!(
                "{objects} objects are encrypted anew, and the keys that sign the log and seal requests are new. The \
                 old key opens nothing of this private root any more: name the new one in store.key now. {COPIES}"
            );
            Ok(answer(true, objects, &text))
        }
        // It was changed to the new key before, but perhaps not completely.
        Err(_) if matches!(KeyRing::open(&*roots.private, to), Ok(Some(_))) => {
            finished(feed, &roots, to, &now)
        }
        Err(error) => Err(error),
    }
}

/// What a change of the key cannot change.
const COPIES: &str = "What it still opens are copies of this private root from before, with all that they held then: \
                      destroy them, or keep them as you keep the old key. The key that hashes people stays for the \
                      life of the feed, so a person who has such a copy and the old key can still compute the hash of a \
                      known identifier, but finds it in no object that was written since";

const SAME: &str = "this is the current key of the feed: make another one";

/// The new key is valid already; what is left under the old one is removed by the next writer.
fn finished(
    feed: &FeedConfig,
    roots: &OpenedRoots,
    to: &OperatorKey,
    now: &str,
) -> Result<RequestOutcome> {
    under(feed, roots, to, now)?;
    let text = format!(
        "the key was already changed to this one, and the old one opens nothing of this private root any more: name \
         the new one in store.key. {COPIES}"
    );
    Ok(answer(true, 0, &text))
}

fn answer(done: bool, objects: u64, text: &str) -> RequestOutcome {
    let asked = "rekey".to_owned();
    RequestOutcome {
        asked,
        done,
        text: text.to_owned(),
        release: None,
        chain: None,
        count: Some(objects),
        changed: None,
        rows: None,
    }
}
