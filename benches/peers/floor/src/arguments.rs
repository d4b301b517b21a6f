//! Words and `--name value` pairs of a command line.

use std::str::FromStr;

use crate::Failure;

pub struct Arguments<'a> {
    words: Vec<&'a str>,
    options: Vec<(&'a str, &'a str)>,
}

impl<'a> Arguments<'a> {
    /// Reads a command line; options other than the known ones are refused.
    pub fn read(arguments: &'a [String], known: &[&str]) -> Result<Self, Failure> {
        let (mut words, mut options) = (Vec::new(), Vec::new());
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(argument) = rest.next() {
            match argument.strip_prefix("--") {
                None => words.push(argument),
                Some(name) if known.contains(&name) => {
                    let value = rest.next().ok_or(format!("--{name}: a value is missing"))?;
                    options.push((name, value));
                }
                Some(_) => return Err(format!("{argument}: unknown; known: {known:?}").into()),
            }
        }
        Ok(Self { words, options })
    }

    pub fn word(&self, index: usize, what: &str) -> Result<&'a str, Failure> {
        let word = self.words.get(index).copied();
        word.ok_or_else(|| format!("{what} is missing").into())
    }

    pub fn text(&self, name: &str) -> Option<&'a str> {
        let option = self.options.iter().find(|(option, _)| *option == name);
        option.map(|(_, value)| *value)
    }

    pub fn number<T: FromStr>(&self, name: &str, default: T) -> Result<T, Failure> {
        match self.text(name) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .map_err(|_| format!("--{name} {text}: not a number of this kind").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn words_and_options_may_be_mixed() {
        let line = owned(&["http1", "--seconds", "2.5", "1.2.3.4:5"]);
        let arguments = Arguments::read(&line, &["seconds"]).unwrap();
        assert_eq!(arguments.word(0, "protocol").unwrap(), "http1");
        assert_eq!(arguments.word(1, "address").unwrap(), "1.2.3.4:5");
        assert_eq!(arguments.number("seconds", 1.0).unwrap(), 2.5);
        assert_eq!(arguments.number("connections", 64).unwrap(), 64);
        assert!(arguments.word(2, "file").is_err());
    }

    #[test]
    fn an_unknown_option_is_refused() {
        assert!(Arguments::read(&owned(&["--second", "1"]), &["seconds"]).is_err());
        assert!(Arguments::read(&owned(&["--seconds"]), &["seconds"]).is_err());
        let line = owned(&["--seconds", "many"]);
        let arguments = Arguments::read(&line, &["seconds"]).unwrap();
        assert!(arguments.number("seconds", 1.0).is_err());
    }
}
