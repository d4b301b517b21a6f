//! Bodies in JSON that a value of the table makes invalid.

use serde::de::IgnoredAny;

use super::prepare::{Blueprint, Body};
use super::table::Table;
use super::template::{Form, Template, Values};
use crate::random::Random;

/// The most problems that are reported; the others probably have the same cause.
const MOST_PROBLEMS: usize = 5;

/// The values that keep a body from being JSON which is JSON with other values, each with its row
/// and column.
pub fn flaws(blueprints: &[Blueprint], table: &Table) -> Vec<String> {
    let mut flaws = Vec::new();
    for blueprint in blueprints {
        let Body::Text(template) = &blueprint.body else {
            continue;
        };
        let neutral = vec!["0".to_string(); table.columns.len()];
        if !is_json(template, &neutral) {
            continue;
        }
        for (number, row) in table.rows.iter().enumerate() {
            if is_json(template, row) {
                continue;
            }
            let alone = |&column: &usize| {
                let mut values = neutral.clone();
                values[column].clone_from(&row[column]);
                !is_json(template, &values)
            };
            let column = (0..row.len()).find(alone);
            let value = column.map_or("its values".into(), |it| {
                format!("the value of {}", table.columns[it])
            });
            flaws.push(format!(
                "--csv, row {}: {value} makes the body of {} invalid JSON; expected a value that \
                 fits there, in a text with \\\" for a quote and \\\\ for a backslash",
                number + 1,
                blueprint.operation
            ));
            if flaws.len() == MOST_PROBLEMS {
                return flaws;
            }
        }
    }
    flaws
}

/// Whether a text with these values is a JSON object or list.
fn is_json(template: &Template, row: &[String]) -> bool {
    let mut values = Values {
        number: 1,
        row,
        uuid: "0".into(),
        random: Random::new(1),
    };
    let (text, _) = template.expand(&mut values, Form::Plain);
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(&text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flaws_of(body: &str, csv: &str) -> Vec<String> {
        let table = Table::parse(csv.as_bytes()).unwrap();
        let blueprint = Blueprint {
            operation: "POST /games".into(),
            method: "POST".into(),
            path: Template::literal("/games"),
            headers: Vec::new(),
            body: Body::Text(Template::parse(body, Some(&table)).unwrap()),
            captures: Vec::new(),
        };
        flaws(&[blueprint], &table)
    }

    #[test]
    fn the_value_that_makes_a_body_invalid_is_named() {
        let body = "{\"id\": {id}, \"title\": \"{title}\", \"n\": {seq}}";
        let found = flaws_of(body, "id,title\n1,Go\n2,\"a \"\"b\"\"\"\nx,c\n3,d\n");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].starts_with("--csv, row 2: the value of title makes"),
            "{found:?}"
        );
        assert!(
            found[1].starts_with("--csv, row 3: the value of id makes"),
            "{found:?}"
        );
    }

    #[test]
    fn other_texts_may_have_any_value() {
        assert_eq!(
            flaws_of("title={title}", "title\n\"a \"\"b\"\"\"\n"),
            [""; 0]
        );
        assert_eq!(flaws_of("{ games(id: {id}) }", "id\n\"\"\"\"\n"), [""; 0]);
        assert_eq!(
            flaws_of("{\"a\": {part}}", "part\n\"{\"\"b\"\": 1}\"\n"),
            [""; 0]
        );
    }
}
