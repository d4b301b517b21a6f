#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| wirelab_engine::fuzzing::connection(data));
