//! The policy in force, key by key, and the digests of the files.

use serde_json::Value;

use super::Report;
use super::html::{Page, Text, WideSection, put};
use super::words::fill;

/// The sections.
pub fn write(page: &mut Page, report: &Report) {
    let (words, around) = (report.words, report.around);
    put!(page, "<section>\n<h2>{}</h2>\n<dl class=\"policy\">\n", words.policy);
    let mut lines = Vec::new();
    flatten("", &report.manifest.policy, &mut lines);
    for (key, value) in lines {
        put!(page, "<div><dt><code>{}</code></dt><dd>{}</dd></div>\n", Text(&key), Text(&value));
    }
    put!(page, "</dl>\n</section>\n<section>\n<h2>{}</h2>\n<p>{}", words.files, words.files_text);
    if around.kept > 0 {
        let kept = words.count(around.kept as u64);
        put!(page, " {}", fill(words.files_kept, &[("files", &kept)]));
    }
    put!(
        page,
        "</p>\n{}<table class=\"files\">\n<thead><tr><th scope=\"col\">{}</th>",
        WideSection(words.files),
        words.file
    );
    put!(page, "<th scope=\"col\">SHA-256</th></tr></thead>\n<tbody>\n");
    for file in around.files {
        let (path, sha256) = (Text(&file.path), file.sha256);
        put!(page, "<tr><th scope=\"row\"><code>{path}</code></th><td><code>{sha256}</code></td></tr>\n");
    }
    put!(page, "</tbody>\n</table>\n</div>\n</section>\n");
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
