//! The manual pages, generated from `--help`, packaged in the wheel, and checked here.
//! `WIRELAB_WRITE_MANUAL=1 cargo test manual` (or `make docs`) writes them again.

use std::path::PathBuf;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::arguments::Arguments;

/// References to the documentation.
const SEE_ALSO: &str = ".SH \"SEE ALSO\"\n\
    .BR wirelab-load-null (1)\n.PP\n\
    The job file, the result file and the design of the engine are described in wirelab's \
    documentation: docs/reference/engine\\-job.md, engine\\-result.md and \
    docs/concepts/load\\-engine.md.\n";

#[test]
fn the_manual_matches_the_program() {
    let mut command = Arguments::command();
    command.build();
    let null = command.find_subcommand("null").unwrap().clone();
    let completion = command.find_subcommand("completion").unwrap().clone();
    let pages = [
        ("wirelab-load.1", page(command, SEE_ALSO)),
        (
            "wirelab-load-null.1",
            page(null.name("wirelab-load-null"), ""),
        ),
        (
            "wirelab-load-completion.1",
            page(completion.name("wirelab-load-completion"), ""),
        ),
    ];
    for (name, text) in pages {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("../programs/wheel/data/share/man/man1")
            .join(name);
        if std::env::var_os("WIRELAB_WRITE_MANUAL").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == text, "{name} is out of date: run `make docs`");
    }
}

fn page(command: Command, end: &str) -> String {
    let mut text = Vec::new();
    Man::new(command).render(&mut text).unwrap();
    String::from_utf8(text).unwrap() + end
}
