//! Writes triples as N-Triples or Turtle.

use std::io;

use clap::ValueEnum;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{IriParseError, LiteralRef, NamedNodeRef, TermRef, TripleRef};
use oxttl::ntriples::LowLevelNTriplesSerializer;
use oxttl::turtle::LowLevelTurtleSerializer;
use oxttl::{NTriplesSerializer, TurtleSerializer};

/// The prefix of the benchmark's vocabulary.
const VOCABULARY: &str = "http://www.lehigh.edu/~zhp2/2004/0401/univ-bench.owl#";

/// The syntax of RDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Syntax {
    Ntriples,
    Turtle,
}

/// The object of a triple.
#[derive(Clone, Copy)]
pub enum Object<'a> {
    Iri(&'a str),
    Text(&'a str),
    Number(u32),
}

/// The text after the declarations of prefixes, which a file needs only once.
pub fn without_prefixes(mut text: &[u8]) -> &[u8] {
    while text.starts_with(b"@prefix ") {
        let line = text.iter().take_while(|byte| **byte != b'\n').count();
        text = &text[text.len().min(line + 1)..];
    }
    text
}

/// Triples written to memory. IRIs consist of parts that are known to be valid, so they are not
/// validated.
pub struct Triples {
    bytes: Vec<u8>,
    serializer: Serializer,
}

enum Serializer {
    Ntriples(LowLevelNTriplesSerializer),
    Turtle(Box<LowLevelTurtleSerializer>),
}

impl Triples {
    /// The triples that `tell` writes, in a syntax.
    pub fn write(
        syntax: Syntax,
        tell: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<Vec<u8>> {
        let mut triples = Self::new(syntax).map_err(io::Error::other)?;
        tell(&mut triples)?;
        if let Serializer::Turtle(serializer) = &mut triples.serializer {
            serializer.finish(&mut triples.bytes)?;
        }
        Ok(triples.bytes)
    }

    fn new(syntax: Syntax) -> Result<Self, IriParseError> {
        let serializer = match syntax {
            Syntax::Ntriples => Serializer::Ntriples(NTriplesSerializer::new().low_level()),
            Syntax::Turtle => Serializer::Turtle(Box::new(
                TurtleSerializer::new()
                    .with_prefix("ub", VOCABULARY)?
                    .with_prefix("xsd", "http://www.w3.org/2001/XMLSchema#")?
                    .low_level(),
            )),
        };
        Ok(Self {
            bytes: Vec::new(),
            serializer,
        })
    }

    /// `subject` is of a class of the vocabulary.
    pub fn class(&mut self, subject: &str, class: &str) -> io::Result<()> {
        let class = format!("{VOCABULARY}{class}");
        self.add(
            subject,
            rdf::TYPE,
            NamedNodeRef::new_unchecked(&class).into(),
        )
    }

    /// `subject` has a property of the vocabulary.
    pub fn property(&mut self, subject: &str, property: &str, object: Object) -> io::Result<()> {
        let property = format!("{VOCABULARY}{property}");
        let property = NamedNodeRef::new_unchecked(&property);
        match object {
            Object::Iri(iri) => {
                self.add(subject, property, NamedNodeRef::new_unchecked(iri).into())
            }
            Object::Text(text) => self.add(
                subject,
                property,
                LiteralRef::new_simple_literal(text).into(),
            ),
            Object::Number(number) => {
                let text = number.to_string();
                let literal = LiteralRef::new_typed_literal(&text, xsd::INTEGER);
                self.add(subject, property, literal.into())
            }
        }
    }

    fn add(&mut self, subject: &str, property: NamedNodeRef, object: TermRef) -> io::Result<()> {
        let subject = NamedNodeRef::new_unchecked(subject);
        let triple = TripleRef::new(subject, property, object);
        match &mut self.serializer {
            Serializer::Ntriples(it) => it.serialize_triple(triple, &mut self.bytes),
            Serializer::Turtle(it) => it.serialize_triple(triple, &mut self.bytes),
        }
    }
}
