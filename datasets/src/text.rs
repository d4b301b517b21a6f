//! Generates text from templates: `{name}` is replaced by one of the words that a lexicon has for
//! it.

use crate::random::Random;

/// The words for a placeholder's name. They may contain placeholders.
pub type Lexicon = fn(&str) -> &'static [&'static str];

/// Fills in a template.
pub fn fill(random: &mut Random, lexicon: Lexicon, template: &str) -> String {
    let mut text = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some((before, tail)) = rest.split_once('{') {
        let (name, after) = tail.split_once('}').unwrap_or((tail, ""));
        text.push_str(before);
        let word = random.pick(lexicon(name));
        text.push_str(&fill(random, lexicon, word));
        rest = after;
    }
    text.push_str(rest);
    text
}

/// The same with a capital letter at the start.
pub fn sentence(random: &mut Random, lexicon: Lexicon, template: &str) -> String {
    let text = fill(random, lexicon, template);
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicon(name: &str) -> &'static [&'static str] {
        match name {
            "place" => &["the {colour} hills"],
            "colour" => &["green", "grey"],
            _ => &[],
        }
    }

    #[test]
    fn placeholders_are_filled_in_to_the_last() {
        let mut random = Random::for_row(1, "test", 1);
        let texts: Vec<String> = (0..20)
            .map(|_| sentence(&mut random, lexicon, "{place} & {colour} sky."))
            .collect();

        assert!(
            texts
                .iter()
                .all(|text| text.starts_with("The gre") && text.ends_with(" sky."))
        );
        assert!(texts.iter().any(|text| text.contains("green")));
        assert!(texts.iter().any(|text| text.contains("grey")));
    }
}
