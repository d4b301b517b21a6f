//! Builds a job from options. They become the JSON of a job, so that they have the same meaning and
//! the same checks as in a file.

use std::collections::BTreeSet;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::blueprints::{Asked, Manner, Source};
use super::json_body;
use super::options::Options;
use super::prepare::{Blueprint, Extent, any_seed, prepare};
use super::prepared::Prepared;
use super::replay;
use super::streams::StreamOptions;
use super::table::MOST_ROWS;
use super::target::{check, target, transport};
use super::url::{self, Url};
use crate::job::{self, Header, Job, Request, Target, TransportKind};
use crate::proto::Method;
use crate::secrets;

const DURATION_S: f64 = 10.0;
/// The longest time with --precision.
const LONGEST_S: f64 = 300.0;

/// A job with one window for one server. The error is the list of all problems.
pub fn window(options: &Options, url: &str) -> Result<Job, Vec<String>> {
    both(options, &[(url, url.into())], window_of(options)).map(|(job, _)| job)
}

fn window_of(options: &Options) -> Value {
    let stages = options.load.stages.as_ref();
    let duration = match (
        options.load.duration,
        options.load.transactions,
        &options.load.precision,
    ) {
        // A recording ends with its last request.
        (duration, _, _) if options.content.replay.is_some() => duration,
        _ if stages.is_some() => stages.map(|it| it.0.iter().map(|stage| stage.seconds).sum()),
        (None, _, Some(_)) => Some(LONGEST_S),
        (None, None, None) => Some(DURATION_S),
        (duration, _, _) => duration,
    };
    let precision = options.load.precision.as_ref();
    let precision = precision.map(|(of, share)| json!({ "of": of, "half_width": share }));
    json!({
        "warm_up": { "seconds": options.load.warm_up.unwrap_or(0.0) },
        "stop": {
            "seconds": duration,
            "transactions": options.load.transactions,
            "precision": precision,
        },
    })
}

/// The same as a job file, in which values of headers that may be credentials are replaced unless
/// `with_credentials`.
pub fn written(options: &Options, url: &str, with_credentials: bool) -> Result<Value, Vec<String>> {
    let (job, mut value) = both(options, &[(url, url.into())], window_of(options))?;
    let targets = value["targets"].as_array_mut();
    let shown = |headers: &[Header]| -> Value {
        let value = |(name, value): &Header| match with_credentials {
            true => json!([name, value]),
            false => json!([name, secrets::shown(name, value)]),
        };
        headers.iter().map(value).collect()
    };
    for (written, target) in targets.into_iter().flatten().zip(&job.targets) {
        let stream = &options.content.stream;
        let expect = written["requests"][0]["expect"].take();
        written["headers"] = shown(&target.endpoint.headers);
        let request = |it: &Request| written_request(it, shown(&it.headers), stream, &expect);
        written["requests"] = target.requests.iter().map(request).collect();
        let transactions = target.transactions.iter().map(|it| {
            json!({
                "operation": it.operation,
                "parameter_set": it.parameter_set,
                "rounds": it.rounds,
            })
        });
        written["transactions"] = transactions.collect();
    }
    if options.keep.is_none() {
        value["output"] = ".".into();
    }
    Ok(without_nulls(value))
}

fn written_request(
    request: &Request,
    headers: Value,
    stream: &StreamOptions,
    expect: &Value,
) -> Value {
    json!({
        "method": request.method,
        "path": request.path,
        "headers": headers,
        "body": STANDARD.encode(&request.body),
        "binary": request.binary,
        "stream": stream.json(),
        "expect": expect,
    })
}

/// Removes options that are not given, for which the defaults of job files hold.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(entries) => {
            let given = entries.into_iter().filter(|(_, value)| !value.is_null());
            given
                .map(|(key, value)| (key, without_nulls(value)))
                .collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// A job for several servers, each with its name, that take turns. The error is the list of all
