//! Completions and manual pages, made from what the command line understands.

use crate::Failure;
use crate::args::{Cli, CompletionsArgs, ManArgs};
use clap::CommandFactory;
use clap_mangen::Man;
use std::io::Write;
use thalweg::io::atomic;

/// `thalweg completions`
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "thalweg", &mut script);
    say!("{}", String::from_utf8_lossy(&script).trim_end());
    Ok(())
}

/// `thalweg man`
pub(crate) fn man(args: &ManArgs) -> Result<(), Failure> {
    let mut whole = Cli::command().disable_help_subcommand(true);
    whole.build();
    let Some(folder) = &args.output else {
        say!("{}", String::from_utf8_lossy(&page(&Man::new(whole))?).trim_end());
        return Ok(());
    };
    atomic::create_dir(folder).map_err(Failure::run)?;
    let shown = whole.get_subcommands().filter(|command| !command.is_hide_set());
    for command in std::iter::once(&whole).chain(shown) {
        let man = Man::new(command.clone());
        let (path, page) = (folder.join(man.get_filename()), page(&man)?);
        atomic::write_atomic(&path, |file| file.write_all(&page)).map_err(Failure::run)?;
        say!("{}", path.display());
    }
    Ok(())
}

fn page(man: &Man) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    man.render(&mut page).map_err(Failure::run)?;
    Ok(page)
}
