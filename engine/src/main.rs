//! The engine by itself, for its own tests; the program that is shipped is `wirelab-load`.

fn main() -> std::process::ExitCode {
    wirelab_engine::run()
}
