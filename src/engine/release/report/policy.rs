//! The policy in force, key by key, and the digests of the files.

use maud::{Markup, display, html};
use serde_json::Value;

use super::Report;
use super::html::{Text, fixed, head, wide};
use super::words::fill;

/// The section with the policy, and the one with the files.
pub(super) fn sections(report: &Report) -> Markup {
    let (words, around) = (report.words, report.around);
    let mut lines = Vec::new();
    flatten("", &report.manifest.policy, &mut lines);
    let files = html! {
        table class="files" {
            (head([words.file, "SHA-256"], [""; 0]))
            tbody {
                @for file in around.files {
                    tr {
                        th scope="row" { code { (Text(&file.path)) } }
                        td { code { (display(file.sha256)) } }
                    }
                }
            }
        }
    };
    html! {
        section {
            h2 { (words.policy) }
            dl class="policy" {
                @for (key, value) in &lines {
                    div { dt { code { (Text(key)) } } dd { (Text(value)) } }
                }
            }
        }
        section {
            h2 { (words.files) }
            p {
                (fixed(words.files_text))
                @if around.kept > 0 {
                    " " (fill(words.files_kept, &[("files", &words.count(around.kept as u64))]))
                }
            }
            (wide(words.files, files))
        }
    }
}

/// Keys of nested tables are joined by dots.
fn flatten(key: &str, value: &Value, lines: &mut Vec<(String, String)>) {
    match value {
        Value::Object(table) => {
            for (inner, value) in table {
                let key = if key.is_empty() {
                    inner.clone()
                } else {
                    format!("{key}.{inner}")
                };
                flatten(&key, value, lines);
            }
        }
        Value::String(word) => lines.push((key.to_owned(), word.clone())),
        other => lines.push((key.to_owned(), other.to_string())),
    }
}
