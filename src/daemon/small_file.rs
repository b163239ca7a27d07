//! Files that are read as a whole: keys, secrets, certificates. Each has a limit, so that none can fill the memory, and none is waited for
//! without end: a pipe in its place has to bring all of it within seconds.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::error::{Error, Kind, Result};

/// A secret or a key is no larger.
pub const SECRET: u64 = 64 << 10;
/// A file of certificates is no larger.
pub const CERTIFICATES: u64 = 4 << 20;

/// For how long a pipe is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// The text of a file; `doing` says what is done with it, for the error.
///
/// # Errors
/// It cannot be read, is larger than `most` bytes, is no text, is a device or a folder, or a pipe that stays open and silent.
pub fn text(file: &Path, doing: &str, most: u64) -> Result<Zeroizing<String>> {
    let bytes = bytes(file, doing, most)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| wrong("this is no text: another file was meant", file))?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// The bytes of a file.
///
/// # Errors
/// As of [`text`], but that it need not be text.
pub fn bytes(file: &Path, doing: &str, most: u64) -> Result<Zeroizing<Vec<u8>>> {
    let io = |error: io::Error| Error::io(file, doing, &error);
    // A named pipe that no program writes to would be waited for while it is opened.
    let opened =
        OpenOptions::new().read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed()).open(file);
    let opened = opened.map_err(io)?;
    let kind = opened.metadata().map_err(io)?.file_type();
    if kind.is_dir() {
        return Err(wrong("this is a directory: name the file in it", file));
    }
    if !kind.is_file() && !kind.is_fifo() {
        return Err(wrong("this is a device or a socket: copy what it holds to a file first", file));
    }
    // With room for all of it, so that no part is left behind in memory when it grows.
    let mut found = Zeroizing::new(Vec::with_capacity(usize::try_from(most + 1).unwrap_or(0)));
    let (begun, mut rest) = (Instant::now(), opened.take(most + 1));
    loop {
        match rest.read_to_end(&mut found) {
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && begun.elapsed() < PATIENCE => sleep(LOOK),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let text = format!("this pipe stays open, and nothing more came for {} seconds", PATIENCE.as_secs());
                return Err(wrong(&text, file));
            }
            Err(error) => return Err(io(error)),
        }
    }
    if found.len() as u64 > most {
        return Err(wrong(&format!("larger than {} KiB: another file was meant", most >> 10), file));
    }
    Ok(found)
}

fn wrong(text: &str, file: &Path) -> Error {
    Error::new(Kind::Usage, text).in_file(file)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    fn refused(file: &Path) -> String {
        text(file, "read the key", SECRET).expect_err("it is none").text
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        fs::write(&file, "abc\n").expect("a file");
        assert_eq!(**text(&file, "read the key", SECRET).expect("text"), *"abc\n");
        for (size, fits) in [(SECRET - 1, true), (SECRET, true), (SECRET + 1, false)] {
            fs::write(&file, vec![b'x'; size as usize]).expect("a file");
            assert_eq!(text(&file, "read the key", SECRET).is_ok(), fits, "{size}");
        }
        assert!(refused(&file).contains("larger than 64 KiB"));
        fs::write(&file, [0xff, 0xfe]).expect("a file");
        assert!(refused(&file).contains("no text"));
        assert!(refused(folder.path()).contains("directory"));
        assert!(refused(&folder.path().join("none")).contains("cannot read the key"));
    }

    #[test]
    fn devices_are_not_read_without_end() {
        for device in ["/dev/zero", "/dev/null"] {
            assert!(refused(Path::new(device)).contains("device"), "{device}");
        }
    }

    #[test]
    fn pipes_are_read_and_not_waited_for_without_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
        // No program writes to it.
        assert_eq!(**text(&pipe, "read the key", SECRET).expect("an end"), *"");
        // One brings its text in parts, as a command in `<(…)` does.
        let other = pipe.clone();
        let open = fs::OpenOptions::new().read(true).write(true).open(&pipe).expect("a pipe");
        let writer = std::thread::spawn(move || {
            let mut writer = fs::OpenOptions::new().write(true).open(other).expect("a reader");
            writer.write_all(b"ab").expect("room");
            drop(open);
            sleep(Duration::from_millis(50));
            writer.write_all(b"cd").expect("room");
        });
        assert_eq!(**text(&pipe, "read the key", SECRET).expect("text"), *"abcd");
        writer.join().expect("it ends");
    }
}
