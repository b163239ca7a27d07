//! `tidegate completions` and `tidegate man` (CONTRACTS 3): completions for shells and manual
//! pages, made from the commands themselves.

use std::fs;
use std::path::PathBuf;

use clap::Command;

use super::{CommandResult, Exit, Out};
use crate::daemon::error::{Error, ErrorCategory};

/// Print the completions of a shell
#[derive(clap::Args)]
#[command(after_help = "\
  bash: tidegate completions bash > /etc/bash_completion.d/tidegate
  zsh:  tidegate completions zsh > \"${fpath[1]}/_tidegate\"
  fish: tidegate completions fish > ~/.config/fish/completions/tidegate.fish")]
pub struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: clap_complete::Shell,
}

/// Write manual pages, one for each command
#[derive(clap::Args)]
pub struct ManArgs {
    /// The folder for the pages, such as /usr/local/share/man/man1
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// Prints completions.
///
/// # Errors
/// JSON is requested.
pub fn run(args: Args, mut program: Command, out: &mut Out) -> CommandResult<Exit> {
    if out.json() {
        return Err(Error::new(
            ErrorCategory::Usage,
            "completions are for shells: omit --json",
        )
        .in_field("--json")
        .into());
    }
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, name, &mut script);
    out.text(&String::from_utf8_lossy(&script));
    Ok(Exit::Done)
}

/// Writes manual pages.
///
/// # Errors
/// The folder cannot be written.
pub fn man(args: &ManArgs, mut program: Command, out: &mut Out) -> CommandResult<Exit> {
    // So that the page of a command begins with the program's name.
    program.build();
    let folder = &args.dir;
    fs::create_dir_all(folder).map_err(|error| Error::io(folder, "make the folder", &error))?;
    let mut pages = vec![(program.get_name().to_owned(), program.clone())];
    for command in program
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
    {
        pages.push((
            format!("{}-{}", program.get_name(), command.get_name()),
            command.clone(),
        ));
    }
    for (name, command) in &pages {
        let mut page = Vec::new();
        let file = folder.join(format!("{name}.1"));
        let written = clap_mangen::Man::new(command.clone())
            .title(name.to_uppercase())
            .render(&mut page);
        let written = written.and_then(|()| fs::write(&file, &page));
        written.map_err(|error| Error::io(&file, "write the page", &error))?;
    }
    if !out.json() {
        out.text(&format!(
            "{} pages are in {}\n",
            pages.len(),
            folder.display()
        ));
    }
    Ok(Exit::Done)
}
