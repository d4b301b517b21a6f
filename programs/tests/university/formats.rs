//! The same data in every format, with any number of threads.

use std::collections::HashSet;
use std::fs::File;

use oxttl::{NTriplesParser, TurtleParser};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;

use crate::harness::{TABLES, files, folder, read, universities};

const FORMATS: [&str; 7] = [
    "csv",
    "ndjson",
    "parquet",
    "postgresql",
    "mysql",
    "ntriples",
    "turtle",
];

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let folder = folder("threads");
    for format in FORMATS {
        let made = ["1", "2", "5"].map(|threads| {
            let path = format!("{format}-{threads}");
            let options = ["--scale-factor", "3", "--format", format, "--output", &path];
            universities(
                &[options.as_slice(), &["--threads", threads]].concat(),
                &folder,
            );
            let path = folder.join(path);
            if path.is_dir() {
                files(&path).into_values().collect()
            } else {
                vec![std::fs::read(&path).unwrap()]
            }
        });
        assert!(made[0].iter().all(|bytes| !bytes.is_empty()));
        assert!(made[0] == made[1] && made[0] == made[2], "{format}");
    }
}

#[test]
fn json_and_parquet_contain_the_same_values() {
    let folder = folder("same");
    for format in ["csv", "ndjson", "parquet"] {
        universities(
            &[
                "--scale-factor",
                "1",
                "--format",
                format,
                "--output",
                format,
            ],
            &folder,
        );
    }
    for (table, rows) in TABLES {
        let values: Vec<Vec<String>> = read(&folder.join(format!("csv/{table}.csv")))
            .lines()
            .map(|line| line.split(',').map(str::to_owned).collect())
            .collect();
        let lines = read(&folder.join(format!("ndjson/{table}.ndjson")));
        let file = File::open(folder.join(format!("parquet/{table}.parquet"))).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let columns = reader.metadata().file_metadata().schema_descr();
        let names: Vec<String> = columns
            .columns()
            .iter()
            .map(|it| it.name().to_owned())
            .collect();
        let parquet = reader.get_row_iter(None).unwrap().map(Result::unwrap);

        assert_eq!(values.len(), rows);
        assert_eq!(lines.lines().count(), rows);
        for ((row, line), fields) in values.iter().zip(lines.lines()).zip(parquet) {
            let object: Value = serde_json::from_str(line).unwrap();
            assert_eq!(object.as_object().unwrap().len(), row.len());
            for ((value, name), (_, field)) in row.iter().zip(&names).zip(fields.get_column_iter())
            {
                let (json, found) = match (&object[name], field) {
                    (Value::Null, Field::Null) => (String::new(), String::new()),
                    (Value::Number(json), Field::Int(found)) => {
                        (json.to_string(), found.to_string())
                    }
                    (Value::String(json), Field::Str(found)) => (json.clone(), found.clone()),
                    other => panic!("{table}.{name}: {other:?}"),
                };
                assert_eq!((&json, &found), (value, value), "{table}.{name}");
            }
        }
    }
}

#[test]
fn dumps_contain_every_row_in_one_transaction_after_the_tables() {
    let folder = folder("dumps");
    for format in ["postgresql", "mysql"] {
        let options = [
            "--scale-factor",
            "1",
            "--format",
            format,
            "--output",
            format,
        ];
        universities(&options, &folder);
    }
    let rows: usize = TABLES.iter().map(|it| it.1).sum();
    let dump = read(&folder.join("postgresql"));
    assert!(dump.starts_with("\\set ON_ERROR_STOP on\nBEGIN;\nCREATE TABLE university ("));
    assert!(dump.ends_with("COMMIT;\nANALYZE;\n"));
    let mut inside = false;
    let copied = dump.lines().filter(|line| {
        let starts = line.starts_with("COPY ");
        let row = inside && *line != "\\.";
        inside = starts || row;
        row
    });
    assert_eq!(copied.count(), rows);
    assert!(
        dump.contains("ADD FOREIGN KEY (headOf) REFERENCES department (nr) ON DELETE SET NULL")
    );

    let dump = read(&folder.join("mysql"));
    assert!(dump.starts_with("CREATE TABLE university (\n  nr integer,"));
    assert!(dump.ends_with(");\nCOMMIT;\n"));
    assert_eq!(dump.matches("\nSTART TRANSACTION;\n").count(), 1);
    let inserted = dump.lines().filter(|line| line.starts_with('('));
    assert_eq!(inserted.count(), rows);
}

#[test]
fn both_forms_of_rdf_contain_the_same_triples_including_those_of_the_original() {
    let folder = folder("rdf");
    for format in ["ntriples", "turtle"] {
        let options = [
            "--scale-factor",
            "1",
            "--format",
            format,
            "--output",
            format,
        ];
        universities(&options, &folder);
    }
    let lines = read(&folder.join("ntriples"));
    let turtle = read(&folder.join("turtle"));
    let triples: HashSet<String> = NTriplesParser::new()
        .for_slice(&lines)
        .map(|it| it.unwrap().to_string())
        .collect();
    let same: HashSet<String> = TurtleParser::new()
        .for_slice(&turtle)
        .map(|it| it.unwrap().to_string())
        .collect();
    assert!(triples == same);
    assert_eq!(
        triples.len(),
        lines.lines().count(),
        "nothing is said twice"
    );
    assert_eq!(turtle.matches("@prefix ub:").count(), 1);

    let with = |property: &str| {
        let property = format!("#{property}> ");
        lines.lines().filter(|it| it.contains(&property)).count()
    };
    let counts = ["takesCourse", "publicationAuthor", "advisor", "teacherOf"].map(with);
    assert_eq!(counts, [21_489, 10_634, 3_101, 1_627]);
    let classes = [
        "teachingAssistant",
        "researchAssistant",
        "university",
        "publication",
    ]
    .map(with);
    assert_eq!(classes, [407, 547, 979, 5_999]);
    let added = ["nr", "age", "title", "abstract", "interest"].map(with);
    let numbered: usize = TABLES
        .iter()
        .filter(|it| !it.0.contains("take") && !it.0.contains("coauthor"))
        .map(|it| it.1)
        .sum();
    let again = 447 + 93; // professors and lecturers are the faculty
    assert_eq!(added, [numbered - again, 5_916 + 1_874, 5_999, 5_999, 447]);
    // The original says what a university is once for every mention, and two things about itself.
    let mentions = 1 + 15 + 3 * 540 + 1_874;
    let printed = triples.len() - added.iter().sum::<usize>();
    assert_eq!(printed + (mentions - 979) + 2, 103_076);
}
