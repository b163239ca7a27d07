//! The log of the demo's daemon, line by line: written to a file, and read by the demo as any
//! reader could.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::Sender;

use serde_json::Value;

/// Writes lines to a file and passes them on.
pub(super) struct Tee {
    file: File,
    to: Sender<Value>,
    rest: Vec<u8>,
}

impl Tee {
    /// Writes to this file, and sends to this receiver.
    pub(super) fn new(file: File, to: Sender<Value>) -> Tee {
        Tee {
            file,
            to,
            rest: Vec::new(),
        }
    }
}

impl Write for Tee {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.rest.extend_from_slice(bytes);
        while let Some(end) = memchr::memchr(b'\n', &self.rest) {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            if let Ok(event) = serde_json::from_slice(&line) {
                // A receiver that has ended needs no more lines.
                let _ = self.to.send(event);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
