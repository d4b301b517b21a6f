//! Rows made from a seed.

use serde_json::Value;

use crate::harness::games;

#[test]
fn a_row_does_not_depend_on_the_requested_range() {
    let all = games(&["--count", "60"]);
    let lines: Vec<&str> = all.lines().collect();

    assert_eq!(lines.len(), 60);
    assert_eq!(
        games(&["--count", "10"]).lines().collect::<Vec<_>>(),
        lines[..10]
    );
    assert_eq!(
        games(&["--count", "7", "--skip", "41"])
            .lines()
            .collect::<Vec<_>>(),
        lines[41..48]
    );
    assert_eq!(games(&["--count", "60", "--seed", "1"]), all);
    assert_ne!(games(&["--count", "60", "--seed", "2"]), all);
}

#[test]
fn a_hundred_rows_are_generated_by_default() {
    assert_eq!(games(&[]).lines().count(), 100);
    assert_eq!(games(&["--count", "0"]), "");
}

#[test]
fn a_game_has_an_id_and_twenty_other_fields() {
    let text = games(&["--count", "1", "--skip", "41"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    let fields = document.as_object().unwrap();

    assert_eq!(fields["id"], "game-000042");
    assert_eq!(fields.len(), 21);
    assert!(fields["popular_tags"].is_array() && fields["original_price"].is_f64());
}

#[test]
fn both_formats_hold_the_same_documents() {
    let text = games(&["--count", "200", "--format", "csv"]);
    assert_eq!(text.matches("\r\n").count(), 200, "RFC 4180 ends lines so");
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    let rows: Vec<(String, String)> = reader.deserialize().map(Result::unwrap).collect();

    let lines = games(&["--count", "200"]);
    assert_eq!(rows.len(), 200);
    for ((id, document), line) in rows.iter().zip(lines.lines()) {
        assert_eq!(document, line);
        let document: Value = serde_json::from_str(document).unwrap();
        assert_eq!(document["id"], **id);
    }
}
