//! Files that are read as a whole: keys, secrets, certificates. Each has a limit of size, so that
//! none can fill the memory, and of time: a pipe has to deliver all of it within seconds. A secret
//! that other accounts can read is refused, as a private root is.

use crate::wiped_bytes::WipedBytes;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::error::{Error, ErrorCategory, Result, printable};

/// The greatest size of a secret or a key.
pub const SECRET: u64 = 64 << 10;
/// The greatest size of a file of certificates.
pub const CERTIFICATES: u64 = 4 << 20;

/// The time limit of a pipe.
const PATIENCE: Duration = Duration::from_secs(10);
/// The interval at which it is read.
const LOOK: Duration = Duration::from_millis(10);

/// The accounts that may read the file of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// The owner only: the secret belongs to one person.
    Owner,
    /// The group as well, if another account owns the file, which is how a service receives a
    /// secret. A volume of Kubernetes has files of root with mode 0440 and the group of the pod,
    /// and the access list of a credential of systemd shows as mode 0440.
    Group,
}

impl Readers {
    /// Whether more accounts can use a file of this mode and owner than permitted. `account` is the
    /// one of this process.
    fn are_exceeded(self, mode: u32, owner: u32, account: u32) -> bool {
        let others = match self {
            Readers::Group if owner != account => 0o007,
            Readers::Group | Readers::Owner => 0o077,
        };
        mode & others != 0
    }
}

/// The text of a file that contains a key, a password or a token; `doing` says what it is read for,
/// in the error.
///
/// # Errors
/// As for [`text`], or other accounts than `readers` can read the file or write to it.
pub fn secret(file: &Path, doing: &str, readers: Readers) -> Result<Zeroizing<String>> {
    let (opened, about) = open(file, doing)?;
    // A pipe has the mode of the shell or of the program that made it, and is read once.
    let account = rustix::process::geteuid().as_raw();
    if about.is_file() && readers.are_exceeded(about.mode(), about.uid(), account) {
        let name = printable(&file.display().to_string());
        let text = format!(
            "other accounts can read or write this file, which contains a secret: `chmod 600 {name}`, and make a new \
             secret if anyone may have read it"
        );
        return Err(Error::new(ErrorCategory::Io, text).in_file(file));
    }
    text_of(&read(opened, file, doing, SECRET)?, file)
}

/// The text of a file that contains no secret; `doing` says what it is read for, in the error.
///
/// # Errors
/// It cannot be read, is larger than `most` bytes, is not text, is a device or a folder, or is a
/// pipe that stays open and delivers nothing.
pub fn text(file: &Path, doing: &str, most: u64) -> Result<Zeroizing<String>> {
    text_of(&bytes(file, doing, most)?, file)
}

fn text_of(bytes: &[u8], file: &Path) -> Result<Zeroizing<String>> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| wrong("this is not text: name the right file", file))?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// The bytes of a file that contains no secret.
///
/// # Errors
/// As for [`text`], but it need not be text.
pub fn bytes(file: &Path, doing: &str, most: u64) -> Result<WipedBytes> {
    let (opened, _) = open(file, doing)?;
    read(opened, file, doing, most)
}

/// A file or a pipe, with the metadata of the one that was opened.
fn open(file: &Path, doing: &str) -> Result<(File, Metadata)> {
    let io = |error: io::Error| Error::io(file, doing, &error);
    // Opening a named pipe that no program writes to would wait for one.
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
        .open(file);
    let opened = opened.map_err(io)?;
    let about = opened.metadata().map_err(io)?;
    let kind = about.file_type();
    if kind.is_dir() {
        return Err(wrong("this is a directory: name the file in it", file));
    }
    if !kind.is_file() && !kind.is_fifo() {
        return Err(wrong(
            "this is a device or a socket: copy its content to a file first",
            file,
        ));
    }
    Ok((opened, about))
}

fn read(opened: File, file: &Path, doing: &str, most: u64) -> Result<WipedBytes> {
    // With enough capacity, so that no part is left behind in memory when it grows.
    let mut found = WipedBytes::from(Vec::with_capacity(usize::try_from(most + 1).unwrap_or(0)));
    let (begun, mut rest) = (Instant::now(), opened.take(most + 1));
    loop {
        match rest.read_to_end(&mut found) {
            Ok(_) => break,
            Err(error)
                if error.kind() == io::ErrorKind::WouldBlock && begun.elapsed() < PATIENCE =>
            {
                sleep(LOOK)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let text = format!(
                    "this pipe is still open, and nothing has come for {} seconds",
                    PATIENCE.as_secs()
                );
                return Err(wrong(&text, file));
            }
            Err(error) => return Err(Error::io(file, doing, &error)),
        }
    }
    if found.len() as u64 > most {
        return Err(wrong(
            &format!("larger than {} KiB: name the right file", most >> 10),
            file,
        ));
    }
    Ok(found)
}

