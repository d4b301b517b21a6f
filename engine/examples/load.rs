//! The program by itself, for trying the engine out of this folder.

fn main() -> std::process::ExitCode {
    wirelab_engine::run()
}
