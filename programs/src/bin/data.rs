//! The data generator: `wirelab-data DOMAIN`.

fn main() -> std::process::ExitCode {
    wirelab_datasets::run()
}