fn wrong(text: &str, file: &Path) -> Error {
    Error::new(ErrorCategory::Usage, text).in_file(file)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn refused(file: &Path) -> String {
        text(file, "read the key", SECRET)
            .expect_err("it is none")
            .text
    }

    #[test]
    fn accounts_that_can_read_a_secret() {
        let (us, root) = (10_001, 0);
        let exceeded = |readers: Readers, mode, owner| readers.are_exceeded(mode, owner, us);
        for (mode, owner, of_group, of_owner) in [
            (0o100_600, us, false, false),
            (0o100_400, us, false, false),
            // The modes that umask 022 and umask 027 lead to, and modes that others can write to.
            (0o100_644, us, true, true),
            (0o100_640, us, true, true),
            (0o100_660, us, true, true),
            (0o100_602, us, true, true),
            (0o100_610, us, true, true),
            // A volume of Kubernetes with `fsGroup`, with the mode of the chart and with the
            // default one.
            (0o100_440, root, false, true),
            (0o100_644, root, true, true),
            (0o100_400, root, false, false),
        ] {
            assert_eq!(
                exceeded(Readers::Group, mode, owner),
                of_group,
                "{mode:o} of {owner}"
            );
            assert_eq!(
                exceeded(Readers::Owner, mode, owner),
                of_owner,
                "{mode:o} of {owner}"
            );
        }
    }

    #[test]
    fn a_secret_that_other_accounts_can_read_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        fs::write(&file, "Sq7secret\n").expect("a file");
        for (mode, reads) in [
            (0o600, true),
            (0o400, true),
            (0o644, false),
            (0o640, false),
            (0o604, false),
        ] {
            fs::set_permissions(&file, PermissionsExt::from_mode(mode)).expect("a mode");
            for readers in [Readers::Group, Readers::Owner] {
                let found = secret(&file, "read the key", readers);
                assert_eq!(found.is_ok(), reads, "{mode:o}");
                if let Err(error) = found {
                    let said = error.to_string();
                    assert!(
                        said.contains(&format!("`chmod 600 {}`", file.display())),
                        "{said}"
                    );
                    assert!(!said.contains("Sq7secret"), "{said}");
                }
            }
            // A certificate may be readable by all.
            assert_eq!(
                **text(&file, "read the certificate", CERTIFICATES).expect("text"),
                *"Sq7secret\n"
            );
        }
        // The mode is that of the file that a link leads to.
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        assert!(secret(&link, "read the key", Readers::Group).is_err());
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        fs::write(&file, "abc\n").expect("a file");
        assert_eq!(
            **text(&file, "read the key", SECRET).expect("text"),
            *"abc\n"
        );
        for (size, fits) in [(SECRET - 1, true), (SECRET, true), (SECRET + 1, false)] {
            fs::write(&file, vec![b'x'; size as usize]).expect("a file");
            assert_eq!(text(&file, "read the key", SECRET).is_ok(), fits, "{size}");
        }
        assert!(refused(&file).contains("larger than 64 KiB"));
        fs::write(&file, [0xff, 0xfe]).expect("a file");
        assert!(refused(&file).contains("not text"));
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
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .expect("a pipe");
        // No program writes to it.
        assert_eq!(**text(&pipe, "read the key", SECRET).expect("an end"), *"");
        assert_eq!(
            **secret(&pipe, "read the key", Readers::Owner).expect("an end"),
            *""
        );
        // This one delivers its text in parts, as a command in `<(…)` does.
        let other = pipe.clone();
        let open = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(&pipe)
            .expect("a pipe");
        let writer = std::thread::spawn(move || {
            let mut writer = fs::OpenOptions::new()
                .write(true)
                .open(other)
                .expect("a reader");
            writer.write_all(b"ab").expect("room");
            drop(open);
            sleep(Duration::from_millis(50));
            writer.write_all(b"cd").expect("room");
        });
        assert_eq!(
            **text(&pipe, "read the key", SECRET).expect("text"),
            *"abcd"
        );
        writer.join().expect("it ends");
    }
}