/// problems.
pub fn turns(options: &Options, servers: &[(&str, String)]) -> Result<Job, Vec<String>> {
    let load = &options.load;
    let ends_otherwise =
        load.transactions.is_some() || load.precision.is_some() || load.stages.is_some();
    if ends_otherwise || options.content.replay.is_some() {
        let expected = "expected -d, the time for all servers together";
        return Err(vec![format!(
            "-n, --precision, --stages and --replay are for one server; {expected}"
        )]);
    }
    both(options, servers, json!({ "control": true })).map(|(job, _)| job)
}

/// A job and the JSON that it was read from, which has only the first request of each server.
fn both(
    options: &Options,
    servers: &[(&str, String)],
    mut task: Value,
) -> Result<(Job, Value), Vec<String>> {
    let source = Source::read(&options.content);
    let mut problems = source.as_ref().err().cloned().unwrap_or_default();
    problems.extend(options.connect.flaw(servers.len()));
    let expect = options.expect.json();
    problems.extend(expect.as_ref().err().cloned());
    // All servers get the same requests.
    let extent = Extent {
        rounds: options.content.prepare,
        // The number of transactions of a warm-up is not known before.
        transactions: options
            .load
            .transactions
            .filter(|_| options.load.warm_up.unwrap_or(0.0) == 0.0),
        seed: options.load.seed.unwrap_or_else(any_seed),
        is_timed: options.content.replay.is_some(),
    };
    let mut targets = Vec::new();
    for (index, (text, name)) in servers.iter().enumerate() {
        match server(options, source.as_ref().ok(), extent, text, name) {
            Ok((mut target, prepared)) => {
                if let Some(address) = options.connect.address(index) {
                    target["address"] = address.into();
                }
                if let Ok(expect) = &expect {
                    target["requests"][0]["expect"] = expect.clone();
                }
                targets.push((target, prepared));
            }
            Err(found) => problems.extend(found),
        }
    }
    let mut told = BTreeSet::new();
    problems.retain(|problem| told.insert(problem.clone()));
    if !problems.is_empty() {
        return Err(problems);
    }
    let (targets, prepared): (Vec<Value>, Vec<Prepared>) = targets.into_iter().unzip();
    let common = json!({
        "format": "wirelab-job/2",
        "targets": targets,
        "cpus": options.load.cpus,
        "seed": options.load.seed,
        "output": options.keep,
        "samples": options.keep.is_some(),
    });
    if let (Some(task), Value::Object(common)) = (task.as_object_mut(), common) {
        task.extend(common);
    }
    let mut job = job::from_command_line(&task)?;
    for (target, mut prepared) in job.targets.iter_mut().zip(prepared) {
        if let Some(method) = method(options, target, &prepared)? {
            prepared.encode(&method)?;
        }
        prepared.put_into(Arc::make_mut(target))?;
    }
    Ok((job, task))
}

/// A server as a target of the job, with all requests to it.
fn server(
    options: &Options,
    source: Option<&Source>,
    extent: Extent,
    text: &str,
    name: &str,
) -> Result<(Value, Prepared), Vec<String>> {
    let url = url::parse(text).map_err(|problem| vec![problem])?;
    let transport = transport(options, &url);
    let mut problems = check(options, &url);
    match source.map(|source| ask(options, source, extent, text, &url, transport)) {
        Some(Ok((headers, prepared))) if problems.is_empty() => {
            let target = target(options, &url, transport, name, &headers, &prepared);
            return Ok((target, prepared));
        }
        Some(Err(found)) => problems.extend(found),
        _ => {}
    }
    Err(problems)
}

