//! gRPC server reflection, in its two versions, which differ in name only.

use std::collections::{BTreeMap, VecDeque};

use prost::Message;
use prost_reflect::DescriptorPool;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{DescriptorProto, FileDescriptorProto};

use super::call::{Answer, call};
use crate::job::Endpoint;

const PATHS: [&str; 2] = [
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];
const UNIMPLEMENTED: u16 = 12;
/// The most files of a description; more indicate an endless chain of dependencies.
const MOST_FILES: usize = 1_000;

#[derive(Clone, PartialEq, Message)]
struct Question {
    #[prost(oneof = "Asked", tags = "3, 4")]
    asked: Option<Asked>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Asked {
    #[prost(string, tag = "3")]
    FileByFilename(String),
    #[prost(string, tag = "4")]
    FileContainingSymbol(String),
}

#[derive(Clone, PartialEq, Message)]
struct Reply {
    #[prost(message, tag = "4")]
    files: Option<Files>,
    #[prost(message, tag = "7")]
    error: Option<Refusal>,
}

#[derive(Clone, PartialEq, Message)]
struct Files {
    #[prost(bytes = "vec", repeated, tag = "1")]
    files: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
struct Refusal {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
}

/// The description of a service, with the files that it depends on. The error says why there is
/// none.
pub fn pool(endpoint: &Endpoint, service: &str) -> Result<DescriptorPool, String> {
    let first = Asked::FileContainingSymbol(service.into());
    let mut refused = String::new();
    for path in PATHS {
        let answer = ask(endpoint, path, &first)?;
        if answer.status == UNIMPLEMENTED {
            refused = "the server has no reflection".into();
            continue;
        }
        return follow(endpoint, path, files(answer)?);
    }
    Err(refused)
}

/// Requests the dependencies of files until none is missing.
fn follow(
    endpoint: &Endpoint,
    path: &str,
    first: Vec<FileDescriptorProto>,
) -> Result<DescriptorPool, String> {
    let (mut known, mut new) = (BTreeMap::new(), VecDeque::from(first));
    while let Some(file) = new.pop_front() {
        let missing: Vec<String> = file.dependency.clone();
        known.insert(file.name().to_string(), file);
        if known.len() > MOST_FILES {
            return Err(format!("the description has more than {MOST_FILES} files"));
        }
        for name in missing {
            let is_known = known.contains_key(&name) || new.iter().any(|it| it.name() == name);
            if !is_known {
                let answer = ask(endpoint, path, &Asked::FileByFilename(name))?;
                new.extend(files(answer)?);
            }
        }
    }
    let mut pool = DescriptorPool::new();
    let added = pool.add_file_descriptor_protos(known.into_values());
    added.map_err(|error| error.to_string())?;
    Ok(pool)
}

fn ask(endpoint: &Endpoint, path: &str, asked: &Asked) -> Result<Answer, String> {
    let asked = Some(asked.clone());
    call(endpoint, path, &Question { asked }.encode_to_vec())
}

fn files(answer: Answer) -> Result<Vec<FileDescriptorProto>, String> {
    if answer.status != 0 {
        return Err(format!("status {}: {}", answer.status, answer.words));
    }
    let reply = Reply::decode(answer.message.as_slice()).map_err(|error| error.to_string())?;
    if let Some(error) = reply.error {
        return Err(format!("status {}: {}", error.code, error.message));
    }
    let files = reply.files.unwrap_or_default().files;
    if files.is_empty() {
        return Err("the answer of the server has no file".into());
    }
    let decode = |bytes: &Vec<u8>| FileDescriptorProto::decode(bytes.as_slice()).map(readable);
    let files: Result<Vec<_>, _> = files.iter().map(decode).collect();
    files.map_err(|error| error.to_string())
}

/// Describes a file of an edition as one of proto2, whose fields have presence, too, since
/// prost-reflect knows no editions. Lists of numbers stay packed.
fn readable(mut file: FileDescriptorProto) -> FileDescriptorProto {
    if file.syntax() == "editions" {
        file.syntax = Some("proto2".into());
        file.message_type.iter_mut().for_each(pack);
    }
    file
}

fn pack(message: &mut DescriptorProto) {
    for field in &mut message.field {
        let is_text = matches!(field.r#type(), Type::String | Type::Bytes);
        let is_message = matches!(field.r#type(), Type::Message | Type::Group);
        if field.label() == Label::Repeated && !is_text && !is_message {
            field
                .options
                .get_or_insert_default()
                .packed
                .get_or_insert(true);
        }
    }
    message.nested_type.iter_mut().for_each(pack);
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost_reflect::prost_types::FieldDescriptorProto;

    fn field(name: &str, number: i32, label: Label, kind: Type) -> FieldDescriptorProto {
        let mut field = FieldDescriptorProto {
            name: Some(name.into()),
            number: Some(number),
            ..FieldDescriptorProto::default()
        };
        field.set_label(label);
        field.set_type(kind);
        field
    }

    #[test]
    fn a_file_of_an_edition_is_read() {
        let message = DescriptorProto {
            name: Some("M".into()),
            field: vec![
                field("id", 1, Label::Optional, Type::Int32),
                field("numbers", 2, Label::Repeated, Type::Int32),
                field("names", 3, Label::Repeated, Type::String),
            ],
            ..DescriptorProto::default()
        };
        let file = FileDescriptorProto {
            name: Some("m.proto".into()),
            syntax: Some("editions".into()),
            message_type: vec![message],
            ..FileDescriptorProto::default()
        };
        let mut pool = DescriptorPool::new();
        pool.add_file_descriptor_proto(readable(file)).unwrap();
        let message = pool.get_message_by_name("M").unwrap();
        let is_packed = |name| message.get_field_by_name(name).unwrap().is_packed();
        assert!(message.get_field_by_name("id").unwrap().supports_presence());
        assert!(is_packed("numbers") && !is_packed("names"));
    }
}
