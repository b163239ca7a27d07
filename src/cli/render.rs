//! Errors for people: what is wrong, where, and the line with a caret. Colours are removed later
//! unless a terminal shows them. Must never read a file: the error contains its line.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::daemon::error::{Error, commands_a_terminal, printable, printable_lines};

/// An error, drawn without colours.
pub fn plain(of: &Error) -> String {
    anstream::adapter::strip_str(&error(of)).to_string()
}

/// A notice that is not an error, drawn in colours.
pub fn note(text: &str) -> String {
    Renderer::styled().render(&[Group::with_title(
        Level::NOTE.primary_title(printable_lines(text)),
    )])
}

/// An error, drawn in colours.
pub fn error(error: &Error) -> String {
    let file = error
        .file
        .as_ref()
        .map(|file| printable(&file.display().to_string()));
    let text = match (&error.field, &error.passage) {
        (Some(field), None) => format!("{} (`{}`)", error.text, printable(field)),
        _ => error.text.clone(),
    };
    let title = Level::ERROR.primary_title(printable_lines(&text));
    let line = error.line.and_then(|line| usize::try_from(line).ok());
    let group = match (&error.passage, file) {
        (Some(passage), file) => {
            let caret = AnnotationKind::Primary.span(passage.at.clone());
            let snippet = Snippet::source(harmless(&passage.line))
                .line_start(line.unwrap_or(1))
                .annotation(caret);
            title.element(match file {
                Some(file) => snippet.path(file),
                None => snippet,
            })
        }
        (None, Some(file)) => {
            let origin = Origin::path(file);
            title.element(match line {
                Some(line) => origin.line(line),
                None => origin,
            })
        }
        (None, None) => Group::with_title(title),
    };
    Renderer::styled().render(&[group])
}

/// A line without characters that a terminal obeys; each is replaced by one of the same length, so
/// that the caret stays where it is.
fn harmless(line: &str) -> String {
    let mut harmless = String::with_capacity(line.len());
    for c in line.chars() {
        match c.len_utf8() {
            _ if c == '\t' || !commands_a_terminal(c) => harmless.push(c),
            1 => harmless.push('?'),
            2 => harmless.push('\u{b7}'),
            _ => harmless.push('\u{fffd}'),
        }
    }
    harmless
}
