//! Where results go: standard output, in words or as JSON. A reader that is gone (`| head`) is not
//! an error, and never changes the exit code; a full disk is one. Must never see a record.

use std::io::{self, Write};

use serde::Serialize;

use crate::daemon::error::{
    Error, ErrorCategory, Result, cause, commands_a_terminal, printable_lines,
};

/// Standard output of one command.
pub struct Out {
    json: bool,
    stream: anstream::AutoStream<io::Stdout>,
    failed: Option<io::Error>,
}

impl Out {
    /// Nothing is written yet.
    pub fn new(json: bool) -> Out {
        Out {
            json,
            stream: anstream::stdout(),
            failed: None,
        }
    }

    /// Whether JSON is requested.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Writes text. Labels, names and notes in it may be anyone's, so characters that a terminal
    /// obeys are escaped here.
    pub fn text(&mut self, text: &str) {
        self.write(&printable_lines(text));
    }

    /// Writes help texts of this program, with colours; they are left out unless a terminal shows
    /// them.
    pub fn help(&mut self, text: &str) {
        self.write(text);
    }

    /// Writes a value as JSON, on lines of its own.
    pub fn value(&mut self, value: &impl Serialize) {
        let text =
            serde_json::to_string_pretty(value).expect("serialisation failed (this is a bug)");
        self.write(&as_ascii_where_obeyed(&text));
        self.write("\n");
    }

    fn write(&mut self, text: &str) {
        if self.failed.is_none() {
            self.failed = self.stream.write_all(text.as_bytes()).err();
        }
    }

    /// Checks that everything was written.
    ///
    /// # Errors
    /// It was not, for another reason than that the reader is gone.
    pub fn finish(&mut self) -> Result<()> {
        let failed = self.failed.take().or_else(|| self.stream.flush().err());
        match failed {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::new(
                ErrorCategory::Io,
                format!("cannot write the result: {}", cause(&error)),
            )),
            _ => Ok(()),
        }
    }
}

/// The same JSON, with an escape for each character of a text that a terminal obeys.
fn as_ascii_where_obeyed(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        // Line breaks are between values; those of texts are escaped already.
        if c != '\n' && commands_a_terminal(c) {
            escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            escaped.push(c);
        }
    }
    escaped
}
