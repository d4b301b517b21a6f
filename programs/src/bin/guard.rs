//! The guard: `wirelab-guard [OPTIONS] -- PROGRAM`.

fn main() -> std::process::ExitCode {
    wirelab_guard::run()
}
