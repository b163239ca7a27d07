//! The head of the report, what is promised in words, and the policy in force. Words promise what SCIENCE 4 proves and
//! name what it leaves out; nothing here softens that.

use serde_json::Value;

use super::html::{Count, Many, Page, Text, put};
use crate::policy::Guarantee;
use crate::release::manifest::Manifest;

/// Which release it is.
pub fn write_head(page: &mut Page, manifest: &Manifest) {
    put!(page, "<header>\n<h1>Release {} of <bdi>{}</bdi></h1>\n", manifest.release, Text(&manifest.feed));
    let time = manifest.time.replacen('T', " ", 1).replacen('Z', " UTC", 1);
    put!(page, "<p class=\"due\">{}, chain {}</p>\n</header>\n", Text(&time), manifest.chain);
}

/// Figures, promise.
pub fn write(page: &mut Page, manifest: &Manifest) {
    put!(page, "<section aria-label=\"In short\">\n<dl class=\"facts\">\n");
    let smallest = format!("the policy asks for at least {}", Count(manifest.k));
    let loss = format!("Loss {:.4} of at most 1", manifest.loss);
    let lost = format!("{:.0} %", manifest.loss * 100.0);
    let [crowds, given_up] = if manifest.two_tables() {
        ["people whose sensitive values lie together", "Detail that a crowd hides"]
    } else {
        ["people with equal labels", "Detail given up"]
    };
    let facts: [(&str, String, &str); 5] = [
        ("Rows", Count(manifest.rows).to_string(), "one per person"),
        ("Crowds", Count(manifest.classes).to_string(), crowds),
        ("Smallest crowd", Count(manifest.smallest_class).to_string(), &smallest),
        ("Withheld", Count(manifest.withheld.unwrap_or(0)).to_string(), "people; too few were like them"),
        (given_up, lost, &loss),
    ];
    // Where crowds keep their labels nobody is withheld.
    for (name, figure, note) in facts.into_iter().filter(|(name, ..)| *name != "Withheld" || !manifest.is_divided()) {
        put!(page, "<div><dt>{name}</dt><dd><b>{figure}</b> <span>{note}</span></dd></div>\n");
    }
    put!(page, "</dl>\n</section>\n<section>\n<h2>What is promised</h2>\n");
    promise(page, manifest);
    let rule = match (manifest.layout, manifest.guarantee) {
        (Some(_), Some(_)) => "Read the tables that the newest manifest lists, all of them and no other file",
        (_, Some(_)) => "Never combine releases by adding or subtracting them; the newest replaces all earlier ones",
        (_, None) => "Never combine releases by adding or subtracting them",
    };
    put!(page, "<p class=\"rule\">{rule}.</p>\n");
    let signed = if manifest.signed {
        "The manifest of this release is signed; the signature lies beside it."
    } else {
        "The manifest of this release is not signed: nothing shows who published it."
    };
    put!(page, "<p>{signed}</p>\n</section>\n");
}

fn promise(page: &mut Page, manifest: &Manifest) {
    let others = Many(manifest.k.saturating_sub(1), "other");
    match manifest.guarantee {
        Some(Guarantee::Blind) if manifest.has_crowds() => put!(
            page,
            "<p>Labels were chosen from the columns below, dates and coins alone, never from sensitive values, and a crowd \
             keeps them for ever. Everyone hides among at least {others} who came out with the same release under the same \
             labels, in all releases of this chain taken together, even from an attacker who knows the algorithm, all dates, \
             and these columns of everybody.</p>\n"
        ),
        Some(Guarantee::Blind) => put!(
            page,
            "<p>What is published was decided from the columns below and from dates alone, never from sensitive values. \
             Everyone hides among at least {others} who came with the same increment, in all releases of this chain \
             taken together, even from an attacker who knows the algorithm, all dates, and these columns of \
             everybody.</p>\n"
        ),
        Some(Guarantee::Chain) => put!(
            page,
            "<p>One finer form of this release was tested once, and a coin decided whether to use it. Everyone hides \
             among at least {others} as far as releases can be compared, and what an attacker believes of a person can \
             move by no more than the odds that the policy below caps (<code>max_odds</code>).</p>\n"
        ),
        Some(Guarantee::Bcf) => put!(
            page,
            "<p class=\"warning\">Not safe against an attacker who knows the algorithm: what it refused to publish can \
             give sensitive values away. This guarantee is there for comparison.</p>\n<p>Everyone hides among at least \
             {others} from an attacker who compares the releases and knows no more.</p>\n"
        ),
        None if manifest.two_tables() => put!(
            page,
            "<p class=\"warning\">Everybody's columns below are published exactly as they are: whoever knows those of a person \
             can tell whether the person is in this release.</p>\n<p>Each release holds other people than those before it. \
             It is in two tables, and what is hidden is which sensitive value belongs to whom: the values of everyone lie \
             among those of at least {others}.</p>\n"
        ),
        None => put!(
            page,
            "<p>Each release holds other people than those before it. Everyone hides among at least {others} in the \
             release that they are in.</p>\n"
        ),
    }
    if let Some(m) = manifest.policy.get("m").and_then(Value::as_u64) {
        put!(
            page,
            "<p>Nobody is tied to a guarded value with a probability of more than 1/{m}. Some sensitive values may have \
             been replaced for that (MASK with l' = {}), so counts of guarded values are only approximate.</p>\n",
            m.saturating_mul(2)
        );
    }
    put!(
        page,
        "<p>Not promised: that nobody can tell whether a person is in the data, or since when. A crowd hides what its \
         members have only as far as they differ in it: whether that was looked at stands under \
         <a href=\"#checks\">checks</a>.</p>\n"
    );
}

/// The policy, key by key.
pub fn write_policy(page: &mut Page, manifest: &Manifest) {
    put!(page, "<section>\n<h2>Policy in force</h2>\n<dl class=\"policy\">\n");
    let mut lines = Vec::new();
    flatten("", &manifest.policy, &mut lines);
    for (key, value) in lines {
        put!(page, "<div><dt><code>{}</code></dt><dd>{}</dd></div>\n", Text(&key), Text(&value));
    }
    put!(page, "</dl>\n</section>\n");
}

/// Keys of tables inside tables are joined by points.
fn flatten(key: &str, value: &Value, lines: &mut Vec<(String, String)>) {
    match value {
        Value::Object(table) => {
            for (inner, value) in table {
                let key = if key.is_empty() { inner.clone() } else { format!("{key}.{inner}") };
                flatten(&key, value, lines);
            }
        }
        Value::String(word) => lines.push((key.to_owned(), word.clone())),
        other => lines.push((key.to_owned(), other.to_string())),
    }
}
