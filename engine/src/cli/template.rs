//! Texts with placeholders such as `{id}`, which are replaced before the run.

use super::table::Table;
use super::url::legal;
use crate::capture::{Hole, encode};
use crate::random::Random;

/// A text as a list of literal pieces and placeholders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// A column of the table, by its index.
    Column(usize),
    /// A captured value, by its index, which is inserted during the run.
    Captured(usize),
    Seq,
    Uuid,
    Random {
        least: i64,
        greatest: i64,
    },
}

/// The names of placeholders, in addition to the built-in ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    pub table: Option<&'a Table>,
    pub captured: &'a [String],
}

impl<'a> From<Option<&'a Table>> for Known<'a> {
    fn from(table: Option<&'a Table>) -> Self {
        Self {
            table,
            captured: &[],
        }
    }
}

/// The values of the placeholders of one request.
pub struct Values<'a> {
    /// Counted from 1.
    pub number: u64,
    pub row: &'a [String],
    pub uuid: String,
    pub random: Random,
}

/// How a text and its values are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Plain,
    /// As a part of an address: values are percent-encoded, and what is not legal in the text.
    Address,
}

impl Template {
    /// A text without placeholders, even if it has braces.
    pub fn literal(text: &str) -> Self {
        Self {
            pieces: vec![Piece::Text(text.into())],
        }
    }

    /// Parses a text. The error is the list of unknown placeholders.
    pub fn parse<'a>(text: &str, known: impl Into<Known<'a>>) -> Result<Self, Vec<String>> {
        let known = known.into();
        let (mut template, mut problems) = (Self::default(), Vec::new());
        let mut rest = text;
        while let Some(brace) = rest.find('{') {
            template.add(&rest[..brace]);
            rest = &rest[brace..];
            let named = |begin, end| rest.strip_prefix(begin).and_then(name_before(end));
            // Three braces are a value within braces, two are literal braces, one is a value.
            let (braces, name) = match (named("{{{", "}}}"), named("{{", "}}"), named("{", "}")) {
                (Some(name), _, _) => (3, name),
                (None, Some(name), _) => (2, name),
                (None, None, Some(name)) => (1, name),
                (None, None, None) => {
                    template.add("{");
                    rest = &rest[1..];
                    continue;
                }
            };
            rest = &rest[name.len() + 2 * braces..];
            if braces == 2 {
                template.add(&format!("{{{name}}}"));
                continue;
            }
            let between = braces == 3;
            template.add(if between { "{" } else { "" });
            match piece(name, known) {
                Ok(piece) => template.pieces.push(piece),
                Err(problem) => problems.push(problem),
            }
            template.add(if between { "}" } else { "" });
        }
        template.add(rest);
        problems.dedup();
        match problems.is_empty() {
            true => Ok(template),
            false => Err(problems),
        }
    }

    /// Adds a literal text.
    fn add(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Text(text.into())),
        }
    }

    /// Whether it is the same in every request, except for captured values.
    pub fn is_constant(&self) -> bool {
        let is_constant = |it: &Piece| matches!(it, Piece::Text(_) | Piece::Captured(_));
        self.pieces.iter().all(is_constant)
    }

    /// The indices of captured values.
    pub fn captured(&self) -> impl Iterator<Item = usize> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Captured(value) => Some(*value),
            _ => None,
        })
    }

    /// The text of a constant template.
    pub fn text(&self) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            _ => String::new(),
        };
        self.pieces.iter().map(piece).collect()
    }

    /// Whether it has placeholders that do not come from the table.
    pub fn is_endless(&self) -> bool {
        let is_endless = |it: &Piece| matches!(it, Piece::Seq | Piece::Uuid | Piece::Random { .. });
        self.pieces.iter().any(is_endless)
    }

    /// The text with its values, and the positions of captured values.
    pub fn expand(&self, values: &mut Values, form: Form) -> (String, Vec<Hole>) {
        let (mut text, mut holes) = (String::new(), Vec::new());
        for piece in &self.pieces {
            let value = match piece {
                Piece::Text(piece) => {
                    match form {
                        Form::Plain => text.push_str(piece),
                        Form::Address => text.push_str(&legal(piece)),
                    }
                    continue;
                }
                Piece::Captured(value) => {
                    let (at, value) = (text.len(), *value);
                    holes.push(Hole { at, value });
                    continue;
                }
                Piece::Column(column) => values.row[*column].clone(),
                Piece::Seq => values.number.to_string(),
                Piece::Uuid => values.uuid.clone(),
                Piece::Random { least, greatest } => {
                    let choices = greatest.abs_diff(*least) as usize + 1;
                    let chosen = values.random.below(choices) as u64;
                    least.saturating_add_unsigned(chosen).to_string()
                }
            };
            match form {
                Form::Plain => text.push_str(&value),
                Form::Address => text.push_str(&encode(&value)),
            }
        }
        (text, holes)
    }
}

