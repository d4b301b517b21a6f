//! Encodes gRPC messages from JSON: their types come from .proto files or from the server.

mod call;
mod reflection;

use std::path::{Path, PathBuf};

use prost_reflect::prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor};
use serde_json::de::Deserializer;

use crate::job::Endpoint;

/// The most methods that a message lists.
const MOST_LISTED: usize = 20;

/// A gRPC method: the type of its requests.
pub struct Method {
    input: MessageDescriptor,
    /// Whether its request or its answer is a stream.
    pub streams: bool,
}

impl Method {
    /// Finds a method in .proto files. `path` is that of the request: /package.Service/Method.
    pub fn of_files(files: &[PathBuf], imports: &[PathBuf], path: &str) -> Result<Self, String> {
        let folders = files.iter().map(|file| match file.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => ".".into(),
        });
        // Files are searched in the given folders, or in their own.
        let folders: Vec<PathBuf> = match imports {
            [] => folders.collect(),
            imports => imports.to_vec(),
        };
        let set = protox::compile(files, folders).map_err(|error| unread(&format!("{error:?}")))?;
        let pool = DescriptorPool::from_file_descriptor_set(set);
        let pool = pool.map_err(|error| format!("--proto: {error}"))?;
        Self::find(&pool, path, "the files of --proto")
    }

    /// Finds a method by gRPC server reflection.
    pub fn of_server(endpoint: &Endpoint, path: &str) -> Result<Self, String> {
        let service = split(path)?.0;
        let pool = reflection::pool(endpoint, service).map_err(|problem| {
            format!(
                "--data: no message type for {path}: {problem}; expected server \
                 reflection, --proto FILE, or the encoded message with --body"
            )
        })?;
        Self::find(&pool, path, "the server")
    }

    fn find(pool: &DescriptorPool, path: &str, source: &str) -> Result<Self, String> {
        let (service_name, name) = split(path)?;
        let Some(service) = pool.get_service_by_name(service_name) else {
            let all = pool.services().map(|it| it.full_name().to_string());
            let known = listed(all.collect());
            return Err(format!(
                "the address: {source} has no service {service_name:?}; expected one of {known}"
            ));
        };
        let found = service.methods().find(|method| method.name() == name);
        found.map(|method| Self::new(&method)).ok_or_else(|| {
            let all = service.methods().map(|it| it.name().to_string());
            let known = listed(all.collect());
            format!("the address: {service_name} has no method {name:?}; expected one of {known}")
        })
    }

    fn new(method: &MethodDescriptor) -> Self {
        Self {
            input: method.input(),
            streams: method.is_server_streaming() || method.is_client_streaming(),
        }
    }

    /// Encodes a message from JSON.
    pub fn encode(&self, json: &[u8]) -> Result<Vec<u8>, String> {
        let wrong = |error: serde_json::Error| {
            let name = self.input.full_name();
            format!("not a {name} in JSON: {error}; expected {}", self.example())
        };
        let mut text = Deserializer::from_slice(json);
        let message = DynamicMessage::deserialize(self.input.clone(), &mut text).map_err(wrong)?;
        text.end().map_err(wrong)?;
        Ok(message.encode_to_vec())
    }

    /// The fields of the message, by their names in JSON.
    fn example(&self) -> String {
        let fields = self.input.fields();
        let fields: Vec<String> = fields
            .map(|field| {
                let list = if field.is_list() { "list of " } else { "" };
                format!("{}: {list}{:?}", field.json_name(), field.kind())
            })
            .collect();
        match fields.is_empty() {
            true => "{}, since it has no fields".into(),
            false => format!("an object with some of {}", fields.join(", ")),
        }
    }
}

/// Says why .proto files cannot be read, in the words of protox unless it is their edition.
fn unread(error: &str) -> String {
    match error.contains("but found 'edition'") {
        true => "--proto: editions are not supported in files; expected a file that begins with \
                 syntax, or server reflection, which is used without --proto"
            .into(),
        false => format!("--proto: {error}"),
    }
}

/// Splits a path into the names of service and method.
fn split(path: &str) -> Result<(&str, &str), String> {
    let parts = path.trim_start_matches('/').split_once('/');
    let parts = parts.filter(|(service, method)| !service.is_empty() && !method.contains('/'));
    parts.ok_or_else(|| {
        format!("the address: {path:?} is not a method; expected /package.Service/Method")
    })
}

fn listed(mut names: Vec<String>) -> String {
    names.truncate(MOST_LISTED);
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = r#"
        syntax = "proto3";
        package games.v1;
        import "google/protobuf/timestamp.proto";
        message Query { int32 game_id = 1; repeated string tags = 2; google.protobuf.Timestamp since = 3; }
        message Game { string title = 1; }
        service Games { rpc Read(Query) returns (Game); rpc Watch(Query) returns (stream Game); }
    "#;

    fn method(path: &str) -> Result<Method, String> {
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("wirelab-proto-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("games.proto");
        std::fs::write(&file, GAMES).unwrap();
        let method = Method::of_files(&[file], &[], path);
        std::fs::remove_dir_all(folder).unwrap();
        method
    }

    #[test]
    fn an_edition_in_a_file_is_named() {
        let found = r#"e.proto:1:1: expected 'enum' or ';', but found 'edition'"#;
        assert!(unread(found).contains("editions are not supported"));
        assert_eq!(unread("x"), "--proto: x");
    }

    #[test]
    fn json_is_encoded_as_the_message() {
        let read = method("/games.v1.Games/Read").unwrap();
        assert!(!read.streams && method("/games.v1.Games/Watch").unwrap().streams);
        let json = br#"{"gameId": 150, "tags": ["a"], "since": "1970-01-01T00:00:01Z"}"#;
        let expected = [&[8, 150, 1, 18, 1][..], b"a", &[26, 2, 8, 1]].concat();
        assert_eq!(read.encode(json).unwrap(), expected);
        assert_eq!(read.encode(b"{}").unwrap(), b"");
    }

    #[test]
    fn mistakes_are_reported_with_the_expected_form() {
        let read = method("/games.v1.Games/Read").unwrap();
        for (json, message) in [
            ("{\"id\": 1}", "gameId: int32, tags: list of string"),
            ("{\"gameId\": \"x\"}", "not a games.v1.Query in JSON"),
            ("{} {}", "trailing characters"),
            ("", "EOF"),
        ] {
            let problem = read.encode(json.as_bytes()).unwrap_err();
            assert!(problem.contains(message), "{json}: {problem}");
        }
        for (path, message) in [
            ("/games.v1.Games/Write", "expected one of Read, Watch"),
            ("/games.v1.Players/Read", "expected one of games.v1.Games"),
            ("/games", "expected /package.Service/Method"),
        ] {
            let problem = method(path).err().unwrap();
            assert!(problem.contains(message), "{path}: {problem}");
        }
        let problem = Method::of_files(&["/no/such.proto".into()], &[], "/a/b")
            .err()
            .unwrap();
        assert!(problem.contains("/no/such.proto"), "{problem}");
    }
}
