//! Generates queries for the universities: instances of the sixteen templates, in workloads.
//!
//! They are generated with the data because they depend on it: the words and their order come from
//! the same random streams.

mod counts;
mod instances;
mod template;
mod values;

use clap::{Args, ValueEnum};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::words::WordList;
use super::{Source, TEXT_SEED};
use crate::error::Error;
use crate::output::{Destination, Row};
use crate::random::Random;
use crate::say;
use counts::Count;
use instances::Instance;
use template::{TEMPLATES, Template};
use values::{PaperValues, Values};

/// Queries for the universities: instances of the benchmark's sixteen templates
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,

    /// Only these templates, such as 5,9; with =W a template gets W times as many instances: 5=3,9
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = choice)]
    templates: Vec<Choice>,

    /// Only the templates with at least one of these choke points, such as 2.1,3.3
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = choke_point,
          conflicts_with = "templates")]
    choke_points: Vec<String>,

    /// Number of instances of each template
    #[arg(long, value_name = "N", default_value_t = 20)]
    instances: u32,

    /// Order of the queries
    #[arg(long, value_enum, default_value_t = Order::ByTemplate)]
    order: Order,

    /// Seed of the random order
    #[arg(long, value_name = "S", default_value_t = 1)]
    order_seed: u64,

    /// Write the number of instances of each template instead: as counted by the original, as in
    /// the benchmark's paper, and distinct ones
    #[arg(long, conflicts_with_all = ["instances", "order", "order_seed"])]
    count: bool,

    #[command(flatten)]
    destination: Destination,
}

/// A template and the multiple of instances that it gets.
#[derive(Clone, Copy, Debug)]
struct Choice {
    template: u32,
    weight: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// All of the first template, then all of the next
    ByTemplate,
    /// The first of every template, then the second of every template
    RoundRobin,
    /// Random, depending on the order seed
    Shuffled,
}

/// A query.
#[derive(Clone, Debug, Serialize)]
struct Query {
    id: String,
    template: String,
    /// From 1, within the template.
    instance: usize,
    parameters: Parameters,
    query: String,
}

#[derive(Clone, Debug)]
struct Parameters(Vec<(&'static str, Parameter)>);

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Parameter {
    Number(u32),
    Text(String),
}

/// Writes the queries, or their counts.
pub fn write(arguments: &Arguments) -> Result<(), Error> {
    let words = WordList::load(arguments.source.words.as_deref())?;
    let values = Values::gather(arguments.source.plan(TEXT_SEED), &words)?;
    let chosen = arguments.chosen();
    if arguments.count {
        let paper = PaperValues::count(arguments.source.plan(PaperValues::TEXT_SEED))?;
        let counts = chosen.iter().map(|it| Count::of(it.0, &values, &paper));
        return arguments.destination.write(counts);
    }
    let mut queries = Vec::new();
    for (template, weight) in chosen {
        let wanted = u64::from(arguments.instances) * u64::from(weight);
        let possible = counts::original(template.number, &values);
        let drawn = instances::draw(template, &values, wanted.min(possible));
        if (drawn.len() as u64) < wanted {
            let (number, count) = (template.number, drawn.len());
            say(&format!("QT{number} has {count} instances, not {wanted}"));
        }
        let numbered = drawn.iter().zip(1..);
        queries.push(
            numbered
                .map(|(instance, number)| Query::new(template, instance, number, &words))
                .collect(),
        );
    }
    let queries = arguments.order.arrange(queries, arguments.order_seed);
    arguments.destination.write(queries.into_iter())
}

impl Arguments {
    /// The requested templates, in the order of their numbers, and their weights.
    fn chosen(&self) -> Vec<(&'static Template, u32)> {
        let weight = |template: &Template| {
            if !self.templates.is_empty() {
                let choices = self.templates.iter();
                let own = choices.filter(|it| it.template == template.number);
                return own.map(|it| it.weight).sum();
            }
            let wanted = self.choke_points.iter();
            let has = |point: &String| template.choke_points.contains(&point.as_str());
            u32::from(self.choke_points.is_empty() || wanted.into_iter().any(has))
        };
        let weighted = TEMPLATES.iter().map(|it| (it, weight(it)));
        weighted.filter(|(_, weight)| *weight > 0).collect()
    }
}

impl Order {
    /// One sequence of the queries of all templates.
    fn arrange(self, queries: Vec<Vec<Query>>, seed: u64) -> Vec<Query> {
        let by_template = queries.into_iter().flatten();
        match self {
            Self::ByTemplate => by_template.collect(),
            Self::RoundRobin => {
                let mut queries: Vec<Query> = by_template.collect();
                queries.sort_by_key(|it| it.instance); // and by template as before
                queries
            }
            Self::Shuffled => {
                let mut queries: Vec<Query> = by_template.collect();
                let random = &mut Random::for_row(seed, "university workload", 1);
                for end in (1..queries.len()).rev() {
                    queries.swap(end, random.below(end as u64 + 1) as usize);
                }
                queries
            }
        }
    }
}

impl Query {
    fn new(template: &Template, instance: &Instance, number: usize, words: &WordList) -> Self {
        let mut text = template.text.to_owned();
        let mut parameters = Vec::with_capacity(instance.len());
        for (placeholder, value) in template.placeholders.iter().zip(instance) {
            let value_text = instances::text(*placeholder, *value, words);
            text = text.replace(&format!("${}", placeholder.name()), &value_text);
            let value = if placeholder.is_text() {
                Parameter::Text(value_text)
            } else {
                Parameter::Number(*value)
            };
            parameters.push((placeholder.name(), value));
        }
        let template = format!("QT{}", template.number);
        Self {
            id: format!("{template}/{number}"),
            template,
            instance: number,
            parameters: Parameters(parameters),
            query: text,
        }
    }
}

impl Row for Query {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.clone(),
            self.template.clone(),
            self.instance.to_string(),
            serde_json::to_string(&self.parameters)?,
            self.query.clone(),
        ])
    }
}

impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

fn choice(text: &str) -> Result<Choice, String> {
    let (template, weight) = text.split_once('=').unwrap_or((text, "1"));
    let number = template.strip_prefix("QT").unwrap_or(template);
    let known = |number: &u32| TEMPLATES.iter().any(|it| it.number == *number);
    let template = number.parse().ok().filter(known);
    let weight = weight
        .parse()
        .ok()
        .filter(|weight| (1..=1000).contains(weight));
    match (template, weight) {
        (Some(template), Some(weight)) => Ok(Choice { template, weight }),
        _ => Err("expected a template from 1 to 16, such as 5, or with a weight 5=3".to_owned()),
    }
}

fn choke_point(text: &str) -> Result<String, String> {
    let mut known: Vec<&str> = TEMPLATES
        .iter()
        .flat_map(|it| it.choke_points)
        .copied()
        .collect();
    known.sort_unstable();
    known.dedup();
    if known.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(format!("expected one of {}", known.join(", ")))
}

#[cfg(test)]
mod tests;
