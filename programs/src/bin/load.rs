//! The load engine: `wirelab-load JOB.json`.

fn main() -> std::process::ExitCode {
    wirelab_engine::run()
}
