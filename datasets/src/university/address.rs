//! The address of a database. Its password comes from the environment or from a file, because every
//! user of the machine can read a command line.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::error::Error;

/// The address that is meant: `${NAME}` stands for a variable of the environment, `@FILE` for the
/// address in a file that only its owner can read.
pub fn resolve(written: &str) -> Result<String, Error> {
    match written.strip_prefix('@') {
        Some(file) => read(file),
        None => fill(written, |name| env::var(name).ok()),
    }
}

fn read(file: &str) -> Result<String, Error> {
    let wrong = |found| {
        let expected = "a file of mode 600 with the address".to_owned();
        Error::input(format!("--load @{file}"), found, expected)
    };
    let found = fs::metadata(file).map_err(|cause| wrong(cause.to_string()))?;
    let mode = found.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(wrong(format!("other users can read it (mode {mode:o})")));
    }
    let text = fs::read_to_string(file).map_err(|cause| wrong(cause.to_string()))?;
    Ok(text.trim().to_owned())
}

/// Puts the values of variables in their places. No error repeats what is written.
fn fill(written: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, Error> {
    let (mut address, mut literal) = (String::new(), String::new());
    let mut rest = written;
    while let Some((before, (name, behind))) = rest
        .split_once("${")
        .and_then(|(before, behind)| Some((before, behind.split_once('}')?)))
    {
        let value = value(name).filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| {
            let found = format!("{name} is not set");
            Error::input("--load".to_owned(), found, format!("export {name}=…"))
        })?;
        address.push_str(before);
        literal.push_str(before);
        encode(&value, &mut address);
        rest = behind;
    }
    address.push_str(rest);
    literal.push_str(rest);
    if has_password(&literal) {
        let found = "every user of this machine can read a password on the command line";
        let expected = "USER:${PASSWORD}@HOST and PASSWORD in the environment, or @FILE with \
                        the address in a file of mode 600";
        let place = "--load".to_owned();
        return Err(Error::input(place, found.to_owned(), expected.to_owned()));
    }
    Ok(address)
}

/// Whether there is a password, before the host or among the options.
fn has_password(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    // The last of several: a password with an unquoted @ is wrong, and a secret all the same.
    let user = rest.rsplit_once('@').map_or("", |(user, _)| user);
    let password = user.split_once(':').map_or("", |(_, password)| password);
    let options = rest.split_once('?').map_or("", |(_, options)| options);
    let secret = |option: &str| {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        name.to_ascii_lowercase().contains("password") && !value.is_empty()
    };
    !password.is_empty() || options.split('&').any(secret)
}

/// Appends a value as it stands in an address.
fn encode(value: &str, address: &mut String) {
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                address.push(char::from(byte));
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(written: &str) -> Result<String, String> {
        let value = |name: &str| match name {
            "PASSWORD" => Some("p@ss/ä".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        fill(written, value).map_err(|error| error.to_string())
    }

    #[test]
    fn variables_are_url_encoded() {
        for (written, expected) in [
            (
                "postgresql://me:${PASSWORD}@host:5432/data",
                "postgresql://me:p%40ss%2F%C3%A4@host:5432/data",
            ),
            (
                "mysql://host/data?password=${PASSWORD}",
                "mysql://host/data?password=p%40ss%2F%C3%A4",
            ),
            ("mysql://me:@host/data", "mysql://me:@host/data"),
            ("mysql://host:3306/data", "mysql://host:3306/data"),
            ("mysql://${host/data", "mysql://${host/data"),
        ] {
            assert_eq!(filled(written).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        for name in ["NONE", "EMPTY"] {
            let error = filled(&format!("mysql://me:${{{name}}}@host/data")).unwrap_err();
            assert_eq!(
                error,
                format!("--load: {name} is not set; expected export {name}=…")
            );
        }
    }

    #[test]
    fn a_password_on_the_command_line_is_refused_and_not_repeated() {
        for written in [
            "postgresql://me:secret@host/data",
            "postgresql://me:sec@ret/secret@host/data",
            "postgresql://me:secret${PASSWORD}@host/data",
            "postgresql://me@host/data?sslpassword=secret",
            "mysql://host/data?a=b&Password=secret",
        ] {
            let error = filled(written).unwrap_err();
            assert!(error.contains("every user of this machine"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
