//! The link emulator: `wirelab-link [OPTIONS] -- COMMAND`.

fn main() -> std::process::ExitCode {
    wirelab_link::run()
}