/// The requests to a server: the headers that are always the same, and all requests.
fn ask(
    options: &Options,
    source: &Source,
    extent: Extent,
    text: &str,
    url: &Url,
    transport: &str,
) -> Result<(Vec<Header>, Prepared), Vec<String>> {
    let manner = Manner {
        transport,
        is_encoded: transport == "grpc" || options.content.rpc.is_some(),
    };
    let asked = source.asked(text, &url.path, manner)?;
    let is_constant = |all: &[Blueprint]| all.iter().all(Blueprint::is_constant);
    // A table may be for logins only.
    let is_for_first = is_constant(&asked.blueprints) && !is_constant(&asked.first);
    let table = source.table.as_ref();
    let mut prepared = prepare(&asked.blueprints, table.filter(|_| !is_for_first), extent)
        .map_err(|problem| vec![problem])?;
    if let Some(table) = table {
        let requests = [asked.blueprints.as_slice(), &asked.first].concat();
        let flaws = json_body::flaws(&requests, table);
        if !flaws.is_empty() {
            return Err(flaws);
        }
    }
    let speed = options.content.speed.unwrap_or(1.0);
    prepared.times_us = replay::times_us(&asked.times_s, speed);
    let mut headers = asked.headers.clone();
    let has_type = |(name, _): &Header| name.eq_ignore_ascii_case("content-type");
    let is_plain = !manner.is_encoded && transport != "websocket";
    if asked.is_data && is_plain && !headers.iter().any(has_type) && prepared.is_json() {
        match asked.first.is_empty() {
            true => headers.push(("content-type".into(), "application/json".into())),
            // Common headers are also sent with --first, which has another body.
            false => prepared.announce_json(),
        }
    }
    if !source.captures.is_empty() {
        let announces = source.captures.first_is_data && !headers.iter().any(has_type);
        capture(options, source, &asked, &mut prepared, announces)?;
    }
    Ok((headers, prepared))
}

/// Prepares logins and captured values; `announces` says whether JSON bodies get a content type.
fn capture(
    options: &Options,
    source: &Source,
    asked: &Asked,
    prepared: &mut Prepared,
    announces: bool,
) -> Result<(), Vec<String>> {
    let captures = asked.blueprints.iter().flat_map(|it| &it.captures);
    // The locations of redirections are not for later requests.
    let depends = captures.into_iter().any(|it| !it.name.is_empty());
    let load = &options.load;
    let is_open = load.rate.is_some() || load.stages.is_some() || !asked.times_s.is_empty();
    if depends && is_open && options.load.streams > 1 {
        return Err(vec![
            "--capture with --rate, --stages or --replay requires one request at a time per connection, since \
             concurrent answers arrive in any order; expected -m 1"
                .into(),
        ]);
    }
    let first = match asked.first.as_slice() {
        [] => None,
        first => {
            let clients = options.load.clients() as usize;
            let varies = !first.iter().all(Blueprint::is_constant);
            let rounds = clients.min(MOST_ROWS / first.len()).max(1) as u32;
            let extent = Extent {
                rounds: varies.then_some(rounds),
                transactions: None,
                seed: options.load.seed.unwrap_or_else(any_seed),
                is_timed: false,
            };
            let table = source.table.as_ref().filter(|_| varies);
            let mut requests = prepare(first, table, extent).map_err(|problem| vec![problem])?;
            if announces {
                requests.announce_json();
            }
            Some((requests, first.len()))
        }
    };
    let chain = if depends { asked.blueprints.len() } else { 1 };
    let (values, follows) = (source.captures.names.len(), options.content.follow);
    prepared.capture(values, chain, first, follows);
    Ok(())
}

/// The gRPC method whose messages were given as JSON, if any.
fn method(
    options: &Options,
    target: &Target,
    prepared: &Prepared,
) -> Result<Option<Method>, Vec<String>> {
    let content = &options.content;
    let (is_grpc, has_rpc) = (
        target.endpoint.transport == TransportKind::Grpc,
        target.endpoint.rpc.is_some(),
    );
    if content.data.is_none() || !(is_grpc || has_rpc) {
        return match content.proto.is_empty() {
            true => Ok(None),
            false => Err(vec![
                "--proto requires gRPC messages; expected a grpc:// address, or --rpc".into(),
            ]),
        };
    }
    let path = &prepared.first().path;
    let method = match (content.proto.as_slice(), is_grpc) {
        ([], true) => Method::of_server(&target.endpoint, path),
        ([], false) => Err("--data with --rpc: the message type is unknown; expected \
                            --proto FILE, or the encoded message with --body"
            .into()),
        (files, _) => Method::of_files(files, &content.import_path, path),
    };
    let method = method.map_err(|problem| vec![problem])?;
    if method.streams && options.content.stream.json().is_null() {
        return Err(vec![format!(
            "the address: {path} is a streaming method; expected --items messages, and \
             --until-items or --until if the stream is endless"
        )]);
    }
    Ok(Some(method))
}

#[cfg(test)]
mod tests;
