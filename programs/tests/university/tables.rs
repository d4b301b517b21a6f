//! The fourteen tables as files of values.

use std::collections::HashSet;

use xxhash_rust::xxh3::Xxh3;

use crate::harness::{TABLES, files, folder, read, universities};

/// The original's list of words, if it is available: because of its licence, it is not included.
const WORDS_VARIABLE: &str = "WIRELAB_TITLE_WORDS";

#[test]
fn each_table_has_a_file_with_a_line_for_each_row() {
    let folder = folder("csv");
    let printed = universities(
        &["--scale-factor", "1", "--format", "csv", "--output", "made"],
        &folder,
    );

    let made = files(&folder.join("made"));
    assert_eq!(made.len(), TABLES.len());
    for (table, rows) in TABLES {
        let text = read(&folder.join(format!("made/{table}.csv")));
        assert_eq!(text.lines().count(), rows, "{table}");
        assert!(!text.contains('\r') && text.ends_with('\n'));
    }
    assert!(printed.contains("43,838 rows in 14 tables"), "{printed}");
    assert!(printed.contains("43,319 rows, 17,195 objects"), "{printed}");
}

#[test]
fn columns_have_the_order_of_the_schema() {
    let folder = folder("columns");
    let options = ["--scale-factor", "1", "--format", "csv", "--output", "."];
    universities(&options, &folder);
    let first = |table: &str| {
        let text = read(&folder.join(format!("{table}.csv")));
        text.lines().next().unwrap().to_owned()
    };

    assert_eq!(first("university"), "0,university0");
    assert_eq!(first("department"), "0,department0,0");
    assert_eq!(first("researchgroup"), "0,0");
    assert_eq!(
        first("faculty"),
        "1,fullProfessor0,xxx-xxx-xxxx,fullProfessor0@department0.university0.edu,84,875,241,0"
    );
    assert!(first("professor").starts_with("1,fullProfessor,"));
    assert!(first("professor").ends_with(" ,"), "heads nothing");
    assert_eq!(first("lecturer"), "4");
    assert!(first("graduatecourse").starts_with("2,graduateCourse0,1"));
    let heads = read(&folder.join("professor.csv"));
    let head = heads.lines().find(|line| line.ends_with(" ,0")).unwrap();
    assert!(head.starts_with("71,fullProfessor,"));
    let publication = first("publication");
    assert!(publication.starts_with("100,publication0,") && publication.ends_with(" ,1"));
}

#[test]
fn rows_come_in_the_order_of_their_key() {
    let folder = folder("sorted");
    let options = ["--scale-factor", "2", "--format", "csv", "--output", "."];
    universities(&options, &folder);
    for (table, _) in TABLES {
        let text = read(&folder.join(format!("{table}.csv")));
        let key = |line: &str| -> Vec<u32> {
            let columns = if table.contains("take") || table.contains("coauthor") {
                2
            } else {
                1
            };
            let values = line.split(',').take(columns);
            values.map(|value| value.parse().unwrap()).collect()
        };
        let keys: Vec<Vec<u32>> = text.lines().map(key).collect();
        assert!(keys.is_sorted_by(|one, next| one < next), "{table}");
    }
}

#[test]
fn a_smaller_data_set_is_part_of_a_larger_one() {
    let folder = folder("monotonic");
    for scale_factor in ["1", "3"] {
        universities(
            &[
                "--scale-factor",
                scale_factor,
                "--format",
                "csv",
                "--output",
                scale_factor,
            ],
            &folder,
        );
    }
    for (table, _) in TABLES {
        let small = read(&folder.join(format!("1/{table}.csv")));
        let large = read(&folder.join(format!("3/{table}.csv")));
        if table == "university" {
            // Those that are made at the larger scale have a name there.
            let unnamed = |text: &str, number| text.contains(&format!("\n{number},\n"));
            assert!(unnamed(&small, 1) && unnamed(&small, 2) && unnamed(&large, 3));
            assert!(large.starts_with("0,university0\n1,university1\n2,university2\n"));
            let numbers = |text: &str| -> HashSet<String> {
                let lines = text.lines();
                lines
                    .map(|it| it.split(',').next().unwrap().to_owned())
                    .collect()
            };
            assert!(numbers(&small).is_subset(&numbers(&large)));
        } else {
            // What comes later has larger numbers, so the smaller data set is the beginning.
            assert!(large.starts_with(&small), "{table}");
            assert!(large.len() > small.len());
        }
    }
}

#[test]
fn the_seed_changes_the_data() {
    let folder = folder("seed");
    for seed in ["0", "1"] {
        let options = ["--scale-factor", "1", "--format", "csv", "--output", seed];
        universities(&[options.as_slice(), &["--seed", seed]].concat(), &folder);
    }
    let students = |seed: &str| read(&folder.join(format!("{seed}/graduatestudent.csv")));

    assert_ne!(students("0"), students("1"));
}

#[test]
fn with_the_words_of_the_original_every_byte_is_known() {
    let Ok(words) = std::env::var(WORDS_VARIABLE) else {
        eprintln!("skipped: {WORDS_VARIABLE} does not name the benchmark's titlewords.txt");
        return;
    };
    let folder = folder("original-words");
    let options = ["--scale-factor", "5", "--format", "csv", "--output", "."];
    universities(
        &[options.as_slice(), &["--words", &words]].concat(),
        &folder,
    );

    let mut hash = Xxh3::new();
    for bytes in files(&folder).values() {
        hash.update(bytes);
    }
    // Compared row by row with what the original's generator makes.
    assert_eq!(hash.digest(), 564_906_760_047_660_944);
    let publications = read(&folder.join("publication.csv"));
    let longest = |column: usize| {
        let texts = publications
            .lines()
            .map(|it| it.split(',').nth(column).unwrap().len());
        texts.max().unwrap()
    };
    assert_eq!(longest(3), 239);
}
