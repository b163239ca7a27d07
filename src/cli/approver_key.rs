//! `tidegate approver-key` (CONTRACTS 3): makes the key with which one person signs approvals.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::new_files::{self, NewFile};
use super::{CommandResult, Exit, Out};
use crate::daemon::chance::SystemChance;
use crate::daemon::error::{Error, ErrorCategory};
use crate::daemon::sign::Signing;
use crate::engine::release::Sha256;

/// Make the key with which an approver signs
#[derive(clap::Args)]
#[command(after_help = "\
Writes FILE, which stays with that one person, and FILE.pub, its public half, which goes into the feed file:

  [schedule]
  approval = \"manual\"
  approvals = 2

  [schedule.approvers]
  \"Data protection\" = \"64 hexadecimal digits\"
  \"Head of data\" = \"64 hexadecimal digits\"

Exit code 0: the key was made. 2: an error; an existing file is never overwritten.")]
pub struct Args {
    /// The file to write
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// The files that were made.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "approver-key")]
pub struct ApproverKeyAnswer {
    /// The file with the key.
    pub key: PathBuf,
    /// The file with its public key.
    pub public: PathBuf,
    /// The public key, for `schedule.approvers` of the feed file.
    pub digits: String,
    /// The SHA-256 of the 32 bytes of the public key, by which people compare keys.
    pub fingerprint: Sha256,
}

/// Makes the key.
///
/// # Errors
/// A file exists already, or cannot be written.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let Some(name) = args.file.file_name() else {
        return Err(
            Error::new(ErrorCategory::Usage, "this does not name a file")
                .in_field("FILE")
                .into(),
        );
    };
    let folder = args.file.parent().map(PathBuf::from).unwrap_or_default();
    let signing = Signing::draw(&mut SystemChance)?;
    let (digits, fingerprint) = (signing.public().text(), signing.public().fingerprint());
    let mut public = name.to_owned();
    public.push(".pub");
    let files = [
        NewFile {
            path: name.into(),
            content: format!("{}\n", *signing.text()),
            secret: true,
        },
        NewFile {
            path: public.into(),
            content: format!("{digits}\n"),
            secret: false,
        },
    ];
    new_files::write(&folder, &files, &[])?.keep();
    let made = ApproverKeyAnswer {
        key: folder.join(&files[0].path),
        public: folder.join(&files[1].path),
        digits,
        fingerprint,
    };
    if out.json() {
        out.value(&made);
    } else {
        out.text(&text(&made));
    }
    Ok(Exit::Done)
}

fn text(made: &ApproverKeyAnswer) -> String {
    let ApproverKeyAnswer {
        key,
        public,
        digits,
        fingerprint,
    } = made;
    format!(
        "{} is the private key of one person, and only that person may have it.\n\
         {} is its public half, with the fingerprint {fingerprint}.\n\n\
         In the feed file, with the name of that person:\n\n  [schedule.approvers]\n  \"NAME\" = \"{digits}\"\n",
        key.display(),
        public.display()
    )
}