/// The name at the beginning of a text, if only a name precedes `end`.
fn name_before(end: &str) -> impl Fn(&str) -> Option<&str> {
    move |text| {
        let name = &text[..text.find(end)?];
        let plain = name.strip_prefix("random:").unwrap_or(name);
        let begins = name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
        let goes_on = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
        (begins && plain.chars().all(goes_on)).then_some(name)
    }
}

fn piece(name: &str, known: Known) -> Result<Piece, String> {
    if let Some(range) = name.strip_prefix("random:") {
        return random(range).ok_or_else(|| {
            format!(
                "{{{name}}} is not a range; expected {{random:1..100}}, the smaller number first"
            )
        });
    }
    let columns = known.table.map_or(&[][..], |table| &table.columns);
    let column = columns.iter().position(|column| column == name);
    let captured = known.captured.iter().position(|captured| captured == name);
    if let Some(captured) = captured {
        return Ok(Piece::Captured(captured));
    }
    match (column, name) {
        (Some(column), _) => Ok(Piece::Column(column)),
        (None, "seq") => Ok(Piece::Seq),
        (None, "uuid") => Ok(Piece::Uuid),
        (None, _) => {
            let column = match columns {
                [] => "a column of --csv".into(),
                columns => format!("a column of --csv ({})", columns.join(", ")),
            };
            Err(format!(
                "{{{name}}} has no value; expected {column}, {{seq}}, {{uuid}} or \
                 {{random:1..100}}, a value of --capture, or {{{{{name}}}}} for the text {{{name}}} itself"
            ))
        }
    }
}

fn random(range: &str) -> Option<Piece> {
    let (least, greatest) = range.split_once("..")?;
    let (least, greatest): (i64, i64) = (least.parse().ok()?, greatest.parse().ok()?);
    // Both ends are included, and the number of choices must fit into 64 bits.
    (least <= greatest && greatest.abs_diff(least) < u64::MAX)
        .then_some(Piece::Random { least, greatest })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table::parse("id,name\n7,Jörg & Co\n".as_bytes()).unwrap()
    }

    fn expand(text: &str, form: Form) -> String {
        let table = table();
        let template = Template::parse(text, Some(&table)).unwrap();
        let mut values = Values {
            number: 3,
            row: &table.rows[0],
            uuid: "u-u".into(),
            random: Random::new(1),
        };
        template.expand(&mut values, form).0
    }

    #[test]
    fn values_are_put_in() {
        assert_eq!(
            expand("/ä/{id}?n={name}&s={seq}", Form::Address),
            "/%C3%A4/7?n=J%C3%B6rg%20%26%20Co&s=3"
        );
        assert_eq!(expand("{name} {uuid}", Form::Plain), "Jörg & Co u-u");
        for _ in 0..20 {
            let number: i64 = expand("{random:-2..2}", Form::Plain).parse().unwrap();
            assert!((-2..=2).contains(&number));
        }
        assert_eq!(expand("{random:5..5}", Form::Plain), "5");
    }

    #[test]
    fn only_names_in_braces_are_placeholders() {
        for text in [
            r#"{"op":"ping","deep":{"n":1}}"#,
            "{ user { id } }",
            "{}",
            "[0-9]{3}",
            "{user(id:3){name: title}}",
            "a } b { c",
        ] {
            assert_eq!(expand(text, Form::Plain), text);
        }
        assert_eq!(expand("{a{{{id}}}}", Form::Plain), "{a{7}}");
        assert_eq!(expand("{{id}} {{unknown}}", Form::Plain), "{id} {unknown}");
    }

    #[test]
    fn a_placeholder_without_a_value_is_reported_with_the_existing_ones() {
        let problems = Template::parse("/{id}/{x}/{random:9..1}", Known::default()).unwrap_err();
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(problems[0].contains("{{id}} for the text {id} itself"));
        assert!(problems[2].contains("the smaller number first"));
        let problems = Template::parse("/{x}", Some(&table())).unwrap_err();
        assert!(
            problems[0].contains("--csv (id, name), {seq}"),
            "{problems:?}"
        );
    }

    #[test]
    fn constant_and_varying_templates_are_distinguished() {
        let of = |text| Template::parse(text, Some(&table())).unwrap();
        assert!(of("/a").is_constant() && !of("/{id}").is_constant());
        assert!(!of("/{id}").is_endless() && of("/{id}/{seq}").is_endless());
        assert!(Template::literal("/{id}").is_constant());
    }

    #[test]
    fn captured_values_become_holes() {
        let names = ["token".to_string(), "next".to_string()];
        let known = Known {
            table: None,
            captured: &names,
        };
        let template = Template::parse("/{seq}?n={next}&t={token}", known).unwrap();
        let mut values = Values {
            number: 12,
            row: &[],
            uuid: String::new(),
            random: Random::new(1),
        };
        let (text, holes) = template.expand(&mut values, Form::Address);
        assert_eq!(text, "/12?n=&t=");
        let expected = [(6, 1), (9, 0)].map(|(at, value)| Hole { at, value });
        assert_eq!(holes, expected);
        assert!(!template.is_constant());
        assert!(Template::parse("/{token}", known).unwrap().is_constant());
    }
}
