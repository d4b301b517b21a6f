//! Rows loaded from a file of the real data set's form.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{folder, games, refusal, run, text};

const HEADER: &str = "url,types,name,desc_snippet,recent_reviews,all_reviews,release_date,developer,\
    publisher,popular_tags,game_details,languages,achievements,genre,game_description,\
    mature_content,minimum_requirements,recommended_requirements,original_price,discount_price";

/// A line of the file in which only these columns say something.
fn line(name: &str, release_date: &str, original_price: &str) -> String {
    format!(
        "NaN,app,{name},,,,{release_date},,,,,,54.0,\"Action,Indie\",,NaN,,,{original_price},NaN"
    )
}

fn csv_file(folder: &Path, lines: &[String]) {
    let text = format!("{HEADER}\n{}\n", lines.join("\n"));
    fs::write(folder.join("games.csv"), text).unwrap();
}

fn load(file: &str, count: &str, folder: &Path) -> Vec<Value> {
    let output = run(&["games", "--from", file, "--count", count], folder);
    assert_eq!(text(&output.stderr), "");
    let lines = text(&output.stdout);
    lines
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect()
}

#[test]
fn the_csv_of_the_real_data_set_is_read() {
    let folder = folder("csv");
    let lines = [
        line("DOOM", "\"May 12, 2016\"", "$19.99"),
        line(
            "\"The \"\"Last\"\"\nCafé, & more\"",
            "\"1 Jul, 2019\"",
            "Free to Play",
        ),
        line("Third", "2020-02-29", "\"$1,019.00\""),
    ];
    csv_file(&folder, &lines);
    // As spreadsheets write it.
    let text = fs::read_to_string(folder.join("games.csv")).unwrap();
    fs::write(
        folder.join("bom.csv"),
        format!("\u{feff}{}", text.replace('\n', "\r\n")),
    )
    .unwrap();

    let games = load("games.csv", "3", &folder);

    let column = |name: &str| games.iter().map(|it| it[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("id"), ["game-000001", "game-000002", "game-000003"]);
    assert_eq!(
        column("name"),
        ["DOOM", "The \"Last\"\nCafé, & more", "Third"]
    );
    assert_eq!(
        column("release_date"),
        ["2016-05-12", "2019-07-01", "2020-02-29"]
    );
    assert_eq!(column("original_price"), [19.99, 0.0, 1019.0]);
    assert_eq!(column("achievements"), [54, 54, 54]);
    assert_eq!(games[0]["genre"], serde_json::json!(["Action", "Indie"]));
    assert_eq!(games[0]["url"], Value::Null);
    assert_eq!(load("bom.csv", "1", &folder), games[..1]);
}

#[test]
fn count_and_skip_apply_and_ids_are_those_of_the_whole_file() {
    let folder = folder("window");
    let lines: Vec<String> = (1..=9)
        .map(|it| line(&format!("Game {it}"), "", ""))
        .collect();
    csv_file(&folder, &lines);
    let output = run(
        &[
            "games",
            "--from",
            "games.csv",
            "--count",
            "2",
            "--skip",
            "3",
        ],
        &folder,
    );
    let games: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();

    assert_eq!(games.len(), 2);
    assert_eq!(
        (&games[0]["id"], &games[0]["name"]),
        (&"game-000004".into(), &"Game 4".into())
    );
    assert_eq!(
        refusal(
            &[
                "games",
                "--from",
                "games.csv",
                "--count",
                "7",
                "--skip",
                "3"
            ],
            &folder
        ),
        "wirelab-data: games.csv: has 6 rows after the first 3; expected the 7 of --count\n"
    );
}

#[test]
fn generated_files_can_be_read() {
    let folder = folder("own");
    let lines = games(&["--count", "50"]);
    let array = format!("[\n{}\n]\n", lines.trim().replace('\n', ",\n"));
    fs::write(folder.join("games.ndjson"), &lines).unwrap();
    fs::write(folder.join("games.json"), &array).unwrap();
    fs::write(folder.join("lines.json"), &lines).unwrap();

    for file in ["games.ndjson", "games.json", "lines.json"] {
        let output = run(&["games", "--from", file, "--count", "50"], &folder);
        assert_eq!(text(&output.stderr), "");
        assert_eq!(text(&output.stdout), lines, "{file}");
    }
}

#[test]
fn all_mistakes_are_named_at_once_and_nothing_is_written() {
    let folder = folder("mistakes");
    let lines = [
        line("Right", "", ""),
        line("", "\"May 32, 2016\"", "$1.999"),
        "too,few".to_owned(),
        line("Two\nlines", "", "").replace("Two\nlines", "\"Two\nlines\""),
        line("Wrong", "", "12 coins"),
    ];
    csv_file(&folder, &lines);
    let arguments = [
        "games",
        "--from",
        "games.csv",
        "--count",
        "5",
        "--output",
        "out.ndjson",
    ];
    let price = "expected a price such as \"$19.99\", 19.99 or \"Free\"";

    assert_eq!(
        refusal(&arguments, &folder),
        format!(
            "wirelab-data: games.csv line 3: name is missing; expected a text\n\
             wirelab-data: games.csv line 3: release_date is \"May 32, 2016\"; expected a day such \
             as \"May 12, 2016\" or \"2016-05-12\"\n\
             wirelab-data: games.csv line 3: original_price is \"$1.999\"; {price}\n\
             wirelab-data: games.csv line 4: has 2 fields; expected 20, as in the header\n\
             wirelab-data: games.csv line 7: original_price is \"12 coins\"; {price}\n"
        )
    );
    assert!(!folder.join("out.ndjson").exists());
}

#[test]
fn more_than_twenty_mistakes_are_counted() {
    let folder = folder("many");
    csv_file(&folder, &vec![line("", "", ""); 30]);
    let message = refusal(&["games", "--from", "games.csv", "--count", "30"], &folder);

    assert_eq!(message.lines().count(), 21);
    assert!(
        message.ends_with("\nwirelab-data: … and 10 more\n"),
        "{message}"
    );
}

#[test]
fn missing_columns_are_named() {
    let folder = folder("columns");
    fs::write(
        folder.join("games.csv"),
        HEADER.replace("genre,", "").replace("url,", ""),
    )
    .unwrap();
    let message = refusal(&["games", "--from", "games.csv"], &folder);

    assert_eq!(message.lines().count(), 2);
    assert!(message.starts_with("wirelab-data: games.csv line 1: the column url is missing; "));
}

#[test]
fn wrong_json_is_named_by_line() {
    let folder = folder("json");
    let refused = |name: &str, text: &[u8]| {
        fs::write(folder.join(name), text).unwrap();
        refusal(&["games", "--from", name, "--count", "4"], &folder)
    };

    assert_eq!(
        refused("a.ndjson", b"{\"name\": \"x\"}\n\n{\"name\": }\n5\n\xff\n"),
        "wirelab-data: a.ndjson line 3: column 10: expected value; expected a JSON object\n\
         wirelab-data: a.ndjson line 4: column 1: invalid type: integer `5`, expected a map; \
         expected a JSON object\n\
         wirelab-data: a.ndjson line 5: stream did not contain valid UTF-8; expected text in UTF-8\n"
    );
    assert_eq!(
        refused("b.json", b"[\n{\"name\": \"x\"},\n{\"name\":\n?}]"),
        "wirelab-data: b.json line 4: column 1: expected value; expected a JSON object\n"
    );
    assert_eq!(
        refused("c.json", b"[{\"name\": \"x\"}\n{}]"),
        "wirelab-data: c.json line 2: '{'; expected a comma or the array's end\n"
    );
    assert_eq!(
        refused("d.json", b"[{\"name\": \"x\"},\n"),
        "wirelab-data: d.json line 2: the file ends; expected an object or the array's end\n"
    );
}

#[test]
fn files_that_cannot_be_read_are_refused() {
    let folder = folder("unreadable");
    fs::write(folder.join("games.xlsx"), "").unwrap();
    fs::write(
        folder.join("latin.csv"),
        [HEADER.as_bytes(), b"\n\xe9\n"].concat(),
    )
    .unwrap();

    assert_eq!(
        refusal(&["games", "--from", "games.xlsx"], &folder),
        "wirelab-data: --from: \"games.xlsx\"; expected a file that ends with .csv, .json or .ndjson\n"
    );
    assert_eq!(
        refusal(&["games", "--from", "no.json"], &folder),
        "wirelab-data: no.json: No such file or directory (os error 2); expected a file that can be read\n"
    );
    assert!(refusal(&["games", "--from", "no.csv"], &folder).starts_with("wirelab-data: no.csv: "));
    assert!(refusal(&["games", "--from", "latin.csv"], &folder).contains("latin.csv line 2: "));
}

#[test]
fn text_instead_of_a_day_is_reported_but_no_mistake() {
    let folder = folder("words");
    csv_file(
        &folder,
        &[line("A", "Coming soon", ""), line("B", "2018", "")],
    );
    let output = run(&["games", "--from", "games.csv", "--count", "2"], &folder);

    assert!(output.status.success());
    assert_eq!(
        text(&output.stderr),
        "wirelab-data: release_date is not a day in 2 rows, such as \"Coming soon\": written as null\n"
    );
}
